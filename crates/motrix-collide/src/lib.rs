//! Distance and contact between shapes; knows no bodies.

/// Placeholder until the convex collider lands.
#[derive(Clone, Debug, Default)]
pub struct Hull {}
/// Placeholder until the terrain data lands.
#[derive(Clone, Debug, Default)]
pub struct HeightField {}
pub mod closed;
