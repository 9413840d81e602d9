"""Rays and distances beside MuJoCo's and, where it is installed, python-fcl's: milliseconds of CPU time each.

python benches/queries.py

Every number is the best of five runs of one thread. Distances are means over 64 turns of two bumpy balls; `bake both`
is the first query, which builds the search trees of both meshes.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

import mujoco
import numpy as np

import motrixsim
from motrixsim import Proximity, ProximityType

motrixsim.init_thread_pool(1)


def seconds(work: Callable[[], object], repeats: int) -> float:
    """CPU seconds of one call, the best of five runs."""
    work()
    best = np.inf
    for _ in range(5):
        start = time.process_time()
        for _ in range(repeats):
            work()
        best = min(best, (time.process_time() - start) / repeats)
    return best


def peak() -> float:
    """Most memory that the process has ever held, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def bumpy(n: int, seed: float) -> tuple[np.ndarray, np.ndarray]:
    """A closed surface of about n triangles with bumps."""
    rows = max(3, int(np.sqrt(n / 4)))
    cols = 2 * rows
    polar, azimuth = np.linspace(0, np.pi, rows + 1)[1:-1], np.linspace(0, 2 * np.pi, cols, endpoint=False)
    t, p = np.meshgrid(polar, azimuth, indexing="ij")
    r = 1 + 0.15 * np.sin(5 * t + seed) * np.cos(4 * p)
    body = np.stack([r * np.sin(t) * np.cos(p), r * np.sin(t) * np.sin(p), r * np.cos(t)], -1).reshape(-1, 3)
    vertices = np.vstack([[0, 0, 1], [0, 0, -1], body])
    j, k = np.arange(cols), (np.arange(cols) + 1) % cols
    faces = [
        np.stack([0 * j, 2 + j, 2 + k], 1),
        np.stack([0 * j + 1, len(body) + 2 - cols + k, len(body) + 2 - cols + j], 1),
    ]
    for i in range(rows - 2):
        a, b = 2 + i * cols, 2 + (i + 1) * cols
        faces += [np.stack([a + j, b + j, b + k], 1), np.stack([a + j, b + k, a + k], 1)]
    return vertices, np.concatenate(faces)


def numbers(array: np.ndarray) -> str:
    return " ".join(map(str, array.ravel().tolist()))


