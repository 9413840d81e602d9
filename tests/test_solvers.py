"""Solvers against MuJoCo 4.0: conjugate gradients, Gauss-Seidel, the noslip pass; adhesive and moving surfaces."""

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")
oracle = pytest.importorskip("oracle")

# Limits, dry friction, a coupling, a tendon, and contacts of every dimension that push, slide and roll; two islands.
HEAP = """
<mujoco>
  <option timestep="0.005" solver="{solver}" cone="{cone}" iterations="{iterations}" tolerance="{tolerance}" {more}/>
  <worldbody>
    <geom type="plane" size="5 5 1" friction="0.6 0.02 0.001"/>
    <body pos="0 0 0.098"><freejoint/><geom type="box" size="0.2 0.15 0.1" condim="4"/></body>
    <body pos="0.05 0.02 0.297"><freejoint/><geom type="box" size="0.15 0.12 0.1"/></body>
    <body pos="1 0 0.099"><freejoint/><geom type="sphere" size="0.1" condim="6" priority="1"/></body>
    <body pos="1.19 0.02 0.099"><freejoint/><geom type="sphere" size="0.1" condim="1" priority="2"/></body>
    <body pos="-1 0 0.5">
      <joint name="shoulder" type="ball" limited="true" range="0 25" frictionloss="0.05"/>
      <geom type="capsule" size="0.04" fromto="0 0 0 0.3 0 0"/>
      <body pos="0.3 0 0">
        <joint name="elbow" axis="0 1 0" range="-20 20" frictionloss="0.3" damping="0.1"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/>
        <body pos="0.3 0 0"><joint name="wrist" axis="0 1 0"/><geom type="sphere" size="0.05"/></body>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="cord" limited="true" range="-0.2 0.2" frictionloss="0.1">
    <joint joint="elbow" coef="1"/><joint joint="wrist" coef="0.5"/></fixed></tendon>
  <equality><joint joint1="wrist" joint2="elbow" polycoef="0.05 0.5 0 0 0"/></equality>
</mujoco>
"""


def heap(solver, cone, iterations=100, tolerance=1e-8, more=""):
    return HEAP.format(solver=solver, cone=cone, iterations=iterations, tolerance=tolerance, more=more)


def moving(model, seed):
    rng = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    data.qvel[:] = rng.normal(size=model.nv) * 0.3
    data.qpos[-6:-2] = [np.cos(0.25), 0.0, np.sin(0.25), 0.0]
    data.qpos[-2:] = [0.4, -0.1]
    return data


def both(text, seed):
    scene, model = oracle.load(text)
    reference = moving(model, seed)
    low = oracle.place(scene, model, reference, "f64").low
    mujoco.mj_forward(model, reference)
    assert reference.nefc > 30
    return low, reference


# Gauss-Seidel on round cones may end beside the minimum, in MuJoCo as here; the next test compares its way there.
@pytest.mark.parametrize(
    ("solver", "cone"),
    [("CG", "pyramidal"), ("CG", "elliptic"), ("Newton", "pyramidal"), ("Newton", "elliptic"), ("PGS", "pyramidal")],
)
@pytest.mark.parametrize("seed", range(3))
def test_every_solver_finds_mujocos_minimum(solver, cone, seed) -> None:
    low, _ = both(heap(solver, cone, iterations=20000, tolerance=1e-300), seed)
    _, converged = both(heap("Newton", cone, iterations=200, tolerance=0), seed)
    assert oracle.worst(low.qacc, converged.qacc) < 1e-8
    assert oracle.worst(low.qfrc_constraint, converged.qfrc_constraint) < 1e-8


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("iterations", [1, 2, 5, 20])
def test_gauss_seidel_goes_mujocos_way_sweep_by_sweep(cone, iterations) -> None:
    low, reference = both(heap("PGS", cone, iterations=iterations, tolerance=0), 1)
    np.testing.assert_array_equal(low.efc_type, reference.efc_type)
    # The same operations in the same order: rounding is all that is left.
    assert oracle.worst(low.efc_force, reference.efc_force) < 1e-9
    assert oracle.worst(low.qacc, reference.qacc) < 1e-9


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver", ["Newton", "PGS"])
def test_noslip_hardens_friction_as_mujoco_does(cone, solver) -> None:
    low, reference = both(heap(solver, cone, tolerance=0, more='noslip_iterations="10" noslip_tolerance="0"'), 2)
    assert oracle.worst(low.efc_force, reference.efc_force) < 1e-7
    soft, _ = both(heap(solver, cone, tolerance=0), 2)
    assert oracle.worst(soft.efc_force, reference.efc_force) > 1e-3, "the pass must matter"


