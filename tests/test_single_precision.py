"""What single precision keeps: light links far out, thin rods, ropes, free fall, slow motion, grips, stiff friction."""

import numpy as np
import pytest

import motrixsim
from motrixsim import parity

# A fingertip of a gram at the end of an arm, a metre from the centre of a heavy robot.
REACHING = """
<mujoco><worldbody><body name="trunk" pos="0 0 1"><freejoint/><geom type="box" size="0.2 0.2 0.4" mass="50"/>
  <body pos="0.2 0 0.3"><joint axis="0 1 0"/><joint axis="0 0 1"/>
    <geom type="capsule" size="0.04" fromto="0 0 0 0.7 0 0" mass="4"/>
    <body pos="0.75 0 0"><joint type="ball"/><geom type="box" size="0.04 0.03 0.02" mass="0.3"/>
      <body pos="0.05 0.01 0"><joint axis="0 1 0"/>
        <geom type="capsule" size="0.006" fromto="0 0 0 0.02 0 0" mass="0.004"/>
        <body pos="0.025 0 0"><joint axis="0 1 0"/><joint axis="0 0 1"/>
          <geom type="capsule" size="0.005" fromto="0 0 0 0.01 0 0" mass="0.001"/></body></body></body></body></body>
  </worldbody></mujoco>
"""

ROD = """
<mujoco><worldbody><body pos="0 0 1"><freejoint/>
  <geom type="capsule" size="0.003" fromto="-0.2 0 0 0.2 0 0"/></body></worldbody></mujoco>
"""


FREE, BALL = 0, 1
"""Joints whose positions end in a quaternion (`mjtJoint`)."""


def rope(links):
    text = ""
    for _ in range(links):
        text = f'<body pos="0.02 0 0"><joint type="ball"/><geom size="0.01" mass="0.002"/>{text}</body>'
    text = f'<body pos="0 0 0.2" euler="45 45 45"><freejoint/><geom size="0.01" mass="0.002"/>{text}</body>'
    return f"<mujoco><worldbody>{text}</worldbody></mujoco>"


POSTURES = 8


def turned(model, precision, seed):
    """The model in a random posture, away from the origin of the world."""
    rng = np.random.default_rng(seed)
    data = motrixsim.SceneData(model, precision=precision)
    position = np.array(data.dof_pos, float)
    position += 0.4 * rng.normal(size=position.shape)
    for kind, first in zip(np.ravel(model.low.jnt_type), np.ravel(model.low.jnt_qposadr), strict=True):
        quaternion = int(first) + 3 * (kind == FREE)
        if kind in (FREE, BALL):
            position[quaternion : quaternion + 4] /= np.linalg.norm(position[quaternion : quaternion + 4])
    data.set_dof_pos(position.astype(np.float32), model)
    model.forward_kinematic(data)
    return data.low


def factors_differ(text):
    """The largest relative difference of the factors of inertia between single and double precision."""
    model = motrixsim.load_mjcf_str(text)
    differences = []
    for seed in range(POSTURES):
        single, double = (np.ravel(turned(model, precision, seed).qLDiagInv) for precision in ("f32", "f64"))
        differences.append(np.abs(single / double - 1).max())
    return max(differences)


def test_a_light_link_far_out_weighs_the_same() -> None:
    # The inertia of one of its joints is a hundredth of what it is with the others locked: roundings count as much
    # more. About the centre of the tree the fingertip has the moment of a metre, ten thousand times its own.
    assert factors_differ(REACHING) < 5e-5


def test_a_thin_rod_resists_turning_about_itself_the_same() -> None:
    # Some roundings of 6e-8. Across it resists thousands of times as much, which a tensor in world axes is rounded to.
    assert factors_differ(ROD) < 3e-6


def test_in_free_fall_no_joint_turns() -> None:
    model = motrixsim.load_mjcf_str(REACHING)
    for seed in range(POSTURES):
        acceleration = np.ravel(turned(model, "f32", seed).qacc_smooth)
        acceleration[2] += 9.81
        # A fall of 9.81 m/s² is rounded to 6e-7 m/s², over a hundredth of a metre, with joints as light as above.
        assert np.abs(acceleration).max() < 1e-3


DRIFTING = """
<mujoco><option gravity="0 0 0" timestep="0.002" integrator="{}"/><worldbody><body><freejoint/>
  <geom type="box" size="0.1 0.2 0.3"/><body><joint axis="0 1 0"/><geom size="0.1"/></body></body></worldbody></mujoco>
"""


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast", "RK4"])
def test_what_drifts_slowly_far_away_arrives(integrator) -> None:
    """A kilometre out, places are 61 µm apart, and a step of this body is a thirtieth of that."""
    model = motrixsim.load_mjcf_str(DRIFTING.format(integrator))
    data = motrixsim.SceneData(model, batch=(3,))
    data.set_dof_pos(np.tile(np.array([1000, -1000, 0, 0, 0, 0, 1, 0], np.float32), (3, 1)), model)
    velocity = np.array([1e-3, 1e-3, 1e-3, 2e-5, 0, 0, 0], np.float32)
    data.set_dof_vel(np.tile(velocity, (3, 1)))
    model.step_n(data, 1000)
    for _ in range(1000):
        model.step(data)
    moved = np.asarray(data.dof_pos, float)[:, :3] - [1000, -1000, 0]
    np.testing.assert_allclose(moved, 4e-3, atol=6.2e-5)
    # Half the angle.
    np.testing.assert_allclose(np.asarray(data.dof_pos, float)[:, 3], 0.5 * 2e-5 * 4, rtol=1e-3)


