"""Decides from two convex shapes alone whether contacts between them are right.

For a unit direction n let s(n) be the gap between the slabs that the shapes fill along n. Their signed distance is the
largest s(n) of all directions. Heights and membership are written out here for each shape and share nothing with the
engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Contact: TypeAlias = tuple[float, Array, Array]
"""Distance, position halfway between the surfaces, and normal from the first shape to the second."""

# How closely points have to lie on surfaces and distances to agree, metres.
CLOSE = 1e-6
# How closely places have to agree, metres.
PLACE = 1e-3
# Sine of the angle up to which a face counts as lying along another: contacts may be deeper than the shapes by that
# slope.
SLOPE = 0.0888
# Angle to which the direction between curved shapes is resolved: the root of tolerance over radius, with some to spare.
RESOLVED = 1e-4
# Angle up to which neighbouring triangles of a hull are one face, radians.
FLAT = 5e-3
# The cap of a cylinder is clipped as a polygon of so many corners.
CAP_CORNERS = 16


@dataclass
class Placed:
    """A shape and where it is: its kind and sizes, or the vertices of a hull and its facets as (normal, offset)."""

    kind: str
    size: Array
    position: Array
    rotation: Array
    vertices: Array
    facets: Array

    def height(self, n: Array) -> Array:
        """How far the shape reaches along each row of n, from the origin of the world."""
        d, s = n @ self.rotation, self.size
        if self.kind == "hull":
            reach = (d @ self.vertices.T).max(axis=1)
        else:
            reaches: dict[str, Callable[[], Array]] = {
                "sphere": lambda: np.full(len(d), s[0]),
                "capsule": lambda: s[0] + s[1] * np.abs(d[:, 2]),
                "ellipsoid": lambda: np.linalg.norm(d * s, axis=1),
                "cylinder": lambda: s[0] * np.hypot(d[:, 0], d[:, 1]) + s[1] * np.abs(d[:, 2]),
                "box": lambda: np.abs(d) @ s,
            }
            reach = reaches[self.kind]()
        along: Array = n @ self.position + reach
        return along

    def outside(self, point: Array) -> float:
        """How far outside a point is, as a length that is zero or less inside."""
        p, s = (point - self.position) @ self.rotation, self.size
        lengths: dict[str, Callable[[], float]] = {
            "sphere": lambda: np.linalg.norm(p) - s[0],
            "capsule": lambda: np.linalg.norm([p[0], p[1], max(abs(p[2]) - s[1], 0)]) - s[0],
            "ellipsoid": lambda: (np.linalg.norm(p / s) - 1) * min(s),
            "cylinder": lambda: max(np.hypot(p[0], p[1]) - s[0], abs(p[2]) - s[1]),
            "box": lambda: (np.abs(p) - s).max(),
            "hull": lambda: (self.facets[:, :3] @ p - self.facets[:, 3]).max(),
        }
        return float(lengths[self.kind]())

    def faces(self) -> Array:
        """Outward normals of the flat faces, in the world."""
        up = np.array([[0.0, 0, 1]])
        local = {"cylinder": up, "box": np.eye(3), "hull": self.facets[:, :3]}
        normals = local.get(self.kind, np.zeros((0, 3))) @ self.rotation.T
        return normals if self.kind == "hull" else np.concatenate([normals, -normals])

    def is_rim(self, point: Array, slack: float) -> bool:
        """Whether a point of the surface is on an edge: of a box or a hull, or of the cap or side of a cylinder."""
        p, s = (point - self.position) @ self.rotation, self.size
        if self.kind == "cylinder":
            return bool(np.hypot(p[0], p[1]) > s[0] * np.cos(np.pi / CAP_CORNERS) - slack)
        if self.kind == "capsule":
            return True
        over = np.abs(p) - s if self.kind == "box" else self.facets[:, :3] @ p - self.facets[:, 3]
        return bool(np.count_nonzero(over > -slack) > 1)

    def misses_line(self, point: Array, outward: Array) -> float:
        """Angle about a cylinder between a point of its side and the line of it that is farthest along `outward`."""
        axis = self.rotation[:, 2]
        spoke, lateral = ((v - (v @ axis) * axis) for v in (point - self.position, outward))
        reach, turned = np.linalg.norm(spoke), np.linalg.norm(lateral)
        if self.kind != "cylinder" or reach < self.size[0] - CLOSE or turned < 1e-3:
            return 0.0
        return 2 * float(np.arcsin(min(0.5 * np.linalg.norm(spoke / reach - lateral / turned), 1.0)))


def spiral(count: int) -> Array:
    """Directions spread evenly over the sphere."""
    k = np.arange(count)
    z = 1 - (2 * k + 1) / count
    angle = k * 2.399963229728653
    r = np.sqrt(1 - z * z)
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


def gaps(a: Placed, b: Placed, n: Array) -> Array:
    """s(n) of each row of n."""
    return -a.height(n) - b.height(-n)


def signed_distance(a: Placed, b: Placed, claims: Sequence[Array]) -> tuple[float, Array] | None:
    """The largest gap, from directions claimed to have it, and its direction; nothing if another has a larger one."""
    claimed = np.array(claims)
    best = claimed[np.argmax(gaps(a, b, claimed))]
    distance = float(gaps(a, b, best[None])[0])
    nearby = [best + angle * spiral(16) for angle in (0.1, 0.01, 1e-3, 1e-4, 1e-5)]
    others = np.concatenate([spiral(400), *nearby])
    others /= np.linalg.norm(others, axis=1)[:, None]
    larger = gaps(a, b, others).max() - distance
    return None if larger > CLOSE else (distance, best)


def surface_points(contact: Contact) -> tuple[Array, Array]:
    """The points of the two surfaces that a contact (distance, position, normal) stands between."""
    distance, position, normal = contact
    return position - 0.5 * distance * normal, position + 0.5 * distance * normal


def area(contacts: Sequence[Contact]) -> float:
    """Area of the quadrilateral of four contacts, zero for fewer."""
    if len(contacts) != 4:
        return 0.0
    p, q, r, s = (c[1] for c in contacts)
    return 0.5 * float(np.linalg.norm(np.cross(r - p, s - q)))


def reach(contacts: Sequence[Contact]) -> float:
    """Greatest distance between two contacts."""
    return max(float(np.linalg.norm(c[1] - d[1])) for c in contacts for d in contacts)


def objection(
    a: Placed, b: Placed, margin: float, ours: Sequence[Contact], theirs: Sequence[Contact], claim: Array
) -> str | None:
    """Why our contacts are not as right as MuJoCo's, or nothing; `claim` may be the direction of the distance."""
    found = signed_distance(a, b, [claim, *(c[2] for c in ours), *(c[2] for c in theirs)])
    if found is None:
        return "no direction is that of the distance"
    distance, direction = found
    for contact in ours:
        on_a, on_b = surface_points(contact)
        # The distance is measured across one face, the normal is that of the other; and the line of a capsule is taken
        # from its surface grown by half the margin, which stands off it where the normal is that of a face.
        grown = 0.5 * margin if a.kind == "capsule" else 0.0
        slack = CLOSE + SLOPE * abs(contact[0]) + grown
        off = max(abs(a.outside(on_a)), abs(b.outside(on_b)))
        if off > slack:
            return f"a contact is {off} off the surfaces"
        if len(ours) > 1 and not (a.is_rim(on_a, slack) or b.is_rim(on_b, slack)):
            return "a contact is inside both faces, while others are kept"
    # Contacts point along the distance, or along a face that is turned towards the other shape.
    normal = ours[0][2]
    if any(np.abs(c[2] - normal).max() > 1e-12 for c in ours):
        return "contacts of one pair point into several directions"
    along_distance = gaps(a, b, normal[None])[0] > distance - CLOSE
    faces = np.concatenate([a.faces(), -b.faces()])
    on_face = (faces @ normal).max(initial=0) > np.cos(FLAT) and normal @ direction > 0
    if not (along_distance or on_face):
        return "contacts point along no face"
    deepest = distance - SLOPE * reach([*ours, *theirs]) - CLOSE
    if min(c[0] for c in ours) < deepest:
        return f"contacts are deeper than the shapes overlap, {distance}"
    # MuJoCo's contacts are deeper than that, or point where the shapes overlap more.
    steepest = [min(gaps(a, b, np.array([c[2] for c in contacts]))) for contacts in (ours, theirs)]
    if min(c[0] for c in theirs) < deepest or steepest[1] < steepest[0] - 1e-9:
        return None
    if len(ours) == len(theirs) == 4:
        # The search for the largest quadrilateral ends in one that depends on where the polygon begins. For a hull that
        # is the order it was built in, which is ours and not MuJoCo's.
        part = 0.5 if "hull" in (a.kind, b.kind) else 1 - 1e-6
        too_small = area(ours) < part * area(theirs)
        return f"the quadrilateral is smaller: {area(ours)} of {area(theirs)}" if too_small else None
    if "hull" not in (a.kind, b.kind) and reach(ours) < reach(theirs) - PLACE:
        return f"contacts reach less far: {reach(ours)} of {reach(theirs)}"
    missed = max(max(a.misses_line(p, direction), b.misses_line(q, -direction)) for p, q in map(surface_points, ours))
    return None if missed < RESOLVED else f"the nearest line of a cylinder is missed by {missed}"


def objection_to_plane_contacts(
    hull: Placed, margin: float, ours: Sequence[Contact], theirs: Sequence[Contact]
) -> str | None:
    """Why our contacts of a hull with the plane z = 0 are not as right as MuJoCo's, or nothing.

    They are the lowest vertex and others of a facet there. Which triangles make one facet is a choice.
    """
    vertices = hull.vertices @ hull.rotation.T + hull.position
    for distance, position, normal in ours:
        vertex = np.array([*position[:2], 2 * position[2]])
        if np.abs(vertices - vertex).max(axis=1).min() > CLOSE or abs(distance - vertex[2]) > CLOSE:
            return "a contact is not halfway between a vertex and the plane"
        if distance > margin or abs(normal[2] - 1) > CLOSE:
            return "a contact is no contact"
    if min(c[0] for c in ours) > vertices[:, 2].min() + CLOSE:
        return "the lowest vertex is left out"
    if len(ours) < len(theirs) or reach(ours) < reach(theirs) - PLACE:
        return f"contacts reach less far: {reach(ours)} of {reach(theirs)}"
    return None
