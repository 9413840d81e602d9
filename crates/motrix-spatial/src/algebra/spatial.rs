//! Six-dimensional motions and forces, and the inertia between them (Featherstone, *Rigid Body Dynamics Algorithms*,
//! chapter 2).
//!
//! A motion is `[ω; v]`: the angular velocity and the linear velocity of the point that coincides with the origin. A
//! force is `[τ; f]`: the torque about the origin and the force. All share one frame and origin; MuJoCo takes the axes
//! of the world and the centre of mass of the tree.

use super::{Force, Inertia, Mat3, Motion, Rotational, Vec3, add_cross, cross, dot, mat_row, mul, scale};
use crate::lanes::Lanes;

/// The upper half: angular velocity or torque.
#[inline(always)]
pub fn angular<L: Lanes>(s: &[L; 6]) -> Vec3<L> {
    [s[0], s[1], s[2]]
}

/// The lower half: linear velocity or force.
#[inline(always)]
pub fn linear<L: Lanes>(s: &[L; 6]) -> Vec3<L> {
    [s[3], s[4], s[5]]
}

/// The spatial vector with these halves.
#[inline(always)]
pub fn spatial<L: Lanes>(angular: Vec3<L>, linear: Vec3<L>) -> [L; 6] {
    [angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]]
}

/// The zero motion or force.
#[inline(always)]
pub fn zero6<L: Lanes>() -> [L; 6] {
    [L::ZERO; 6]
}

/// `a + b`.
#[inline(always)]
pub fn add6<L: Lanes>(a: &[L; 6], b: &[L; 6]) -> [L; 6] {
    [
        a[0] + b[0],
        a[1] + b[1],
        a[2] + b[2],
        a[3] + b[3],
        a[4] + b[4],
        a[5] + b[5],
    ]
}

/// `a − b`.
#[inline(always)]
pub fn sub6<L: Lanes>(a: &[L; 6], b: &[L; 6]) -> [L; 6] {
    [
        a[0] - b[0],
        a[1] - b[1],
        a[2] - b[2],
        a[3] - b[3],
        a[4] - b[4],
        a[5] - b[5],
    ]
}

/// `s a`.
#[inline(always)]
pub fn scale6<L: Lanes>(a: &[L; 6], s: L) -> [L; 6] {
    [a[0] * s, a[1] * s, a[2] * s, a[3] * s, a[4] * s, a[5] * s]
}

/// `a + s b`.
#[inline(always)]
pub fn add_scaled6<L: Lanes>(a: &[L; 6], s: L, b: &[L; 6]) -> [L; 6] {
    [
        s.mul_add(b[0], a[0]),
        s.mul_add(b[1], a[1]),
        s.mul_add(b[2], a[2]),
        s.mul_add(b[3], a[3]),
        s.mul_add(b[4], a[4]),
        s.mul_add(b[5], a[5]),
    ]
}

/// `a · b`: of a motion and a force, the power.
#[inline(always)]
pub fn dot6<L: Lanes>(a: &[L; 6], b: &[L; 6]) -> L {
    let angular = a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]));
    a[5].mul_add(b[5], a[4].mul_add(b[4], a[3].mul_add(b[3], angular)))
}

/// The motion of a rigid body that turns about `axis`, where `offset` leads from a point of the axis to the origin:
/// `[a; a × offset]`.
#[inline(always)]
pub fn turning_about<L: Lanes>(axis: Vec3<L>, offset: Vec3<L>) -> Motion<L> {
    spatial(axis, cross(axis, offset))
}

/// The motion of a rigid body that slides along `axis`: `[0; a]`.
#[inline(always)]
pub fn sliding_along<L: Lanes>(axis: Vec3<L>) -> Motion<L> {
    spatial([L::ZERO; 3], axis)
}

/// The same motion about another origin, `offset` away: `[ω; v − offset × ω]`.
#[inline(always)]
pub fn motion_at<L: Lanes>(motion: &Motion<L>, offset: Vec3<L>) -> Motion<L> {
    let omega = angular(motion);
    spatial(omega, add_cross(linear(motion), omega, offset))
}

/// The same force about another origin, `offset` away: `[τ − offset × f; f]`.
#[inline(always)]
pub fn force_at<L: Lanes>(force: &Force<L>, offset: Vec3<L>) -> Force<L> {
    let f = linear(force);
    spatial(add_cross(angular(force), f, offset), f)
}

/// `velocity × m`, the rate of a motion `m` that is fixed to a body moving with `velocity`:
/// `[ω × m_ω; ω × m_v + v × m_ω]`.
#[inline(always)]
pub fn cross_motion<L: Lanes>(velocity: &Motion<L>, m: &Motion<L>) -> Motion<L> {
    let (omega, v) = (angular(velocity), linear(velocity));
    let turned = cross(omega, linear(m));
    spatial(cross(omega, angular(m)), add_cross(turned, v, angular(m)))
}

