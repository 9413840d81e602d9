//! The shortest way around a sphere or an infinite cylinder, between two points.
//!
//! Both cases are a circle in a plane: the plane of the points and the centre for a sphere, the cross section for a cylinder,
//! whose path then climbs in proportion to the length travelled. A side site chooses on which side the tendon passes; a side
//! site *inside* the shape asks for a path that touches it from within (MuJoCo documentation, "Tendon: spatial").

use std::f64::consts::TAU;

use motrix_model::Vec3;

use super::kinematics::Frame;
use crate::build::pose::{add, apply, apply_transposed, cross, dot, norm, scale, sub};

/// Numbers below this are zero (`mjMINVAL`).
const MIN: f64 = 1e-15;

type Point = [f64; 2];

/// What a tendon wraps around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A sphere.
    Sphere,
    /// A cylinder along local z.
    Cylinder,
}

/// The curved part of a path: where it meets the surface, where it leaves, and how long it is in between.
#[derive(Clone, Copy, Debug)]
pub struct Arc {
    /// First point on the surface.
    pub start: Vec3,
    /// Last point on the surface.
    pub end: Vec3,
    /// Length between them.
    pub length: f64,
}

/// The arc by which the path from `from` to `to` goes around a shape, or none when the straight line is free.
pub fn around(shape: Shape, frame: &Frame, radius: f64, from: Vec3, to: Vec3, side: Option<Vec3>) -> Option<Arc> {
    let local = |p: Vec3| apply_transposed(&frame.rotation, sub(p, frame.position));
    let (p0, p1) = (local(from), local(to));
    if norm(p0) < MIN || norm(p1) < MIN {
        return None;
    }
    let axes = match shape {
        Shape::Sphere => plane_of(p0, p1),
        Shape::Cylinder => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    };
    let project = |p: Vec3| [dot(p, axes[0]), dot(p, axes[1])];
    let ends = [project(p0), project(p1)];
    let side = side.map(local);
    let (points, mut length) = match side {
        Some(s) if norm(s) < radius => touch_from_inside(ends, radius)?,
        _ => {
            let side = side.map(|s| scaled(unit(project(s)), radius));
            around_circle(ends, side, radius)?
        }
    };
    let mut on_surface = points.map(|p| add(scale(p[0], axes[0]), scale(p[1], axes[1])));
    if shape == Shape::Cylinder {
        // climb in proportion to the distance travelled in the cross section
        let before = (p0[0] - on_surface[0][0]).hypot(p0[1] - on_surface[0][1]);
        let after = (p1[0] - on_surface[1][0]).hypot(p1[1] - on_surface[1][1]);
        let slope = (p1[2] - p0[2]) / (before + length + after);
        on_surface[0][2] = p0[2] + slope * before;
        on_surface[1][2] = p0[2] + slope * (before + length);
        length = length.hypot(on_surface[1][2] - on_surface[0][2]);
    }
    let [start, end] = on_surface.map(|p| add(frame.position, apply(&frame.rotation, p)));
    Some(Arc { start, end, length })
}

/// Orthonormal axes of the plane through the origin, `p0` and `p1`, the first along `p0`.
fn plane_of(p0: Vec3, p1: Vec3) -> [Vec3; 2] {
    let first = scale(1.0 / norm(p0), p0);
    let mut normal = cross(p0, p1);
    if norm(normal) < MIN {
        // parallel: any plane that contains p0
        let largest = (1..3).fold(0, |best, i| if first[i].abs() > first[best].abs() { i } else { best });
        let mut other = [1.0; 3];
        other[largest] = 0.0;
        normal = cross(first, other);
    }
    let second = cross(scale(1.0 / norm(normal), normal), first);
    [first, scale(1.0 / norm(second), second)]
}

/// Tangent points of the path around the outside of a circle, and its length on the circle.
fn around_circle(ends: [Point; 2], side: Option<Point>, radius: f64) -> Option<([Point; 2], f64)> {
    let squares = ends.map(|e| dot2(e, e));
    let square_radius = radius * radius;
    let inside = squares.iter().any(|&square| square < square_radius);
    let along = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]];
    let distance2 = dot2(along, along);
    if inside || radius < MIN || distance2 < MIN {
        return None;
    }
    // the straight line is free when it misses the circle on the wanted side
    let t = (-dot2(along, ends[0]) / distance2).clamp(0.0, 1.0);
    let nearest = [ends[0][0] + t * along[0], ends[0][1] + t * along[1]];
    if dot2(nearest, nearest) > square_radius && side.is_none_or(|s| dot2(s, nearest) >= 0.0) {
        return None;
    }
    let tangent = |e: Point, square: f64, sign: f64| {
        let root = (square - square_radius).sqrt();
        [
            (e[0] * square_radius + sign * radius * e[1] * root) / square,
            (e[1] * square_radius - sign * radius * e[0] * root) / square,
        ]
    };
    // two ways around: keep the one on the wanted side, or the shorter one
    let ways = [1.0, -1.0].map(|sign| [tangent(ends[0], squares[0], sign), tangent(ends[1], squares[1], -sign)]);
    let merit = ways.map(|[a, b]| {
        if segments_cross(ends[0], a, ends[1], b) {
            return -10_000.0;
        }
        match side {
            Some(s) => dot2(unit([a[0] + b[0], a[1] + b[1]]), s),
            None => -dot2([a[0] - b[0], a[1] - b[1]], [a[0] - b[0], a[1] - b[1]]),
        }
    });
    let chosen = if merit[0] > merit[1] { 0 } else { 1 };
    let [a, b] = ways[chosen];
    if segments_cross(ends[0], a, ends[1], b) {
        return None;
    }
    let clockwise = a[1] * b[0] - a[0] * b[1];
    let mut angle = dot2(unit(a), unit(b)).clamp(-1.0, 1.0).acos();
    if (clockwise > 0.0 && chosen == 1) || (clockwise < 0.0 && chosen == 0) {
        angle = TAU - angle;
    }
    Some(([a, b], radius * angle))
}

