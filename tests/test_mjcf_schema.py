"""The recorded MJCF table of the compiler against the schema that MuJoCo prints of itself."""

import re
from pathlib import Path

import mujoco

RECORDED = Path(__file__).parent.parent / "crates" / "motrix-compile" / "tests" / "schema.txt"


def mujoco_schema() -> dict[str, set[str]]:
    """Path of every element to its attributes, as MuJoCo prints them: indentation is depth."""
    schema: dict[str, set[str]] = {}
    path: list[str] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        element = re.match(r"^( *)(\(world\)body|\w+) \(.\)(.*)$", line)
        if element:
            depth = len(element[1]) // 3
            path = [*path[:depth], element[2].replace("(world)body", "body")]
            schema["/".join(path)] = set(element[3].split())
        else:
            schema["/".join(path)] |= set(line.split())
    return schema


def recorded_schema() -> dict[str, set[str]]:
    """The same for the recorded table, without what MotrixSim adds (marked with +)."""
    schema: dict[str, set[str]] = {}
    for line in RECORDED.read_text().splitlines():
        path, _, attributes = line.partition(":")
        # MuJoCo knows one rule for bodies, frames, copies and the world; its attributes are those of a body.
        path = path.lstrip("/").replace("worldbody/body", "body")
        if "+" not in path and "worldbody" not in path:
            schema[path] = {name for name in attributes.split() if not name.startswith("+")}
    return schema


def test_every_element_and_attribute_of_mujoco_is_known_and_no_other():
    expected, found = mujoco_schema(), recorded_schema()
    assert expected.keys() == found.keys()
    differing = {path: expected[path] ^ found[path] for path in expected if expected[path] != found[path]}
    assert differing == {}
