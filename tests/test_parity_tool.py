"""The tool that compares a model with MuJoCo: its verdict, and that it notices what differs."""

from pathlib import Path

import pytest

from motrixsim import parity

pytest.importorskip("mujoco")

QUADRUPED = Path(__file__).parent.parent / "examples/assets/quadruped.xml"


def test_the_quadruped_agrees_in_every_quantity() -> None:
    lines = []
    assert parity.main([str(QUADRUPED), "--states", "3", "--steps", "20", "--all"], lines.append) == 0
    text = "\n".join(lines)
    assert "agrees" in lines[0]
    for name in ("body_invweight0", "qM", "efc_aref", "efc_force", "sensors of velocities"):
        assert name in text
    assert "DIFFERS" not in text


def test_a_difference_is_found_and_told() -> None:
    comparison = parity.Comparison(QUADRUPED)
    comparison.theirs.body_mass[1] *= 1.001
    comparison.compiled()
    comparison.stages(1)
    failures = comparison.report.failures()
    assert ("compiled", "body_mass") in failures
    assert ("inertia", "qM") in failures
    assert any("DIFFERS" in line and "body_mass" in line for line in comparison.report.lines(everything=False))
