//! How far a convex shape reaches out of a convex region: the largest signed distance of its points.
//!
//! The signed distance f of a convex region, negative inside, is convex and grows by 1 per metre along its gradient. So its largest
//! value on a polyhedron is at a vertex, rounding a shape by r adds r, and on smooth shapes the step from p to the point farthest
//! along ∇f(p) never lowers f (Frank and Wolfe, *An algorithm for quadratic programming*, 1956). It may end at a point that is only
//! the highest around; starting from many directions finds the highest of all.

use motrix_collide::vector::{Vec3, add_scaled, dot, norm, rotate_back, scale, sub, unit};
use motrix_collide::{Hull, Placed, Pose, Scratch, Settings, Shape, distance};

/// Steps after which an ascent ends. Near a smooth maximum each leaves a fixed share of the way.
const MOST_STEPS: usize = 500;

/// Rise at which an ascent ends, metres.
const NO_RISE: f64 = 1e-14;

/// Steps of the search for the nearest point of an ellipsoid, which converges quadratically.
const MOST_ROOT_STEPS: usize = 60;

/// The largest signed distance from `region` of a point of `shape`: negative when all of it lies inside. A plane as a shape reaches
/// infinitely far.
pub fn reach_out(region: &Placed, shape: &Placed, scratch: &mut Scratch) -> f64 {
    let region_shape = &region.shape;
    let pose = region.pose.relative(&shape.pose);
    let mut at = |local: Vec3| signed_distance(region_shape, pose.point(local), scratch).0;
    match shape.shape {
        Shape::Plane => f64::INFINITY,
        Shape::Sphere { radius } => at([0.0; 3]) + radius,
        Shape::Capsule { radius, half_length } => {
            at([0.0, 0.0, half_length]).max(at([0.0, 0.0, -half_length])) + radius
        }
        Shape::Box { half } => highest((0..8).map(|k| corner(half, k)), at),
        Shape::Hull(hull) => highest(hull.vertices().iter().copied(), at),
        Shape::Prism(points) => highest(points.iter().copied(), at),
        Shape::Ellipsoid { .. } | Shape::Cylinder { .. } => {
            let starts = (0..27).filter(|&k| k != 13).map(start);
            let ascents = starts.map(|direction| ascent(region_shape, &shape.shape, &pose, direction, scratch));
            ascents.fold(f64::NEG_INFINITY, f64::max)
        }
    }
}

fn highest(points: impl Iterator<Item = Vec3>, at: impl FnMut(Vec3) -> f64) -> f64 {
    points.map(at).fold(f64::NEG_INFINITY, f64::max)
}

/// Corner `k` of a box: a bit per positive coordinate.
fn corner(half: Vec3, k: usize) -> Vec3 {
    [0, 1, 2].map(|i| if k >> i & 1 == 1 { half[i] } else { -half[i] })
}

/// Direction `k` of 27 through the faces, edges and corners of a cube; number 13 has none.
fn start(k: usize) -> Vec3 {
    [k % 3, k / 3 % 3, k / 9].map(|i| i as f64 - 1.0)
}

/// Climbs from the point of `shape` farthest along `direction`; both in the frame of the region.
fn ascent(region: &Shape, shape: &Shape, pose: &Pose, direction: Vec3, scratch: &mut Scratch) -> f64 {
    let (mut height, mut gradient) = signed_distance(region, farthest(shape, pose, direction), scratch);
    for _ in 0..MOST_STEPS {
        let (next, slope) = signed_distance(region, farthest(shape, pose, gradient), scratch);
        if !(next > height + NO_RISE) {
            break;
        }
        (height, gradient) = (next, slope);
    }
    height
}

/// The point of a smooth shape farthest along a direction.
fn farthest(shape: &Shape, pose: &Pose, direction: Vec3) -> Vec3 {
    let d = rotate_back(&pose.rotation, direction);
    let local = match *shape {
        Shape::Ellipsoid { radii } => {
            let scaled = [0, 1, 2].map(|k| radii[k] * d[k]);
            let length = norm(scaled);
            let s = if length > 0.0 { 1.0 / length } else { 0.0 };
            [0, 1, 2].map(|k| radii[k] * scaled[k] * s)
        }
        Shape::Cylinder { radius, half_length } => {
            let sideways = d[0].hypot(d[1]);
            let s = if sideways > 0.0 { radius / sideways } else { 0.0 };
            [d[0] * s, d[1] * s, half_length.copysign(d[2])]
        }
        _ => [0.0; 3],
    };
    pose.point(local)
}

