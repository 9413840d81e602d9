"""The compiled half of the package: what each name means, kept equal to the binary by `stubtest`."""

__all__ = ["__version__"]

__version__: str
"""Version of the package, equal to that of the Rust crates."""
