"""A terrain curriculum: columns of ever steeper stairs in one height field, and a scanner that sees them.

Worlds start on the easiest row. Those that walk far enough move up a row at their reset, those that do not move down,
as legged robots are trained. Here a push stands in for a policy.
"""

from pathlib import Path

import numpy as np

import motrixsim as mx

ASSETS = Path(__file__).parent / "assets"
WORLDS = 64
LEVELS, TILE, CELL = 6, 4.0, 0.1  # rows of difficulty, metres per tile, metres per cell
SCAN = np.stack(np.meshgrid(np.linspace(-0.5, 0.5, 6), np.linspace(-0.3, 0.3, 4)), axis=-1).reshape(-1, 2)


def stairs() -> np.ndarray:
    """Heights of a strip of tiles, each a pyramid of stairs, a step 2 cm higher on every level."""
    cells = round(TILE / CELL)
    x, y = np.meshgrid(np.arange(cells), np.arange(cells))
    rings = np.minimum.reduce([x, y, cells - 1 - x, cells - 1 - y]) // 4
    return np.concatenate([0.02 * level * np.minimum(rings, 3) for level in range(LEVELS)])


def scene() -> str:
    heights = stairs()
    nrow, ncol = heights.shape
    elevation = " ".join(f"{h:.4f}" for h in (heights / heights.max()).ravel())
    size = f"{ncol * CELL / 2} {nrow * CELL / 2} {heights.max()} 0.1"
    field = f'<hfield name="stairs" nrow="{nrow}" ncol="{ncol}" size="{size}" elevation="{elevation}"/>'
    floor = '<geom name="floor" type="plane" size="20 20 0.1" material="ground"/>'
    text = (ASSETS / "quadruped.xml").read_text().replace("</asset>", f"{field}</asset>")
    return text.replace(floor, '<geom name="floor" type="hfield" hfield="stairs" material="ground"/>')


def main() -> None:
    model = mx.load_mjcf_str(scene())
    data = mx.SceneData(model, batch=[WORLDS])
    trunk, floor = model.get_link("trunk"), model.get_geom("floor")
    scanner = mx.TerrainScanner(floor, trunk, SCAN, output="clearance")
    stand = model.keyframes[0]
    level = np.zeros(WORLDS, int)
    rng = np.random.default_rng(0)

    def place(worlds: np.ndarray) -> None:
        """Puts robots on the middle of their tile, at the height of the terrain there."""
        chosen = data[worlds]
        chosen.reset(model)
        stand.apply(chosen)
        xy = np.zeros((len(worlds), 2), np.float32)
        xy[:, 1] = (level[worlds] + 0.5) * TILE - LEVELS * TILE / 2
        ground = floor.sample_height(chosen, xy[:, None])[:, 0]
        base = model.floating_bases[0]
        base.set_translation(chosen, np.column_stack([xy, ground + 0.32]))
        model.forward_kinematic(chosen)

    place(np.arange(WORLDS))
    for episode in range(4):
        start = data.dof_pos[:, :2].copy()
        push = rng.uniform(0, 3, (WORLDS, 1)) * np.array([1.0, 0.0, 0.0])
        model.floating_bases[0].set_global_linear_velocity(data, push)
        model.step_n(data, 200)
        clearance = scanner.scan(data)
        walked = np.linalg.norm(data.dof_pos[:, :2] - start, axis=1)
        level = np.clip(level + np.where(walked > 0.2, 1, -1), 0, LEVELS - 1)
        place(np.arange(WORLDS))
        print(
            f"episode {episode}: walked {walked.mean():.2f} m, levels {np.bincount(level, minlength=LEVELS)}, ", end=""
        )
        print(f"clearance {clearance.mean():.2f} m")


if __name__ == "__main__":
    main()
