"""Distances between parts of a scene: MuJoCo's hulls, the order of the algorithms, batches, rules, bad input."""

import mujoco
import numpy as np
import pytest

import motrixsim
from motrixsim import Proximity, ProximityType

SCENE = """
<mujoco>
  <asset>
    <hfield name="f" nrow="4" ncol="5" size="2 1.5 0.6 0.2"
            elevation="0 1 2 3 2  1 4 2 0 1  0 2 6 1 3  3 1 0 2 5"/>
    <mesh name="tetra" vertex="0.5 0 -0.3  -0.4 0.5 -0.3  -0.3 -0.5 -0.2  0.1 0.1 0.7"/>
    <mesh name="ring" builtin="supertorus" params="24 0.3 1 1"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" pos="0 0 -3"/>
    <geom name="wall" type="plane" size="0 0 1" pos="0 9 0" euler="90 0 0"/>
    <geom name="ground" type="hfield" hfield="f" pos="0 0 -2"/>
    <body name="a">
      <freejoint/>
      <geom name="ball" size="0.4"/>
      <geom name="capsule" type="capsule" size="0.2 0.5" pos="1 0 0.2" euler="40 10 0"/>
      <geom name="egg" type="ellipsoid" size="0.5 0.3 0.2" pos="-1 0 0" euler="0 40 10"/>
      <geom name="stone" type="mesh" mesh="tetra" pos="0 1 0"/>
    </body>
    <body name="b" pos="0 3 1">
      <freejoint/>
      <geom name="can" type="cylinder" size="0.3 0.4" pos="1 0 0" euler="30 0 0"/>
      <geom name="crate" type="box" size="0.3 0.2 0.5" euler="0 30 20"/>
      <geom name="tetra" type="mesh" mesh="tetra" pos="-1 0 0"/>
    </body>
    <body name="ring" pos="0 0 5"><freejoint/><geom name="ring" type="mesh" mesh="ring"/></body>
  </worldbody>
</mujoco>
"""
CONVEX = ("ball", "capsule", "egg", "stone", "can", "crate", "tetra", "floor")


@pytest.fixture(scope="module")
def model() -> motrixsim.SceneModel:
    return motrixsim.load_mjcf_str(SCENE)


def states(model, count: int, spread: float = 1.0) -> np.ndarray:
    """Configurations with the three bodies anywhere."""
    rng = np.random.default_rng(count)
    qpos = rng.normal(size=(count, 21)) * spread
    for first in (3, 10, 17):
        quat = rng.normal(size=(count, 4))
        qpos[:, first : first + 4] = quat / np.linalg.norm(quat, axis=1)[:, None]
    qpos[:, 14:17] += [0, 0, 4]
    return qpos


def placed(model, qpos) -> motrixsim.SceneData:
    data = motrixsim.SceneData(model, (len(qpos),), precision="f64")
    data.set_dof_pos(qpos, model)
    motrixsim.forward_kinematic(model, data)
    return data


def test_convex_distances_are_those_of_mujoco(model) -> None:
    qpos = states(model, 40, 2.0)
    data = placed(model, qpos)
    theirs = mujoco.MjModel.from_xml_string(SCENE)
    theirs.opt.ccd_tolerance = 1e-10
    theirs.opt.ccd_iterations = 200
    state = mujoco.MjData(theirs)
    pairs = [(a, b) for a in CONVEX[:4] for b in CONVEX[4:]]
    found = {p: Proximity(*p, dist_max=np.inf, signed=True).get_proximity(model, data) for p in pairs}
    apart = 0
    for world, q in enumerate(qpos):
        for first in (3, 10, 17):
            q[first : first + 4] = np.roll(q[first : first + 4], 1)
        state.qpos[:] = q
        mujoco.mj_forward(theirs, state)
        for a, b in pairs:
            segment = np.zeros(6)
            expected = mujoco.mj_geomDistance(theirs, state, theirs.geom(a).id, theirs.geom(b).id, 1e3, segment)
            distance, p1, p2, kind = (values[world] for values in found[a, b])
            if expected > 0:
                apart += 1
                # MuJoCo's iterations end within 1e-6 for curved shapes.
                assert distance == pytest.approx(expected, abs=2e-6), (a, b)
                assert np.linalg.norm(p1 - p2) == pytest.approx(distance, abs=1e-9)
            else:
                assert distance <= 1e-9, (a, b)
            assert kind == ProximityType.CONVEX_HULL
    assert apart > 300


