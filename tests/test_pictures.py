"""Pictures: depth against closed forms, what is seen where, light and shadow, batches, and golden images.

Depths are drawn in single precision; 1e-5 m is a hundred roundings at the distances here.
"""

from pathlib import Path

import numpy as np
import pytest

import motrixsim as mx
from motrixsim.render import FreeView, Renderer, look_at

ROOT = Path(__file__).parent.parent
ASSETS = ROOT / "examples" / "assets"
GOLDEN = Path(__file__).parent / "golden" / "pictures"
WIDTH, HEIGHT = 64, 48
VIEW = FreeView(look_at([2.0, -3.0, 1.5], [0.1, 0.0, 0.2]), fovy=40)


def rays(view: FreeView, width: int = WIDTH, height: int = HEIGHT):
    """Origin and directions, per pixel, whose parameter is the depth; in double precision."""
    top = np.tan(np.radians(view.fovy) / 2)
    x = ((np.arange(width) + 0.5) / width * 2 - 1) * top * width / height
    y = (1 - (np.arange(height) + 0.5) / height * 2) * top
    local = np.stack([*np.meshgrid(x, y), -np.ones((height, width))], axis=-1)
    q = view.pose[3:]
    t = 2 * np.cross(q[:3], local)
    return view.pose[:3], local + q[3] * t + np.cross(q[:3], t)


def quadratic(a, b, c):
    """The smaller root of a t^2 + 2 b t + c; infinite where there is none."""
    disc = b * b - a * c
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(disc >= 0, (-b - np.sqrt(disc)) / a, np.inf), disc / (a * a)


def ball(o, d, radius):
    return quadratic((d * d).sum(-1), (o * d).sum(-1), (o * o).sum(-1) - radius**2)


def slabs(o, d, half):
    with np.errstate(divide="ignore"):
        a, b = (-half - o) / d, (half - o) / d
    enter, leave = np.minimum(a, b).max(-1), np.maximum(a, b).min(-1)
    return np.where(enter <= leave, enter, np.inf), np.abs(leave - enter)


def tube(o, d, radius):
    return quadratic(
        (d[..., :2] ** 2).sum(-1), (o[..., :2] * d[..., :2]).sum(-1), (o[..., :2] ** 2).sum(-1) - radius**2
    )


def cylinder(o, d, radius, half):
    enter, disc = tube(o, d, radius)
    leave = enter + 2 * np.sqrt(np.maximum(disc, 0))
    low, thick = slabs(o[..., 2:], d[..., 2:], half)
    first, last = np.maximum(enter, low), np.minimum(leave, low + thick)
    return np.where(first <= last, first, np.inf), np.minimum(disc, np.abs(last - first))


def capsule(o, d, radius, half):
    enter, disc = tube(o, d, radius)
    z = o[..., 2] + np.where(np.isfinite(enter), enter, 0) * d[..., 2]
    end = np.where(z > 0, half, -half)
    cap, cap_disc = ball(o - np.stack([0 * end, 0 * end, end], -1), d, radius)
    side = np.isfinite(enter) & (np.abs(z) <= half)
    return np.where(side, enter, np.where(np.isfinite(enter), cap, np.inf)), np.where(
        side, disc, np.minimum(disc, cap_disc)
    )


def ellipsoid(o, d, size):
    return ball(o / size, d / size, 1.0)


SIZE = np.array([0.4, 0.3, 0.2])
CORNERS = SIZE * (2 * np.array(list(np.ndindex(2, 2, 2))) - 1)
BOX_MESH = f'<mesh name="m" vertex="{" ".join(str(x) for x in CORNERS.ravel())}"/>'
CASES = {
    "sphere": ('type="sphere" size="0.4"', lambda o, d: ball(o, d, 0.4)),
    "box": ('type="box" size="0.4 0.3 0.2"', lambda o, d: slabs(o, d, SIZE)),
    "capsule": ('type="capsule" size="0.2 0.3"', lambda o, d: capsule(o, d, 0.2, 0.3)),
    "cylinder": ('type="cylinder" size="0.3 0.25"', lambda o, d: cylinder(o, d, 0.3, 0.25)),
    "ellipsoid": ('type="ellipsoid" size="0.4 0.3 0.2"', lambda o, d: ellipsoid(o, d, SIZE)),
    "mesh": ('type="mesh" mesh="m"', lambda o, d: slabs(o, d, SIZE)),
}


