"""Data over some worlds of a batch: how they are chosen, and that they share their state."""

import numpy as np
import pytest

import motrixsim


@pytest.fixture
def batch(zoo):
    data = motrixsim.SceneData(zoo, (5,))
    velocities = np.zeros((5, 17), np.float32)
    velocities[:, 0] = np.arange(5)
    data.set_dof_vel(velocities)
    return data


MASK = np.array([True, False, False, True, True])


@pytest.mark.parametrize(
    ("index", "worlds"),
    [
        (slice(1, 4), [1, 2, 3]),
        (slice(None, None, -2), [4, 2, 0]),
        (slice(7, 9), []),
        (MASK, [0, 3, 4]),
        (MASK.tolist(), [0, 3, 4]),
        ([3, 1], [3, 1]),
        (np.array([-1, 0]), [4, 0]),
        (np.array([2], np.uint8), [2]),
        (range(2), [0, 1]),
        ([], []),
        (motrixsim.DisjointIndices([4, 2, 4]), [4, 2]),
        (motrixsim.DisjointIndices(MASK), [0, 3, 4]),
    ],
)
def test_a_batch_is_indexed_as_an_array_is(batch, index, worlds) -> None:
    chosen = batch[index]
    assert chosen.shape == (len(worlds),)
    np.testing.assert_array_equal(chosen.dof_vel[:, 0], worlds)
    np.testing.assert_array_equal(batch.get(index).dof_vel, chosen.dof_vel)


@pytest.mark.parametrize(("index", "world"), [(0, 0), (-1, 4), (np.int64(2), 2)])
def test_one_world_has_no_batch_dimension(batch, index, world) -> None:
    one = batch[index]
    assert one.shape == ()
    assert one.dof_vel[0] == world


@pytest.mark.parametrize("index", [5, -6, [0, 9], np.array([True, False])])
def test_worlds_that_do_not_exist_are_index_errors(batch, index) -> None:
    with pytest.raises(IndexError):
        batch[index]


@pytest.mark.parametrize("index", [1.5, None, ..., (0, 1, 2), "a", np.zeros((2, 2), int), True])
def test_what_is_no_index_is_a_type_error(batch, index) -> None:
    if isinstance(index, tuple):
        pytest.skip("a tuple of integers is a list of them")
    with pytest.raises(TypeError):
        batch[index]


def test_a_world_named_twice_is_refused(batch) -> None:
    with pytest.raises(ValueError, match="twice"):
        batch[[1, 1]]


def test_a_single_world_cannot_be_indexed(zoo) -> None:
    one = motrixsim.SceneData(zoo)
    with pytest.raises(IndexError):
        one[0]
    with pytest.raises(TypeError):
        iter(one)
    with pytest.raises(TypeError):
        len(one)
    assert one


def test_views_write_through_and_see_what_others_write(zoo, batch) -> None:
    some = batch[MASK]
    some.set_dof_vel(np.full(17, 9))
    np.testing.assert_array_equal(batch.dof_vel[:, 0], [9, 1, 2, 9, 9])
    batch.set_dof_vel(np.zeros(17))
    assert not some.dof_vel.any()
    some[1].actuator_ctrls = np.ones(5)
    np.testing.assert_array_equal(batch.actuator_ctrls[:, 0], [0, 0, 0, 1, 0])
    some[::2].reset(zoo, dof_vel=np.full(17, 3))
    np.testing.assert_array_equal(batch.dof_vel[:, 0], [3, 0, 0, 0, 3])


def test_a_step_of_some_worlds_leaves_the_others(zoo, batch) -> None:
    before = batch.dof_pos
    zoo.step_n(batch[[3, 1]], 4)
    moved = (batch.dof_pos != before).any(axis=1)
    np.testing.assert_array_equal(moved, [False, True, False, True, False])
    whole = motrixsim.SceneData(zoo, (5,))
    whole.set_dof_vel(batch.dof_vel * 0 + np.eye(5, 17) * 0)
    np.testing.assert_array_equal(batch.time, [0, 0.008, 0, 0.008, 0])


def test_results_of_some_worlds_are_theirs(zoo, batch) -> None:
    zoo.get_link_poses(batch)
    positions = batch.dof_pos
    positions[:, 0] = np.arange(5)
    batch.set_dof_pos(positions, zoo)
    zoo.forward_kinematic(batch[[1, 4]])
    np.testing.assert_array_equal(zoo.get_link("robot").get_position(batch)[:, 0], [0, 1, 0, 0, 4])
    assert zoo.get_link("robot").get_position(batch[4])[0] == 4


def test_iteration_ends(batch) -> None:
    assert [float(world.dof_vel[0]) for world in batch] == [0, 1, 2, 3, 4]
    assert len(batch) == 5


def test_parts_keep_the_whole_alive(zoo) -> None:
    one = motrixsim.SceneData(zoo, (3,))[1]
    zoo.step(one)
    assert np.isfinite(one.dof_pos).all()


def test_disjoint_indices_are_different_worlds() -> None:
    indices = motrixsim.DisjointIndices((3, 1, 3))
    assert indices.size == len(indices) == 2
    for wrong in (-1, [-1], [0.5], {1, 2}, 3, np.zeros((2, 2), int)):
        with pytest.raises(TypeError):
            motrixsim.DisjointIndices(wrong)
