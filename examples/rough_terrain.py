"""1024 quadrupeds trot on rough terrain, and only those that fall over start again."""

import argparse
import time
from pathlib import Path

import numpy as np

import motrixsim as mx

ASSETS = Path(__file__).parent / "assets"
#: A trot: diagonal legs in step, targets in radians around the standing pose.
PHASES = np.array([0, np.pi, np.pi, 0])
PERIOD = 0.5


def rough_scene(rng: np.random.Generator) -> str:
    """The quadruped's scene with a height field of gentle bumps in place of its floor."""
    heights = rng.uniform(0, 1, (80, 80))
    for _ in range(3):
        heights = (heights + np.roll(heights, 1, 0) + np.roll(heights, 1, 1) + np.roll(heights, (1, 1), (0, 1))) / 4
    heights -= heights.min()
    elevation = " ".join(f"{h:.4f}" for h in (heights / heights.max()).ravel())
    field = f'<hfield name="rough" nrow="80" ncol="80" size="4 4 0.08 0.1" elevation="{elevation}"/>'
    floor = '<geom name="floor" type="plane" size="20 20 0.1" material="ground"/>'
    text = (ASSETS / "quadruped.xml").read_text().replace("</asset>", f"{field}</asset>")
    return text.replace(floor, '<geom name="floor" type="hfield" hfield="rough" pos="0 0 -0.08" material="ground"/>')


def trot(rest: np.ndarray, t: float) -> np.ndarray:
    """Servo targets of a trot at a time; `rest` has shape (worlds, 12), legs of abduction, hip and knee."""
    phase = 2 * np.pi * t / PERIOD + PHASES
    targets = rest.reshape(-1, 4, 3).copy()
    targets[:, :, 1] += 0.25 * np.cos(phase)
    targets[:, :, 2] -= 0.45 * np.maximum(0, np.sin(phase))
    return targets.reshape(rest.shape)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--seconds", type=float, default=1.0, help="simulated time")
    arguments = parser.parse_args()

    model = mx.load_mjcf_str(rough_scene(np.random.default_rng(0)))
    data = mx.SceneData(model, batch=[arguments.worlds])
    model.keyframes[0].apply(data)
    rest = data.actuator_ctrls.copy()
    substeps, falls = 5, 0
    begin = time.perf_counter()
    controls = round(arguments.seconds / (substeps * model.options.timestep))
    for k in range(controls):
        data.actuator_ctrls = trot(rest, k * substeps * model.options.timestep)
        model.step_n(data, substeps)
        fallen = data.dof_pos[:, 2] < 0.12
        if fallen.any():
            falls += int(fallen.sum())
            data[fallen].reset(model)
            model.keyframes[0].apply(data[fallen])
    wall = time.perf_counter() - begin
    forward = data.dof_pos[:, 0].mean()
    speed = arguments.worlds * controls * substeps / wall
    print(f"{arguments.worlds} worlds, {speed:,.0f} world steps per second")
    print(f"moved {forward:+.2f} m on average, {falls} falls")


if __name__ == "__main__":
    main()
