"""Sensors against MuJoCo 4.0, at states with contacts, equalities and applied forces."""

import numpy as np
import pytest

import motrixsim

mujoco = pytest.importorskip("mujoco")
oracle = pytest.importorskip("oracle")

# A hand above a floor: a chain with sites, a loose block under it, a weld, a connect, cameras of every mode.
HAND = """
<mujoco>
  <option timestep="0.002" cone="{cone}" tolerance="0"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <camera name="above" pos="0.3 -0.2 2" resolution="64 48" fovy="50"/>
    <camera name="lens" pos="0 -2 1" euler="80 0 10" resolution="320 200" sensorsize="0.02 0.015" focal="0.03 0.025"/>
    <site name="zone" type="box" size="0.4 0.3 0.2" pos="0 0 0.1" euler="0 0 20"/>
    <site name="well" type="cylinder" size="0.3 0.2"/>
    <site name="egg" type="ellipsoid" size="0.3 0.4 0.2" pos="0.2 0 0"/>
    <body name="arm" pos="0 0 0.35">
      <joint name="shoulder" type="ball" damping="0.1" range="0 20" limited="true"/>
      <geom name="upper" type="capsule" size="0.05" fromto="0 0 0 0.3 0 0" condim="4"/>
      <camera name="eye" pos="0.1 0 0.1" euler="10 -60 0" resolution="80 60"/>
      <camera name="follow" mode="trackcom" pos="0 -1 0.5" euler="60 0 0" resolution="80 60"/>
      <camera name="gaze" mode="targetbody" target="block" pos="0.1 0.1 0.5" resolution="80 60"/>
      <body name="hand" pos="0.3 0 -0.1">
        <joint name="wrist" axis="0 1 0" range="-20 20" damping="0.05" frictionloss="0.02"/>
        <geom name="palm" type="box" size="0.06 0.05 0.04" pos="0.05 0 -0.18" euler="5 0 0" mass="1"/>
        <site name="feel" type="{zone}" size="0.12 0.08 0.06" pos="0.05 0 -0.2" euler="0 10 30"/>
        <site name="mount" pos="0.02 0.01 0" euler="20 30 40"/>
        <body name="tool" pos="0 0.1 0"><geom name="blade" type="sphere" size="0.03"/></body>
      </body>
    </body>
    <body name="block" pos="0.3 0.05 0.05">
      <freejoint/>
      <geom name="brick" type="box" size="0.2 0.2 0.05"/>
      <site name="top" pos="0 0 0.05"/>
    </body>
    <body name="held" pos="-0.5 0 0.3"><freejoint/><geom name="ball" type="sphere" size="0.1" mass="2"/>
      <body name="rider" pos="0 0 0.2"><joint axis="1 0 0"/><geom type="sphere" size="0.05"/>
        <site name="saddle" euler="10 20 30"/></body></body>
    <body name="hung" pos="-0.5 0.6 0.5"><freejoint/><geom type="sphere" size="0.1"/><site name="hook"/></body>
  </worldbody>
  <equality>
    <weld body1="held" relpose="0.5 0 -0.3 1 0.02 0 0"/>
    <connect body1="hung" body2="held" anchor="0.1 -0.1 0"/>
  </equality>
  <sensor>
    <touch site="feel"/><touch site="top"/><touch site="feel" cutoff="3"/>
    <force site="mount"/><torque site="mount"/><force site="saddle"/><torque site="saddle"/><torque site="hook"/>
    <force site="hook" cutoff="1.5"/>
    <camprojection site="top" camera="above"/><camprojection site="feel" camera="lens"/>
    <camprojection site="top" camera="eye"/><camprojection site="feel" camera="follow"/>
    <camprojection site="mount" camera="gaze"/>
    <framepos objtype="camera" objname="follow"/><framequat objtype="camera" objname="eye"/>
    <framexaxis objtype="camera" objname="gaze"/><framelinvel objtype="camera" objname="eye"/>
    <framequat objtype="body" objname="hand" reftype="site" refname="feel"/><framequat objtype="geom" objname="palm"/>
    <insidesite objtype="geom" objname="palm" site="zone"/><insidesite objtype="body" objname="block" site="egg"/>
    <insidesite objtype="xbody" objname="hand" site="well"/><insidesite objtype="site" objname="top" site="zone"/>
    <contact geom1="brick" data="found force torque dist pos normal tangent linvel angvel" num="6"/>
    <contact body1="hand" body2="block" reduce="mindist" num="2" data="found force dist normal linvel"/>
    <contact body2="hand" reduce="maxforce" num="3" data="found force torque pos tangent"/>
    <contact subtree1="arm" reduce="netforce" data="found force torque pos"/>
    <contact subtree2="arm" geom1="floor" data="found dist angvel" num="2"/>
    <contact site="zone" num="4" data="found pos"/><contact num="3" reduce="maxforce" data="found force pos"/>
    <contact site="well" body2="block" num="4" data="found force normal"/>
    <jointlimitpos joint="wrist"/><jointlimitvel joint="wrist"/><jointlimitfrc joint="wrist"/>
    <jointlimitpos joint="shoulder"/><jointlimitvel joint="shoulder"/><jointlimitfrc joint="shoulder"/>
    <accelerometer site="mount"/><framelinacc objtype="geom" objname="blade"/><e_potential/><e_kinetic/>
  </sensor>
</mujoco>
"""

