"""Parameters of single worlds: read back, checked, forgotten by a reset, and acting in the next step."""

import numpy as np
import pytest

import motrixsim

SCALARS = [
    ("get_link", "robot", "mass", 2.5, [0.0, -1.0, np.nan, np.inf]),
    ("get_joint", "hip", "armature", 0.5, [-1.0, np.nan]),
    ("get_joint", "hip", "frictionloss", 0.5, [-1.0, np.inf]),
    ("get_actuator", "servo", "kp", 7.0, [-1.0, np.nan]),
]
VECTORS = [
    ("get_link", "robot", "center_of_mass", [0.1, 0.2, 0.3], [[np.nan, 0, 0]]),
    ("get_geom", "torso", "friction", [0.1, 0.2, 0.3], [[-1, 0, 0], [np.inf, 0, 0]]),
    ("get_geom", "torso", "size", [0.1, 0.2, 0.3], [[0, 1, 1], [np.nan, 1, 1]]),
    ("get_geom", "thigh_geom", "size", [0.1, 0.2], [[0, 1]]),
    ("get_geom", "crate_geom", "size", [0.1, 0.3], [[-1, 1]]),
    ("get_geom", "wrist_geom", "size", [0.1, 0.3, 0.2], [[1, 1, 0]]),
    ("get_geom", "foot_geom", "size", [0.3], [[0]]),
]


@pytest.mark.parametrize(("get", "name", "what", "value", "ignored"), SCALARS + VECTORS)
def test_an_override_is_read_back_and_invalid_values_are_ignored(zoo, data, get, name, what, value, ignored) -> None:
    thing = getattr(zoo, get)(name)
    read, write = getattr(thing, f"get_{what}_override"), getattr(thing, f"set_{what}_override")
    before = read(data)
    assert before.shape == (*data.shape, *np.shape(value))
    write(data, value)
    np.testing.assert_allclose(read(data), np.broadcast_to(value, before.shape), rtol=1e-6)
    for bad in ignored:
        write(data, bad)
    np.testing.assert_allclose(read(data), np.broadcast_to(value, before.shape), rtol=1e-6)
    with pytest.raises(ValueError, match="expected shape"):
        write(data, np.zeros((9, 9)))
    with pytest.raises(TypeError):
        write(data, None)
    data.reset(zoo)
    np.testing.assert_array_equal(read(data), before)


def test_rows_that_are_invalid_are_skipped_and_the_others_applied(zoo) -> None:
    data = motrixsim.SceneData(zoo, (3,))
    robot = zoo.get_link("robot")
    robot.set_mass_override(data, [5, -1, 7])
    np.testing.assert_allclose(robot.get_mass_override(data), [5, robot.mass, 7], rtol=1e-6)
    robot.set_mass_override(data[2], 9)
    np.testing.assert_allclose(robot.get_mass_override(data), [5, robot.mass, 9], rtol=1e-6)


def test_gravity_follows_the_options_until_overridden() -> None:
    model = motrixsim.load_mjcf_str(
        "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>"
    )
    data = motrixsim.SceneData(model, (2,))
    model.options.gravity = [0, 0, -1]
    np.testing.assert_array_equal(model.get_gravity_override(data), [[0, 0, -1]] * 2)
    model.set_gravity_override(data, [[0, 0, np.nan], [0, 0, -2]])
    np.testing.assert_array_equal(model.get_gravity_override(data), [[0, 0, -1], [0, 0, -2]])
    model.step(data)
    np.testing.assert_allclose(data.dof_vel[:, 2], [-0.002, -0.004], rtol=1e-6)
    data.reset(model, reset_overrides=False)
    model.options.disable_gravity = True
    model.step(data)
    assert not data.dof_vel.any()


