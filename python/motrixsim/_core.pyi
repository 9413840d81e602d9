"""The compiled half of the package: what each name means, kept equal to the binary by `stubtest`."""

from typing import Literal, final

__all__ = ["LaneInfo", "__version__", "available_lanes", "lane_info"]

__version__: str
"""Version of the package, equal to that of the Rust crates."""

@final
class LaneInfo:
    """A lane type: how many worlds share a vector register, and of which numbers."""

    @property
    def name(self) -> str:
        """For example `"f32x8-avx2"`: numbers, lanes, instruction set."""

    @property
    def count(self) -> int:
        """How many worlds step together."""

    @property
    def precision(self) -> Literal["f32", "f64"]:
        """The numbers the physics is computed in."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def lane_info(precision: Literal["f32", "f64"] = "f32") -> LaneInfo:
    """The lanes that worlds of this precision are computed in.

    The fastest type of the processor, unless the environment variable `MOTRIX_LANES` names another: `avx2`, `portable`,
    `portable-fma` or `scalar`. The variable is read once per process.

    Raises `RuntimeError` when `MOTRIX_LANES` names a type that does not exist or that this processor cannot run.
    """

def available_lanes() -> list[LaneInfo]:
    """Every lane type this processor can run. All of them are in every wheel; the choice is made at run time."""
