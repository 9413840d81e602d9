"""The window: a page for the browser on this machine, served by `viser`.

The program's thread only leaves the latest poses behind; a thread of the window turns them into messages when a browser
is there to see them. A frame that comes before the last one was sent replaces it, so that a slow browser never slows
the physics. What users do on the page is kept and done inside of the next `sync`, in the program's own thread.
"""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import meshes
from .clock import CLOCK
from .controls import Controls
from .errors import OtherRenderError
from .image import Image
from .page import Node, geom_poses, nodes_of

if TYPE_CHECKING:
    from .app import RenderApp

__all__ = ["Window"]

#: Frames a second that a page is sent at most.
_FRAMES = 30.0
#: The address that only this machine can reach.
_LOOPBACK = "127.0.0.1"
#: MuJoCo's numbers of the shapes that marks have.
_SPHERE, _CAPSULE, _CYLINDER, _BOX = 2, 3, 5, 6
#: Length of the arrow of a contact force, metres per newton.
_METRES_PER_NEWTON = 0.005


class Window:
    """A page that shows the worlds of a renderer."""

    def __init__(self, app: RenderApp) -> None:
        try:
            viser: Any = importlib.import_module("viser")
        except ImportError as error:
            raise OtherRenderError(
                "the window needs viser: pip install 'openmotrix[viewer]'; RenderApp(headless=True) needs nothing"
            ) from error
        self._app = app
        self._server = viser.ViserServer(host=_LOOPBACK, port=8080, label="motrixsim", verbose=False)
        # The page would offer to be shared through a server elsewhere; nothing leaves this machine.
        self._server.gui.configure_theme(show_share_button=False, show_logo=False)
        self.url = f"http://{_LOOPBACK}:{self._server.get_port()}"
        print(f"Showing the simulation at {self.url}", flush=True)
        self._nodes: list[tuple[Node, Any]] = []
        self._marks: dict[str, Any] = {}
        #: What shows each widget.
        self._pictures: dict[int, Any] = {}
        self._latest: Frame | None = None
        self._condition = threading.Condition()
        self._stopped = False
        self.controls: Controls | None = None
        #: Frames that were sent, and those that were replaced before.
        self.sent, self.replaced = 0, 0
        self._server.on_client_connect(self._greet)
        self._thread = threading.Thread(target=self._send, name="motrixsim-window", daemon=True)
        self._thread.start()

    @property
    def server(self) -> Any:
        """The server of the page."""
        return self._server

    def launch(self) -> None:
        """Builds the scene of the model that was launched."""
        app = self._app
        renderer = app._launched()
        with self._condition, self._server.atomic():
            self._server.scene.reset()
            self._server.gui.reset()
            self._server.scene.set_up_direction("+z")
            self._server.scene.configure_default_lights(cast_shadow=app._settings.enable_shadow)
            worlds = app._batch
            positions, turns = geom_poses(app._model, app._links, app._offsets)
            self._nodes = []
            for node in nodes_of(app._model, renderer._painter):
                handle = self._server.scene.add_batched_meshes_simple(
                    node.name,
                    node.vertices,
                    node.faces,
                    turns[:, node.geoms].reshape(-1, 4),
                    positions[:, node.geoms].reshape(-1, 3),
                    batched_scales=np.tile(node.scales, (worlds, 1)),
                    batched_colors=np.tile(node.colours, (worlds, 1)),
                    batched_opacities=np.tile(node.opacities, worlds) if (node.opacities < 1).any() else None,
                    lod="off",
                    visible=node.group in app.opt.groups,
                )
                self._nodes.append((node, handle))
            self._marks, self._pictures = {}, {}
            self.controls = Controls(app, self._server)
        self.place_camera()

    def place_camera(self) -> None:
        """Moves the cameras of all pages to where the system camera is."""
        app = self._app
        if app._renderer is None:
            return
        for client in self._server.get_clients().values():
            self._place(client)

    def _place(self, client: Any) -> None:
        view = self._app._system.view
        _put(client, view.pose, view.fovy)

    def _greet(self, client: Any) -> None:
        """A new page starts where the system camera is, with the latest frame."""
        if self._app._renderer is not None:
            self._place(client)
        with self._condition:
            self._condition.notify()

    def update(self) -> None:
        """Leaves the latest state for the page, and does what its users asked for."""
        app = self._app
        if self.controls is not None:
            self.controls.status()
        frame = Frame(app)
        with self._condition:
            self.replaced += self._latest is not None
            self._latest = frame
            self._condition.notify()
        # Without a loop that asks the clock, the program itself is held back while time stands still.
        while CLOCK.paused and not CLOCK.driven and not self._stopped and not CLOCK.take_steps():
            time.sleep(0.02)
            app._ui._run()

    def _send(self) -> None:
        """The window's own thread."""
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._stopped or (self._latest is not None and self._watched()), 0.5)
                if self._stopped:
                    return
                if self._latest is None or not self._watched():
                    continue
                frame, self._latest = self._latest, None
                nodes = list(self._nodes)
            begin = time.perf_counter()
            with self._server.atomic():
                self._show(frame, nodes)
            self.sent += 1
            time.sleep(max(0.0, 1 / _FRAMES - (time.perf_counter() - begin)))

    def _watched(self) -> bool:
        return bool(self._server.get_clients())

    def _show(self, frame: Frame, nodes: list[tuple[Node, Any]]) -> None:
        """Turns a frame into messages."""
        positions, turns = geom_poses(self._app._model, frame.links, frame.offsets)
        # A hidden world is moved out of sight: nodes have no instances to take away.
        positions[~frame.visible] = 1e6
        for node, handle in nodes:
            handle.batched_positions = positions[:, node.geoms].reshape(-1, 3)
            handle.batched_wxyzs = turns[:, node.geoms].reshape(-1, 4)
            handle.visible = node.group in frame.groups
        self._mark("contacts", frame.contacts, self._points)
        self._mark("forces", frame.forces, self._arrows)
        # A capsule is shown as a cylinder: its ends would not survive being stretched.
        for kind in (_SPHERE, _CAPSULE, _CYLINDER, _BOX):
            self._mark(f"gizmos_{kind}", frame.gizmos[frame.gizmos[:, 0] == kind], self._shapes)
        self._show_widgets(frame)
        for client in self._server.get_clients().values():
            if frame.main is not None:
                _put(client, *frame.main)
            elif frame.tracked is not None:
                client.camera.look_at = tuple(frame.tracked)

    def _show_widgets(self, frame: Frame) -> None:
        """Pictures of cameras and of the program, below the controls."""
        for gone in set(self._pictures) - set(frame.pictures):
            self._pictures.pop(gone).remove()
        for widget, (label, pixels) in frame.pictures.items():
            if widget in self._pictures:
                self._pictures[widget].image = pixels
            else:
                self._pictures[widget] = self._server.gui.add_image(pixels, label=label)

    def _mark(self, name: str, what: NDArray[np.float64], add: Callable[[str, NDArray[np.float64]], Any]) -> None:
        """Replaces a kind of mark."""
        old = self._marks.pop(name, None)
        if old is not None:
            old.remove()
        if len(what):
            self._marks[name] = add(f"/marks/{name}", what)

    def _points(self, name: str, points: NDArray[np.float64]) -> Any:
        return self._server.scene.add_point_cloud(name, points.astype(np.float32), (230, 60, 40), point_size=0.02)

    def _arrows(self, name: str, arrows: NDArray[np.float64]) -> Any:
        ends = arrows.reshape(-1, 2, 3).astype(np.float32)
        return self._server.scene.add_arrows(
            name, ends, (60, 190, 80), shaft_radius=0.008, head_radius=0.02, head_length=0.04
        )

    def _shapes(self, name: str, rows: NDArray[np.float64]) -> Any:
        """Marks of the program that have the same kind, as instances of a unit shape."""
        make = {_SPHERE: meshes.sphere, _BOX: meshes.box}.get(int(rows[0, 0]), meshes.cylinder)
        vertices, faces = make()
        scales = rows[:, 1:4].copy()
        if rows[0, 0] == _SPHERE:
            scales[:] = rows[:, 1:2]
        elif rows[0, 0] != _BOX:
            scales = rows[:, [1, 1, 2]]
        return self._server.scene.add_batched_meshes_simple(
            name,
            vertices,
            faces,
            np.roll(rows[:, 7:11], 1, axis=1).astype(np.float32),
            rows[:, 4:7].astype(np.float32),
            batched_scales=np.maximum(scales, 1e-4).astype(np.float32),
            batched_colors=(255 * np.clip(rows[:, 11:14], 0, 1)).astype(np.uint8),
            lod="off",
            cast_shadow=False,
        )

    def stop(self) -> None:
        """Ends the page."""
        with self._condition:
            if self._stopped:
                return
            self._stopped = True
            self._condition.notify()
        self._thread.join(timeout=5)
        self._server.stop()


def _put(client: Any, pose: NDArray[np.float64], fovy: float) -> None:
    """Moves the camera of a page. The page's cameras look along +z with y down: half a turn about x from ours."""
    x, y, z, w = pose[3:]
    client.camera.wxyz = (-x, w, z, -y)
    client.camera.position = tuple(pose[:3])
    client.camera.fov = float(np.radians(fovy))


class Frame:
    """A state to be shown: copies, so that the program may go on."""

    def __init__(self, app: RenderApp) -> None:
        controls = app._window.controls if app._window is not None else None
        self.links = app._links
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
        self.pictures: dict[int, tuple[str, NDArray[np.uint8]]] = {}
        for viewport in app.widgets.viewports:
            if viewport.image is not None:
                name = app._model.cameras[viewport.camera.index].name or f"camera {viewport.camera.index}"
                self.pictures[id(viewport)] = (name, _rgb(viewport.image))
        for widget in app.widgets.images:
            self.pictures[id(widget)] = ("image", _rgb(widget.image))
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
