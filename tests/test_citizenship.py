"""What Python and its tools expect of objects: that they say what they are, and can be completed and documented."""

import ast
import inspect
import json
import rlcompleter
from pathlib import Path

import numpy as np

import motrixsim

TYPES = json.loads((Path(__file__).parent / "attribute_types.json").read_text())
STUB = ast.parse((Path(motrixsim.__file__).parent / "_core.pyi").read_text())

BATCHED = ("SceneData", "ContactQuery")
"""Classes whose arrays have one dimension more for a batch."""


def specimens(zoo) -> list[object]:
    """One of every class that users meet."""
    data = motrixsim.SceneData(zoo, (2,))
    shapes = {type(geom): geom for geom in zoo.geoms}
    actuators = {type(actuator): actuator for actuator in zoo.actuators}
    scanner = motrixsim.TerrainScanner(zoo.get_geom("terrain"), zoo.get_link("robot"), [[0.0, 0.0]])
    return [
        *(zoo, data, data[0], zoo.options, zoo.reports, zoo.low, data.low, data.views, scanner),
        *(zoo.bodies[0], zoo.links[0], zoo.joints[0], zoo.floating_bases[0], zoo.sites[0], zoo.keyframes[0]),
        *(zoo.get_hfield(0), zoo.cameras, zoo.cameras[0], zoo.get_body("target").mocap, zoo.get_contact_query(data)),
        *(motrixsim.DisjointIndices([1]), motrixsim.Shape.Capsule, motrixsim.DampingType.Kv),
        *(motrixsim.lane_info(), motrixsim.load_mjcf_str("<mujoco odd='1'/>", strict=False).load_report[0]),
        *shapes.values(),
        *actuators.values(),
    ]


def test_every_object_says_what_it_is(zoo) -> None:
    objects = specimens(zoo)
    public = {value for name, value in vars(motrixsim).items() if inspect.isclass(value) and name[0].isupper()}
    ours = {c for c in public if c.__module__ == "motrixsim" and not issubclass(c, BaseException)}
    adhesion = motrixsim.AdhesionActuator  # needs a body that sticks to something, which the zoo does not have
    bases = {motrixsim.Geom, motrixsim.Actuator, adhesion}
    assert ours - {type(o) for o in objects} - bases == set()
    for o in objects:
        assert " object at 0x" not in repr(o), type(o)
        assert type(o).__name__ in repr(o), repr(o)
        name = getattr(o, "name", None)
        assert not isinstance(name, str) or name in repr(o)


def test_names_are_completed(zoo) -> None:
    data = motrixsim.SceneData(zoo)
    complete = rlcompleter.Completer({"model": zoo, "data": data}).complete
    for beginning, end in (
        ("model.get_link_po", "ses("),
        ("data.views.dof_p", "os"),
        ("model.low.body_ma", "ss"),
        ("data.low.qac", "c"),
    ):
        found = {complete(beginning, k) for k in range(4)}
        assert beginning + end in found, found
    for o in specimens(zoo):
        assert all(hasattr(o, name) for name in dir(o) if not name.startswith("__")), type(o)
    assert zoo.cameras._ipython_key_completions_() == [camera.name for camera in zoo.cameras]


def documented(body: list[ast.stmt], owner: str = "") -> list[tuple[str, bool]]:
    found = []
    for node in body:
        if isinstance(node, ast.ClassDef):
            found.append((node.name, ast.get_docstring(node) is not None))
            found += documented(node.body, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            setter = any(isinstance(d, ast.Attribute) and d.attr == "setter" for d in node.decorator_list)
            overload = any(isinstance(d, ast.Name) and d.id == "overload" for d in node.decorator_list)
            found.append((owner + node.name, setter or overload or ast.get_docstring(node) is not None))
    return found


def test_every_public_name_is_documented_in_the_stub() -> None:
    names = [name for name, has_text in documented(STUB.body) if not has_text and not name.startswith("_")]
    assert names == []


def test_arrays_that_other_libraries_export_are_taken(zoo) -> None:
    """Anything with `__array__` or `__array_interface__` is an array."""

    class Exported:
        def __init__(self, array: np.ndarray) -> None:
            self.array = array

        @property
        def __array_interface__(self) -> dict[str, object]:
            return self.array.__array_interface__

    data = motrixsim.SceneData(zoo, (2,))
    values = np.arange(34, dtype=np.float64).reshape(2, 17)
    data.set_dof_vel(Exported(values))
    np.testing.assert_array_equal(data.dof_vel, values)
    data.set_dof_vel(memoryview(values + 1))
    np.testing.assert_array_equal(data.dof_vel, values + 1)


def described(value: object) -> str:
    return f"{value.dtype} {value.ndim}d" if isinstance(value, np.ndarray) else type(value).__name__


def test_attributes_have_the_documented_types(zoo) -> None:
    """Numbers are Python's, arrays are of single precision, lists are lists: programs compare, index and print them."""
    seen = set()
    for o in specimens(zoo):
        for owner in type(o).__mro__:
            for name, expected in TYPES.get(owner.__name__, {}).items():
                seen.add(f"{owner.__name__}.{name}")
                value = getattr(o, name)
                batched = name in ("dof_pos", "dof_vel", "actuator_ctrls", "num_contacts") and owner.__name__ in BATCHED
                if batched or (value is None and expected.endswith("| None")):
                    continue
                assert described(value) == expected.removesuffix(" | None"), f"{owner.__name__}.{name}"
    documented = {f"{owner}.{name}" for owner, names in TYPES.items() for name in names}
    assert documented - seen == set()
