"""Absurd inputs: nothing panics, no other world notices, and a reset makes the world as good as new."""

from pathlib import Path

import numpy as np
import pytest

import motrixsim
from motrixsim import Health

FOLDERS = [Path(__file__).parent / "models", Path(__file__).parent.parent / "examples" / "assets"]
MODELS = sorted(path for folder in FOLDERS for path in folder.glob("*.xml"))
ABSURD = [np.nan, np.inf, -np.inf, 1e30, -1e30]


def state(name: str, value: float):
    def spoil(model, world) -> None:
        view = getattr(world.views, name)
        view[: max(1, view.size // 2)] = value

    return spoil


def quaternions_of_zeros(model, world) -> None:
    world.views.dof_pos[:] = 0


def everything_in_one_place(model, world) -> None:
    for base in model.floating_bases:
        base.set_translation(world, [0, 0, 0])


def force(value: float):
    def spoil(model, world) -> None:
        for link in model.links:
            link.add_external_force(world, [value, 0, value])
            link.add_external_torque(world, [0, value, 0])

    return spoil


def masses(value: float):
    def spoil(model, world) -> None:
        for link in model.links:
            link.set_mass_override(world, value)

    return spoil


def sizes(value: float):
    def spoil(model, world) -> None:
        for geom in model.geoms:
            if hasattr(geom, "set_size_override"):
                geom.set_size_override(world, np.full(np.shape(geom.get_size_override(world)), value))

    return spoil


def gravity(value: float):
    def spoil(model, world) -> None:
        model.set_gravity_override(world, [0, 0, value])

    return spoil


FAULTS = {
    **{f"controls of {x}": state("actuator_ctrls", x) for x in ABSURD},
    **{f"positions of {x}": state("dof_pos", x) for x in ABSURD},
    **{f"velocities of {x}": state("dof_vel", x) for x in ABSURD},
    **{f"forces of {x}": force(x) for x in ABSURD},
    **{f"masses of {x}": masses(x) for x in (1e-30, 1e30)},
    **{f"sizes of {x}": sizes(x) for x in (1e-9, 1e9)},
    **{f"gravity of {x}": gravity(x) for x in (1e12, -1e30)},
    "zero quaternions": quaternions_of_zeros,
    "all in one place": everything_in_one_place,
}
COUNT, BAD = 9, 4


def batch(model):
    data = motrixsim.SceneData(model, (COUNT,))
    rng = np.random.default_rng(11)
    data.set_dof_vel(rng.normal(0, 0.2, (COUNT, model.num_dof_vel)))
    return data


@pytest.fixture(scope="module", params=MODELS, ids=lambda path: path.stem)
def case(request):
    """A model, and the digests of worlds of it that nothing happened to."""
    model = motrixsim.load_model(request.param)
    data = batch(model)
    model.step_n(data, 5)
    fresh = motrixsim.SceneData(model)
    model.step_n(fresh, 3)
    return model, data.digest(), fresh.digest()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_stays_in_its_world_and_a_reset_heals_it(case, fault: str) -> None:
    model, expected, fresh = case
    data = batch(model)
    FAULTS[fault](model, data[BAD])
    model.step_n(data, 5)
    # Results of every kind are asked for: none may fail on what is not a number.
    assert model.get_link_poses(data).shape[0] == COUNT
    assert model.get_contact_query(data).num_contacts.shape == (COUNT,)
    assert data.views.sensor_values.shape[0] == COUNT
    others = np.arange(COUNT) != BAD
    np.testing.assert_array_equal(data.digest()[others], expected[others])
    if not np.isfinite(data.dof_pos[BAD]).all() or not np.isfinite(data.dof_vel[BAD]).all():
        assert data.health[BAD] & Health.NON_FINITE
    data[BAD].reset(model)
    model.step_n(data[BAD], 3)
    assert data[BAD].digest() == fresh
