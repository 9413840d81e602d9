"""The compiled half of the package: what each name means, kept equal to the binary by `stubtest`.

Conventions of all classes:

- Arrays returned are fresh, writable copies, `float32` for data of precision "f32" and `float64` for "f64". Their shape
is that of the data, `()` for one world or `(n,)` for a batch, followed by the shape given below. `data.views` has
arrays without copies.
- Arrays taken may have any number type and layout, or be lists. One world's shape serves all worlds of a batch. A wrong
shape is a ValueError that names the expected and the given one, and nothing is changed.
- Poses are `[x, y, z, i, j, k, w]`, quaternions `[i, j, k, w]`, units SI, angles radians.
- After a step, poses, velocities, sensors and contacts describe the state at its start, as in MuJoCo;
  `model.forward_kinematic(data)` makes them describe the present state.
- Objects such as links are equal when they are the same object of the same model, and the model keeps them:
  `model.get_link("a") is model.get_link("a")`. Using data of another model is a RuntimeError.
"""

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import Any, Literal, SupportsIndex, TypeAlias, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import disjoint_base

_Floats: TypeAlias = NDArray[np.floating[Any]]
_Index: TypeAlias = SupportsIndex | slice | Sequence[bool] | Sequence[int] | NDArray[Any] | "DisjointIndices"
_Precision: TypeAlias = Literal["f32", "f64"]

__all__ = [
    "Actuator",
    "ActuatorOverrideDampingTypeError",
    "ActuatorOverrideError",
    "ActuatorOverrideInvalidValueError",
    "ActuatorOverrideUnsupportedTypeError",
    "AdhesionActuator",
    "Body",
    "Camera",
    "CameraMgr",
    "ContactQuery",
    "DampingType",
    "DataViews",
    "DisjointIndices",
    "FloatingBase",
    "GeneralActuator",
    "Geom",
    "GeomCapsule",
    "GeomCuboid",
    "GeomCylinder",
    "GeomEllipsoid",
    "GeomHField",
    "GeomInfinitePlane",
    "GeomMesh",
    "GeomPlane",
    "GeomSphere",
    "HField",
    "Joint",
    "Keyframe",
    "LaneInfo",
    "Link",
    "LoadProblem",
    "LowData",
    "LowModel",
    "Mocap",
    "MotorActuator",
    "Options",
    "Painter",
    "PositionActuator",
    "ReportFlags",
    "SceneData",
    "SceneModel",
    "Shape",
    "Site",
    "TerrainScanner",
    "VelocityActuator",
    "_GeomPairs",
    "__version__",
    "_rebuild_data",
    "_rebuild_model",
    "available_lanes",
    "forward_kinematic",
    "init_thread_pool",
    "lane_info",
    "load_mjcf_str",
    "load_model",
    "raycast",
    "real_dtype",
    "step",
]

__version__: str
"""Version of the package, equal to that of the Rust crates."""

class ActuatorOverrideError(ValueError):
    """An actuator parameter that cannot be overridden as asked."""

class ActuatorOverrideInvalidValueError(ActuatorOverrideError):
    """A value outside of the valid domain; no world was changed."""

class ActuatorOverrideUnsupportedTypeError(ActuatorOverrideError):
    """The parameter has no effect in the force law of this actuator."""

class ActuatorOverrideDampingTypeError(ActuatorOverrideError):
    """The damping is given in another way than the actuator's `damping_type`."""

@final
class LaneInfo:
    """A lane type: how many worlds share a vector register, and of which numbers."""

    @property
    def name(self) -> str:
        """For example `"f32x8-avx2"`: numbers, lanes, instruction set."""

    @property
    def count(self) -> int:
        """How many worlds step together."""

    @property
    def precision(self) -> _Precision:
        """The numbers the physics is computed in."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def lane_info(precision: _Precision = "f32") -> LaneInfo:
    """The lanes that worlds of this precision are computed in.

    The fastest type of the processor, unless the environment variable `MOTRIX_LANES` names another: `avx2`, `portable`,
    `portable-fma` or `scalar`. The variable is read once per process.

    Raises `RuntimeError` when `MOTRIX_LANES` names a type that does not exist or that this processor cannot run.
    """

def available_lanes() -> list[LaneInfo]:
    """Every lane type this processor can run. All of them are in every wheel; the choice is made at run time."""

def load_model(
    path: str | PathLike[str], strict: bool = True, packages: dict[str, str | PathLike[str]] | None = None
) -> SceneModel:
    """Loads a model from an MJCF or URDF file.

    Raises `LoadError`, a ValueError and RuntimeError, which lists every problem with file, line and column. With
    `strict=False`, unknown elements and attributes are ignored and listed in `model.load_report` instead. `packages`
    says where the ROS packages are that a URDF file names in `package://` paths; others are looked for in the folders
    above the file.
    """

def load_mjcf_str(mjcf: str, strict: bool = True) -> SceneModel:
    """Loads a model from MJCF text, as `load_model` does; files it mentions are looked for in the current directory."""

def step(model: SceneModel, data: SceneData, num_threads: int | None = None) -> None:
    """Advances all worlds of `data` by one step. The interpreter is free meanwhile."""

def forward_kinematic(model: SceneModel, data: SceneData) -> None:
    """Makes poses, velocities, sensors and contacts describe the present state, which does not change."""

def init_thread_pool(num_threads: int | None = None) -> None:
    """Sets the number of threads, one per core by default. RuntimeError once the pool has started with the first
    batched step."""

def raycast(
    model: SceneModel,
    data: SceneData,
    origins: ArrayLike,
    directions: ArrayLike,
    *,
    frame: Link | Site | Geom | None = None,
    max_distance: float = ...,
    groups: Iterable[int] | None = None,
    include_static: bool = True,
    exclude: Iterable[Geom | Link | Body] | None = None,
) -> tuple[_Floats, NDArray[np.int32], _Floats]:
    """What rays meet first, in all worlds at once: distance in metres, index of the geom, outward normal of its
    surface.

    `origins` and `directions` have shape `(n, 3)`, `(*data.shape, n, 3)` for rays of each world's own, or `(3,)` for
    one that all rays share; directions need not be of unit length. With `frame` they are given in the frame of a
    link, site or geom and move with it. Results have shape `(*, n)`, `(*, n)` and `(*, n, 3)`, without `n` when both
    are single vectors. A ray that meets nothing within `max_distance` reads infinity, -1 and zeros.

    Surfaces are met from both sides, planes from above only: a ray that starts inside of a shape meets it where it
    leaves. Meshes are met at their triangles, not at their hulls. Geoms without opacity are passed through, as are
    those of groups that are not among `groups`, those of the world and of what is welded to it without
    `include_static`, and what `exclude` lists. Rules and numbers are those of MuJoCo's `mj_ray`.
    """

def real_dtype() -> str:
    """The numbers arrays have by default: `"float32"`."""

@final
class _GeomPairs:
    """The engine's half of `Proximity`: two sets of geoms whose least distance is measured."""

    def __new__(cls, model: SceneModel, geom_1: Geom | Link | Body, geom_2: Geom | Link | Body) -> _GeomPairs: ...
    def measure(
        self, data: SceneData, dist_max: float, algorithm: int, signed: bool, solid: bool, warm_start: bool
    ) -> list[NDArray[Any]]:
        """Distances `(*)`, points of both `(*, 3)`, and the number of the algorithm that found each `(*)`."""

def _rebuild_model(
    source: tuple[bool, str],
    strict: bool,
    packages: dict[str, str],
    files: dict[str, bytes],
    options: tuple[Any, ...],
    heights: tuple[dict[int, bytes], int] | None = None,
) -> SceneModel: ...
def _rebuild_data(
    model: SceneModel, batched: bool, count: int, precision: _Precision, snapshot: bytes, watch: dict[str, Any]
) -> SceneData: ...

