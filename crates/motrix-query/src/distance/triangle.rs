//! The nearest points of two triangles, in double precision.
//!
//! Triangles that do not cross are nearest at a corner over the other's face or between two edges, so that six corners and nine pairs of edges
//! decide (Larsen et al. 1999, "Fast proximity queries with swept sphere volumes"). Crossing triangles meet where an edge of one
//! passes through the other. A triangle without area is the segment or point it has shrunk to: its edges stand for it. Segments and
//! points are therefore given as triangles with repeated corners.

use motrix_collide::vector::{Vec3, add_scaled, cross, dot, norm2, sub};
use motrix_spatial::Lanes;

use super::edges::{Edges, Nearness};

/// Corners of a triangle.
pub type Triangle = [Vec3; 3];

/// A pair of points, and the square of their distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Square of the distance.
    pub d2: f64,
    /// The point of the first.
    pub a: Vec3,
    /// The point of the second.
    pub b: Vec3,
}

/// Twice the area squared below which, in parts of the longest edge's fourth power, a triangle has no face: one 1e-12 of its length wide.
const NO_FACE: f64 = 1e-24;

/// A triangle with its edges and normal.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    corners: Triangle,
    edges: [Vec3; 3],
    /// Squares of the edges' lengths.
    lengths2: Vec3,
    normal: Vec3,
    /// 1/|normal|²; 0 for a triangle without area.
    inverse: f64,
}

impl Face {
    /// Of a triangle.
    #[inline(always)]
    pub fn new(t: &Triangle) -> Face {
        let edges = [sub(t[1], t[0]), sub(t[2], t[1]), sub(t[0], t[2])];
        let normal = cross(edges[0], edges[1]);
        let lengths2 = [norm2(edges[0]), norm2(edges[1]), norm2(edges[2])];
        let longest = upper(upper(lengths2[0], lengths2[1]), lengths2[2]);
        let n2 = norm2(normal);
        Face {
            corners: *t,
            edges,
            lengths2,
            normal,
            inverse: if n2 > NO_FACE * longest * longest {
                1.0 / n2
            } else {
                0.0
            },
        }
    }

    /// Heights of the other's corners over this face, times |normal|.
    #[inline(always)]
    fn heights(&self, other: &Face) -> Vec3 {
        let height = |p: Vec3| dot(self.normal, sub(p, self.corners[0]));
        [
            height(other.corners[0]),
            height(other.corners[1]),
            height(other.corners[2]),
        ]
    }

    /// Directions into the face across each edge.
    #[inline(always)]
    fn inwards(&self) -> [Vec3; 3] {
        let [u, v, w] = self.edges;
        [cross(self.normal, u), cross(self.normal, v), cross(self.normal, w)]
    }

    /// Whether a point of the plane is inside.
    #[inline(always)]
    fn holds(&self, inwards: &[Vec3; 3], p: Vec3) -> bool {
        let side = |k: usize| dot(inwards[k], sub(p, self.corners[k])) >= 0.0;
        self.inverse > 0.0 && side(0) && side(1) && side(2)
    }

    /// The nearest point to one whose height over the face, times |normal|, is known, when nearer than √`limit`.
    #[inline(always)]
    fn nearest_to(&self, p: Vec3, height: f64, limit: f64) -> Option<Near> {
        let square = height * height * self.inverse;
        if square >= limit && self.inverse > 0.0 {
            return None;
        }
        let foot = add_scaled(p, self.normal, -height * self.inverse);
        if self.holds(&self.inwards(), foot) {
            return Some(Near {
                d2: square,
                a: foot,
                b: p,
            });
        }
        let mut best = None;
        let mut least = limit;
        for k in 0..3 {
            let (from, edge) = (self.corners[k], self.edges[k]);
            let length2 = self.lengths2[k];
            let along = if length2 > 0.0 {
                dot(edge, sub(p, from)) / length2
            } else {
                0.0
            };
            let on_edge = add_scaled(from, edge, along.clamp(0.0, 1.0));
            let d2 = norm2(sub(p, on_edge));
            if d2 < least {
                least = d2;
                best = Some(Near { d2, a: on_edge, b: p });
            }
        }
        best
    }

    /// A point where an edge passes through this face.
    #[inline(always)]
    fn pierced(&self, other: &Face, heights: &Vec3) -> Option<Vec3> {
        (0..3).find_map(|i| {
            let (from, to) = (heights[i], heights[(i + 1) % 3]);
            if (from > 0.0) == (to > 0.0) {
                return None;
            }
            let p = add_scaled(other.corners[i], other.edges[i], from / (from - to));
            self.holds(&self.inwards(), p).then_some(p)
        })
    }

