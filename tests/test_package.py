"""The installed package: it imports, says its version, and asks for no more than it promises."""

import importlib.metadata
import sys
from pathlib import Path

from packaging.requirements import Requirement

import motrixsim

ROOT = Path(__file__).parent.parent
REQUIRED = [Requirement(line) for line in importlib.metadata.requires("openmotrix") or []]


def test_the_version_is_that_of_the_crates() -> None:
    assert motrixsim.__version__ == importlib.metadata.version("openmotrix")
    assert f'version = "{motrixsim.__version__}"' in (ROOT / "Cargo.toml").read_text()


def test_every_public_name_exists() -> None:
    for name in motrixsim.__all__:
        assert hasattr(motrixsim, name)


def test_numpy_is_the_only_hard_dependency() -> None:
    assert [need.name for need in REQUIRED if "extra" not in str(need.marker)] == ["numpy"]


def test_importing_brings_in_nothing_but_numpy(run_python) -> None:
    program = "import sys; before = set(sys.modules); import motrixsim; print(*set(sys.modules) - before)"
    result = run_python("-c", program)
    assert result.returncode == 0, result.stderr
    strangers = {name.split(".")[0] for name in result.stdout.split()} - {"motrixsim", "numpy"}
    assert strangers <= set(sys.stdlib_module_names)


def test_the_development_extra_pins_what_the_lock_pins() -> None:
    lock = (ROOT / "requirements-dev.txt").read_text().splitlines()
    locked = {str(Requirement(line)).split(";")[0] for line in lock if line and not line.startswith("#")}
    direct = {str(need).split(";")[0] for need in REQUIRED if 'extra == "dev"' in str(need.marker)}
    assert direct
    assert direct <= locked
