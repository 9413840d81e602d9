//! A capsule against a prism: its segment, rounded.

use motrix_spatial::algebra::{add_scaled, cross, dot, neg, norm_squared, scale, select3, sub, zero3};
use motrix_spatial::{Lanes, Mask, Vec3};

use super::prism::Prism;
use super::turn::Worlds;
use super::walk::{Cells, View};
use super::{Apart, Core, Overlap, barely};
use crate::shape::Shape;

/// A capsule about its centre.
pub struct Rod<L> {
    /// From the centre to one end of the segment.
    pub half: Vec3<L>,
    pub radius: L,
}

/// The nearest or deepest points of segment and prism.
struct Near<L: Lanes> {
    /// The point of the segment.
    point: Vec3<L>,
    /// From the prism to the segment.
    away: Vec3<L>,
    distance2: L,
}

impl<L: Lanes> Near<L> {
    #[inline(always)]
    fn consider(&mut self, lanes: L::Mask, on_prism: Vec3<L>, point: Vec3<L>) {
        let away = sub(point, on_prism);
        let distance2 = norm_squared(away);
        let nearer = lanes & distance2.lt(self.distance2);
        self.point = select3(nearer, point, self.point);
        self.away = select3(nearer, away, self.away);
        self.distance2 = L::select(nearer, distance2, self.distance2);
    }
}

/// A way out of the prism: overlap along a unit direction, and the point of the segment that leaves last.
struct WayOut<L: Lanes> {
    depth: L,
    normal: Vec3<L>,
    point: Vec3<L>,
    /// Lanes in which rounding decides where the point is.
    vague: L::Mask,
}

impl<L: Lanes> WayOut<L> {
    #[inline(always)]
    fn consider(&mut self, depth: L, normal: Vec3<L>, point: Vec3<L>, vague: L::Mask) {
        let shorter = depth.lt(self.depth);
        self.depth = depth.min(self.depth);
        self.normal = select3(shorter, normal, self.normal);
        self.point = select3(shorter, point, self.point);
        self.vague = (shorter & vague) | (!shorter & self.vague);
    }
}

impl<L: Lanes> Apart<L> for Rod<L> {
    #[inline(always)]
    fn is_apart(&self, prism: &Prism<L>, reach: L) -> L::Mask {
        let mut gap = prism.above(zero3()) - dot(prism.normal, self.half).abs();
        for k in 0..3 {
            gap = gap.max(prism.beyond(k, zero3()) - self.along_wall(prism, k).abs());
        }
        gap.gt(self.radius + reach)
    }
}

impl<L: Lanes> Core<L> for Rod<L> {
    const TELLS_CERTAIN: bool = false;

    #[inline(always)]
    fn extents(&self) -> [Vec3<L>; 2] {
        let mut extent = [self.radius; 3];
        for k in 0..3 {
            extent[k] += self.half[k].abs();
        }
        [extent; 2]
    }

    #[inline(always)]
    fn prepare(&mut self) {}

    #[inline(always)]
    fn apart(&self, view: &View<L>, cells: &Cells<L>, reach: L) -> [L::Mask; 2] {
        self.pick(&cells.worlds).both_apart(view, cells, reach)
    }

    fn shape(&self, size: [f64; 3]) -> Shape<'_> {
        Shape::Capsule {
            radius: size[0],
            half_length: size[1],
        }
    }

    #[inline(always)]
    fn touch(&self, worlds: &Worlds, prism: &Prism<L>, reach: L) -> Overlap<L> {
        self.pick(worlds).meet(prism, reach)
    }
}

impl<L: Lanes> Rod<L> {
    /// The shapes of the worlds that the lanes of a batch belong to.
    #[inline(always)]
    fn pick(&self, worlds: &Worlds) -> Self {
        Self {
            half: worlds.pick3(self.half),
            radius: worlds.pick(self.radius),
        }
    }

    /// The contact with a prism.
    #[inline(always)]
    fn meet(&self, prism: &Prism<L>, reach: L) -> Overlap<L> {
        let near = self.nearest(prism);
        let length = near.distance2.sqrt();
        let mut normal = scale(near.away, length.recip());
        let mut gap = length;
        let mut point = near.point;
        let bottom = -self.half[2].abs() - prism.base;
        let mut unsure = bottom.lt(L::ZERO) | length.le(barely::<L>() * self.radius);
        let through = self.passes_through(prism);
        if through.any() {
            let out = self.way_out(prism);
            normal = select3(through, out.normal, normal);
            gap = L::select(through, -out.depth, gap);
            point = select3(through, out.point, point);
            unsure = (through & (out.vague | bottom.lt(out.depth))) | (!through & unsure);
        }
        let distance = gap - self.radius;
        Overlap {
            active: distance.le(reach),
            unsure,
            distance,
            position: add_scaled(point, L::c(0.5).mul_add(distance, -gap), normal),
            normal,
        }
    }

    /// How much nearer to wall `k` the one end is than the centre.
    #[inline(always)]
    fn along_wall(&self, prism: &Prism<L>, k: usize) -> L {
        let [mx, my] = prism.walls[k];
        my.mul_add(self.half[1], mx * self.half[0])
    }

