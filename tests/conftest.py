"""What the Python tests share: a fresh interpreter, for what is decided once per process."""

import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
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


@pytest.fixture(scope="session")
def read_png() -> Callable[[Path], "np.ndarray"]:
    """Reads the PNG files that the package writes: bytes, no interlace, rows filtered by the pixel on the left."""

    def read(path: Path) -> np.ndarray:
        """The pixels of a file, shape `(h, w, channels)`."""
        data = path.read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
        assert depth == 8
        channels = {0: 1, 2: 3, 4: 2, 6: 4}[kind]
        body, at = b"", 8
        while at < len(data):
            (length,) = struct.unpack(">I", data[at : at + 4])
            name, chunk = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
            assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(name + chunk)
            body += chunk if name == b"IDAT" else b""
            at += 12 + length
        rows = np.frombuffer(zlib.decompress(body), np.uint8).reshape(height, 1 + width * channels)
        assert (rows[:, 0] == 1).all()
        pixels = rows[:, 1:].reshape(height, width, channels)
        return np.cumsum(pixels, axis=1, dtype=np.uint8)

    return read
