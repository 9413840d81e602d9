"""Terrain for height fields: builders, curricula of tiles, and `.hfield` files.

A builder returns heights in metres as an array of shape `(rows, cols)`, row 0 at the lowest y and column 0 at the
lowest x, one node every `cell` metres: what `HField.height_matrix` holds and `HField.update` takes. `Terrain` puts
such heights into a model.

    >>> from motrixsim import terrain
    >>> ground = terrain.Terrain(terrain.stairs((81, 161), 0.05, rise=0.1, run=0.3), 0.05)
    >>> asset, geom = ground.mjcf("stairs", "stairs.hfield")
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Curriculum",
    "Terrain",
    "curriculum",
    "flat",
    "gaps",
    "pyramid_slope",
    "pyramid_stairs",
    "read_hfield",
    "rough",
    "slope",
    "stairs",
    "stepping_stones",
    "write_hfield",
]

Heights = NDArray[np.float32]
Shape = tuple[int, int]
TileBuilder = Callable[[Shape, float, float], Heights]
"""Makes one tile of a curriculum from its shape, its cell and its difficulty, from 0 to 1."""


def _grid(shape: Shape, cell: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """x and y of all nodes, metres from the middle of the grid."""
    rows, cols = shape
    if rows < 2 or cols < 2:
        raise ValueError(f"a height field needs at least 2 x 2 nodes, got {rows} x {cols}")
    _positive("cell", cell)
    x = cell * (np.arange(cols) - (cols - 1) / 2)
    y = cell * (np.arange(rows) - (rows - 1) / 2)
    across, along = np.meshgrid(x, y)
    return across, along


def _positive(name: str, value: float) -> None:
    if not (np.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be positive, got {value}")


def _rounded(heights: ArrayLike) -> Heights:
    return np.asarray(heights, np.float32)


def _not_negative(name: str, value: float) -> None:
    if not (np.isfinite(value) and value >= 0):
        raise ValueError(f"{name} must not be negative, got {value}")


def _distance_from_platform(shape: Shape, cell: float, platform: float) -> NDArray[np.float64]:
    """How far each node is outside of a square of side `platform` in the middle, in the sense of the larger
    coordinate.
    """
    _not_negative("platform", platform)
    x, y = _grid(shape, cell)
    outside: NDArray[np.float64] = np.maximum(np.maximum(np.abs(x), np.abs(y)) - platform / 2, 0.0)
    return outside


def flat(shape: Shape, cell: float) -> Heights:
    """Level ground."""
    _grid(shape, cell)
    return np.zeros(shape, np.float32)


def slope(shape: Shape, cell: float, angle: float, heading: float = 0.0) -> Heights:
    """A plane that rises by `angle` radians towards `heading`, counted from +x to +y; its lowest node is at 0."""
    if not abs(angle) < np.pi / 2:
        raise ValueError(f"angle must be between -pi/2 and pi/2, got {angle}")
    x, y = _grid(shape, cell)
    height = np.tan(angle) * (x * np.cos(heading) + y * np.sin(heading))
    return _rounded(height - height.min())


def stairs(shape: Shape, cell: float, rise: float, run: float, heading: float = 0.0) -> Heights:
    """Stairs that go up towards `heading`: steps `rise` high and `run` deep. A riser is as wide as a cell."""
    _positive("run", run)
    x, y = _grid(shape, cell)
    along = x * np.cos(heading) + y * np.sin(heading)
    steps = np.floor((along - along.min()) / run + 1e-9)
    return _rounded(rise * steps)


def pyramid_stairs(shape: Shape, cell: float, rise: float, run: float, platform: float = 1.0) -> Heights:
    """Stairs down on all four sides from a platform in the middle, or up if `rise` is negative."""
    _positive("run", run)
    steps = np.ceil(_distance_from_platform(shape, cell, platform) / run - 1e-9)
    return _rounded(rise * (steps.max() - steps))


def pyramid_slope(shape: Shape, cell: float, angle: float, platform: float = 1.0) -> Heights:
    """Slopes down on all four sides from a platform in the middle, or up if `angle` is negative; radians."""
    if not abs(angle) < np.pi / 2:
        raise ValueError(f"angle must be between -pi/2 and pi/2, got {angle}")
    outside = _distance_from_platform(shape, cell, platform)
    return _rounded(np.tan(angle) * (outside.max() - outside))


def rough(
    shape: Shape,
    cell: float,
    amplitude: float,
    wavelength: float | None = None,
    platform: float = 0.0,
    seed: int = 0,
) -> Heights:
    """Random heights between 0 and `amplitude`: of each node by itself, or smooth over a `wavelength` in metres. A
    square of side `platform` in the middle is level, at the mean height of its nodes.
    """
    _not_negative("amplitude", amplitude)
    x, y = _grid(shape, cell)
    rng = np.random.default_rng(seed)
    if wavelength is None:
        heights = amplitude * rng.random(shape)
    else:
        _positive("wavelength", wavelength)
        heights = amplitude * _smooth_noise(rng, x / wavelength, y / wavelength)
    if platform > 0:
        middle = np.maximum(np.abs(x), np.abs(y)) <= platform / 2
        if middle.any():
            heights[middle] = heights[middle].mean()
    return _rounded(heights)


def _smooth_noise(rng: np.random.Generator, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Random numbers at whole coordinates, blended between them with a slope of 0 at each (value noise)."""
    x, y = x - x.min(), y - y.min()
    lattice = rng.random((int(y.max()) + 2, int(x.max()) + 2))
    col, row = x.astype(int), y.astype(int)
    u, v = x - col, y - row
    u, v = u * u * (3 - 2 * u), v * v * (3 - 2 * v)
    near = lattice[row, col] * (1 - u) + lattice[row, col + 1] * u
    far = lattice[row + 1, col] * (1 - u) + lattice[row + 1, col + 1] * u
    blended: NDArray[np.float64] = near * (1 - v) + far * v
    return blended


