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


def test_an_inertia_is_read_back_and_what_no_body_has_is_ignored(zoo, data) -> None:
    robot = zoo.get_link("robot")
    before = robot.get_inertia_override(data)
    assert before.shape == (*data.shape, 6)
    for tensor in ([0.3, 0.4, 0.5, 0, 0, 0], [0.3, 0.4, 0.5, 0.05, -0.02, 0.1], [0.5, 0.4, 0.3, 0, 0, 0]):
        robot.set_inertia_override(data, tensor)
        expected = np.broadcast_to(tensor, before.shape)
        np.testing.assert_allclose(robot.get_inertia_override(data), expected, atol=1e-6)
        # A moment larger than the other two together, a negative one along other axes, no number.
        for impossible in ([1, 1, 9, 0, 0, 0], [1, 1, 1, 2, 0, 0], [1, 1, np.nan, 0, 0, 0], [0, 0, 0, 0, 0, 0]):
            robot.set_inertia_override(data, impossible)
            np.testing.assert_allclose(robot.get_inertia_override(data), expected, atol=1e-6)
    data.reset(zoo)
    np.testing.assert_array_equal(robot.get_inertia_override(data), before)


LUMP = """<mujoco><option gravity="0 0 -3"/><worldbody><body name="base"><freejoint/>
  <inertial pos="0.1 0 0.05" mass="2" {inertia}/><geom size="0.1" mass="0" contype="0" conaffinity="0"/>
  <body name="arm" pos="0.3 0 0"><joint name="j" axis="0 1 1"/>
    <inertial pos="0.1 0.2 0" mass="1" diaginertia="0.02 0.03 0.04" quat="0.9 0.1 0.3 0.2"/></body></body></worldbody>
  <sensor><framequat name="axes" objtype="body" objname="base"/></sensor></mujoco>"""
TURNED = [0.05, 0.08, 0.09, 0.01, -0.02, 0.015]


@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_a_tensor_with_other_axes_is_a_body_compiled_with_it(precision) -> None:
    model = motrixsim.load_mjcf_str(LUMP.format(inertia='diaginertia="0.05 0.08 0.09"'))
    other = motrixsim.load_mjcf_str(LUMP.format(inertia=f'fullinertia="{" ".join(map(str, TURNED))}"'))
    data = motrixsim.SceneData(model, (3,), precision=precision)
    alone, plain = motrixsim.SceneData(other, precision=precision), motrixsim.SceneData(model, precision=precision)
    model.get_link("base").set_inertia_override(data[1], TURNED)
    bound = 1e-11 if precision == "f64" else 1e-5
    for state in (data, alone, plain):
        state.views.dof_vel[...] = [1, 2, 3, 4, -5, 6, 7]
    model.forward_kinematic(data)
    other.forward_kinematic(alone)
    for name in ("qM", "qacc", "qfrc_bias", "ximat"):
        ours, compiled = getattr(data[1].low, name), getattr(alone.low, name)
        np.testing.assert_allclose(ours, compiled, atol=bound * max(1, np.abs(compiled).max()), err_msg=name)
    np.testing.assert_allclose(
        np.abs(model.get_sensor_value("axes", data[1])), np.abs(other.get_sensor_value("axes", alone)), atol=1e-6
    )
    for _ in range(100):
        model.step(data)
        other.step(alone)
        model.step(plain)
    np.testing.assert_allclose(data[1].dof_pos, alone.dof_pos, atol=100 * bound)
    # Neighbours keep the model's axes, up to what the product with them rounds.
    np.testing.assert_allclose(data[0].dof_pos, plain.dof_pos, atol=bound)
    np.testing.assert_allclose(data[2].dof_pos, plain.dof_pos, atol=bound)
    kept = data.snapshot()
    model.step(data)
    after = data.digest()
    data.restore(kept)
    model.step(data)
    np.testing.assert_array_equal(data.digest(), after)


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


