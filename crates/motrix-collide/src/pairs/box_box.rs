//! Box against box: separating axes, then either one contact between two edges or a face clipped by a face.
//!
//! *Which axis.* The separation of two boxes along a unit axis n is |n·p| − r₁(n) − r₂(n), with p between the centres and r the
//! half widths along n. Fifteen axes suffice: three faces of each box and nine cross products of edges. The axis of largest
//! separation carries the contact; faces win near ties, since a face gives several contacts and a stack rests better on them.
//! *Face.* The face of the other box that opposes the winning one most is clipped by its four sides; every remaining vertex
//! below the margin is a contact. *Edges.* The nearest points of the two edges that support the axis make one contact.
//!
//! The rules for ties are those of MuJoCo.

use crate::contact::{Contact, Manifold};
use crate::shape::Pose;
use crate::vector::{
    Mat3, TINY, Vec3, add, add_scaled, axis, dot, middle, neg, norm2, rotate, rotate_back, scale, sub, transpose_times,
};

/// Rounding slack of a separation, relative to the sizes of the boxes.
const SEPARATION_SLACK: f64 = 1e-13;
/// Squared sine below which the cross product of two edges is rounding noise.
const PARALLEL: f64 = 1e-16;
/// Relative amount by which an edge axis has to beat the best face.
const EDGE_BIAS: f64 = 1e-6;
/// Component of an axis below which either of two parallel edges may support it.
const AMBIGUOUS: f64 = 1e-9;
/// Squared relative distance below which two clipped vertices are the same.
const SAME_VERTEX: f64 = 1e-14;
/// An edge axis within this cosine of the best face gives way to it unless it is shallower by [`ALIAS_GAIN`] of the depth.
const ALIAS_COSINE: f64 = 0.99;
const ALIAS_GAIN: f64 = 0.05;
/// Most vertices of a square clipped by four lines.
const MOST_VERTICES: usize = 8;

/// Two boxes, seen from either.
struct Boxes {
    size: [Vec3; 2],
    /// Centre of the other box, from each.
    other: [Vec3; 2],
    /// Axes of the second box in the frame of the first, as columns, and the same without signs.
    rot: Mat3,
    abs: Mat3,
}

/// The axis of largest separation.
#[derive(Clone, Copy, PartialEq)]
enum Axis {
    Face { owner: usize, k: usize },
    Edges { i: usize, j: usize },
}

/// Box and box.
#[inline(always)]
pub fn cuboid(a: &Pose, half_a: Vec3, b: &Pose, half_b: Vec3, margin: f64, out: &mut Manifold) {
    let rot = transpose_times(&a.rotation, &b.rotation);
    let b_from_a = rotate_back(&a.rotation, sub(b.position, a.position));
    let a_from_b = rotate_back(&rot, neg(b_from_a));
    let boxes = Boxes {
        size: [half_a, half_b],
        other: [b_from_a, a_from_b],
        rot,
        abs: rot.map(f64::abs),
    };
    let total: f64 = half_a.iter().chain(&half_b).sum();
    let limit = margin + SEPARATION_SLACK * total;
    match boxes.separating_axis(limit) {
        None => {}
        Some(Axis::Edges { i, j }) => boxes.edge_contact(i, j, limit, a, out),
        Some(Axis::Face { owner: 0, k }) => boxes.face_contacts(0, k, margin, a, out),
        Some(Axis::Face { k, .. }) => boxes.face_contacts(1, k, margin, b, out),
    }
}

impl Boxes {
    /// Component `r` of axis `c` of the second box, in the frame of the first.
    #[inline(always)]
    fn r(&self, r: usize, c: usize) -> f64 {
        self.rot[3 * r + c]
    }

    /// Component `r` of axis `c` of the other box, in the frame of the box `owner`.
    #[inline(always)]
    fn axis_of_other(&self, owner: usize, r: usize, c: usize) -> f64 {
        if owner == 0 { self.r(r, c) } else { self.r(c, r) }
    }

