//! A convex polytope that grows inside a Minkowski difference, for the depth of an overlap.
//!
//! Triangles with outward planes and their neighbours. A new vertex removes the triangles it can see and joins the rim of
//! the hole; planes are oriented by construction, so that the signed distance of the origin is meaningful on both sides and
//! the polytope need not contain the origin to begin with.

use crate::minkowski::Vertex;
use crate::vector::{Vec3, cross, dot, norm2, scale, sub};

/// Squared sine of the corner angle below which a triangle has no plane.
const SLIVER: f64 = 1e-20;

/// A triangle of the polytope.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    pub corner: [u16; 3],
    /// Faces beyond the edges that start at each corner.
    beyond: [u16; 3],
    /// Outward unit normal; zero for a sliver.
    pub normal: Vec3,
}

/// The polytope and its working memory.
#[derive(Debug, Default)]
pub struct Polytope {
    pub vertices: Vec<Vertex>,
    pub faces: Vec<Face>,
    /// Distance of each face's plane from the origin, outward; infinite for slivers and removed faces.
    distance: Vec<f64>,
    alive: Vec<bool>,
    /// Rim of the hole seen by a new vertex: remaining faces and their edges, in order.
    rim: Vec<(u16, u8)>,
}

/// Why a vertex could not be added.
#[derive(Debug)]
pub struct Degenerate;

impl Polytope {
    /// Starts from a tetrahedron with volume.
    pub fn start(&mut self, mut corners: [Vertex; 4]) {
        let [a, b, c, d] = corners.map(|v| v.p);
        if dot(cross(sub(b, a), sub(c, a)), sub(d, a)) > 0.0 {
            corners.swap(1, 2);
        }
        self.vertices.clear();
        self.vertices.extend_from_slice(&corners);
        self.faces.clear();
        self.distance.clear();
        self.alive.clear();
        // The base is counter-clockwise seen from below; the other faces share its edges and the apex.
        self.add_face([0, 1, 2], [1, 2, 3]);
        self.add_face([1, 0, 3], [0, 3, 2]);
        self.add_face([2, 1, 3], [0, 1, 3]);
        self.add_face([0, 2, 3], [0, 2, 1]);
    }

    /// The face whose plane is nearest to the origin, with its signed distance.
    #[inline]
    pub fn nearest(&self) -> Option<(usize, f64)> {
        let mut best = f64::INFINITY;
        let mut face = None;
        for (i, &distance) in self.distance.iter().enumerate() {
            if distance < best {
                best = distance;
                face = Some(i);
            }
        }
        face.map(|face| (face, best))
    }

    /// The face under the origin among those that share the plane of `face`, at the distance `plane`, to within `resolution`: a
    /// flat side of the polytope is cut into triangles, of which the nearest plane may name any.
    pub fn under_origin(&self, mut face: usize, plane: f64, resolution: f64) -> usize {
        let foot = scale(self.faces[face].normal, plane);
        for _ in 0..self.faces.len() {
            let [a, b, c] = self.corners(face).map(|v| sub(v.p, foot));
            let normal = self.faces[face].normal;
            // Areas that the foot makes with the edges from each corner; negative beyond the edge.
            let areas = [
                dot(normal, cross(a, b)),
                dot(normal, cross(b, c)),
                dot(normal, cross(c, a)),
            ];
            let edge = (0..3).min_by(|&i, &j| areas[i].total_cmp(&areas[j])).unwrap_or(0);
            let beyond = self.faces[face].beyond[edge] as usize;
            if areas[edge] >= 0.0 || !(self.distance[beyond] - plane <= resolution) {
                break;
            }
            face = beyond;
        }
        face
    }

    /// The corners of a face.
    pub fn corners(&self, face: usize) -> [Vertex; 3] {
        self.faces[face].corner.map(|v| self.vertices[v as usize])
    }

    /// Adds a vertex that lies outside the plane of `seen`; `noise` is the height over a plane that rounding can produce.
    pub fn add(&mut self, w: Vertex, seen: usize, noise: f64) -> Result<(), Degenerate> {
        self.rim.clear();
        self.remove(seen);
        for edge in 0..3 {
            let (beyond, back) = self.across(seen, edge);
            self.open(beyond, back, w.p, noise);
        }
        let count = self.rim.len();
        let first = self.faces.len();
        if count < 3 || first + count > u16::MAX as usize {
            return Err(Degenerate);
        }
        let apex = self.vertices.len() as u16;
        self.vertices.push(w);
        for k in 0..count {
            let (outside, edge) = self.rim[k];
            let (outside, edge) = (outside as usize, edge as usize);
            let (from, to) = (
                self.faces[outside].corner[edge],
                self.faces[outside].corner[(edge + 1) % 3],
            );
            let number = |k: usize| (first + k) as u16;
            let (before, after) = (number((k + count - 1) % count), number((k + 1) % count));
            // The rim is walked so that each face ends where the next begins; anything else is not one simple hole.
            let (next_outside, next_edge) = self.rim[(k + 1) % count];
            if self.faces[next_outside as usize].corner[(next_edge as usize + 1) % 3] != from {
                return Err(Degenerate);
            }
            self.faces[outside].beyond[edge] = number(k);
            self.add_face([apex, to, from], [before, outside as u16, after]);
        }
        Ok(())
    }

    /// The face beyond an edge and the same edge as that face numbers it.
    fn across(&self, face: usize, edge: usize) -> (usize, usize) {
        let beyond = self.faces[face].beyond[edge] as usize;
        let end = self.faces[face].corner[(edge + 1) % 3];
        let back = self.faces[beyond].corner.iter().position(|&v| v == end).unwrap_or(0);
        (beyond, back)
    }

    /// Removes `face` and what lies beyond it as far as `w` sees, entering over `edge`; what remains joins the rim.
    fn open(&mut self, face: usize, edge: usize, w: Vec3, noise: f64) {
        if !self.alive[face] {
            return;
        }
        let Face { corner, normal, .. } = self.faces[face];
        // A sliver is always seen: it has no plane to be judged by, and goes when its neighbour goes.
        let sliver = normal == [0.0; 3];
        if !sliver && dot(normal, sub(w, self.vertices[corner[0] as usize].p)) <= noise {
            self.rim.push((face as u16, edge as u8));
            return;
        }
        self.remove(face);
        for step in 1..3 {
            let (beyond, back) = self.across(face, (edge + step) % 3);
            self.open(beyond, back, w, noise);
        }
    }

    fn remove(&mut self, face: usize) {
        self.alive[face] = false;
        self.distance[face] = f64::INFINITY;
    }

    fn add_face(&mut self, corner: [u16; 3], beyond: [u16; 3]) {
        let [a, b, c] = corner.map(|v| self.vertices[v as usize].p);
        let (ab, ac) = (sub(b, a), sub(c, a));
        let n = cross(ab, ac);
        let nn = norm2(n);
        let (normal, distance) = if nn > SLIVER * norm2(ab) * norm2(ac) && nn > 0.0 {
            let normal = scale(n, 1.0 / nn.sqrt());
            // The middle of the three planes through the corners, equal but for rounding.
            (normal, (dot(normal, a) + dot(normal, b) + dot(normal, c)) / 3.0)
        } else {
            ([0.0; 3], f64::INFINITY)
        };
        self.faces.push(Face { corner, beyond, normal });
        self.distance.push(distance);
        self.alive.push(true);
    }
}
