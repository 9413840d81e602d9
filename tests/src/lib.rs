//! Instruments of the tests that cross the crates. The tests themselves stand in `tests/rust/`.

pub mod source;
