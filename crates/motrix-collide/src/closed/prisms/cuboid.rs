//! A box against a prism, by separating axes.
//!
//! Along every direction n the overlap, how far the prism reaches beyond the nearest point of the box, is at least the depth, and
//! along one of the normals of the Minkowski difference it is the depth: those of the prism's sides, of the box's faces, and across
//! an edge of each. In the box's frame its reach along n is Σ hₖ |nₖ|, and its edges are the axes. Where the least overlap is
//! positive, it is the depth, and the feature it belongs to tells the place.

use motrix_spatial::algebra::{add_scaled, cross, dot, neg, norm_squared, scale, select3, sub, zero3};
use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::prism::Prism;
use super::screen::Gaps;
use super::turn::Worlds;
use super::walk::{Cells, View};
use super::{Apart, Core, Overlap};
use crate::shape::Shape;

/// A box about its centre.
pub struct Cuboid<L> {
    /// Unit axes in the frame of the field.
    pub axes: [Vec3<L>; 3],
    pub half: Vec3<L>,
}

/// How far features may miss each other, as a share of the box, before rounding must have chosen the wrong ones.
#[inline(always)]
fn slack<L: Lanes>() -> L {
    L::c((100.0 * L::Elem::EPSILON).max(1e-9))
}

/// Sine between edges below which the direction across them is vague.
#[inline(always)]
fn parallel<L: Lanes>() -> L {
    L::c((1e5 * L::Elem::EPSILON).max(1e-6))
}

/// The least overlap so far, and the number of the direction it is along: [`SIDES`] sides of the prism, [`FACES`] faces of the box, then
/// those across an edge of each.
#[derive(Clone, Copy)]
struct Least<L: Lanes> {
    depth: L,
    which: L,
}

/// How many sides and faces there are.
const SIDES: usize = 4;
const FACES: usize = 6;

impl<L: Lanes> Least<L> {
    #[inline(always)]
    fn consider(&mut self, depth: L, which: usize) {
        let less = depth.lt(self.depth);
        self.depth = L::select(less, depth, self.depth);
        self.which = L::select(less, L::c(which as f64), self.which);
    }

    #[inline(always)]
    fn is(&self, which: usize) -> L::Mask {
        self.which.equal(L::c(which as f64))
    }
}

/// The direction of the least overlap in the box's frame, and what meets there.
struct Feature<L: Lanes> {
    depth: L,
    normal: Vec3<L>,
    /// Lanes in which it is across edges; along a face or a side otherwise.
    edges: L::Mask,
    /// The edge of the prism, where it starts, and the axis of the box's edge.
    edge: Vec3<L>,
    from: Vec3<L>,
    axis: Vec3<L>,
    /// Sine between the two.
    sine: L,
}

/// The direction across an edge of the prism and an axis of the box.
struct Across<L: Lanes> {
    unit: Vec3<L>,
    /// Sine between the two.
    sine: L,
    /// Lanes in which they are so nearly parallel that there is none.
    vague: L::Mask,
}

impl<L: Lanes> Across<L> {
    /// `inverse_length` is that of the edge.
    #[inline(always)]
    fn new(axis: Vec3<L>, edge: Vec3<L>, inverse_length: L) -> Self {
        let across = cross(axis, edge);
        let length = norm_squared(across).sqrt();
        let sine = length * inverse_length;
        let vague = sine.le(slack::<L>());
        Self {
            unit: scale(across, L::select(vague, L::ONE, length).recip()),
            sine,
            vague,
        }
    }

    /// Of the two directions the one that does not fall.
    #[inline(always)]
    fn rising(&self, up: Vec3<L>) -> Vec3<L> {
        let rises = dot(self.unit, up).ge(L::ZERO);
        scale(self.unit, L::select(rises, L::ONE, -L::ONE))
    }
}

/// The prism in the box's frame.
struct Turned<L: Lanes> {
    corners: [Vec3<L>; 3],
    up: Vec3<L>,
}

impl<L: Lanes> Turned<L> {
    /// An edge of the top, or an upright one.
    #[inline(always)]
    fn edge(&self, j: usize) -> Vec3<L> {
        if j < 3 {
            sub(self.corners[(j + 1) % 3], self.corners[j])
        } else {
            self.up
        }
    }

    #[inline(always)]
    fn reach(&self, d: Vec3<L>) -> L {
        dot(d, self.corners[0])
            .max(dot(d, self.corners[1]))
            .max(dot(d, self.corners[2]))
    }
}

