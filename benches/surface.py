"""What terrain costs: ratios within one run, so that the machine does not matter.

    python benches/surface.py

* a quadruped on a rough 400 x 400 field against the same on a plane: at most 1.6;
* a 20 x 8 cm foot on 10 mm cells against the same on a plane: at most 3;
* steps and rays on maps of 100 x 100 and 2000 x 2000 nodes: within 5 %;
* the time to load a field of 2000 x 2000 nodes from a binary file: at most 0.1 s.
"""

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import motrixsim as mx
from motrixsim import lidar, terrain

mx.init_thread_pool(1)
ASSETS = Path(__file__).parent.parent / "examples" / "assets"


def fastest(work: Callable[[], object], repeats: int = 7) -> float:
    """The least CPU time of some runs, seconds: what the work takes when nothing disturbs it."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def ratio(name: str, value: float, bound: str) -> None:
    print(f"| {name} | {value:.2f} | {bound} |", flush=True)


def on_ground(robot: str, asset: str, geom: str) -> str:
    """A robot's file with another ground."""
    plane = next(line for line in robot.splitlines() if 'type="plane"' in line)
    text = robot.replace(plane, geom)
    if "<asset>" in text:
        return text.replace("<asset>", f"<asset>{asset}", 1)
    return text.replace("<worldbody>", f"<asset>{asset}</asset><worldbody>", 1)


def stepping(model: mx.SceneModel, worlds: int, spread: float = 0.0) -> float:
    """CPU seconds per step of a batch that stands and wiggles, every world in its own way."""
    rng = np.random.default_rng(0)
    data = mx.SceneData(model, (worlds,))
    if model.keyframes:
        model.keyframes[0].apply(data)
    rest, start = data.actuator_ctrls.copy(), data.dof_pos.copy()
    start[:, :2] += spread * (rng.random((worlds, 2)) - 0.5)
    data.set_dof_pos(start, model)

    def run() -> None:
        for _ in range(4):
            data.actuator_ctrls = rest + rng.normal(0, 0.15, rest.shape)
            model.step_n(data, 25)

    run()
    return fastest(run, 5) / 100


def quadruped(folder: Path) -> None:
    robot = (ASSETS / "quadruped.xml").read_text()
    heights = terrain.rough((400, 400), 0.1, 0.08, 0.35, seed=1)
    asset, geom = terrain.Terrain(heights, 0.1).mjcf("ground", folder / "rough.hfield")
    plane = stepping(mx.load_mjcf_str(robot), 256, spread=30.0)
    rough = stepping(mx.load_mjcf_str(on_ground(robot, asset, geom)), 256, spread=30.0)
    ratio("quadruped on rough 400 x 400 / on a plane", rough / plane, "<= 1.6")


def foot() -> None:
    body = '<body pos="0.003 0.001 0.021"><freejoint/><geom type="box" size="0.1 0.04 0.02" mass="1"/></body>'
    flat = terrain.Terrain(terrain.flat((101, 101), 0.01), 0.01)
    asset, geom = flat.mjcf("ground")
    scenes = [f"<asset>{asset}</asset><worldbody>{geom}{body}</worldbody>"]
    scenes.append(f'<worldbody><geom type="plane" size="1 1 1"/>{body}</worldbody>')
    field, plane = (stepping(mx.load_mjcf_str(f"<mujoco>{scene}</mujoco>"), 512, spread=0.4) for scene in scenes)
    ratio("foot on 10 mm cells / on a plane", field / plane, "<= 3")


def map_size(folder: Path) -> None:
    robot = (ASSETS / "quadruped.xml").read_text()
    # The same ground under the robots, with and without a map around it.
    large = terrain.rough((2000, 2000), 0.1, 0.08, 0.35, seed=1)
    steps, rays = [], []
    pattern = lidar.rings(np.linspace(-40, -5, 16), 256).reshape(-1, 3)
    for name, heights in (("small", large[950:1050, 950:1050]), ("large", large)):
        asset, geom = terrain.Terrain(heights, 0.1).mjcf("ground", folder / f"{name}.hfield")
        model = mx.load_mjcf_str(on_ground(robot, asset, geom))
        steps.append(stepping(model, 256, spread=8.0))
        data = mx.SceneData(model, (64,))
        # Not as far as the border of the small map.
        rays.append(
            fastest(lambda model=model, data=data: mx.raycast(model, data, [0, 0, 1.0], pattern, max_distance=4))
        )
    ratio("steps on a map of 2000 x 2000 / of 100 x 100", steps[1] / steps[0], "0.95 .. 1.05")
    ratio("rays on a map of 2000 x 2000 / of 100 x 100", rays[1] / rays[0], "0.95 .. 1.05")


def loading(folder: Path) -> None:
    terrain.write_hfield(folder / "large.hfield", terrain.rough((2000, 2000), 0.1, 1.0))
    text = f"""<mujoco><asset><hfield name="f" file="{folder / "large.hfield"}" size="100 100 1 0.1"/></asset>
        <worldbody><geom name="ground" type="hfield" hfield="f"/></worldbody></mujoco>"""
    seconds = fastest(lambda: mx.load_mjcf_str(text), 3)
    ratio("seconds to load 2000 x 2000 heights from a binary file", seconds, "<= 0.1")


def main() -> None:
    print("**Terrain, firm contacts, 1 thread**\n\n| what | measured | aim |\n|---|---:|---:|")
    with TemporaryDirectory() as name:
        folder = Path(name)
        loading(folder)
        foot()
        quadruped(folder)
        map_size(folder)


if __name__ == "__main__":
    main()
