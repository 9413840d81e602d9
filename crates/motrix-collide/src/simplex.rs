//! The point of a simplex nearest to the origin.
//!
//! A simplex has up to four vertices of a Minkowski difference. When a vertex w is added that lies nearer to the origin than
//! the old nearest point as seen along it, the new nearest point lies in a face that contains w; which one follows from the
//! signs of volumes and areas about the origin (Montanari, Petrinic and Barbieri, *Improving the GJK algorithm for faster and
//! more reliable distance queries*, ACM TOG 2017). Where the signs leave several faces possible the nearest of them is taken,
//! so that rounding can cost accuracy but never choose a far face.

use crate::minkowski::Vertex;
use crate::vector::{Vec3, add_scaled, cross, dot, norm2, scale, sub};

/// Vertices with the weights of the point nearest to the origin.
///
/// Vertices stay in their slots; a face is a list of slots, so that the face before a step survives the step.
#[derive(Clone, Copy, Debug)]
pub struct Simplex {
    slots: [Vertex; 4],
    face: Face,
}

/// Some slots of a simplex, and the nearest point of the face they span.
#[derive(Clone, Copy, Debug)]
struct Face {
    slot: [u8; 4],
    weight: [f64; 4],
    count: u8,
}

/// A face with its nearest point.
#[derive(Clone, Copy)]
struct Nearest {
    point: Vec3,
    distance2: f64,
    face: Face,
}

/// What a step did.
pub enum Step {
    /// The nearest point moved.
    Nearer(Vec3),
    /// The four vertices enclose the origin.
    Enclosed,
}

impl Simplex {
    pub const EMPTY: Simplex =
        Simplex { slots: [Vertex::ZERO; 4], face: Face { slot: [0; 4], weight: [0.0; 4], count: 0 } };

    pub fn count(&self) -> usize {
        self.face.count as usize
    }

    /// Vertex `k` of the face that carries the nearest point.
    pub fn vertex(&self, k: usize) -> &Vertex {
        &self.slots[self.face.slot[k] as usize & 3]
    }

    /// Vertices of the face that carries the nearest point.
    pub fn vertices(&self) -> impl Iterator<Item = &Vertex> {
        self.face.slot[..self.count()].iter().map(|&slot| &self.slots[slot as usize & 3])
    }

    /// Weight of each of the vertices.
    pub fn weights(&self) -> &[f64] {
        &self.face.weight[..self.count()]
    }

    /// The points of A and B that the weights describe.
    pub fn witnesses(&self) -> (Vec3, Vec3) {
        let mut a = [0.0; 3];
        let mut b = [0.0; 3];
        for (vertex, &weight) in self.vertices().zip(self.weights()) {
            a = add_scaled(a, vertex.a, weight);
            b = add_scaled(b, vertex.b, weight);
        }
        (a, b)
    }

    /// Adds a vertex and finds the face of the larger simplex that is nearest to the origin, unless its squared distance is
    /// not below `distance2`: then the simplex remains as it was.
    #[inline]
    pub fn step(&mut self, w: Vertex, distance2: f64) -> Option<Step> {
        let Face { slot, count, .. } = self.face;
        let taken = slot[..count as usize].iter().fold(0u32, |bits, &s| bits | 1 << s);
        let new = taken.trailing_ones() as u8 & 3;
        self.slots[new as usize] = w;
        let nearest = match count {
            0 => self.corner(new),
            1 => self.segment(new, slot[0]),
            2 => self.triangle(new, slot[0], slot[1]),
            _ => match self.tetrahedron(new, slot[0], slot[1], slot[2]) {
                Some(nearest) => nearest,
                None => {
                    self.face = Face { slot: [slot[0], slot[1], slot[2], new], weight: [0.25; 4], count: 4 };
                    return Some(Step::Enclosed);
                }
            },
        };
        if nearest.distance2 < distance2 {
            self.face = nearest.face;
            Some(Step::Nearer(nearest.point))
        } else {
            None
        }
    }

