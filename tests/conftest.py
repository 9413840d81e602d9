"""What the Python tests share: a fresh interpreter, for what is decided once per process."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def run_python() -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Runs a program in a fresh interpreter, with environment variables of its own, and returns what it printed."""

    def run(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, *arguments],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run


@pytest.fixture(scope="session")
def zoo():
    """The zoo: a model with one of everything. Tests that change its options load their own."""
    import motrixsim

    return motrixsim.load_model(Path(__file__).parent / "models" / "zoo.xml")


@pytest.fixture(params=[((), "f32"), ((3,), "f32"), ((3,), "f64")], ids=["one", "batch", "batch-f64"])
def data(zoo, request):
    """Data of the zoo: one world, a batch, a batch in double precision."""
    import motrixsim

    batch, precision = request.param
    return motrixsim.SceneData(zoo, batch=batch, precision=precision)
