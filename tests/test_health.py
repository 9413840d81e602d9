"""Worlds that go wrong: noticed, contained, frozen, reset, told, kept for a replay."""

import pickle

import numpy as np
import pytest

import motrixsim
from motrixsim import Health, HealthError, health

# A box above the ground, and a hinge with a motor beside it.
SCENE = """
<mujoco>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body name="box" pos="0 0 0.2"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
    <body name="arm" pos="2 0 1"><joint name="hinge" axis="0 1 0"/><geom type="capsule" size="0.02 0.2"/></body>
  </worldbody>
  <actuator><motor joint="hinge"/></actuator>
</mujoco>
"""


@pytest.fixture(scope="module")
def model():
    return motrixsim.load_mjcf_str(SCENE)


def drive(model, data, torque: float) -> None:
    data.actuator_ctrls = torque
    model.step(data)


def test_a_quiet_world_is_well(model) -> None:
    data = motrixsim.SceneData(model, (9,))
    model.step_n(data, 200)
    assert data.health.shape == (9,)
    assert data.health.dtype == np.uint32
    assert not data.health.any()
    assert motrixsim.SceneData(model).health.shape == ()


def test_what_is_not_a_number_is_told_and_stays_in_its_world(zoo) -> None:
    """One world of NaN among 1024 leaves the other 1023 bit for bit as they would be without it."""
    rng = np.random.default_rng(1)
    velocities = rng.normal(0, 0.3, (1024, zoo.num_dof_vel)).astype(np.float32)
    alone, beside = motrixsim.SceneData(zoo, (1024,)), motrixsim.SceneData(zoo, (1024,))
    for data in (alone, beside):
        data.set_dof_vel(velocities)
    beside.views.dof_vel[500, 3] = np.nan
    for data in (alone, beside):
        zoo.step_n(data, 3)
    others = np.arange(1024) != 500
    np.testing.assert_array_equal(beside.digest()[others], alone.digest()[others])
    assert beside.health[500] & Health.NON_FINITE
    np.testing.assert_array_equal(beside.health[others], alone.health[others])


def test_speed_and_energy_are_told(model) -> None:
    data = motrixsim.SceneData(model, (3,))
    data.views.dof_vel[1, 6] = 2e3
    model.step(data)
    np.testing.assert_array_equal(data.health, [0, Health.SPEED, 0])
    data.reset(model)
    data.views.actuator_ctrls[2] = 5e5
    model.step(data)
    assert data.health[2] & Health.ENERGY
    assert not data.health[:2].any()
    # What is told is told of the last call.
    data.reset(model)
    model.step(data)
    assert not data.health.any()


def test_limits_can_be_changed(model) -> None:
    data = motrixsim.SceneData(model)
    data.views.dof_vel[6] = 5
    data.watch(speed=4.0)
    model.step(data)
    assert data.health == Health.SPEED
    data.watch(speed=np.inf, energy=1e-9)
    drive(model, data, 1.0)
    assert data.health == Health.ENERGY
    for bad in (
        {"speed": 0},
        {"energy": -1},
        {"depth": np.nan},
        {"policy": "ignore"},
        {"on": 1 << 20},
        {"history": -1},
    ):
        before = data.watch()
        with pytest.raises(ValueError, match=r"positive|policy|finding|cannot be"):
            data.watch(**bad)
        assert data.watch() == before


def test_a_deep_overlap_is_told(model) -> None:
    data = motrixsim.SceneData(model, (2,))
    data.watch(depth=0.03)
    data.views.dof_pos[:, 2] = [0.06, 0.09]
    model.step(data)
    np.testing.assert_array_equal(data.health & Health.DEEP_PENETRATION, [Health.DEEP_PENETRATION, 0])


def test_a_solver_that_ran_out_of_iterations_is_told(model) -> None:
    stopped = motrixsim.load_mjcf_str(SCENE.replace("<worldbody>", "<option iterations='1'/><worldbody>"))
    data = motrixsim.SceneData(stopped)
    data.views.dof_vel[:6] = [1, 2, -3, 4, 5, 6]
    seen = 0
    for _ in range(100):
        stopped.step(data)
        seen |= int(data.health)
    assert seen & Health.NOT_CONVERGED


