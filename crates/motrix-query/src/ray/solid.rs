//! Rays against the primitive shapes, each in its own frame, in closed form.

use motrix_collide::vector::{Vec3, dot};

use super::{Feature, Ray};

/// Squares and slopes below this are none (`mjMINVAL`): a ray that only grazes, or runs along a plane, misses.
const GRAZING: f64 = 1e-15;

/// What a ray meets: t, and where on the surface.
pub type Met = Option<(f64, Feature)>;

/// The plane z = 0 from above, within half sizes of which those that are not positive are unbounded.
#[inline(always)]
pub fn plane(half: [f64; 2], ray: &Ray) -> Met {
    if ray.direction[2] > -GRAZING {
        return None;
    }
    let t = -ray.origin[2] / ray.direction[2];
    let p = ray.at(t);
    let within = |k: usize| !(half[k] > 0.0) || p[k].abs() <= half[k];
    let top = Feature::Flat {
        axis: 2,
        positive: true,
    };
    (t >= 0.0 && within(0) && within(1)).then_some((t, top))
}

/// Both solutions of a t² + 2 b t + c = 0, the lower first.
#[inline(always)]
fn quadratic(a: f64, b: f64, c: f64) -> Option<[f64; 2]> {
    let discriminant = b * b - a * c;
    if !(discriminant >= GRAZING) {
        return None;
    }
    // The root of the same sign as −b without cancellation, the other from their product.
    let root = discriminant.sqrt();
    if b > 0.0 {
        let q = -b - root;
        Some([q / a, c / q])
    } else {
        let q = -b + root;
        Some([c / q, q / a])
    }
}

/// The first of an entry and an exit that is not behind the start.
#[inline(always)]
fn first<T>(enter: (f64, T), leave: (f64, T)) -> Option<(f64, T)> {
    if enter.0 >= 0.0 {
        Some(enter)
    } else {
        (leave.0 >= 0.0).then_some(leave)
    }
}

/// A ball about the origin.
#[inline(always)]
pub fn ball(radius: f64, ray: &Ray) -> Met {
    let (o, d) = (ray.origin, ray.direction);
    let [enter, leave] = quadratic(dot(d, d), dot(d, o), dot(o, o) - radius * radius)?;
    first((enter, Feature::Round), (leave, Feature::Round))
}

/// Σ (pₖ / rₖ)² = 1.
#[inline(always)]
pub fn ellipsoid(radii: Vec3, ray: &Ray) -> Met {
    let s: Vec3 = radii.map(|r| 1.0 / (r * r));
    let scaled = |a: Vec3| [a[0] * s[0], a[1] * s[1], a[2] * s[2]];
    let (o, d) = (ray.origin, ray.direction);
    let [enter, leave] = quadratic(dot(d, scaled(d)), dot(d, scaled(o)), dot(o, scaled(o)) - 1.0)?;
    first((enter, Feature::Round), (leave, Feature::Round))
}

/// Where a ray is inside the infinite cylinder about z.
#[inline(always)]
fn tube(radius: f64, ray: &Ray) -> Option<[f64; 2]> {
    let ([ox, oy, _], [dx, dy, _]) = (ray.origin, ray.direction);
    quadratic(
        dx * dx + dy * dy,
        ox * dx + oy * dy,
        ox * ox + oy * oy - radius * radius,
    )
}

/// Squared sine of the angle to the axis below which a ray runs along it: there the side is met too obliquely to tell where.
const ALONG: f64 = 1e-9;

/// A ball swept along |z| ≤ `half_length`.
///
/// A line inside the tube is inside the capsule between two points. Each is on the side where the line passes the tube, or on the ball
/// at the end beyond which it passes it.
#[inline(always)]
pub fn capsule(radius: f64, half_length: f64, ray: &Ray) -> Met {
    let (o, d) = (ray.origin, ray.direction);
    let length2 = dot(d, d);
    if dot2(d) <= ALONG * length2 {
        return capsule_lengthwise(radius, half_length, ray);
    }
    let passed = tube(radius, ray)?;
    let met = |k: usize| {
        let z = o[2] + passed[k] * d[2];
        if z.abs() <= half_length {
            return Some(passed[k]);
        }
        let about_end = [o[0], o[1], o[2] - half_length.copysign(z)];
        let c = dot(about_end, about_end) - radius * radius;
        quadratic(length2, dot(d, about_end), c).map(|roots| roots[k])
    };
    let enter = met(0)?;
    if enter >= 0.0 {
        return Some((enter, Feature::Round));
    }
    met(1)
        .filter(|&leave| leave >= 0.0)
        .map(|leave| (leave, Feature::Round))
}