def meshes(n: int) -> None:
    parts = [bumpy(n, seed) for seed in (0.0, 1.0)]
    assets = "".join(
        f'<mesh name="m{i}" vertex="{numbers(np.round(v, 7))}" face="{numbers(f)}"/>' for i, (v, f) in enumerate(parts)
    )
    bodies = "".join(
        f'<body name="b{i}" pos="{2.4 * i} 0 0"><freejoint/><geom name="g{i}" type="mesh" mesh="m{i}"/></body>'
        for i in range(2)
    )
    text = f"<mujoco><asset>{assets}</asset><worldbody>{bodies}</worldbody></mujoco>"
    ours, theirs = motrixsim.load_mjcf_str(text), mujoco.MjModel.from_xml_string(text)
    worlds = 64
    data = motrixsim.SceneData(ours, (worlds,), precision="f64")
    rng = np.random.default_rng(0)
    qpos = data.dof_pos
    for first in (0, 7):
        quat = rng.normal(size=(worlds, 4))
        qpos[:, first + 3 : first + 7] = quat / np.linalg.norm(quat, axis=1)[:, None]
    data.set_dof_pos(qpos, ours)
    motrixsim.forward_kinematic(ours, data)
    state = mujoco.MjData(theirs)
    state.qpos[:7], state.qpos[7:] = (
        np.r_[qpos[0, :3], np.roll(qpos[0, 3:7], 1)],
        np.r_[qpos[0, 7:10], np.roll(qpos[0, 10:], 1)],
    )
    mujoco.mj_forward(theirs, state)

    prox = Proximity("g0", "g1", np.inf, warm_start=False)
    start = time.process_time()
    prox.get_face_to_face_proximity(ours, data[0])
    bake = time.process_time() - start
    prox.algorithm, before = ProximityType.VERTEX_TO_FACE, peak()
    prox.get_proximity(ours, data)
    grown = peak() - before
    segment = np.zeros(6)
    hull_theirs = seconds(lambda: mujoco.mj_geomDistance(theirs, state, 0, 1, 1e3, segment), 200)
    row = {"bake both": bake, "hull, MuJoCo": hull_theirs}
    for name, kind in (("hull", 1), ("corners", 3), ("faces", 4)):
        prox.algorithm = ProximityType(kind)
        row[name] = seconds(lambda: prox.get_proximity(ours, data), 2 if n < 50000 else 1) / worlds
    warm = Proximity("g0", "g1", np.inf, ProximityType.FACE_TO_FACE)
    row["faces, warm"] = seconds(lambda: warm.get_proximity(ours, data), 2) / worlds
    try:
        import fcl
    except ImportError:
        pass
    else:
        objects = []
        for vertices, faces in parts:
            tree = fcl.BVHModel()
            tree.beginModel(len(vertices), len(faces))
            tree.addSubModel(vertices, faces)
            tree.endModel()
            objects.append(fcl.CollisionObject(tree, fcl.Transform()))

        def all_worlds() -> None:
            for q in qpos:
                for k, item in enumerate(objects):
                    item.setTransform(fcl.Transform(np.roll(q[7 * k + 3 : 7 * k + 7], 1), q[7 * k : 7 * k + 3]))
                fcl.distance(*objects, fcl.DistanceRequest(True), fcl.DistanceResult())

        row["faces, fcl"] = seconds(all_worlds, 1) / worlds
        row["fcl / ours"] = row["faces, fcl"] / row["faces"] / 1e3
    times = ", ".join(f"{name} {1e3 * value:.4g}" for name, value in row.items())
    print(f"{n:7d} triangles: {times}; corners take {grown:.0f} MB")


def rays() -> None:
    rng = np.random.default_rng(1)
    kinds = ["sphere", "capsule", "ellipsoid", "cylinder", "box"]
    geoms = "".join(
        f'<geom type="{kinds[i % 5]}" size="0.3 0.25 0.2" pos="{numbers(rng.uniform([-8, -8, 0.5], [8, 8, 3]))}"'
        f' euler="{numbers(rng.uniform(0, 180, 3))}"/>'
        for i in range(60)
    )
    heights = numbers(np.round(rng.uniform(size=(128, 128)), 3))
    text = f"""<mujoco>
      <asset><hfield name="f" nrow="128" ncol="128" size="10 10 0.4 0.1" elevation="{heights}"/></asset>
      <worldbody><geom type="hfield" hfield="f"/>{geoms}</worldbody></mujoco>"""
    ours, theirs = motrixsim.load_mjcf_str(text), mujoco.MjModel.from_xml_string(text)
    state = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, state)
    data = motrixsim.SceneData(ours, precision="f64")
    directions = motrixsim.lidar.rings(np.linspace(-25, 15, 64), 1024).reshape(-1, 3)
    origin = np.array([0.0, 0, 1.2])
    motrixsim.forward_kinematic(ours, data)
    own = seconds(lambda: motrixsim.raycast(ours, data, origin, directions), 3)
    count = 2048
    few = np.ascontiguousarray(directions[:: len(directions) // count][:count])
    geom, distance = np.zeros(count, np.int32), np.zeros(count)
    their = seconds(
        lambda: mujoco.mj_multiRay(
            theirs, state, origin, few.ravel(), None, True, -1, geom, distance, None, count, mujoco.mjMAXVAL
        ),
        1,
    )
    ours_rate, their_rate = len(directions) / own / 1e6, count / their / 1e6
    print(f"rays, 60 primitives and a height field of 128 by 128: {ours_rate:.2f} Mray/s, ", end="")
    print(f"MuJoCo's mj_multiRay {their_rate:.2f} Mray/s, ratio {ours_rate / their_rate:.1f}")


if __name__ == "__main__":
    import motrixsim.lidar

    rays()
    for size in (1000, 10000, 100000):
        meshes(size)