/// `velocity ×* f`, the rate of a force `f` that is fixed to a body moving with `velocity`: `[ω × τ + v × f; ω × f]`.
#[inline(always)]
pub fn cross_force<L: Lanes>(velocity: &Motion<L>, f: &Force<L>) -> Force<L> {
    let (omega, v) = (angular(velocity), linear(velocity));
    let turned = cross(omega, angular(f));
    spatial(add_cross(turned, v, linear(f)), cross(omega, linear(f)))
}

/// The inertia about its centre of mass of a body with principal moments `principal` along the axes `R` (its columns):
/// `R diag(I) Rᵀ`.
#[inline(always)]
pub fn inertia_along<L: Lanes>(principal: Vec3<L>, rotation: &Mat3<L>) -> Rotational<L> {
    // Entry (i, j) is row i · (row j scaled by I).
    let (x, y, z) = (mat_row(rotation, 0), mat_row(rotation, 1), mat_row(rotation, 2));
    let (ix, iy, iz) = (mul(x, principal), mul(y, principal), mul(z, principal));
    [dot(x, ix), dot(y, iy), dot(z, iz), dot(x, iy), dot(x, iz), dot(y, iz)]
}

/// The rotational inertia, about a point, of what has the inertia `central` about its centre of mass, at `d` from
/// the point, and the first moment `md = m d`: `I + m (|d|² 1 − d dᵀ)`.
#[inline(always)]
pub fn parallel_axes<L: Lanes>(central: &Rotational<L>, md: Vec3<L>, d: Vec3<L>) -> Rotational<L> {
    [
        md[2].mul_add(d[2], md[1].mul_add(d[1], central[0])),
        md[2].mul_add(d[2], md[0].mul_add(d[0], central[1])),
        md[1].mul_add(d[1], md[0].mul_add(d[0], central[2])),
        md[0].neg_mul_add(d[1], central[3]),
        md[0].neg_mul_add(d[2], central[4]),
        md[1].neg_mul_add(d[2], central[5]),
    ]
}

/// The inertia, about the origin, of a body of `mass` with the inertia `central` about its centre of mass, which is at
/// `offset` from the origin: `I + m (|d|² 1 − d dᵀ)`, `m d`, `m`.
#[inline(always)]
pub fn inertia_about<L: Lanes>(central: &Rotational<L>, mass: L, offset: Vec3<L>) -> Inertia<L> {
    let md = scale(offset, mass);
    let i = parallel_axes(central, md, offset);
    [i[0], i[1], i[2], i[3], i[4], i[5], md[0], md[1], md[2], mass]
}

/// The inertia of two bodies moving as one.
#[inline(always)]
pub fn add_inertia<L: Lanes>(a: &Inertia<L>, b: &Inertia<L>) -> Inertia<L> {
    let mut sum = *a;
    for i in 0..10 {
        sum[i] += b[i];
    }
    sum
}

/// The momentum `I m` of a motion: with `h = m d`, `[I ω + h × v; m v − h × ω]`.
#[inline(always)]
pub fn inertia_mul<L: Lanes>(inertia: &Inertia<L>, motion: &Motion<L>) -> Force<L> {
    let (w, v) = (angular(motion), linear(motion));
    let (h, mass) = (first_moment(inertia), inertia[9]);
    spatial(
        add_cross(rotational_mul(&rotational(inertia), w), h, v),
        add_cross(scale(v, mass), w, h),
    )
}

/// `v ×* (I v)`, the force that a body moving with `velocity` needs to keep it: with `h = m d`,
/// `[ω × I ω + h × (ω × v); m ω × v + ω × (ω × h)]`.
///
/// As the cross product of velocity and momentum it would have the term `v × m v`. That is zero, and in single precision it is a
/// rounding of twice the kinetic energy, which turns small bodies in fast flight. Jacobi's identity removes it.
#[inline(always)]
pub fn gyroscopic<L: Lanes>(inertia: &Inertia<L>, velocity: &Motion<L>) -> Force<L> {
    let (w, v) = (angular(velocity), linear(velocity));
    let (h, mass) = (first_moment(inertia), inertia[9]);
    let swept = cross(w, v);
    spatial(
        add_cross(cross(w, rotational_mul(&rotational(inertia), w)), h, swept),
        add_cross(scale(swept, mass), w, cross(w, h)),
    )
}

/// `h = m d`.
#[inline(always)]
fn first_moment<L: Lanes>(inertia: &Inertia<L>) -> Vec3<L> {
    [inertia[6], inertia[7], inertia[8]]
}

/// The rotational inertia alone.
#[inline(always)]
fn rotational<L: Lanes>(i: &Inertia<L>) -> Rotational<L> {
    [i[0], i[1], i[2], i[3], i[4], i[5]]
}

/// `I ω`.
#[inline(always)]
pub fn rotational_mul<L: Lanes>(i: &Rotational<L>, w: Vec3<L>) -> Vec3<L> {
    [
        i[4].mul_add(w[2], i[3].mul_add(w[1], i[0] * w[0])),
        i[5].mul_add(w[2], i[1].mul_add(w[1], i[3] * w[0])),
        i[2].mul_add(w[2], i[5].mul_add(w[1], i[4] * w[0])),
    ]
}
