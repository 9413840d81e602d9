"""Random mechanisms with every kind of joint, actuator, tendon, equality and sensor, compared with MuJoCo."""

import numpy as np
import pytest

import motrixsim
from motrixsim import parity

mujoco = pytest.importorskip("mujoco")

SHAPES = ["sphere", "capsule", "ellipsoid", "cylinder", "box"]
# Their contacts have closed forms, so that rows and forces can be compared to rounding.
EXACT = ["sphere", "capsule", "box"]
INTEGRATORS = ["Euler", "implicitfast", "implicit", "RK4"]

# What MuJoCo names but the engine leaves out, and says so when it loads a file.
ABSENT = {
    "mjtEq": {"FLEX", "FLEXVERT", "FLEXSTRAIN", "DISTANCE"},
    "mjtSensor": {"PLUGIN", "USER"},
    "mjtDyn": {"USER"},
    "mjtGain": {"USER"},
    "mjtBias": {"USER"},
    "mjtTrn": {"UNDEFINED"},
    "mjtWrap": {"NONE"},
}


class Author:
    """Writes a random model: a few trees of bodies, then everything that can be attached to them."""

    def __init__(self, seed: int, contacts: bool) -> None:
        self.rng = np.random.default_rng(seed)
        self.seed, self.contacts = seed, contacts
        self.bodies: list[str] = []
        self.joints: dict[str, list[str]] = {kind: [] for kind in ("free", "ball", "slide", "hinge")}
        self.limited: list[str] = []

    def numbers(self, count: int, size: float = 1.0) -> str:
        return " ".join(f"{x:.4f}" for x in self.rng.normal(size=count) * size)

    def pick(self, things: list[str]) -> str:
        return str(self.rng.choice(things))

    def joint(self, kind: str) -> str:
        name = f"{kind}{len(self.joints[kind])}"
        self.joints[kind].append(name)
        more = ""
        if kind != "free" and self.rng.random() < 0.5:
            self.limited.append(name)
            more = 'limited="true" range="0 0.5"' if kind == "ball" else 'limited="true" range="-0.3 0.4"'
        axis = f'axis="{self.numbers(3)}"' if kind in ("slide", "hinge") else ""
        loss = 0.0 if kind == "free" else self.rng.choice([0.0, 0.2])
        return (
            f'<joint name="{name}" type="{kind}" {axis} {more} damping="{self.rng.uniform(0, 0.5):.3f}" '
            f'armature="{self.rng.uniform(0, 0.05):.4f}" frictionloss="{loss}" '
            f'stiffness="{self.rng.choice([0.0, 3.0])}"/>'
        )

    def body(self, depth: int) -> str:
        name = f"b{len(self.bodies)}"
        self.bodies.append(name)
        kinds = ["ball", "slide", "hinge", "hinge", "hinge"] + (["free"] * 3 if depth == 0 else [])
        kind = self.pick(kinds)
        joints = self.joint(kind)
        if kind in ("slide", "hinge") and self.rng.random() < 0.3:
            joints += self.joint(self.pick(["slide", "hinge"]))
        shape = self.pick(EXACT if self.contacts else SHAPES)
        touching = "" if self.contacts else 'contype="0" conaffinity="0"'
        geom = (
            f'<geom name="{name}" type="{shape}" size="0.08 0.1 0.06" pos="{self.numbers(3, 0.03)}" {touching} '
            f'condim="{self.pick(["1", "3", "4", "6"])}" euler="{self.numbers(3, 30)}"/>'
        )
        # Its distances have closed forms.
        geom += f'<geom name="{name}_round" size="0.05" pos="{self.numbers(3, 0.1)}" contype="0" conaffinity="0"/>'
        site = f'<site name="{name}" pos="{self.numbers(3, 0.1)}" euler="{self.numbers(3, 30)}" size="0.1"/>'
        site += f'<camera name="{name}" pos="{self.numbers(3, 0.1)}" euler="{self.numbers(3, 30)}" resolution="3 2"/>'
        children = "".join(self.body(depth + 1) for _ in range(self.rng.integers(0, 3) if depth < 2 else 0))
        height = f"{self.numbers(2, 0.4)} {self.rng.uniform(0.2, 0.6):.3f}" if depth == 0 else self.numbers(3, 0.2)
        compensated = self.rng.choice([0.0, 0.7])
        return f'<body name="{name}" pos="{height}" gravcomp="{compensated}">{joints}{geom}{site}{children}</body>'

    def scalars(self) -> list[str]:
        return self.joints["slide"] + self.joints["hinge"]

    def tendons(self) -> str:
        items = "".join(f'<joint joint="{j}" coef="{self.rng.normal():.3f}"/>' for j in self.scalars()[:3])
        fixed = f'<fixed name="t0" stiffness="2" damping="0.3" frictionloss="0.1" armature="0.02">{items}</fixed>'
        sites = "".join(f'<site site="{b}"/>' for b in dict.fromkeys(self.rng.choice(self.bodies, 3)))
        ends = [f'<site site="{body}"/>' for body in (self.bodies[0], self.bodies[-1])]
        limits = 'limited="true" range="0.1 0.4"'
        spatial = f'<spatial name="t1" {limits} damping="0.2">{sites}</spatial>' if sites.count("<site") > 1 else ""
        around = "".join(
            f'<spatial name="{name}" stiffness="{stiffness}" {limits if name == "t3" else ""}>'
            f'{ends[0]}<geom geom="{geom}" {side}/>{ends[1]}<pulley divisor="2"/>{ends[1]}{ends[0]}</spatial>'
            for name, stiffness, geom, side in (
                ("t2", 4, "ground_post", ""),
                ("t3", 3, "ground_post", 'sidesite="beside"'),
                ("t4", 2, "ground_ball", 'sidesite="above"'),
                ("t5", 2, "ground_ball", ""),
                ("t6", 1, "ground_ball", 'sidesite="within"'),
                ("t7", 1, "ground_post", 'sidesite="within"'),
            )
        )
        return f"{fixed}{spatial}{around}"

    def actuators(self) -> str:
        joint = self.pick(self.scalars())
        lines = [
            f'<motor joint="{joint}" gear="1.5" ctrlrange="-1 1"/>',
            f'<position joint="{self.pick(self.scalars())}" kp="8" dampratio="0.7"/>',
            f'<velocity joint="{self.pick(self.scalars())}" kv="0.5" forcerange="-2 2"/>',
            f'<intvelocity joint="{joint}" kp="5" actrange="-1 1"/>',
            f'<damper joint="{joint}" kv="0.8" ctrlrange="0 1"/>',
            f'<cylinder joint="{joint}" timeconst="0.05" bias="0.1 -0.2 -0.3"/>',
            '<muscle tendon="t0" lengthrange="-1 1"/>',
            f'<general joint="{joint}" dyntype="filterexact" dynprm="0.1" gainprm="2" biastype="affine" '
            f'biasprm="0.1 -1 -0.2" gaintype="affine" actearly="true"/>',
            '<general tendon="t2" dyntype="integrator" gainprm="1" ctrlrange="-1 1"/>',
            f'<general site="{self.pick(self.bodies)}" gear="{self.numbers(6)}" gainprm="0.5"/>',
            f'<general site="{self.bodies[-1]}" refsite="{self.bodies[0]}" gear="1 0.5 0.2 0.1 0.3 0.2" gainprm="0.3"/>'
            if len(self.bodies) > 1
            else "",
            f'<adhesion body="{self.pick(self.bodies)}" gain="2" ctrlrange="0 1"/>',
            f'<general cranksite="{self.bodies[0]}" slidersite="slot" cranklength="3" gainprm="0.2"/>',
            f'<orientation site="{self.bodies[-1]}" refsite="slot" kp="0.5" kv="0.05"/>',
            *self.servos(joint),
        ]
        for kind in ("ball", "free"):
            for name in self.joints[kind][:1]:
                lines.append(f'<motor joint="{name}" gear="{self.numbers(6 if kind == "free" else 3)}"/>')
                if kind == "ball":
                    lines.append(f'<motor jointinparent="{name}" gear="{self.numbers(3)}"/>')
                    lines.append(f'<orientation joint="{name}" kp="1" dampratio="0.5" input="expmap"/>')
        return "".join(lines)

    def servos(self, joint: str) -> list[str]:
        motor = f'<dcmotor joint="{joint}" motorconst="0.05" resistance="2"'
        return [
            f'<pid joint="{joint}" kp="3" kv="0.2" ki="2" imax="0.3"/>',
            f'<pid joint="{self.pick(self.scalars())}" kp="2" kv="0.1" input="pos vel ff"/>',
            '<pid tendon="t0" kp="2" slewmax="0.5" forcerange="-1 1"/>',
            f"{motor}/>",
            f'{motor} inductance="0.01" cogging="0.02 6 0.3"/>',
            f'{motor} thermal="1.5 20 0 0.004 25 25" saturation="0.1 2 24"/>',
            f'{motor} lugre="100 1 0.02 0.03 0.01"/>',
            f'{motor} controller="5 0.2 1 0 0 0" input="pos"/>',
        ]

    def equalities(self) -> str:
        scalars = self.scalars()
        lines = ['<tendon tendon1="t0" polycoef="0.1 0 0 0 0"/>', '<tendon tendon1="t2" tendon2="t0" solref="0.2 1"/>']
        lines.append(f'<joint joint1="{scalars[-1]}" polycoef="0.1 0 0 0 0" active="false"/>')
        lines.append(
            f'<connect site1="{self.bodies[-1]}" site2="slot" solref="0.2 1" active="{self.pick(["true", "false"])}"/>'
        )
        lines.append(
            f'<weld site1="{self.bodies[0]}" site2="above" solref="0.2 1" active="{self.pick(["true", "false"])}"/>'
        )
        if len(scalars) > 1:
            lines.append(f'<joint joint1="{scalars[0]}" joint2="{scalars[1]}" polycoef="0 0.5 0.2 0 0"/>')
        if len(self.bodies) > 2:
            lines.append(
                f'<connect body1="{self.bodies[1]}" body2="{self.bodies[-1]}" anchor="{self.numbers(3, 0.1)}" '
                'solref="0.1 1"/>'
            )
            lines.append(f'<weld body1="{self.bodies[0]}" relpose="0.1 0.2 0.3 0.9 0.1 0.2 0.1" torquescale="0.7"/>')
        return "".join(lines)

    def sensors(self) -> str:
        a, b = self.bodies[0], self.bodies[-1]
        on_site = ("touch", "accelerometer", "velocimeter", "gyro", "magnetometer", "force", "torque")
        lines = [f'<{kind} site="{b}"/>' for kind in on_site]
        for kind in ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel"):
            for objtype in ("body", "xbody", "geom", "site"):
                lines.append(f'<{kind} objtype="{objtype}" objname="{b}"/>')
            lines.append(f'<{kind} objtype="site" objname="{b}" reftype="xbody" refname="{a}"/>')
        lines += [f'<{kind} objtype="geom" objname="{b}"/>' for kind in ("framelinacc", "frameangacc")]
        lines += [f'<{kind} body="{a}"/>' for kind in ("subtreecom", "subtreelinvel", "subtreeangmom")]
        for joint in self.scalars()[:2]:
            lines += [f'<{kind} joint="{joint}"/>' for kind in ("jointpos", "jointvel", "jointactuatorfrc")]
        for joint in self.joints["ball"][:1]:
            lines += [f'<ballquat joint="{joint}"/><ballangvel joint="{joint}"/>']
        for joint in self.limited[:3]:
            lines += [f'<jointlimit{what} joint="{joint}"/>' for what in ("pos", "vel", "frc")]
        lines += [f'<{kind} tendon="t0"/>' for kind in ("tendonpos", "tendonvel", "tendonactuatorfrc")]
        lines += [f'<tendonlimit{what} tendon="t3"/>' for what in ("pos", "vel", "frc")]
        lines += [f'<rangefinder site="{a}"/><rangefinder camera="{b}" data="dist dir origin point normal depth"/>']
        lines += [f'<{kind} geom1="{a}_round" body2="target" cutoff="9"/>' for kind in ("distance", "normal", "fromto")]
        lines += [f'<camprojection site="{b}" camera="{a}"/>', '<tactile geom="skin" mesh="skin"/>']
        lines += [f'<insidesite objtype="geom" objname="{b}_round" site="room" enclosed="true"/>']
        lines += ['<actuatorpos actuator="first"/><actuatorvel actuator="first"/><actuatorfrc actuator="first"/>']
        lines += ["<e_potential/><e_kinetic/><clock/>", f'<insidesite objtype="xbody" objname="{a}" site="{b}"/>']
        lines += [f'<contact subtree1="{a}" num="3" data="found force dist pos normal" reduce="maxforce"/>']
        return "".join(lines)

    def model(self) -> str:
        tree = "".join(self.body(0) for _ in range(3))
        while not self.scalars():
            tree += self.body(0)
        cone = self.pick(["pyramidal", "elliptic"])
        actuators = self.actuators().replace("<motor ", '<motor name="first" ', 1)
        integrator = INTEGRATORS[self.seed % len(INTEGRATORS)]
        ground = '<geom type="plane" size="5 5 1"/>' if self.contacts else ""
        return f"""<mujoco>
          <option timestep="0.002" integrator="{integrator}" cone="{cone}" density="1.2" viscosity="0.01"
            wind="1 0.5 0" impratio="{self.pick(["1", "5"])}"/>
          <worldbody>{ground}
            <geom name="ground_post" type="cylinder" size="0.05 0.3" contype="0" conaffinity="0"/>
            <geom name="ground_ball" size="0.07" pos="0.1 0.1 0.4" contype="0" conaffinity="0"/>
            <site name="beside" pos="0.2 0.1 0"/><site name="above" pos="0.1 0.1 0.6"/><site name="slot" pos="0 0 1"/>
            <site name="room" type="box" size="5 4 3" euler="10 20 30"/>
            <site name="within" pos="0.07 0.1 0.37"/>
            <body name="target" mocap="true"><geom size="0.1" contype="4" conaffinity="0"/>
              <geom name="skin" type="mesh" mesh="skin" contype="0" conaffinity="0" mass="1"/></body>
            {tree}</worldbody><asset><mesh name="skin" builtin="plate" params="3 2" scale="0.1 0.1 0.1"/></asset>
          <keyframe><key time="0.3" act="{self.numbers(6, 0.2)}" ctrl="{self.numbers(6, 0.2)}" mpos="{self.numbers(3)}"
            mquat="{self.numbers(4)}"/></keyframe>
          <tendon>{self.tendons()}</tendon><equality>{self.equalities()}</equality>
          <actuator>{actuators}</actuator><sensor>{self.sensors()}</sensor></mujoco>"""


