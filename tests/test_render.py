"""`motrixsim.render` as programs use it, without a window."""

import numpy as np
import pytest

import motrixsim as mx
from motrixsim import render, run
from motrixsim.render import Color, Image, Layout, RenderApp, RenderSettings

SCENE = """
<mujoco>
  <worldbody>
    <light type="directional" dir="0 0 -1"/>
    <camera name="front" pos="3 0 0.5" xyaxes="0 1 0 0 0 1"/>
    <camera name="deep" pos="3 0 0.5" xyaxes="0 1 0 0 0 1"/>
    <geom type="plane" size="4 4 .1"/>
    <body name="ball" pos="0 0 0.5"><freejoint/><geom size="0.3" rgba="1 0 0 1"/></body>
    <body name="arm" pos="0 1 0.5"><joint name="hinge" axis="0 1 0"/><geom type="capsule" size=".05 .3"/>
      <site name="tip"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def model() -> mx.SceneModel:
    model = mx.load_mjcf_str(SCENE)
    model.cameras["front"].set_render_target("image", 64, 48)
    model.cameras["deep"].set_render_target("image", 65, 49)
    model.cameras["deep"].depth_only = True
    model.cameras.set_system_render_target("image", 80, 60)
    return model


@pytest.fixture
def app(model):
    with RenderApp(headless=True) as app:
        app.launch(model)
        yield app


def test_a_capture_is_taken_by_the_next_sync_and_once(app, model) -> None:
    task = app.get_camera(0).capture()
    assert task.state == "pending"
    assert task.take_image() is None
    app.sync(mx.SceneData(model))
    assert task.state == "done"
    image = task.take_image()
    assert image.pixels.shape == (48, 64, 3)
    assert image.pixels.dtype == np.uint8
    assert task.state == "closed"
    with pytest.raises(RuntimeError, match="closed"):
        task.take_image()


def test_a_depth_camera_gives_metres(app, model) -> None:
    task = app.get_camera(1).capture()
    app.sync(mx.SceneData(model), wait=True)
    depth = task.take_image().pixels
    assert depth.dtype == np.float32
    assert depth.shape == (49, 65)
    assert depth[24, 32] == pytest.approx(2.7, abs=1e-5)


def test_the_picture_follows_the_state(app, model) -> None:
    data = mx.SceneData(model)
    pictures = []
    for height in (0.5, 1.5):
        data.set_dof_pos(np.r_[0, 0, height, 0, 0, 0, 1, 0], model)
        model.forward_kinematic(data)
        task = app.get_camera(0).capture("segmentation")
        app.sync(data)
        pictures.append(task.take_image().pixels)
    rows = [np.nonzero(picture == 1)[0].mean() for picture in pictures]
    assert rows[1] < rows[0] - 10, "the ball rose"


def test_worlds_stand_apart_in_one_picture_and_alone_in_those_of_their_cameras(model) -> None:
    offsets = [[0, -1.0, 0], [0, 0, 0], [0, 1.0, 0]]
    with RenderApp(headless=True) as app:
        app.launch(model, batch=3, render_offset=offsets, render_settings=RenderSettings.performance())
        app.system_camera.set_view([0, 0, 0.5], 5, 0, 180)
        whole, each = app.system_camera.capture("segmentation"), app.get_camera(0).capture()
        app.sync(mx.SceneData(model, batch=[3]))
        columns = (whole.take_image().pixels == 1).any(axis=0)
        assert np.diff(np.flatnonzero(np.diff(columns.astype(int)))).size == 5, "three balls side by side"
        assert each.take_image().pixels.shape == (3, 48, 64, 3)
        app.set_scene_vis(0, False)
        fewer = app.system_camera.capture("segmentation")
        app.sync()
        assert (fewer.take_image().pixels == 1).any(axis=0).sum() < columns.sum()


def test_poses_of_links_can_be_shown_without_data(app, model) -> None:
    poses = model.get_link_poses(mx.SceneData(model))
    app.sync(poses[None])
    with pytest.raises(render.InvalidArgumentError, match="expected shape"):
        app.sync(np.zeros((1, 9, 7)))


def test_marks_show_once(app, model) -> None:
    data = mx.SceneData(model)
    app.system_camera.set_view([0, 0, 0.5], 4, -20, 120)

    def picture() -> np.ndarray:
        task = app.system_camera.capture()
        app.sync(data)
        return task.take_image().pixels

    bare = picture()
    gizmos = app.gizmos
    gizmos.draw_sphere(0.2, [0, 0, 1.2], Color(0, 1, 0))
    gizmos.draw_cuboid([0.2, 0.2, 0.2], [1, 0, 1])
    gizmos.draw_cylinder(0.1, 0.2, [0, 1, 1])
    gizmos.draw_capsule(0.1, 0.2, [0, -1, 1])
    gizmos.draw_line([0, 0, 0], [1, 1, 1])
    gizmos.draw_ray([0, 0, 0], [0, 0, 1])
    gizmos.draw_arrow([0, 0, 0], [0, 1, 1])
    gizmos.draw_rect([1, 1], [0, 0, 0.1])
    gizmos.draw_grid((2, 2), 0.5)
    gizmos.draw_axes([0, 0, 0])
    marked = picture()
    assert (marked != bare).any(axis=-1).sum() > 100
    assert np.array_equal(picture(), bare)
    gizmos.draw_joint = gizmos.draw_site = gizmos.draw_collider = True
    assert (picture() != bare).any()


def test_sites_are_drawn_as_they_are_and_range_finders_where_their_beams_end() -> None:
    model = mx.load_mjcf_str("""<mujoco><visual><headlight ambient="1 1 1" diffuse="0 0 0"/></visual><worldbody>
      <geom type="plane" size="4 4 .1" rgba="0 0 1 1"/><body pos="0 0 1"><freejoint/><geom size=".01"/>
      <site name="s" type="box" size=".2 .2 .2" rgba="1 0 0 1" zaxis="0 0 -1"/>
      <site group="4" pos="0 .9 0" rgba="1 0 0 1"/></body></worldbody><sensor><rangefinder site="s"/>
      </sensor></mujoco>""")
    model.cameras.set_system_render_target("image", 80, 60)
    data = mx.SceneData(model)
    model.step(data)
    with RenderApp(headless=True) as app:
        app.launch(model)
        app.system_camera.set_view([0, 0, 0.5], 4, 0, 180)

        def reds() -> np.ndarray:
            task = app.system_camera.capture()
            app.sync(data)
            picture = task.take_image().pixels
            return np.argwhere((picture[..., 0] > 100) & (picture[..., 2] < 60))

        assert len(reds()) == 0
        app.gizmos.draw_site = True
        height, width = np.ptp(reds(), axis=0) + 1
        # A box of 0.4 m at 4 m, 60 pixels for a field of view of 45 degrees.
        assert abs(height - 0.4 / (2 * 3.8 * np.tan(np.radians(22.5))) * 60) <= 2
        assert abs(width - height) <= 1
        app.gizmos.draw_site = False
        app.opt.set_lidar_points_vis(True)
        app.system_camera.set_view([0, 0, 0], 1, -20, 180)
        assert reds().mean(axis=0) == pytest.approx([29.5, 39.5], abs=1), "the beam ends on the ground, in the middle"


def test_bad_marks_are_refused(app) -> None:
    with pytest.raises(render.InvalidArgumentError):
        app.gizmos.draw_sphere(-1, [0, 0, 0])
    with pytest.raises(render.InvalidArgumentError):
        app.gizmos.draw_line([0, 0], [1, 1])
    with pytest.raises(render.InvalidArgumentError):
        app.gizmos.draw_sphere(1, [0, 0, np.nan])


def test_groups_hide_geoms(app, model) -> None:
    app.opt.set_group_vis(0, False)
    task = app.get_camera(0).capture("segmentation")
    app.sync(mx.SceneData(model))
    assert (task.take_image().pixels == -1).all()
    with pytest.raises(render.InvalidArgumentError):
        app.opt.set_group_vis(32, True)


def test_a_closed_renderer_says_so(model) -> None:
    app = RenderApp(headless=True)
    with pytest.raises(render.OtherRenderError, match="launch"):
        app.sync(None)
    app.launch(model)
    app.close()
    app.close()
    assert app.is_closed
    with pytest.raises(render.RenderClosedError):
        app.sync(None)


def test_arguments_are_checked(model) -> None:
    with pytest.raises(render.InvalidArgumentError):
        RenderApp(log_level="LOUD", headless=True)
    with pytest.raises(render.InvalidArgumentError):
        RenderApp(headless=True, fps=0)
    with RenderApp(headless=True) as app:
        with pytest.raises(render.InvalidArgumentError):
            app.launch(model, batch=0)
        with pytest.raises(render.InvalidArgumentError):
            app.launch(model, batch=2, render_offset=[[0, 0, 0]])
        app.launch(model, batch=2)
        with pytest.raises(render.InvalidArgumentError, match="2 worlds"):
            app.sync(mx.SceneData(model))
        assert app.get_camera(7) is None


def test_settings_are_those_programs_name() -> None:
    quality, performance = RenderSettings.quality(), RenderSettings.performance()
    names = (
        "simplify_render_mesh",
        "enable_shadow",
        "enable_ssao",
        "enable_oit",
        "share_lights_between_envs",
        "enable_ssgi",
    )
    assert [getattr(quality, name) for name in names] == [False, True, True, True, False, True]
    assert [getattr(performance, name) for name in names] == [True, False, False, False, True, False]
    assert issubclass(render.InvalidFileError, render.RenderError)
    assert not issubclass(render.RenderError, ValueError)


def test_an_image_is_saved_and_read_back(tmp_path, read_png) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (7, 5, 3), dtype=np.uint8)
    image = Image(pixels)
    image.save_to_disk(tmp_path / "a.png")
    assert np.array_equal(read_png(tmp_path / "a.png"), pixels)
    assert image._repr_png_() == (tmp_path / "a.png").read_bytes()
    depth = Image(np.array([[1, 2], [3, np.inf]], np.float32))
    depth.save_to_disk(tmp_path / "d.npy")
    assert np.array_equal(np.load(tmp_path / "d.npy"), depth.pixels)
    depth.save_to_disk(tmp_path / "d.png")
    assert read_png(tmp_path / "d.png")[1, 1, 0] == 0, "nothing is black"
    Image(np.zeros((5, 4, 6, 3), np.uint8)).save_to_disk(tmp_path / "many.png")
    assert read_png(tmp_path / "many.png").shape == (8, 18, 3)
    with pytest.raises(render.InvalidFileError):
        image.save_to_disk(tmp_path / "a.jpg")
    with pytest.raises(render.InvalidArgumentError):
        Image(np.zeros(3))


def test_layouts_are_lengths() -> None:
    assert Layout(width="50%", height=30).in_pixels(200, 100) == (100, 30)
    assert Layout().in_pixels(200, 100) == (None, None)
    with pytest.raises(render.InvalidArgumentError):
        Layout(width="wide")


def test_a_viewport_has_the_latest_picture(app, model) -> None:
    viewport = app.widgets.create_camera_viewport(app.get_camera(0), Layout(width=100))
    widget = app.widgets.create_image_widget(app.create_image(np.zeros((4, 4, 3), np.uint8)))
    app.sync(mx.SceneData(model))
    assert viewport.image.pixels.shape == (48, 64, 3)
    assert app.widgets.images == [widget]
    app.widgets.clear()
    assert not app.widgets.viewports


def test_nobody_presses_keys_without_a_window(app) -> None:
    app.ui.add_button("never", lambda: pytest.fail("nobody pressed it"))
    app.ui.add_toggle("never", False, lambda _: pytest.fail("nobody switched it"))
    app.sync()
    assert not app.input.is_key_just_pressed("a")
    assert not app.input.is_mouse_just_pressed()
    assert app.input.mouse_ray() is None


def test_a_loop_steps_in_real_time_until_the_window_closes(model) -> None:
    data, frames = mx.SceneData(model), []

    def show() -> None:
        frames.append(float(data.time))
        if len(frames) == 6:
            raise render.RenderClosedError("the user closed it")

    run.render_loop(
        phys_dt=model.options.timestep, render_fps=100, phys_step_func=lambda: mx.step(model, data), render_func=show
    )
    assert len(frames) == 6
    assert frames == sorted(frames)
    assert frames[0] > 0, "a step comes before the first frame"
    with pytest.raises(ValueError, match="positive"):
        run.render_loop(0, 60, print, print)


def test_a_loop_slower_than_real_time_still_shows_every_frame() -> None:
    import time

    frames = []

    def show() -> None:
        frames.append(time.perf_counter())
        if len(frames) == 4:
            raise KeyboardInterrupt

    # Each step takes twenty times what it simulates; without a bound the first frame would never end.
    run.render_loop(0.001, 50, lambda: time.sleep(0.02), show)
    assert len(frames) == 4


def test_a_notebook_shows_a_model(model) -> None:
    picture = model._repr_png_()
    assert picture.startswith(b"\x89PNG")
