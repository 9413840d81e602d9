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
use crate::vector::{Mat3, TINY, Vec3, add, add_scaled, axis, dot, norm2, rotate, rotate_back, sub, transpose_times};

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
/// Most vertices of a square clipped by four lines, with room for rounding.
const MAX_VERTICES: usize = 12;

/// Two boxes, seen from either.
struct Boxes {
    size: [Vec3; 2],
    /// Centre of the other box, from each.
    other: [Vec3; 2],
    /// Axes of the second box in the frame of the first, as columns.
    rot: Mat3,
}

/// The axis of largest separation.
#[derive(Clone, Copy, PartialEq)]
enum Axis {
    Face { owner: usize, k: usize },
    Edges { i: usize, j: usize },
}

/// Box and box.
pub fn cuboid(a: &Pose, half_a: Vec3, b: &Pose, half_b: Vec3, margin: f64, out: &mut Manifold) {
    let boxes = Boxes {
        size: [half_a, half_b],
        other: [
            rotate_back(&a.rotation, sub(b.position, a.position)),
            rotate_back(&b.rotation, sub(a.position, b.position)),
        ],
        rot: transpose_times(&a.rotation, &b.rotation),
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
    fn axis_of_other(&self, owner: usize, r: usize, c: usize) -> f64 {
        if owner == 0 { self.r(r, c) } else { self.r(c, r) }
    }

    /// The axis of largest separation, or `None` when one of them separates by more than `limit`.
    fn separating_axis(&self, limit: f64) -> Option<Axis> {
        let (mut face, mut face_separation) = (Axis::Face { owner: 0, k: 0 }, f64::NEG_INFINITY);
        for owner in 0..2 {
            let other = 1 - owner;
            for k in 0..3 {
                let width = |c: usize| self.axis_of_other(owner, k, c).abs() * self.size[other][c];
                let separation = self.other[owner][k].abs() - self.size[owner][k] - (width(0) + width(1) + width(2));
                if separation > limit {
                    return None;
                }
                if separation > face_separation {
                    (face, face_separation) = (Axis::Face { owner, k }, separation);
                }
            }
        }
        let (mut best, mut best_separation) = (face, face_separation);
        for i in 0..3 {
            for j in 0..3 {
                let Some((_, separation)) = self.edge_axis(i, j) else {
                    continue;
                };
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

    /// Unit axis across edge `i` of the first box and edge `j` of the second, in the frame of the first, and the separation
    /// along it. `None` when the edges are parallel: then the faces cover what the axis would.
    #[inline(always)]
    fn edge_axis(&self, i: usize, j: usize) -> Option<(Vec3, f64)> {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let (n1, n2) = (-self.r(i2, j), self.r(i1, j));
        let sine2 = n1 * n1 + n2 * n2;
        if sine2 < PARALLEL {
            return None;
        }
        let inverse = 1.0 / sine2.sqrt();
        let (n1, n2) = (n1 * inverse, n2 * inverse);
        let width_a = self.size[0][i1] * n1.abs() + self.size[0][i2] * n2.abs();
        let along = |c: usize| (n1 * self.r(i1, c) + n2 * self.r(i2, c)).abs();
        let width_b = self.size[1][j1] * along(j1) + self.size[1][j2] * along(j2);
        let separation = (n1 * self.other[0][i1] + n2 * self.other[0][i2]).abs() - width_a - width_b;
        let mut n = [0.0; 3];
        n[i1] = n1;
        n[i2] = n2;
        Some((n, separation))
    }

    /// Whether the axis across two edges nearly repeats a face normal.
    fn aliases(&self, i: usize, j: usize, face: Axis) -> bool {
        let Some((n, _)) = self.edge_axis(i, j) else {
            return false;
        };
        let cosine = match face {
            Axis::Face { owner: 0, k } => n[k],
            Axis::Face { k, .. } => dot(n, axis(&self.rot, k)),
            Axis::Edges { .. } => 0.0,
        };
        cosine.abs() > ALIAS_COSINE
    }

    /// One contact between edge `i` of the first box and edge `j` of the second.
    fn edge_contact(&self, i: usize, j: usize, limit: f64, a: &Pose, out: &mut Manifold) {
        let Some((mut n, _)) = self.edge_axis(i, j) else {
            return;
        };
        if dot(n, self.other[0]) < 0.0 {
            n = [-n[0], -n[1], -n[2]];
        }
        let n_in_b = rotate_back(&self.rot, n);
        let d = axis(&self.rot, j);
        let mut closest: Option<(Vec3, Vec3)> = None;
        for start_a in supporting_edges(self.size[0], n, i).into_iter().flatten() {
            for start_b in supporting_edges(self.size[1], [-n_in_b[0], -n_in_b[1], -n_in_b[2]], j)
                .into_iter()
                .flatten()
            {
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
            let position = a.point([0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2])]);
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
    fn face_contacts(&self, owner: usize, k: usize, margin: f64, pose: &Pose, out: &mut Manifold) {
        let size = self.size[owner];
        let (x, y) = ((k + 1) % 3, (k + 2) % 3);
        let side = if self.other[owner][k] >= 0.0 { 1.0 } else { -1.0 };

        let incident = self.incident_face(owner, k, side);
        let mut polygon = Polygon::new(incident.map(|corner| [corner[x], corner[y], side * corner[k] - size[k]]));
        polygon.clip(0, 1.0, size[x]);
        polygon.clip(0, -1.0, size[x]);
        polygon.clip(1, 1.0, size[y]);
        polygon.clip(1, -1.0, size[y]);

        let outward = axis(&pose.rotation, k);
        let sign = if owner == 0 { side } else { -side };
        let normal = [sign * outward[0], sign * outward[1], sign * outward[2]];
        let same = SAME_VERTEX * (size[x] * size[x] + size[y] * size[y]);
        let mut kept: [[f64; 2]; MAX_VERTICES] = [[0.0; 2]; MAX_VERTICES];
        let mut count = 0;
        for &[vx, vy, height] in polygon.vertices() {
            let repeats = |&[kx, ky]: &[f64; 2]| (kx - vx) * (kx - vx) + (ky - vy) * (ky - vy) < same;
            if height > margin || kept[..count].iter().any(repeats) {
                continue;
            }
            kept[count] = [vx, vy];
            count += 1;
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
fn supporting_edges(size: Vec3, n: Vec3, k: usize) -> [Option<Vec3>; 2] {
    let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
    let mut middle = [0.0; 3];
    for c in [k1, k2] {
        middle[c] = if n[c] >= 0.0 { size[c] } else { -size[c] };
    }
    let ambiguous = [k1, k2].into_iter().find(|&c| n[c].abs() < AMBIGUOUS);
    let twin = ambiguous.map(|c| {
        let mut twin = middle;
        twin[c] = -twin[c];
        twin
    });
    [Some(middle), twin]
}

/// Nearest points of the edge along axis `i` about `a`, of half length `la`, and the edge along the unit vector `d` about
/// `b`, of half length `lb`.
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

/// A polygon over a face, clipped in place.
struct Polygon {
    vertices: [Vec3; MAX_VERTICES],
    count: usize,
}

impl Polygon {
    fn new(corners: [Vec3; 4]) -> Polygon {
        let mut vertices = [[0.0; 3]; MAX_VERTICES];
        vertices[..4].copy_from_slice(&corners);
        Polygon { vertices, count: 4 }
    }

    fn vertices(&self) -> &[Vec3] {
        &self.vertices[..self.count]
    }

    /// Keeps the part with `sign · v[coordinate] ≤ limit` (Sutherland and Hodgman).
    fn clip(&mut self, coordinate: usize, sign: f64, limit: f64) {
        let beyond = |v: Vec3| sign * v[coordinate] - limit;
        if self.vertices().iter().all(|&v| beyond(v) <= 0.0) {
            return;
        }
        let mut kept = [[0.0; 3]; MAX_VERTICES];
        let mut count = 0;
        let mut keep = |v: Vec3| {
            if count < MAX_VERTICES {
                kept[count] = v;
                count += 1;
            }
        };
        for k in 0..self.count {
            let (p, q) = (self.vertices[k], self.vertices[(k + 1) % self.count]);
            let (dp, dq) = (beyond(p), beyond(q));
            if dp <= 0.0 {
                keep(p);
            }
            if dp < 0.0 && dq > 0.0 || dp > 0.0 && dq < 0.0 {
                keep(add_scaled(p, sub(q, p), dp / (dp - dq)));
            }
        }
        self.vertices = kept;
        self.count = count;
    }
}
