"""Heights of terrain under points: the grid's numbers, borders, yaw, tilted fields, buffers."""

import numpy as np
import pytest

import motrixsim

SCENE = """
<mujoco>
  <asset><hfield name="f" nrow="2" ncol="3" size="2 1 0.5 0.1" elevation="0 0 1  0.2 0.4 0.6"/></asset>
  <worldbody>
    <geom name="ground" type="hfield" hfield="f" {pose}/>
    <body name="base" pos="0 0 3"><freejoint/><geom size="0.1"/></body>
  </worldbody>
</mujoco>
"""


def scene(pose: str = "") -> motrixsim.SceneModel:
    return motrixsim.load_mjcf_str(SCENE.format(pose=pose))


def heights(model, xy, batch=()):
    data = motrixsim.SceneData(model, batch, precision="f64")
    return model.get_geom("ground").sample_height(data, xy)


def test_nodes_middles_and_borders() -> None:
    # The first row written is the far one: y = +1. Heights are numbers times 0.5.
    xy = [[-2, -1], [2, -1], [2, 1], [0, 0], [1, 0], [9, -9], [-9, -9]]
    expected = [0.1, 0.3, 0.5, 0.1, 0.25, 0.3, 0.1]
    np.testing.assert_allclose(heights(scene(), xy), expected, atol=1e-7)


def test_points_are_shared_or_each_worlds_own() -> None:
    model = scene()
    assert heights(model, [0, 0]).shape == (1,)
    assert heights(model, [[0, 0]] * 4, (3,)).shape == (3, 4)
    own = np.zeros((3, 2, 2))
    own[:, :, 0] = [[-2, 2], [0, 0], [2, -2]]
    np.testing.assert_allclose(heights(model, own, (3,))[2], heights(model, own[2]))
    for wrong in (np.zeros((4, 3)), np.zeros((2, 4, 2)), 1.0):
        with pytest.raises(ValueError, match="xy: expected shape"):
            heights(model, wrong, (3,))
    with pytest.raises(TypeError):
        heights(model, None)
    assert np.isnan(heights(model, [[np.nan, 0]])).all()


def test_a_moved_and_turned_field_is_sampled_in_its_own_frame() -> None:
    turned = scene('pos="10 0 1" euler="0 0 90"')
    # Local (1, 0.5) is world (10 - 0.5, 1).
    np.testing.assert_allclose(heights(turned, [[9.5, 1]]), 1 + heights(scene(), [[1, 0.5]]), atol=1e-7)


def test_the_true_surface_of_a_tilted_field_is_found() -> None:
    model = scene('euler="0 20 0"')
    [z] = heights(model, [[0.4, 0.1]])
    # Back in the field's frame the point found lies on its surface.
    tilt = np.deg2rad(20)
    local_x, local_z = 0.4 * np.cos(tilt) - z * np.sin(tilt), 0.4 * np.sin(tilt) + z * np.cos(tilt)
    np.testing.assert_allclose(local_z, heights(scene(), [[local_x, 0.1]])[0], atol=1e-7)


def test_buffers_are_checked_and_returned() -> None:
    model = scene()
    data, ground = motrixsim.SceneData(model, (2,)), model.get_geom("ground")
    out = np.empty((2, 3), np.float32)
    assert ground.sample_height(data, np.zeros((3, 2)), out=out) is out
    for wrong, error in (
        (np.empty((2, 3)), TypeError),
        (np.empty((2, 4), np.float32), ValueError),
        (np.empty((3, 2), np.float32).T, ValueError),
    ):
        with pytest.raises(error):
            ground.sample_height(data, np.zeros((3, 2)), out=wrong)


@pytest.mark.parametrize("batch", [(), (4,)])
def test_a_scanner_moves_and_turns_with_its_frame(batch) -> None:
    model = scene()
    data = motrixsim.SceneData(model, batch)
    offsets = np.array([[0, 0], [0.5, 0], [0, 0.5]])

    def make(**more):
        return motrixsim.TerrainScanner(model.get_geom("ground"), model.get_link("base"), offsets, **more)

    scanner, clearance = make(), make(output="clearance")
    half = np.sqrt(0.5)
    data.set_dof_pos([0.3, 0.1, 3, 0, 0, half, half], model)
    model.forward_kinematic(data)
    # A quarter turn takes (0.5, 0) to (0, 0.5) and (0, 0.5) to (-0.5, 0).
    expected = model.get_geom("ground").sample_height(data, [[0.3, 0.1], [0.3, 0.6], [-0.2, 0.1]])
    np.testing.assert_allclose(scanner.scan(data), expected, atol=1e-6)
    np.testing.assert_allclose(clearance.scan(data), 3 - expected, atol=1e-6)
    # A roll changes nothing.
    data.set_dof_pos([0.3, 0.1, 3, np.sin(0.2), 0, 0, np.cos(0.2)], model)
    model.forward_kinematic(data)
    level = model.get_geom("ground").sample_height(data, [[0.3, 0.1], [0.8, 0.1], [0.3, 0.6]])
    np.testing.assert_allclose(scanner.scan(data), level, atol=1e-6)
    out = np.empty((*batch, 3), np.float32)
    assert scanner.scan(data, out=out) is out