impl<L: Lanes> Apart<L> for Cuboid<L> {
    #[inline(always)]
    fn is_apart(&self, prism: &Prism<L>, reach: L) -> L::Mask {
        let mut gap = prism.above(zero3()) - self.extent(self.turn(prism.normal));
        for k in 0..3 {
            gap = gap.max(prism.beyond(k, zero3()) - self.extent(self.turn_wall(prism, k)));
        }
        let turned = self.turned(prism);
        for k in 0..3 {
            let (low, high) = (self.lowest(&turned, k), self.highest(&turned, k));
            // Downwards a prism has no end here.
            let below = L::select(turned.up[k].ge(L::ZERO), -high, low);
            gap = gap.max(below - self.half[k]);
        }
        gap.gt(reach)
    }
}

impl<L: Lanes> Core<L> for Cuboid<L> {
    const TELLS_CERTAIN: bool = false;

    #[inline(always)]
    fn extents(&self) -> [Vec3<L>; 2] {
        let mut extent = [L::ZERO; 3];
        for k in 0..3 {
            for i in 0..3 {
                extent[i] += self.axes[k][i].abs() * self.half[k];
            }
        }
        [extent; 2]
    }

    #[inline(always)]
    fn prepare(&mut self) {}

    /// By the faces that look down, then by all that the box and a prism have.
    #[inline(always)]
    fn apart(&self, view: &View<L>, cells: &Cells<L>, reach: L) -> [L::Mask; 2] {
        let shape = self.pick(&cells.worlds);
        // So much that rounding leaves out nothing that the separating axes would not.
        let spacing = view.grid.spacing;
        let [x, y, z] = shape.half;
        let slack = L::c(1e3 * L::Elem::EPSILON) * (x + y + z + spacing[0] + spacing[1]);
        let mut gaps = Gaps::new(view, cells);
        for k in 0..3 {
            let down = L::select(shape.axes[k][2].gt(L::ZERO), -L::ONE, L::ONE);
            gaps.consider(scale(shape.axes[k], down), shape.half[k] + reach + slack);
        }
        let apart = gaps.separated();
        let left = [cells.reached[0] & !apart[0], cells.reached[1] & !apart[1]];
        if !(left[0] | left[1]).any() {
            return apart;
        }
        let whole = shape.both_apart(view, cells, reach);
        [apart[0] | whole[0], apart[1] | whole[1]]
    }

    fn shape(&self, size: [f64; 3]) -> Shape<'_> {
        Shape::Box { half: size }
    }

    #[inline(always)]
    fn touch(&self, worlds: &Worlds, prism: &Prism<L>, reach: L) -> Overlap<L> {
        self.pick(worlds).meet(prism, reach)
    }
}

impl<L: Lanes> Cuboid<L> {
    /// The shapes of the worlds that the lanes of a batch belong to.
    #[inline(always)]
    fn pick(&self, worlds: &Worlds) -> Self {
        Self {
            axes: [
                worlds.pick3(self.axes[0]),
                worlds.pick3(self.axes[1]),
                worlds.pick3(self.axes[2]),
            ],
            half: worlds.pick3(self.half),
        }
    }

    /// The contact with a prism.
    #[inline(always)]
    fn meet(&self, prism: &Prism<L>, reach: L) -> Overlap<L> {
        let turned = self.turned(prism);
        let mut least = self.along_sides(prism);
        let top = prism.corners[0][2].max(prism.corners[1][2]).max(prism.corners[2][2]);
        self.along_faces(&turned, top - prism.base, &mut least);
        self.across_edges(&turned, &mut least);
        let least = self.feature(prism, &turned, &least);
        let (point, certain) = self.point(prism, &turned, &least);
        // The centre lies above the base by as much as the lowest point does, and its own extent.
        let bottom = -prism.base - self.extent(turned.up);
        let overlaps = least.depth.ge(L::ZERO);
        let within_reach = least.depth.ge(-reach);
        let normal = self.turn_back(least.normal);
        Overlap {
            active: overlaps,
            unsure: (overlaps & (!certain | bottom.lt(least.depth))) | (!overlaps & within_reach),
            distance: -least.depth,
            position: add_scaled(self.turn_back(point), L::c(0.5) * least.depth, normal),
            normal,
        }
    }

    /// A direction of the field in the box's frame.
    #[inline(always)]
    fn turn(&self, d: Vec3<L>) -> Vec3<L> {
        [dot(self.axes[0], d), dot(self.axes[1], d), dot(self.axes[2], d)]
    }

    #[inline(always)]
    fn turn_wall(&self, prism: &Prism<L>, k: usize) -> Vec3<L> {
        let [mx, my] = prism.walls[k];
        let mut turned = [L::ZERO; 3];
        for i in 0..3 {
            turned[i] = my.mul_add(self.axes[i][1], mx * self.axes[i][0]);
        }
        turned
    }

