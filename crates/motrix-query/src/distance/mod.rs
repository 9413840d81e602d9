//! How far two placed geoms are apart, and where.
//!
//! | shape | as a hull | as faces or corners |
//! |---|---|---|
//! | primitive, plane | itself, solid; a plane is the half-space below it | the same |
//! | mesh | its convex hull, solid | its triangles |
//! | height field | its triangles, walls and base | the same |
//!
//! Convex pairs go through closed forms and GJK ([`motrix_collide::distance`]), surfaces through the descent of their hierarchies. Distances
//! are never negative unless asked for signed: shapes that touch or overlap are 0 apart at one common point. What lies wholly inside
//! of a *closed* surface overlaps it too when surfaces are taken as solid; an open surface has no inside.

mod containment;
mod depth;
pub mod descent;
pub mod edges;
mod fit;
pub mod hierarchy;
pub mod mesh_boxes;
pub mod obb;
#[cfg(test)]
mod tests;
pub mod triangle;
pub mod walls;

use motrix_collide::vector::{Vec3, add_scaled, axis, dot, middle, norm, rotate_back, scale, sub};
use motrix_collide::{Placed, Pose, Scratch, Settings, Shape, Surface};

use crate::mesh::Mesh;
use crate::ray::Ground;
use crate::shapes::Geometry;
use containment::common_point;
pub(crate) use containment::probe;
use descent::{Compared, lowest_along, nearest, nearest_of_meshes, nearest_to};
use hierarchy::{Below, Hierarchy, NodeId, TriangleId};
use obb::Obb;
use triangle::{Near, Triangle};
use walls::Walls;

/// How distances are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Between bounding balls.
    Spheres,
    /// Between convex hulls.
    Hulls,
    /// Between corners and faces, both ways: never less than between faces.
    Corners,
    /// Between faces: exact.
    Faces,
}

/// What touching and overlapping means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Overlapping shapes are a negative distance apart: the depth of hulls, or of the deepest corner of a surface.
    pub signed: bool,
    /// Closed meshes and height fields are solid.
    pub solid: bool,
}

/// A placed geom.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// Its shape.
    pub geometry: Geometry<'a>,
    /// Its convex hull; none for terrain.
    pub convex: Option<Shape<'a>>,
    /// Where it is.
    pub pose: Pose,
}

/// How far two shapes are apart, and the points where they are nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// Distance; negative only when asked for signed.
    pub distance: f64,
    /// The point of the first in the world.
    pub on_a: Vec3,
    /// The point of the second in the world.
    pub on_b: Vec3,
}

impl Apart {
    /// Overlapping shapes that share a point.
    fn touching(point: Vec3) -> Apart {
        Apart {
            distance: 0.0,
            on_a: point,
            on_b: point,
        }
    }

    fn flipped(self) -> Apart {
        Apart {
            on_a: self.on_b,
            on_b: self.on_a,
            ..self
        }
    }
}

/// Triangles that were nearest before: which part of each surface, and which triangle.
pub type Hint = Option<((u8, u64), (u8, u64))>;

