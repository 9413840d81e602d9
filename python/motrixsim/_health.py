"""What a step may notice in a world, and the error that tells it."""

from __future__ import annotations

from enum import IntFlag


class Health(IntFlag):
    """Flags of `data.health`, a mask per world."""

    NON_FINITE = 1
    """A position, velocity, activation or acceleration is infinite or not a number."""
    SPEED = 2
    """A joint moved faster than the limit."""
    ENERGY = 4
    """One step added more kinetic energy than the limit."""
    NOT_CONVERGED = 8
    """The constraint solver used all its iterations and still was above its tolerance."""
    DEEP_PENETRATION = 16
    """Two shapes overlapped deeper than the limit."""
    MERGED_CONTACTS = 32
    """Two shapes had more contacts than are kept for a pair, so that some were left out."""
    FATAL = NON_FINITE | SPEED | ENERGY
    """Those that mean the state is lost."""


_SINGLE = (
    Health.NON_FINITE,
    Health.SPEED,
    Health.ENERGY,
    Health.NOT_CONVERGED,
    Health.DEEP_PENETRATION,
    Health.MERGED_CONTACTS,
)


def names_of(mask: int) -> str:
    """The names of the flags in a mask, `A|B`; empty for none."""
    return "|".join(str(flag.name) for flag in _SINGLE if mask & flag)


class HealthError(RuntimeError):
    """A world stopped in a step under the policy "raise".

    `worlds` are its positions in the data that were stepped, `health` the masks. The worlds stand in the state from
    which the bad step started.
    """

    worlds: list[int]
    health: list[Health]

    def __init__(self, worlds: list[int], health: list[int]) -> None:
        self.worlds = list(worlds)
        self.health = [Health(mask) for mask in health]
        together = 0
        for mask in health:
            together |= mask
        some = ", ".join(str(world) for world in worlds[:10]) + (", ..." if len(worlds) > 10 else "")
        super().__init__(f"{len(worlds)} world(s) stopped ({names_of(together)}): {some}")

    def __reduce__(self) -> tuple[type[HealthError], tuple[list[int], list[int]]]:
        return type(self), (self.worlds, [int(mask) for mask in self.health])
