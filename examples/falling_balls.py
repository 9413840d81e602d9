"""Balls, boxes, capsules, cylinders and eggs fall into a tray, in sixteen worlds that start a little apart."""

from pathlib import Path

import numpy as np

import motrixsim as mx

ASSETS = Path(__file__).parent / "assets"
WORLDS = 16


def main() -> None:
    model = mx.load_model(ASSETS / "balls.xml")
    data = mx.SceneData(model, batch=[WORLDS])
    rng = np.random.default_rng(0)
    for body in model.bodies:
        base = body.floatingbase
        if base is not None:
            start = base.get_translation(data)
            base.set_translation(data, start + rng.uniform(-0.02, 0.02, start.shape))

    contacts = model.get_contact_query(data)
    for second in range(3):
        model.step_n(data, round(1 / model.options.timestep))
        speed = np.abs(model.get_link_linear_velocities(data)).max(axis=(1, 2))
        print(f"{second + 1} s: {contacts.num_contacts.mean():.1f} contacts a world, fastest {speed.max():.2f} m/s")


if __name__ == "__main__":
    main()
