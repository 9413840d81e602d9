//! A hull against a prism.
//!
//! A side of the hull that faces down separates it from a prism if all upper corners of the prism lie beyond it. A corner inside
//! the hull leaves it through the nearest side if no other corner is deeper below that side: the ball about it that touches the
//! side lies in the hull.

use motrix_spatial::algebra::{dot, mat_t_vec, mat_vec, neg, select3, sub, zero3};
use motrix_spatial::{Lanes, Mask, Mat3, Real, Vec3};

use super::prism::Prism;
use super::solid::{Certain, Reach};
use super::turn::Worlds;
use crate::hull::Hull;
use crate::shape::Shape;
use crate::vector;

/// A hull, the same in all worlds: its rotation in the field.
pub struct Gem<'h, L: Lanes> {
    pub hull: &'h Hull,
    pub rotation: Mat3<L>,
}

/// A vector that is the same in all lanes.
#[inline(always)]
fn splat3<L: Lanes>(v: &vector::Vec3) -> Vec3<L> {
    [
        L::splat(L::Elem::from_f64(v[0])),
        L::splat(L::Elem::from_f64(v[1])),
        L::splat(L::Elem::from_f64(v[2])),
    ]
}

impl<L: Lanes> Reach<L> for Gem<'_, L> {
    const CURVED: bool = false;

    /// All corners are asked: lanes would climb over the hull at different paces.
    #[inline(always)]
    fn along(&self, d: Vec3<L>) -> L {
        let local = mat_t_vec(&self.rotation, d);
        let mut farthest = L::c(f64::from(f32::MIN));
        for corner in self.hull.single_vertices() {
            let mut point = zero3();
            for k in 0..3 {
                point[k] = L::splat(L::Elem::from_f64(f64::from(corner[k])));
            }
            farthest = farthest.max(dot(local, point));
        }
        farthest
    }

    #[inline(always)]
    fn farthest(&self, d: Vec3<L>) -> (Vec3<L>, L::Mask) {
        let local = mat_t_vec(&self.rotation, d);
        let mut farthest = L::c(f64::from(f32::MIN));
        let mut point = zero3();
        for corner in self.hull.vertices() {
            let corner = splat3(corner);
            let along = dot(local, corner);
            point = select3(along.gt(farthest), corner, point);
            farthest = farthest.max(along);
        }
        (mat_vec(&self.rotation, point), L::Mask::ALL)
    }

    #[inline(always)]
    fn meet(&self, prism: &Prism<L>, limit: L, found: &mut Certain<L>) {
        let mut corners = [zero3(); 3];
        for k in 0..3 {
            corners[k] = mat_t_vec(&self.rotation, prism.corners[k]);
        }
        let [a, b, c] = corners;
        let up = [self.rotation[6], self.rotation[7], self.rotation[8]];
        let lowest = L::c(f64::from(f32::MIN));
        let mut gap = lowest;
        let mut beyond = [lowest; 3];
        for (normal, height) in self.hull.sides() {
            let (n, height) = (splat3::<L>(normal), L::splat(L::Elem::from_f64(*height)));
            let [at_a, at_b, at_c] = [dot(n, a) - height, dot(n, b) - height, dot(n, c) - height];
            beyond = [beyond[0].max(at_a), beyond[1].max(at_b), beyond[2].max(at_c)];
            // Downwards a prism has no end here.
            let falls = dot(n, up).le(L::ZERO);
            gap = gap.max(L::select(falls, at_a.min(at_b).min(at_c), lowest));
        }
        found.apart = found.apart | gap.gt(limit);
        // The corner deepest inside, and the side nearest to it.
        let first = beyond[0].le(beyond[1]);
        let (deepest, corner, on_prism) = (
            L::select(first, beyond[0], beyond[1]),
            select3(first, a, b),
            select3(first, prism.corners[0], prism.corners[1]),
        );
        let first = deepest.le(beyond[2]);
        let deepest = L::select(first, deepest, beyond[2]);
        let corner = select3(first, corner, c);
        let on_prism = select3(first, on_prism, prism.corners[2]);
        let inside = deepest.le(L::ZERO) & !found.apart;
        if self.hull.sides().is_empty() || !inside.any() {
            return;
        }
        let mut nearest = zero3();
        for (normal, height) in self.hull.sides() {
            let (n, height) = (splat3::<L>(normal), L::splat(L::Elem::from_f64(*height)));
            nearest = select3((dot(n, corner) - height).ge(deepest), n, nearest);
        }
        let mut sole = inside & dot(nearest, up).le(L::ZERO);
        for other in [a, b, c] {
            sole = sole & dot(nearest, sub(other, corner)).ge(L::ZERO);
        }
        found.enter(sole, -deepest, on_prism, neg(mat_vec(&self.rotation, nearest)));
    }

    #[inline(always)]
    fn pick(&self, worlds: &Worlds) -> Self {
        let mut rotation = self.rotation;
        for k in 0..9 {
            rotation[k] = worlds.pick(self.rotation[k]);
        }
        Self {
            hull: self.hull,
            rotation,
        }
    }

    fn shape(&self, _: [f64; 3]) -> Shape<'_> {
        Shape::Hull(self.hull)
    }
}
