"""Guards the speed of a step: instructions per world and step, counted by callgrind, against the committed bounds.

Instructions are the same on a busy machine as on a quiet one, so that a step which became dearer shows in a test where
seconds would be noise. A count more than 5 % above its bound fails; one more than 5 % below asks for a lower bound.

    python benches/instructions.py BENCHES_BINARY [--write]

`--write` makes the present counts the bounds. The counts belong to one compiler; the file names it.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BOUNDS = Path(__file__).with_suffix(".json")
CASES = {
    "quadruped, mujoco contacts": ("examples/assets/quadruped.xml", "mujoco"),
    "quadruped, firm contacts": ("examples/assets/quadruped.xml", "firm"),
}
STEPS = 40
# How far a count may lie from its bound.
SLACK = 0.05


def count(binary: str, model: str, contacts: str) -> float:
    """Instructions of one step of one world."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*counted*"]
    command += [binary, "replay", str(ROOT / model), contacts, str(STEPS)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    collected = re.search(r"Collected : (\d+)", result.stderr)
    worlds = re.search(r"(\d+) world steps", result.stdout)
    if not collected or not worlds:
        raise RuntimeError(f"callgrind counted nothing:\n{result.stderr}")
    return int(collected[1]) / int(worlds[1])


def compiler() -> str:
    return subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        print("valgrind is not installed: instructions are not counted")
        return 0
    counts = {name: round(count(arguments.binary, *case)) for name, case in CASES.items()}
    if arguments.write:
        BOUNDS.write_text(json.dumps({"compiler": compiler(), "instructions": counts}, indent=2) + "\n")
        return 0
    known = json.loads(BOUNDS.read_text())
    if known["compiler"] != compiler():
        print(f"the bounds were counted with {known['compiler']}, this is {compiler()}: nothing to compare")
        return 0
    worse = False
    for name, instructions in counts.items():
        bound = known["instructions"][name]
        change = instructions / bound - 1
        print(f"{name}: {instructions:,} instructions per world and step, {change:+.1%} of the bound")
        worse |= change > SLACK
        if change < -SLACK:
            print("  faster than the bound: `make instructions-bounds` lowers it")
    return int(worse)


if __name__ == "__main__":
    sys.exit(main())
