"""Snapshots and forks: keep a moment, try several futures from it, and continue with the best one."""

from pathlib import Path

import numpy as np

import motrixsim as mx

ASSETS = Path(__file__).parent / "assets"
FUTURES = 32


def main() -> None:
    model = mx.load_model(ASSETS / "quadruped.xml")
    data = mx.SceneData(model, batch=[FUTURES])
    model.keyframes[0].apply(data)
    model.step_n(data, 50)
    rest = data.actuator_ctrls.copy()

    # A snapshot has everything that decides the future, the solver's warm start included: the same bits again.
    moment = data.snapshot()
    model.step_n(data, 100)
    first = data.dof_pos.copy()
    data.restore(moment)
    model.step_n(data, 100)
    print(f"the same future twice: {np.array_equal(data.dof_pos, first)}")
    print(f"a moment of {FUTURES} worlds takes {len(moment):,} bytes")

    # From the moment on, every world has controls of its own.
    data.restore(moment)
    stretch = np.random.default_rng(0).uniform(-0.4, 0.4, (FUTURES, 4, 1))
    data.actuator_ctrls = (rest.reshape(FUTURES, 4, 3) + stretch * [0, 1, -2]).reshape(rest.shape)
    model.step_n(data, 100)
    heights = data.dof_pos[:, 2]
    best = int(heights.argmax())
    print(
        f"of {FUTURES} futures, number {best} stands highest: {heights[best]:.3f} m, the lowest {heights.min():.3f} m"
    )

    # A fork: all worlds go on from the best one.
    data.fork(best)
    spread = np.ptp(data.dof_pos[:, 2])
    print(f"after the fork all worlds stand alike: {spread:.3f} m apart")


if __name__ == "__main__":
    main()
