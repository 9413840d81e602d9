"""`contact_model = "mujoco"`: the contacts of every shape with terrain are MuJoCo's, prism by prism."""

import numpy as np
import pytest

import motrixsim as mx

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
# How closely contacts agree: polyhedra end exactly, curved shapes within the tolerance of the iterations (ccd_tolerance 1e-6).
CLOSE = {"sphere": 1e-6, "capsule": 1e-6, "box": 1e-6, "mesh": 1e-6, "cylinder": 2e-4, "ellipsoid": 2e-4}


def text(shape: str) -> str:
    rng = np.random.default_rng(11)
    numbers = " ".join(f"{x:.6f}" for x in rng.random(21 * 17))
    vertices = " ".join(f"{x:.6f}" for x in (rng.normal(size=(14, 3)) * [0.1, 0.12, 0.15]).ravel())
    return f"""
    <mujoco>
      <option><flag multiccd="disable"/></option>
      <asset>
        <hfield name="f" nrow="21" ncol="17" size="1.6 2 0.4 0.2" elevation="{numbers}"/>
        <mesh name="m" vertex="{vertices}"/>
      </asset>
      <worldbody>
        <geom type="hfield" hfield="f" pos="0.1 -0.2 0.3" euler="3 -5 20"/>
        <body><freejoint/><geom mass="1" {SHAPES[shape]}/></body>
      </worldbody>
    </mujoco>"""


def random_poses(rng: np.random.Generator) -> np.ndarray:
    position = rng.uniform([-1.4, -1.6, 0.3], [1.4, 1.6, 0.85], (POSES, 3))
    turn = rng.normal(size=(POSES, 4))
    return np.column_stack([position, turn / np.linalg.norm(turn, axis=1)[:, None]])


def matched(ours: np.ndarray, theirs: np.ndarray, close: float) -> bool:
    """Whether two lists of contacts (distance, position, normal) are the same, in any order."""
    if len(ours) != len(theirs):
        return False
    left = list(range(len(theirs)))
    for contact in ours:
        apart = [np.abs(contact - theirs[k]).max() for k in left]
        nearest = int(np.argmin(apart))
        if apart[nearest] > close:
            return False
        left.pop(nearest)
    return True


@pytest.mark.slow
@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_the_contacts_of_a_thousand_poses_are_mujocos(shape) -> None:
    model = mx.load_mjcf_str(text(shape))
    model.options.contact_model = "mujoco"
    data = mx.SceneData(model, (POSES,), precision="f64")
    poses = random_poses(np.random.default_rng(12))
    data.set_dof_pos(poses, model)
    model.forward_kinematic(data)
    low = data.low
    reference = mujoco.MjModel.from_xml_string(text(shape))
    theirs = mujoco.MjData(reference)
    different, contacts = [], 0
    for k, pose in enumerate(poses):
        theirs.qpos[:] = [*pose[:3], pose[6], *pose[3:6]]
        mujoco.mj_forward(reference, theirs)
        expected = np.array([[c.dist, *c.pos, *c.frame[:3]] for c in theirs.contact]).reshape(-1, 7)
        normals = np.reshape(low.contact_frame[k], (-1, 9))[:, :3]
        found = np.column_stack([low.contact_dist[k], np.reshape(low.contact_pos[k], (-1, 3)), normals])
        contacts += len(expected)
        if not matched(found, expected, CLOSE[shape]):
            different.append(k)
    assert contacts > 500
    assert not different, f"{len(different)} poses of {POSES} differ: {different[:10]}"
