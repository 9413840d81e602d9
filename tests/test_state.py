"""Reading and writing the state: shapes, copies, broadcasting, errors that change nothing."""

import numpy as np
import pytest

import motrixsim


def full(data, tail: tuple[int, ...]) -> tuple[int, ...]:
    return (*data.shape, *tail)


def test_fresh_data_stand_at_the_initial_state_with_valid_poses(zoo, data) -> None:
    np.testing.assert_array_equal(data.dof_pos, np.broadcast_to(zoo.compute_init_dof_pos(), full(data, (20,))))
    assert not data.dof_vel.any()
    np.testing.assert_allclose(zoo.get_link("robot").get_position(data), np.broadcast_to([0, 0, 2], full(data, (3,))))


def test_arrays_are_writable_copies_in_the_precision_of_the_data(data) -> None:
    array = data.dof_pos
    assert array.dtype == (np.float64 if data.precision == "f64" else np.float32)
    assert array.flags.writeable
    assert array.flags.c_contiguous
    array[...] = 7
    assert not (data.dof_pos == 7).all()


@pytest.mark.parametrize("batch", [(), [], (0,), (2,), [5]])
def test_the_batch_is_a_sequence_of_at_most_one_number(zoo, batch) -> None:
    data = motrixsim.SceneData(zoo, batch)
    assert data.shape == tuple(batch)
    assert data.ndim == len(batch)
    zoo.step(data)


@pytest.mark.parametrize("batch", [4, None, (2, 2), ("a",), "ab", (1.5,)])
def test_other_batches_are_type_errors(zoo, batch) -> None:
    if batch is None:
        pytest.skip("None stands for the default")
    with pytest.raises(TypeError):
        motrixsim.SceneData(zoo, batch)


def test_impossible_batches_are_refused(zoo) -> None:
    with pytest.raises(ValueError, match="-1"):
        motrixsim.SceneData(zoo, (-1,))
    with pytest.raises(ValueError, match="precision"):
        motrixsim.SceneData(zoo, (), precision="f16")


def test_one_worlds_positions_serve_all_worlds(zoo, data) -> None:
    wanted = zoo.compute_init_dof_pos()
    wanted[7] = 0.25
    data.set_dof_pos(wanted, zoo)
    assert (data.dof_pos[..., 7] == np.float32(0.25)).all()
    data.set_dof_vel(np.arange(17.0))
    np.testing.assert_array_equal(data.dof_vel, np.broadcast_to(np.arange(17), full(data, (17,))))


def test_any_layout_and_number_type_is_read_in_its_logical_order(zoo) -> None:
    data = motrixsim.SceneData(zoo, (3,))
    wanted = np.arange(3 * 17).reshape(3, 17)
    layouts = [
        wanted,
        wanted.astype(np.float64),
        np.asfortranarray(wanted.astype(np.float32)),
        np.repeat(wanted, 2, axis=1)[:, ::2],
        wanted[::-1].copy()[::-1],
        wanted.tolist(),
        wanted.astype(">f4"),
    ]
    for layout in layouts:
        data.set_dof_vel(np.zeros(17))
        data.set_dof_vel(layout)
        np.testing.assert_array_equal(data.dof_vel, wanted)


@pytest.mark.parametrize("shape", [(), (19,), (21,), (2, 20), (3, 19), (20, 3), (1, 3, 20)])
def test_a_wrong_shape_is_named_and_changes_nothing(zoo, shape) -> None:
    data = motrixsim.SceneData(zoo, (3,))
    before = data.dof_pos
    with pytest.raises(ValueError, match=r"dof_pos: expected shape \(3, 20\) or \(20,\), got"):
        data.set_dof_pos(np.zeros(shape), zoo)
    np.testing.assert_array_equal(data.dof_pos, before)


@pytest.mark.parametrize("value", [None, "text", [[1, 2], [3]], [1j], {"a": 1}])
def test_what_is_no_array_of_numbers_is_refused(zoo, value) -> None:
    data = motrixsim.SceneData(zoo)
    with pytest.raises((TypeError, ValueError)):
        data.set_dof_vel(value)


def test_one_bad_quaternion_writes_no_row(zoo) -> None:
    data = motrixsim.SceneData(zoo, (4,))
    before = data.dof_pos
    wanted = before.copy()
    wanted[:, 0] = 5
    wanted[3, 3:7] = [0, 0, 0, 1.01]
    with pytest.raises(ValueError, match="row 3 are not a unit quaternion"):
        data.set_dof_pos(wanted, zoo)
    np.testing.assert_array_equal(data.dof_pos, before)
    wanted[3, 3:7] = [0, 0, 0, 1.00005]
    data.set_dof_pos(wanted, zoo)


