//! MJCF and URDF text to a compiled model.

pub mod assets;
mod build;
pub mod document;
mod load;
pub mod principal_axes;
pub mod problem;
pub mod schema;
mod space;
mod urdf;

pub use load::{LoadOptions, Loaded, load_file, load_str, load_str_with};
pub use problem::{LoadError, LoadReport};
pub use urdf::WithPackages;
