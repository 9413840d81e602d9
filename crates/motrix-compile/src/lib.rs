//! MJCF and URDF text to a compiled model.

mod build;
