"""Terrain builders: what they promise, in numbers; files; and models made from them."""

import numpy as np
import pytest

import motrixsim as mx
from motrixsim import terrain

SHAPE, CELL = (61, 81), 0.05


def test_slopes_have_their_angle() -> None:
    heights = terrain.slope(SHAPE, CELL, np.deg2rad(20), heading=np.deg2rad(30))
    gy, gx = np.gradient(heights.astype(float), CELL)
    np.testing.assert_allclose(np.hypot(gx, gy), np.tan(np.deg2rad(20)), rtol=1e-3)
    np.testing.assert_allclose(np.arctan2(gy, gx), np.deg2rad(30), atol=1e-3)
    assert heights.min() == 0


def test_stairs_have_their_steps() -> None:
    heights = terrain.stairs(SHAPE, CELL, rise=0.1, run=0.25)
    assert (heights == heights[0]).all()
    jumps = np.diff(heights[0].astype(float))
    np.testing.assert_allclose(jumps[jumps > 0], 0.1, atol=1e-6)
    np.testing.assert_array_equal(np.diff(np.flatnonzero(jumps > 0)), 5)


@pytest.mark.parametrize("sign", [1, -1])
def test_pyramids_fall_or_rise_from_their_platform(sign) -> None:
    for heights in (
        terrain.pyramid_stairs(SHAPE, CELL, sign * 0.1, 0.25, platform=1.0),
        terrain.pyramid_slope(SHAPE, CELL, sign * 0.3, platform=1.0),
    ):
        middle = heights[20:41, 30:51]
        assert np.ptp(middle) == 0
        assert np.sign(middle[0, 0] - heights[0, 0]) == sign
        np.testing.assert_allclose(heights, heights[::-1], atol=1e-6)


def test_rough_ground_stays_within_its_amplitude_and_is_the_seeds() -> None:
    for wavelength in (None, 0.4):
        one = terrain.rough(SHAPE, CELL, 0.2, wavelength, seed=5)
        assert 0 <= one.min() < 0.05
        assert 0.15 < one.max() <= 0.2
        np.testing.assert_array_equal(one, terrain.rough(SHAPE, CELL, 0.2, wavelength, seed=5))
        assert (one != terrain.rough(SHAPE, CELL, 0.2, wavelength, seed=6)).any()
    smooth = terrain.rough(SHAPE, CELL, 0.2, 0.4)
    assert np.abs(np.diff(smooth)).max() < 0.2 * 1.5 * CELL / 0.4 + 1e-6
    level = terrain.rough(SHAPE, CELL, 0.2, platform=0.5)
    assert np.ptp(level[26:35, 36:45]) < 1e-6


def test_stones_and_gaps_have_their_sizes() -> None:
    stones = terrain.stepping_stones(SHAPE, CELL, stone=0.2, gap=0.1, depth=0.5, platform=0)
    assert set(np.unique(stones)) == {0, 0.5}
    # Five nodes of a stone, then one of the pit between: six cells of pitch.
    np.testing.assert_array_equal(stones[0, :12] > 0, [True] * 5 + [False] + [True] * 5 + [False])
    uneven = terrain.stepping_stones(SHAPE, CELL, 0.2, 0.1, 0.5, unevenness=0.1, platform=0.5)
    assert np.unique(uneven[uneven > 0]).size > 10
    assert uneven.max() <= 0.6
    assert uneven[30, 40] == 0.5
    trench = terrain.gaps(SHAPE, CELL, width=0.3, spacing=0.5, depth=0.4, platform=1.0)[30]
    assert trench[40] == np.float32(0.4)
    edge = np.flatnonzero(np.diff(trench[40:]))
    np.testing.assert_array_equal(edge[:2], [10, 15])


def test_bad_sizes_are_refused() -> None:
    for build in (
        lambda: terrain.flat((1, 5), 0.1),
        lambda: terrain.flat((5, 5), 0),
        lambda: terrain.slope(SHAPE, CELL, 2.0),
        lambda: terrain.stairs(SHAPE, CELL, 0.1, 0),
        lambda: terrain.rough(SHAPE, CELL, -1),
        lambda: terrain.gaps(SHAPE, CELL, -0.1, 1),
        lambda: terrain.stepping_stones(SHAPE, CELL, 0, 0.1),
        lambda: terrain.curriculum([], 3, SHAPE, CELL),
        lambda: terrain.curriculum([lambda shape, cell, level: np.zeros((2, 2), np.float32)], 1, SHAPE, CELL),
        lambda: terrain.Terrain(np.zeros(3, np.float32), 0.1),
        lambda: terrain.Terrain(np.full((2, 2), np.nan, np.float32), 0.1),
    ):
        with pytest.raises(ValueError, match=r".+"):
            build()
    tiles = terrain.curriculum([lambda shape, cell, level: terrain.flat(shape, cell)], 2, (3, 3), 0.1)
    with pytest.raises(IndexError):
        tiles.origin(2, 0)
    with pytest.raises(TypeError):
        tiles.origin(0.5, 0)


@pytest.mark.parametrize("in_file", [False, True])
def test_terrain_has_the_same_heights_in_a_model(tmp_path, in_file) -> None:
    heights = terrain.rough((31, 47), 0.1, 0.4, 0.5, seed=2) - 0.7
    ground = terrain.Terrain(heights, 0.1)
    asset, geom = ground.mjcf("hills", tmp_path / "hills.hfield" if in_file else None)
    model = mx.load_mjcf_str(f"<mujoco><asset>{asset}</asset><worldbody>{geom}</worldbody></mujoco>")
    np.testing.assert_allclose(model.get_hfield("hills").height_matrix + ground.lowest, heights, atol=1e-6)
    data = mx.SceneData(model)
    np.testing.assert_allclose(
        model.get_geom("hills").sample_height(data, [[-2.3, -1.5], [2.3, 1.5]]), heights[[0, -1], [0, -1]], atol=1e-6
    )


def test_files_are_read_as_they_were_written(tmp_path) -> None:
    heights = terrain.rough((7, 5), 0.1, 1.0)
    terrain.write_hfield(tmp_path / "a.hfield", heights)
    assert (tmp_path / "a.hfield").stat().st_size == 4 * (2 + 35)
    np.testing.assert_array_equal(terrain.read_hfield(tmp_path / "a.hfield"), heights)
    for content in (b"", b"\x02\0\0\0", b"\x02\0\0\0\x02\0\0\0" + b"\0" * 15):
        (tmp_path / "b.hfield").write_bytes(content)
        with pytest.raises(ValueError, match=r"b\.hfield"):
            terrain.read_hfield(tmp_path / "b.hfield")
    with pytest.raises(ValueError, match="two dimensions"):
        terrain.write_hfield(tmp_path / "c.hfield", [1.0])
