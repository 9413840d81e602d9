"""Balls, boxes, capsules, cylinders and eggs fall into a tray, in sixteen worlds that start a little apart.

`--show` shows all worlds side by side in the browser, until it is closed or Ctrl-C is pressed.
"""

import argparse
from pathlib import Path

import numpy as np

import motrixsim as mx
from motrixsim import run
from motrixsim.render import RenderApp

ASSETS = Path(__file__).parent / "assets"
WORLDS = 16


def show(model: mx.SceneModel, data: mx.SceneData) -> None:
    """All worlds on a square of four by four, in real time."""
    offsets = [[2.0 * (world // 4), 2.0 * (world % 4), 0.0] for world in range(WORLDS)]
    with RenderApp() as app:
        app.launch(model, batch=WORLDS, render_offset=offsets)
        app.system_camera.set_view([3, 3, 0], 12, -30, 45)
        run.render_loop(model.options.timestep, 60, lambda: mx.step(model, data), lambda: app.sync(data))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="show it in the browser")
    arguments = parser.parse_args()
    model = mx.load_model(ASSETS / "balls.xml")
    data = mx.SceneData(model, batch=[WORLDS])
    rng = np.random.default_rng(0)
    for body in model.bodies:
        base = body.floatingbase
        if base is not None:
            start = base.get_translation(data)
            base.set_translation(data, start + rng.uniform(-0.02, 0.02, start.shape))

    if arguments.show:
        show(model, data)
        return
    contacts = model.get_contact_query(data)
    for second in range(3):
        model.step_n(data, round(1 / model.options.timestep))
        speed = np.abs(model.get_link_linear_velocities(data)).max(axis=(1, 2))
        print(f"{second + 1} s: {contacts.num_contacts.mean():.1f} contacts a world, fastest {speed.max():.2f} m/s")


if __name__ == "__main__":
    main()