def segment_is_true(result, atol=1e-9) -> None:
    distance, p1, p2, _ = result
    np.testing.assert_allclose(np.linalg.norm(p1 - p2, axis=-1), distance, atol=atol)


def test_faces_hulls_corners_and_spheres_are_ordered(model) -> None:
    data = placed(model, states(model, 60, 2.0))
    for a, b in (("stone", "tetra"), ("ring", "stone"), ("ring", "ball"), ("ground", "stone"), ("ground", "crate")):
        prox = Proximity(a, b, dist_max=np.inf)
        faces = prox.get_face_to_face_proximity(model, data)
        hulls = prox.get_convex_hull_proximity(model, data)
        corners = prox.get_vertex_to_face_proximity(model, data)
        spheres = prox.get_sphere_to_sphere_proximity(model, data)
        assert (spheres[0] <= hulls[0] + 1e-9).all(), (a, b)
        assert (hulls[0] <= faces[0] + 1e-9).all(), (a, b)
        assert (faces[0] <= corners[0] + 1e-9).all(), (a, b)
        for result in (faces, hulls, corners, spheres):
            segment_is_true(result)
            assert (result[0] >= 0).all()
        assert (faces[3] == 4).all()
        assert (corners[3] == 3).all()
        assert not spheres[3].any()
    # Convex meshes are their own hulls.
    prox = Proximity("stone", "tetra", dist_max=np.inf)
    hull, face = prox.get_convex_hull_proximity(model, data)[0], prox.get_face_to_face_proximity(model, data)[0]
    np.testing.assert_allclose(hull, face, atol=1e-9)


def test_a_ball_in_the_hole_of_a_ring_is_apart_from_its_faces_only(model) -> None:
    qpos = states(model, 1)
    qpos[0, 14:17], qpos[0, 17:21] = [0, 0, 4], [0, 0, 0, 1]
    qpos[0, :3] = [0, 0, 4]
    data = placed(model, qpos)
    small = Proximity("ball", "ring", dist_max=1.0)
    assert small.get_convex_hull_proximity(model, data)[0][0] == 0
    exact = small.get_face_to_face_proximity(model, data)
    assert 0 < exact[0][0] < 0.35


def test_the_cutoff_is_on_the_spheres_and_never_changes_a_distance_below_it(model) -> None:
    data = placed(model, states(model, 50, 3.0))
    free = Proximity("stone", "crate", dist_max=np.inf, algorithm=ProximityType.FACE_TO_FACE)
    spheres = free.get_sphere_to_sphere_proximity(model, data)
    exact = free.get_proximity(model, data)
    for cutoff in (0.0, 0.5, 2.0):
        bounded = Proximity("stone", "crate", cutoff, ProximityType.FACE_TO_FACE)
        distance, _p1, p2, kind = bounded.get_proximity(model, data)
        beyond = bounded.get_sphere_to_sphere_proximity(model, data)[3]
        np.testing.assert_array_equal(beyond, spheres[0] > cutoff)
        np.testing.assert_array_equal(kind, np.where(beyond, 0, 4))
        np.testing.assert_allclose(distance, np.where(beyond, spheres[0], exact[0]), atol=1e-12)
        np.testing.assert_allclose(p2, np.where(beyond[:, None], spheres[2], exact[2]), atol=1e-9)


def test_links_and_bodies_are_as_near_as_their_nearest_geoms(model) -> None:
    data = placed(model, states(model, 30, 2.0))
    a, b = ("ball", "capsule", "egg", "stone"), ("can", "crate", "tetra")
    face = ProximityType.FACE_TO_FACE
    each = [Proximity(x, y, np.inf, face).get_proximity(model, data)[0] for x in a for y in b]
    for parts in ((model.get_link("a"), model.get_link("b")), (model.get_body("a"), "b"), ("a", "b")):
        found = Proximity(*parts, np.inf, face).get_proximity(model, data)
        np.testing.assert_allclose(found[0], np.min(each, axis=0), atol=1e-9)
        segment_is_true(found)


