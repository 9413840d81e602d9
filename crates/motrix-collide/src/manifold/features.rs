//! The faces and edges of a shape around the place where it touches.
//!
//! What touches is known from the support points there: one vertex, two or three, or for a cylinder one cap or both. From
//! these follow the faces that may lie flat against the other shape and the edges that may lie along it.

use crate::hull::Hull;
use crate::shape::Pose;
use crate::support::Core;
use crate::vector::{Vec3, add_scaled, axis, dot, neg, norm2, rotate, rotate_back, sub};

/// Cosine of the angle within which a direction counts as that of a face: about 5°.
pub const FACE_COSINE: f64 = 0.996;
/// Sine of the angle within which an edge counts as lying along a face, and a face as turned towards the other shape.
pub const EDGE_SINE: f64 = 0.0888;

/// Sine of the angle to the axis of a cylinder within which it touches inside its cap: what curved shapes are resolved to.
const ON_CAP: f64 = 1e-3;
/// Vertices of the polygon that stands for the cap of a cylinder.
const CAP_VERTICES: usize = 16;
/// Cosines of the first quarter of a turn in sixteenths; the others follow by symmetry.
const QUARTER: [f64; 5] = [
    1.0,
    0.923879532511287,
    core::f64::consts::FRAC_1_SQRT_2,
    0.38268343236509,
    0.0,
];

/// A face that may lie flat on the other shape.
#[derive(Clone, Copy, Debug)]
pub struct FacePlane {
    /// Outward unit normal.
    pub normal: Vec3,
    /// Which face of the shape it is.
    pub number: u32,
    /// Cosine of the angle to the outward direction of the contact.
    pub facing: f64,
}

/// An edge that makes a small angle with a face of the other shape.
#[derive(Clone, Copy, Debug)]
pub enum Edge {
    /// From end to end.
    Along([Vec3; 2]),
    /// Somewhere on the side of a cylinder that touches inside its cap.
    Beside,
}

/// The different support features of a shape where it touches.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    id: [u32; 3],
    /// 1 for a vertex or a cap, 2 for an edge, 3 for a face.
    pub dimension: usize,
}

impl Features {
    /// From the features of `count` support points, up to three, in which the same one may come again. They are told apart
    /// without writing to memory, where words that are read back as a row make the processor wait.
    #[inline(always)]
    pub fn new([first, second, third]: [u32; 3], count: usize) -> Features {
        let has_second = count > 1 && second != first;
        let has_third = count > 2 && third != first && third != second;
        let id = match (has_second, has_third) {
            (true, true) => [first, second, third],
            (true, false) => [first, second, 0],
            (false, true) => [first, third, 0],
            (false, false) => [first, 0, 0],
        };
        Features {
            id,
            dimension: usize::from(count > 0) + usize::from(has_second) + usize::from(has_third),
        }
    }
}

/// One of the two shapes at the place of contact, in the frame of the pair.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    pub core: Core<'a>,
    pub pose: &'a Pose,
    /// Outward direction at the contact.
    pub outward: Vec3,
    /// The point of contact on the surface.
    pub witness: Vec3,
    pub features: Features,
}

impl<'a> Side<'a> {
    #[inline(always)]
    fn first(&self) -> u32 {
        self.features.id[0]
    }

    /// Collects the faces that meet where the shape touches and are turned towards the other shape. The answer is whether
    /// there are any faces at all.
    #[inline(always)]
    pub fn faces(&self, faces: &mut Vec<FacePlane>) -> bool {
        faces.clear();
        match self.core {
            Core::Box { .. } => self.box_faces(faces),
            // Points of both caps lie on the side, which is round.
            Core::Cylinder { .. } if self.features.dimension == 1 => {
                let up = axis(&self.pose.rotation, 2);
                let normal = if self.first() == 0 { up } else { neg(up) };
                let facing = dot(normal, self.outward);
                if facing > 0.0 {
                    faces.push(FacePlane {
                        normal,
                        number: self.first(),
                        facing,
                    });
                }
                true
            }
            Core::Hull(hull) => self.hull_faces(hull, faces),
            _ => false,
        }
    }

