//! Capsule against capsule: the nearest points of two segments carry balls.
//!
//! Segments P(s) = p + s d and Q(t) = q + t e for s, t in [0, 1], with r = p − q. In general the nearest points are
//!   s = (e × r)·(d × e) / |d × e|²,  t = (s d·e + e·r) / |e|²,
//! each clamped with the other solved again. Cross products, unlike the determinant |d|²|e|² − (d·e)², keep their accuracy
//! when the segments are nearly parallel. Parallel segments make two contacts, one for each end of the first segment.

use super::sphere::{Ball, sphere};
use crate::contact::Manifold;
use crate::shape::Pose;
use crate::vector::{TINY, Vec3, add_scaled, axis, cross, dot, norm2, scale, sub};

/// Squared sine of the angle below which two segments count as parallel.
const PARALLEL: f64 = 1e-8;

/// A capsule in the outer frame.
#[derive(Clone, Copy)]
pub struct Capsule {
    ball: Ball,
    /// Where the segment starts, and the vector to its other end.
    start: Vec3,
    span: Vec3,
}

impl Capsule {
    #[inline(always)]
    pub fn new(pose: &Pose, radius: f64, half_length: f64) -> Capsule {
        let half = scale(axis(&pose.rotation, 2), half_length);
        Capsule {
            ball: Ball::new(pose, radius),
            start: sub(pose.position, half),
            span: scale(half, 2.0),
        }
    }

    #[inline(always)]
    fn ball_at(&self, s: f64) -> Ball {
        self.ball.moved_to(add_scaled(self.start, self.span, s))
    }
}

/// Capsule and capsule.
#[inline(always)]
pub fn capsule(a: Capsule, b: Capsule, margin: f64, out: &mut Manifold) {
    let (first, second) = nearest(a.span, b.span, sub(a.start, b.start));
    for (s, t) in [Some(first), second].into_iter().flatten() {
        sphere(a.ball_at(s), b.ball_at(t), margin, out);
    }
}

/// Parameters of the nearest points of two segments; two pairs when they are parallel.
#[inline(always)]
fn nearest(d: Vec3, e: Vec3, r: Vec3) -> ((f64, f64), Option<(f64, f64)>) {
    let clamp = |x: f64| x.clamp(0.0, 1.0);
    let (dd, ee) = (norm2(d), norm2(e));
    let (dr, er) = (dot(d, r), dot(e, r));
    match (dd <= TINY, ee <= TINY) {
        (true, true) => return ((0.0, 0.0), None),
        (true, false) => return ((0.0, clamp(er / ee)), None),
        (false, true) => return ((clamp(-dr / dd), 0.0), None),
        (false, false) => {}
    }
    let de = dot(d, e);
    // For a given s the nearest t, and if that leaves the segment, the nearest s to the end of it.
    let solve = |s: f64| {
        let t = (de * s + er) / ee;
        if t < 0.0 {
            (clamp(-dr / dd), 0.0)
        } else if t > 1.0 {
            (clamp((de - dr) / dd), 1.0)
        } else {
            (s, t)
        }
    };
    let n = cross(d, e);
    if norm2(n) > PARALLEL * dd * ee {
        (solve(clamp(dot(cross(e, r), n) / norm2(n))), None)
    } else {
        (solve(0.0), Some(solve(1.0)))
    }
}