/// A surface made of triangles.
#[derive(Clone, Copy, Debug)]
enum Part<'a> {
    Mesh(&'a Mesh),
    Ground(Surface<'a>),
    Walls(Walls<'a>),
}

/// Calls a method of the surface that a part is.
macro_rules! of_part {
    ($part:expr, $surface:ident => $call:expr) => {
        match $part {
            Part::Mesh($surface) => $call,
            Part::Ground($surface) => $call,
            Part::Walls($surface) => $call,
        }
    };
}

impl Hierarchy for Part<'_> {
    fn root(&self) -> NodeId {
        of_part!(self, surface => surface.root())
    }

    fn obb(&self, node: NodeId) -> Obb {
        of_part!(self, surface => surface.obb(node))
    }

    fn below(&self, node: NodeId) -> Below {
        of_part!(self, surface => surface.below(node))
    }

    fn gaps2(&self, nodes: &[NodeId; 4], count: usize, other: &Obb) -> [f32; 4] {
        of_part!(self, surface => surface.gaps2(nodes, count, other))
    }

    fn triangle(&self, id: TriangleId) -> Triangle {
        of_part!(self, surface => surface.triangle(id))
    }

    fn count(&self) -> u64 {
        of_part!(self, surface => surface.count())
    }
}

/// How GJK ends: distances between curved shapes and triangles are this exact, metres, after at most so many steps.
const SETTINGS: Settings = Settings {
    ccd_tolerance: 1e-12,
    ccd_iterations: 200,
    multiccd: false,
    boxconvex: true,
    rules: motrix_collide::Rules::MuJoCo,
};

impl<'a> Body<'a> {
    /// The parts of its surface, when the algorithm takes it as one.
    fn parts(&self, algorithm: Algorithm) -> [Option<Part<'a>>; 2] {
        match (self.geometry, algorithm) {
            (Geometry::HField(Ground { surface, .. }), _) => {
                [Some(Part::Ground(surface)), Some(Part::Walls(Walls(surface)))]
            }
            (Geometry::Mesh(mesh), Algorithm::Corners | Algorithm::Faces) => [Some(Part::Mesh(mesh)), None],
            _ => [None, None],
        }
    }

    fn placed(&self) -> Option<Placed<'a>> {
        self.convex.map(|shape| Placed { shape, pose: self.pose })
    }

    /// The bounding ball; none for planes.
    fn ball(&self) -> Option<(Vec3, f64)> {
        let (centre, radius) = match self.geometry {
            Geometry::Mesh(mesh) => mesh.ball(),
            geometry => {
                let bounds = geometry.bounds()?;
                let radius = match geometry {
                    Geometry::Sphere { radius } => radius,
                    Geometry::Capsule { radius, half_length } => radius + half_length,
                    Geometry::Ellipsoid { radii } => radii.into_iter().fold(0.0, f64::max),
                    Geometry::Cylinder { radius, half_length } => radius.hypot(half_length),
                    _ => 0.5 * norm(sub(bounds.max, bounds.min)),
                };
                (bounds.middle(), radius)
            }
        };
        Some((self.pose.point(centre), radius))
    }
}

/// How far the bounding balls are apart: never more than what is inside of them. `None` for two planes.
pub fn between_balls(a: &Body, b: &Body) -> Option<Apart> {
    match (a.ball(), b.ball()) {
        (None, None) => None,
        (None, Some((centre, radius))) => Some(ball_over_plane(&a.pose, centre, radius)),
        (Some((centre, radius)), None) => Some(ball_over_plane(&b.pose, centre, radius).flipped()),
        (Some((p, r)), Some((q, s))) => {
            let way = sub(q, p);
            let apart = norm(way);
            // Balls about the same centre overlap in any direction.
            let u = if apart > 0.0 { scale(way, 1.0 / apart) } else { [0.0; 3] };
            let distance = apart - r - s;
            if distance > 0.0 {
                return Some(Apart {
                    distance,
                    on_a: add_scaled(p, u, r),
                    on_b: add_scaled(q, u, -s),
                });
            }
            // The middle of what both cover of the line through the centres.
            let (low, high) = ((-r).max(apart - s), r.min(apart + s));
            Some(Apart::touching(add_scaled(p, u, 0.5 * (low + high))))
        }
    }
}

/// How far a ball is above a plane.
fn ball_over_plane(plane: &Pose, centre: Vec3, radius: f64) -> Apart {
    let normal = axis(&plane.rotation, 2);
    let height = dot(normal, sub(centre, plane.position));
    let distance = height - radius;
    if distance > 0.0 {
        return Apart {
            distance,
            on_a: add_scaled(centre, normal, -height),
            on_b: add_scaled(centre, normal, -radius),
        };
    }
    // The middle of what the ball covers of its own vertical below the plane.
    let middle = 0.5 * (height - radius + (height + radius).min(0.0));
    Apart::touching(add_scaled(centre, normal, middle - height))
}

