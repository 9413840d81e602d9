"""Pictures as arrays, and as PNG files written with the standard library alone."""

from __future__ import annotations

import struct
import zlib
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InvalidArgumentError, InvalidFileError

__all__ = ["Color", "Image", "png"]


class Color(NamedTuple):
    """A colour, each part from 0 to 1."""

    r: float
    g: float
    b: float
    a: float = 1.0

    @classmethod
    def rgb(cls, r: float, g: float, b: float) -> Color:
        """An opaque colour."""
        return cls(r, g, b)

    @classmethod
    def rgba(cls, r: float, g: float, b: float, a: float) -> Color:
        """A colour."""
        return cls(r, g, b, a)


#: Colour types of PNG by the number of channels.
_PNG_KINDS = {1: 0, 2: 4, 3: 2, 4: 6}


def png(pixels: NDArray[np.uint8]) -> bytes:
    """The bytes of a PNG file; `pixels` has the shape `(h, w)` or `(h, w, channels)`."""
    pixels = np.atleast_3d(pixels)
    height, width, channels = pixels.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, _PNG_KINDS[channels], 0, 0, 0)
    # Each row starts with its filter: 1 says that a byte is the difference to the pixel on its left.
    rows = pixels.reshape(height, width * channels)
    filtered = np.zeros((height, 1 + width * channels), np.uint8)
    filtered[:, 0] = 1
    filtered[:, 1:] = rows
    filtered[:, 1 + channels :] -= rows[:, :-channels]
    body = zlib.compress(filtered.tobytes(), 6)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


class Image:
    """A picture, or one per world.

    `pixels` are bytes of the shape `(h, w, c)`, depths in metres, `float32` of the shape `(h, w)`, or ids, `int32` of
    the shape `(h, w)`; for several worlds with one more dimension in front.
    """

    def __init__(self, pixels: ArrayLike) -> None:
        array = np.asarray(pixels)
        is_bytes = array.dtype == np.uint8 and array.ndim in (3, 4) and array.shape[-1] in _PNG_KINDS
        is_plain = array.dtype in (np.float32, np.int32) and array.ndim in (2, 3)
        if not (is_bytes or is_plain) or array.size == 0:
            message = "an image has pixels of the shape (h, w, channels) and type uint8, or (h, w) and float32 or int32"
            raise InvalidArgumentError(f"{message}; got shape {array.shape} of {array.dtype}")
        self._pixels = array

    @property
    def pixels(self) -> NDArray[Any]:
        """The numbers."""
        return self._pixels

    @property
    def width(self) -> int:
        """Pixels per row."""
        return int(self._shown().shape[1])

    @property
    def height(self) -> int:
        """Rows."""
        return int(self._shown().shape[0])

    def save_to_disk(self, path: str | PathLike[str]) -> None:
        """Writes a PNG file, or with the ending `.npy` the numbers themselves.

        Pictures of several worlds become one, side by side.
        """
        target = Path(path)
        if target.suffix == ".npy":
            np.save(target, self._pixels)
        elif target.suffix == ".png":
            target.write_bytes(png(self._shown()))
        else:
            raise InvalidFileError(f"{target}: pictures are written as .png or .npy")

    def _shown(self) -> NDArray[np.uint8]:
        """The picture as bytes that a screen can show: near is bright, ids have colours, worlds stand side by side."""
        pixels = self._pixels
        if pixels.dtype == np.float32:
            finite = pixels[np.isfinite(pixels)]
            low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
            shade = np.where(np.isfinite(pixels), 1 - 0.9 * (pixels - low) / max(high - low, 1e-9), 0)
            shown = (255 * shade).astype(np.uint8)[..., None]
        elif pixels.dtype == np.int32:
            # Neighbouring numbers get distant hues: steps of the golden ratio around a circle of colours.
            angle = 2 * np.pi * ((pixels[..., None] * 0.618034) % 1 + np.array([0, 1, 2]) / 3)
            colours = (127.5 + 100 * np.cos(angle)).astype(np.uint8)
            shown = np.where(pixels[..., None] < 0, np.uint8(0), colours)
        else:
            shown = pixels
        if shown.ndim == 4:
            shown = _side_by_side(shown)
        return np.ascontiguousarray(shown)

    def _repr_png_(self) -> bytes:
        return png(self._shown())

    def __repr__(self) -> str:
        return f"<motrixsim.render.Image {self._pixels.shape} {self._pixels.dtype}>"


def _side_by_side(pictures: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Pictures of several worlds in about a square of rows and columns."""
    count, height, width, channels = pictures.shape
    columns = int(np.ceil(np.sqrt(count)))
    rows = -(-count // columns)
    sheet = np.zeros((rows * columns, height, width, channels), np.uint8)
    sheet[:count] = pictures
    sheet = sheet.reshape(rows, columns, height, width, channels).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(sheet.reshape(rows * height, columns * width, channels))
