"""One feature of the format after the other: small models that use it, compared with MuJoCo stage by stage."""

import numpy as np
import pytest

import motrixsim
from motrixsim import parity

mujoco = pytest.importorskip("mujoco")

# An arm on a post beside a sliding crate: something for every flag to switch off.
MACHINE = """
<mujoco>
  <option timestep="0.004" {option}>{flags}</option>
  <default><geom density="700"/></default>
  <worldbody>
    <geom type="plane" size="5 5 1" friction="0.7"/>
    <geom name="post" type="cylinder" size="0.05 0.3" pos="0 0 0.3" contype="0" conaffinity="0"/>
    <site name="anchor" pos="0.1 0 0.8" size="0.3"/>
    <body name="target" mocap="true" pos="0.6 0.4 0.4"><site name="target"/></body>
    <body name="upper" pos="0 0 0.7" gravcomp="0.4">
      <joint name="ball" type="ball" damping="0.2" stiffness="0.8" limited="true" range="0 25"/>
      <geom name="upper" type="capsule" size="0.04" fromto="0 0 0 0.3 0 0"/>
      <site name="upper" pos="0.1 0 0.05"/>
      <body name="lower" pos="0.3 0 0">
        <joint name="hinge" axis="0 1 0" range="-20 30" damping="0.1" armature="0.02" frictionloss="0.3"
          stiffness="2" springref="10"/>
        <geom name="lower" type="capsule" size="0.03" fromto="0 0 0 0.25 0 0"/>
        <site name="lower" pos="0.2 0.02 0.03" size="0.2"/>
        <body name="tip" pos="0.25 0 0">
          <joint name="slide" type="slide" axis="1 0 0" range="-0.03 0.03" stiffness="30" damping="1"/>
          <geom name="tip" type="sphere" size="0.04" condim="4"/>
          <site name="tip" pos="0.02 0 0.01"/>
        </body>
      </body>
    </body>
    <body name="crate" pos="0.5 -0.5 0.099">
      <freejoint/>
      <geom name="crate" type="box" size="0.1 0.15 0.1" {solver}/>
    </body>
    <body name="ball" pos="-0.4 0.3 0.149">
      <freejoint/>
      <geom name="ball" type="sphere" size="0.15" condim="6" friction="0.8 0.02 0.01"/>
    </body>
  </worldbody>
  <tendon>
    <fixed name="sum" stiffness="4" damping="0.3" springlength="-0.02 0.03" limited="true" range="-0.3 0.3"
      frictionloss="0.05" armature="0.01"><joint joint="hinge" coef="0.5"/><joint joint="slide" coef="2"/></fixed>
    <spatial name="string" stiffness="20" springlength="0.1 0.3" damping="0.4" limited="true" range="0 0.35"
      frictionloss="0.1"><site site="anchor"/><geom geom="post"/><site site="lower"/></spatial>
    <spatial name="line" stiffness="5" armature="0.03"><site site="anchor"/><site site="tip"/></spatial>
  </tendon>
  <equality>
    <weld name="hold" body1="tip" body2="target" relpose="0.1 0 0 0.9 0.1 0 0.2" torquescale="0.5"
      solref="0.05 1"/>
    <tendon tendon1="line" tendon2="sum" polycoef="0.1 0.4 0.3 0 0"/>
    <joint joint1="hinge" joint2="slide" polycoef="0 2 1 0 0" active="false"/>
  </equality>
  <actuator>
    <motor name="torque" joint="hinge" gear="1.5" ctrlrange="-1 1" ctrllimited="true" group="1"/>
    <position name="servo" joint="slide" kp="40" kv="3" forcerange="-2 2" group="2"/>
    <general name="lag" tendon="string" dyntype="filterexact" dynprm="0.1" gainprm="3" biastype="affine"
      biasprm="0 -2 -0.3" group="3"/>
    <muscle name="flexor" tendon="line" lengthrange="0.1 1" group="4"/>
    <motor name="thrust" site="tip" gear="1 0 0.5 0 0.1 0" group="1"/>
  </actuator>
  <sensor>
    <force site="lower"/><torque site="lower"/><accelerometer site="tip"/><gyro site="tip"/><touch site="lower"/>
    <tendonpos tendon="string"/><actuatorfrc actuator="lag"/><jointactuatorfrc joint="hinge"/><clock/>
    <jointlimitfrc joint="hinge"/><tendonlimitfrc tendon="string"/><framelinacc objtype="body" objname="crate"/>
    <subtreeangmom body="upper"/><e_potential/><e_kinetic/>
    <contact geom1="ball" num="2" data="found force torque dist pos normal tangent linvel angvel"/>
  </sensor>
</mujoco>
"""