def written(tmp_path, seed, contacts):
    path = tmp_path / "model.xml"
    path.write_text(Author(seed, contacts).model())
    return path


def explained(report):
    return "\n".join(report.lines(everything=False))


def kinds(model, enum, fields):
    """Names of the values of an enumeration that a model has in some fields."""
    values = np.concatenate([np.ravel(getattr(model, field)) for field in fields])
    return {getattr(mujoco, enum)(int(value)).name.split("_", 1)[1] for value in values}


@pytest.mark.parametrize(
    ("enum", "fields"),
    [
        ("mjtJoint", ["jnt_type"]),
        ("mjtDyn", ["actuator_dyntype"]),
        ("mjtGain", ["actuator_gaintype"]),
        ("mjtBias", ["actuator_biastype"]),
        ("mjtTrn", ["actuator_trntype"]),
        ("mjtWrap", ["wrap_type"]),
        ("mjtEq", ["eq_type"]),
        ("mjtSensor", ["sensor_type"]),
    ],
)
def test_every_kind_of_thing_is_generated(enum, fields) -> None:
    made = set()
    for seed in range(8):
        made |= kinds(mujoco.MjModel.from_xml_string(Author(seed, contacts=False).model()), enum, fields)
    known = {name.split("_", 1)[1] for name in getattr(mujoco, enum).__members__}
    assert known - made == ABSENT.get(enum, set())


