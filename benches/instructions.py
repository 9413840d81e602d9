"""Guards the speed of a step: instructions per world and step, counted by callgrind, against the committed bounds.

Instructions are the same on a busy machine as on a quiet one, so that a step which became dearer shows in a test where
seconds would be noise. A count more than 5 % above its bound fails; one more than 5 % below asks for a lower bound.

    python benches/instructions.py BENCHES_BINARY [--write]

`--write` makes the present counts the bounds. The counts belong to one compiler and lane type, which the file names.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
BOUNDS = Path(__file__).with_suffix(".json")
CASES = {
    "quadruped, mujoco contacts": ("examples/assets/quadruped.xml", "mujoco"),
    "quadruped, firm contacts": ("examples/assets/quadruped.xml", "firm"),
}
STEPS = 40
# How far a count may lie from its bound.
SLACK = 0.05


class Count(NamedTuple):
    """Instructions of one step of one world, and the lane type that took them."""

    instructions: float
    lanes: str


def count(binary: str, model: str, contacts: str) -> Count:
    """Replays a case."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "profile"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--toggle-collect=*counted*"]
        command += [binary, "replay", str(ROOT / model), contacts, str(STEPS)]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        own = own_instructions(out.read_text())
    replayed = re.search(r"(\d+) world steps with (\w+)", result.stdout)
    if not own or not replayed:
        raise RuntimeError(f"callgrind counted nothing:\n{result.stderr}")
    return Count(own / int(replayed[1]), replayed[2])


def own_instructions(profile: str) -> int:
    """The sum of a callgrind profile over the program itself.

    The C library is left out: which of its ways to fill and copy memory run depends on the processor, and callgrind
    counts every byte that a string instruction moves.
    """
    objects: dict[str, str] = {}
    total, own, is_call = 0, False, False
    for line in profile.splitlines():
        if line.startswith("ob="):
            number, _, name = line[3:].partition(" ")
            own = "motrix-benches" in objects.setdefault(number, name)
        elif line.startswith("cob="):
            number, _, name = line[4:].partition(" ")
            objects.setdefault(number, name)
        elif line.startswith("calls="):
            # The next line has the cost of what was called, which is counted where it was spent.
            is_call = True
        elif line[:1] in "0123456789+-*" and line[:1]:
            if own and not is_call:
                total += int(line.rsplit(" ", 1)[1])
            is_call = False
    return total


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
    counts = {name: count(arguments.binary, *case) for name, case in CASES.items()}
    setting = {"compiler": compiler(), "lanes": next(iter(counts.values())).lanes}
    if arguments.write:
        bounds = {name: round(counted.instructions) for name, counted in counts.items()}
        BOUNDS.write_text(json.dumps({**setting, "instructions": bounds}, indent=2) + "\n")
        return 0
    known = json.loads(BOUNDS.read_text())
    for what, here in setting.items():
        if known[what] != here:
            print(f"the bounds were counted with {known[what]}, this is {here}: nothing to compare")
            return 0
    worse = False
    for name, (instructions, _) in counts.items():
        instructions = round(instructions)
        bound = known["instructions"][name]
        change = instructions / bound - 1
        print(f"{name}: {instructions:,} instructions per world and step, {change:+.1%} of the bound")
        worse |= change > SLACK
        if change < -SLACK:
            print("  faster than the bound: `make instructions-bounds` lowers it")
    return int(worse)


if __name__ == "__main__":
    sys.exit(main())
