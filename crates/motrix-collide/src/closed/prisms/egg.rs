//! An ellipsoid against a prism.

use motrix_spatial::algebra::{dot, norm_squared, scale};
use motrix_spatial::{Lanes, Mask, Vec3};

use super::prism::Prism;
use super::solid::{Certain, Reach};
use super::turn::Worlds;
use crate::shape::Shape;

/// An ellipsoid: its half axes.
pub struct Egg<L> {
    pub half_axes: [Vec3<L>; 3],
}

impl<L: Lanes> Reach<L> for Egg<L> {
    const CURVED: bool = true;

    #[inline(always)]
    fn along(&self, d: Vec3<L>) -> L {
        let [x, y, z] = self.half_axes;
        norm_squared([dot(x, d), dot(y, d), dot(z, d)]).sqrt()
    }

    #[inline(always)]
    fn farthest(&self, d: Vec3<L>) -> (Vec3<L>, L::Mask) {
        let [x, y, z] = self.half_axes;
        let shares = [dot(x, d), dot(y, d), dot(z, d)];
        let shares = scale(shares, norm_squared(shares).sqrt().recip());
        let mut point = [L::ZERO; 3];
        for i in 0..3 {
            point[i] = shares[0].mul_add(x[i], shares[1].mul_add(y[i], shares[2] * z[i]));
        }
        (point, L::Mask::ALL)
    }

    /// The plane across the way from the prism's nearest point to the centre leaves out most of what does not touch.
    #[inline(always)]
    fn meet(&self, prism: &Prism<L>, limit: L, found: &mut Certain<L>) {
        let (nearest, distance2) = prism.nearest([L::ZERO; 3]);
        let away = [-nearest[0], -nearest[1], -nearest[2]];
        let gap = -self.along(nearest) - prism.highest(away);
        // Downwards a prism has no end here.
        found.apart = found.apart | (away[2].ge(L::ZERO) & gap.gt(limit * distance2.sqrt()));
    }

    #[inline(always)]
    fn pick(&self, worlds: &Worlds) -> Self {
        let [x, y, z] = self.half_axes;
        Self {
            half_axes: [worlds.pick3(x), worlds.pick3(y), worlds.pick3(z)],
        }
    }

    fn shape(&self, size: [f64; 3]) -> Shape<'_> {
        Shape::Ellipsoid { radii: size }
    }
}
