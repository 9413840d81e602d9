//! The point of a simplex nearest to the origin.
//!
//! A simplex has up to four vertices of a Minkowski difference. When a vertex w is added that lies nearer to the origin than
//! the old nearest point as seen along it, the new nearest point lies in a face that contains w; which one follows from the
//! signs of volumes and areas about the origin (Montanari, Petrinic and Barbieri, *Improving the GJK algorithm for faster and
//! more reliable distance queries*, ACM TOG 2017). Where the signs leave several faces possible the nearest of them is taken,
//! so that rounding can cost accuracy but never choose a far face.

use crate::minkowski::Vertex;
use crate::vector::{Vec3, add_scaled, cross, dot, norm2, scale, sub};

/// Vertices with the weights of the point nearest to the origin, which sum to 1.
///
/// Vertices stay in their slots; a face is a list of slots, so that the face before a step survives the step.
#[derive(Clone, Copy, Debug)]
pub struct Simplex {
    slots: [Vertex; 4],
    slot: [u8; 4],
    weight: [f64; 4],
    count: usize,
}

/// What a step did.
pub enum Step {
    /// The nearest point moved.
    Nearer(Vec3),
    /// The four vertices enclose the origin.
    Enclosed,
    /// The new vertex brings nothing nearer; the simplex is as it was.
    Stuck,
}

/// The nearest point of a face, with the weights of its vertices; those that do not carry it have weight 0.
#[derive(Clone, Copy)]
struct Nearest<const N: usize> {
    point: Vec3,
    distance2: f64,
    weight: [f64; N],
}

impl Nearest<4> {
    /// Takes the place of a face with these corners if that is nearer.
    #[inline(always)]
    fn consider(&mut self, face: Nearest<3>, at: [usize; 3]) {
        if face.distance2 < self.distance2 {
            let mut weight = [0.0; 4];
            for k in 0..3 {
                weight[at[k]] = face.weight[k];
            }
            *self = Nearest {
                point: face.point,
                distance2: face.distance2,
                weight,
            };
        }
    }
}

impl Default for Simplex {
    fn default() -> Simplex {
        Simplex {
            slots: [Vertex::ZERO; 4],
            slot: [0; 4],
            weight: [0.0; 4],
            count: 0,
        }
    }
}

impl Simplex {
    /// Forgets all vertices.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Vertex `k` of the face that carries the nearest point.
    #[inline(always)]
    pub fn vertex(&self, k: usize) -> &Vertex {
        &self.slots[self.slot[k] as usize & 3]
    }

    /// Vertices of the face that carries the nearest point.
    #[inline(always)]
    pub fn vertices(&self) -> impl Iterator<Item = &Vertex> {
        (0..self.count).map(|k| self.vertex(k))
    }

    /// Weight of each of the vertices.
    #[inline(always)]
    pub fn weights(&self) -> &[f64] {
        &self.weight[..self.count]
    }

    /// The points of A and B that the weights describe.
    #[inline(always)]
    pub fn witnesses(&self) -> (Vec3, Vec3) {
        let mut a = [0.0; 3];
        let mut b = [0.0; 3];
        for (vertex, &weight) in self.vertices().zip(self.weights()) {
            a = add_scaled(a, vertex.a, weight);
            b = add_scaled(b, vertex.b(), weight);
        }
        (a, b)
    }

    /// Adds a vertex and finds the face of the larger simplex that is nearest to the origin, unless its squared distance is
    /// not below `distance2`.
    #[inline(always)]
    pub fn step(&mut self, w: &Vertex, distance2: f64) -> Step {
        let new = self.free_slot();
        self.slots[new as usize] = *w;
        let old = [0, 1, 2].map(|k: usize| self.slots[self.slot[k] as usize & 3].p);
        let mut weight = [1.0, 0.0, 0.0, 0.0];
        let (point, nearest2) = match self.count {
            0 => (w.p, norm2(w.p)),
            1 => {
                let nearest = segment(w.p, old[0]);
                weight[..2].copy_from_slice(&nearest.weight);
                (nearest.point, nearest.distance2)
            }
            2 => {
                let nearest = triangle(w.p, old[0], old[1]);
                weight[..3].copy_from_slice(&nearest.weight);
                (nearest.point, nearest.distance2)
            }
            _ => match tetrahedron(w.p, old) {
                Some(nearest) => {
                    weight = nearest.weight;
                    (nearest.point, nearest.distance2)
                }
                None => {
                    self.slot[3] = new;
                    self.count = 4;
                    return Step::Enclosed;
                }
            },
        };
        if !(nearest2 < distance2) {
            return Step::Stuck;
        }
        let candidates = [new, self.slot[0], self.slot[1], self.slot[2]];
        self.count = 0;
        for k in 0..4 {
            if weight[k] > 0.0 {
                self.slot[self.count & 3] = candidates[k];
                self.weight[self.count & 3] = weight[k];
                self.count += 1;
            }
        }
        Step::Nearer(point)
    }

