"""Triangles of the primitive shapes, for the page: unit shapes that are scaled, and capsules, which cannot be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["box", "capsule", "cylinder", "sphere"]

Mesh = tuple[NDArray[np.float32], NDArray[np.uint32]]


def _rings(profile: NDArray[np.float64], segments: int) -> Mesh:
    """A surface of revolution about z: `profile` has radius and height of each ring, from the bottom to the top."""
    angle = np.linspace(0, 2 * np.pi, segments, endpoint=False)
    around = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    vertices = np.concatenate(
        [np.column_stack([radius * around, np.full(segments, height)]) for radius, height in profile]
    )
    k = np.arange(segments)
    right = (k + 1) % segments
    faces = [
        np.concatenate([np.stack([a + k, a + right, b + right], 1), np.stack([a + k, b + right, b + k], 1)])
        for a, b in ((row * segments, (row + 1) * segments) for row in range(len(profile) - 1))
    ]
    return vertices.astype(np.float32), np.concatenate(faces).astype(np.uint32)


def sphere(segments: int = 24) -> Mesh:
    """A ball of radius 1."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, segments // 2 + 1)
    return _rings(np.stack([np.cos(angle), np.sin(angle)], axis=-1), segments)


def capsule(radius: float, half: float, segments: int = 20) -> Mesh:
    """A capsule along z."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, segments // 2 + 2)
    lift = np.where(angle < 0, -half, half)
    return _rings(np.stack([radius * np.cos(angle), radius * np.sin(angle) + lift], axis=-1), segments)


def cylinder(segments: int = 32) -> Mesh:
    """A cylinder along z of radius 1 and half length 1. Its edges are doubled, so that they stay sharp."""
    return _rings(np.array([[0, -1], [1, -1], [1, -1], [1, 1], [1, 1], [0, 1]], float), segments)


def box() -> Mesh:
    """A cube of half size 1, each side with corners of its own."""
    vertices: list[list[NDArray[np.float64]]] = []
    faces: list[NDArray[np.int64]] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
            middle, first = sign * np.eye(3)[axis], len(vertices) * 4
            vertices.append([middle - u - v, middle + u - v, middle + u + v, middle - u + v])
            quad = [[0, 1, 2], [0, 2, 3]] if sign > 0 else [[0, 2, 1], [0, 3, 2]]
            faces.extend(first + np.array(quad))
    return np.concatenate(vertices).astype(np.float32), np.array(faces, np.uint32)
