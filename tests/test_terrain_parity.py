"""`contact_model = "mujoco"`: the contacts of every shape with terrain are MuJoCo's, prism by prism.

Shapes are lowered onto the ground at random places, turned at random, and pushed in by up to 3 mm, as contacts
of a simulation are. Where the two differ, an exact referee decides: MuJoCo's depths can be off by centimetres.
"""

import numpy as np
import pytest

import motrixsim as mx
from motrixsim._pairs import placed
from motrixsim._terrain_referee import Terrain

mujoco = pytest.importorskip("mujoco")

POSES = 1000
SHAPES = {
    "sphere": 'type="sphere" size="0.12"',
    "capsule": 'type="capsule" size="0.08 0.15"',
    "ellipsoid": 'type="ellipsoid" size="0.1 0.15 0.2"',
    "cylinder": 'type="cylinder" size="0.1 0.15"',
    "box": 'type="box" size="0.1 0.15 0.2"',
    "mesh": 'type="mesh" mesh="m"',
}


def text(shape: str) -> str:
    rng = np.random.default_rng(11)
    numbers = " ".join(f"{x:.6f}" for x in rng.random(21 * 17))
    vertices = " ".join(f"{x:.6f}" for x in (rng.normal(size=(14, 3)) * [0.1, 0.12, 0.15]).ravel())
    return f"""
    <mujoco>
      <asset>
        <hfield name="f" nrow="21" ncol="17" size="1.6 2 0.4 0.2" elevation="{numbers}"/>
        <mesh name="m" vertex="{vertices}"/>
      </asset>
      <worldbody>
        <geom type="hfield" hfield="f" pos="0.1 -0.2 0.3" euler="3 -5 20"/>
        <body><freejoint/><geom mass="1" {SHAPES[shape]}/></body>
      </worldbody>
    </mujoco>"""


def touching_poses(model: mx.SceneModel, data: mx.SceneData) -> np.ndarray:
    """Random places and turns, at heights where the shape is up to 3 mm in the ground."""
    rng = np.random.default_rng(12)
    turn = rng.normal(size=(POSES, 4))
    turn /= np.linalg.norm(turn, axis=1)[:, None]
    poses = np.column_stack([rng.uniform([-1.1, -1.3], [1.2, 1.1], (POSES, 2)), np.zeros(POSES), turn])
    low, high = np.full(POSES, 0.3), np.full(POSES, 1.4)
    for _ in range(16):
        poses[:, 2] = (low + high) / 2
        data.set_dof_pos(poses, model)
        model.forward_kinematic(data)
        touches = data.terrain_counts[:, 0] > 0
        low, high = np.where(touches, poses[:, 2], low), np.where(touches, high, poses[:, 2])
    poses[:, 2] = high - rng.uniform(0, 0.003, POSES)
    return poses


def differences(shape: str, deeper: float):
    """The contacts of a thousand poses beside MuJoCo's: how many there are, and those that differ by more than 1e-6.

    Each difference is told as our contact, MuJoCo's, and whether the referee sides with ours. Contacts are as many, in
    the order of the grid.
    """
    model = mx.load_mjcf_str(text(shape))
    model.options.contact_model = "mujoco"
    data = mx.SceneData(model, (POSES,), precision="f64")
    poses = touching_poses(model, data)
    poses[:, 2] -= np.random.default_rng(13).uniform(0, deeper, POSES)
    data.set_dof_pos(poses, model)
    model.forward_kinematic(data)
    low = data.low
    distances, positions, frames = low.contact_dist, low.contact_pos, low.contact_frame
    reference = mujoco.MjModel.from_xml_string(text(shape))
    theirs = mujoco.MjData(reference)
    contacts, differing = 0, []
    for k, pose in enumerate(poses):
        theirs.qpos[:] = [*pose[:3], pose[6], *pose[3:6]]
        mujoco.mj_fwdPosition(reference, theirs)
        expected = theirs.contact
        assert len(distances[k]) == len(expected.dist), f"pose {k}"
        for i, (distance, position, frame) in enumerate(zip(distances[k], positions[k], frames[k], strict=True)):
            found = np.array([distance, *position, *frame[:3]])
            wanted = np.array([expected.dist[i], *expected.pos[i], *expected.frame[i][:3]])
            contacts += 1
            if np.abs(found - wanted).max() > 1e-6:
                ours, other = ((c[0], c[1:4], c[4:]) for c in (found, wanted))
                decided = Terrain(reference, theirs, 0).prefers(placed(reference, theirs, 1), ours, other)
                differing.append((found, wanted, decided))
    assert contacts > POSES
    return contacts, differing


def check_depths(shape: str, differing) -> None:
    """MuJoCo's depths, except those of boxes and meshes in which it ends early and reports too little."""
    for found, wanted, ours in differing:
        if shape in ("box", "mesh"):
            assert ours, f"{found} instead of {wanted}"
            assert found[0] < wanted[0] + 1e-6, "ours is the deeper"
        else:
            assert abs(found[0] - wanted[0]) < 5e-6, f"{found} instead of {wanted}"


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_the_contacts_of_a_thousand_poses_are_mujocos(shape) -> None:
    contacts, differing = differences(shape, 0.0)
    assert all(ours for *_, ours in differing)
    check_depths(shape, differing)
    assert len(differing) <= MOST_DECIDED[shape] * contacts


@pytest.mark.slow
@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_the_depths_of_a_thousand_sunken_poses_are_mujocos_or_exact(shape) -> None:
    contacts, differing = differences(shape, 0.15)
    check_depths(shape, differing)
    assert len(differing) <= MOST_DECIDED_DEEP[shape] * contacts


# The share of contacts that differ, as measured, rounded up. Spheres and capsules agree throughout until their cores
# are in the ground. MuJoCo's polytopes end early on prisms, where the referee is always with ours: it reports less
# than the overlap along its own normal, and neither 500 iterations nor a tolerance of 1e-12 change one of its depths
# (its older collider, without `nativeccd`, is deeper throughout). On curved shapes the depths agree, and the place is
# somewhere within the tolerance.
MOST_DECIDED = {"sphere": 0, "capsule": 0, "box": 0.13, "mesh": 0.13, "cylinder": 0.19, "ellipsoid": 0.23}
MOST_DECIDED_DEEP = {"sphere": 0.02, "capsule": 0.12, "box": 0.78, "mesh": 0.78, "cylinder": 0.1, "ellipsoid": 0.07}