@final
class LoadProblem:
    """One finding about a model file. Its text is `file:line:column <element>: message`."""

    @property
    def file(self) -> str | None:
        """The file, or None for a problem of the whole model."""

    @property
    def line(self) -> int | None:
        """Line, from 1."""

    @property
    def column(self) -> int | None:
        """Column in characters, from 1."""

    @property
    def element(self) -> str:
        """The element as it is written."""

    @property
    def message(self) -> str:
        """What is wrong, or why the element has no effect."""

    @property
    def did_you_mean(self) -> str | None:
        """The nearest existing word, if one is near."""

    @property
    def kind(self) -> str:
        """`"error"`, `"no effect"`, `"not supported"` or `"ignored"`."""

    @property
    def text(self) -> str:
        """All of it in one line."""

@final
class SceneModel:
    """A compiled scene: bodies, joints, actuators and all else of a model file. It does not change, but for its
    `options`.

    Links are the `<body>` elements of the file in depth-first order; bodies are whole kinematic trees. Models can be
    pickled: the files they were loaded from travel with them.
    """

    @property
    def name(self) -> str:
        """Name of the model."""

    @property
    def options(self) -> Options:
        """Settings that may change between steps."""

    @property
    def reports(self) -> ReportFlags:
        """Switches for reports, kept for programs that set them: every report is available without."""

    @property
    def load_report(self) -> list[LoadProblem]:
        """What the file contains that has no effect. If there is something, loading warns of it once (UserWarning)."""

    @property
    def low(self) -> LowModel:
        """The compiled numbers under the names of MuJoCo's `mjModel`."""

    @property
    def cameras(self) -> CameraMgr:
        """The cameras."""

    @property
    def links(self) -> list[Link]:
        """All links, in depth-first order of the file."""

    @property
    def bodies(self) -> list[Body]:
        """All kinematic trees, in the order of their roots."""

    @property
    def joints(self) -> list[Joint]:
        """All joints but the free ones, in the order of their links."""

    @property
    def floating_bases(self) -> list[FloatingBase]:
        """All free joints."""

    @property
    def geoms(self) -> list[Geom]:
        """All geoms: those of the world, then link by link."""

    @property
    def sites(self) -> list[Site]:
        """All sites: those of the world, then link by link."""

    @property
    def actuators(self) -> list[Actuator]:
        """All actuators, in the order of the file."""

    @property
    def keyframes(self) -> list[Keyframe]:
        """All keyframes."""

    @property
    def link_names(self) -> list[str | None]:
        """Names of the links."""

    @property
    def body_names(self) -> list[str | None]:
        """Names of the bodies: those of their roots."""

    @property
    def joint_names(self) -> list[str | None]:
        """Names of the joints."""

    @property
    def geom_names(self) -> list[str | None]:
        """Names of the geoms."""

    @property
    def site_names(self) -> list[str | None]:
        """Names of the sites."""

    @property
    def actuator_names(self) -> list[str | None]:
        """Names of the actuators."""

    @property
    def num_links(self) -> int:
        """Number of links; the world is none."""

    @property
    def num_bodies(self) -> int:
        """Number of kinematic trees."""

    @property
    def num_joints(self) -> int:
        """Number of joints that are not free."""

    @property
    def num_geoms(self) -> int:
        """Number of geoms."""

    @property
    def num_sites(self) -> int:
        """Number of sites."""

    @property
    def num_actuators(self) -> int:
        """Number of actuators."""

    @property
    def num_sensors(self) -> int:
        """Number of sensors."""

    @property
    def num_hfields(self) -> int:
        """Number of height fields."""

    @property
    def num_keyframes(self) -> int:
        """Number of keyframes."""

    @property
    def num_dof_pos(self) -> int:
        """Length of `dof_pos`."""

    @property
    def num_dof_vel(self) -> int:
        """Length of `dof_vel`: a rotation has four positions and three velocities."""

    @property
    def joint_dof_pos_indices(self) -> list[int]:
        """First entry of each joint in `dof_pos`."""

    @property
    def joint_dof_pos_nums(self) -> list[int]:
        """Number of entries of each joint in `dof_pos`."""

    @property
    def joint_dof_vel_indices(self) -> list[int]:
        """First entry of each joint in `dof_vel`."""

    @property
    def joint_dof_vel_nums(self) -> list[int]:
        """Number of entries of each joint in `dof_vel`."""

    @property
    def joint_limits(self) -> NDArray[np.float32]:
        """Limits, shape `(2, num_joints)`: lower ones first; infinite where there are none."""

    @property
    def actuator_ctrl_limits(self) -> NDArray[np.float32]:
        """Ranges of the controls, shape `(2, num_actuators)`: lower ones first; infinite where there are none."""

    def compute_init_dof_pos(self) -> NDArray[np.float32]:
        """The positions that worlds start with, shape `(num_dof_pos,)`."""

    def enable_constraints_report(self) -> None:
        """Remembered for programs that call it; reports need no announcement."""

    def step(self, data: SceneData, num_threads: int | None = None) -> None:
        """Advances all worlds by one step, on all threads of the pool or at most `num_threads` of them."""

    def step_n(self, data: SceneData, n: int, num_threads: int | None = None) -> None:
        """Advances all worlds by `n` steps, bit for bit as `n` calls of `step`. Ctrl-C ends it after a whole step."""

    def forward_kinematic(self, data: SceneData) -> None:
        """Makes poses, velocities, sensors and contacts describe the present state, which does not change."""

    def get_link(self, arg: str | int) -> Link | None:
        """A link by name or index; None when there is none."""

    def get_body(self, key: str | int) -> Body | None:
        """A body by name or index; None when there is none."""

    def get_joint(self, key: str | int) -> Joint | None:
        """A joint by name or index; None when there is none. Free joints are floating bases."""

    def get_geom(self, arg: str | int) -> Geom | None:
        """A geom by name or index; None when there is none."""

    def get_site(self, key: str | int) -> Site | None:
        """A site by name or index; None when there is none."""

    def get_actuator(self, arg: str | int) -> Actuator | None:
        """An actuator by name or index; None when there is none."""

    def get_hfield(self, arg: str | int) -> HField | None:
        """A height field by name or index; None when there is none."""

    def get_link_index(self, name: str) -> int | None:
        """Index of a link; None when there is none of this name."""

    def get_body_index(self, name: str) -> int | None:
        """Index of a body; None when there is none of this name."""

    def get_joint_index(self, name: str) -> int | None:
        """Index of a joint; None when there is none of this name."""

    def get_geom_index(self, name: str) -> int | None:
        """Index of a geom; None when there is none of this name."""

    def get_site_index(self, name: str) -> int | None:
        """Index of a site; None when there is none of this name."""

    def get_actuator_index(self, name: str) -> int | None:
        """Index of an actuator; None when there is none of this name."""

    def get_hfield_index(self, name: str) -> int | None:
        """Index of a height field; None when there is none of this name."""

    def get_actuator_ctrls(self, data: SceneData) -> _Floats:
        """`data.actuator_ctrls`."""

    def get_camera_poses(self, data: SceneData) -> _Floats:
        """Poses of all cameras, shape `(*, num_cameras, 7)`."""

    def get_contact_query(self, data: SceneData) -> ContactQuery:
        """The contacts of `data`, as a live view."""

    def get_link_poses(self, data: SceneData, indices: ArrayLike | None = None, out: _Floats | None = None) -> _Floats:
        """Poses of all links or of those named, shape `(*, n, 7)`."""

    def get_link_rotation_mats(
        self, data: SceneData, indices: ArrayLike | None = None, out: _Floats | None = None
    ) -> _Floats:
        """Rotations of all links or of those named, shape `(*, n, 3, 3)`: world = R · local."""

    def get_link_velocities(
        self, data: SceneData, indices: ArrayLike | None = None, out: _Floats | None = None
    ) -> _Floats:
        """Velocities of link frames in world axes, shape `(*, n, 6)`: linear, angular."""

    def get_link_linear_velocities(
        self, data: SceneData, indices: ArrayLike | None = None, out: _Floats | None = None
    ) -> _Floats:
        """Linear velocities of link frames in world axes, shape `(*, n, 3)`."""

    def get_link_angular_velocities(
        self, data: SceneData, indices: ArrayLike | None = None, out: _Floats | None = None
    ) -> _Floats:
        """Angular velocities of links in world axes, shape `(*, n, 3)`."""

    def get_link_net_contact_forces(
        self, data: SceneData, indices: ArrayLike | None = None, out: _Floats | None = None
    ) -> _Floats:
        """Sum of all contacts on each link, shape `(*, n, 6)`: force, then moment about the centre of mass, world
        axes."""

    def get_sensor_value(self, id: str, data: SceneData) -> _Floats:
        """The reading of a sensor, shape `(*, k)`. An unknown name is a ValueError that proposes the nearest one."""

    def get_sensor_values(self, names: Sequence[str], data: SceneData) -> _Floats:
        """The readings of several sensors one after the other, shape `(*, sum of k)`."""

    def get_gravity_override(self, data: SceneData) -> _Floats:
        """Gravity in each world, shape `(*, 3)`: that of the options until overridden."""

    def set_gravity_override(self, data: SceneData, gravity: ArrayLike) -> None:
        """Gives worlds a gravity of their own. Rows that are not finite are ignored; `disable_gravity` wins over an
        override."""

    def _repr_png_(self) -> bytes: ...
    def __copy__(self) -> SceneModel: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class SceneData:
    """The state of one world, `batch=()`, or of a batch, `batch=(n,)`.

    Indexing gives data over some of the worlds, which share their state: a number, a slice, a boolean mask, different
    integers or `DisjointIndices`. Data can be pickled and copied; a copy continues bit for bit.
    """

    def __new__(cls, model: SceneModel, batch: Sequence[int] = (), precision: _Precision = "f32") -> SceneData: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """`()` or `(n,)`."""

    @property
    def ndim(self) -> int:
        """0 or 1."""

    @property
    def precision(self) -> _Precision:
        """The numbers the state is kept and computed in."""

    @property
    def model(self) -> SceneModel:
        """The model."""

    @property
    def dof_pos(self) -> _Floats:
        """Positions, shape `(*, num_dof_pos)`, in MuJoCo's depth-first order: free joints `[x y z i j k w]`, ball
        joints `[i j k w]`, hinges and slides one number."""

    @property
    def dof_vel(self) -> _Floats:
        """Velocities, shape `(*, num_dof_vel)`: free joints linear in world axes, then angular in the link's own."""

    @property
    def actuator_ctrls(self) -> _Floats:
        """Controls, shape `(*, num_actuators)`, kept as written; ranges act when forces are computed. A wrong shape is
        a TypeError."""

    @actuator_ctrls.setter
    def actuator_ctrls(self, value: ArrayLike) -> None: ...
    @property
    def actuator_activations(self) -> _Floats:
        """States between controls and forces, as muscles, filters and integrators have them, shape `(*, n)`: those of
        each actuator in turn."""

    @actuator_activations.setter
    def actuator_activations(self, value: ArrayLike) -> None: ...
    @property
    def time(self) -> NDArray[np.float64]:
        """Seconds since the start, shape `(*,)`."""

    @property
    def terrain_counts(self) -> NDArray[np.int64]:
        """Contacts with height fields, shape `(*, 3)`: found, merged into others that stand for them, dropped.

        Firm contacts are never dropped; MuJoCo's end at 50 per pair, and what was not looked at then counts here.
        """

    @property
    def health(self) -> NDArray[np.uint32]:
        """What was noticed in each world during the last `step` or `step_n`, a mask of `Health` flags, shape `(*,)`. A
        frozen world keeps its mask; `reset` and `restore` clear and replace it."""

    def watch(
        self,
        policy: Literal["keep", "freeze", "reset", "raise"] | None = None,
        *,
        on: int | None = None,
        speed: float | None = None,
        energy: float | None = None,
        depth: float | None = None,
        history: int | None = None,
    ) -> dict[str, Any]:
        """Changes what steps of this batch look for, and returns all settings; what is not given stays.

        `policy`: what happens to a world that shows one of the flags `on`, by default those that mean its state is lost
        (`Health.FATAL`). "keep" goes on; "freeze" leaves it in the state from which the bad step started until it is
        reset or restored; "reset" puts it back to the start, overrides kept; "raise" freezes it and raises
        `HealthError` after the step. `speed`: greatest speed of a joint, m/s or rad/s. `energy`: most kinetic energy
        that a step may add, J per kg of the whole world. `depth`: deepest overlap, m. `history`: how many past states
        of each world are kept from now on."""

    def history(self) -> list[bytes]:
        """Snapshots of the states from which the last steps of a single world started, oldest first, as many as
        `watch(history=...)` keeps; the inputs of the step are part of them."""

    @property
    def views(self) -> DataViews:
        """Arrays that share memory with the state."""

    @property
    def low(self) -> LowData:
        """Every intermediate of a forward pass under MuJoCo's names, evaluated now."""

    def set_dof_pos(self, dof_pos: ArrayLike, model: SceneModel) -> None:
        """Sets all positions. Quaternions must be of unit length within 1e-4, or else no row is written."""

    def set_dof_vel(self, dof_vel: ArrayLike) -> None:
        """Sets all velocities."""

    def reset(
        self,
        model: SceneModel,
        dof_pos: ArrayLike | None = None,
        dof_vel: ArrayLike | None = None,
        forward_kinematic: bool = False,
        reset_overrides: bool = True,
    ) -> None:
        """Puts worlds back to the start, or to the given positions and velocities. Nothing of the past survives,
        controls, applied forces and mocap poses included; overrides do with `reset_overrides=False`. Poses, sensors and
        contacts then describe the initial state, with `forward_kinematic=True` the given one."""

    def snapshot(self, rows: _Index | None = None) -> bytes:
        """All that the future of the worlds, or of `data[rows]`, depends on: states, clocks, overrides, warm starts and
        pending forces, with the fingerprint of the model. Restored anywhere, they continue bit for bit."""

    def restore(self, snapshot: bytes, rows: _Index | None = None) -> None:
        """Puts the worlds of a snapshot into these, or into `data[rows]`, in order; a snapshot of one world serves all.
        ValueError when it is damaged, of another model or precision, or of another number of worlds; then nothing
        changes."""

    def fork(self, world: int, rows: _Index | None = None) -> None:
        """Makes all worlds, or `data[rows]`, continue as `world` of these data would."""

    def digest(self) -> NDArray[np.uint64]:
        """A fingerprint of each world's state, clock and overrides, shape `(*,)`: equal on every machine for equal
        bits."""

    def get(self, index: _Index) -> SceneData:
        """`data[index]`."""

    def __getitem__(self, key: _Index, /) -> SceneData: ...
    def __iter__(self) -> Iterator[SceneData]: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> Literal[True]: ...
    def __copy__(self) -> SceneData: ...
    def __deepcopy__(self, _memo: Any) -> SceneData: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class DataViews:
    """Arrays that share memory with the engine, over all worlds, one, or evenly spaced ones.

    What is written into `dof_pos`, `dof_vel` and `actuator_ctrls` is the state; quaternions written this way are not
    checked. The others are read-only results; they are kept up to date by every step, and by the next access after
    `forward_kinematic`. The arrays export DLPack, so that `torch.from_dlpack(data.views.dof_pos)` shares memory too.
    They keep the worlds alive.
    """

    @property
    def dof_pos(self) -> _Floats:
        """Positions, to read and write."""

    @property
    def dof_vel(self) -> _Floats:
        """Velocities, to read and write."""

    @property
    def actuator_ctrls(self) -> _Floats:
        """Controls, to read and write."""

    @property
    def link_poses(self) -> _Floats:
        """Poses of links, shape `(*, num_links, 7)`."""

    @property
    def link_velocities(self) -> _Floats:
        """Velocities of links, shape `(*, num_links, 6)`."""

    @property
    def sensor_values(self) -> _Floats:
        """The readings of all sensors in the order of the file."""

    @property
    def dof_acc(self) -> _Floats:
        """Accelerations, shape `(*, num_dof_vel)`."""

    @property
    def actuator_forces(self) -> _Floats:
        """Forces of actuators in the order of the file, shape `(*, n)`; one that turns about three axes has three."""