def compared(tmp_path, text, states=4, steps=0, precision="f64"):
    path = tmp_path / "model.xml"
    path.write_text(text)
    report = parity.compare(path, states=states, steps=steps, precision=precision)
    assert not report.failures(), "\n".join(report.lines(everything=False))
    return report


def machine(option="", flags="", solver=""):
    return MACHINE.format(option=option, flags=flags and f"<flag {flags}/>", solver=solver)


@pytest.mark.parametrize(
    "flag",
    [
        *("constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity", "clampctrl"),
        *("warmstart", "filterparent", "actuation", "refsafe", "sensor", "midphase", "eulerdamp", "autoreset"),
        *("island", "multiccd", "nativeccd"),
    ],
)
def test_a_feature_that_is_switched_off_is_off_as_in_mujoco(tmp_path, flag) -> None:
    compared(tmp_path, machine(flags=f'{flag}="disable"'))


def test_without_springs_and_dampers_nothing_passive_is_left(tmp_path) -> None:
    compared(tmp_path, machine('density="2" viscosity="0.1"', flags='spring="disable" damper="disable"'))


@pytest.mark.parametrize("flag", ["override", "energy", "fwdinv", "invdiscrete", "diagexact"])
def test_a_feature_that_is_switched_on_is_on_as_in_mujoco(tmp_path, flag) -> None:
    override = 'o_margin="0.01" o_solref="0.03 0.8" o_solimp="0.8 0.9 0.01 0.4 3" o_friction="0.4 0.5 0.01 0.02 0.03"'
    compared(tmp_path, machine(override, flags=f'{flag}="enable"'))


@pytest.mark.parametrize("solver", ["", 'adhesion="5"', 'condim="1"', 'condim="6" friction="0.5 0.02 0.03"'])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_rows_are_weighed_exactly_on_request(tmp_path, solver, cone) -> None:
    compared(tmp_path, machine(f'cone="{cone}" impratio="3"', 'diagexact="enable"', solver))


@pytest.mark.parametrize("groups", ["1", "2 3", "1 4"])
def test_groups_of_actuators_can_be_switched_off(tmp_path, groups) -> None:
    compared(tmp_path, machine(f'actuatorgroupdisable="{groups}"'))


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_every_integrator_with_every_cone(tmp_path, integrator, cone) -> None:
    medium = 'density="1.2" viscosity="0.02" wind="1 0 0.5" impratio="4"'
    compared(tmp_path, machine(f'integrator="{integrator}" cone="{cone}" {medium}'), states=3)


@pytest.mark.parametrize(
    "attributes",
    [
        *('solref="-300 -20"', 'solref="0.001 1"', 'solref="0.05 0"', 'solref="-100 3"', 'solref="0.02 0.3"'),
        *('solimp="0.5 0.99 0.02 0.3 1"', 'solimp="0.9 0.9 0.01"', 'solimp="0 1 0.001 0.9 6"', 'solimp="0.3 0.8 0"'),
        *('margin="0.02"', 'margin="0.03" gap="0.02"', 'condim="1"', 'condim="4"', 'condim="6"', 'priority="2"'),
        *('friction="0.001"', 'friction="2 0.1 0.1" condim="6"', 'solmix="3"', 'adhesion="4"'),
        'surfacevel="0.3 0.1 0 0 0 0.5"',
    ],
)
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_every_parameter_of_a_contact(tmp_path, attributes, cone) -> None:
    compared(tmp_path, machine(f'cone="{cone}"', solver=attributes), states=3)


