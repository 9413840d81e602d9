//! Extreme points of a shape against the faces of the surface.
//!
//! The points are those that the shape would have in contact with the plane of a face. A corner of a box or hull meets the face it
//! is over (or under); the points of curved shapes depend on the plane, so each plane that the shape reaches is tried and a point counts
//! where the face below it is of that plane. Neighbouring cells of one plane share the work.

use super::near::CellAt;
use super::surface::{Face, Surface};
use crate::contact::{Contact, Manifold};
use crate::pairs::plane;
use crate::shape::{Placed, Pose, Shape};
use crate::vector::{Vec3, add_scaled, axis, cross, dot, norm2, perpendicular, sub};

/// Slopes that differ by less are one: an edge between them counts as flat.
const SAME_SLOPE: f64 = 2e-4;

/// More than the angle between the normals of two planes that pass as one.
pub const SAME_PLANES: f64 = 4.0 * SAME_SLOPE;

/// Planes that are closer than this, metres, around a point are one there.
const SAME_HEIGHT: f64 = 1e-5;

/// A disc that leans less than this, as a sine, lies on a face: which of its points is lowest is then left to rounding.
pub const LYING: f64 = 1e-3;

/// Appends the contacts of points with faces: corners with the face each is over, of ground that is nowhere higher than
/// `highest`; points of curved shapes with the faces of `cells`.
pub fn touch(surface: &Surface, highest: f64, cells: &[CellAt], shape: &Placed, margin: f64, out: &mut Vec<Contact>) {
    let ceiling = highest + margin;
    match shape.shape {
        Shape::Box { half } => {
            for corner in 0..8 {
                let local = [0, 1, 2].map(|k| if corner >> k & 1 == 1 { half[k] } else { -half[k] });
                out.extend(corner_contact(surface, ceiling, shape, local, margin));
            }
        }
        Shape::Hull(hull) => {
            // Most corners of a hull are high above the ground, and their height alone tells.
            let r = &shape.pose.rotation;
            let (up, centre) = ([r[6], r[7], r[8]], shape.pose.position[2]);
            for &vertex in hull.vertices() {
                if centre + dot(up, vertex) <= ceiling {
                    out.extend(corner_contact(surface, ceiling, shape, vertex, margin));
                }
            }
        }
        _ => curved(surface, cells, shape, margin, out),
    }
}

/// A corner below `ceiling` with the face over or under it, if the corner is on the lower side of the shape as the face sees it.
#[inline(always)]
fn corner_contact(surface: &Surface, ceiling: f64, shape: &Placed, local: Vec3, margin: f64) -> Option<Contact> {
    let corner = shape.pose.point(local);
    if corner[2] > ceiling {
        return None;
    }
    let face = surface.face_at(corner[0], corner[1])?;
    let distance = face.distance(corner);
    let rises = dot(face.normal, sub(corner, shape.pose.position)) > 0.0;
    (distance <= margin && !rises).then(|| Contact {
        distance,
        position: add_scaled(corner, face.normal, -0.5 * distance),
        normal: face.normal,
        tangent: None,
    })
}

/// A shape whose points of contact with a plane depend on the plane. A plane is asked at a face that one of its points is over, so
/// that it does not matter which other faces are.
fn curved(surface: &Surface, cells: &[CellAt], shape: &Placed, margin: f64, out: &mut Vec<Contact>) {
    let mut plane: Option<Face> = None;
    let mut touches = Manifold::new();
    for cell in cells {
        let faces = surface.faces_of_cell(cell.row as usize, cell.col as usize);
        for (k, face) in faces.into_iter().enumerate().filter(|(k, _)| cell.faces[*k]) {
            if plane.is_some_and(|plane| same_plane(&plane, &face, face.origin)) {
                continue;
            }
            plane_contacts(&face, shape, margin, &mut touches);
            let slack = shift_of_points(&face, shape);
            let is_over = |contact: &Contact| is_over(surface, &face, k, meeting_point(contact), slack);
            if !touches.iter().any(is_over) {
                continue;
            }
            let of_face = |contact: &&Contact| {
                let point = meeting_point(contact);
                let below = surface.face_at(point[0], point[1]);
                below.is_some_and(|below| same_plane(&face, &below, point))
            };
            let before = out.len();
            out.extend(touches.iter().filter(of_face));
            if out.len() > before {
                plane = Some(face);
            }
        }
    }
}