def test_controls_are_kept_as_written(zoo, data) -> None:
    data.actuator_ctrls = np.full(full(data, (5,)), 9.0)
    assert (data.actuator_ctrls == 9).all()
    data.actuator_ctrls = [1, 2, 3, 4, 5]
    np.testing.assert_array_equal(zoo.get_actuator_ctrls(data)[..., 3], np.full(data.shape, 4))
    data.actuator_ctrls = np.zeros(int(np.prod(full(data, (5,)))))
    with pytest.raises(TypeError, match="expected shape"):
        data.actuator_ctrls = np.zeros((5, 7))
    zoo.get_actuator("servo").set_ctrl(data, 0.5)
    np.testing.assert_array_equal(zoo.get_actuator("servo").get_ctrl(data), np.full(data.shape, 0.5))
    zoo.get_body("robot").set_actuator_ctrls(data, [5, 4, 3, 2, 1])
    np.testing.assert_array_equal(data.actuator_ctrls[..., 0], np.full(data.shape, 5))


def test_steps_move_the_state_and_poses_lag_until_forward_kinematic(zoo, data) -> None:
    zoo.step(data)
    motrixsim.step(zoo, data)
    assert (data.dof_pos[..., 2] < 2).all()
    # Poses describe the start of the second step.
    height = zoo.get_link("robot").get_position(data)[..., 2]
    assert (height > data.dof_pos[..., 2]).all()
    motrixsim.forward_kinematic(zoo, data)
    np.testing.assert_allclose(zoo.get_link("robot").get_position(data)[..., 2], data.dof_pos[..., 2], rtol=1e-6)
    np.testing.assert_allclose(data.time, np.full(data.shape, 0.004))


def test_many_steps_are_bit_for_bit_single_steps(zoo, data) -> None:
    import copy

    other = copy.copy(data)
    zoo.step_n(data, 5)
    for _ in range(5):
        zoo.step(other)
    np.testing.assert_array_equal(data.dof_pos, other.dof_pos)
    zoo.step_n(data, 0)
    np.testing.assert_array_equal(data.dof_pos, other.dof_pos)
    with pytest.raises(ValueError, match="-1"):
        zoo.step_n(data, -1)
    with pytest.raises(TypeError):
        zoo.step_n(data, 1.5)


def test_a_row_of_a_batch_is_bit_for_bit_a_single_world(zoo) -> None:
    batch, one = motrixsim.SceneData(zoo, (11,)), motrixsim.SceneData(zoo)
    zoo.step_n(batch, 10)
    zoo.step_n(one, 10)
    np.testing.assert_array_equal(batch.dof_pos, np.broadcast_to(one.dof_pos, (11, 20)))


def test_reset_forgets_everything(zoo, data) -> None:
    link = zoo.get_link("robot")
    data.actuator_ctrls = np.ones(5)
    link.set_mass_override(data, 3.0)
    zoo.get_body("target").mocap.set_pose(data, [1, 1, 1, 0, 0, 0, 1])
    link.add_external_force(data, [1.0, 2.0, 3.0])
    zoo.step_n(data, 3)
    data.reset(zoo, reset_overrides=False)
    np.testing.assert_allclose(link.get_mass_override(data), np.full(data.shape, 3.0))
    data.reset(zoo)
    fresh = motrixsim.SceneData(zoo, data.shape, data.precision)
    np.testing.assert_array_equal(data.dof_pos, fresh.dof_pos)
    np.testing.assert_array_equal(data.actuator_ctrls, fresh.actuator_ctrls)
    np.testing.assert_allclose(link.get_mass_override(data), np.full(data.shape, link.mass), rtol=1e-6)
    zoo.step_n(data, 3)
    zoo.step_n(fresh, 3)
    np.testing.assert_array_equal(data.dof_pos, fresh.dof_pos)


def test_reset_takes_a_state(zoo, data) -> None:
    wanted = zoo.compute_init_dof_pos()
    wanted[2] = 4
    data.reset(zoo, dof_pos=wanted, dof_vel=np.ones(17), forward_kinematic=True)
    assert (data.dof_pos[..., 2] == 4).all()
    assert (data.dof_vel == 1).all()
    assert (zoo.get_link("robot").get_position(data)[..., 2] == 4).all()
    wanted[3:7] = 0
    with pytest.raises(ValueError, match="quaternion"):
        data.reset(zoo, dof_pos=wanted)
    assert (data.dof_vel == 1).all()


