//! Sphere against sphere, capsule, cylinder and box: one contact, in closed form.
//!
//! Every pair is reduced to the nearest point of the other shape. All differences of positions are formed first, so that a
//! common translation of both shapes does not change the result. Methods and degenerate cases follow MuJoCo.

use super::plane;
use crate::contact::{Contact, Manifold};
use crate::shape::Pose;
use crate::vector::{
    TINY, Vec3, add, add_scaled, axis, cross, dot, norm, norm2, rotate, rotate_back, scale, sub, unit,
};

/// A ball: a sphere, or the end of something round.
#[derive(Clone, Copy)]
pub struct Ball {
    pub centre: Vec3,
    pub radius: f64,
    /// Used for the normal when two centres coincide.
    pub z_axis: Vec3,
}

impl Ball {
    #[inline(always)]
    pub fn new(pose: &Pose, radius: f64) -> Ball {
        Ball {
            centre: pose.position,
            radius,
            z_axis: axis(&pose.rotation, 2),
        }
    }

    #[inline(always)]
    pub fn moved_to(self, centre: Vec3) -> Ball {
        Ball { centre, ..self }
    }
}

/// Ball and ball.
#[inline(always)]
pub fn sphere(a: Ball, b: Ball, margin: f64, out: &mut Manifold) {
    let between = sub(b.centre, a.centre);
    let reach = margin + a.radius + b.radius;
    let gap2 = norm2(between);
    if gap2 > reach * reach {
        return;
    }
    let gap = gap2.sqrt();
    let distance = gap - a.radius - b.radius;
    let normal = if gap >= TINY {
        scale(between, 1.0 / gap)
    } else {
        across(a.z_axis, b.z_axis)
    };
    let position = add_scaled(a.centre, normal, a.radius + distance / 2.0);
    out.push(Contact {
        distance,
        position,
        normal,
        tangent: None,
    });
}

/// The direction across two axes, x if they are parallel: the normal between balls about the same centre.
#[cold]
fn across(a: Vec3, b: Vec3) -> Vec3 {
    unit(cross(a, b)).unwrap_or([1.0, 0.0, 0.0])
}

/// Ball and capsule: the nearest point of the segment carries a ball.
#[inline(always)]
pub fn capsule(a: Ball, b: &Pose, radius: f64, half_length: f64, margin: f64, out: &mut Manifold) {
    let along = axis(&b.rotation, 2);
    let t = dot(along, sub(a.centre, b.position)).clamp(-half_length, half_length);
    let nearest = Ball::new(b, radius).moved_to(add_scaled(b.position, along, t));
    sphere(a, nearest, margin, out);
}

/// Ball and cylinder: beside it a ball on the axis, above it the plane of the cap, elsewhere a point of the rim. With the
/// centre inside, the nearer of cap and side decides.
#[inline(always)]
pub fn cylinder(a: Ball, b: &Pose, radius: f64, half_length: f64, margin: f64, out: &mut Manifold) {
    let along = axis(&b.rotation, 2);
    let from_centre = sub(a.centre, b.position);
    let height = dot(along, from_centre);
    let radial = add_scaled(from_centre, along, -height);
    let radial2 = norm2(radial);

    let mut beside = height.abs() < half_length;
    let mut above = radial2 < radius * radius;
    if beside && above {
        let to_cap = half_length - height.abs();
        let to_side = radius - radial2.sqrt();
        above = to_cap < to_side;
        beside = !above;
    }
    let side = if height > 0.0 { 1.0 } else { -1.0 };
    if beside {
        let on_axis = Ball::new(b, radius).moved_to(add_scaled(b.position, along, height));
        sphere(a, on_axis, margin, out);
    } else if above {
        let cap = add_scaled(b.position, along, side * half_length);
        if let Some(contact) = plane::ball(cap, scale(along, side), a, margin) {
            out.push(contact.flipped());
        }
    } else {
        let rim = add_scaled(scale(along, side * half_length), radial, radius / radial2.sqrt());
        sphere(a, Ball::new(b, 0.0).moved_to(add(b.position, rim)), margin, out);
    }
}

/// Ball and box: the nearest point of the box, or the nearest face when the centre is inside.
#[inline(always)]
pub fn cuboid(a: Ball, b: &Pose, half: Vec3, margin: f64, out: &mut Manifold) {
    let centre = rotate_back(&b.rotation, sub(a.centre, b.position));
    let mut nearest = centre;
    for k in 0..3 {
        if half[k] > 0.0 {
            nearest[k] = centre[k].clamp(-half[k], half[k]);
        }
    }
    let towards = sub(nearest, centre);
    let gap = norm(towards);
    if gap - a.radius > margin {
        return;
    }
    let (distance, normal, position) = if gap <= TINY {
        let (depth, inward) = nearest_face(centre, half);
        (
            -depth - a.radius,
            inward,
            add_scaled(centre, inward, (a.radius - depth) / 2.0),
        )
    } else {
        let normal = scale(towards, 1.0 / gap);
        let deepest = add_scaled(centre, normal, a.radius);
        (gap - a.radius, normal, scale(add(nearest, deepest), 0.5))
    };
    out.push(Contact {
        distance,
        position: add(b.position, rotate(&b.rotation, position)),
        normal: rotate(&b.rotation, normal),
        tangent: None,
    });
}

/// Distance to the nearest face from a point inside a box, and the direction away from that face into the box.
#[inline(always)]
fn nearest_face(point: Vec3, half: Vec3) -> (f64, Vec3) {
    let mut depth = f64::INFINITY;
    let mut inward = [1.0, 0.0, 0.0];
    for k in 0..3 {
        for side in [-1.0, 1.0] {
            let to_face = (side * half[k] - point[k]).abs();
            if to_face < depth {
                depth = to_face;
                inward = [0.0; 3];
                inward[k] = -side;
            }
        }
    }
    (depth, inward)
}
