//! A sphere against a prism.

use motrix_spatial::algebra::{neg, scale, select3, zero3};
use motrix_spatial::{Lanes, Vec3};

use super::prism::Prism;
use super::turn::Worlds;
use super::walk::{Cells, View};
use super::{Apart, Core, Overlap, barely};
use crate::shape::Shape;

/// A sphere.
pub struct Ball<L> {
    pub radius: L,
}

impl<L: Lanes> Apart<L> for Ball<L> {
    #[inline(always)]
    fn is_apart(&self, prism: &Prism<L>, reach: L) -> L::Mask {
        let mut gap = prism.above(zero3());
        for k in 0..3 {
            gap = gap.max(prism.beyond(k, zero3()));
        }
        gap.gt(self.radius + reach)
    }
}

impl<L: Lanes> Core<L> for Ball<L> {
    const TELLS_CERTAIN: bool = false;

    #[inline(always)]
    fn extents(&self) -> [Vec3<L>; 2] {
        [[self.radius; 3]; 2]
    }

    #[inline(always)]
    fn prepare(&mut self) {}

    #[inline(always)]
    fn apart(&self, view: &View<L>, cells: &Cells<L>, reach: L) -> [L::Mask; 2] {
        self.pick(&cells.worlds).both_apart(view, cells, reach)
    }

    fn shape(&self, size: [f64; 3]) -> Shape<'_> {
        Shape::Sphere { radius: size[0] }
    }

    #[inline(always)]
    fn touch(&self, worlds: &Worlds, prism: &Prism<L>, reach: L) -> Overlap<L> {
        self.pick(worlds).meet(prism, reach)
    }
}

impl<L: Lanes> Ball<L> {
    /// The shapes of the worlds that the lanes of a batch belong to.
    #[inline(always)]
    fn pick(&self, worlds: &Worlds) -> Self {
        Self {
            radius: worlds.pick(self.radius),
        }
    }

    /// The contact with a prism.
    #[inline(always)]
    fn meet(&self, prism: &Prism<L>, reach: L) -> Overlap<L> {
        // From outside: the nearest point.
        let (point, distance2) = prism.nearest(zero3());
        let length = distance2.sqrt();
        let mut normal = scale(neg(point), length.recip());
        let mut gap = length;
        // From inside: the nearest face.
        let mut out = prism.above(zero3());
        let mut face = prism.normal;
        for k in 0..3 {
            let beyond = prism.beyond(k, zero3());
            let [mx, my] = prism.walls[k];
            face = select3(beyond.gt(out), [mx, my, L::ZERO], face);
            out = out.max(beyond);
        }
        let inside = out.le(L::ZERO);
        normal = select3(inside, face, normal);
        gap = L::select(inside, out, gap);
        let distance = gap - self.radius;
        let safe = (-prism.base).ge(L::ZERO.max(-gap));
        // On the surface itself there is no direction to tell.
        let unsure = !safe | (!inside & length.le(barely::<L>() * self.radius));
        Overlap {
            active: distance.le(reach),
            unsure,
            distance,
            position: scale(normal, L::c(0.5).mul_add(distance, -gap)),
            normal,
        }
    }
}
