//! Support points: the point of a convex shape farthest along a direction.
//!
//! A sphere is a point and a capsule a segment, each rounded by a radius; distances are found between these *cores* and the
//! radii subtracted, which is exact and keeps the cores polyhedral. A support point carries a *feature*: which vertex, cap or
//! end it belongs to, so that later steps know whether the nearest place is a corner, an edge or a face.

use crate::hull::Hull;
use crate::shape::Shape;
use crate::vector::{Vec3, dot};

/// A shape without its rounding, in its own frame.
#[derive(Clone, Copy, Debug)]
pub enum Core<'a> {
    Point,
    Segment { half_length: f64 },
    Ellipsoid { radii: Vec3 },
    Cylinder { radius: f64, half_length: f64 },
    Box { half: Vec3 },
    Hull(&'a Hull),
    Prism(&'a [Vec3; 6]),
}

/// A core and the radius it is rounded by.
#[derive(Clone, Copy, Debug)]
pub struct Rounded<'a> {
    pub core: Core<'a>,
    pub radius: f64,
}

impl<'a> Rounded<'a> {
    /// The core of a bounded shape; `None` for a plane.
    #[inline(always)]
    pub fn new(shape: &Shape<'a>) -> Option<Rounded<'a>> {
        let (core, radius) = match *shape {
            Shape::Plane => return None,
            Shape::Sphere { radius } => (Core::Point, radius),
            Shape::Capsule { radius, half_length } => (Core::Segment { half_length }, radius),
            Shape::Ellipsoid { radii } => (Core::Ellipsoid { radii }, 0.0),
            Shape::Cylinder { radius, half_length } => (Core::Cylinder { radius, half_length }, 0.0),
            Shape::Box { half } => (Core::Box { half }, 0.0),
            Shape::Hull(hull) => (Core::Hull(hull), 0.0),
            Shape::Prism(points) => (Core::Prism(points), 0.0),
        };
        Some(Rounded { core, radius })
    }
}

impl Core<'_> {
    /// Whether the core has finitely many extreme points, so that the algorithms end exactly.
    #[inline(always)]
    pub fn is_polyhedral(&self) -> bool {
        !matches!(self, Core::Ellipsoid { .. } | Core::Cylinder { .. })
    }

    /// Whether the core is its own mirror image about its centre.
    #[inline(always)]
    pub fn is_symmetric(&self) -> bool {
        !matches!(self, Core::Hull(_) | Core::Prism(_))
    }

    /// Whether the core has a size along each of its axes and one of them is zero.
    #[inline(always)]
    pub fn is_flat(&self) -> bool {
        match *self {
            Core::Segment { half_length } => half_length <= 0.0,
            Core::Ellipsoid { radii } => radii.iter().any(|&r| r <= 0.0),
            Core::Cylinder { radius, half_length } => radius <= 0.0 || half_length <= 0.0,
            Core::Box { half } => half.iter().any(|&h| h <= 0.0),
            Core::Point | Core::Hull(_) | Core::Prism(_) => false,
        }
    }

    /// Some point inside.
    #[inline(always)]
    pub fn centre(&self) -> Vec3 {
        match self {
            Core::Prism(points) => {
                let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / 6.0;
                [mean(0), mean(1), mean(2)]
            }
            Core::Hull(hull) if hull.facet_count() == 0 => hull.vertices()[0],
            _ => [0.0; 3],
        }
    }

    /// The point farthest along `d`, which need not be normalised, and its feature. `near` is the feature found for a
    /// similar direction; it saves time on hulls.
    #[inline(always)]
    pub fn support(&self, d: Vec3, near: u32) -> (Vec3, u32) {
        match *self {
            Core::Point => ([0.0; 3], 0),
            Core::Segment { half_length } => {
                if d[2] >= 0.0 {
                    ([0.0, 0.0, half_length], 0)
                } else {
                    ([0.0, 0.0, -half_length], 1)
                }
            }
            Core::Ellipsoid { radii } => (ellipsoid(radii, d), 0),
            Core::Cylinder { radius, half_length } => cylinder(radius, half_length, d),
            Core::Box { half } => cuboid(half, d),
            Core::Hull(hull) => {
                let vertex = hull.support(d, near);
                (hull.vertices()[vertex as usize], vertex)
            }
            Core::Prism(points) => prism(points, d),
        }
    }
}

/// Scaling the ellipsoid to the unit sphere scales the direction by the radii.
#[inline(always)]
fn ellipsoid(radii: Vec3, d: Vec3) -> Vec3 {
    let scaled = [d[0] * radii[0], d[1] * radii[1], d[2] * radii[2]];
    let length2 = dot(scaled, scaled);
    if length2 < 1e-200 {
        return [radii[0], 0.0, 0.0];
    }
    let s = 1.0 / length2.sqrt();
    [
        scaled[0] * radii[0] * s,
        scaled[1] * radii[1] * s,
        scaled[2] * radii[2] * s,
    ]
}

/// A point of a rim; the middle of a cap when the direction is along the axis. The feature is the cap: 0 above, 1 below.
#[inline(always)]
fn cylinder(radius: f64, half_length: f64, d: Vec3) -> (Vec3, u32) {
    let sideways2 = d[0] * d[0] + d[1] * d[1];
    let s = if sideways2 > 1e-30 * d[2] * d[2] {
        radius / sideways2.sqrt()
    } else {
        0.0
    };
    if d[2] >= 0.0 {
        ([d[0] * s, d[1] * s, half_length], 0)
    } else {
        ([d[0] * s, d[1] * s, -half_length], 1)
    }
}

/// A corner; the feature has a bit per positive coordinate.
#[inline(always)]
fn cuboid(half: Vec3, d: Vec3) -> (Vec3, u32) {
    let mut corner = half;
    let mut bits = 0;
    for k in 0..3 {
        if d[k] >= 0.0 {
            bits |= 1 << k;
        } else {
            corner[k] = -corner[k];
        }
    }
    (corner, bits)
}

/// The first farthest of six points.
#[inline(always)]
fn prism(points: &[Vec3; 6], d: Vec3) -> (Vec3, u32) {
    let mut best = dot(points[0], d);
    let mut vertex = 0;
    for (i, &p) in points.iter().enumerate().skip(1) {
        let height = dot(p, d);
        if height > best {
            best = height;
            vertex = i;
        }
    }
    (points[vertex], vertex as u32)
}
