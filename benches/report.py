"""Writes what `make bench` measured into the section of README.md between the two bench marks.

Each bench leaves a Markdown file in `target/bench`; they are joined in the order of their names, below a line that
says on what machine they were measured.
"""

import os
import platform
import re
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- bench:begin -->\n", "<!-- bench:end -->"


def processor() -> str:
    """The processor's name, as the system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*:\s*(.*)", cpuinfo.read_text()) if cpuinfo.exists() else []
    return names[0] if names else platform.processor() or platform.machine()


def with_section(readme: str, section: str) -> str:
    """The text with what stands between the marks replaced."""
    before, mark, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise SystemExit(f"README.md lacks the marks {BEGIN.strip()} and {END}")
    return f"{before}{BEGIN}{section}{END}{after}"


def main() -> None:
    measured = [path.read_text().strip() for path in sorted((ROOT / "target" / "bench").glob("*.md"))]
    machine = f"{processor()}, {os.cpu_count()} threads, {platform.system()}, {date.today()}."
    readme = ROOT / "README.md"
    picture = "![Times MuJoCo's speed, scene by scene](docs/peers.svg)"
    readme.write_text(with_section(readme.read_text(), "\n\n".join([machine, picture, *measured]) + "\n"))


if __name__ == "__main__":
    main()
