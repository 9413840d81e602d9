"""Snapshots: kept, sent, put back, refused; forks; fingerprints; resets that leave no past behind."""

import numpy as np
import pytest

import motrixsim


def moving(zoo, precision: str = "f32", count: int = 5):
    """Worlds that differ in state, controls, clocks, overrides and pending forces."""
    data = motrixsim.SceneData(zoo, (count,), precision)
    rng = np.random.default_rng(7)
    data.set_dof_vel(rng.normal(0, 0.3, (count, zoo.num_dof_vel)))
    data.actuator_ctrls = rng.normal(0, 0.2, (count, zoo.num_actuators))
    zoo.get_link("robot").set_mass_override(data[1], 3.0)
    zoo.get_geom(0).set_friction_override(data, [0.4, 0.01, 0.001])
    zoo.step_n(data, 4)
    zoo.step(data[2])
    zoo.get_link("robot").add_external_force(data, [1.0, 2.0, 3.0])
    zoo.get_body("target").mocap.set_pose(data[3], [1, 1, 1, 0, 0, 0, 1])
    return data


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_a_snapshot_continues_bit_for_bit_in_any_rows_of_any_batch(zoo, precision: str) -> None:
    data = moving(zoo, precision)
    kept = data.snapshot()
    some = data.snapshot([3, 1])
    poses = zoo.get_link_poses(data)
    zoo.step_n(data, 6)
    expected, after = data.digest(), data.dof_pos

    data.restore(kept)
    np.testing.assert_array_equal(zoo.get_link_poses(data), poses)
    zoo.step_n(data, 6)
    np.testing.assert_array_equal(data.digest(), expected)
    np.testing.assert_array_equal(data.dof_pos, after)

    other = motrixsim.SceneData(zoo, (11,), precision)
    other.restore(some, rows=[0, 9])
    zoo.step_n(other, 6)
    np.testing.assert_array_equal(other[[9, 0]].digest(), expected[[1, 3]])
    assert not np.isin(other[1:9].digest(), expected).any()


def test_one_world_forks_into_many(zoo) -> None:
    data = moving(zoo)
    data.fork(1, rows=slice(2, None))
    assert len(set(data[1:].digest().tolist())) == 1
    assert data[0].digest() != data[1].digest()
    assert (zoo.get_link("robot").get_mass_override(data[1:]) == 3).all()
    data.fork(-1)
    assert len(set(data.digest().tolist())) == 1
    many = motrixsim.SceneData(zoo, (300,))
    many.restore(data.snapshot(0))
    zoo.step_n(many, 3)
    zoo.step_n(data, 3)
    assert set(many.digest().tolist()) == set(data.digest().tolist())
    with pytest.raises(IndexError, match="5 worlds"):
        data.fork(5)


def test_a_snapshot_lives_in_another_process(zoo, run_python, tmp_path) -> None:
    data = moving(zoo)
    file = tmp_path / "worlds"
    file.write_bytes(data.snapshot())
    program = """
import sys, motrixsim
model = motrixsim.load_model(sys.argv[1])
data = motrixsim.SceneData(model, (5,))
data.restore(open(sys.argv[2], "rb").read())
model.step_n(data, 6)
print(*data.digest())
"""
    from pathlib import Path

    model = Path(__file__).parent / "models" / "zoo.xml"
    result = run_python("-c", program, str(model), str(file))
    zoo.step_n(data, 6)
    assert result.stdout.split() == [str(d) for d in data.digest()], result.stderr


def refused(data, blob: bytes, match: str) -> None:
    before, poses = data.digest(), data.model.get_link_poses(data)
    with pytest.raises(ValueError, match=match):
        data.restore(blob)
    np.testing.assert_array_equal(data.digest(), before)
    np.testing.assert_array_equal(data.model.get_link_poses(data), poses)


def test_a_damaged_snapshot_is_refused_and_changes_nothing(zoo) -> None:
    data = moving(zoo)
    kept = data.snapshot()
    zoo.step(data)
    refused(data, b"", "not a snapshot")
    refused(data, b"something else altogether", "not a snapshot")
    for length in (8, 30, 64, len(kept) // 2, len(kept) - 1):
        refused(data, kept[:length], "cut off")
    refused(data, kept + b"\0", r"cut off or extended|damaged")
    rng = np.random.default_rng(0)
    for place in [*range(8, 70), *rng.integers(70, len(kept), 200)]:
        changed = bytearray(kept)
        changed[place] ^= 1 << int(rng.integers(8))
        refused(data, bytes(changed), r"damaged|version|cut off")
    data.restore(kept)


def test_a_foreign_snapshot_is_refused(zoo) -> None:
    data = moving(zoo)
    other = motrixsim.load_mjcf_str("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
    refused(data, motrixsim.SceneData(other, (5,)).snapshot(), "another model")
    refused(data, moving(zoo, "f64").snapshot(), "f64")
    refused(data, data.snapshot([0, 1]), "holds 2 worlds, there are 5")
    with pytest.raises(TypeError):
        data.restore("text")
    with pytest.raises(IndexError):
        data.snapshot(7)


def test_equal_states_have_equal_digests_and_any_change_shows(zoo, data) -> None:
    first = data.digest()
    assert first.dtype == np.uint64
    assert first.shape == data.shape
    data.views.dof_vel[..., 3] = 1e-30
    assert (data.digest() != first).all()
    data.views.dof_vel[..., 3] = 0
    np.testing.assert_array_equal(data.digest(), first)
    zoo.get_link("robot").set_mass_override(data, 3.0)
    assert (data.digest() != first).all()
    data.reset(zoo)
    np.testing.assert_array_equal(data.digest(), first)


def test_an_override_elsewhere_does_not_touch_a_digest(zoo) -> None:
    data = motrixsim.SceneData(zoo, (3,))
    before = data.digest()
    zoo.get_link("robot").set_mass_override(data[1], 3.0)
    np.testing.assert_array_equal(data.digest() == before, [True, False, True])


def test_a_reset_world_lives_as_a_fresh_one(zoo) -> None:
    """Warm starts, contacts, sensors, overrides, controls, mocap poses, pending forces: nothing survives."""
    data, fresh = moving(zoo), motrixsim.SceneData(zoo, (5,))
    zoo.get_contact_query(data)
    readings = [data.views.sensor_values, data.views.link_poses, data.views.dof_acc]
    data.reset(zoo)
    for name in ("sensor_values", "link_poses", "dof_acc"):
        np.testing.assert_array_equal(getattr(data.views, name), getattr(fresh.views, name))
    np.testing.assert_array_equal(data.time, fresh.time)
    for _ in range(5):
        zoo.step(data)
        zoo.step(fresh)
        np.testing.assert_array_equal(data.digest(), fresh.digest())
        np.testing.assert_array_equal(readings[0], fresh.views.sensor_values)
