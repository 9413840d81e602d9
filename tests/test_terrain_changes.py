"""Terrain that changes: blocks of heights at run time, and windows into a field that all worlds share."""

import copy
import pickle
import sys

import numpy as np
import pytest

import motrixsim as mx
import motrixsim.health
from motrixsim import lidar, terrain

BODIES = """
    <body name="a" pos="-0.4 0.2 0.7"><freejoint/><geom type="sphere" size="0.1"/></body>
    <body name="b" pos="0.3 0.1 0.7"><freejoint/><geom type="box" size="0.1 0.08 0.05"/></body>
    <body name="c" pos="0 -0.4 0.7"><freejoint/><geom type="capsule" size="0.05 0.1"/></body>
"""


def model_of(heights, cell=0.125, elevation=1.0, bodies=BODIES):
    """A model whose height field is given in metres, node by node: a flat one, updated."""
    rows, cols = heights.shape
    size = f"{cell * (cols - 1) / 2} {cell * (rows - 1) / 2} {elevation} 0.25"
    model = mx.load_mjcf_str(f"""
        <mujoco><asset><hfield name="f" nrow="{rows}" ncol="{cols}" size="{size}"/></asset>
        <worldbody><geom name="ground" type="hfield" hfield="f"/>{bodies}</worldbody></mujoco>""")
    model.get_hfield("f").update(0, 0, heights)
    return model


def settled(model, data, steps=150):
    for _ in range(steps):
        model.step(data)
    return data.dof_pos


@pytest.fixture
def heights():
    return np.random.default_rng(3).random((33, 41)).astype(np.float32) * 0.25


@pytest.mark.parametrize("contact_model", ["firm", "mujoco"])
def test_an_updated_model_is_a_rebuilt_one_bit_for_bit(heights, contact_model) -> None:
    block = np.full((5, 9), 0.375, np.float32)
    changed = heights.copy()
    changed[13:18, 17:26] = block
    updated, rebuilt = model_of(heights), model_of(changed)
    updated.options.contact_model = rebuilt.options.contact_model = contact_model
    data, expected = mx.SceneData(updated, (3,)), mx.SceneData(rebuilt, (3,))
    # An engine that has been running sees the change as well.
    updated.step(data)
    data.reset(updated)
    updated.get_hfield(0).update(13, 17, block)
    np.testing.assert_array_equal(updated.get_hfield(0).height_matrix, changed)
    assert updated.get_hfield(0).bound[5] == np.float32(0.375)
    np.testing.assert_array_equal(settled(updated, data), settled(rebuilt, expected))
    xy = np.random.default_rng(4).uniform(-2, 2, (100, 2))
    sampled = [m.get_geom("ground").sample_height(d, xy) for m, d in ((updated, data), (rebuilt, expected))]
    np.testing.assert_array_equal(*sampled)


def test_terrain_that_rises_above_its_size_still_carries(heights) -> None:
    model = model_of(heights * 0, elevation=0.5)
    model.get_hfield(0).update(0, 0, heights * 0 + 3.0)
    data = mx.SceneData(model)
    data.set_dof_pos(data.dof_pos + np.tile([0, 0, 3, 0, 0, 0, 0], 3), model)
    z = settled(model, data, 500)[2::7]
    np.testing.assert_allclose(z, [3.1, 3.05, 3.15], atol=2e-3)


def test_a_refused_update_changes_nothing(heights) -> None:
    model = model_of(heights)
    field = model.get_hfield(0)
    for row, col, block, error in (
        (30, 0, np.zeros((4, 1)), IndexError),
        (-1, 0, np.zeros((2, 2)), IndexError),
        (0, 41, np.zeros((1, 1)), IndexError),
        (0, 0, np.zeros(3), ValueError),
        (0, 0, [[np.nan]], ValueError),
        (0, 0, "high", TypeError),
    ):
        with pytest.raises(error):
            field.update(row, col, block)
    np.testing.assert_array_equal(field.height_matrix, heights)


