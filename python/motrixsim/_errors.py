"""Exceptions that need two base classes, which only a class written in Python can have."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core import LoadProblem


class LoadError(ValueError, RuntimeError):
    """A model that cannot be loaded.

    The text lists every problem, one per line, as `file:line:column <element>: message`; `problems` has them as
    objects.
    """

    problems: list[LoadProblem]

    def __init__(self, message: str, problems: list[LoadProblem] | None = None) -> None:
        super().__init__(message)
        self.problems = list(problems or [])
