//! Convex edges of the surface, ends included, against a shape.
//!
//! Two triangles that share an edge make a parallelogram in the grid, of which the edge is one diagonal. The edge is convex where
//! the middle of the other diagonal lies lower: h(w₁) + h(w₂) < h(v₁) + h(v₂). An edge that is convex and high enough is cut off
//! at the sides of a cuboid, led out of a hull or cylinder that it goes into, or given to the distance algorithm as a segment.
//! Which edges are worth the question, `near` tells.

use super::cone::{self, Edge};
use super::drum;
use super::entered::asks_sides;
use super::near::EdgeAt;
use super::surface::Surface;
use crate::contact::{Contact, Settings};
use crate::separation::{Scratch, distance};
use crate::shape::{Placed, Pose, Shape};
use crate::support::Rounded;
use crate::vector::{Vec3, add_scaled, axis, cross, dot, middle, norm, norm2, perpendicular, rotate_back, sub, unit};

/// An edge counts as convex when the fold across it is larger than this share of a cell: 0.006°.
const LEAST_FOLD: f64 = 1e-4;

/// Units in the last place of the largest height below which a fold is rounding.
pub const FOLD_ROUNDING: f64 = 8.0 * f32::EPSILON as f64;

/// A place on an edge nearer to its end than this share of it is the end.
const END: f64 = 1e-9;

/// An edge lies along a side if it is less inclined to it than this, as a sine.
const LYING: f64 = 0.3;

/// A side of a cuboid counts as a way out up to this many times the depth of the nearest.
const FAR_SIDE: f64 = 2.0;

/// By how much a gap must exceed the margin for an edge to be left out, as a share of the lengths it is computed from: far above
/// their rounding.
const SLACK: f64 = 1e-9;

/// Appends the contacts of those of some edges that are convex and reach up to `floor`, the lowest height that matters.
#[expect(
    clippy::too_many_arguments,
    reason = "the surface, the shape, the rules, the memory, the result"
)]
pub fn touch(
    surface: &Surface,
    edges: &[EdgeAt],
    shape: &Placed,
    floor: f64,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    out: &mut Vec<Contact>,
) {
    let least_fold = least_fold(surface);
    for at in edges {
        let Some(edge) = convex_edge(surface, at, floor, least_fold) else {
            continue;
        };
        match shape.shape {
            Shape::Box { half } => {
                let cut = cut(shape, half.map(|h| h + margin), edge.ends);
                if let Some(cut) = cut {
                    cuboid(surface, &edge, shape, half, cut, margin, out);
                }
            }
            _ => out.extend(convex(surface, &edge, shape, margin, settings, scratch)),
        }
    }
}

/// A fold of the field's numbers that counts.
pub fn least_fold(surface: &Surface) -> f64 {
    let [dx, dy] = surface.spacing();
    LEAST_FOLD * dx.min(dy) / surface.elevation()
}

/// The edge at a place, if there is one that is convex and reaches up to `floor`.
fn convex_edge(surface: &Surface, at: &EdgeAt, floor: f64, least_fold: f64) -> Option<Edge> {
    let (row, col, k) = (at.row as usize, at.col as usize, usize::from(at.kind));
    let (last_row, last_col) = (surface.window().rows - 1, surface.window().cols - 1);
    if row > 0 && col > 0 && row < last_row && col < last_col {
        let number = |[down, across]: [isize; 2]| {
            let (row, col) = (row.wrapping_add_signed(down), col.wrapping_add_signed(across));
            f64::from(surface.number(row, col))
        };
        let [down, across] = STEPS[k];
        let (own, end) = (number([0, 0]), number([down as isize, across as isize]));
        let fold = number(BESIDE[k][0]) + number(BESIDE[k][1]) - own - end;
        let convex = fold < -least_fold.max(FOLD_ROUNDING * own.abs());
        let high = own.max(end) * surface.elevation() >= floor;
        (convex && high).then(|| edge(surface, row, col, k))
    } else {
        let [down, across] = STEPS[k];
        if row + down > last_row || col + across > last_col {
            return None;
        }
        let edge = edge(surface, row, col, k);
        let high = edge.ends[0][2].max(edge.ends[1][2]) >= floor;
        (high && is_rim_or_convex(surface, &edge, least_fold * surface.elevation())).then_some(edge)
    }
}

/// Edges that start at a node: along x, along y, along the diagonal. Rows, columns.
pub const STEPS: [[usize; 2]; 3] = [[0, 1], [1, 0], [1, 1]];

/// Nodes beside each of these edges, as offsets of rows and columns from its start.
const BESIDE: [[[isize; 2]; 2]; 3] = [[[1, 1], [-1, 0]], [[1, 1], [0, -1]], [[0, 1], [1, 0]]];