/// How far two geoms are apart. `None` for two planes, and when the hint proves nothing is nearer than `limit`.
pub fn between(
    a: &Body,
    b: &Body,
    algorithm: Algorithm,
    rules: Rules,
    limit: f64,
    hint: &mut Hint,
    scratch: &mut Scratch,
) -> Option<Apart> {
    let compared = if algorithm == Algorithm::Corners {
        Compared::Corners
    } else {
        Compared::Faces
    };
    let found = match (a.parts(algorithm), b.parts(algorithm)) {
        ([None, _], [None, _]) => return convex(a, b, rules, scratch),
        (parts_a @ [Some(_), _], parts_b @ [Some(_), _]) => surfaces(a, b, parts_a, parts_b, compared, limit, hint),
        ([None, _], parts) => surface_and_convex(b, parts, a, limit, scratch).map(Apart::flipped),
        (parts, _) => surface_and_convex(a, parts, b, limit, scratch),
    };
    let overlap = found.filter(|f| f.distance <= 0.0).or_else(|| {
        let inside = rules.solid && algorithm != Algorithm::Corners;
        inside
            .then(|| common_point(a, b, algorithm))
            .flatten()
            .map(Apart::touching)
    });
    match overlap {
        Some(touching) if rules.signed => Some(depth::deepest(a, b, algorithm, scratch).unwrap_or(touching)),
        Some(touching) => Some(touching),
        None => found,
    }
}

/// Two convex shapes.
fn convex(a: &Body, b: &Body, rules: Rules, scratch: &mut Scratch) -> Option<Apart> {
    let s = motrix_collide::distance(&a.placed()?, &b.placed()?, f64::INFINITY, &SETTINGS, scratch)?;
    if s.distance > 0.0 || rules.signed {
        return Some(Apart {
            distance: s.distance,
            on_a: s.on_a,
            on_b: s.on_b,
        });
    }
    Some(Apart::touching(middle(s.on_a, s.on_b)))
}

/// Two surfaces: every part of one with every part of the other.
fn surfaces(
    a: &Body,
    b: &Body,
    parts_a: [Option<Part>; 2],
    parts_b: [Option<Part>; 2],
    compared: Compared,
    limit: f64,
    hint: &mut Hint,
) -> Option<Apart> {
    let b_in_a = a.pose.relative(&b.pose);
    let warm = hint.take();
    let mut limit = limit * limit;
    let mut best = None;
    for (i, part_a) in parts_a.iter().flatten().enumerate() {
        for (j, part_b) in parts_b.iter().flatten().enumerate() {
            let of_these = warm.filter(|((p, _), (q, _))| (usize::from(*p), usize::from(*q)) == (i, j));
            let hint_here = of_these.map(|((_, t), (_, u))| (t, u));
            let found = match (part_a, part_b) {
                (Part::Mesh(a), Part::Mesh(b)) => nearest_of_meshes(a, b, &b_in_a, compared, hint_here, limit),
                _ => nearest::<_, _, f64>(part_a, part_b, &b_in_a, compared, hint_here, limit),
            };
            if let Some(found) = found {
                limit = found.near.d2;
                best = Some(found.near);
                *hint = Some(((i as u8, found.triangles.0), (j as u8, found.triangles.1)));
            }
        }
    }
    best.map(|near| placed(near, &a.pose))
}

/// Nearest points in the frame at `pose`, in the world.
fn placed(near: Near, pose: &Pose) -> Apart {
    let (on_a, on_b) = (pose.point(near.a), pose.point(near.b));
    if near.d2 <= 0.0 {
        Apart::touching(on_a)
    } else {
        Apart {
            distance: near.d2.sqrt(),
            on_a,
            on_b,
        }
    }
}

/// A surface and a convex shape or a plane.
fn surface_and_convex(
    surface: &Body,
    parts: [Option<Part>; 2],
    other: &Body,
    limit: f64,
    scratch: &mut Scratch,
) -> Option<Apart> {
    let at = surface.pose.relative(&other.pose);
    let shape = other.convex?;
    if let Shape::Plane = shape {
        return over_plane(&parts, &at).map(|apart| Apart {
            distance: apart.distance,
            on_a: surface.pose.point(apart.on_a),
            on_b: surface.pose.point(apart.on_b),
        });
    }
    let Core { segment, radius } = Core::of(&shape, &at);
    let reach = limit + radius;
    let mut limit = reach * reach;
    let mut best: Option<Near> = None;
    let around = box_of(other, &at)?;
    for part in parts.iter().flatten() {
        let mut measure = |t: &Triangle, limit: f64| match segment {
            Some(segment) => triangle::nearest(t, &segment, limit),
            None => triangle_and_convex(t, &shape, &at, limit, scratch),
        };
        let found = match part {
            Part::Mesh(mesh) => nearest_to(*mesh, &around, limit, &mut measure),
            _ => nearest_to(part, &around, limit, &mut measure),
        };
        if let Some(near) = found {
            limit = near.d2;
            best = Some(near);
        }
    }
    best.map(|near| rounded(near, radius, &surface.pose))
}

