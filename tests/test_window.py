"""The window: a real server on the loopback, and what its buttons do. A page itself is looked at by `test_browser`."""

import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest

import motrixsim as mx
from motrixsim.render import RenderApp, RenderClosedError
from motrixsim.render.clock import CLOCK
from motrixsim.render.page import geom_poses, nodes_of

pytest.importorskip("viser", reason="the window needs viser, which the extra `viewer` brings")

SCENE = """
<mujoco>
  <asset>
    <hfield name="h" nrow="3" ncol="3" size="1 1 .2 .1" elevation="0 1 0 1 0 1 0 1 0"/>
    <mesh name="m" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"/>
  </asset>
  <worldbody>
    <camera name="eye" pos="1 2 3"/>
    <geom type="plane" size="0 0 1"/>
    <geom type="hfield" hfield="h" pos="3 0 0"/>
    <body name="base" pos="0 0 1"><freejoint/><geom size=".1"/>
      <geom type="capsule" size=".05 .1" pos=".3 0 0" group="3"/>
      <body pos="0 .2 0"><joint name="hinge" axis="0 0 1" range="-1 1" limited="true"/><geom type="mesh" mesh="m"/>
        <geom type="box" size=".1 .2 .3" pos="0 .4 0" euler="0 0 30"/></body></body>
    <body pos="1 1 1"><freejoint/><geom type="cylinder" size=".1 .2"/>
      <geom type="ellipsoid" size=".1 .2 .3" pos="0 0 .5"/></body>
  </worldbody>
  <actuator><motor name="turn" joint="hinge" ctrlrange="-2 2"/></actuator>
</mujoco>
"""


@pytest.fixture
def model() -> mx.SceneModel:
    return mx.load_mjcf_str(SCENE)


@pytest.fixture
def app(model, capsys):
    with RenderApp() as app:
        assert app.url in capsys.readouterr().out
        app.launch(model, batch=2, render_offset=[[0, 0, 0], [0, 5, 0]])
        yield app
    CLOCK.paused, CLOCK.speed = False, 1.0


def click(handle) -> None:
    """Does what a click on the page does: calls those who listen."""
    for listener in handle._impl.update_cb:
        listener(None)


def choose(handle, value) -> None:
    """Does what a page does when a value was changed."""
    handle.value = value


def settle(app, data, done, seconds: float = 5.0) -> None:
    """Syncs until something has happened."""
    end = time.perf_counter() + seconds
    while not done():
        assert time.perf_counter() < end, "it did not happen"
        app.sync(data)
        time.sleep(0.02)


def test_the_page_is_served_on_the_loopback(app) -> None:
    assert app.url.startswith("http://127.0.0.1:")
    page = urllib.request.urlopen(app.url, timeout=10).read()
    assert b"<html" in page.lower()


def test_every_geom_is_in_the_scene_once(app, model) -> None:
    nodes = nodes_of(model, app._launched()._painter)
    geoms = np.sort(np.concatenate([node.geoms for node in nodes]))
    assert np.array_equal(geoms, np.arange(model.num_geoms))
    for node in nodes:
        assert node.faces.max() < len(node.vertices)


def test_geoms_are_where_the_engine_puts_them(model) -> None:
    data = mx.SceneData(model)
    model.step_n(data, 30)
    model.forward_kinematic(data)
    positions, turns = geom_poses(model, model.get_link_poses(data)[None], np.zeros((1, 3)))
    # Meshes are drawn about their centres, where `low` has them; their poses are those of their files.
    assert positions[0] == pytest.approx(data.low.geom_xpos, abs=1e-5)
    for turn, matrix in zip(turns[0], np.reshape(data.low.geom_xmat, (-1, 3, 3)), strict=True):
        w, axis = turn[0], turn[1:]
        cross = np.cross(axis, np.eye(3)).T
        assert np.eye(3) + 2 * w * cross + 2 * cross @ cross == pytest.approx(matrix, abs=1e-5)


def test_buttons_pause_step_and_reset(app, model) -> None:
    data = mx.SceneData(model, batch=[2])
    controls = app._window.controls
    model.step_n(data, 10)
    app.sync(data)
    CLOCK.driven = True
    try:
        click(controls.pause)
        assert CLOCK.paused
        click(controls.step)
        assert CLOCK.take_steps() == 1
        click(controls.pause)
        assert not CLOCK.paused
        click(controls.reset)
        app.sync(data)
        assert not data.time.any(), "the reset is done in the thread of the program"
        choose(controls.speed, "1/4")
        settle(app, data, lambda: CLOCK.speed == 0.25)
    finally:
        CLOCK.driven = False


