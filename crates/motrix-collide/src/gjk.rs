//! Distance between two convex cores, after Gilbert, Johnson and Keerthi.
//!
//! The nearest point x of the Minkowski difference to the origin is approached by simplices of support points: each step adds
//! the support point w along −x and keeps the face of the simplex nearest to the origin. Since every point of the difference
//! has x·p ≥ x·w, the distance is at least x·w / |x|; the loop ends when that bound proves the shapes farther apart than
//! asked for, meets |x|, or when the origin is enclosed.

use crate::minkowski::{Pair, Vertex};
use crate::simplex::Simplex;
use crate::vector::{Vec3, dot, neg, norm2};

/// How GJK ends.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// The cores are farther apart than the limit; the direction from B to A proves it.
    Apart { axis: Vec3 },
    /// The cores do not touch: the nearest point of A − B and the simplex that carries it.
    Separated { x: Vec3, simplex: Simplex },
    /// The origin is inside A − B, or nearer than rounding can tell.
    Overlapping { simplex: Simplex },
}

/// Relative distance below which x has no direction left.
const TOUCHING: f64 = 1e-10;
/// Relative rounding error of products of support points.
const ROUNDING: f64 = 1e-15;

/// Finds the nearest point of A − B; `limit` is the distance beyond which it does not matter, `tolerance` how closely curved
/// shapes are resolved.
pub fn nearest(pair: &Pair, limit: f64, tolerance: f64, iterations: usize) -> Outcome {
    let resolution = if pair.is_polyhedral() {
        0.0
    } else {
        0.5 * tolerance * tolerance
    };
    let mut simplex = Simplex::EMPTY;
    let mut x = pair.centre();
    if !(norm2(x) > 0.0) {
        x = [1.0, 0.0, 0.0];
    }
    let mut near = Vertex::ZERO;
    // Largest squared length of a support point: the scale of rounding errors.
    let mut size2: f64 = 0.0;
    for step in 0..iterations.max(1) {
        let w = pair.support(neg(x), &near);
        near = w;
        let (xx, xw) = (norm2(x), dot(x, w.p));
        if xw > 0.0 && xw * xw > limit * limit * xx {
            return Outcome::Apart { axis: x };
        }
        size2 = size2.max(norm2(w.p));
        if step > 0 {
            let gap = xx - xw;
            let noise = ROUNDING * (xx * size2).sqrt();
            if gap <= resolution + noise || simplex.vertices().iter().any(|v| v.is_same(&w)) {
                break;
            }
        }
        let before = simplex;
        simplex.push(w);
        let nearer = simplex.reduce();
        let distance2 = norm2(nearer);
        if simplex.count == 4 || distance2 <= TOUCHING * TOUCHING * size2 {
            return Outcome::Overlapping { simplex };
        }
        if step > 0 && distance2 >= xx {
            simplex = before;
            break;
        }
        x = nearer;
    }
    Outcome::Separated { x, simplex }
}
