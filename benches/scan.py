"""Heights of rough ground around 4096 robots, 187 points each: this engine's scanner beside its peers.

Engines run in processes of their own and take turns; the median of the ratios of CPU times over the rounds counts.
MuJoCo has no scanner: `mujoco.batch` shoots a ray down at each point, here for fewer robots. What was read stands
beside the speed, as the largest difference from bilinear interpolation and from the triangles of the ground in double
precision. Prints Markdown.

    python benches/scan.py [--motrixsim PYTHON]

`--motrixsim` names the interpreter of an environment with MotrixSim installed, which is measured too.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from compare import Peer
from workloads import rough, write_field

WORLDS, RAYED = 4096, 64
NODES, HALF, TOP = 400, 20.0, 0.5
# How far robots stand from the middle, and how high.
SIDE, HEIGHT = 11.0, 1.0
ROUNDS, REPEATS = 7, 20
SCENE = f"""<mujoco>
  <asset><hfield name="ground" file="terrain.hfield" size="{HALF} {HALF} {TOP} 0.1"/></asset>
  <worldbody>
    <geom name="ground" type="hfield" hfield="ground"/>
    <body name="base" pos="0 0 {HEIGHT}"><freejoint/><geom size="0.1"/></body>
  </worldbody>
</mujoco>"""


def pattern() -> np.ndarray:
    """The points around a robot, in its heading."""
    x, y = np.meshgrid(np.linspace(-0.8, 0.8, 17), np.linspace(-0.5, 0.5, 11))
    return np.stack([x.ravel(), y.ravel()], axis=1)


def stances() -> tuple[np.ndarray, np.ndarray]:
    """Where robots stand, and their headings."""
    rng = np.random.default_rng(3)
    return rng.uniform(-SIDE, SIDE, (WORLDS, 2)), rng.uniform(-np.pi, np.pi, WORLDS)


def points() -> np.ndarray:
    """All points in the world."""
    xy, yaw = stances()
    c, s = np.cos(yaw)[:, None], np.sin(yaw)[:, None]
    x, y = pattern().T
    return xy[:, None] + np.stack([c * x - s * y, s * x + c * y], axis=-1)


def interpolated(heights: np.ndarray, places: np.ndarray, triangles: bool) -> np.ndarray:
    """What a user would write in numpy; triangles meet on the diagonal from a cell's first corner to its last."""
    at = (places + HALF) * ((NODES - 1) / (2 * HALF))
    cell = np.clip(at.astype(int), 0, NODES - 2)
    (u, v), (col, row) = np.moveaxis(at - cell, -1, 0), np.moveaxis(cell, -1, 0)
    a, b = heights[row, col], heights[row, col + 1]
    c, d = heights[row + 1, col], heights[row + 1, col + 1]
    if triangles:
        return np.where(u >= v, a + u * (b - a) + v * (d - b), a + v * (c - a) + u * (d - c))
    return (a * (1 - u) + b * u) * (1 - v) + (c * (1 - u) + d * u) * v


def heights() -> np.ndarray:
    """The ground, as single precision keeps it."""
    return TOP * rough(NODES, seed=4, amplitude=0.06).astype(np.float32).astype(np.float64)


def scanner(folder: Path) -> Callable[[], np.ndarray]:
    """The scanner of any wheel that imports as `motrixsim`."""
    import motrixsim

    motrixsim.init_thread_pool(1)
    model = motrixsim.load_model(str(folder / "scene.xml"))
    data = motrixsim.SceneData(model, batch=(WORLDS,))
    xy, yaw = stances()
    zeros = np.zeros(WORLDS)
    poses = np.column_stack([xy, zeros + HEIGHT, zeros, zeros, np.sin(yaw / 2), np.cos(yaw / 2)])
    data.set_dof_pos(poses.astype(np.float32), model)
    model.forward_kinematic(data)
    offsets = pattern().astype(np.float32)
    scan = motrixsim.TerrainScanner(model.get_geom("ground"), model.get_link("base"), offsets)
    out = np.empty((WORLDS, len(offsets)), np.float32)
    return lambda: scan.scan(data, out=out)


def rays(folder: Path) -> Callable[[], np.ndarray]:
    """MuJoCo's rays, which leave the robot out."""
    import mujoco
    from mujoco import batch

    model = mujoco.MjModel.from_xml_path(str(folder / "scene.xml"))
    worlds = batch.Batch(model, nsim=RAYED, nthread=1)
    down = np.array([0.0, 0.0, -1.0])
    origins = np.concatenate([points()[:RAYED], np.full((RAYED, len(pattern()), 1), HEIGHT)], axis=-1)
    return lambda: HEIGHT - worlds.ray(origins, down, bodyexclude=1)[0]


def by_hand(folder: Path) -> Callable[[], np.ndarray]:
    """What a user would write."""
    ground = heights().astype(np.float32)
    return lambda: interpolated(ground, points(), triangles=False)


def serve(read: Callable[[Path], Callable[[], np.ndarray]], folder: Path) -> None:
    """Measures once for each line of standard input: CPU seconds of a point, and what was read."""
    work = read(folder)
    found = work()
    where = points()[: len(found)]
    off = [float(np.abs(found - interpolated(heights(), where, kind)).max()) for kind in (False, True)]
    for _ in sys.stdin:
        start = time.process_time()
        for _ in range(REPEATS):
            work()
        cpu = (time.process_time() - start) / (REPEATS * found.size)
        print(json.dumps({"cpu": cpu, "bilinear": off[0], "triangles": off[1]}), flush=True)


READERS = {"scanner": scanner, "rays": rays, "numpy": by_hand}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--motrixsim", metavar="PYTHON")
    parser.add_argument("--serve", nargs=2, metavar=("READER", "FOLDER"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(READERS[arguments.serve[0]], Path(arguments.serve[1]))
        return
    engines = [("ours", sys.executable, "scanner")]
    if arguments.motrixsim:
        engines.append(("MotrixSim", arguments.motrixsim, "scanner"))
    engines += [("numpy", sys.executable, "numpy"), ("MuJoCo's rays", sys.executable, "rays")]
    with tempfile.TemporaryDirectory() as folder:
        write_field(Path(folder), rough(NODES, seed=4, amplitude=0.06))
        (Path(folder) / "scene.xml").write_text(SCENE)
        peers = [Peer(label, [python, __file__, "--serve", reader, folder]) for label, python, reader in engines]
        times = [[peer.ask(do="scan") for peer in peers] for _ in range(ROUNDS)]
        for peer in peers:
            peer.close()
    print(f"**Heights of rough ground at {WORLDS} x {len(pattern())} points, 1 thread**\n")
    print("| engine | million points per CPU second | ours is faster by | mm off bilinear | mm off triangles |")
    print("|---|---:|---:|---:|---:|")
    for k, peer in enumerate(peers):
        million = 1e-6 / median(turn[k]["cpu"] for turn in times)
        ratio = median(turn[k]["cpu"] / turn[0]["cpu"] for turn in times)
        off = times[0][k]
        print(
            f"| {peer.label} | {million:,.1f} | {ratio:.1f} "
            f"| {1e3 * off['bilinear']:.3f} | {1e3 * off['triangles']:.3f} |"
        )


if __name__ == "__main__":
    main()
