"""Pictures of worlds as arrays: for learning from pixels, for tests, and for everything else in this package."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motrixsim import SceneData, SceneModel
from motrixsim._core import Painter

from .errors import InvalidArgumentError
from .image import png

__all__ = ["FreeView", "Renderer", "look_at", "portrait"]

Kind = Literal["rgb", "depth", "segmentation"]
_Floats = NDArray[np.floating[Any]]

#: Groups of geoms that are shown unless a program says otherwise.
DEFAULT_GROUPS = (0, 1, 2)


def look_at(eye: ArrayLike, target: ArrayLike) -> NDArray[np.float64]:
    """The pose `[x, y, z, i, j, k, w]` of a camera at `eye` that looks at `target`, upright."""
    eye, target = np.asarray(eye, float), np.asarray(target, float)
    back = eye - target
    length = np.linalg.norm(back)
    if not length > 0:
        raise InvalidArgumentError("a camera cannot look at the place where it is")
    back = back / length
    right = np.cross([0.0, 0.0, 1.0], back)
    # Straight up or down there is no level direction; x is then the world's.
    norm = np.linalg.norm(right)
    right = right / norm if norm > 1e-9 else np.array([1.0, 0.0, 0.0])
    return np.concatenate([eye, _quaternion(np.column_stack([right, np.cross(back, right), back]))])


def _quaternion(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quaternion `[i, j, k, w]` of a rotation matrix, by the largest of its four components."""
    m = rotation
    squares = np.array([m[0, 0], m[1, 1], m[2, 2], np.trace(m)])
    largest = int(squares.argmax())
    if largest == 3:
        q = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1 + squares[3]])
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        q = np.empty(4)
        q[i] = 1 + m[i, i] - m[j, j] - m[k, k]
        q[j], q[k], q[3] = m[i, j] + m[j, i], m[i, k] + m[k, i], m[k, j] - m[j, k]
    return np.asarray(q / np.linalg.norm(q))


class FreeView:
    """A camera that belongs to no link: where it is and how much it sees."""

    def __init__(self, pose: ArrayLike, fovy: float = 45.0, near: float = 0.0, far: float = np.inf) -> None:
        given = np.asarray(pose, float)
        if given.shape != (7,) or not np.isfinite(given).all():
            raise InvalidArgumentError(f"a pose has seven finite numbers, got {pose!r}")
        norm = np.linalg.norm(given[3:])
        if not norm > 1e-9:
            raise InvalidArgumentError("the quaternion of a pose must not be zero")
        if not 0 < fovy < 180:
            raise InvalidArgumentError(f"the field of view must be between 0 and 180 degrees, got {fovy}")
        if not 0 <= near < far:
            raise InvalidArgumentError(f"the planes must satisfy 0 <= near < far, got {near} and {far}")
        self.pose: NDArray[np.float64] = np.concatenate([given[:3], given[3:] / norm])
        self.fovy, self.near, self.far = fovy, near, far

    @classmethod
    def around(
        cls, lookat: ArrayLike, distance: float, elevation: float, azimuth: float, fovy: float = 45.0
    ) -> FreeView:
        """Looks at a point from a distance; angles are those of the direction of sight, degrees, elevation negative
        from above."""
        if not distance > 0:
            raise InvalidArgumentError(f"the distance must be positive, got {distance}")
        e, a = np.radians(elevation), np.radians(azimuth)
        ahead = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        right = np.array([np.sin(a), -np.cos(a), 0.0])
        rotation = np.column_stack([right, np.cross(right, ahead), -ahead])
        return cls(np.concatenate([np.asarray(lookat, float) - distance * ahead, _quaternion(rotation)]), fovy)


