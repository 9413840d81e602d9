//! Signed distance between two shapes: how far apart they are, or how deep they overlap, where, and in which direction.

use crate::contact::Settings;
use crate::depth::WayOut;
use crate::direction;
use crate::gjk::{self, Outcome};
use crate::manifold::ClipBuffer;
use crate::minkowski::Pair;
use crate::polytope::Polytope;
use crate::round_hull;
use crate::shape::{Placed, Pose, Shape};
use crate::simplex::Simplex;
use crate::support::Rounded;
use crate::vector::{Vec3, add_scaled, axis, dot, neg, norm, rotate_back, scale, sub};

/// How closely, relative to the size of the shapes, a way out is known before it is asked where exactly it ends.
const COARSE: f64 = 1e-2;

/// Working memory of the convex algorithms. It grows in the first few calls and is reused from then on; results do not depend
/// on what it holds.
#[derive(Debug, Default)]
pub struct Scratch {
    simplex: Simplex,
    pub(crate) polytope: Polytope,
    pub(crate) clip: ClipBuffer,
}

impl Scratch {
    /// Empty working memory.
    #[inline(always)]
    pub fn new() -> Scratch {
        Scratch::default()
    }
}

/// The nearest points of two shapes, or the deepest ones when they overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Distance along the normal; negative when the shapes overlap.
    pub distance: f64,
    /// The point of the first shape.
    pub on_a: Vec3,
    /// The point of the second shape.
    pub on_b: Vec3,
    /// Unit direction from the first shape to the second; `on_b` = `on_a` + `distance` · `normal`.
    pub normal: Vec3,
}

impl Separation {
    fn flipped(self) -> Separation {
        Separation {
            on_a: self.on_b,
            on_b: self.on_a,
            normal: neg(self.normal),
            ..self
        }
    }
}

/// Signed distance between two shapes, in the frame their poses are given in; `None` when they are farther apart than
/// `max_distance`, or when both are planes.
pub fn distance(
    a: &Placed,
    b: &Placed,
    max_distance: f64,
    settings: &Settings,
    scratch: &mut Scratch,
) -> Option<Separation> {
    let separation = match (a.shape, b.shape) {
        (Shape::Plane, Shape::Plane) => return None,
        (Shape::Plane, _) => above_plane(&a.pose, b)?,
        (_, Shape::Plane) => above_plane(&b.pose, a)?.flipped(),
        _ => {
            let pair = Pair::new(a, b)?;
            let touch = nearest(&pair, max_distance + pair.radius(), settings, scratch).ok()?;
            touch.rounded(&pair).placed(&a.pose)
        }
    };
    (separation.distance <= max_distance).then_some(separation)
}

/// Distance of a bounded shape from the plane at `plane`.
fn above_plane(plane: &Pose, b: &Placed) -> Option<Separation> {
    let normal = axis(&plane.rotation, 2);
    let Rounded { core, radius } = Rounded::new(&b.shape)?;
    let (lowest, _) = core.support(rotate_back(&b.pose.rotation, neg(normal)), 0);
    let on_b = add_scaled(b.pose.point(lowest), normal, -radius);
    let distance = dot(normal, sub(on_b, plane.position));
    Some(Separation {
        distance,
        on_a: add_scaled(on_b, normal, -distance),
        on_b,
        normal,
    })
}

/// Nearest or deepest place of two cores, in the frame of the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub distance: f64,
    pub normal: Vec3,
    /// The points of A and of B.
    pub a: Vec3,
    pub b: Vec3,
    /// Features of the support points around the place, as many as `count`.
    pub features_a: [u32; 3],
    pub features_b: [u32; 3],
    pub count: usize,
}

/// The cores are farther apart than asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Apart {
    /// A direction from A to B, of any length, that separates them, where the search knows one.
    pub axis: Option<Vec3>,
}

/// Finds where two cores are nearest or overlap, unless they are farther apart than `limit`.
#[inline(always)]
pub(crate) fn nearest(pair: &Pair, limit: f64, settings: &Settings, scratch: &mut Scratch) -> Result<Touch, Apart> {
    // No closures around what is large: one that the compiler does not inline is compiled without the caller's instructions.
    if let Some(certain) = direction::nearest(pair, limit) {
        return certain;
    }
    if let Some(certain) = round_hull::nearest(pair, limit) {
        return certain;
    }
    let Settings {
        ccd_tolerance,
        ccd_iterations,
        ..
    } = *settings;
    let Scratch { simplex, polytope, .. } = scratch;
    let outcome = if limit > 0.0 {
        gjk::nearest(pair, limit, ccd_tolerance, ccd_iterations, simplex)
    } else {
        gjk::overlap(pair, ccd_iterations, simplex)
    };
    match outcome {
        Outcome::Apart { axis } => Err(Apart { axis: Some(axis) }),
        Outcome::Separated { x } => {
            let distance = norm(x);
            if distance > limit {
                return Err(Apart { axis: Some(neg(x)) });
            }
            let (a, b) = simplex.witnesses();
            let [first, second, third] = [simplex.vertex(0), simplex.vertex(1), simplex.vertex(2)];
            let normal = scale(x, -1.0 / distance);
            Ok(Touch {
                distance,
                normal,
                a,
                b,
                features_a: [first.feature_a, second.feature_a, third.feature_a],
                features_b: [first.feature_b, second.feature_b, third.feature_b],
                count: simplex.count().min(3),
            })
        }
        Outcome::Overlapping => {
            let way_out = WayOut::start(pair, simplex, ccd_iterations, polytope);
            let touch = deepest(pair, way_out, ccd_tolerance);
            if touch.distance > limit {
                Err(Apart { axis: None })
            } else {
                Ok(touch)
            }
        }
    }
}

/// Follows the way out of an overlap to its end.
#[inline(always)]
fn deepest(pair: &Pair, way_out: Result<WayOut, Touch>, tolerance: f64) -> Touch {
    let found = match way_out {
        Err(flat) => flat,
        Ok(mut way_out) => {
            // The last steps towards a curved surface are many, and needless where it is certain from nearby what they lead to.
            let mut part = if round_hull::may_settle(pair) { COARSE } else { 0.0 };
            loop {
                let found = way_out.to(tolerance, part);
                if part == 0.0 {
                    break found;
                }
                if let Some(settled) = round_hull::settled(pair, &found) {
                    return settled;
                }
                part = 0.0;
            }
        }
    };
    // Manifolds need a direction that is better than the root of the tolerance: whether a line of a cylinder grazes a face or
    // misses it hangs on less.
    match direction::refined(pair, &found, tolerance) {
        Some(refined) => refined,
        None => round_hull::refined(pair, &found, tolerance).unwrap_or(found),
    }
}

impl Touch {
    /// The same place between the rounded shapes, in the frame of A.
    #[inline(always)]
    pub fn rounded(&self, pair: &Pair) -> Separation {
        Separation {
            distance: self.distance - pair.radius(),
            on_a: add_scaled(self.a, self.normal, pair.a.radius),
            on_b: add_scaled(self.b, self.normal, -pair.b.radius),
            normal: self.normal,
        }
    }
}

impl Separation {
    /// From a frame to the frame its pose is given in.
    #[inline(always)]
    pub(crate) fn placed(self, pose: &Pose) -> Separation {
        Separation {
            on_a: pose.point(self.on_a),
            on_b: pose.point(self.on_b),
            normal: pose.direction(self.normal),
            ..self
        }
    }
}
