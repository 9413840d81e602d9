"""Snapshots and forks: keep a moment, try several futures from it, and continue with the best one."""

import copy
from pathlib import Path

import numpy as np

import motrixsim as mx

ASSETS = Path(__file__).parent / "assets"
FUTURES = 32


def main() -> None:
    model = mx.load_model(ASSETS / "quadruped.xml")
    data = mx.SceneData(model)
    model.keyframes[0].apply(data)
    model.step_n(data, 50)
    rest = data.actuator_ctrls.copy()

    # A copy is a snapshot: the same bits, the solver's warm start included.
    moment = copy.copy(data)
    model.step_n(data, 100)
    again = copy.copy(moment)
    model.step_n(again, 100)
    print(f"the same future twice: {np.array_equal(data.dof_pos, again.dof_pos)}")

    # A fork: a batch of worlds that all start at the moment, each with controls of its own.
    forks = mx.SceneData(model, batch=[FUTURES])
    forks.reset(model, dof_pos=moment.dof_pos, dof_vel=moment.dof_vel)
    crouch = np.random.default_rng(0).uniform(-0.4, 0.4, (FUTURES, 4, 1))
    forks.actuator_ctrls = (rest.reshape(4, 3) + crouch * [0, 1, -2]).reshape(FUTURES, 12)
    model.step_n(forks, 100)
    heights = forks.dof_pos[:, 2]
    best = int(heights.argmax())
    print(
        f"of {FUTURES} futures, number {best} stands highest: {heights[best]:.3f} m, the lowest {heights.min():.3f} m"
    )


if __name__ == "__main__":
    main()
