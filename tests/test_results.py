"""Poses, velocities, Jacobians, cameras, sensors and forces, against MuJoCo at the same state."""

import numpy as np
import pytest

import motrixsim

mujoco = pytest.importorskip("mujoco")

# Single precision keeps seven digits; chains of a few rotations lose one.
TOLERANCE = {"f32": 2e-6, "f64": 1e-12}


@pytest.fixture
def posed(zoo, data):
    """Data in a state of no symmetry, and MuJoCo's data in the same one."""
    from pathlib import Path

    rng = np.random.default_rng(3)
    model = mujoco.MjModel.from_xml_path(str(Path(__file__).parent / "models" / "zoo.xml"))
    peer = mujoco.MjData(model)
    peer.qpos[:] += rng.normal(size=20) * 0.3
    for first in (3, 9, 16):
        peer.qpos[first : first + 4] /= np.linalg.norm(peer.qpos[first : first + 4])
    peer.qvel[:] = rng.normal(size=17)
    # Both start from the same numbers: those that the precision of the data can hold.
    dtype = data.dof_pos.dtype
    peer.qpos[:] = peer.qpos.astype(dtype)
    peer.qvel[:] = peer.qvel.astype(dtype)
    positions = peer.qpos.copy()
    for first in (3, 9, 16):
        positions[first : first + 4] = np.roll(positions[first : first + 4], -1)
    data.set_dof_pos(positions, zoo)
    data.set_dof_vel(peer.qvel)
    zoo.forward_kinematic(data)
    mujoco.mj_forward(model, peer)
    return model, peer


def quat(wxyz: np.ndarray) -> np.ndarray:
    return np.roll(wxyz, -1, axis=-1)


def close(data, ours: np.ndarray, theirs: np.ndarray, scale: float = 1.0) -> None:
    tolerance = scale * TOLERANCE[data.precision]
    theirs = np.broadcast_to(theirs, (*data.shape, *np.shape(theirs)))
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def test_link_poses_and_velocities(zoo, data, posed) -> None:
    model, peer = posed
    close(data, zoo.get_link_poses(data), np.hstack([peer.xpos, quat(peer.xquat)])[1:])
    close(data, zoo.get_link_rotation_mats(data), peer.xmat.reshape(-1, 3, 3)[1:])
    velocities = np.zeros((6, 6))
    for body in range(1, 7):
        mujoco.mj_objectVelocity(model, peer, mujoco.mjtObj.mjOBJ_XBODY, body, velocities[body - 1], 0)
    velocities = np.roll(velocities, 3, axis=1)
    close(data, zoo.get_link_velocities(data), velocities, 4)
    close(data, zoo.get_link_linear_velocities(data), velocities[:, :3], 4)
    close(data, zoo.get_link_angular_velocities(data), velocities[:, 3:], 4)
    foot = zoo.get_link("foot")
    close(data, foot.get_pose(data), np.hstack([peer.xpos[3], quat(peer.xquat[3])]))
    close(data, foot.get_position(data), peer.xpos[3])
    close(data, foot.get_rotation(data), quat(peer.xquat[3]))
    close(data, foot.get_rotation_mat(data), peer.xmat[3].reshape(3, 3))
    close(data, foot.get_linear_velocity(data), velocities[2, :3], 4)
    close(data, foot.get_angular_velocity(data), velocities[2, 3:], 4)
    robot = zoo.get_body("robot")
    close(data, robot.get_pose(data), np.hstack([peer.xpos[1], quat(peer.xquat[1])]))
    close(data, robot.get_position(data), peer.xpos[1])
    close(data, robot.get_rotation(data), quat(peer.xquat[1]))
    close(data, robot.get_rotation_mat(data), peer.xmat[1].reshape(3, 3))


def test_some_links_into_a_buffer(zoo, data) -> None:
    all_poses = zoo.get_link_poses(data)
    out = np.empty((*data.shape, 2, 7), all_poses.dtype)
    assert zoo.get_link_poses(data, indices=[2, 0], out=out) is out
    np.testing.assert_array_equal(out, all_poses[..., [2, 0], :])
    with pytest.raises(IndexError):
        zoo.get_link_poses(data, indices=[6])
    with pytest.raises(ValueError, match="expected shape"):
        zoo.get_link_poses(data, out=out)
    with pytest.raises(TypeError):
        zoo.get_link_poses(data, out=np.empty((*data.shape, 6, 7), np.int32))
    with pytest.raises(TypeError):
        zoo.get_link_poses(data, out=[1])
    fixed = np.empty_like(all_poses)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        zoo.get_link_poses(data, out=fixed)