def test_data_of_another_model_are_refused(zoo) -> None:
    other = motrixsim.load_mjcf_str("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
    data = motrixsim.SceneData(other)
    for use in (
        lambda: zoo.step(data),
        lambda: zoo.forward_kinematic(data),
        lambda: data.reset(zoo),
        lambda: data.set_dof_pos(np.zeros(20), zoo),
        lambda: zoo.get_link_poses(data),
        lambda: zoo.get_link("robot").get_pose(data),
        lambda: zoo.keyframes[0].apply(data),
        lambda: zoo.get_contact_query(data),
    ):
        with pytest.raises(RuntimeError, match="another model"):
            use()


def test_keyframes_write_what_they_give(zoo, data) -> None:
    key = zoo.keyframes[0]
    assert (key.name, key.time, key.index, zoo.num_keyframes) == ("raised", 0.5, 0, 1)
    np.testing.assert_allclose(key.dof_pos[:9], [0, 0, 3, 0, 0, 1, 0, 0.1, 0.02], rtol=1e-6)
    assert key.dof_vel.size == 0
    data.set_dof_vel(np.ones(17))
    key.apply(data)
    # The numbers a model shows are in single precision.
    np.testing.assert_allclose(data.dof_pos, np.broadcast_to(key.dof_pos, full(data, (20,))), rtol=1e-7)
    assert (data.dof_vel == 1).all()


def test_a_tree_is_read_and_written_on_its_own(zoo, data) -> None:
    robot = zoo.get_body("robot")
    robot.set_dof_pos(data, [0.3, 0.4], include_floatingbase=False)
    np.testing.assert_allclose(robot.get_joint_dof_pos(data), np.broadcast_to([0.3, 0.4], full(data, (2,))), rtol=1e-6)
    robot.set_dof_pos(data, [1, 2, 3, 0, 0, 0, 1, 0.1, 0.2])
    np.testing.assert_allclose(data.dof_pos[..., :3], np.broadcast_to([1, 2, 3], full(data, (3,))))
    robot.set_dof_vel(data, np.arange(8.0))
    np.testing.assert_array_equal(robot.get_joint_dof_vel(data), np.broadcast_to([6, 7], full(data, (2,))))
    with pytest.raises(ValueError, match="unit quaternion"):
        robot.set_dof_pos(data, [1, 2, 3, 0, 0, 0, 2, 0.1, 0.2])
    out = np.empty(full(data, (2,)), data.dof_pos.dtype)
    assert robot.get_joint_dof_vel(data, out=out) is out


def test_joints_are_read_and_written_on_their_own(zoo, data) -> None:
    hip, ball = zoo.get_joint("hip"), zoo.get_joint("ball")
    hip.set_dof_pos(data, 0.5)
    hip.set_dof_vel(data, np.full(full(data, (1,)), 0.25))
    assert hip.get_dof_pos(data).shape == full(data, (1,))
    assert (hip.get_dof_pos(data) == 0.5).all()
    assert (hip.get_dof_vel(data) == 0.25).all()
    ball.set_dof_pos(data, [0, 0, 1, 0])
    np.testing.assert_array_equal(data.dof_pos[..., 9:13], np.broadcast_to([0, 0, 1, 0], full(data, (4,))))
    with pytest.raises(ValueError, match="unit quaternion"):
        ball.set_dof_pos(data, [0, 0, 2, 0])


def test_a_floating_base_turns_its_velocity_between_world_and_own_axes(zoo, data) -> None:
    base = zoo.get_body("robot").floatingbase
    base.set_rotation(data, [0, 0, 2, 2])  # a quarter turn about z, not normalised
    np.testing.assert_allclose(np.linalg.norm(base.get_rotation(data), axis=-1), np.ones(data.shape), rtol=1e-6)
    base.set_translation(data, [1, 2, 3])
    base.set_global_linear_velocity(data, [4, 5, 6])
    base.set_global_angular_velocity(data, [1, 0, 0])
    np.testing.assert_allclose(
        base.get_local_angular_velocity(data), np.broadcast_to([0, -1, 0], full(data, (3,))), atol=1e-6
    )
    base.set_local_angular_velocity(data, [1, 0, 0])
    np.testing.assert_allclose(
        base.get_global_angular_velocity(data), np.broadcast_to([0, 1, 0], full(data, (3,))), atol=1e-6
    )
    assert (base.get_translation(data) == [1, 2, 3]).all()
    assert (base.get_global_linear_velocity(data) == [4, 5, 6]).all()
    assert base.get_dof_pos(data).shape == full(data, (7,))
    assert base.get_dof_vel(data).shape == full(data, (6,))
    with pytest.raises(ValueError, match="not a rotation"):
        base.set_rotation(data, [0, 0, 0, 0])


def test_a_mocap_body_stands_where_it_is_put_at_once(zoo, data) -> None:
    target = zoo.get_body("target")
    assert target.is_mocap
    assert target.mocap.body is target
    assert zoo.get_body("robot").mocap is None
    target.mocap.set_pose(data, [1, 2, 3, 0, 0, 0, 2])
    np.testing.assert_allclose(target.get_pose(data), np.broadcast_to([1, 2, 3, 0, 0, 0, 1], full(data, (7,))))
    with pytest.raises(ValueError, match="not a rotation"):
        target.mocap.set_pose(data, np.zeros(7))