def test_nothing_of_the_past_is_left_of_positions_that_are_written() -> None:
    """What rounding took belongs to one configuration, whichever way another one is written."""
    model = motrixsim.load_mjcf_str(DRIFTING.format("Euler"))
    velocity = np.array([1e-3, -2e-3, 1e-3, 2e-5, 3e-5, 0, 1e-4], np.float32)

    def after(past: int, write) -> bytes:
        data = motrixsim.SceneData(model, batch=(2,))
        data.set_dof_pos(np.tile(np.array([900, 1, 0, 0, 0, 0, 1, 0], np.float32), (2, 1)), model)
        data.set_dof_vel(np.tile(velocity, (2, 1)))
        model.step_n(data, past)
        write(data, np.tile(np.array([900, 1, 0.5, 0.6, 0, 0, 0.8, 0.3], np.float32), (2, 1)))
        data.set_dof_vel(np.tile(velocity, (2, 1)))
        model.step_n(data, 20)
        return np.asarray(data.dof_pos).tobytes()

    def by_view(data, positions) -> None:
        data.views.dof_pos[:] = positions

    def by_setter(data, positions) -> None:
        data.set_dof_pos(positions, model)

    def again(data, positions) -> None:
        by_setter(data, positions)
        model.step_n(data, 3)
        by_setter(data, positions)

    fresh = after(0, by_setter)
    for past in (1, 7):
        for write in (by_view, by_setter, again):
            assert after(past, write) == fresh


def test_links_of_a_rope_are_those_of_one_rope(tmp_path) -> None:
    """What is left of a link once those below it can move is a small part of M: all must be parts of one rope.

    A whip is chaotic: one of 20 links comes to the bound of its run, whichever way it is rounded."""
    pytest.importorskip("mujoco")
    path = tmp_path / "rope.xml"
    path.write_text(rope(16))
    report = parity.compare(path, precision="f32")
    assert not report.failures(), "\n".join(report.lines(everything=False))


GRIPPER = """
<mujoco><worldbody><body pos="0 0 0.5"><joint axis="0 1 0" damping="1"/><site name="base"/>
  <geom type="box" size="0.05 0.05 0.05" mass="1"/>
  <body pos="0 0 0.2" euler="10 20 30"><joint axis="1 0 0" armature="1"/>
    <geom type="box" size="0.05 0.05 0.05" mass="1"/>
    <body pos="-0.02 0 0.1"><geom type="box" size="0.01 0.01 0.01" pos="0 0.1 0" mass="0.3"/>
      <body><joint name="left" type="slide" axis="1 0 0" armature="1000"/>
        <geom type="box" size="0.02 0.02 0.02" mass="0.1"/></body></body>
    <body pos="0.0199 0 0.1"><geom type="box" size="0.01 0.01 0.01" pos="0 0.1 0" mass="0.3"/>
      <body><joint name="right" type="slide" axis="-1 0 0" armature="1000"/>
        <geom size="0.02" mass="0.1"/></body></body></body></body>
  </worldbody>
  <sensor><force site="base"/><torque site="base"/></sensor>
  <actuator><motor joint="left"/><motor joint="right"/></actuator></mujoco>
"""


def test_a_strong_grip_does_not_shake_the_base_of_the_arm() -> None:
    model = motrixsim.load_mjcf_str(GRIPPER)
    readings = []
    for precision in ("f32", "f64"):
        data = motrixsim.SceneData(model, precision=precision)
        data.actuator_ctrls = np.array([1e5, 1e5])
        model.forward_kinematic(data)
        readings.append(np.ravel(data.low.sensordata))
    single, double = readings
    # The fingers press with 3.7 kN, which is rounded to 1e-4 N.
    assert np.abs(single - double).max() < 1e-5


STIFF = """
<mujoco><worldbody><body>
  <joint axis="0 1 0" frictionloss="2" solimpfriction="0.9999 0.9999 0.001" stiffness="1" springref="60"/>
  <geom size="1" density="1000"/></body></worldbody></mujoco>
"""


def test_dry_friction_that_hardly_yields_carries_a_spring() -> None:
    model = motrixsim.load_mjcf_str(STIFF)
    model.options.solver_tolerance = 1e-12
    data = motrixsim.SceneData(model, precision="f32")
    model.forward_kinematic(data)
    # It yields by a ten thousandth of what it resists, which is nothing to the heavy ball.
    assert np.ravel(data.low.qfrc_constraint) == pytest.approx(-0.9999 * np.ravel(data.low.qfrc_smooth), rel=1e-5)


@pytest.mark.parametrize("tilt", [1e-4, 1e-3, 3e-3])
def test_the_foot_of_a_standing_cylinder_is_as_deep_as_its_orientation_says(tilt):
    """Metres: the last bit of a height of 5 cm is 4 nm. The lowest point of the rim is radius times sin(tilt) below
    the middle of the disc, in whatever direction it leans."""
    model = motrixsim.load_mjcf_str("""<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body pos="0 0 0.0495"><freejoint/><geom type="cylinder" size="0.05 0.05"/></body></worldbody></mujoco>""")
    data = motrixsim.SceneData(model, precision="f32")
    for azimuth in np.linspace(0, 6, 50):
        half = tilt / 2
        turned = [np.sin(half) * np.cos(azimuth), np.sin(half) * np.sin(azimuth), 0, np.cos(half)]
        data.set_dof_pos(np.array([0.0, 0, 0.0495, *turned], np.float32), model)
        model.forward_kinematic(data)
        depth = -np.min(data.low.contact_dist)
        expected = 0.05 * np.sin(tilt) + 0.05 * np.cos(tilt) - 0.0495
        assert depth == pytest.approx(expected, abs=4e-8)
