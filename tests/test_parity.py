"""Stage by stage against MuJoCo 4.0 at the same states, and along trajectories, with `contact_model = "mujoco"`."""

from pathlib import Path

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")
oracle = pytest.importorskip("oracle")

QUADRUPED = (Path(__file__).parent.parent / "examples/assets/quadruped.xml").read_text()

# Every joint type, springs, limits, friction loss, fixed and wrapping tendons, equalities, several kinds of actuator.
MECHANISM = """
<mujoco>
  <option timestep="0.002" integrator="implicitfast"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body name="arm" pos="0 0 1">
      <joint name="shoulder" type="ball" damping="0.1" stiffness="0.5"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/>
      <site name="s1" pos="0.05 0 0.05"/>
      <body name="forearm" pos="0.3 0 0">
        <joint name="elbow" axis="0 1 0" range="-30 60" damping="0.05" armature="0.01" frictionloss="0.02"/>
        <geom name="wrap" type="cylinder" size="0.02 0.04" euler="90 0 0"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0.25 0 0"/>
        <site name="s2" pos="0.1 0 0.04"/>
        <body name="slider" pos="0.25 0 0">
          <joint name="slide" type="slide" axis="1 0 0" range="-0.05 0.05" stiffness="20" springref="0.01"/>
          <geom type="box" size="0.03 0.02 0.02"/>
        </body>
      </body>
    </body>
    <body name="crate" pos="0.2 0.5 0.14">
      <freejoint/>
      <geom type="box" size="0.1 0.08 0.06" euler="3 5 20"/>
    </body>
    <body name="drum" pos="-0.4 0.4 0.2">
      <freejoint/>
      <geom type="cylinder" size="0.08 0.1" condim="4"/>
    </body>
    <body name="linked" pos="-0.4 -0.4 0.5">
      <joint name="wheel" axis="0 0 1"/>
      <geom type="ellipsoid" size="0.1 0.06 0.05"/>
    </body>
  </worldbody>
  <tendon>
    <fixed name="couple" stiffness="3" damping="0.2" range="-0.4 0.4" limited="true">
      <joint joint="elbow" coef="1"/><joint joint="slide" coef="2"/>
    </fixed>
    <spatial name="string" stiffness="10" frictionloss="0.05">
      <site site="s1"/><geom geom="wrap"/><site site="s2"/>
    </spatial>
  </tendon>
  <equality>
    <joint joint1="wheel" joint2="elbow" polycoef="0 0.5 0.1 0 0"/>
  </equality>
  <actuator>
    <motor name="m" joint="elbow" gear="2" ctrlrange="-1 1"/>
    <position name="p" joint="slide" kp="50" kv="2"/>
    <general name="g" tendon="couple" dyntype="filter" dynprm="0.05" gainprm="3"/>
    <velocity name="v" joint="wheel" kv="0.3"/>
  </actuator>
  <sensor>
    <jointpos joint="elbow"/><jointvel joint="slide"/><ballquat joint="shoulder"/><ballangvel joint="shoulder"/>
    <tendonpos tendon="string"/><tendonvel tendon="couple"/><actuatorfrc actuator="p"/><actuatorpos actuator="g"/>
    <framepos objtype="site" objname="s2"/><framequat objtype="xbody" objname="forearm"/>
    <framezaxis objtype="geom" objname="wrap" reftype="xbody" refname="crate"/>
    <framelinvel objtype="xbody" objname="slider" reftype="xbody" refname="crate"/>
    <frameangvel objtype="body" objname="forearm"/><framelinacc objtype="xbody" objname="slider"/>
    <accelerometer site="s2"/><gyro site="s2"/><velocimeter site="s1"/><magnetometer site="s1"/>
    <subtreecom body="arm"/><subtreelinvel body="arm"/><subtreeangmom body="arm"/><clock/>
    <jointlimitpos joint="elbow"/><jointlimitfrc joint="elbow"/><jointactuatorfrc joint="elbow"/>
  </sensor>
</mujoco>
"""

