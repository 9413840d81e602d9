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
from collections.abc import Iterator
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

CONSTANTS = (
    *("body_mass", "body_inertia", "body_ipos", "geom_size", "dof_armature", "jnt_range", "tendon_range"),
    *("qpos_spring", "body_gravcomp"),
)
"""Numbers of a model that are rounded as they are."""

PLACES = {
    "body_pos": "xpos",
    "jnt_pos": "xanchor",
    "geom_pos": "geom_xpos",
    "site_pos": "site_xpos",
    "cam_pos": "cam_xpos",
}
"""Places that are rounded once they are in the world, and where they are then."""

DIRECTIONS = ("body_quat", "body_iquat", "geom_quat", "site_quat", "cam_quat", "jnt_axis")
"""Rotations and unit vectors."""

STATE = ("qpos", "qvel", "act", "ctrl", "mocap_pos")
"""Numbers of a state that are rounded as they are."""

COPIED = (*STATE, "mocap_quat", "eq_active")
"""All arrays that make a state."""

STAGES = (
    *("mj_sensorPos", "mj_energyPos", "mj_fwdVelocity", "mj_sensorVel", "mj_subtreeVel", "mj_energyVel"),
    *("mj_fwdActuation", "mj_fwdAcceleration", "mj_fwdConstraint", "mj_sensorAcc"),
)
"""What follows the positions in `mj_forward`, and what MuJoCo computes only when asked."""


def length_ranges(mujoco: Any, path: Path) -> Iterator[Array]:
    """The lengths of actuators if the force that finds them is off by a rounding, and if no solver stops before."""
    for shift in (-1.0, 0.0, 1.0):
        spec = mujoco.MjSpec.from_file(str(path))
        spec.compiler.LRopt.accel *= 1.0 + shift * DOUBLE
        spec.option.tolerance = 0.0
        yield spec.compile().actuator_lengthrange


def rounded(mujoco: Any, model: Any, data: Any) -> list[Any]:
    """What MuJoCo makes of a state if each number is off by a rounding of single precision: those of the model and the
    state, the places of all things in the world, and the inertia matrix, which is rounded after it was summed up."""
    return [rounded_once(mujoco, copy.copy(model), data, np.random.default_rng(seed)) for seed in range(SAMPLES)]


def rounded_once(mujoco: Any, model: Any, data: Any, rng: np.random.Generator) -> Any:
    """The state of `data`, whose positions in the world are known, with a model that this may change."""
    for name in CONSTANTS:
        move(rng, getattr(model, name))
    for name, where in PLACES.items():
        reach = np.abs(getattr(data, where)).max(axis=1, keepdims=True, initial=0.0)
        getattr(model, name)[:] += SINGLE * reach * signs(rng, getattr(model, name))
    for name in DIRECTIONS:
        getattr(model, name)[:] += SINGLE * signs(rng, getattr(model, name))
    other = mujoco.MjData(model)
    other.time = data.time
    for name in COPIED:
        getattr(other, name)[:] = getattr(data, name)
    for name in STATE:
        move(rng, getattr(other, name))
    mujoco.mj_fwdPosition(model, other)
    move(rng, other.M)
    mujoco.mj_factorM(model, other)
    for stage in STAGES:
        getattr(mujoco, stage)(model, other)
    return other


def signs(rng: np.random.Generator, values: Array) -> Array:
    """Up or down for each number."""
    return rng.choice([-1.0, 1.0], size=values.shape)


def move(rng: np.random.Generator, values: Array) -> None:
    """Moves each number by a rounding."""
    values *= 1.0 + SINGLE * signs(rng, values)
