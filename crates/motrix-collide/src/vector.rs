//! Three-vectors and rotations in double precision, for the scalar colliders and queries.
//!
//! Plain functions on arrays, in the order of the equations; matrices are row-major with `world = R · local`. The products
//! are written without fused multiply-add, so that every processor gives the same bits.

/// Point or direction.
pub type Vec3 = [f64; 3];
/// Rotation, row-major.
pub type Mat3 = [f64; 9];

/// A length below which a direction is meaningless: far below any model, far above the smallest normal number squared.
pub const TINY: f64 = 1e-15;

/// The rotation that does nothing.
pub const IDENTITY: Mat3 = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// a + b
#[inline(always)]
pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a − b
#[inline(always)]
pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// −a
#[inline(always)]
pub fn neg(a: Vec3) -> Vec3 {
    [-a[0], -a[1], -a[2]]
}

/// s a
#[inline(always)]
pub fn scale(a: Vec3, s: f64) -> Vec3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// a + s b
#[inline(always)]
pub fn add_scaled(a: Vec3, b: Vec3, s: f64) -> Vec3 {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

/// (a + b) / 2
#[inline(always)]
pub fn middle(a: Vec3, b: Vec3) -> Vec3 {
    scale(add(a, b), 0.5)
}

/// a · b
#[inline(always)]
pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a × b
#[inline(always)]
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// |a|²
#[inline(always)]
pub fn norm2(a: Vec3) -> f64 {
    dot(a, a)
}

/// |a|
#[inline(always)]
pub fn norm(a: Vec3) -> f64 {
    norm2(a).sqrt()
}

/// The direction of `a`, or `None` when it has none.
#[inline(always)]
pub fn unit(a: Vec3) -> Option<Vec3> {
    let length = norm(a);
    (length >= TINY).then(|| scale(a, 1.0 / length))
}

/// The direction of `a` however short it is, unless it vanishes: scaled by its largest component first, so that neither
/// underflow nor overflow of the squares can spoil it.
pub fn unit_of_any_length(a: Vec3) -> Option<Vec3> {
    let largest = a[0].abs().max(a[1].abs()).max(a[2].abs());
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let a = [a[0] / largest, a[1] / largest, a[2] / largest];
    Some(scale(a, 1.0 / norm(a)))
}

/// Some unit vector at a right angle to the unit vector `a`.
pub fn perpendicular(a: Vec3) -> Vec3 {
    let (x, y, z) = (a[0].abs(), a[1].abs(), a[2].abs());
    let least = if x <= y && x <= z {
        [1.0, 0.0, 0.0]
    } else if y <= z {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    unit(cross(a, least)).unwrap_or([1.0, 0.0, 0.0])
}

/// Which of three numbers is the least, the first of equal ones.
#[inline(always)]
pub fn index_of_least([a, b, c]: [f64; 3]) -> usize {
    let first = if b < a { 1 } else { 0 };
    if c < a.min(b) { 2 } else { first }
}

/// R v
#[inline(always)]
pub fn rotate(r: &Mat3, v: Vec3) -> Vec3 {
    [
        r[0] * v[0] + r[1] * v[1] + r[2] * v[2],
        r[3] * v[0] + r[4] * v[1] + r[5] * v[2],
        r[6] * v[0] + r[7] * v[1] + r[8] * v[2],
    ]
}

/// Rᵀ v
#[inline(always)]
pub fn rotate_back(r: &Mat3, v: Vec3) -> Vec3 {
    [
        r[0] * v[0] + r[3] * v[1] + r[6] * v[2],
        r[1] * v[0] + r[4] * v[1] + r[7] * v[2],
        r[2] * v[0] + r[5] * v[1] + r[8] * v[2],
    ]
}

/// Column `k` of R: local axis `k` in the outer frame.
#[inline(always)]
pub fn axis(r: &Mat3, k: usize) -> Vec3 {
    [r[k], r[3 + k], r[6 + k]]
}

/// Aᵀ B
#[inline(always)]
pub fn transpose_times(a: &Mat3, b: &Mat3) -> Mat3 {
    let mut c = [0.0; 9];
    for i in 0..3 {
        for j in 0..3 {
            c[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
        }
    }
    c
}
