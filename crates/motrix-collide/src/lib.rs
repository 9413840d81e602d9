//! Distance and contact between shapes; knows no bodies.

mod contact;
mod hull;
mod shape;
mod vector;

pub use contact::{Contact, Manifold, Settings};
pub use hull::{Hull, HullError};
pub use shape::{Placed, Pose, Shape};
