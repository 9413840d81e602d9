"""How far MuJoCo's own numbers move when what they are computed from is off by one rounding.

Some numbers cannot be known to the bound of their stage. The least length of a tendon that is pulled through its anchor
is the end of a thousand steps, each of which enlarges the rounding of the one before. In single precision a contact
half a metre from the origin is known to a few hundred millionths of a metre, and the stiffness of its rows changes by a
ten thousandth on that way. A stable algorithm gives what exact arithmetic would for inputs that are off by some
roundings (N. Higham, *Accuracy and Stability of Numerical Algorithms*, section 1.5). So MuJoCo, in double precision, is
given inputs that are off by one, and the differences tell what can be asked of anyone.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DOUBLE = 2.0**-52
"""Distance of neighbouring numbers in double precision, relative."""

SINGLE = 2.0**-24
"""Largest rounding in single precision, relative."""

SAMPLES = 4
"""How many times inputs are rounded, up or down at random."""

GEOMETRY = (
    *("body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia", "jnt_pos", "jnt_axis"),
    *("geom_pos", "geom_quat", "geom_size", "site_pos", "site_quat", "cam_pos", "cam_quat", "dof_armature"),
    *("jnt_range", "tendon_range", "qpos_spring"),
)
"""What an engine in single precision has rounded of a model before it steps."""

STATE = ("qpos", "qvel", "act", "ctrl", "mocap_pos")
"""What it has rounded of a state."""


def length_ranges(mujoco: Any, path: Path) -> Iterator[Array]:
    """The lengths of actuators if the force that finds them is off by a rounding, and if no solver stops before."""
    for shift in (-1.0, 0.0, 1.0):
        spec = mujoco.MjSpec.from_file(str(path))
        spec.compiler.LRopt.accel *= 1.0 + shift * DOUBLE
        spec.option.tolerance = 0.0
        yield spec.compile().actuator_lengthrange


class Rounded:
    """A model whose numbers are off by a rounding of single precision, several times."""

    def __init__(self, mujoco: Any, model: Any) -> None:
        self.mujoco = mujoco
        self.models = [rounded(copy.copy(model), GEOMETRY, seed) for seed in range(SAMPLES)]

    def states(self, data: Any, forward: Callable[[Any, Any], object]) -> list[Any]:
        """What MuJoCo makes of a state that is off by a rounding in these models."""
        return [self.state(seed, data, forward) for seed in range(SAMPLES)]

    def state(self, seed: int, data: Any, forward: Callable[[Any, Any], object]) -> Any:
        """One of them."""
        other = self.mujoco.MjData(self.models[seed])
        for name in (*STATE, "mocap_quat", "eq_active", "time"):
            if name == "time":
                other.time = data.time
            else:
                getattr(other, name)[:] = getattr(data, name)
        rounded(other, STATE, seed)
        forward(self.models[seed], other)
        return other


def rounded(owner: Any, names: tuple[str, ...], seed: int) -> Any:
    """Moves all numbers of some arrays to either side of where they are."""
    rng = np.random.default_rng(seed)
    for name in names:
        values = getattr(owner, name)
        values[:] = values * (1.0 + SINGLE * rng.choice([-1.0, 1.0], size=values.shape))
    return owner
