"""Contacts with terrain: flat fields are planes, nothing sinks, nothing is dropped, and MuJoCo's own contacts on
request.
"""

import numpy as np
import pytest

import motrixsim as mx

SHAPES = {
    "box": 'type="box" size="0.1 0.06 0.05"',
    "sphere": 'type="sphere" size="0.05"',
    "capsule": 'type="capsule" size="0.05 0.08" euler="90 0 0"',
    "cylinder": 'type="cylinder" size="0.06 0.05"',
    "ellipsoid": 'type="ellipsoid" size="0.07 0.06 0.05"',
    "mesh": 'type="mesh" mesh="brick"',
}
BRICK = " ".join(f"{x * 0.1} {y * 0.06} {z * 0.05}" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1))


def field_text(heights, radius_x, radius_y, elevation, base=0.1):
    """A height field written in a file: the first row is the far one."""
    nrow, ncol = heights.shape
    numbers = " ".join(f"{x:.9g}" for x in heights[::-1].ravel())
    size = f"{radius_x} {radius_y} {elevation} {base}"
    return f'<hfield name="f" nrow="{nrow}" ncol="{ncol}" size="{size}" elevation="{numbers}"/>'


def scene(ground, body, asset="", option=""):
    return f"""
    <mujoco>
      <option timestep="0.002" {option}/>
      <asset><mesh name="brick" vertex="{BRICK}"/>{asset}</asset>
      <worldbody>{ground}{body}</worldbody>
    </mujoco>"""


def mover(shape, pos, more='condim="1"', joint="<freejoint/>"):
    return f'<body name="b" pos="{pos}">{joint}<geom name="b" mass="1" {shape} {more}/></body>'


def run(model, velocity, steps, precision="f32"):
    data = mx.SceneData(model, precision=precision)
    data.set_dof_vel(velocity)
    for _ in range(steps):
        model.step(data)
    return data


FIELD = '<geom name="ground" type="hfield" hfield="f"/>'
# A contact has friction if one of the two geoms asks for it.
SLIPPERY = '<geom name="ground" type="hfield" hfield="f" condim="1"/>'


@pytest.mark.parametrize("cell", [0.1, 0.02, 0.005])
@pytest.mark.parametrize("shape", ["box", "sphere", "capsule", "cylinder", "mesh"])
def test_a_shape_slides_on_a_flat_field_as_on_a_plane(shape, cell) -> None:
    ncol, nrow = round(3 / cell) + 1, round(0.6 / cell) + 1
    flat = field_text(np.zeros((nrow, ncol)), 1.5, 0.3, 1)
    model = mx.load_mjcf_str(scene(SLIPPERY, mover(SHAPES[shape], "-1.1 0.0123 0.05"), flat))
    data = run(model, [1, 0, 0, 0, 0, 0], 1000)
    assert data.dof_pos[0] == pytest.approx(0.9, abs=1e-3), "two metres in two seconds"
    vx, _, vz, *omega = data.dof_vel
    assert abs(vx - 1) < 1e-4
    assert abs(vz) < 1e-4
    assert np.abs(omega).max() < 1e-3


TILT = np.deg2rad(20)


@pytest.mark.parametrize("cell", [0.1, 0.02, 0.005])
@pytest.mark.parametrize("shape", ["box", "sphere", "capsule", "cylinder", "mesh"])
def test_a_shape_slides_on_a_planar_slope_as_on_a_tilted_plane(shape, cell) -> None:
    # Gravity is square to the slope, so that the shape keeps its speed and stays on the field.
    ncol, nrow = round(3 / cell) + 1, round(0.6 / cell) + 1
    ramp = np.tile(np.linspace(0, 1, ncol), (nrow, 1))
    rise = 3 * np.tan(TILT)
    normal = np.array([-np.sin(TILT), 0, np.cos(TILT)])
    along = np.array([np.cos(TILT), 0, np.sin(TILT)])
    gravity = "{} {} {}".format(*(-9.81 * normal))
    start = np.array([0, 0.0123, rise / 2]) - 1.0 * along + 0.05 * normal
    body = f'<body name="b" pos="{start[0]} {start[1]} {start[2]}" euler="0 -20 0"><freejoint/>' + (
        f'<geom name="b" mass="1" {SHAPES[shape]} condim="1"/></body>'
    )
    plane = f'<geom type="plane" size="5 5 1" pos="0 0 {rise / 2}" euler="0 -20 0" condim="1"/>'
    velocity = [*along, 0, 0, 0]
    option = f'gravity="{gravity}"'
    on_field = mx.load_mjcf_str(scene(SLIPPERY, body, field_text(ramp, 1.5, 0.3, rise), option))
    on_plane = mx.load_mjcf_str(scene(plane, body, "", option))
    ours, expected = run(on_field, velocity, 1000), run(on_plane, velocity, 1000)
    difference = ours.dof_vel - expected.dof_vel
    assert np.abs(difference[:3]).max() < 1e-4
    assert abs(ours.dof_vel[:3] @ normal) < 1e-4
    assert np.abs(difference[3:]).max() < 1e-3