    /// Lanes in which the segment has a point inside the prism.
    #[inline(always)]
    fn passes_through(&self, prism: &Prism<L>) -> L::Mask {
        let (mut low, mut high) = (-L::ONE, L::ONE);
        let mut misses = L::Mask::NONE;
        for k in 0..4 {
            // The height over the plane of a side is from + t by at the point t of the segment.
            let (from, by) = if k < 3 {
                (prism.beyond(k, zero3()), self.along_wall(prism, k))
            } else {
                (prism.above(zero3()), dot(prism.normal, self.half))
            };
            let (rises, falls) = (by.gt(L::ZERO), by.lt(L::ZERO));
            let crossing = -from / L::select(rises | falls, by, L::ONE);
            high = L::select(rises, high.min(crossing), high);
            low = L::select(falls, low.max(crossing), low);
            misses = misses | (!rises & !falls & from.gt(L::ZERO));
        }
        low.le(high) & !misses
    }

    /// The nearest points, outside: of an end and the prism, or of the segment and an edge.
    #[inline(always)]
    fn nearest(&self, prism: &Prism<L>) -> Near<L> {
        let (on_prism, distance2) = prism.nearest(self.half);
        let mut near = Near {
            point: self.half,
            away: sub(self.half, on_prism),
            distance2,
        };
        let other = neg(self.half);
        near.consider(L::Mask::ALL, prism.nearest(other).0, other);
        for k in 0..3 {
            let corner = prism.corners[k];
            let (t, u) = self.nearest_to_line(corner, prism.edge(k), L::ONE);
            near.consider(L::Mask::ALL, add_scaled(corner, u, prism.edge(k)), scale(self.half, t));
            // The upright edge below the corner, without end, if the segment reaches down to it; in no other lane, since there it
            // may tie with the corner.
            let reaches = corner[2].gt(-self.half[2].abs());
            if !reaches.any() {
                continue;
            }
            let down = [L::ZERO, L::ZERO, -L::ONE];
            let (t, u) = self.nearest_to_line(corner, down, L::c(1e6));
            near.consider(reaches, add_scaled(corner, u, down), scale(self.half, t));
        }
        near
    }

    /// Places on the segment, from −1 to 1, and on the line from `a` along `e`, from 0 to `end`, that are nearest.
    #[inline(always)]
    fn nearest_to_line(&self, a: Vec3<L>, e: Vec3<L>, end: L) -> (L, L) {
        let h = self.half;
        let (hh, ee, he) = (norm_squared(h).max(L::c(1e-30)), norm_squared(e), dot(h, e));
        let (ha, ea) = (dot(h, a), dot(e, a));
        let determinant = he.neg_mul_add(he, hh * ee);
        // Parallel lines are as near anywhere; the ends are looked at on their own.
        let parallel = determinant.le(barely::<L>() * barely::<L>() * hh * ee);
        let t = ea.neg_mul_add(he, ha * ee) / L::select(parallel, L::ONE, determinant);
        let t = L::select(parallel, L::ZERO, t).clamp(-L::ONE, L::ONE);
        let u = ((t.mul_add(he, -ea)) / ee).clamp(L::ZERO, end);
        let t = (u.mul_add(he, ha) / hh).clamp(-L::ONE, L::ONE);
        (t, u)
    }

    /// The shortest way out for a segment that passes through the prism: along the normal of a side, or across the segment and
    /// an edge. Along any direction the overlap is at least the depth, so that the least of them is the depth.
    #[inline(always)]
    fn way_out(&self, prism: &Prism<L>) -> WayOut<L> {
        let mut out = WayOut {
            depth: L::c(1e30),
            normal: prism.normal,
            point: self.half,
            vague: L::Mask::NONE,
        };
        let length = norm_squared(self.half).sqrt();
        let down = [L::ZERO, L::ZERO, -L::ONE];
        for k in 0..4 {
            let (normal, above) = if k < 3 {
                let [mx, my] = prism.walls[k];
                ([mx, my, L::ZERO], prism.beyond(k, zero3()))
            } else {
                (prism.normal, prism.above(zero3()))
            };
            let along = dot(normal, self.half);
            let lower = select3(along.gt(L::ZERO), neg(self.half), self.half);
            out.consider(
                along.abs() - above,
                normal,
                lower,
                along.abs().le(L::c(PARALLEL) * length),
            );
        }
        for k in 0..3 {
            for upright in [false, true] {
                let (corner, edge) = (prism.corners[k], if upright { down } else { prism.edge(k) });
                let across = cross(self.half, edge);
                let sine = norm_squared(across).sqrt();
                let vague = sine.le(L::c(PARALLEL) * length * norm_squared(edge).sqrt());
                let normal = scale(across, L::select(vague, L::ONE, sine).recip());
                let (t, _) = self.nearest_to_line(corner, edge, L::c(1e6));
                let point = scale(self.half, t);
                // Without an end below, only directions that do not fall are ways out.
                let falls = normal[2].lt(L::ZERO);
                let normal = if upright {
                    normal
                } else {
                    select3(falls, neg(normal), normal)
                };
                for normal in [normal, neg(normal)] {
                    let depth = prism.highest(normal);
                    // An upright edge counts where it is the farthest.
                    let elsewhere = if upright {
                        dot(normal, corner).lt(depth)
                    } else {
                        L::Mask::NONE
                    };
                    out.consider(
                        L::select(vague | elsewhere, L::c(1e30), depth),
                        normal,
                        point,
                        L::Mask::NONE,
                    );
                    if !upright {
                        break;
                    }
                }
            }
        }
        out
    }
}

/// Sine below which a segment lies along a side or an edge.
const PARALLEL: f64 = 1e-3;