/// Which point of a face a contact with its plane is about: the foot of a point above the plane; of one below it, what is straight
/// above.
#[inline(always)]
fn meeting_point(contact: &Contact) -> Vec3 {
    let share = if contact.distance < 0.0 { 0.5 } else { -0.5 };
    add_scaled(contact.position, contact.normal, share * contact.distance)
}

/// Whether a point is over triangle `k` of the cell that a face starts at, or no farther beside it than `slack`, metres.
#[inline(always)]
fn is_over(surface: &Surface, face: &Face, k: usize, point: Vec3, slack: f64) -> bool {
    let [dx, dy] = surface.spacing();
    let (across, along) = ((point[0] - face.origin[0]) / dx, (point[1] - face.origin[1]) / dy);
    let (low, high) = if k == 0 { (across, along) } else { (along, across) };
    (-low).max(high - 1.0).max(low - high) <= slack * (1.0 / dx + 1.0 / dy)
}

/// How far, at most, the points of a shape on a plane are from those on another that passes as the same; infinite for a disc that
/// lies on it.
fn shift_of_points(face: &Face, shape: &Placed) -> f64 {
    let flattest = match shape.shape {
        Shape::Cylinder { .. } if lies(&shape.pose, face.normal) => f64::INFINITY,
        Shape::Cylinder { radius, .. } => radius / norm2(cross(axis(&shape.pose.rotation, 2), face.normal)).sqrt(),
        Shape::Ellipsoid { radii } => {
            let [x, y, z] = radii;
            let longest = x.max(y).max(z);
            longest * longest / x.min(y).min(z)
        }
        _ => 0.0,
    };
    SAME_PLANES * flattest
}

/// Whether two faces pass as one plane around a point: their edge would count as flat, if they had one.
fn same_plane(a: &Face, b: &Face, point: Vec3) -> bool {
    let turned = |k: usize| (a.slope[k] - b.slope[k]).abs() > SAME_SLOPE;
    !turned(0) && !turned(1) && (a.distance(point) - b.distance(point)).abs() <= SAME_HEIGHT
}

/// The contacts of a shape with the half-space below a face.
fn plane_contacts(face: &Face, shape: &Placed, margin: f64, out: &mut Manifold) {
    let x = perpendicular(face.normal);
    let y = cross(face.normal, x);
    let z = face.normal;
    let pose = Pose {
        position: face.origin,
        rotation: [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]],
    };
    out.clear();
    match shape.shape {
        Shape::Cylinder { radius, half_length } if lies(&shape.pose, z) => {
            lying_disc(face, &shape.pose, radius, half_length, margin, out);
        }
        Shape::Cylinder { radius, half_length } => {
            plane::cylinder(&pose, &shape.pose, radius, half_length, margin, out);
        }
        Shape::Ellipsoid { radii } => plane::ellipsoid(&pose, &shape.pose, radii, margin, out),
        _ => {}
    }
}

/// Whether a cylinder stands square to a normal.
fn lies(pose: &Pose, normal: Vec3) -> bool {
    let across = cross(axis(&pose.rotation, 2), normal);
    norm2(across) < LYING * LYING
}

/// Three points around the lower disc of a cylinder that lies on a face, at places fixed in the cylinder.
fn lying_disc(face: &Face, pose: &Pose, radius: f64, half_length: f64, margin: f64, out: &mut Manifold) {
    let lower = -half_length * dot(axis(&pose.rotation, 2), face.normal).signum();
    for [x, y] in [[1.0, 0.0], [-0.5, 0.75f64.sqrt()], [-0.5, -(0.75f64.sqrt())]] {
        let point = pose.point([x * radius, y * radius, lower]);
        let distance = face.distance(point);
        if distance <= margin {
            out.push(Contact {
                distance,
                position: add_scaled(point, face.normal, -0.5 * distance),
                normal: face.normal,
                tangent: None,
            });
        }
    }
}