@final
class DisjointIndices:
    """Different worlds by number, from integers or a boolean mask. The order is kept, repetitions are dropped."""

    def __new__(cls, indices: Sequence[int] | Sequence[bool] | NDArray[Any]) -> DisjointIndices: ...
    @property
    def size(self) -> int:
        """Number of worlds."""

    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getnewargs__(self) -> tuple[list[int]]: ...

@final
class Options:
    """Settings of the simulation. A change acts from the next step on, for all data of the model."""

    @property
    def timestep(self) -> float:
        """Duration of a step, seconds. ValueError unless positive."""

    @timestep.setter
    def timestep(self, value: float) -> None: ...
    @property
    def gravity(self) -> NDArray[np.float32]:
        """Gravitational acceleration, shape `(3,)`."""

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None: ...
    @property
    def max_iterations(self) -> int:
        """Most iterations of the constraint solver. ValueError unless positive."""

    @max_iterations.setter
    def max_iterations(self, value: int) -> None: ...
    @property
    def solver_tolerance(self) -> float:
        """Tolerance at which the constraint solver stops. Single precision takes 1e-8 to 1e-7 as 1e-7, and finer ones
        as ten times as much. ValueError unless positive."""

    @solver_tolerance.setter
    def solver_tolerance(self, value: float) -> None: ...
    @property
    def disable_gravity(self) -> bool:
        """Whether gravity is switched off."""

    @disable_gravity.setter
    def disable_gravity(self, value: bool) -> None: ...
    @property
    def disable_contacts(self) -> bool:
        """Whether contacts are switched off."""

    @disable_contacts.setter
    def disable_contacts(self, value: bool) -> None: ...
    @property
    def contact_model(self) -> Literal["firm", "mujoco"]:
        """`"firm"`: friction without creep, terrain without ghost normals. `"mujoco"`: exactly MuJoCo's contacts."""

    @contact_model.setter
    def contact_model(self, value: Literal["firm", "mujoco"]) -> None: ...

