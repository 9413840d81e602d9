"""The table of `compare.py` as a bar chart: how many times MuJoCo's speed each engine has, scene by scene.

    python benches/plot.py TABLE.md PICTURE.svg

An SVG is text that every browser and code host draws, so that no plotting library is needed. Bars are on a logarithmic
scale, where twice and half as fast are equally far from the line of MuJoCo.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from xml.sax.saxutils import escape

COLOURS = {
    "ours, mujoco contacts": "#1b7f5c",
    "ours, firm contacts": "#5fbf98",
    "ours, mujoco contacts, f64": "#b5dfc9",
    "MotrixSim": "#c46a3d",
    "MotrixSim, 3 iterations": "#e3b08c",
}
LEFT, RIGHT, TOP, BAR, GAP = 150, 60, 46, 11, 12
WIDTH = 760
# The scale: from this to that many times MuJoCo's speed.
LEAST, MOST = 0.25, 32.0


def rows(table: str) -> dict[str, dict[str, list[str]]]:
    """The cells of each row of the Markdown table, scene by engine."""
    scenes: dict[str, dict[str, list[str]]] = {}
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) >= 3 and (cells[1] == "MuJoCo" or cells[1] in COLOURS):
            scenes.setdefault(cells[0], {})[cells[1]] = cells
    return scenes


def ratios(table: str) -> dict[str, dict[str, float]]:
    """How many times MuJoCo's speed, scene by engine."""
    others = {name: {k: row for k, row in scene.items() if k in COLOURS} for name, scene in rows(table).items()}
    return {name: {engine: float(row[2]) for engine, row in scene.items()} for name, scene in others.items()}


def place(ratio: float) -> float:
    """Where a speed is on the horizontal axis."""
    share = math.log(min(max(ratio, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def chart(scenes: dict[str, dict[str, float]]) -> str:
    engines = [engine for engine in COLOURS if any(engine in scene for scene in scenes.values())]
    parts, y = [], float(TOP)
    for scene, speeds in scenes.items():
        parts.append(text(LEFT - 8, y + BAR * len(engines) / 2 + 4, scene, "end"))
        for engine in engines:
            if engine in speeds:
                left, right = sorted([place(1.0), place(speeds[engine])])
                parts.append(
                    f'<rect x="{left:.1f}" y="{y:.1f}" width="{right - left:.1f}" height="{BAR - 1}" '
                    f'fill="{COLOURS[engine]}"/>'
                )
                parts.append(text(right + 4, y + BAR - 2, f"{speeds[engine]:.1f}", "start", 9))
            y += BAR
        y += GAP
    return frame(parts, engines, y)


def frame(parts: list[str], engines: list[str], height: float) -> str:
    """The bars with their axis and legend."""
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height + 24:.0f}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{height + 24:.0f}" fill="white"/>',
    ]
    x = 12.0
    for engine in engines:
        out.append(f'<rect x="{x:.0f}" y="12" width="10" height="10" fill="{COLOURS[engine]}"/>')
        out.append(text(x + 14, 21, engine, "start", 11))
        x += 28 + 6.1 * len(engine)
    tick = LEAST
    while tick <= MOST:
        dark = tick == 1.0
        out.append(
            f'<line x1="{place(tick):.1f}" x2="{place(tick):.1f}" y1="{TOP - 8}" y2="{height:.1f}" '
            f'stroke="{"#333" if dark else "#ddd"}"/>'
        )
        out.append(text(place(tick), height + 14, "MuJoCo" if dark else f"{tick:g}x", "middle", 10))
        tick *= 2
    return "\n".join([*out, *parts, "</svg>", ""])


def text(x: float, y: float, words: str, anchor: str, size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{escape(words)}</text>'


def main() -> None:
    table, picture = map(Path, sys.argv[1:3])
    scenes = ratios(table.read_text())
    if not scenes:
        raise SystemExit(f"{table} has no rows of engines")
    picture.write_text(chart(scenes))


if __name__ == "__main__":
    main()
