//! The faces and edges of a shape around the place where it touches.
//!
//! What touches is known from the support points there: one vertex, two or three, or for a cylinder one cap or both. From
//! these follow the faces that may lie flat against the other shape and the edges that may lie along it.

use crate::shape::Pose;
use crate::support::Core;
use crate::vector::{Vec3, add_scaled, axis, dot, neg, rotate, rotate_back, sub, unit};

/// Cosine of the angle within which a direction counts as that of a face: about 5°.
pub const FACE_COSINE: f64 = 0.996;

/// Vertices of the polygon that stands for the cap of a cylinder.
const CAP_VERTICES: usize = 16;
/// Cosines of the first quarter of a turn in sixteenths; the others follow by symmetry.
const QUARTER: [f64; 5] = [1.0, 0.923879532511287, 0.707106781186548, 0.38268343236509, 0.0];

/// A face that may lie flat on the other shape.
#[derive(Clone, Copy, Debug)]
pub struct FacePlane {
    /// Outward unit normal.
    pub normal: Vec3,
    /// Which face of the shape it is.
    pub number: u32,
}

/// An edge that may lie along a face of the other shape.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub from: Vec3,
    pub to: Vec3,
    /// Unit direction.
    pub along: Vec3,
}

/// One of the two shapes at the place of contact, in the frame of the pair.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    pub core: Core<'a>,
    pub pose: Pose,
    /// Outward direction at the contact.
    pub outward: Vec3,
    /// The point of contact on the surface.
    pub witness: Vec3,
    /// The different support features, as many as `dimension`.
    feature: [u32; 3],
    dimension: usize,
}

impl<'a> Side<'a> {
    /// A side from the features of up to three support points.
    pub fn new(core: Core<'a>, pose: Pose, outward: Vec3, witness: Vec3, features: &[u32]) -> Side<'a> {
        let mut feature = [0; 3];
        let mut dimension = 0;
        for &f in features.iter().take(3) {
            if !feature[..dimension].contains(&f) {
                feature[dimension] = f;
                dimension += 1;
            }
        }
        Side {
            core,
            pose,
            outward,
            witness,
            feature,
            dimension,
        }
    }

    /// 1 for a vertex or a cap, 2 for an edge, 3 for a face.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    fn features(&self) -> &[u32] {
        &self.feature[..self.dimension]
    }

    /// The faces that meet where the shape touches.
    pub fn faces(&self, faces: &mut Vec<FacePlane>) {
        faces.clear();
        match self.core {
            Core::Box { .. } => self.box_faces(faces),
            // Points of both caps lie on the side, which is round.
            Core::Cylinder { .. } if self.dimension == 1 => {
                let cap = self.feature[0];
                let up = axis(&self.pose.rotation, 2);
                faces.push(FacePlane {
                    normal: if cap == 0 { up } else { neg(up) },
                    number: cap,
                });
            }
            Core::Hull(hull) => {
                let common = |&&f: &&u32| {
                    self.features()[1..]
                        .iter()
                        .all(|&v| hull.facets_of(v as usize).contains(&f))
                };
                // Three vertices have one facet in common, two have two.
                let most = [usize::MAX, 2, 1][self.dimension - 1];
                let shared = hull
                    .facets_of(self.feature[0] as usize)
                    .iter()
                    .filter(common)
                    .take(most);
                faces.extend(shared.map(|&f| FacePlane {
                    normal: rotate(&self.pose.rotation, hull.facet_normal(f as usize)),
                    number: f,
                }));
            }
            _ => {}
        }
    }

    /// Face 2k of a box is that of the positive axis k, 2k + 1 the opposite one.
    fn box_faces(&self, faces: &mut Vec<FacePlane>) {
        let all = self.features().iter().fold(7, |bits, f| bits & f);
        let any = self.features().iter().fold(0, |bits, f| bits | f);
        let face = |k: usize, negative: bool| {
            let normal = axis(&self.pose.rotation, k);
            FacePlane {
                normal: if negative { neg(normal) } else { normal },
                number: (2 * k + usize::from(negative)) as u32,
            }
        };
        faces.extend(
            (0..3)
                .filter(|&k| all >> k & 1 == 1 || any >> k & 1 == 0)
                .map(|k| face(k, all >> k & 1 == 0)),
        );
        // Vertices across the box share no face: rounding chose them. The direction of contact tells the face.
        if faces.is_empty() || (self.dimension == 3 && faces.len() > 1) {
            faces.clear();
            let local = rotate_back(&self.pose.rotation, self.outward);
            faces.extend(
                (0..3)
                    .find(|&k| local[k].abs() > FACE_COSINE)
                    .map(|k| face(k, local[k] < 0.0)),
            );
        }
    }

