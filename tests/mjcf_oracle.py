"""Compiled models side by side with MuJoCo's: every field that `model.low` offers, and every name.

Numbers are compared to the size of the largest in their row, so that a component that vanishes may be rounded
differently; quaternions up to their sign, which means nothing.
"""

from __future__ import annotations

import mujoco
import numpy as np

#: Kinds of named objects, with the field of `mjModel` that counts them.
KINDS = {
    "body": "nbody",
    "joint": "njnt",
    "geom": "ngeom",
    "site": "nsite",
    "camera": "ncam",
    "light": "nlight",
    "mesh": "nmesh",
    "hfield": "nhfield",
    "texture": "ntex",
    "material": "nmat",
    "pair": "npair",
    "exclude": "nexclude",
    "equality": "neq",
    "tendon": "ntendon",
    "actuator": "nactuator",
    "sensor": "nsensor",
    "key": "nkey",
}


def field_names(low, prefix: str = "") -> list[str]:
    """All fields, those in groups with the group before them."""
    names: list[str] = []
    for name in dir(low):
        if name == "names" or name.startswith("__"):
            continue
        value = getattr(low, name)
        names += field_names(value, f"{prefix}{name}.") if hasattr(value, "names") else [f"{prefix}{name}"]
    return names


def field(model, name: str) -> np.ndarray:
    """A field of either model by its dotted name."""
    for part in name.split("."):
        model = getattr(model, part)
    return np.asarray(model, dtype=float)


#: What is left of a sum of numbers near 1 that cancel, where each engine sums in an order of its own.
CANCELLED = 1e-15


def deviation(name: str, ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest difference, relative to the largest number of its row; infinite when one is not a number."""
    if ours.size == 0:
        return 0.0
    rows = (ours.shape[0], -1) if ours.ndim > 1 else (ours.size, 1)
    ours, theirs = ours.reshape(rows), theirs.reshape(rows)
    if name.endswith("quat"):
        ours = ours * np.where((ours * theirs).sum(axis=1, keepdims=True) < 0, -1, 1)
    scale = np.abs(theirs).max(axis=1, keepdims=True)
    difference = np.abs(ours - theirs)
    difference = np.where(difference < CANCELLED, 0, difference / np.where(scale > 0, scale, 1))
    return float(np.nan_to_num(difference, nan=np.inf).max())


def object_names(oracle: mujoco.MjModel, kind: str) -> list[str]:
    code = getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
    return [mujoco.mj_id2name(oracle, code, i) or "" for i in range(getattr(oracle, KINDS[kind]))]


#: Triangles of a mesh that is given by its vertices only: any triangulation of the hull is as good as MuJoCo's.
TRIANGLES = ("mesh_face", "mesh_facenormal", "mesh_facetexcoord", "mesh_normal")

#: Length ranges are the outcome of a simulation of thousands of steps.
SIMULATED = {"actuator_lengthrange": 1e-8}


def differences(
    model, oracle: mujoco.MjModel, bound: float = 1e-10, single: float = 1e-6, triangles: bool = True
) -> list[str]:
    """What differs by more than `bound`; `single` holds for what MuJoCo stores in single precision, and with meshes."""
    low = model.low
    found = []
    for name in field_names(low):
        if name == "collision_pairs" or (name in TRIANGLES and not triangles):
            continue
        ours, theirs = field(low, name), field(oracle, name)
        stored = np.asarray(_raw(oracle, name))
        if ours.shape != theirs.shape and not ours.size == theirs.size == 0:
            found.append(f"{name}: shape {ours.shape}, not {theirs.shape}")
            continue
        rounded = oracle.nmesh > 0 or stored.dtype == np.float32
        allowed = single if rounded else SIMULATED.get(name, bound)
        if not deviation(name, ours, theirs) <= allowed:
            found.append(f"{name}: {ours.tolist()}, not {theirs.tolist()}")
    for kind in KINDS:
        ours, theirs = low.names(kind), object_names(oracle, kind)
        if ours != theirs:
            found.append(f"names of {kind}: {ours}, not {theirs}")
    return found


def _raw(model, name: str):
    for part in name.split("."):
        model = getattr(model, part)
    return model


def changed(oracle: mujoco.MjModel, base: mujoco.MjModel, names: list[str]) -> bool:
    """Whether two of MuJoCo's models differ in any of the fields, in the names of objects or of the model."""
    for name in names:
        a, b = field(oracle, name), field(base, name)
        if a.shape != b.shape or not np.array_equal(a, b, equal_nan=True):
            return True
    return any(object_names(oracle, kind) != object_names(base, kind) for kind in KINDS) or oracle.names != base.names
