"""Cameras: colours, metres and ids of what the robot sees, of many worlds at once."""

import argparse
from pathlib import Path

import numpy as np

import motrixsim as mx
from motrixsim.render import FreeView, Image, Renderer

ASSETS = Path(__file__).parent / "assets"
WORLDS = 16


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder for the pictures")
    arguments = parser.parse_args()

    model = mx.load_model(ASSETS / "balls.xml")
    data = mx.SceneData(model, batch=[WORLDS])
    velocities = np.random.default_rng(0).normal(0, 1, data.dof_vel.shape)
    data.set_dof_vel(velocities)
    model.step_n(data, 400)

    renderer = Renderer(model)
    colours = renderer.rgb(data, "corner", 320, 240, samples=2)
    depth = renderer.depth(data, "corner", 64, 48)
    ids = renderer.segmentation(data[0], FreeView.around([0, 0, 0.2], 2.5, -40, 30), 320, 240)
    nearest = np.where(np.isfinite(depth), depth, np.inf).min(axis=(1, 2))
    print(f"colours {colours.shape} {colours.dtype}, depth {depth.shape} {depth.dtype}")
    print(f"the nearest thing is {nearest.min():.2f} m away; {len(np.unique(ids)) - 1} geoms are seen from the side")
    if arguments.out is not None:
        arguments.out.mkdir(parents=True, exist_ok=True)
        for name, pixels in {"colours": colours, "depth": depth, "ids": ids}.items():
            Image(pixels).save_to_disk(arguments.out / f"{name}.png")


if __name__ == "__main__":
    main()
