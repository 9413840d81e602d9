"""What gizmos draw of a model when they are told to: joints, sites, and the shapes that collide."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from motrixsim import SceneModel
from motrixsim.proximity import segments

from .gizmos import RenderGizmos, along, turned

__all__ = ["draw_proximities", "model_marks"]

#: Radius of the ball that stands for a site, metres.
_SITE_RADIUS = 0.015


#: Colour of the segment between nearest points.
_NEAREST = (1.0, 0.55, 0.1, 1.0)


def draw_proximities(model: SceneModel, gizmos: RenderGizmos, offsets: NDArray[np.float64]) -> None:
    """Draws the segments that proximities of a model measured last, in the worlds that are shown."""
    for world, p1, p2 in segments(model):
        if world < len(offsets) and np.isfinite([p1, p2]).all():
            gizmos.draw_line(p1 + offsets[world], p2 + offsets[world], _NEAREST)


def model_marks(
    model: SceneModel, gizmos: RenderGizmos, links: NDArray[Any], offsets: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Rows of marks for all worlds, as `Painter.paint` takes them."""
    marks = RenderGizmos()
    for poses, offset in zip(links, offsets, strict=True):
        frames = np.vstack([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], poses])
        if gizmos.draw_joint:
            for joint in model.joints:
                frame = frames[joint.link.index + 1]
                axis = turned(frame[3:], joint.axis)
                place = frame[:3] + offset
                half = gizmos.joint_size / 2
                marks.draw_cylinder(0.15 * gizmos.joint_size, half, place, along(axis), gizmos.joint_color)
        if gizmos.draw_site:
            for site in model.sites:
                link = site.parent_link
                frame = frames[0 if link is None else link.index + 1]
                place = frame[:3] + turned(frame[3:], site.local_pos) + offset
                marks.draw_sphere(_SITE_RADIUS, place, (0.9, 0.2, 0.2, 1.0))
        if gizmos.draw_collider:
            _colliders(model, gizmos, marks, frames, offset)
    return marks._taken()


#: MuJoCo's numbers of the shapes that a mark can have.
_MARKED = (2, 3, 4, 5, 6)
#: A mark stands this much out of the shape it covers, metres.
_SKIN = 1e-3


def _colliders(
    model: SceneModel, gizmos: RenderGizmos, marks: RenderGizmos, frames: NDArray[Any], offset: NDArray[np.float64]
) -> None:
    kinds = np.asarray(model.low.geom_type)
    for geom, kind in zip(model.geoms, kinds, strict=True):
        if geom.visual_only or kind not in _MARKED:
            continue
        frame = frames[0 if geom.link is None else geom.link.index + 1]
        local = np.asarray(geom.local_pose, float)
        place = frame[:3] + turned(frame[3:], local[:3]) + offset
        size = np.asarray(geom.size, float)[:3]
        size = np.pad(size, (0, 3 - len(size)))
        marks._add(int(kind), tuple(size + _SKIN), place, product(frame[3:], local[3:]), gizmos.collider_color)


def product(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    """The turn `b`, then `a`; quaternions `[i, j, k, w]`."""
    vector = np.cross(a[:3], b[:3]) + a[3] * b[:3] + b[3] * a[:3]
    return np.append(vector, a[3] * b[3] - a[:3] @ b[:3])
