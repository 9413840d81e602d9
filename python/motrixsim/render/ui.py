"""Buttons, switches, keys and widgets of a renderer. Without a window they exist, and nobody presses them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidArgumentError
from .image import Image
from .settings import Layout

if TYPE_CHECKING:
    from .camera import RenderCamera
    from .controls import Controls

__all__ = ["CameraViewport", "ImageWidget", "Input", "RenderUI", "RenderWidgets"]


class RenderUI:
    """Buttons and switches of a program, before `launch` or after. What they call runs inside of the next `sync`."""

    def __init__(self) -> None:
        #: The panel of the page, once there is one.
        self._panel: Controls | None = None
        self._buttons: list[tuple[str, Callable[[], None]]] = []
        self._toggles: list[tuple[str, bool, Callable[[bool], None]]] = []
        self._waiting: list[Callable[[], None]] = []

    def add_button(self, label: str, callback: Callable[[], None]) -> None:
        """A button."""
        _called(callback)
        self._buttons.append((label, callback))
        if self._panel is not None:
            self._panel.add_button(label, callback)

    def add_toggle(self, label: str, initial: bool, callback: Callable[[bool], None]) -> None:
        """A switch; the callback gets its new position."""
        _called(callback)
        self._toggles.append((label, initial, callback))
        if self._panel is not None:
            self._panel.add_toggle(label, initial, callback)

    def _later(self, call: Callable[[], None]) -> None:
        """Keeps a call for the thread of the program."""
        self._waiting.append(call)

    def _run(self) -> None:
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            call()


def _called(callback: object) -> None:
    if not callable(callback):
        raise InvalidArgumentError(f"a callback must be callable, got {callback!r}")


#: A browser tells that a key went down, and again and again while it is held, but not that it went up. A key counts as
#: held until the next repetition is overdue, seconds: the first one comes late.
_FIRST_REPETITION, _REPETITION = 0.6, 0.15


class Input:
    """Keys and the mouse, as they were at the last `sync`. Keys are letters, digits and names such as `"space"`."""

    def __init__(self) -> None:
        self._arriving: set[str] = set()
        self._just: set[str] = set()
        #: When each key was told last, and until when it counts as held.
        self._held: dict[str, tuple[float, float]] = {}
        self._click_arriving: tuple[NDArray[np.float64], bool] | None = None
        self._ray: NDArray[np.float64] | None = None
        self._clicked = False
        self._ctrl = False

    def is_key_pressed(self, key: str) -> bool:
        """Whether a key is held. A browser does not tell when it is let go; that is noticed a moment later."""
        return time.perf_counter() < self._held.get(_key_name(key), (0.0, 0.0))[1]

    def is_key_just_pressed(self, key: str) -> bool:
        """Whether a key went down since the `sync` before."""
        return _key_name(key) in self._just

    def _key(self, key: str) -> None:
        """A key goes down, or repeats."""
        now = time.perf_counter()
        repeats = now - self._held.get(key, (-np.inf, 0.0))[0] < _REPETITION
        self._held[key] = (now, now + (_REPETITION if repeats else _FIRST_REPETITION))
        if not repeats:
            self._arriving.add(key)

    def is_mouse_just_pressed(self, button: str = "left") -> bool:
        """Whether the scene was clicked since the `sync` before."""
        return button == "left" and self._clicked

    def is_ctrl_clicked(self) -> bool:
        """Whether the scene was clicked with the control key held."""
        return self._clicked and self._ctrl

    def mouse_ray(self) -> NDArray[np.float64] | None:
        """Origin and direction, six numbers, of the ray under the last click; None before the first."""
        return None if self._ray is None else self._ray.copy()

    def _click(self, ray: NDArray[np.float64], ctrl: bool) -> None:
        """A click, as it arrives."""
        self._click_arriving = (ray, ctrl)

    def _turn_over(self) -> None:
        """What arrived becomes what is asked for."""
        self._just, self._arriving = self._arriving, set()
        click, self._click_arriving = self._click_arriving, None
        self._clicked = click is not None
        if click is not None:
            self._ray, self._ctrl = click


def _key_name(key: str) -> str:
    """The name of a key; an arrow is known by its direction."""
    return key.lower().removeprefix("arrow")


class CameraViewport:
    """The picture of a camera in a corner of the window."""

    def __init__(self, camera: RenderCamera, layout: Layout) -> None:
        self.camera, self.layout = camera, layout
        #: The last picture.
        self.image: Image | None = None


class ImageWidget:
    """A picture in a corner of the window."""

    def __init__(self, image: Image, layout: Layout) -> None:
        self.image, self.layout = image, layout


class RenderWidgets:
    """Widgets over the scene."""

    def __init__(self) -> None:
        self.viewports: list[CameraViewport] = []
        self.images: list[ImageWidget] = []

    def create_camera_viewport(self, camera: RenderCamera, layout: Layout | None = None) -> CameraViewport:
        """Shows what a camera sees, live."""
        viewport = CameraViewport(camera, layout or Layout())
        self.viewports.append(viewport)
        return viewport

    def create_image_widget(self, image: Image, layout: Layout | None = None) -> ImageWidget:
        """Shows a picture."""
        widget = ImageWidget(image, layout or Layout())
        self.images.append(widget)
        return widget

    def clear(self) -> None:
        """Removes all widgets."""
        self.viewports.clear()
        self.images.clear()