@final
class ReportFlags:
    """Switches that programs set to have reports. They change nothing: what is asked for is computed and kept from then
    on."""

    @property
    def contacting_geoms(self) -> bool:
        """Whether `ContactQuery.contacting_geoms` was announced."""

    @contacting_geoms.setter
    def contacting_geoms(self, value: bool) -> None: ...
    @property
    def contact_forces(self) -> bool:
        """Whether `get_link_net_contact_forces` was announced."""

    @contact_forces.setter
    def contact_forces(self, value: bool) -> None: ...

@final
class LowModel:
    """Fields of MuJoCo's `mjModel` for this model: `body_mass`, `jnt_range`, `opt.timestep` and so on, in `float64`;
    quaternions `w x y z`. `collision_pairs` lists all pairs of geoms that may touch."""

    def __getattribute__(self, name: str, /) -> Any: ...
    def names(self, kind: str) -> list[str]:
        """Names of all objects of a kind (`"body"`, `"joint"`, ...) by id, empty where there is none."""
    def __dir__(self) -> list[str]: ...

@final
class LowData:
    """Intermediates of a forward pass under the names of MuJoCo's `mjData`, in `float64`: `qM`, `efc_J`,
    `contact_force` and so on.

    They were evaluated when this object was made, from the state that poses and sensors describe. Quaternions are `w x
    y z`. For a batch arrays are stacked, or listed when worlds have different numbers of contacts.
    """

    def __getattribute__(self, name: str, /) -> Any: ...
    def __dir__(self) -> list[str]: ...