    /// Puts a vertex into a slot.
    #[inline(always)]
    pub fn place(&mut self, slot: u8, vertex: &Vertex) {
        self.slots[slot as usize & 3] = *vertex;
    }

    /// Makes the simplex of the vertices in these slots, without regard to the nearest point.
    #[inline(always)]
    pub fn choose(&mut self, slot: [u8; 4], count: usize) {
        self.slot = slot;
        self.count = count.min(4);
        self.weight = [1.0 / self.count as f64; 4];
    }

    #[inline(always)]
    fn free_slot(&self) -> u8 {
        let taken = self.slot[..self.count]
            .iter()
            .fold(0u32, |bits, &slot| bits | 1 << slot);
        taken.trailing_ones() as u8 & 3
    }
}

/// Segment from the new vertex `a`.
#[inline(always)]
fn segment(a: Vec3, b: Vec3) -> Nearest<2> {
    let ab = sub(b, a);
    let along = -dot(a, ab);
    let length2 = norm2(ab);
    if along <= 0.0 {
        return Nearest {
            point: a,
            distance2: norm2(a),
            weight: [1.0, 0.0],
        };
    }
    if along >= length2 {
        return Nearest {
            point: b,
            distance2: norm2(b),
            weight: [0.0, 1.0],
        };
    }
    let t = along / length2;
    let point = add_scaled(a, ab, t);
    Nearest {
        point,
        distance2: norm2(point),
        weight: [1.0 - t, t],
    }
}

/// Triangle with the new vertex `a`.
#[inline(always)]
fn triangle(a: Vec3, b: Vec3, c: Vec3) -> Nearest<3> {
    let n = cross(sub(b, a), sub(c, a));
    // Areas of the triangles that the projected origin makes with each side, times |n|; they sum to |n|².
    let u = dot(n, cross(b, c));
    let v = dot(n, cross(c, a));
    let w = dot(n, cross(a, b));
    if u > 0.0 && v > 0.0 && w > 0.0 {
        let s = 1.0 / (u + v + w);
        let (u, v, w) = (u * s, v * s, w * s);
        // The weighted sum rather than the foot of the perpendicular: it lies in the triangle however thin that is, so that
        // the distance is never underestimated.
        let point = add_scaled(add_scaled(scale(a, u), b, v), c, w);
        return Nearest {
            point,
            distance2: norm2(point),
            weight: [u, v, w],
        };
    }
    let with_b = || {
        let Nearest {
            point,
            distance2,
            weight,
        } = segment(a, b);
        Nearest {
            point,
            distance2,
            weight: [weight[0], weight[1], 0.0],
        }
    };
    let with_c = || {
        let Nearest {
            point,
            distance2,
            weight,
        } = segment(a, c);
        Nearest {
            point,
            distance2,
            weight: [weight[0], 0.0, weight[1]],
        }
    };
    match (w > 0.0, v > 0.0) {
        (false, true) => with_b(),
        (true, false) => with_c(),
        _ => {
            let (b, c) = (with_b(), with_c());
            if c.distance2 < b.distance2 { c } else { b }
        }
    }
}

/// Tetrahedron with the new vertex `a`; `None` when the origin is inside.
#[inline(always)]
fn tetrahedron(a: Vec3, [b, c, d]: [Vec3; 3]) -> Option<Nearest<4>> {
    // Volumes of the tetrahedra that the origin makes with each face; together they are the volume of this one.
    let ab = cross(a, b);
    let cd = cross(c, d);
    let (bcd, acd, abd, abc) = (dot(b, cd), -dot(a, cd), dot(ab, d), -dot(ab, c));
    let volume = bcd + acd + abd + abc;
    let outside = |part: f64| !(part * volume > 0.0);
    let mut best = Nearest {
        point: a,
        distance2: f64::INFINITY,
        weight: [1.0, 0.0, 0.0, 0.0],
    };
    let mut inside = true;
    if outside(abc) {
        inside = false;
        best.consider(triangle(a, b, c), [0, 1, 2]);
    }
    if outside(abd) {
        inside = false;
        best.consider(triangle(a, b, d), [0, 1, 3]);
    }
    if outside(acd) {
        inside = false;
        best.consider(triangle(a, c, d), [0, 2, 3]);
    }
    if inside && outside(bcd) {
        // Only rounding puts the origin beyond the old face; the new vertex then adds nothing.
        inside = false;
        best.consider(triangle(b, c, d), [1, 2, 3]);
    }
    if inside { None } else { Some(best) }
}
