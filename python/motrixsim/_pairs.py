"""Contacts of a state in both engines, pair of geoms by pair, and what a referee says where they differ.

Contacts of a pair are a set, and often there is more than one right set: which of many nearly flat facets of a hull
carries them follows from how its builder joined triangles, and MuJoCo's search ends early in some prisms of terrain. A
referee that knows nothing but the two shapes decides whether ours are as right as MuJoCo's.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motrixsim._contact_referee import Contact, Placed, objection, objection_to_plane_contacts
from motrixsim._terrain_referee import Terrain

Array = NDArray[np.float64]

CONVEX = ("sphere", "capsule", "ellipsoid", "cylinder", "box", "hull")
"""Shapes that the referee knows."""

KINDS = ("plane", "terrain", *CONVEX, "signed distance field")
"""Names of shapes, in the order of `mjtGeom`."""

FARTHEST = 10.0
"""Distance up to which MuJoCo is asked for the direction between two shapes, metres."""


@dataclass
class Pair:
    """Two geoms, and their contacts by either engine with the row that each has in its list."""

    geoms: tuple[int, int]
    ours: list[tuple[int, Contact]]
    theirs: list[tuple[int, Contact]]

    def gaps(self, contact: Contact) -> tuple[int, float, float]:
        """Which of our contacts is nearest to one of theirs, and how far it is off: in distance, and in place too."""
        off = [
            (max(abs(distance - contact[0]), float(np.abs(position - contact[1]).max())), row, distance)
            for row, (distance, position, _) in self.ours
        ]
        gap, row, distance = min(off, key=lambda entry: entry[0])
        return row, abs(distance - contact[0]), gap

    def off(self) -> tuple[float, float, float]:
        """By how many contacts, and by how much in distance and place, ours are others than theirs."""
        count = float(abs(len(self.ours) - len(self.theirs)))
        gaps = [self.gaps(contact) for _, contact in self.theirs] if self.ours else []
        distance, place = (max((gap[k] for gap in gaps), default=0.0) for k in (1, 2))
        return count, distance, place

    def beside(self, data: Any) -> Pair:
        """Our contacts and those of another state of MuJoCo's."""
        here = [contact for contact in data.contact if tuple(contact.geom) == self.geoms]
        return Pair(self.geoms, self.ours, [(row, copied(contact)) for row, contact in enumerate(here)])


def copied(contact: Any) -> Contact:
    """A contact of MuJoCo's."""
    return contact.dist, contact.pos.copy(), contact.frame[:3].copy()


def pairs(low: Any, data: Any) -> list[Pair]:
    """The contacts of both, by the geoms they are between."""
    found: dict[tuple[int, int], Pair] = {}

    def pair(geoms: Any) -> Pair:
        key = (int(geoms[0]), int(geoms[1]))
        return found.setdefault(key, Pair(key, [], []))

    normals = np.asarray(low.contact_frame, float).reshape(-1, 9)[:, :3]
    ours = zip(low.contact_geom, low.contact_dist, low.contact_pos, normals, strict=True)
    for row, (geoms, distance, position, normal) in enumerate(ours):
        pair(geoms).ours.append((row, (float(distance), np.asarray(position, float), normal)))
    for row, contact in enumerate(data.contact):
        pair(contact.geom).theirs.append((row, copied(contact)))
    return list(found.values())


def placed(model: Any, data: Any, geom: int) -> Placed:
    """A geom where it is, as the referee knows shapes."""
    where = data.geom_xpos[geom].copy(), data.geom_xmat[geom].reshape(3, 3).copy()
    kind, nothing = KINDS[model.geom_type[geom]], np.zeros((0, 4))
    if kind != "hull":
        return Placed(kind, model.geom_size[geom], *where, nothing, nothing)
    mesh = model.geom_dataid[geom]
    start = model.mesh_vertadr[mesh]
    vertices = model.mesh_vert[start : start + model.mesh_vertnum[mesh]].astype(float)
    facets = []
    for p in range(model.mesh_polyadr[mesh], model.mesh_polyadr[mesh] + model.mesh_polynum[mesh]):
        first = model.mesh_polyvertadr[p]
        corners = vertices[model.mesh_polyvert[first : first + model.mesh_polyvertnum[p]]]
        normal = model.mesh_polynormal[p]
        facets.append([*normal, (corners @ normal).max()])
    return Placed(kind, model.geom_size[geom], *where, vertices, np.array(facets))


def names(model: Any, pair: Pair) -> str:
    """The kinds of two geoms and what they are called."""
    return " and ".join(f"{KINDS[model.geom_type[geom]]} {model.geom(geom).name or geom}" for geom in pair.geoms)


def objection_to(model: Any, data: Any, pair: Pair) -> str | None:
    """What a referee has against our contacts of a pair, if anything, in the state of MuJoCo's `data`."""
    ours, theirs = ([contact for _, contact in contacts] for contacts in (pair.ours, pair.theirs))
    if not ours or not theirs:
        return "only one of the engines finds that they touch"
    first, second = pair.geoms
    margin = max(float(data.contact.includemargin[row]) for row, _ in pair.theirs)
    shape = placed(model, data, second)
    if shape.kind not in CONVEX:
        return f"no referee knows a {shape.kind}"
    match KINDS[model.geom_type[first]]:
        case "plane" if shape.kind == "hull":
            plane = placed(model, data, first)
            contacts = ([seen_from(plane, contact) for contact in either] for either in (ours, theirs))
            return objection_to_plane_contacts(beside(plane, shape), margin, *contacts)
        case "plane":
            return "planes leave no choice"
        case "terrain":
            return Terrain(model, data, first).objection(shape, ours, theirs)
        case kind if kind not in CONVEX:
            return f"no referee knows a {kind}"
    # The direction in which MuJoCo itself finds their distance is worth a look.
    ends = np.zeros(6)
    distance = importlib.import_module("mujoco").mj_geomDistance(model, data, first, second, FARTHEST, ends)
    claim = np.sign(distance) * (ends[3:] - ends[:3])
    return objection(placed(model, data, first), shape, margin, ours, theirs, claim / (np.linalg.norm(claim) or 1.0))


def seen_from(frame: Placed, contact: Contact) -> Contact:
    """A contact in the frame of a shape."""
    distance, position, normal = contact
    return distance, (position - frame.position) @ frame.rotation, normal @ frame.rotation


def beside(frame: Placed, shape: Placed) -> Placed:
    """A shape in the frame of another."""
    position, rotation = (shape.position - frame.position) @ frame.rotation, frame.rotation.T @ shape.rotation
    return replace(shape, position=position, rotation=rotation)
