"""Seeing worlds: pictures from the CPU, and a live page for the browser.

`Renderer` draws batches of pictures as arrays. `RenderApp` shows a running simulation. Importing this package needs
nothing but numpy; the page needs `viser`.
"""

from .app import RenderApp
from .camera import CaptureTask, RenderCamera, SystemCamera
from .errors import InvalidArgumentError, InvalidFileError, OtherRenderError, RenderClosedError, RenderError
from .gizmos import RenderGizmos
from .image import Color, Image
from .renderer import FreeView, Renderer, look_at, portrait
from .settings import Layout, RenderOpt, RenderSettings
from .ui import Input, RenderUI, RenderWidgets

__all__ = [
    "CaptureTask",
    "Color",
    "FreeView",
    "Image",
    "Input",
    "InvalidArgumentError",
    "InvalidFileError",
    "Layout",
    "OtherRenderError",
    "RenderApp",
    "RenderCamera",
    "RenderClosedError",
    "RenderError",
    "RenderGizmos",
    "RenderOpt",
    "RenderSettings",
    "RenderUI",
    "RenderWidgets",
    "Renderer",
    "SystemCamera",
    "look_at",
    "portrait",
]
