//! Convex hull of a point cloud: quickhull with exact orientation tests.
//!
//! Method: Barber, Dobkin, Huhdanpaa, "The Quickhull Algorithm for Convex Hulls" (1996), starting from the simplex and
//! adding the points in the order qhull uses: always the point furthest outside of any face. Where qhull merges facets to
//! survive rounding, here the sign of every orientation is exact ([`Plane::is_below`]), so the surface is a closed convex
//! polyhedron at every step: flat faces, repeated points and needles need no tolerance and cannot fail.
//!
//! The two agree on the vertices of real meshes, which are `f32` numbers and therefore either exactly flat or bent far
//! beyond the rounding of `f64`. They differ in how a flat face is cut into triangles.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::orientation::{Plane, Point, doubled_area, volume6};
use crate::assets::AssetError;

/// Triangles around a convex body, counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HullTriangles {
    /// Indices of the points that are corners of the hull, ascending.
    pub vertices: Vec<u32>,
    /// Faces by indices of points.
    pub faces: Vec<[u32; 3]>,
}

/// The convex hull of `points`, or of a subset if it would have more than `max_vertices` corners.
///
/// A hull that is cut short is that of extreme points along the axes, then of the points furthest outside, one by one: the rule
/// of qhull's options `Q9 TAn`, though not always its choice among points that are about equally far.
pub fn convex_hull(points: &[[f32; 3]], max_vertices: Option<usize>) -> Result<HullTriangles, AssetError> {
    let points: Vec<Point> = points.iter().map(|point| point.map(f64::from)).collect();
    if points.iter().flatten().any(|coordinate| !coordinate.is_finite()) {
        return Err("the convex hull of points that are not finite".into());
    }
    let hull = grow(&points, max_vertices)?;

    // A point picked early can end up inside a flat face or on a straight edge. The hull of the others is the same body.
    let extreme = hull.extreme_vertices();
    if extreme.len() == hull.vertex_count() {
        return Ok(HullTriangles {
            vertices: extreme,
            faces: hull.triangles().collect(),
        });
    }
    let corners: Vec<Point> = extreme.iter().map(|&index| points[index as usize]).collect();
    let faces = grow(&corners, None)?
        .triangles()
        .map(|face| face.map(|corner| extreme[corner as usize]))
        .collect();
    Ok(HullTriangles {
        vertices: extreme,
        faces,
    })
}

/// One triangle of the growing hull and the points that lie outside of it.
struct Face {
    corners: [u32; 3],
    /// Face across the edge from corner `k` to corner `k + 1`.
    neighbours: [u32; 3],
    plane: Plane,
    /// Points outside of this face, the furthest last.
    outside: Vec<u32>,
    furthest: f64,
    /// Number of the insertion that made this face; tells a stale queue entry when the place is used again.
    born: u32,
    alive: bool,
}

/// An edge on the border between what the new point sees and what it does not.
struct HorizonEdge {
    from: u32,
    to: u32,
    /// The face beyond, and which of its edges this is.
    beyond: (u32, usize),
}

struct Hull<'p> {
    points: &'p [Point],
    /// Bound of all coordinate differences, for the error bound of the planes.
    extent: f64,
    faces: Vec<Face>,
    free: Vec<u32>,
    /// Faces with points outside, the furthest first. Distances are positive, so their bits order them.
    queue: BinaryHeap<(u64, Reverse<u32>, u32)>,
    insertions: u32,
}

fn grow(points: &[Point], max_vertices: Option<usize>) -> Result<Hull<'_>, AssetError> {
    let simplex = initial_simplex(points)?;
    let mut hull = Hull::from_simplex(points, simplex);
    let mut face_from = vec![u32::MAX; points.len()];
    while max_vertices.is_none_or(|limit| hull.vertex_count() < limit) {
        let Some(face) = hull.next_face() else { break };
        hull.add_furthest_point(face, &mut face_from);
    }
    Ok(hull)
}

