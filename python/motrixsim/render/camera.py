"""Cameras of a running renderer, and the pictures they take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .image import Image
from .renderer import FreeView, Kind

if TYPE_CHECKING:
    from .app import RenderApp

__all__ = ["CaptureTask", "RenderCamera", "SystemCamera"]

#: Pixels of a camera whose target is the window.
WINDOW_SIZE = (960, 540)


class CaptureTask:
    """A picture that was asked for. It is taken by the next `sync`."""

    def __init__(self) -> None:
        self._state: Literal["pending", "done", "closed"] = "pending"
        self._image: Image | None = None

    @property
    def state(self) -> Literal["pending", "done", "closed"]:
        """`"pending"` until the next `sync`, then `"done"`, and `"closed"` once the image was taken away."""
        return self._state

    def take_image(self) -> Image | None:
        """The image, once; None while it is pending. RuntimeError when it was taken before."""
        if self._state == "closed":
            raise RuntimeError("The capture task has been closed")
        image = self._image
        if image is not None:
            self._state, self._image = "closed", None
        return image

    def _finish(self, image: Image) -> None:
        self._state, self._image = "done", image


class _Capturing:
    """What takes pictures when `sync` comes by. One that is not active keeps its tasks for later."""

    def __init__(self, app: RenderApp) -> None:
        self._app = app
        #: Whether it takes pictures.
        self.active = True
        self._tasks: list[tuple[CaptureTask, Kind | None]] = []

    def _picture(self, kind: Kind | None) -> Image:
        raise NotImplementedError

    def capture(self, kind: Kind | None = None) -> CaptureTask:
        """Asks for a picture; without a kind it has colours, or depths if the camera is `depth_only`."""
        task = CaptureTask()
        self._tasks.append((task, kind))
        return task

    def _take(self) -> None:
        """Takes the pictures that were asked for."""
        if self.active:
            tasks, self._tasks = self._tasks, []
            for task, kind in tasks:
                task._finish(self._picture(kind))


class RenderCamera(_Capturing):
    """A camera of the model."""

    def __init__(self, app: RenderApp, index: int) -> None:
        super().__init__(app)
        self._index = index

    @property
    def index(self) -> int:
        """Its place in `model.cameras`."""
        return self._index

    def _picture(self, kind: Kind | None) -> Image:
        return self._app._picture_of_camera(self._index, kind)


class SystemCamera(_Capturing):
    """The free camera: it sees all worlds of the scene at once."""

    def __init__(self, app: RenderApp, view: FreeView) -> None:
        super().__init__(app)
        self._view = view

    @property
    def pose(self) -> NDArray[np.float64]:
        """Where it is, `[x, y, z, i, j, k, w]`; it looks along its -z axis."""
        return np.array(self._view.pose, np.float64)

    @property
    def view(self) -> FreeView:
        """Where it is and how much it sees."""
        return self._view

    def set_pose(self, pose: ArrayLike) -> None:
        """Puts it somewhere."""
        self._place(FreeView(pose, self._view.fovy))

    def set_view(self, lookat: ArrayLike, distance: float, elevation: float, azimuth: float) -> None:
        """Looks at a point from a distance; angles in degrees, elevation negative from above."""
        self._place(FreeView.around(lookat, distance, elevation, azimuth, self._view.fovy))

    def _place(self, view: FreeView) -> None:
        self._view = view
        self._app._camera_moved()

    def _picture(self, kind: Kind | None) -> Image:
        return self._app._picture(kind or "rgb")
