//! A sphere against sphere, capsule, cylinder and box: one contact.
//!
//! Every pair is reduced to the nearest point of the other shape, which then carries a ball (of radius zero on an edge), or to
//! the nearest face when the centre of the sphere lies inside. Source: MuJoCo 4.0, `engine_collision_primitive` and
//! `engine_collision_box`.

use motrix_spatial::algebra::{
    MIN_LENGTH, add, add_scaled, cross, dot, mat_vec, neg, norm_squared, normalize, scale, select3, sub,
};
use motrix_spatial::{Lanes, Mask, Vec3};

use super::plane::plane_ball;
use super::{Placed, Touch, TouchList};

/// A ball, and the axis that decides the normal when two balls are concentric.
#[derive(Clone, Copy)]
pub(super) struct Ball<L: Lanes> {
    pub centre: Vec3<L>,
    pub radius: L,
    pub axis: Vec3<L>,
}

/// Two balls.
#[inline(always)]
pub(super) fn ball_ball<L: Lanes>(a: Ball<L>, b: Ball<L>, reach: L) -> Touch<L> {
    let between = sub(b.centre, a.centre);
    let near = reach + a.radius + b.radius;
    let active = norm_squared(between).le(near * near);
    let (towards, gap) = normalize(between);
    // Concentric balls are pushed apart across their axes, along x when these are parallel.
    let concentric = gap.lt(L::c(MIN_LENGTH));
    let normal = if concentric.any() {
        let (across, _) = normalize(cross(a.axis, b.axis));
        select3(concentric, across, towards)
    } else {
        towards
    };
    let distance = gap - a.radius - b.radius;
    let position = add_scaled(a.centre, L::c(0.5).mul_add(distance, a.radius), normal);
    Touch::new(active, distance, position, normal)
}

/// The sphere as a ball.
#[inline(always)]
fn ball<L: Lanes>(sphere: &Placed<L>) -> Ball<L> {
    Ball {
        centre: *sphere.position,
        radius: sphere.size[0],
        axis: sphere.z_axis(),
    }
}

/// Sphere and sphere.
#[inline(always)]
pub fn sphere_sphere<L: Lanes>(a: &Placed<L>, b: &Placed<L>, reach: L, out: &mut TouchList<L>) {
    out.push(ball_ball(ball(a), ball(b), reach));
}

/// Sphere and capsule: the nearest point of the capsule's segment carries a ball.
#[inline(always)]
pub fn sphere_capsule<L: Lanes>(a: &Placed<L>, b: &Placed<L>, reach: L, out: &mut TouchList<L>) {
    let axis = b.z_axis();
    let half_length = b.size[1];
    let along = dot(axis, sub(*a.position, *b.position)).clamp(-half_length, half_length);
    let nearest = Ball {
        centre: add_scaled(*b.position, along, axis),
        radius: b.size[0],
        axis,
    };
    out.push(ball_ball(ball(a), nearest, reach));
}

/// Sphere and cylinder: beside it a ball on the axis, above it the plane of the cap, elsewhere a point of the rim. With the
/// centre inside, the nearer of cap and side decides.
#[inline(always)]
pub fn sphere_cylinder<L: Lanes>(a: &Placed<L>, b: &Placed<L>, reach: L, out: &mut TouchList<L>) {
    let axis = b.z_axis();
    let (radius, half_length) = (b.size[0], b.size[1]);
    let from_centre = sub(*a.position, *b.position);
    let height = dot(axis, from_centre);
    let radial = add_scaled(from_centre, -height, axis);
    let radial2 = norm_squared(radial);

    let between_caps = height.abs().lt(half_length);
    let within_radius = radial2.lt(radius * radius);
    let cap_nearer = (half_length - height.abs()).lt(radius - radial2.sqrt());
    let above = within_radius & (!between_caps | cap_nearer);
    let beside = between_caps & !above;
    let up = height.gt(L::ZERO);
    let end = L::select(up, half_length, -half_length);

    // Beside: a ball on the axis. On the rim: a point; the radius there is not zero, since the sphere is outside it.
    let elsewhere = !above;
    let outward = radius / L::select(beside | above, L::ONE, radial2).sqrt();
    let on_rim = add_scaled(scale(axis, end), outward, radial);
    let nearest = Ball {
        centre: add(*b.position, select3(beside, scale(axis, height), on_rim)),
        radius: L::select(beside, radius, L::ZERO),
        axis,
    };
    let mut touch = ball_ball(ball(a), nearest, reach);
    touch.active = touch.active & elsewhere;

    if above.any() {
        let outward = select3(up, axis, neg(axis));
        let cap = plane_ball(
            add_scaled(*b.position, end, axis),
            outward,
            *a.position,
            a.size[0],
            reach,
        );
        touch = Touch::new(
            touch.active | (cap.active & above),
            L::select(above, cap.distance, touch.distance),
            select3(above, cap.position, touch.position),
            // The cap's plane was shape 1 here, the sphere is.
            select3(above, neg(cap.normal), touch.normal),
        );
    }
    out.push(touch);
}

/// Sphere and box: the nearest point of the box, or the nearest face when the centre is inside.
#[inline(always)]
pub fn sphere_box<L: Lanes>(a: &Placed<L>, b: &Placed<L>, reach: L, out: &mut TouchList<L>) {
    out.push(ball_box(*a.position, a.size[0], b, reach));
}

/// A ball and a box.
#[inline(always)]
pub(super) fn ball_box<L: Lanes>(centre: Vec3<L>, radius: L, b: &Placed<L>, reach: L) -> Touch<L> {
    let centre = b.to_local(centre);
    let half = b.size;
    let nearest = [
        centre[0].clamp(-half[0], half[0]),
        centre[1].clamp(-half[1], half[1]),
        centre[2].clamp(-half[2], half[2]),
    ];
    let (towards, gap) = normalize(sub(nearest, centre));
    let active = (gap - radius).le(reach);

    let deepest = add_scaled(centre, radius, towards);
    let mut position = scale(add(nearest, deepest), L::c(0.5));
    let mut distance = gap - radius;
    let mut normal = towards;
    let inside = gap.le(L::c(MIN_LENGTH));
    if (inside & active).any() {
        let (depth, inward) = nearest_face(centre, *half);
        let middle = add_scaled(centre, L::c(0.5) * (radius - depth), inward);
        position = select3(inside, middle, position);
        distance = L::select(inside, -depth - radius, distance);
        normal = select3(inside, inward, normal);
    }
    Touch::new(active, distance, b.to_world(position), mat_vec(b.rotation, normal))
}

/// Distance to the nearest face from a point inside a box, and the direction from that face into the box.
#[inline(always)]
fn nearest_face<L: Lanes>(point: Vec3<L>, half: Vec3<L>) -> (L, Vec3<L>) {
    let mut depth = L::c(2.0) * (half[0] + half[1] + half[2]);
    let mut inward = [L::ONE, L::ZERO, L::ZERO];
    for k in 0..3 {
        for side in [-L::ONE, L::ONE] {
            let to_face = (side * half[k] - point[k]).abs();
            let nearer = to_face.lt(depth);
            let mut away = [L::ZERO; 3];
            away[k] = -side;
            depth = L::select(nearer, to_face, depth);
            inward = select3(nearer, away, inward);
        }
    }
    (depth, inward)
}