/// How far a point of a region's own frame is from its surface, negative inside, and the direction in which that grows.
pub fn signed_distance(region: &Shape, p: Vec3, scratch: &mut Scratch) -> (f64, Vec3) {
    match *region {
        Shape::Plane => (p[2], [0.0, 0.0, 1.0]),
        Shape::Sphere { radius } => from_core(p, radius),
        Shape::Capsule { radius, half_length } => {
            from_core([p[0], p[1], p[2] - p[2].clamp(-half_length, half_length)], radius)
        }
        Shape::Box { half } => {
            let beyond = [0, 1, 2].map(|k| p[k].abs() - half[k]);
            let (height, slope) = from_faces(beyond);
            (height, [0, 1, 2].map(|k| slope[k].copysign(p[k])))
        }
        Shape::Cylinder { radius, half_length } => {
            let sideways = p[0].hypot(p[1]);
            let out = if sideways > 0.0 {
                [p[0] / sideways, p[1] / sideways]
            } else {
                [1.0, 0.0]
            };
            let (height, slope) = from_faces([sideways - radius, p[2].abs() - half_length, f64::NEG_INFINITY]);
            (height, [slope[0] * out[0], slope[0] * out[1], slope[1].copysign(p[2])])
        }
        Shape::Ellipsoid { radii } => from_ellipsoid(p, radii),
        Shape::Hull(hull) => from_hull(hull, p, scratch),
        Shape::Prism(points) => match Hull::from_points(points) {
            Ok(hull) => from_hull(&hull, p, scratch),
            Err(_) => from_core(sub(p, points[0]), 0.0),
        },
    }
}

/// From a ball whose centre is the origin.
fn from_core(p: Vec3, radius: f64) -> (f64, Vec3) {
    (norm(p) - radius, unit(p).unwrap_or([0.0, 0.0, 1.0]))
}

/// From three slabs at right angles, by how far the point is beyond each: outside by the corner between them, inside by the nearest.
fn from_faces(beyond: Vec3) -> (f64, Vec3) {
    let outside = beyond.map(|x| x.max(0.0));
    let length = norm(outside);
    if length > 0.0 {
        return (length, scale(outside, 1.0 / length));
    }
    let nearest = (1..3).fold(0, |best, k| if beyond[k] > beyond[best] { k } else { best });
    let mut slope = [0.0; 3];
    slope[nearest] = 1.0;
    (beyond[nearest], slope)
}

/// From an ellipsoid with semi-axes aₖ. Its point nearest to p is aₖ² pₖ/(t + aₖ²), where t > −min aₖ² is the root of
/// Σ (aₖ pₖ/(t + aₖ²))² = 1 (Eberly, *Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid*, 2013).
fn from_ellipsoid(p: Vec3, radii: Vec3) -> (f64, Vec3) {
    let shortest = (1..3).fold(0, |best, k| if radii[k] < radii[best] { k } else { best });
    let least = radii[shortest] * radii[shortest];
    let excess = radii.map(|a| a * a - least);
    // With s = t + min aₖ² the sum falls from s = 0 on.
    let sum_and_slope = |s: f64| {
        (0..3).fold((-1.0, 0.0), |(sum, slope), k| {
            if p[k] == 0.0 {
                return (sum, slope);
            }
            let term = radii[k] * p[k] / (s + excess[k]);
            (sum + term * term, slope - 2.0 * term * term / (s + excess[k]))
        })
    };
    // Where one of its terms alone is 1, the root is not passed yet. The sum is convex, so that no step from there passes it.
    let mut s = (0..3).fold(0.0, |s: f64, k| s.max((radii[k] * p[k]).abs() - excess[k]));
    for _ in 0..MOST_ROOT_STEPS {
        let (sum, slope) = sum_and_slope(s);
        if !(sum > 0.0 && s - sum / slope > s) {
            break;
        }
        s -= sum / slope;
    }
    let mut nearest = [0, 1, 2].map(|k| {
        if p[k] == 0.0 {
            0.0
        } else {
            radii[k] * radii[k] * p[k] / (s + excess[k])
        }
    });
    if s == 0.0 {
        // Deep inside, on the plane across the shortest axis, there are two nearest points.
        let rest: f64 = (0..3)
            .filter(|&k| k != shortest)
            .map(|k| (nearest[k] / radii[k]).powi(2))
            .sum();
        nearest[shortest] = radii[shortest] * (1.0 - rest).max(0.0).sqrt();
    }
    let inside = (0..3).map(|k| (p[k] / radii[k]).powi(2)).sum::<f64>() < 1.0;
    // The normal at the nearest point is the gradient, on either side of the surface.
    let normal = unit([0, 1, 2].map(|k| nearest[k] / (radii[k] * radii[k]))).unwrap_or([0.0, 0.0, 1.0]);
    let gap = norm(sub(p, nearest));
    (if inside { -gap } else { gap }, normal)
}