impl<'p> Hull<'p> {
    fn from_simplex(points: &'p [Point], simplex: [u32; 4]) -> Self {
        let mut extent = 0.0f64;
        for axis in 0..3 {
            let along = || points.iter().map(|point| point[axis]);
            extent = extent.max(along().fold(f64::MIN, f64::max) - along().fold(f64::MAX, f64::min));
        }
        let mut hull = Self {
            points,
            extent,
            faces: Vec::new(),
            free: Vec::new(),
            queue: BinaryHeap::new(),
            insertions: 0,
        };
        for corners in faces_of_simplex(simplex, |corners, apex| {
            hull.plane(corners).is_above(&points[apex as usize])
        }) {
            hull.new_face(corners);
        }
        hull.join_faces();
        let rest: Vec<u32> = (0..points.len() as u32)
            .filter(|index| !simplex.contains(index))
            .collect();
        hull.assign(&rest, &[0, 1, 2, 3]);
        hull
    }

    /// Sets the neighbours of all faces of a closed surface of few faces.
    fn join_faces(&mut self) {
        let edge = |corners: &[u32; 3], side: usize| (corners[side], corners[(side + 1) % 3]);
        let all: Vec<[u32; 3]> = self.faces.iter().map(|face| face.corners).collect();
        for (face, own) in self.faces.iter_mut().zip(&all) {
            for side in 0..3 {
                let (from, to) = edge(own, side);
                let across = all
                    .iter()
                    .position(|other| (0..3).any(|side| edge(other, side) == (to, from)));
                face.neighbours[side] = across.map_or(u32::MAX, |index| index as u32);
            }
        }
    }

    fn plane(&self, corners: [u32; 3]) -> Plane {
        Plane::through(corners.map(|corner| self.points[corner as usize]), self.extent)
    }

    fn new_face(&mut self, corners: [u32; 3]) -> u32 {
        let face = Face {
            corners,
            neighbours: [u32::MAX; 3],
            plane: self.plane(corners),
            outside: Vec::new(),
            furthest: 0.0,
            born: self.insertions,
            alive: true,
        };
        match self.free.pop() {
            Some(place) => {
                self.faces[place as usize] = face;
                place
            }
            None => {
                self.faces.push(face);
                self.faces.len() as u32 - 1
            }
        }
    }

    /// Hands each point to the face of `candidates` it lies furthest outside of; points outside of none are inside the hull.
    fn assign(&mut self, points: &[u32], candidates: &[u32]) {
        for &index in points {
            let point = &self.points[index as usize];
            let mut best = None;
            for &face in candidates {
                let plane = &self.faces[face as usize].plane;
                if let Some(distance) = plane.distance_above(point)
                    && best.is_none_or(|(_, furthest)| distance > furthest)
                {
                    best = Some((face, distance));
                }
            }
            if let Some((face, distance)) = best {
                let face = &mut self.faces[face as usize];
                face.outside.push(index);
                if distance >= face.furthest || face.outside.len() == 1 {
                    face.furthest = distance;
                } else {
                    let last = face.outside.len() - 1;
                    face.outside.swap(last - 1, last);
                }
            }
        }
        for &index in candidates {
            let face = &self.faces[index as usize];
            if !face.outside.is_empty() {
                self.queue.push((face.furthest.to_bits(), Reverse(index), face.born));
            }
        }
    }

    /// The face with the point furthest outside.
    fn next_face(&mut self) -> Option<u32> {
        loop {
            let (_, Reverse(index), born) = self.queue.pop()?;
            let face = &self.faces[index as usize];
            if face.alive && face.born == born {
                return Some(index);
            }
        }
    }

