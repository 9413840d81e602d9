"""What can go wrong with pictures and windows."""

__all__ = ["InvalidArgumentError", "InvalidFileError", "OtherRenderError", "RenderClosedError", "RenderError"]


class RenderError(Exception):
    """The base of all errors of this package."""


class InvalidArgumentError(RenderError, ValueError):
    """A value that makes no sense here."""


class InvalidFileError(RenderError, ValueError):
    """A file that cannot be written or is of an unknown kind."""


class RenderClosedError(RenderError):
    """The renderer was closed, by the program or by the user."""


class OtherRenderError(RenderError, RuntimeError):
    """Anything else, such as a missing package."""
