//! A convex polytope that grows inside a Minkowski difference, for the depth of an overlap.
//!
//! Triangles with outward planes and their neighbours. A new vertex removes the triangles it can see and joins the rim of
//! the hole; planes are oriented by construction, so that the signed distance of the origin is meaningful on both sides and
//! the polytope need not contain the origin to begin with.
//!
//! Vertices and faces are numbered by bytes and their tables have 256 places, which keeps them small and every index in
//! range. A triangulated sphere of v vertices has 2v − 4 faces, so that the number of vertices is what is limited.

use crate::minkowski::Vertex;
use crate::vector::{Vec3, cross, dot, index_of_least, norm2, scale, sub};

/// Squared sine of the corner angle below which a triangle has no plane.
const SLIVER: f64 = 1e-20;
/// Most vertices, such that the faces and those about to be added fit their table.
pub const MOST_VERTICES: usize = 120;
const PLACES: usize = 256;

/// A triangle of the polytope.
#[derive(Clone, Copy, Debug)]
struct Face {
    corner: [u8; 3],
    /// Faces beyond the edges that start at each corner.
    beyond: [u8; 3],
    state: State,
    /// Outward unit normal.
    normal: Vec3,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Plane,
    /// Too thin to have a plane.
    Sliver,
    Removed,
}

/// An edge of the rim of the hole that a new vertex makes: the face that remains, its edge, and the vertices there.
#[derive(Clone, Copy, Debug, Default)]
struct Rim {
    outside: u8,
    edge: u8,
    from: u8,
    to: u8,
}

/// The polytope and its working memory.
#[derive(Debug)]
pub struct Polytope {
    vertices: [Vertex; PLACES],
    vertex_count: usize,
    faces: [Face; PLACES],
    /// Distance of each face's plane from the origin, outward; infinite for slivers and free places.
    distance: [f64; PLACES],
    /// Places used so far, and those among them that are free again.
    face_count: usize,
    free: [u8; PLACES],
    free_count: usize,
    rim: [Rim; PLACES],
    stack: [u8; PLACES],
    /// The rim edge that starts at each vertex.
    rim_from: [u8; PLACES],
    /// The edges of the rim in order, and the new face over each.
    order: [u8; PLACES],
    new_faces: [u8; PLACES],
}

/// The nearest face of a polytope.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    face: u8,
    /// Outward unit normal of the face.
    pub normal: Vec3,
    /// Signed distance of its plane from the origin, outward.
    pub distance: f64,
}

/// Why a vertex could not be added: the hole was not simple, or the tables are full.
#[derive(Debug)]
pub struct Degenerate;

impl Default for Polytope {
    fn default() -> Polytope {
        let face = Face {
            corner: [0; 3],
            beyond: [0; 3],
            state: State::Removed,
            normal: [0.0; 3],
        };
        Polytope {
            vertices: [Vertex::ZERO; PLACES],
            vertex_count: 0,
            faces: [face; PLACES],
            distance: [f64::INFINITY; PLACES],
            face_count: 0,
            free: [0; PLACES],
            free_count: 0,
            rim: [Rim::default(); PLACES],
            stack: [0; PLACES],
            rim_from: [0; PLACES],
            order: [0; PLACES],
            new_faces: [0; PLACES],
        }
    }
}

impl Polytope {
    /// Starts from a tetrahedron with volume.
    #[inline(always)]
    pub fn start(&mut self, corners: [&Vertex; 4]) {
        let [a, b, c, d] = [corners[0].p, corners[1].p, corners[2].p, corners[3].p];
        let inside_out = dot(cross(sub(b, a), sub(c, a)), sub(d, a)) > 0.0;
        let (second, third) = if inside_out { (2, 1) } else { (1, 2) };
        self.vertices[0] = *corners[0];
        self.vertices[1] = *corners[second];
        self.vertices[2] = *corners[third];
        self.vertices[3] = *corners[3];
        self.vertex_count = 4;
        self.face_count = 4;
        self.free_count = 0;
        // The base is counter-clockwise seen from below; the other faces share its edges and the apex.
        let (b, c) = if inside_out { (c, b) } else { (b, c) };
        self.set_face(0, [0, 1, 2], [a, b, c], [1, 2, 3]);
        self.set_face(1, [1, 0, 3], [b, a, d], [0, 3, 2]);
        self.set_face(2, [2, 1, 3], [c, b, d], [0, 1, 3]);
        self.set_face(3, [0, 2, 3], [a, c, d], [0, 2, 1]);
    }

    /// The face whose plane is nearest to the origin.
    #[inline(always)]
    pub fn nearest(&self) -> Option<Nearest> {
        let mut least = f64::INFINITY;
        let mut face = 0;
        for (i, &distance) in self.distance[..self.face_count.min(PLACES)].iter().enumerate() {
            if distance < least {
                least = distance;
                face = i as u8;
            }
        }
        (least < f64::INFINITY).then(|| Nearest {
            face,
            normal: self.face(face).normal,
            distance: least,
        })
    }

    /// A vertex of the face.
    #[inline(always)]
    pub fn corner_of(&self, nearest: &Nearest) -> &Vertex {
        &self.vertices[self.face(nearest.face).corner[0] as usize]
    }

