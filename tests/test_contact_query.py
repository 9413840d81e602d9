"""What touches what: counts, pairs, partners and forces."""

import numpy as np
import pytest

import motrixsim

BALL = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="ball" pos="0 0 0.099"><freejoint/><geom name="skin" size="0.1" mass="2"/></body>
    <body name="far" pos="5 0 3"><freejoint/><geom name="other" size="0.1"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def model():
    return motrixsim.load_mjcf_str(BALL)


def test_contacts_of_one_world_are_counted_as_an_int(model) -> None:
    data = motrixsim.SceneData(model)
    query = model.get_contact_query(data)
    assert query.num_contacts == 1
    assert isinstance(query.num_contacts, int)
    np.testing.assert_array_equal(
        query.is_colliding(np.array([[0, 1], [1, 0], [1, 2]], np.uint32)), [True, True, False]
    )
    np.testing.assert_array_equal(query.contacting_geoms(model.get_geom("skin")), [0])
    np.testing.assert_array_equal(query.contacting_geoms(2), [])


def test_contacts_of_a_batch_are_each_worlds_own(model) -> None:
    data = motrixsim.SceneData(model, (3,))
    positions = data.dof_pos
    positions[1, 2] = 4
    data.set_dof_pos(positions, model)
    query = model.get_contact_query(data)
    model.forward_kinematic(data)
    np.testing.assert_array_equal(query.num_contacts, np.array([1, 0, 1], np.uint32))
    np.testing.assert_array_equal(query.is_colliding([[0, 1]]), [[True], [False], [True]])
    assert [list(found) for found in query.contacting_geoms(0)] == [[1], [], [1]]


def test_pairs_are_checked(model) -> None:
    query = model.get_contact_query(motrixsim.SceneData(model))
    for wrong, error in (
        ([0, 1], ValueError),
        ([[0, 1, 2]], ValueError),
        ([[0, 9]], IndexError),
        ([[0.5, 1]], TypeError),
    ):
        with pytest.raises(error):
            query.is_colliding(wrong)
    with pytest.raises(IndexError):
        query.contacting_geoms(7)


@pytest.mark.parametrize("batch", [(), (2,)])
def test_a_resting_ball_is_carried_with_its_weight(model, batch) -> None:
    data = motrixsim.SceneData(model, batch)
    model.step_n(data, 500)
    forces = model.get_link_net_contact_forces(data)
    assert forces.shape == (*batch, 2, 6)
    # At rest after a second; what is left of the motion is far below a thousandth of the weight.
    np.testing.assert_allclose(forces[..., 0, 2], np.full(batch, 2 * 9.81), rtol=1e-3)
    assert not forces[..., 1, :].any()
    np.testing.assert_array_equal(model.get_link_net_contact_forces(data, indices=[1]), forces[..., 1:, :])


def test_reports_need_no_announcement(model) -> None:
    model.reports.contact_forces = True
    assert model.reports.contact_forces
    model.enable_constraints_report()
