"""Terrain from numpy: an array becomes a height field file, and a ball rolls down the valley it makes."""

import tempfile
from pathlib import Path

import numpy as np

import motrixsim as mx

SCENE = """
<mujoco>
  <option timestep="0.005"/>
  <asset><hfield name="valley" file="{file}" content_type="image/vnd.mujoco.hfield" size="5 5 1 0.2"/></asset>
  <worldbody>
    <geom name="valley" type="hfield" hfield="valley"/>
    <body name="ball" pos="-4 1.5 1.4"><freejoint/><geom size="0.2" density="300"/></body>
  </worldbody>
</mujoco>
"""


def write_height_field(path: Path, heights: np.ndarray) -> None:
    """MuJoCo's binary format: two integers for the shape, then rows of single-precision heights."""
    with path.open("wb") as file:
        file.write(np.array(heights.shape, np.int32).tobytes())
        file.write(heights.astype(np.float32).tobytes())


def main() -> None:
    x, y = np.meshgrid(np.linspace(-5, 5, 101), np.linspace(-5, 5, 101))
    heights = 0.02 * y**2 - 0.05 * x  # a valley along x that descends
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "valley.hfield"
        write_height_field(file, heights)
        model = mx.load_mjcf_str(SCENE.format(file=file))
    field = model.get_hfield("valley")
    print(f"{field.nrow} x {field.ncol} nodes within {np.round(field.bound, 2)}")
    data = mx.SceneData(model)
    for second in range(3):
        model.step_n(data, round(1 / model.options.timestep))
        x, y, z = data.dof_pos[:3]
        ground = model.get_geom("valley").sample_height(data, [[x, y]])[0]
        print(f"{second + 1} s: the ball is at x = {x:+.2f}, y = {y:+.2f}, {z - ground:.2f} m above the ground")


if __name__ == "__main__":
    main()
