//! A plane against everything: the lowest points of the other shape, in closed form.
//!
//! The plane is the half-space z ≤ 0 of its frame; its normal is the normal of every contact. Which of the lowest points are
//! reported follows MuJoCo.

use super::sphere::Ball;
use crate::contact::{Contact, Manifold};
use crate::hull::Hull;
use crate::manifold::largest_quad_from;
use crate::shape::Pose;
use crate::support::Core;
use crate::vector::{Vec3, add, add_scaled, axis, cross, dot, neg, norm, rotate, rotate_back, scale, sub, unit};

/// Signs of the corners of a box, x changing first.
const CORNERS: [Vec3; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [-1.0, 1.0, 1.0],
    [1.0, 1.0, 1.0],
];
/// Half the side of an equilateral triangle in the unit circle.
const HALF_SQRT_3: f64 = 0.866_025_403_784_438_6;
/// Sine of the angle below which the direction downhill is rounding noise.
const LEVEL: f64 = 1e-12;

/// Height of a point above a plane and the contact it makes.
#[derive(Clone, Copy)]
struct Ground {
    point: Vec3,
    normal: Vec3,
}

impl Ground {
    #[inline(always)]
    fn new(plane: &Pose) -> Ground {
        Ground {
            point: plane.position,
            normal: axis(&plane.rotation, 2),
        }
    }

    #[inline(always)]
    fn height(&self, point: Vec3) -> f64 {
        dot(self.normal, sub(point, self.point))
    }

    /// Contact with a surface point, given its height.
    #[inline(always)]
    fn contact(&self, point: Vec3, height: f64) -> Contact {
        let position = add_scaled(point, self.normal, -0.5 * height);
        Contact {
            distance: height,
            position,
            normal: self.normal,
            tangent: None,
        }
    }
}

/// Contact of a ball with the plane through `point`.
#[inline(always)]
pub fn ball(point: Vec3, normal: Vec3, ball: Ball, margin: f64) -> Option<Contact> {
    let height = dot(sub(ball.centre, point), normal);
    if height > margin + ball.radius {
        return None;
    }
    let distance = height - ball.radius;
    let position = add_scaled(ball.centre, normal, -distance / 2.0 - ball.radius);
    Some(Contact {
        distance,
        position,
        normal,
        tangent: None,
    })
}

/// Plane and sphere.
#[inline(always)]
pub fn sphere(plane: &Pose, b: Ball, margin: f64, out: &mut Manifold) {
    let ground = Ground::new(plane);
    ball(ground.point, ground.normal, b, margin)
        .into_iter()
        .for_each(|contact| out.push(contact));
}

/// Plane and capsule: the balls at both ends, tangents along the axis.
#[inline(always)]
pub fn capsule(plane: &Pose, b: &Pose, radius: f64, half_length: f64, margin: f64, out: &mut Manifold) {
    let ground = Ground::new(plane);
    let along = axis(&b.rotation, 2);
    for end in [half_length, -half_length] {
        let cap = Ball::new(b, radius).moved_to(add_scaled(b.position, along, end));
        if let Some(contact) = ball(ground.point, ground.normal, cap, margin) {
            out.push(Contact {
                tangent: Some(along),
                ..contact
            });
        }
    }
}

/// Plane and ellipsoid: its lowest point.
#[inline(always)]
pub fn ellipsoid(plane: &Pose, b: &Pose, radii: Vec3, margin: f64, out: &mut Manifold) {
    let ground = Ground::new(plane);
    let down = rotate_back(&b.rotation, neg(ground.normal));
    let (lowest, _) = Core::Ellipsoid { radii }.support(down, 0);
    let lowest = b.point(lowest);
    let height = ground.height(lowest);
    if height <= margin {
        out.push(ground.contact(lowest, height));
    }
}

