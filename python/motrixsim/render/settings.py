"""What a program chooses about pictures: their quality, what is shown, where widgets go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .errors import InvalidArgumentError
from .renderer import DEFAULT_GROUPS

__all__ = ["Layout", "RenderOpt", "RenderSettings"]


@dataclass
class RenderSettings:
    """How much a picture may cost.

    `enable_shadow` is obeyed by pictures and windows, and `samples`, per pixel along each side, by pictures. The other
    settings are kept so that programs written for them run: they name techniques of graphics cards that have no
    counterpart here, except that transparency is always independent of order.
    """

    simplify_render_mesh: bool = False
    enable_shadow: bool = True
    enable_ssao: bool = True
    enable_oit: bool = True
    share_lights_between_envs: bool = False
    enable_ssgi: bool = False
    samples: Literal[1, 2, 4] = 2

    @classmethod
    def quality(cls) -> RenderSettings:
        """For looking at."""
        return cls(False, True, True, True, False, True, 4)

    @classmethod
    def performance(cls) -> RenderSettings:
        """For speed."""
        return cls(True, False, False, False, True, False, 1)


@dataclass
class RenderOpt:
    """What is shown."""

    groups: set[int] = field(default_factory=lambda: set(DEFAULT_GROUPS))
    #: Whether the readings of range finders are drawn as points.
    lidar_points: bool = False
    #: Whether the panel with the controls is open.
    left_panel: bool = True

    def set_group_vis(self, group: int, visible: bool) -> None:
        """Shows or hides the geoms of a group."""
        if not 0 <= group < 32:
            raise InvalidArgumentError(f"groups are numbered from 0 to 31, got {group}")
        (self.groups.add if visible else self.groups.discard)(group)

    def set_lidar_points_vis(self, visible: bool) -> None:
        """Shows or hides where the beams of range finders end."""
        self.lidar_points = visible

    def set_left_panel_vis(self, visible: bool) -> None:
        """Opens or closes the panel with the controls."""
        self.left_panel = visible


@dataclass(frozen=True)
class Layout:
    """Where a widget is and how large: pixels, shares of the window such as `"30%"`, or `"auto"`."""

    left: float | str = "auto"
    top: float | str = "auto"
    width: float | str = "auto"
    height: float | str = "auto"

    def __post_init__(self) -> None:
        for name in ("left", "top", "width", "height"):
            _length(getattr(self, name), 1.0)

    def in_pixels(self, width: int, height: int) -> tuple[int | None, int | None]:
        """The size in a window of this size; None where it is left to the window."""
        return _length(self.width, width), _length(self.height, height)

    def place_in_pixels(self, width: int, height: int) -> tuple[int | None, int | None]:
        """Distances from the left and the top of a window of this size; None where they are left to the window."""
        return _length(self.left, width), _length(self.top, height)


def _length(value: float | str, whole: float) -> int | None:
    """A length in pixels; None for `"auto"`."""
    if value == "auto":
        return None
    try:
        if isinstance(value, str) and value.endswith("%"):
            return round(float(value[:-1]) / 100 * whole)
        return round(float(value.removesuffix("px") if isinstance(value, str) else value))
    except ValueError:
        raise InvalidArgumentError(
            f"a length is a number of pixels, a share such as '30%' or 'auto', got {value!r}"
        ) from None