/// A capsule met by a ray that runs along its axis.
fn capsule_lengthwise(radius: f64, half_length: f64, ray: &Ray) -> Met {
    // The side, and the halves of the end balls beyond it; each place on the surface is on exactly one of them.
    let mut best = f64::INFINITY;
    let mut offer = |t: f64, on_surface: bool| {
        if t >= 0.0 && t < best && on_surface {
            best = t;
        }
    };
    for t in tube(radius, ray).into_iter().flatten() {
        offer(t, ray.at(t)[2].abs() <= half_length);
    }
    for end in [-half_length, half_length] {
        let [ox, oy, oz] = ray.origin;
        let about_end = [ox, oy, oz - end];
        let (a, b) = (dot(ray.direction, ray.direction), dot(ray.direction, about_end));
        let c = dot(about_end, about_end) - radius * radius;
        for t in quadratic(a, b, c).into_iter().flatten() {
            let z = ray.at(t)[2];
            offer(t, if end > 0.0 { z >= end } else { z <= end });
        }
    }
    (best < f64::INFINITY).then_some((best, Feature::Round))
}

/// x² + y² ≤ `radius`², |z| ≤ `half_length`: where the ray is inside the tube and between the ends.
#[inline(always)]
pub fn cylinder(radius: f64, half_length: f64, ray: &Ray) -> Met {
    let (oz, dz) = (ray.origin[2], ray.direction[2]);
    let end = |positive| Feature::Flat { axis: 2, positive };
    let ends = if dz.abs() > GRAZING {
        let (low, high) = ((-half_length - oz) / dz, (half_length - oz) / dz);
        if low < high {
            [(low, end(false)), (high, end(true))]
        } else {
            [(high, end(true)), (low, end(false))]
        }
    } else if oz.abs() <= half_length {
        [(f64::NEG_INFINITY, end(false)), (f64::INFINITY, end(true))]
    } else {
        return None;
    };
    let inside_always = dot2(ray.direction) <= GRAZING * GRAZING;
    let side = match tube(radius, ray) {
        Some(t) if !inside_always => t,
        None if !inside_always => return None,
        _ if dot2(ray.origin) <= radius * radius => [f64::NEG_INFINITY, f64::INFINITY],
        _ => return None,
    };
    let enter = if side[0] > ends[0].0 {
        (side[0], Feature::Round)
    } else {
        ends[0]
    };
    let leave = if side[1] < ends[1].0 {
        (side[1], Feature::Round)
    } else {
        ends[1]
    };
    if enter.0 <= leave.0 { first(enter, leave) } else { None }
}

fn dot2(a: Vec3) -> f64 {
    a[0] * a[0] + a[1] * a[1]
}

