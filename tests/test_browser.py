"""The page in a real browser: its picture shows the scene as it moves, its buttons act, nothing leaves this machine."""

import threading
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import chromium
import numpy as np
import pytest

import motrixsim as mx
from motrixsim import run
from motrixsim.render import RenderApp, RenderSettings
from motrixsim.render.clock import CLOCK

pytest.importorskip("viser", reason="the window needs viser, which the extra `viewer` brings")
pytestmark = pytest.mark.slow

#: A red ball that slides along y, which the camera sees grow to the right.
SCENE = """
<mujoco>
  <option gravity="0 0 0"/>
  <worldbody>
    <body name="ball"><joint name="slide" type="slide" axis="0 1 0"/><geom size=".3" rgba="1 0 0 1" mass="1"/></body>
  </worldbody>
  <actuator><motor name="push" joint="slide" ctrlrange="-1 1"/></actuator>
</mujoco>
"""
WIDTH, HEIGHT = 640, 400
#: The ball is seen in the lower left quarter, where nothing lies over the scene.
LOOK_AT = (0.0, 1.2, 0.8)


class Running:
    """A program as users write it, in a thread of its own, and the page that shows it."""

    def __init__(self, browser: chromium.Chromium) -> None:
        self.model = mx.load_mjcf_str(SCENE)
        self.data = mx.SceneData(self.model)
        self.app = RenderApp()
        self.keys: list[str] = []
        self.pressed: list[object] = []
        self.app.ui.add_button("Shout", lambda: self.pressed.append("button"))
        self.app.launch(self.model, render_settings=RenderSettings.performance())
        self.app.ui.add_toggle("Whisper", False, self.pressed.append)
        self.app.system_camera.set_view(LOOK_AT, 6, 0, 180)
        self.steps = 0
        self.thread = threading.Thread(target=self._run)
        self.thread.start()
        self.page = browser.open(self.app.url, WIDTH, HEIGHT)

    def _run(self) -> None:
        run.render_loop(self.model.options.timestep, 60, self._step, self._show)

    def _step(self) -> None:
        mx.step(self.model, self.data)
        self.steps += 1

    def _show(self) -> None:
        self.app.sync(self.data)
        self.keys += [key for key in "ad" if self.app.input.is_key_just_pressed(key)]

    def red(self) -> np.ndarray:
        """Columns of the red pixels in the lower left quarter."""
        picture = self.page.pixels()[HEIGHT // 2 :, : WIDTH // 2].astype(int)
        return np.nonzero((picture[..., 0] > 100) & (picture[..., 1:].max(-1) < picture[..., 0] / 2))[1]

    def close(self) -> None:
        self.app.close()
        self.thread.join(timeout=chromium.PATIENCE)
        assert not self.thread.is_alive(), "the loop ends when the window is closed"
        self.page.close()
        CLOCK.paused, CLOCK.speed = False, 1.0


def until(done: Callable[[], object], what: str) -> None:
    """Waits for something that the page or the program will do; a software renderer on a busy machine is slow."""
    end = time.monotonic() + chromium.PATIENCE
    while not done():
        assert time.monotonic() < end, f"it did not happen: {what}"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    try:
        browser = chromium.Chromium(tmp_path_factory.mktemp("chromium"))
    except chromium.NoBrowserError as reason:
        pytest.skip(str(reason))
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def running(browser):
    running = Running(browser)
    until(lambda: "Pause" in running.page.text(), "the panel is there")
    yield running
    running.close()


def test_the_picture_shows_the_scene_as_it_moves(running: Running) -> None:
    until(lambda: len(running.red()) > 50, "the ball is seen")
    before = running.red().mean()
    running.app.ui._later(lambda: running.data.set_dof_pos([-1.0], running.model))
    until(lambda: len(red := running.red()) > 50 and red.mean() < before - 30, "the ball is seen further to the left")
    running.app.ui._later(lambda: running.data.set_dof_pos([0.0], running.model))
    until(lambda: len(red := running.red()) > 50 and abs(red.mean() - before) < 5, "the ball is seen where it was")


def test_buttons_pause_step_and_reset(running: Running) -> None:
    until(lambda: running.data.time > 0, "time runs")
    running.page.click("Pause")
    until(lambda: CLOCK.paused, "it was paused")
    until(lambda: "Go on" in running.page.text(), "the button says so")
    time.sleep(0.1)  # the frame that was under way ends
    stood = running.steps
    time.sleep(0.2)
    assert running.steps == stood, "time stands still"
    running.page.click("Step")
    until(lambda: running.steps == stood + 1, "one step")
    running.page.click("Reset")
    until(lambda: running.data.time == 0, "it starts again")
    assert running.steps == stood + 1
    running.page.click("Go on")
    until(lambda: running.steps > stood + 10, "time runs again")


def test_buttons_and_switches_of_the_program_act(running: Running) -> None:
    running.page.click("Shout")
    until(lambda: "button" in running.pressed, "the button called the program")
    running.page.click("Whisper")
    until(lambda: True in running.pressed, "the switch called the program")


def test_clicks_and_keys_reach_the_program(running: Running) -> None:
    running.page.click_at(WIDTH / 2, HEIGHT - 20)
    until(lambda: running.app.input.mouse_ray() is not None, "the click was told")
    origin, direction = np.split(running.app.input.mouse_ray(), 2)
    assert origin == pytest.approx(np.add(LOOK_AT, [6, 0, 0]), abs=0.01), "it starts at the eye"
    # The focal length in pixels is half the height over the tangent of half the field of view, 22.5 degrees.
    down = (HEIGHT / 2 - 20) / (HEIGHT / 2 / np.tan(np.radians(22.5)))
    assert direction == pytest.approx(np.array([-1, 0, -down]) / np.hypot(1, down), abs=0.01)
    running.page.press("d")
    until(lambda: running.keys == ["d"], "the key was told once")


def test_a_page_that_goes_away_does_not_stop_the_physics(running: Running, browser: chromium.Chromium) -> None:
    second = browser.open(running.app.url, WIDTH, HEIGHT)
    until(lambda: len(running.app._window.server.get_clients()) == 2, "two pages watch")
    second.close()
    steps = running.steps
    until(lambda: running.steps > steps + 100, "time runs on")


def test_nothing_leaves_this_machine(running: Running, browser: chromium.Chromium) -> None:
    until(
        lambda: any(address.startswith("ws") for address in browser.requests()),
        "the page and its socket are in the log",
    )
    assert {urlsplit(address).hostname for address in browser.requests()} == {"127.0.0.1"}
    assert not running.page.ask("document.querySelector('[class*=icon-share]')"), "the page offers no way out"
