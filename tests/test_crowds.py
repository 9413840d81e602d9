"""Scenes of many bodies, solved one world at a time: every kind of row against MuJoCo, and worlds in company."""

import numpy as np
import pytest

import motrixsim

mujoco = pytest.importorskip("mujoco")
oracle = pytest.importorskip("oracle")

# Free bodies in a heap, contacts of every dimension, and beside it an arm with limits, dry friction, a ball joint and
# tendons; bodies that are welded and connected, some of them across what the heap couples anyway.
CROWD = """
<mujoco>
  <option timestep="0.005" cone="{cone}" tolerance="1e-14" iterations="200"/>
  <worldbody>
    <geom type="plane" size="5 5 1" friction="0.6 0.02 0.001"/>
    {bodies}
    <body name="chained" pos="-1 0.5 0.6"><freejoint/><geom type="box" size="0.1 0.1 0.1"/><site name="hook"/></body>
    <body name="glued" pos="-1 0.75 0.6"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
    <body pos="-1 0 0.5">
      <joint name="shoulder" type="ball" limited="true" range="0 25" frictionloss="0.05"/>
      <geom type="capsule" size="0.04" fromto="0 0 0 0.3 0 0"/>
      <body name="forearm" pos="0.3 0 0">
        <joint name="elbow" axis="0 1 0" range="-20 20" frictionloss="0.3" damping="0.1"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/>
        <body pos="0.3 0 0"><joint name="wrist" axis="0 1 0"/><geom type="sphere" size="0.05"/><site name="tip"/></body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="cord" limited="true" range="-0.2 0.2" frictionloss="0.1">
      <joint joint="elbow" coef="1"/><joint joint="wrist" coef="0.5"/></fixed>
    <spatial name="rope" limited="true" range="0 0.3"><site site="tip"/><site site="hook"/></spatial>
  </tendon>
  <equality>
    <weld body1="chained" body2="glued"/>
    <connect body1="forearm" body2="body3" anchor="0.1 0 0"/>
    <joint joint1="wrist" joint2="elbow" polycoef="0.05 0.5 0 0 0"/>
  </equality>
</mujoco>
"""


def crowd(cone: str, count: int = 10) -> str:
    """Bodies over and beside each other."""
    rng = np.random.default_rng(5)
    shapes = ['type="box" size="0.1 0.08 0.06"', 'type="sphere" size="0.09"', 'type="capsule" size="0.06 0.08"']
    bodies = "".join(
        f'<body name="body{k}" pos="{0.16 * (k % 3)} {0.15 * (k // 3 % 2)} {0.09 + 0.15 * (k // 6)}" '
        f'euler="{" ".join(str(x) for x in rng.uniform(-90, 90, 3).round(1))}"><freejoint/>'
        f'<geom {shapes[k % 3]} condim="{[1, 3, 4, 6][k % 4]}"/></body>'
        for k in range(count)
    )
    return CROWD.format(cone=cone, bodies=bodies)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic", 'elliptic" impratio="30'])
@pytest.mark.parametrize("seed", range(4))
def test_accelerations_and_forces_are_those_of_mujoco(cone: str, seed: int) -> None:
    scene, model = oracle.load(crowd(cone))
    reference = oracle.random_state(model, seed, 0.03)
    reference.qpos[-6:-2] = [np.cos(0.25), 0.0, np.sin(0.25), 0.0]
    reference.qpos[-2:] = [0.4, -0.1]
    low = oracle.place(scene, model, reference, "f64").low
    mujoco.mj_forward(model, reference)
    kinds = set(np.asarray(reference.efc_type[: reference.nefc]))
    assert len(kinds) >= 5, "equalities, dry friction, limits and contacts of one and more dimensions"
    assert reference.ncon > 15
    assert oracle.worst(low.qacc, reference.qacc) < 1e-8
    assert oracle.worst(low.qfrc_constraint, reference.qfrc_constraint) < 1e-8
    assert oracle.worst(np.sort(low.efc_force), np.sort(reference.efc_force)) < 1e-8
    assert oracle.worst(np.sort(low.efc_D), np.sort(reference.efc_D)) < 1e-8


@pytest.mark.parametrize("contact_model", ["firm", "mujoco"])
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_a_world_goes_its_way_whatever_worlds_are_beside_it(contact_model: str, precision: str) -> None:
    scene = motrixsim.load_mjcf_str(crowd("elliptic"))
    scene.options.contact_model = contact_model
    rng = np.random.default_rng(1)
    push = rng.normal(size=(11, scene.num_dof_vel)).astype(np.float32)

    def run(worlds: list[int]) -> np.ndarray:
        data = motrixsim.SceneData(scene, batch=(len(worlds),), precision=precision)
        data.set_dof_vel(push[worlds])
        scene.step_n(data, 60)
        return np.asarray(data.dof_pos)

    together = run(list(range(11)))
    assert np.isfinite(together).all()
    assert np.array_equal(run([7, 3]), together[[7, 3]])
    assert np.array_equal(run([10]), together[[10]])
    assert len({row.tobytes() for row in together}) == 11


def test_a_world_that_is_no_number_keeps_it_to_itself() -> None:
    scene = motrixsim.load_mjcf_str(crowd("pyramidal"))
    push = np.random.default_rng(2).normal(size=(8, scene.num_dof_vel)).astype(np.float32)
    healthy = motrixsim.SceneData(scene, batch=(8,))
    healthy.set_dof_vel(push)
    push[3, 7] = np.nan
    data = motrixsim.SceneData(scene, batch=(8,))
    data.set_dof_vel(push)
    scene.step_n(data, 40)
    scene.step_n(healthy, 40)
    others = [0, 1, 2, 4, 5, 6, 7]
    assert np.array_equal(np.asarray(data.dof_pos)[others], np.asarray(healthy.dof_pos)[others])


@pytest.mark.parametrize("contact_model", ["firm", "mujoco"])
def test_bodies_that_never_meet_do_not_change_each_other(contact_model: str) -> None:
    """Islands are solved side by side; what happens in one leaves every bit of the others as it was."""
    shapes = ['type="box" size="0.1 0.08 0.06"', 'type="sphere" size="0.09"', 'type="capsule" size="0.06 0.07"']
    heap = [
        f'<body pos="{x + 0.02 * (k % 3)} {0.1 * (k // 3)} {0.1 + 0.2 * (k % 3)}"><freejoint/>'
        f"<geom {shapes[k % 3]}/></body>"
        for x in (0, 10)
        for k in range(9)
    ]
    scene = motrixsim.load_mjcf_str(
        f'<mujoco><worldbody><geom type="plane" size="50 50 1"/>{"".join(heap)}</worldbody></mujoco>'
    )
    scene.options.contact_model = contact_model
    data = motrixsim.SceneData(scene, batch=(5,))
    push = np.zeros((5, scene.num_dof_vel), np.float32)
    push[:, 54:] = np.random.default_rng(4).normal(size=(5, scene.num_dof_vel - 54))
    data.set_dof_vel(push)
    scene.step_n(data, 200)
    places = np.asarray(data.dof_pos)
    assert np.ptp(places[:, 63:], axis=0).max() > 0.1, "the heaps far away go different ways"
    assert (places[:, :63] == places[0, :63]).all()