JOINTED = """
<mujoco>
  <option timestep="0.002" integrator="{integrator}" gravity="1 0 -9.81"/>
  <compiler angle="radian"/>
  <worldbody>
    <site name="top" pos="0 0 1"/>
    <body name="a" pos="0 0 0.5">
      <joint name="h" axis="0 1 0.2" {hinge}/>
      <geom name="arm" type="capsule" size="0.05" fromto="0 0 0 0.3 0 0" contype="0" conaffinity="0" mass="0.7"/>
      <site name="sa" pos="0.25 0 0"/>
      <body name="b" pos="0.3 0 0">
        <joint name="q" type="ball" {ball}/>
        <geom type="box" size="0.1 0.05 0.04" contype="0" conaffinity="0" mass="0.5" pos="0.05 0 0"/>
        <body name="c" pos="0.15 0 0">
          <joint name="s" type="slide" axis="1 0.1 0" {slide}/>
          <geom name="end" size="0.05" contype="0" conaffinity="0" mass="0.3"/>
          <site name="sc" pos="0.02 0.01 0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="f" {fixed}><joint joint="h" coef="0.7"/><joint joint="s" coef="-1.5"/></fixed>
    <spatial name="t" {spatial}><site site="top"/><site site="sa"/><site site="sc"/></spatial>
  </tendon>
  <actuator>{actuators}</actuator>
  <sensor>
    <e_potential/><e_kinetic/><tendonpos tendon="t"/><jointvel joint="h"/>{sensors}
  </sensor>
</mujoco>
"""


def jointed(integrator="Euler", **parts):
    names = ("hinge", "ball", "slide", "fixed", "spatial", "actuators", "sensors")
    return JOINTED.format(integrator=integrator, **{name: parts.get(name, "") for name in names})


@pytest.mark.parametrize(
    "parts",
    [
        {"hinge": 'stiffness="3 0.5 2" damping="0.2 0.3 0.1"'},
        {"slide": 'stiffness="30 -4 200" damping="1 2 3" springref="0.02" ref="0.01"'},
        {"ball": 'stiffness="2 1 0.5" damping="0.2 0.1 0.1" armature="0.05" frictionloss="0.1"'},
        {"fixed": 'stiffness="5 1 2" damping="0.4 0.2 0.1" springlength="-0.05 0.1"'},
        {"spatial": 'stiffness="9 3 1" damping="0.4 0.1 0.3" springlength="0.2 0.4" armature="0.02"'},
        {"hinge": 'stiffness="10" springyield="0.02"'},
        {"ball": 'stiffness="6" springyield="0.03"', "slide": 'stiffness="80" springyield="0.01" springref="0.05"'},
        {"fixed": 'stiffness="20" springyield="0.03" springlength="0 0.05"'},
        {"spatial": 'stiffness="40" springyield="0.02" springlength="0.2 0.3"'},
        {"hinge": 'limited="true" range="-0.2 0.1" margin="0.05" solreflimit="-400 -15" actuatorfrcrange="-1 1"'},
        {"ball": 'limited="true" range="0 0.1" solimplimit="0.5 0.99 0.05 0.2 3"'},
        {"fixed": 'limited="true" range="-0.1 0.1" margin="0.02" frictionloss="0.3"'},
        {"spatial": 'limited="true" range="0.1 0.6" solreflimit="0.01 0.5" frictionloss="0.2" armature="0.1"'},
    ],
    ids=lambda parts: " ".join(parts)[:40],
)
@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_springs_dampers_and_limits_in_every_form(tmp_path, parts, integrator) -> None:
    report = compared(tmp_path, jointed(integrator, **parts), states=3, steps=100)
    assert any(stage == "runs" for stage, _ in report.worst)


