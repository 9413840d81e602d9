//! Distance and contact between shapes; knows no bodies.

mod contact;
mod depth;
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
mod vector;
mod wrapping;

pub use contact::{Contact, Manifold, Settings};
pub use hull::{Hull, HullError};
pub use pairs::collide;
pub use separation::{Scratch, Separation, distance};
pub use shape::{Placed, Pose, Shape};
pub use wrapping::{Arc, WrapShape, wrap};

/// Placeholder until the terrain data lands.
#[derive(Clone, Debug, Default)]
pub struct HeightField {}
pub mod closed;
