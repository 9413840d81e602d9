//! What can be asked of a scene without moving it.
//!
//! [`Shapes`] belong to a model and are shared by all its worlds: the geometry of every geom, with a search tree per mesh that is built when
//! first needed. [`Surroundings`] are the shapes of one world at their places; they answer rays. Distances
//! between placed geoms are in [`distance`], how far one reaches out of a region in [`enclosure`], heights under points in [`scan`], pictures in [`picture`].

pub mod bvh;
pub mod distance;
pub mod enclosure;
pub mod mesh;
pub mod picture;
pub mod ray;
pub mod scan;
pub mod shapes;
pub mod surroundings;
pub mod topology;

pub use ray::{Hit, OnFace, Ray};
pub use shapes::{Geometry, Placement, Shapes, Visible};
pub use surroundings::Surroundings;
