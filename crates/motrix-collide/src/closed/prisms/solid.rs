//! Cylinders, ellipsoids and hulls against prisms: in lanes only those that are not apart are found, and the general collider
//! tells how they touch.
//!
//! A prism is apart from a shape if a plane lies between them. Tried are the plane of its top, its walls, and the plane across the
//! way from the nearest point of the top to the shape's centre: for round shapes these leave out nearly all that do not touch.

use motrix_spatial::algebra::{dot, mat_t_vec, neg, norm_squared, zero3};
use motrix_spatial::{Lanes, Mask, Mat3, Real, Vec3};

use super::prism::Prism;
use super::walk::Worlds;
use super::{Core, Overlap};
use crate::hull::Hull;
use crate::shape::Shape;

/// Units in the last place of all lengths involved by which a gap has to exceed the reach: the lanes must leave out nothing that
/// the general collider, in `f64`, would find.
const SLACK: f64 = 32.0;

/// How far a shape reaches.
pub trait Reach<L: Lanes> {
    /// Along a direction of any length, in the axes of the field and from the shape's centre.
    fn along(&self, d: Vec3<L>) -> L;
    /// The shapes of the worlds of a batch.
    fn pick(&self, worlds: &Worlds) -> Self;
    /// The shape in one lane.
    fn shape(&self, size: [f64; 3]) -> Shape<'_>;
}

/// A cylinder: its axis and sizes.
pub struct Drum<L> {
    /// Unit.
    pub axis: Vec3<L>,
    pub radius: L,
    pub half_length: L,
}

impl<L: Lanes> Reach<L> for Drum<L> {
    #[inline(always)]
    fn along(&self, d: Vec3<L>) -> L {
        let along = dot(d, self.axis);
        let across2 = (norm_squared(d) - along * along).max(L::ZERO);
        self.half_length.mul_add(along.abs(), self.radius * across2.sqrt())
    }

    #[inline(always)]
    fn pick(&self, worlds: &Worlds) -> Self {
        Self {
            axis: worlds.pick3(self.axis),
            radius: worlds.pick(self.radius),
            half_length: worlds.pick(self.half_length),
        }
    }

    fn shape(&self, size: [f64; 3]) -> Shape<'_> {
        Shape::Cylinder {
            radius: size[0],
            half_length: size[1],
        }
    }
}

/// An ellipsoid: its half axes.
pub struct Egg<L> {
    pub half_axes: [Vec3<L>; 3],
}

impl<L: Lanes> Reach<L> for Egg<L> {
    #[inline(always)]
    fn along(&self, d: Vec3<L>) -> L {
        let [x, y, z] = self.half_axes;
        norm_squared([dot(x, d), dot(y, d), dot(z, d)]).sqrt()
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

/// A hull, the same in all worlds: its rotation in the field.
pub struct Gem<'h, L: Lanes> {
    pub hull: &'h Hull,
    pub rotation: Mat3<L>,
}

impl<L: Lanes> Reach<L> for Gem<'_, L> {
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

/// A shape, and how far it reaches along the directions that all prisms have in common.
pub struct Solid<L: Lanes, R> {
    shape: R,
    /// Along −x, −y, −z and along +x, +y, +z.
    extents: [Vec3<L>; 2],
    /// Across the diagonals of cells, to the upper left and to the lower right.
    across: [L; 2],
    /// What rounding may cost.
    slack: L,
}

impl<L: Lanes, R: Reach<L>> Solid<L, R> {
    /// A shape with its centre somewhere in a field of this spacing.
    #[inline(always)]
    pub fn new(shape: R, centre: Vec3<L>, spacing: [L; 2]) -> Self {
        let mut extents = [zero3(); 2];
        let mut lengths = L::ZERO;
        for k in 0..3 {
            let mut d = zero3();
            d[k] = L::ONE;
            extents[0][k] = shape.along(neg(d));
            extents[1][k] = shape.along(d);
            lengths += centre[k].abs() + extents[0][k].abs() + extents[1][k].abs();
        }
        let [dx, dy] = spacing;
        let inverse = dx.mul_add(dx, dy * dy).sqrt().recip();
        let lower_right = [dy * inverse, -dx * inverse, L::ZERO];
        let across = [shape.along(neg(lower_right)), shape.along(lower_right)];
        Self {
            shape,
            extents,
            across,
            // Corners of hulls are told in single precision.
            slack: L::c(SLACK * f64::from(f32::EPSILON)) * (lengths + dx + dy),
        }
    }
}

impl<L: Lanes, R: Reach<L>> Core<L> for Solid<L, R> {
    #[inline(always)]
    fn extents(&self) -> [Vec3<L>; 2] {
        self.extents
    }

    #[inline(always)]
    fn pick(&self, worlds: &Worlds) -> Self {
        Self {
            shape: self.shape.pick(worlds),
            extents: [worlds.pick3(self.extents[0]), worlds.pick3(self.extents[1])],
            across: [worlds.pick(self.across[0]), worlds.pick(self.across[1])],
            slack: worlds.pick(self.slack),
        }
    }

    fn shape(&self, size: [f64; 3]) -> Shape<'_> {
        self.shape.shape(size)
    }

    #[inline(always)]
    fn is_apart(&self, prism: &Prism<L>, reach: L) -> L::Mask {
        let limit = reach + self.slack;
        // Walls along the axes are not beside the shape, or the cell would not be below it.
        let beyond_diagonal = L::select(
            prism.upper_left,
            prism.beyond(0, zero3()) - self.across[0],
            prism.beyond(2, zero3()) - self.across[1],
        );
        let above = prism.above(zero3()) - self.shape.along(neg(prism.normal));
        let apart = beyond_diagonal.max(above).gt(limit);
        if apart.all() {
            return apart;
        }
        let (nearest, distance2) = prism.nearest(zero3());
        let away = neg(nearest);
        let gap = -self.shape.along(nearest) - prism.highest(away);
        // Downwards a prism has no end here.
        apart | (away[2].ge(L::ZERO) & gap.gt(limit * distance2.sqrt()))
    }

    #[inline(always)]
    fn touch(&self, _: &Prism<L>, _: L) -> Overlap<L> {
        Overlap {
            active: L::Mask::NONE,
            unsure: L::Mask::ALL,
            distance: L::ZERO,
            position: zero3(),
            normal: zero3(),
        }
    }
}