def test_sliders_move_joints_and_controls_of_the_chosen_world(app, model) -> None:
    data = mx.SceneData(model, batch=[2])
    app.sync(data)
    controls = app._window.controls
    choose(controls.world_slider, 1)
    settle(app, data, lambda: controls.world == 1)
    choose(controls.joints[0], 0.5)
    settle(app, data, lambda: data.dof_pos[1, 7] != 0)
    assert data.dof_pos[:, 7] == pytest.approx([0, 0.5])
    choose(controls.actuators[0], 1.5)
    settle(app, data, lambda: data.actuator_ctrls[1, 0] != 0)
    assert data.actuator_ctrls[:, 0] == pytest.approx([0, 1.5])


def test_groups_and_contacts_can_be_switched(app, model) -> None:
    from motrixsim.render.frame import Frame

    data = mx.SceneData(model, batch=[2])
    model.step_n(data, 400)
    app.sync(data)
    controls = app._window.controls
    choose(controls.groups[0], False)
    settle(app, data, lambda: 0 not in app.opt.groups)
    choose(controls.contacts, True)
    choose(controls.forces, True)
    settle(app, data, lambda: controls.show_contacts and controls.show_forces)
    frame = Frame(app)
    assert len(frame.contacts) > 0
    assert frame.forces.shape == (len(frame.contacts), 6)
    assert (frame.forces[:, 5] - frame.forces[:, 2]).sum() != 0
    choose(controls.only, True)
    settle(app, data, lambda: controls.only_this_world)
    assert list(Frame(app).visible) == [True, False]


def test_the_buttons_of_a_program_call_it_from_its_own_thread(model) -> None:
    import threading

    threads = []
    with RenderApp() as app:
        app.ui.add_button("act", lambda: threads.append(threading.current_thread()))
        app.launch(model)
        app._ui._later(app.ui._buttons[0][1])
        app.sync(mx.SceneData(model))
    assert threads == [threading.main_thread()]


def test_physics_never_waits_for_a_page_that_is_not_there(app, model) -> None:
    data = mx.SceneData(model, batch=[2])
    for _ in range(50):
        app.sync(data)
    assert app._window.sent == 0
    assert app._window.replaced == 49, "the latest frame wins"


def test_a_frame_moves_the_instances_of_all_worlds(app, model) -> None:
    from motrixsim.render.frame import Frame

    data = mx.SceneData(model, batch=[2])
    model.step_n(data, 100)
    model.forward_kinematic(data)
    app.gizmos.draw_arrow([0, 0, 0], [0, 0, 1])
    app.gizmos.draw_sphere(0.1, [1, 0, 0])
    app.sync(data)
    window = app._window
    controls = window.controls
    controls.show_contacts = controls.show_forces = True
    window._show(Frame(app))
    for node, handle in window._nodes:
        assert list(node.worlds) == [0, 1]
        shown = np.asarray(handle.batched_positions).reshape(2, -1, 3)
        for place, geom in enumerate(node.geoms):
            expected = data.low.geom_xpos[:, geom] + [[0, 0, 0], [0, 5, 0]]
            assert shown[:, place] == pytest.approx(expected, abs=1e-4)
    assert {"gizmos_2", "gizmos_3"} <= set(window._marks)
    window._show(Frame(app))


def test_a_page_starts_where_the_system_camera_is(app) -> None:
    from types import SimpleNamespace

    app.system_camera.set_view([0, 0, 1], 3, -20, 40)
    page = SimpleNamespace(camera=SimpleNamespace())
    app._window._place(page)
    w, x, y, z = page.camera.wxyz
    # The page's camera looks along its +z axis.
    ahead = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    assert np.asarray(page.camera.position) + 3 * ahead == pytest.approx([0, 0, 1], abs=1e-6)


def test_the_page_can_look_through_a_camera_of_the_model(app, model) -> None:
    from motrixsim.render.frame import Frame

    app.set_main_camera(app.get_camera(0))
    pose, fovy = Frame(app).main
    assert pose == pytest.approx([1, 2, 3, 0, 0, 0, 1])
    assert fovy == 45
    app.set_main_camera(None)
    assert Frame(app).main is None