    /// Corners of the face under the origin, among those that share the plane of the nearest face to within `resolution`: a
    /// flat side of the polytope is cut into triangles, of which the nearest plane may name any.
    #[inline(always)]
    pub fn corners_under_origin(&self, nearest: &Nearest, resolution: f64) -> [&Vertex; 3] {
        let foot = scale(nearest.normal, nearest.distance);
        let mut face = nearest.face;
        for _ in 0..self.face_count {
            let Face {
                corner, beyond, normal, ..
            } = *self.face(face);
            let [a, b, c] = [
                sub(self.p(corner[0]), foot),
                sub(self.p(corner[1]), foot),
                sub(self.p(corner[2]), foot),
            ];
            // Areas that the foot makes with the edges from each corner; negative beyond the edge.
            let areas = [
                dot(normal, cross(a, b)),
                dot(normal, cross(b, c)),
                dot(normal, cross(c, a)),
            ];
            let edge = index_of_least(areas);
            let other = beyond[edge];
            if areas[edge] >= 0.0 || !(self.distance[other as usize] - nearest.distance <= resolution) {
                break;
            }
            face = other;
        }
        let [a, b, c] = self.face(face).corner;
        [
            &self.vertices[a as usize],
            &self.vertices[b as usize],
            &self.vertices[c as usize],
        ]
    }

    /// Adds a vertex that lies outside the plane of a face; `noise` is the height over a plane that rounding can produce.
    #[inline(always)]
    pub fn add(&mut self, w: &Vertex, seen: &Nearest, noise: f64) -> Result<(), Degenerate> {
        if self.vertex_count >= MOST_VERTICES {
            return Err(Degenerate);
        }
        let apex = self.vertex_count as u8;
        self.vertices[apex as usize] = *w;
        self.vertex_count += 1;
        let count = self.open_hole(w.p, seen.face, noise);
        self.walk_rim(count)?;
        for k in 0..count {
            self.new_faces[k] = self.take_place();
        }
        for k in 0..count {
            let Rim {
                outside,
                edge,
                from,
                to,
            } = self.rim[self.order[k] as usize];
            let face = self.new_faces[k];
            let (before, after) = if k == 0 {
                (self.new_faces[count - 1], self.new_faces[1])
            } else {
                (
                    self.new_faces[k - 1],
                    self.new_faces[if k + 1 == count { 0 } else { k + 1 }],
                )
            };
            self.faces[outside as usize].beyond[edge as usize % 3] = face;
            let corners = [w.p, self.p(to), self.p(from)];
            self.set_face(face, [apex, to, from], corners, [after, outside, before]);
        }
        Ok(())
    }

    /// Removes the faces that `w` sees, starting with `seen`, and collects the rim of the hole.
    #[inline(always)]
    fn open_hole(&mut self, w: Vec3, seen: u8, noise: f64) -> usize {
        let mut open = 1;
        let mut rim = 0;
        self.stack[0] = seen;
        self.remove(seen);
        while open > 0 {
            open -= 1;
            let Face { corner, beyond, .. } = *self.face(self.stack[open % PLACES]);
            for edge in 0..3 {
                let other = beyond[edge];
                let face = self.face(other);
                match face.state {
                    State::Removed => {}
                    State::Plane if dot(face.normal, w) - self.distance[other as usize] <= noise => {
                        let (to, from) = (corner[edge], corner[(edge + 1) % 3]);
                        let back = usize::from(face.corner[1] == from) + 2 * usize::from(face.corner[2] == from);
                        self.rim[rim % PLACES] = Rim {
                            outside: other,
                            edge: back as u8,
                            from,
                            to,
                        };
                        rim += 1;
                    }
                    // A sliver has no plane to be judged by, and goes when its neighbour goes.
                    State::Plane | State::Sliver => {
                        self.remove(other);
                        self.stack[open % PLACES] = other;
                        open += 1;
                    }
                }
            }
        }
        rim
    }

    /// Puts the edges of the rim in order, each starting where the one before it ends; fails unless they form one loop.
    #[inline(always)]
    fn walk_rim(&mut self, count: usize) -> Result<(), Degenerate> {
        if !(3..MOST_VERTICES).contains(&count) {
            return Err(Degenerate);
        }
        for k in 0..count {
            self.rim_from[self.rim[k].from as usize] = k as u8;
        }
        let mut at = 0;
        for k in 0..count {
            self.order[k] = at;
            let end = self.rim[at as usize].to;
            at = self.rim_from[end as usize];
            let follows = (at as usize) < count && self.rim[at as usize].from == end;
            if !follows || (at == 0) != (k + 1 == count) {
                return Err(Degenerate);
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn face(&self, face: u8) -> &Face {
        &self.faces[face as usize]
    }

    #[inline(always)]
    fn p(&self, vertex: u8) -> Vec3 {
        self.vertices[vertex as usize].p
    }

    #[inline(always)]
    fn remove(&mut self, face: u8) {
        self.faces[face as usize].state = State::Removed;
        self.distance[face as usize] = f64::INFINITY;
        self.free[self.free_count % PLACES] = face;
        self.free_count += 1;
    }

    /// A free place for a face.
    #[inline(always)]
    fn take_place(&mut self) -> u8 {
        if self.free_count > 0 {
            self.free_count -= 1;
            self.free[self.free_count % PLACES]
        } else {
            self.face_count += 1;
            (self.face_count - 1) as u8
        }
    }

    /// Makes a face of three vertices, the points of which are at hand.
    #[inline(always)]
    fn set_face(&mut self, face: u8, corner: [u8; 3], [a, b, c]: [Vec3; 3], beyond: [u8; 3]) {
        let (ab, ac) = (sub(b, a), sub(c, a));
        let n = cross(ab, ac);
        let nn = norm2(n);
        let (state, normal, distance) = if nn > SLIVER * (norm2(ab) * norm2(ac)) {
            let normal = scale(n, 1.0 / nn.sqrt());
            (State::Plane, normal, dot(normal, a))
        } else {
            (State::Sliver, [0.0; 3], f64::INFINITY)
        };
        self.faces[face as usize] = Face {
            corner,
            beyond,
            state,
            normal,
        };
        self.distance[face as usize] = distance;
    }
}
