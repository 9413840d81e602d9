//! MJCF and URDF text to a compiled model.

pub mod assets;
pub mod principal_axes;
mod space;
