//! Depth of an overlap, after van den Bergen's expanding polytope algorithm.
//!
//! The depth is the distance of the origin from the boundary of the Minkowski difference: the shortest way out. A polytope
//! inside the difference grows towards it, always at the face nearest to the origin, until the support point along that
//! face's normal lies in the face. The distance is signed: shapes that turn out to be apart by a hair are reported so rather
//! than lost.

use crate::minkowski::{Pair, Vertex};
use crate::polytope::Polytope;
use crate::simplex::Simplex;
use crate::vector::{Vec3, add_scaled, cross, dot, neg, norm, norm2, perpendicular, scale, sub, unit_of_any_length};

/// The nearest place of the boundary of A − B, seen from the origin inside.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Unit direction in which B leaves A.
    pub normal: Vec3,
    /// How far; negative when the cores are apart.
    pub depth: f64,
    /// Support points around the place, with the weights that make it.
    pub corners: [Vertex; 3],
    pub weights: [f64; 3],
}

/// Relative height below which points count as coplanar.
const FLAT: f64 = 1e-10;
/// Relative rounding error of plane distances.
const ROUNDING: f64 = 1e-14;

/// Finds the shortest way out, starting from the simplex that GJK found around the origin.
pub fn shortest_way_out(
    pair: &Pair,
    simplex: &Simplex,
    tolerance: f64,
    iterations: usize,
    polytope: &mut Polytope,
) -> Way {
    let corners = match tetrahedron(pair, simplex) {
        Ok(corners) => corners,
        Err(way) => return way,
    };
    let size = corners.iter().map(|v| norm(v.p)).fold(0.0, f64::max);
    let noise = ROUNDING * size;
    let resolution = if pair.is_polyhedral() {
        noise
    } else {
        tolerance.max(noise)
    };
    polytope.start(corners);
    let mut best = None;
    for _ in 0..iterations.max(1) {
        let Some((face, distance)) = polytope.nearest() else {
            break;
        };
        best = Some((face, distance));
        let normal = polytope.faces[face].normal;
        let w = pair.support(normal, &polytope.corners(face)[0]);
        let height = dot(normal, w.p);
        if height - distance <= resolution || polytope.add(w, face, noise).is_err() {
            break;
        }
    }
    let Some((face, distance)) = best else {
        return flat(pair, simplex, [0.0, 0.0, 1.0]);
    };
    let normal = polytope.faces[face].normal;
    let corners = polytope.corners(polytope.under_origin(face, distance, resolution));
    Way {
        normal,
        depth: distance,
        corners,
        weights: weights(&corners, scale(normal, distance)),
    }
}

/// Weights of the corners that make the point `q` of their plane, kept inside the triangle.
fn weights(corners: &[Vertex; 3], q: Vec3) -> [f64; 3] {
    let [a, b, c] = corners.map(|v| sub(v.p, q));
    let n = cross(sub(b, a), sub(c, a));
    let areas = [dot(n, cross(b, c)), dot(n, cross(c, a)), dot(n, cross(a, b))].map(|area| area.max(0.0));
    let total = areas[0] + areas[1] + areas[2];
    if total > 0.0 {
        areas.map(|area| area / total)
    } else {
        [1.0, 0.0, 0.0]
    }
}

/// Four support points with volume, from those of the simplex and as many more as it takes. A difference without volume has
/// no depth, only a direction.
fn tetrahedron(pair: &Pair, simplex: &Simplex) -> Result<[Vertex; 4], Way> {
    let pool = simplex.vertices();
    let first = pool
        .first()
        .copied()
        .unwrap_or_else(|| pair.support([1.0, 0.0, 0.0], &Vertex::ZERO));
    let size = pool.iter().map(|v| norm(v.p)).fold(0.0, f64::max);
    let around = |directions: &[Vec3]| -> [Vertex; 6] {
        let mut found = [first; 6];
        for (slot, &d) in found.iter_mut().zip(directions) {
            *slot = pair.support(d, &first);
        }
        found
    };

    let length = |v: &Vertex| norm(sub(v.p, first.p));
    let axes = [
        [1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
    ];
    let second = farthest(pool, FLAT * size, length).or_else(|| farthest(&around(&axes), 0.0, length));
    let Some(second) = second else {
        return Err(flat(pair, simplex, [0.0, 0.0, 1.0]));
    };
    let size = size.max(norm(second.p));
    let along = unit_of_any_length(sub(second.p, first.p)).unwrap_or([1.0, 0.0, 0.0]);

    let off_line = |v: &Vertex| norm(cross(along, sub(v.p, first.p)));
    let across = perpendicular(along);
    let other = cross(along, across);
    let sideways = [across, neg(across), other, neg(other)];
    let third = farthest(pool, FLAT * size, off_line).or_else(|| farthest(&around(&sideways), FLAT * size, off_line));
    let Some(third) = third else {
        return Err(flat(pair, simplex, across));
    };
    let normal = unit_of_any_length(cross(along, sub(third.p, first.p))).unwrap_or(across);

    let off_plane = |v: &Vertex| dot(normal, sub(v.p, first.p)).abs();
    let size = size.max(norm(third.p));
    let fourth = farthest(pool, FLAT * size, off_plane)
        .or_else(|| farthest(&around(&[normal, neg(normal)]), FLAT * size, off_plane));
    fourth
        .map(|fourth| [first, second, third, fourth])
        .ok_or_else(|| flat(pair, simplex, normal))
}

/// The vertex with the largest measure, if that exceeds `least`.
fn farthest(vertices: &[Vertex], least: f64, measure: impl Fn(&Vertex) -> f64) -> Option<Vertex> {
    let best = vertices
        .iter()
        .map(|v| (measure(v), v))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|&(m, _)| m > least).map(|(_, &v)| v)
}

/// The way out of a difference without volume: across it, by nothing.
fn flat(pair: &Pair, simplex: &Simplex, normal: Vec3) -> Way {
    let vertices = simplex.vertices();
    let mut corners = [vertices.first().copied().unwrap_or(Vertex::ZERO); 3];
    let mut weights = [0.0; 3];
    for (k, vertex) in vertices.iter().take(3).enumerate() {
        corners[k] = *vertex;
        weights[k] = simplex.weights[k];
    }
    if vertices.len() == 4 || norm2(weights) == 0.0 {
        weights = [1.0, 0.0, 0.0];
    }
    // Away from the centre of A, if that tells.
    let outward = dot(normal, pair.centre()) <= 0.0;
    Way {
        normal: if outward { normal } else { neg(normal) },
        depth: 0.0,
        corners,
        weights,
    }
}

impl Way {
    /// The points of A and B that meet there.
    pub fn witnesses(&self) -> (Vec3, Vec3) {
        let mut a = [0.0; 3];
        let mut b = [0.0; 3];
        for (corner, &weight) in self.corners.iter().zip(&self.weights) {
            a = add_scaled(a, corner.a, weight);
            b = add_scaled(b, corner.b, weight);
        }
        (a, b)
    }
}
