"""The same scenes, start states, controls and steps through this engine and its peers, side by side.

Engines run in processes of their own and take turns, A/B/A/B; the median over the rounds of the ratio of CPU times
counts, since a busy machine slows both. Contacts and heights stand beside the speed: an engine that is fast because it
does nothing shows. As Markdown on standard output; `make bench` puts it into the README.

    python benches/compare.py [--workloads quadruped,ant] [--worlds 1024] [--threads 1] [--motrixsim PYTHON]

`--motrixsim` names the interpreter of an environment with MotrixSim installed, which is measured too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from workloads import WORKLOADS, Workload, prepare

ENGINES = Path(__file__).parent / "engines.py"
# Changes of the controls in one run.
TICKS = 10


class Peer:
    """An engine in a process of its own."""

    def __init__(self, label: str, command: list[str], threads: int = 1) -> None:
        self.label = label
        environment = os.environ | {"RAYON_NUM_THREADS": str(threads)}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def ask(self, **request: Any) -> dict[str, float]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.label} ended while it was asked to {request['do']}")
        answer: dict[str, float] = json.loads(line)
        return answer

    def close(self) -> None:
        self.process.communicate()


def stepper(label: str, python: str, kind: str, threads: int, options: dict[str, Any]) -> Peer:
    """An engine that steps worlds, under the interpreter where it is installed."""
    return Peer(label, [python, str(ENGINES), kind, str(threads), json.dumps(options)], threads)


def measure(workload: Workload, folder: Path, peers: list[Peer], worlds: int, rounds: int) -> list[str]:
    """One row of the table per engine; the first engine is the unit."""
    prepare(workload, folder)
    for peer in peers:
        peer.ask(
            do="load",
            folder=str(folder),
            worlds=worlds,
            noise=workload.noise,
            decimation=workload.decimation,
            ticks=TICKS,
        )
    times: list[list[dict[str, float]]] = [
        [peer.ask(do="run", decimation=workload.decimation) for peer in peers] for _ in range(rounds)
    ]
    steps = worlds * TICKS * workload.decimation
    rows = []
    for k, peer in enumerate(peers):
        ratio = median(turn[0]["cpu"] / turn[k]["cpu"] for turn in times)
        cpu, wall = (median(turn[k][clock] for turn in times) for clock in ("cpu", "wall"))
        look = peer.ask(do="look")
        rows.append(
            f"| {workload.name} | {peer.label} | {ratio:.2f} | {steps / cpu:,.0f} | {steps / wall:,.0f} "
            f"| {look['contacts']:.1f} | {look['height']:.3f} | {look['finite']:.0%} |"
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--motrixsim", metavar="PYTHON")
    arguments = parser.parse_args()

    engines = [
        ("MuJoCo", sys.executable, "mujoco", {}),
        ("ours, mujoco contacts", sys.executable, "motrixsim", {"contact_model": "mujoco"}),
        ("ours, firm contacts", sys.executable, "motrixsim", {}),
        ("ours, mujoco contacts, f64", sys.executable, "motrixsim", {"contact_model": "mujoco", "precision": "f64"}),
    ]
    if arguments.motrixsim:
        engines.append(("MotrixSim", arguments.motrixsim, "motrixsim", {}))
        engines.append(("MotrixSim, 3 iterations", arguments.motrixsim, "motrixsim", {"max_iterations": 3}))
    peers = [stepper(label, python, kind, arguments.threads, options) for label, python, kind, options in engines]
    print(f"**Steps of {arguments.worlds} worlds, {arguments.threads} thread(s), beside MuJoCo's own batches**\n")
    print("| scene | engine | times MuJoCo (CPU) | steps per CPU second | per second | contacts | height | finite |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.workloads.split(","):
            for row in measure(WORKLOADS[name], Path(folder) / name, peers, arguments.worlds, arguments.rounds):
                print(row, flush=True)
    for peer in peers:
        peer.close()


if __name__ == "__main__":
    main()
