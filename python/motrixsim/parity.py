"""Compares the engine with MuJoCo on a model of yours: `python -m motrixsim.parity robot.xml`.

The same file is loaded by both. Compiled fields are compared first, then every stage of a forward pass at random
states, then short runs. Each line of the report is a quantity with the largest difference found, relative to the
largest number of its array (or to 1, if that is larger), and the bound it must keep. Contacts are compared as sets, and
triangles of convex hulls as surfaces; where there is more than one right set of contacts, a referee that knows the
shapes alone decides, and a remark tells of it. In single precision a quantity may be further off where rounding the
inputs moves MuJoCo's own result as far. The exit status tells whether all bounds were kept. It needs the package
`mujoco` and sets `contact_model = "mujoco"`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import motrixsim
from motrixsim._equivalent import aligned, area_difference, in_order, tensors
from motrixsim._pairs import Pair, names, objection_to, pairs
from motrixsim._report import Report
from motrixsim._uncertain import length_ranges, rounded

Array = NDArray[np.float64]
Precision = Literal["f32", "f64"]

MODEL_BOUND = 1e-12
"""Compiled numbers, in double precision."""

DISTANCE_BOUND = 1e-5
"""Distance of contacts that a convex collider found: ten of its tolerances."""

MANY_ITERATIONS = 100
"""Enough for a solver to find the minimum whatever the file grants it."""

CLOSE_CONTACTS = 1e-14
"""Tolerance of MuJoCo's convex collider, metres. It resolves depths to it, and directions between curved shapes to the
root of it over their radius: this leaves what rounding leaves of depths, and a ten millionth of directions."""

PLACE_BOUND = 5e-3
"""Their place: as uncertain as the direction in which two nearly flat shapes are closest."""


@dataclass(frozen=True)
class Stage:
    """Quantities that are computed together, and how far they may be off in double and single precision."""

    name: str
    double: float
    single: float
    fields: tuple[str, ...]

    def bound(self, precision: Precision) -> float:
        return self.double if precision == "f64" else self.single


STAGES = (
    Stage(
        "position",
        1e-13,
        1e-6,
        (
            *("xpos", "xquat", "xmat", "xipos", "xiquat", "ximat", "subtree_com", "xanchor", "xaxis", "geom_xpos"),
            *("geom_xquat", "geom_xmat", "site_xpos", "site_xquat", "site_xmat", "cam_xpos", "cam_xmat"),
        ),
    ),
    Stage("inertia", 1e-13, 3e-6, ("cinert", "crb", "cdof", "qM")),
    Stage("factors", 1e-11, 1e-5, ("qLD", "qLDiagInv")),
    Stage("tendons", 1e-10, 1e-5, ("ten_length", "ten_J", "ten_velocity", "actuator_moment")),
    Stage(
        "velocity",
        1e-12,
        1e-5,
        (
            *("cvel", "cdof_dot", "qfrc_bias", "qfrc_spring", "qfrc_damper", "qfrc_gravcomp", "qfrc_fluid"),
            *("qfrc_passive", "qfrc_actuator", "qfrc_smooth"),
            *("actuator_length", "actuator_velocity", "actuator_force", "act_dot", "subtree_linvel", "subtree_angmom"),
            "energy",
        ),
    ),
    Stage("free motion", 1e-11, 1e-5, ("qacc_smooth",)),
    Stage(
        "constraint rows",
        1e-11,
        1e-5,
        (
            *("efc_id", "efc_J", "efc_pos", "efc_margin", "efc_vel", "efc_diagA", "efc_R", "efc_D", "efc_aref"),
            *("efc_frictionloss", "contact_friction", "contact_solref", "contact_solreffriction", "contact_solimp"),
            *("contact_includemargin", "contact_efc_address"),
        ),
    ),
    Stage("solution", 1e-8, 1e-4, ("qacc", "qfrc_constraint", "efc_force")),
    Stage("sensors", 1e-10, 1e-5, ("sensors of positions", "sensors of velocities")),
    Stage("force sensors", 1e-8, 1e-4, ("sensors of accelerations",)),
)
"""In the order of a step. Rows and what follows are compared where both found the same contacts."""

SENSORS = {"sensors of positions": 1, "sensors of velocities": 2, "sensors of accelerations": 3}
"""Readings by the stage that they need (`mjtStage`)."""

NEED_SOLUTION = {"solution", "force sensors"}
"""Stages that follow from the solver's accelerations."""