/// The box between two corners.
#[inline(always)]
pub fn block(min: Vec3, max: Vec3, ray: &Ray) -> Met {
    let mut enter = (f64::NEG_INFINITY, Feature::Round);
    let mut leave = (f64::INFINITY, Feature::Round);
    for k in 0..3 {
        let (o, d) = (ray.origin[k], ray.direction[k]);
        if d.abs() <= GRAZING {
            if o < min[k] || o > max[k] {
                return None;
            }
            continue;
        }
        let side = |positive| Feature::Flat {
            axis: k as u8,
            positive,
        };
        let (low, high) = ((min[k] - o) / d, (max[k] - o) / d);
        let (near, far) = if d > 0.0 {
            ((low, side(false)), (high, side(true)))
        } else {
            ((high, side(true)), (low, side(false)))
        };
        if near.0 > enter.0 {
            enter = near;
        }
        if far.0 < leave.0 {
            leave = far;
        }
    }
    if enter.0 <= leave.0 { first(enter, leave) } else { None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn along(origin: Vec3, direction: Vec3) -> Ray {
        Ray { origin, direction }
    }

    fn distance(met: Met) -> f64 {
        met.expect("the ray meets the shape").0
    }

    #[test]
    fn a_ball_is_met_where_pythagoras_says() {
        let t = distance(ball(0.5, &along([-3.0, 0.3, 0.0], [1.0, 0.0, 0.0])));
        assert!((t - (3.0 - 0.4)).abs() < 1e-15, "{t}");
        // From inside where it leaves, and in units of the direction.
        assert_eq!(distance(ball(2.0, &along([0.0; 3], [0.0, 0.0, -4.0]))), 0.5);
        assert_eq!(
            ball(1.0, &along([-2.0, 1.0, 0.0], [1.0, 0.0, 0.0])),
            None,
            "a touch is no hit"
        );
        assert_eq!(
            ball(1.0, &along([2.0, 0.0, 0.0], [1.0, 0.0, 0.0])),
            None,
            "behind the start"
        );
    }

    proptest! {
        #[test]
        fn a_capsule_is_met_from_the_side_as_along_its_axis(
            origin in prop::array::uniform3(-2.0_f64..2.0),
            direction in prop::array::uniform3(-1.0_f64..1.0),
        ) {
            let ray = along(origin, direction);
            let (found, expected) = (capsule(0.4, 0.7, &ray), capsule_lengthwise(0.4, 0.7, &ray));
            prop_assert_eq!(found.is_some(), expected.is_some());
            if let (Some((found, _)), Some((expected, _))) = (found, expected) {
                // A few roundings, stretched by how obliquely a surface may be met.
                prop_assert!((found - expected).abs() < 1e-9 * expected.max(1.0), "{found} {expected}");
            }
        }
    }

    #[test]
    fn a_capsule_is_a_tube_with_round_ends() {
        assert_eq!(
            distance(capsule(0.5, 1.0, &along([-2.0, 0.0, 0.7], [1.0, 0.0, 0.0]))),
            1.5
        );
        assert_eq!(
            distance(capsule(0.5, 1.0, &along([0.0, 0.0, 4.0], [0.0, 0.0, -1.0]))),
            2.5
        );
        assert_eq!(distance(capsule(0.5, 1.0, &along([0.0; 3], [0.0, 0.0, 1.0]))), 1.5);
        assert_eq!(capsule(0.5, 1.0, &along([0.49, 0.0, 4.0], [1.0, 0.0, -1.0])), None);
    }

    #[test]
    fn a_cylinder_has_flat_ends() {
        let (t, feature) = cylinder(0.5, 1.0, &along([0.2, 0.0, 4.0], [0.0, 0.0, -1.0])).expect("a hit");
        assert_eq!(
            (t, feature),
            (
                3.0,
                Feature::Flat {
                    axis: 2,
                    positive: true
                }
            )
        );
        let (t, feature) = cylinder(0.5, 1.0, &along([2.0, 0.0, 0.9], [-1.0, 0.0, 0.0])).expect("a hit");
        assert_eq!((t, feature), (1.5, Feature::Round));
        assert_eq!(cylinder(0.5, 1.0, &along([2.0, 0.0, 1.1], [-1.0, 0.0, 0.0])), None);
        assert_eq!(cylinder(0.5, 1.0, &along([0.6, 0.0, 4.0], [0.0, 0.0, -1.0])), None);
    }

    #[test]
    fn a_box_is_met_on_the_side_that_looks_at_the_ray() {
        let half = [1.0, 2.0, 3.0];
        let (t, feature) = block(half.map(|x| -x), half, &along([5.0, 0.5, 0.5], [-2.0, 0.0, 0.0])).expect("a hit");
        assert_eq!(
            (t, feature),
            (
                2.0,
                Feature::Flat {
                    axis: 0,
                    positive: true
                }
            )
        );
        let inside = block(half.map(|x| -x), half, &along([0.0; 3], [0.0, 1.0, 0.1])).expect("a hit");
        assert_eq!(
            inside,
            (
                2.0,
                Feature::Flat {
                    axis: 1,
                    positive: true
                }
            )
        );
    }

    #[test]
    fn a_plane_is_open_from_below() {
        assert_eq!(
            distance(plane([0.0; 2], &along([9.0, 9.0, 2.0], [0.0, 0.0, -1.0]))),
            2.0
        );
        assert_eq!(plane([0.0; 2], &along([0.0, 0.0, -2.0], [0.0, 0.0, 1.0])), None);
        assert_eq!(plane([1.0, 0.0], &along([1.1, 9.0, 2.0], [0.0, 0.0, -1.0])), None);
    }
}
