"""Marks that are drawn into the scene for one picture: spheres, lines, arrows, grids."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InvalidArgumentError
from .image import Color

__all__ = ["RenderGizmos"]

_SPHERE, _CAPSULE, _CYLINDER, _BOX = 2, 3, 5, 6
_IDENTITY = (0.0, 0.0, 0.0, 1.0)
_WHITE = Color(1.0, 1.0, 1.0)


class RenderGizmos:
    """Drawing in immediate mode: what is drawn shows in the next `sync` and is then forgotten.

    Points are `(3,)` arrays, rotations quaternions `[i, j, k, w]`, lengths metres.
    """

    def __init__(self) -> None:
        #: Thickness of lines, metres.
        self.line_width = 0.01
        #: Whether the shapes that collide are drawn over those that are seen.
        self.draw_collider = False
        self.draw_convex_collider = False
        self.collider_color = Color(0.2, 0.9, 0.3, 0.5)
        #: Whether joints are drawn, as rods along their axes.
        self.draw_joint = False
        self.joint_color = Color(0.2, 0.4, 1.0)
        self.joint_size = 0.1
        #: Whether sites are drawn.
        self.draw_site = False
        self._rows: list[list[float]] = []

    def _add(
        self, kind: int, size: Sequence[float], position: ArrayLike, rotation: ArrayLike, color: Sequence[float]
    ) -> None:
        place, turn = np.asarray(position, float), np.asarray(rotation, float)
        rgba = [*color, 1.0][:4] if len(color) == 3 else list(color)
        if place.shape != (3,) or turn.shape != (4,) or len(rgba) != 4:
            raise InvalidArgumentError("a mark has a point of 3 numbers, a quaternion of 4 and a colour of 3 or 4")
        numbers = [*size, *place, *turn, *rgba]
        if not np.isfinite(numbers).all() or min(size) < 0:
            raise InvalidArgumentError("a mark has finite numbers and sizes that are not negative")
        self._rows.append([float(kind), *numbers])

    def draw_sphere(self, radius: float, position: ArrayLike, color: Sequence[float] = _WHITE) -> None:
        """A ball."""
        self._add(_SPHERE, (radius, 0, 0), position, _IDENTITY, color)

    def draw_cuboid(
        self, size: ArrayLike, position: ArrayLike, rotation: ArrayLike = _IDENTITY, color: Sequence[float] = _WHITE
    ) -> None:
        """A box by its edge lengths."""
        x, y, z = np.asarray(size, float) / 2
        self._add(_BOX, (x, y, z), position, rotation, color)

    def draw_cylinder(
        self,
        radius: float,
        half_height: float,
        position: ArrayLike,
        rotation: ArrayLike = _IDENTITY,
        color: Sequence[float] = _WHITE,
    ) -> None:
        """A cylinder along its z axis."""
        self._add(_CYLINDER, (radius, half_height, 0), position, rotation, color)

    def draw_capsule(
        self,
        radius: float,
        half_height: float,
        position: ArrayLike,
        rotation: ArrayLike = _IDENTITY,
        color: Sequence[float] = _WHITE,
    ) -> None:
        """A capsule along its z axis."""
        self._add(_CAPSULE, (radius, half_height, 0), position, rotation, color)

    def draw_line(self, start: ArrayLike, end: ArrayLike, color: Sequence[float] = _WHITE) -> None:
        """A line between two points."""
        a, b = np.asarray(start, float), np.asarray(end, float)
        if a.shape != (3,) or b.shape != (3,):
            raise InvalidArgumentError("a line goes from a point of 3 numbers to another")
        self._add(_CAPSULE, (self.line_width / 2, np.linalg.norm(b - a) / 2, 0), (a + b) / 2, along(b - a), color)

    def draw_ray(self, origin: ArrayLike, direction: ArrayLike, color: Sequence[float] = _WHITE) -> None:
        """A line from a point, as long as its direction."""
        start = np.asarray(origin, float)
        self.draw_line(start, start + np.asarray(direction, float), color)

    def draw_arrow(self, start: ArrayLike, end: ArrayLike, color: Sequence[float] = _WHITE) -> None:
        """A line with a head."""
        a, b = np.asarray(start, float), np.asarray(end, float)
        self.draw_line(a, b, color)
        way = b - a
        length = float(np.linalg.norm(way))
        if length == 0:
            return
        head = min(0.25 * length, 6 * self.line_width)
        side = np.cross(way / length, [1.0, 0.0, 0.0] if abs(way[0]) < 0.9 * length else [0.0, 1.0, 0.0])
        side /= np.linalg.norm(side)
        other = np.cross(way / length, side)
        for out in (side, -side, other, -other):
            self.draw_line(b, b - head * way / length + 0.4 * head * out, color)

    def draw_rect(
        self, size: ArrayLike, position: ArrayLike, rotation: ArrayLike = _IDENTITY, color: Sequence[float] = _WHITE
    ) -> None:
        """The outline of a rectangle in its xy plane, by its edge lengths."""
        x, y = np.asarray(size, float) / 2
        corners = [
            np.asarray(position, float) + turned(rotation, corner)
            for corner in ([-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0])
        ]
        for k in range(4):
            self.draw_line(corners[k], corners[(k + 1) % 4], color)

    def draw_grid(
        self,
        cells: tuple[int, int],
        spacing: float,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = _IDENTITY,
        color: Sequence[float] = _WHITE,
    ) -> None:
        """A grid of lines in its xy plane."""
        x, y = cells[0] * spacing / 2, cells[1] * spacing / 2
        middle = np.asarray(position, float)
        for k in range(cells[0] + 1):
            at = k * spacing - x
            self.draw_line(middle + turned(rotation, [at, -y, 0]), middle + turned(rotation, [at, y, 0]), color)
        for k in range(cells[1] + 1):
            at = k * spacing - y
            self.draw_line(middle + turned(rotation, [-x, at, 0]), middle + turned(rotation, [x, at, 0]), color)

    def draw_axes(self, position: ArrayLike, rotation: ArrayLike = _IDENTITY, length: float = 1.0) -> None:
        """The axes of a frame: red, green and blue."""
        start = np.asarray(position, float)
        for axis, color in enumerate([Color(0.9, 0.2, 0.2), Color(0.2, 0.8, 0.2), Color(0.2, 0.4, 1.0)]):
            self.draw_arrow(start, start + turned(rotation, length * np.eye(3)[axis]), color)

    def _taken(self) -> NDArray[np.float64]:
        """All marks as rows, which are then forgotten."""
        rows, self._rows = self._rows, []
        return np.array(rows, float).reshape(-1, 15)


def turned(rotation: ArrayLike, vector: ArrayLike) -> NDArray[np.float64]:
    """A vector turned by a quaternion `[i, j, k, w]`."""
    q, v = np.asarray(rotation, float), np.asarray(vector, float)
    t = 2 * np.cross(q[:3], v)
    return np.asarray(v + q[3] * t + np.cross(q[:3], t))


def along(direction: ArrayLike) -> NDArray[np.float64]:
    """The quaternion `[i, j, k, w]` of the shortest turn from the z axis to a direction."""
    way = np.asarray(direction, float)
    length = np.linalg.norm(way)
    if length == 0:
        return np.array(_IDENTITY)
    x, y, z = way / length
    if z < -1 + 1e-12:
        return np.array([1.0, 0.0, 0.0, 0.0])
    q = np.array([-y, x, 0.0, 1 + z])
    return np.asarray(q / np.linalg.norm(q))
