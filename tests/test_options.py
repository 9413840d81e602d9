"""Options: checked, kept, acting from the next step on."""

import numpy as np
import pytest

import motrixsim

FALLING = (
    "<mujoco><option tolerance='1e-7'/><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>"
)


@pytest.fixture
def model():
    return motrixsim.load_mjcf_str(FALLING)


def test_defaults_are_the_files(model) -> None:
    options = model.options
    assert (options.timestep, options.max_iterations, options.solver_tolerance) == (0.002, 100, 1e-7)
    assert (options.disable_gravity, options.disable_contacts, options.contact_model) == (False, False, "firm")
    np.testing.assert_allclose(options.gravity, [0, 0, -9.81])


@pytest.mark.parametrize("batch", [(), (2,)])
def test_a_change_acts_in_the_next_step(model, batch) -> None:
    data = motrixsim.SceneData(model, batch)
    model.options.timestep = 0.01
    model.options.gravity = (1, 0, 0)
    model.step(data)
    np.testing.assert_allclose(data.dof_vel[..., :3], np.broadcast_to([0.01, 0, 0], (*batch, 3)), rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("timestep", 0, ValueError),
        ("timestep", float("nan"), ValueError),
        ("timestep", "a", TypeError),
        ("max_iterations", 0, ValueError),
        ("max_iterations", -3, ValueError),
        ("solver_tolerance", 0.0, ValueError),
        ("gravity", [1, 2], TypeError),
        ("gravity", None, TypeError),
        ("gravity", [np.inf, 0, 0], ValueError),
        ("disable_gravity", 1, TypeError),
        ("contact_model", "soft", ValueError),
    ],
)
def test_impossible_values_are_refused(model, name, value, error) -> None:
    before = getattr(model.options, name)
    with pytest.raises(error):
        setattr(model.options, name, value)
    np.testing.assert_array_equal(getattr(model.options, name), before)