@pytest.mark.parametrize("contact_model", ["firm", "mujoco"])
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_a_window_is_a_field_cut_out_bit_for_bit(heights, contact_model, precision) -> None:
    atlas = model_of(heights)
    ground = atlas.get_geom("ground")
    origins, scales = np.array([[0, 0], [16, 24], [3, 11], [16, 0]]), np.array([1.0, 0.5, 2.0, 0.25])
    data = mx.SceneData(atlas, (4,), precision=precision)
    ground.set_window_override(data, origins, scales, shape=(17, 17))
    atlas.options.contact_model = contact_model
    ours = settled(atlas, data)
    offsets = np.random.default_rng(5).uniform(-1, 1, (40, 2))
    scanner = mx.TerrainScanner(ground, atlas.get_link("a"), offsets)
    for k, ((row, col), scale) in enumerate(zip(origins, scales, strict=True)):
        crop = model_of(heights[row : row + 17, col : col + 17] * np.float32(scale))
        crop.options.contact_model = contact_model
        expected = mx.SceneData(crop, (1,), precision=precision)
        np.testing.assert_array_equal(ours[k], settled(crop, expected)[0])
        cut_out = mx.TerrainScanner(crop.get_geom("ground"), crop.get_link("a"), offsets)
        np.testing.assert_allclose(scanner.scan(data)[k], cut_out.scan(expected)[0], atol=1e-6)


def test_windows_are_read_back_and_reset(heights) -> None:
    model = model_of(heights)
    ground, data = model.get_geom("ground"), mx.SceneData(model, (3,))
    whole = ground.get_window_override(data)
    np.testing.assert_array_equal(whole["shape"], [[33, 41]] * 3)
    ground.set_window_override(data[1:], (4, 5), shape=(8, 9))
    ground.set_window_override(data[2], (6, 5), z_scale=0.5)
    now = ground.get_window_override(data)
    np.testing.assert_array_equal(now["origin"], [[0, 0], [4, 5], [6, 5]])
    np.testing.assert_array_equal(now["shape"], [[33, 41], [8, 9], [8, 9]])
    np.testing.assert_array_equal(now["z_scale"], [1, 1, 0.5])
    data.reset(model)
    np.testing.assert_array_equal(ground.get_window_override(data)["origin"], np.zeros((3, 2)))


def test_a_window_that_does_not_fit_is_refused_and_nothing_changes(heights) -> None:
    model = model_of(heights)
    ground, data = model.get_geom("ground"), mx.SceneData(model, (2,))
    for arguments in (
        {"origin": [30, 0], "shape": (8, 8)},
        {"origin": [[0, 0], [26, 0]], "shape": (8, 8)},
        {"origin": [-1, 0], "shape": (8, 8)},
        {"origin": [0.5, 0], "shape": (8, 8)},
        {"origin": [0, 0], "shape": (1, 8)},
        {"origin": [0, 0], "z_scale": -1.0},
        {"origin": [0, 0], "z_scale": np.nan},
        {"origin": [0, 0, 0]},
    ):
        with pytest.raises(ValueError, match=r"window|origin"):
            ground.set_window_override(data, **arguments)
    np.testing.assert_array_equal(ground.get_window_override(data)["shape"], [[33, 41]] * 2)


def test_a_curriculum_is_walked_through_windows() -> None:
    kinds = [
        lambda shape, cell, level: terrain.pyramid_stairs(shape, cell, 0.05 + 0.15 * level, 0.3),
        lambda shape, cell, level: terrain.rough(shape, cell, 0.1 * level, seed=1),
    ]
    tiles = terrain.curriculum(kinds, levels=3, tile=(41, 41), cell=0.1)
    assert tiles.heights.shape == (123, 82)
    model = model_of(tiles.heights, cell=0.1)
    ground = model.get_geom("ground")
    data = mx.SceneData(model, (6,))
    level, kind = np.divmod(np.arange(6), 2)
    ground.set_window_override(data, tiles.origin(level, kind), shape=tiles.tile)
    heights = ground.sample_height(data, [[0.0, 0.0]])[:, 0]
    np.testing.assert_allclose(heights, tiles.heights[20::41, 20::41].ravel(), atol=1e-6)
    # The same places on the map as a whole.
    whole = mx.SceneData(model, (6,))
    np.testing.assert_allclose(
        ground.sample_height(whole, tiles.centre(level, kind)[:, None])[:, 0], heights, atol=1e-6
    )


