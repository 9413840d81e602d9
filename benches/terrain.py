"""Height fields: loading, scans beside numpy, and steps and rays on maps of different size, in one run.

python benches/terrain.py
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import motrixsim
from motrixsim import terrain

motrixsim.init_thread_pool(1)
CELL = 0.1
BALLS = 16


def seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """CPU seconds of one call, the best of five runs."""
    work()
    best = np.inf
    for _ in range(5):
        start = time.process_time()
        for _ in range(repeats):
            work()
        best = min(best, (time.process_time() - start) / repeats)
    return best


def rough(nodes: int) -> np.ndarray:
    """The same ground about the middle of a map of any size."""
    places = np.arange(nodes) - (nodes - 1) / 2
    x, y = np.meshgrid(places, places)
    return (0.05 * (np.sin(1.7 * x) * np.cos(1.3 * y) + 1)).astype(np.float32)


def model_text(folder: Path, nodes: int) -> str:
    path = folder / f"{nodes}.hfield"
    terrain.write_hfield(path, rough(nodes))
    half = CELL * (nodes - 1) / 2
    balls = "".join(
        f'<body pos="{0.31 * (k % 4) - 0.5} {0.31 * (k // 4) - 0.5} 0.3"><freejoint/><geom size="0.1"/></body>'
        for k in range(BALLS)
    )
    return f"""<mujoco><asset><hfield name="f" file="{path}" size="{half} {half} 0.1 0.1"/></asset>
      <worldbody><geom name="ground" type="hfield" hfield="f"/>{balls}</worldbody></mujoco>"""


def bilinear(heights: np.ndarray, xy: np.ndarray) -> np.ndarray:
    """What a user would write in numpy."""
    place = (xy + CELL * (np.array(heights.shape[::-1]) - 1) / 2) / CELL
    cell = np.clip(place.astype(int), 0, np.array(heights.shape[::-1]) - 2)
    u, v = np.moveaxis(place - cell, -1, 0)
    col, row = np.moveaxis(cell, -1, 0)
    south = heights[row, col] * (1 - u) + heights[row, col + 1] * u
    north = heights[row + 1, col] * (1 - u) + heights[row + 1, col + 1] * u
    return south * (1 - v) + north * v


def scans(model: motrixsim.SceneModel) -> None:
    worlds = 4096
    data = motrixsim.SceneData(model, (worlds,))
    grid = np.stack(np.meshgrid(np.linspace(-0.8, 0.8, 17), np.linspace(-0.5, 0.5, 11)), -1).reshape(-1, 2)
    link = model.links[0]
    scanner = motrixsim.TerrainScanner(model.get_geom("ground"), link, grid)
    heights = np.asarray(model.get_hfield(0).height_matrix)
    poses = link.get_pose(data)

    def by_hand() -> np.ndarray:
        i, j, k, w = poses[:, 3:].T
        yaw = np.arctan2(2 * (w * k + i * j), 1 - 2 * (j * j + k * k))[:, None]
        x, y = grid.T
        turned = [np.cos(yaw) * x - np.sin(yaw) * y, np.sin(yaw) * x + np.cos(yaw) * y]
        return bilinear(heights, poses[:, None, :2] + np.stack(turned, -1))

    np.testing.assert_allclose(scanner.scan(data), by_hand(), atol=1e-5)
    ours, theirs = seconds(lambda: scanner.scan(data)), seconds(by_hand)
    points = worlds * len(grid)
    print(f"scan of {worlds} worlds x {len(grid)} points: {points / ours / 1e6:.0f} M points/s, ", end="")
    print(f"numpy {points / theirs / 1e6:.1f} M points/s, ratio {theirs / ours:.1f}")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = model_text(folder, 2000)
        start = time.process_time()
        large = motrixsim.load_mjcf_str(text)
        loading = time.process_time() - start
        print(f"2000 x 2000 nodes: loaded in {1e3 * loading:.0f} ms")
        scans(large)
        sizes = {100: motrixsim.load_mjcf_str(model_text(folder, 100)), 2000: large}
        rays = motrixsim.lidar.rings(np.linspace(-40, -5, 16), 256).reshape(-1, 3)
        for what in ("steps", "rays"):
            spent = {}
            for nodes, model in sizes.items():
                data = motrixsim.SceneData(model, (64,))
                start_state = data.snapshot()

                def steps(model: motrixsim.SceneModel = model, data: motrixsim.SceneData = data) -> None:
                    data.restore(start_state)  # noqa: B023 - run before the next model
                    for _ in range(100):
                        motrixsim.step(model, data)

                def look(model: motrixsim.SceneModel = model, data: motrixsim.SceneData = data) -> None:
                    # Not as far as the border of the small map.
                    motrixsim.raycast(model, data, [0, 0, 1.0], rays, max_distance=4)

                spent[nodes] = seconds(steps if what == "steps" else look)
            print(f"{what}: on 2000 x 2000 nodes {spent[2000] / spent[100]:.3f} of the time on 100 x 100")


if __name__ == "__main__":
    import motrixsim.lidar

    main()
