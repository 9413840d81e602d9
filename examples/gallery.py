"""Draws every model of the examples, from its first camera."""

import argparse
from pathlib import Path

import motrixsim as mx
from motrixsim.render import Image, Renderer

ASSETS = Path(__file__).parent / "assets"
MODELS = ["arm", "balls", "biped", "hfield", "quadruped"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, nargs=2, default=(160, 120), help="width and height")
    parser.add_argument("--samples", type=int, default=2, help="samples per pixel along each side: 1, 2 or 4")
    parser.add_argument("--out", type=Path, help="folder for the pictures")
    arguments = parser.parse_args()

    for name in MODELS:
        model = mx.load_model(ASSETS / f"{name}.xml")
        data = mx.SceneData(model)
        if model.num_keyframes:
            model.keyframes[0].apply(data)
            model.forward_kinematic(data)
        picture = Renderer(model).rgb(data, 0, *arguments.size, samples=arguments.samples)
        print(f"{name}: {model.num_geoms} geoms, mean colour {picture.mean(axis=(0, 1)).round()}")
        if arguments.out is not None:
            arguments.out.mkdir(parents=True, exist_ok=True)
            Image(picture).save_to_disk(arguments.out / f"{name}.png")


if __name__ == "__main__":
    main()
