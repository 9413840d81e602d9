"""The geoms of all worlds as nodes of the page: one batch of instances per shape, so that a frame is a handful of
messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motrixsim import SceneModel
from motrixsim._core import Painter

from . import meshes

__all__ = ["Node", "geom_poses", "nodes_of"]

_PLANE, _FIELD, _SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, _MESH = range(8)

#: Half size of what stands for a plane without an end, metres.
_ENDLESS = 50.0


@dataclass
class Node:
    """Geoms of one shape and group."""

    name: str
    group: int
    geoms: NDArray[np.int64]
    vertices: NDArray[np.float32]
    faces: NDArray[np.uint32]
    #: Per geom: MuJoCo's number of its kind, its size in the model, and how the mesh is scaled to it.
    kinds: NDArray[np.int64]
    sizes: NDArray[np.float64]
    scales: NDArray[np.float32]
    colours: NDArray[np.uint8]
    opacities: NDArray[np.float32]
    #: The worlds that see it.
    worlds: NDArray[np.int64]
    #: Whether it is terrain, which may change.
    terrain: bool

    def poses(
        self, positions: NDArray[np.float32], turns: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The poses of its instances among those of all worlds and geoms."""
        mine = (self.worlds[:, None] * positions.shape[1] + self.geoms).ravel()
        return positions.reshape(-1, 3).take(mine, axis=0), turns.reshape(-1, 4).take(mine, axis=0)

    def scales_for(self, sizes: NDArray[Any]) -> NDArray[np.float32]:
        """How its instances are scaled in worlds that have sizes of their own, shape `(worlds, geoms, 3)`."""
        own = sizes[np.ix_(self.worlds, self.geoms)]
        scales = np.tile(self.scales, (len(self.worlds), 1, 1))
        for place, kind in enumerate(self.kinds):
            radius, half = own[:, place, 0], own[:, place, 1]
            if kind == _SPHERE:
                scales[:, place] = radius[:, None]
            elif kind == _CYLINDER:
                scales[:, place] = np.stack([radius, radius, half], axis=1)
            elif kind in (_ELLIPSOID, _BOX):
                scales[:, place] = own[:, place]
            elif kind == _CAPSULE:
                # The mesh has the model's size; its ends are stretched with it.
                r, h = self.sizes[place, :2]
                scales[:, place] = np.stack([radius / r, radius / r, (radius + half) / (r + h)], axis=1)
        return scales.reshape(-1, 3)


def nodes_of(model: SceneModel, painter: Painter, worlds: int = 1, windows: NDArray[Any] | None = None) -> list[Node]:
    """The nodes of some worlds of a model. `windows` tells which part of each height field each world sees."""
    kinds = np.asarray(model.low.geom_type)
    sizes = np.asarray(model.low.geom_size, float).reshape(-1, 3)
    colours = painter.geom_colours()
    groups = painter.geom_groups()
    batches: dict[tuple[Any, ...], list[int]] = {}
    for geom in range(model.num_geoms):
        if colours[geom, 3] > 0:
            batches.setdefault((groups[geom], *_key(geom, int(kinds[geom]), sizes[geom])), []).append(geom)
    fields = np.flatnonzero(kinds == _FIELD).tolist()
    nodes = []
    for number, (key, geoms) in enumerate(batches.items()):
        kind = int(kinds[geoms[0]])
        field = fields.index(geoms[0]) if kind == _FIELD else None
        for part, (window, seers) in enumerate(_parts(worlds, None if field is None else windows, field)):
            shape = _mesh(painter, kind, sizes[geoms[0]], geoms[0], window)
            if shape is None:
                continue
            nodes.append(
                Node(
                    name=f"/worlds/geoms_{number}_{part}",
                    group=key[0],
                    geoms=np.array(geoms),
                    vertices=shape[0],
                    faces=shape[1],
                    kinds=kinds[geoms].astype(np.int64),
                    sizes=sizes[geoms],
                    scales=np.array([_scale(kind, sizes[geom]) for geom in geoms], np.float32),
                    colours=(255 * np.clip(colours[geoms, :3], 0, 1)).astype(np.uint8),
                    opacities=colours[geoms, 3],
                    worlds=seers,
                    terrain=field is not None,
                )
            )
    return nodes