    /// The axis of largest separation, or `None` when one of them separates by more than `limit`.
    #[inline(always)]
    fn separating_axis(&self, limit: f64) -> Option<Axis> {
        let (face, face_separation) = self.best_face(limit)?;
        let (mut best, mut best_separation) = (face, face_separation);
        for i in 0..3 {
            for j in 0..3 {
                // Along the cross product itself, which is no longer than a unit vector: an overlap is only deeper along the
                // unit vector, so that most pairs of edges need no square root.
                let crossed = self.separation_across_edges(i, j);
                if crossed <= best_separation.min(0.0) {
                    continue;
                }
                let sine2 = self.sine2(i, j);
                if sine2 < PARALLEL {
                    continue;
                }
                let separation = crossed / sine2.sqrt();
                if separation > limit {
                    return None;
                }
                if separation - EDGE_BIAS * separation.abs() > best_separation && separation > face_separation {
                    (best, best_separation) = (Axis::Edges { i, j }, separation);
                }
            }
        }
        // An edge axis that nearly repeats the best face would let a resting contact flicker between the two. The face takes
        // its place after the search rather than during it, so that no other edge slips in between.
        if let Axis::Edges { i, j } = best
            && self.aliases(i, j, face)
            && best_separation < face_separation + ALIAS_GAIN * face_separation.abs() + TINY
        {
            return Some(face);
        }
        Some(best)
    }

    /// The face of largest separation, or `None` when one of them separates by more than `limit`.
    #[inline(always)]
    fn best_face(&self, limit: f64) -> Option<(Axis, f64)> {
        let ([a, b], m) = (self.size, &self.abs);
        let reaches = [
            m[0] * b[0] + m[1] * b[1] + m[2] * b[2],
            m[3] * b[0] + m[4] * b[1] + m[5] * b[2],
            m[6] * b[0] + m[7] * b[1] + m[8] * b[2],
            m[0] * a[0] + m[3] * a[1] + m[6] * a[2],
            m[1] * a[0] + m[4] * a[1] + m[7] * a[2],
            m[2] * a[0] + m[5] * a[1] + m[8] * a[2],
        ];
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        for (code, reach) in reaches.into_iter().enumerate() {
            // In MuJoCo's order: boxes that are drawn face on face have several equal separations but for the rounding, which
            // then decides whose face it is, and whether they touch.
            let separation = self.other[code / 3][code % 3].abs() - self.size[code / 3][code % 3] - reach;
            if separation > most {
                (best, most) = (code, separation);
            }
        }
        (most <= limit).then_some((
            Axis::Face {
                owner: best / 3,
                k: best % 3,
            },
            most,
        ))
    }

    /// Squared sine of the angle between edge `i` of the first box and edge `j` of the second.
    #[inline(always)]
    fn sine2(&self, i: usize, j: usize) -> f64 {
        let (n1, n2) = (self.r((i + 2) % 3, j), self.r((i + 1) % 3, j));
        n1 * n1 + n2 * n2
    }

