"""Convex hulls of meshes: the vertices and triangles that MuJoCo keeps, whole and cut short by `maxhullvert`.

Points are in general position. Where many lie in one plane MuJoCo merges faces while the hull grows, and a hull that is
cut short may end with other vertices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import motrixsim

mujoco: Any = pytest.importorskip("mujoco")

Points = NDArray[np.float32]


def clouds() -> dict[str, Points]:
    """Points inside a box, on a ball, and in a flat heap."""
    rng = np.random.default_rng(7)
    box, heap = rng.uniform(-1, 1, (400, 3)), rng.normal(size=(300, 3)) * [1, 0.3, 0.05]
    ball = rng.normal(size=(500, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    return {name: points.astype(np.float32) for name, points in (("box", box), ("ball", ball), ("heap", heap))}


def written(points: Points, limit: int | None) -> str:
    """A mesh without faces, which gets those of its hull."""
    numbers = " ".join(repr(float(x)) for x in points.ravel())
    most = "" if limit is None else f'maxhullvert="{limit}"'
    return (
        f'<mujoco><asset><mesh name="m" vertex="{numbers}" {most}/></asset>'
        '<worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>'
    )


def plates() -> dict[str, Points]:
    """Points of machined parts, many in one plane: a disc with a bevelled rim, and a bracket of two bars."""
    angle = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    rim = [np.column_stack([r * ring, np.full(90, z)]) for r, z in ((0.9, -0.1), (1, -0.05), (1, 0.05), (0.9, 0.1))]
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-0.1, 0.1, 3), [-0.1, 0.1]), -1).reshape(-1, 3)
    bars = [grid, grid[:, [2, 1, 0]] + [0.9, 0, 0.8]]
    return {"disc": np.concatenate(rim).astype(np.float32), "bracket": np.concatenate(bars).astype(np.float32)}


def corners(text: str) -> tuple[list[int], list[int]]:
    """Vertices of our hull and of MuJoCo's."""
    graph = mujoco.MjModel.from_xml_string(text).mesh_graph
    vertices = int(graph[0])
    ours = np.unique(motrixsim.load_mjcf_str(text).low.mesh_face).astype(int)
    return ours.tolist(), graph[2 + vertices : 2 + 2 * vertices].tolist()


def reach(points: Points) -> Points:
    """How far points reach in many directions."""
    directions = np.random.default_rng(0).normal(size=(1000, 3))
    return np.asarray((points @ (directions / np.linalg.norm(directions, axis=1)[:, None]).T).max(axis=0))


def triangles(faces: NDArray[Any]) -> set[tuple[int, ...]]:
    """Each with its lowest corner first, which keeps the direction around it."""
    return {tuple(np.roll(face, -int(face.argmin())).tolist()) for face in np.asarray(faces, int).reshape(-1, 3)}


@pytest.mark.parametrize("limit", [None, 4, 5, 8, 16, 32, 64])
@pytest.mark.parametrize("name", ["box", "ball", "heap"])
def test_a_hull_keeps_the_vertices_that_mujoco_keeps(name: str, limit: int | None) -> None:
    text = written(clouds()[name], limit)
    ours = triangles(motrixsim.load_mjcf_str(text).low.mesh_face)
    graph = mujoco.MjModel.from_xml_string(text).mesh_graph
    vertices, faces = int(graph[0]), int(graph[1])
    ids = set(graph[2 + vertices : 2 + 2 * vertices].tolist())
    assert {corner for face in ours for corner in face} == ids
    assert ours == triangles(graph[2 + 3 * vertices + 3 * faces :])
    assert limit is None or len(ids) <= limit


@pytest.mark.parametrize("limit", [None, 16, 64])
@pytest.mark.parametrize("name", ["disc", "bracket"])
def test_a_hull_of_flat_parts_reaches_as_far_as_mujocos(name: str, limit: int | None) -> None:
    points = plates()[name]
    ours, theirs = (reach(points[ids]) for ids in corners(written(points, limit)))
    whole = reach(points)
    if limit is None:
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
    # Cut short, either may take another of several points that are as far out; what is left out measures how much.
    assert (whole - ours).max() <= 1.15 * (whole - theirs).max() + 1e-6
