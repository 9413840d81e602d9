//! Position and orientation in double precision, for composing frames while reading.
//!
//! Quaternions are `[w, x, y, z]`. The operations and their order are those of MuJoCo's compiler, so that poses agree to
//! the last bits.

/// Where a frame is in another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position of the origin, m.
    pub pos: [f64; 3],
    /// Orientation, unit quaternion `[w, x, y, z]`.
    pub quat: [f64; 4],
}

impl Pose {
    /// No displacement, no rotation.
    pub const IDENTITY: Pose = Pose {
        pos: [0.0; 3],
        quat: [1.0, 0.0, 0.0, 0.0],
    };

    /// The pose of `inner`, which is given in this frame, in the frame that this pose is given in.
    pub fn compose(&self, inner: &Pose) -> Pose {
        Pose {
            pos: self.transform(inner.pos),
            quat: multiply(self.quat, inner.quat),
        }
    }

    /// The point `p` of this frame in the outer frame.
    pub fn transform(&self, p: [f64; 3]) -> [f64; 3] {
        let r = rotate(self.quat, p);
        std::array::from_fn(|i| self.pos[i] + r[i])
    }

    /// The direction `v` of this frame in the outer frame.
    pub fn rotate(&self, v: [f64; 3]) -> [f64; 3] {
        rotate(self.quat, v)
    }
}

/// The product of two rotations: first `b`, then `a`.
pub fn multiply(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// The vector `v` turned by `q`, through the rotation matrix of `q`.
pub fn rotate(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    // Exactly, for the common case of no rotation.
    if q == Pose::IDENTITY.quat {
        return v;
    }
    let [w, x, y, z] = q;
    let rows = [
        [
            w * w + x * x - y * y - z * z,
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
        ],
        [
            2.0 * (x * y + w * z),
            w * w - x * x + y * y - z * z,
            2.0 * (y * z - w * x),
        ],
        [
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            w * w - x * x - y * y + z * z,
        ],
    ];
    rows.map(|r| r[0] * v[0] + r[1] * v[1] + r[2] * v[2])
}

/// The vector scaled to unit length, and its length before.
pub fn normalized<const N: usize>(v: [f64; N]) -> ([f64; N], f64) {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    (v.map(|x| x / length), length)
}

/// The vector product.
pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// The scalar product.
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_about_z_takes_x_to_y() {
        let half = std::f64::consts::FRAC_PI_4;
        let pose = Pose {
            pos: [1.0, 0.0, 0.0],
            quat: [half.cos(), 0.0, 0.0, half.sin()],
        };
        let p = pose.transform([1.0, 0.0, 0.0]);
        // two rounding errors of the quaternion, squared: a few 1e-16
        assert!((p[0] - 1.0).abs() < 1e-15 && (p[1] - 1.0).abs() < 1e-15, "{p:?}");
        let twice = pose.compose(&pose);
        assert!(
            (twice.quat[3] - 1.0).abs() < 1e-15 && (twice.pos[1] - 1.0).abs() < 1e-15,
            "{twice:?}"
        );
    }
}