@final
class Body:
    """A kinematic tree: a direct child of the world with all its descendants."""

    @property
    def name(self) -> str | None:
        """Name of the root."""

    @property
    def index(self) -> int:
        """Position in `model.bodies`."""

    @property
    def model(self) -> SceneModel:
        """The model."""

    @property
    def base_link(self) -> Link:
        """The root."""

    @property
    def links(self) -> list[Link]:
        """The links, root first."""

    @property
    def joints(self) -> list[Joint]:
        """The joints that are not free."""

    @property
    def geoms(self) -> list[Geom]:
        """The geoms of its links."""

    @property
    def floatingbase(self) -> FloatingBase | None:
        """The free joint of the root, if there is one."""

    @property
    def actuators(self) -> list[Actuator]:
        """The actuators on its joints, in the order of the file."""

    @property
    def is_mocap(self) -> bool:
        """Whether the program places it by hand."""

    @property
    def mocap(self) -> Mocap | None:
        """The mocap object, if it is one."""

    @property
    def num_links(self) -> int:
        """Number of links."""

    @property
    def num_joints(self) -> int:
        """Number of joints that are not free."""

    @property
    def num_actuators(self) -> int:
        """Number of actuators on its joints."""

    @property
    def num_joint_dof_pos(self) -> int:
        """Entries of its joints in `dof_pos`, the floating base not counted."""

    @property
    def num_joint_dof_vel(self) -> int:
        """Entries of its joints in `dof_vel`, the floating base not counted."""

    def get_dof_pos_indices(self, include_floatingbase: bool = True) -> NDArray[np.uint32]:
        """Where its positions stand in `dof_pos`."""

    def get_dof_vel_indices(self, include_floatingbase: bool = True) -> NDArray[np.uint32]:
        """Where its velocities stand in `dof_vel`."""

    def get_joint_dof_pos(self, data: SceneData, out: _Floats | None = None) -> _Floats:
        """Positions of its joints, shape `(*, num_joint_dof_pos)`; the floating base is left out."""

    def get_joint_dof_vel(self, data: SceneData, out: _Floats | None = None) -> _Floats:
        """Velocities of its joints, shape `(*, num_joint_dof_vel)`; the floating base is left out."""

    def set_dof_pos(self, data: SceneData, dof_pos: ArrayLike, include_floatingbase: bool = True) -> None:
        """Sets its positions: seven of the floating base, if there is one and it is included, then those of its
        joints."""

    def set_dof_vel(self, data: SceneData, dof_vel: ArrayLike, include_floatingbase: bool = True) -> None:
        """Sets its velocities: six of the floating base, if there is one and it is included, then those of its
        joints."""

    def set_actuator_ctrls(self, data: SceneData, ctrls: ArrayLike) -> None:
        """Sets the controls of its actuators, shape `(*, num_actuators)`."""

    def get_pose(self, data: SceneData) -> _Floats:
        """Pose of the root, shape `(*, 7)`."""

    def get_position(self, data: SceneData) -> _Floats:
        """Position of the root, shape `(*, 3)`."""

    def get_rotation(self, data: SceneData) -> _Floats:
        """Quaternion of the root, shape `(*, 4)`."""

    def get_rotation_mat(self, data: SceneData) -> _Floats:
        """Rotation of the root, shape `(*, 3, 3)`."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Link:
    """A rigid part: one `<body>` of the file."""

    @property
    def name(self) -> str | None:
        """Name."""

    @property
    def index(self) -> int:
        """Position in `model.links`: MuJoCo's body number less one."""

    @property
    def model(self) -> SceneModel:
        """The model."""

    @property
    def body(self) -> Body:
        """The tree it belongs to."""

    @property
    def parent(self) -> Link | None:
        """The link it hangs on; None for the world."""

    @property
    def children(self) -> list[Link]:
        """The links that hang on it."""

    @property
    def local_pose(self) -> NDArray[np.float32]:
        """Pose in its parent as the file has it, shape `(7,)`."""

    @property
    def mass(self) -> float:
        """Mass in the model."""

    @property
    def center_of_mass(self) -> NDArray[np.float32]:
        """Centre of mass in the link, shape `(3,)`."""

    @property
    def geoms(self) -> list[Geom]:
        """The geoms fixed to it."""

    @property
    def joint_indices(self) -> list[int]:
        """Positions of its joints in `model.joints`."""

    @property
    def num_joints(self) -> int:
        """Number of its joints that are not free."""

    def joints(self) -> list[Joint]:
        """Its joints that are not free."""

    def get_joint(self, index: int) -> Joint | None:
        """Its `index`-th joint; None when it has fewer."""

    def get_pose(self, data: SceneData) -> _Floats:
        """Pose in the world, shape `(*, 7)`."""

    def get_position(self, data: SceneData) -> _Floats:
        """Position in the world, shape `(*, 3)`."""

    def get_rotation(self, data: SceneData) -> _Floats:
        """Quaternion in the world, shape `(*, 4)`."""

    def get_rotation_mat(self, data: SceneData) -> _Floats:
        """Rotation in the world, shape `(*, 3, 3)`."""

    def get_linear_velocity(self, data: SceneData) -> _Floats:
        """Velocity of its frame in world axes, shape `(*, 3)`."""

    def get_angular_velocity(self, data: SceneData) -> _Floats:
        """Angular velocity in world axes, shape `(*, 3)`."""

    def get_mass_override(self, data: SceneData) -> _Floats:
        """Mass in each world, shape `(*,)`."""

    def set_mass_override(self, data: SceneData, mass: ArrayLike) -> None:
        """Gives worlds a mass of their own; the inertia tensor stays. Values that are not positive and finite are
        ignored, and so is everything on links that cannot move."""

    def get_center_of_mass_override(self, data: SceneData) -> _Floats:
        """Centre of mass in each world, shape `(*, 3)`."""

    def set_center_of_mass_override(self, data: SceneData, center_of_mass: ArrayLike) -> None:
        """Gives worlds a centre of mass of their own. Rows that are not finite are ignored."""

    def get_inertia_override(self, data: SceneData) -> _Floats:
        """Inertia about the centre of mass in link axes in each world, shape `(*, 6)`: xx, yy, zz, xy, xz, yz."""

    def set_inertia_override(self, data: SceneData, inertia: ArrayLike) -> None:
        """Gives worlds an inertia of their own, shape `(*, 6)`: xx, yy, zz, xy, xz, yz. Principal axes may be any;
        tensors that no body can have, whose moments are not positive or one exceeds the other two together, are
        ignored."""

    def add_external_force(
        self, data: SceneData, force: ArrayLike, point: ArrayLike | None = None, local: bool = True
    ) -> None:
        """Adds a force for the next step, shape `(*, 3)`, at `point` or at the centre of mass. With `local`, force and
        point are in the link's frame at the present state, else in the world's. Forces add up; the next step, of
        `step_n` the first, uses them up. Ignored on links that cannot move."""

    def add_external_torque(self, data: SceneData, torque: ArrayLike, local: bool = True) -> None:
        """Adds a torque for the next step, shape `(*, 3)`, as `add_external_force` does a force."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Joint:
    """What lets a link move against its parent: a hinge, slide or ball joint."""

    @property
    def name(self) -> str | None:
        """Name."""

    @property
    def index(self) -> int:
        """Position in `model.joints`."""

    @property
    def model(self) -> SceneModel:
        """The model."""

    @property
    def link(self) -> Link:
        """The link it moves."""

    @property
    def link_index(self) -> int:
        """Position of that link in `model.links`."""

    @property
    def armature(self) -> float:
        """Rotor inertia in the model."""

    @property
    def frictionloss(self) -> float:
        """Dry friction in the model."""

    @property
    def axis(self) -> NDArray[np.float32]:
        """Axis in the link, of unit length, shape `(3,)`."""

    @property
    def range(self) -> NDArray[np.float32]:
        """Limits, shape `(1, 2)`; infinite when there are none."""

    @property
    def dof_pos_index(self) -> int:
        """First entry in `dof_pos`."""

    @property
    def dof_vel_index(self) -> int:
        """First entry in `dof_vel`."""

    @property
    def num_dof_pos(self) -> int:
        """Number of entries in `dof_pos`."""

    @property
    def num_dof_vel(self) -> int:
        """Number of entries in `dof_vel`."""

    def get_dof_pos(self, data: SceneData) -> _Floats:
        """Positions, shape `(*, num_dof_pos)`."""

    def get_dof_vel(self, data: SceneData) -> _Floats:
        """Velocities, shape `(*, num_dof_vel)`."""

    def set_dof_pos(self, data: SceneData, position: ArrayLike) -> None:
        """Sets the positions. A quaternion must be of unit length within 1e-4."""

    def set_dof_vel(self, data: SceneData, velocity: ArrayLike) -> None:
        """Sets the velocities."""

    def get_armature_override(self, data: SceneData) -> _Floats:
        """Rotor inertia in each world, shape `(*,)`."""

    def set_armature_override(self, data: SceneData, armature: ArrayLike) -> None:
        """Gives worlds a rotor inertia of their own. Negative values and those that are not finite are ignored."""

    def get_frictionloss_override(self, data: SceneData) -> _Floats:
        """Dry friction in each world, shape `(*,)`."""

    def set_frictionloss_override(self, data: SceneData, frictionloss: ArrayLike) -> None:
        """Gives worlds a dry friction of their own. Negative values and those that are not finite are ignored."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class FloatingBase:
    """A free joint, which lets a tree move anywhere. Its getters and setters read and write the state, not the
    poses."""

    @property
    def name(self) -> str | None:
        """Name of the joint."""

    @property
    def index(self) -> int:
        """Position in `model.floating_bases`."""

    @property
    def model(self) -> SceneModel:
        """The model."""

    @property
    def dof_pos_start(self) -> int:
        """First entry in `dof_pos`."""

    @property
    def dof_vel_start(self) -> int:
        """First entry in `dof_vel`."""

    @property
    def dof_pos_indices(self) -> list[int]:
        """Its seven entries in `dof_pos`."""

    @property
    def dof_vel_indices(self) -> list[int]:
        """Its six entries in `dof_vel`."""

    def get_dof_pos(self, data: SceneData) -> _Floats:
        """`[x y z i j k w]`, shape `(*, 7)`."""

    def get_dof_vel(self, data: SceneData) -> _Floats:
        """Linear velocity in world axes, angular in its own, shape `(*, 6)`."""

    def get_translation(self, data: SceneData) -> _Floats:
        """Position, shape `(*, 3)`."""

    def set_translation(self, data: SceneData, translation: ArrayLike) -> None:
        """Sets the position."""

    def get_rotation(self, data: SceneData) -> _Floats:
        """Quaternion, shape `(*, 4)`."""

    def set_rotation(self, data: SceneData, quat: ArrayLike) -> None:
        """Sets the quaternion, normalised; ValueError for one without a direction."""

    def get_global_linear_velocity(self, data: SceneData) -> _Floats:
        """Linear velocity in world axes, shape `(*, 3)`."""

    def set_global_linear_velocity(self, data: SceneData, vel: ArrayLike) -> None:
        """Sets the linear velocity in world axes."""

    def get_local_angular_velocity(self, data: SceneData) -> _Floats:
        """Angular velocity in its own axes, shape `(*, 3)`."""

    def set_local_angular_velocity(self, data: SceneData, vel: ArrayLike) -> None:
        """Sets the angular velocity in its own axes."""

    def get_global_angular_velocity(self, data: SceneData) -> _Floats:
        """Angular velocity in world axes, turned by the quaternion in `dof_pos`, shape `(*, 3)`."""

    def set_global_angular_velocity(self, data: SceneData, vel: ArrayLike) -> None:
        """Sets the angular velocity in world axes, turned by the quaternion in `dof_pos`."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Mocap:
    """A body that the program places by hand. It pushes others and is not pushed."""

    @property
    def body(self) -> Body:
        """The body."""

    @property
    def model(self) -> SceneModel:
        """The model."""

    def set_pose(self, data: SceneData, pose: ArrayLike) -> None:
        """Places it, shape `(*, 7)`; the quaternion is normalised. Its pose can be read at once."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Shape:
    """The kind of a geom, as the file writes it."""

    Sphere: Shape
    Cylinder: Shape
    Capsule: Shape
    Cuboid: Shape
    Ellipsoid: Shape
    InfinitePlane: Shape
    HField: Shape
    Mesh: Shape
    Sdf: Shape
    Plane: Shape
    @staticmethod
    def types() -> list[Shape]:
        """All kinds."""

    @staticmethod
    def type_names() -> list[str]:
        """Names of all kinds, in lower case."""

    def __int__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@disjoint_base
