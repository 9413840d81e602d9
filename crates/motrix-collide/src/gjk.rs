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
    let mut portal = Portal::new();
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
    let Portal { a, b, c, d, count, .. } = portal;
    let slots = match count {
        1 => [a.slot; 4],
        2 => [b.slot, a.slot, a.slot, a.slot],
        3 => [c.slot, b.slot, a.slot, a.slot],
        _ => [d.slot, c.slot, b.slot, a.slot],
    };
    simplex.choose(slots, count);
    Outcome::Overlapping
}

/// A corner of the simplex of the overlap test, and the slot where its vertex is kept.
#[derive(Clone, Copy)]
struct Corner {
    p: Vec3,
    slot: u8,
}

/// The simplex of the overlap test: `count` corners, from the newest, a, to the oldest. Each is a variable of its own, which
/// stays in registers as the places of an array would not.
struct Portal {
    a: Corner,
    b: Corner,
    c: Corner,
    d: Corner,
    count: usize,
    /// A bit for each slot in use.
    taken: u32,
}

impl Portal {
    #[inline(always)]
    fn new() -> Portal {
        let none = Corner { p: [0.0; 3], slot: 0 };
        Portal {
            a: none,
            b: none,
            c: none,
            d: none,
            count: 0,
            taken: 0,
        }
    }

    /// Adds a point and gives a free slot for its vertex.
    #[inline(always)]
    fn push(&mut self, p: Vec3) -> u8 {
        let slot = self.taken.trailing_ones() as u8 & 3;
        (self.d, self.c, self.b, self.a) = (self.c, self.b, self.a, Corner { p, slot });
        self.count += 1;
        self.taken |= 1 << slot;
        slot
    }

    /// Frees the slot of a corner that is dropped.
    #[inline(always)]
    fn free(&mut self, dropped: Corner) {
        self.taken &= !(1 << dropped.slot);
        self.count -= 1;
    }

    /// Drops what lies away from the origin and gives the next direction towards it; `None` when there is none left: the
    /// origin is enclosed, or lies on the simplex.
    #[inline(always)]
    fn step(&mut self) -> Option<Vec3> {
        let direction = match self.count {
            1 => neg(self.a.p),
            2 => self.segment(),
            3 => self.triangle(),
            _ => self.tetrahedron()?,
        };
        (norm2(direction) > 0.0).then_some(direction)
    }

    /// From the newest vertex towards the origin, at a right angle to the segment.
    #[inline(always)]
    fn segment(&mut self) -> Vec3 {
        let (ab, ao) = (sub(self.b.p, self.a.p), neg(self.a.p));
        if dot(ab, ao) > 0.0 {
            cross(cross(ab, ao), ab)
        } else {
            self.free(self.b);
            ao
        }
    }

    /// The side of the triangle towards the origin, or one of its edges at the newest vertex.
    #[inline(always)]
    fn triangle(&mut self) -> Vec3 {
        let (ab, ac, ao) = (sub(self.b.p, self.a.p), sub(self.c.p, self.a.p), neg(self.a.p));
        let n = cross(ab, ac);
        let (beyond_ac, beyond_ab) = (dot(cross(n, ac), ao) > 0.0, dot(cross(ab, n), ao) > 0.0);
        if beyond_ac && dot(ac, ao) > 0.0 {
            self.free(self.b);
            self.b = self.c;
            cross(cross(ac, ao), ac)
        } else if beyond_ac || beyond_ab {
            self.free(self.c);
            self.segment()
        } else if dot(n, ao) > 0.0 {
            n
        } else {
            // The triangle stays counter-clockwise seen from the origin.
            (self.b, self.c) = (self.c, self.b);
            neg(n)
        }
    }

    /// The face at the newest vertex that the origin lies beyond; `None` when it is enclosed.
    #[inline(always)]
    fn tetrahedron(&mut self) -> Option<Vec3> {
        let a = self.a.p;
        let (ab, ac, ad, ao) = (sub(self.b.p, a), sub(self.c.p, a), sub(self.d.p, a), neg(a));
        if dot(cross(ab, ac), ao) > 0.0 {
            self.free(self.d);
        } else if dot(cross(ac, ad), ao) > 0.0 {
            self.free(self.b);
            (self.b, self.c) = (self.c, self.d);
        } else if dot(cross(ad, ab), ao) > 0.0 {
            self.free(self.c);
            (self.b, self.c) = (self.d, self.b);
        } else {
            return None;
        }
        Some(self.triangle())
    }
}
