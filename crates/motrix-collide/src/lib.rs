//! Distance and contact between shapes; knows no bodies.

mod contact;
mod depth;
mod direction;
mod gjk;
mod hull;
mod manifold;
mod minkowski;
mod pairs;
mod polytope;
mod separation;
mod shape;
mod simplex;
mod support;
mod support_function;
mod vector;

pub use contact::{Contact, Manifold, Rules, Settings};
pub use hull::{Hull, HullError};
pub use pairs::collide;
pub use separation::{Scratch, Separation, distance};
pub use shape::{Placed, Pose, Shape};

/// Placeholder until the terrain data lands.
#[derive(Clone, Debug, Default)]
pub struct HeightField {}