class Geom:
    """A shape fixed to a link or to the world."""

    @property
    def name(self) -> str | None:
        """Name."""

    @property
    def index(self) -> int:
        """Position in `model.geoms`."""

    @property
    def model(self) -> SceneModel:
        """The model."""

    @property
    def link(self) -> Link | None:
        """The link it is fixed to; None for the world."""

    @property
    def body(self) -> Body | None:
        """The tree it belongs to; None for the world."""

    @property
    def shape(self) -> Shape:
        """Its kind."""

    @property
    def size(self) -> NDArray[np.float32]:
        """Half sizes, shape `(3,)`; zeros for meshes, height fields and infinite planes."""

    @property
    def local_pose(self) -> NDArray[np.float32]:
        """Pose in its link or in the world as the file has it, shape `(7,)`. That of a mesh is the pose of the frame
        its vertices are given in."""

    @property
    def collision_group(self) -> int:
        """Bits that others' `collision_affinity` may name (`contype`)."""

    @property
    def collision_affinity(self) -> int:
        """Bits of the groups it collides with (`conaffinity`)."""

    @property
    def margin(self) -> float:
        """Distance at which contacts begin to act."""

    @property
    def gap(self) -> float:
        """Further distance at which contacts are found but do not act."""

    @property
    def friction(self) -> NDArray[np.float32]:
        """Friction in the model, shape `(3,)`: slide, spin, roll."""

    @property
    def visual_only(self) -> bool:
        """Whether it can touch nothing."""

    @property
    def hfield(self) -> HField | None:
        """Its height field, if it is one."""

    def get_pose(self, data: SceneData) -> _Floats:
        """Pose in the world, shape `(*, 7)`, of the frame that `local_pose` gives."""

    def get_linear_velocity(self, data: SceneData) -> _Floats:
        """Velocity of its frame in world axes, shape `(*, 3)`."""

    def get_angular_velocity(self, data: SceneData) -> _Floats:
        """Angular velocity in world axes, shape `(*, 3)`."""

    def get_friction_override(self, data: SceneData) -> _Floats:
        """Friction in each world, shape `(*, 3)`: slide, spin, roll."""

    def set_friction_override(self, data: SceneData, friction: ArrayLike) -> None:
        """Gives worlds a friction of their own. Rows with a negative or not finite number are ignored."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

class GeomSphere(Geom):
    """A sphere."""

    @property
    def radius(self) -> float:
        """Radius."""

    def get_size_override(self, data: SceneData) -> _Floats:
        """Radius in each world, shape `(*, 1)`."""

    def set_size_override(self, data: SceneData, size: ArrayLike) -> None:
        """Gives worlds a radius of their own, for collision. Rows that are not positive and finite are ignored."""

class GeomCapsule(Geom):
    """A capsule along its z axis."""

    @property
    def radius(self) -> float:
        """Radius."""

    @property
    def half_height(self) -> float:
        """Half length of the cylindrical part."""

    def get_size_override(self, data: SceneData) -> _Floats:
        """Radius and half length in each world, shape `(*, 2)`."""

    def set_size_override(self, data: SceneData, size: ArrayLike) -> None:
        """Gives worlds a size of their own, for collision. Rows that are not positive and finite are ignored."""

class GeomCylinder(Geom):
    """A cylinder along its z axis."""

    @property
    def radius(self) -> float:
        """Radius."""

    @property
    def half_height(self) -> float:
        """Half length."""

    def get_size_override(self, data: SceneData) -> _Floats:
        """Radius and half length in each world, shape `(*, 2)`."""

    def set_size_override(self, data: SceneData, size: ArrayLike) -> None:
        """Gives worlds a size of their own, for collision. Rows that are not positive and finite are ignored."""

class GeomCuboid(Geom):
    """A box."""

    @property
    def half_extents(self) -> NDArray[np.float32]:
        """Half sizes, shape `(3,)`."""

    def get_size_override(self, data: SceneData) -> _Floats:
        """Half sizes in each world, shape `(*, 3)`."""

    def set_size_override(self, data: SceneData, size: ArrayLike) -> None:
        """Gives worlds a size of their own, for collision. Rows that are not positive and finite are ignored."""

class GeomEllipsoid(Geom):
    """An ellipsoid."""

    @property
    def half_extents(self) -> NDArray[np.float32]:
        """Radii, shape `(3,)`."""

    def get_size_override(self, data: SceneData) -> _Floats:
        """Radii in each world, shape `(*, 3)`."""

    def set_size_override(self, data: SceneData, size: ArrayLike) -> None:
        """Gives worlds a size of their own, for collision. Rows that are not positive and finite are ignored."""

class GeomPlane(Geom):
    """A plane with a size for pictures; it collides as an infinite one."""

class GeomInfinitePlane(Geom):
    """A plane without a size."""

class GeomMesh(Geom):
    """A mesh; its convex hull collides."""

    @property
    def mesh_name(self) -> str | None:
        """Name of the mesh asset."""

    @property
    def mesh_scale(self) -> NDArray[np.float32] | None:
        """Scale of the mesh asset, shape `(3,)`; None when it is 1."""

class GeomHField(Geom):
    """A height field."""

    @property
    def hfield(self) -> HField | None:
        """Its height field."""

    def sample_height(
        self,
        data: SceneData,
        xy: ArrayLike,
        out: _Floats | None = None,
        interp: Literal["bilinear", "surface"] = "bilinear",
    ) -> _Floats:
        """World height of the surface above points of the world's xy plane: bilinear between the nodes, or on the
        triangles that collision uses; level beyond the border.

        `xy` has the shape `(n, 2)`, the same for all worlds, or `(*, n, 2)`; the result `(*, n)`. The true surface
        above the point is found for tilted fields too.
        """

    def sample_normal(
        self,
        data: SceneData,
        xy: ArrayLike,
        out: _Floats | None = None,
        interp: Literal["bilinear", "surface"] = "surface",
    ) -> _Floats:
        """Upward unit normals of the surface above points of the world's xy plane, shape `(*, n, 3)`.

        Points and interpolation are those of `sample_height`.
        """

    def set_window_override(
        self, data: SceneData, origin: ArrayLike, z_scale: ArrayLike = 1.0, shape: tuple[int, int] | None = None
    ) -> None:
        """Shows worlds a window of the height field as if it were all of it: `shape` rows and columns of nodes from the
        node `origin = (row, column)` on, centred on the geom, heights multiplied by `z_scale`.

        `origin` has the shape `(2,)` or `(*, 2)`, `z_scale` `()` or `(*,)`; without `shape` each window keeps its size.
        Physics and scans of a world see its window alone; heights are shared, so windows take no memory. ValueError,
        and nothing changes, if a window does not lie in the field.
        """

    def get_window_override(self, data: SceneData) -> dict[str, NDArray[Any]]:
        """The windows of worlds: `origin` and `shape`, `(*, 2)`, and `z_scale`, `(*,)`."""

@final
class HField:
    """A height field asset."""

    @property
    def name(self) -> str:
        """Name."""

    @property
    def index(self) -> int:
        """Position among the height fields, in the order of the file."""

    @property
    def model(self) -> SceneModel:
        """The model."""

    @property
    def nrow(self) -> int:
        """Nodes along y."""

    @property
    def ncol(self) -> int:
        """Nodes along x."""

    @property
    def bound(self) -> NDArray[np.float32]:
        """`[-x, -y, 0, x, y, greatest height]` in its own frame, shape `(6,)`."""

    @property
    def height_matrix(self) -> NDArray[np.float32]:
        """Heights in metres, shape `(nrow, ncol)`: row 0 at the lowest y, column 0 at the lowest x."""

    def get(self, row: int, col: int) -> float:
        """The height of a node in metres. IndexError outside of the grid."""

    def update(self, row: int, col: int, block: ArrayLike) -> None:
        """Overwrites the heights of a rectangle of nodes, in metres, from `(row, col)` on.

        All models, data and scanners that use the field see it from their next step or reading on. The work is
        proportional to the block. IndexError if the block reaches beyond the grid, ValueError if it is not
        two-dimensional or not finite; nothing changes then.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class TerrainScanner:
    """Heights of terrain under points that move and turn with a link.

    `offsets`, shape `(n, 2)`, are in the frame of the link turned about the vertical only, `alignment="yaw"`, or
    with all of its orientation, `"full"`. `output="height"` gives world heights, `"clearance"` the height of the
    link above them. `interp="surface"` reads the triangles that collision uses instead of blending the corners of a
    cell.
    """

    def __new__(
        cls,
        terrain: GeomHField,
        frame: Link,
        offsets: ArrayLike,
        alignment: Literal["yaw", "full"] = "yaw",
        output: Literal["height", "clearance"] = "height",
        interp: Literal["bilinear", "surface"] = "bilinear",
    ) -> TerrainScanner: ...
    def scan(self, data: SceneData, out: _Floats | None = None) -> _Floats:
        """The readings, shape `(*, n)`, in `out` when it is given; not a number under offsets that are none."""

    def scan_normals(self, data: SceneData, out: _Floats | None = None) -> _Floats:
        """Upward unit normals of the surface that is read under the points, shape `(*, n, 3)`."""