@pytest.mark.parametrize("shape", CASES)
@pytest.mark.parametrize("distance", [1.0, 6.0])
def test_the_depth_of_a_shape_is_that_of_its_closed_form(shape: str, distance: float) -> None:
    geom, closed = CASES[shape]
    scene = f"<mujoco><asset>{BOX_MESH}</asset><worldbody><geom {geom}/></worldbody></mujoco>"
    model = mx.load_mjcf_str(scene)
    eye = distance * np.array([0.9, -1.1, 0.7])
    view = FreeView(look_at(eye, [0, 0, 0]), fovy=45 / distance)
    depth = Renderer(model).depth(mx.SceneData(model), view, WIDTH, HEIGHT)
    origin, directions = rays(view)
    expected, rest = closed(np.broadcast_to(origin, directions.shape), directions)
    # Where a ray only just touches, its root moves without bound for a rounding; those rays are no test of depth.
    clear = (rest > 1e-3) | ~np.isfinite(expected)
    seen = np.isfinite(expected) & clear
    assert seen.mean() > 0.1, "the shape fills a good part of the picture"
    grazing = ~clear
    assert np.array_equal(np.isfinite(depth) | grazing, np.isfinite(expected) | grazing)
    assert np.abs(depth[seen] - expected[seen]).max() < 1e-5


def test_the_depth_of_a_plane_is_exact_to_the_horizon() -> None:
    model = mx.load_mjcf_str("<mujoco><worldbody><geom type='plane' size='0 0 1'/></worldbody></mujoco>")
    depth = Renderer(model).depth(mx.SceneData(model), VIEW, WIDTH, HEIGHT)
    origin, directions = rays(VIEW)
    with np.errstate(divide="ignore"):
        expected = np.where(directions[..., 2] < 0, -origin[2] / directions[..., 2], np.inf)
    assert np.array_equal(np.isfinite(depth), np.isfinite(expected))
    near = expected < 20
    assert near.sum() > 500
    assert np.abs(depth[near] - expected[near]).max() < 1e-5


def test_sloping_terrain_is_a_plane_with_sides() -> None:
    heights = " ".join(f"{c / 20:.4f}" for _ in range(21) for c in range(21))
    model = mx.load_mjcf_str(
        f'<mujoco><asset><hfield name="h" nrow="21" ncol="21" size="1 1 0.5 0.2" elevation="{heights}"/></asset>'
        '<worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>'
    )
    depth = Renderer(model).depth(mx.SceneData(model), VIEW, WIDTH, HEIGHT)
    origin, d = rays(VIEW)
    # The body under z = (x + 1) / 4 within |x|, |y| <= 1 and above -0.2: the last of the faces that a ray enters by.
    normals = np.array([[-0.25, 0, 1], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, -1]])
    bounds = np.array([0.25, 1, 1, 1, 1, 0.2])
    slope, height = d @ normals.T, bounds - origin @ normals.T
    with np.errstate(divide="ignore", invalid="ignore"):
        t = height / slope
    enter = np.where(slope < 0, t, -np.inf).max(-1)
    leave = np.where(slope > 0, t, np.inf).min(-1)
    clear = np.abs(leave - enter) > 1e-3
    expected = np.where(enter <= leave, enter, np.inf)
    assert np.array_equal(np.isfinite(depth)[clear], np.isfinite(expected)[clear])
    seen = np.isfinite(expected) & clear
    assert seen.mean() > 0.1
    assert np.abs(depth[seen] - expected[seen]).max() < 1e-5


def test_near_and_far_planes_cut_what_is_seen() -> None:
    model = mx.load_mjcf_str("<mujoco><worldbody><geom type='box' size='.2 .2 .2'/></worldbody></mujoco>")
    data, renderer = mx.SceneData(model), Renderer(model)
    pose = look_at([2, 0, 0], [0, 0, 0])
    assert renderer.depth(data, FreeView(pose), 9, 9)[4, 4] == pytest.approx(1.8, abs=1e-6)
    assert np.isinf(renderer.depth(data, FreeView(pose, far=1.7), 9, 9)).all()
    assert np.isinf(renderer.depth(data, FreeView(pose, near=1.9), 9, 9)).all(), "its back is not seen"


def test_a_segmentation_names_the_geom_that_depth_measures() -> None:
    model = mx.load_model(ASSETS / "balls.xml")
    data, renderer = mx.SceneData(model), Renderer(model)
    ids = renderer.segmentation(data, "corner", 160, 120)
    assert ids.dtype == np.int32
    assert set(np.unique(ids)) <= set(range(-1, model.num_geoms))
    depth = renderer.depth(data, "corner", 160, 120)
    assert np.array_equal(ids == -1, np.isinf(depth))
    assert len(np.unique(ids)) > 10