TERRAIN = """
<mujoco>
  <asset><hfield name="hill" nrow="9" ncol="11" size="1 0.8 0.3 0.1" elevation="{elevation}"/></asset>
  <worldbody>
    <geom type="hfield" hfield="hill"/>
    <body pos="0 0 1"><freejoint/><geom type="{shape}" size="0.12 0.1 0.08"/></body>
  </worldbody>
</mujoco>
"""

STAGES = [
    *("xpos", "xquat", "xipos", "geom_xpos", "geom_xmat", "site_xpos", "subtree_com", "cinert", "cdof", "cvel"),
    *("ten_length", "ten_velocity", "actuator_length", "actuator_velocity", "actuator_force", "act_dot"),
    *("qfrc_bias", "qfrc_spring", "qfrc_damper", "qfrc_passive", "qfrc_actuator", "qfrc_smooth", "qacc_smooth"),
]


@pytest.mark.parametrize("text", [QUADRUPED, MECHANISM], ids=["quadruped", "mechanism"])
@pytest.mark.parametrize("seed", range(5))
def test_every_stage_agrees_in_double_precision(text, seed) -> None:
    scene, model = oracle.load(text)
    reference = oracle.random_state(model, seed, [0.0, 0.02, 0.05, 0.1, 0.3][seed])
    data = oracle.place(scene, model, reference, "f64")
    mujoco.mj_forward(model, reference)
    low = data.low
    for name in STAGES:
        # Rounding of two different orders of summation.
        assert oracle.worst(getattr(low, name), getattr(reference, name)) < 1e-11, name
    inertia = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, reference, inertia)
    assert oracle.worst(low.qM, inertia) < 1e-12
    assert low.ncon[0] == reference.ncon
    assert low.nefc[0] == reference.nefc
    # The solver's own tolerance, 1e-8, is what is left between two ways to the same minimum.
    assert oracle.worst(low.qacc, reference.qacc) < 1e-6
    assert oracle.worst(low.qfrc_constraint, reference.qfrc_constraint) < 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_sensors_agree(seed) -> None:
    scene, model = oracle.load(MECHANISM)
    reference = oracle.random_state(model, seed, 0.1)
    data = oracle.place(scene, model, reference, "f64")
    mujoco.mj_forward(model, reference)
    for sensor in range(model.nsensor):
        first, count = model.sensor_adr[sensor], model.sensor_dim[sensor]
        ours, theirs = data.low.sensordata[first : first + count], reference.sensordata[first : first + count]
        kind = mujoco.mjtSensor(model.sensor_type[sensor]).name
        if "QUAT" in kind and ours @ theirs < 0:
            ours = -ours
        assert oracle.worst(ours, theirs) < 1e-6, (kind, ours, theirs)


def test_single_precision_follows_within_its_rounding() -> None:
    scene, model = oracle.load(QUADRUPED)
    reference = oracle.random_state(model, 3, 0.05)
    data = oracle.place(scene, model, reference, "f32")
    mujoco.mj_forward(model, reference)
    for name, bound in [("xpos", 1e-6), ("cdof", 1e-6), ("qfrc_bias", 1e-5), ("qacc_smooth", 1e-4), ("qacc", 1e-3)]:
        assert oracle.worst(getattr(data.low, name), getattr(reference, name)) < bound, name


@pytest.mark.parametrize(("text", "steps", "bound"), [(QUADRUPED, 100, 1e-9), (MECHANISM, 50, 1e-6)])
def test_trajectories_with_contact_stay_together(text, steps, bound) -> None:
    scene, model = oracle.load(text)
    reference = oracle.random_state(model, 1, 0.02)
    data = oracle.place(scene, model, reference, "f64")
    for _ in range(steps):
        mujoco.mj_step(model, reference)
        scene.step(data)
    assert oracle.worst(data.dof_pos, oracle.to_dof_pos(model, reference.qpos)) < bound


