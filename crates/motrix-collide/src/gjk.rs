//! Distance between two convex cores, after Gilbert, Johnson and Keerthi.
//!
//! The nearest point x of the Minkowski difference to the origin is approached by simplices of support points: each step adds
//! the support point w along −x and keeps the face of the simplex nearest to the origin. Since every point of the difference
//! has x·p ≥ x·w, the distance is at least x·w / |x|; the loop ends when that bound proves the shapes farther apart than
//! asked for, meets |x|, or when the origin is enclosed.
//!
//! When only touching matters, x need not be the nearest point: any direction towards the origin serves, and no lengths are
//! computed at all.

use crate::minkowski::{Pair, Vertex};
use crate::simplex::{Simplex, Step};
use crate::vector::{Vec3, cross, dot, neg, norm2, sub};

/// How GJK ends.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// The cores are farther apart than the limit; this direction from A to B, of any length, proves it.
    Apart { axis: Vec3 },
    /// The cores do not touch: this is the nearest point of A − B.
    Separated { x: Vec3 },
    /// The origin is inside A − B, or nearer than rounding can tell.
    Overlapping,
}

/// Relative distance below which x has no direction left.
const TOUCHING: f64 = 1e-10;
/// Relative rounding error of products of support points.
const ROUNDING: f64 = 1e-15;

/// A direction to begin with: from the origin to some point of A − B.
#[inline(always)]
fn first_direction(pair: &Pair) -> Vec3 {
    let x = pair.centre();
    if norm2(x) > 0.0 { x } else { [1.0, 0.0, 0.0] }
}

/// Finds the nearest point of A − B and the simplex that carries it. `limit` is the distance beyond which it does not matter,
/// `tolerance` how closely curved shapes are resolved.
#[inline(always)]
pub fn nearest(pair: &Pair, limit: f64, tolerance: f64, iterations: usize, simplex: &mut Simplex) -> Outcome {
    let resolution = if pair.is_polyhedral() {
        0.0
    } else {
        0.5 * tolerance * tolerance
    };
    simplex.clear();
    let mut x = first_direction(pair);
    let mut w = Vertex::ZERO;
    let mut distance2 = f64::INFINITY;
    // Largest squared length of a support point: the scale of rounding errors.
    let mut size2: f64 = 0.0;
    for _ in 0..iterations.max(1) {
        w = pair.support(neg(x), &w);
        let (xx, xw) = (norm2(x), dot(x, w.p));
        if xw > 0.0 && xw * xw > limit * limit * xx {
            return Outcome::Apart { axis: neg(x) };
        }
        size2 = size2.max(norm2(w.p));
        // The first x is not a point of a simplex; from then on |x|² − x·w bounds how far it is from the nearest point.
        if distance2.is_finite() {
            let gap = xx - xw;
            let rounding = ROUNDING * ROUNDING * xx * size2;
            if gap <= resolution || gap * gap <= rounding || simplex.vertices().any(|v| v.p == w.p) {
                break;
            }
        }
        match simplex.step(&w, distance2) {
            Step::Nearer(point) => x = point,
            Step::Enclosed => return Outcome::Overlapping,
            Step::Stuck => break,
        }
        distance2 = norm2(x);
        if distance2 <= TOUCHING * TOUCHING * size2 {
            return Outcome::Overlapping;
        }
    }
    Outcome::Separated { x }
}

/// Whether the origin is outside A − B, decided by signs alone. What cannot be decided counts as overlapping: the depth, which
/// is signed, then decides.
#[inline(always)]
pub fn overlap(pair: &Pair, iterations: usize, simplex: &mut Simplex) -> Outcome {
    let mut towards = neg(first_direction(pair));
    let mut w = Vertex::ZERO;
    let mut portal = Portal {
        p: [[0.0; 3]; 4],
        slot: [0; 4],
        count: 0,
    };
    for _ in 0..iterations.max(4) {
        w = pair.support(towards, &w);
        if dot(w.p, towards) < 0.0 {
            return Outcome::Apart { axis: towards };
        }
        simplex.place(portal.push(w.p), &w);
        match portal.step() {
            Some(direction) => towards = direction,
            None => break,
        }
    }
    simplex.choose(portal.slot, portal.count);
    Outcome::Overlapping
}

