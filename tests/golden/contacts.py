"""Writes contacts.txt: contacts that MuJoCo reports for pairs of shapes in many poses.

    python tests/golden/contacts.py [poses per pair] [output]

The file is text, one record per line:

    hull <name> <vertices> <triangles>      then one line "x y z" per vertex, one "i j k facet" per triangle
    pair <kind> <sizes> <kind> <sizes> <margin>
    pose <x y z qw qx qy qz of the first> <of the second> <contacts>
    <distance> <position> <normal>          one line per contact

Poses are rounded before MuJoCo sees them, so that the text says exactly what was asked.
"""

import sys

import mujoco
import numpy as np

KINDS = ["plane", "sphere", "capsule", "ellipsoid", "cylinder", "box", "hull"]
DIGITS = 6
TOLERANCE = 1e-10


class Hulls:
    """Convex meshes: a die, a wedge, a gem, a pebble of many faces, and a flat plate."""

    def __init__(self, rng):
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        gem = rng.normal(size=(14, 3))
        pebble = rng.normal(size=(150, 3))
        self.points = {
            "die": corners * 0.1,
            "wedge": np.array([[-1, -1, -1], [1, -1, -1], [-1, 1, -1], [1, 1, -1], [-1, 0, 1], [1, 0, 1]]) * 0.12,
            "gem": gem / np.linalg.norm(gem, axis=1)[:, None] * 0.13,
            "pebble": pebble / np.linalg.norm(pebble, axis=1)[:, None] * [0.15, 0.1, 0.08],
            "plate": np.array([[np.cos(a), np.sin(a), z] for a in np.arange(7) * 2 * np.pi / 7 for z in (-0.2, 0.2)])
            * 0.15,
        }

    def names(self):
        return list(self.points)


def random_size(kind, rng, hulls):
    def span(n):
        return np.round(rng.uniform(0.04, 0.2, n), DIGITS)

    return {
        "plane": lambda: [],
        "sphere": lambda: span(1),
        "capsule": lambda: span(2),
        "ellipsoid": lambda: span(3),
        "cylinder": lambda: span(2),
        "box": lambda: span(3),
        "hull": lambda: [rng.choice(hulls.names())],
    }[kind]()


def model_of(first, second, margin, hulls):
    """A model with two free bodies, one geom each."""
    spec = mujoco.MjSpec()
    # Resolve curved shapes as closely as doubles allow: the default tolerance leaves their normals uncertain by 0.5 %.
    spec.option.ccd_tolerance, spec.option.ccd_iterations = TOLERANCE, 200
    for kind, size in (first, second):
        if kind == "hull" and spec.mesh(size[0]) is None:
            mesh = spec.add_mesh(name=size[0], uservert=hulls.points[size[0]].astype(np.float32).ravel())
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    for kind, size in (first, second):
        body = spec.worldbody.add_body()
        body.mocap = kind == "plane"
        if kind != "plane":
            body.add_freejoint()
        kinds = mujoco.mjtGeom
        if kind == "hull":
            geom = body.add_geom(type=kinds.mjGEOM_MESH, meshname=size[0])
        elif kind == "plane":
            geom = body.add_geom(type=kinds.mjGEOM_PLANE, size=[1, 1, 1])
        else:
            geom = body.add_geom(type=getattr(kinds, f"mjGEOM_{kind.upper()}"), size=list(size) + [0] * (3 - len(size)))
        geom.margin = margin / 2
    return spec.compile()


class Scene:
    """Places the two geoms of a model, whatever the frames of their bodies."""

    def __init__(self, model):
        self.model, self.data = model, mujoco.MjData(model)

    def place(self, poses):
        m, d = self.model, self.data
        q = 0
        for geom, (position, quat) in enumerate(poses):
            body = m.geom_bodyid[geom]
            # The body's pose that puts the geom (offset in its body when it is a mesh) at the pose asked for.
            inverse, turned, offset = np.zeros(4), np.zeros(4), np.zeros(3)
            mujoco.mju_negQuat(inverse, m.geom_quat[geom])
            mujoco.mju_mulQuat(turned, quat, inverse)
            mujoco.mju_rotVecQuat(offset, m.geom_pos[geom], turned)
            mocap = m.body_mocapid[body]
            if mocap >= 0:
                d.mocap_pos[mocap], d.mocap_quat[mocap] = position - offset, turned
            else:
                d.qpos[q : q + 7] = np.concatenate([position - offset, turned])
                q += 7
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)

    def distance(self, poses):
        self.place(poses)
        return mujoco.mj_geomDistance(self.model, self.data, 0, 1, 10.0, None)

    def contacts(self, poses):
        self.place(poses)
        mujoco.mj_collision(self.model, self.data)
        return [(c.dist, c.pos.copy(), c.frame[:3].copy()) for c in self.data.contact]


def unit(v):
    return v / np.linalg.norm(v)


