//! Capsule against capsule: the nearest points of two segments carry balls.
//!
//! Segments P(s) = p + s **d** and Q(t) = q + t **e** with s, t in [0, 1] and **r** = p − q. In general the nearest points are
//!   s = (**e** × **r**)·(**d** × **e**) / |**d** × **e**|²,  t = (s **d**·**e** + **e**·**r**) / |**e**|²,
//! each clamped and the other solved again. Cross products, unlike the determinant |d|²|e|² − (d·e)², keep their accuracy when
//! the segments are nearly parallel. Parallel segments touch at two points, one for each end of the first segment.

use motrix_spatial::algebra::{MIN_LENGTH, add_scaled, cross, dot, norm_squared, scale, sub};
use motrix_spatial::{Lanes, Mask, Vec3};

use super::sphere::{Ball, ball_ball};
use super::{Placed, Touch, TouchList};

/// Squared sine of the angle below which two segments count as parallel.
const PARALLEL: f64 = 1e-8;

/// The segment of a capsule: where it starts, and the vector to its other end.
#[derive(Clone, Copy)]
struct Segment<L: Lanes> {
    start: Vec3<L>,
    span: Vec3<L>,
}

#[inline(always)]
fn segment<L: Lanes>(capsule: &Placed<L>) -> Segment<L> {
    let half = scale(capsule.z_axis(), capsule.size[1]);
    Segment {
        start: sub(*capsule.position, half),
        span: scale(half, L::c(2.0)),
    }
}

/// Products of the two segments that every nearest point is made of.
struct Products<L: Lanes> {
    dd: L,
    ee: L,
    de: L,
    dr: L,
    er: L,
}

impl<L: Lanes> Products<L> {
    /// For a given s the nearest t; if that leaves the segment, the nearest s to its end.
    #[inline(always)]
    fn solve(&self, s: L) -> (L, L) {
        let free = self.de.mul_add(s, self.er) / self.ee;
        let t = free.clamp(L::ZERO, L::ONE);
        let clamped = free.lt(L::ZERO) | free.gt(L::ONE);
        let back = ((self.de * t - self.dr) / self.dd).clamp(L::ZERO, L::ONE);
        (L::select(clamped, back, s), t)
    }
}

/// Capsule and capsule.
#[inline(always)]
pub fn capsule_capsule<L: Lanes>(a: &Placed<L>, b: &Placed<L>, reach: L, out: &mut TouchList<L>) {
    let (first, second) = (segment(a), segment(b));
    let (d, e) = (first.span, second.span);
    let r = sub(first.start, second.start);
    // A segment of no length is a point: any divisor gives the parameter zero of its only point.
    let tiny = L::c(MIN_LENGTH);
    let (dd, ee) = (norm_squared(d), norm_squared(e));
    let (d_is_point, e_is_point) = (dd.le(tiny), ee.le(tiny));
    let products = Products {
        dd: L::select(d_is_point, L::ONE, dd),
        ee: L::select(e_is_point, L::ONE, ee),
        de: dot(d, e),
        dr: dot(d, r),
        er: dot(e, r),
    };

    let n = cross(d, e);
    let nn = norm_squared(n);
    let crossing = nn.gt(L::c(PARALLEL) * dd * ee);
    let on_lines = dot(cross(e, r), n) / L::select(crossing, nn, L::ONE);
    // A point among the segments decides alone where it is nearest on the other.
    let nearest_to_point = L::select(e_is_point, -products.dr / products.dd, L::ZERO);
    let start = L::select(crossing, on_lines, nearest_to_point).clamp(L::ZERO, L::ONE);

    let (s, t) = products.solve(start);
    out.push(touch(a, b, first, second, s, t, reach));
    let parallel = !(crossing | d_is_point | e_is_point);
    if parallel.any() {
        let (s, t) = products.solve(L::ONE);
        let mut other_end = touch(a, b, first, second, s, t, reach);
        other_end.active = other_end.active & parallel;
        out.push(Touch::new(
            other_end.active,
            other_end.distance,
            other_end.position,
            other_end.normal,
        ));
    }
}

/// The contact of the balls at `s` on the first segment and `t` on the second.
#[inline(always)]
fn touch<L: Lanes>(
    a: &Placed<L>,
    b: &Placed<L>,
    first: Segment<L>,
    second: Segment<L>,
    s: L,
    t: L,
    reach: L,
) -> Touch<L> {
    let ball_a = Ball {
        centre: add_scaled(first.start, s, first.span),
        radius: a.size[0],
        axis: a.z_axis(),
    };
    let ball_b = Ball {
        centre: add_scaled(second.start, t, second.span),
        radius: b.size[0],
        axis: b.z_axis(),
    };
    ball_ball(ball_a, ball_b, reach)
}