@final
class Site:
    """A marked frame on a link or in the world."""

    @property
    def name(self) -> str | None:
        """Name."""

    @property
    def index(self) -> int:
        """Position in `model.sites`."""

    @property
    def model(self) -> SceneModel:
        """The model."""

    @property
    def parent_link(self) -> Link | None:
        """The link it is fixed to; None for the world."""

    @property
    def local_pos(self) -> NDArray[np.float32]:
        """Position in its link, shape `(3,)`."""

    @property
    def local_quat(self) -> NDArray[np.float32]:
        """Quaternion in its link, shape `(4,)`."""

    @property
    def dof_vel_indices(self) -> NDArray[np.int64]:
        """The entries of `dof_vel` that move it, from the nearest joint to the root; a floating base turns before it
        shifts."""

    def get_pose(self, data: SceneData) -> _Floats:
        """Pose in the world, shape `(*, 7)`."""

    def get_position(self, data: SceneData) -> _Floats:
        """Position in the world, shape `(*, 3)`."""

    def get_rotation_mat(self, data: SceneData) -> _Floats:
        """Rotation in the world, shape `(*, 3, 3)`."""

    def get_jacobian(self, data: SceneData) -> _Floats:
        """How the velocities at `dof_vel_indices` move it, shape `(*, 6, k)`: angular rows, then linear, world axes."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class DampingType:
    """How the damping of a position actuator is given: as a coefficient or as a share of the critical damping."""

    Kv: DampingType
    Dampratio: DampingType
    def __int__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@disjoint_base
class Actuator:
    """What turns a control into a force.

    force = gain · activation + bias - stiffness · position - damping · velocity
    """

    @property
    def name(self) -> str | None:
        """Name."""

    @property
    def index(self) -> int:
        """Position in `model.actuators`."""

    @property
    def model(self) -> SceneModel:
        """The model."""

    @property
    def typ(self) -> Literal["general", "motor", "position", "velocity", "adhesion"]:
        """The element of the file."""

    @property
    def target_type(self) -> Literal["joint", "floating_base", "tendon", "link", "site", "slidercrank"]:
        """What it acts on."""

    @property
    def target_name(self) -> str | None:
        """The name of what it acts on."""

    @property
    def ctrl_range(self) -> list[float] | None:
        """Range of the control, `[lower, upper]`; None when it has none."""

    @property
    def force_range(self) -> list[float] | None:
        """Range of the force, `[lower, upper]`; None when it has none."""

    @property
    def damping_type(self) -> DampingType:
        """How its damping is given."""

    def get_ctrl(self, data: SceneData) -> _Floats:
        """The control as written, shape `(*,)`."""

    def set_ctrl(self, data: SceneData, ctrl: ArrayLike) -> None:
        """Sets the control."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

class GeneralActuator(Actuator):
    """`<general>`, and every other element that has no class of its own.

    Setters raise `ActuatorOverrideInvalidValueError` for values outside of the domain, and
    `ActuatorOverrideUnsupportedTypeError` when the parameter has no effect in the actuator's law, such as a damping
    with `biastype="none"`.
    """

    def get_gain_override(self, data: SceneData) -> _Floats:
        """Gain in each world, shape `(*,)`."""

    def set_gain_override(self, data: SceneData, gain: ArrayLike) -> None:
        """Gives worlds a gain of their own; it must be finite."""

    def get_bias_override(self, data: SceneData) -> _Floats:
        """Constant bias in each world, shape `(*,)`."""

    def set_bias_override(self, data: SceneData, bias: ArrayLike) -> None:
        """Gives worlds a bias of their own; it must be finite."""

    def get_stiffness_override(self, data: SceneData) -> _Floats:
        """Stiffness in each world, shape `(*,)`: the negative second bias parameter."""

    def set_stiffness_override(self, data: SceneData, stiffness: ArrayLike) -> None:
        """Gives worlds a stiffness of their own; it must not be negative."""

    def get_damping_override(self, data: SceneData) -> _Floats:
        """Damping in each world, shape `(*,)`: the negative third bias parameter."""

    def set_damping_override(self, data: SceneData, damping: ArrayLike) -> None:
        """Gives worlds a damping of their own; it must not be negative."""

class MotorActuator(Actuator):
    """`<motor>`: the control is the force."""

class PositionActuator(Actuator):
    """`<position>`: the control is a target position."""

    @property
    def kp(self) -> float:
        """Gain in the model."""

    @property
    def kd(self) -> float:
        """Damping coefficient in the model."""

    def get_kp_override(self, data: SceneData) -> _Floats:
        """Gain in each world, shape `(*,)`."""

    def set_kp_override(self, data: SceneData, kp: ArrayLike) -> None:
        """Gives worlds a gain of their own. A damping given as a ratio keeps the ratio. Negative values and those that
        are not finite are ignored."""

    def get_kd_override(self, data: SceneData) -> _Floats | None:
        """Damping coefficient in each world, shape `(*,)`; None when the damping is given as a ratio."""

    def get_dampratio_override(self, data: SceneData) -> _Floats | None:
        """Damping ratio in each world, shape `(*,)`; None when the damping is given as a coefficient."""

    def set_damping_override(self, data: SceneData, damping: ArrayLike) -> None:
        """Gives worlds a damping of their own: a coefficient or a ratio, as `damping_type` says. Negative values and
        those that are not finite are ignored."""

class VelocityActuator(Actuator):
    """`<velocity>`: the control is a target velocity."""

    @property
    def kv(self) -> float:
        """Gain in the model."""

    def get_kv_override(self, data: SceneData) -> _Floats:
        """Gain in each world, shape `(*,)`."""

    def set_kv_override(self, data: SceneData, kv: ArrayLike) -> None:
        """Gives worlds a gain of their own; `ActuatorOverrideInvalidValueError` when it is negative or not finite."""

