//! Where rays enter shapes, by closed forms, and which way the surface looks there.
//!
//! Rays are `o + t d` in the frame of the shape, `d` of any length. A result is the parameter where the ray comes in from outside,
//! infinite for a miss; it may lie behind the start, which the caller sorts out. Quadratics are solved from the point of closest
//! approach (Haines et al., *Ray Tracing Gems*, chapter 7): `|o|² − r²` would cancel for a small ball far away.

use motrix_spatial::algebra::{add_scaled, cross, dot, mul, sub};
use motrix_spatial::{Lanes, Mask, Vec3};

use super::packet::never;

/// Squares of directions below this count as this, so that quotients stay finite in single precision.
const TINY: f64 = 1e-18;

/// The parameter where a ray enters x² + y² + z² ≤ r².
#[inline(always)]
pub fn ball<L: Lanes>(radius: L, o: Vec3<L>, d: Vec3<L>) -> L {
    let a = dot(d, d);
    let middle = -dot(o, d) / a;
    let nearest = add_scaled(o, middle, d);
    let rest = radius * radius - dot(nearest, nearest);
    let t = middle - (rest / a).sqrt();
    L::select(rest.ge(L::ZERO), t, never())
}

/// Where a ray enters and leaves the tube x² + y² ≤ r², and whether it does.
#[inline(always)]
fn tube<L: Lanes>(radius: L, o: Vec3<L>, d: Vec3<L>) -> (L, L, L::Mask) {
    let a = d[0].mul_add(d[0], d[1] * d[1]).max(L::c(TINY));
    let middle = -(o[0].mul_add(d[0], o[1] * d[1])) / a;
    let (x, y) = (middle.mul_add(d[0], o[0]), middle.mul_add(d[1], o[1]));
    let rest = radius * radius - x.mul_add(x, y * y);
    let half = (rest / a).sqrt();
    (middle - half, middle + half, rest.ge(L::ZERO))
}

/// A ball swept along |z| ≤ `half`. Where the tube is entered beyond an end, the ball of that end is in the way: its disc fills the tube.
#[inline(always)]
pub fn capsule<L: Lanes>(radius: L, half: L, o: Vec3<L>, d: Vec3<L>) -> L {
    let (enter, _, inside) = tube(radius, o, d);
    if !inside.any() {
        return never();
    }
    let z = enter.mul_add(d[2], o[2]);
    let end = L::select(z.gt(L::ZERO), half, -half);
    let cap = ball(radius, [o[0], o[1], o[2] - end], d);
    let t = L::select(z.abs().le(half), enter, cap);
    L::select(inside, t, never())
}

/// x² + y² ≤ r² and |z| ≤ `half`: inside of the tube and between the ends at once.
#[inline(always)]
pub fn cylinder<L: Lanes>(radius: L, half: L, o: Vec3<L>, d: Vec3<L>) -> L {
    let (enter, leave, inside) = tube(radius, o, d);
    let (low, high) = slab(half, o[2], d[2]);
    let (enter, leave) = (enter.max(low), leave.min(high));
    L::select(inside & enter.le(leave), enter, never())
}

/// (x/a)² + (y/b)² + (z/c)² ≤ 1: a ball in the frame that is stretched the other way.
#[inline(always)]
pub fn ellipsoid<L: Lanes>(size: Vec3<L>, o: Vec3<L>, d: Vec3<L>) -> L {
    let by = [size[0].recip(), size[1].recip(), size[2].recip()];
    ball(L::ONE, mul(o, by), mul(d, by))
}

/// Where |x| ≤ `half` is entered and left along one axis.
#[inline(always)]
fn slab<L: Lanes>(half: L, o: L, d: L) -> (L, L) {
    let least = L::c(TINY);
    let d = L::select(d.abs().lt(least), least, d);
    let inverse = d.recip();
    let (a, b) = ((-half - o) * inverse, (half - o) * inverse);
    (a.min(b), a.max(b))
}

