//! Expanded elements to the compiled model.

pub(crate) mod constants;
pub(crate) mod inertia;
pub(crate) mod pose;
