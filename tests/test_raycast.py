"""Rays: closed forms, MuJoCo's rays on every kind of geom, range finders, worlds in batches, exclusions, bad input."""

import mujoco
import numpy as np
import pytest

import motrixsim

SCENE = """
<mujoco>
  <asset>
    <hfield name="f" nrow="5" ncol="7" size="2 1.5 0.6 0.2"
            elevation="0 1 2 3 2 1 0  1 4 2 0 1 5 1  0 2 6 1 3 2 0  3 1 0 2 5 1 2  0 0 1 2 1 0 0"/>
    <mesh name="tetra" vertex="0.5 0 -0.3  -0.4 0.5 -0.3  -0.3 -0.5 -0.2  0.1 0.1 0.7"/>
    <material name="glass" rgba="1 1 1 0"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" group="3"/>
    <geom name="patch" type="plane" size="0.5 0.7 1" pos="4 0 2" euler="20 30 0"/>
    <geom name="ground" type="hfield" hfield="f" pos="-5 0 0.3" euler="0 0 30"/>
    <geom name="ghost" size="0.6" pos="0 3 1" rgba="1 0 0 0"/>
    <geom name="glass" size="0.6" pos="0 3 1" material="glass"/>
    <body name="a" pos="0 0 2">
      <freejoint/>
      <geom name="ball" size="0.4"/>
      <geom name="capsule" type="capsule" size="0.2 0.5" pos="1 0 0.2" euler="40 10 0"/>
      <geom name="egg" type="ellipsoid" size="0.5 0.3 0.2" pos="-1 0 0" euler="0 40 10"/>
    </body>
    <body name="b" pos="0 2 1.5">
      <freejoint/>
      <geom name="can" type="cylinder" size="0.3 0.4" pos="1 0 0" euler="30 0 0" group="1"/>
      <geom name="crate" type="box" size="0.3 0.2 0.5" euler="0 30 20" group="1"/>
      <geom name="stone" type="mesh" mesh="tetra" pos="-1 0 0" group="2"/>
    </body>
  </worldbody>
</mujoco>
"""


def pair():
    """The scene in both engines, bodies moved."""
    theirs = mujoco.MjModel.from_xml_string(SCENE)
    state = mujoco.MjData(theirs)
    rng = np.random.default_rng(3)
    qpos = theirs.qpos0 + 0.3 * rng.normal(size=theirs.nq)
    for first in (3, 10):
        qpos[first : first + 4] /= np.linalg.norm(qpos[first : first + 4])
    state.qpos[:] = qpos
    mujoco.mj_forward(theirs, state)
    ours = motrixsim.load_mjcf_str(SCENE)
    data = motrixsim.SceneData(ours, precision="f64")
    # MuJoCo writes quaternions w x y z, we i j k w.
    for first in (3, 10):
        qpos[first : first + 4] = np.roll(qpos[first : first + 4], -1)
    data.set_dof_pos(qpos, ours)
    motrixsim.forward_kinematic(ours, data)
    return theirs, state, ours, data


