//! Points, rotations and poses in `f64`: the algebra of the build stage.
//!
//! Quaternions are `[w, x, y, z]`, matrices row-major with world = R · local. Products are renormalised as MuJoCo's compiler
//! does, so that long chains of frames stay unit to rounding.

use motrix_model::{Quat, Vec3};

/// Row-major rotation.
pub type Mat3 = [f64; 9];

/// Lengths below this are zero to the compiler (MuJoCo's `mjEPS`).
pub const TINY: f64 = 1e-14;

/// The rotation by nothing.
pub const IDENTITY: Quat = [1.0, 0.0, 0.0, 0.0];

/// a + b.
pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a − b.
pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// s·a.
pub fn scale(s: f64, a: Vec3) -> Vec3 {
    [s * a[0], s * a[1], s * a[2]]
}

/// a·b.
pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a × b.
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// |a|.
pub fn norm(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

/// Scales to unit length and returns the length it had; leaves vectors shorter than 1e-7 as they are and returns 0.
pub fn normalize<const N: usize>(v: &mut [f64; N]) -> f64 {
    let square: f64 = v.iter().map(|x| x * x).sum();
    if square < TINY {
        return 0.0;
    }
    let length = square.sqrt();
    if (length - 1.0).abs() > TINY {
        for x in v.iter_mut() {
            *x /= length;
        }
    }
    length
}

/// The unit vector along `v`, or `v` itself when it is too short.
pub fn unit<const N: usize>(mut v: [f64; N]) -> [f64; N] {
    normalize(&mut v);
    v
}

/// Rotation `a` after rotation `b`, unit.
pub fn compose(a: Quat, b: Quat) -> Quat {
    unit([
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ])
}

/// The opposite rotation.
pub fn conjugate(q: Quat) -> Quat {
    [q[0], -q[1], -q[2], -q[3]]
}

/// The rotation by `angle` about the unit vector `axis`.
pub fn about(axis: Vec3, angle: f64) -> Quat {
    let (sin, cos) = (angle * 0.5).sin_cos();
    [cos, axis[0] * sin, axis[1] * sin, axis[2] * sin]
}

/// `v` rotated by `q`.
pub fn rotate(q: Quat, v: Vec3) -> Vec3 {
    let u = [q[1], q[2], q[3]];
    let t = add(scale(q[0], v), cross(u, v));
    add(v, scale(2.0, cross(u, t)))
}

/// The matrix of a rotation.
pub fn matrix(q: Quat) -> Mat3 {
    let [w, x, y, z] = q;
    [
        w * w + x * x - y * y - z * z,
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        w * w - x * x + y * y - z * z,
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        w * w - x * x - y * y + z * z,
    ]
}

/// R v.
pub fn apply(r: &Mat3, v: Vec3) -> Vec3 {
    [
        r[0] * v[0] + r[1] * v[1] + r[2] * v[2],
        r[3] * v[0] + r[4] * v[1] + r[5] * v[2],
        r[6] * v[0] + r[7] * v[1] + r[8] * v[2],
    ]
}

/// Rᵀ v.
pub fn apply_transposed(r: &Mat3, v: Vec3) -> Vec3 {
    [
        r[0] * v[0] + r[3] * v[1] + r[6] * v[2],
        r[1] * v[0] + r[4] * v[1] + r[7] * v[2],
        r[2] * v[0] + r[5] * v[1] + r[8] * v[2],
    ]
}

/// A B.
pub fn product(a: &Mat3, b: &Mat3) -> Mat3 {
    std::array::from_fn(|k| {
        let (row, column) = (k / 3, k % 3);
        (0..3).map(|i| a[3 * row + i] * b[3 * i + column]).sum()
    })
}

/// Aᵀ.
pub fn transpose(a: &Mat3) -> Mat3 {
    std::array::from_fn(|k| a[3 * (k % 3) + k / 3])
}

/// The smallest rotation that takes z to the unit vector `v`.
pub fn from_z_axis(v: Vec3) -> Quat {
    let mut axis = cross([0.0, 0.0, 1.0], v);
    let sin = normalize(&mut axis);
    if sin < 1e-10 {
        axis = [1.0, 0.0, 0.0];
    }
    about(axis, sin.atan2(v[2]))
}

/// A frame in another: where its origin is and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Origin.
    pub position: Vec3,
    /// Rotation.
    pub orientation: Quat,
}

impl Default for Pose {
    fn default() -> Self {
        Self {
            position: [0.0; 3],
            orientation: IDENTITY,
        }
    }
}

impl From<crate::document::Pose> for Pose {
    fn from(pose: crate::document::Pose) -> Self {
        Self {
            position: pose.pos,
            orientation: pose.quat,
        }
    }
}

impl From<Pose> for crate::document::Pose {
    fn from(pose: Pose) -> Self {
        Self {
            pos: pose.position,
            quat: pose.orientation,
        }
    }
}

impl Pose {
    /// A frame at `position`, turned by `orientation`.
    pub fn new(position: Vec3, orientation: Quat) -> Self {
        Self { position, orientation }
    }

    /// The frame `child`, given in `self`, seen from where `self` is given.
    pub fn then(&self, child: &Pose) -> Pose {
        Pose {
            position: self.point(child.position),
            orientation: compose(self.orientation, child.orientation),
        }
    }

    /// A point given in this frame.
    pub fn point(&self, p: Vec3) -> Vec3 {
        add(self.position, apply(&matrix(self.orientation), p))
    }

    /// The frame in which this one is given, seen from this one.
    pub fn inverse(&self) -> Pose {
        let back = conjugate(self.orientation);
        Pose {
            position: scale(-1.0, apply(&matrix(back), self.position)),
            orientation: back,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_and_its_inverse_cancel() {
        let frame = Pose::new([1.0, -2.0, 0.5], unit([0.3, -0.2, 0.9, 0.1]));
        let identity = frame.then(&frame.inverse());
        assert!(norm(identity.position) < 1e-15);
        assert!((identity.orientation[0].abs() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn the_smallest_rotation_takes_z_to_the_vector() {
        for v in [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.6, 0.0, 0.8], [-0.6, 0.64, 0.48]] {
            let z = rotate(from_z_axis(v), [0.0, 0.0, 1.0]);
            assert!(norm(sub(z, v)) < 1e-15, "{v:?} became {z:?}");
        }
    }
}
