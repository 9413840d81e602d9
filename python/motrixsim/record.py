"""Recordings: numbers of chosen worlds over time, in memory and in files that survive a crash.

    recorder = Recorder(model, decimation=10, worlds=[0, 5], path="run.rec")
    recorder.joints()
    recorder.sensors(["imu_gyro"])
    proximity.request(recorder)
    for _ in range(1000):
        motrixsim.step(model, data)
        recorder.sample(data)
    recorder.save_csv("run.csv")

A sampler is a function of model and data that returns numbers of shape `(*data.shape, k)` for `k` columns. Every
`decimation`-th call of `sample` records the time and all columns of the chosen worlds.

With `path` every sample is also appended to a file at once: a line of JSON that names the columns, then samples of
equal length in little-endian `float64`. A run that ends in the middle of a write leaves a shorter last sample, which
`read` leaves out and appending overwrites.
"""

from __future__ import annotations

import csv
import importlib
import io
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import SceneData, SceneModel

__all__ = ["Recorder", "Sampler", "read"]

Sampler = Callable[[SceneModel, SceneData], ArrayLike]

_FORMAT = "motrixsim-recording-1"
_NUMBER = np.dtype("<f8")

#: Columns of the attributes of a contact: how their tags end, and their places in the table of contacts.
_CONTACT_COLUMNS: dict[str, list[tuple[str, int]]] = {
    "count": [],
    "geoms": [(":geom1", 0), (":geom2", 1)],
    "dist": [(":dist", 2)],
    "pos": [("/pos:x", 3), ("/pos:y", 4), ("/pos:z", 5)],
    "force": [("/force:x", 6), ("/force:y", 7), ("/force:z", 8)],
}


