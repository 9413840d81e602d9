//! The contact of a shape with one prism of terrain: the shortest way out, or the nearest points within the margin.
//!
//! Two places can be told without a search, since a lower and an upper bound of the depth meet there: a point of the shape well
//! below the prism's top, and a corner of the top well inside of a hull. All others are left to the distance algorithms.

use crate::contact::{Contact, Settings};
use crate::hull::Hull;
use crate::minkowski::Pair;
use crate::separation::{Apart, Scratch, Separation, nearest};
use crate::support::{Core, Rounded};
use crate::vector::{Vec3, add_scaled, cross, dot, middle, neg, rotate_back, sub, unit};

/// The contact of a prism, the first of the pair, with a shape.
pub(crate) fn touch_prism(
    pair: &Pair,
    points: &[Vec3; 6],
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
) -> Result<Contact, Apart> {
    let limit = margin + pair.b.radius;
    // Curved shapes are left to the search, which resolves them as MuJoCo does: to a tolerance.
    let certain = match pair.b.core {
        Core::Hull(hull) => on_top(pair, points, limit).or_else(|| at_corner(pair, hull, points)),
        core if core.is_polyhedral() => on_top(pair, points, limit),
        _ => None,
    };
    match certain {
        Some(separation) => Ok(contact(&separation, margin)),
        None => search_prism(pair, margin, settings, scratch),
    }
}

/// The same, where it is known that neither of the two places is certain.
pub(crate) fn search_prism(
    pair: &Pair,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
) -> Result<Contact, Apart> {
    let touch = nearest(pair, margin + pair.b.radius, settings, scratch)?;
    Ok(contact(&touch.rounded(pair), margin))
}

fn contact(nearest: &Separation, margin: f64) -> Contact {
    // The shapes are thought of as grown by half the margin each.
    let on_a = add_scaled(nearest.on_a, nearest.normal, 0.5 * margin);
    let on_b = add_scaled(nearest.on_b, nearest.normal, -0.5 * margin);
    Contact {
        distance: nearest.distance,
        position: middle(on_a, on_b),
        normal: nearest.normal,
        tangent: None,
    }
}

/// Where the side of a hull that is nearest to a corner of a prism's top inside of it meets that corner, if it is certain that it
/// does.
///
/// The ball about the corner that touches the side lies in the hull, so that every shorter way leaves the corner inside; and along
/// the side's normal the prism leaves the hull with the corner last if no other of its corners is deeper below the side.
fn at_corner(pair: &Pair, hull: &Hull, points: &[Vec3; 6]) -> Option<Separation> {
    let pose = &pair.b_in_a;
    points[3..].iter().find_map(|&corner| {
        let local = rotate_back(&pose.rotation, sub(corner, pose.position));
        let (depth, outward) = hull.way_out(local)?;
        let outward = pose.direction(outward);
        let deepest = points.iter().all(|&p| dot(outward, sub(p, corner)) >= 0.0);
        deepest.then(|| Separation {
            distance: -depth,
            on_a: corner,
            on_b: add_scaled(corner, outward, depth),
            normal: neg(outward),
        })
    })
}

/// Where a shape meets the top of a prism, if it is certain that it does so with its lowest point p as the top sees it.
///
/// From above, p is nearest to its foot if that lies in the triangle, since no point of the shape is nearer to the plane. From
/// below, the way up is the shortest way out if the ball about p of that radius lies in the prism: every shorter way leaves p
/// inside.
fn on_top(pair: &Pair, points: &[Vec3; 6], limit: f64) -> Option<Separation> {
    let [.., a, b, c] = *points;
    let corners = [a, b, c];
    let normal = unit(cross(sub(b, a), sub(c, a)))?;
    let Rounded { core, radius } = pair.b;
    let (lowest, _) = core.support(rotate_back(&pair.b_in_a.rotation, neg(normal)), 0);
    let p = pair.b_in_a.point(lowest);
    let height = dot(normal, sub(p, a));
    let foot = add_scaled(p, normal, -height);
    // The foot has to be within the walls; p, when it is below, by as much as it is deep.
    let (inside, depth) = if height > 0.0 { (foot, 0.0) } else { (p, -height) };
    let within = |k: usize| {
        let (from, to) = (corners[k], corners[(k + 1) % 3]);
        let (along, away) = (
            [to[0] - from[0], to[1] - from[1]],
            [inside[0] - from[0], inside[1] - from[1]],
        );
        let left = along[0] * away[1] - along[1] * away[0];
        left >= 0.0 && left * left >= depth * depth * (along[0] * along[0] + along[1] * along[1])
    };
    let certain = height <= limit && inside[2] - points[0][2] >= depth && (0..3).all(within);
    certain.then(|| Separation {
        distance: height - radius,
        on_a: foot,
        on_b: add_scaled(p, normal, -radius),
        normal,
    })
}