def test_clicks_and_keys_are_told_once(app, model) -> None:
    from types import SimpleNamespace

    data = mx.SceneData(model, batch=[2])
    event = SimpleNamespace(ray_origin=(1.0, 2.0, 3.0), ray_direction=(0.0, 0.0, -1.0))
    app._window.controls._clicked(event, True)
    app.input._key("a")
    assert not app.input.is_key_just_pressed("a"), "it is told by the next sync"
    app.sync(data)
    assert app.input.is_key_just_pressed("A")
    assert app.input.is_mouse_just_pressed()
    assert app.input.is_ctrl_clicked()
    assert app.input.mouse_ray() == pytest.approx([1, 2, 3, 0, 0, -1])
    app.sync(data)
    assert not app.input.is_key_just_pressed("a")
    assert not app.input.is_mouse_just_pressed()


def test_a_key_that_repeats_is_held_and_went_down_once(app, model, monkeypatch) -> None:
    from motrixsim.render import ui

    now = [100.0]
    monkeypatch.setattr(ui.time, "perf_counter", lambda: now[0])
    keys = app.input
    keys._key("up")
    keys._turn_over()
    assert keys.is_key_just_pressed("ArrowUp")
    assert keys.is_key_pressed("up")
    for _ in range(20):
        now[0] += 0.03
        keys._key("up")
        keys._turn_over()
        assert keys.is_key_pressed("up")
        assert not keys.is_key_just_pressed("up")
    now[0] += 0.2
    assert not keys.is_key_pressed("up"), "it was let go"
    keys._key("up")
    keys._turn_over()
    assert keys.is_key_just_pressed("up")


def test_terrain_on_the_page_follows_its_heights_and_the_windows_of_worlds(app, model) -> None:
    from motrixsim.render.frame import Frame

    data = mx.SceneData(model, batch=[2])
    window = app._window

    def terrain() -> list[tuple[list[int], float]]:
        """The worlds that see each piece of terrain, and its highest point."""
        app.sync(data)
        window._terrain_seen = 0.0
        window._show(Frame(app))
        return [(list(n.worlds), float(n.vertices[:, 2].max())) for n, _ in window._nodes if n.terrain]

    assert terrain() == [([0, 1], pytest.approx(0.2))]
    model.geoms[1].set_window_override(data, [[0, 0], [0, 1]], [1.0, 2.0], shape=(2, 2))
    assert sorted(terrain()) == [([0], pytest.approx(0.2)), ([1], pytest.approx(0.4))]
    model.get_hfield("h").update(0, 0, np.full((3, 3), 0.1))
    assert sorted(terrain()) == [([0], pytest.approx(0.1)), ([1], pytest.approx(0.2))]


def test_sizes_of_worlds_show_on_the_page(app, model) -> None:
    from motrixsim.render.frame import Frame

    data = mx.SceneData(model, batch=[2])
    ball = next(geom.index for geom in model.geoms if geom.link is not None)
    model.geoms[ball].set_size_override(data, [[0.1], [0.4]])
    app.sync(data)
    app._window._show(Frame(app))
    node, handle = next((n, h) for n, h in app._window._nodes if ball in n.geoms)
    place = list(node.geoms).index(ball)
    scales = np.asarray(handle.batched_scales).reshape(2, -1, 3)
    assert scales[:, place] == pytest.approx(np.array([[0.1] * 3, [0.4] * 3]))
    others = np.delete(scales, place, axis=1)
    assert np.array_equal(others[0], others[1])


def test_tendons_show_on_the_page_where_their_sites_are() -> None:
    from motrixsim.render.frame import Frame

    model = mx.load_mjcf_str("""<mujoco><worldbody><site name="a" pos="0 0 1"/><body><freejoint/><geom size=".1"/>
      <site name="b" pos="0 0 .2"/></body></worldbody><tendon><spatial width=".02" rgba="1 0 0 1"><site site="a"/>
      <site site="b"/></spatial></tendon></mujoco>""")
    with RenderApp() as app:
        app.launch(model, batch=2, render_offset=[[0, 0, 0], [5, 0, 0]])
        app.sync(mx.SceneData(model, batch=[2]))
        rods = app._window._tendons(Frame(app))
        # Capsules of radius 0.02 and half length 0.4 whose middles are at height 0.6, one per world.
        assert rods[:, :4] == pytest.approx(np.array([[3, 0.02, 0.4, 0]] * 2))
        assert rods[:, 4:7] == pytest.approx(np.array([[0, 0, 0.6], [5, 0, 0.6]]))
        app.set_scene_vis(0, False)
        assert len(app._window._tendons(Frame(app))) == 1
        app._window._show(Frame(app))
        assert "tendons" in app._window._marks
        with pytest.raises(ValueError, match="offsets"):
            app._launched()._painter.tendons(np.zeros((1, 1, 7)), [1.0], 1)