def random_quat(rng):
    return np.round(unit(rng.normal(size=4)), DIGITS)


def nearly_aligned_quat(rng):
    """A quarter turn about some axis, then a small tilt: exact alignment would leave choices to rounding."""
    axis = np.zeros(3)
    axis[rng.integers(3)] = 1
    angle = rng.integers(4) * np.pi / 2
    turn = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])
    tilt = rng.choice([1e-4, 1e-4, 1e-3, 0.02, 0.06, 0.12]) * unit(rng.normal(size=3))
    small = unit(np.concatenate([[1], tilt / 2]))
    result = np.zeros(4)
    mujoco.mju_mulQuat(result, small, turn)
    return np.round(unit(result), DIGITS)


def sample(scene, rng, margin):
    """Poses that touch, overlap or nearly touch."""
    quat = nearly_aligned_quat if rng.random() < 0.5 else random_quat
    centre = np.round(rng.uniform(-1, 1, 3), DIGITS)
    first, second = random_quat(rng), quat(rng)
    if quat is nearly_aligned_quat:
        # Aligned with each other, not with the world.
        relative, second = second, np.zeros(4)
        mujoco.mju_mulQuat(second, first, relative)
        second = np.round(second, DIGITS)
    plane = scene.model.geom_type[0] == mujoco.mjtGeom.mjGEOM_PLANE
    towards = np.zeros(3)
    if plane:
        mujoco.mju_rotVecQuat(towards, np.array([0.0, 0, 1]), unit(first))
    elif quat is nearly_aligned_quat and rng.random() < 0.7:
        # Face to face, a little to the side.
        local = np.zeros(3)
        local[rng.integers(3)] = rng.choice([-1, 1])
        mujoco.mju_rotVecQuat(towards, local, unit(first))
    else:
        towards = unit(rng.normal(size=3))
    aside = rng.normal(size=3) * 0.03 * rng.integers(2)
    # Approach along a line until the surfaces meet, then go a little deeper or stay a little away.
    travel = 1.0
    for _ in range(40):
        gap = scene.distance([(centre, first), (centre + travel * towards + aside, second)])
        travel -= gap
        if abs(gap) < 1e-4 or travel < 0:
            break
    depth = rng.choice([1e-4, 1e-3, 0.01, 0.05]) * rng.uniform(-0.2, 1) - margin * rng.uniform(0, 1)
    position = np.round(centre + (max(travel, 0) - depth) * towards + aside, DIGITS)
    return [(centre, first), (position, second)]


def write_hulls(out, hulls):
    for name in hulls.names():
        model = model_of(("hull", [name]), ("sphere", [0.1]), 0, hulls)
        graph = model.mesh_graph
        vertices, faces = graph[0], graph[1]
        triangles = graph[2 + 3 * vertices + 3 * faces :].reshape(faces, 3)
        polygons = []
        for p in range(model.mesh_polynum[0]):
            start = model.mesh_polyvertadr[p]
            polygons.append(set(model.mesh_polyvert[start : start + model.mesh_polyvertnum[p]]))
        print("hull", name, model.nmeshvert, faces, file=out)
        for v in model.mesh_vert:
            print(*(repr(float(c)) for c in v), file=out)
        for t in triangles:
            facet = next((p for p, polygon in enumerate(polygons) if set(t) <= polygon), len(polygons))
            print(*t, facet, file=out)


def write_pair(out, first, second, margin, poses, rng, hulls):
    scene = Scene(model_of(first, second, margin, hulls))
    print("pair", first[0], *first[1], second[0], *second[1], margin, file=out)
    for _ in range(poses):
        placed = sample(scene, rng, margin)
        contacts = scene.contacts(placed)
        numbers = [float(x) for pose in placed for part in pose for x in part]
        print("pose", *(f"{x:.{DIGITS}f}" for x in numbers), len(contacts), file=out)
        for distance, position, normal in contacts:
            print(f"{distance:.9g}", *(f"{x:.8f}" for x in position), *(f"{x:.8f}" for x in normal), file=out)


def main(poses=60, path=None, seed=4):
    rng = np.random.default_rng(seed)
    hulls = Hulls(rng)
    path = path or __file__.replace(".py", ".txt")
    # Many poses are shared out among many sizes.
    per_model = min(max(1, poses // 12), 50)
    with open(path, "w") as out:
        write_hulls(out, hulls)
        for i, first in enumerate(KINDS):
            for second in KINDS[max(i, 1) :]:
                for k in range(-(-poses // per_model)):
                    sizes = [(kind, random_size(kind, rng, hulls)) for kind in (first, second)]
                    write_pair(out, *sizes, [0.0, 0.0, 0.02][k % 3], per_model, rng, hulls)


if __name__ == "__main__":
    main(*([int(sys.argv[1])] if len(sys.argv) > 1 else []), *sys.argv[2:3])
