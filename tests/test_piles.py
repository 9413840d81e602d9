"""Stacks and piles settle, stay settled and overlap no more than the solver's softness lets them."""

import numpy as np
import pytest

import motrixsim

SHAPES = [
    'type="sphere" size="0.05"',
    'type="capsule" size="0.04 0.05"',
    'type="ellipsoid" size="0.06 0.05 0.04"',
    'type="cylinder" size="0.05 0.05"',
    'type="box" size="0.05 0.04 0.06"',
    'type="mesh" mesh="gem"',
]
MESH = '<mesh name="gem" vertex="{}" inertia="convex"/>'
# The overlap that carries a weight through default contacts is a fraction of a millimetre per body; in a pile of
# several layers the deepest is about a millimetre, in MuJoCo too. Metres.
SOFT = 2e-3
# Soft friction creeps: the bodies of a pile at rest move by millimetres per second and turn, in MuJoCo too. Metres or
# radians per second.
CREEP = 0.2


def gem() -> str:
    points = np.random.default_rng(3).normal(size=(14, 3))
    points /= np.linalg.norm(points, axis=1)[:, None] / 0.06
    return MESH.format(" ".join(f"{x:.6f}" for x in points.ravel()))


def pile(count: int, shapes: list[str], wide: int, drawing: int = 0) -> str:
    """Bodies let fall in layers into a pit with four walls; rolling friction brings round ones to rest."""
    rng = np.random.default_rng(count + drawing)
    half = 0.08 * wide
    bodies = []
    for k in range(count):
        x, y, z = k % wide, k // wide % wide, k // wide**2
        place = np.array([x - (wide - 1) / 2, y - (wide - 1) / 2, 0]) * 0.15 + rng.uniform(-0.01, 0.01, 3)
        place[2] = 0.1 + 0.15 * z
        turn = rng.normal(size=4)
        pose = f'pos="{place[0]:.4f} {place[1]:.4f} {place[2]:.4f}" quat="{" ".join(f"{q:.4f}" for q in turn)}"'
        bodies.append(f"<body {pose}><freejoint/><geom {shapes[k % len(shapes)]}/></body>")
    walls = "".join(
        f'<geom type="plane" size="1 1 1" pos="{-s * half * a} {-s * half * b} 0" zaxis="{s * a} {s * b} 0"/>'
        for a, b in ((1, 0), (0, 1))
        for s in (1, -1)
    )
    return f"""<mujoco><option timestep="0.004" cone="elliptic"/><asset>{gem()}</asset>
      <default><geom condim="6" friction="0.8 0.02 0.01" density="500"/></default>
      <worldbody><geom type="plane" size="1 1 1"/>{walls}{"".join(bodies)}</worldbody></mujoco>"""


def stack(count: int) -> str:
    bodies = "".join(
        f'<body pos="0.00{k % 3} 0 {0.05 + 0.1 * k}"><freejoint/><geom type="box" size="0.05 0.05 0.05"/></body>'
        for k in range(count)
    )
    return (
        f'<mujoco><option timestep="0.004"/><worldbody><geom type="plane" size="1 1 1"/>{bodies}</worldbody></mujoco>'
    )


def run(text: str, settle: int, stay: int, precision: str = "f32", contact_model: str = "mujoco"):
    """Steps to rest and on: speeds and greatest depth at the end, how far bodies moved since the rest, their places."""
    model = motrixsim.load_mjcf_str(text)
    model.options.contact_model = contact_model
    data = motrixsim.SceneData(model, precision=precision)
    for _ in range(settle):
        model.step(data)
    rested = np.asarray(data.dof_pos, float).reshape(-1, 7)[:, :3].copy()
    for _ in range(stay):
        model.step(data)
    places = np.asarray(data.dof_pos, float).reshape(-1, 7)[:, :3]
    assert np.isfinite(places).all()
    speeds = np.abs(np.asarray(data.dof_vel, float)).reshape(-1, 6).max(axis=1)
    if contact_model == "firm":
        assert deeper_than_pressed(data.low) < 1e-4
    return speeds, -np.min(data.low.contact_dist), np.abs(places - rested).max(axis=1), places


