"""Lists, names, look-ups and the static numbers of a model: the file's order, MuJoCo's numbers."""

import numpy as np
import pytest

import motrixsim


def test_links_are_the_bodies_of_the_file_and_bodies_are_trees(zoo) -> None:
    assert zoo.link_names == ["robot", "thigh", "foot", "wrist", "crate", "target"]
    assert zoo.body_names == ["robot", "wrist", "crate", "target"]
    assert [body.num_links for body in zoo.bodies] == [3, 1, 1, 1]
    assert [link.name for link in zoo.get_body("robot").links] == ["robot", "thigh", "foot"]
    assert zoo.get_body("robot").base_link is zoo.get_link("robot")


def test_free_joints_are_floating_bases(zoo) -> None:
    assert zoo.joint_names == ["hip", "ankle", "ball"]
    assert [base.name for base in zoo.floating_bases] == ["root", None]
    assert zoo.get_joint("root") is None
    assert zoo.get_body("robot").floatingbase.dof_pos_indices == list(range(7))
    assert zoo.get_body("crate").floatingbase.dof_vel_start == 11
    assert zoo.get_body("wrist").floatingbase is None


def test_positions_and_velocities_stand_in_depth_first_order(zoo) -> None:
    assert (zoo.num_dof_pos, zoo.num_dof_vel) == (20, 17)
    assert zoo.joint_dof_pos_indices == [7, 8, 9]
    assert zoo.joint_dof_pos_nums == [1, 1, 4]
    assert zoo.joint_dof_vel_indices == [6, 7, 8]
    assert zoo.joint_dof_vel_nums == [1, 1, 3]
    robot = zoo.get_body("robot")
    np.testing.assert_array_equal(robot.get_dof_pos_indices(), np.arange(9, dtype=np.uint32))
    np.testing.assert_array_equal(robot.get_dof_vel_indices(include_floatingbase=False), [6, 7])
    assert (robot.num_joint_dof_pos, robot.num_joint_dof_vel, robot.num_joints) == (2, 2, 2)


def test_the_initial_positions_have_quaternions_with_w_last(zoo) -> None:
    init = zoo.compute_init_dof_pos()
    np.testing.assert_array_equal(init[:7], [0, 0, 2, 0, 0, 0, 1])
    init[:] = 7  # a copy
    assert zoo.compute_init_dof_pos()[0] == 0


@pytest.mark.parametrize("kind", ["link", "body", "joint", "geom", "site", "actuator", "hfield"])
def test_look_ups_take_names_and_indices_and_miss_with_none(zoo, kind: str) -> None:
    get, get_index = getattr(zoo, f"get_{kind}"), getattr(zoo, f"get_{kind}_index")
    first = get(0)
    assert get(first.name) is first
    assert get(np.int64(0)) is first
    assert get_index(first.name) == first.index == 0
    assert first.model is zoo
    assert get("nobody") is None
    assert get_index("nobody") is None
    assert get(999) is None
    for wrong in (-1, 1.5, None, b"x"):
        with pytest.raises(RuntimeError):
            get(wrong)
    with pytest.raises(TypeError):
        get_index(0)


def test_objects_compare_by_what_they_stand_for(zoo) -> None:
    again = motrixsim.load_mjcf_str("<mujoco><worldbody><body name='robot'/></worldbody></mujoco>")
    assert zoo.get_link("robot") == zoo.links[0]
    assert zoo.get_link("robot") != zoo.get_link("foot")
    assert again.get_link("robot") != zoo.get_link("robot")
    assert len({zoo.get_link("robot"), zoo.links[0]}) == 1
    assert zoo.keyframes[0] == zoo.keyframes[0]


def test_links_know_their_relatives(zoo) -> None:
    thigh = zoo.get_link("thigh")
    assert thigh.parent is zoo.get_link("robot")
    assert thigh.children == [zoo.get_link("foot")]
    assert zoo.get_link("robot").parent is None
    assert thigh.body is zoo.get_body("robot")
    np.testing.assert_allclose(thigh.local_pose, [0, 0.2, 0, 0, 0, 0, 1])
    assert [joint.name for joint in thigh.joints()] == ["hip"]
    assert thigh.get_joint(1) is None
    assert thigh.joint_indices == [0]
    assert [geom.name for geom in thigh.geoms] == ["thigh_geom"]
    assert zoo.get_link("robot").mass == pytest.approx(1000 * 8 * 0.2 * 0.1 * 0.1)


def test_joints_tell_their_model_values(zoo) -> None:
    hip = zoo.get_joint("hip")
    np.testing.assert_array_equal(hip.axis, [0, 1, 0])
    np.testing.assert_allclose(hip.range, [[-np.pi / 3, np.pi / 3]], rtol=1e-6)
    assert hip.armature == pytest.approx(0.01)
    assert hip.frictionloss == pytest.approx(0.1)
    assert hip.link is zoo.links[hip.link_index] is zoo.get_link("thigh")
    np.testing.assert_array_equal(zoo.get_joint("ankle").range, [[-np.inf, np.inf]])
    assert zoo.joint_limits.shape == (2, 3)
    assert zoo.get_joint("ball").num_dof_pos == 4


