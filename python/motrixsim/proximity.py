"""How far two parts of a scene are apart, in all worlds at once.

    prox = motrixsim.Proximity("left_hand", "table", dist_max=0.5, algorithm=motrixsim.ProximityType.FACE_TO_FACE)
    distance, on_hand, on_table, kind = prox.get_proximity(model, data)

Rules:

- Distances are never negative. Shapes that touch or overlap are 0 apart at one common point, `p1 == p2`. With
  `signed=True` they are a negative distance apart: the depth of convex shapes and hulls; of triangle surfaces the
  depth of the corner deepest inside of the other shape (vertices of meshes and boxes, the ends of capsules, the
  extreme points of other primitives), 0 when no corner is.
- Primitives are solid and planes are half-spaces. With `solid=True` height fields and closed meshes are solid too:
  what is wholly inside of them is 0 apart, whatever their convexity. A mesh with an open edge has no inside and
  counts as a surface, as all meshes do with `solid=False`.
- `dist_max` bounds the estimate, not the result: when the bounding spheres are farther apart than `dist_max` the
  distance of the spheres is returned, of type `SPHERE_TO_SPHERE`. Otherwise the distance is exact, even when it is
  above `dist_max`.
- Spheres about the same centre are 0 apart at that centre. Triangles without area are the segments or points they
  have shrunk to.
- The distance of a link or body is the least over its geoms.
- `VERTEX_TO_FACE` compares corners with faces only and overestimates distances between edges; it knows no inside.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._core import Body, Geom, Link, SceneData, SceneModel, _GeomPairs

if TYPE_CHECKING:
    from .record import Recorder

__all__ = ["Proximity", "ProximityType"]


class ProximityType(IntEnum):
    """How a distance was found; in general the higher, the more exact."""

    SPHERE_TO_SPHERE = 0
    """Between bounding spheres: about the middle of the box around the vertices, out to the farthest one."""
    CONVEX_HULL = 1
    """Between convex hulls; height fields by their triangles."""
    VERTEX_TO_FACE = 3
    """Between corners and faces, both ways: never less than the distance."""
    FACE_TO_FACE = 4
    """Between all triangles: exact."""


_Part = Geom | Link | Body
_Single = tuple[float, NDArray[np.float64], NDArray[np.float64], ProximityType]
_Many = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int8]]


class Proximity:
    """The distance of two parts of a scene; see the module for the rules.

    `geom_1` and `geom_2` are geoms, links or bodies, or names, which are looked up among geoms, links and bodies in
    that order. `warm_start=True` starts the search where the nearest triangles of each world were last: faster for
    scenes that move little between two questions, and of no influence on distances. With `visualize=True` pictures and
    viewers draw the segment that was measured last, in each world of the data it was measured in.
    """

    def __init__(
        self,
        geom_1: _Part | str,
        geom_2: _Part | str,
        dist_max: float,
        algorithm: ProximityType = ProximityType.CONVEX_HULL,
        visualize: bool = True,
        signed: bool = False,
        solid: bool = True,
        warm_start: bool = True,
    ) -> None:
        for name, part in (("geom_1", geom_1), ("geom_2", geom_2)):
            if not isinstance(part, (Geom, Link, Body, str)):
                raise TypeError(f"{name}: expected a Geom, Link, Body or the name of one, got {type(part).__name__}")
        if geom_1 == geom_2:
            raise ValueError("geom_1 and geom_2 are the same")
        self.geom_1 = geom_1
        self.geom_2 = geom_2
        self.dist_max = dist_max
        self.algorithm = algorithm
        self.visualize = bool(visualize)
        self.signed = bool(signed)
        self.solid = bool(solid)
        self.warm_start = bool(warm_start)
        self._pairs: tuple[SceneModel, _GeomPairs] | None = None
        self._last: tuple[SceneModel, NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]] | None = None
        _living.add(self)

    @property
    def dist_max(self) -> float:
        """Bounding spheres farther apart than this answer for their geoms, metres."""
        return self._dist_max

    @dist_max.setter
    def dist_max(self, value: float) -> None:
        value = float(value)
        if math.isnan(value) or value < 0:
            raise ValueError(f"dist_max must be a number that is not negative, got {value}")
        self._dist_max = value

    @property
    def algorithm(self) -> ProximityType:
        """How distances are found."""
        return self._algorithm

    @algorithm.setter
    def algorithm(self, value: ProximityType) -> None:
        self._algorithm = ProximityType(value)

    @property
    def name(self) -> str:
        """`{geom_1}_to_{geom_2}`, as recorded columns are named."""
        return f"{_name(self.geom_1)}_to_{_name(self.geom_2)}"

    def get_proximity(
        self, model: SceneModel, data: SceneData, rows: Any = None, out: Sequence[NDArray[Any]] | None = None
    ) -> _Single | _Many:
        """Distance, point on `geom_1`, point on `geom_2`, and the type of what found them.

        A float, two arrays of shape `(3,)` and a `ProximityType` for data of one world; for a batch arrays of shape
        `(*,)`, `(*, 3)`, `(*, 3)` and, of `int8`, `(*,)`. `rows` chooses worlds as an index of `data` does. `out` are
        four arrays to write into.
        """
        return self._measure(model, data, self.algorithm, rows, out)

    def get_sphere_to_sphere_proximity(
        self, model: SceneModel, data: SceneData
    ) -> (
        tuple[float, NDArray[np.float64], NDArray[np.float64], bool]
        | tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]
    ):
        """Distance and points of the bounding spheres, and whether the distance exceeds `dist_max`."""
        distance, p1, p2, _ = self._measured(model, data, ProximityType.SPHERE_TO_SPHERE)
        self._remember(model, data, None, p1, p2)
        exceeds = distance > self.dist_max
        if distance.ndim == 0:
            return float(distance), p1, p2, bool(exceeds)
        return distance, p1, p2, exceeds

    def get_convex_hull_proximity(self, model: SceneModel, data: SceneData) -> _Single | _Many:
        """As `get_proximity`, between convex hulls."""
        return self._measure(model, data, ProximityType.CONVEX_HULL)

    def get_vertex_to_face_proximity(self, model: SceneModel, data: SceneData) -> _Single | _Many:
        """As `get_proximity`, between corners and faces: an overestimate where edges are nearest."""
        return self._measure(model, data, ProximityType.VERTEX_TO_FACE)

    def get_face_to_face_proximity(self, model: SceneModel, data: SceneData) -> _Single | _Many:
        """As `get_proximity`, between all triangles."""
        return self._measure(model, data, ProximityType.FACE_TO_FACE)

    def request(
        self, recorder: Recorder, attrs: Sequence[Literal["dist", "fromto", "prox_type"]] = ("dist", "prox_type")
    ) -> None:
        """Has a recorder sample this proximity.

        `dist` is recorded as `Proximities/{pair}:dist`, `prox_type` as `Proximities/{pair}:prox_type`, and `fromto` as
        `Proximities/{pair}/fromto/{geom}:x`, `:y` and `:z` for both parts, with `{pair}` the name of this proximity.
        """
        unknown = [attr for attr in attrs if attr not in ("dist", "fromto", "prox_type")]
        if unknown:
            raise ValueError(f"attrs: {unknown[0]!r} is none of 'dist', 'fromto', 'prox_type'")
        prefix = f"Proximities/{self.name}"
        tags: list[str] = []
        for attr in attrs:
            if attr == "fromto":
                names = (_name(self.geom_1), _name(self.geom_2))
                tags += [f"{prefix}/fromto/{name}:{axis}" for name in names for axis in "xyz"]
            else:
                tags.append(f"{prefix}:{attr}")

        def sample(model: SceneModel, data: SceneData) -> NDArray[np.float64]:
            distance, p1, p2, kind = self._measured(model, data, self.algorithm)
            self._remember(model, data, None, p1, p2)
            columns: list[NDArray[Any]] = []
            for attr in attrs:
                if attr == "dist":
                    columns.append(distance[..., None])
                elif attr == "prox_type":
                    columns.append(kind[..., None])
                else:
                    columns += [p1, p2]
            return np.concatenate(columns, axis=-1).astype(np.float64)

        recorder.add(tags, sample)

    def _measured(self, model: SceneModel, data: SceneData, algorithm: ProximityType) -> list[NDArray[Any]]:
        if not isinstance(model, SceneModel) or not isinstance(data, SceneData):
            raise TypeError("expected a SceneModel and a SceneData")
        if self._pairs is None or self._pairs[0] is not model:
            pairs = _GeomPairs(model, _resolved(self.geom_1, model), _resolved(self.geom_2, model))
            self._pairs = (model, pairs)
        measure = self._pairs[1].measure
        return measure(data, self.dist_max, int(algorithm), self.signed, self.solid, self.warm_start)

    def _measure(
        self,
        model: SceneModel,
        data: SceneData,
        algorithm: ProximityType,
        rows: Any = None,
        out: Sequence[NDArray[Any]] | None = None,
    ) -> _Single | _Many:
        chosen = data if rows is None else data[rows]
        results = self._measured(model, chosen, algorithm)
        self._remember(model, data, rows, results[1], results[2])
        if out is not None:
            _write(results, out)
            results = list(out)
        distance, p1, p2, kind = results
        if distance.ndim == 0:
            return float(distance), p1, p2, ProximityType(int(kind))
        return distance, p1, p2, kind

    def _remember(self, model: SceneModel, data: SceneData, rows: Any, p1: NDArray[Any], p2: NDArray[Any]) -> None:
        """Keeps the segments for whoever draws them."""
        if not self.visualize:
            self._last = None
            return
        worlds = np.arange(data.shape[0] if data.ndim else 1)
        if rows is not None:
            worlds = np.atleast_1d(worlds[rows])
        self._last = (model, worlds, p1.reshape(-1, 3).copy(), p2.reshape(-1, 3).copy())

    def __repr__(self) -> str:
        return f"<motrixsim.Proximity {self.name} {self.algorithm.name} dist_max={self.dist_max}>"


#: All proximities there are.
_living: weakref.WeakSet[Proximity] = weakref.WeakSet()


def segments(model: SceneModel) -> Iterator[tuple[int, NDArray[np.float64], NDArray[np.float64]]]:
    """What proximities of a model measured last and want to be seen: world, point on the first, point on the second."""
    for proximity in list(_living):
        last = proximity._last
        if last is not None and last[0] is model and proximity.visualize:
            for world, p1, p2 in zip(*last[1:], strict=True):
                yield int(world), p1, p2


def _name(part: _Part | str) -> str:
    """The name of a part; what has none is named after its position."""
    if isinstance(part, str):
        return part
    return part.name or f"{type(part).__name__.lower()}{part.index}"


def _resolved(part: _Part | str, model: SceneModel) -> _Part:
    """The part that a name stands for."""
    if not isinstance(part, str):
        return part
    for found in (model.get_geom(part), model.get_link(part), model.get_body(part)):
        if found is not None:
            return found
    raise ValueError(f"no geom, link or body named {part!r}")


def _write(results: Sequence[NDArray[Any]], out: Sequence[NDArray[Any]]) -> None:
    """Copies results into buffers that are all checked first."""
    if len(out) != len(results):
        raise ValueError(f"out: expected {len(results)} arrays, got {len(out)}")
    for k, (result, buffer) in enumerate(zip(results, out, strict=True)):
        if not isinstance(buffer, np.ndarray):
            raise TypeError(f"out[{k}]: expected an array, got {type(buffer).__name__}")
        if buffer.shape != result.shape or not np.can_cast(result.dtype, buffer.dtype, "same_kind"):
            raise ValueError(f"out[{k}]: expected {result.dtype} of shape {result.shape}")
        if not buffer.flags.writeable:
            raise ValueError(f"out[{k}]: the array is read-only")
    for result, buffer in zip(results, out, strict=True):
        buffer[...] = result
