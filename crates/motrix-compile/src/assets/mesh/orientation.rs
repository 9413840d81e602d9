//! On which side of a plane a point lies: exactly.
//!
//! The determinant of three difference vectors is computed in `f64` with a bound of its rounding error; where the bound does
//! not decide, Shewchuk's adaptive arithmetic does ("Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
//! Predicates", 1997).

use robust::{Coord, Coord3D, orient2d, orient3d};

/// Point in space.
pub(super) type Point = [f64; 3];

/// Rounding error of a determinant relative to its permanent; Shewchuk proves less than half of this.
const ERROR: f64 = 8.0 * f64::EPSILON;

/// Oriented plane through three points, with what it takes to test points quickly.
pub(super) struct Plane {
    corners: [Point; 3],
    /// (b - a) x (c - a), not normalised.
    normal: Point,
    inverse_length: f64,
    /// Determinants beyond this have the right sign, for points within the extent the plane was made for.
    certain: f64,
}

impl Plane {
    /// The plane with the corners counter-clockwise seen from above. `extent` bounds coordinate differences to later points.
    pub(super) fn through(corners: [Point; 3], extent: f64) -> Self {
        let [a, b, c] = corners;
        let (u, v) = (difference(&b, &a), difference(&c, &a));
        let products = |i: usize, j: usize| [u[i] * v[j], u[j] * v[i]];
        let pairs = [products(1, 2), products(2, 0), products(0, 1)];
        let normal = pairs.map(|[p, q]| p - q);
        let permanent: f64 = pairs.iter().map(|[p, q]| p.abs() + q.abs()).sum();
        Self {
            corners,
            normal,
            inverse_length: 1.0 / dot(&normal, &normal).sqrt().max(f64::MIN_POSITIVE),
            certain: ERROR * permanent * extent,
        }
    }

    /// Whether the plane lies strictly below the point.
    pub(super) fn is_below(&self, point: &Point) -> bool {
        self.side(point) > 0.0
    }

    /// Whether the plane lies strictly above the point.
    pub(super) fn is_above(&self, point: &Point) -> bool {
        self.side(point) < 0.0
    }

    /// How far the point is above the plane; the sign is exact, the distance rounded.
    pub(super) fn distance(&self, point: &Point) -> f64 {
        let side = self.side(point);
        let distance = side * self.inverse_length;
        // A product that is too small for a number must not lose its sign.
        if distance == 0.0 && side != 0.0 {
            return f64::MIN_POSITIVE.copysign(side);
        }
        distance
    }

    /// Which coordinates of the normal are positive.
    pub(super) fn normal_signs(&self) -> [bool; 3] {
        self.normal.map(|coordinate| coordinate > 0.0)
    }

    /// Six times the volume of the tetrahedron to the point, with the right sign.
    fn side(&self, point: &Point) -> f64 {
        let determinant = dot(&self.normal, &difference(point, &self.corners[0]));
        if determinant.abs() > self.certain {
            return determinant;
        }
        let [a, b, c] = &self.corners;
        volume6(a, b, c, point)
    }
}

/// Six times the volume of a tetrahedron, positive if `d` sees a, b, c counter-clockwise; the sign is exact.
pub(super) fn volume6(a: &Point, b: &Point, c: &Point, d: &Point) -> f64 {
    let coordinates = |point: &Point| Coord3D {
        x: point[0],
        y: point[1],
        z: point[2],
    };
    // The predicate's own convention is positive for points below.
    -orient3d(coordinates(a), coordinates(b), coordinates(c), coordinates(d))
}

/// Twice the area of a triangle; zero only if the points are exactly on a line.
pub(super) fn doubled_area(a: &Point, b: &Point, c: &Point) -> f64 {
    let seen_along = |i: usize, j: usize| {
        let coordinates = |point: &Point| Coord {
            x: point[i],
            y: point[j],
        };
        orient2d(coordinates(a), coordinates(b), coordinates(c))
    };
    let areas = [seen_along(1, 2), seen_along(2, 0), seen_along(0, 1)];
    // The largest term alone guards the square against underflow.
    areas
        .iter()
        .fold(dot(&areas, &areas).sqrt(), |area, side| area.max(side.abs()))
}

fn difference(p: &Point, q: &Point) -> Point {
    [p[0] - q[0], p[1] - q[1], p[2] - q[2]]
}

fn dot(p: &Point, q: &Point) -> f64 {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}
