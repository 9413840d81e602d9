"""Height fields: what the API tells about them, and balls that roll over them in the browser."""

from pathlib import Path

import numpy as np

from motrixsim import SceneData, SceneModel, load_model, run, step
from motrixsim.render import RenderApp

ASSETS = Path(__file__).parent / "assets"


def demonstrate_hfield_api(model: SceneModel) -> None:
    """Reads the height fields of the scene."""
    print("=== Height Field API Demo ===")
    print(f"Scene contains {model.num_hfields} height fields")
    hfield1 = model.get_hfield("terrain1")
    print(f"Height field name: {hfield1.name}")
    print(f"Grid size: {hfield1.nrow} x {hfield1.ncol}")
    print(f"Bounding box: {hfield1.bound}")
    hfield2 = model.get_hfield(1)
    print(f"Second height field name: {hfield2.name}")
    print(f"Height matrix shape: {hfield1.height_matrix.shape}")
    print(f"Center point height: {hfield1.get(row=7, col=7):.3f}")

    heights = hfield1.height_matrix
    print("\nHeight statistics:")
    print(f" Min height: {np.min(heights):.3f}")
    print(f" Max height: {np.max(heights):.3f}")
    print(f" Mean height: {np.mean(heights):.3f}")
    print(f" Std deviation: {np.std(heights):.3f}")
    high_points = np.where(heights > 0.5)
    print(f"\nPoints with height > 0.5: {len(high_points[0])}")
    gradient = np.hypot(*np.gradient(heights))
    print(f"Max slope gradient: {np.max(gradient):.3f}")
    print("\n" + "=" * 50 + "\n")


def main() -> None:
    with RenderApp() as render:
        model = load_model(ASSETS / "hfield.xml")
        demonstrate_hfield_api(model)
        render.launch(model)
        data = SceneData(model)
        print("Starting simulation demo...")
        print("Spheres will collide with height field and roll along terrain")
        print("Use mouse to control view:")
        print(" - Left click drag: Rotate view")
        print(" - Right click drag: Pan view", flush=True)
        run.render_loop(model.options.timestep, 60, lambda: step(model, data), lambda: render.sync(data))


if __name__ == "__main__":
    main()
