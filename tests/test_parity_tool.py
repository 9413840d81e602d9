"""The tool that compares a model with MuJoCo: its verdict, and that it notices what differs."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from motrixsim import parity
from motrixsim._equivalent import area_difference, in_order

mujoco = pytest.importorskip("mujoco")

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
    assert any("left out" in line and "flexcomp" in line for line in lines)


def compared(tmp_path, text, precision="f64"):
    path = tmp_path / "model.xml"
    path.write_text(text)
    return parity.compare(path, states=3, steps=0, precision=precision)


SUNKEN = """<mujoco>
  <asset><hfield name="f" nrow="6" ncol="6" size="0.5 0.5 0.3 0.1" elevation="{heights}"/></asset>
  <worldbody><geom type="hfield" hfield="f"/>
    <body pos="0 0 0.25"><freejoint/><geom type="box" size="0.2 0.15 0.1"/></body></worldbody></mujoco>"""


def sunken_box():
    heights = " ".join(f"{x:.4f}" for x in np.random.default_rng(2).random(36))
    return SUNKEN.format(heights=heights)


def test_a_referee_decides_where_mujocos_search_ends_early(tmp_path) -> None:
    report = compared(tmp_path, sunken_box())
    assert not report.failures(), "\n".join(report.lines(everything=False))
    assert any("as right to a referee: terrain 0 and box 1" in text for text in report.remarks)


def test_a_referee_does_not_side_with_contacts_that_are_wrong(tmp_path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(sunken_box())
    comparison = parity.Comparison(path)
    comparison.resolve_contacts()
    data = comparison.state(0)
    low = comparison.place(data).low
    wrong = SimpleNamespace(
        **{name: getattr(low, name) for name in ("contact_geom", "contact_pos", "contact_frame")},
        contact_dist=low.contact_dist - 1e-3,
    )
    mujoco.mj_forward(comparison.theirs, data)
    assert comparison.contacts(wrong, data) is None
    assert ("contacts", "distance") in comparison.report.failures()


def test_boxes_drawn_face_on_face_touch_in_both_and_in_single_precision_may(tmp_path) -> None:
    """The faces are at the same height but for the rounding of half a metre in single precision."""
    text = """<mujoco><worldbody><geom type="box" size=".2 .1 .01" pos="0 0 {0}"/>
      <body pos="0 0 {1}"><freejoint/><geom type="box" size=".05 .05 .05"/></body></worldbody></mujoco>"""
    assert not compared(tmp_path, text.format(-0.01, 0.05)).failures()
    report = compared(tmp_path, text.format(0.49, 0.55), "f32")
    assert not report.failures(), "\n".join(report.lines(everything=False))


def test_a_choice_of_contacts_is_excused_where_rounding_makes_it_in_mujoco(tmp_path) -> None:
    """A mesh sunk into another, both the same from above and from below: two ways out are equally long."""
    path = tmp_path / "model.xml"
    path.write_text(
        """<mujoco><asset><mesh name="m" vertex="1 0 0 -.5 .8 0 -.5 -.8 0 0 0 .3 0 0 -.3" scale=".1 .1 .1"/></asset>
          <worldbody><geom type="mesh" mesh="m"/>
            <body pos=".04 .01 0"><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    )
    comparison = parity.Comparison(path, "f32")
    comparison.resolve_contacts()
    below, above = (comparison.state(0) for _ in range(2))
    for data, shift in ((below, -1e-9), (above, 1e-9)):
        data.qpos[2] += shift
        mujoco.mj_forward(comparison.theirs, data)
    assert below.contact.frame[0, 2] < 0 < above.contact.frame[0, 2], "this model leaves no choice"

    def ours(depth):
        chosen = below.contact
        return SimpleNamespace(
            contact_geom=chosen.geom,
            contact_pos=chosen.pos,
            contact_frame=chosen.frame,
            contact_dist=chosen.dist - depth,
        )

    assert comparison.contacts(ours(0.0), above, [above, below]) is None
    assert any("has ours when all is rounded once" in text for text in comparison.report.remarks)
    assert not comparison.report.failures()
    assert comparison.contacts(ours(1e-3), above, [above, below]) is None
    assert ("contacts", "distance") in comparison.report.failures()


def test_length_ranges_are_as_exact_as_mujocos(tmp_path) -> None:
    """A tendon that is pulled through its anchor: one rounding of the force moves its least length by 1e-11 m."""
    report = compared(
        tmp_path,
        """<mujoco><worldbody><site name="anchor" pos="0 0 9"/>
          <body pos="0 0 5"><freejoint/><geom type="box" size=".5 .5 .5"/><site name="s" pos=".5 .5 .5"/></body>
          </worldbody>
          <tendon><spatial name="t" limited="true" range="0 4" damping="100">
            <site site="anchor"/><site site="s"/></spatial></tendon>
          <actuator><muscle tendon="t" ctrlrange="0 2"/></actuator></mujoco>""",
    )
    assert not report.failures(), "\n".join(report.lines(everything=False))
    assert "when its inputs are rounded" in report.worst["compiled", "actuator_lengthrange"][2]


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