/// Edge `k` of a node.
fn edge(surface: &Surface, row: usize, col: usize, k: usize) -> Edge {
    let [down, across] = STEPS[k];
    Edge {
        start: [row, col],
        step: STEPS[k],
        beside: BESIDE[k],
        ends: [surface.node(row, col), surface.node(row + down, col + across)],
    }
}

/// Whether an edge near the border is convex: the rim always is.
fn is_rim_or_convex(surface: &Surface, edge: &Edge, least_fold: f64) -> bool {
    let beside = edge.ways_beside(surface);
    let rim = beside.iter().any(|u| u[0] == 0.0 && u[1] == 0.0);
    let rise = edge.ends[1][2] - edge.ends[0][2];
    rim || beside[0][2] + beside[1][2] - rise < -least_fold
}

/// The part of a segment, from 0 to 1, inside of the cuboid with the given half sizes about a shape's centre.
#[inline(always)]
fn cut(shape: &Placed, half: Vec3, ends: [Vec3; 2]) -> Option<[f64; 2]> {
    let [a, b] = ends.map(|end| rotate_back(&shape.pose.rotation, sub(end, shape.pose.position)));
    let (mut first, mut last) = (0.0f64, 1.0f64);
    for k in 0..3 {
        let step = b[k] - a[k];
        let (enter, leave) = if step.abs() > f64::MIN_POSITIVE {
            let (low, high) = ((-half[k] - a[k]) / step, (half[k] - a[k]) / step);
            (low.min(high), low.max(high))
        } else if a[k].abs() <= half[k] {
            (0.0, 1.0)
        } else {
            return None;
        };
        first = first.max(enter);
        last = last.min(leave);
    }
    (first <= last).then_some([first, last])
}

/// The direction `d` in the cone of the place `t` of an edge.
fn in_cone(surface: &Surface, edge: &Edge, t: f64, d: Vec3) -> Option<Vec3> {
    let [row, col] = edge.start;
    if t <= END {
        cone::at_node(surface, edge.start, d)
    } else if t >= 1.0 - END {
        cone::at_node(surface, [row + edge.step[0], col + edge.step[1]], d)
    } else {
        cone::inside_edge(surface, edge, d)
    }
}

/// Ways out of a cuboid: along an axis, through the side at its end or at its start.
const WAYS: [(usize, f64); 6] = [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0), (2, -1.0), (2, 1.0)];

/// The way of the least depth, of equal ones that of the lowest number.
#[inline(always)]
fn nearest_way(depths: &[f64; 6]) -> usize {
    let (mut nearest, mut least) = (0, depths[0]);
    for (way, &depth) in depths.iter().enumerate().skip(1) {
        let nearer = depth < least;
        nearest = if nearer { way } else { nearest };
        least = if nearer { depth } else { least };
    }
    nearest
}

/// The part of an edge from `cut[0]` to `cut[1]` that lies in a cuboid: out through the side that is nearest, as seen from the end
/// that is deepest below it, among those whose direction is in the cone there. An edge that runs along that side touches with both
/// ends.
fn cuboid(
    surface: &Surface,
    edge: &Edge,
    shape: &Placed,
    half: Vec3,
    cut: [f64; 2],
    margin: f64,
    out: &mut Vec<Contact>,
) {
    let along = sub(edge.ends[1], edge.ends[0]);
    let points = cut.map(|t| add_scaled(edge.ends[0], along, t));
    let local = points.map(|p| rotate_back(&shape.pose.rotation, sub(p, shape.pose.position)));
    // The shape leaves along d when a point leaves through the side with the outward normal −d.
    let depths_of = |way: usize| {
        let (k, sign) = WAYS[way];
        local.map(|p| half[k] + sign * p[k])
    };
    let mut ways = [0, 1, 2, 3, 4, 5].map(|way| {
        let depths = depths_of(way);
        depths[0].max(depths[1])
    });
    let nearest = ways[nearest_way(&ways)];
    // As a rule the nearest one does; to sort them all would take longer.
    for _ in 0..ways.len() {
        let way = nearest_way(&ways);
        let depth = ways[way];
        ways[way] = f64::INFINITY;
        // Through a side far behind the nearest one, an edge that other contacts already keep out would be shot out.
        if depth > FAR_SIDE * nearest.max(margin) {
            return;
        }
        let depths = depths_of(way);
        let (k, sign) = WAYS[way];
        let d = axis(&shape.pose.rotation, k).map(|x| sign * x);
        let deepest = usize::from(depths[1] > depths[0]);
        let Some(normal) = in_cone(surface, edge, cut[deepest], d) else {
            continue;
        };
        let contact = |end: usize, normal: Vec3| {
            let distance = -depths[end] / dot(normal, d);
            (distance <= margin).then(|| Contact {
                distance,
                position: add_scaled(points[end], normal, 0.5 * distance),
                normal,
                tangent: None,
            })
        };
        out.extend(contact(deepest, normal));
        if cut[1] - cut[0] > END && dot(along, d).abs() < LYING * norm(along) {
            let other = 1 - deepest;
            out.extend(in_cone(surface, edge, cut[other], d).and_then(|normal| contact(other, normal)));
        }
        return;
    }
}

