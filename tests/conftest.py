"""What the Python tests share: a fresh interpreter, for what is decided once per process."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest


@pytest.fixture
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
