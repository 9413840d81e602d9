"""Many robot worlds in lockstep on the CPU, with MuJoCo's physics.

The public names of the package, each once. What they mean is documented in `_core.pyi`.
"""

from ._core import LaneInfo, __version__, available_lanes, lane_info

__all__ = ["LaneInfo", "__version__", "available_lanes", "lane_info"]
