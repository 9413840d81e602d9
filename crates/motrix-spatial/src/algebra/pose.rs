//! Poses: where one frame is in another, and how it is turned.

use super::{
    Quat, Vec3, add, neg, quat_conjugate, quat_identity, quat_mul, quat_normalize, rotate, rotate_inverse, sub, zero3,
};
use crate::lanes::Lanes;

/// The frame `b` in the frame `a`: `point_in_a = pos + R(quat) point_in_b`.
#[derive(Clone, Copy, Debug)]
pub struct Pose<L> {
    /// The origin of `b`.
    pub pos: Vec3<L>,
    /// The orientation of `b`, a unit quaternion.
    pub quat: Quat<L>,
}

/// The pose of a frame in itself.
#[inline(always)]
pub fn pose_identity<L: Lanes>() -> Pose<L> {
    Pose {
        pos: zero3(),
        quat: quat_identity(),
    }
}

/// The frame `c` in the frame `a`, from `b` in `a` and `c` in `b`. The orientation is normalised.
#[inline(always)]
pub fn pose_mul<L: Lanes>(b_in_a: Pose<L>, c_in_b: Pose<L>) -> Pose<L> {
    Pose {
        pos: pose_point(b_in_a, c_in_b.pos),
        quat: quat_normalize(quat_mul(b_in_a.quat, c_in_b.quat)),
    }
}

/// The frame `a` in the frame `b`, from `b` in `a`.
#[inline(always)]
pub fn pose_inverse<L: Lanes>(b_in_a: Pose<L>) -> Pose<L> {
    let quat = quat_conjugate(b_in_a.quat);
    Pose {
        pos: neg(rotate(quat, b_in_a.pos)),
        quat,
    }
}

/// A point of the frame `b`, seen from `a`.
#[inline(always)]
pub fn pose_point<L: Lanes>(b_in_a: Pose<L>, point_in_b: Vec3<L>) -> Vec3<L> {
    add(b_in_a.pos, rotate(b_in_a.quat, point_in_b))
}

/// A point of the frame `a`, seen from `b`.
#[inline(always)]
pub fn pose_inverse_point<L: Lanes>(b_in_a: Pose<L>, point_in_a: Vec3<L>) -> Vec3<L> {
    rotate_inverse(b_in_a.quat, sub(point_in_a, b_in_a.pos))
}
