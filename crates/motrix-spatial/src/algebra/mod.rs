//! Vectors, quaternions, rotations, poses and spatial vectors over lanes.
//!
//! Free functions over plain arrays, so that a kernel reads like the equation it implements. All are
//! `#[inline(always)]`: they must take on the instruction set of the entry point they end up in.
//!
//! Rounding is part of the contract. A sum of products `a₀b₀ + a₁b₁ + a₂b₂` starts from the first product and adds the
//! others from left to right, each with one `mul_add`; a difference `ab − cd` rounds `ab` and subtracts `cd` with
//! `neg_mul_add`. On a fused lane type the second product is therefore exact and the first is not: `cross(a, a)` is
//! zero only to rounding there.
//!
//! The conventions are MuJoCo's (quaternion order, fallbacks of degenerate input, order of spatial vectors), so that
//! every intermediate result can be compared with it.

mod mat3;
mod pose;
mod quat;
mod spatial;
mod vec3;

pub use mat3::*;
pub use pose::*;
pub use quat::*;
pub use spatial::*;
pub use vec3::*;

/// Point or direction `[x, y, z]`.
pub type Vec3<L> = [L; 3];
/// Unit quaternion `[w, x, y, z]`.
pub type Quat<L> = [L; 4];
/// Row-major rotation, world = R · local.
pub type Mat3<L> = [L; 9];
/// Spatial motion `[angular; linear]`.
pub type Motion<L> = [L; 6];
/// Spatial force `[torque; force]`.
pub type Force<L> = [L; 6];
/// Rotational inertia about a point: `[Ixx Iyy Izz Ixy Ixz Iyz]`.
pub type Rotational<L> = [L; 6];
/// Spatial inertia about a point: `[Ixx Iyy Izz Ixy Ixz Iyz, m·x m·y m·z, m]`.
pub type Inertia<L> = [L; 10];

/// Lengths below this count as zero; such a vector gets a fixed direction (MuJoCo's `mjMINVAL`).
pub const MIN_LENGTH: f64 = 1e-15;
