"""Motions whose course is known on paper: a wide pendulum, a gyroscope, Newton's cradle; and momentum that is kept."""

import numpy as np
import pytest

import motrixsim

PENDULUM = """
<mujoco><option timestep="0.001" integrator="RK4"/><worldbody><body>
  <joint axis="0 1 0"/><inertial pos="0 0 -0.5" mass="1" diaginertia="1e-9 1e-9 1e-9"/>
</body></worldbody></mujoco>
"""


def quarter_period(amplitude, length):
    """√(l/g) K(sin θ/2), the complete elliptic integral by the arithmetic-geometric mean."""
    a, b = 1.0, np.cos(amplitude / 2)
    for _ in range(20):
        a, b = (a + b) / 2, np.sqrt(a * b)
    return np.sqrt(length / 9.81) * np.pi / (2 * a)


@pytest.mark.parametrize("amplitude", [0.1, 1.0, 2.5])
def test_a_pendulum_takes_the_time_of_its_elliptic_integral(amplitude) -> None:
    model = motrixsim.load_mjcf_str(PENDULUM)
    data = motrixsim.SceneData(model, precision="f64")
    data.set_dof_pos([amplitude], model)
    angles = []
    for _ in range(round(quarter_period(amplitude, 0.5) / 0.001) + 20):
        angles.append(data.dof_pos[0])
        model.step(data)
    crossing = int(np.argmax(np.array(angles) < 0))
    before, after = angles[crossing - 1], angles[crossing]
    time = 0.001 * (crossing - 1 + before / (before - after))
    # Fourth order in steps of 1 ms; the moments of 1e-9 and the straight line between two steps leave 1e-8.
    assert abs(time - quarter_period(amplitude, 0.5)) < 2e-7


# A disc on a rod of no mass, its axle level; spin about x, gravity downwards.
GYROSCOPE = """
<mujoco><option timestep="0.0005" integrator="RK4"/><worldbody><body>
  <joint type="ball"/><inertial pos="0.2 0 0" mass="2" diaginertia="0.04 0.02 0.02"/>
</body></worldbody></mujoco>
"""


def test_a_level_gyroscope_precesses_at_torque_over_spin() -> None:
    model = motrixsim.load_mjcf_str(GYROSCOPE)
    data = motrixsim.SceneData(model, precision="f64")
    spin = 50.0
    # I₃ ω Ω = m g l holds the axle level; Ω about the vertical is the body's z axis at the start.
    precession = 2 * 9.81 * 0.2 / (0.04 * spin)
    data.set_dof_vel([spin, 0, precession])
    steps = 1000
    for _ in range(steps):
        model.step(data)
    model.forward_kinematic(data)
    axle = data.low.xmat[1].reshape(3, 3)[:, 0]
    turned = np.arctan2(axle[1], axle[0])
    expected = (precession * steps * 0.0005 + np.pi) % (2 * np.pi) - np.pi
    assert abs(turned - expected) < 1e-5
    assert abs(axle[2]) < 1e-5, "it neither falls nor nods"


CRADLE = """
<mujoco><option timestep="0.0001" gravity="0 0 0"/><worldbody>{balls}</worldbody></mujoco>
"""
BALL = """
<body pos="{x} 0 0"><joint type="slide" axis="1 0 0"/>
  <geom type="sphere" size="0.05" mass="1" condim="1" solref="-20000 0" solimp="0.99 0.99 0.001"/></body>
"""


def test_newtons_cradle_hands_the_motion_to_the_last_ball() -> None:
    balls = "".join(BALL.format(x=0.11 * k) for k in range(4))
    model = motrixsim.load_mjcf_str(CRADLE.format(balls=balls))
    data = motrixsim.SceneData(model, precision="f64")
    data.set_dof_vel([1.0, 0, 0, 0])
    for _ in range(1500):
        model.step(data)
    velocity = data.dof_vel
    # Contacts push both balls alike, so momentum is kept to rounding; undamped springs give the energy back.
    assert abs(velocity.sum() - 1.0) < 1e-12
    np.testing.assert_allclose(velocity, [0, 0, 0, 1], atol=0.02)


# A trunk that floats, with limbs on a ball joint and two hinges, driven and sprung against each other.
SWIMMER = """
<mujoco><option timestep="0.001" gravity="0 0 0" integrator="RK4"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody><body name="trunk"><freejoint/><geom type="box" size="0.1 0.05 0.03"/><site name="trunk" pos="0 0.1 0"/>
    <body pos="0.1 0 0"><joint name="shoulder" type="ball" stiffness="0.4"/><geom type="capsule" size="0.02 0.1"/>
      <body pos="0 0 0.2"><joint name="elbow" axis="0 1 0" limited="true" range="-30 30"/>
        <geom type="capsule" size="0.02 0.08"/><site name="hand" pos="0 0 0.1"/></body></body>
    <body pos="-0.1 0 0"><joint name="hip" axis="1 0 1" damping="0.01"/><geom type="ellipsoid" size="0.03 0.04 0.1"/>
    </body></body></worldbody>
  <tendon><spatial stiffness="3" springlength="0.1"><site site="trunk"/><site site="hand"/></spatial></tendon>
  <actuator><motor joint="elbow"/><motor joint="hip"/><motor joint="shoulder" gear="0.3 1 -0.5"/></actuator>
</mujoco>
"""