    /// A direction of the box in the frame of the field.
    #[inline(always)]
    fn turn_back(&self, d: Vec3<L>) -> Vec3<L> {
        add_scaled(
            add_scaled(scale(self.axes[0], d[0]), d[1], self.axes[1]),
            d[2],
            self.axes[2],
        )
    }

    #[inline(always)]
    fn turned(&self, prism: &Prism<L>) -> Turned<L> {
        Turned {
            corners: [
                self.turn(prism.corners[0]),
                self.turn(prism.corners[1]),
                self.turn(prism.corners[2]),
            ],
            up: [self.axes[0][2], self.axes[1][2], self.axes[2][2]],
        }
    }

    /// How far the box reaches along a direction of its frame.
    #[inline(always)]
    fn extent(&self, d: Vec3<L>) -> L {
        let [x, y, z] = self.half;
        z.mul_add(d[2].abs(), y.mul_add(d[1].abs(), x * d[0].abs()))
    }

    #[inline(always)]
    fn lowest(&self, turned: &Turned<L>, k: usize) -> L {
        turned.corners[0][k].min(turned.corners[1][k]).min(turned.corners[2][k])
    }

    #[inline(always)]
    fn highest(&self, turned: &Turned<L>, k: usize) -> L {
        turned.corners[0][k].max(turned.corners[1][k]).max(turned.corners[2][k])
    }

    /// The normal of a side of the prism, its top first.
    #[inline(always)]
    fn side(&self, prism: &Prism<L>, k: usize) -> Vec3<L> {
        if k == 0 {
            self.turn(prism.normal)
        } else {
            self.turn_wall(prism, k - 1)
        }
    }

    /// Overlaps along the normals of the prism's sides.
    #[inline(always)]
    fn along_sides(&self, prism: &Prism<L>) -> Least<L> {
        let mut least = Least {
            depth: self.extent(self.side(prism, 0)) - prism.above(zero3()),
            which: L::ZERO,
        };
        for k in 1..SIDES {
            least.consider(self.extent(self.side(prism, k)) - prism.beyond(k - 1, zero3()), k);
        }
        least
    }

    /// Overlaps along the normals of the box's faces. Downwards the prism reaches as far as its base; `height` is its greatest.
    #[inline(always)]
    fn along_faces(&self, turned: &Turned<L>, height: L, least: &mut Least<L>) {
        for k in 0..3 {
            let up = turned.up[k];
            let (low, high) = (self.lowest(turned, k), self.highest(turned, k));
            for (i, (sign, reach)) in [(L::ONE, high), (-L::ONE, -low)].into_iter().enumerate() {
                let down = L::ZERO.max(-up * sign);
                let depth = down.mul_add(height, reach + self.half[k]);
                least.consider(depth, SIDES + 2 * k + i);
            }
        }
    }

    /// Overlaps across an axis of the box and an edge of the triangle, or an upright one, which has two directions.
    #[inline(always)]
    fn across_edges(&self, turned: &Turned<L>, least: &mut Least<L>) {
        for j in 0..4 {
            let edge = turned.edge(j);
            let inverse_length = norm_squared(edge).sqrt().recip();
            for k in 0..3 {
                let across = Across::new(unit_axis(k), edge, inverse_length);
                let which = SIDES + FACES + 3 * j + k;
                if j < 3 {
                    let normal = across.rising(turned.up);
                    let depth = turned.reach(normal) + self.extent(normal);
                    least.consider(L::select(across.vague, L::c(1e30), depth), which);
                    continue;
                }
                for (normal, which) in [(across.unit, which), (neg(across.unit), which + 3)] {
                    let depth = turned.reach(normal) + self.extent(normal);
                    least.consider(L::select(across.vague, L::c(1e30), depth), which);
                }
            }
        }
    }

