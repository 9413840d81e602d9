"""Friction that holds: boxes rest on ramps, grippers keep what they hold, heavy things stand on light ones."""

import numpy as np
import pytest

import motrixsim

# Gravity leans instead of the plane, so that the box's position is its slip.
RAMP = """
<mujoco>
  <option timestep="0.002" gravity="{gx} 0 {gz}" integrator="{integrator}"/>
  <worldbody>
    <geom type="plane" size="5 5 1" friction="0.6"/>
    <body pos="0 0 0.0999"><freejoint/><geom type="box" size="0.1 0.1 0.1" friction="0.6" mass="2"/></body>
  </worldbody>
</mujoco>
"""

# A hand on three slides and a hinge, and two fingers that are pressed together.
GRIPPER = """
<mujoco>
  <option timestep="{timestep}" integrator="implicitfast"/>
  <default>
    <geom friction="1 0.01 0.0005" condim="4"/>
    <position kp="20000" kv="600"/>
  </default>
  <worldbody>
    <body name="hand" pos="0 0 0.5">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="slide" axis="0 1 0"/>
      <joint name="z" type="slide" axis="0 0 1"/>
      <joint name="turn" axis="0 1 0" armature="0.5"/>
      <geom type="box" size="0.1 0.04 0.02" pos="0 0 0.1" mass="2" contype="0" conaffinity="0"/>
      <body name="left" pos="-0.06 0 0">
        <joint name="left" type="slide" axis="1 0 0" range="-0.05 0.06" damping="20" armature="0.1"/>
        <geom type="box" size="0.01 0.03 0.04" mass="0.2"/>
      </body>
      <body name="right" pos="0.06 0 0">
        <joint name="right" type="slide" axis="-1 0 0" range="-0.05 0.06" damping="20" armature="0.1"/>
        <geom type="box" size="0.01 0.03 0.04" mass="0.2"/>
      </body>
    </body>
    <body name="held" pos="0 0 0.5"><freejoint/>{held}</body>
  </worldbody>
  <actuator>
    <position joint="x"/><position joint="y"/><position joint="z"/>
    <position joint="turn" kp="2000" kv="60"/>
    <motor joint="left"/><motor joint="right"/>
  </actuator>
</mujoco>
"""

HELD = {
    "cube": '<geom type="box" size="0.03 0.03 0.03" mass="0.2"/>',
    "ball": '<geom type="sphere" size="0.035" mass="0.2"/>',
    "bottle": '<geom type="cylinder" size="0.03 0.05" mass="0.2"/>'
    '<geom type="cylinder" size="0.012 0.03" pos="0 0 0.08" mass="0.03"/>',
}

STACK = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 0.0499"><freejoint/><geom type="box" size="0.05 0.05 0.05" mass="0.5"/></body>
    <body pos="0 0 0.1997"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="50"/></body>
  </worldbody>
</mujoco>
"""


def on_a_ramp(slope: float, integrator: str = "Euler") -> motrixsim.SceneModel:
    """A box with the friction coefficient 0.6 where gravity leans with the given slope."""
    angle = np.arctan(slope)
    gravity = {"gx": 9.81 * np.sin(angle), "gz": -9.81 * np.cos(angle)}
    return motrixsim.load_mjcf_str(RAMP.format(**gravity, integrator=integrator))


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_a_box_just_under_the_friction_angle_moves_less_than_a_micrometre_in_a_minute(
    precision: str, integrator: str
) -> None:
    model = on_a_ramp(0.6 * 0.99, integrator)
    data = motrixsim.SceneData(model, batch=(1,), precision=precision)
    model.step_n(data, 125)
    start = data.dof_pos[0, :3].copy()
    model.step_n(data, 30_000)
    moved = np.abs(data.dof_pos[0, :3] - start).max()
    assert moved < 1e-6, f"moved {moved * 1e6:.3f} µm"


def test_mujoco_s_own_friction_creeps() -> None:
    """What the contact model "mujoco" must reproduce, and the reason for the other one."""
    model = on_a_ramp(0.6 * 0.9)
    model.options.contact_model = "mujoco"
    data = motrixsim.SceneData(model, batch=(1,))
    model.step_n(data, 5000)
    assert data.dof_pos[0, 0] > 0.01


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_a_box_just_over_the_friction_angle_slides_away(precision: str) -> None:
    """At 1.01 of the angle's tangent, where one of 0.99 stays for a minute."""
    model = on_a_ramp(0.6 * 1.01)
    data = motrixsim.SceneData(model, batch=(1,), precision=precision)
    model.step_n(data, 1500)
    assert data.dof_pos[0, 0] > 0.1


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("steepness", [1.05, 1.2, 2.0, 4.0])
def test_a_sliding_box_accelerates_as_coulomb_says_and_stays_on_the_ramp(steepness: float, precision: str) -> None:
    """g (sin θ - µ cos θ) for two seconds. MuJoCo's hops by a centimetre at 2 m/s; the first steps, in which it comes
    to rest on its softness, are all that is off here."""
    slope = 0.6 * steepness
    model = on_a_ramp(slope)
    data = motrixsim.SceneData(model, batch=(1,), precision=precision)
    highest = 0.0
    for _ in range(100):
        model.step_n(data, 10)
        highest = max(highest, float(data.dof_pos[0, 2]))
    angle = np.arctan(slope)
    expected = 9.81 * (np.sin(angle) - 0.6 * np.cos(angle)) * 2.0
    assert data.dof_vel[0, 0] == pytest.approx(expected, rel=2e-3)
    assert highest < 0.1, f"hops to {(highest - 0.1) * 1000:.2f} mm"


