//! The point of a simplex nearest to the origin.
//!
//! A simplex has up to four vertices of a Minkowski difference. The nearest point lies inside one of its faces; the face is
//! found from the signs of volumes and areas about the origin (Montanari, Petrinic and Barbieri, *Improving the GJK algorithm
//! for faster and more reliable distance queries*, ACM TOG 2017), and where a sign leaves several faces possible the nearest
//! of them is taken, so that rounding can cost accuracy but never choose a far face.

use crate::minkowski::Vertex;
use crate::vector::{Vec3, add_scaled, cross, dot, norm2, scale, sub};

/// Vertices with the weights of the point nearest to the origin, which sum to 1.
#[derive(Clone, Copy, Debug)]
pub struct Simplex {
    pub vertices: [Vertex; 4],
    pub weights: [f64; 4],
    pub count: usize,
}

/// The nearest point of a face, as weights of up to three of the vertices.
#[derive(Clone, Copy)]
struct Nearest {
    point: Vec3,
    distance2: f64,
    /// Indices into the simplex and their weights.
    index: [u8; 3],
    weight: [f64; 3],
    count: u8,
}

impl Simplex {
    pub const EMPTY: Simplex = Simplex {
        vertices: [Vertex::ZERO; 4],
        weights: [0.0; 4],
        count: 0,
    };

    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.count]
    }

    pub fn push(&mut self, vertex: Vertex) {
        self.vertices[self.count] = vertex;
        self.count += 1;
    }

    /// Reduces the simplex to the face that carries the point nearest to the origin and returns that point. A simplex of four
    /// vertices remains when the origin is inside.
    #[inline]
    pub fn reduce(&mut self) -> Vec3 {
        let nearest = match self.count {
            1 => self.vertex(0),
            2 => self.segment(0, 1),
            3 => self.triangle(0, 1, 2),
            _ => match self.tetrahedron() {
                Some(nearest) => nearest,
                None => return [0.0; 3],
            },
        };
        self.keep(&nearest);
        nearest.point
    }

    /// The points of A and B that the weights describe.
    pub fn witnesses(&self) -> (Vec3, Vec3) {
        let mut a = [0.0; 3];
        let mut b = [0.0; 3];
        for (vertex, &weight) in self.vertices().iter().zip(&self.weights) {
            a = add_scaled(a, vertex.a, weight);
            b = add_scaled(b, vertex.b, weight);
        }
        (a, b)
    }

    fn keep(&mut self, nearest: &Nearest) {
        let old = self.vertices;
        self.count = nearest.count as usize;
        for k in 0..self.count {
            self.vertices[k] = old[nearest.index[k] as usize];
            self.weights[k] = nearest.weight[k];
        }
    }

    #[inline(always)]
    fn p(&self, i: u8) -> Vec3 {
        self.vertices[i as usize].p
    }

    fn vertex(&self, i: u8) -> Nearest {
        let point = self.p(i);
        Nearest {
            point,
            distance2: norm2(point),
            index: [i, 0, 0],
            weight: [1.0, 0.0, 0.0],
            count: 1,
        }
    }

    #[inline]
    fn segment(&self, i: u8, j: u8) -> Nearest {
        let (a, b) = (self.p(i), self.p(j));
        let ab = sub(b, a);
        let along = -dot(a, ab);
        let length2 = norm2(ab);
        if along <= 0.0 {
            return self.vertex(i);
        }
        if along >= length2 {
            return self.vertex(j);
        }
        let t = along / length2;
        let point = add_scaled(a, ab, t);
        Nearest {
            point,
            distance2: norm2(point),
            index: [i, j, 0],
            weight: [1.0 - t, t, 0.0],
            count: 2,
        }
    }

    #[inline]
    fn triangle(&self, i: u8, j: u8, k: u8) -> Nearest {
        let (a, b, c) = (self.p(i), self.p(j), self.p(k));
        let n = cross(sub(b, a), sub(c, a));
        let nn = norm2(n);
        // Areas of the triangles that the projected origin makes with each side, about the common normal.
        let u = dot(n, cross(b, c));
        let v = dot(n, cross(c, a));
        let w = dot(n, cross(a, b));
        if u > 0.0 && v > 0.0 && w > 0.0 {
            let s = 1.0 / (u + v + w);
            // The foot of the perpendicular is more exact than the weighted sum of the vertices.
            let point = scale(n, dot(n, a) / nn);
            let weight = [u * s, v * s, w * s];
            return Nearest {
                point,
                distance2: norm2(point),
                index: [i, j, k],
                weight,
                count: 3,
            };
        }
        // Outside the sides with a negative area; a flat triangle has no sign and needs all sides.
        let flat = !(u + v + w > 0.0);
        let mut nearest: Option<Nearest> = None;
        for (outside, side) in [(u <= 0.0, (j, k)), (v <= 0.0, (k, i)), (w <= 0.0, (i, j))] {
            if outside || flat {
                nearest = Some(nearer(nearest, self.segment(side.0, side.1)));
            }
        }
        nearest.unwrap_or_else(|| self.segment(i, j))
    }

    /// `None` when the origin is inside.
    fn tetrahedron(&self) -> Option<Nearest> {
        let (a, b, c, d) = (self.p(0), self.p(1), self.p(2), self.p(3));
        // Volumes of the tetrahedra that the origin makes with each face; together they are the volume of this one.
        let ab = cross(a, b);
        let cd = cross(c, d);
        let volumes = [dot(b, cd), -dot(a, cd), dot(ab, d), -dot(ab, c)];
        let volume = volumes[0] + volumes[1] + volumes[2] + volumes[3];
        let beyond = |part: f64| !(part > 0.0 && volume > 0.0 || part < 0.0 && volume < 0.0);
        let mut nearest: Option<Nearest> = None;
        for (part, face) in [
            (volumes[0], [1, 2, 3]),
            (volumes[1], [0, 2, 3]),
            (volumes[2], [0, 1, 3]),
            (volumes[3], [0, 1, 2]),
        ] {
            if beyond(part) {
                nearest = Some(nearer(nearest, self.triangle(face[0], face[1], face[2])));
            }
        }
        nearest
    }
}

fn nearer(best: Option<Nearest>, candidate: Nearest) -> Nearest {
    match best {
        Some(best) if best.distance2 <= candidate.distance2 => best,
        _ => candidate,
    }
}