    /// The nearest of the other's corners over this face, below `d2`: the square, the point here, the corner.
    #[inline(always)]
    fn under_corner(&self, other: &Face, heights: &Vec3, d2: f64) -> Option<(f64, Vec3, Vec3)> {
        let mut best = None;
        let mut least = d2;
        let inwards = self.inwards();
        for i in 0..3 {
            let square = heights[i] * heights[i] * self.inverse;
            if square < least {
                let p = add_scaled(other.corners[i], self.normal, -heights[i] * self.inverse);
                if self.holds(&inwards, p) {
                    least = square;
                    best = Some((square, p, other.corners[i]));
                }
            }
        }
        best
    }

    /// The nearest points of two triangles when they are nearer than √`limit`; the same point twice when they cross.
    #[inline(always)]
    pub fn nearest<L: Lanes<Elem = f64>>(&self, other: &Face, limit: f64) -> Option<Near> {
        let (over, under) = (self.heights(other), other.heights(self));
        let (beyond, below) = (all_beyond(&over), all_beyond(&under));
        if beyond * self.inverse >= limit || below * other.inverse >= limit {
            return None;
        }
        if beyond == 0.0
            && below == 0.0
            && let Some(p) = self.pierced(other, &over).or_else(|| other.pierced(self, &under))
        {
            return Some(Near { d2: 0.0, a: p, b: p });
        }
        let mut best = None;
        let mut d2 = limit;
        if self.inverse > 0.0
            && let Some((square, here, corner)) = self.under_corner(other, &over, d2)
        {
            (d2, best) = (square, Some((here, corner)));
        }
        if other.inverse > 0.0
            && let Some((square, there, corner)) = other.under_corner(self, &under, d2)
        {
            (d2, best) = (square, Some((corner, there)));
        }
        if let Some(near) = self.nearest_edges::<L>(other, d2) {
            return Some(near);
        }
        best.map(|(a, b)| Near { d2, a, b })
    }

    /// The nearest points of the edges of two triangles, when nearer than √`limit`. One edge is compared with all of the other's at once.
    #[inline(always)]
    fn nearest_edges<L: Lanes<Elem = f64>>(&self, other: &Face, limit: f64) -> Option<Near> {
        let edges = Edges::of(&other.corners, &other.edges, other.lengths2);
        let (mut least, mut found) = (limit, None);
        for i in 0..3 {
            let Nearness { d2, s, t } = edges.nearest_to::<L>(self.corners[i], self.edges[i], self.lengths2[i]);
            for j in 0..3 {
                if d2[j] < least {
                    (least, found) = (d2[j], Some((i, j, s[j], t[j])));
                }
            }
        }
        let (i, j, s, t) = found?;
        Some(Near {
            d2: least,
            a: add_scaled(self.corners[i], self.edges[i], s),
            b: add_scaled(other.corners[j], other.edges[j], t),
        })
    }

    /// The nearest of a triangle's corners to a face, both ways, when nearer than √`limit`: an upper bound of [`Face::nearest`].
    #[inline(always)]
    pub fn nearest_corner(&self, other: &Face, limit: f64) -> Option<Near> {
        let (over, under) = (self.heights(other), other.heights(self));
        // Corners all on one side are no nearer than the lowest of them.
        if all_beyond(&over) * self.inverse >= limit || all_beyond(&under) * other.inverse >= limit {
            return None;
        }
        let mut best: Option<Near> = None;
        for k in 0..3 {
            let below = best.map_or(limit, |n| n.d2);
            best = self.nearest_to(other.corners[k], over[k], below).or(best);
            let below = best.map_or(limit, |n| n.d2);
            let other_way = other.nearest_to(self.corners[k], under[k], below);
            best = other_way
                .map(|near| Near {
                    a: near.b,
                    b: near.a,
                    ..near
                })
                .or(best);
        }
        best
    }
}

/// A square of the least distance of corners all on one side of a face, times |normal|²; 0 when they are not.
#[inline(always)]
fn all_beyond(h: &Vec3) -> f64 {
    let low = lower(lower(h[0], h[1]), h[2]);
    let high = upper(upper(h[0], h[1]), h[2]);
    if low > 0.0 {
        low * low
    } else if high < 0.0 {
        high * high
    } else {
        0.0
    }
}

// Comparisons rather than `f64::min`, which spends most of its time on what is not a number.

#[inline(always)]
fn lower(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn upper(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The nearest points of two triangles when they are nearer than √`limit`; the same point twice when they cross.
#[inline]
pub fn nearest(a: &Triangle, b: &Triangle, limit: f64) -> Option<Near> {
    Face::new(a).nearest::<f64>(&Face::new(b), limit)
}

/// The point of a triangle nearest to a point, when nearer than √`limit`.
pub fn nearest_to_point(t: &Triangle, p: Vec3, limit: f64) -> Option<Near> {
    let face = Face::new(t);
    face.nearest_to(p, dot(face.normal, sub(p, t[0])), limit)
}
