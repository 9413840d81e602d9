//! What collides: convex shapes in their own frames, and where they are.

use crate::hull::Hull;
use crate::vector::{IDENTITY, Mat3, Vec3, add, rotate, rotate_back, sub, transpose_times};

/// A convex shape in its own frame, lengths in metres. The order of the cases is the order in which pairs are dispatched.
#[derive(Clone, Copy, Debug)]
pub enum Shape<'a> {
    /// The half-space z ≤ 0.
    Plane,
    /// The convex hull of six points: one column of a height field, three points of its base and the three above them.
    Prism(&'a [Vec3; 6]),
    /// A ball about the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A ball swept along the segment |z| ≤ `half_length`.
    Capsule {
        /// Radius of the ball.
        radius: f64,
        /// Half the length of the segment.
        half_length: f64,
    },
    /// (x/a)² + (y/b)² + (z/c)² ≤ 1.
    Ellipsoid {
        /// Semi-axes a, b, c.
        radii: Vec3,
    },
    /// x² + y² ≤ `radius`², |z| ≤ `half_length`.
    Cylinder {
        /// Radius of the disc.
        radius: f64,
        /// Half the height.
        half_length: f64,
    },
    /// |x|, |y|, |z| within the half sizes.
    Box {
        /// Half sizes.
        half: Vec3,
    },
    /// The convex hull of a mesh.
    Hull(&'a Hull),
}

impl Shape<'_> {
    /// Place in the order of dispatch; of two shapes the lower one comes first in a pair.
    #[inline(always)]
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Shape::Plane => 0,
            Shape::Prism(_) => 1,
            Shape::Sphere { .. } => 2,
            Shape::Capsule { .. } => 3,
            Shape::Ellipsoid { .. } => 4,
            Shape::Cylinder { .. } => 5,
            Shape::Box { .. } => 6,
            Shape::Hull(_) => 7,
        }
    }
}

/// Where a shape is: `world = position + rotation · local`, the rotation row-major.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Origin of the shape's frame.
    pub position: Vec3,
    /// Axes of the shape's frame, as columns.
    pub rotation: Mat3,
}

impl Pose {
    /// The pose of the outer frame itself.
    pub const IDENTITY: Pose = Pose {
        position: [0.0; 3],
        rotation: IDENTITY,
    };

    /// A pose without rotation.
    pub fn at(position: Vec3) -> Pose {
        Pose {
            position,
            rotation: IDENTITY,
        }
    }

    /// A pose from a position and a quaternion `[w, x, y, z]`, which is normalised; a zero quaternion rotates nothing.
    pub fn new(position: Vec3, quaternion: [f64; 4]) -> Pose {
        let length = quaternion.iter().map(|q| q * q).sum::<f64>().sqrt();
        if !(length > 0.0) {
            return Pose::at(position);
        }
        let [w, x, y, z] = quaternion.map(|q| q / length);
        let rotation = [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - w * x),
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        ];
        Pose { position, rotation }
    }

    /// A point of the shape, in the outer frame.
    #[inline(always)]
    pub fn point(&self, local: Vec3) -> Vec3 {
        add(self.position, rotate(&self.rotation, local))
    }

    /// A direction of the shape, in the outer frame.
    #[inline(always)]
    pub fn direction(&self, local: Vec3) -> Vec3 {
        rotate(&self.rotation, local)
    }

    /// `other` as seen from this frame.
    #[inline(always)]
    pub fn relative(&self, other: &Pose) -> Pose {
        Pose {
            position: rotate_back(&self.rotation, sub(other.position, self.position)),
            rotation: transpose_times(&self.rotation, &other.rotation),
        }
    }
}

/// A shape somewhere.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// What.
    pub shape: Shape<'a>,
    /// Where.
    pub pose: Pose,
}
