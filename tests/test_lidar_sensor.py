"""Scanners of MJCF: what they read is what `raycast` finds along the same rays."""

from __future__ import annotations

import numpy as np
import pytest

import motrixsim
from motrixsim.lidar import Lidar, grid, rings

SCENE = """<mujoco>
  <compiler angle="{angle}"/>
  <asset>{asset}</asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <geom name="wall" type="box" size=".1 3 1" pos="4 0 1"/>
    <body name="robot" pos="0 0 1" quat="1 .1 .2 .3"><freejoint/><geom type="box" size=".3 .2 .1"/>
      <site name="head" pos=".05 0 .2" quat="1 0 .1 0"/>
      <body name="arm" pos=".5 .1 .2"><joint/><geom name="arm" size=".1"/></body>
    </body>
    <body name="ball" pos="2 1 1"><freejoint/><geom size=".4"/></body>
  </worldbody>
  <sensor><clock/><lidar name="scan" asset="l" site="head" {sensor}/></sensor>
</mujoco>"""


def reading(
    asset: str, sensor: str = "", angle: str = "degree"
) -> tuple[motrixsim.SceneModel, np.ndarray, motrixsim.SceneData]:
    model = motrixsim.load_mjcf_str(SCENE.format(asset=f'<lidar name="l" {asset}/>', sensor=sensor, angle=angle))
    data = motrixsim.SceneData(model, batch=[3])
    position = np.array(data.dof_pos)
    position[:, 0] += [0, 0.3, 0.7]
    data.set_dof_pos(position, model)
    motrixsim.forward_kinematic(model, data)
    return model, np.asarray(model.get_sensor_value("scan", data)), data


def expected(model, data, pattern: np.ndarray, links: list[str], reach: float = np.inf) -> np.ndarray:
    exclude = [model.get_link(name) for name in links]
    lidar = Lidar(model.get_site("head"), pattern, max_distance=reach, exclude=exclude)
    distance = lidar.scan(model, data)[0]
    return np.where(np.isfinite(distance), distance, -1).reshape(3, -1)


CASES = {
    "rings": ('pattern="rings" elevations="-30 -10 5" hscan="24"', rings([-30, -10, 5], 24)),
    "part of a circle": ('pattern="rings" elevations="-10" hscan="9" hrange="-60 60"', rings([-10], 9, (-60, 60))),
    "grid": ('pattern="grid" vscan="4" vrange="-40 10" hscan="7" hrange="-30 50"', grid(4, 7, (-40, 10), (-30, 50))),
    "grid by itself": ('vscan="2" vrange="-20 0" hscan="3"', grid(2, 3, (-20, 0), (-180, 180))),
    "rays per second": ('pattern="rings" elevations="-30 -10" reportrate="240"', rings([-30, -10], 12)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_scanner_reads_what_rays_find(name: str) -> None:
    asset, pattern = CASES[name]
    model, found, data = reading(asset)
    assert found.shape == (3, pattern.size // 3)
    # Single precision of poses, met at a slant.
    np.testing.assert_allclose(found, expected(model, data, pattern, ["robot"]), rtol=1e-4)


def test_what_is_left_out_can_be_chosen() -> None:
    asset, pattern = (
        'pattern="rings" vscan="5" vrange="-60 10" hscan="40" cutoff="3"',
        rings(np.linspace(-60, 10, 5), 40),
    )
    readings = []
    for word, links in {"none": [], "parentbody": ["robot"], "parentsubtree": ["robot", "arm"]}.items():
        model, found, data = reading(asset, f'exclude="{word}"')
        np.testing.assert_allclose(found, expected(model, data, pattern, links, reach=3), rtol=1e-4)
        assert found.max() <= 3
        readings.append(found)
    assert not np.array_equal(readings[0], readings[1])
    assert not np.array_equal(readings[1], readings[2])


def test_turns_per_second_divide_the_rays() -> None:
    asset = 'pattern="rings" elevations="-30 -10" reportrate="240" hzrange="5 20"'
    assert reading(asset)[1].shape == (3, 48)
    assert reading(asset, 'hz="20"')[1].shape == (3, 12)
    with pytest.raises(motrixsim.LoadError, match="the head turns 5 to 20 times per second"):
        reading(asset, 'hz="21"')


def test_angles_are_in_the_unit_of_the_compiler() -> None:
    degrees = reading('pattern="rings" elevations="-30" hscan="4" hrange="0 90"')[1]
    radians = reading(
        'pattern="rings" elevations="-.5235987755982988" hscan="4" hrange="0 1.5707963267948966"', angle="radian"
    )
    np.testing.assert_array_equal(degrees, radians[1])
