"""Every documented method that touches worlds, called on one world, on a batch, and on views of single worlds.

A batch does what its worlds would do alone: row *i* of a result is the result of world *i*, and a value written into a
batch is what the single values write into the worlds, bit for bit. What the numbers mean is tested where the method's
subject is; here the methods are taken from the list of the public API, and none may be missing.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import motrixsim

SURFACE = json.loads((Path(__file__).parent / "api_surface.json").read_text())
ZOO = motrixsim.load_model(Path(__file__).parent / "models" / "zoo.xml")
WORLDS = 3
PAIRS = np.array([[0, 3], [1, 5], [2, 4]], np.uint32)

LINK, THIGH, BODY, BASE = ZOO.get_link("robot"), ZOO.get_link("thigh"), ZOO.get_body("robot"), ZOO.floating_bases[0]
HIP, BALL, SITE, EYE = ZOO.get_joint("hip"), ZOO.get_joint("ball"), ZOO.get_site("toe"), ZOO.cameras["watcher"]
SERVO, RATIO, DRIVE = ZOO.get_actuator("servo"), ZOO.get_actuator("ratio"), ZOO.get_actuator("drive")
SPRING, TARGET, TERRAIN = ZOO.get_actuator("spring"), ZOO.get_body("target").mocap, ZOO.get_geom("terrain")
SCANNER = motrixsim.TerrainScanner(TERRAIN, LINK, [[20.0, 0.0], [21.0, 0.5]])
XY = [[20.0, 0.1], [19.0, 1.0], [21.0, -1.0]]

Data = motrixsim.SceneData


@dataclass
class Reads:
    """A method that reads worlds: `tail` is the shape of one world's result."""

    call: Callable[[Data], np.ndarray]
    tail: tuple[int, ...]
    dtype: type | None = None


@dataclass
class Writes:
    """A method that writes worlds: `tail` is the shape of one world's value, `low` to `high` its range."""

    call: Callable[[Data, object], object]
    tail: tuple[int, ...]
    low: float = 0.1
    high: float = 0.9
    #: Where a quaternion stands in the value.
    quaternion: int | None = None


@dataclass
class Acts:
    """A method that changes worlds without a value."""

    call: Callable[[Data], object]


def frames(owner: object, *names: str) -> dict[str, Reads]:
    tails = {"pose": (7,), "position": (3,), "rotation": (4,), "rotation_mat": (3, 3), "velocity": (3,)}
    return {
        n: Reads(getattr(owner, n), tails[n.split("_", 1)[1] if "velocity" not in n else "velocity"]) for n in names
    }


def override(owner: object, what: str, tail: tuple[int, ...] = ()) -> dict[str, Reads | Writes]:
    return {
        f"get_{what}_override": Reads(getattr(owner, f"get_{what}_override"), tail),
        f"set_{what}_override": Writes(getattr(owner, f"set_{what}_override"), tail),
    }


def sizes(name: str, numbers: int) -> dict[str, Reads | Writes]:
    return override(ZOO.get_geom(name), "size", (numbers,))


def positions(data: Data, value: object) -> None:
    data.set_dof_pos(value, ZOO)


