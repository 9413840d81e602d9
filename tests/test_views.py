"""Arrays that share memory with the state and the results."""

import gc

import numpy as np
import pytest

import motrixsim


@pytest.mark.parametrize("name", ["dof_pos", "dof_vel", "actuator_ctrls"])
def test_what_is_written_into_a_view_is_the_state(data, name: str) -> None:
    view = getattr(data.views, name)
    np.testing.assert_array_equal(view, getattr(data, name))
    view[..., 0] = 0.125
    assert (getattr(data, name)[..., 0] == 0.125).all()
    assert np.shares_memory(view, getattr(data.views, name))


def test_a_view_sees_steps(zoo, data) -> None:
    view = data.views.dof_pos
    zoo.step_n(data, 3)
    np.testing.assert_array_equal(view, data.dof_pos)


def test_results_are_read_only_and_follow_steps(zoo, data) -> None:
    poses = data.views.link_poses
    zoo.step_n(data, 3)
    np.testing.assert_array_equal(poses, zoo.get_link_poses(data))
    for name in ("link_poses", "link_velocities", "sensor_values", "dof_acc", "actuator_forces"):
        view = getattr(data.views, name)
        assert not view.flags.writeable
        assert view.shape[: data.ndim] == data.shape
        with pytest.raises(ValueError, match="read-only"):
            view[...] = 0


def test_views_of_evenly_spaced_worlds_share_memory_others_cannot(zoo) -> None:
    data = motrixsim.SceneData(zoo, (6,))
    data[1::2].views.dof_vel[:] = 1
    np.testing.assert_array_equal(data.dof_vel[:, 0], [0, 1, 0, 1, 0, 1])
    data[2].views.dof_vel[:] = 2
    assert data.dof_vel[2, 0] == 2
    with pytest.raises(ValueError, match="evenly spaced"):
        data[[0, 1, 5]].views.dof_vel  # noqa: B018
    assert data[:0].views.dof_vel.shape == (0, 17)


def test_a_view_keeps_the_worlds_alive(zoo) -> None:
    view = motrixsim.SceneData(zoo, (64,)).views.dof_pos
    gc.collect()
    np.testing.assert_array_equal(view[63], zoo.compute_init_dof_pos())


def test_views_travel_by_dlpack_without_a_copy(zoo) -> None:
    data = motrixsim.SceneData(zoo, (4,))
    imported = np.from_dlpack(data.views.dof_vel)
    assert np.shares_memory(imported, data.views.dof_vel)
    data.views.dof_vel[...] = 5
    assert (imported == 5).all()
