"""The headline example: what `make run` does.

A batch of quadrupeds trots over terrain that is made here, all worlds in lockstep. The speed is printed, and a picture
shows all worlds at once: they share the ground and do not know of each other.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

import motrixsim as mx
from motrixsim.render import FreeView, Image, Renderer

ASSETS = Path(__file__).parent / "assets"
SPACING, CELL = 1.0, 0.15  # metres between robots and between nodes of the terrain
HEIGHT = 1.6  # of the hills, metres
PHASES, PERIOD, SUBSTEPS = np.array([0, np.pi, np.pi, 0]), 0.5, 5


def hills(side: float, rng: np.random.Generator) -> np.ndarray:
    """Heights between 0 and 1: waves of a few lengths in random directions, some of the ground cut into terraces."""
    nodes = int(side / CELL) + 1
    x, y = np.meshgrid(*2 * [np.linspace(-side / 2, side / 2, nodes)])
    heights = np.zeros_like(x)
    for length in (23, 17, 11, 7, 4.5, 2.5):
        angle, phase = rng.uniform(0, 2 * np.pi, 2)
        heights += length * np.sin(2 * np.pi * (x * np.cos(angle) + y * np.sin(angle)) / length + phase)
    heights = (heights - heights.min()) / np.ptp(heights)
    terraces = np.floor(heights * 20) / 20
    cut = np.clip((np.sin(x / 3.1) + np.cos(y / 4.3)) * 2, 0, 1)
    return heights + cut * (terraces - heights) + rng.uniform(0, 0.008, heights.shape)


def herd(worlds: int, rng: np.random.Generator) -> tuple[mx.SceneModel, mx.SceneData]:
    """Quadrupeds in rows and columns, each in a world of its own, standing on the same hills."""
    columns = int(np.ceil(np.sqrt(worlds)))
    side = max(columns * SPACING + 8, 16)
    heights = hills(side, rng)
    floor = '<geom name="floor" type="plane" size="20 20 0.1" material="ground"/>'
    text = (ASSETS / "quadruped.xml").read_text()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "hills.hfield"
        with file.open("wb") as out:
            out.write(np.array(heights.shape, np.int32).tobytes() + heights.astype(np.float32).tobytes())
        asset = f'<hfield name="hills" file="{file}" content_type="image/vnd.mujoco.hfield"'
        asset += f' size="{side / 2} {side / 2} {HEIGHT} 0.3"/>'
        text = text.replace("</asset>", f"{asset}</asset>")
        model = mx.load_mjcf_str(
            text.replace(floor, floor.replace("plane", "hfield").replace("size=", "hfield='hills' size="))
        )

    data = mx.SceneData(model, batch=[worlds])
    model.keyframes[0].apply(data)
    place = np.stack([np.arange(worlds) % columns, np.arange(worlds) // columns], axis=-1) - (columns - 1) / 2
    place = place * SPACING + rng.uniform(-0.2, 0.2, place.shape)
    ground = model.get_geom("floor").sample_height(data, place[:, None])[:, 0]
    base, yaw = model.floating_bases[0], rng.uniform(-0.6, 0.6, worlds)
    base.set_translation(data, np.column_stack([place, ground + 0.34]))
    base.set_rotation(data, np.column_stack([0 * yaw, 0 * yaw, np.sin(yaw / 2), np.cos(yaw / 2)]))
    return model, data


def trot(rest: np.ndarray, start: np.ndarray, t: float) -> np.ndarray:
    """Servo targets of a trot; every world starts somewhere else in its stride."""
    phase = 2 * np.pi * (t / PERIOD + start[:, None]) + PHASES
    targets = rest.reshape(-1, 4, 3).copy()
    targets[:, :, 1] += 0.25 * np.cos(phase)
    targets[:, :, 2] -= 0.45 * np.maximum(0, np.sin(phase))
    return targets.reshape(rest.shape)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--picture", type=Path, help="file for a picture of all worlds")
    parser.add_argument("--size", type=int, nargs=2, default=(1280, 640), help="its width and height")
    arguments = parser.parse_args()

    rng = np.random.default_rng(4)
    model, data = herd(arguments.worlds, rng)
    rest, start = data.actuator_ctrls.copy(), rng.uniform(0, 1, arguments.worlds)
    lanes = mx.lane_info()
    print(f"motrixsim {mx.__version__}: {lanes.count} worlds per register ({lanes.name})")
    print(f"{arguments.worlds} quadrupeds on hills")
    begin, done = time.perf_counter(), 0
    while done < arguments.steps:
        count = min(SUBSTEPS, arguments.steps - done)
        data.actuator_ctrls = trot(rest, start, done * model.options.timestep)
        model.step_n(data, count)
        done += count
        speed = done * arguments.worlds / (time.perf_counter() - begin)
        bar = "#" * (40 * done // arguments.steps)
        print(f"\r[{bar:<40}] {done}/{arguments.steps} steps, {speed:,.0f} world steps per second", end="", flush=True)
    finite = np.isfinite(data.dof_pos).all(axis=1).mean()
    print(f"\n{finite:.0%} of the worlds are finite, the robots moved on by {data.time.max():.1f} s.")

    if arguments.picture is not None:
        begin = time.perf_counter()
        view = FreeView.around([0, 0, 0.6], 9, -24, 125, fovy=42)
        renderer = Renderer(model)
        views = renderer.views(data[0], view, *arguments.size)
        offsets = np.zeros((arguments.worlds, 3))
        links = model.get_link_poses(data)[None]
        picture = renderer.paint("rgb", links, offsets, views, *arguments.size, samples=2)
        Image(picture[0]).save_to_disk(arguments.picture)
        print(f"All of them are in {arguments.picture}, drawn in {time.perf_counter() - begin:.1f} s.")


if __name__ == "__main__":
    main()
