"""Time to load models beside MuJoCo: a height field of a million points from a picture, and a robot made of meshes.

    python benches/load.py [MODEL ...]

Without arguments the robot is one written for this: as many meshes as a humanoid has, half of them for collisions.
Each load runs in a process of its own, since MuJoCo remembers meshes that it has seen; figures are the least CPU time
of several, all threads together. Prints Markdown.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np

#: Meshes and triangles of a humanoid robot, about those of Unitree's G1.
MESHES, RINGS = 36, 72
REPEAT = 5


def load_once(engine: str, path: str) -> dict[str, float]:
    """Loads a model in this process, which has loaded nothing before."""
    if engine == "mujoco":
        import mujoco

        load = mujoco.MjModel.from_xml_path
    else:
        import motrixsim

        load = motrixsim.load_model
    begin, cpu = time.perf_counter(), time.process_time()
    model = load(path)
    result = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - begin}
    low = model if engine == "mujoco" else model.low
    # A loader that is fast because it leaves things out shows.
    return result | {"mass": float(np.asarray(low.body_mass).sum()), "vertices": len(low.mesh_vert)}


def measure(path: Path) -> dict[str, dict[str, float]]:
    """The best of several loads of each engine, taken in turns."""
    best: dict[str, dict[str, float]] = {}
    for _ in range(REPEAT):
        for engine in ("motrixsim", "mujoco"):
            command = [sys.executable, __file__, "--once", engine, str(path)]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            best[engine] = min(best.get(engine, found), found, key=lambda each: each["cpu"])
    return best


def write_png(path: Path, heights: np.ndarray) -> None:
    """A picture of 8 bits of grey."""
    rows, cols = heights.shape
    lines = b"".join(b"\0" + row.tobytes() for row in heights)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", cols, rows, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 6)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)


def write_field(folder: Path) -> Path:
    """Hills with noise, a thousand points by a thousand."""
    x, y = np.meshgrid(np.linspace(0, 20, 1000), np.linspace(0, 20, 1000))
    noise = np.random.default_rng(0).integers(0, 20, x.shape)
    write_png(folder / "hills.png", (100 + 50 * np.sin(x) * np.cos(y) + noise).astype(np.uint8))
    file = folder / "field.xml"
    file.write_text(
        '<mujoco><asset><hfield name="hills" file="hills.png" size="10 10 1 .1"/></asset>'
        '<worldbody><geom type="hfield" hfield="hills"/></worldbody></mujoco>'
    )
    return file


def write_mesh(path: Path, seed: int) -> None:
    """A closed surface with bumps, as a binary STL file."""
    random = np.random.default_rng(seed)
    down, around = np.meshgrid(np.linspace(0, np.pi, RINGS + 1), np.linspace(0, 2 * np.pi, RINGS + 1), indexing="ij")
    frequency, phase = random.integers(2, 9, 4), random.uniform(0, 6, 4)
    bumps = sum(np.sin(f * around + p) * np.sin(down) * np.sin(f * down) for f, p in zip(frequency, phase, strict=True))
    radius = 0.05 + 0.004 * bumps
    radius[:, -1] = radius[:, 0]
    points = radius[..., None] * np.stack(
        [np.sin(down) * np.cos(around), np.sin(down) * np.sin(around), 1.5 * np.cos(down)], -1
    )
    points[0], points[-1], points[:, -1] = points[0, 0], points[-1, 0], points[:, 0]
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    upper = np.stack([a, b, c], -2)[1:].reshape(-1, 3, 3)
    lower = np.stack([a, c, d], -2)[:-1].reshape(-1, 3, 3)
    triangles = np.concatenate([lower[:RINGS], upper, lower[RINGS:]]).astype("<f4")
    records = np.zeros(len(triangles), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    records["corners"] = triangles
    path.write_bytes(bytes(80) + struct.pack("<I", len(records)) + records.tobytes())


def write_robot(folder: Path) -> Path:
    """A chain of links with a mesh each; every second one can touch."""
    assets, bodies = [], []
    for k in range(MESHES):
        write_mesh(folder / f"part{k}.stl", k)
        assets.append(f'<mesh file="part{k}.stl"/>')
        touching = "" if k % 2 else 'contype="0" conaffinity="0"'
        bodies.append(
            f'<body pos="0 0 .1"><joint axis="0 1 0"/><geom type="mesh" mesh="part{k}" {touching}/>'
            f'<inertial pos="0 0 .05" mass="1" diaginertia=".01 .01 .005"/>'
        )
    file = folder / "robot.xml"
    file.write_text(
        f"<mujoco><asset>{''.join(assets)}</asset><worldbody>{''.join(bodies)}{'</body>' * MESHES}</worldbody></mujoco>"
    )
    return file


def main() -> None:
    if sys.argv[1:2] == ["--once"]:
        print(json.dumps(load_once(*sys.argv[2:])))
        return
    with tempfile.TemporaryDirectory() as folder:
        robots = [Path(path) for path in sys.argv[1:]] or [write_robot(Path(folder))]
        paths = {"height field from a picture of 1000 x 1000": write_field(Path(folder))}
        paths |= {f"{path.parent.name}/{path.name}" if sys.argv[1:] else "robot of meshes": path for path in robots}
        print("| loading | vertices of meshes | ms of CPU | MuJoCo's | ratio |\n|---|---|---|---|---|")
        for name, path in paths.items():
            best = measure(path)
            ours, theirs = best["motrixsim"], best["mujoco"]
            assert ours["vertices"] == theirs["vertices"], best
            assert abs(ours["mass"] - theirs["mass"]) <= 1e-6 * theirs["mass"], best
            print(
                f"| {name} | {ours['vertices']} | {1e3 * ours['cpu']:.0f} | {1e3 * theirs['cpu']:.0f} "
                f"| {theirs['cpu'] / ours['cpu']:.2f} |"
            )


if __name__ == "__main__":
    main()
