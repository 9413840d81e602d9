//! Rotations as unit quaternions `[w, x, y, z]`, Hamilton's product: `q = [cos θ/2, a sin θ/2]` turns by `θ` about the
//! unit axis `a`.

use core::f64::consts::PI;

use super::{MIN_LENGTH, Mat3, Quat, Vec3, add_scaled, cross, normalize};
use crate::lanes::Lanes;

/// No rotation.
#[inline(always)]
pub fn quat_identity<L: Lanes>() -> Quat<L> {
    [L::ONE, L::ZERO, L::ZERO, L::ZERO]
}

/// The same quaternion in every lane.
#[inline(always)]
pub fn splat4<L: Lanes>(q: [L::Elem; 4]) -> Quat<L> {
    [L::splat(q[0]), L::splat(q[1]), L::splat(q[2]), L::splat(q[3])]
}

/// `a` in the lanes where the mask is true, else `b`.
#[inline(always)]
pub fn select4<L: Lanes>(mask: L::Mask, a: Quat<L>, b: Quat<L>) -> Quat<L> {
    [
        L::select(mask, a[0], b[0]),
        L::select(mask, a[1], b[1]),
        L::select(mask, a[2], b[2]),
        L::select(mask, a[3], b[3]),
    ]
}

/// The inverse rotation `[w, −x, −y, −z]`.
#[inline(always)]
pub fn quat_conjugate<L: Lanes>(q: Quat<L>) -> Quat<L> {
    [q[0], -q[1], -q[2], -q[3]]
}

/// `a ∘ b`: first `b`, then `a`, in fixed axes.
#[inline(always)]
pub fn quat_mul<L: Lanes>(a: Quat<L>, b: Quat<L>) -> Quat<L> {
    [
        a[3].neg_mul_add(b[3], a[2].neg_mul_add(b[2], a[1].neg_mul_add(b[1], a[0] * b[0]))),
        a[3].neg_mul_add(b[2], a[2].mul_add(b[3], a[1].mul_add(b[0], a[0] * b[1]))),
        a[3].mul_add(b[1], a[2].mul_add(b[0], a[1].neg_mul_add(b[3], a[0] * b[2]))),
        a[3].mul_add(b[0], a[2].neg_mul_add(b[1], a[1].mul_add(b[2], a[0] * b[3]))),
    ]
}

/// `q ∘ [c, s, 0, 0]`: [`quat_mul`] without what is multiplied by zero.
#[inline(always)]
pub fn quat_turn_x<L: Lanes>(q: Quat<L>, s: L, c: L) -> Quat<L> {
    [
        q[1].neg_mul_add(s, q[0] * c),
        q[1].mul_add(c, q[0] * s),
        q[3].mul_add(s, q[2] * c),
        q[3].mul_add(c, -(q[2] * s)),
    ]
}

/// `q ∘ [c, 0, s, 0]`.
#[inline(always)]
pub fn quat_turn_y<L: Lanes>(q: Quat<L>, s: L, c: L) -> Quat<L> {
    [
        q[2].neg_mul_add(s, q[0] * c),
        q[3].neg_mul_add(s, q[1] * c),
        q[2].mul_add(c, q[0] * s),
        q[3].mul_add(c, q[1] * s),
    ]
}

/// `q ∘ [c, 0, 0, s]`.
#[inline(always)]
pub fn quat_turn_z<L: Lanes>(q: Quat<L>, s: L, c: L) -> Quat<L> {
    [
        q[3].neg_mul_add(s, q[0] * c),
        q[2].mul_add(s, q[1] * c),
        q[2].mul_add(c, -(q[1] * s)),
        q[3].mul_add(c, q[0] * s),
    ]
}

/// `q ∘ [0, v]`, twice the rate of `q` at the local angular velocity `v`.
#[inline(always)]
pub fn quat_mul_vec<L: Lanes>(q: Quat<L>, v: Vec3<L>) -> Quat<L> {
    [
        -q[3].mul_add(v[2], q[2].mul_add(v[1], q[1] * v[0])),
        q[3].neg_mul_add(v[1], q[2].mul_add(v[2], q[0] * v[0])),
        q[1].neg_mul_add(v[2], q[3].mul_add(v[0], q[0] * v[1])),
        q[2].neg_mul_add(v[0], q[1].mul_add(v[1], q[0] * v[2])),
    ]
}

/// `q / |q|`; no rotation when `|q|` is below [`MIN_LENGTH`].
///
/// As in MuJoCo, a quaternion is returned untouched when its norm is 1 to within [`MIN_LENGTH`]: some last bits of an
/// `f64`, none of an `f32`.
#[inline(always)]
pub fn quat_normalize<L: Lanes>(q: Quat<L>) -> Quat<L> {
    let norm = q[3]
        .mul_add(q[3], q[2].mul_add(q[2], q[1].mul_add(q[1], q[0] * q[0])))
        .sqrt();
    let tiny = norm.lt(L::c(MIN_LENGTH));
    let unit = (norm - L::ONE).abs().le(L::c(MIN_LENGTH));
    let scale = L::select(unit, L::ONE, norm.recip());
    let normalized = [q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale];
    select4(tiny, quat_identity(), normalized)
}

