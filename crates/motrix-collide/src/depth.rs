//! Depth of an overlap, after van den Bergen's expanding polytope algorithm.
//!
//! The depth is the distance of the origin from the boundary of the Minkowski difference: the shortest way out. A polytope
//! inside the difference grows towards it, always at the face nearest to the origin, until the support point along that
//! face's normal lies in the face. The distance is signed: shapes that turn out to be apart by a hair are reported so rather
//! than lost.

use crate::minkowski::{Pair, Vertex};
use crate::polytope::{Nearest, Polytope};
use crate::separation::Touch;
use crate::simplex::Simplex;
use crate::vector::{Vec3, add_scaled, cross, dot, neg, norm, norm2, perpendicular, scale, sub, unit_of_any_length};

/// Relative height below which points count as coplanar.
const FLAT: f64 = 1e-10;
/// Relative rounding error of plane distances.
const ROUNDING: f64 = 1e-14;

/// A search for the shortest way out.
pub(crate) struct WayOut<'s> {
    pair: &'s Pair<'s>,
    simplex: &'s Simplex,
    polytope: &'s mut Polytope,
    /// Largest distance of a corner of the polytope it starts from.
    size: f64,
    /// The face nearest to the origin so far.
    best: Option<Nearest>,
    /// Vertices that may still be added.
    iterations: usize,
}

impl<'s> WayOut<'s> {
    /// A search that starts from the simplex which GJK found around the origin. A difference without volume has its way out at
    /// once.
    #[inline(always)]
    pub fn start(
        pair: &'s Pair,
        simplex: &'s Simplex,
        iterations: usize,
        polytope: &'s mut Polytope,
    ) -> Result<WayOut<'s>, Touch> {
        match start(pair, simplex, polytope) {
            Ok(size) => Ok(WayOut {
                pair,
                simplex,
                polytope,
                size,
                best: None,
                iterations: iterations.max(1),
            }),
            Err(Flat { normal }) => Err(across_flat(pair, simplex, normal)),
        }
    }

    /// Goes on until the way out is known to `tolerance`, or to this part of the size of the difference if that is more. The
    /// distance of the result is minus the depth.
    #[inline(always)]
    pub fn to(&mut self, tolerance: f64, part: f64) -> Touch {
        let noise = ROUNDING * self.size;
        let resolution = if self.pair.is_polyhedral() {
            noise
        } else {
            tolerance.max(part.max(ROUNDING) * self.size)
        };
        while self.iterations > 0
            && let Some(nearest) = self.polytope.nearest()
        {
            self.best = Some(nearest);
            let w = self.pair.support(nearest.normal, self.polytope.corner_of(&nearest));
            let height = dot(nearest.normal, w.p);
            if height - nearest.distance <= resolution {
                break;
            }
            self.iterations -= 1;
            if self.polytope.add(&w, &nearest, noise).is_err() {
                self.iterations = 0;
            }
        }
        let Some(nearest) = self.best else {
            return across_flat(self.pair, self.simplex, [0.0, 0.0, 1.0]);
        };
        let corners = self.polytope.corners_under_origin(&nearest, resolution);
        let weights = weights(&corners, scale(nearest.normal, nearest.distance));
        touch(nearest.normal, nearest.distance, &corners, &weights)
    }
}

/// The place that weighted support points make.
#[inline(always)]
fn touch(normal: Vec3, depth: f64, corners: &[&Vertex; 3], weights: &[f64; 3]) -> Touch {
    let mut a = [0.0; 3];
    let mut b = [0.0; 3];
    for (corner, &weight) in corners.iter().zip(weights) {
        a = add_scaled(a, corner.a, weight);
        b = add_scaled(b, corner.b(), weight);
    }
    let [first, second, third] = *corners;
    Touch {
        distance: -depth,
        normal,
        a,
        b,
        features_a: [first.feature_a, second.feature_a, third.feature_a],
        features_b: [first.feature_b, second.feature_b, third.feature_b],
        count: 3,
    }
}