# All that constraints take the reference inertia for: limits, dry friction, a weld, a coupling, a tendon, contacts.
RIG = """
<mujoco>
  <option timestep="0.002" tolerance="1e-12" gravity="{gravity}"/>
  <default><geom density="0"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="arm" pos="0 0 0.3">
      <inertial pos="{com}" mass="{mass}" diaginertia="{inertia}"/>
      <joint name="shoulder" axis="0 1 0" range="-10 10" armature="{armature}" frictionloss="{loss}"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/>
      <body name="hand" pos="0.3 0 0">
        <inertial pos="0.1 0 0" mass="0.5" diaginertia="0.002 0.003 0.004"/>
        <joint name="wrist" axis="0 1 0"/>
        <geom name="fist" type="sphere" size="{radius}" pos="0.1 0 -0.2" friction="{friction}"/>
      </body>
    </body>
    <body name="block" pos="1 0 0.099"><freejoint/>
      <inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia}"/><geom type="box" size="0.1 0.1 0.1"/></body>
    <body name="held" pos="-1 0 1"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body>
    <body name="cart" pos="-2 0 1"><joint name="rail" type="slide" axis="1 0 0" armature="{armature}" range="-0.1 0.1"/>
      <inertial pos="0 0 0" mass="{mass}" diaginertia="1 1 1"/></body>
  </worldbody>
  <tendon><fixed name="cord" limited="true" range="-0.05 0.05" frictionloss="0.1">
    <joint joint="shoulder" coef="1"/><joint joint="wrist" coef="-0.5"/></fixed></tendon>
  <equality><weld body1="held" body2="block" relpose="-2 0 0.9 1 0 0 0"/></equality>
  <actuator><position name="servo" joint="wrist" kp="{kp}"/></actuator>
</mujoco>
"""
BEFORE = {
    **{"com": (0.15, 0, 0), "mass": 1, "inertia": (0.01, 0.02, 0.03), "armature": 0.01, "loss": 0.05, "radius": 0.11},
    **{"friction": (1, 0.005, 0.0001), "kp": 5, "gravity": (0, 0, -9.81)},
}
AFTER = {
    **{
        "com": (0.1, 0.02, 0.01),
        "mass": 4,
        "inertia": (0.05, 0.06, 0.07),
        "armature": 0.3,
        "loss": 0.4,
        "radius": 0.13,
    },
    **{"friction": (0.3, 0.01, 0.0002), "kp": 50, "gravity": (1, 0, -5)},
}


def rig(numbers):
    written = {key: " ".join(map(str, value)) if np.ndim(value) else value for key, value in numbers.items()}
    return motrixsim.load_mjcf_str(RIG.format(**written))


@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_overriding_everything_is_compiling_another_model(precision) -> None:
    model, other = rig(BEFORE), rig(AFTER)
    data = motrixsim.SceneData(model, (3,), precision=precision)
    for name in ("arm", "block", "cart"):
        model.get_link(name).set_mass_override(data[1], AFTER["mass"])
    for name in ("arm", "block"):
        model.get_link(name).set_inertia_override(data[1], [*AFTER["inertia"], 0, 0, 0])
    model.get_link("arm").set_center_of_mass_override(data[1], AFTER["com"])
    for name in ("shoulder", "rail"):
        model.get_joint(name).set_armature_override(data[1], AFTER["armature"])
    model.get_joint("shoulder").set_frictionloss_override(data[1], AFTER["loss"])
    model.get_geom("fist").set_size_override(data[1], [AFTER["radius"]])
    model.get_geom("fist").set_friction_override(data[1], AFTER["friction"])
    model.get_actuator("servo").set_kp_override(data[1], AFTER["kp"])
    model.set_gravity_override(data[1], AFTER["gravity"])

    alone = motrixsim.SceneData(other, precision=precision)
    plain = motrixsim.SceneData(model, precision=precision)
    bound = 1e-10 if precision == "f64" else 1e-5
    for state in (data, alone, plain):
        speed = np.broadcast_to(np.linspace(0.5, -0.5, model.num_dof_vel), (*state.shape, model.num_dof_vel))
        state.set_dof_vel(speed)
    model.forward_kinematic(data)
    other.forward_kinematic(alone)
    ours, compiled = data[1].low, alone.low
    for name in ("qM", "efc_D", "efc_aref", "qacc_smooth", "qacc"):
        scale = max(1.0, np.abs(getattr(compiled, name)).max())
        np.testing.assert_allclose(
            getattr(ours, name) / scale, getattr(compiled, name) / scale, atol=bound, err_msg=name
        )
    for _ in range(50):
        model.step(data)
        other.step(alone)
        model.step(plain)
    np.testing.assert_allclose(data[1].dof_pos, alone.dof_pos, atol=10 * bound)
    # The neighbours of an overridden world keep the model's numbers.
    np.testing.assert_array_equal(data[0].dof_pos, plain.dof_pos)
    np.testing.assert_array_equal(data[2].dof_pos, plain.dof_pos)