def stepping_stones(
    shape: Shape,
    cell: float,
    stone: float,
    gap: float,
    depth: float = 1.0,
    unevenness: float = 0.0,
    platform: float = 1.0,
    seed: int = 0,
) -> Heights:
    """Square stones of side `stone`, `gap` apart, over a pit `depth` deep; their tops differ by up to `unevenness`.
    A square of side `platform` in the middle is whole.
    """
    _positive("stone", stone)
    _not_negative("gap", gap)
    _not_negative("depth", depth)
    _not_negative("unevenness", unevenness)
    x, y = _grid(shape, cell)
    pitch = stone + gap
    across, along = (x - x.min()) / pitch, (y - y.min()) / pitch
    col, row = np.floor(across + 1e-9).astype(int), np.floor(along + 1e-9).astype(int)
    on_stone = ((across - col) * pitch <= stone + 1e-9) & ((along - row) * pitch <= stone + 1e-9)
    rng = np.random.default_rng(seed)
    tops = depth + unevenness * rng.random((row.max() + 1, col.max() + 1))[row, col]
    heights = np.where(on_stone, tops, 0.0)
    middle = _distance_from_platform(shape, cell, platform) <= 0
    return _rounded(np.where(middle & (platform > 0), depth, heights))


def gaps(shape: Shape, cell: float, width: float, spacing: float, depth: float = 1.0, platform: float = 1.0) -> Heights:
    """Trenches around a platform in the middle: `width` wide, `depth` deep, with `spacing` of ground between them."""
    _not_negative("width", width)
    _positive("spacing", spacing)
    _not_negative("depth", depth)
    outside = _distance_from_platform(shape, cell, platform)
    # The ground goes up to its end: a node on the border of a trench is the last one of the ground.
    place = np.mod(outside - 1e-9, width + spacing)
    in_trench = (outside > 1e-9) & (place < width - 2e-9)
    return _rounded(np.where(in_trench, 0.0, depth))


@dataclass(frozen=True)
class Curriculum:
    """Tiles of terrain side by side: a row of tiles per level of difficulty, a column per kind of terrain.

    The whole is one height field. A world can walk on all of it, or see one tile as its own terrain through a window:
    `geom.set_window_override(data, tiles.origin(level, kind), shape=tiles.tile)`.
    """

    heights: Heights
    """All tiles, metres."""
    cell: float
    """Distance between nodes, metres."""
    tile: Shape
    """Nodes of a tile: rows, columns."""
    levels: int
    """Levels of difficulty."""
    kinds: int
    """Kinds of terrain."""

    def origin(self, level: ArrayLike, kind: ArrayLike) -> NDArray[np.int64]:
        """First row and column of a tile, of shape `(*, 2)` for arrays of levels and kinds."""
        level, kind = np.broadcast_arrays(
            self._index("level", level, self.levels), self._index("kind", kind, self.kinds)
        )
        return np.stack([level * self.tile[0], kind * self.tile[1]], axis=-1)

    def centre(self, level: ArrayLike, kind: ArrayLike) -> NDArray[np.float64]:
        """x and y of the middle of a tile, metres from the middle of the whole, of shape `(*, 2)`."""
        row, col = np.moveaxis(self.origin(level, kind), -1, 0)
        (rows, cols), (all_rows, all_cols) = self.tile, self.heights.shape
        x = self.cell * (col + (cols - 1) / 2 - (all_cols - 1) / 2)
        y = self.cell * (row + (rows - 1) / 2 - (all_rows - 1) / 2)
        return np.stack([x, y], axis=-1)

    @staticmethod
    def _index(name: str, value: ArrayLike, count: int) -> NDArray[np.int64]:
        index = np.asarray(value)
        if index.dtype.kind not in "iu":
            raise TypeError(f"{name}: expected whole numbers, got {index.dtype}")
        if ((index < 0) | (index >= count)).any():
            raise IndexError(f"{name}: expected numbers from 0 to {count - 1}, got {value!r}")
        return index.astype(np.int64)