CONVERGED = 1e-9
"""Largest force that a minimum may leave unbalanced, relative to the largest force."""

SIZES = ("nq", "nv", "nu", "na")
"""Sizes of states, which must be the same before both can be given one."""

NEED_ROWS = {"constraint rows", "solution", "force sensors"}
"""Stages that make sense only where both have the same constraints."""

SPARSE = {
    "qLD": ("model", "M"),
    "ten_J": ("model", "ten_J"),
    "actuator_moment": ("data", "moment"),
    "efc_J": ("data", "efc_J"),
}
"""Matrices that MuJoCo keeps in compressed rows: where the description of the rows is, and under which name."""

NOT_COMPARED = {
    *("body_iquat", "body_inertia"),  # axes of equal moments may be any: tensors are compared instead
    *("mesh_face", "mesh_facenormal", "mesh_normal"),  # compared mesh by mesh, as surfaces
    *("tolerance", "iterations"),  # how long solvers run is set here
    "actuator_lengthrange",  # found by a simulation, whose rounding grows
}
"""Fields of the model that are compared in another way."""

SURFACE_BOUND = 1e-6
"""Areas of surfaces whose vertices are kept in single precision."""

INHERITED = {"xiquat": "body_iquat", "ximat": "body_iquat", "geom_xquat": "geom_quat", "geom_xmat": "geom_quat"}
"""Poses that differ at least as much as the compiled axes they are made of: those of nearly equal moments of inertia
are uncertain beyond rounding."""

TURN = 4.0
"""Entries of a rotation matrix change by at most this much times the change of its quaternion."""

ROUNDINGS = 8.0
"""How many times what one rounding of all numbers does to a quantity may come together in it: a sum is rounded at each
of its terms."""


def difference(ours: Array, theirs: Array) -> float:
    """The largest difference, relative to the largest number or to 1; infinite for different shapes."""
    if ours.shape != theirs.shape:
        return float("inf")
    if ours.size == 0:
        return 0.0
    scale = max(1.0, float(np.abs(theirs).max()))
    return float(np.abs(ours - theirs).max()) / scale


def stored_difference(ours: Array, theirs: NDArray[Any]) -> float:
    """The difference from an array that may be kept in single precision, where neighbouring numbers are the same."""
    if theirs.dtype == np.float32 and ours.shape == theirs.shape and ours.size:
        near = np.abs(ours - theirs) <= np.spacing(np.abs(theirs)).astype(float)
        ours = np.where(near, theirs, ours)
    return difference(ours, np.asarray(theirs, float))


def unbalanced(inertia: Array, acceleration: Array, smooth: Array, constraint: Array) -> float:
    """The largest force that inertia does not balance, relative to the largest of all."""
    if acceleration.size == 0:
        return 0.0
    rest = np.abs(inertia @ acceleration - smooth - constraint).max()
    return float(rest / max(1.0, np.abs(smooth).max(), np.abs(constraint).max()))


