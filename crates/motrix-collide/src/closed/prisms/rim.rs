//! How a cylinder that overlaps a prism leaves it soonest, whichever of their features meet.
//!
//! Along a unit direction n the two overlap by o(n) = max nᵀcᵢ + h |aᵀn| + r √(1 − (aᵀn)²), with c the corners of the prism's top,
//! a, h and r the axis, half length and radius of the cylinder; only directions that do not fall count, the prism being without
//! end below. The depth is the least of all o(n), and where it is positive the point of the difference's surface that is nearest to
//! the origin has one normal. The surface has one normal only
//!
//! - on flat parts: sides of the prism, caps of the cylinder, an edge across the side of the cylinder;
//! - on the side of the cylinder below a corner, n pointing from the corner to the axis;
//! - where an edge meets a rim: n is across the edge, between the normals of the sides that meet there.
//!
//! All but the last are told at once; for the last see `arc.rs`. Each o(n) bounds the depth from above, so that a direction too many
//! does no harm, and where some o(n) is negative the two are apart by as much at least. They are no farther apart if the points that
//! face each other along n are those of the two: then the gap is known as well, whatever features it is between.

use motrix_spatial::algebra::{add_scaled, cross, dot, norm_squared, scale, select3, sub, zero3};
use motrix_spatial::{Lanes, Mask, Vec3};

use super::arc::Arc;
use super::drum::{Drum, PARALLEL};
use super::prism::Prism;
use super::solid::Certain;

/// How far features may miss each other, as a share of the cylinder, before rounding must have chosen the wrong ones.
const SLACK: f64 = 1e-5;
/// An overlap that no direction has.
const NONE: f64 = 1e30;

/// What meets along the least overlap.
#[derive(Clone, Copy)]
struct Least<L: Lanes> {
    depth: L,
    normal: Vec3<L>,
    /// Lanes in which it is the rim that leaves last; a cap or the side of the cylinder otherwise.
    rim: L::Mask,
    /// The point of the prism, where it is not the rim.
    on_prism: Vec3<L>,
    /// Lanes in which that is the only one.
    sole: L::Mask,
}

impl<L: Lanes> Least<L> {
    #[inline(always)]
    fn consider(&mut self, depth: L, normal: Vec3<L>, rim: L::Mask, on_prism: Vec3<L>, sole: L::Mask) {
        let less = depth.lt(self.depth);
        self.depth = L::select(less, depth, self.depth);
        self.normal = select3(less, normal, self.normal);
        self.rim = (less & rim) | (!less & self.rim);
        self.on_prism = select3(less, on_prism, self.on_prism);
        self.sole = (less & sole) | (!less & self.sole);
    }
}

impl<L: Lanes> Drum<L> {
    /// Lanes that some direction shows to be apart by more than `limit`, and contacts of the others.
    #[inline(always)]
    pub fn least_overlap(&self, prism: &Prism<L>, limit: L, found: &mut Certain<L>) {
        let mut least = Least {
            depth: L::c(NONE),
            normal: prism.normal,
            rim: L::Mask::NONE,
            on_prism: zero3(),
            sole: L::Mask::NONE,
        };
        self.along_sides(prism, &mut least);
        self.along_caps(prism, &mut least);
        self.below_side(prism, &mut least);
        self.across_edges(prism, &mut least);
        let open = !(found.apart | found.known) & least.depth.ge(-limit);
        for k in 0..3 {
            let (corner, [mx, my], [lx, ly]) = (prism.corners[k], prism.walls[k], prism.walls[(k + 2) % 3]);
            let (wall, last) = ([mx, my, L::ZERO], [lx, ly, L::ZERO]);
            self.along_arc(prism, &Arc::new(self, corner, wall, prism.normal), open, &mut least);
            self.along_arc(prism, &Arc::new(self, corner, last, wall), open, &mut least);
        }
        found.apart = found.apart | least.depth.lt(-limit);
        let (on_prism, certain) = self.place(prism, &least);
        found.enter(certain & least.depth.ge(-limit), least.depth, on_prism, least.normal);
    }