    /// Replaces all faces that see the furthest point of `face` by a cone from their border to that point.
    ///
    /// `face_from` is scratch: for a corner of the border, the new face whose border edge starts there.
    fn add_furthest_point(&mut self, face: u32, face_from: &mut [u32]) {
        let Some(apex) = self.faces[face as usize].outside.pop() else {
            return;
        };
        self.insertions += 1;
        let (visible, horizon) = self.visible_from(face, apex);
        let mut homeless = Vec::new();
        for &index in &visible {
            homeless.append(&mut self.faces[index as usize].outside);
        }
        self.free.extend(&visible);

        // The border is one simple cycle: the visible faces tile the polygon the hull shows to the apex.
        let cone: Vec<u32> = horizon
            .iter()
            .map(|edge| self.new_face([edge.from, edge.to, apex]))
            .collect();
        for (edge, &new) in horizon.iter().zip(&cone) {
            face_from[edge.from as usize] = new;
            let (beyond, side) = edge.beyond;
            self.faces[beyond as usize].neighbours[side] = new;
            self.faces[new as usize].neighbours[0] = beyond;
        }
        for (edge, &new) in horizon.iter().zip(&cone) {
            let next = face_from[edge.to as usize];
            self.faces[new as usize].neighbours[1] = next;
            self.faces[next as usize].neighbours[2] = new;
        }
        // A homeless point that is still outside is outside of the cone: the planes of the cone lie between those of the
        // visible and the hidden face at each border edge, so no hidden face needs to be asked.
        self.assign(&homeless, &cone);
    }

    /// Faces the point lies strictly above, found from one of them, and the border around them. They are dead afterwards.
    fn visible_from(&mut self, start: u32, apex: u32) -> (Vec<u32>, Vec<HorizonEdge>) {
        let point = self.points[apex as usize];
        let mut visible = vec![start];
        let mut horizon = Vec::new();
        self.faces[start as usize].alive = false;
        let mut next = 0;
        while next < visible.len() {
            let Face {
                corners, neighbours, ..
            } = self.faces[visible[next] as usize];
            for (side, neighbour) in neighbours.into_iter().enumerate() {
                let beyond = &mut self.faces[neighbour as usize];
                if !beyond.alive {
                    continue;
                }
                let [from, to] = [corners[side], corners[(side + 1) % 3]];
                if beyond.plane.is_below(&point) {
                    beyond.alive = false;
                    visible.push(neighbour);
                } else if let Some(back) = beyond.corners.iter().position(|&corner| corner == to) {
                    horizon.push(HorizonEdge {
                        from,
                        to,
                        beyond: (neighbour, back),
                    });
                }
            }
            next += 1;
        }
        (visible, horizon)
    }

    /// Euler's formula for a closed triangulated surface: F = 2 V - 4.
    fn vertex_count(&self) -> usize {
        (self.faces.len() - self.free.len()) / 2 + 2
    }

    fn living(&self) -> impl Iterator<Item = &Face> {
        self.faces.iter().filter(|face| face.alive)
    }

    fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        self.living().map(|face| face.corners)
    }

    /// Corners where the body really ends: at least three edges there are bent. With none the corner is inside a flat face,
    /// with two it is on a straight edge.
    fn extreme_vertices(&self) -> Vec<u32> {
        let mut bent_edges = vec![0u32; self.points.len()];
        for face in self.living() {
            for side in 0..3 {
                let beyond = &self.faces[face.neighbours[side] as usize];
                let (from, to) = (face.corners[side], face.corners[(side + 1) % 3]);
                let apex = beyond.corners.iter().find(|&&corner| corner != from && corner != to);
                // Each edge is met from both of its faces and counts at one end each time.
                if apex.is_some_and(|&apex| face.plane.is_above(&self.points[apex as usize])) {
                    bent_edges[from as usize] += 1;
                }
            }
        }
        (0..self.points.len() as u32)
            .filter(|&index| bent_edges[index as usize] >= 3)
            .collect()
    }
}