LOOKING = """
    <body name="eye" pos="0.1 0.2 1.5" euler="165 10 0"><freejoint/><geom size="0.05"/><site name="eye"/></body>
    <body name="crate" pos="-0.4 0.3 0.9" euler="20 30 10"><freejoint/>
      <geom name="crate" type="box" size="0.1 0.2 0.15"/></body></worldbody>
  <sensor><rangefinder name="range" site="eye"/></sensor><worldbody>
"""


def seen(model, data):
    """What rays, distances, lidars and range finders tell of the ground."""
    directions = lidar.rings(np.linspace(-60, -5, 7), 24).reshape(-1, 3)
    # From inside, from beside the border at the height of the ground, and from below.
    origins = np.concatenate([np.repeat([[0.1, 0.2, 1.5], [9.0, 0.3, 0.9]], 84, 0), [[0.1, 0.1, -3]] * 84])
    rays = np.concatenate([directions[:84], directions[:84] * [-1, 1, 0.05], directions[:84] * [1, 1, -1]])
    distance, geom, normal = mx.raycast(model, data, origins, rays)
    prox = [mx.Proximity("ground", "crate", np.inf, kind).get_proximity(model, data)[:3] for kind in (1, 3, 4)]
    eye = lidar.Lidar(model.get_site("eye"), lidar.grid(4, 5), exclude=[model.get_link("eye")])
    reading = model.get_sensor_value("range", data)
    return [distance, geom, normal, *prox[0], *prox[1], *prox[2], eye.scan(model, data)[0], reading]


def test_everything_that_looks_sees_each_worlds_own_window(heights) -> None:
    model = model_of(heights, bodies=LOOKING)
    data = mx.SceneData(model, (3,), precision="f64")
    corners = np.array([[0, 0], [7, 3], [14, 22]])
    scales = np.array([1.0, 0.5, 2.0])
    ground = model.get_geom("ground")
    ground.set_window_override(data, corners, scales, shape=(17, 19))
    mx.forward_kinematic(model, data)
    found = seen(model, data)
    assert np.isfinite(found[0]).sum() > 200
    for k, ((row, col), scale) in enumerate(zip(corners, scales, strict=True)):
        # Halving and doubling are exact, so that the cut-out field has the same heights.
        crop = model_of(heights[row : row + 17, col : col + 19] * np.float32(scale), bodies=LOOKING)
        alone = mx.SceneData(crop, precision="f64")
        mx.forward_kinematic(crop, alone)
        for ours, theirs in zip(found, seen(crop, alone), strict=True):
            np.testing.assert_allclose(ours[k], theirs, atol=1e-9)
    # A window that moves takes what was remembered of the nearest triangles along.
    prox = mx.Proximity("ground", "crate", np.inf, 4)
    first = prox.get_proximity(model, data)[0]
    ground.set_window_override(data, (3, 4), shape=(2, 2))
    assert (prox.get_proximity(model, data)[0] != first).all()