    /// Separation along the cross product of edge `i` of the first box and edge `j` of the second, times its length.
    #[inline(always)]
    fn separation_across_edges(&self, i: usize, j: usize) -> f64 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let ([a, b], p) = (self.size, self.other[0]);
        let m = |r: usize, c: usize| self.abs[3 * r + c];
        let centres = (self.r(i1, j) * p[i2] - self.r(i2, j) * p[i1]).abs();
        centres - a[i1] * m(i2, j) - a[i2] * m(i1, j) - b[j1] * m(i, j2) - b[j2] * m(i, j1)
    }

    /// Unit axis across edge `i` of the first box and edge `j` of the second, in the frame of the first.
    #[inline(always)]
    fn edge_axis(&self, i: usize, j: usize) -> Vec3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let inverse = 1.0 / self.sine2(i, j).sqrt();
        let mut n = [0.0; 3];
        n[i1] = -self.r(i2, j) * inverse;
        n[i2] = self.r(i1, j) * inverse;
        n
    }

    /// Whether the axis across two edges nearly repeats a face normal.
    #[inline(always)]
    fn aliases(&self, i: usize, j: usize, face: Axis) -> bool {
        let n = self.edge_axis(i, j);
        let cosine = match face {
            Axis::Face { owner: 0, k } => n[k],
            Axis::Face { k, .. } => dot(n, axis(&self.rot, k)),
            Axis::Edges { .. } => 0.0,
        };
        cosine.abs() > ALIAS_COSINE
    }

    /// One contact between edge `i` of the first box and edge `j` of the second.
    #[inline(always)]
    fn edge_contact(&self, i: usize, j: usize, limit: f64, a: &Pose, out: &mut Manifold) {
        let n = self.edge_axis(i, j);
        let n = if dot(n, self.other[0]) < 0.0 { neg(n) } else { n };
        let towards_a = neg(rotate_back(&self.rot, n));
        let d = axis(&self.rot, j);
        let mut closest: Option<(Vec3, Vec3)> = None;
        for start_a in supporting_edges(self.size[0], n, i).into_iter().flatten() {
            for start_b in supporting_edges(self.size[1], towards_a, j).into_iter().flatten() {
                let start_b = add(rotate(&self.rot, start_b), self.other[0]);
                let (p, q) = nearest_on_edges(start_a, i, self.size[0][i], start_b, d, self.size[1][j]);
                if closest.is_none_or(|(p0, q0)| norm2(sub(q, p)) < norm2(sub(q0, p0))) {
                    closest = Some((p, q));
                }
            }
        }
        let Some((p, q)) = closest else {
            return;
        };
        let distance = dot(sub(q, p), n);
        if distance <= limit {
            let position = a.point(middle(p, q));
            out.push(Contact {
                distance,
                position,
                normal: a.direction(n),
                tangent: None,
            });
        }
    }

    /// The contacts of face `k` of the box `owner`, whose pose is given, with the face of the other box that opposes it.
    ///
    /// Vertices are (x, y, z) with x and y in the face and z the height above it.
    #[inline(always)]
    fn face_contacts(&self, owner: usize, k: usize, margin: f64, pose: &Pose, out: &mut Manifold) {
        let size = self.size[owner];
        let (x, y) = ((k + 1) % 3, (k + 2) % 3);
        let side = if self.other[owner][k] >= 0.0 { 1.0 } else { -1.0 };

        let corners = self
            .incident_face(owner, k, side)
            .map(|c| [c[x], c[y], side * c[k] - size[k]]);
        // A corner for each of the four sides at most: the vertices go back and forth between two tables.
        let mut tables = [[[0.0; 3]; MOST_VERTICES]; 2];
        let [polygon, spare] = &mut tables;
        polygon[..4].copy_from_slice(&corners);
        let (mut polygon, mut spare, mut vertices) = (polygon, spare, 4);
        for (coordinate, limit) in [(0, size[x]), (1, size[y])] {
            for sign in [1.0, -1.0] {
                if let Some(kept) = clip(&polygon[..vertices], coordinate, sign, limit, spare) {
                    vertices = kept;
                    (polygon, spare) = (spare, polygon);
                }
            }
        }

        let outward = axis(&pose.rotation, k);
        let sign = if owner == 0 { side } else { -side };
        let normal = scale(outward, sign);
        let same = SAME_VERTEX * (size[x] * size[x] + size[y] * size[y]);
        for (i, &[vx, vy, height]) in polygon[..vertices].iter().enumerate() {
            let repeats = |&[kx, ky, h]: &Vec3| h <= margin && (kx - vx) * (kx - vx) + (ky - vy) * (ky - vy) < same;
            if height > margin || polygon[..i].iter().any(repeats) {
                continue;
            }
            let mut local = [0.0; 3];
            local[x] = vx;
            local[y] = vy;
            local[k] = side * (size[k] + 0.5 * height);
            out.push(Contact {
                distance: height,
                position: pose.point(local),
                normal,
                tangent: None,
            });
        }
    }

    /// Corners of the face of the other box that opposes face `k` of the box `owner` most, in the frame of that box.
    #[inline(always)]
    fn incident_face(&self, owner: usize, k: usize, side: f64) -> [Vec3; 4] {
        let size = self.size[1 - owner];
        let component = |c: usize| self.axis_of_other(owner, k, c);
        let mut facing = 0;
        for c in 1..3 {
            if component(c).abs() > component(facing).abs() {
                facing = c;
            }
        }
        let sign = if side * component(facing) > 0.0 { -1.0 } else { 1.0 };
        let (u, v) = ((facing + 1) % 3, (facing + 2) % 3);
        let column = |c: usize| [0, 1, 2].map(|r| self.axis_of_other(owner, r, c));
        let centre = add_scaled(self.other[owner], column(facing), sign * size[facing]);
        let (u, v) = ((column(u), size[u]), (column(v), size[v]));
        [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
            .map(|(su, sv)| add_scaled(add_scaled(centre, u.0, su * u.1), v.0, sv * v.1))
    }
}