    /// Face 2k of a box is that of the positive axis k, 2k + 1 the opposite one.
    #[inline(always)]
    fn box_faces(&self, faces: &mut Vec<FacePlane>) -> bool {
        let Features { id, dimension } = self.features;
        let all = id[..dimension].iter().fold(7, |bits, f| bits & f);
        let none = 7 & !id[..dimension].iter().fold(0, |bits, f| bits | f);
        let local = rotate_back(&self.pose.rotation, self.outward);
        let mut positive = all;
        let mut common = all | none;
        // Vertices across the box share no face, or three of them too many: rounding chose them. The direction tells.
        if common == 0 || (dimension == 3 && !common.is_power_of_two()) {
            let along = |k: usize| u32::from(local[k].abs() > FACE_COSINE) << k;
            common = along(0) | along(1) | along(2);
            positive = u32::from(local[0] > 0.0) | u32::from(local[1] > 0.0) << 1 | u32::from(local[2] > 0.0) << 2;
        }
        for k in 0..3 {
            if common >> k & 1 == 1 {
                let negative = positive >> k & 1 == 0;
                let facing = if negative { -local[k] } else { local[k] };
                if facing > 0.0 {
                    let normal = axis(&self.pose.rotation, k);
                    let normal = if negative { neg(normal) } else { normal };
                    faces.push(FacePlane {
                        normal,
                        number: (2 * k + usize::from(negative)) as u32,
                        facing,
                    });
                }
            }
        }
        common != 0
    }

    #[inline(always)]
    fn hull_faces(&self, hull: &Hull, faces: &mut Vec<FacePlane>) -> bool {
        let Features { id, dimension } = self.features;
        let local = rotate_back(&self.pose.rotation, self.outward);
        // Three vertices have one facet in common, two have two.
        let most = [usize::MAX, 2, 1][dimension - 1];
        let mut count = 0;
        for &f in hull.facets_of(id[0] as usize) {
            let in_second = dimension < 2 || hull.facets_of(id[1] as usize).contains(&f);
            let in_third = dimension < 3 || hull.facets_of(id[2] as usize).contains(&f);
            if !(in_second && in_third) {
                continue;
            }
            count += 1;
            let normal = hull.facet_normal(f as usize);
            let facing = dot(normal, local);
            if facing > 0.0 {
                faces.push(FacePlane {
                    normal: rotate(&self.pose.rotation, normal),
                    number: f,
                    facing,
                });
            }
            if count == most {
                break;
            }
        }
        count > 0
    }

    /// The first of the edges that meet where the shape touches which lies along a plane with this normal. A capsule and a
    /// cylinder have the line along their side.
    #[inline(always)]
    pub fn edge_along(&self, plane: Vec3) -> Option<Edge> {
        match self.core {
            Core::Segment { half_length } => self.line_of_capsule(half_length, plane).map(Edge::Along),
            Core::Cylinder { half_length, .. } => self.line_of_cylinder(half_length, plane),
            Core::Box { half } => self.edge_of_box(half, plane).map(Edge::Along),
            Core::Hull(hull) => self.edge_of_hull(hull, plane).map(Edge::Along),
            _ => None,
        }
    }

    #[inline(always)]
    fn edge_of_box(&self, half: Vec3, plane: Vec3) -> Option<[Vec3; 2]> {
        let local = rotate_back(&self.pose.rotation, plane);
        let corner = |bits: u32| {
            let signed = [0, 1, 2].map(|k| if bits >> k & 1 == 1 { half[k] } else { -half[k] });
            self.pose.point(signed)
        };
        let edge = |from: u32, to: u32| [corner(from), corner(to)];
        if self.features.dimension == 2 {
            let ends = edge(self.first(), self.features.id[1]);
            lies_along(sub(ends[1], ends[0]), plane).then_some(ends)
        } else {
            let k = (0..3).find(|&k| local[k].abs() < EDGE_SINE)?;
            Some(edge(self.first(), self.first() ^ 1 << k))
        }
    }