/// The faces of a tetrahedron, in the order and with the first corners that qhull gives them: each leaves out one corner, the
/// last first, and lists the others backwards. Sums over the faces are then rounded as MuJoCo rounds them, which decides on
/// the axes of a tetrahedron with equal moments. `is_outward` tells whether a face, given counter-clockwise, looks away from
/// the corner that it leaves out.
fn faces_of_simplex([a, b, c, d]: [u32; 4], is_outward: impl Fn([u32; 3], u32) -> bool) -> [[u32; 3]; 4] {
    [([c, b, a], d), ([d, b, a], c), ([d, c, a], b), ([d, c, b], a)].map(|([p, q, r], apex)| {
        if is_outward([p, q, r], apex) {
            [p, q, r]
        } else {
            [q, p, r]
        }
    })
}

/// A measure below this share of what the width promises is that of a sliver.
const SLIVER: f64 = 1e-3;

/// Four points that span a volume: the extremes along the axes where they do, as qhull starts.
fn initial_simplex(points: &[Point]) -> Result<[u32; 4], AssetError> {
    if points.len() < 4 {
        return Err(format!("the convex hull of {} points; at least 4 are required", points.len()).into());
    }
    let extremes = axis_extremes(points);
    let at = |index: u32| &points[index as usize];
    let widths = [0, 1, 2].map(|axis| at(extremes[2 * axis + 1])[axis] - at(extremes[2 * axis])[axis]);
    let longest = widths.into_iter().fold(0.0, f64::max);
    let Some(axis) = widths.iter().position(|&width| width > 0.0) else {
        return Err("the vertices are all at one place, cannot compute a convex hull; \
                    consider a small sphere instead"
            .into());
    };

    let [a, b] = [extremes[2 * axis], extremes[2 * axis + 1]];
    let area = |index: u32| doubled_area(at(a), at(b), at(index));
    // The third corner of qhull is the furthest in the first two coordinates, where they tell.
    let flat_area = |index: u32| {
        let [u, v] = [b, index].map(|corner| [0, 1].map(|k| at(corner)[k] - at(a)[k]));
        (u[0] * v[1] - u[1] * v[0]).abs()
    };
    let (flat, seen_flat) = best(extremes.iter().copied(), flat_area);
    let c = seen_flat
        .filter(|_| flat > SLIVER * longest * longest)
        .or_else(|| largest(points, &extremes, longest * longest, area))
        .ok_or("the vertices are all on one line, cannot compute a convex hull; consider a thin capsule instead")?;
    let volume = |index: u32| volume6(at(a), at(b), at(c), at(index)).abs();
    let d = largest(points, &extremes, area(c) * longest, volume).ok_or(
        "the vertices are all in one plane, cannot compute a convex hull; consider a plane or a thin box instead",
    )?;
    Ok([a, b, c, d])
}

/// The point with the largest measure: among the extremes, or among all if theirs is a sliver of what the width promises.
/// None if no measure is above zero.
fn largest(points: &[Point], extremes: &[u32], promised: f64, measure: impl Fn(u32) -> f64) -> Option<u32> {
    let (size, index) = best(extremes.iter().copied(), &measure);
    if size > SLIVER * promised {
        return index;
    }
    best(0..points.len() as u32, &measure).1
}

/// The largest measure above zero and the first point that has it.
fn best(indices: impl Iterator<Item = u32>, measure: impl Fn(u32) -> f64) -> (f64, Option<u32>) {
    let measured = indices.map(|index| (measure(index), index));
    measured.fold(
        (0.0, None),
        |best, (size, index)| if size > best.0 { (size, Some(index)) } else { best },
    )
}

/// Index of the lowest and highest point along each axis.
fn axis_extremes(points: &[Point]) -> [u32; 6] {
    let mut extremes = [0; 6];
    for axis in 0..3 {
        for (index, point) in points.iter().enumerate() {
            if point[axis] < points[extremes[2 * axis] as usize][axis] {
                extremes[2 * axis] = index as u32;
            }
            if point[axis] > points[extremes[2 * axis + 1] as usize][axis] {
                extremes[2 * axis + 1] = index as u32;
            }
        }
    }
    extremes
}