# Number 1 flies apart in MuJoCo.
@pytest.mark.parametrize("seed", [0, 2, 3, 4, 5, 6, 7, 9])
def test_mechanisms_without_contact_move_as_in_mujoco(tmp_path, seed) -> None:
    report = parity.compare(written(tmp_path, seed, contacts=False), states=3, steps=100)
    assert not report.failures(), explained(report)
    assert any(stage == "runs" for stage, _ in report.worst)


# Those of the first twenty that touch in every state, with every integrator and both cones.
TOUCHING = [100, 102, 103, 109, 110, 114, 115, 119]


@pytest.mark.parametrize("seed", TOUCHING)
def test_mechanisms_with_contact_have_mujocos_rows_and_forces(tmp_path, seed) -> None:
    report = parity.compare(written(tmp_path, seed, contacts=True), states=3, steps=0)
    assert not report.failures(), explained(report)
    # Closed forms leave rounding.
    assert report.worst["contacts", "distance"][0] < 1e-11
    assert ("solution", "efc_force") in report.worst


@pytest.mark.parametrize("seed", range(3))
def test_single_precision_keeps_to_its_own_bounds(tmp_path, seed) -> None:
    report = parity.compare(written(tmp_path, seed, contacts=False), states=2, steps=0, precision="f32")
    assert not report.failures(), explained(report)


