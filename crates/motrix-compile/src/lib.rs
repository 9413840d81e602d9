//! MJCF and URDF text to a compiled model.

pub mod assets;
mod build;
pub mod document;
mod principal_axes;
pub mod problem;
pub mod schema;
mod space;