# Two ways to the same minimum agree to half the digits of its cost, whichever constraint they belong to.
FORCES = {
    f"mjSENS_{name}"
    for name in ("TOUCH", "FORCE", "TORQUE", "CONTACT", "JOINTLIMITFRC", "ACCELEROMETER", "FRAMELINACC")
}


def disturbed(model, seed):
    rng = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv) * 0.02 * (seed + 1), 1.0)
    data.qvel[:] = rng.normal(size=model.nv) * 0.5
    data.xfrc_applied[1:] = rng.normal(size=(model.nbody - 1, 6)) * 2
    return data


def readings(model, values):
    for sensor in range(model.nsensor):
        first = model.sensor_adr[sensor]
        yield mujoco.mjtSensor(model.sensor_type[sensor]).name, values[first : first + model.sensor_dim[sensor]]


def sense(text, seed, precision="f64"):
    scene, model = oracle.load(text)
    reference = disturbed(model, seed)
    data = oracle.place(scene, model, reference, precision)
    for body in range(1, model.nbody):
        link, force = scene.get_link(model.body(body).name), reference.xfrc_applied[body]
        link.add_external_force(data, force[:3], local=False)
        link.add_external_torque(data, force[3:], local=False)
    scene.forward_kinematic(data)
    mujoco.mj_forward(model, reference)
    return model, reference, data


def apart(kind, ours, theirs, reference):
    """Difference relative to the reading, or, for what follows from constraint forces, to the largest of those."""
    forces = np.abs(reference.efc_force).max(initial=1.0) if kind in FORCES else 1.0
    return np.abs(ours - theirs).max(initial=0.0) / max(forces, np.abs(theirs).max(initial=0.0))


@pytest.mark.parametrize("zone", ["sphere", "capsule", "ellipsoid", "cylinder", "box"])
@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_sensors_read_what_mujoco_reads(zone, cone) -> None:
    pressed = 0
    for seed in range(4):
        model, reference, data = sense(HAND.format(cone=cone, zone=zone), seed)
        low = data.low
        for name in ("cacc", "cfrc_ext", "cfrc_int"):
            assert oracle.worst(getattr(low, name), getattr(reference, name)) < 1e-8, name
        pairs = zip(readings(model, low.sensordata), readings(model, reference.sensordata), strict=True)
        for (kind, ours), (_, theirs) in pairs:
            assert apart(kind, ours, theirs, reference) < 1e-8, (kind, ours, theirs)
        pressed += reference.sensordata[:2].any()
    assert pressed, "something must touch in some state"


# Everything that can be enclosed, turned and moved, in every kind of site.
ENCLOSED = """
<mujoco>
  <asset>
    <mesh name="wedge" vertex="0 0 0 0.3 0 0 0 0.3 0 0 0 0.3 0.2 0.2 0.1"/>
    <mesh name="hall" vertex="-1 -1 -0.5 1 -1 -0.5 1 1 -0.5 -1 1 -0.5 0 0 1"/>
  </asset>
  <worldbody>
    <site name="sphere" size="1"/><site name="capsule" type="capsule" size="1 0.5" euler="0 30 0"/>
    <site name="ellipsoid" type="ellipsoid" size="1 0.8 0.6"/><site name="cylinder" type="cylinder" size="1 0.5"/>
    <site name="box" type="box" size="1 0.8 0.6" euler="10 20 30"/>
    <site name="mesh" type="mesh" mesh="hall" pos="0.1 0 0" euler="0 0 10"/>
    <body name="all"><freejoint/>
      <geom name="ball" size="0.2"/><geom name="rod" type="capsule" size="0.1 0.2" euler="30 0 0"/>
      <geom name="egg" type="ellipsoid" size="0.1 0.2 0.3"/><geom name="can" type="cylinder" size="0.1 0.2"/>
      <geom name="block" type="box" size="0.1 0.2 0.3"/><geom name="wedge" type="mesh" mesh="wedge"/>
      <site name="mark" type="box" size="0.3 0.1 0.2" pos="0.1 0 0"/>
      <body name="arm" pos="0.3 0 0"><joint/><geom name="hand" size="0.05" pos="0.2 0 0"/></body>
    </body>
  </worldbody>
  <sensor>{sensors}</sensor>
</mujoco>
"""
SITES = ("sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")
CONTENTS = (
    *(("geom", name) for name in ("ball", "rod", "egg", "can", "block", "wedge", "hand")),
    *(("site", "mark"), ("body", "all"), ("xbody", "all"), ("body", "arm")),
)


