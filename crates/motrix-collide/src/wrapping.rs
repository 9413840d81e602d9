//! The shortest way between two points around a sphere or an infinite cylinder.
//!
//! Both cases are a circle in a plane: the plane of the points and the centre for a sphere, the cross section for a cylinder,
//! whose path then climbs in proportion to the length travelled. A side point chooses on which side the path passes, as MuJoCo
//! 4.0 does; a side point *inside* the shape asks for a path that touches it from within (MuJoCo documentation, "Tendon:
//! spatial").

use std::f64::consts::{FRAC_PI_2, TAU};

use crate::shape::Pose;
use crate::vector::{TINY, Vec3, add_scaled, cross, dot, norm, rotate_back, scale, sub};

/// A point of the plane.
type Point = [f64; 2];

/// What a path bends around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrapShape {
    /// A ball about the origin.
    Sphere,
    /// An infinite cylinder along local z.
    Cylinder,
}

/// The curved part of a path: where it meets the surface, where it leaves, and how long it is in between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// First point on the surface.
    pub start: Vec3,
    /// Last point on the surface.
    pub end: Vec3,
    /// Length between them.
    pub length: f64,
}

/// The arc by which the path from `from` to `to` bends around a shape, or none when the straight line is free.
pub fn wrap(shape: WrapShape, pose: &Pose, radius: f64, from: Vec3, to: Vec3, side: Option<Vec3>) -> Option<Arc> {
    let local = |p: Vec3| rotate_back(&pose.rotation, sub(p, pose.position));
    let (p0, p1) = (local(from), local(to));
    if norm(p0) < TINY || norm(p1) < TINY {
        return None;
    }
    let axes = match shape {
        WrapShape::Sphere => plane_of(p0, p1),
        WrapShape::Cylinder => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    };
    let project = |p: Vec3| [dot(p, axes[0]), dot(p, axes[1])];
    let ends = [project(p0), project(p1)];
    let side = side.map(local);
    let (points, mut length) = match side {
        Some(s) if norm(s) < radius => touch_from_inside(ends, radius)?,
        _ => {
            let side = side.map(|s| unit(project(s)));
            around_circle(ends, side, radius)?
        }
    };
    let mut surface = points.map(|p| add_scaled(scale(axes[0], p[0]), axes[1], p[1]));
    if shape == WrapShape::Cylinder {
        // The path climbs in proportion to the distance travelled in the cross section.
        let before = length_of([p0[0] - surface[0][0], p0[1] - surface[0][1]]);
        let after = length_of([p1[0] - surface[1][0], p1[1] - surface[1][1]]);
        let slope = (p1[2] - p0[2]) / (before + length + after);
        surface[0][2] = p0[2] + slope * before;
        surface[1][2] = p0[2] + slope * (before + length);
        length = length_of([length, surface[1][2] - surface[0][2]]);
    }
    let [start, end] = surface.map(|p| pose.point(p));
    Some(Arc { start, end, length })
}

/// Orthonormal axes of the plane through the origin, `p0` and `p1`, the first along `p0`.
fn plane_of(p0: Vec3, p1: Vec3) -> [Vec3; 2] {
    let first = scale(p0, 1.0 / norm(p0));
    let mut normal = cross(p0, p1);
    if norm(normal) < TINY {
        // Parallel: any plane that contains p0.
        let largest = (1..3).fold(0, |best, i| if first[i].abs() > first[best].abs() { i } else { best });
        let mut other = [1.0; 3];
        other[largest] = 0.0;
        normal = cross(first, other);
    }
    let second = cross(scale(normal, 1.0 / norm(normal)), first);
    [first, scale(second, 1.0 / norm(second))]
}