def rays(count: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    origins = rng.uniform([-7, -3, -0.5], [6, 5, 4], (count, 3))
    directions = rng.normal(size=(count, 3))
    return origins, directions / np.linalg.norm(directions, axis=1)[:, None]


def their_rays(model, state, origins, directions, groups=None, static=True, body=-1):
    geom, normal = np.zeros(1, np.int32), np.zeros(3)
    results = []
    for origin, direction in zip(origins, directions, strict=True):
        distance = mujoco.mj_ray(model, state, origin, direction, groups, static, body, geom, normal)
        results.append((distance if distance >= 0 else np.inf, geom[0], *(normal if distance >= 0 else np.zeros(3))))
    results = np.array(results)
    return results[:, 0], results[:, 1].astype(int), results[:, 2:]


def test_every_geom_is_met_where_mujoco_meets_it() -> None:
    theirs, state, ours, data = pair()
    origins, directions = rays(6000)
    distance, geom, normal = motrixsim.raycast(ours, data, origins, directions)
    expected = their_rays(theirs, state, origins, directions)
    np.testing.assert_array_equal(geom, expected[1])
    # A dozen roundings of metres; oblique rays stretch them.
    np.testing.assert_allclose(distance, expected[0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(normal, expected[2], rtol=0, atol=1e-8)
    assert set(geom) == {-1, 0, 1, 2, 5, 6, 7, 8, 9, 10}, "every visible geom is met by some ray"


def test_groups_static_and_excluded_parts_are_those_of_mujoco() -> None:
    theirs, state, ours, data = pair()
    origins, directions = rays(1500, 1)
    groups = np.array([1, 0, 1, 0, 0, 0], np.uint8)
    for ours_given, theirs_given in (
        ({"groups": [0, 2]}, {"groups": groups}),
        ({"include_static": False}, {"static": False}),
        ({"exclude": [ours.get_link("b")]}, {"body": 2}),
        ({"groups": [], "include_static": True}, {"groups": np.zeros(6, np.uint8)}),
    ):
        distance, geom, _ = motrixsim.raycast(ours, data, origins, directions, **ours_given)
        expected = their_rays(theirs, state, origins, directions, **theirs_given)
        np.testing.assert_array_equal(geom, expected[1], str(ours_given))
        np.testing.assert_allclose(distance, expected[0], rtol=0, atol=1e-10)
    ball = ours.get_geom("ball")
    _, geom, _ = motrixsim.raycast(ours, data, origins, directions, exclude=[ball, ours.get_geom("floor")])
    assert not np.isin(geom, [0, 5]).any()


def test_one_ray_many_rays_and_worlds_have_their_shapes() -> None:
    model = motrixsim.load_mjcf_str(SCENE)
    single, batch = motrixsim.SceneData(model), motrixsim.SceneData(model, (3,))
    down = [0, 0, -1]
    distance, geom, normal = motrixsim.raycast(model, single, [9, 9, 2], down)
    assert (distance.shape, geom.shape, normal.shape) == ((), (), (3,))
    assert (float(distance), int(geom), distance.dtype, geom.dtype) == (2, 0, np.float32, np.int32)
    distance, _, normal = motrixsim.raycast(model, batch, [[9, 9, 2], [9, 9, 5]], down)
    assert distance.tolist() == [[2, 5]] * 3
    assert normal.shape == (3, 2, 3)
    own = np.full((3, 1, 3), [9.0, 9, 1]) * np.array([1, 2, 3])[:, None, None]
    assert motrixsim.raycast(model, batch, own, down)[0].tolist() == [[1], [2], [3]]
    assert motrixsim.raycast(model, batch[1], [[9, 9, 4]], down)[0].tolist() == [4]
    # What is not met is infinitely far, has no geom and no normal.
    distance, geom, normal = motrixsim.raycast(model, single, [9, 9, 2], [0, 0, 1])
    assert (float(distance), int(geom), normal.tolist()) == (np.inf, -1, [0, 0, 0])
    assert motrixsim.raycast(model, single, [9, 9, 2], [0, 0, -7], max_distance=1.9)[1] == -1
    assert motrixsim.raycast(model, single, np.zeros((0, 3)), down)[0].shape == (0,)


def test_rays_move_with_a_frame() -> None:
    _, _, model, data = pair()
    link = model.get_link("a")
    local = np.array([[0.1, 0.2, 0.3], [0, 0, 1]]), np.array([[1.0, 0, 0], [0, 1, 1]])
    pose = link.get_pose(data)
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, np.roll(pose[3:], 1))
    turn = turn.reshape(3, 3)
    world = local[0] @ turn.T + pose[:3], local[1] @ turn.T
    carried = motrixsim.raycast(model, data, *local, frame=link, exclude=[link])
    direct = motrixsim.raycast(model, data, *world, exclude=[link])
    np.testing.assert_allclose(carried[0], direct[0], rtol=1e-12)


def test_few_rays_many_rays_and_many_worlds_agree_bit_for_bit() -> None:
    _, _, model, data = pair()
    origins, directions = rays(20000, 5)
    many = motrixsim.raycast(model, data, origins, directions)
    for part in (slice(0, 7), slice(100, 400)):
        few = motrixsim.raycast(model, data, origins[part], directions[part])
        for a, b in zip(few, many, strict=True):
            np.testing.assert_array_equal(a, b[part])


def test_bad_rays_are_refused() -> None:
    model = motrixsim.load_mjcf_str(SCENE)
    data = motrixsim.SceneData(model, (2,))
    other = motrixsim.load_mjcf_str(SCENE)
    for arguments, options, error, message in (
        (([0, 0], [0, 0, 1]), {}, ValueError, "origins: expected shape"),
        (([0, 0, 0], np.ones((4, 2, 3))), {}, ValueError, "directions: expected shape"),
        ((np.zeros((3, 3)), np.ones((4, 3))), {}, ValueError, "3 origins do not fit 4 directions"),
        (([0, 0, 0], [0, 0, 0]), {}, ValueError, "no length"),
        (([0, 0, np.nan], [0, 0, 1]), {}, ValueError, "finite"),
        (([0, 0, 0], [0, np.inf, 1]), {}, ValueError, "finite"),
        (([0, 0, 0], [0, 0, 1]), {"max_distance": -1}, ValueError, "max_distance"),
        (([0, 0, 0], [0, 0, 1]), {"max_distance": np.nan}, ValueError, "max_distance"),
        (([0, 0, 0], [0, 0, 1]), {"groups": [6]}, ValueError, "group"),
        (([0, 0, 0], [0, 0, 1]), {"groups": ["a"]}, TypeError, "groups"),
        (([0, 0, 0], [0, 0, 1]), {"exclude": [1]}, TypeError, "exclude"),
        (([0, 0, 0], [0, 0, 1]), {"exclude": [other.get_geom("ball")]}, ValueError, "another model"),
        (([0, 0, 0], [0, 0, 1]), {"frame": "a"}, TypeError, "frame"),
        (([0, 0, 0], [0, 0, 1]), {"frame": other.get_link("a")}, ValueError, "another model"),
        ((None, [0, 0, 1]), {}, TypeError, "origins"),
    ):
        with pytest.raises(error, match=message):
            motrixsim.raycast(model, data, *arguments, **options)
    with pytest.raises(RuntimeError, match="another model"):
        motrixsim.raycast(other, data, [0, 0, 0], [0, 0, 1])


SENSORS = """
<mujoco>
  <option integrator="{integrator}"/>
  <worldbody>
    <geom name="p" type="plane" size="0 0 1"/>
    <site name="up" pos="10 0 1"/>
    <body name="a" pos="0 0 3">
      <freejoint/>
      <geom name="s" size=".5"/><geom name="s2" size=".3" pos="2 0 0"/>
      <site name="down" pos="0.1 0 -.4" euler="170 5 0"/>
      <camera name="eye" pos="0 0 -1" resolution="3 2" fovy="60" euler="5 3 0"/>
      <camera name="flat" pos="0 0 -1" resolution="2 2" fovy="1.5" projection="orthographic"/>
      <camera name="chip" pos="0 0 -1" resolution="4 3" sensorsize="0.04 0.03" focal="0.02 0.03"
              principal="0.002 0.001"/>
    </body>
    <body name="b" pos="0.2 0.1 {height}">
      <freejoint/>
      <geom name="bx" type="box" size=".2 .3 .4" euler="10 20 30"/>
      <geom name="cy" type="cylinder" size=".2 .3" pos="0.3 0 0"/>
    </body>
  </worldbody>
  <sensor>
    <distance geom1="s" geom2="bx"/>
    <distance geom1="s" geom2="bx" cutoff="0.3"/>
    <distance geom1="s" geom2="bx" cutoff="5"/>
    <normal geom1="s" geom2="bx" cutoff="5"/>
    <fromto geom1="s" geom2="bx" cutoff="5"/>
    <distance geom1="bx" geom2="s" cutoff="5"/>
    <normal geom1="bx" geom2="s" cutoff="5"/>
    <fromto geom1="bx" geom2="s" cutoff="5"/>
    <normal geom1="s" geom2="bx" cutoff="0.1"/>
    <fromto geom1="s" geom2="bx" cutoff="0.1"/>
    <distance body1="a" body2="b" cutoff="5"/>
    <fromto body1="a" body2="b" cutoff="5"/>
    <distance geom1="p" geom2="bx" cutoff="5"/>
    <fromto geom1="p" geom2="bx" cutoff="5"/>
    <rangefinder site="down"/>
    <rangefinder site="down" cutoff="0.5"/>
    <rangefinder site="down" data="dist dir origin point normal depth"/>
    <rangefinder site="down" data="dist normal" cutoff="0.5"/>
    <rangefinder site="up" data="dist dir origin point normal depth"/>
    <rangefinder site="up" cutoff="0.5"/>
    <rangefinder camera="eye" data="dist dir origin point normal depth"/>
    <rangefinder camera="eye" cutoff="1.5"/>
    <rangefinder camera="flat" data="dist dir origin point depth"/>
    <rangefinder camera="chip" data="dist dir"/>
    <clock/>
  </sensor>
</mujoco>
"""


def named(text: str) -> tuple[str, list[str]]:
    """The model with a name for every sensor."""
    head, tail = text.split("<sensor>")
    lines = tail.split("/>")
    names = [f"sensor{i}" for i in range(len(lines) - 1)]
    tagged = (
        line.replace(line.split()[0], f'{line.split()[0]} name="{n}"', 1) for line, n in zip(lines, names, strict=False)
    )
    return head + "<sensor>" + "/>".join([*tagged, lines[-1]]), names


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
@pytest.mark.parametrize("height", [1.0, 2.2])
def test_sensors_that_look_around_read_what_mujocos_do(height: float, integrator: str) -> None:
    text, names = named(SENSORS.format(height=height, integrator=integrator))
    theirs = mujoco.MjModel.from_xml_string(text)
    state = mujoco.MjData(theirs)
    mujoco.mj_step(theirs, state)
    ours = motrixsim.load_mjcf_str(text)
    data = motrixsim.SceneData(ours, (2,), precision="f64")
    before = ours.get_sensor_values(names, data)
    motrixsim.step(ours, data)
    for i, name in enumerate(names):
        span = slice(theirs.sensor_adr[i], theirs.sensor_adr[i] + theirs.sensor_dim[i])
        read = ours.get_sensor_value(name, data)
        # Convex pairs end within 1e-6 of the distance in MuJoCo; rays are exact.
        np.testing.assert_allclose(read[1], state.sensordata[span], rtol=0, atol=2e-6, err_msg=f"{name} of {text}")
    np.testing.assert_array_equal(before, ours.get_sensor_values(names, data))