def test_an_update_is_seen_by_all_that_looked_before(heights) -> None:
    model = model_of(heights, bodies=LOOKING)
    data = mx.SceneData(model, (2,), precision="f64")
    mx.forward_kinematic(model, data)
    seen(model, data)
    # The border with its walls, and a block inside.
    changed = heights.copy()
    changed[:, -4:] += 0.5
    changed[12:20, 15:23] = 0.625
    model.get_hfield(0).update(0, 37, changed[:, 37:])
    model.get_hfield(0).update(12, 15, changed[12:20, 15:23])
    mx.forward_kinematic(model, data)
    rebuilt = model_of(changed, bodies=LOOKING)
    expected = mx.SceneData(rebuilt, (2,), precision="f64")
    mx.forward_kinematic(rebuilt, expected)
    for ours, theirs in zip(seen(model, data), seen(rebuilt, expected), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_copies_of_an_updated_model_keep_its_heights_bit_for_bit(heights, copied) -> None:
    model = model_of(heights)
    block = np.linspace(0.1, 0.3, 12).reshape(3, 4)
    model.get_hfield(0).update(5, 6, block)
    twin = copied(model)
    np.testing.assert_array_equal(twin.get_hfield(0).height_matrix, model.get_hfield(0).height_matrix)
    # The copy is one of its own.
    twin.get_hfield(0).update(0, 0, [[0.75]])
    assert model.get_hfield(0).get(0, 0) != 0.75
    again = copied(twin)
    assert again.get_hfield(0).get(0, 0) == 0.75
    # Data travel with their model and go on as they would have.
    data = mx.SceneData(model, (2,))
    settled(model, data, 20)
    model.get_hfield(0).update(20, 20, block)
    other_model, other_data = pickle.loads(pickle.dumps((model, data)))
    np.testing.assert_array_equal(settled(model, data, 40), settled(other_model, other_data, 40))


def test_a_binary_field_travels_with_its_model_without_its_file(heights, tmp_path) -> None:
    """The bytes of the file are not kept: they follow from the heights, also where two fields share them."""
    terrain.write_hfield(tmp_path / "f.hfield", heights)
    model = mx.load_mjcf_str(f"""<mujoco><asset><hfield name="a" file="{tmp_path}/f.hfield" size="2 2 0.3 0.1"/>
      <hfield name="b" file="{tmp_path}/f.hfield" size="1 1 0.5 0.1"/></asset>
      <worldbody><geom type="hfield" hfield="a"/><geom type="hfield" hfield="b" pos="9 0 0"/></worldbody></mujoco>""")
    (tmp_path / "f.hfield").unlink()
    for changed in ([], ["a"], ["a", "b"]):
        for name in changed:
            model.get_hfield(name).update(3, 4, np.full((2, 2), 0.21))
        twin = pickle.loads(pickle.dumps(model))
        for name in "ab":
            np.testing.assert_array_equal(twin.get_hfield(name).height_matrix, model.get_hfield(name).height_matrix)


MEMORY = """
import sys
import motrixsim as mx
from motrixsim import terrain

def resident():
    with open("/proc/self/statm") as numbers:
        return 4096 * int(numbers.read().split()[1])

def model(name, nodes):
    path = f"{sys.argv[1]}/{name}.hfield"
    terrain.write_hfield(path, terrain.rough((nodes, nodes), 0.1, 1.0))
    asset = f'<asset><hfield name="f" file="{path}" size="100 100 1 0.1"/></asset>'
    return f'<mujoco>{asset}<worldbody><geom type="hfield" hfield="f"/></worldbody></mujoco>'

kept = [mx.load_mjcf_str(model("small", 20))]
text = model("large", 2000)
before = resident()
kept += [mx.load_mjcf_str(text) for _ in range(3)]
print((resident() - before) / 3 / (4 * 2000 * 2000))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read as Linux tells it")
def test_a_large_field_takes_the_memory_of_its_heights_and_their_extremes(run_python, tmp_path) -> None:
    # Freed memory goes back at once, so that what is left is what the models hold.
    result = run_python("-c", MEMORY, str(tmp_path), MALLOC_MMAP_THRESHOLD_="65536")
    assert float(result.stdout) < 1.7, result.stderr


def test_a_saved_world_is_replayed_on_the_terrain_it_fell_on(heights, tmp_path) -> None:
    model = model_of(heights)
    data = mx.SceneData(model, (2,))
    data.watch(history=5)
    settled(model, data, 60)
    mx.health.save(data[1], tmp_path / "world.zip")
    steps = mx.health.replay(tmp_path / "world.zip")
    assert len(steps) == 5
    assert all(step.identical for step in steps[:-1])


def test_pairs_of_planes_and_fields_are_told_of_and_moving_fields_refused() -> None:
    text = """<mujoco><asset><hfield name="f" nrow="3" ncol="3" size="1 1 1 1"/></asset>
      <worldbody><geom name="a" type="hfield" hfield="f"/><geom name="b" type="hfield" hfield="f" pos="5 0 0"/>
        <geom name="p" type="plane" size="1 1 1"/>
        <body><freejoint/><geom name="ball" size="0.1"/>{}</body></worldbody>
      <contact><pair geom1="a" geom2="b"/><pair geom1="p" geom2="a"/><pair geom1="a" geom2="ball"/></contact>
      </mujoco>"""
    told = [str(note) for note in mx.load_mjcf_str(text.format("")).load_report]
    assert sum("never touch" in note for note in told) == 2, told
    with pytest.raises(ValueError, match="height fields are only allowed in the world"):
        mx.load_mjcf_str(text.format('<geom type="hfield" hfield="f"/>'))