def test_geom_and_site_poses(zoo, data, posed) -> None:
    model, peer = posed
    for name in ("torso", "thigh_geom", "wrist_geom", "floor"):
        geom = zoo.get_geom(name)
        close(data, geom.get_pose(data)[..., :3], peer.geom_xpos[geom.index])
        velocity = np.zeros(6)
        mujoco.mj_objectVelocity(model, peer, mujoco.mjtObj.mjOBJ_GEOM, geom.index, velocity, 0)
        close(data, geom.get_linear_velocity(data), velocity[3:], 4)
        close(data, geom.get_angular_velocity(data), velocity[:3], 4)
    for name in ("origin", "imu", "toe"):
        site = zoo.get_site(name)
        close(data, site.get_position(data), peer.site_xpos[site.index])
        close(data, site.get_rotation_mat(data), peer.site_xmat[site.index].reshape(3, 3))
        assert site.get_pose(data).shape == (*data.shape, 7)
    assert zoo.get_site("toe").parent_link is zoo.get_link("foot")
    assert zoo.get_site("origin").parent_link is None
    np.testing.assert_allclose(zoo.get_site("imu").local_pos, [0.1, 0, 0])
    np.testing.assert_array_equal(zoo.get_site("imu").local_quat, [0, 0, 0, 1])


def test_a_mesh_stands_where_the_file_puts_its_vertices() -> None:
    model = motrixsim.load_mjcf_str(
        "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 2 0 0 0 3' scale='0.1 0.2 0.3'/></asset><worldbody>"
        "<body name='b' pos='1 2 3' quat='0.5 0.5 0.5 0.5'><freejoint/>"
        "<geom name='g' type='mesh' mesh='m' pos='0.1 0.2 0.3' quat='0.8 0 0.6 0'/></body></worldbody></mujoco>"
    )
    geom, data = model.get_geom("g"), motrixsim.SceneData(model, (2,))
    expected = [0.1, 0.2, 0.3, 0, 0.6, 0, 0.8]
    np.testing.assert_allclose(geom.local_pose * np.sign(geom.local_pose[6]), expected, atol=1e-6)
    # The link's frame has its x axis along the world's y, y along z, z along x.
    np.testing.assert_allclose(geom.get_pose(data)[:, :3], [[1.3, 2.1, 3.2]] * 2, atol=1e-6)
    model.floating_bases[0].set_local_angular_velocity(data, [0, 0, 2])
    model.forward_kinematic(data)
    # About the link's z, the world's x: (2, 0, 0) x (0.3, 0.1, 0.2).
    np.testing.assert_allclose(geom.get_linear_velocity(data), [[0, -0.4, 0.2]] * 2, atol=1e-6)


def test_the_site_jacobian_is_mujocos_with_angular_rows_first(zoo, data, posed) -> None:
    model, peer = posed
    site = zoo.get_site("toe")
    np.testing.assert_array_equal(site.dof_vel_indices, [7, 6, 3, 4, 5, 0, 1, 2])
    linear, angular = np.zeros((3, 17)), np.zeros((3, 17))
    mujoco.mj_jacSite(model, peer, linear, angular, site.index)
    close(data, site.get_jacobian(data), np.vstack([angular, linear])[:, site.dof_vel_indices])
    assert zoo.get_site("origin").get_jacobian(data).shape == (*data.shape, 6, 0)


def test_cameras_stand_and_look_as_in_mujoco(zoo, data, posed) -> None:
    _, peer = posed
    assert len(zoo.cameras) == 4
    poses = zoo.get_camera_poses(data)
    assert poses.shape == (*data.shape, 4, 7)
    close(data, poses[..., :3], peer.cam_xpos)
    for camera in zoo.cameras:
        np.testing.assert_array_equal(camera.get_pose(data), poses[..., camera.index, :])
        i, j, k, w = np.moveaxis(poses[..., camera.index, 3:], -1, 0)
        # It looks along -z: the third column of its rotation.
        axis = np.stack([2 * (i * k + w * j), 2 * (j * k - w * i), 1 - 2 * (i * i + j * j)], axis=-1)
        close(data, axis, peer.cam_xmat[camera.index].reshape(3, 3)[:, 2], 4)
    assert (zoo.cameras["watcher"].get_pose(data)[..., 6] >= 0).all()


