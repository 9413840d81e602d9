"""Quantities that can be written in several ways: surfaces as triangles, rotations as quaternions, lists of contacts.

Where a file gives only the vertices of a mesh, its faces are those of their convex hull, and flat parts with more than
three corners may be cut into triangles in several ways. Two such lists are the same surface when every plane carries
the same area in both.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

UP_TO_SIGN = {
    "xquat",
    "xiquat",
    "geom_xquat",
    "site_xquat",
    "body_quat",
    "body_iquat",
    "geom_quat",
    "site_quat",
    "cam_quat",
    "mesh_quat",
}
"""A quaternion and its opposite are the same rotation."""

SAME_PLANE = 1e-6
"""Unit normals and distances from the origin, in sizes of the mesh, that are this near belong to one plane. Vertices
are kept in single precision."""

MOST_TRIANGLES = 5000
"""Lists longer than this are compared triangle by triangle only: every triangle is held against every other."""


def area_difference(vertices: Array, ours: Array, theirs: Array) -> float:
    """The largest difference of the areas in a plane, relative to the area of the whole; 0 for equal lists."""
    if np.array_equal(ours, theirs):
        return 0.0
    if max(len(ours), len(theirs)) > MOST_TRIANGLES:
        return float("inf")
    first, areas = _planes(vertices, ours)
    second, other_areas = _planes(vertices, theirs)
    worst = 0.0
    for plane in np.concatenate([first, second]):
        here = areas[(np.abs(first - plane) < SAME_PLANE).all(axis=1)].sum()
        there = other_areas[(np.abs(second - plane) < SAME_PLANE).all(axis=1)].sum()
        worst = max(worst, abs(float(here - there)))
    return worst / max(float(other_areas.sum()), 1e-300)


def _planes(vertices: Array, triangles: Array) -> tuple[Array, Array]:
    """Normal and distance from the origin of each triangle, in sizes of the mesh, and its area."""
    a, b, c = (vertices[triangles[:, k].astype(int)] for k in range(3))
    twice = np.cross(b - a, c - a)
    areas = np.linalg.norm(twice, axis=1)
    normals = twice / np.maximum(areas, 1e-300)[:, None]
    distances = (normals * a).sum(axis=1) / max(float(np.abs(vertices).max()), 1e-300)
    return np.column_stack([normals, distances]), 0.5 * areas


def aligned(name: str, ours: Array, theirs: Array) -> Array:
    """Our quaternions with the sign of theirs."""
    if name in UP_TO_SIGN and ours.shape == theirs.shape and ours.size:
        return np.where((ours * theirs).sum(-1, keepdims=True) < 0, -ours, ours)
    return ours


def tensors(moments: Array, axes: Array) -> Array:
    """Inertia tensors from principal moments and the quaternions of their axes."""
    w, x, y, z = axes.T
    rotation = np.stack(
        [
            *(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            *(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            *(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        ],
        axis=-1,
    ).reshape(-1, 3, 3)
    turned: Array = (rotation * moments[:, None, :]) @ np.swapaxes(rotation, 1, 2)
    return turned


def in_order(name: str, values: Array, low: Any, order: NDArray[np.intp]) -> Array:
    """A quantity of our contacts or rows as if the contacts stood in `order`, which has no meaning of its own."""
    place = np.argsort(order)
    address = np.asarray(low.contact_efc_address, int)
    starts = np.append(np.unique(address[address >= 0]), int(low.nefc[0]))
    rows = list(range(starts[0]))
    for contact in order[address[order] >= 0]:
        rows += range(address[contact], starts[np.searchsorted(starts, address[contact]) + 1])
    if name == "contact_efc_address":
        new = np.argsort(rows)
        return np.array([float(new[a]) if a >= 0 else -1.0 for a in address[order]])
    if name.startswith("contact_"):
        return values[order]
    if name == "efc_id":
        of_contact = np.arange(len(values)) >= starts[0]
        values = np.where(
            of_contact, place[np.where(of_contact, values, 0).astype(int)] if len(place) else values, values
        )
    return values[rows]
