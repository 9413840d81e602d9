//! Which pairs cannot touch: tests on bounding spheres and bounding capsules, all lanes at once.
//!
//! A test may report a pair that does not touch, never miss one that does: sums of radii are widened by [`SLACK`] of the
//! lengths involved, well above the rounding of `f32`.

use motrix_spatial::algebra::{add_scaled, dot, norm_squared, sub};
use motrix_spatial::{Lanes, Vec3};

/// Relative widening that covers rounding.
const SLACK: f64 = 1e-4;

/// A capsule around a shape. Its segment runs from `centre − half` to `centre + half`; a ball has `half` zero.
#[derive(Clone, Copy, Debug)]
pub struct BoundingCapsule<L: Lanes> {
    /// Middle of the segment.
    pub centre: Vec3<L>,
    /// From the middle to an end.
    pub half: Vec3<L>,
    /// Radius around the segment.
    pub radius: L,
}

/// Whether two balls may come within `reach`.
#[inline(always)]
pub fn spheres_near<L: Lanes>(a: Vec3<L>, radius_a: L, b: Vec3<L>, radius_b: L, reach: L) -> L::Mask {
    let near = (radius_a + radius_b + reach) * L::c(1.0 + SLACK);
    norm_squared(sub(b, a)).le(near * near)
}

/// Whether a ball may come within `reach` of the half-space below the plane through `origin` with unit normal `n`.
#[inline(always)]
pub fn plane_sphere_near<L: Lanes>(origin: Vec3<L>, n: Vec3<L>, centre: Vec3<L>, radius: L, reach: L) -> L::Mask {
    dot(sub(centre, origin), n).le((radius + reach) * L::c(1.0 + SLACK))
}

/// Whether two capsules may come within `reach`.
///
/// The nearest points of the segments are c₁ + s h₁ and c₂ + t h₂ with s, t in [−1, 1]; s from the crossing of the lines, then
/// t, then s again, each clamped, which is exact unless the segments are nearly parallel. There s may be anything, and what the
/// distance can be off by is bounded by the shorter segment times the sine of the angle.
#[inline(always)]
pub fn capsules_near<L: Lanes>(a: &BoundingCapsule<L>, b: &BoundingCapsule<L>, reach: L) -> L::Mask {
    /// Squared sine of the angle below which rounding may spoil the crossing.
    const NEARLY_PARALLEL: f64 = 1e-4;
    let one = L::ONE;
    let r = sub(a.centre, b.centre);
    // Never divide by zero: a segment shorter than this is a point.
    let point = L::c(1e-12);
    let (aa, bb) = (norm_squared(a.half).max(point), norm_squared(b.half).max(point));
    let (ab, ar, br) = (dot(a.half, b.half), dot(a.half, r), dot(b.half, r));
    let det = ab.neg_mul_add(ab, aa * bb);
    let parallel = det.le(aa * bb * L::c(NEARLY_PARALLEL));

    let crossing = bb.neg_mul_add(ar, ab * br) / L::select(parallel, one, det);
    let s = L::select(parallel, L::ZERO, crossing).clamp(-one, one);
    let t = (ab.mul_add(s, br) / bb).clamp(-one, one);
    let s = (ab.mul_add(t, -ar) / aa).clamp(-one, one);
    let gap = add_scaled(add_scaled(r, s, a.half), -t, b.half);

    let shorter = aa.min(bb).sqrt();
    let lengths = a.radius + b.radius + reach + shorter;
    let twist = L::select(parallel, shorter * L::c(2.0 * NEARLY_PARALLEL.sqrt()), L::ZERO);
    let near = a.radius + b.radius + reach + lengths.mul_add(L::c(SLACK), twist);
    norm_squared(gap).le(near * near)
}