/// The core of a ball or capsule as a triangle with repeated corners, and its rounding.
struct Core {
    segment: Option<Triangle>,
    radius: f64,
}

impl Core {
    fn of(shape: &Shape, at: &Pose) -> Core {
        match *shape {
            Shape::Sphere { radius } => Core {
                segment: Some([at.position; 3]),
                radius,
            },
            Shape::Capsule { radius, half_length } => {
                let [low, high] = [-half_length, half_length].map(|z| at.point([0.0, 0.0, z]));
                Core {
                    segment: Some([low, high, high]),
                    radius,
                }
            }
            _ => Core {
                segment: None,
                radius: 0.0,
            },
        }
    }
}

/// The nearest points of a surface and a rounded core, in the world.
fn rounded(near: Near, radius: f64, pose: &Pose) -> Apart {
    let core_distance = near.d2.max(0.0).sqrt();
    let distance = core_distance - radius;
    if distance <= 0.0 {
        return Apart::touching(pose.point(near.a));
    }
    let on_b = add_scaled(near.b, sub(near.a, near.b), radius / core_distance);
    Apart {
        distance,
        on_a: pose.point(near.a),
        on_b: pose.point(on_b),
    }
}

/// The nearest points of a triangle and a solid convex shape, by GJK.
fn triangle_and_convex(t: &Triangle, shape: &Shape, at: &Pose, limit: f64, scratch: &mut Scratch) -> Option<Near> {
    let [a, b, c] = *t;
    let prism = [a, b, c, a, b, c];
    let first = Placed {
        shape: Shape::Prism(&prism),
        pose: Pose::IDENTITY,
    };
    let second = Placed {
        shape: *shape,
        pose: *at,
    };
    let s = motrix_collide::distance(&first, &second, limit.sqrt(), &SETTINGS, scratch)?;
    if s.distance > 0.0 {
        let d2 = s.distance * s.distance;
        return (d2 < limit).then_some(Near {
            d2,
            a: s.on_a,
            b: s.on_b,
        });
    }
    let point = middle(s.on_a, s.on_b);
    Some(Near {
        d2: 0.0,
        a: point,
        b: point,
    })
}

/// The box around a bounded shape placed at `at`; balls and capsules by their cores.
fn box_of(other: &Body, at: &Pose) -> Option<Obb> {
    let half: Vec3 = match other.convex? {
        Shape::Sphere { .. } => [0.0; 3],
        Shape::Capsule { half_length, .. } => [0.0, 0.0, half_length],
        _ => {
            let bounds = other.geometry.bounds()?;
            let half = std::array::from_fn(|k| 0.5 * (bounds.max[k] - bounds.min[k]));
            return Some(Obb::new(at.point(bounds.middle()), half, &transposed(at)));
        }
    };
    Some(Obb::new(at.position, half, &transposed(at)))
}

/// The axes of a pose one after the other.
fn transposed(pose: &Pose) -> [f64; 9] {
    std::array::from_fn(|i| pose.rotation[3 * (i % 3) + i / 3])
}

/// The lowest corner of a surface over a plane, in the frame of the surface.
fn over_plane(parts: &[Option<Part>; 2], plane: &Pose) -> Option<Apart> {
    let normal = axis(&plane.rotation, 2);
    let mut lowest: Option<(f64, Vec3)> = None;
    for part in parts.iter().flatten() {
        let below = lowest.map_or(f64::INFINITY, |(height, _)| height);
        lowest = lowest_along(part, normal, plane.position, below).or(lowest);
    }
    let (height, point) = lowest?;
    if height <= 0.0 {
        return Some(Apart::touching(point));
    }
    Some(Apart {
        distance: height,
        on_a: point,
        on_b: add_scaled(point, normal, -height),
    })
}

/// A point of the world in the frame at a pose.
fn local(pose: &Pose, p: Vec3) -> Vec3 {
    rotate_back(&pose.rotation, sub(p, pose.position))
}
