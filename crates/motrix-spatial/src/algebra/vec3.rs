//! Points and directions in three dimensions.

use super::{MIN_LENGTH, Vec3};
use crate::lanes::Lanes;

/// The zero vector.
#[inline(always)]
pub fn zero3<L: Lanes>() -> Vec3<L> {
    [L::ZERO; 3]
}

/// The same vector in every lane.
#[inline(always)]
pub fn splat3<L: Lanes>(v: [L::Elem; 3]) -> Vec3<L> {
    [L::splat(v[0]), L::splat(v[1]), L::splat(v[2])]
}

/// `a + b`.
#[inline(always)]
pub fn add<L: Lanes>(a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a − b`.
#[inline(always)]
pub fn sub<L: Lanes>(a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `−a`.
#[inline(always)]
pub fn neg<L: Lanes>(a: Vec3<L>) -> Vec3<L> {
    [-a[0], -a[1], -a[2]]
}

/// `s a`.
#[inline(always)]
pub fn scale<L: Lanes>(a: Vec3<L>, s: L) -> Vec3<L> {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `[a₀ b₀, a₁ b₁, a₂ b₂]`.
#[inline(always)]
pub fn mul<L: Lanes>(a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// `a + s b`.
#[inline(always)]
pub fn add_scaled<L: Lanes>(a: Vec3<L>, s: L, b: Vec3<L>) -> Vec3<L> {
    [s.mul_add(b[0], a[0]), s.mul_add(b[1], a[1]), s.mul_add(b[2], a[2])]
}

/// `a · b`.
#[inline(always)]
pub fn dot<L: Lanes>(a: Vec3<L>, b: Vec3<L>) -> L {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

/// `a × b`.
#[inline(always)]
pub fn cross<L: Lanes>(a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [
        a[2].neg_mul_add(b[1], a[1] * b[2]),
        a[0].neg_mul_add(b[2], a[2] * b[0]),
        a[1].neg_mul_add(b[0], a[0] * b[1]),
    ]
}

/// `c + a × b`.
#[inline(always)]
pub fn add_cross<L: Lanes>(c: Vec3<L>, a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [
        a[2].neg_mul_add(b[1], a[1].mul_add(b[2], c[0])),
        a[0].neg_mul_add(b[2], a[2].mul_add(b[0], c[1])),
        a[1].neg_mul_add(b[0], a[0].mul_add(b[1], c[2])),
    ]
}

/// `|a|²`.
#[inline(always)]
pub fn norm_squared<L: Lanes>(a: Vec3<L>) -> L {
    dot(a, a)
}

/// `|a|`.
#[inline(always)]
pub fn norm<L: Lanes>(a: Vec3<L>) -> L {
    dot(a, a).sqrt()
}

/// `|a − b|`.
#[inline(always)]
pub fn distance<L: Lanes>(a: Vec3<L>, b: Vec3<L>) -> L {
    norm(sub(a, b))
}

/// `a / |a|` and `|a|`; the x axis when `|a|` is below [`MIN_LENGTH`].
#[inline(always)]
pub fn normalize<L: Lanes>(a: Vec3<L>) -> (Vec3<L>, L) {
    let length = norm(a);
    let tiny = length.lt(L::c(MIN_LENGTH));
    // The quotient of a tiny vector may be infinite; select drops it.
    let unit = scale(a, length.recip());
    (select3(tiny, [L::ONE, L::ZERO, L::ZERO], unit), length)
}

/// `a` in the lanes where the mask is true, else `b`.
#[inline(always)]
pub fn select3<L: Lanes>(mask: L::Mask, a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [
        L::select(mask, a[0], b[0]),
        L::select(mask, a[1], b[1]),
        L::select(mask, a[2], b[2]),
    ]
}