/// Tangent points of the path around the outside of a circle, and its length on the circle.
///
/// With a side point the path must not cross the ray that leads from the centre away from it. When the straight line does,
/// the path goes around the circle the other way, however long that is; otherwise it is the shortest one.
fn around_circle(ends: [Point; 2], side: Option<Point>, radius: f64) -> Option<([Point; 2], f64)> {
    let squares = ends.map(|e| dot2(e, e));
    let square_radius = radius * radius;
    let along = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]];
    let distance2 = dot2(along, along);
    if squares.iter().any(|&s| s < square_radius) || radius < TINY || distance2 < TINY {
        return None;
    }
    let blocked = side.is_some_and(|s| crosses_ray(ends, along, [-s[0], -s[1]]));
    let t = (-dot2(along, ends[0]) / distance2).clamp(0.0, 1.0);
    let nearest = [ends[0][0] + t * along[0], ends[0][1] + t * along[1]];
    if !blocked && dot2(nearest, nearest) > square_radius {
        return None;
    }
    let tangent = |e: Point, square: f64, sign: f64| {
        let root = (square - square_radius).sqrt();
        [
            (e[0] * square_radius + sign * radius * e[1] * root) / square,
            (e[1] * square_radius - sign * radius * e[0] * root) / square,
        ]
    };
    // The two ways around, clockwise and counterclockwise; a way whose straight parts cross is not one.
    let ways = [1.0, -1.0].map(|sign| [tangent(ends[0], squares[0], sign), tangent(ends[1], squares[1], -sign)]);
    let crossed = ways.map(|[a, b]| segments_cross(ends[0], a, ends[1], b));
    let chord2 = ways.map(|[a, b]| dot2([a[0] - b[0], a[1] - b[1]], [a[0] - b[0], a[1] - b[1]]));
    let turn = cross2(ends[0], ends[1]);
    let clockwise = match (blocked, side) {
        // A line through the centre passes on neither side of it: the path goes the way of the side point.
        (_, Some(side)) if turn.abs() < TINY => cross2(ends[0], side) < 0.0,
        (true, _) => turn > 0.0,
        // Of the two, the shorter one has the shorter chord, for together they are less than a full circle.
        (false, _) => chord2[0] < chord2[1],
    };
    let chosen = usize::from(!clockwise);
    if crossed[chosen] {
        return None;
    }
    let [a, b] = ways[chosen];
    let mut angle = dot2(unit(a), unit(b)).clamp(-1.0, 1.0).acos();
    let turn = cross2(a, b);
    // Only a path that is sent the other way can be longer than half the circle. On others the sign of a vanishing turn is noise.
    if blocked && ((turn > 0.0 && clockwise) || (turn < 0.0 && !clockwise)) {
        angle = TAU - angle;
    }
    Some(([a, b], radius * angle))
}

/// Whether the segment from the first end, `along` to the second, crosses the ray from the origin along `ray`.
fn crosses_ray(ends: [Point; 2], along: Point, ray: Point) -> bool {
    let sides = ends.map(|e| cross2(ray, e));
    if (sides[0] > 0.0) == (sides[1] > 0.0) {
        return false;
    }
    let t = sides[0] / (sides[0] - sides[1]);
    dot2([ends[0][0] + t * along[0], ends[0][1] + t * along[1]], ray) > 0.0
}

/// The point at which a path touches a circle from within, as a path of no length on the circle: both halves leave the
/// circle at equal angles. With A = r/|e₀|, B = r/|e₁| and G the angle between the ends, Newton's method finds
/// asin(A sin t) + asin(B sin t) − 2t + G = 0; where it fails the path passes through the middle.
fn touch_from_inside(ends: [Point; 2], radius: f64) -> Option<([Point; 2], f64)> {
    let lengths = ends.map(length_of);
    if lengths.iter().any(|&l| l <= radius || l < TINY) || radius < TINY {
        return None;
    }
    let along = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]];
    let distance2 = dot2(along, along);
    if distance2 > TINY {
        let t = -dot2(along, ends[0]) / distance2;
        let nearest = [ends[0][0] + t * along[0], ends[0][1] + t * along[1]];
        if t > 0.0 && t < 1.0 && length_of(nearest) <= radius {
            return None;
        }
    }
    let cos = (lengths[0] * lengths[0] + lengths[1] * lengths[1] - distance2) / (2.0 * lengths[0] * lengths[1]);
    if cos < -1.0 + TINY {
        return None;
    }
    let (a, b) = (radius / lengths[0], radius / lengths[1]);
    let touch = match equal_angles(a, b, cos) {
        Some(t) => {
            // Turn from the end that lies clockwise of the other.
            let (start, angle) = if cross2(ends[0], ends[1]) > 0.0 {
                (unit(ends[0]), t - (a * t.sin()).asin())
            } else {
                (unit(ends[1]), t - (b * t.sin()).asin())
            };
            let (sin, cos) = angle.sin_cos();
            [cos * start[0] - sin * start[1], sin * start[0] + cos * start[1]]
        }
        None => unit([0.5 * (ends[0][0] + ends[1][0]), 0.5 * (ends[0][1] + ends[1][1])]),
    };
    Some(([scaled(touch, radius); 2], 0.0))
}