/// Whether the plane across the way from the nearest point of an edge to a shape's centre keeps them farther apart than `margin`.
/// Of hulls whose sides are too many to ask (see `entered`), most edges that do not touch end here.
fn is_apart(edge: &Edge, shape: &Placed, margin: f64) -> bool {
    let Some(Rounded { core, radius }) = Rounded::new(&shape.shape) else {
        return false;
    };
    let [start, end] = edge.ends;
    let (along, from) = (sub(end, start), sub(shape.pose.position, start));
    let t = (dot(from, along) / norm2(along)).clamp(0.0, 1.0);
    let away = add_scaled(from, along, -t);
    let (lowest, _) = core.support(rotate_back(&shape.pose.rotation, away.map(|x| -x)), 0);
    let lowest = sub(shape.pose.point(lowest), start);
    let gap = dot(away, lowest) - dot(away, along).max(0.0);
    gap > norm(away) * (margin + radius + SLACK * (norm(lowest) + norm(along)))
}

/// An edge and any convex shape: their nearest or deepest points, with the direction in the cone.
fn convex(
    surface: &Surface,
    edge: &Edge,
    shape: &Placed,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
) -> Option<Contact> {
    if let Shape::Hull(hull) = shape.shape
        && !asks_sides(hull)
        && is_apart(edge, shape, margin)
    {
        return None;
    }
    let met = pierced(edge, shape).or_else(|| nearest(edge, shape, margin, settings, scratch))?;
    let length = norm(sub(edge.ends[1], edge.ends[0]));
    // The distance algorithm ends within its tolerance of an end.
    let t = if met.t * length < settings.ccd_tolerance {
        0.0
    } else if (1.0 - met.t) * length < settings.ccd_tolerance {
        1.0
    } else {
        met.t
    };
    let normal = in_cone(surface, edge, t, met.direction)?;
    let distance = met.distance / dot(normal, met.direction);
    Some(Contact {
        distance,
        position: add_scaled(met.point, normal, 0.5 * distance),
        normal,
        tangent: None,
    })
}

/// Where an edge and a shape are nearest or deepest.
struct Met {
    /// The place on the edge, from 0 to 1, and the point there.
    t: f64,
    point: Vec3,
    distance: f64,
    /// Unit vector from the edge to the shape.
    direction: Vec3,
}

/// A hull or cylinder that an edge goes into.
fn pierced(edge: &Edge, shape: &Placed) -> Option<Met> {
    let [start, end] = edge.ends;
    let along = sub(end, start);
    let local_start = rotate_back(&shape.pose.rotation, sub(start, shape.pose.position));
    let local_way = rotate_back(&shape.pose.rotation, along);
    let exit = match shape.shape {
        Shape::Hull(hull) => hull.exit(local_start, local_way)?,
        Shape::Cylinder { radius, half_length } => drum::exit(radius, half_length, local_start, local_way)?,
        _ => return None,
    };
    Some(Met {
        t: exit.at,
        point: add_scaled(start, along, exit.at),
        distance: -exit.depth,
        direction: shape.pose.direction(exit.normal).map(|x| -x),
    })
}

/// Any shape, by the distance algorithm.
fn nearest(edge: &Edge, shape: &Placed, margin: f64, settings: &Settings, scratch: &mut Scratch) -> Option<Met> {
    let [start, end] = edge.ends;
    let along = sub(end, start);
    let (length, z) = (norm(along), unit(along)?);
    let x = perpendicular(z);
    let y = cross(z, x);
    let segment = Placed {
        shape: Shape::Capsule {
            radius: 0.0,
            half_length: 0.5 * length,
        },
        pose: Pose {
            position: middle(start, end),
            rotation: [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]],
        },
    };
    let nearest = distance(&segment, shape, margin, settings, scratch)?;
    Some(Met {
        t: dot(sub(nearest.on_a, start), z) / length,
        point: nearest.on_a,
        distance: nearest.distance,
        direction: nearest.normal,
    })
}
