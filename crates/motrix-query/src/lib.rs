//! What can be asked of a scene without moving it.

pub mod scan;