class Renderer:
    """Draws the worlds of a model from cameras of the model or from anywhere, on the CPU, without a display or a
    driver.

    A camera is a name or index of the model's cameras, or a `FreeView`. Results have the shape of the data in front.
    Surfaces are seen from outside only; depth and segmentation see transparent ones too.
    """

    def __init__(self, model: SceneModel) -> None:
        self.model = model
        self._painter = Painter(model)
        self.groups = set(DEFAULT_GROUPS)

    def rgb(
        self,
        data: SceneData,
        camera: str | int | FreeView | None = None,
        width: int = 320,
        height: int = 240,
        samples: Literal[1, 2, 4] = 1,
        shadows: bool = True,
    ) -> NDArray[np.uint8]:
        """Colours, `uint8` of the shape `(*, h, w, 3)`; `samples` per pixel along each side smooth the edges."""
        return self._draw("rgb", data, camera, width, height, samples, shadows)

    def depth(
        self, data: SceneData, camera: str | int | FreeView | None = None, width: int = 320, height: int = 240
    ) -> NDArray[np.float32]:
        """Distances along the axis of the camera in metres, `float32` of the shape `(*, h, w)`; infinite where
        nothing is seen."""
        return self._draw("depth", data, camera, width, height, 1, False)

    def segmentation(
        self, data: SceneData, camera: str | int | FreeView | None = None, width: int = 320, height: int = 240
    ) -> NDArray[np.int32]:
        """Indices of the geoms that are seen, `int32` of the shape `(*, h, w)`; -1 where nothing is."""
        return self._draw("segmentation", data, camera, width, height, 1, False)

    def free_view(self) -> FreeView:
        """The view from where the file puts the free camera."""
        lookat, distance, elevation, azimuth, fovy = self._painter.free_camera()
        return FreeView.around(lookat, distance, elevation, azimuth, fovy)

    def views(
        self, data: SceneData, camera: str | int | FreeView | None, width: int, height: int
    ) -> NDArray[np.float64]:
        """What `paint` needs to know about a camera in each world, shape `(worlds, 14)`."""
        count = int(np.prod(data.shape))
        views = np.empty((count, 14))
        if camera is None:
            camera = self.free_view() if len(self.model.cameras) == 0 else 0
        if isinstance(camera, FreeView):
            top = np.tan(np.radians(camera.fovy) / 2)
            right = top * width / height
            views[:] = [*camera.pose, -right, right, -top, top, 0, camera.near, camera.far]
            return views
        lens = self.model.cameras[camera]
        window, orthographic = self._painter.window(lens.index, width, height)
        views[:, :7] = np.reshape(lens.get_pose(data), (count, 7))
        views[:, 7:] = [*window, orthographic, lens.near_plane, lens.far_plane or np.inf]
        return views

    def paint(
        self,
        kind: Kind,
        links: ArrayLike,
        offsets: ArrayLike,
        views: ArrayLike,
        width: int,
        height: int,
        samples: int = 1,
        shadows: bool = True,
        sizes: ArrayLike | None = None,
        extras: ArrayLike | None = None,
        windows: ArrayLike | None = None,
    ) -> NDArray[Any]:
        """Pictures from arrays: links of the shape `(pictures, worlds, links, 7)`, one row of `views` per picture."""
        groups = sum(1 << group for group in self.groups if 0 <= group < 32)
        return self._painter.paint(
            kind, links, offsets, views, width, height, samples, shadows, groups, sizes, extras, windows
        )

    def overridden(self, data: SceneData) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
        """Sizes of geoms `(worlds, geoms, 3)` and windows of terrain `(worlds, fields, 5)`, where worlds differ."""
        found = self._painter.geom_sizes(data), self._painter.geom_windows(data)
        sizes, windows = (None if one is None else one.reshape(-1, *one.shape[-2:]) for one in found)
        return sizes, windows

    def _draw(
        self,
        kind: Kind,
        data: SceneData,
        camera: str | int | FreeView | None,
        width: int,
        height: int,
        samples: int,
        shadows: bool,
    ) -> NDArray[Any]:
        count = int(np.prod(data.shape))
        links = np.reshape(self.model.get_link_poses(data), (count, 1, self.model.num_links, 7))
        sizes, windows = (None if one is None else one[:, None] for one in self.overridden(data))
        views = self.views(data, camera, width, height)
        pictures = self.paint(
            kind, links, np.zeros((1, 3)), views, width, height, samples, shadows, sizes, None, windows
        )
        return np.reshape(pictures, (*data.shape, *pictures.shape[1:]))


def portrait(model: SceneModel, width: int = 480, height: int = 320) -> bytes:
    """A PNG of a model in its first key frame, or as the file has it: what a notebook shows of a model."""
    data = SceneData(model)
    if model.num_keyframes:
        model.keyframes[0].apply(data)
        model.forward_kinematic(data)
    renderer = Renderer(model)
    return png(renderer.rgb(data, renderer.free_view(), width, height, samples=2))
