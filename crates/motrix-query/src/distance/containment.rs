//! Whether one shape lies inside of another without crossing its surface.
//!
//! Surfaces that do not cross are inside or outside as a whole, piece by piece: one point of each connected piece decides.

use motrix_collide::Surface;
use motrix_collide::vector::Vec3;

use super::walls::Walls;
use super::{Algorithm, Body, Part, local};
use crate::ray::Ray;
use crate::scan::{Interpolation, Terrain};
use crate::shapes::Geometry;

/// A point of one body inside of the other, when one has a solid surface around it; in the world.
pub(super) fn common_point(a: &Body, b: &Body, algorithm: Algorithm) -> Option<Vec3> {
    let inside = |outer: &Body, inner: &Body| {
        let mut points = pieces(inner, algorithm).into_iter();
        points.find(|&p| holds(outer, p, algorithm))
    };
    inside(a, b).or_else(|| inside(b, a))
}

/// A point of every piece of a body, in the world.
fn pieces(body: &Body, algorithm: Algorithm) -> Vec<Vec3> {
    let points: Vec<Vec3> = match (body.parts(algorithm)[0], body.geometry) {
        (Some(Part::Mesh(mesh)), _) => mesh.topology().pieces.clone(),
        (Some(Part::Ground(surface)), _) => vec![surface.node(0, 0)],
        (Some(Part::Walls(walls)), _) => vec![walls.0.node(0, 0)],
        (None, Geometry::Mesh(mesh)) => mesh.triangles().first().map(|t| t[0]).into_iter().collect(),
        (None, Geometry::Plane { .. }) => Vec::new(),
        (None, _) => vec![[0.0; 3]],
    };
    points.into_iter().map(|p| body.pose.point(p)).collect()
}

/// Whether a body with a solid surface holds a point of the world.
pub(super) fn holds(body: &Body, point: Vec3, algorithm: Algorithm) -> bool {
    let p = local(&body.pose, point);
    match body.parts(algorithm)[0] {
        Some(Part::Mesh(mesh)) => mesh.topology().closed && mesh.holds(p),
        Some(Part::Ground(surface) | Part::Walls(Walls(surface))) => under_ground(surface, p),
        None => false,
    }
}

/// Whether a point is below the surface of a field and above its base.
fn under_ground(surface: Surface, p: Vec3) -> bool {
    let [half_x, half_y] = surface.half();
    let terrain = Terrain {
        surface,
        position: [0.0; 3],
        rotation: motrix_collide::vector::IDENTITY,
        interpolation: Interpolation::Surface,
    };
    let within = p[0].abs() <= half_x && p[1].abs() <= half_y && p[2] >= -surface.base();
    within && p[2] <= terrain.height(p[0], p[1])
}

/// Directions of the rays that decide whether a point is inside: with no rational relation, so that edges are met by at most one of them.
pub(crate) const PROBES: [Vec3; 3] = [
    [0.541_196_100_146_197, 0.306_562_964_876_376, 0.783_040_892_437_131],
    [-0.271_828_182_845_904, 0.915_965_594_177_219, -0.295_238_571_638_219],
    [0.618_033_988_749_894, -0.577_215_664_901_532, -0.533_748_201_934_412],
];

/// The ray from a point along a probe.
pub(crate) fn probe(p: Vec3, k: usize) -> Ray {
    Ray {
        origin: p,
        direction: PROBES[k],
    }
}
