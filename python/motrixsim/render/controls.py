"""The panel of the page: time, worlds, what is shown, joints and controls."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .clock import CLOCK

if TYPE_CHECKING:
    from .app import RenderApp

__all__ = ["Controls"]

#: Sliders that a panel has at most of each kind.
_MOST_SLIDERS = 40
_SPEEDS = ("1/32", "1/16", "1/8", "1/4", "1/2", "1", "2", "4", "8")
#: Keys that the page listens to for programs, and what it calls them.
_KEYS = (
    {key: key.upper() for key in "abcdefghijklmnopqrstuvwxyz0123456789"}
    | {key: key for key in ("space", "enter", "backspace", "delete", "home", "end", "pageup", "pagedown")}
    | {key: f"arrow{key}" for key in ("up", "down", "left", "right")}
)


class Controls:
    """The widgets of a page, and what their users have chosen."""

    def __init__(self, app: RenderApp, server: Any) -> None:
        self._app, self._server = app, server
        self.world = 0
        self.only_this_world = False
        self.tracking = False
        self.show_contacts = False
        self.show_forces = False
        self._shown_at, self._shown_time = time.perf_counter(), 0.0
        gui = server.gui
        tabs = gui.add_tab_group()
        with tabs.add_tab("Controls"):
            self._time(gui)
            self._worlds(gui)
            self._program(gui)
        with tabs.add_tab("Show"):
            self._show(gui)
        with tabs.add_tab("Joints"):
            self._joints(gui)
        with tabs.add_tab("Actuators"):
            self._actuators(gui)
        self._keys(gui)
        self._mouse(server.scene)

    def _later(self, call: Callable[[], None]) -> None:
        """Users act in threads of the page; what they ask for is done in that of the program."""
        self._app._ui._later(call)

    def _time(self, gui: Any) -> None:
        self.pause = gui.add_button("Pause")
        self.step = gui.add_button("Step")
        self.reset = gui.add_button("Reset")
        self.speed = gui.add_dropdown("Speed", _SPEEDS, initial_value="1")
        self._status = gui.add_markdown("")

        @self.pause.on_click  # type: ignore[untyped-decorator]
        def _(_: Any) -> None:
            CLOCK.paused = not CLOCK.paused
            self.pause.label = "Go on" if CLOCK.paused else "Pause"

        @self.step.on_click  # type: ignore[untyped-decorator]
        def _(_: Any) -> None:
            CLOCK.ask_for_step()

        @self.reset.on_click  # type: ignore[untyped-decorator]
        def _(_: Any) -> None:
            self._later(self._reset)

        @self.speed.on_update  # type: ignore[untyped-decorator]
        def _(_: Any) -> None:
            above, _, below = self.speed.value.partition("/")
            CLOCK.speed = float(above) / float(below or 1)

    def _reset(self) -> None:
        """All worlds start again, in the first key frame if there is one."""
        data, model = self._app._data, self._app._model
        data.reset(model)
        if model.num_keyframes:
            model.keyframes[0].apply(data)
        model.forward_kinematic(data)

    def _worlds(self, gui: Any) -> None:
        last = max(1, self._app._batch - 1)
        self.world_slider = gui.add_slider("World", 0, last, 1, 0, disabled=self._app._batch == 1)
        self.only = gui.add_checkbox("Only this world", False, disabled=self._app._batch == 1)
        self.track = gui.add_checkbox("Follow its first link", False)

        @self.world_slider.on_update  # type: ignore[untyped-decorator]
        def _(_: Any) -> None:
            self.world = min(int(self.world_slider.value), self._app._batch - 1)

        @self.only.on_update  # type: ignore[untyped-decorator]
        def _(_: Any) -> None:
            self.only_this_world = bool(self.only.value)

        @self.track.on_update  # type: ignore[untyped-decorator]
        def _(_: Any) -> None:
            self.tracking = bool(self.track.value)

    def _program(self, gui: Any) -> None:
        """Buttons and switches of the program, those to come included."""
        self._own = gui.add_folder("Program", visible=False)
        ui = self._app.ui
        for label, callback in ui._buttons:
            self.add_button(label, callback)
        for label, initial, switch in ui._toggles:
            self.add_toggle(label, initial, switch)
        ui._panel = self

    def add_button(self, label: str, callback: Callable[[], None]) -> None:
        """A button of the program."""
        self._own.visible = True
        with self._own:
            button = self._server.gui.add_button(label)
        button.on_click(lambda _: self._later(callback))

    def add_toggle(self, label: str, initial: bool, callback: Callable[[bool], None]) -> None:
        """A switch of the program."""
        self._own.visible = True
        with self._own:
            box = self._server.gui.add_checkbox(label, initial)
        box.on_update(lambda _: self._later(lambda: callback(bool(box.value))))

    def _show(self, gui: Any) -> None:
        self.contacts = gui.add_checkbox("Contact points", False)
        self.forces = gui.add_checkbox("Contact forces", False)

        @self.contacts.on_update  # type: ignore[untyped-decorator]
        def _(_: Any) -> None:
            self.show_contacts = bool(self.contacts.value)

        @self.forces.on_update  # type: ignore[untyped-decorator]
        def _(_: Any) -> None:
            self.show_forces = bool(self.forces.value)

        self.groups = []
        for group in sorted(set(self._app._launched()._painter.geom_groups())):
            box = gui.add_checkbox(f"Group {group}", group in self._app.opt.groups)
            box.on_update(lambda _, box=box, group=group: self._app.opt.set_group_vis(group, bool(box.value)))
            self.groups.append(box)

    def _joints(self, gui: Any) -> None:
        """A slider per hinge or slide; moving one sets the position in the chosen world."""
        self.joints = []
        joints = [joint for joint in self._app._model.joints if joint.num_dof_pos == 1][:_MOST_SLIDERS]
        for joint in joints:
            low, high = (float(x) for x in np.ravel(joint.range)[:2])
            if not low < high:
                low, high = -np.pi, np.pi
            slider = gui.add_slider(
                joint.name or f"joint {joint.index}", low, high, (high - low) / 200, float(np.clip(0, low, high))
            )
            slider.on_update(lambda _, slider=slider, joint=joint: self._later(lambda: self._move(joint, slider.value)))
            self.joints.append(slider)

    def _move(self, joint: Any, value: float) -> None:
        data = self._chosen()
        joint.set_dof_pos(data, value if joint.get_dof_pos(data).ndim == 0 else [value])
        self._app._model.forward_kinematic(data)

    def _actuators(self, gui: Any) -> None:
        """A slider per actuator; moving one sets the control in the chosen world."""
        self.actuators = []
        for actuator in self._app._model.actuators[:_MOST_SLIDERS]:
            low, high = actuator.ctrl_range or (-1.0, 1.0)
            start = float(np.clip(0, low, high))
            slider = gui.add_slider(actuator.name or f"actuator {actuator.index}", low, high, (high - low) / 200, start)
            slider.on_update(
                lambda _, slider=slider, actuator=actuator: self._later(
                    lambda: actuator.set_ctrl(self._chosen(), slider.value)
                )
            )
            self.actuators.append(slider)

    def _chosen(self) -> Any:
        """The data of the chosen world."""
        data = self._app._data
        return data[self.world] if data.shape else data

    def _keys(self, gui: Any) -> None:
        for key, hotkey in _KEYS.items():
            command = gui.add_command(f"Key {hotkey}", hotkey=hotkey)
            command.on_trigger(lambda _, key=key: self._app.input._key(key))

    def _mouse(self, scene: Any) -> None:
        """Clicks into the scene, with the control key and without."""
        scene.on_click()(lambda event: self._clicked(event, False))
        scene.on_click(modifier="cmd/ctrl")(lambda event: self._clicked(event, True))

    def _clicked(self, event: Any, ctrl: bool) -> None:
        ray = np.array([*event.ray_origin, *event.ray_direction], np.float64)
        self._app.input._click(ray, ctrl)

    def status(self) -> None:
        """Shows the time and how fast it runs, twice a second."""
        now = time.perf_counter()
        if now - self._shown_at < 0.5:
            return
        data = self._app._data
        simulated = float(np.ravel(data.time)[min(self.world, np.size(data.time) - 1)])
        speed = (simulated - self._shown_time) / (now - self._shown_at)
        self._status.content = f"time {simulated:.2f} s, {speed:.2f} times as fast as real time"
        self._shown_at, self._shown_time = now, simulated
