"""The scenes of `compare.py` in batches of 1 to 4096 worlds, on one and two threads; what loading and a world cost.

Engines take turns, as there; medians of ratios over the rounds count. Wall time tells, because CPU time does not show
what a second thread is good for. As Markdown on standard output.

    python benches/sizes.py [--workloads quadruped,ant]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from compare import Peer, stepper
from workloads import WORKLOADS, Workload, prepare

SIZES = [1, 64, 1024, 4096]
THREADS = [1, 2]
# Rounds: the largest batches are long enough for one.
ROUNDS = {1: 3, 64: 3, 1024: 3, 4096: 1}
# Changes of the controls in a run.
TICKS = 4
# Worlds whose steps one measurement takes at least, runs of small batches being repeated, and how often at the most.
WORLDS = 1024
MOST_REPEATS = 128
ENGINES: list[tuple[str, str, dict[str, Any]]] = [
    ("MuJoCo", "mujoco", {}),
    ("mujoco contacts", "motrixsim", {"contact_model": "mujoco"}),
    ("firm contacts", "motrixsim", {}),
]


def peers(threads: int) -> list[Peer]:
    return [stepper(label, sys.executable, kind, threads, options) for label, kind, options in ENGINES]


def speeds(workload: Workload, folder: Path, engines: list[Peer], worlds: int) -> list[tuple[float, float]]:
    """Steps per second of each engine, and how many times that of the first."""
    repeats = min(max(WORLDS // worlds, 1), MOST_REPEATS)
    load: dict[str, Any] = {"folder": str(folder), "noise": workload.noise, "ticks": TICKS, "worlds": worlds}
    for engine in engines:
        engine.ask(do="load", decimation=workload.decimation, **load)
    run = {"decimation": workload.decimation, "repeats": repeats}
    walls = [[engine.ask(do="run", **run)["wall"] for engine in engines] for _ in range(ROUNDS[worlds])]
    steps = worlds * TICKS * workload.decimation * repeats
    return [
        (steps / median(turn[k] for turn in walls), median(turn[0] / turn[k] for turn in walls))
        for k in range(len(engines))
    ]


def rows(workload: Workload, folder: Path, engines: list[Peer], threads: int) -> list[str]:
    """A row for each engine, a column for each size."""
    columns = [speeds(workload, folder, engines, worlds) for worlds in SIZES]
    out = []
    for k, (label, _, _) in enumerate(ENGINES):
        cells = [
            f"{speed:,.0f}" if k == 0 else f"{speed:,.0f} ({ratio:.1f}x)" for speed, ratio in (c[k] for c in columns)
        ]
        out.append(f"| {workload.name} | {threads} | {label} | {' | '.join(cells)} |")
    return out


def footprint(workload: Workload, folder: Path) -> str:
    """What loading and one world cost, in processes that have done nothing else."""
    cells = []
    engines = peers(1)[:2]
    found = [engine.ask(do="footprint", folder=str(folder), worlds=4 * SIZES[-1]) for engine in engines]
    for engine in engines:
        engine.close()
    for what, digits in (("load", 1), ("first", 2), ("bytes", 0)):
        cells += [f"{numbers[what]:,.{digits}f}" for numbers in found]
    return f"| {workload.name} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    workloads = [WORKLOADS[name] for name in parser.parse_args().workloads.split(",")]
    with tempfile.TemporaryDirectory() as place:
        folders = {workload.name: Path(place) / workload.name for workload in workloads}
        for workload in workloads:
            prepare(workload, folders[workload.name])
        print("**Steps per second by worlds in a batch and threads, wall time; beside ours how many times MuJoCo's**\n")
        print("| scene | threads | engine | " + " | ".join(f"{worlds:,}" for worlds in SIZES) + " |")
        print("|---|---:|---|" + "---:|" * len(SIZES))
        for threads in THREADS:
            engines = peers(threads)
            for workload in workloads:
                for row in rows(workload, folders[workload.name], engines, threads):
                    print(row, flush=True)
            for engine in engines:
                engine.close()
        print(
            "\n| scene | ms to load: MuJoCo | ours | ms of a first step: MuJoCo | ours "
            "| bytes of a world: MuJoCo | ours |"
        )
        print("|---|" + "---:|" * 6)
        for workload in workloads:
            print(footprint(workload, folders[workload.name]), flush=True)


if __name__ == "__main__":
    main()