ACTUATORS = {
    "motor": '<motor joint="h" ctrlrange="-0.4 0.4"/>',
    "gears of a ball joint": '<motor joint="q" gear="0.2 0.3 0.1"/><motor jointinparent="q" gear="0.3 0 0.1"/>',
    "position": '<position joint="h" kp="5" kv="0.3" inheritrange="0"/>',
    "damped position": '<position joint="s" kp="30" dampratio="0.8" forcerange="-1 1"/>',
    "filtered position": '<position joint="h" kp="5" timeconst="0.05"/>',
    "velocity": '<velocity joint="h" kv="0.4"/>',
    "intvelocity": '<intvelocity joint="h" kp="4" kv="0.1" actrange="-0.5 0.5"/>',
    "damper": '<damper joint="h" kv="0.7" ctrlrange="0 1"/>',
    "cylinder": '<cylinder joint="s" timeconst="0.04" area="2" bias="0.1 -0.2 -0.3"/>',
    "muscle on a joint": '<muscle joint="h" range="0.7 1.1" force="3" lengthrange="-1 1" tausmooth="0.02"/>',
    "muscle on a tendon": '<muscle tendon="t" scale="50" lengthrange="0.3 0.9"/>',
    "integrator": '<general joint="h" dyntype="integrator" gainprm="2" actrange="-1 1" actearly="true"/>',
    "filter": '<general joint="h" dyntype="filter" dynprm="0.03" gaintype="affine" gainprm="1 0.5 -0.2"/>',
    "filterexact": '<general joint="h" dyntype="filterexact" dynprm="0.03" actearly="true" actlimited="true" '
    'actrange="-0.2 0.2"/>',
    "affine": '<general tendon="f" gaintype="affine" gainprm="1 0.3 -0.4" biastype="affine" biasprm="0.1 -3 -0.5"/>',
    "site": '<general site="sc" gear="0.2 0.1 0 0.05 0 0.1"/>',
    "site to site": '<general site="sc" refsite="sa" gear="1 0.2 0.3 0.1 0.2 0.3" biastype="affine" '
    'biasprm="0 -2 -0.3"/>',
    "slider-crank": '<general cranksite="sa" slidersite="top" cranklength="0.4"/>',
    "reflected": '<motor joint="h" gear="3" armature="0.01" damping="0.05"/>'
    '<motor tendon="t" gear="2" armature="0.02" damping="0.1"/>',
    "delayed": '<motor joint="h" delay="0.006" nsample="5"/>'
    '<position joint="s" kp="20" delay="0.009" nsample="6" interp="linear"/>'
    '<motor tendon="f" delay="0.0055" nsample="4" interp="cubic"/>',
    "dc motor": '<dcmotor joint="h" motorconst="0.05" resistance="2"/>',
    "dc motor with a coil": '<dcmotor joint="h" motorconst="0.05" resistance="2" inductance="0.01"/>',
    "dc motor that cogs": '<dcmotor joint="h" motorconst="0.05" resistance="2" cogging="0.02 6 0.3"/>',
    "dc motor that warms": '<dcmotor joint="h" motorconst="0.05" resistance="2" thermal="1.5 20 0 0.004 25 25"/>',
    "dc motor with bristles": '<dcmotor joint="h" motorconst="0.05" resistance="2" lugre="100 1 0.02 0.03 0.01"/>',
    "dc motor with a controller": '<dcmotor joint="h" motorconst="0.05" resistance="2" controller="5 0.2 1 0 0 0" '
    'input="pos"/>',
    "dc motor with limits": '<dcmotor joint="h" motorconst="0.05" resistance="2" saturation="0.1 2 24"/>',
    "dc motor by its plate": '<dcmotor joint="h" nominal="24 0.5 300"/>',
    "pid": '<pid joint="h" kp="8" kv="0.4" ki="3" imax="0.2"/>',
    "pid with three inputs": '<pid joint="s" kp="20" kv="1" ki="5" input="pos vel ff"/>',
    "pid that hurries": '<pid joint="h" kp="8" dampratio="0.7" slewmax="0.5"/>',
    "pid on a tendon": '<pid tendon="f" kp="5" ki="2" forcerange="-1 1"/>',
    "orientation of a joint": '<orientation joint="q" kp="3" kv="0.2"/>',
    "orientation as a vector": '<orientation joint="q" kp="3" dampratio="0.5" input="expmap"/>',
    "orientation of a site": '<orientation site="sc" refsite="sa" kp="2"/>',
}


@pytest.mark.parametrize("kind", ACTUATORS)
@pytest.mark.parametrize("integrator", ["implicitfast", "RK4"])
def test_every_actuator_drives_as_in_mujoco(tmp_path, kind, integrator) -> None:
    report = compared(tmp_path, jointed(integrator, actuators=ACTUATORS[kind]), states=3, steps=100)
    assert any(stage == "runs" for stage, _ in report.worst)


SENSED = """
    <framepos objtype="site" objname="sc" {memory}/><framequat objtype="body" objname="c" {memory}/>
    <jointpos joint="s" {memory}/><accelerometer site="sc" {memory}/><gyro site="sc" {memory}/>
    <tendonvel tendon="t" {memory} cutoff="0.1"/><rangefinder site="sc" {memory}/>
    <distance geom1="end" geom2="arm" {memory} cutoff="5"/><fromto geom1="end" geom2="arm" {memory} cutoff="5"/>
    <insidesite objtype="geom" objname="end" site="sa" enclosed="true" {memory}/>"""