class AdhesionActuator(Actuator):
    """`<adhesion>`: the control scales how strongly a link sticks to what it touches."""

@final
class Camera:
    """A camera. What is set on it is for pictures; poses follow the tracks."""

    @property
    def name(self) -> str | None:
        """Name."""

    @property
    def index(self) -> int:
        """Position in `model.cameras`."""

    @property
    def model(self) -> SceneModel:
        """The model."""

    @property
    def link(self) -> Link | None:
        """The link it is fixed to; None for the world."""

    @property
    def fovy(self) -> float:
        """Vertical field of view, degrees."""

    @property
    def near_plane(self) -> float:
        """Near clipping distance; 0 until set."""

    @property
    def far_plane(self) -> float:
        """Far clipping distance; 0 until set."""

    def set_near_far(self, near: float, far: float) -> None:
        """Sets the clipping distances; ValueError unless 0 < near < far."""

    @property
    def depth_only(self) -> bool:
        """Whether it draws distances only."""

    @depth_only.setter
    def depth_only(self, value: bool) -> None: ...
    @property
    def render_target(self) -> Literal["window", "image"]:
        """Where its pictures go."""

    def set_render_target(self, target: Literal["window", "image"], w: int = 400, h: int = 300) -> None:
        """Sends its pictures to a window or to images of the given size."""

    @property
    def position_track(self) -> Literal["free", "fixed_local", "fixed_world"]:
        """How its position follows the link."""

    @position_track.setter
    def position_track(self, value: Literal["free", "fixed_local", "fixed_world"]) -> None: ...
    @property
    def rotation_track(self) -> Literal["free", "fixed_local", "fixed_world", "look_at_link"]:
        """How its rotation follows the link."""

    @rotation_track.setter
    def rotation_track(self, value: Literal["free", "fixed_local", "fixed_world", "look_at_link"]) -> None: ...
    @property
    def track_target_link(self) -> Link | None:
        """The link it looks at with `rotation_track="look_at_link"`."""

    @track_target_link.setter
    def track_target_link(self, value: Link | None) -> None: ...
    def get_pose(self, data: SceneData) -> _Floats:
        """Pose in the world, shape `(*, 7)`; it looks along its -z axis."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class CameraMgr:
    """The cameras of a model, by index, name or slice. IndexError for what does not exist."""

    @property
    def cameras(self) -> list[Camera]:
        """All cameras."""

    @property
    def model(self) -> SceneModel:
        """The model."""

    def tolist(self) -> list[Camera]:
        """All cameras."""

    def _ipython_key_completions_(self) -> list[str]: ...
    def get_index(self, name: str) -> int | None:
        """Index of a camera; None when there is none of this name."""

    @property
    def system_render_target(self) -> Literal["window", "image"]:
        """Where the pictures of the system camera go."""

    def set_system_render_target(self, target: Literal["window", "image"], w: int = 400, h: int = 300) -> None:
        """Sends the pictures of the system camera to a window or to images of the given size."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: SupportsIndex | str, /) -> Camera: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[Camera]: ...

@final
class Keyframe:
    """A named state of the file."""

    @property
    def name(self) -> str | None:
        """Name."""

    @property
    def index(self) -> int:
        """Position in `model.keyframes`."""

    @property
    def model(self) -> SceneModel:
        """The model."""

    @property
    def time(self) -> float | None:
        """Time, or None when it is not given."""

    @property
    def dof_pos(self) -> NDArray[np.float32]:
        """Positions; empty when they are not given."""

    @property
    def dof_vel(self) -> NDArray[np.float32]:
        """Velocities; empty when they are not given."""

    @property
    def ctrl(self) -> NDArray[np.float32]:
        """Controls; empty when they are not given."""

    def apply(self, data: SceneData) -> None:
        """Writes what the keyframe gives into all worlds and leaves the rest. Call `forward_kinematic` for fresh
        poses."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class ContactQuery:
    """The contacts of data, as a live view: later steps are seen."""

    @property
    def num_contacts(self) -> int | NDArray[np.uint32]:
        """Number of contacts: an int for one world, shape `(n,)` for a batch."""

    def _table(self, most: int) -> NDArray[np.float64]:
        """Up to `most` contacts of each world, shape `(*, most, 9)`: geom, geom, distance, position, force on the
        second geom in the world; NaN where there are fewer."""

    def is_colliding(self, geom_pairs: ArrayLike) -> NDArray[np.bool_]:
        """Whether pairs of geoms touch, shape `(*, n)` for integer pairs of shape `(n, 2)`, in either order."""

    def contacting_geoms(self, geom: Geom | int) -> NDArray[np.uint32] | list[NDArray[np.uint32]]:
        """The indices of the geoms that touch a geom, in order; for a batch a list with those of each world."""

@final
class Painter:
    """Pictures from arrays of poses; `motrixsim.render.Renderer` is the way to use it."""

    def __new__(cls, model: SceneModel) -> Painter: ...
    @property
    def model(self) -> SceneModel:
        """The model."""

    def geom_colours(self) -> NDArray[np.float32]:
        """Colours of the geoms as pictures show them, shape `(geoms, 4)`."""

    def geom_groups(self) -> list[int]:
        """Groups of the geoms."""

    def geom_mesh(
        self, geom: int, window: Sequence[float] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.uint32]] | None:
        """Vertices and faces of a mesh or of terrain, or of a window of it, in the frame of the geom; None for other
        shapes."""

    def geom_sizes(self, data: SceneData) -> _Floats | None:
        """Sizes of the geoms in each world, shape `(*, geoms, 3)`; None when no world overrides them."""

    def geom_windows(self, data: SceneData) -> _Floats | None:
        """What each world sees of the height fields, shape `(*, height field geoms, 5)`: first row and column, numbers
        of rows and columns, factor of the heights; None when all worlds see all of it."""

    def tendons(self, links: ArrayLike, offsets: ArrayLike, groups: int) -> NDArray[np.float64]:
        """The straight parts of tendons in worlds with `links`, shape `(worlds, links, 7)`, moved by `offsets`, shape
        `(worlds, 3)`: rows of both ends, radius and colour, shape `(n, 11)`. Bit k of `groups` shows those of group
        k."""

    def terrain_digest(self) -> int:
        """A number that changes when heights of the model do."""

    def image_size(self, camera: int | None = None) -> tuple[int, int] | None:
        """Width and height of the images of a camera, or of the system camera; None when they go to a window."""

    def free_camera(self) -> tuple[list[float], float, float, float, float]:
        """Where the file puts the free camera: point looked at, distance, then elevation, azimuth and field of view in
        degrees."""

    def window(self, camera: int, width: int, height: int) -> tuple[list[float], bool]:
        """The window a camera sees at distance 1: left, right, bottom, top; and whether it is orthographic."""

    def paint(
        self,
        kind: Literal["rgb", "depth", "segmentation"],
        links: ArrayLike,
        offsets: ArrayLike,
        views: ArrayLike,
        width: int,
        height: int,
        samples: int = 1,
        shadows: bool = True,
        groups: int = 7,
        sizes: ArrayLike | None = None,
        extras: ArrayLike | None = None,
        windows: ArrayLike | None = None,
    ) -> NDArray[Any]:
        """Draws pictures.

        Each of the pictures of `links`, shape `(pictures, worlds, links, 7)`, shows worlds moved by `offsets`, shape
        `(worlds, 3)`. A row of `views`, shape `(pictures, 14)`, has a camera's pose, window, 1 if it is orthographic,
        and the depths between which things are seen. Bit k of `groups` shows the geoms of group k. Rows of `extras`,
        shape `(n, 15)`, are further shapes: MuJoCo's number of the kind, size, pose, colour. `sizes` and `windows` are
        those of `geom_sizes` and `geom_windows`, per picture and world. Colours also show tendons.
        """
