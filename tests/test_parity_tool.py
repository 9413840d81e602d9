"""The tool that compares a model with MuJoCo: its verdict, and that it notices what differs."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from motrixsim import parity
from motrixsim._equivalent import area_difference, in_order

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


def test_a_file_of_which_much_is_left_out_is_told_to_differ(tmp_path) -> None:
    path = tmp_path / "cloth.xml"
    path.write_text("""<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body>
      <flexcomp name="cloth" type="grid" count="3 3 1" spacing="0.1 0.1 0.1"><edge equality="true"/></flexcomp>
      </worldbody></mujoco>""")
    lines = []
    with pytest.warns(UserWarning, match="deformable"):
        assert parity.main([str(path)], lines.append) == 1
    assert any("nq" in line and "states are not compared" in line for line in lines)


def test_contacts_in_another_order_are_the_same_contacts() -> None:
    rows = np.array([7.0, 8.0, 10.0, 11.0, 12.0, 20.0])
    low = SimpleNamespace(contact_efc_address=np.array([2.0, -1.0, 5.0]), nefc=np.array([6.0]))
    order = np.array([2, 0, 1])
    assert in_order("efc_pos", rows, low, order).tolist() == [7, 8, 20, 10, 11, 12]
    assert in_order("contact_dist", np.array([1.0, 2.0, 3.0]), low, order).tolist() == [3, 1, 2]
    assert in_order("contact_efc_address", np.zeros(3), low, order).tolist() == [2, 3, -1]
    assert in_order("efc_id", np.array([4.0, 5.0, 0.0, 0.0, 0.0, 2.0]), low, order).tolist() == [4, 5, 0, 1, 1, 1]


def test_a_square_may_be_cut_along_either_diagonal_but_not_bent() -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]])
    one, other = np.array([[0, 1, 2], [0, 2, 3.0]]), np.array([[1, 2, 3], [1, 3, 0.0]])
    assert area_difference(corners, one, other) < 1e-15
    assert area_difference(corners, one, one[:1]) == pytest.approx(1.0)
    corners[2, 2] = 0.1
    assert area_difference(corners, one, other) > 0.1
