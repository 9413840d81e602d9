"""Every documented name exists, with its parameters, its defaults, its base class, and settable where it is said to be.

`api_surface.json` lists the public API that programs rely on.
"""

import inspect
import json
from pathlib import Path

import pytest

import motrixsim

SURFACE = json.loads((Path(__file__).parent / "api_surface.json").read_text())
CLASSES = sorted(SURFACE["classes"])
METHODS = [(name, method) for name in CLASSES for method in SURFACE["classes"][name]["methods"]]
ATTRIBUTES = [(name, attribute) for name in CLASSES for attribute in SURFACE["classes"][name]["attributes"]]


@pytest.mark.parametrize("name", CLASSES)
def test_the_class_exists_with_its_base(name: str) -> None:
    cls = getattr(motrixsim, name)
    assert cls.__base__.__name__ == SURFACE["classes"][name]["base"]
    assert name in motrixsim.__all__


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_the_method_takes_the_documented_parameters(name: str, method: str) -> None:
    function = getattr(getattr(motrixsim, name), method)
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    given = [p.name if p.default is p.empty else f"{p.name}={p.default}" for p in parameters]
    documented = [p.replace("'", "") for p in SURFACE["classes"][name]["methods"][method]]
    # Further parameters may follow if they have defaults.
    assert given[: len(documented)] == documented
    assert all("=" in extra for extra in given[len(documented) :])


@pytest.mark.parametrize(("name", "attribute"), ATTRIBUTES)
def test_the_attribute_is_settable_as_documented(name: str, attribute: str) -> None:
    member = inspect.getattr_static(getattr(motrixsim, name), attribute)
    if not SURFACE["classes"][name]["attributes"][attribute]:
        assert not isinstance(member, property) or member.fset is None
    else:
        assert hasattr(member, "__set__")


@pytest.mark.parametrize("name", [name for name in CLASSES if SURFACE["classes"][name]["constructor"]])
def test_the_constructor_takes_the_documented_parameters(name: str) -> None:
    parameters = list(inspect.signature(getattr(motrixsim, name)).parameters)
    documented = [p.split("=")[0].strip() for p in SURFACE["classes"][name]["constructor"]]
    assert parameters[: len(documented)] == documented


@pytest.mark.parametrize("name", [name for name in CLASSES if not SURFACE["classes"][name]["constructor"]])
def test_other_classes_are_made_by_the_model_only(name: str) -> None:
    with pytest.raises(TypeError):
        getattr(motrixsim, name)()


@pytest.mark.parametrize("name", sorted(SURFACE["functions"]))
def test_the_function_takes_the_documented_parameters(name: str) -> None:
    parameters = list(inspect.signature(getattr(motrixsim, name)).parameters)
    documented = SURFACE["functions"][name]
    assert parameters[: len(documented)] == documented


@pytest.mark.parametrize("name", sorted(SURFACE["exceptions"]))
def test_the_exception_has_its_base(name: str) -> None:
    assert getattr(motrixsim, name).__base__.__name__ == SURFACE["exceptions"][name]
