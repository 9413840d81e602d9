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
from .frame import Frame
from .gizmos import RenderGizmos
from .page import Node, geom_poses, nodes_of
from .settings import Layout

if TYPE_CHECKING:
    from .app import RenderApp

__all__ = ["Window"]

#: Frames a second that a page is sent at most.
_FRAMES = 30.0
#: Seconds after which the heights of terrain are looked at again.
_TERRAIN_PERIOD = 0.2
#: The window that shares of a layout refer to while no page has told its size, pixels.
_USUAL_SIZE = (1280, 720)
#: The address that only this machine can reach.
_LOOPBACK = "127.0.0.1"
#: MuJoCo's numbers of the shapes that marks have.
_SPHERE, _CAPSULE, _CYLINDER, _BOX = 2, 3, 5, 6


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
        #: The heights and windows that the nodes of terrain show, and when that was last compared.
        self._terrain: tuple[int, bytes] = (0, b"")
        self._terrain_seen = 0.0
        self._left_panel, self._shown_sizes = True, b""
        self._marks: dict[str, Any] = {}
        #: What shows each widget: the picture, and its panel if it has one.
        self._pictures: dict[int, list[Any]] = {}
        self._latest: Frame | None = None
        self._condition = threading.Condition()
        #: Held by who changes the scene of the page; never by a program that only leaves a frame behind.
        self._scene = threading.Lock()
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
        with self._scene, self._server.atomic():
            self._server.scene.reset()
            self._server.gui.reset()
            self._server.scene.set_up_direction("+z")
            self._server.scene.configure_default_lights(cast_shadow=app._settings.enable_shadow)
            painter = renderer._painter
            self._nodes = [self._add(node) for node in nodes_of(app._model, painter, app._batch, app._windows)]
            self._terrain = (painter.terrain_digest(), _bytes(app._windows))
            self._left_panel, self._shown_sizes = True, b""
            self._marks, self._pictures = {}, {}
            self.controls = Controls(app, self._server)
        self.place_camera()

    def _add(self, node: Node) -> tuple[Node, Any]:
        """Puts a node into the scene; the next frame moves it."""
        count = len(node.worlds)
        positions, turns = node.poses(*geom_poses(self._app._model, self._app._links, self._app._offsets))
        handle = self._server.scene.add_batched_meshes_simple(
            node.name,
            node.vertices,
            node.faces,
            turns,
            positions,
            batched_scales=np.tile(node.scales, (count, 1)),
            batched_colors=np.tile(node.colours, (count, 1)),
            batched_opacities=np.tile(node.opacities, count) if (node.opacities < 1).any() else None,
            lod="off",
            visible=node.group in self._app.opt.groups,
        )
        return node, handle

    def _renew_terrain(self, frame: Frame) -> None:
        """Builds terrain anew when its heights have changed, or what worlds see of it."""
        now = time.perf_counter()
        if now - self._terrain_seen < _TERRAIN_PERIOD or not any(node.terrain for node, _ in self._nodes):
            return
        self._terrain_seen = now
        model, painter = self._app._model, self._app._launched()._painter
        state = (painter.terrain_digest(), _bytes(frame.windows))
        if state == self._terrain:
            return
        self._terrain = state
        for node, handle in self._nodes:
            if node.terrain:
                handle.remove()
        fresh = nodes_of(model, painter, self._app._batch, frame.windows)
        kept = [pair for pair in self._nodes if not pair[0].terrain]
        self._nodes = kept + [self._add(node) for node in fresh if node.terrain]

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
            begin = time.perf_counter()
            with self._scene, self._server.atomic():
                self._show(frame)
            self.sent += 1
            time.sleep(max(0.0, 1 / _FRAMES - (time.perf_counter() - begin)))

    def _watched(self) -> bool:
        return bool(self._server.get_clients())

    def _show(self, frame: Frame) -> None:
        """Turns a frame into messages."""
        self._renew_terrain(frame)
        positions, turns = geom_poses(self._app._model, frame.links, frame.offsets)
        # A hidden world is moved out of sight: nodes have no instances to take away.
        positions[~frame.visible] = 1e6
        for node, handle in self._nodes:
            handle.batched_positions, handle.batched_wxyzs = node.poses(positions, turns)
            handle.visible = node.group in frame.groups
        self._resize(frame.sizes)
        self._mark("tendons", self._tendons(frame), self._shapes)
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

    def _tendons(self, frame: Frame) -> NDArray[np.float64]:
        """Rods along the tendons of the worlds that are seen."""
        rods = RenderGizmos()
        if self._app._model.low.ntendon:
            seen, groups = np.flatnonzero(frame.visible), sum(1 << group for group in frame.groups)
            painter = self._app._launched()._painter
            for row in painter.tendons(frame.links[seen], frame.offsets[seen], groups):
                rods.line_width = 2 * row[6]
                rods.draw_line(row[:3], row[3:6], tuple(row[7:]))
        return rods._taken()

    def _resize(self, sizes: NDArray[Any] | None) -> None:
        """Gives instances the sizes that worlds have chosen, when they change."""
        if sizes is None or _bytes(sizes) == self._shown_sizes:
            return
        self._shown_sizes = _bytes(sizes)
        for node, handle in self._nodes:
            handle.batched_scales = node.scales_for(sizes)

    def _show_widgets(self, frame: Frame) -> None:
        """Pictures of cameras and of the program, where their layouts put them, and the panel itself."""
        if frame.left_panel != self._left_panel:
            self._left_panel = frame.left_panel
            panel = self._server.gui.main_panel
            (panel.expand if frame.left_panel else panel.minimize)()
        for gone in set(self._pictures) - set(frame.pictures):
            for handle in self._pictures.pop(gone):
                handle.remove()
        for widget, (label, pixels, layout) in frame.pictures.items():
            if widget in self._pictures:
                self._pictures[widget][0].image = pixels
            else:
                self._pictures[widget] = self._new_picture(label, pixels, layout)

    def _new_picture(self, label: str, pixels: NDArray[np.uint8], layout: Layout) -> list[Any]:
        """A picture in a panel of its own, or below the controls when its layout leaves everything to the window."""
        gui = self._server.gui
        if layout == Layout():
            return [gui.add_image(pixels, label=label)]
        panel = gui.add_panel()
        with panel.add_tab(label):
            picture = gui.add_image(pixels)
        seen = self._page_size()
        (x, y), (width, height) = layout.place_in_pixels(*seen), layout.in_pixels(*seen)
        panel.float(x=x or 0, y=y or 0, width=width, height=height)
        return [picture, panel]

    def _page_size(self) -> tuple[int, int]:
        """Pixels of the first page."""
        client = next(iter(self._server.get_clients().values()), None)
        return _USUAL_SIZE if client is None else (client.camera.image_width, client.camera.image_height)

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


def _bytes(array: NDArray[Any] | None) -> bytes:
    return b"" if array is None else array.tobytes()


def _put(client: Any, pose: NDArray[np.float64], fovy: float) -> None:
    """Moves the camera of a page. The page's cameras look along +z with y down: half a turn about x from ours."""
    x, y, z, w = pose[3:]
    client.camera.wxyz = (-x, w, z, -y)
    client.camera.position = tuple(pose[:3])
    client.camera.fov = float(np.radians(fovy))