    /// The overlap along a unit direction, and aᵀn.
    #[inline(always)]
    fn overlap(&self, prism: &Prism<L>, n: Vec3<L>) -> (L, L) {
        let (along, across) = self.shares(n);
        let reach = self.half_length.mul_add(along.abs(), self.radius * across);
        (prism.highest(n) + reach, along)
    }

    /// aᵀn of a unit direction, and how much of it is across the axis: √(1 − (aᵀn)²), without the rounding that this has near 1.
    #[inline(always)]
    fn shares(&self, n: Vec3<L>) -> (L, L) {
        let along = dot(self.axis, n);
        (along, norm_squared(add_scaled(n, -along, self.axis)).sqrt())
    }

    /// The sides of the prism: the rim meets them unless a cap or the side of the cylinder lies flat on them.
    #[inline(always)]
    fn along_sides(&self, prism: &Prism<L>, least: &mut Least<L>) {
        for k in 0..4 {
            let normal = if k < 3 {
                let [mx, my] = prism.walls[k];
                [mx, my, L::ZERO]
            } else {
                prism.normal
            };
            let (depth, along) = self.overlap(prism, normal);
            least.consider(depth, normal, rim_meets(along), zero3(), L::Mask::NONE);
        }
    }

    /// The caps of the cylinder: below them is the farthest corner.
    #[inline(always)]
    fn along_caps(&self, prism: &Prism<L>, least: &mut Least<L>) {
        for sign in [L::ONE, -L::ONE] {
            let normal = scale(self.axis, sign);
            let (corner, sole) = farthest(prism, normal);
            let depth = dot(normal, corner) + self.half_length;
            let beside2 = norm_squared(add_scaled(corner, -dot(self.axis, corner), self.axis));
            let sole = sole & beside2.le(self.radius * self.radius);
            let falls = normal[2].lt(L::ZERO);
            let depth = L::select(falls, L::c(NONE), depth);
            least.consider(depth, normal, L::Mask::NONE, corner, sole);
        }
    }

    /// The side of the cylinder above each corner.
    #[inline(always)]
    fn below_side(&self, prism: &Prism<L>, least: &mut Least<L>) {
        for k in 0..3 {
            let corner = prism.corners[k];
            let along = dot(self.axis, corner);
            let across = add_scaled(corner, -along, self.axis);
            let away = norm_squared(across).sqrt();
            let clear = away.gt(L::c(PARALLEL) * self.radius);
            let normal = scale(across, -L::select(clear, away, L::ONE).recip());
            // From the corner on: near the axis the direction is less certain than how near it is.
            let beyond = L::ZERO
                .max(dot(normal, sub(prism.corners[(k + 1) % 3], corner)))
                .max(dot(normal, sub(prism.corners[(k + 2) % 3], corner)));
            let depth = self.radius - away + beyond;
            let usable = clear & normal[2].ge(L::ZERO);
            let depth = L::select(usable, depth, L::c(NONE));
            let sole = along.abs().le(self.half_length) & beyond.le(L::ZERO);
            least.consider(depth, normal, L::Mask::NONE, corner, sole);
        }
    }

