//! A cylinder against a prism.
//!
//! A corner of the prism's top, or a point q of one of its edges, may lie inside the cylinder below its side or below a cap. If the
//! ball about q that touches the surface there lies in the cylinder, and the prism reaches no farther than q along the way to it,
//! that way is the shortest one out. Apart, the same points are nearest to each other. What else meets is told in `rim.rs`; gaps
//! between a rim and a corner are left to the general collider.

use motrix_spatial::algebra::{add_scaled, cross, dot, norm_squared, scale, sub};
use motrix_spatial::{Lanes, Vec3};

use super::prism::Prism;
use super::solid::{Certain, Reach};
use super::turn::Worlds;
use crate::shape::Shape;

/// Sine below which a direction lies along the axis, an edge along it, or a cap in a plane.
pub const PARALLEL: f64 = 1e-3;

/// A cylinder: its axis and sizes.
pub struct Drum<L> {
    /// Unit.
    pub axis: Vec3<L>,
    pub radius: L,
    pub half_length: L,
}

impl<L: Lanes> Reach<L> for Drum<L> {
    const CURVED: bool = true;

    #[inline(always)]
    fn along(&self, d: Vec3<L>) -> L {
        let along = dot(d, self.axis);
        let across2 = (norm_squared(d) - along * along).max(L::ZERO);
        self.half_length.mul_add(along.abs(), self.radius * across2.sqrt())
    }

    #[inline(always)]
    fn farthest(&self, d: Vec3<L>) -> (Vec3<L>, L::Mask) {
        let along = dot(d, self.axis);
        let across = add_scaled(d, -along, self.axis);
        let length = norm_squared(across).sqrt();
        // On a cap that faces it, or along the side, all points are as far.
        let sole = length.gt(L::c(PARALLEL)) & along.abs().gt(L::c(PARALLEL));
        let end = L::select(along.lt(L::ZERO), -self.half_length, self.half_length);
        let out = self.radius / L::select(sole, length, L::ONE);
        (add_scaled(scale(self.axis, end), out, across), sole)
    }

    #[inline(always)]
    fn meet(&self, prism: &Prism<L>, limit: L, found: &mut Certain<L>) {
        for k in 0..3 {
            self.meet_edge(prism, k, limit, found);
        }
        for k in 0..3 {
            self.meet_corner(prism, k, limit, found);
        }
    }

    #[inline(always)]
    fn search(&self, prism: &Prism<L>, limit: L, found: &mut Certain<L>) {
        self.least_overlap(prism, limit, found);
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

impl<L: Lanes> Drum<L> {
    /// The side of the cylinder and edge `k` of the top, across both.
    #[inline(always)]
    fn meet_edge(&self, prism: &Prism<L>, k: usize, limit: L, found: &mut Certain<L>) {
        let (from, edge) = (prism.corners[k], prism.edge(k));
        let across = cross(self.axis, edge);
        let length2 = norm_squared(across);
        let clear = length2.gt(L::c(PARALLEL * PARALLEL) * norm_squared(edge));
        let inverse = L::select(clear, length2, L::ONE).sqrt().recip();
        let up = L::select(across[2].lt(L::ZERO), -inverse, inverse);
        let n = scale(across, up);
        let on_edge = dot(n, from);
        let highest = on_edge.max(dot(n, prism.corners[(k + 2) % 3]));
        found.apart = found.apart | (clear & (highest + self.radius).lt(-limit));
        // Where the edge passes below the axis.
        let beside = cross(n, self.axis);
        let u = -dot(beside, from) / L::select(clear, dot(beside, edge), L::ONE);
        let q = add_scaled(from, u, edge);
        let depth = on_edge + self.radius;
        let room = self.half_length - dot(self.axis, q).abs();
        let fits = room.min(self.radius).ge(depth.max(L::ZERO));
        let certain = clear & fits & u.ge(L::ZERO) & u.le(L::ONE) & highest.le(on_edge);
        found.enter(certain, depth, q, n);
    }

    /// The side of the cylinder, or a cap, and corner `k` of the top.
    #[inline(always)]
    fn meet_corner(&self, prism: &Prism<L>, k: usize, limit: L, found: &mut Certain<L>) {
        let corner = prism.corners[k];
        let along = dot(self.axis, corner);
        let across = add_scaled(corner, -along, self.axis);
        let away = norm_squared(across).sqrt();
        let clear = away.gt(L::c(PARALLEL) * self.radius);
        let below_side = self.radius - away;
        let below_cap = self.half_length - along.abs();
        // The way out of the cylinder is the way of the prism backwards.
        let side = scale(across, -L::select(clear, away, L::ONE).recip());
        let cap = scale(self.axis, L::select(along.lt(L::ZERO), L::ONE, -L::ONE));
        let by_side = below_side.lt(below_cap);
        for (n, depth, room, usable) in [
            (side, below_side, below_cap, clear & by_side),
            (cap, below_cap, below_side, !by_side),
        ] {
            let rises = n[2].ge(L::ZERO);
            let beyond = L::ZERO
                .max(dot(n, sub(prism.corners[(k + 1) % 3], corner)))
                .max(dot(n, sub(prism.corners[(k + 2) % 3], corner)));
            found.apart = found.apart | (usable & rises & (depth + beyond).lt(-limit));
            let fits = room.ge(depth.max(L::ZERO));
            found.enter(usable & rises & fits & beyond.le(L::ZERO), depth, corner, n);
        }
    }
}
