"""Terrain that changes while worlds run: a hill grows under balls, and they roll off it."""

import numpy as np

import motrixsim as mx

NODES, SIZE, HILL = 41, 6.0, 0.4  # nodes along a side, metres along a side, height of the hill
SCENE = f"""
<mujoco>
  <option timestep="0.005"/>
  <asset><hfield name="ground" nrow="{NODES}" ncol="{NODES}" size="{SIZE / 2} {SIZE / 2} 1 0.2"/></asset>
  <worldbody>
    <geom name="ground" type="hfield" hfield="ground"/>
    <body name="ball" pos="0 0 0.15"><freejoint/><geom size="0.15" density="200"/></body>
  </worldbody>
</mujoco>
"""


def main() -> None:
    model = mx.load_mjcf_str(SCENE)
    data = mx.SceneData(model, batch=[8])
    start = np.zeros((8, 3))
    start[:, 0], start[:, 2] = np.linspace(-1.5, 1.5, 8), 0.15
    model.floating_bases[0].set_translation(data, start)
    field, ground = model.get_hfield("ground"), model.get_geom("ground")

    # Only the block under the hill changes, and an update costs what the block costs.
    middle, reach = NODES // 2, 8
    x, y = np.meshgrid(*2 * [np.arange(-reach, reach + 1) * SIZE / (NODES - 1)])
    shape = np.exp(-(x**2 + y**2) / 0.3)
    for frame in range(40):
        field.update(middle - reach, middle - reach, HILL * (frame + 1) / 40 * shape)
        model.step_n(data, 5)
    place = data.dof_pos[:, :3]
    above = place[:, 2] - ground.sample_height(data, place[:, None, :2])[:, 0]
    print(f"the hill is {field.get(middle, middle):.2f} m high")
    print(f"the balls rolled from x = {np.round(start[:, 0], 1)}")
    print(f"                   to x = {np.round(place[:, 0], 1)}")
    print(f"and are {above.min():.2f} to {above.max():.2f} m above the ground, which is their radius")


if __name__ == "__main__":
    main()