def deeper_than_pressed(low) -> float:
    """By how much some contact is deeper than its force presses it at rest, R f/(K d), with the default K and least d.
    Metres."""
    first = np.asarray(low.contact_efc_address, int).ravel()
    depth = -np.asarray(low.contact_dist, float).ravel()
    acting = first >= 0
    force, softness = (np.asarray(x, float).ravel()[first[acting]] for x in (low.efc_force, low.efc_R))
    stiffness = 1 / (0.95 * 0.02) ** 2
    return float(np.max(depth[acting] - softness * force / (0.9 * stiffness), initial=0.0))


@pytest.mark.parametrize(("precision", "quiet"), [("f64", 1e-3), ("f32", 0.1)])
def test_a_stack_of_boxes_stands(precision, quiet) -> None:
    speeds, depth, moved, places = run(stack(8), 500, 1000, precision)
    assert speeds.max() < quiet
    assert depth < SOFT
    assert moved.max() < 1e-3
    # Each box rests on the one below.
    np.testing.assert_allclose(np.diff(np.sort(places[:, 2])), 0.1, atol=1e-3)


@pytest.mark.slow
def test_a_firm_stack_of_boxes_stands_for_a_hundred_thousand_steps() -> None:
    """Ten seconds. It stands crooked: MuJoCo's creeps apart and falls within half of that time. The last bit of its
    height is 60 nm."""
    _, depth, moved, places = run(stack(8), 2000, 100_000, contact_model="firm")
    assert depth < SOFT
    assert moved.max() < 2e-5
    np.testing.assert_allclose(np.diff(np.sort(places[:, 2])), 0.1, atol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("shapes", [SHAPES, SHAPES[-1:]], ids=["mixed", "meshes"])
def test_a_pile_of_25_comes_to_rest_and_stays(shapes) -> None:
    speeds, depth, moved, places = run(pile(25, shapes, 3), 1500, 500)
    assert speeds.max() < CREEP, "nothing flies or rolls on"
    assert depth < SOFT
    assert moved.max() < 0.02
    assert places[:, 2].min() > 0.02, "nothing sinks into the floor"


@pytest.mark.slow
@pytest.mark.parametrize("shapes", [SHAPES, SHAPES[-1:]], ids=["mixed", "meshes"])
def test_a_firm_pile_of_25_lies_still_for_a_hundred_thousand_steps(shapes) -> None:
    """Half a minute. Most bodies stay to a few last bits; one of the mixed pile turns until it has found its place."""
    speeds, depth, moved, places = run(pile(25, shapes, 3), 4000, 100_000, contact_model="firm")
    assert speeds.max() < 1e-3
    assert depth < SOFT
    assert np.median(moved) < 1e-5
    assert moved.max() < 1e-3
    assert places[:, 2].min() > 0.02


@pytest.mark.slow
def test_a_pile_of_200_calms_down_as_one() -> None:
    """After 2.4 s a few still tumble, here and in MuJoCo; one world is faster in one lane of `f64` than in eight."""
    speeds, depth, moved, places = run(pile(200, SHAPES, 8), 500, 100, "f64")
    assert np.median(speeds) < 0.1
    assert np.quantile(speeds, 0.9) < 1.0
    assert depth < 3 * SOFT
    assert np.median(moved) < 0.01
    assert places[:, 2].min() > 0.02


@pytest.mark.slow
@pytest.mark.parametrize(("drawing", "stay", "most"), [(0, 4000, 2e-4), (1, 100_000, 5e-6)])
def test_a_firm_pile_of_200_lies_still(drawing: int, stay: int, most: float) -> None:
    """A minute. The first still settles. Of the other nothing moves in 10⁵ steps by more than some last bits of where
    it is, which are 60 nm; in MuJoCo's model the median body creeps 3 mm/s. Bodies that were wedged stay so, several
    weights deep."""
    speeds, _, moved, places = run(pile(200, SHAPES, 8, drawing), 4000, stay, contact_model="firm")
    assert np.median(speeds) < 1e-5
    assert np.median(moved) < 5e-7
    assert np.quantile(moved, 0.9) < 5e-6
    assert moved.max() < most
    assert places[:, 2].min() > 0.02
