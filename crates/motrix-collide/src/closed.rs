//! Temporary.
use motrix_spatial::{Lanes, Mat3, Vec3};
/// A shape placed in the world, one per lane.
pub struct Placed<'a, L: Lanes> {
    /// Position.
    pub position: &'a Vec3<L>,
    /// Rotation.
    pub rotation: &'a Mat3<L>,
    /// Size.
    pub size: &'a Vec3<L>,
}
/// One contact point per lane.
#[derive(Clone, Copy, Debug)]
pub struct Touch<L: Lanes> {
    /// Active.
    pub active: L::Mask,
    /// Distance.
    pub distance: L,
    /// Position.
    pub position: Vec3<L>,
    /// Normal.
    pub normal: Vec3<L>,
    /// Tangent.
    pub tangent: Vec3<L>,
}
/// Touches.
#[derive(Clone, Debug)]
pub struct TouchList<L: Lanes>(Vec<Touch<L>>);
impl<L: Lanes> TouchList<L> {
    /// New.
    pub fn new() -> Self {
        Self(Vec::new())
    }
    /// Clear.
    pub fn clear(&mut self) {
        self.0.clear()
    }
    /// Push.
    pub fn push(&mut self, t: Touch<L>) {
        self.0.push(t)
    }
    /// Iter.
    pub fn iter(&self) -> core::slice::Iter<'_, Touch<L>> {
        self.0.iter()
    }
}
/// Plane sphere.
#[inline(always)]
pub fn plane_sphere<L: Lanes>(a: &Placed<L>, b: &Placed<L>, reach: L, out: &mut TouchList<L>) {
    use motrix_spatial::algebra::*;
    let n = mat_column(a.rotation, 2);
    let d = dot(sub(*b.position, *a.position), n) - b.size[0];
    let pos = add_scaled(*b.position, -(b.size[0] + L::c(0.5) * d), n);
    out.push(Touch {
        active: d.lt(reach),
        distance: d,
        position: pos,
        normal: n,
        tangent: [L::ZERO; 3],
    });
}
