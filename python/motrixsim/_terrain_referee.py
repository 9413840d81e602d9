"""Decides from a height field and a convex shape alone whether contacts between them are right.

A height field is a set of prisms, two for each cell, that reach down to its base, and each that the shape overlaps
makes one contact. How far two convex bodies overlap is the least, over all directions, of what they overlap along one;
along a given direction it follows from their extreme points. So a contact is right if it is the overlap along its own
normal, and no worse than another's if the prism overlaps no less along that one's normal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motrixsim._contact_referee import Contact, Placed

Array = NDArray[np.float64]

# The tolerance to which overlaps are resolved, `ccd_tolerance`, twice. Metres.
EXACT = 2e-6
# Contacts that differ by no more than this are the same.
SAME = 1e-6


def apart(ours: Contact, theirs: Contact) -> float:
    """The largest difference of two contacts in any of their numbers."""
    return float(np.abs(np.hstack(ours) - np.hstack(theirs)).max())


class Terrain:
    """The prisms of a height field, where they are in the world."""

    def __init__(self, model: Any, data: Any, geom: int) -> None:
        field = model.geom_dataid[geom]
        rows, columns = model.hfield_nrow[field], model.hfield_ncol[field]
        rx, ry, height, base = model.hfield_size[field]
        first = model.hfield_adr[field]
        heights = model.hfield_data[first : first + rows * columns].reshape(rows, columns) * height
        x, y = np.meshgrid(np.linspace(-rx, rx, columns), np.linspace(-ry, ry, rows))
        nodes = np.stack([x, y, heights], axis=-1)
        near, right, far, left = nodes[:-1, :-1], nodes[:-1, 1:], nodes[1:, 1:], nodes[1:, :-1]
        tops = [np.stack(corners, axis=-2).reshape(-1, 3, 3) for corners in ((near, far, left), (near, right, far))]
        top = np.concatenate(tops)
        below = top.copy()
        below[..., 2] = -base
        prisms = np.concatenate([top, below], axis=1)
        self.prisms: Array = prisms @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]

    def overlaps(self, shape: Placed, normal: Array) -> Array:
        """Farthest point of each prism along the normal minus the nearest of the shape."""
        farthest: Array = (self.prisms @ normal).max(axis=1)
        overlaps: Array = farthest + shape.height(-normal[None])[0]
        return overlaps

    def prefers(self, shape: Placed, ours: Contact, theirs: Contact) -> bool:
        """Whether our depth is the overlap along our normal in some prism that overlaps no less along MuJoCo's."""
        exact = np.abs(self.overlaps(shape, ours[2]) + ours[0]) < EXACT
        no_less = self.overlaps(shape, theirs[2]) > -ours[0] - EXACT
        return bool((exact & no_less).any())

    def objection(self, shape: Placed, ours: Sequence[Contact], theirs: Sequence[Contact]) -> str | None:
        """Why our contacts are not as right as MuJoCo's, or nothing. Both are in the order of the grid."""
        if len(ours) != len(theirs):
            return f"{len(ours)} prisms touch instead of {len(theirs)}"
        differing = [(a, b) for a, b in zip(ours, theirs, strict=True) if apart(a, b) > SAME]
        worse = sum(not self.prefers(shape, a, b) for a, b in differing)
        return f"{worse} of {len(ours)} contacts are not the least overlap" if worse else None