def test_an_inertia_with_other_axes_is_refused(zoo, data) -> None:
    robot = zoo.get_link("robot")
    before = robot.get_inertia_override(data)
    assert before.shape == (*data.shape, 6)
    robot.set_inertia_override(data, [0.3, 0.4, 0.5, 0, 0, 0])
    np.testing.assert_allclose(
        robot.get_inertia_override(data), np.broadcast_to([0.3, 0.4, 0.5, 0, 0, 0], before.shape), atol=1e-6
    )
    robot.set_inertia_override(data, [1, 1, 9, 0, 0, 0])  # no body has such moments
    assert robot.get_inertia_override(data)[..., 2].max() < 1
    with pytest.raises(ValueError, match="principal axes"):
        robot.set_inertia_override(data, [0.3, 0.4, 0.5, 0.1, 0, 0])


def test_general_actuators_refuse_what_is_outside_of_the_domain(zoo, data) -> None:
    spring = zoo.get_actuator("spring")
    for what, model_value in (("gain", 5), ("bias", 1), ("stiffness", 2), ("damping", 3)):
        read, write = getattr(spring, f"get_{what}_override"), getattr(spring, f"set_{what}_override")
        np.testing.assert_array_equal(read(data), np.full(data.shape, model_value))
        write(data, 6.0)
        np.testing.assert_array_equal(read(data), np.full(data.shape, 6))
        for bad in (np.nan, np.inf, *([-1.0] if what in ("stiffness", "damping") else [])):
            with pytest.raises(motrixsim.ActuatorOverrideInvalidValueError):
                write(data, bad)
        np.testing.assert_array_equal(read(data), np.full(data.shape, 6))


def test_a_parameter_without_effect_is_unsupported() -> None:
    model = motrixsim.load_mjcf_str(
        "<mujoco><worldbody><body><joint name='j'/><geom size='0.1'/></body></worldbody>"
        "<actuator><general name='plain' joint='j'/></actuator></mujoco>"
    )
    with pytest.raises(motrixsim.ActuatorOverrideUnsupportedTypeError):
        model.get_actuator("plain").set_damping_override(motrixsim.SceneData(model), 1.0)


def test_velocity_actuators_have_one_gain(zoo, data) -> None:
    drive = zoo.get_actuator("drive")
    assert drive.kv == 0.5
    drive.set_kv_override(data, 2.0)
    np.testing.assert_array_equal(drive.get_kv_override(data), np.full(data.shape, 2))
    with pytest.raises(motrixsim.ActuatorOverrideInvalidValueError):
        drive.set_kv_override(data, -1.0)


def test_damping_is_a_coefficient_or_a_ratio(zoo, data) -> None:
    servo, ratio = zoo.get_actuator("servo"), zoo.get_actuator("ratio")
    assert servo.get_dampratio_override(data) is None
    assert ratio.get_kd_override(data) is None
    servo.set_damping_override(data, 3.0)
    np.testing.assert_array_equal(servo.get_kd_override(data), np.full(data.shape, 3))
    np.testing.assert_allclose(ratio.get_dampratio_override(data), np.ones(data.shape), rtol=1e-5)
    ratio.set_kp_override(data, 10.0)
    np.testing.assert_allclose(ratio.get_dampratio_override(data), np.ones(data.shape), rtol=1e-5)
    ratio.set_damping_override(data, 0.5)
    np.testing.assert_allclose(ratio.get_dampratio_override(data), np.full(data.shape, 0.5), rtol=1e-5)
    ratio.set_damping_override(data, -1.0)
    np.testing.assert_allclose(ratio.get_dampratio_override(data), np.full(data.shape, 0.5), rtol=1e-5)


def test_a_heavier_rotor_turns_slower(zoo) -> None:
    data = motrixsim.SceneData(zoo, (2,), precision="f64")
    zoo.get_joint("hip").set_armature_override(data[1], 10.0)
    data.actuator_ctrls = [0, 1, 0, 0, 0]
    zoo.step_n(data, 5)
    speed = abs(zoo.get_joint("hip").get_dof_vel(data)[:, 0])
    assert speed[1] < 0.1 * speed[0]


def test_links_that_cannot_move_keep_their_mass(zoo, data) -> None:
    target = zoo.get_link("target")
    before = target.get_mass_override(data)
    target.set_mass_override(data, 5.0)
    np.testing.assert_array_equal(target.get_mass_override(data), before)