/// The root t of asin(A sin t) + asin(B sin t) − 2t + acos(`cos`) = 0, approached from a right angle; none when the iteration fails.
fn equal_angles(a: f64, b: f64, cos: f64) -> Option<f64> {
    /// Iterations after which the search is given up.
    const MOST_ITERATIONS: usize = 20;
    /// Residual at which it stops, radians. The last step squares it.
    const TOLERANCE: f64 = 1e-6;
    if cos > 1.0 - TINY {
        return None;
    }
    let gap = cos.acos();
    let residual = |t: f64| (a * t.sin()).asin() + (b * t.sin()).asin() - 2.0 * t + gap;
    let slope_of = |k: f64, t: f64| k * t.cos() / (1.0 - (k * t.sin()).powi(2)).sqrt().max(TINY);
    let mut t = FRAC_PI_2;
    let mut f = residual(t);
    if f > 0.0 {
        return None;
    }
    for _ in 0..MOST_ITERATIONS {
        if f.abs() <= TOLERANCE {
            return Some(t);
        }
        let slope = slope_of(a, t) + slope_of(b, t) - 2.0;
        let next = t - f / slope;
        if slope > -TINY || next > t {
            return None;
        }
        t = next;
        f = residual(t);
        if f > TOLERANCE {
            return None;
        }
    }
    None
}

/// Whether the segments `a`–`b` and `c`–`d` cross.
fn segments_cross(a: Point, b: Point, c: Point, d: Point) -> bool {
    let determinant = (d[1] - c[1]) * (b[0] - a[0]) - (d[0] - c[0]) * (b[1] - a[1]);
    if determinant.abs() < TINY {
        return false;
    }
    let s = ((d[0] - c[0]) * (a[1] - c[1]) - (d[1] - c[1]) * (a[0] - c[0])) / determinant;
    let t = ((b[0] - a[0]) * (a[1] - c[1]) - (b[1] - a[1]) * (a[0] - c[0])) / determinant;
    (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t)
}

