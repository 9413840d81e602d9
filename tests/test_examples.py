"""Every example runs as a user would run it, smaller where it can be told to."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent.parent / "examples"
#: The example with a window runs until it is told to stop.
WINDOWS = {"hfield"}
EXAMPLES = sorted(path for path in FOLDER.glob("*.py") if path.stem not in WINDOWS)
SMALL = {
    "headline": ["--worlds", "32", "--steps", "20", "--size", "160", "80", "--picture"],
    "rough_terrain": ["--worlds", "16", "--seconds", "0.2"],
    "gallery": ["--out"],
    "cameras_and_depth": ["--out"],
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs(example: Path, run_python, tmp_path) -> None:
    arguments = SMALL.get(example.stem, [])
    if arguments and arguments[-1] in ("--picture", "--out"):
        arguments = [*arguments, str(tmp_path / "picture.png")]
    result = run_python(str(example), *arguments)
    assert result.returncode == 0, result.stderr
    assert result.stdout
    if "--picture" in arguments or "--out" in arguments:
        assert list(tmp_path.rglob("*.png")), "the pictures were written"


@pytest.mark.parametrize("headless", ["0", "1"], ids=["window", "headless"])
def test_the_height_field_example_runs_until_it_is_stopped(headless: str) -> None:
    if headless == "0":
        pytest.importorskip("viser", reason="the window needs viser, which the extra `viewer` brings")
    process = subprocess.Popen(
        [sys.executable, str(FOLDER / "hfield.py")],
        env=os.environ | {"MOTRIXSIM_HEADLESS": headless},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "Pan view" in line:
            break
    time.sleep(1)  # it shows a few frames
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "Scene contains 2 height fields\n" in lines
    assert "Grid size: 15 x 15\n" in lines


def test_an_example_shows_its_worlds_until_it_is_stopped() -> None:
    pytest.importorskip("viser", reason="the window needs viser, which the extra `viewer` brings")
    command = [sys.executable, str(FOLDER / "falling_balls.py"), "--show"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert any(line.startswith("Showing the simulation at http://127.0.0.1:") for line in process.stdout)
    time.sleep(1)  # it shows a few frames
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors


def test_the_arm_lifts_every_cube(run_python) -> None:
    result = run_python(str(FOLDER / "arm_grasp.py"))
    assert "100% of the grasps hold" in result.stdout