/// A box by its half sizes: inside of three slabs at once.
#[inline(always)]
pub fn block<L: Lanes>(half: Vec3<L>, o: Vec3<L>, d: Vec3<L>) -> L {
    let (x0, x1) = slab(half[0], o[0], d[0]);
    let (y0, y1) = slab(half[1], o[1], d[1]);
    let (z0, z1) = slab(half[2], o[2], d[2]);
    let (enter, leave) = (x0.max(y0).max(z0), x1.min(y1).min(z1));
    L::select(enter.le(leave), enter, never())
}

/// The face z = 0 from above, within half sizes that are positive.
#[inline(always)]
pub fn plane<L: Lanes>(half: Vec3<L>, o: Vec3<L>, d: Vec3<L>) -> L {
    let down = d[2].lt(L::ZERO) & o[2].ge(L::ZERO);
    let t = -o[2] / L::select(down, d[2], -L::ONE);
    let (x, y) = (t.mul_add(d[0], o[0]), t.mul_add(d[1], o[1]));
    let within = (x.abs().le(half[0]) | half[0].le(L::ZERO)) & (y.abs().le(half[1]) | half[1].le(L::ZERO));
    L::select(down & within, t, never())
}

/// A triangle from the side where its corners run counter-clockwise (Möller and Trumbore 1997): parameter and the weights of the
/// second and third corner.
///
/// Edges are a hair wider than they are: rounding must not leave cracks between neighbours.
#[inline(always)]
pub fn triangle<L: Lanes>(corner: Vec3<L>, e1: Vec3<L>, e2: Vec3<L>, o: Vec3<L>, d: Vec3<L>) -> (L, L, L) {
    const HAIR: f64 = 1e-6;
    let p = cross(d, e2);
    let det = dot(e1, p);
    let front = det.gt(L::ZERO);
    let inverse = L::select(front, det, L::ONE).recip();
    let from = sub(o, corner);
    let u = dot(from, p) * inverse;
    let q = cross(from, e1);
    let v = dot(d, q) * inverse;
    let t = dot(e2, q) * inverse;
    let least = L::c(-HAIR);
    let hit = front & u.ge(least) & v.ge(least) & (u + v).le(L::c(1.0 + HAIR));
    (L::select(hit, t, never()), u, v)
}

/// The outward direction of a shape's surface at a point of it, not of unit length.
pub mod outward {
    use super::{Lanes, Vec3};

    /// Of a ball.
    #[inline(always)]
    pub fn ball<L: Lanes>(p: Vec3<L>) -> Vec3<L> {
        p
    }

    /// Of a capsule: from the nearest point of its segment.
    #[inline(always)]
    pub fn capsule<L: Lanes>(half: L, p: Vec3<L>) -> Vec3<L> {
        [p[0], p[1], p[2] - p[2].clamp(-half, half)]
    }

    /// Of an ellipsoid: the gradient of its equation.
    #[inline(always)]
    pub fn ellipsoid<L: Lanes>(size: Vec3<L>, p: Vec3<L>) -> Vec3<L> {
        [
            p[0] / (size[0] * size[0]),
            p[1] / (size[1] * size[1]),
            p[2] / (size[2] * size[2]),
        ]
    }

    /// Of a cylinder: along z where the point is nearer to an end than to the tube.
    #[inline(always)]
    pub fn cylinder<L: Lanes>(radius: L, half: L, p: Vec3<L>) -> Vec3<L> {
        let outside = p[0].mul_add(p[0], p[1] * p[1]).sqrt() - radius;
        let end = (p[2].abs() - half).gt(outside);
        let up = L::select(p[2].lt(L::ZERO), -L::ONE, L::ONE);
        [
            L::select(end, L::ZERO, p[0]),
            L::select(end, L::ZERO, p[1]),
            L::select(end, up, L::ZERO),
        ]
    }

    /// Of a box: along the axis on which the point is furthest out.
    #[inline(always)]
    pub fn block<L: Lanes>(half: Vec3<L>, p: Vec3<L>) -> Vec3<L> {
        let out = [p[0].abs() - half[0], p[1].abs() - half[1], p[2].abs() - half[2]];
        let x = out[0].ge(out[1]) & out[0].ge(out[2]);
        let y = !x & out[1].ge(out[2]);
        let z = !x & !y;
        [
            L::select(x, p[0], L::ZERO),
            L::select(y, p[1], L::ZERO),
            L::select(z, p[2], L::ZERO),
        ]
    }
}