def curriculum(kinds: Sequence[TileBuilder], levels: int, tile: Shape, cell: float) -> Curriculum:
    """Builds the tiles of a curriculum: `kinds[k](tile, cell, difficulty)` for difficulties from 0 at the first
    level to 1 at the last.
    """
    if not kinds or levels < 1:
        raise ValueError("a curriculum needs at least one kind of terrain and one level")
    rows = []
    for level in range(levels):
        difficulty = level / max(levels - 1, 1)
        tiles = [np.asarray(build(tile, cell, difficulty), np.float32) for build in kinds]
        for k, heights in enumerate(tiles):
            if heights.shape != tuple(tile):
                raise ValueError(f"kinds[{k}] made a tile of shape {heights.shape} instead of {tuple(tile)}")
        rows.append(np.concatenate(tiles, axis=1))
    return Curriculum(np.concatenate(rows), cell, (tile[0], tile[1]), levels, len(kinds))


@dataclass(frozen=True)
class Terrain:
    """Heights in metres over a grid, ready to be written into a model."""

    heights: Heights
    """Heights, shape `(rows, cols)`, row 0 at the lowest y."""
    cell: float
    """Distance between nodes, metres."""
    base: float = 0.1
    """Thickness of the body below the lowest height, metres."""

    def __post_init__(self) -> None:
        heights = np.asarray(self.heights, np.float32)
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise ValueError(f"heights: expected at least 2 x 2 nodes, got shape {heights.shape}")
        if not np.isfinite(heights).all():
            raise ValueError("heights: not all are finite")
        _positive("cell", self.cell)
        _positive("base", self.base)
        object.__setattr__(self, "heights", heights)

    @property
    def size(self) -> tuple[float, float, float, float]:
        """The attribute `size` of the height field: half extents along x and y, greatest height, base."""
        rows, cols = self.heights.shape
        span = float(np.ptp(self.heights))
        return (self.cell * (cols - 1) / 2, self.cell * (rows - 1) / 2, span if span > 0 else 1.0, self.base)

    @property
    def lowest(self) -> float:
        """The height that loading a file makes 0: where the geom has to be for heights to be what they were."""
        return float(self.heights.min())

    def mjcf(self, name: str, file: str | PathLike[str] | None = None) -> tuple[str, str]:
        """The elements `<hfield>` and `<geom>` of this terrain. With `file` the heights are written there, to be
        read when the model is loaded; without, they are part of the text.
        """
        size = " ".join(f"{x:.9g}" for x in self.size)
        if file is None:
            # A document lists the row at the highest y first.
            numbers = " ".join(f"{x:.9g}" for x in self.heights[::-1].ravel())
            rows, cols = self.heights.shape
            source = f'nrow="{rows}" ncol="{cols}" elevation="{numbers}"'
        else:
            write_hfield(file, self.heights)
            source = f'file={quoteattr(str(file))} content_type="image/vnd.mujoco.hfield"'
        label = quoteattr(name)
        asset = f'<hfield name={label} size="{size}" {source}/>'
        geom = f'<geom name={label} type="hfield" hfield={label} pos="0 0 {self.lowest:.9g}"/>'
        return asset, geom


def write_hfield(path: str | PathLike[str], heights: ArrayLike) -> None:
    """Writes heights as a binary height field: two int32, rows and columns, then float32 row by row from the lowest
    y.
    """
    array = np.asarray(heights, "<f4")
    if array.ndim != 2:
        raise ValueError(f"heights: expected two dimensions, got shape {array.shape}")
    with Path(path).open("wb") as file:
        file.write(np.asarray(array.shape, "<i4").tobytes())
        file.write(np.ascontiguousarray(array).tobytes())


def read_hfield(path: str | PathLike[str]) -> Heights:
    """Reads a binary height field, as its numbers are in the file."""
    content = Path(path).read_bytes()
    if len(content) < 8:
        raise ValueError(f"{path}: the file ends within its header")
    rows, cols = (int(x) for x in np.frombuffer(content, "<i4", 2))
    if rows < 1 or cols < 1 or len(content) != 8 + 4 * rows * cols:
        raise ValueError(f"{path}: {len(content)} bytes are not {rows} x {cols} heights")
    return np.frombuffer(content, "<f4", offset=8).reshape(rows, cols).astype(np.float32)
