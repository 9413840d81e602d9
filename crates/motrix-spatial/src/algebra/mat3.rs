//! 3×3 matrices in row-major order, mostly rotations.

use super::{Mat3, Vec3, dot};
use crate::lanes::Lanes;

/// The identity.
#[inline(always)]
pub fn mat_identity<L: Lanes>() -> Mat3<L> {
    mat_diagonal([L::ONE; 3])
}

/// The matrix with `d` on its diagonal.
#[inline(always)]
pub fn mat_diagonal<L: Lanes>(d: Vec3<L>) -> Mat3<L> {
    let o = L::ZERO;
    [d[0], o, o, o, d[1], o, o, o, d[2]]
}

/// The matrix whose columns are `x`, `y`, `z`: of a rotation, the axes of the local frame in the world.
#[inline(always)]
pub fn mat_from_columns<L: Lanes>(x: Vec3<L>, y: Vec3<L>, z: Vec3<L>) -> Mat3<L> {
    [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]]
}

/// Row `i`, counted from zero.
#[inline(always)]
pub fn mat_row<L: Lanes>(m: &Mat3<L>, i: usize) -> Vec3<L> {
    [m[3 * i], m[3 * i + 1], m[3 * i + 2]]
}

/// Column `j`, counted from zero.
#[inline(always)]
pub fn mat_column<L: Lanes>(m: &Mat3<L>, j: usize) -> Vec3<L> {
    [m[j], m[3 + j], m[6 + j]]
}

/// `Mᵀ`.
#[inline(always)]
pub fn mat_transpose<L: Lanes>(m: &Mat3<L>) -> Mat3<L> {
    [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]]
}

/// `M v`.
#[inline(always)]
pub fn mat_vec<L: Lanes>(m: &Mat3<L>, v: Vec3<L>) -> Vec3<L> {
    [dot(mat_row(m, 0), v), dot(mat_row(m, 1), v), dot(mat_row(m, 2), v)]
}

/// `Mᵀ v`.
#[inline(always)]
pub fn mat_t_vec<L: Lanes>(m: &Mat3<L>, v: Vec3<L>) -> Vec3<L> {
    [
        dot(mat_column(m, 0), v),
        dot(mat_column(m, 1), v),
        dot(mat_column(m, 2), v),
    ]
}

/// `A B`.
#[inline(always)]
pub fn mat_mul<L: Lanes>(a: &Mat3<L>, b: &Mat3<L>) -> Mat3<L> {
    mat_from_columns(
        mat_vec(a, mat_column(b, 0)),
        mat_vec(a, mat_column(b, 1)),
        mat_vec(a, mat_column(b, 2)),
    )
}

/// `Aᵀ B`.
#[inline(always)]
pub fn mat_t_mul<L: Lanes>(a: &Mat3<L>, b: &Mat3<L>) -> Mat3<L> {
    mat_from_columns(
        mat_t_vec(a, mat_column(b, 0)),
        mat_t_vec(a, mat_column(b, 1)),
        mat_t_vec(a, mat_column(b, 2)),
    )
}

/// `A Bᵀ`.
#[inline(always)]
pub fn mat_mul_t<L: Lanes>(a: &Mat3<L>, b: &Mat3<L>) -> Mat3<L> {
    mat_from_columns(
        mat_vec(a, mat_row(b, 0)),
        mat_vec(a, mat_row(b, 1)),
        mat_vec(a, mat_row(b, 2)),
    )
}

/// `a` in the lanes where the mask is true, else `b`.
#[inline(always)]
pub fn select_mat<L: Lanes>(mask: L::Mask, a: &Mat3<L>, b: &Mat3<L>) -> Mat3<L> {
    let mut m = *b;
    for i in 0..9 {
        m[i] = L::select(mask, a[i], b[i]);
    }
    m
}