/// Weights of the corners that make the point `q` of their plane, kept inside the triangle.
#[inline(always)]
fn weights(corners: &[&Vertex; 3], q: Vec3) -> [f64; 3] {
    let [a, b, c] = [sub(corners[0].p, q), sub(corners[1].p, q), sub(corners[2].p, q)];
    let n = cross(sub(b, a), sub(c, a));
    let [u, v, w] = [
        dot(n, cross(b, c)).max(0.0),
        dot(n, cross(c, a)).max(0.0),
        dot(n, cross(a, b)).max(0.0),
    ];
    let total = u + v + w;
    if total > 0.0 {
        [u / total, v / total, w / total]
    } else {
        [1.0, 0.0, 0.0]
    }
}

/// A difference without volume has no depth, only a direction across it.
struct Flat {
    normal: Vec3,
}

/// Starts the polytope with four support points that span a volume: those of the simplex, or as many more as it takes. The
/// answer is the scale of rounding errors.
#[inline(always)]
fn start(pair: &Pair, simplex: &Simplex, polytope: &mut Polytope) -> Result<f64, Flat> {
    if simplex.count() == 4 {
        let corners = [
            simplex.vertex(0),
            simplex.vertex(1),
            simplex.vertex(2),
            simplex.vertex(3),
        ];
        let from_first = [
            sub(corners[1].p, corners[0].p),
            sub(corners[2].p, corners[0].p),
            sub(corners[3].p, corners[0].p),
        ];
        let [a, b, c] = from_first;
        let volume = dot(cross(a, b), c);
        if volume * volume > FLAT * FLAT * norm2(a) * norm2(b) * norm2(c) {
            polytope.start(corners);
            return Ok(size(corners));
        }
    }
    let [a, b, c, d] = &spread(pair, simplex)?;
    polytope.start([a, b, c, d]);
    Ok(size([a, b, c, d]))
}

/// How far the farthest corner is from the origin.
#[inline(always)]
fn size([a, b, c, d]: [&Vertex; 4]) -> f64 {
    let farther = norm2(a.p).max(norm2(b.p)).max(norm2(c.p).max(norm2(d.p)));
    farther.max(0.0).sqrt()
}

/// Collects support points in new directions until they span a volume.
#[cold]
fn spread(pair: &Pair, simplex: &Simplex) -> Result<[Vertex; 4], Flat> {
    let mut pool = [Vertex::ZERO; 4];
    simplex
        .vertices()
        .zip(&mut pool)
        .for_each(|(vertex, slot)| *slot = *vertex);
    let pool = &pool[..simplex.count()];
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
        return Err(Flat {
            normal: [0.0, 0.0, 1.0],
        });
    };
    let size = size.max(norm(second.p));
    let along = unit_of_any_length(sub(second.p, first.p)).unwrap_or([1.0, 0.0, 0.0]);

    let off_line = |v: &Vertex| norm(cross(along, sub(v.p, first.p)));
    let across = perpendicular(along);
    let other = cross(along, across);
    let sideways = [across, neg(across), other, neg(other)];
    let third = farthest(pool, FLAT * size, off_line).or_else(|| farthest(&around(&sideways), FLAT * size, off_line));
    let Some(third) = third else {
        return Err(Flat { normal: across });
    };
    let size = size.max(norm(third.p));
    let normal = unit_of_any_length(cross(along, sub(third.p, first.p))).unwrap_or(across);

    let off_plane = |v: &Vertex| dot(normal, sub(v.p, first.p)).abs();
    let both_sides = || farthest(&around(&[normal, neg(normal)]), FLAT * size, off_plane);
    let fourth = farthest(pool, FLAT * size, off_plane).or_else(both_sides);
    fourth
        .map(|fourth| [first, second, third, fourth])
        .ok_or(Flat { normal })
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
#[cold]
fn across_flat(pair: &Pair, simplex: &Simplex, normal: Vec3) -> Touch {
    let mut corners = [simplex.vertex(0); 3];
    let mut weights = [1.0, 0.0, 0.0];
    if simplex.count() <= 3 {
        for (k, (vertex, &weight)) in simplex.vertices().zip(simplex.weights()).enumerate() {
            corners[k] = vertex;
            weights[k] = weight;
        }
    }
    // Away from the centre of A, if that tells.
    let outward = dot(normal, pair.centre()) <= 0.0;
    touch(if outward { normal } else { neg(normal) }, 0.0, &corners, &weights)
}
