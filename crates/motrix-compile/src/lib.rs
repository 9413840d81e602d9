//! MJCF and URDF text to a compiled model.

pub mod document;
pub mod problem;
pub mod schema;
