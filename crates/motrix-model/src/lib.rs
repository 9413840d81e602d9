//! The compiled, immutable model.
