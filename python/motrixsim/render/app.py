"""`RenderApp`: shows a running simulation, in a window of the browser or as pictures only."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motrixsim import SceneData, SceneModel

from .camera import WINDOW_SIZE, RenderCamera, SystemCamera
from .errors import InvalidArgumentError, OtherRenderError, RenderClosedError
from .gizmos import RenderGizmos
from .image import Image
from .marks import model_marks
from .renderer import Kind, Renderer
from .settings import RenderOpt, RenderSettings
from .ui import Input, RenderUI, RenderWidgets

if TYPE_CHECKING:
    from .window import Window

__all__ = ["RenderApp"]

_LEVELS = {"TRACE": 5, "DEBUG": 10, "INFO": 20, "WARN": 30, "WARNING": 30, "ERROR": 40}


class RenderApp:
    """Shows a running simulation.

    With `headless=True` it needs nothing but this package, and makes pictures when a camera is asked for one. Otherwise
    it opens a page for a browser on this machine, prints its address, and keeps the page up to date; that needs
    `viser`, which `pip install 'openmotrix[viewer]'` brings. `fps` limits how often the page is updated. The
    environment variable `MOTRIXSIM_HEADLESS=1` makes every renderer headless, for machines where nobody looks.

    Use it as a context manager, or call `close`.
    """

    def __init__(
        self,
        log_level: str = "WARN",
        headless: bool = False,
        fps: float | None = None,
        enable_render_diagnostics: bool = False,
    ) -> None:
        if log_level.upper() not in _LEVELS:
            raise InvalidArgumentError(f"unknown log level {log_level!r}, expected one of {list(_LEVELS)}")
        if fps is not None and not fps > 0:
            raise InvalidArgumentError(f"fps must be positive, got {fps}")
        self._log = logging.getLogger("motrixsim.render")
        self._log.setLevel(_LEVELS[log_level.upper()])
        self._diagnostics = enable_render_diagnostics
        self._interval = 0.0 if fps is None else 1.0 / fps
        self._headless = headless or os.environ.get("MOTRIXSIM_HEADLESS", "") not in ("", "0")
        self._closed = False
        self._last_sync = -np.inf
        self._renderer: Renderer | None = None
        self._window: Window | None = None
        self._opt, self._input, self._gizmos = RenderOpt(), Input(), RenderGizmos()
        self._widgets, self._ui = RenderWidgets(), RenderUI()
        self._cameras: list[RenderCamera] = []
        self._main: RenderCamera | None = None
        if not self._headless:
            from .window import Window

            self._window = Window(self)

    @property
    def opt(self) -> RenderOpt:
        """What is shown."""
        return self._opt

    @property
    def input(self) -> Input:
        """Keys and the mouse."""
        return self._input

    @property
    def gizmos(self) -> RenderGizmos:
        """Marks drawn into the scene."""
        return self._gizmos

    @property
    def widgets(self) -> RenderWidgets:
        """Widgets over the scene."""
        return self._widgets

    @property
    def ui(self) -> RenderUI:
        """Buttons and switches."""
        return self._ui

    @property
    def is_closed(self) -> bool:
        """Whether the renderer was closed."""
        return self._closed

    @property
    def url(self) -> str | None:
        """The address of the page; None when headless."""
        return None if self._window is None else self._window.url

    @property
    def system_camera(self) -> SystemCamera:
        """The free camera."""
        self._launched()
        return self._system

    def launch(
        self,
        model: SceneModel,
        batch: int = 1,
        render_offset: ArrayLike | None = None,
        render_settings: RenderSettings | None = None,
    ) -> None:
        """Prepares to show `batch` worlds of a model, each moved by its row of `render_offset`, shape `(batch, 3)`."""
        self._open()
        if batch < 1:
            raise InvalidArgumentError(f"at least one world is shown, got batch={batch}")
        offsets = np.zeros((batch, 3)) if render_offset is None else np.array(render_offset, float)
        if offsets.shape != (batch, 3) or not np.isfinite(offsets).all():
            raise InvalidArgumentError(
                f"render_offset: expected finite numbers of shape ({batch}, 3), got {offsets.shape}"
            )
        self._model, self._batch, self._offsets = model, batch, offsets
        self._settings = render_settings or RenderSettings()
        self._renderer = Renderer(model)
        self._visible = np.ones(batch, bool)
        self._cameras = [RenderCamera(self, index) for index in range(len(model.cameras))]
        self._system = SystemCamera(self, self._renderer.free_view())
        rest = SceneData(model)
        self._data: SceneData = rest
        self._links = np.repeat(model.get_link_poses(rest)[None], batch, axis=0)
        self._sizes: NDArray[Any] | None = None
        self._windows: NDArray[Any] | None = None
        self._extras = np.empty((0, 15))
        if self._window is not None:
            self._window.launch()

    def sync(self, data: SceneData | ArrayLike | None = None, wait: bool = False) -> None:
        """Shows the state of the worlds, and takes the pictures that were asked for.

        `data` are worlds, or poses of their links of the shape `(worlds, links, 7)`; None shows the last state again.
        Pictures are always complete when it returns, so `wait` changes nothing. RenderClosedError once the window was
        closed.
        """
        renderer = self._launched()
        self._ui._run()
        self._input._turn_over()
        if data is not None:
            self._take(data)
        self._extras = np.concatenate([self._gizmos._taken(), *model_marks(self)])
        renderer.groups = self._opt.groups
        for camera in self._cameras:
            camera._take()
        self._system._take()
        for viewport in self._widgets.viewports:
            if viewport.camera.active:
                viewport.image = self._picture_of_camera(viewport.camera.index, None)
        now = time.perf_counter()
        if self._window is not None and (now - self._last_sync >= self._interval or wait):
            self._last_sync = now
            self._window.update()

    def _take(self, data: SceneData | ArrayLike) -> None:
        """Reads the worlds that are shown."""
        model, batch = self._model, self._batch
        if isinstance(data, SceneData):
            count = int(np.prod(data.shape))
            links = np.reshape(model.get_link_poses(data), (count, model.num_links, 7))
            sizes, windows = self._launched().overridden(data)
            self._data = data
        else:
            links = np.asarray(data, float)
            if links.ndim == 2:
                links = links[None]
            if links.ndim != 3 or links.shape[1:] != (model.num_links, 7):
                expected = f"({batch}, {model.num_links}, 7)"
                raise InvalidArgumentError(f"poses of links: expected shape {expected}, got {links.shape}")
            sizes = windows = None
        if len(links) < batch:
            raise InvalidArgumentError(f"{batch} worlds are shown, got {len(links)}")
        self._links = np.array(links[:batch])
        self._sizes, self._windows = (None if one is None else one[:batch] for one in (sizes, windows))

    def set_main_camera(self, camera: RenderCamera | None) -> None:
        """The camera through which the window is seen; None for the free one."""
        self._launched()
        self._main = camera
        self._camera_moved()

    def get_camera(self, index: int) -> RenderCamera | None:
        """A camera of the model; None when there is none of this index."""
        self._launched()
        return self._cameras[index] if 0 <= index < len(self._cameras) else None

    def set_scene_vis(self, index: int, visible: bool) -> None:
        """Shows or hides a world."""
        self._launched()
        if not 0 <= index < self._batch:
            raise InvalidArgumentError(f"world {index} is out of range for {self._batch} worlds")
        self._visible[index] = visible

    def set_all_scene_vis(self, visible: bool) -> None:
        """Shows or hides all worlds."""
        self._launched()
        self._visible[:] = visible

    def create_image(self, pixels: ArrayLike) -> Image:
        """An image for a widget."""
        return Image(pixels)

    def close(self) -> None:
        """Ends it; a second call does nothing."""
        self._closed = True
        if self._window is not None:
            self._window.stop()

    def __enter__(self) -> RenderApp:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> None:
        if self._closed:
            raise RenderClosedError("the renderer was closed")

    def _launched(self) -> Renderer:
        self._open()
        if self._renderer is None:
            raise OtherRenderError("call launch(model) first")
        return self._renderer

    def _camera_moved(self) -> None:
        if self._window is not None:
            self._window.place_camera()

    def _picture(self, kind: Kind) -> Image:
        """What the free camera sees: all worlds at their offsets."""
        renderer = self._launched()
        width, height = renderer._painter.image_size(None) or WINDOW_SIZE
        view = renderer.views(SceneData(self._model), self._system.view, width, height)
        shown = np.flatnonzero(self._visible)
        sizes, windows = (None if one is None else one[None, shown] for one in (self._sizes, self._windows))
        pixels = renderer.paint(
            kind,
            self._links[None, shown],
            self._offsets[shown],
            view,
            width,
            height,
            self._settings.samples,
            self._settings.enable_shadow,
            sizes,
            self._extras if kind == "rgb" else None,
            windows,
        )
        return Image(pixels[0])

    def _picture_of_camera(self, index: int, kind: Kind | None) -> Image:
        """What a camera of the model sees, in each world that is shown."""
        renderer = self._launched()
        camera = self._model.cameras[index]
        width, height = renderer._painter.image_size(index) or WINDOW_SIZE
        views = renderer.views(self._data, index, width, height)[: self._batch]
        sizes, windows = (None if one is None else one[:, None] for one in (self._sizes, self._windows))
        pixels = renderer.paint(
            kind or ("depth" if camera.depth_only else "rgb"),
            self._links[: len(views), None],
            np.zeros((1, 3)),
            views,
            width,
            height,
            self._settings.samples,
            self._settings.enable_shadow,
            sizes,
            None,
            windows,
        )
        return Image(pixels[0] if self._batch == 1 else pixels)

    def __repr__(self) -> str:
        state = "closed" if self._closed else "headless" if self._headless else f"at {self.url}"
        return f"<motrixsim.render.RenderApp {state}>"

    @property
    def _worlds(self) -> Sequence[int]:
        """The worlds that are shown."""
        return [int(world) for world in np.flatnonzero(self._visible)]