def test_a_foot_rests_on_fine_cells_as_on_a_plane() -> None:
    foot = mover('type="box" size="0.1 0.04 0.02"', "0.003 0.001 0.02", "")
    flat = field_text(np.zeros((101, 101)), 0.5, 0.5, 1)
    heights = {}
    for name, ground in (("field", FIELD), ("plane", '<geom type="plane" size="1 1 1"/>')):
        model = mx.load_mjcf_str(scene(ground, foot, flat))
        data = run(model, [0] * 6, 500)
        heights[name] = data.dof_pos[2]
        assert len(data.low.contact_dist) <= 8
    assert heights["field"] == pytest.approx(heights["plane"], abs=2e-4)


@pytest.mark.parametrize("height", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("cell", [0.1, 0.005])
def test_a_small_ball_that_falls_recovers_to_the_surface(height, cell) -> None:
    n = round(0.4 / cell) + 1
    ball = mover('type="sphere" size="0.02"', f"0.0312 0.0173 {height + 0.02}", "")
    model = mx.load_mjcf_str(scene(FIELD, ball, field_text(np.zeros((n, n)), 0.2, 0.2, 1)))
    data = mx.SceneData(model)
    impact = round(np.sqrt(2 * height / 9.81) / 0.002)
    for _ in range(impact + 100):
        model.step(data)
    assert data.dof_pos[2] > 0.02 - 1e-3, "0.2 s after the impact the ball is out of the ground"
    assert np.abs(data.dof_pos[:2] - [0.0312, 0.0173]).max() < 1e-4, "and was not pushed aside"


def rough(rng, n=41, cell=0.1, height=0.3):
    heights = rng.random((n, n))
    heights.flat[:2] = 0, 1
    radius = cell * (n - 1) / 2
    return heights, field_text(heights, radius, radius, height)


def nearest_on_triangles(points, heights, cell, elevation):
    """Distance of points from the surface, by looking at every triangle."""
    n = len(heights)
    axis = cell * (np.arange(n) - (n - 1) / 2)
    x, y = np.meshgrid(axis, axis)
    nodes = np.stack([x, y, elevation * heights], axis=-1)
    a, b, c, d = nodes[:-1, :-1], nodes[:-1, 1:], nodes[1:, 1:], nodes[1:, :-1]
    triangles = np.concatenate([np.stack(t, axis=-2).reshape(-1, 3, 3) for t in ((a, b, c), (a, c, d))])
    return np.array([triangle_distances(p, triangles).min() for p in points])


def triangle_distances(p, triangles):
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    best = np.full(len(triangles), np.inf)
    for s, e in ((a, b), (b, c), (c, a)):
        edge = e - s
        t = np.clip(((p - s) * edge).sum(1) / (edge * edge).sum(1), 0, 1)
        best = np.minimum(best, np.linalg.norm(p - s - t[:, None] * edge, axis=1))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    height = ((p - a) * normal).sum(1)
    foot = p - height[:, None] * normal
    inside = np.ones(len(triangles), bool)
    for s, e in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(e - s, foot - s) * normal).sum(1) >= 0
    return np.where(inside, np.minimum(best, np.abs(height)), best)


@pytest.mark.parametrize("radius", [0.03, 0.25])
def test_the_nearest_contact_of_a_sphere_is_the_distance_to_the_surface(radius) -> None:
    rng = np.random.default_rng(1)
    heights, asset = rough(rng)
    ball = mover(f'type="sphere" size="{radius}"', "0 0 1", 'margin="0.5"')
    model = mx.load_mjcf_str(scene(FIELD, ball, asset))
    count = 60
    data = mx.SceneData(model, (count,), precision="f64")
    xy = rng.uniform(-1.2, 1.2, (count, 2))
    sampled = model.get_geom("ground").sample_height(data, xy)[0]
    position = np.column_stack([xy, sampled + rng.uniform(0.02, 0.35, count)])
    data.set_dof_pos(np.column_stack([position, np.tile([0, 0, 0, 1], (count, 1))]), model)
    model.forward_kinematic(data)
    expected = nearest_on_triangles(position, heights, 0.1, 0.3) - radius
    # Heights are kept in single precision; above the ground in every direction the nearest contact is the distance.
    outside = position[:, 2] > sampled + 0.15
    assert outside.sum() > 20
    for k in np.flatnonzero(outside):
        assert data[k].low.contact_dist.min() == pytest.approx(expected[k], abs=1e-7)


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_contacts_are_few_and_none_is_dropped(shape) -> None:
    rng = np.random.default_rng(2)
    _, asset = rough(rng, cell=0.02, height=0.05)
    model = mx.load_mjcf_str(scene(FIELD, mover(SHAPES[shape], "0 0 0.1", ""), asset))
    data = mx.SceneData(model, (16,))
    turn = rng.normal(size=(16, 4))
    turn /= np.linalg.norm(turn, axis=1)[:, None]
    data.set_dof_pos(np.column_stack([rng.uniform(-0.2, 0.2, (16, 2)), np.full(16, 0.2), turn]), model)
    # Spheres rock in their dimples for two seconds before they lie.
    for _ in range(1200):
        model.step(data)
        found, merged, dropped = data.terrain_counts.T
        assert (dropped == 0).all()
        assert (merged <= found).all()
        assert (found - merged <= 8).all()
    assert (found > merged).all(), "they lie on the ground"
    assert (data.dof_pos[:, 2] > 0.06).all()
    assert np.abs(data.dof_vel[:, :3]).max() < 0.5
    assert np.abs(data.dof_vel[:, 3:]).max() < 5, "round ones may still roll"
    normals = np.concatenate([frame[:, :3] for frame in data.low.contact_frame])
    assert (normals[:, 2] > 0).all(), "a surface pushes up"


