//! Vectors, quaternions, rotations and spatial vectors over lanes.

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
/// Spatial inertia about a point: `[Ixx Iyy Izz Ixy Ixz Iyz, m·x m·y m·z, m]`.
pub type Inertia<L> = [L; 10];