class Recorder:
    """Samples of columns over time. `worlds` are the rows of the batch to record, all of them unless given."""

    def __init__(
        self,
        model: SceneModel,
        decimation: int = 1,
        worlds: Sequence[int] | None = None,
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        if not isinstance(decimation, (int, np.integer)) or isinstance(decimation, bool):
            raise TypeError(f"decimation: expected a whole number, got {type(decimation).__name__}")
        if decimation < 1:
            raise ValueError(f"decimation must be at least 1, got {decimation}")
        self.model = model
        self.decimation = int(decimation)
        self._worlds = None if worlds is None else [int(world) for world in worlds]
        self._path = None if path is None else os.fspath(path)
        self._file: IO[bytes] | None = None
        self._columns: list[str] = []
        self._samplers: list[tuple[int, Sampler]] = []
        self._samples: list[NDArray[np.float64]] = []
        self._batched = True
        self._count = 0
        self._calls = 0

    @property
    def columns(self) -> list[str]:
        """Names of the columns, the time left out."""
        return list(self._columns)

    def __len__(self) -> int:
        return len(self._samples)

    def add(self, tags: str | Sequence[str], sampler: Sampler) -> None:
        """Adds columns and the function that samples them: an array of shape `(*data.shape, number of tags)`, or
        without the last dimension for a single tag given as text."""
        single = isinstance(tags, str)
        names = [tags] if isinstance(tags, str) else list(tags)
        if self._samples or self._file:
            raise RuntimeError("columns cannot be added once samples are recorded")
        taken = {*self._columns, "time"}
        for name in names:
            if name in taken:
                raise ValueError(f"there is a column {name!r} already")
            taken.add(name)
        if not callable(sampler):
            raise TypeError(f"sampler: expected a function, got {type(sampler).__name__}")
        if single:
            self._samplers.append((1, lambda model, data: np.asarray(sampler(model, data))[..., None]))
        else:
            self._samplers.append((len(names), sampler))
        self._columns += names

    def positions(self) -> None:
        """Adds `dof_pos`: the whole configuration."""
        self.add([f"dof_pos:{i}" for i in range(self.model.num_dof_pos)], lambda _, data: data.dof_pos)

    def velocities(self) -> None:
        """Adds `dof_vel`: the velocities of all degrees of freedom."""
        self.add([f"dof_vel:{i}" for i in range(self.model.num_dof_vel)], lambda _, data: data.dof_vel)

    def joints(self, names: Iterable[str] | None = None) -> None:
        """Adds position and velocity of the named joints, of all named ones unless given: `Joints/{name}:pos`,
        numbered when there are several numbers."""
        wanted = [joint.name for joint in self.model.joints if joint.name] if names is None else list(names)
        for name in wanted:
            joint = self.model.get_joint(name)
            if joint is None:
                raise ValueError(f"no joint named {name!r}")
            for attr, count, read_joint in (
                ("pos", joint.num_dof_pos, joint.get_dof_pos),
                ("vel", joint.num_dof_vel, joint.get_dof_vel),
            ):
                tag = f"Joints/{name}:{attr}"
                tags = [tag] if count == 1 else [f"{tag}{i}" for i in range(count)]

                def sample(_: SceneModel, data: SceneData, get: Any = read_joint, k: int = count) -> ArrayLike:
                    return np.asarray(get(data)).reshape(*data.shape, k)

                self.add(tags, sample)

    def sensors(self, names: Iterable[str]) -> None:
        """Adds readings of the named sensors: `Sensors/{name}`, numbered when there are several numbers."""
        probe = SceneData(self.model)
        for name in names:
            count = self.model.get_sensor_value(name, probe).shape[-1]
            tags = [f"Sensors/{name}"] if count == 1 else [f"Sensors/{name}:{i}" for i in range(count)]

            def sample(model: SceneModel, data: SceneData, sensor: str = name) -> ArrayLike:
                return model.get_sensor_value(sensor, data)

            self.add(tags, sample)

    def contacts(
        self,
        attrs: Sequence[Literal["count", "geoms", "pos", "dist", "force"]] = ("count",),
        most: int = 8,
    ) -> None:
        """Adds contacts.

        `count` is recorded as `Contacts:count`. Of the first `most` contacts of each world `geoms` are recorded as
        `Contacts/{i}:geom1` and `:geom2`, `dist` as `Contacts/{i}:dist`, `pos` as `Contacts/{i}/pos:x`, `:y` and `:z`,
        and `force`, on the second geom in the world, as `Contacts/{i}/force:x`, `:y` and `:z`; NaN where there are
        fewer. That there were more is seen in `count`.
        """
        unknown = [attr for attr in attrs if attr not in _CONTACT_COLUMNS]
        if unknown:
            raise ValueError(f"attrs: {unknown[0]!r} is none of {', '.join(map(repr, _CONTACT_COLUMNS))}")
        if most < 0:
            raise ValueError(f"most must not be negative, got {most}")

        def count(model: SceneModel, data: SceneData) -> ArrayLike:
            return model.get_contact_query(data).num_contacts

        if "count" in attrs:
            self.add("Contacts:count", count)
        columns = [(tag, place) for attr in attrs for tag, place in _CONTACT_COLUMNS[attr]]
        if not columns or not most:
            return
        places = [place for _, place in columns]

        def rows(model: SceneModel, data: SceneData) -> ArrayLike:
            table = model.get_contact_query(data)._table(most)
            return table[..., places].reshape(*data.shape, most * len(places))

        self.add([f"Contacts/{i}{tag}" for i in range(most) for tag, _ in columns], rows)

    def sample(self, data: SceneData) -> bool:
        """Records the present values if it is time; whether it was."""
        self._calls += 1
        if (self._calls - 1) % self.decimation:
            return False
        row = self._row(data)
        if self._path is not None:
            self._append(row)
        self._samples.append(row)
        return True

    def _row(self, data: SceneData) -> NDArray[np.float64]:
        """Time and columns of the chosen worlds, shape `(worlds, 1 + columns)`."""
        batched = data.ndim > 0
        count = data.shape[0] if batched else 1
        if self._samples and (batched != self._batched or count != self._count):
            raise ValueError(f"data of another shape than before: {data.shape}")
        worlds = range(count) if self._worlds is None else self._worlds
        for world in worlds:
            if not -count <= world < count:
                raise IndexError(f"world {world} of {count}")
        self._batched, self._count = batched, count
        parts = [np.asarray(data.time, np.float64).reshape(count, 1)]
        first = 0
        for width, sampler in self._samplers:
            values = np.asarray(sampler(self.model, data), np.float64)
            if values.shape != (*data.shape, width):
                tag = self._columns[first]
                raise ValueError(f"{tag}: the sampler gave shape {values.shape}, expected {(*data.shape, width)}")
            parts.append(values.reshape(count, width))
            first += width
        row = np.concatenate(parts, axis=1)
        return row if self._worlds is None else row[self._worlds]

    def _append(self, row: NDArray[np.float64]) -> None:
        if self._file is None:
            self._file = self._open(row.shape[0])
        self._file.write(row.astype(_NUMBER).tobytes())
        self._file.flush()

    def _open(self, worlds: int) -> IO[bytes]:
        """The file, its header written, or its whole samples kept when it holds the same columns already."""
        assert self._path is not None
        numbers = list(range(worlds)) if self._worlds is None else self._worlds
        header = {"format": _FORMAT, "columns": ["time", *self._columns], "worlds": numbers, "batched": self._batched}
        line = (json.dumps(header) + "\n").encode()
        if os.path.exists(self._path) and os.path.getsize(self._path) > 0:
            found, start = _header(self._path)
            if found != header:
                raise ValueError(f"{self._path} holds other columns or worlds")
            size = _NUMBER.itemsize * worlds * (1 + len(self._columns))
            whole = (os.path.getsize(self._path) - start) // size
            grown: IO[bytes] = open(self._path, "r+b")  # noqa: SIM115 - kept open between samples
            grown.truncate(start + whole * size)
            grown.seek(0, os.SEEK_END)
            return grown
        fresh: IO[bytes] = open(self._path, "wb")  # noqa: SIM115 - kept open between samples
        fresh.write(line)
        return fresh

    def close(self) -> None:
        """Closes the file; further samples append to it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def to_numpy(self) -> dict[str, NDArray[np.float64]]:
        """Each column as an array of shape `(samples, worlds)`, or `(samples,)` for one world; the time comes first."""
        worlds = self._samples[0].shape[0] if self._samples else 0
        table = np.array(self._samples).reshape(len(self._samples), worlds, 1 + len(self._columns))
        return _split(["time", *self._columns], table, self._batched)

    def save_npz(self, path: str | os.PathLike[str]) -> None:
        """Writes the columns as a compressed numpy archive."""
        arrays: Mapping[str, Any] = self.to_numpy()
        _replace(path, lambda file: np.savez_compressed(file, **arrays))

    def save_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes a table with one line per sample and world; a batch has a column `world`."""
        names, lines = self._table()

        def write(file: IO[bytes]) -> None:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            writer = csv.writer(text)
            writer.writerow(names)
            writer.writerows(lines)
            text.flush()
            text.detach()

        _replace(path, write)

    def save_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes the table of `save_csv` as Parquet; needs `pyarrow`."""
        try:
            # Looked up by name, since the package may be absent where this file is checked.
            pyarrow: Any = importlib.import_module("pyarrow")
            parquet: Any = importlib.import_module("pyarrow.parquet")
        except ImportError as error:
            raise ImportError("Parquet files need pyarrow: pip install pyarrow") from error
        names, lines = self._table()
        columns = list(zip(*lines, strict=True)) if lines else [()] * len(names)
        table = pyarrow.table({name: list(column) for name, column in zip(names, columns, strict=True)})
        _replace(path, lambda file: parquet.write_table(table, file))

    def _table(self) -> tuple[list[str], list[list[Any]]]:
        lead = ["world"] if self._batched else []
        names = ["time", *lead, *self._columns]
        lines: list[list[Any]] = []
        for sample in self._samples:
            numbers = range(len(sample)) if self._worlds is None else self._worlds
            for world, row in zip(numbers, sample.tolist(), strict=True):
                lines.append([row[0], *([world] if self._batched else []), *row[1:]])
        return names, lines


def read(path: str | os.PathLike[str]) -> dict[str, NDArray[np.float64]]:
    """The columns of a recorder's file as `Recorder.to_numpy` gives them; a sample cut short is left out."""
    header, start = _header(os.fspath(path))
    columns, worlds = header["columns"], len(header["worlds"])
    with open(path, "rb") as file:
        file.seek(start)
        numbers = np.frombuffer(file.read(), np.uint8)
    size = _NUMBER.itemsize * worlds * len(columns)
    whole = len(numbers) // size if size else 0
    table = numbers[: whole * size].view(_NUMBER).astype(np.float64).reshape(whole, worlds, len(columns))
    return _split(columns, table, header["batched"])


def _header(path: str) -> tuple[dict[str, Any], int]:
    """What a file says of itself, and where its samples start."""
    with open(path, "rb") as file:
        line = file.readline()
    try:
        header = json.loads(line)
    except ValueError:
        header = None
    if not line.endswith(b"\n") or not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise ValueError(f"{path} is not a recording")
    return header, len(line)


def _split(columns: list[str], table: NDArray[np.float64], batched: bool) -> dict[str, NDArray[np.float64]]:
    arrays = {name: np.ascontiguousarray(table[:, :, k]) for k, name in enumerate(columns)}
    return arrays if batched else {name: array.reshape(len(table)) for name, array in arrays.items()}


def _replace(path: str | os.PathLike[str], write: Callable[[IO[bytes]], Any]) -> None:
    """Writes a file beside the path and then moves it there, so that the path never holds half a file."""
    target = os.fspath(path)
    part = f"{target}.part"
    try:
        with open(part, "wb") as file:
            write(file)
        os.replace(part, target)
    finally:
        if os.path.exists(part):
            os.remove(part)
