//! The nearest points of two triangles, in double precision.
//!
//! Triangles that do not cross are nearest at a corner over the other's face or between two edges, so that six corners and nine pairs of edges
//! decide (Larsen et al. 1999, "Fast proximity queries with swept sphere volumes"). Crossing triangles meet where an edge of one
//! passes through the other. A triangle without area is the segment or point it has shrunk to: its edges stand for it. Segments and
//! points are therefore given as triangles with repeated corners.

use motrix_collide::vector::{Vec3, add_scaled, cross, dot, norm2, sub};

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
struct Face {
    corners: Triangle,
    edges: [Vec3; 3],
    normal: Vec3,
    /// 1/|normal|²; 0 for a triangle without area.
    inverse: f64,
}

impl Face {
    #[inline(always)]
    fn new(t: &Triangle) -> Face {
        let edges = [sub(t[1], t[0]), sub(t[2], t[1]), sub(t[0], t[2])];
        let normal = cross(edges[0], edges[1]);
        let longest = norm2(edges[0]).max(norm2(edges[1])).max(norm2(edges[2]));
        let n2 = norm2(normal);
        Face {
            corners: *t,
            edges,
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
        other.corners.map(|p| dot(self.normal, sub(p, self.corners[0])))
    }

    /// Whether a point of the plane is inside.
    #[inline(always)]
    fn holds(&self, p: Vec3) -> bool {
        let side = |k: usize| dot(cross(self.normal, self.edges[k]), sub(p, self.corners[k])) >= 0.0;
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
        if self.holds(foot) {
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
            let length2 = norm2(edge);
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
            self.holds(p).then_some(p)
        })
    }

    /// The nearest of the other's corners over this face, below `d2`: the square, the point here, the corner.
    #[inline(always)]
    fn under_corner(&self, other: &Face, heights: &Vec3, d2: f64) -> Option<(f64, Vec3, Vec3)> {
        let mut best = None;
        let mut least = d2;
        for i in 0..3 {
            let square = heights[i] * heights[i] * self.inverse;
            if square < least {
                let p = add_scaled(other.corners[i], self.normal, -heights[i] * self.inverse);
                if self.holds(p) {
                    least = square;
                    best = Some((square, p, other.corners[i]));
                }
            }
        }
        best
    }
}

/// A square of the least distance of corners all on one side of a face, times |normal|²; 0 when they are not.
#[inline(always)]
fn all_beyond(h: &Vec3) -> f64 {
    let (low, high) = (h[0].min(h[1]).min(h[2]), h[0].max(h[1]).max(h[2]));
    if low > 0.0 {
        low * low
    } else if high < 0.0 {
        high * high
    } else {
        0.0
    }
}

/// The nearest points of two triangles when they are nearer than √`limit`; the same point twice when they cross.
#[inline]
pub fn nearest(a: &Triangle, b: &Triangle, limit: f64) -> Option<Near> {
    let (fa, fb) = (Face::new(a), Face::new(b));
    let (over_a, over_b) = (fa.heights(&fb), fb.heights(&fa));
    let (beyond_a, beyond_b) = (all_beyond(&over_a), all_beyond(&over_b));
    if beyond_a * fa.inverse >= limit || beyond_b * fb.inverse >= limit {
        return None;
    }
    if beyond_a == 0.0
        && beyond_b == 0.0
        && let Some(p) = fa.pierced(&fb, &over_a).or_else(|| fb.pierced(&fa, &over_b))
    {
        return Some(Near { d2: 0.0, a: p, b: p });
    }
    let mut best = None;
    let mut d2 = limit;
    if fa.inverse > 0.0
        && let Some((square, on_a, corner)) = fa.under_corner(&fb, &over_a, d2)
    {
        (d2, best) = (square, Some((on_a, corner)));
    }
    if fb.inverse > 0.0
        && let Some((square, on_b, corner)) = fb.under_corner(&fa, &over_b, d2)
    {
        (d2, best) = (square, Some((corner, on_b)));
    }
    for i in 0..3 {
        for j in 0..3 {
            let near = segments(a[i], fa.edges[i], b[j], fb.edges[j]);
            if near.d2 < d2 {
                (d2, best) = (near.d2, Some((near.a, near.b)));
            }
        }
    }
    best.map(|(a, b)| Near { d2, a, b })
}

/// The nearest of a triangle's corners to a face, both ways, when nearer than √`limit`: an upper bound of [`nearest`].
pub fn nearest_corner(a: &Triangle, b: &Triangle, limit: f64) -> Option<Near> {
    let (fa, fb) = (Face::new(a), Face::new(b));
    let (over_a, over_b) = (fa.heights(&fb), fb.heights(&fa));
    // Corners all on one side are no nearer than the lowest of them.
    let out_of_reach = |heights: &Vec3, face: &Face| all_beyond(heights) * face.inverse >= limit;
    if out_of_reach(&over_a, &fa) || out_of_reach(&over_b, &fb) {
        return None;
    }
    let mut best: Option<Near> = None;
    for k in 0..3 {
        let below = best.map_or(limit, |n| n.d2);
        best = fa.nearest_to(b[k], over_a[k], below).or(best);
        let below = best.map_or(limit, |n| n.d2);
        let other_way = fb.nearest_to(a[k], over_b[k], below);
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

/// The point of a triangle nearest to a point, when nearer than √`limit`.
pub fn nearest_to_point(t: &Triangle, p: Vec3, limit: f64) -> Option<Near> {
    let face = Face::new(t);
    face.nearest_to(p, dot(face.normal, sub(p, t[0])), limit)
}

/// The nearest points of p + s u and q + t v with s, t in [0, 1].
#[inline(always)]
fn segments(p: Vec3, u: Vec3, q: Vec3, v: Vec3) -> Near {
    let r = sub(p, q);
    let (uu, vv, uv) = (norm2(u), norm2(v), dot(u, v));
    let (ur, vr) = (dot(u, r), dot(v, r));
    let unit = |x: f64| x.clamp(0.0, 1.0);
    let along_u = |t: f64| if uu > 0.0 { unit((uv * t - ur) / uu) } else { 0.0 };
    let determinant = uu * vv - uv * uv;
    // Parallel segments are nearest at an end of one of them, which the clamping below and the other pairs of edges find.
    let mut s = if determinant > PARALLEL * uu * vv {
        unit((uv * vr - ur * vv) / determinant)
    } else {
        0.0
    };
    let mut t = if vv > 0.0 { (uv * s + vr) / vv } else { 0.0 };
    if !(0.0..=1.0).contains(&t) {
        t = unit(t);
        s = along_u(t);
    } else if determinant <= PARALLEL * uu * vv {
        s = along_u(t);
    }
    let (a, b) = (add_scaled(p, u, s), add_scaled(q, v, t));
    Near {
        d2: norm2(sub(a, b)),
        a,
        b,
    }
}

/// The squared sine below which directions count as parallel: there the solution of two lines loses all digits.
const PARALLEL: f64 = 1e-20;