def test_a_layout_puts_a_widget_into_a_panel_of_its_own(app, model) -> None:
    from motrixsim.render import Layout
    from motrixsim.render.frame import Frame

    window = app._window
    app.widgets.create_image_widget(app.create_image(np.zeros((4, 6, 3), np.uint8)), Layout(10, "50%", "25%", 90))
    window._show(Frame(app))
    (handles,) = window._pictures.values()
    assert len(handles) == 2, "the picture and its panel"
    app.opt.set_left_panel_vis(False)
    app.widgets.clear()
    window._show(Frame(app))
    assert not window._pictures


def test_widgets_show_pictures_and_go_away(app, model) -> None:
    from motrixsim.render.frame import Frame

    window = app._window
    app.widgets.create_image_widget(app.create_image(np.zeros((4, 6, 3), np.uint8)))
    app.widgets.create_image_widget(app.create_image(np.ones((4, 6), np.float32)))
    for _ in range(2):
        window._show(Frame(app))
        assert len(window._pictures) == 2
    app.widgets.clear()
    window._show(Frame(app))
    assert not window._pictures


class Page:
    """A browser's half of the conversation: it says where its camera is, and reads whatever comes."""

    def __init__(self, url: str) -> None:
        import msgspec.msgpack
        import viser
        from websockets.sync.client import connect

        protocol = f"viser-v{viser.__version__}"
        self.socket = connect(url.replace("http", "ws"), subprotocols=[protocol], max_size=None, compression=None)
        camera = {
            "type": "ViewerCameraMessage",
            "wxyz": [1.0, 0.0, 0.0, 0.0],
            "position": [0.0, 0.0, 5.0],
            "fov": 0.8,
            "near": 0.01,
            "far": 100.0,
            "image_height": 300,
            "image_width": 400,
            "look_at": [0.0, 0.0, 0.0],
            "up_direction": [0.0, 0.0, 1.0],
        }
        self.socket.send(msgspec.msgpack.encode(camera))

    def read(self, seconds: float) -> int:
        """Bytes that arrive within a time."""
        total, end = 0, time.perf_counter() + seconds
        while (rest := end - time.perf_counter()) > 0:
            try:
                total += len(self.socket.recv(timeout=rest))
            except TimeoutError:
                break
        return total


def test_a_page_gets_the_scene_and_then_the_latest_frames(app, model) -> None:
    data = mx.SceneData(model, batch=[2])
    page = Page(app.url)
    assert page.read(1.0) > 1000, "the scene"
    settle(app, data, lambda: app._window.sent > 0)
    begin, syncs = app._window.sent, 0
    end = time.perf_counter() + 0.5
    while time.perf_counter() < end:
        mx.step(model, data)
        app.sync(data)
        syncs += 1
    assert page.read(0.3) > 1000, "new poses"
    sent = app._window.sent - begin
    assert 0 < sent < 30, "no more than thirty frames a second"
    assert syncs > sent
    # Physics goes on when the page goes away.
    page.socket.close()
    for _ in range(20):
        mx.step(model, data)
        app.sync(data)


def test_closing_ends_the_server(model) -> None:
    app = RenderApp()
    app.launch(model)
    app.close()
    with pytest.raises(RenderClosedError):
        app.sync(mx.SceneData(model))
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(app.url, timeout=2).read()


@pytest.mark.slow
def test_the_command_shows_a_file_until_it_is_stopped() -> None:
    file = Path(__file__).parent.parent / "examples" / "assets" / "quadruped.xml"
    command = [sys.executable, "-m", "motrixsim.run", "--file", str(file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    url = next(line for line in process.stdout if line.startswith("Showing the simulation at")).split()[-1]
    assert urllib.request.urlopen(url, timeout=10).status == 200
    time.sleep(1)  # it shows a few frames
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