/// `R(q) v`, for a unit quaternion: with `u = [x, y, z]` and `t = w v + u × v`, the result is `v + 2 u × t`.
#[inline(always)]
pub fn rotate<L: Lanes>(q: Quat<L>, v: Vec3<L>) -> Vec3<L> {
    let u = [q[1], q[2], q[3]];
    let t = [
        q[3].neg_mul_add(v[1], q[2].mul_add(v[2], q[0] * v[0])),
        q[1].neg_mul_add(v[2], q[3].mul_add(v[0], q[0] * v[1])),
        q[2].neg_mul_add(v[0], q[1].mul_add(v[1], q[0] * v[2])),
    ];
    add_scaled(v, L::c(2.0), cross(u, t))
}

/// `R(q)ᵀ v`, for a unit quaternion.
#[inline(always)]
pub fn rotate_inverse<L: Lanes>(q: Quat<L>, v: Vec3<L>) -> Vec3<L> {
    rotate(quat_conjugate(q), v)
}

/// The rotation matrix of a unit quaternion.
///
/// The diagonal is `w² + x² − y² − z²` and so on, not `1 − 2(y² + z²)`: as in MuJoCo, and a norm off by ε then scales
/// the whole matrix instead of shearing it.
#[inline(always)]
pub fn quat_to_mat<L: Lanes>(q: Quat<L>) -> Mat3<L> {
    let [w, x, y, z] = q;
    let (ww, xx, yy, zz) = (w * w, x * x, y * y, z * z);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    let (xy, xz, yz) = (x * y, x * z, y * z);
    let two = L::c(2.0);
    [
        ww + xx - yy - zz,
        two * (xy - wz),
        two * (xz + wy),
        two * (xy + wz),
        ww - xx + yy - zz,
        two * (yz - wx),
        two * (xz - wy),
        two * (yz + wx),
        ww - xx - yy + zz,
    ]
}

/// The turn by `angle` about a unit `axis`.
#[inline(always)]
pub fn quat_from_axis_angle<L: Lanes>(axis: Vec3<L>, angle: L) -> Quat<L> {
    let (s, c) = (angle * L::c(0.5)).sin_cos();
    [c, axis[0] * s, axis[1] * s, axis[2] * s]
}

/// The unit quaternion of a rotation matrix.
///
/// `4w² = 1 + m₀ + m₄ + m₈` and likewise for x, y, z; the products `4wx = m₇ − m₅`, … give the rest. Each lane divides
/// by the largest of the four components, so that no division is by a small number.
#[inline(always)]
pub fn quat_from_mat<L: Lanes>(m: &Mat3<L>) -> Quat<L> {
    let one = L::ONE;
    // Four times the square of each component.
    let ww = one + m[0] + m[4] + m[8];
    let xx = one + m[0] - m[4] - m[8];
    let yy = one - m[0] + m[4] - m[8];
    let zz = one - m[0] - m[4] + m[8];
    // Four times the product of each pair.
    let (wx, wy, wz) = (m[7] - m[5], m[2] - m[6], m[3] - m[1]);
    let (xy, xz, yz) = (m[1] + m[3], m[2] + m[6], m[5] + m[7]);

    let w_largest = (m[0] + m[4] + m[8]).gt(L::ZERO);
    let x_largest = m[0].gt(m[4]) & m[0].gt(m[8]);
    let y_largest = m[4].gt(m[8]);
    // Four times `largest component · q`.
    let by_y_or_z = select4(y_largest, [wy, xy, yy, yz], [wz, xz, yz, zz]);
    let by_vector = select4(x_largest, [wx, xx, xy, xz], by_y_or_z);
    let scaled = select4(w_largest, [ww, wx, wy, wz], by_vector);

    // Normalising both divides by the largest component and removes what rounding left.
    let largest_squared = L::select(w_largest, ww, L::select(x_largest, xx, L::select(y_largest, yy, zz)));
    let scale = (L::c(4.0) * largest_squared).sqrt().recip();
    quat_normalize([
        scaled[0] * scale,
        scaled[1] * scale,
        scaled[2] * scale,
        scaled[3] * scale,
    ])
}

/// `q ∘ exp(h ω)`: the orientation after turning for the time `h` at the local angular velocity `ω`.
///
/// `q` is normalised first, so that the error of many steps does not grow.
#[inline(always)]
pub fn quat_integrate<L: Lanes>(q: Quat<L>, omega: Vec3<L>, h: L) -> Quat<L> {
    let (axis, speed) = normalize(omega);
    quat_mul(quat_normalize(q), quat_from_axis_angle(axis, speed * h))
}

/// The rotation vector `θ a` of a unit quaternion, taking the shorter way round: `|θ| ≤ π`.
#[inline(always)]
pub fn quat_to_rotation_vector<L: Lanes>(q: Quat<L>) -> Vec3<L> {
    let (axis, sin_half) = normalize([q[1], q[2], q[3]]);
    let angle = L::c(2.0) * sin_half.atan2(q[0]);
    let shorter = L::select(angle.gt(L::c(PI)), angle - L::c(2.0 * PI), angle);
    [axis[0] * shorter, axis[1] * shorter, axis[2] * shorter]
}

/// The rotation vector `v` in the frame of `b` with `b ∘ exp(v) = a`.
#[inline(always)]
pub fn quat_difference<L: Lanes>(a: Quat<L>, b: Quat<L>) -> Vec3<L> {
    quat_to_rotation_vector(quat_mul(quat_conjugate(b), a))
}