class Comparison:
    """A model in both engines, and what was found."""

    def __init__(self, path: Path, precision: Precision = "f64") -> None:
        self.mujoco: Any = importlib.import_module("mujoco")
        self.precision = precision
        self.scene = motrixsim.load_model(path)
        self.scene.options.contact_model = "mujoco"
        self.theirs: Any = self.mujoco.MjModel.from_xml_path(str(path))
        # Both go on until nothing improves, so that what is left is rounding and not two ways to stop.
        self.scene.options.solver_tolerance = 1e-300
        self.scene.options.max_iterations = MANY_ITERATIONS
        self.theirs.opt.tolerance = 0.0
        self.theirs.opt.iterations = MANY_ITERATIONS
        self.path = path
        self.report = Report()
        for problem in self.scene.load_report:
            self.report.remark(f"left out: {problem.element}: {problem.message}")
        self.axes = {
            name: difference(
                aligned(name, np.asarray(getattr(self.scene.low, name)), getattr(self.theirs, name)),
                getattr(self.theirs, name),
            )
            for name in set(INHERITED.values())
        }

    def compiled(self) -> None:
        """Compares every field that both models have."""
        low = self.scene.low
        self.fields(low, self.theirs, "")
        ours = tensors(low.body_inertia, low.body_iquat)
        theirs = tensors(self.theirs.body_inertia, self.theirs.body_iquat)
        self.report.add("compiled", "inertia tensors", difference(ours, theirs), MODEL_BOUND)
        self.length_ranges(low)
        self.meshes(low)

    def length_ranges(self, low: Any) -> None:
        """Compares the lengths that muscles can reach. A simulation finds them: they are as uncertain as MuJoCo's own,
        and stages are compared with ours, since the force of a muscle follows steeply from them."""
        theirs = self.theirs.actuator_lengthrange
        ours = np.asarray(low.actuator_lengthrange, float).reshape(-1, 2)
        error, bound, note = difference(ours, theirs), MODEL_BOUND, ""
        if MODEL_BOUND < error < np.inf:
            spread = max(difference(other, theirs) for other in length_ranges(self.mujoco, self.path))
            bound, note = bound + spread, f"MuJoCo's own moves by {spread:.0e} when its inputs are rounded"
        self.report.add("compiled", "actuator_lengthrange", error, bound, note)
        if error <= bound:
            theirs[:] = ours

    def meshes(self, low: Any) -> None:
        """Compares the triangles of meshes and, where these are the same, their normals."""
        theirs = self.theirs
        ours_face, ours_which = (np.asarray(getattr(low, n)).reshape(-1, 3) for n in ("mesh_face", "mesh_facenormal"))
        ours_normal = np.asarray(low.mesh_normal).reshape(-1, 3)
        if ours_face.shape != theirs.mesh_face.shape or ours_normal.shape != theirs.mesh_normal.shape:
            self.report.add("compiled", "mesh_face", float("inf"), SURFACE_BOUND)
            return
        for mesh in range(theirs.nmesh):
            slices = [
                slice(start, start + count)
                for start, count in (
                    (theirs.mesh_vertadr[mesh], theirs.mesh_vertnum[mesh]),
                    (theirs.mesh_faceadr[mesh], theirs.mesh_facenum[mesh]),
                    (theirs.mesh_normaladr[mesh], theirs.mesh_normalnum[mesh]),
                )
            ]
            vertices, faces, normals = slices
            same = np.array_equal(ours_face[faces], theirs.mesh_face[faces])
            points = np.asarray(theirs.mesh_vert[vertices], float)
            areas = area_difference(points, ours_face[faces], np.asarray(theirs.mesh_face[faces], float))
            self.report.add("compiled", "mesh_face", areas, SURFACE_BOUND, theirs.mesh(mesh).name)
            if same:
                which = difference(ours_which[faces], np.asarray(theirs.mesh_facenormal[faces], float))
                self.report.add("compiled", "mesh_facenormal", which, MODEL_BOUND, theirs.mesh(mesh).name)
                normal = stored_difference(ours_normal[normals], theirs.mesh_normal[normals])
                self.report.add("compiled", "mesh_normal", normal, MODEL_BOUND, theirs.mesh(mesh).name)

    def fields(self, low: Any, model: Any, group: str) -> None:
        """Compares the fields of a group, such as `opt`, that both have."""
        for name in dir(low):
            if name.startswith("_") or name in NOT_COMPARED or not hasattr(model, name):
                continue
            ours, theirs = getattr(low, name), getattr(model, name)
            if isinstance(ours, type(self.scene.low)):
                self.fields(ours, theirs, f"{group}{name}.")
            elif isinstance(theirs, np.ndarray | float | int):
                theirs = np.asarray(theirs, float)
                ours = np.asarray(ours, float)
                ours = ours.reshape(theirs.shape) if ours.size == theirs.size else ours
                error = difference(aligned(name, ours, theirs), theirs)
                self.report.add("compiled", group + name, error, MODEL_BOUND)

    def resolve_contacts(self) -> None:
        """Lets MuJoCo's collider go on too: at its own tolerance it leaves the depths of curved shapes by more than the
        bound. Ours are as exact at the tolerance of the file."""
        self.limited = self.mujoco.MjModel.from_xml_path(str(self.path))
        self.theirs.opt.ccd_tolerance = CLOSE_CONTACTS
        self.theirs.opt.ccd_iterations = 2 * MANY_ITERATIONS

    def wake(self) -> None:
        """Keeps all bodies of MuJoCo's awake: none sleep in the engine, which says so when it loads the file."""
        self.theirs.opt.enableflags &= ~int(self.mujoco.mjtEnableBit.mjENBL_SLEEP)

    def same_sizes(self) -> bool:
        """Whether states of one are states of the other; not so where a file asks for what the engine leaves out."""
        for name in SIZES:
            gap = abs(int(getattr(self.theirs, name)) - int(np.asarray(getattr(self.scene.low, name)).item()))
            self.report.add("compiled", name, float(gap), 0.0, "" if gap == 0 else "states are not compared")
        return all(self.report.worst["compiled", name][0] == 0.0 for name in SIZES)

    def state(self, seed: int) -> Any:
        """A state of MuJoCo's: for seed 0 the first keyframe or the reference, for others further from it."""
        data = self.mujoco.MjData(self.theirs)
        if self.theirs.nkey:
            self.mujoco.mj_resetDataKeyframe(self.theirs, data, 0)
        if seed:
            rng = np.random.default_rng(seed)
            reach = [0.02, 0.05, 0.1, 0.2, 0.4][(seed - 1) % 5]
            self.mujoco.mj_integratePos(self.theirs, data.qpos, rng.normal(size=self.theirs.nv), reach)
            data.qvel[:] = rng.normal(size=self.theirs.nv) * 5 * reach
            low, high = np.clip(self.theirs.actuator_ctrlrange, -10, 10).T
            limited = self.theirs.actuator_ctrllimited.astype(bool)
            data.ctrl[:] = np.where(limited, rng.uniform(low, high), rng.normal(size=self.theirs.nu) * 0.5)
            data.act[:] = rng.uniform(0.0, 0.5, size=self.theirs.na)
        return data

    def place(self, data: Any) -> motrixsim.SceneData:
        """The same state in the engine."""
        ours = motrixsim.SceneData(self.scene, precision=self.precision)
        if self.theirs.nkey:
            self.scene.keyframes[0].apply(ours)
        ours.set_dof_pos(self.to_dof_pos(data.qpos), self.scene)
        ours.set_dof_vel(data.qvel)
        if self.theirs.nu:
            ours.actuator_ctrls = np.asarray(data.ctrl)
        if self.theirs.na:
            ours.actuator_activations = np.asarray(data.act)
        self.scene.forward_kinematic(ours)
        return ours

    def to_dof_pos(self, qpos: Array) -> Array:
        """Quaternions `w x y z` as `i j k w`."""
        out: Array = qpos.copy()
        free, ball = int(self.mujoco.mjtJoint.mjJNT_FREE), int(self.mujoco.mjtJoint.mjJNT_BALL)
        for kind, first in zip(self.theirs.jnt_type, self.theirs.jnt_qposadr, strict=True):
            if int(kind) in (free, ball):
                at = first + 3 if int(kind) == free else first
                out[at : at + 4] = qpos[[at + 1, at + 2, at + 3, at]]
        return out

    def stages(self, seed: int) -> None:
        """Compares everything between a state and its acceleration."""
        data = self.state(seed)
        self.same_state(self.place(data).low, data, seed)

    def same_state(self, low: Any, data: Any, seed: int) -> None:
        """Compares the intermediates of one world with MuJoCo's at the state that both were given."""
        self.forward(self.theirs, data)
        others = [] if self.precision == "f64" else rounded(self.mujoco, self.theirs, data)
        order = self.contacts(low, data, others)
        same_rows = order is not None and int(low.nefc[0]) == data.nefc and np.array_equal(low.efc_type, data.efc_type)
        if order is not None:
            self.report.add("constraint rows", "nefc", float(abs(int(low.nefc[0]) - data.nefc)), 0.0, f"seed {seed}")
        solved = self.solved(low, data, same_rows, seed)
        for stage in STAGES:
            if (stage.name in NEED_ROWS and not same_rows) or (stage.name in NEED_SOLUTION and not solved):
                continue
            for name in stage.fields:
                theirs = self.value(name, data)
                ours = self.readings(name, low.sensordata) if name in SENSORS else np.asarray(getattr(low, name), float)
                ours = ours.reshape(theirs.shape) if ours.size == theirs.size else ours
                if order is not None and name.startswith(("efc_", "contact_")):
                    ours = in_order(name, ours, low, order)
                error = difference(aligned(name, ours, theirs), theirs)
                bound, note = stage.bound(self.precision), f"seed {seed}"
                bound += TURN * self.axes.get(INHERITED.get(name, ""), 0.0)
                if error > bound and (spread := self.spread(name, theirs, others)) > 0.0:
                    bound += ROUNDINGS * spread
                    note += f", MuJoCo's own moves by {spread:.0e} when all is rounded once"
                self.report.add(stage.name, name, error, bound, note)

    def forward(self, model: Any, data: Any) -> None:
        """Everything between a state and its acceleration, and what MuJoCo computes only when asked."""
        mujoco = self.mujoco
        for stage in (mujoco.mj_forward, mujoco.mj_subtreeVel, mujoco.mj_energyPos, mujoco.mj_energyVel):
            stage(model, data)

    def spread(self, name: str, theirs: Array, others: Sequence[Any]) -> float:
        """How far a quantity of MuJoCo's moves when all is rounded, where that leaves as many rows."""
        values = [self.value(name, data) for data in others]
        moved = [difference(aligned(name, other, theirs), theirs) for other in values if other.shape == theirs.shape]
        return max(moved, default=0.0)

    def solved(self, low: Any, data: Any, same_rows: bool, seed: int) -> bool:
        """Whether both solvers came to the minimum, so that their solutions can be compared. MuJoCo's line search gives
        up short of it in rare states; whether ours is there is compared in every state."""
        if self.theirs.opt.solver != self.mujoco.mjtSolver.mjSOL_NEWTON or self.theirs.opt.noslip_iterations:
            return True
        if same_rows and self.precision == "f64":
            forces = [np.asarray(getattr(low, name), float) for name in ("qfrc_smooth", "qfrc_constraint")]
            ours = unbalanced(np.asarray(low.qM, float), np.asarray(low.qacc, float), *forces)
            self.report.add("solution", "unbalanced force", ours, CONVERGED, f"seed {seed}")
        if self.gap(data) <= CONVERGED:
            return True
        self.report.remark("MuJoCo's solver gave up before its minimum; forces are not compared there")
        return False

    def gap(self, data: Any) -> float:
        """How far MuJoCo's solution is from its minimum."""
        return unbalanced(self.value("qM", data), data.qacc, data.qfrc_smooth, data.qfrc_constraint)

    def value(self, name: str, data: Any) -> Array:
        """A quantity of MuJoCo's data, dense."""
        if name.startswith("contact_"):
            return np.asarray(getattr(data.contact, name.removeprefix("contact_")), float)
        if name in SPARSE:
            return self.dense(name, data)
        if name == "qM":
            dense = np.zeros((self.theirs.nv, self.theirs.nv))
            self.mujoco.mj_fullM(self.theirs, data, dense)
            return dense
        if name in SENSORS:
            return self.readings(name, data.sensordata)
        return np.asarray(getattr(data, name), float)

    def dense(self, name: str, data: Any) -> Array:
        """A sparse matrix of MuJoCo's, written out."""
        owner, prefix = SPARSE[name]
        rows, values = (self.theirs if owner == "model" else data), np.ravel(getattr(data, name))
        counts, starts, columns = (
            np.ravel(getattr(rows, f"{prefix}_{part}")) for part in ("rownnz", "rowadr", "colind")
        )
        if name == "efc_J" and not self.mujoco.mj_isSparse(self.theirs):
            return np.asarray(values, float).reshape(data.nefc, self.theirs.nv)
        out = np.zeros((len(counts), self.theirs.nv))
        for row, (count, start) in enumerate(zip(counts, starts, strict=True)):
            out[row, columns[start : start + count]] = values[start : start + count]
        return out

    def readings(self, name: str, values: Array) -> Array:
        """The numbers of the sensors of a stage that the engine measures."""
        model, kinds = self.theirs, self.mujoco.mjtSensor
        skipped = {int(kinds.mjSENS_USER), int(kinds.mjSENS_PLUGIN)}
        chosen = [np.zeros(0)]
        for sensor in range(model.nsensor):
            if model.sensor_needstage[sensor] == SENSORS[name] and int(model.sensor_type[sensor]) not in skipped:
                first = model.sensor_adr[sensor]
                chosen.append(np.asarray(values[first : first + model.sensor_dim[sensor]], float))
        return np.concatenate(chosen)

    def contacts(self, low: Any, data: Any, others: Sequence[Any] = ()) -> NDArray[np.intp] | None:
        """Compares the contacts as sets, pair by pair of geoms. Returns which of ours is each of theirs, where they
        agree to rounding: a collider's tolerance would drown what follows. `others` are states of MuJoCo's in which all
        is rounded."""
        order = np.zeros(data.ncon, np.intp)
        exact = [self.contacts_of(pair, data, others, order) for pair in pairs(low, data)]
        return order if all(exact) and len(set(order)) == data.ncon == len(low.contact_dist) else None

    def contacts_of(self, pair: Pair, data: Any, others: Sequence[Any], order: NDArray[np.intp]) -> bool:
        """Compares the contacts of two geoms, each of theirs with the nearest of ours, and notes which that is in
        `order`. Returns whether they agree to rounding."""
        if len(pair.ours) != len(pair.theirs) and self.on_the_verge(pair):
            self.report.remark("geoms are as far apart as the margin lets them touch: rounding decides whether they do")
            return False
        count, distance, place = pair.off()
        note = ""
        if self.are_others(pair):
            if not all(self.are_others(pair.beside(other)) for other in others):
                kinds = names(self.theirs, pair)
                self.report.remark(f"other contacts than MuJoCo's, which has ours when all is rounded once: {kinds}")
                return False
            objection = objection_to(self.theirs, data, pair)
            if objection is None:
                kinds = names(self.theirs, pair)
                self.report.remark(f"other contacts than MuJoCo's, as right to a referee: {kinds}")
                return False
            note = f"{names(self.theirs, pair)}: {objection}"
            if count == 0.0 and (limit := self.limit_of_search(pair, data)) > distance:
                self.report.remark(
                    f"`ccd_iterations` end the search early, MuJoCo's by {limit:.0e} and ours by less: {note}"
                )
                return False
        self.report.add("contacts", "ncon", count, 0.0, note)
        self.report.add("contacts", "distance", distance, DISTANCE_BOUND, note)
        self.report.add("contacts", "place", place, PLACE_BOUND, note)
        for row, contact in pair.theirs if pair.ours else []:
            order[row] = pair.gaps(contact)[0]
        return count == 0.0 and place < self.exact_contacts()

    def are_others(self, pair: Pair) -> bool:
        """Whether the contacts of two geoms are others than a collider's tolerance explains."""
        count, distance, place = pair.off()
        return count > 0.0 or distance > DISTANCE_BOUND or place > PLACE_BOUND

    def limit_of_search(self, pair: Pair, data: Any) -> float:
        """How far the distances of two geoms are from MuJoCo's own if its search ends where the file tells it to."""
        other = self.mujoco.MjData(self.limited)
        for name in ("qpos", "mocap_pos", "mocap_quat"):
            getattr(other, name)[:] = getattr(data, name)
        self.mujoco.mj_fwdPosition(self.limited, other)
        distances = [contact.dist for contact in other.contact if tuple(contact.geom) == pair.geoms]
        found = [distance for _, (distance, *_) in pair.theirs]
        return difference(np.array(distances), np.array(found)) if distances else 0.0

    def on_the_verge(self, pair: Pair) -> bool:
        """Whether the contacts that only one of the two has of a pair are at its margin but for the rounding."""
        more, fewer = sorted((pair.ours, pair.theirs), key=len, reverse=True)
        # Margins of two geoms add up.
        first, second = pair.geoms
        margin = float(self.theirs.geom_margin[first] + self.theirs.geom_margin[second])
        at_margin = sum(abs(distance - margin) < self.exact_contacts() for _, (distance, *_) in more)
        return at_margin >= len(more) - len(fewer)

    def exact_contacts(self) -> float:
        """Contacts nearer than this are the same contact."""
        return 1e-11 if self.precision == "f64" else 1e-6

    def run(self, seed: int, steps: int) -> None:
        """Compares where both are after some steps from the same state."""
        data = self.state(seed)
        ours = self.place(data)
        for _ in range(steps):
            self.mujoco.mj_step(self.theirs, data)
            self.scene.step(ours)
            if data.ncon > 0 or self.mujoco_gave_up(data) or (data.nefc and self.stopped_short(data)):
                return
        bound = 1e-9 if self.precision == "f64" else 1e-3
        error = difference(np.asarray(ours.dof_pos, float), self.to_dof_pos(data.qpos))
        self.report.add("runs", f"qpos after {steps} steps", error, bound, f"seed {seed}, no contact")

    def stopped_short(self, data: Any) -> bool:
        """Whether the solver of MuJoCo's last step gave up before its minimum."""
        newton = self.theirs.opt.solver == self.mujoco.mjtSolver.mjSOL_NEWTON
        euler = self.theirs.opt.integrator != self.mujoco.mjtIntegrator.mjINT_RK4
        return self.precision == "f64" and bool(newton and euler) and self.gap(data) > CONVERGED

    def mujoco_gave_up(self, data: Any) -> bool:
        """Whether MuJoCo reset the state because it was no longer finite."""
        warnings = self.mujoco.mjtWarning
        bad = (warnings.mjWARN_BADQPOS, warnings.mjWARN_BADQVEL, warnings.mjWARN_BADQACC)
        return any(data.warning[kind].number > 0 for kind in bad)