def test_one_world_gives_plain_values_and_rows_and_buffers_are_kept(model) -> None:
    qpos = states(model, 6, 2.0)
    data = placed(model, qpos)
    prox = Proximity("stone", "tetra", np.inf, ProximityType.FACE_TO_FACE)
    distance, p1, p2, kind = prox.get_proximity(model, data)
    assert (distance.shape, p1.shape, kind.dtype) == ((6,), (6, 3), np.int8)
    one = prox.get_proximity(model, data[2])
    assert isinstance(one[0], float)
    assert one[0] == distance[2]
    assert one[1].shape == (3,)
    assert one[3] is ProximityType.FACE_TO_FACE
    np.testing.assert_array_equal(prox.get_proximity(model, data, rows=[4, 1])[0], distance[[4, 1]])
    out = tuple(np.empty_like(x) for x in (distance, p1, p2, kind))
    assert prox.get_proximity(model, data, out=out)[0] is out[0]
    np.testing.assert_array_equal(out[1], p1)
    with pytest.raises(ValueError, match=r"out\[1\]"):
        prox.get_proximity(model, data, out=(out[0], np.empty(3), out[2], out[3]))
    with pytest.raises(ValueError, match="4 arrays"):
        prox.get_proximity(model, data, out=out[:2])


def test_a_warm_start_changes_no_distance_while_things_move(model) -> None:
    warm = Proximity("ring", "stone", np.inf, ProximityType.FACE_TO_FACE)
    cold = Proximity("ring", "stone", np.inf, ProximityType.FACE_TO_FACE, warm_start=False)
    qpos = states(model, 8, 1.5)
    for k in range(10):
        qpos[:, :3] += 0.05 * np.sin(k + np.arange(3))
        data = placed(model, qpos)
        np.testing.assert_array_equal(warm.get_proximity(model, data)[0], cold.get_proximity(model, data)[0])


def test_overlap_is_zero_at_one_point_and_negative_when_signed(model) -> None:
    qpos = states(model, 1)
    qpos[0, :3], qpos[0, 3:7] = [0, 0, 0], [0, 0, 0, 1]
    # The crate around the highest corner of the stone, which stands at (0, 1, 0).
    qpos[0, 7:10], qpos[0, 10:14] = [0.1, 1.1, 0.7], [0, 0, 0, 1]
    data = placed(model, qpos)
    for algorithm in (ProximityType.CONVEX_HULL, ProximityType.FACE_TO_FACE):
        distance, p1, p2, kind = Proximity("stone", "crate", 1.0, algorithm).get_proximity(model, data)
        assert distance[0] == 0
        assert kind[0] == algorithm
        np.testing.assert_array_equal(p1, p2)
        signed = Proximity("stone", "crate", 1.0, algorithm, signed=True).get_proximity(model, data)
        assert -1 < signed[0][0] < 0
        np.testing.assert_allclose(np.linalg.norm(signed[1] - signed[2]), -signed[0], atol=1e-9)
    sphere = Proximity("stone", "crate", 1.0).get_sphere_to_sphere_proximity(model, data)
    assert sphere[0][0] == 0
    assert not sphere[3][0]
    np.testing.assert_array_equal(sphere[1], sphere[2])


def test_terrain_is_solid_and_as_far_as_the_vertical_says(model) -> None:
    qpos = states(model, 3)
    heights = np.array([1.0, 0.55, -1.9])
    # Over the highest node, of height 0.6 at the grid's row 1 from below, column 2.
    qpos[:, :3] = np.stack([np.zeros(3), np.full(3, -0.5), heights], axis=1)
    data = placed(model, qpos)
    for dist_max in (5.0, 50.0):
        distance, _p1, p2, _ = Proximity("ball", "ground", dist_max).get_proximity(model, data)
        np.testing.assert_allclose(distance, [1.0 + 2 - 0.6 - 0.4, 0.55 + 2 - 0.6 - 0.4, 0], atol=1e-9)
        np.testing.assert_allclose(p2[0], [0, -0.5, -1.4], atol=1e-9)