fn dot2(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// The angle from `a` to `b` is counterclockwise when this is positive.
fn cross2(a: Point, b: Point) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

fn length_of(a: Point) -> f64 {
    dot2(a, a).sqrt()
}

fn scaled(a: Point, s: f64) -> Point {
    [s * a[0], s * a[1]]
}

/// Unit vector along `a`; the x axis when `a` has no direction.
fn unit(a: Point) -> Point {
    let length = length_of(a);
    if length < TINY {
        [1.0, 0.0]
    } else {
        scaled(a, 1.0 / length)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn a_quarter_turn_around_a_cylinder_is_a_quarter_of_its_circumference() {
        // From the left over the top, down the right side.
        let side = Some([2.0, 2.0, 0.0]);
        let arc = wrap(
            WrapShape::Cylinder,
            &Pose::IDENTITY,
            1.0,
            [-3.0, 1.0, 0.0],
            [1.0, -3.0, 0.0],
            side,
        )
        .unwrap();
        assert!((arc.length - FRAC_PI_2).abs() < 1e-12, "{}", arc.length);
    }

    #[test]
    fn a_helix_is_longer_than_its_cross_section() {
        let (from, to, side) = ([-1.0, 0.0, 0.0], [1.0, 0.0, 2.0], Some([0.0, 3.0, 0.0]));
        let length = wrap(WrapShape::Cylinder, &Pose::IDENTITY, 1.0, from, to, side)
            .unwrap()
            .length;
        assert!((length - (PI * PI + 4.0).sqrt()).abs() < 1e-12, "{length}");
    }

    #[test]
    fn a_path_on_the_far_side_goes_all_the_way_round() {
        // Both ends left of the circle, the side point right of it: the path encloses the circle.
        let (from, to, side) = ([-2.0, 0.5, 0.0], [-2.0, -0.5, 0.0], Some([3.0, 0.0, 0.0]));
        let arc = wrap(WrapShape::Cylinder, &Pose::IDENTITY, 1.0, from, to, side).unwrap();
        assert!(arc.length > PI, "{}", arc.length);
        // A straight line that stays on one side of the far ray is free.
        let to = [-0.5, 2.0, 0.0];
        assert_eq!(wrap(WrapShape::Cylinder, &Pose::IDENTITY, 1.0, from, to, side), None);
    }

    #[test]
    fn a_line_through_the_axis_passes_on_the_side_of_the_side_point() {
        let (from, to) = ([-2.0, 0.0, 0.0], [3.0, 0.0, 0.0]);
        for side in [1.0, -1.0] {
            let side = [0.3, side, 0.0];
            let arc = wrap(WrapShape::Cylinder, &Pose::IDENTITY, 1.0, from, to, Some(side)).unwrap();
            assert!(
                arc.start[1] * side[1] > 0.0 && arc.end[1] * side[1] > 0.0,
                "{arc:?} for {side:?}"
            );
            // What is left of half a turn between the two tangents.
            let expected = PI - (0.5f64).acos() - (1.0f64 / 3.0).acos();
            assert!((arc.length - expected).abs() < 1e-12, "{}", arc.length);
        }
    }

    #[test]
    fn a_path_that_barely_touches_never_turns_a_full_circle() {
        // Lines that graze the circle from either side of a rounding: arcs shrink to nothing.
        for k in 0..200 {
            let depth = 1.0 - f64::EPSILON * f64::from(k);
            for (from, to) in [
                ([-2.0, depth, 0.0], [3.0, depth, 0.1]),
                ([3.0, depth, 0.1], [-2.0, depth, 0.0]),
            ] {
                for side in [None, Some([0.1, 3.0, 0.0])] {
                    let arc = wrap(WrapShape::Cylinder, &Pose::IDENTITY, 1.0, from, to, side);
                    assert!(arc.is_none_or(|arc| arc.length < 1e-6), "{k}: {arc:?}");
                }
            }
        }
    }

    #[test]
    fn a_line_that_misses_the_sphere_stays_straight() {
        assert!(
            wrap(
                WrapShape::Sphere,
                &Pose::IDENTITY,
                1.0,
                [-3.0, 1.5, 0.0],
                [3.0, 1.5, 0.0],
                None
            )
            .is_none()
        );
    }

    #[test]
    fn a_path_that_touches_from_within_leaves_at_equal_angles() {
        // Law of reflection at the touching point, to the tolerance of the search (1e-6 rad).
        let (from, to) = ([2.0, 0.5, 0.0], [0.3, 1.7, 0.0]);
        let arc = wrap(
            WrapShape::Cylinder,
            &Pose::IDENTITY,
            1.0,
            from,
            to,
            Some([0.0, 0.1, 0.0]),
        )
        .unwrap();
        let touch = arc.start;
        assert_eq!((touch, arc.length), (arc.end, 0.0));
        let angle = |end: Vec3| {
            let away = sub(end, touch);
            (dot(away, touch) / (norm(away) * norm(touch))).acos()
        };
        let difference = angle(from) - angle(to);
        assert!(difference.abs() < 1e-5, "{difference}");
    }
}