@pytest.mark.parametrize(
    "memory",
    [
        *('nsample="3"', 'nsample="4" delay="0.004"', 'nsample="6" delay="0.005" interp="linear"'),
        *(
            'nsample="6" delay="0.007" interp="cubic"',
            'nsample="3" interval="0.006"',
            'nsample="2" interval="0.01 -0.004"',
        ),
        'nsample="8" interval="0.006" delay="0.009" interp="linear"',
    ],
)
@pytest.mark.parametrize("integrator", ["implicitfast", "RK4"])
def test_sensors_that_lag_behind_show_what_mujoco_shows(tmp_path, memory, integrator) -> None:
    text = jointed(integrator, sensors=SENSED.format(memory=memory))
    path = tmp_path / "model.xml"
    path.write_text(text)
    comparison = parity.Comparison(path)
    data = comparison.state(3)
    ours = comparison.place(data)
    for _ in range(40):
        mujoco.mj_step(comparison.theirs, data)
        comparison.scene.step(ours)
        # Both show the readings of the step's start.
        np.testing.assert_allclose(ours.low.sensordata, data.sensordata, atol=1e-9)


@pytest.mark.parametrize("interval", [0.0203, 0.0207, 0.0213])
def test_sensors_read_at_intervals_are_read_at_the_same_steps_in_either_precision(interval) -> None:
    """The first reading is due at once, one interval after a time that single precision stores as a later one. The
    others are due between two steps."""
    model = motrixsim.load_mjcf_str(f"""<mujoco><option timestep="0.01" gravity="0 0 0"/>
      <worldbody><body><joint name="s" type="slide"/><geom size=".1"/></body></worldbody>
      <sensor><jointpos joint="s" interval="{interval}" nsample="3"/></sensor></mujoco>""")
    readings = []
    for precision in ("f32", "f64"):
        data = motrixsim.SceneData(model, precision=precision)
        data.set_dof_vel(np.array([1.0]))
        shown = []
        for _ in range(60):
            model.step(data)
            shown.append(float(data.low.sensordata[0]))
        readings.append(shown)
    # Roundings of half a metre; one step would be a hundredth.
    np.testing.assert_allclose(readings[0], readings[1], atol=1e-6)


@pytest.mark.parametrize("kind", ["reflected", "delayed", "muscle on a tendon", "dc motor"])
def test_single_precision_keeps_to_its_own_bounds(tmp_path, kind) -> None:
    parts = {"actuators": ACTUATORS[kind], "hinge": 'stiffness="10" springyield="0.02"'}
    compared(tmp_path, jointed(**parts), states=3, steps=30, precision="f32")


YIELDING = """
<mujoco>
  <worldbody>
    <body><joint name="h" axis="0 1 0" stiffness="9" springyield="0.1" springref="20"/><geom size="0.1" pos="0.2 0 0"/>
      <site name="end" pos="0.3 0 0"/>
      <body pos="0.3 0 0"><joint type="ball" stiffness="4" springyield="0.2"/><geom size="0.1" pos="0.2 0 0"/></body>
    </body>
    <site name="post" pos="0 0 0.5"/>
  </worldbody>
  <tendon><spatial stiffness="20" springyield="0.05" springlength="0.2 0.3"><site site="post"/><site site="end"/>
    </spatial></tendon>
  <keyframe>
    <key qpos="0.1 1 0 0 0" plastic="0.4 1 0.2 0 0 0.25 0.4"/><key plastic="0.3"/><key qvel="1 0 0 0"/>
  </keyframe>
</mujoco>
"""


def test_springs_that_have_yielded_are_part_of_a_keyframe(tmp_path) -> None:
    """In the first state the rests are the keyframe's, and they go on to yield from there."""
    report = compared(tmp_path, YIELDING, states=3, steps=100)
    assert report.worst["compiled", "key_plastic"][0] < 1e-15
    assert any(stage == "runs" for stage, _ in report.worst)
    with pytest.raises(motrixsim.LoadError, match="8 numbers, but the model has 7"):
        motrixsim.load_mjcf_str(YIELDING.replace('plastic="0.3"', 'plastic="0 1 0 0 0 0 0 0"'))


@pytest.mark.parametrize(
    "option",
    [
        *('<option integrator="discrete"/>', '<option><flag sleep="enable"/></option>'),
        *('<option><flag ipc="enable"/></option>', '<option><flag speculative="enable"/></option>'),
    ],
)
def test_what_is_left_out_of_the_physics_is_told(option) -> None:
    with pytest.warns(UserWarning, match="load_report|integrator|flag"):
        model = motrixsim.load_mjcf_str(f"<mujoco>{option}</mujoco>")
    assert [entry.kind for entry in model.load_report] == ["not supported"]
