"""Widgets over the scene, under the name programs import them by."""

from .settings import Layout
from .ui import CameraViewport, ImageWidget, RenderWidgets

__all__ = ["CameraViewport", "ImageWidget", "Layout", "RenderWidgets"]