def test_the_surface_is_that_of_the_triangles() -> None:
    saddle = motrixsim.load_mjcf_str(
        SCENE.format(pose="").replace('nrow="2" ncol="3"', 'nrow="2" ncol="2"').replace("0 0 1  0.2 0.4 0.6", "1 0 0 1")
    )
    data = motrixsim.SceneData(saddle)
    ground, base = saddle.get_geom("ground"), saddle.get_link("base")

    def read(how):
        return motrixsim.TerrainScanner(ground, base, [[0, 0]], interp=how).scan(data)[0]

    assert read("bilinear") == pytest.approx(0.25)
    # The diagonal from (-x, -y) to (+x, +y) joins two nodes of height 0.
    assert read("surface") == pytest.approx(0.0)


def test_a_scanner_refuses_what_it_cannot_do() -> None:
    model, other = scene(), scene()
    ground, base = model.get_geom("ground"), model.get_link("base")
    for more, message in (
        ({"alignment": "world"}, "unsupported alignment"),
        ({"interp": "cubic"}, "unsupported interp"),
        ({"output": "Height"}, "unsupported output"),
        ({"offsets": [1, 2]}, "shape"),
        ({"frame": other.get_link("base")}, "different models"),
    ):
        arguments = {"terrain": ground, "frame": base, "offsets": [[0, 0]]} | more
        with pytest.raises(ValueError, match=message):
            motrixsim.TerrainScanner(**arguments)
    with pytest.raises(TypeError):
        motrixsim.TerrainScanner(base, ground, [[0, 0]])
    assert motrixsim.TerrainScanner(ground, base, np.zeros((0, 2))).scan(motrixsim.SceneData(model)).shape == (0,)


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("away", [3.0, 1e4, 1e7, 1e9])
def test_a_scanner_far_from_the_map_reads_its_border(precision, away) -> None:
    """Single precision tells whole cells of 10 cm apart up to 1700 km; the border is found from any distance."""
    numbers = " ".join(f"{x:.3f}" for x in np.random.default_rng(3).random(41 * 37))
    model = motrixsim.load_mjcf_str(f"""
        <mujoco><asset><hfield name="f" nrow="41" ncol="37" size="1.8 2 0.5 0.1" elevation="{numbers}"/></asset>
        <worldbody><geom name="ground" type="hfield" hfield="f"/>
        <body name="base"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>""")
    data = motrixsim.SceneData(model, (4,), precision=precision)
    heights = np.asarray(model.get_hfield(0).height_matrix)
    offsets = np.array([[0.0, 0.0], [0.4, -0.3], [-0.7, 0.2]])
    scanner = motrixsim.TerrainScanner(model.get_geom("ground"), model.get_link("base"), offsets)
    corners = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    data.set_dof_pos(np.array([[x * away, y * away, 1, 0, 0, 0, 1] for x, y in corners]), model)
    motrixsim.forward_kinematic(model, data)
    border = [heights[-1 if y > 0 else 0, -1 if x > 0 else 0] for x, y in corners]
    np.testing.assert_allclose(scanner.scan(data), np.tile(border, (3, 1)).T, atol=1e-6)


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_points_that_are_nowhere_have_no_height_and_spoil_no_other(precision) -> None:
    model = scene()
    data = motrixsim.SceneData(model, (2,), precision=precision)
    offsets = np.zeros((11, 2))
    offsets[3, 0], offsets[5, 1], offsets[9, 0] = np.nan, np.inf, -np.inf
    readings = motrixsim.TerrainScanner(model.get_geom("ground"), model.get_link("base"), offsets).scan(data)
    assert (np.isnan(readings) == ~np.isfinite(offsets).all(axis=1)).all()
    plain = motrixsim.TerrainScanner(model.get_geom("ground"), model.get_link("base"), [[0.0, 0.0]]).scan(data)
    np.testing.assert_allclose(readings[:, 0], plain[:, 0], rtol=1e-6)


