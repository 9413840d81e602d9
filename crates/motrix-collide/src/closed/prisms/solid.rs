//! Cylinders, ellipsoids and hulls against prisms: what is certain is told in lanes, the rest is left to the general collider.
//!
//! A prism is apart from a shape if a plane lies between them; tried are a fan of planes that all cells have in common, the plane
//! of its top, its diagonal wall, and what the shape itself knows. The contact is certain if one point tells both bounds of the
//! depth D: along some direction the overlap is D, and about a point of one body that lies in the other a ball of radius D does
//! so too, so that no shorter way leads out. It may be the shape's lowest point as the top sees it ([`on_top`]), or a corner or a
//! point of an edge inside the shape, as the shape tells.

use motrix_spatial::algebra::{add_scaled, neg, zero3};
use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::prism::Prism;
use super::screen::Fan;
use super::turn::Worlds;
use super::walk::{Cells, View};
use super::{Core, Overlap};
use crate::shape::Shape;

/// Units in the last place of all lengths involved by which a gap has to exceed the reach: the lanes must leave out nothing that
/// the general collider, in `f64`, would find.
const SLACK: f64 = 32.0;

/// How far a shape reaches, and how it touches.
pub trait Reach<L: Lanes> {
    /// Whether the shape is curved: it is then as wide along d as along −d, and quick to tell how far it reaches.
    const CURVED: bool;
    /// Along a direction of any length, in the axes of the field and from the shape's centre.
    fn along(&self, d: Vec3<L>) -> L;
    /// The farthest point along a unit direction, and the lanes in which it is the only one but for rounding.
    fn farthest(&self, d: Vec3<L>) -> (Vec3<L>, L::Mask);
    /// What the shape knows of a prism: lanes that are apart by more than `limit`, and contacts that are certain.
    fn meet(&self, prism: &Prism<L>, limit: L, found: &mut Certain<L>);
    /// What it takes longer to know, asked where neither this nor the top tells.
    #[inline(always)]
    fn search(&self, _: &Prism<L>, _: L, _: &mut Certain<L>) {}
    /// The shapes of the worlds of a batch.
    fn pick(&self, worlds: &Worlds) -> Self;
    /// The shape in one lane.
    fn shape(&self, size: [f64; 3]) -> Shape<'_>;
}

/// What is certain of a prism and a shape.
pub struct Certain<L: Lanes> {
    /// Lanes that are apart.
    pub apart: L::Mask,
    /// Lanes whose contact is known.
    pub known: L::Mask,
    /// How deep it is; negative for a gap.
    pub depth: L,
    /// Midway between the surfaces.
    pub position: Vec3<L>,
    pub normal: Vec3<L>,
}

impl<L: Lanes> Certain<L> {
    /// Enters a contact where none is known: `on_prism` is the point of the prism.
    #[inline(always)]
    pub fn enter(&mut self, lanes: L::Mask, depth: L, on_prism: Vec3<L>, normal: Vec3<L>) {
        let new = lanes & !self.known;
        self.known = self.known | lanes;
        self.depth = L::select(new, depth, self.depth);
        for i in 0..3 {
            let middle = (L::c(-0.5) * depth).mul_add(normal[i], on_prism[i]);
            self.position[i] = L::select(new, middle, self.position[i]);
            self.normal[i] = L::select(new, normal[i], self.normal[i]);
        }
    }
}

/// A shape, and how far it reaches along the directions that all prisms have in common.
pub struct Solid<L: Lanes, R> {
    shape: R,
    /// Along −x, −y, −z and along +x, +y, +z.
    extents: [Vec3<L>; 2],
    /// Across the diagonals of cells, to the upper left and to the lower right.
    across: [L; 2],
    fan: Fan<L>,
    /// What rounding may cost.
    slack: L,
    spacing: [L; 2],
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
            extents[1][k] = shape.along(d);
            extents[0][k] = if R::CURVED { extents[1][k] } else { shape.along(neg(d)) };
            lengths += centre[k].abs() + extents[0][k].abs() + extents[1][k].abs();
        }
        let [dx, dy] = spacing;
        Self {
            shape,
            extents,
            across: [L::ZERO; 2],
            fan: Fan::empty(),
            // Corners of hulls are told in single precision.
            slack: L::c(SLACK * f64::from(f32::EPSILON)) * (lengths + dx + dy),
            spacing,
        }
    }
}