/// From the convex hull of points: the nearest facet inside, the nearest point outside.
fn from_hull(hull: &Hull, p: Vec3, scratch: &mut Scratch) -> (f64, Vec3) {
    let mut inside = (f64::NEG_INFINITY, [0.0, 0.0, 1.0]);
    for facet in 0..hull.facet_count() {
        let normal = hull.facet_normal(facet);
        let on_facet = hull.vertices()[hull.facet_loop(facet)[0] as usize];
        let beyond = dot(normal, sub(p, on_facet));
        if beyond > inside.0 {
            inside = (beyond, normal);
        }
    }
    if inside.0 <= 0.0 && hull.facet_count() > 0 {
        return inside;
    }
    let point = Placed {
        shape: Shape::Sphere { radius: 0.0 },
        pose: Pose::at(p),
    };
    let solid = Placed {
        shape: Shape::Hull(hull),
        pose: Pose::IDENTITY,
    };
    match distance(&solid, &point, f64::INFINITY, &Settings::default(), scratch) {
        Some(apart) if apart.distance > 0.0 => {
            let away = add_scaled(p, apart.on_a, -1.0);
            (apart.distance, unit(away).unwrap_or(inside.1))
        }
        _ => (inside.0.max(0.0), inside.1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Vec3 = [0.1, 0.2, 0.3];

    fn shapes<'a>(hull: &'a Hull) -> [Shape<'a>; 6] {
        [
            Shape::Sphere { radius: 0.2 },
            Shape::Capsule {
                radius: 0.1,
                half_length: 0.2,
            },
            Shape::Ellipsoid { radii: BOX },
            Shape::Cylinder {
                radius: 0.1,
                half_length: 0.2,
            },
            Shape::Box { half: BOX },
            Shape::Hull(hull),
        ]
    }

    fn regions<'a>(hull: &'a Hull) -> [Shape<'a>; 6] {
        [
            Shape::Sphere { radius: 1.0 },
            Shape::Capsule {
                radius: 1.0,
                half_length: 0.5,
            },
            Shape::Ellipsoid { radii: [1.0, 0.8, 0.6] },
            Shape::Cylinder {
                radius: 1.0,
                half_length: 0.5,
            },
            Shape::Box { half: [1.0, 0.8, 0.6] },
            Shape::Hull(hull),
        ]
    }

    /// Corners ±x, ±y, ±z, in this order, and the triangles between them.
    fn octahedron(size: f64) -> Hull {
        let points = [0, 1, 2, 3, 4, 5].map(|k: usize| {
            let mut p = [0.0; 3];
            p[k / 2] = if k.is_multiple_of(2) { size } else { -size };
            p
        });
        let upper = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4]];
        let lower = [[2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
        Hull::from_triangles(&points, &[upper, lower].concat()).unwrap()
    }

    /// Points spread over the surface of a shape.
    fn surface(shape: &Shape, pose: &Pose) -> Vec<Vec3> {
        let mut points = Vec::new();
        for i in 0..60 {
            for j in 0..120 {
                let (polar, around) = (
                    std::f64::consts::PI * i as f64 / 59.0,
                    std::f64::consts::TAU * j as f64 / 120.0,
                );
                let d = [polar.sin() * around.cos(), polar.sin() * around.sin(), polar.cos()];
                let local = match *shape {
                    Shape::Sphere { radius } => scale(d, radius),
                    Shape::Capsule { radius, half_length } => {
                        let [x, y, z] = scale(d, radius);
                        [x, y, z + half_length.copysign(z)]
                    }
                    Shape::Ellipsoid { radii } => [0, 1, 2].map(|k| radii[k] * d[k]),
                    Shape::Cylinder { radius, half_length } => {
                        [radius * around.cos(), radius * around.sin(), half_length.copysign(d[2])]
                    }
                    Shape::Box { half } => corner(half, (i + j) % 8),
                    Shape::Hull(hull) => hull.vertices()[(i + j) % hull.vertices().len()],
                    _ => unreachable!(),
                };
                points.push(pose.point(local));
            }
        }
        points
    }

    #[test]
    fn no_point_of_a_shape_reaches_farther_out_and_one_reaches_as_far() {
        let (small, large) = (octahedron(0.3), octahedron(1.1));
        let mut scratch = Scratch::new();
        for (n, region) in regions(&large).iter().enumerate() {
            for (m, shape) in shapes(&small).iter().enumerate() {
                for turn in 0..4 {
                    let t = f64::from(turn);
                    let pose = Pose::new([0.3 * t, 0.2 - 0.1 * t, 0.15 * t], [1.0, 0.3 * t, -0.2 * t, 0.1]);
                    let [a, b] =
                        [(*region, Pose::IDENTITY), (*shape, pose)].map(|(shape, pose)| Placed { shape, pose });
                    let found = reach_out(&a, &b, &mut scratch);
                    let sampled = highest(surface(shape, &pose).into_iter(), |p| {
                        signed_distance(region, p, &mut scratch).0
                    });
                    // Samples are less than 0.03 apart, and a hull's distance outside is known to a micrometre.
                    assert!(
                        found > sampled - 2e-6,
                        "region {n}, shape {m}, turn {turn}: {found} < {sampled}"
                    );
                    assert!(
                        found < sampled + 2e-3,
                        "region {n}, shape {m}, turn {turn}: {found} > {sampled}"
                    );
                }
            }
        }
    }

    #[test]
    fn distances_grow_by_one_along_the_gradient() {
        let large = octahedron(1.1);
        let mut scratch = Scratch::new();
        for (n, region) in regions(&large).iter().enumerate() {
            for p in [
                [0.31, 0.22, -0.13],
                [1.4, -0.3, 0.9],
                [0.02, 0.5, 0.3],
                [-0.2, 1.7, 0.05],
            ] {
                let (height, gradient) = signed_distance(region, p, &mut scratch);
                let (farther, _) = signed_distance(region, add_scaled(p, gradient, 1e-3), &mut scratch);
                assert!(
                    (farther - height - 1e-3).abs() < 3e-6,
                    "region {n} at {p:?}: {height} then {farther}"
                );
            }
        }
    }

    #[test]
    fn the_centre_of_an_ellipsoid_is_its_shortest_axis_deep() {
        assert!((from_ellipsoid([0.0; 3], [1.0, 0.8, 0.6]).0 + 0.6).abs() < 1e-15);
        // On the longest axis the nearest point is to the side: 1.28 cos φ = 1.
        let cos: f64 = 1.0 / 1.28;
        let gap = ((cos - 0.5).powi(2) + 0.36 * (1.0 - cos * cos)).sqrt();
        assert!((from_ellipsoid([0.5, 0.0, 0.0], [1.0, 0.8, 0.6]).0 + gap).abs() < 1e-15);
        // A round one is a ball across its axis.
        assert!((from_ellipsoid([0.0, 0.3, 0.0], [0.6, 0.6, 1.0]).0 + 0.3).abs() < 1e-15);
    }
}
