"""A bad world in one file: its model, its last states with their inputs, and what was noticed.

`save(data[i], "bad.zip")` writes it; `replay("bad.zip")` repeats the steps elsewhere, bit for bit, and tells where it
went wrong. On the command line: `python -m motrixsim.health replay bad.zip`. The file is a zip archive of JSON, of the
files the model was loaded from and of snapshots; reading it executes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np

from ._core import SceneData, SceneModel, __version__, _rebuild_model
from ._health import Health, HealthError, names_of

__all__ = ["Health", "HealthError", "Replay", "ReplayedStep", "load", "main", "replay", "save"]

_FORMAT = 1


@dataclass(frozen=True)
class ReplayedStep:
    """One step of a replay."""

    time: float
    """When it started, seconds."""
    health: Health
    """What was noticed in it."""
    max_speed: float
    """The largest speed of a joint after it; NaN when one is not a number."""
    fastest: int
    """The entry of `dof_vel` that has it, or the first that is not a number."""
    identical: bool | None
    """Whether the step led to the next recorded state bit for bit; None for the last one, which has no successor."""


@dataclass(frozen=True)
class Replay:
    """A saved world."""

    model: SceneModel
    precision: Literal["f32", "f64"]
    health: Health
    """What was noticed when it was saved."""
    watch: dict[str, Any]
    """The settings of `data.watch` it ran under."""
    states: list[bytes]
    """Snapshots of the states from which its last steps started, oldest first."""
    now: bytes
    """Snapshot of the state in which it was saved."""


def save(data: SceneData, path: str | PathLike[str]) -> None:
    """Writes a single world with its history, `data[i]` of a batch that was set to `data.watch(history=n)`."""
    if data.shape:
        raise ValueError(f"expected a single world, data[i], got data of shape {data.shape}")
    states = data.history()
    _, ((is_file, source), strict, packages, files, options, heights) = data.model.__reduce__()
    changed, fingerprint = heights or ({}, 0)
    about = {
        "format": _FORMAT,
        "motrixsim": __version__,
        "precision": data.precision,
        "health": int(data.health),
        "watch": data.watch(),
        "states": len(states),
        "model": {
            "is_file": is_file,
            "source": source,
            "strict": strict,
            "packages": packages,
            "files": list(files),
            "options": options,
            "heights": list(changed),
            "fingerprint": fingerprint,
        },
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("about.json", json.dumps(about, indent=1))
        for k, content in enumerate(files.values()):
            archive.writestr(f"model/{k}", content)
        for field, content in changed.items():
            archive.writestr(f"heights/{field}", content)
        for k, state in enumerate(states):
            archive.writestr(f"state/{k}", state)
        archive.writestr("now", data.snapshot())


def load(path: str | PathLike[str]) -> Replay:
    """Reads a saved world. ValueError when the file is not one or is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            about = json.loads(archive.read("about.json"))
            if about["format"] != _FORMAT:
                raise ValueError(f"{path}: a saved world of format {about['format']}, this engine reads {_FORMAT}")
            origin = about["model"]
            files = {name: archive.read(f"model/{k}") for k, name in enumerate(origin["files"])}
            states = [archive.read(f"state/{k}") for k in range(about["states"])]
            now = archive.read("now")
            precision, health, watch = about["precision"], Health(about["health"]), dict(about["watch"])
            options = tuple(origin["options"])
            # Files of before heights could change have none.
            changed = {field: archive.read(f"heights/{field}") for field in origin.get("heights", [])}
            heights = (changed, origin["fingerprint"]) if changed else None
            source = origin["is_file"], origin["source"]
            arguments = source, origin["strict"], dict(origin.get("packages", {}))
    except (zipfile.BadZipFile, KeyError, TypeError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not a saved world, or damaged: {error!r}") from error
    model = _rebuild_model(*arguments, files, options, heights)
    return Replay(model, precision, health, watch, states, now)


def replay(path: str | PathLike[str]) -> list[ReplayedStep]:
    """Repeats the recorded steps of a saved world and examines each."""
    saved = load(path)
    model = saved.model
    data, expected = (SceneData(model, (), saved.precision) for _ in range(2))
    data.watch(**{**saved.watch, "policy": "keep", "history": 0})
    steps = []
    for k, state in enumerate(saved.states):
        data.restore(state)
        time = float(data.time)
        model.step(data)
        identical = None
        if k + 1 < len(saved.states):
            expected.restore(saved.states[k + 1])
            identical = _same(data, expected)
        speeds = np.abs(data.dof_vel)
        fastest = int(np.argmax(np.where(np.isnan(speeds), np.inf, speeds))) if speeds.size else -1
        top = float(speeds[fastest]) if speeds.size else 0.0
        steps.append(ReplayedStep(time, Health(int(data.health)), top, fastest, identical))
    return steps


def _same(a: SceneData, b: SceneData) -> bool:
    """Whether positions, velocities and clocks agree bit for bit; inputs may have been changed between steps."""
    pairs = [(a.dof_pos, b.dof_pos), (a.dof_vel, b.dof_vel), (a.time, b.time)]
    return all(x.tobytes() == y.tobytes() for x, y in pairs)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Returns 0 when every repeated step is the recorded one."""
    parser = argparse.ArgumentParser(
        prog="python -m motrixsim.health", description="Repeats the last steps of a world."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("replay", help="repeat the steps of a saved world and tell what was noticed")
    command.add_argument("file")
    given = parser.parse_args(arguments)
    try:
        steps = replay(given.file)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{'time':>10}  {'max speed':>12}  {'dof':>4}  {'repeated':>8}  noticed")
    for step in steps:
        repeated = {None: "last", True: "exactly", False: "NOT"}[step.identical]
        noticed = names_of(step.health) or "-"
        print(f"{step.time:10.4f}  {step.max_speed:12.5g}  {step.fastest:4d}  {repeated:>8}  {noticed}")
    return int(any(step.identical is False for step in steps))


if __name__ == "__main__":
    sys.exit(main())