/// Plane and cylinder: the lowest point of the lower disc, the point above it on the other disc, and two points of the lower
/// disc that make an equilateral triangle with the first.
#[inline(always)]
pub fn cylinder(plane: &Pose, b: &Pose, radius: f64, half_length: f64, margin: f64, out: &mut Manifold) {
    let ground = Ground::new(plane);
    let normal = ground.normal;
    let along = axis(&b.rotation, 2);
    // The axis from the centre to the lower disc.
    let down = if dot(normal, along) > 0.0 { neg(along) } else { along };
    let slope = dot(normal, down);

    // Downhill in the disc; any direction when the disc is parallel to the plane but for rounding.
    let downhill = sub(scale(down, slope), normal);
    let steepness = norm(downhill);
    let rim = if steepness >= LEVEL {
        scale(downhill, radius / steepness)
    } else {
        scale(axis(&b.rotation, 0), radius)
    };
    let rim_fall = dot(rim, normal);
    let half_axis = scale(down, half_length);
    let axis_fall = slope * half_length;
    let centre_height = dot(sub(b.position, ground.point), normal);

    let lowest = centre_height + axis_fall + rim_fall;
    if lowest > margin {
        return;
    }
    let lower_disc = add(b.position, half_axis);
    out.push(ground.contact(add(lower_disc, rim), lowest));
    let above = centre_height - axis_fall + rim_fall;
    if above <= margin {
        out.push(ground.contact(add(sub(b.position, half_axis), rim), above));
    }
    let behind = centre_height + axis_fall - 0.5 * rim_fall;
    if behind <= margin {
        let sideways = scale(
            unit(cross(rim, half_axis)).unwrap_or([1.0, 0.0, 0.0]),
            radius * HALF_SQRT_3,
        );
        let middle = add_scaled(lower_disc, rim, -0.5);
        out.push(ground.contact(add(middle, sideways), behind));
        out.push(ground.contact(sub(middle, sideways), behind));
    }
}

/// Plane and box: the corners below the centre, at most four.
#[inline(always)]
pub fn cuboid(plane: &Pose, b: &Pose, half: Vec3, margin: f64, out: &mut Manifold) {
    let ground = Ground::new(plane);
    let centre_height = ground.height(b.position);
    let edges = [0, 1, 2].map(|k| scale(axis(&b.rotation, k), half[k]));
    let rises = edges.map(|edge| dot(ground.normal, edge));
    // The lowest corner decides for most boxes.
    if centre_height - rises[0].abs() - rises[1].abs() - rises[2].abs() > margin {
        return;
    }
    let mut count = 0;
    for corner in CORNERS {
        let rise = dot(corner, rises);
        if centre_height + rise <= margin && rise <= 0.0 {
            let offset = add_scaled(
                add_scaled(scale(edges[0], corner[0]), edges[1], corner[1]),
                edges[2],
                corner[2],
            );
            out.push(ground.contact(add(b.position, offset), centre_height + rise));
            count += 1;
            if count == 4 {
                return;
            }
        }
    }
}

/// Plane and hull: the lowest vertex, then up to three more corners of the facet there that faces the plane most, chosen to
/// span the largest quadrilateral.
#[inline(always)]
pub fn hull(plane: &Pose, b: &Pose, hull: &Hull, margin: f64, out: &mut Manifold) {
    let ground = Ground::new(plane);
    let up = rotate_back(&b.rotation, ground.normal);
    let lowest = hull.support(neg(up), 0);
    let at = |v: u32| hull.vertices()[v as usize];
    let point = b.point(at(lowest));
    let height = ground.height(point);
    if height > margin {
        return;
    }
    out.push(ground.contact(point, height));

    let towards_plane = |&f: &u32| dot(up, hull.facet_normal(f as usize));
    let facing = hull
        .facets_of(lowest as usize)
        .iter()
        .min_by(|f, g| towards_plane(f).total_cmp(&towards_plane(g)));
    let Some(&facet) = facing.filter(|f| towards_plane(f) < 1.0) else {
        return;
    };
    let polygon = hull.facet_loop(facet as usize);
    let start = polygon.iter().position(|&v| v == lowest).unwrap_or(0);
    let corners = largest_quad_from(polygon.len(), start, |k| at(polygon[k]));
    for &k in &corners[1..polygon.len().min(4)] {
        let offset = rotate(&b.rotation, at(polygon[k]));
        let height = ground.height(add(b.position, offset));
        if height <= margin && dot(ground.normal, offset) <= 0.0 {
            out.push(ground.contact(add(b.position, offset), height));
        }
    }
}