def compare(path: Path, states: int = 6, steps: int = 100, precision: Precision = "f64") -> Report:
    """Compares a model: compiled fields, all stages at `states` states, and runs of `steps` steps from each."""
    comparison = Comparison(path, precision)
    if precision == "f64":
        comparison.compiled()
    comparison.resolve_contacts()
    comparison.wake()
    if not comparison.same_sizes():
        return comparison.report
    for seed in range(states):
        comparison.stages(seed)
    for seed in range(states if steps else 0):
        comparison.run(seed, steps)
    return comparison.report


def main(arguments: Sequence[str] | None = None, write: Callable[[str], object] = print) -> int:
    """Runs the comparison for the command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m motrixsim.parity", description="Compares the engine with MuJoCo.")
    parser.add_argument("model", type=Path, nargs="+", help="MJCF or URDF files")
    parser.add_argument("--states", type=int, default=6, help="states to compare (default 6)")
    parser.add_argument("--steps", type=int, default=100, help="steps of the runs (default 100, 0 for none)")
    parser.add_argument("--precision", choices=["f64", "f32"], default="f64", help="of the engine (default f64)")
    parser.add_argument("--all", action="store_true", help="list every quantity, not only those that differ")
    options = parser.parse_args(arguments)
    failed = 0
    for path in options.model:
        report = compare(path, options.states, options.steps, options.precision)
        failures = report.failures()
        failed += bool(failures)
        write(f"{path}: {'agrees' if not failures else f'{len(failures)} of {len(report.worst)} quantities differ'}")
        for line in report.lines(everything=options.all):
            write("  " + line)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
