"""Many robot worlds in lockstep on the CPU, with MuJoCo's physics.

The public names of the package, each once. What they mean is documented in `_core.pyi`.
"""

from ._core import __version__

__all__ = ["__version__"]
