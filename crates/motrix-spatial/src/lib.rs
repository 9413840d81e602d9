//! Lanes, and rigid-body algebra over them.
//!
//! A *lane type* holds the same scalar of several worlds: world *k* lives in lane *k* and lanes never exchange data, so
//! a world's result does not depend on its neighbours. Every kernel of the engine is written once, generic over
//! [`Lanes`], and instantiated for one lane of `f64` (the reference), four of `f64`, and eight of `f32`.
//!
//! # Conventions
//! | symbol | meaning | layout |
//! |---|---|---|
//! | [`Vec3`] | point or direction, metres | `[x, y, z]` |
//! | [`Quat`] | rotation, Hamilton, unit | `[w, x, y, z]` |
//! | [`Mat3`] | rotation, world = R · local | row-major, nine numbers |
//! | [`Motion`] | spatial velocity or joint axis | `[angular; linear]` |
//! | [`Force`] | spatial force | `[torque; force]` |
//! | [`Inertia`] | spatial inertia about a point | `[Ixx Iyy Izz Ixy Ixz Iyz, m·x m·y m·z, m]` |
//!
//! SI units throughout: metres, kilograms, seconds, radians.

pub mod algebra;
pub mod dispatch;
pub mod entries;
pub mod fetch;
pub mod lanes;
pub mod rows;

pub use algebra::{Force, Inertia, Mat3, Motion, Pose, Quat, Vec3};
pub use dispatch::{LaneError, LaneKind, Precision};
pub use lanes::{Lanes, Mask, Part, Real};
pub use rows::{Rows, load_rows, store_rows};
