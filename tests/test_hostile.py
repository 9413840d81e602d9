"""Files that want to hang or exhaust the machine, at full size: each is refused at once, in little memory.

All run in one process of their own whose memory is bounded, and are measured in CPU time.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest

#: What all of them together may use beside Python itself, bytes.
MEMORY = 4 << 30


def in_world(inside: str) -> str:
    return f"<mujoco><worldbody>{inside}</worldbody></mujoco>"


def in_asset(inside: str) -> str:
    return f"<mujoco><asset>{inside}</asset></mujoco>"


def png(width: int, height: int, data: bytes) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


ENTITIES = "".join(f'<!ENTITY a{k} "&a{k - 1};&a{k - 1};&a{k - 1};">' for k in range(1, 40))
ATTRIBUTES = "".join(f' a{k}=""' for k in range(60))
ATTACHMENTS = "".join(f'<attach body="b" prefix="p{k}"/>' for k in range(20_000))

#: Texts by what they do.
TEXTS = {
    "entities": f'<!DOCTYPE x [<!ENTITY a0 "ha">{ENTITIES}]><mujoco model="&a39;"/>',
    "depth of bodies": "<mujoco><worldbody>" + "<body>" * 1_000_000,
    "depth of classes": "<mujoco>" + '<default class="a">' * 1_000_000,
    "elements": in_world('<geom size="1"/>' * 1_000_001),
    "copies": in_world('<replicate count="2000000000"><geom size="1"/></replicate>'),
    "copies of copies": in_world(
        '<replicate count="1000">' * 20 + '<geom size="1"/>' + "</replicate>" * 20,
    ),
    "bodies that touch": in_world('<replicate count="20000"><body><freejoint/><geom size="1"/></body></replicate>'),
    "bodies": in_world(
        '<replicate count="300000"><body><freejoint/><geom size="1" contype="0" conaffinity="0"/></body></replicate>'
    ),
    "mistakes": in_world("<goem/>" * 300_000),
    "names that are nearly right": in_world('<geom mesh="aaaaaaaaaaaaaaab"/>' * 100_000),
    "attributes of one element": in_world("<geom" + "".join(f' a{k}="1"' for k in range(200_000)) + "/>"),
    "attributes of all": in_world(f"<geom{ATTRIBUTES}/>" * 100_000),
    "classes": "<mujoco>" + "<default><geom/></default>" * 200_000 + "</mujoco>",
    "attachments": in_world('<body name="b">' + "<body/>" * 20_000 + "</body>" + ATTACHMENTS),
    "a number of many digits": in_world(f'<geom size="{"9" * 5_000_000}"/>'),
    "a list of many numbers": in_asset(
        f'<hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="{"1 " * 2_000_000}"/>'
    ),
    "a texture": in_asset('<texture name="t" type="2d" builtin="flat" width="100000" height="100000"/>'),
    "a height field": in_asset('<hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/>'),
    "a sensor": '<mujoco><sensor><user name="x" dim="2000000000"/></sensor></mujoco>',
    "a scanner": '<mujoco><asset><lidar name="l" hscan="100000" vscan="100000"/></asset><worldbody><site name="s"/>'
    '</worldbody><sensor><lidar asset="l" site="s"/></sensor></mujoco>',
    "user numbers": '<mujoco><size nuser_geom="1000000"/>' + in_world('<geom size="1"/>' * 5000)[8:],
    "a key frame": f'<mujoco><keyframe><key qpos="{"1 " * 2_000_000}"/></keyframe></mujoco>',
    "a copied file": in_asset('<hfield name="h" file="bomb.png" size="1 1 1 1"/>'),
    "a picture that says it is large": in_asset('<texture name="t" type="2d" file="large.png"/>'),
    "a picture that is cut": in_asset('<texture name="t" type="2d" file="cut.png"/>'),
    "a mesh that says it is large": in_asset('<mesh file="large.stl"/>'),
    "a field that says it is large": in_asset('<hfield name="h" file="large.bin" size="1 1 1 1"/>'),
    "a mesh of nothing": in_asset('<mesh file="empty.obj"/>'),
    "a file that includes itself": '<mujoco><include file="itself.xml"/></mujoco>',
    "a device": in_asset('<mesh name="m" file="/dev/zero" content_type="model/stl"/>'),
}

#: Files that the texts mention.
FILES = {
    "bomb.png": png(60_000, 60_000, zlib.compress(bytes(60_001 * 2000), 9)),
    "large.png": png(2**31 - 1, 2**31 - 1, b""),
    "cut.png": png(64, 64, zlib.compress(bytes(65 * 64), 9))[:60],
    "large.stl": bytes(80) + struct.pack("<I", 2**32 - 1),
    "large.bin": struct.pack("<2i", 2**31 - 1, 2**31 - 1),
    "empty.obj": b"# nothing\n" * 100_000,
    "itself.xml": b'<x><include file="itself.xml"/></x>',
}

PROGRAM = """
import json, resource, sys, time
from pathlib import Path
import motrixsim
memory = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
results = {}
for path in sorted(Path(".").glob("case*.xml")):
    begin = time.process_time()
    try:
        motrixsim.load_model(path)
        message = None
    except ValueError as error:
        message = str(error)
    results[path.name] = (time.process_time() - begin, message and message[:300])
print(json.dumps(results))
"""


def patience() -> float:
    """CPU seconds for a refusal, the making of a message included: as many as Python takes to read a million elements,
    which are one or two."""
    begin = time.process_time()
    ElementTree.fromstring(TEXTS["elements"])
    return time.process_time() - begin


@pytest.mark.skipif(sys.platform == "win32", reason="the memory of a process is bounded by the resource module")
@pytest.mark.slow
def test_every_hostile_file_is_refused_at_once_in_little_memory(tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    names = {f"case{k:02}.xml": name for k, name in enumerate(TEXTS)}
    for file, name in names.items():
        (tmp_path / file).write_text(TEXTS[name])
    command = [sys.executable, "-c", PROGRAM, str(MEMORY)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    results = {names[file]: result for file, result in json.loads(run.stdout).items()}
    accepted = [name for name, (_, message) in results.items() if not message]
    most = patience()
    slow = {name: seconds for name, (seconds, _) in results.items() if seconds > most}
    assert (accepted, slow) == ([], {})