def test_an_object_reaches_as_far_out_of_a_site_as_mujoco_finds_or_farther() -> None:
    """MuJoCo searches until its steps are short, and now and then ends on a point that is only the farthest around."""
    sensors = "".join(
        f'<insidesite objtype="{kind}" objname="{name}" site="{site}" enclosed="true"/>'
        f'<insidesite objtype="{kind}" objname="{name}" site="{site}"/>'
        for site in SITES
        for kind, name in CONTENTS
    )
    scene, model = oracle.load(ENCLOSED.format(sensors=sensors))
    gaps, signs = [], set()
    for seed in range(8):
        rng = np.random.default_rng(seed)
        reference = mujoco.MjData(model)
        reference.qpos[:3] = rng.normal(size=3) * 0.3 * (1 + seed % 3)
        reference.qpos[3:7] = rng.normal(size=4)
        reference.qpos[7] = rng.normal()
        mujoco.mju_normalize4(reference.qpos[3:7])
        ours = np.asarray(oracle.place(scene, model, reference, "f64").low.sensordata).reshape(-1, 2)
        mujoco.mj_forward(model, reference)
        theirs = reference.sensordata.reshape(-1, 2)
        np.testing.assert_array_equal(ours[:, 1], theirs[:, 1])
        gaps.append(ours[:, 0] - theirs[:, 0])
        signs |= set(np.sign(ours[:, 0]))
    gaps = np.concatenate(gaps)
    assert gaps.min() > -2e-6, "MuJoCo found a point farther out"
    assert np.mean(np.abs(gaps) < 1e-4) > 0.9, np.sort(np.abs(gaps))[-60:]
    assert signs == {-1.0, 1.0}


def test_what_has_no_end_cannot_be_enclosed() -> None:
    text = """<mujoco><worldbody><site name="s" size="1"/><geom name="floor" type="plane" size="1 1 1"/>
      <body name="bare"/><camera name="eye"/></worldbody>
      <sensor><insidesite objtype="{0}" objname="{1}" site="s" enclosed="true"/></sensor></mujoco>"""
    for kind, name in (("geom", "floor"), ("xbody", "world"), ("body", "bare"), ("camera", "eye")):
        with pytest.raises(motrixsim.LoadError, match="enclosed"):
            motrixsim.load_mjcf_str(text.format(kind, name))


TACTILE = """
<mujoco>
  <asset>
    <mesh name="skin" builtin="plate" params="6 5" scale="0.1 0.1 0.1"/>
    <mesh name="shell" builtin="sphere" params="1" scale="0.2 0.2 0.2"/>
  </asset>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body name="pad" pos="0 0 0.19" euler="5 8 20">
      <freejoint/>
      <geom name="pad" type="mesh" mesh="skin" contype="0" conaffinity="0" mass="1"/>
      <geom type="box" size="0.12 0.12 0.02" pos="0 0 -0.08" mass="1"/>
    </body>
    <body pos="0 0 0.06"><freejoint/><geom type="{shape}" size="0.08 0.06 0.07" mass="1"/></body>
    <body pos="0.4 0 0.19"><freejoint/><geom name="shell" type="mesh" mesh="shell"/></body>
  </worldbody>
  <sensor><tactile geom="pad" mesh="skin"/><tactile geom="shell" mesh="shell"/><tactile geom="pad" mesh="skin"
    cutoff="0.01"/></sensor>
</mujoco>
"""


@pytest.mark.parametrize("shape", ["sphere", "capsule", "ellipsoid", "cylinder", "box"])
def test_skin_feels_what_it_feels_in_mujoco(shape) -> None:
    scene, model = oracle.load(TACTILE.format(shape=shape))
    felt = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        reference = mujoco.MjData(model)
        mujoco.mj_integratePos(model, reference.qpos, rng.normal(size=model.nv) * 0.02, 1.0)
        reference.qvel[:] = rng.normal(size=model.nv)
        data = oracle.place(scene, model, reference, "f64")
        mujoco.mj_forward(model, reference)
        np.testing.assert_allclose(data.low.sensordata, reference.sensordata, atol=1e-10)
        felt += np.count_nonzero(reference.sensordata)
    assert felt > 20
