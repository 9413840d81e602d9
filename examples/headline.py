"""The headline example: what `make run` does.

A batch of quadrupeds stands and wiggles on rough terrain that is made here, all worlds in lockstep, and the speed is
printed. The picture that belongs here comes with the renderer, which this version does not have.
"""

import argparse
import time
from pathlib import Path

import numpy as np

import motrixsim

ASSETS = Path(__file__).parent / "assets"


def terrain_scene(rng: np.random.Generator) -> str:
    """The quadruped's scene with a rough height field in place of its floor."""
    rows = cols = 60
    heights = rng.uniform(0, 1, (rows, cols))
    # Neighbours averaged twice: bumps of a few cells instead of needles.
    for _ in range(2):
        heights = (heights + np.roll(heights, 1, 0) + np.roll(heights, 1, 1) + np.roll(heights, (1, 1), (0, 1))) / 4
    elevation = " ".join(f"{h:.4f}" for h in heights.ravel())
    field = f'<hfield name="rough" nrow="{rows}" ncol="{cols}" size="3 3 0.06 0.1" elevation="{elevation}"/>'
    scene = (ASSETS / "quadruped.xml").read_text()
    scene = scene.replace("</asset>", f"{field}</asset>")
    floor = '<geom name="floor" type="plane" size="20 20 0.1" material="ground"/>'
    return scene.replace(floor, '<geom name="floor" type="hfield" hfield="rough" pos="0 0 -0.06"/>')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=200)
    arguments = parser.parse_args()

    rng = np.random.default_rng(0)
    model = motrixsim.load_mjcf_str(terrain_scene(rng))
    data = motrixsim.SceneData(model, batch=(arguments.worlds,))
    stand = model.keyframes[0]
    stand.apply(data)
    rest = data.actuator_ctrls.copy()

    lanes = motrixsim.lane_info()
    print(f"motrixsim {motrixsim.__version__}: {lanes.count} worlds per register ({lanes.name})")
    print(f"{arguments.worlds} quadrupeds on rough terrain")
    start, done = time.perf_counter(), 0
    while done < arguments.steps:
        count = min(25, arguments.steps - done)
        data.actuator_ctrls = rest + rng.normal(0, 0.15, rest.shape)
        model.step_n(data, count)
        done += count
        speed = done * arguments.worlds / (time.perf_counter() - start)
        bar = "#" * (40 * done // arguments.steps)
        print(f"\r[{bar:<40}] {done}/{arguments.steps} steps, {speed:,.0f} world steps per second", end="", flush=True)
    heights = data.dof_pos[:, 2]
    print(f"\nTrunks at {heights.mean():.3f} m on average, {np.isfinite(heights).mean():.0%} of the worlds finite.")


if __name__ == "__main__":
    main()
