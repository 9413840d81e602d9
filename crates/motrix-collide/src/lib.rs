//! Distance and contact between shapes; knows no bodies.

mod cells;
pub mod closed;
mod contact;
mod depth;
mod direction;
mod gjk;
pub mod height_field;
mod hull;
mod manifold;
mod memory;
mod minkowski;
mod pairs;
mod polytope;
mod prism_contact;
mod prisms;
mod round_hull;
mod separation;
mod shape;
mod simplex;
mod support;
mod support_function;
mod terrain;
pub mod vector;
mod wrapping;

pub use contact::{Contact, Manifold, Rules, Settings};
pub use height_field::{CellRange, Extremes, HeightField, HeightFieldError, HeightFieldSize};
pub use hull::{Hull, HullError};
pub use memory::Memory;
pub use pairs::{collide, collide_remembering};
pub use prisms::{MAX_CONTACTS, collide_terrain};
pub use separation::{Scratch, Separation, distance};
pub use shape::{Placed, Pose, Shape};
pub use terrain::{MOST_CONTACTS, Surface, Tally, Window, collide_surface};
pub use wrapping::{Arc, WrapShape, wrap};