def test_every_world_has_its_own_picture_however_it_is_asked_for() -> None:
    model = mx.load_model(ASSETS / "quadruped.xml")
    data = mx.SceneData(model, batch=[20])
    positions = data.dof_pos
    positions[:, 7:] = np.random.default_rng(0).uniform(-0.3, 0.3, positions[:, 7:].shape)
    data.set_dof_pos(positions, model)
    model.forward_kinematic(data)
    renderer = Renderer(model)
    together = renderer.rgb(data, "track", 40, 30)
    assert together.shape == (20, 30, 40, 3)
    assert len({picture.tobytes() for picture in together}) == 20
    for world in (0, 7, 19):
        assert np.array_equal(renderer.rgb(data[world], "track", 40, 30), together[world])


def test_a_size_of_one_world_shows_in_its_picture_only() -> None:
    model = mx.load_mjcf_str("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
    data = mx.SceneData(model, batch=[2])
    model.geoms[0].set_size_override(data, [[0.1], [0.3]])
    view = FreeView(look_at([2, 0, 0], [0, 0, 0]))
    middle = Renderer(model).depth(data, view, 9, 9)[:, 4, 4]
    assert middle == pytest.approx([1.9, 1.7], abs=1e-5)


SUN = "<light type='directional' dir='0 0 -1' diffuse='1 1 1' specular='0 0 0'/>"
DARK = "<visual><headlight active='0'/></visual>"


def test_a_lit_plane_has_the_colour_of_lambert() -> None:
    scene = f"<mujoco>{DARK}<worldbody>{SUN.replace('0 0 -1', '-1 0 -1')}"
    scene += "<geom type='plane' size='5 5 1' rgba='.8 .4 .2 1'/></worldbody></mujoco>"
    model = mx.load_mjcf_str(scene)
    pixel = Renderer(model).rgb(mx.SceneData(model), FreeView(look_at([0, -2, 3], [0, 0, 0])), 9, 9)[4, 4]
    assert np.abs(pixel - 255 * np.array([0.8, 0.4, 0.2]) / np.sqrt(2)).max() <= 1


def test_a_shadow_falls_where_the_light_does_not() -> None:
    scene = f"<mujoco>{DARK}<worldbody>{SUN}<geom type='plane' size='5 5 1' rgba='1 1 1 1'/>"
    scene += "<geom type='box' size='.5 .5 .1' pos='0 0 1'/></worldbody></mujoco>"
    model = mx.load_mjcf_str(scene)
    data, renderer = mx.SceneData(model), Renderer(model)
    view = FreeView(look_at([0, -4, 0.8], [0, 0, 0.3]), fovy=60)
    lit, bare = renderer.rgb(data, view, 80, 60), renderer.rgb(data, view, 80, 60, shadows=False)
    origin, d = rays(FreeView(view.pose, fovy=60), 80, 60)
    t = renderer.depth(data, view, 80, 60)
    points = origin + np.where(np.isfinite(t), t, 0)[..., None] * d
    ground = renderer.segmentation(data, view, 80, 60) == 0
    under = ground & (np.abs(points[..., :2]).max(-1) < 0.45)
    beside = ground & (np.abs(points[..., :2]).max(-1) > 0.55)
    assert under.sum() > 20
    assert (lit[under] == 0).all()
    assert (lit[beside] == bare[beside]).all()
    assert (bare[under] > 200).all()


def test_what_is_behind_glass_is_seen_through_it() -> None:
    walls = "".join(f"<geom type='box' size='.01 1 1' pos='{x} 0 0' rgba='1 0 0 .5'/>" for x in (1.0, 1.5))
    scene = f"<mujoco><visual><headlight ambient='1 1 1' diffuse='0 0 0' specular='0 0 0'/></visual><worldbody>{walls}"
    scene += "<geom type='box' size='.1 3 3' rgba='0 0 1 1'/></worldbody></mujoco>"
    model = mx.load_mjcf_str(scene)
    pixel = Renderer(model).rgb(mx.SceneData(model), FreeView(look_at([4, 0, 0], [0, 0, 0])), 9, 9)[4, 4]
    # Two panes of half opacity leave a quarter of what is behind.
    assert np.abs(pixel.astype(int) - [191, 0, 64]).max() <= 1


def test_what_is_off_the_screen_still_throws_its_shadow() -> None:
    scene = f"<mujoco>{DARK}<worldbody>{SUN}<geom type='plane' size='5 5 1' rgba='1 1 1 1'/>"
    scene += "<geom type='box' size='1 1 .1' pos='0 0 9'/></worldbody></mujoco>"
    model = mx.load_mjcf_str(scene)
    data, renderer = mx.SceneData(model), Renderer(model)
    view = FreeView(look_at([0, -4, 3], [0, 0, 0]), fovy=20)
    assert (renderer.segmentation(data, view, 9, 9) == 0).all(), "the box is high above"
    assert (renderer.rgb(data, view, 9, 9)[4, 4] == 0).all()
    assert (renderer.rgb(data, view, 9, 9, shadows=False)[4, 4] > 200).all()


GLOW = "<visual><headlight ambient='1 1 1' diffuse='0 0 0' specular='0 0 0'/></visual>"


@pytest.mark.parametrize("floor", ["type='plane' size='5 5 1'", "type='box' size='5 5 1' pos='0 0 -1'"])
def test_a_mirror_shows_what_is_above_it(floor: str) -> None:
    """The ray that leaves the middle of the picture at 45 degrees meets the red box behind, off the screen."""
    scene = f"<mujoco>{GLOW}<asset><material name='m' reflectance='.25' rgba='0 0 1 1'/></asset><worldbody>"
    scene += (
        f"<geom {floor} material='m'/><geom type='box' size='4 .1 4' pos='0 4 4' rgba='1 0 0 1'/></worldbody></mujoco>"
    )
    model = mx.load_mjcf_str(scene)
    view = FreeView(look_at([0, -2, 2], [0, 0, 0]), fovy=5)
    pixel = Renderer(model).rgb(mx.SceneData(model), view, 9, 9)[4, 4]
    assert np.abs(pixel.astype(int) - [64, 0, 191]).max() <= 1, "a quarter of it is the box"


def test_the_side_of_a_box_is_no_mirror() -> None:
    scene = f"<mujoco>{GLOW}<asset><material name='m' reflectance='1' rgba='0 0 1 1'/></asset><worldbody>"
    scene += "<geom type='box' size='1 1 1' material='m'/></worldbody></mujoco>"
    model = mx.load_mjcf_str(scene)
    pixel = Renderer(model).rgb(mx.SceneData(model), FreeView(look_at([4, 0, 0], [0, 0, 0]), fovy=5), 9, 9)[4, 4]
    assert list(pixel) == [0, 0, 255]


def test_tendons_run_through_their_sites_and_around_geoms() -> None:
    scene = f"""<mujoco>{GLOW}<worldbody>
      <site name="a" pos="0 -1 0"/><site name="b" pos="0 1 0"/><site name="up" pos="0 0 1"/>
      <geom name="pin" type="cylinder" size=".5 .1" euler="0 90 0" pos="0 0 -.1" rgba="0 0 1 0"/></worldbody>
      <tendon><spatial width=".02" rgba="1 0 0 1"><site site="a"/><geom geom="pin" sidesite="up"/><site site="b"/>
      </spatial>
      <spatial width=".02" rgba="0 1 0 1" group="4"><site site="a"/><site site="b"/></spatial></tendon></mujoco>"""
    model = mx.load_mjcf_str(scene)
    data, renderer = mx.SceneData(model), Renderer(model)
    view = FreeView(look_at([8, 0, 0], [0, 0, 0]), fovy=20)

    def rows(channel: int) -> np.ndarray:
        """Heights at which a colour is seen in the middle column, metres."""
        picture = renderer.rgb(data, view, 101, 101)
        seen = np.nonzero((picture[:, 50, channel] > 100) & (np.delete(picture[:, 50], channel, 1).max(-1) < 50))[0]
        return (50 - seen) * (2 * 8 * np.tan(np.radians(10)) / 101)

    # Between points at distance d from the middle of a circle of radius r, the tendon touches it at angles whose cosine
    # is r/d from theirs; between the two points of contact it is drawn straight.
    angle = np.pi - np.arctan2(0.1, 1) - np.arccos(0.5 / np.hypot(1, 0.1))
    assert rows(0) == pytest.approx(0.5 * np.sin(angle) - 0.1, abs=0.03)
    assert len(rows(1)) == 0, "its group is hidden"
    renderer.groups.add(4)
    assert rows(1) == pytest.approx(0, abs=0.03)
    assert np.isinf(renderer.depth(data, view, 9, 9)[4, 4]), "depths are those of geoms"


def test_a_world_sees_its_own_window_of_terrain_and_heights_as_they_are_now() -> None:
    scene = """<mujoco><asset><hfield name="h" nrow="4" ncol="4" size="3 3 1 1"/></asset>
      <worldbody><geom name="g" type="hfield" hfield="h"/></worldbody></mujoco>"""
    model = mx.load_mjcf_str(scene)
    data, renderer = mx.SceneData(model, batch=[3]), Renderer(model)
    view = FreeView(look_at([0, 0, 9], [0, 0, 0]), fovy=60)

    def pictures() -> np.ndarray:
        return renderer.depth(data, view, 49, 49)

    assert pictures()[:, 24, 24] == pytest.approx(9.0, abs=1e-5)
    model.get_hfield("h").update(0, 0, np.repeat([[0.0, 0.0, 0.4, 0.4]], 4, axis=0))
    assert pictures()[:, 24, 36] == pytest.approx(8.6, abs=1e-5), "all see the new heights"
    # Two by two nodes, centred: low ground, high ground, high ground pressed flat.
    model.get_geom("g").set_window_override(data, [[0, 0], [1, 2], [1, 2]], [1.0, 2.0, 0.0], shape=(2, 2))
    seen = pictures()
    assert seen[:, 24, 24] == pytest.approx([9.0, 8.2, 9.0], abs=1e-5)
    assert np.isinf(seen[:, 24, 36]).all(), "a window is a third as wide"
    with pytest.raises(ValueError, match="does not lie"):
        renderer._painter.geom_mesh(0, [0, 0, 9, 9, 1.0])


def test_more_samples_smooth_edges_and_leave_areas_alone() -> None:
    model = mx.load_mjcf_str("<mujoco><worldbody><geom type='sphere' size='.5'/></worldbody></mujoco>")
    data, renderer = mx.SceneData(model), Renderer(model)
    view = FreeView(look_at([2, 0, 0], [0, 0, 0]))
    one, four = (renderer.rgb(data, view, 64, 48, samples=n).astype(int) for n in (1, 4))
    assert 0 < (np.abs(one - four).max(-1) > 12).mean() < 0.2


@pytest.mark.parametrize(
    "arguments", [{"width": 0}, {"height": 100_000}, {"samples": 3}, {"camera": 5}, {"camera": "no"}]
)
def test_nonsense_is_refused(arguments: dict[str, object]) -> None:
    model = mx.load_model(ASSETS / "arm.xml")
    with pytest.raises((ValueError, IndexError)):
        Renderer(model).rgb(mx.SceneData(model), **arguments)


def test_views_are_checked() -> None:
    with pytest.raises(ValueError, match="seven"):
        FreeView([0, 0, 0])
    with pytest.raises(ValueError, match="field of view"):
        FreeView(look_at([1, 0, 0], [0, 0, 0]), fovy=180)
    with pytest.raises(ValueError, match="distance"):
        FreeView.around([0, 0, 0], 0, 0, 0)
    with pytest.raises(ValueError, match="where it is"):
        look_at([1, 2, 3], [1, 2, 3])


SCENES = ["arm", "balls", "biped", "hfield", "quadruped"]


@pytest.mark.parametrize("scene", SCENES)
def test_the_pictures_of_the_examples_are_as_they_were(scene: str, read_png) -> None:
    """Golden images. Lanes that do not fuse products move edges by a sample: one pixel in two hundred may differ."""
    model = mx.load_model(ASSETS / f"{scene}.xml")
    data = mx.SceneData(model)
    if model.num_keyframes:
        model.keyframes[0].apply(data)
        model.forward_kinematic(data)
    picture = Renderer(model).rgb(data, 0, 160, 120, samples=2)
    golden = read_png(GOLDEN / f"{scene}.png")
    difference = np.abs(picture.astype(int) - golden.astype(int)).max(-1)
    assert difference.mean() < 0.5
    assert (difference > 8).mean() < 0.005


@pytest.mark.slow
def test_the_reference_lanes_draw_the_same_pictures(run_python, read_png, tmp_path) -> None:
    """One lane of double precision: edges may move by a sample, as in the golden images."""
    result = run_python(str(ROOT / "examples" / "gallery.py"), "--out", str(tmp_path), MOTRIX_LANES="scalar")
    assert result.returncode == 0, result.stderr
    for scene in SCENES:
        picture, golden = read_png(tmp_path / f"{scene}.png"), read_png(GOLDEN / f"{scene}.png")
        difference = np.abs(picture.astype(int) - golden.astype(int)).max(-1)
        assert (difference > 8).mean() < 0.005, scene