def momenta(model, data):
    """Linear momentum of everything in the world, and angular momentum about its centre of mass."""
    model.forward_kinematic(data)
    low = data.low
    return np.concatenate([model.low.body_subtreemass[0] * low.subtree_linvel[0], low.subtree_angmom[0]])


def test_forces_between_the_parts_of_a_body_keep_its_momentum() -> None:
    model = motrixsim.load_mjcf_str(SWIMMER)
    data = motrixsim.SceneData(model, precision="f64")
    data.set_dof_vel(np.random.default_rng(2).normal(size=model.num_dof_vel))
    before = momenta(model, data)
    start = data.dof_pos.copy()
    for k in range(500):
        data.actuator_ctrls = 0.2 * np.sin(0.02 * k + np.arange(3))
        model.step(data)
    assert np.abs(data.dof_pos - start)[7:].max() > 0.5, "the limbs move"
    # Fourth order in steps of 1 ms, but for the one in which a joint comes to its limit.
    np.testing.assert_allclose(momenta(model, data), before, atol=3e-8)


COLLISION = """
<mujoco><option timestep="0.0005" gravity="0 0 0"/><default><geom friction="0.8" density="800"/></default><worldbody>
  <body pos="-0.3 0 0"><freejoint/><geom type="box" size="0.1 0.08 0.05"/></body>
  <body pos="0.1 0.05 0.03"><freejoint/><geom type="sphere" size="0.08"/></body>
  <body pos="0.4 -0.03 0"><freejoint/><geom type="capsule" size="0.05 0.1"/></body></worldbody></mujoco>
"""


@pytest.mark.parametrize("contact_model", ["mujoco", "firm"])
def test_bodies_that_collide_keep_the_momentum_of_all(contact_model) -> None:
    model = motrixsim.load_mjcf_str(COLLISION)
    model.options.contact_model = contact_model
    data = motrixsim.SceneData(model, precision="f64")
    speeds = np.zeros((3, 6))
    speeds[0, 0], speeds[2, 0] = 1.5, -1.0
    data.set_dof_vel(speeds.ravel())
    before = momenta(model, data)
    for _ in range(1000):
        model.step(data)
    after = momenta(model, data)
    assert np.abs(data.dof_vel.reshape(3, 6) - speeds).max(axis=1).min() > 0.1, "all have been hit"
    np.testing.assert_allclose(after[:3], before[:3], atol=1e-13)
    # Turns are integrated to first order, which leaves 8e-5 of 0.04 kg m²/s.
    np.testing.assert_allclose(after[3:], before[3:], atol=2e-4)


@pytest.mark.parametrize(("contact_model", "shove"), [("mujoco", 0.3), ("firm", 0.7)])
@pytest.mark.parametrize("apart", [0.17, 0.185])
def test_wheels_that_meet_gain_no_speed_in_single_precision(contact_model, shove, apart) -> None:
    """Square wheels that turn about their own centres, of which one strikes the other. A centre on an axis yields to no
    force, so that MuJoCo's measure of softness makes their contact as stiff as a divided zero."""
    wheel = '<joint axis="0 0 1"/><geom type="box" size=".08 .08 .02" density="300"/>'
    model = motrixsim.load_mjcf_str(
        f"""<mujoco><option gravity="0 0 0" timestep="0.001"/><worldbody><body>{wheel}</body>
        <body pos="{apart} 0 0">{wheel}</body></worldbody></mujoco>"""
    )
    model.options.contact_model = contact_model
    data = motrixsim.SceneData(model, precision="f32")
    data.set_dof_vel(np.array([3.0, 0.0]))
    fastest = np.zeros(2)
    for _ in range(1000):
        model.step(data)
        fastest = np.maximum(fastest, np.abs(np.asarray(data.dof_vel, float)))
    # The last bit of 3 rad/s, and no more than the shove that MuJoCo gives it: 0.26 rad/s. A corner that slides without
    # being lifted drags the other wheel along to 0.66 rad/s, in steps of a fifth of the length too.
    assert fastest[0] < 3.0 + 1e-6
    assert 0.1 < fastest[1] < shove


def test_a_small_body_in_fast_flight_is_not_turned_by_rounding() -> None:
    """Velocity and momentum are parallel: of their cross product no rounding may be left to act on little inertia."""
    model = motrixsim.load_mjcf_str("""<mujoco><option gravity="0 0 0"/><worldbody><body>
      <freejoint/><inertial pos="0 0 0" mass="0.03" diaginertia="2e-6 3e-6 4e-6"/></body></worldbody></mujoco>""")
    data = motrixsim.SceneData(model, precision="f32")
    data.set_dof_vel(np.array([31.7, -23.3, 17.9, 0.0, 0.0, 0.0]))
    for _ in range(1000):
        model.step(data)
    np.testing.assert_array_equal(np.asarray(data.dof_vel)[3:], 0.0)