def solid_ground(heights: np.ndarray, size: tuple[float, float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """The closed surface of a height field as a mesh: its triangles, walls, and the base; row 0 at the lowest y."""
    rows, columns = heights.shape
    x, y = np.meshgrid(np.linspace(-size[0], size[0], columns), np.linspace(-size[1], size[1], rows))
    top = np.stack([x, y, heights * size[2]], axis=-1).reshape(-1, 3)
    bottom = top * [1, 1, 0] - [0, 0, size[3]]
    node = np.arange(rows * columns).reshape(rows, columns)
    near, right, left, far = (part.ravel() for part in (node[:-1, :-1], node[:-1, 1:], node[1:, :-1], node[1:, 1:]))
    ground = np.concatenate([np.stack([near, far, left], 1), np.stack([near, right, far], 1)])
    rim = np.concatenate([node[0], node[1:, -1], node[-1, -2::-1], node[-2:0:-1, 0]])
    after, below = np.roll(rim, -1), len(top)
    walls = np.concatenate([np.stack([rim, rim + below, after], 1), np.stack([after, rim + below, after + below], 1)])
    return np.vstack([top, bottom]), np.concatenate([ground, walls, ground[:, ::-1] + below])


def test_distance_sensors_of_bodies_with_terrain_read_what_its_triangles_say() -> None:
    rng = np.random.default_rng(4)
    heights, size = rng.uniform(size=(6, 8)), (2.0, 1.5, 0.6, 0.2)
    heights.flat[[0, -1]] = 0, 1  # The lowest and the highest, so that both engines leave the numbers as they are.
    vertices, faces = solid_ground(heights, size)

    def numbers(array: np.ndarray) -> str:
        return " ".join(map(str, array.ravel().tolist()))

    land = '<body name="{0}" pos=".1 -.2 .3" euler="10 5 20"><geom name="{0}" type="{1}" contype="0"/></body>'
    own = motrixsim.load_mjcf_str(f"""<mujoco>
      <asset><hfield name="f" nrow="6" ncol="8" size="{numbers(np.array(size))}" elevation="{numbers(heights[::-1])}"/>
        <mesh name="m" vertex="{numbers(vertices)}" face="{numbers(faces)}" inertia="legacy"/></asset>
      <worldbody>{land.format("field", 'hfield" hfield="f')}{land.format("copy", 'mesh" mesh="m')}
        <body name="b" pos="0 0 2"><freejoint/><geom name="ball" size=".3"/>
          <geom type="box" size=".2 .3 .1" pos=".6 0 0" euler="20 30 0"/></body></worldbody>
      <sensor><distance name="far" body1="b" body2="field" cutoff="9"/>
        <fromto name="ends" body1="field" body2="b" cutoff="9"/>
        <normal name="way" body1="b" body2="field" cutoff="9"/></sensor></mujoco>""")
    worlds = 40
    data = motrixsim.SceneData(own, (worlds,), precision="f64")
    qpos = data.dof_pos
    qpos[:, :3] += rng.normal(size=(worlds, 3)) * 0.8
    turn = rng.normal(size=(worlds, 4))
    qpos[:, 3:] = turn / np.linalg.norm(turn, axis=1)[:, None]
    data.set_dof_pos(qpos, own)
    motrixsim.forward_kinematic(own, data)
    distance, p1, p2, _ = Proximity("b", "copy", np.inf, ProximityType.FACE_TO_FACE).get_proximity(own, data)
    apart = distance > 1e-6
    assert apart.sum() > 20, "most are above the ground"
    far, ends, way = (np.asarray(own.get_sensor_value(name, data))[apart] for name in ("far", "ends", "way"))
    # Vertices of meshes are moved to the mesh's frame and back in the compiler, heights are single precision.
    np.testing.assert_allclose(far[:, 0], distance[apart], rtol=0, atol=2e-7)
    np.testing.assert_allclose(np.linalg.norm(ends[:, :3] - ends[:, 3:], axis=1), far[:, 0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(way, (ends[:, :3] - ends[:, 3:]) / far, rtol=0, atol=1e-9)
    same = np.linalg.norm(ends[:, 3:] - p1[apart], axis=1) < 1e-4
    assert same.mean() > 0.9, "but where two places are as near, the points are those of the copy"
    np.testing.assert_allclose(ends[same, :3], p2[apart][same], rtol=0, atol=1e-4)
    # MuJoCo refuses sensors between single geoms when one is a height field, and so do we.
    with pytest.raises(motrixsim.LoadError, match="height fields"):
        motrixsim.load_mjcf_str("""<mujoco><asset><hfield name="f" nrow="2" ncol="2" size="1 1 1 1"/></asset>
          <worldbody><geom name="g" type="hfield" hfield="f"/><geom name="s" size="1" pos="0 0 9"/></worldbody>
          <sensor><distance geom1="s" geom2="g"/></sensor></mujoco>""")


def test_an_open_mesh_has_no_inside_and_a_distance_to_its_faces() -> None:
    corners = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], float)
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    faces = np.array([[q[0], q[k], q[k + 1]] for q in quads for k in (1, 2)])

    def numbers(array: np.ndarray) -> str:
        return " ".join(map(str, array.ravel().tolist()))

    assets = "".join(
        f'<mesh name="{name}" vertex="{numbers(corners)}" face="{numbers(part)}" inertia="shell"/>'
        for name, part in (("closed", faces), ("open", faces[:-1]))
    )
    own = motrixsim.load_mjcf_str(f"""<mujoco><asset>{assets}</asset><worldbody>
      <geom name="closed" type="mesh" mesh="closed"/><geom name="open" type="mesh" mesh="open"/>
      <body><freejoint/><geom name="ball" size=".25"/></body></worldbody></mujoco>""")
    data = motrixsim.SceneData(own, precision="f64")
    motrixsim.forward_kinematic(own, data)
    face = ProximityType.FACE_TO_FACE
    for name, solid, expected in (("closed", True, 0.0), ("closed", False, 0.75), ("open", True, 0.75)):
        distance, p1, p2, kind = Proximity("ball", name, 9.0, face, solid=solid).get_proximity(own, data)
        # Vertices are single precision about the mesh's centre.
        assert distance == pytest.approx(expected, abs=1e-7), (name, solid)
        assert np.linalg.norm(np.subtract(p1, p2)) == pytest.approx(distance, abs=1e-9)
        assert kind is face


def test_bad_questions_are_refused(model) -> None:
    data = placed(model, states(model, 2))
    for arguments, error, message in (
        (("ball", "crate", -1.0), ValueError, "dist_max"),
        (("ball", "crate", float("nan")), ValueError, "dist_max"),
        (("ball", "ball", 1.0), ValueError, "same"),
        ((3, "ball", 1.0), TypeError, "geom_1"),
        (("ball", "crate", 1.0, 2), ValueError, "2"),
    ):
        with pytest.raises(error, match=message):
            Proximity(*arguments)
    for parts, message in (
        (("ball", "nothing"), "no geom, link or body named 'nothing'"),
        (("floor", "wall"), "two planes"),
        (("ball", model.get_link("a")), "in common"),
    ):
        with pytest.raises(ValueError, match=message):
            Proximity(*parts, 1.0).get_proximity(model, data)
    other = motrixsim.load_mjcf_str(SCENE)
    with pytest.raises(RuntimeError, match="another model"):
        Proximity("ball", "crate", 1.0).get_proximity(other, data)
    with pytest.raises(ValueError, match="another model"):
        Proximity(other.get_geom("ball"), "crate", 1.0).get_proximity(model, data)
    with pytest.raises(TypeError):
        Proximity("ball", "crate", 1.0).get_proximity(model, None)
    assert repr(Proximity("ball", "crate", 1.0)) == "<motrixsim.Proximity ball_to_crate CONVEX_HULL dist_max=1.0>"


def test_what_was_measured_is_seen_in_pictures(model) -> None:
    from motrixsim.render import RenderApp

    data = placed(model, states(model, 2, 2.0))
    shown = Proximity("stone", "tetra", np.inf, ProximityType.FACE_TO_FACE)
    hidden = Proximity("ball", "tetra", np.inf, visualize=False)
    unmeasured = Proximity("egg", "tetra", np.inf)
    _, p1, p2, _ = shown.get_proximity(model, data)
    hidden.get_proximity(model, data)
    with RenderApp(headless=True) as app:
        app.launch(model, batch=2, render_offset=[[0, 0, 0], [10, 0, 0]])
        app.sync(data)
        # A capsule per world about the middle of the segment.
        middles = app._extras[:, 4:7]
        np.testing.assert_allclose(middles, (p1 + p2) / 2 + [[0, 0, 0], [10, 0, 0]], atol=1e-9)
        shown.get_proximity(model, data, rows=[1])
        app.sync(data)
        np.testing.assert_allclose(app._extras[:, 4:7], (p1 + p2)[1:] / 2 + [10, 0, 0], atol=1e-9)
        shown.visualize = False
        app.sync(data)
        assert not len(app._extras)
    assert unmeasured.visualize


def bumpy(n: int, seed: float) -> tuple[np.ndarray, np.ndarray]:
    """A closed surface that is not convex: `n` by `2 n` quads over a sphere."""
    polar, azimuth = np.linspace(0, np.pi, n + 1)[1:-1], np.linspace(0, 2 * np.pi, 2 * n, endpoint=False)
    t, p = np.meshgrid(polar, azimuth, indexing="ij")
    r = 1 + 0.3 * np.sin(3 * t + seed) * np.cos(4 * p)
    body = np.stack([r * np.sin(t) * np.cos(p), r * np.sin(t) * np.sin(p), r * np.cos(t)], -1).reshape(-1, 3)
    j, k = np.arange(2 * n), (np.arange(2 * n) + 1) % (2 * n)
    last = len(body) + 2 - 2 * n
    faces = [np.stack([0 * j, 2 + j, 2 + k], 1), np.stack([0 * j + 1, last + k, last + j], 1)]
    for a in range(2, last, 2 * n):
        b = a + 2 * n
        faces += [np.stack([a + j, b + j, b + k], 1), np.stack([a + j, b + k, a + k], 1)]
    return np.vstack([[0, 0, 1], [0, 0, -1], body]), np.concatenate(faces)


@pytest.mark.slow
def test_ten_thousand_poses_are_as_far_apart_as_fcl_says() -> None:
    fcl = pytest.importorskip("fcl")
    parts = [bumpy(9, 0.0), bumpy(7, 1.0)]
    numbers = [[" ".join(map(str, array.ravel().tolist())) for array in part] for part in parts]
    assets = "".join(f'<mesh name="m{i}" vertex="{v}" face="{f}"/>' for i, (v, f) in enumerate(numbers))
    bodies = "".join(f'<body><freejoint/><geom name="g{i}" type="mesh" mesh="m{i}"/></body>' for i in range(2))
    own = motrixsim.load_mjcf_str(f"<mujoco><asset>{assets}</asset><worldbody>{bodies}</worldbody></mujoco>")
    count, rng = 10_000, np.random.default_rng(5)
    qpos = rng.normal(size=(count, 14)) * 1.3
    for first in (3, 10):
        qpos[:, first : first + 4] /= np.linalg.norm(qpos[:, first : first + 4], axis=1)[:, None]
    data = placed(own, qpos)
    prox = Proximity("g0", "g1", np.inf, ProximityType.FACE_TO_FACE, solid=False)
    distance, p1, p2, _ = prox.get_proximity(own, data)

    objects = []
    for i in range(2):
        # Vertices as they were compiled, in the frame of the geom.
        first, number = int(own.low.mesh_vertadr[i]), int(own.low.mesh_vertnum[i])
        first_face, face_count = int(own.low.mesh_faceadr[i]), int(own.low.mesh_facenum[i])
        faces = np.asarray(own.low.mesh_face[first_face : first_face + face_count], int)
        vertices = np.asarray(own.low.mesh_vert[first : first + number], float)
        tree = fcl.BVHModel()
        tree.beginModel(number, len(faces))
        tree.addSubModel(vertices, faces)
        tree.endModel()
        objects.append(fcl.CollisionObject(tree, fcl.Transform()))
    expected = np.empty(count)
    for world, q in enumerate(qpos):
        for i, item in enumerate(objects):
            place, turn = q[7 * i : 7 * i + 3], matrix(q[7 * i + 3 : 7 * i + 7])
            local = matrix(np.roll(own.low.geom_quat[i], -1))
            item.setTransform(fcl.Transform(turn @ local, place + turn @ own.low.geom_pos[i]))
        expected[world] = fcl.distance(*objects, fcl.DistanceRequest(True), fcl.DistanceResult())
    apart = expected > 0
    assert 3000 < apart.sum() < 9000
    np.testing.assert_allclose(distance[apart], expected[apart], atol=1e-9)
    assert (distance[~apart] == 0).all()
    np.testing.assert_array_equal(p1[~apart], p2[~apart])


def matrix(quat) -> np.ndarray:
    """The rotation of a quaternion `[i, j, k, w]`."""
    i, j, k, w = quat
    return np.array(
        [
            [1 - 2 * (j * j + k * k), 2 * (i * j - w * k), 2 * (i * k + w * j)],
            [2 * (i * j + w * k), 1 - 2 * (i * i + k * k), 2 * (j * k - w * i)],
            [2 * (i * k - w * j), 2 * (j * k + w * i), 1 - 2 * (i * i + j * j)],
        ]
    )
