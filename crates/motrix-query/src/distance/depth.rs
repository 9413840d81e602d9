//! How deep overlapping shapes are, when one of them is a surface of triangles: the corner deepest inside of the other shape.
//!
//! Corners are the vertices of surfaces and boxes, the ends of a rounded core, and the six extreme points of other primitives. The depth of a
//! corner is its distance to the other's surface. This is a lower bound of how far the shapes must be moved apart, exact for
//! corners and balls; surfaces that cross without a corner of either inside of the other have depth 0.

use motrix_collide::vector::{Vec3, add_scaled, scale, sub, unit_of_any_length};
use motrix_collide::{Placed, Pose, Scratch, Shape, Surface};

use super::containment::holds;
use super::descent::nearest_point;
use super::triangle::Near;
use super::walls::Walls;
use super::{Algorithm, Apart, Body, Part, SETTINGS, local};
use crate::shapes::Geometry;

/// The deepest corner of either body inside of the other; `None` when there is none.
pub(super) fn deepest(a: &Body, b: &Body, algorithm: Algorithm, scratch: &mut Scratch) -> Option<Apart> {
    let first = deepest_corner(a, b, algorithm, scratch);
    let second = deepest_corner(b, a, algorithm, scratch).map(Apart::flipped);
    match (first, second) {
        (Some(x), Some(y)) => Some(if y.distance < x.distance { y } else { x }),
        (x, y) => x.or(y),
    }
}

/// The deepest corner of the first body inside of the second.
fn deepest_corner(of: &Body, inside: &Body, algorithm: Algorithm, scratch: &mut Scratch) -> Option<Apart> {
    let (corners, radius) = corners(of, inside, algorithm);
    let mut best: Option<Apart> = None;
    for corner in corners {
        let found = sunken(of.pose.point(corner), radius, inside, algorithm, scratch);
        best = found
            .filter(|apart| best.is_none_or(|b| apart.distance < b.distance))
            .or(best);
    }
    best
}

/// Corners of a body in its frame that may be inside of another, and the rounding about them.
fn corners(body: &Body, other: &Body, algorithm: Algorithm) -> (Vec<Vec3>, f64) {
    if let [Some(part), _] = body.parts(algorithm) {
        let points = match part {
            Part::Mesh(mesh) => mesh.topology().vertices.clone(),
            Part::Ground(surface) | Part::Walls(Walls(surface)) => nodes_near(&surface, body, other),
        };
        return (points, 0.0);
    }
    let ends = |half: Vec3| {
        (0..3)
            .flat_map(|k| [-1.0, 1.0].map(|s| std::array::from_fn(|i| if i == k { s * half[i] } else { 0.0 })))
            .collect()
    };
    match body.geometry {
        Geometry::Sphere { radius } => (vec![[0.0; 3]], radius),
        Geometry::Capsule { radius, half_length } => (vec![[0.0, 0.0, -half_length], [0.0, 0.0, half_length]], radius),
        Geometry::Ellipsoid { radii } => (ends(radii), 0.0),
        Geometry::Cylinder { radius, half_length } => (ends([radius, radius, half_length]), 0.0),
        Geometry::Box { half } => {
            let corner = |i: usize| std::array::from_fn(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] });
            ((0..8).map(corner).collect(), 0.0)
        }
        Geometry::Plane { .. } | Geometry::Mesh(_) | Geometry::HField(_) => (Vec::new(), 0.0),
    }
}

/// Nodes of terrain around another body.
fn nodes_near(surface: &Surface, terrain: &Body, other: &Body) -> Vec<Vec3> {
    let around = match other.ball() {
        Some((centre, radius)) => {
            let centre = local(&terrain.pose, centre);
            surface.nodes_under(centre.map(|x| x - radius), centre.map(|x| x + radius))
        }
        None => Some([0..=surface.window().rows - 1, 0..=surface.window().cols - 1]),
    };
    let Some([rows, cols]) = around else { return Vec::new() };
    rows.flat_map(|row| cols.clone().map(move |col| surface.node(row, col)))
        .collect()
}

/// How deep a ball about a point of the world is in a body.
fn sunken(point: Vec3, radius: f64, body: &Body, algorithm: Algorithm, scratch: &mut Scratch) -> Option<Apart> {
    if body.parts(algorithm)[0].is_none() {
        let ball = Placed {
            shape: Shape::Sphere { radius },
            pose: Pose::at(point),
        };
        let s = motrix_collide::distance(&ball, &body.placed()?, 0.0, &SETTINGS, scratch)?;
        return (s.distance < 0.0).then_some(Apart {
            distance: s.distance,
            on_a: s.on_a,
            on_b: s.on_b,
        });
    }
    let near = nearest_on(body, local(&body.pose, point), algorithm)?;
    let surface = body.pose.point(near.b);
    let core = near.d2.sqrt();
    let inside = holds(body, point, algorithm);
    let depth = if inside { core + radius } else { radius - core };
    // The deepest point of the ball: away from the surface when the centre is inside, towards and beyond it when outside.
    let way =
        unit_of_any_length(sub(point, surface)).map_or([0.0; 3], |u| scale(u, if inside { radius } else { -radius }));
    (depth > 0.0).then_some(Apart {
        distance: -depth,
        on_a: add_scaled(point, way, 1.0),
        on_b: surface,
    })
}

/// The point of a body's surface nearest to a point of its frame.
fn nearest_on(body: &Body, p: Vec3, algorithm: Algorithm) -> Option<Near> {
    let mut best: Option<Near> = None;
    for part in body.parts(algorithm).iter().flatten() {
        let limit = best.map_or(f64::INFINITY, |n| n.d2);
        best = nearest_point(part, p, limit).or(best);
    }
    best
}