    #[inline(always)]
    fn p(&self, slot: u8) -> Vec3 {
        self.slots[slot as usize & 3].p
    }

    #[inline(always)]
    fn corner(&self, i: u8) -> Nearest {
        let point = self.p(i);
        Nearest {
            point,
            distance2: norm2(point),
            face: Face { slot: [i, 0, 0, 0], weight: [1.0, 0.0, 0.0, 0.0], count: 1 },
        }
    }

    /// Segment from the new vertex `i`.
    #[inline(always)]
    fn segment(&self, i: u8, j: u8) -> Nearest {
        let (a, b) = (self.p(i), self.p(j));
        let ab = sub(b, a);
        let along = -dot(a, ab);
        let length2 = norm2(ab);
        if along <= 0.0 {
            return self.corner(i);
        }
        if along >= length2 {
            return self.corner(j);
        }
        let t = along / length2;
        let point = add_scaled(a, ab, t);
        Nearest {
            point,
            distance2: norm2(point),
            face: Face { slot: [i, j, 0, 0], weight: [1.0 - t, t, 0.0, 0.0], count: 2 },
        }
    }

    /// Triangle with the new vertex `i`.
    #[inline(always)]
    fn triangle(&self, i: u8, j: u8, k: u8) -> Nearest {
        let (a, b, c) = (self.p(i), self.p(j), self.p(k));
        let n = cross(sub(b, a), sub(c, a));
        // Areas of the triangles that the projected origin makes with each side, times |n|; they sum to |n|².
        let u = dot(n, cross(b, c));
        let v = dot(n, cross(c, a));
        let w = dot(n, cross(a, b));
        if u > 0.0 && v > 0.0 && w > 0.0 {
            let s = 1.0 / (u + v + w);
            let (u, v, w) = (u * s, v * s, w * s);
            // The weighted sum rather than the foot of the perpendicular: it lies in the triangle however thin that is, so
            // that the distance is never underestimated.
            let point = add_scaled(add_scaled(scale(a, u), b, v), c, w);
            return Nearest {
                point,
                distance2: norm2(point),
                face: Face { slot: [i, j, k, 0], weight: [u, v, w, 0.0], count: 3 },
            };
        }
        match (w > 0.0, v > 0.0) {
            (false, true) => self.segment(i, j),
            (true, false) => self.segment(i, k),
            _ => nearer(self.segment(i, j), self.segment(i, k)),
        }
    }

    /// Tetrahedron with the new vertex `i`; `None` when the origin is inside.
    #[inline(always)]
    fn tetrahedron(&self, i: u8, j: u8, k: u8, l: u8) -> Option<Nearest> {
        let (a, b, c, d) = (self.p(i), self.p(j), self.p(k), self.p(l));
        // Volumes of the tetrahedra that the origin makes with each face; together they are the volume of this one.
        let ab = cross(a, b);
        let cd = cross(c, d);
        let (beyond_bcd, beyond_acd) = (dot(b, cd), -dot(a, cd));
        let (beyond_abd, beyond_abc) = (dot(ab, d), -dot(ab, c));
        let volume = beyond_bcd + beyond_acd + beyond_abd + beyond_abc;
        let outside = |part: f64| !(part * volume > 0.0);
        let mut nearest: Option<Nearest> = None;
        for (part, q, r) in [(beyond_abc, j, k), (beyond_abd, j, l), (beyond_acd, k, l)] {
            if outside(part) {
                let candidate = self.triangle(i, q, r);
                nearest = Some(nearest.map_or(candidate, |best| nearer(best, candidate)));
            }
        }
        if nearest.is_none() && outside(beyond_bcd) {
            // Only rounding puts the origin beyond the old face; the new vertex then adds nothing.
            return Some(self.triangle(j, k, l));
        }
        nearest
    }
}

#[inline(always)]
fn nearer(a: Nearest, b: Nearest) -> Nearest {
    if b.distance2 < a.distance2 { b } else { a }
}