/// The point at which a path touches a circle from within: equal angles on both sides, found by Newton's method on
/// asin(A z) + asin(B z) − 2 asin(z) + G = 0. The length on the circle is zero.
fn touch_from_inside(ends: [Point; 2], radius: f64) -> Option<([Point; 2], f64)> {
    const MOST_ITERATIONS: usize = 20;
    const TOLERANCE: f64 = 1e-6;
    let lengths = ends.map(|e| dot2(e, e).sqrt());
    if lengths.iter().any(|&l| l <= radius || l < MIN) || radius < MIN {
        return None;
    }
    let along = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]];
    let distance2 = dot2(along, along);
    if distance2 > MIN {
        let t = -dot2(along, ends[0]) / distance2;
        let nearest = [ends[0][0] + t * along[0], ends[0][1] + t * along[1]];
        if t > 0.0 && t < 1.0 && dot2(nearest, nearest).sqrt() <= radius {
            return None;
        }
    }
    let middle = scaled(
        unit([0.5 * (ends[0][0] + ends[1][0]), 0.5 * (ends[0][1] + ends[1][1])]),
        radius,
    );
    let fallback = Some(([middle; 2], 0.0));

    let (a, b) = (radius / lengths[0], radius / lengths[1]);
    let cos = (lengths[0] * lengths[0] + lengths[1] * lengths[1] - distance2) / (2.0 * lengths[0] * lengths[1]);
    if cos < -1.0 + MIN {
        return None;
    }
    if cos > 1.0 - MIN {
        return fallback;
    }
    let gap = cos.acos();
    let residual = |z: f64| (a * z).asin() + (b * z).asin() - 2.0 * z.asin() + gap;
    let slope_of = |k: f64, z: f64| k / (1.0 - z * z * k * k).sqrt().max(MIN);
    let mut z = 1.0 - 1e-7;
    let mut f = residual(z);
    if f > 0.0 {
        return fallback;
    }
    let mut iterations = 0;
    while iterations < MOST_ITERATIONS && f.abs() > TOLERANCE {
        let slope = slope_of(a, z) + slope_of(b, z) - 2.0 * slope_of(1.0, z);
        let next = z - f / slope;
        if slope > -MIN || next > z {
            return fallback;
        }
        z = next;
        f = residual(z);
        if f > TOLERANCE {
            return fallback;
        }
        iterations += 1;
    }
    if iterations >= MOST_ITERATIONS {
        return fallback;
    }
    let (start, angle) = if ends[0][0] * ends[1][1] - ends[0][1] * ends[1][0] > 0.0 {
        (unit(ends[0]), z.asin() - (a * z).asin())
    } else {
        (unit(ends[1]), z.asin() - (b * z).asin())
    };
    let (sin, cos) = angle.sin_cos();
    let touch = scaled(
        [cos * start[0] - sin * start[1], sin * start[0] + cos * start[1]],
        radius,
    );
    Some(([touch; 2], 0.0))
}

/// Whether the segments `a`–`b` and `c`–`d` cross.
fn segments_cross(a: Point, b: Point, c: Point, d: Point) -> bool {
    let determinant = (d[1] - c[1]) * (b[0] - a[0]) - (d[0] - c[0]) * (b[1] - a[1]);
    if determinant.abs() < MIN {
        return false;
    }
    let s = ((d[0] - c[0]) * (a[1] - c[1]) - (d[1] - c[1]) * (a[0] - c[0])) / determinant;
    let t = ((b[0] - a[0]) * (a[1] - c[1]) - (b[1] - a[1]) * (a[0] - c[0])) / determinant;
    (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t)
}

fn dot2(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn scaled(a: Point, s: f64) -> Point {
    [s * a[0], s * a[1]]
}

/// Unit vector along `a`; the x axis when `a` has no direction.
fn unit(a: Point) -> Point {
    let length = dot2(a, a).sqrt();
    if length < MIN {
        [1.0, 0.0]
    } else {
        scaled(a, 1.0 / length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    const UPRIGHT: Frame = Frame {
        position: [0.0; 3],
        rotation: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    };

    #[test]
    fn a_quarter_turn_around_a_cylinder_is_a_quarter_of_its_circumference() {
        // from the left over the top, down the right side
        let side = Some([2.0, 2.0, 0.0]);
        let arc = around(Shape::Cylinder, &UPRIGHT, 1.0, [-3.0, 1.0, 0.0], [1.0, -3.0, 0.0], side).unwrap();
        assert!((arc.length - FRAC_PI_2).abs() < 1e-12, "{}", arc.length);
    }

    #[test]
    fn a_helix_is_longer_than_its_cross_section() {
        let arc = around(
            Shape::Cylinder,
            &UPRIGHT,
            1.0,
            [-1.0, 0.0, 0.0],
            [1.0, 0.0, 2.0],
            Some([0.0, 3.0, 0.0]),
        );
        let length = arc.unwrap().length;
        assert!((length - (PI * PI + 4.0).sqrt()).abs() < 1e-12, "{length}");
    }

    #[test]
    fn a_line_that_misses_the_sphere_stays_straight() {
        assert!(around(Shape::Sphere, &UPRIGHT, 1.0, [-3.0, 1.5, 0.0], [3.0, 1.5, 0.0], None).is_none());
    }
}
