"""A state to be shown on the page, copied so that the program may go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .image import Image
from .settings import Layout

if TYPE_CHECKING:
    from .app import RenderApp

__all__ = ["Frame"]

#: Length of the arrow of a contact force, metres per newton.
_METRES_PER_NEWTON = 0.005


class Frame:
    """A state to be shown: copies, so that the program may go on."""

    def __init__(self, app: RenderApp) -> None:
        controls = app._window.controls if app._window is not None else None
        self.links = app._links
        self.windows, self.sizes = app._windows, app._sizes
        self.offsets = app._offsets
        self.visible = app._visible.copy()
        self.groups = set(app.opt.groups)
        self.gizmos = app._extras
        self.contacts = np.empty((0, 3))
        self.forces = np.empty((0, 6))
        self.tracked: NDArray[np.float64] | None = None
        #: Pose and field of view of the camera through which the page is seen; None for the free one.
        self.main: tuple[NDArray[np.float64], float] | None = None
        if app._main is not None:
            camera = app._model.cameras[app._main.index]
            pose = np.array(np.reshape(camera.get_pose(app._data), (-1, 7))[0], np.float64)
            pose[:3] += app._offsets[0]
            self.main = (pose, camera.fovy)
        self.left_panel = app.opt.left_panel
        #: What widgets show: a label, pixels and a place.
        self.pictures: dict[int, tuple[str, NDArray[np.uint8], Layout]] = {}
        for viewport in app.widgets.viewports:
            if viewport.image is not None:
                name = app._model.cameras[viewport.camera.index].name or f"camera {viewport.camera.index}"
                self.pictures[id(viewport)] = (name, _rgb(viewport.image), viewport.layout)
        for widget in app.widgets.images:
            self.pictures[id(widget)] = ("image", _rgb(widget.image), widget.layout)
        if controls is None:
            return
        world = controls.world
        if controls.only_this_world:
            self.visible[:] = False
            self.visible[world] = True
        if controls.tracking and app._model.num_links:
            self.tracked = np.asarray(app._links[world, 0, :3] + app._offsets[world], float)
        if controls.show_contacts or controls.show_forces:
            self._touch(app, world, controls.show_contacts, controls.show_forces)

    def _touch(self, app: RenderApp, world: int, points: bool, forces: bool) -> None:
        """Contacts of the chosen world."""
        low = (app._data[world] if app._data.shape else app._data).low
        places = np.asarray(low.contact_pos, float).reshape(-1, 3) + app._offsets[world]
        if points:
            self.contacts = places
        if forces and len(places):
            frames = np.asarray(low.contact_frame, float).reshape(-1, 3, 3)
            local = np.asarray(low.contact_force, float).reshape(len(places), -1)[:, :3]
            push = np.einsum("nij,ni->nj", frames, local)
            self.forces = np.concatenate([places, places + _METRES_PER_NEWTON * push], axis=1)


def _rgb(image: Image) -> NDArray[np.uint8]:
    """An image as three bytes per pixel."""
    shown = image._shown()
    return np.repeat(shown[..., :1], 3, axis=-1) if shown.shape[-1] < 3 else shown[..., :3]