CALLS: dict[str, dict[str, Reads | Writes | Acts]] = {
    "Actuator": {"get_ctrl": Reads(SERVO.get_ctrl, ()), "set_ctrl": Writes(SERVO.set_ctrl, ())},
    "Body": {
        **frames(BODY, "get_pose", "get_position", "get_rotation", "get_rotation_mat"),
        "get_joint_dof_pos": Reads(BODY.get_joint_dof_pos, (2,)),
        "get_joint_dof_vel": Reads(BODY.get_joint_dof_vel, (2,)),
        "set_actuator_ctrls": Writes(BODY.set_actuator_ctrls, (5,)),
        "set_dof_pos": Writes(BODY.set_dof_pos, (9,), quaternion=3),
        "set_dof_vel": Writes(BODY.set_dof_vel, (8,)),
    },
    "Camera": frames(EYE, "get_pose"),
    "ContactQuery": {"is_colliding": Reads(lambda d: ZOO.get_contact_query(d).is_colliding(PAIRS), (3,), np.bool_)},
    "FloatingBase": {
        "get_dof_pos": Reads(BASE.get_dof_pos, (7,)),
        "get_dof_vel": Reads(BASE.get_dof_vel, (6,)),
        "get_rotation": Reads(BASE.get_rotation, (4,)),
        "set_rotation": Writes(BASE.set_rotation, (4,), quaternion=0),
        "get_translation": Reads(BASE.get_translation, (3,)),
        "set_translation": Writes(BASE.set_translation, (3,)),
        **{
            f"{verb}_{what}_velocity": kind(getattr(BASE, f"{verb}_{what}_velocity"), (3,))
            for what in ("global_linear", "global_angular", "local_angular")
            for verb, kind in (("get", Reads), ("set", Writes))
        },
    },
    "GeneralActuator": {
        k: v for what in ("bias", "damping", "gain", "stiffness") for k, v in override(SPRING, what).items()
    },
    "Geom": {
        **frames(ZOO.get_geom("foot_geom"), "get_pose", "get_linear_velocity", "get_angular_velocity"),
        **override(ZOO.get_geom("foot_geom"), "friction", (3,)),
    },
    "GeomCapsule": sizes("thigh_geom", 2),
    "GeomCuboid": sizes("torso", 3),
    "GeomCylinder": sizes("crate_geom", 2),
    "GeomEllipsoid": sizes("wrist_geom", 3),
    "GeomSphere": sizes("foot_geom", 1),
    "GeomHField": {"sample_height": Reads(lambda d: TERRAIN.sample_height(d, XY), (3,))},
    "Joint": {
        "get_dof_pos": Reads(HIP.get_dof_pos, (1,)),
        "set_dof_pos": Writes(BALL.set_dof_pos, (4,), quaternion=0),
        "get_dof_vel": Reads(BALL.get_dof_vel, (3,)),
        "set_dof_vel": Writes(HIP.set_dof_vel, (1,)),
        **override(HIP, "armature"),
        **override(HIP, "frictionloss"),
    },
    "Keyframe": {"apply": Acts(ZOO.keyframes[0].apply)},
    "Link": {
        **frames(THIGH, "get_pose", "get_position", "get_rotation", "get_rotation_mat"),
        **frames(THIGH, "get_linear_velocity", "get_angular_velocity"),
        **override(LINK, "mass"),
        **override(LINK, "center_of_mass", (3,)),
        "add_external_force": Writes(THIGH.add_external_force, (3,)),
        "add_external_torque": Writes(THIGH.add_external_torque, (3,)),
    },
    "Mocap": {"set_pose": Writes(TARGET.set_pose, (7,), quaternion=3)},
    "PositionActuator": {
        **override(SERVO, "kp"),
        "get_kd_override": Reads(SERVO.get_kd_override, ()),
        "set_damping_override": Writes(SERVO.set_damping_override, ()),
        "get_dampratio_override": Reads(RATIO.get_dampratio_override, ()),
    },
    "SceneData": {
        "__getitem__": Reads(lambda d: (d[:] if d.ndim else d).dof_pos, (20,)),
        "get": Reads(lambda d: (d.get(slice(None)) if d.ndim else d).dof_vel, (17,)),
        "reset": Acts(lambda d: d.reset(ZOO)),
        "set_dof_pos": Writes(positions, (20,)),
        "set_dof_vel": Writes(lambda d, v: d.set_dof_vel(v), (17,)),
    },
    "SceneModel": {
        "forward_kinematic": Acts(ZOO.forward_kinematic),
        "get_actuator_ctrls": Reads(ZOO.get_actuator_ctrls, (5,)),
        "get_camera_poses": Reads(ZOO.get_camera_poses, (4, 7)),
        "get_contact_query": Reads(lambda d: np.asarray(ZOO.get_contact_query(d).num_contacts), (), np.integer),
        "get_link_angular_velocities": Reads(ZOO.get_link_angular_velocities, (6, 3)),
        "get_link_linear_velocities": Reads(ZOO.get_link_linear_velocities, (6, 3)),
        "get_link_poses": Reads(ZOO.get_link_poses, (6, 7)),
        "get_link_rotation_mats": Reads(ZOO.get_link_rotation_mats, (6, 3, 3)),
        "get_link_velocities": Reads(ZOO.get_link_velocities, (6, 6)),
        "get_sensor_value": Reads(lambda d: ZOO.get_sensor_value("attitude", d), (4,)),
        "get_sensor_values": Reads(lambda d: ZOO.get_sensor_values(["height", "hip_angle"], d), (4,)),
        **override(ZOO, "gravity", (3,)),
        "step": Acts(ZOO.step),
        "step_n": Acts(lambda d: ZOO.step_n(d, 3)),
    },
    "Site": {
        **frames(SITE, "get_pose", "get_position", "get_rotation_mat"),
        "get_jacobian": Reads(SITE.get_jacobian, (6, 8)),
    },
    "TerrainScanner": {"scan": Reads(SCANNER.scan, (2,))},
    "VelocityActuator": override(DRIVE, "kv"),
}
"""How each method is called that touches worlds."""