/// Middles of the edges along `k` that are farthest along `n`: one, or two when a component of `n` is rounding noise.
#[inline(always)]
fn supporting_edges(size: Vec3, n: Vec3, k: usize) -> [Option<Vec3>; 2] {
    let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
    let mut centre = [0.0; 3];
    for c in [k1, k2] {
        centre[c] = if n[c] >= 0.0 { size[c] } else { -size[c] };
    }
    let ambiguous = [k1, k2].into_iter().find(|&c| n[c].abs() < AMBIGUOUS);
    let twin = ambiguous.map(|c| {
        let mut twin = centre;
        twin[c] = -twin[c];
        twin
    });
    [Some(centre), twin]
}

/// Nearest points of the edge along axis `i` about `a`, of half length `la`, and the edge along the unit vector `d` about
/// `b`, of half length `lb`.
#[inline(always)]
fn nearest_on_edges(a: Vec3, i: usize, la: f64, b: Vec3, d: Vec3, lb: f64) -> (Vec3, Vec3) {
    let e = sub(b, a);
    let cosine = d[i];
    let denominator = 1.0 - cosine * cosine;
    let (along_a, along_b) = (e[i], dot(d, e));
    let s = if denominator < TINY {
        0.0
    } else {
        (along_a - cosine * along_b) / denominator
    };
    let s = s.clamp(-la, la);
    let t = (cosine * s - along_b).clamp(-lb, lb);
    let s = (along_a + cosine * t).clamp(-la, la);
    let mut p = a;
    p[i] += s;
    (p, add_scaled(b, d, t))
}

/// Keeps the part of a polygon with `sign · v[coordinate] ≤ limit` (Sutherland and Hodgman) and gives its number of vertices;
/// `None` when all of it is kept.
#[inline(always)]
fn clip(polygon: &[Vec3], coordinate: usize, sign: f64, limit: f64, kept: &mut [Vec3; MOST_VERTICES]) -> Option<usize> {
    let beyond = |v: Vec3| sign * v[coordinate] - limit;
    if polygon.iter().all(|&v| beyond(v) <= 0.0) {
        return None;
    }
    let mut count = 0;
    let mut keep = |v: Vec3| {
        if count < MOST_VERTICES {
            kept[count] = v;
            count += 1;
        }
    };
    for (k, &p) in polygon.iter().enumerate() {
        let q = polygon[if k + 1 < polygon.len() { k + 1 } else { 0 }];
        let (dp, dq) = (beyond(p), beyond(q));
        if dp <= 0.0 {
            keep(p);
        }
        if dp < 0.0 && dq > 0.0 || dp > 0.0 && dq < 0.0 {
            keep(add_scaled(p, sub(q, p), dp / (dp - dq)));
        }
    }
    Some(count)
}
