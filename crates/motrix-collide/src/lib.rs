//! Distance and contact between shapes; knows no bodies.
