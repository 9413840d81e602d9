//! Distance and contact between shapes; knows no bodies.

pub mod height_field;

pub use height_field::{CellRange, Extremes, HeightField, HeightFieldError, HeightFieldSize};