def test_every_shape_has_its_class_and_size(zoo) -> None:
    kinds = {
        "torso": (motrixsim.GeomCuboid, motrixsim.Shape.Cuboid, [0.2, 0.1, 0.1]),
        "thigh_geom": (motrixsim.GeomCapsule, motrixsim.Shape.Capsule, [0.05, 0.2, 0]),
        "foot_geom": (motrixsim.GeomSphere, motrixsim.Shape.Sphere, [0.06, 0, 0]),
        "wrist_geom": (motrixsim.GeomEllipsoid, motrixsim.Shape.Ellipsoid, [0.1, 0.2, 0.3]),
        "crate_geom": (motrixsim.GeomCylinder, motrixsim.Shape.Cylinder, [0.1, 0.2, 0]),
        "crate_mesh": (motrixsim.GeomMesh, motrixsim.Shape.Mesh, [0, 0, 0]),
        "floor": (motrixsim.GeomInfinitePlane, motrixsim.Shape.InfinitePlane, [0, 0, 0]),
        "stage": (motrixsim.GeomPlane, motrixsim.Shape.Plane, [5, 6, 0]),
        "terrain": (motrixsim.GeomHField, motrixsim.Shape.HField, [0, 0, 0]),
    }
    for name, (cls, shape, size) in kinds.items():
        geom = zoo.get_geom(name)
        assert type(geom) is cls
        assert geom.shape == shape
        np.testing.assert_allclose(geom.size, size, rtol=1e-6)
    assert zoo.get_geom("thigh_geom").half_height == pytest.approx(0.2)
    assert zoo.get_geom("crate_mesh").mesh_name == "wedge"
    assert zoo.get_geom("crate_mesh").mesh_scale is None
    assert zoo.get_geom("crate_mesh").visual_only
    assert not zoo.get_geom("torso").visual_only
    assert zoo.get_geom("terrain").hfield is zoo.get_hfield("hills")
    assert zoo.get_geom("torso").hfield is None
    np.testing.assert_allclose(zoo.get_geom("foot_geom").friction, [0.8, 0.01, 0.001])
    assert zoo.get_geom("floor").link is None
    assert int(motrixsim.Shape.Capsule) == 2
    assert len(motrixsim.Shape.types()) == len(motrixsim.Shape.type_names())


def test_height_fields_are_in_metres_with_row_zero_at_the_lowest_y(zoo) -> None:
    hills = zoo.get_hfield("hills")
    assert (hills.nrow, hills.ncol, hills.index) == (3, 3, 0)
    np.testing.assert_array_equal(hills.height_matrix, [[0, 0, 0], [0, 0.5, 0], [0, 0, 0]])
    np.testing.assert_array_equal(hills.bound, [-4, -4, 0, 4, 4, 0.5])
    assert hills.get(row=1, col=1) == 0.5
    for row, col in ((3, 0), (0, -1)):
        with pytest.raises(IndexError):
            hills.get(row, col)


def test_actuators_tell_their_kind_target_and_ranges(zoo) -> None:
    kinds = [type(actuator).__name__ for actuator in zoo.actuators]
    assert kinds == ["MotorActuator", "PositionActuator", "VelocityActuator", "GeneralActuator", "PositionActuator"]
    push, servo = zoo.get_actuator("push"), zoo.get_actuator("servo")
    assert (push.typ, push.target_type, push.target_name) == ("motor", "joint", "ankle")
    assert push.ctrl_range == [-3, 3]
    assert push.force_range is None
    assert servo.ctrl_range is None
    assert servo.force_range == [-50, 50]
    assert (servo.kp, servo.kd) == (20, 1)
    assert servo.damping_type == motrixsim.DampingType.Kv
    assert zoo.get_actuator("ratio").damping_type == motrixsim.DampingType.Dampratio
    np.testing.assert_array_equal(zoo.actuator_ctrl_limits[:, 0], [-3, 3])
    np.testing.assert_array_equal(zoo.actuator_ctrl_limits[:, 1], [-np.inf, np.inf])
    assert len(zoo.get_body("robot").actuators) == 5


def test_the_low_model_has_mujocos_names_and_numbers(zoo) -> None:
    assert zoo.low.nq == 20
    assert zoo.low.body_mass.shape == (7,)
    assert "geom_friction" in dir(zoo.low)
    with pytest.raises(AttributeError):
        zoo.low.no_such_field  # noqa: B018


def test_objects_say_what_they_are(zoo, data) -> None:
    assert repr(zoo.get_link("foot")) == '<motrixsim.Link "foot" index=2>'
    assert "GeomSphere" in repr(zoo.get_geom("foot_geom"))
    assert "zoo" in repr(zoo)
    assert "SceneData" in repr(data)
    assert "timestep=0.002" in repr(zoo.options)