def _parts(
    worlds: int, windows: NDArray[Any] | None, field: int | None
) -> list[tuple[list[float] | None, NDArray[np.int64]]]:
    """The different windows of a field and the worlds that see through each; one for all worlds without windows."""
    if windows is None or field is None:
        return [(None, np.arange(worlds))]
    different, which = np.unique(windows[:worlds, field], axis=0, return_inverse=True)
    which = np.ravel(which)
    return [(list(map(float, window)), np.flatnonzero(which == k)) for k, window in enumerate(different)]


def _key(geom: int, kind: int, size: NDArray[np.float64]) -> tuple[Any, ...]:
    """What geoms must share to be instances of one mesh."""
    if kind == _CAPSULE:
        return (kind, float(size[0]), float(size[1]))
    if kind in (_FIELD, _MESH):
        return (kind, geom)
    if kind == _ELLIPSOID:
        return (_SPHERE,)
    return (kind,)


def _mesh(
    painter: Painter, kind: int, size: NDArray[np.float64], geom: int, window: list[float] | None
) -> meshes.Mesh | None:
    if kind in (_FIELD, _MESH):
        return painter.geom_mesh(geom, window)
    if kind == _CAPSULE:
        return meshes.capsule(float(size[0]), float(size[1]))
    if kind == _PLANE:
        corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], np.float32)
        return corners, np.array([[0, 1, 2], [0, 2, 3]], np.uint32)
    return {_SPHERE: meshes.sphere, _ELLIPSOID: meshes.sphere, _CYLINDER: meshes.cylinder, _BOX: meshes.box}[kind]()


def _scale(kind: int, size: NDArray[np.float64]) -> tuple[float, float, float]:
    a, b, c = (float(x) for x in size)
    if kind == _PLANE:
        return (a if a > 0 else _ENDLESS, b if b > 0 else _ENDLESS, 1.0)
    if kind == _SPHERE:
        return (a, a, a)
    if kind == _CYLINDER:
        return (a, a, b)
    if kind in (_ELLIPSOID, _BOX):
        return (a, b, c)
    return (1.0, 1.0, 1.0)


def geom_poses(
    model: SceneModel, links: NDArray[Any], offsets: NDArray[np.float64]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Positions `(worlds, geoms, 3)` and quaternions `w x y z` `(worlds, geoms, 4)` of all geoms, from those of links.

    A body's turn is q = (u, w). A geom at p in it is at p + 2 w (u x p) + 2 u x (u x p) from the body, and its turn
    (v, s) becomes (u x v + w v + s u, w s - u.v).
    """
    bodies = np.empty((len(links), model.num_links + 1, 7), np.float32)
    bodies[:, 0] = [0, 0, 0, 0, 0, 0, 1]
    bodies[:, 1:] = links
    bodies = bodies[:, np.asarray(model.low.geom_bodyid, int)]
    p = np.asarray(model.low.geom_pos, np.float32).reshape(-1, 3)
    turn = np.asarray(model.low.geom_quat, np.float32).reshape(-1, 4)
    s, v = turn[:, :1], turn[:, 1:]
    u, w = bodies[..., 3:6], bodies[..., 6:]
    t = 2 * _cross(u, p)
    positions = bodies[..., :3] + p + w * t + _cross(u, t) + offsets[:, None].astype(np.float32)
    turns = np.empty((*positions.shape[:2], 4), np.float32)
    turns[..., 1:] = _cross(u, v) + w * v + s * u
    turns[..., 0] = w[..., 0] * s[:, 0] - np.einsum("...k,...k", u, v)
    return positions, turns


def _cross(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """The cross product; numpy's own takes three times as long."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape), np.float32)
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out