impl<L: Lanes, R: Reach<L>> Core<L> for Solid<L, R> {
    const TELLS_CERTAIN: bool = true;

    #[inline(always)]
    fn extents(&self) -> [Vec3<L>; 2] {
        self.extents
    }

    #[inline(always)]
    fn prepare(&mut self) {
        let [dx, dy] = self.spacing;
        let inverse = dx.mul_add(dx, dy * dy).sqrt().recip();
        let lower_right = [dy * inverse, -dx * inverse, L::ZERO];
        self.across = [self.shape.along(neg(lower_right)), self.shape.along(lower_right)];
        self.fan = Fan::of(&self.shape);
    }

    #[inline(always)]
    fn apart(&self, view: &View<L>, cells: &Cells<L>, reach: L) -> [L::Mask; 2] {
        let worlds = &cells.worlds;
        let limit = reach + worlds.pick(self.slack);
        let mut apart = self.fan.separate(limit, view, cells);
        for k in 0..2 {
            if !(cells.reached[k] & !apart[k]).any() {
                continue;
            }
            let prism = Prism::of_cells(view, cells, k == 0);
            // Walls along the axes are not beside the shape, or the cell would not be below it.
            let wall = if k == 0 { 0 } else { 2 };
            let mut gap = prism.beyond(wall, zero3()) - worlds.pick(self.across[k]);
            if R::CURVED {
                gap = gap.max(prism.above(zero3()) - self.shape.pick(worlds).along(neg(prism.normal)));
            }
            apart[k] = apart[k] | gap.gt(limit);
        }
        apart
    }

    fn shape(&self, size: [f64; 3]) -> Shape<'_> {
        self.shape.shape(size)
    }

    #[inline(always)]
    fn touch(&self, worlds: &Worlds, prism: &Prism<L>, reach: L) -> Overlap<L> {
        let shape = self.shape.pick(worlds);
        let mut found = Certain {
            apart: L::Mask::NONE,
            known: L::Mask::NONE,
            depth: L::ZERO,
            position: zero3(),
            normal: zero3(),
        };
        let limit = reach + worlds.pick(self.slack);
        shape.meet(prism, limit, &mut found);
        // In double precision the general collider resolves curved shapes as MuJoCo does, to a tolerance, and finds its very
        // places. In single precision those are as uncertain as the poses are, and the exact one is told.
        let exact = !R::CURVED || L::Elem::EPSILON > f64::from(f32::EPSILON) / 2.0;
        if !exact {
            found.known = L::Mask::NONE;
        } else if !(found.apart | found.known).all() {
            on_top(&shape, prism, reach, limit, &mut found);
            if !(found.apart | found.known).all() {
                shape.search(prism, limit, &mut found);
            }
        }
        // Where the shape's lowest point is nearer to the base than the contact is deep, the base may be the shorter way out.
        let bottom = -worlds.pick(self.extents[0][2]) - prism.base;
        let known = found.known & bottom.ge(found.depth.max(L::ZERO));
        Overlap {
            active: known & found.depth.ge(-reach),
            unsure: !known & !found.apart,
            distance: -found.depth,
            position: found.position,
            normal: found.normal,
        }
    }
}

/// Where a shape meets the top of a prism, if it is certain that it does so with its lowest point p as the top sees it; or that it is
/// above by more than `limit`.
///
/// From above, p is nearest to its foot if that lies in the triangle, since no point of the shape is nearer to the plane. From
/// below, the way up is the shortest way out if the ball about p of that radius lies in the prism: every shorter way leaves p
/// inside.
#[inline(always)]
fn on_top<L: Lanes>(shape: &impl Reach<L>, prism: &Prism<L>, reach: L, limit: L, found: &mut Certain<L>) {
    let (p, sole) = shape.farthest(neg(prism.normal));
    let depth = -prism.above(p);
    let foot = add_scaled(p, depth, prism.normal);
    found.apart = found.apart | depth.lt(-limit);
    let above = depth.le(L::ZERO);
    let mut certain = sole & depth.ge(-reach);
    for k in 0..3 {
        let beyond = L::select(above, prism.beyond(k, foot), prism.beyond(k, p) + depth);
        certain = certain & beyond.le(L::ZERO);
    }
    found.enter(certain, depth, foot, prism.normal);
}