@pytest.mark.parametrize("solver", ["CG", "PGS"])
def test_other_solvers_run_in_lanes_of_single_precision(solver) -> None:
    scene, model = oracle.load(heap(solver, "elliptic"))
    reference = moving(model, 0)
    data = oracle.place(scene, model, reference, "f32")
    for _ in range(20):
        mujoco.mj_step(model, reference)
        scene.step(data)
    # Twenty steps of settling contacts in seven digits.
    assert oracle.worst(data.dof_pos, oracle.to_dof_pos(model, reference.qpos)) < 1e-3


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver", ["Newton", "CG"])
@pytest.mark.parametrize("evaluations", [1, 4])
def test_a_short_line_search_still_leads_to_the_minimum(solver, cone, evaluations) -> None:
    text = heap(solver, cone, iterations=300, tolerance=1e-300, more=f'ls_iterations="{evaluations}"')
    scene, model = oracle.load(text)
    data = oracle.place(scene, model, moving(model, 1), "f64")
    worst = 0.0
    for _ in range(80):
        scene.step(data)
        low = data.low
        rest = low.qM @ low.qacc - low.qfrc_smooth - low.qfrc_constraint
        worst = max(worst, np.abs(rest).max() / np.abs(low.qfrc_constraint).max())
    # A search that gives up leaves forces unbalanced that are as large as those of the contacts.
    assert worst < 1e-6


SURFACES = """
<mujoco>
  <option timestep="0.002" cone="{cone}" tolerance="0"/>
  <worldbody>
    <geom name="belt" type="box" size="2 0.5 0.1" surfacevel="0.4 0.1 0 0 0 0.3" adhesion="{glue}"/>
    <body pos="0 0 0.148"><freejoint/><geom type="box" size="0.1 0.08 0.05" condim="4" adhesion="1.5"/></body>
    <body pos="0.5 0 0.149"><freejoint/><geom type="sphere" size="0.05" condim="6" surfacevel="0 0 0 1 2 3"/></body>
    <body pos="-0.5 0 0.149"><freejoint/><geom name="slick" type="sphere" size="0.05" condim="1"/></body>
    <body pos="-1 0 0.152"><freejoint/><geom type="sphere" size="0.05" gap="0.01" adhesion="0.2"/></body>
  </worldbody>
  <contact><pair geom1="belt" geom2="slick" condim="3" adhesion="2"/></contact>
</mujoco>
"""


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("glue", [0, 3])
def test_adhesive_and_moving_surfaces_act_as_in_mujoco(cone, glue) -> None:
    scene, model = oracle.load(SURFACES.format(cone=cone, glue=glue))
    reference = mujoco.MjData(model)
    reference.qvel[:] = np.random.default_rng(3).normal(size=model.nv) * 0.2
    data = oracle.place(scene, model, reference, "f64")
    low = data.low
    mujoco.mj_forward(model, reference)
    for name in ("qfrc_passive", "efc_D", "efc_aref", "efc_force", "qacc"):
        assert oracle.worst(getattr(low, name), getattr(reference, name)) < 1e-8, name
    wrench = np.zeros(6)
    for contact in range(reference.ncon):
        mujoco.mj_contactForce(model, reference, contact, wrench)
        assert oracle.worst(low.contact_force[contact], wrench) < 1e-8
    for _ in range(200):
        mujoco.mj_step(model, reference)
        scene.step(data)
    assert oracle.worst(data.dof_pos, oracle.to_dof_pos(model, reference.qpos)) < 1e-6