def test_cameras_are_found_by_name_index_and_slice(zoo) -> None:
    cameras = zoo.cameras
    assert cameras["eye"] == cameras[1] == cameras.tolist()[1]
    assert [camera.name for camera in cameras[1:3]] == ["eye", "follower"]
    assert cameras[-1].name == "watcher"
    assert cameras.get_index("watcher") == 3
    assert cameras.get_index("nobody") is None
    for missing in ("nobody", 4, -5):
        with pytest.raises(IndexError):
            cameras[missing]
    with pytest.raises(TypeError):
        cameras[1.5]
    assert cameras.model is zoo
    assert [camera.name for camera in cameras] == ["overview", "eye", "follower", "watcher"]


def test_camera_settings_are_checked_and_kept() -> None:
    model = motrixsim.load_mjcf_str(
        "<mujoco><worldbody><camera name='c' pos='1 0 0'/><body name='b' pos='0 0 2'/></worldbody></mujoco>"
    )
    camera = model.cameras["c"]
    assert (camera.near_plane, camera.far_plane, camera.fovy, camera.link) == (0, 0, 45, None)
    camera.set_near_far(0.1, 9)
    assert (camera.near_plane, camera.far_plane) == (0.1, 9)
    for near, far in ((0, 1), (2, 1), (float("nan"), 1)):
        with pytest.raises(ValueError, match="near < far"):
            camera.set_near_far(near, far)
    camera.depth_only = True
    assert model.cameras["c"].depth_only
    camera.set_render_target("image", 64, 48)
    assert camera.render_target == "image"
    with pytest.raises(ValueError, match="positive"):
        camera.set_render_target("image", 0, 48)
    with pytest.raises(ValueError, match="render target"):
        camera.set_render_target("paper")
    model.cameras.set_system_render_target("image")
    assert model.cameras.system_render_target == "image"
    camera.rotation_track = "look_at_link"
    camera.track_target_link = model.get_link("b")
    assert camera.track_target_link is model.get_link("b")
    with pytest.raises(ValueError, match="rotation track"):
        camera.rotation_track = "sideways"
    camera.position_track = "fixed_world"
    assert camera.position_track == "fixed_world"


def test_sensors_are_read_by_name(zoo, data) -> None:
    assert zoo.num_sensors == 3
    assert zoo.get_sensor_value("attitude", data).shape == (*data.shape, 4)
    both = zoo.get_sensor_values(["hip_angle", "height"], data)
    assert both.shape == (*data.shape, 4)
    np.testing.assert_array_equal(both[..., 1:], zoo.get_sensor_value("height", data))
    assert zoo.get_sensor_values([], data).shape == (*data.shape, 0)
    with pytest.raises(ValueError, match='did you mean "height"'):
        zoo.get_sensor_value("hieght", data)
    with pytest.raises(TypeError):
        zoo.get_sensor_values("height", data)


def test_external_forces_act_once_and_where_they_are_told(zoo, data) -> None:
    crate = zoo.get_link("crate")
    free = motrixsim.SceneData(zoo, data.shape, data.precision)
    crate.add_external_force(data, [0, 0, crate.mass * 20.0], local=False)
    crate.add_external_torque(data, np.broadcast_to([0, 0, 0.1], (*data.shape, 3)))
    zoo.step_n(data, 2)
    zoo.step_n(free, 2)
    # 20 m/s² for one step of two milliseconds.
    lifted = (data.dof_vel - free.dof_vel)[..., 13]
    np.testing.assert_allclose(lifted, np.full(data.shape, 0.04), rtol=1e-4)
    assert (data.dof_vel[..., 16] > 0).all()
    with pytest.raises(ValueError, match="force: expected shape"):
        crate.add_external_force(data, [1, 2])
    zoo.get_link("target").add_external_force(data, [1, 2, 3])


def test_a_force_on_the_centre_of_mass_does_not_turn() -> None:
    model = motrixsim.load_mjcf_str(
        "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/>"
        "<inertial pos='0.1 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody></mujoco>"
    )
    data = motrixsim.SceneData(model, precision="f64")
    model.get_link(0).add_external_force(data, [0, 0, 1])
    model.step(data)
    assert abs(data.dof_vel[3:]).max() < 1e-15
    data.reset(model)
    model.get_link(0).add_external_force(data, [0, 0, 1], point=[1.1, 0, 0])
    model.step(data)
    # Torque (1, 0, 0) x (0, 0, 1) about the centre of mass, unit inertia, one step.
    np.testing.assert_allclose(data.dof_vel[3:], [0, -0.002, 0], atol=1e-9)