    /// The side of the cylinder across an edge of the top, or an upright one.
    #[inline(always)]
    fn across_edges(&self, prism: &Prism<L>, least: &mut Least<L>) {
        for j in 0..4 {
            let upright = j == 3;
            let edge = if upright {
                [L::ZERO, L::ZERO, -L::ONE]
            } else {
                prism.edge(j)
            };
            let across = cross(self.axis, edge);
            let length2 = norm_squared(across);
            let clear = length2.gt(L::c(PARALLEL * PARALLEL) * norm_squared(edge));
            let inverse = L::select(clear, length2, L::ONE).sqrt().recip();
            let up = L::select(across[2].lt(L::ZERO), -inverse, inverse);
            let unit = scale(across, if upright { inverse } else { up });
            for sign in [L::ONE, -L::ONE] {
                let normal = scale(unit, sign);
                let from = if upright {
                    farthest(prism, normal).0
                } else {
                    prism.corners[j]
                };
                let (on_edge, highest) = (dot(normal, from), prism.highest(normal));
                let depth = highest + self.radius;
                // Where the edge passes below the axis.
                let beside = cross(normal, self.axis);
                let u = -dot(beside, from) / L::select(clear, dot(beside, edge), L::ONE);
                let q = add_scaled(from, u, edge);
                let end = if upright { L::c(NONE) } else { L::ONE };
                let level = (highest - on_edge).le(L::c(SLACK) * self.radius);
                let within = u.ge(L::ZERO) & u.le(end) & dot(self.axis, q).abs().le(self.half_length);
                let sole = level & within;
                let depth = L::select(clear, depth, L::c(NONE));
                least.consider(depth, normal, L::Mask::NONE, q, sole);
                if !upright {
                    break;
                }
            }
        }
    }

    /// The rim along the normals of an edge, from one side of the prism to the other, in the lanes `open`.
    #[inline(always)]
    fn along_arc(&self, prism: &Prism<L>, arc: &Arc<L>, open: L::Mask, least: &mut Least<L>) {
        for (part, there) in arc.parts() {
            let open = open & there & arc.bound(&part).lt(least.depth);
            if !open.any() {
                continue;
            }
            let normal = arc.at(arc.search(&part, open));
            let (depth, along) = self.overlap(prism, normal);
            let usable = open & normal[2].ge(L::ZERO);
            let depth = L::select(usable, depth, L::c(NONE));
            least.consider(depth, normal, rim_meets(along), zero3(), L::Mask::NONE);
        }
    }

    /// Where the prism is deepest, and the lanes in which that is certain.
    #[inline(always)]
    fn place(&self, prism: &Prism<L>, least: &Least<L>) -> (Vec3<L>, L::Mask) {
        let n = least.normal;
        let along = dot(self.axis, n);
        let across = add_scaled(n, -along, self.axis);
        let length = norm_squared(across).sqrt();
        let end = L::select(along.lt(L::ZERO), self.half_length, -self.half_length);
        let out = -self.radius / L::select(least.rim, length, L::ONE);
        let rim = add_scaled(scale(self.axis, end), out, across);
        let opposite = add_scaled(rim, least.depth, n);
        // The rim must face what it is thought to meet.
        let slack = L::c(SLACK) * (self.radius + self.half_length);
        let mut faces = least.rim & prism.above(opposite).le(slack);
        for k in 0..3 {
            faces = faces & prism.beyond(k, opposite).le(slack);
        }
        let on_prism = select3(least.rim, opposite, least.on_prism);
        (on_prism, faces | (!least.rim & least.sole))
    }
}

/// Lanes in which one point of the rim is farthest along a direction: neither all of a cap nor a line of the side is.
#[inline(always)]
fn rim_meets<L: Lanes>(along: L) -> L::Mask {
    let parallel = L::c(PARALLEL);
    along.abs().gt(parallel) & along.neg_mul_add(along, L::ONE).gt(parallel * parallel)
}

/// The corner of the top farthest along a direction, and the lanes in which no other is as far but for rounding.
#[inline(always)]
fn farthest<L: Lanes>(prism: &Prism<L>, d: Vec3<L>) -> (Vec3<L>, L::Mask) {
    let [a, b, c] = prism.corners;
    let along = [dot(d, a), dot(d, b), dot(d, c)];
    let first = along[0].ge(along[1]);
    let (mut point, mut most) = (select3(first, a, b), along[0].max(along[1]));
    let mut second = along[0].min(along[1]);
    let third = along[2].gt(most);
    point = select3(third, c, point);
    second = L::select(third, most, second.max(along[2]));
    most = most.max(along[2]);
    let size = norm_squared(sub(b, a)).sqrt();
    (point, (most - second).gt(L::c(PARALLEL) * size))
}