    /// The edges that meet where the shape touches; for a capsule or a cylinder the line along its side.
    pub fn edges(&self, edges: &mut Vec<Edge>) {
        edges.clear();
        let up = axis(&self.pose.rotation, 2);
        match self.core {
            Core::Segment { half_length } => {
                let height = dot(sub(self.witness, self.pose.position), up);
                let from = add_scaled(self.witness, up, -height - half_length);
                edges.push(Edge {
                    from,
                    to: add_scaled(self.witness, up, half_length - height),
                    along: up,
                });
            }
            Core::Cylinder { half_length, .. } => {
                let local = rotate_back(&self.pose.rotation, self.outward);
                let (mut rim, _) = self.core.support([local[0], local[1], 0.0], 0);
                let along = if self.feature[0] == 0 { neg(up) } else { up };
                rim[2] = if self.feature[0] == 0 {
                    half_length
                } else {
                    -half_length
                };
                let from = self.pose.point(rim);
                edges.push(Edge {
                    from,
                    to: add_scaled(from, along, 2.0 * half_length),
                    along,
                });
            }
            Core::Box { half } => {
                let corner = |bits: u32| {
                    let signed = [0, 1, 2].map(|k| if bits >> k & 1 == 1 { half[k] } else { -half[k] });
                    self.pose.point(signed)
                };
                let from = self.feature[0];
                if self.dimension == 2 {
                    edges.push(edge(corner(from), corner(self.feature[1])));
                } else {
                    edges.extend((0..3).map(|k| edge(corner(from), corner(from ^ 1 << k))));
                }
            }
            Core::Hull(hull) => {
                let vertex = |v: u32| self.pose.point(hull.vertices()[v as usize]);
                let from = self.feature[0];
                if self.dimension == 2 {
                    edges.push(edge(vertex(from), vertex(self.feature[1])));
                } else {
                    for &facet in hull.facets_of(from as usize) {
                        let polygon = hull.facet_loop(facet as usize);
                        if let Some(k) = polygon.iter().position(|&v| v == from) {
                            let previous = polygon[(k + polygon.len() - 1) % polygon.len()];
                            edges.push(edge(vertex(from), vertex(previous)));
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// The vertices of a face, clockwise about its outward normal.
    pub fn polygon(&self, number: u32, polygon: &mut Vec<Vec3>) {
        polygon.clear();
        match self.core {
            Core::Box { half } => {
                let corners = BOX_FACES[number as usize];
                polygon.extend(corners.map(|s| self.pose.point([s[0] * half[0], s[1] * half[1], s[2] * half[2]])));
            }
            Core::Cylinder { radius, half_length } => {
                let side = if number == 0 { 1.0 } else { -1.0 };
                for k in 0..CAP_VERTICES {
                    let (cosine, sine) = sixteenth(k);
                    polygon.push(
                        self.pose
                            .point([radius * cosine, -side * radius * sine, side * half_length]),
                    );
                }
            }
            Core::Hull(hull) => {
                let vertices = hull.facet_loop(number as usize).iter().rev();
                polygon.extend(vertices.map(|&v| self.pose.point(hull.vertices()[v as usize])));
            }
            _ => {}
        }
    }
}

/// Signs of the corners of each face of a box, clockwise seen from outside.
const BOX_FACES: [[Vec3; 4]; 6] = [
    [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [1.0, -1.0, 1.0]],
    [
        [-1.0, 1.0, -1.0],
        [-1.0, 1.0, 1.0],
        [-1.0, -1.0, 1.0],
        [-1.0, -1.0, -1.0],
    ],
    [[-1.0, 1.0, -1.0], [1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]],
    [
        [-1.0, -1.0, 1.0],
        [1.0, -1.0, 1.0],
        [1.0, -1.0, -1.0],
        [-1.0, -1.0, -1.0],
    ],
    [[-1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]],
    [
        [1.0, 1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [-1.0, -1.0, -1.0],
        [1.0, -1.0, -1.0],
    ],
];

fn edge(from: Vec3, to: Vec3) -> Edge {
    Edge {
        from,
        to,
        along: unit(sub(to, from)).unwrap_or([1.0, 0.0, 0.0]),
    }
}

/// Cosine and sine of `k` sixteenths of a turn.
fn sixteenth(k: usize) -> (f64, f64) {
    let cosine = |k: usize| match k % CAP_VERTICES {
        k @ 0..=4 => QUARTER[k],
        k @ 5..=8 => -QUARTER[8 - k],
        k @ 9..=12 => -QUARTER[k - 8],
        k => QUARTER[CAP_VERTICES - k],
    };
    (cosine(k), cosine(k + 12))
}