STATIC = {
    "Body": {"get_dof_pos_indices", "get_dof_vel_indices"},
    "Camera": {"set_near_far", "set_render_target"},
    "CameraMgr": {"__getitem__", "get_index", "set_system_render_target", "tolist"},
    "HField": {"get"},
    "Link": {"get_joint", "joints"},
    "SceneModel": {
        "compute_init_dof_pos",
        "enable_constraints_report",
        *(
            f"get_{k}{i}"
            for k in ("actuator", "body", "geom", "hfield", "joint", "link", "site")
            for i in ("", "_index")
        ),
    },
    "Shape": {"type_names", "types"},
}
"""Methods of the model alone, which know no worlds; `test_structure.py` and `test_names.py` call them."""


def listed(kind: type) -> list[object]:
    found = ((c, m, spec) for c, methods in CALLS.items() for m, spec in methods.items() if isinstance(spec, kind))
    return [pytest.param(spec, id=f"{c}.{m}") for c, m, spec in found]


def test_every_documented_method_is_called_here_or_knows_no_worlds() -> None:
    documented = {c: set(d["methods"]) for c, d in SURFACE["classes"].items() if d["methods"]}
    called = {c: set(CALLS.get(c, ())) | STATIC.get(c, set()) for c in documented}
    assert called == documented


def unit(value: np.ndarray, first: int | None) -> np.ndarray:
    if first is not None:
        value[..., first : first + 4] /= np.linalg.norm(value[..., first : first + 4], axis=-1, keepdims=True)
    return value


@pytest.fixture(params=["f32", "f64"])
def worlds(request: pytest.FixtureRequest) -> Data:
    """Worlds that differ in state, controls, overrides and what happened to them."""
    data = motrixsim.SceneData(ZOO, (WORLDS,), precision=request.param)
    rng = np.random.default_rng(7)
    pose = np.tile(ZOO.compute_init_dof_pos(), (WORLDS, 1)) + rng.normal(0, 0.2, (WORLDS, 20))
    for first in (3, 9, 16):
        unit(pose, first)
    data.set_dof_pos(pose, ZOO)
    data.set_dof_vel(rng.normal(0, 1, (WORLDS, 17)))
    data.actuator_ctrls = rng.normal(0, 1, (WORLDS, 5))
    LINK.set_mass_override(data, [1.0, 2.0, 3.0])
    ZOO.get_geom("foot_geom").set_size_override(data, [[0.05], [0.06], [0.07]])
    SERVO.set_kp_override(data, [10.0, 20.0, 30.0])
    TARGET.set_pose(data, [[20.0, y, 3, 0, 0, 0, 1] for y in range(WORLDS)])
    ZOO.step_n(data, 2)
    return data


def alone(data: Data, world: int) -> Data:
    """A single world of its own that continues as this one of a batch does."""
    single = motrixsim.SceneData(ZOO, precision=data.precision)
    single.restore(data.snapshot([world]))
    return single


def fresh(data: Data) -> Data:
    """Worlds of their own that continue as these do."""
    copy = motrixsim.SceneData(ZOO, data.shape, precision=data.precision)
    copy.restore(data.snapshot())
    return copy


@pytest.mark.parametrize("spec", listed(Reads))
def test_row_by_row_a_batch_reads_what_its_worlds_read(worlds: Data, spec: Reads) -> None:
    result = spec.call(worlds)
    expected = np.dtype(np.float64 if worlds.precision == "f64" else np.float32)
    assert result.shape == (WORLDS, *spec.tail)
    assert result.flags.writeable
    assert result.flags.c_contiguous
    assert np.issubdtype(result.dtype, spec.dtype) if spec.dtype else result.dtype == expected
    for k in range(WORLDS):
        for single in (worlds[k], alone(worlds, k)):
            own = spec.call(single)
            assert own.shape == spec.tail
            assert own.dtype == result.dtype or spec.dtype is np.integer
            np.testing.assert_array_equal(own, result[k])
    for picked in (worlds[[2, 0]], worlds[motrixsim.DisjointIndices([2, 0])]):
        np.testing.assert_array_equal(spec.call(picked), result[[2, 0]])
    assert spec.call(worlds[:0]).shape == (0, *spec.tail)
    # What was read is the caller's own.
    kept = result.copy()
    result[...] = 0
    np.testing.assert_array_equal(spec.call(worlds), kept)