@pytest.mark.parametrize("speed", [0.1, 1.0, 3.0])
def test_a_box_that_is_thrown_comes_to_rest_where_coulomb_says(speed: float) -> None:
    """After v²/(2 µ g), on a straight way; half a step of it, v h/2, is the integrator's."""
    model = motrixsim.load_mjcf_str(RAMP.format(gx=0, gz=-9.81, integrator="Euler"))
    data = motrixsim.SceneData(model, batch=(1,))
    model.step_n(data, 100)
    start = data.dof_pos[0, :2].copy()
    data.set_dof_vel(np.array([[speed, 0, 0, 0, 0, 0]]))
    model.step_n(data, 500)
    way = data.dof_pos[0, :2] - start
    assert way[0] == pytest.approx(speed**2 / (2 * 0.6 * 9.81), abs=speed * 0.002)
    assert abs(way[1]) < 1e-5
    assert np.abs(data.dof_vel).max() < 1e-4


def test_a_load_that_comes_and_goes_leaves_a_box_where_it_was() -> None:
    """Twenty seconds of pushing and pulling at four fifths of what friction bears, faster and slower: the surfaces give
    way by h² R times the force, a few micrometres, and come back."""
    model = motrixsim.load_mjcf_str(RAMP.format(gx=0, gz=-9.81, integrator="Euler"))
    data = motrixsim.SceneData(model, batch=(1,))
    model.step_n(data, 200)
    start = data.dof_pos[0].copy()
    for k in range(10_000):
        t = k * model.options.timestep
        push = 0.8 * 0.6 * 2 * 9.81 * np.sin(2 * np.pi * (1 + t) * t)
        model.get_link(0).add_external_force(data, np.array([push, 0, 0]))
        model.step(data)
    moved = np.abs(data.dof_pos[0, :2] - start[:2]).max()
    assert moved < 2e-5, f"moved {moved * 1e6:.1f} µm"


def shake(t: float, squeeze: float) -> np.ndarray:
    """Targets of the hand: 30 m/s² at its worst, turning by 0.6 rad to each side."""
    return np.array(
        [
            0.03 * np.sin(25 * t),
            0.03 * np.sin(19 * t + 1),
            0.03 * np.sin(22 * t + 2),
            0.6 * np.sin(8 * t),
            squeeze,
            squeeze,
        ]
    )


def held_in_the_hand(model: motrixsim.SceneModel, data: motrixsim.SceneData) -> np.ndarray:
    """Position of the object in the frame of the left finger."""
    model.forward_kinematic(data)
    finger, held = (model.get_link(name).get_pose(data)[0] for name in ("left", "held"))
    x, y, z, w = finger[3:7]
    d = held[:3] - finger[:3]
    # The inverse rotation, by q̄ d q.
    t = 2 * np.cross([-x, -y, -z], d)
    return d + w * t + np.cross([-x, -y, -z], t)


@pytest.mark.parametrize("timestep", [0.002, 0.01])
@pytest.mark.parametrize("shape", list(HELD))
def test_a_gripper_keeps_what_it_holds_through_violent_shaking(shape: str, timestep: float) -> None:
    """Ten seconds; MuJoCo's friction lets all three go."""
    model = motrixsim.load_mjcf_str(GRIPPER.format(timestep=timestep, held=HELD[shape]))
    data = motrixsim.SceneData(model, batch=(1,))
    # Close the fingers while nothing pulls.
    model.options.gravity = [0, 0, 0]
    data.actuator_ctrls = np.array([0, 0, 0, 0, 30, 30.0])
    model.step_n(data, round(0.5 / timestep))
    model.options.gravity = [0, 0, -9.81]
    start = held_in_the_hand(model, data)
    steps = round(10 / timestep)
    for k in range(steps):
        t = k * timestep
        data.actuator_ctrls = shake(t, 30) * np.minimum([t, t, t, t, 1, 1], 1)
        model.step(data)
    slipped = np.linalg.norm(held_in_the_hand(model, data)[1:] - start[1:])
    assert slipped < 1e-3, f"slipped {slipped * 1000:.2f} mm"


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_a_heavy_box_stays_on_a_light_one(precision: str) -> None:
    """100:1, for ten seconds."""
    model = motrixsim.load_mjcf_str(STACK)
    data = motrixsim.SceneData(model, batch=(1,), precision=precision)
    model.step_n(data, 500)
    start = data.dof_pos[0].copy()
    model.step_n(data, 5000)
    assert np.abs(data.dof_pos[0] - start).max() < 1e-3


@pytest.mark.parametrize("contact_model", ["mujoco", "firm"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_a_box_without_friction_glides_on(contact_model: str, cone: str, precision: str) -> None:
    """A pyramid without friction has infinitely steep sides, which `f32` must survive."""
    model = motrixsim.load_mjcf_str(f"""
        <mujoco><option cone="{cone}"/><default><geom friction="0 0 0"/></default><worldbody>
        <geom type="plane" size="5 5 1"/>
        <body pos="0 0 .101"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>""")
    model.options.contact_model = contact_model
    data = motrixsim.SceneData(model, batch=(1,), precision=precision)
    data.set_dof_vel(np.array([[1.0, 0.5, 0, 0, 0, 0]]))
    model.step_n(data, 500)
    np.testing.assert_allclose(data.dof_vel[0, :2], [1, 0.5], atol=2e-3)
    np.testing.assert_allclose(data.dof_pos[0, 2], 0.1, atol=1e-3)