def test_contacts_that_were_left_out_are_told() -> None:
    """A wide plate on fine, rough terrain touches more prisms than the contacts that are kept."""
    heights = " ".join(str(int(h)) for h in np.random.default_rng(0).integers(0, 10, 40 * 40))
    terrain = motrixsim.load_mjcf_str(f"""
    <mujoco>
      <asset><hfield name="rough" nrow="40" ncol="40" size="1 1 0.02 0.1" elevation="{heights}"/></asset>
      <worldbody>
        <geom type="hfield" hfield="rough"/>
        <body pos="0 0 0.03"><freejoint/><geom type="box" size="0.6 0.6 0.02"/></body>
      </worldbody>
    </mujoco>""")
    terrain.options.contact_model = "mujoco"
    data = motrixsim.SceneData(terrain, (2,))
    data.views.dof_pos[1, 2] = 1
    terrain.step(data)
    np.testing.assert_array_equal(data.health & Health.MERGED_CONTACTS, [Health.MERGED_CONTACTS, 0])


@pytest.mark.parametrize("steps", ["one by one", "at once"])
def test_a_frozen_world_stands_where_its_bad_step_started(model, steps: str) -> None:
    data, free = motrixsim.SceneData(model, (11,)), motrixsim.SceneData(model, (11,))
    data.watch("freeze", speed=3.0)
    torques = np.linspace(0, 1, 11)
    for each in (data, free):
        each.views.actuator_ctrls[:, 0] = torques
    if steps == "at once":
        model.step_n(data, 40)
    else:
        for _ in range(40):
            model.step(data)
    frozen = data.health == Health.SPEED
    assert 0 < frozen.sum() < 11
    assert (np.abs(data.dof_vel[:, 6]) <= 3).all()
    # Each frozen world stopped at its own last good state, the others went on as if nobody had looked.
    model.step_n(free, 40)
    np.testing.assert_array_equal(data.digest()[~frozen], free.digest()[~frozen])
    for world in np.flatnonzero(frozen):
        alone = motrixsim.SceneData(model)
        alone.actuator_ctrls = torques[world]
        model.step_n(alone, round(float(data.time[world]) / 0.002))
        assert alone.digest() == data[int(world)].digest()
        model.step(alone)
        assert abs(alone.dof_vel[6]) > 3
    before = data.digest()[frozen]
    model.step_n(data, 3)
    np.testing.assert_array_equal(data.digest()[frozen], before)
    data.reset(model)
    model.step(data)
    assert (data.time > 0).all()


def test_the_results_of_a_frozen_world_describe_its_state(model) -> None:
    data = motrixsim.SceneData(model, (9,))
    data.watch("freeze", speed=3.0)
    poses, controls = data.views.link_poses, data.views.actuator_ctrls
    controls[4] = 1
    model.step_n(data, 40)
    assert data.health[4] == Health.SPEED
    kept = poses.copy()
    model.forward_kinematic(data)
    np.testing.assert_array_equal(data.views.link_poses[4], kept[4])


def test_what_the_first_of_many_steps_finds_is_told_after_the_last(model) -> None:
    data = motrixsim.SceneData(model, (9,))
    data.watch("reset", speed=3.0)
    velocity = np.zeros((9, model.num_dof_vel), np.float32)
    velocity[4, -1] = 10
    data.set_dof_vel(velocity)
    model.step_n(data, 5)
    assert data.time[4] == pytest.approx(0.008), "reset by the first step, then four more"
    assert data.health[4] == Health.SPEED
    assert not data.health[[0, 8]].any()


@pytest.mark.parametrize("kept", [False, True])
def test_a_world_is_reset_by_the_policy_and_goes_on(model, kept: bool) -> None:
    data = motrixsim.SceneData(model, (9,))
    link = model.get_link("arm")
    link.set_mass_override(data[4], 0.5)
    data.watch("reset", speed=3.0)
    if kept:
        poses = data.views.link_poses
    data.views.actuator_ctrls[4] = 1
    steps = 0
    while not data.health[4]:
        model.step(data)
        steps += 1
    assert data.time[4] == 0
    assert (data.time[[0, 8]] > 0).all()
    assert not data.actuator_ctrls[4].any()
    assert link.get_mass_override(data[4]) == 0.5
    fresh = motrixsim.SceneData(model)
    if kept:
        np.testing.assert_array_equal(poses[4], fresh.views.link_poses)
    np.testing.assert_array_equal(model.get_link_poses(data[4]), model.get_link_poses(fresh))
    model.step_n(data, 2)
    assert data.time[4] == pytest.approx(0.004)
    assert data.health[4] == 0
    # The same in one call: the world goes on from the start for the steps that are left.
    again = motrixsim.SceneData(model, (9,))
    link.set_mass_override(again[4], 0.5)
    again.watch("reset", speed=3.0)
    again.views.actuator_ctrls[4] = 1
    model.step_n(again, steps + 2)
    np.testing.assert_array_equal(again.digest(), data.digest())
    assert again.health[4] == Health.SPEED


