"""What is drawn of a model when gizmos or options ask for it: joints, sites, shapes that collide, lidar readings; and
the nearest points that proximities measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from motrixsim.proximity import segments

from .gizmos import RenderGizmos, along, turned

if TYPE_CHECKING:
    from .app import RenderApp

__all__ = ["model_marks"]

_Frames = NDArray[np.float64]
#: MuJoCo's numbers of the shapes that a mark can have.
_MARKED = (2, 3, 4, 5, 6)
#: A mark stands this much out of the shape it covers, metres.
_SKIN = 1e-3
#: MuJoCo's number of the sensor that measures the distance along the z axis of its site.
_RANGEFINDER = 7
#: Radius of the ball that stands for a reading, metres, and its colour.
_READING_RADIUS, _READING_COLOUR = 0.015, (1.0, 0.8, 0.1, 1.0)
#: Colour of the segment between nearest points.
_NEAREST = (1.0, 0.55, 0.1, 1.0)


def model_marks(app: RenderApp) -> list[NDArray[np.float64]]:
    """Rows of marks for all worlds, as `Painter.paint` takes them; an empty list when nothing is asked for."""
    gizmos = app.gizmos
    wanted = [
        draw
        for draw, asked in (
            (_joints, gizmos.draw_joint),
            (_sites, gizmos.draw_site),
            (_colliders, gizmos.draw_collider or gizmos.draw_convex_collider),
        )
        if asked
    ]
    marks = RenderGizmos()
    for world, (poses, offset) in enumerate(zip(app._links, app._offsets, strict=True)):
        if wanted and app._visible[world]:
            frames = np.vstack([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], poses])
            frames[:, :3] += offset
            for draw in wanted:
                draw(app, marks, frames)
    if app.opt.lidar_points:
        _readings(app, marks)
    _proximities(app, marks)
    rows = marks._taken()
    return [rows] if len(rows) else []


def _joints(app: RenderApp, marks: RenderGizmos, frames: _Frames) -> None:
    """Rods along the axes of joints."""
    size, colour = app.gizmos.joint_size, app.gizmos.joint_color
    for joint in app._model.joints:
        frame = frames[joint.link.index + 1]
        marks.draw_cylinder(0.15 * size, size / 2, frame[:3], along(turned(frame[3:], joint.axis)), colour)


def _sites(app: RenderApp, marks: RenderGizmos, frames: _Frames) -> None:
    """Sites of the groups that are shown, in their own shapes and colours."""
    low = app._model.low
    bodies, groups = np.asarray(low.site_bodyid, int), np.asarray(low.site_group, int)
    kinds, sizes = np.asarray(low.site_type, int), np.asarray(low.site_size, float).reshape(-1, 3)
    places, turns = np.reshape(low.site_pos, (-1, 3)), np.roll(np.reshape(low.site_quat, (-1, 4)), -1, axis=1)
    for site in np.flatnonzero(np.isin(groups, list(app.opt.groups)) & np.isin(kinds, _MARKED)):
        place, turn = _placed(frames[bodies[site]], places[site], turns[site])
        marks._add(int(kinds[site]), tuple(sizes[site]), place, turn, tuple(np.reshape(low.site_rgba, (-1, 4))[site]))


def _colliders(app: RenderApp, marks: RenderGizmos, frames: _Frames) -> None:
    """The shapes that collide."""
    kinds = np.asarray(app._model.low.geom_type, int)
    for geom, kind in zip(app._model.geoms, kinds, strict=True):
        if geom.visual_only or kind not in _MARKED:
            continue
        frame = frames[0 if geom.link is None else geom.link.index + 1]
        local = np.asarray(geom.local_pose, float)
        place, turn = _placed(frame, local[:3], local[3:])
        size = np.zeros(3)
        size[: np.size(geom.size)] = np.ravel(geom.size)[:3]
        marks._add(int(kind), tuple(size + _SKIN), place, turn, app.gizmos.collider_color)


def _readings(app: RenderApp, marks: RenderGizmos) -> None:
    """Where the beams of range finders end, in the worlds that were shown last."""
    model, data = app._model, app._data
    sensors = np.flatnonzero(np.asarray(model.low.sensor_type, int) == _RANGEFINDER)
    if not len(sensors):
        return
    sites = np.asarray(model.low.sensor_objid, int)[sensors]
    addresses = np.asarray(model.low.sensor_adr, int)[sensors]
    values = np.reshape(data.views.sensor_values, (-1, model.low.nsensordata))[:, addresses]
    starts = np.reshape(data.low.site_xpos, (len(values), -1, 3))[:, sites]
    beams = np.reshape(data.low.site_xmat, (len(values), -1, 3, 3))[:, sites, :, 2]
    ends = starts + values[..., None] * beams
    for world in app._worlds:
        # A beam that meets nothing reads -1.
        for end in ends[world][values[world] >= 0]:
            marks.draw_sphere(_READING_RADIUS, end + app._offsets[world], _READING_COLOUR)


def _proximities(app: RenderApp, marks: RenderGizmos) -> None:
    """The segments that proximities of the model measured last, in the worlds that are shown."""
    marks.line_width = app.gizmos.line_width
    for world, p1, p2 in segments(app._model):
        if world < app._batch and app._visible[world] and np.isfinite([p1, p2]).all():
            marks.draw_line(p1 + app._offsets[world], p2 + app._offsets[world], _NEAREST)


def _placed(frame: _Frames, place: NDArray[Any], turn: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A pose in a frame; quaternions `[i, j, k, w]`."""
    a, b = frame[3:], turn
    vector = np.cross(a[:3], b[:3]) + a[3] * b[:3] + b[3] * a[:3]
    return frame[:3] + turned(a, place), np.append(vector, a[3] * b[3] - a[:3] @ b[:3])