def test_normals_stand_square_to_the_surface_that_is_read() -> None:
    model = scene('euler="0 20 0"')
    data = motrixsim.SceneData(model, precision="f64")
    ground = model.get_geom("ground")
    xy = np.random.default_rng(0).uniform(-0.9, 0.9, (50, 2))
    for interp in ("bilinear", "surface"):
        normals = ground.sample_normal(data, xy, interp=interp)
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-12)
        step = 1e-6
        middle = ground.sample_height(data, xy, interp=interp)
        for axis in (0, 1):
            moved = xy + step * np.eye(2)[axis]
            rise = (ground.sample_height(data, moved, interp=interp) - middle) / step
            np.testing.assert_allclose(rise, -normals[:, axis] / normals[:, 2], atol=2e-3)


def test_full_alignment_turns_points_with_the_link() -> None:
    model = scene()
    data = motrixsim.SceneData(model, precision="f64")
    ground, base = model.get_geom("ground"), model.get_link("base")
    offsets = np.array([[0, 0], [0.5, 0], [0, 0.5]])
    scanner = motrixsim.TerrainScanner(ground, base, offsets, alignment="full", interp="surface")
    # A roll by 60 degrees about x halves what is seen along y.
    data.set_dof_pos([0.3, 0.1, 3, 0.5, 0, 0, np.sqrt(0.75)], model)
    model.forward_kinematic(data)
    points = [[0.3, 0.1], [0.8, 0.1], [0.3, 0.35]]
    np.testing.assert_allclose(scanner.scan(data), ground.sample_height(data, points, interp="surface"), atol=1e-12)
    np.testing.assert_allclose(scanner.scan_normals(data), ground.sample_normal(data, points), atol=1e-12)


def test_the_surface_that_is_read_is_the_one_that_is_touched() -> None:
    """A tiny sphere is lowered onto the terrain at 10^4 points: where it first touches is what a scan of the
    surface reads.
    """
    count, radius = 10_000, 5e-7
    rng = np.random.default_rng(7)
    numbers = " ".join(f"{x:.6f}" for x in rng.random(400))
    model = motrixsim.load_mjcf_str(f"""
        <mujoco><asset><hfield name="f" nrow="20" ncol="20" size="1 1 0.5 0.1" elevation="{numbers}"/></asset>
        <worldbody><geom name="ground" type="hfield" hfield="f" euler="0 0 30" pos="0.1 0.2 0.3"/>
        <body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom size="{radius}"/></body>
        </worldbody></mujoco>""")
    data = motrixsim.SceneData(model, (count,), precision="f64")
    xy = rng.uniform(-0.6, 0.6, (count, 2))
    read = model.get_geom("ground").sample_height(data, xy[:, None], interp="surface")[:, 0]
    position = np.column_stack([xy, read, np.tile([0.0, 0, 0, 1], (count, 1))])
    low, high = read - 0.01, read + 0.01
    for _ in range(24):
        position[:, 2] = (low + high) / 2
        data.set_dof_pos(position, model)
        model.forward_kinematic(data)
        touching = data.terrain_counts[:, 0] > 0
        low, high = np.where(touching, position[:, 2], low), np.where(touching, high, position[:, 2])
    assert np.abs((low + high) / 2 - read).max() < 1e-5


def test_a_scan_is_what_a_user_would_write_in_numpy() -> None:
    """`benches/scan.py` tells how much faster it is."""
    rng = np.random.default_rng(0)
    text = " ".join(map(str, rng.random(200 * 200).round(4)))
    model = motrixsim.load_mjcf_str(f"""
        <mujoco><asset><hfield name="f" nrow="200" ncol="200" size="9.95 9.95 0.2 0.1" elevation="{text}"/></asset>
        <worldbody><geom name="ground" type="hfield" hfield="f"/>
        <body name="base"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>""")
    data = motrixsim.SceneData(model, (1024,))
    poses = data.dof_pos
    poses[:, :2] = rng.uniform(-8, 8, (1024, 2))
    data.set_dof_pos(poses, model)
    motrixsim.forward_kinematic(model, data)
    x, y = (values.ravel() for values in np.meshgrid(np.linspace(-0.8, 0.8, 17), np.linspace(-0.5, 0.5, 11)))
    scanner = motrixsim.TerrainScanner(model.get_geom("ground"), model.get_link("base"), np.stack([x, y], 1))
    nodes = np.asarray(model.get_hfield(0).height_matrix)

    place = (np.stack([poses[:, :1] + x, poses[:, 1:2] + y]) + 9.95) / 0.1
    cell = place.astype(int)
    (col, row), (u, v) = cell, place - cell
    south = nodes[row, col] * (1 - u) + nodes[row, col + 1] * u
    north = nodes[row + 1, col] * (1 - u) + nodes[row + 1, col + 1] * u
    np.testing.assert_allclose(scanner.scan(data), south * (1 - v) + north * v, atol=1e-5)