class Lane:
    """What the engine has of one world of a batch."""

    def __init__(self, low, world: int) -> None:
        self.low, self.world = low, world

    def __getattr__(self, name: str):
        return getattr(self.low, name)[self.world]


def eight_worlds(comparison, states):
    """Eight states of MuJoCo's, each in a lane of the same group."""
    scene = comparison.scene
    data = motrixsim.SceneData(scene, (8,))
    scene.keyframes[0].apply(data)
    data.set_dof_pos(np.array([comparison.to_dof_pos(state.qpos) for state in states]), scene)
    data.set_dof_vel(np.array([state.qvel for state in states]))
    data.actuator_ctrls = np.array([state.ctrl for state in states])
    data.actuator_activations = np.array([state.act for state in states])
    scene.forward_kinematic(data)
    return data


# In number 1 a point comes into the plane of the camera that projects it, and in 100 a contact is so shallow that the
# rounding of its place, 45 nm, changes its softness by 7e-5. MuJoCo's own numbers move as far when all is rounded once.
@pytest.mark.parametrize("seed", [*range(6), *TOUCHING])
def test_eight_worlds_in_lanes_keep_to_the_bounds_of_single_precision(tmp_path, seed) -> None:
    comparison = parity.Comparison(written(tmp_path, seed, contacts=seed >= 100), "f32")
    states = [comparison.state(k) for k in range(8)]
    low = eight_worlds(comparison, states).low
    for world, state in enumerate(states):
        comparison.same_state(Lane(low, world), state, world)
    worst = comparison.report.worst
    # Forces of 1e7 N that nearly cancel leave their rounding in the sum; they and the accelerations keep the bound.
    beyond = set(comparison.report.failures()) - {("solution", "qfrc_constraint")}
    assert not beyond, explained(comparison.report)
    assert {("solution", "qacc"), ("solution", "efc_force")} <= set(worst)
    if seed >= 100:
        assert max(worst["contacts", what][0] for what in ("distance", "place")) < 1e-6
