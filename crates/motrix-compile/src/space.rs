//! Points and rotations of the compiler: plain `f64`, no lanes.
//!
//! Sums run in the order MuJoCo's compiler uses, so that results agree to the last bit where the inputs do.

/// Point, direction or size along three axes.
pub type Vec3 = [f64; 3];
/// Rotation `[w, x, y, z]`.
pub type Quat = [f64; 4];
/// Row-major matrix.
pub type Mat3 = [f64; 9];

/// Squared lengths below this are not normalised.
const TINY: f64 = 1e-14;

pub(crate) fn difference(a: &Vec3, b: &Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn dot(a: &Vec3, b: &Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: &Vec3, b: &Vec3) -> Vec3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Divides by the length and returns it too; a vector of next to no length stays, with length 0.
pub(crate) fn with_length<const N: usize>(vector: &[f64; N]) -> ([f64; N], f64) {
    let squared: f64 = vector.iter().fold(0.0, |sum, x| sum + x * x);
    if squared < TINY {
        return (*vector, 0.0);
    }
    let length = squared.sqrt();
    // A length of one up to rounding is left alone: dividing would only add noise.
    if (length - 1.0).abs() > TINY {
        (vector.map(|x| x / length), length)
    } else {
        (*vector, length)
    }
}

/// The vector divided by its length.
pub(crate) fn normalized<const N: usize>(vector: &[f64; N]) -> [f64; N] {
    with_length(vector).0
}

/// Rotation matrix of a unit quaternion.
pub(crate) fn matrix(q: &Quat) -> Mat3 {
    let [w, x, y, z] = *q;
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

/// First `b`, then `a`.
pub(crate) fn compose(a: &Quat, b: &Quat) -> Quat {
    let product = [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ];
    normalized(&product)
}

/// The opposite rotation.
pub(crate) fn conjugate(q: &Quat) -> Quat {
    [q[0], -q[1], -q[2], -q[3]]
}

pub(crate) fn apply(m: &Mat3, v: &Vec3) -> Vec3 {
    [
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    ]
}

pub(crate) fn transpose(m: &Mat3) -> Mat3 {
    [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]]
}

pub(crate) fn product(a: &Mat3, b: &Mat3) -> Mat3 {
    std::array::from_fn(|k| {
        let (row, column) = (3 * (k / 3), k % 3);
        a[row] * b[column] + a[row + 1] * b[column + 3] + a[row + 2] * b[column + 6]
    })
}