    #[inline(always)]
    fn edge_of_hull(&self, hull: &Hull, plane: Vec3) -> Option<[Vec3; 2]> {
        let local = rotate_back(&self.pose.rotation, plane);
        let from = self.first();
        let start = hull.vertices()[from as usize];
        if self.features.dimension == 2 {
            let end = hull.vertices()[self.features.id[1] as usize];
            return lies_along(sub(end, start), local).then(|| [self.pose.point(start), self.pose.point(end)]);
        }
        for &f in hull.facets_of(from as usize) {
            if let Some(to) = previous_in_loop(hull.facet_loop(f as usize), from) {
                let end = hull.vertices()[to as usize];
                if lies_along(sub(end, start), local) {
                    return Some([self.pose.point(start), self.pose.point(end)]);
                }
            }
        }
        None
    }

    #[inline(always)]
    fn line_of_capsule(&self, half_length: f64, plane: Vec3) -> Option<[Vec3; 2]> {
        let up = axis(&self.pose.rotation, 2);
        if dot(up, plane).abs() >= EDGE_SINE {
            return None;
        }
        let height = dot(sub(self.witness, self.pose.position), up);
        Some([-half_length, half_length].map(|end| add_scaled(self.witness, up, end - height)))
    }

    /// The line of the side that is farthest along the outward direction, from the cap that touches.
    #[inline(always)]
    fn line_of_cylinder(&self, half_length: f64, plane: Vec3) -> Option<Edge> {
        let up = axis(&self.pose.rotation, 2);
        if dot(up, plane).abs() >= EDGE_SINE {
            return None;
        }
        let local = rotate_back(&self.pose.rotation, self.outward);
        if local[0].hypot(local[1]) < ON_CAP {
            return Some(Edge::Beside);
        }
        let (rim, _) = self.core.support([local[0], local[1], 0.0], 0);
        let end = if self.first() == 0 { half_length } else { -half_length };
        Some(Edge::Along([end, -end].map(|z| self.pose.point([rim[0], rim[1], z]))))
    }

    /// Appends the vertices of a face, clockwise about its outward normal.
    #[inline(always)]
    pub fn polygon(&self, number: u32, polygon: &mut Vec<Vec3>) {
        match self.core {
            Core::Box { half } => {
                for s in BOX_FACES[number as usize % 6] {
                    polygon.push(self.pose.point([s[0] * half[0], s[1] * half[1], s[2] * half[2]]));
                }
            }
            Core::Cylinder { radius, half_length } => {
                let side = if number == 0 { 1.0 } else { -1.0 };
                for &[cosine, sine] in &TURN {
                    polygon.push(
                        self.pose
                            .point([radius * cosine, -side * radius * sine, side * half_length]),
                    );
                }
            }
            Core::Hull(hull) => {
                for &v in hull.facet_loop(number as usize).iter().rev() {
                    polygon.push(self.pose.point(hull.vertices()[v as usize]));
                }
            }
            _ => {}
        }
    }
}

/// Whether a vector of any length makes a small angle with the plane of this unit normal.
#[inline(always)]
fn lies_along(edge: Vec3, plane: Vec3) -> bool {
    let rise = dot(edge, plane);
    rise * rise < EDGE_SINE * EDGE_SINE * norm2(edge)
}

#[inline(always)]
fn previous_in_loop(polygon: &[u32], vertex: u32) -> Option<u32> {
    let k = polygon.iter().position(|&v| v == vertex)?;
    Some(polygon[if k == 0 { polygon.len() - 1 } else { k - 1 }])
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

/// Cosine and sine of each sixteenth of a turn.
const TURN: [[f64; 2]; CAP_VERTICES] = {
    let mut turn = [[0.0; 2]; CAP_VERTICES];
    let mut k = 0;
    while k < CAP_VERTICES {
        turn[k] = [cosine(k), cosine(k + 12)];
        k += 1;
    }
    turn
};

/// Cosine of `k` sixteenths of a turn.
const fn cosine(k: usize) -> f64 {
    match k % CAP_VERTICES {
        k @ 0..=4 => QUARTER[k],
        k @ 5..=8 => -QUARTER[8 - k],
        k @ 9..=12 => -QUARTER[k - 8],
        k => QUARTER[CAP_VERTICES - k],
    }
}