/// The simplex of the overlap test, the newest vertex last, and the slots where the vertices are kept.
struct Portal {
    p: [Vec3; 4],
    slot: [u8; 4],
    count: usize,
}

impl Portal {
    /// Adds a point and gives a free slot for its vertex.
    #[inline(always)]
    fn push(&mut self, p: Vec3) -> u8 {
        let taken = self.slot[..self.count & 3]
            .iter()
            .fold(0u32, |bits, &slot| bits | 1 << slot);
        let slot = taken.trailing_ones() as u8 & 3;
        self.p[self.count & 3] = p;
        self.slot[self.count & 3] = slot;
        self.count += 1;
        slot
    }

    /// Keeps the vertices of these places, in this order.
    #[inline(always)]
    fn keep<const N: usize>(&mut self, places: [usize; N]) {
        let (p, slot) = (self.p, self.slot);
        for (k, place) in places.into_iter().enumerate() {
            self.p[k] = p[place];
            self.slot[k] = slot[place];
        }
        self.count = N;
    }

    /// Drops what lies away from the origin and gives the next direction towards it; `None` when there is none left: the
    /// origin is enclosed, or lies on the simplex.
    #[inline(always)]
    fn step(&mut self) -> Option<Vec3> {
        let direction = match self.count {
            1 => neg(self.p[0]),
            2 => self.segment(),
            3 => self.triangle(),
            _ => self.tetrahedron()?,
        };
        (norm2(direction) > 0.0).then_some(direction)
    }

    /// From the newest vertex towards the origin, at a right angle to the segment.
    #[inline(always)]
    fn segment(&mut self) -> Vec3 {
        let [b, a, ..] = self.p;
        let (ab, ao) = (sub(b, a), neg(a));
        if dot(ab, ao) > 0.0 {
            cross(cross(ab, ao), ab)
        } else {
            self.keep([1]);
            ao
        }
    }

    /// The side of the triangle towards the origin, or one of its edges at the newest vertex.
    #[inline(always)]
    fn triangle(&mut self) -> Vec3 {
        let [c, b, a, _] = self.p;
        let (ab, ac, ao) = (sub(b, a), sub(c, a), neg(a));
        let n = cross(ab, ac);
        let (beyond_ac, beyond_ab) = (dot(cross(n, ac), ao) > 0.0, dot(cross(ab, n), ao) > 0.0);
        if beyond_ac && dot(ac, ao) > 0.0 {
            self.keep([0, 2]);
            cross(cross(ac, ao), ac)
        } else if beyond_ac || beyond_ab {
            self.keep([1, 2]);
            self.segment()
        } else if dot(n, ao) > 0.0 {
            n
        } else {
            // The triangle stays counter-clockwise seen from the origin.
            self.keep([1, 0, 2]);
            neg(n)
        }
    }

    /// The face at the newest vertex that the origin lies beyond; `None` when it is enclosed.
    #[inline(always)]
    fn tetrahedron(&mut self) -> Option<Vec3> {
        let [d, c, b, a] = self.p;
        let (ab, ac, ad, ao) = (sub(b, a), sub(c, a), sub(d, a), neg(a));
        if dot(cross(ab, ac), ao) > 0.0 {
            self.keep([1, 2, 3]);
        } else if dot(cross(ac, ad), ao) > 0.0 {
            self.keep([0, 1, 3]);
        } else if dot(cross(ad, ab), ao) > 0.0 {
            self.keep([2, 0, 3]);
        } else {
            return None;
        }
        Some(self.triangle())
    }
}
