//! Contacts of a pair of shapes: one collider for each kind of pair.

mod box_box;
mod capsule;
mod capsule_box;
pub(crate) mod plane;
mod sphere;

use crate::contact::{Manifold, Settings};
use crate::manifold::contacts;
use crate::memory::Memory;
use crate::minkowski::Pair;
use crate::separation::{Apart, Scratch, nearest};
use crate::shape::{Placed, Shape};
use crate::vector::unit;
use sphere::Ball;

/// Finds where two shapes touch or are no farther apart than `margin`. The contacts replace what `out` held; their normals
/// point from `a` to `b`.
pub fn collide(a: &Placed, b: &Placed, margin: f64, settings: &Settings, scratch: &mut Scratch, out: &mut Manifold) {
    collide_remembering(a, b, margin, settings, scratch, &mut Memory::default(), out);
}

/// As [`collide`], sooner when `memory` holds a direction that separated the shapes before. The contacts are the same whatever
/// it holds.
pub fn collide_remembering(
    a: &Placed,
    b: &Placed,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    memory: &mut Memory,
    out: &mut Manifold,
) {
    out.clear();
    let in_order = a.shape.rank() <= b.shape.rank();
    let (first, second) = if in_order { (a, b) } else { (b, a) };
    ordered(first, second, margin, settings, scratch, memory, out);
    if !in_order {
        out.flip();
    }
}

/// The collider of each pair; everything without a closed form goes through the convex algorithms.
#[inline(always)]
fn ordered(
    a: &Placed,
    b: &Placed,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    memory: &mut Memory,
    out: &mut Manifold,
) {
    use Shape::*;
    match (a.shape, b.shape) {
        (Plane, Plane | Prism(_)) => {}
        (Plane, Sphere { radius }) => plane::sphere(&a.pose, Ball::new(&b.pose, radius), margin, out),
        (Plane, Capsule { radius, half_length }) => plane::capsule(&a.pose, &b.pose, radius, half_length, margin, out),
        (Plane, Ellipsoid { radii }) => plane::ellipsoid(&a.pose, &b.pose, radii, margin, out),
        (Plane, Cylinder { radius, half_length }) => {
            plane::cylinder(&a.pose, &b.pose, radius, half_length, margin, out)
        }
        (Plane, Box { half }) => plane::cuboid(&a.pose, &b.pose, half, margin, out),
        (Plane, Hull(hull)) => plane::hull(&a.pose, &b.pose, hull, margin, out),
        (Sphere { radius: ra }, Sphere { radius: rb }) => {
            sphere::sphere(Ball::new(&a.pose, ra), Ball::new(&b.pose, rb), margin, out);
        }
        (Sphere { radius: ra }, Capsule { radius, half_length }) => {
            sphere::capsule(Ball::new(&a.pose, ra), &b.pose, radius, half_length, margin, out);
        }
        (Sphere { radius: ra }, Cylinder { radius, half_length }) => {
            sphere::cylinder(Ball::new(&a.pose, ra), &b.pose, radius, half_length, margin, out);
        }
        (Sphere { radius: ra }, Box { half }) => sphere::cuboid(Ball::new(&a.pose, ra), &b.pose, half, margin, out),
        (
            Capsule {
                radius: ra,
                half_length: la,
            },
            Capsule {
                radius: rb,
                half_length: lb,
            },
        ) => {
            capsule::capsule(
                capsule::Capsule::new(&a.pose, ra, la),
                capsule::Capsule::new(&b.pose, rb, lb),
                margin,
                out,
            );
        }
        (Capsule { radius, half_length }, Box { half }) => {
            capsule_box::cuboid_contacts(&a.pose, radius, half_length, &b.pose, half, margin, out);
        }
        (Box { half: ha }, Box { half: hb }) if !settings.boxconvex => {
            box_box::cuboid(&a.pose, ha, &b.pose, hb, margin, out);
        }
        _ => convex(a, b, margin, settings, scratch, memory, out),
    }
}

/// Any two bounded convex shapes.
fn convex(
    a: &Placed,
    b: &Placed,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    memory: &mut Memory,
    out: &mut Manifold,
) {
    let Some(pair) = Pair::new(a, b) else {
        return;
    };
    let limit = margin + pair.radius();
    if memory.proves_apart(&pair, limit) {
        return;
    }
    match nearest(&pair, limit, settings, scratch) {
        Ok(touch) => {
            memory.keep(None);
            contacts(&pair, &touch, margin, settings, &mut scratch.clip, &a.pose, out);
        }
        Err(Apart { axis }) => memory.keep(axis.and_then(unit)),
    }
}