    /// What meets along the least overlap. It is told once it is known which one that is, rather than of every direction.
    #[inline(always)]
    fn feature(&self, prism: &Prism<L>, turned: &Turned<L>, least: &Least<L>) -> Feature<L> {
        let mut normal = zero3();
        for k in 0..SIDES {
            normal = select3(least.is(k), self.side(prism, k), normal);
        }
        for k in 0..3 {
            let (high, low) = (least.is(SIDES + 2 * k), least.is(SIDES + 2 * k + 1));
            normal[k] = L::select(high, L::ONE, L::select(low, -L::ONE, normal[k]));
        }
        let edges = least.which.ge(L::c((SIDES + FACES) as f64));
        let mut feature = Feature {
            depth: least.depth,
            normal,
            edges,
            edge: turned.up,
            from: zero3(),
            axis: zero3(),
            sine: L::ONE,
        };
        if !edges.any() {
            return feature;
        }
        let (mut upright, mut other) = (L::Mask::NONE, L::Mask::NONE);
        for k in 0..3 {
            let mut along = L::Mask::NONE;
            for j in 0..5 {
                let chosen = least.is(SIDES + FACES + 3 * j + k);
                along = along | chosen;
                if j < 3 {
                    feature.edge = select3(chosen, turned.edge(j), feature.edge);
                    feature.from = select3(chosen, turned.corners[j], feature.from);
                } else {
                    upright = upright | chosen;
                }
                if j == 4 {
                    other = other | chosen;
                }
            }
            feature.axis[k] = L::select(along, L::ONE, L::ZERO);
        }
        let inverse_length = norm_squared(feature.edge).sqrt().recip();
        let across = Across::new(feature.axis, feature.edge, inverse_length);
        let unit = select3(upright, across.unit, across.rising(turned.up));
        let unit = select3(other, neg(unit), unit);
        feature.normal = select3(edges, unit, normal);
        // An upright edge is that below whichever corner is farthest.
        feature.from = select3(upright, farthest(turned, unit), feature.from);
        feature.sine = across.sine;
        feature
    }

    /// The point of the box that is deepest, and the lanes in which it faces the feature of the prism that it should.
    #[inline(always)]
    fn point(&self, prism: &Prism<L>, turned: &Turned<L>, least: &Feature<L>) -> (Vec3<L>, L::Mask) {
        let n = least.normal;
        let size = self.half[0].max(self.half[1]).max(self.half[2]);
        let slack = slack::<L>() * size;
        // The corner of the box that leaves last.
        let mut corner = [L::ZERO; 3];
        for k in 0..3 {
            corner[k] = L::select(n[k].gt(L::ZERO), -self.half[k], self.half[k]);
        }
        // On a side of the prism: its foot there.
        let foot = self.turn_back(add_scaled(corner, least.depth, n));
        let mut on_side = prism.above(foot).le(slack);
        for k in 0..3 {
            on_side = on_side & prism.beyond(k, foot).le(slack);
        }
        // On a face of the box: a corner of the prism.
        let mut on_face = L::Mask::NONE;
        let mut below = corner;
        let reach = turned.reach(n);
        for k in 0..3 {
            let candidate = add_scaled(turned.corners[k], -least.depth, n);
            let mut inside = dot(n, turned.corners[k]).ge(reach - slack);
            for i in 0..3 {
                inside = inside & candidate[i].abs().le(self.half[i] + slack);
            }
            below = select3(inside & !on_face, candidate, below);
            on_face = on_face | inside;
        }
        // Across edges: from + u edge − depth n = corner + λ axis.
        let across = cross(n, least.axis);
        let run = dot(least.edge, across);
        let steep = run.abs().gt(L::c(1e-30));
        let u = dot(sub(corner, least.from), across) / L::select(steep, run, L::ONE);
        let on_edge = add_scaled(add_scaled(least.from, u, least.edge), -least.depth, n);
        let mut crossing = steep & least.sine.gt(parallel::<L>());
        for i in 0..3 {
            crossing = crossing & on_edge[i].abs().le(self.half[i] + slack);
        }
        let on_prism = self.turn_back(add_scaled(on_edge, least.depth, n));
        crossing = crossing & prism.above(on_prism).le(slack);
        for k in 0..3 {
            crossing = crossing & prism.beyond(k, on_prism).le(slack);
        }
        let edges = least.edges;
        let by_corner = !edges & on_side;
        let by_face = !edges & !by_corner & on_face;
        let point = select3(by_corner, corner, select3(by_face, below, on_edge));
        (point, by_corner | by_face | (edges & crossing))
    }
}

/// An axis of the box.
#[inline(always)]
fn unit_axis<L: Lanes>(k: usize) -> Vec3<L> {
    let mut axis = zero3();
    axis[k] = L::ONE;
    axis
}

/// The corner farthest along a direction.
#[inline(always)]
fn farthest<L: Lanes>(turned: &Turned<L>, d: Vec3<L>) -> Vec3<L> {
    let mut best = (turned.corners[0], dot(d, turned.corners[0]));
    for corner in [turned.corners[1], turned.corners[2]] {
        let along = dot(d, corner);
        best = (select3(along.gt(best.1), corner, best.0), along.max(best.1));
    }
    best.0
}
