"""Lidar: rays in a pattern that moves with a frame.

    lidar = Lidar(model.get_site("head"), rings([-15, -5, 5, 15], 360), max_distance=30,
    exclude=[model.get_link("head")]) distance, geom, normal = lidar.scan(model, data)

A pattern is an array of directions of shape `(..., 3)` in the frame of the sensor: x forward, y to the left, z up.
Results have the shape of the data, then that of the pattern.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import Body, Geom, Link, SceneData, SceneModel, Site, raycast

__all__ = ["Lidar", "grid", "rings"]


def rings(elevations: ArrayLike, count: int, span: tuple[float, float] = (-180.0, 180.0)) -> NDArray[np.float64]:
    """Directions of a spinning scanner, shape `(rings, count, 3)`: one ring per elevation, `count` azimuths over
    `span`.

    Angles are degrees. A full circle does not repeat its first azimuth at the end; a part of one has a ray at both
    ends.
    """
    if count < 1:
        raise ValueError(f"count must be at least 1, got {count}")
    full = abs(span[1] - span[0]) >= 360
    azimuths = np.linspace(*span, count, endpoint=not full)
    return _directions(np.atleast_1d(np.asarray(elevations, float)), azimuths)


def grid(
    rows: int,
    columns: int,
    vertical: tuple[float, float] = (-20.0, 20.0),
    horizontal: tuple[float, float] = (-45.0, 45.0),
) -> NDArray[np.float64]:
    """Directions of a solid-state scanner, shape `(rows, columns, 3)`: equal angles over both spans in degrees, ends
    included, from the lowest row and from the right."""
    if rows < 1 or columns < 1:
        raise ValueError(f"rows and columns must be at least 1, got {rows} and {columns}")
    return _directions(np.linspace(*vertical, rows), np.linspace(*horizontal, columns))


def _directions(elevations: NDArray[np.float64], azimuths: NDArray[np.float64]) -> NDArray[np.float64]:
    if not (np.isfinite(elevations).all() and np.isfinite(azimuths).all()):
        raise ValueError("an angle is not a finite number")
    up, around = np.deg2rad(elevations)[:, None], np.deg2rad(azimuths)[None, :]
    flat = np.cos(up)
    z = np.broadcast_to(np.sin(up), np.broadcast_shapes(up.shape, around.shape))
    return np.stack([flat * np.cos(around), flat * np.sin(around), z], axis=-1)


class Lidar:
    """Rays from the origin of a link, site or geom along a pattern of directions. Further arguments are those of
    `raycast`."""

    def __init__(
        self,
        frame: Link | Site | Geom,
        pattern: ArrayLike,
        max_distance: float = float("inf"),
        groups: Iterable[int] | None = None,
        include_static: bool = True,
        exclude: Iterable[Geom | Link | Body] | None = None,
    ) -> None:
        directions = np.asarray(pattern, float)
        if directions.ndim == 0 or directions.shape[-1] != 3:
            raise ValueError(f"pattern: expected shape (..., 3), got {directions.shape}")
        self.frame = frame
        self.shape = directions.shape[:-1]
        self._directions = directions.reshape(-1, 3)
        self._options: dict[str, Any] = {
            "max_distance": max_distance,
            "groups": None if groups is None else list(groups),
            "include_static": include_static,
            "exclude": None if exclude is None else list(exclude),
        }

    def scan(
        self, model: SceneModel, data: SceneData
    ) -> tuple[NDArray[np.floating[Any]], NDArray[np.int32], NDArray[np.floating[Any]]]:
        """Distance, geom and normal of what each ray meets; see `raycast`."""
        origin = np.zeros(3)
        distance, geom, normal = raycast(model, data, origin, self._directions, frame=self.frame, **self._options)
        shape = (*data.shape, *self.shape)
        return distance.reshape(shape), geom.reshape(shape), normal.reshape(*shape, 3)
