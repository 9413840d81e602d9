"""Writes what `make bench` measured between the bench marks of README.md and of docs/performance.md.

Each bench leaves a Markdown file in `target/bench`. README.md has the comparison with the peers in short, and how it
scales; docs/performance.md has all files, joined in the order of their names. Both say on what machine they were
measured, and when.
"""

import os
import platform
import re
from datetime import date
from pathlib import Path

from plot import rows

ROOT = Path(__file__).parent.parent
MEASURED = ROOT / "target" / "bench"
BEGIN, END = "<!-- bench:begin -->\n", "<!-- bench:end -->"
# Columns of a row of the comparison.
SPEED, PER_SECOND, CONTACTS = 2, 3, 5


def processor() -> str:
    """The processor's name, as the system tells it, with family and model where the name leaves them open."""
    cpuinfo = Path("/proc/cpuinfo")
    told = dict(re.findall(r"^([\w ]+?)\s*: (.*)$", cpuinfo.read_text(), re.MULTILINE)) if cpuinfo.exists() else {}
    if "model name" not in told:
        return platform.processor() or platform.machine()
    return "{model name} (family {cpu family}, model {model})".format_map(told)


def in_short(table: str) -> str:
    """The comparison with a row for each scene."""
    scenes = rows(table)
    engines = list(dict.fromkeys(engine for scene in scenes.values() for engine in scene if engine != "MuJoCo"))
    out = [
        f"| scene | MuJoCo, steps per CPU second | {' | '.join(engines)} | contacts: MuJoCo, ours, firm |",
        "|---|---:|" + "---:|" * len(engines) + "---|",
    ]
    for name, scene in scenes.items():
        speeds = [f"{scene[engine][SPEED]}x" if engine in scene else "" for engine in engines]
        touching = [scene[engine][CONTACTS] for engine in ("MuJoCo", "ours, mujoco contacts", "ours, firm contacts")]
        out.append(f"| {name} | {scene['MuJoCo'][PER_SECOND]} | {' | '.join(speeds)} | {', '.join(touching)} |")
    return "\n".join(out)


def write_section(path: Path, parts: list[str]) -> None:
    """Replaces what stands between the marks of a page."""
    page = path.read_text()
    before, mark, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise SystemExit(f"{path} lacks the marks {BEGIN.strip()} and {END}")
    path.write_text(before + BEGIN + "\n\n".join(parts) + "\n" + END + after)


def main() -> None:
    machine = f"{processor()}, {os.cpu_count()} threads, {platform.system()}, {date.today()}."
    files = {path.name: path.read_text().strip() for path in sorted(MEASURED.glob("*.md"))}
    peers = files["peers.md"]
    first, _, _ = peers.partition("\n")
    picture = "![Times MuJoCo's speed, scene by scene](docs/peers.svg)"
    short = [machine, first, picture, in_short(peers), files["scale.md"]]
    write_section(ROOT / "README.md", short)
    write_section(ROOT / "docs" / "performance.md", [machine, *files.values()])


if __name__ == "__main__":
    main()
