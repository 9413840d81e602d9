"""Time per pair of shapes, side by side with MuJoCo on the same poses.

    python benches/pairs.py [poses] [rounds]

`poses` is a file that tests/golden/contacts.py writes, by default the recorded one. Ours is what the engine runs, as
the Rust example `pairs` times it: pairs with a closed form in lanes, eight poses at a time, all others one by one;
beside it stands the scalar collider, which queries use. MuJoCo is `mj_collision` on one model with every pose of a kind
of pair, less the same call with all partners moved apart, so that neither its broad phase nor the call from Python
counts. All are the least of several rounds that take turns, in nanoseconds per pose. Prints Markdown.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

import mujoco
import numpy as np

ROOT = Path(__file__).parent.parent
RECORDED = ROOT / "tests" / "golden" / "contacts.txt"
SIZES = {"plane": 0, "sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3, "hull": 1}
REPEATS = 20
APART = 50.0


def read(path):
    """Vertices of the hulls, and for each kind of pair its poses: (shape, shape, margin, numbers of both poses)."""
    hulls, kinds = {}, {}
    lines = iter(path.read_text().splitlines())
    shapes = margin = None
    for line in lines:
        words = line.split()
        if words[0] == "hull":
            hulls[words[1]] = [[float(x) for x in next(lines).split()] for _ in range(int(words[2]))]
            for _ in range(int(words[3])):
                next(lines)
        elif words[0] == "pair":
            first, rest = words[1], words[2:]
            second = rest[SIZES[first]]
            shapes = ((first, rest[: SIZES[first]]), (second, rest[SIZES[first] + 1 : -1]))
            margin = float(words[-1])
        elif words[0] == "pose":
            name = f"{shapes[0][0]}-{shapes[1][0]}"
            kinds.setdefault(name, []).append((*shapes, margin, [float(x) for x in words[1:15]]))
    return hulls, kinds


class Scene:
    """All poses of one kind of pair in one model, each colliding with its partner only."""

    def __init__(self, hulls, poses):
        self.poses = poses
        spec = mujoco.MjSpec()
        for name, points in hulls.items():
            mesh = spec.add_mesh(name=name, uservert=np.array(points, np.float32).ravel())
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
        for k, (first, second, margin, _) in enumerate(poses):
            for side, (kind, size) in enumerate((first, second)):
                self.add(spec, f"{k}.{side}", kind, size)
            spec.add_pair(geomname1=f"{k}.0", geomname2=f"{k}.1", margin=margin)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)

    @staticmethod
    def add(spec, name, kind, size):
        body = spec.worldbody.add_body()
        body.mocap = kind == "plane"
        if kind != "plane":
            body.add_freejoint()
        quiet = {"name": name, "contype": 0, "conaffinity": 0}
        if kind == "hull":
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=size[0], **quiet)
        elif kind == "plane":
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1], **quiet)
        else:
            lengths = [float(x) for x in size] + [0.0] * (3 - len(size))
            body.add_geom(type=getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}"), size=lengths, **quiet)

    def place(self, apart):
        m, d = self.model, self.data
        turned, inverse, offset = np.zeros(4), np.zeros(4), np.zeros(3)
        for k, (*_, numbers) in enumerate(self.poses):
            for side in range(2):
                geom = 2 * k + side
                body = m.geom_bodyid[geom]
                position, quat = (
                    np.array(numbers[7 * side : 7 * side + 3]),
                    np.array(numbers[7 * side + 3 : 7 * side + 7]),
                )
                mujoco.mju_normalize4(quat)
                mujoco.mju_negQuat(inverse, m.geom_quat[geom])
                mujoco.mju_mulQuat(turned, quat, inverse)
                mujoco.mju_rotVecQuat(offset, m.geom_pos[geom], turned)
                if side == 1 and apart:
                    away = np.zeros(3)
                    mujoco.mju_rotVecQuat(away, np.array([0.0, 0, 1]), np.array(numbers[3:7]))
                    position = position + APART * away
                mocap = m.body_mocapid[body]
                if mocap >= 0:
                    d.mocap_pos[mocap], d.mocap_quat[mocap] = position - offset, turned
                else:
                    at = m.jnt_qposadr[m.body_jntadr[body]]
                    d.qpos[at : at + 7] = np.concatenate([position - offset, turned])
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)

    def time(self):
        """Least nanoseconds of one call, with partners together and apart, and the contacts found."""
        best, contacts = {}, 0
        for apart in (False, True):
            self.place(apart)
            for _ in range(REPEATS):
                start = time.process_time_ns()
                for _ in range(10):
                    mujoco.mj_collision(self.model, self.data)
                best[apart] = min(best.get(apart, np.inf), (time.process_time_ns() - start) / 10)
            contacts += 0 if apart else self.data.ncon
            assert not (apart and self.data.ncon), "partners moved apart still touch"
        return (best[False] - best[True]) / len(self.poses), contacts / len(self.poses)


def ours(path):
    """Nanoseconds and contacts per pose for each kind of pair, and nanoseconds of the scalar collider."""
    command = ["cargo", "run", "--release", "-q", "-p", "motrix-collide", "--example", "pairs", str(path)]
    text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    pattern = r"^(\S+) +([\d.]+) ns +\(([\d.]+) contacts[^)]*\)(?:, in lanes ([\d.]+) ns)?"
    rows = re.findall(pattern, text, re.MULTILINE)
    return {name: (float(lanes or time), float(contacts), float(time)) for name, time, contacts, lanes in rows}


def main(path=RECORDED, rounds=3):
    hulls, kinds = read(Path(path))
    scenes = {name: Scene(hulls, poses) for name, poses in kinds.items()}
    least = {}
    for _ in range(int(rounds)):
        mine = ours(path)
        for name, scene in scenes.items():
            theirs = scene.time()
            row = least.setdefault(name, [mine[name], theirs])
            least[name] = [min(row[0], mine[name]), min(row[1], theirs)]
    print(f"**Nanoseconds per pair of shapes, beside MuJoCo {mujoco.__version__}'s collider, one by one**\n")
    print("| pair | ours | MuJoCo | ratio | ours, not in lanes | contacts | MuJoCo's |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, (mine, theirs) in sorted(least.items(), key=lambda row: row[1][1][0] / row[1][0][0]):
        ratio = theirs[0] / mine[0]
        speeds = f"{mine[0]:.0f} | {theirs[0]:.0f} | {ratio:.2f} | {mine[2]:.0f}"
        print(f"| {name} | {speeds} | {mine[1]:.2f} | {theirs[1]:.2f} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
