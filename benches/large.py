"""One world that grows, from one humanoid to a hundred and from 25 bodies in a pile to 200, beside MuJoCo's.

Engines run in processes of their own and take turns, each stepping one world on one thread; medians of CPU times and
of their ratios count. A cost per humanoid or body that stays level is growth in proportion. Prints Markdown.

    python benches/large.py
"""

from __future__ import annotations

import sys
import tempfile
from math import isqrt
from pathlib import Path
from statistics import median

from compare import Peer, stepper
from workloads import Workload, humanoid, pile_of, prepare

ROUNDS, TICKS = 5, 20
ENGINES = [
    ("MuJoCo", "mujoco", {}),
    ("ours, mujoco contacts", "motrixsim", {"contact_model": "mujoco"}),
    ("ours, firm contacts", "motrixsim", {}),
]


def humanoids(count: int) -> Workload:
    """Humanoids that have fallen, on a square and out of each other's reach."""
    side = isqrt(count)
    begin = f'<replicate count="{side}" offset="3 0 0" sep="x"><replicate count="{side}" offset="0 3 0" sep="y"><body'

    def write(folder: Path) -> str:
        before, _, rest = humanoid(folder).partition("<body")
        body, _, _ = rest.partition("</worldbody>")
        return f"{before}{begin}{body}</replicate></replicate></worldbody></mujoco>"

    return Workload(f"humanoids-{count}", write, settle=300)


def pile(count: int, side: int) -> Workload:
    """A pile three layers high, however many bodies it has."""

    def write(folder: Path) -> str:
        return f'<mujoco><worldbody><geom type="plane" size="20 20 0.1"/>{pile_of(count, side)}</worldbody></mujoco>'

    return Workload(f"pile-{count}", write, settle=400)


FAMILIES = [
    [(count, humanoids(count)) for count in (1, 16, 100)],
    [(count, pile(count, side)) for count, side in [(25, 3), (50, 4), (100, 6), (200, 8)]],
]


def measure(workload: Workload, folder: Path, peers: list[Peer]) -> list[list[dict[str, float]]]:
    """CPU seconds of a step, round by round and engine by engine."""
    prepare(workload, folder, states=1)
    shape = {"worlds": 1, "noise": workload.noise, "decimation": workload.decimation, "ticks": TICKS}
    for peer in peers:
        peer.ask(do="load", folder=str(folder), **shape)
    return [[peer.ask(do="run", decimation=workload.decimation) for peer in peers] for _ in range(ROUNDS)]


def main() -> None:
    peers = [stepper(label, sys.executable, kind, 1, options) for label, kind, options in ENGINES]
    print("**One large world, 1 thread**\n")
    print("| scene | engine | CPU µs per step | per body, of the smallest | times MuJoCo (CPU) | contacts |")
    print("|---|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for family in FAMILIES:
            smallest: dict[str, float] = {}
            for count, workload in family:
                times = measure(workload, Path(folder) / workload.name, peers)
                for k, peer in enumerate(peers):
                    step = median(turn[k]["cpu"] for turn in times) / (TICKS * workload.decimation)
                    ratio = median(turn[0]["cpu"] / turn[k]["cpu"] for turn in times)
                    growth = step / count / smallest.setdefault(peer.label, step / count)
                    contacts = peer.ask(do="look")["contacts"]
                    print(
                        f"| {workload.name} | {peer.label} | {1e6 * step:,.0f} | {growth:.2f} | {ratio:.2f} "
                        f"| {contacts:.0f} |",
                        flush=True,
                    )
    for peer in peers:
        peer.close()


if __name__ == "__main__":
    main()
