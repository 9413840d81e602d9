"""Names, numbers and constants of the model's parts, and the names that programs use beyond the documented ones."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import motrixsim

KINDS = ["actuator", "body", "geom", "hfield", "joint", "link", "site"]


@pytest.mark.parametrize("kind", KINDS)
def test_positions_and_names_lead_to_each_other(zoo, kind: str) -> None:
    get, index_of = getattr(zoo, f"get_{kind}"), getattr(zoo, f"get_{kind}_index")
    count = getattr(zoo, f"num_{kind}s" if kind != "body" else "num_bodies")
    names = [get(k).name for k in range(count)]
    if kind != "hfield":
        assert getattr(zoo, f"{kind}_names") == names
    assert get(count) is None
    for k, name in enumerate(names):
        assert index_of(name) == k
        assert get(name) is get(k)
        assert get(np.int64(k)).index == k
    if kind != "hfield":
        assert list(getattr(zoo, "bodies" if kind == "body" else f"{kind}s")) == [get(k) for k in range(count)]
    assert index_of("no such name") is None
    with pytest.raises(TypeError):
        index_of(3)


def test_shapes_tell_their_measures(zoo) -> None:
    assert zoo.get_geom("foot_geom").radius == np.float32(0.06)
    for name, radius, half in (("thigh_geom", 0.05, 0.2), ("crate_geom", 0.1, 0.2)):
        geom = zoo.get_geom(name)
        assert (geom.radius, geom.half_height) == (np.float32(radius), np.float32(half))
    np.testing.assert_allclose(zoo.get_geom("torso").half_extents, [0.2, 0.1, 0.1], rtol=1e-6)
    np.testing.assert_allclose(zoo.get_geom("wrist_geom").half_extents, [0.1, 0.2, 0.3], rtol=1e-6)


def test_geoms_tell_what_they_touch(zoo) -> None:
    crate, mesh = zoo.get_geom("crate_geom"), zoo.get_geom("crate_mesh")
    assert (crate.collision_group, crate.collision_affinity, crate.margin) == (1, 1, 0)
    assert (mesh.collision_group, mesh.collision_affinity) == (0, 0)
    wide = motrixsim.load_mjcf_str(
        "<mujoco><worldbody><geom name='g' size='1' margin='0.25' contype='2' conaffinity='4'/></worldbody></mujoco>"
    ).get_geom("g")
    assert (wide.collision_group, wide.collision_affinity, wide.margin) == (2, 4, 0.25)


def test_dofs_are_counted_in_the_order_of_the_file(zoo, data) -> None:
    starts = [(base.dof_pos_start, base.dof_vel_start) for base in zoo.floating_bases]
    assert starts == [(0, 0), (13, 11)]
    joints = [(joint.dof_pos_index, joint.dof_vel_index) for joint in zoo.joints]
    assert joints == [(7, 6), (8, 7), (9, 8)]
    for joint, (position, velocity) in zip(zoo.joints, joints, strict=True):
        data.views.dof_pos[..., position] = 0.25
        data.views.dof_vel[..., velocity] = 0.5
        assert (joint.get_dof_pos(data)[..., 0] == 0.25).all()
        assert (joint.get_dof_vel(data)[..., 0] == 0.5).all()


def test_a_keyframe_without_controls_has_none(zoo) -> None:
    assert zoo.keyframes[0].ctrl.size == 0
    given = motrixsim.load_mjcf_str(
        "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>"
        "<actuator><motor joint='j'/></actuator><keyframe><key ctrl='0.5'/></keyframe></mujoco>"
    )
    np.testing.assert_array_equal(given.keyframes[0].ctrl, [0.5])


def test_the_names_of_existing_programs_work(zoo, data) -> None:
    thigh, servo = zoo.get_link("thigh"), zoo.get_actuator("servo")
    assert thigh.parent is zoo.get_link("robot")
    assert thigh.children == [zoo.get_link("foot")]
    np.testing.assert_allclose(thigh.local_pose, [0, 0.2, 0, 0, 0, 0, 1], atol=1e-7)
    assert (servo.kp, servo.kd) == (20, 1)
    assert list(servo.force_range) == [-50, 50]
    np.testing.assert_allclose(zoo.get_geom("foot_geom").friction, [0.8, 0.01, 0.001], rtol=1e-6)
    zoo.reports.contact_forces = True
    zoo.reports.contacting_geoms = True
    forces = zoo.get_link_net_contact_forces(data)
    assert forces.shape[: data.ndim + 1] == (*data.shape, zoo.num_links)
    assert re.match(r"\d+\.\d+", motrixsim.__version__)


def test_every_documented_name_is_used_by_some_test() -> None:
    """A name that no test calls could be wrong unnoticed."""
    folder = Path(__file__).parent
    surface = json.loads((folder / "api_surface.json").read_text())
    text = "\n".join(path.read_text() for path in folder.glob("test_*.py"))
    words = set(re.findall(r"\w+", text))
    # Written by these tests as f"get_{what}_override" and the like.
    made = {f"{verb}_{what}_override" for verb in ("get", "set") for what in words}
    made |= {f"get_{kind}_index" for kind in KINDS} | {f"{kind}_names" for kind in KINDS}
    made |= {f"{prefix}{kind}s" for prefix in ("num_", "") for kind in KINDS} | {"num_bodies"}
    members = {
        member
        for description in surface["classes"].values()
        for member in (*description["methods"], *description["attributes"])
        if not member.startswith("__")
    }
    assert sorted(members - words - made) == []