def rough_terrain(shape):
    rng = np.random.default_rng(7)
    elevation = " ".join(f"{x:.3f}" for x in rng.uniform(0, 1, 99))
    scene, model = oracle.load(TERRAIN.format(elevation=elevation, shape=shape))
    return scene, model, rng


def random_poses(model, rng, count):
    reference = mujoco.MjData(model)
    for _ in range(count):
        quat = rng.normal(size=4)
        reference.qpos[:] = [*rng.uniform(-0.7, 0.7, 2), rng.uniform(0.15, 0.4), *quat / np.linalg.norm(quat)]
        mujoco.mj_forward(model, reference)
        yield reference


@pytest.mark.parametrize("shape", ["sphere", "capsule", "ellipsoid"])
def test_contacts_with_terrain_are_those_of_the_prisms(shape) -> None:
    scene, model, rng = rough_terrain(shape)
    compared = 0
    for reference in random_poses(model, rng, 40):
        low = oracle.place(scene, model, reference, "f64").low
        ours = np.column_stack([low.contact_pos, low.contact_dist])
        theirs = np.column_stack([reference.contact.pos, reference.contact.dist])
        assert len(ours) == len(theirs)
        for contact in theirs:
            gap = np.abs(ours - contact).max(axis=1).min()
            # The collider's own tolerance bounds depth and place; deep smooth overlaps are compared by depth.
            assert gap < 1e-3 or np.abs(ours[:, 3] - contact[3]).min() < 1e-5, (contact, gap)
            compared += 1
    assert compared > 40


def prisms_of(model):
    """The prisms of the field: three points of the surface, then three of the base."""
    rows, cols = model.hfield_nrow[0], model.hfield_ncol[0]
    rx, ry, height, base = model.hfield_size[0]
    z = model.hfield_data.reshape(rows, cols) * height
    x, y = np.linspace(-rx, rx, cols), np.linspace(-ry, ry, rows)

    def node(r, c):
        return np.array([x[c], y[r], z[r, c]])

    for r in range(rows - 1):
        for c in range(cols - 1):
            near, far = node(r, c), node(r + 1, c + 1)
            for top in ([near, far, node(r + 1, c)], [near, node(r, c + 1), far]):
                yield np.array([*top, *([p[0], p[1], -base] for p in top)])


def overlap(prism, centre, rotation, half):
    """Depth by separating axes: exact for convex polyhedra."""
    corners = centre + (np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T * half) @ rotation.T
    top, base = prism[:3], prism[3:]
    edges = [top[1] - top[0], top[2] - top[1], top[0] - top[2], np.array([0.0, 0.0, 1.0])]
    edges += [base[1] - base[0], base[2] - base[1], base[0] - base[2]]
    axes = [np.cross(edges[0], edges[1]), edges[3], *(np.cross(e, edges[3]) for e in edges[:3]), *rotation.T]
    axes += [np.cross(e, b) for e in edges for b in rotation.T]
    units = [a / np.linalg.norm(a) for a in axes if np.linalg.norm(a) > 1e-9]
    return min((prism @ s).max() - (corners @ s).min() for a in units for s in (a, -a))


def test_a_box_in_terrain_is_as_deep_as_separating_axes_say() -> None:
    # MuJoCo itself is off by centimetres in these deep overlaps, so an exact referee takes its place.
    scene, model, rng = rough_terrain("box")
    prisms = list(prisms_of(model))
    compared = 0
    for reference in random_poses(model, rng, 25):
        low = oracle.place(scene, model, reference, "f64").low
        rotation = reference.geom_xmat[1].reshape(3, 3)
        depths = [overlap(p, reference.geom_xpos[1], rotation, model.geom_size[1]) for p in prisms]
        exact = np.sort([-d for d in depths if d > 1e-9])
        # The collider resolves overlaps to 1e-6 m.
        np.testing.assert_allclose(np.sort(low.contact_dist), exact, atol=1e-6)
        compared += len(exact)
    assert compared > 40
