"""Time as a window sets it: whether it runs, how fast, and single steps. One for all windows of a program."""

from __future__ import annotations

import threading

__all__ = ["CLOCK", "Clock"]


class Clock:
    """What `run.render_loop` asks before it steps."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._steps = 0
        #: Whether time stands still.
        self.paused = False
        #: Simulated seconds per second.
        self.speed = 1.0
        #: Whether a loop asks this clock. Where none does, a renderer holds the program back itself.
        self.driven = False

    def ask_for_step(self) -> None:
        """One more step although time stands still."""
        with self._lock:
            self._steps += 1

    def take_steps(self) -> int:
        """The steps that were asked for since the last call."""
        with self._lock:
            steps, self._steps = self._steps, 0
        return steps


CLOCK = Clock()