def test_a_bad_step_raises_and_leaves_data_usable(model) -> None:
    data = motrixsim.SceneData(model, (5,))
    data.watch("raise")
    data.views.dof_vel[3, 0] = np.inf
    with pytest.raises(HealthError, match="1 world") as raised:
        model.step(data)
    assert raised.value.worlds == [3]
    assert raised.value.health[0] & Health.NON_FINITE
    assert pickle.loads(pickle.dumps(raised.value)).worlds == [3]
    model.step(data[:3])
    with pytest.raises(HealthError):
        model.step_n(data, 10)
    data[3].reset(model)
    model.step_n(data, 10)
    assert np.isfinite(data.dof_pos).all()
    only_deep = motrixsim.SceneData(model)
    only_deep.watch("raise", on=Health.DEEP_PENETRATION)
    only_deep.views.dof_vel[6] = 1e6
    model.step(only_deep)


def test_settings_and_frozen_worlds_travel(model) -> None:
    data = motrixsim.SceneData(model, (2,))
    data.watch("freeze", speed=7.0, history=2)
    data.views.dof_vel[1, 0] = 8
    model.step(data)
    _, copied = pickle.loads(pickle.dumps((model, data)))
    assert copied.watch() == data.watch()
    np.testing.assert_array_equal(copied.health, [0, Health.SPEED])
    copied.model.step(copied)
    assert list(copied.time > 0.003) == [True, False]


def test_a_bad_world_is_saved_and_replayed_exactly(model, tmp_path, run_python) -> None:
    data = motrixsim.SceneData(model, (20,))
    data.watch("freeze", history=4)
    model.get_link("arm").set_mass_override(data[13], 0.2)
    for step in range(10):
        # Inputs change from step to step; the last one is absurd.
        data.views.actuator_ctrls[:, 0] = 0.1 * step
        if step == 9:
            data.views.actuator_ctrls[13] = 1e9
        model.step(data)
    assert len(data[13].history()) == 4
    file = tmp_path / "bad.zip"
    health.save(data[13], file)
    steps = health.replay(file)
    assert [step.identical for step in steps] == [True, True, True, None]
    assert [bool(step.health) for step in steps] == [False, False, False, True]
    assert steps[-1].fastest == 6
    assert steps[-1].time == pytest.approx(0.018)
    result = run_python("-m", "motrixsim.health", "replay", str(file))
    assert result.returncode == 0, result.stderr
    assert "ENERGY" in result.stdout.splitlines()[-1]
    with pytest.raises(ValueError, match=r"data\[i\]"):
        health.save(data, file)
    with pytest.raises(TypeError, match=r"data\[i\]"):
        data.history()


def test_what_is_no_saved_world_is_refused(tmp_path, run_python) -> None:
    file = tmp_path / "other.zip"
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="not a saved world"):
        health.load(file)
    result = run_python("-m", "motrixsim.health", "replay", str(file))
    assert result.returncode == 2
    assert "not a saved world" in result.stderr


def test_the_past_of_a_world_ends_with_a_reset(model) -> None:
    data = motrixsim.SceneData(model, (2,))
    data.watch(history=3)
    model.step_n(data, 5)
    kept = data.snapshot()
    assert [len(data[i].history()) for i in range(2)] == [3, 3]
    data[0].reset(model)
    model.step(data[1])
    assert [len(data[i].history()) for i in range(2)] == [0, 3]
    data.restore(kept)
    assert data[1].history() == []
    data.watch(history=0)
    model.step(data)
    assert data[1].history() == []