@pytest.mark.parametrize("spec", listed(Writes))
def test_row_by_row_a_batch_writes_what_its_worlds_write(worlds: Data, spec: Writes) -> None:
    rng = np.random.default_rng(3)
    values = unit(rng.uniform(spec.low, spec.high, (WORLDS, *spec.tail)), spec.quaternion)
    if spec.call is positions:
        for first in (3, 9, 16):
            unit(values, first)
    before = worlds.digest()

    together, one_by_one, strided = fresh(worlds), fresh(worlds), fresh(worlds)
    spec.call(together, values)
    assert (together.digest() != before).all(), "every world is written"
    for k in range(WORLDS):
        spec.call(one_by_one[k], values[k])
        single = alone(worlds, k)
        spec.call(single, values[k].tolist())
        assert single.digest() == together.digest()[k]
    np.testing.assert_array_equal(one_by_one.digest(), together.digest())
    spec.call(strided, np.asfortranarray(np.repeat(values, 2, axis=0))[::2])
    np.testing.assert_array_equal(strided.digest(), together.digest())

    # One world's value serves all, and a write to some worlds leaves the others.
    shared = fresh(worlds)
    spec.call(shared, values[0])
    for k in range(WORLDS):
        single = alone(worlds, k)
        spec.call(single, values[0])
        assert single.digest() == shared.digest()[k]
    some = fresh(worlds)
    spec.call(some[[0, 2]], values[[0, 2]])
    assert some.digest()[1] == before[1]
    np.testing.assert_array_equal(some.digest()[[0, 2]], together.digest()[[0, 2]])


@pytest.mark.parametrize("spec", listed(Writes))
def test_a_value_of_a_wrong_shape_or_kind_writes_nothing(worlds: Data, spec: Writes) -> None:
    before = worlds.digest()
    shapes = [(WORLDS + 1, *spec.tail), (1, WORLDS, *spec.tail), (2, 2, *spec.tail), (*spec.tail, 17)]
    if spec.tail:
        shapes += [(WORLDS, spec.tail[0] + 1), (spec.tail[0] + 1,), (WORLDS, 0)]
    for shape in shapes:
        with pytest.raises((ValueError, TypeError)):
            spec.call(worlds, np.full(shape, 0.5))
    for kind in (None, "half", object(), [["a"] * 7] * 3, {"x": 1}, 1j * np.ones((WORLDS, *spec.tail))):
        with pytest.raises((ValueError, TypeError)):
            spec.call(worlds, kind)
    np.testing.assert_array_equal(worlds.digest(), before)


@pytest.mark.parametrize("spec", [p for p in listed(Writes) if p.values[0].quaternion is not None])
@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_one_bad_quaternion_in_a_batch_writes_no_row(worlds: Data, spec: Writes, bad: float) -> None:
    before = worlds.digest()
    values = unit(np.full((WORLDS, *spec.tail), 0.5), spec.quaternion)
    values[1, spec.quaternion : spec.quaternion + 4] = bad
    with pytest.raises(ValueError, match="row 1"):
        spec.call(worlds, values)
    np.testing.assert_array_equal(worlds.digest(), before)


@pytest.mark.parametrize("spec", listed(Acts))
def test_row_by_row_a_batch_does_what_its_worlds_do(worlds: Data, spec: Acts) -> None:
    together = fresh(worlds)
    assert spec.call(together) is None
    poses = ZOO.get_link_poses(together)
    for k in range(WORLDS):
        single, view = alone(worlds, k), fresh(worlds)
        spec.call(single)
        spec.call(view[k])
        assert single.digest() == together.digest()[k] == view.digest()[k]
        np.testing.assert_array_equal(ZOO.get_link_poses(single), poses[k])
        others = [w for w in range(WORLDS) if w != k]
        np.testing.assert_array_equal(view.digest()[others], worlds.digest()[others])


@pytest.mark.parametrize("name", ["step", "forward_kinematic"])
def test_the_functions_of_the_module_are_the_methods_of_the_model(worlds: Data, name: str) -> None:
    by_function, by_method = fresh(worlds), fresh(worlds)
    assert getattr(motrixsim, name)(ZOO, by_function) is None
    getattr(ZOO, name)(by_method)
    np.testing.assert_array_equal(by_function.digest(), by_method.digest())
    np.testing.assert_array_equal(ZOO.get_link_poses(by_function), ZOO.get_link_poses(by_method))
