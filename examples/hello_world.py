"""Hello, world: a ball falls for one second, and the engine agrees with Galileo."""

import motrixsim as mx

SCENE = """
<mujoco>
  <worldbody>
    <body name="ball" pos="0 0 10"><freejoint/><geom size="0.1"/></body>
  </worldbody>
</mujoco>
"""


def main() -> None:
    model = mx.load_mjcf_str(SCENE)
    data = mx.SceneData(model)
    while data.time < 1:
        mx.step(model, data)
    height = data.dof_pos[2]
    t, g = float(data.time), -model.options.gravity[2]
    print(f"After {t:.3f} s the ball is at {height:.4f} m; 10 - g t^2 / 2 = {10 - g * t**2 / 2:.4f} m")


if __name__ == "__main__":
    main()
