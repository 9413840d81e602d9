"""Domain randomisation: every world has its own masses, friction and servo gains, in the same batch."""

from pathlib import Path

import numpy as np

import motrixsim as mx

ASSETS = Path(__file__).parent / "assets"
WORLDS = 256


def main() -> None:
    model = mx.load_model(ASSETS / "quadruped.xml")
    data = mx.SceneData(model, batch=[WORLDS])
    rng = np.random.default_rng(0)

    trunk = model.get_link("trunk")
    trunk.set_mass_override(data, rng.uniform(4, 9, WORLDS))
    for foot in ["FL_foot", "FR_foot", "HL_foot", "HR_foot"]:
        geom = model.get_geom(foot)
        friction = np.tile(geom.friction, (WORLDS, 1))
        friction[:, 0] = rng.uniform(0.2, 1.2, WORLDS)
        geom.set_friction_override(data, friction)
    gains = rng.uniform(20, 80, WORLDS)
    for actuator in model.actuators:
        actuator.set_kp_override(data, gains)

    model.keyframes[0].apply(data)
    model.step_n(data, 500)
    mass, height = trunk.get_mass_override(data), data.dof_pos[:, 2]
    sag = np.corrcoef(mass / gains, height)[0, 1]
    print(
        f"standing height {height.mean():.3f} m, from {height.min():.3f} to {height.max():.3f} m over {WORLDS} robots"
    )
    print(f"weight over gain explains it: correlation {sag:.2f}")


if __name__ == "__main__":
    main()