def test_mujocos_bound_on_contacts_drops_and_says_so() -> None:
    flat = field_text(np.zeros((101, 101)), 0.5, 0.5, 1)
    model = mx.load_mjcf_str(scene(FIELD, mover('type="box" size="0.2 0.2 0.05"', "0 0 0.04"), flat))
    data = mx.SceneData(model)
    found, merged, dropped = data.terrain_counts
    assert (found - merged, dropped) == (4, 0), "four corners"
    model.options.contact_model = "mujoco"
    data = mx.SceneData(model)
    found, merged, dropped = data.terrain_counts
    assert (found, merged) == (50, 0)
    assert dropped > 1000


def test_a_wall_in_the_terrain_stops_a_ball() -> None:
    # A ridge two cells wide and 20 cm high: neither its far side nor its inner edges may pull the ball through.
    heights = np.zeros((21, 101))
    heights[:, 60] = 1
    model = mx.load_mjcf_str(
        scene(FIELD, mover('type="sphere" size="0.05"', "-0.3 0.004 0.05"), field_text(heights, 1, 0.2, 0.2))
    )
    data = run(model, [1, 0, 0, 0, 0, 0], 600)
    assert data.dof_pos[0] < 0.2, "it stays on its side"


def test_a_box_is_carried_by_the_edge_of_a_step() -> None:
    # The step's edge is at x = 0 between two nodes of the box's ends; the centre of mass is over the step.
    heights = np.zeros((11, 21))
    heights[:, :11] = 1
    box = mover('type="box" size="0.2 0.03 0.02"', "-0.05 0.05 0.22", "")
    model = mx.load_mjcf_str(scene(FIELD, box, field_text(heights, 1, 0.5, 0.2)))
    data = run(model, [0] * 6, 500)
    assert data.dof_pos[2] == pytest.approx(0.22, abs=1e-3)
    assert np.abs(data.dof_vel).max() < 1e-2
    positions = data.low.contact_pos
    assert positions[:, 0].max() == pytest.approx(0, abs=0.01), "the last support is the edge"


def test_terrain_ends_at_its_rim() -> None:
    flat = field_text(np.zeros((5, 5)), 1, 1, 1)
    model = mx.load_mjcf_str(scene(FIELD, mover('type="sphere" size="0.1"', "0 0 0"), flat))
    data = mx.SceneData(model, (4,), precision="f64")
    half = 0.1 * np.sqrt(0.5)
    places = [[0.99, 0, 0.099], [1 + half - 1e-3, 0, half - 1e-3], [1.11, 0, 0.05], [0.5, 0, -0.25]]
    data.set_dof_pos([[*place, 0, 0, 0, 1] for place in places], model)
    model.forward_kinematic(data)
    low = data.low
    on_top, at_the_rim, beside, below = range(4)
    np.testing.assert_allclose(low.contact_frame[on_top][:, :3], [[0, 0, 1]], atol=1e-9)
    assert len(low.contact_dist[at_the_rim]) == 1
    np.testing.assert_allclose(low.contact_frame[at_the_rim][0, :3], [np.sqrt(0.5), 0, np.sqrt(0.5)], atol=1e-3)
    assert len(low.contact_dist[beside]) == len(low.contact_dist[below]) == 0


@pytest.mark.parametrize("shape", ["box", "mesh"])
def test_needles_do_not_shoot_a_shape_away(shape) -> None:
    rng = np.random.default_rng(2)
    _, asset = rough(rng, cell=0.02, height=0.05)
    model = mx.load_mjcf_str(scene(FIELD, mover(SHAPES[shape], "0 0 0.1", ""), asset))
    data = mx.SceneData(model, (128,))
    turn = rng.normal(size=(128, 4))
    turn /= np.linalg.norm(turn, axis=1)[:, None]
    data.set_dof_pos(np.column_stack([rng.uniform(-0.2, 0.2, (128, 2)), np.full(128, 0.2), turn]), model)
    inertia = np.asarray(model.low.body_inertia)[1]
    for step in range(300):
        model.step(data)
        velocity = np.asarray(data.dof_vel, float)
        energy = 9.81 * data.dof_pos[:, 2] + 0.5 * ((velocity[:, :3] ** 2).sum(1) + (velocity[:, 3:] ** 2 @ inertia))
        assert energy.max() < 9.81 * 0.2 * 1.001, f"a body gained energy by step {step}"
