//! Which edges enter a shape, as many at once as there are lanes: what is left of an edge between the planes of a hull, its way
//! past the axis of a cylinder, past the centre of an ellipsoid scaled to a ball.
//!
//! Each shape is widened by the margin, and by more than the rounding: of an edge that is left out, the distance algorithm would say
//! the same after a hundred times the work.

use motrix_spatial::algebra::{dot, norm_squared};
use motrix_spatial::{Lanes, Mask, Real};

use super::edges::STEPS;
use super::near::EdgeAt;
use super::surface::Surface;
use crate::closed::terrain::MAX_LANES;
use crate::hull::Hull;
use crate::shape::{Placed, Shape};
use crate::vector::{rotate_back, sub};

/// Hulls of more sides are left to the distance algorithm.
const MANY_SIDES: usize = 256;

/// Batches of edges up to which those that lie beyond one side of a hull are not worth a question of their own: that leaves fewer
/// edges, and as a rule no fewer batches.
const FEW_BATCHES: usize = 2;

/// Whether a hull has sides, and few enough for edges to be asked about them all.
#[inline(always)]
pub fn asks_sides(hull: &Hull) -> bool {
    (1..=MANY_SIDES).contains(&hull.sides().len())
}

/// What edges are asked: whether they come into a shape, or, of a hull and in less time, whether they lie beyond one of its sides.
#[derive(Clone, Copy)]
enum Question<'a> {
    Cylinder { radius: f64, half_length: f64 },
    Ellipsoid { radii: [f64; 3] },
    BeyondOne(&'a Hull),
    BetweenAll(&'a Hull),
}

/// Drops the edges that stay farther than `margin` from a curved shape or hull; `slack` is above all rounding.
#[inline(always)]
pub fn keep<L: Lanes>(surface: &Surface, shape: &Placed, margin: f64, slack: f64, edges: &mut Vec<EdgeAt>) {
    let questions = match shape.shape {
        Shape::Cylinder { radius, half_length } => [Some(Question::Cylinder { radius, half_length }), None],
        Shape::Ellipsoid { radii } => [Some(Question::Ellipsoid { radii }), None],
        Shape::Hull(hull) if asks_sides(hull) => {
            let many = edges.len() > FEW_BATCHES * L::COUNT;
            [
                many.then_some(Question::BeyondOne(hull)),
                Some(Question::BetweenAll(hull)),
            ]
        }
        _ => return,
    };
    // Sides of hulls are rounded to single precision whatever the lanes.
    let wide = margin + slack * (1.0 + f64::from(f32::EPSILON) / L::Elem::EPSILON);
    for question in questions.into_iter().flatten() {
        let (mut at, mut kept) = (0, 0);
        while at < edges.len() {
            let count = (edges.len() - at).min(L::COUNT);
            let (start, way) = segments::<L>(surface, shape, &edges[at..at + count]);
            let bits = question.enters(start, way, wide).bits();
            for k in 0..count {
                if bits >> k & 1 != 0 {
                    edges[kept] = edges[at + k];
                    kept += 1;
                }
            }
            at += count;
        }
        edges.truncate(kept);
    }
}

impl Question<'_> {
    /// Lanes that the answer does not rule out, the shape being widened.
    #[inline(always)]
    fn enters<L: Lanes>(self, start: [L; 3], way: [L; 3], wide: f64) -> L::Mask {
        match self {
            Self::Cylinder { radius, half_length } => {
                cylinder(start, way, L::c(radius + wide), L::c(half_length + wide))
            }
            Self::Ellipsoid { radii } => ellipsoid(start, way, radii, wide),
            Self::BeyondOne(hull) => !beyond(start, way, hull.single_sides(), wide),
            Self::BetweenAll(hull) => between(start, way, hull.single_sides(), wide),
        }
    }
}

/// Where edges start and which way they go, in the frame of the shape.
#[inline(always)]
fn segments<L: Lanes>(surface: &Surface, shape: &Placed, edges: &[EdgeAt]) -> ([L; 3], [L; 3]) {
    let (last_row, last_col) = (surface.window().rows - 1, surface.window().cols - 1);
    let mut numbers = [[L::Elem::default(); MAX_LANES]; 6];
    for k in 0..edges.len() {
        let (row, col) = (edges[k].row as usize, edges[k].col as usize);
        let [down, across] = STEPS[usize::from(edges[k].kind)];
        let start = surface.node(row, col);
        let way = sub(
            surface.node((row + down).min(last_row), (col + across).min(last_col)),
            start,
        );
        let start = rotate_back(&shape.pose.rotation, sub(start, shape.pose.position));
        let way = rotate_back(&shape.pose.rotation, way);
        for i in 0..3 {
            numbers[i][k] = L::Elem::from_f64(start[i]);
            numbers[3 + i][k] = L::Elem::from_f64(way[i]);
        }
    }
    let mut loaded = [[L::ZERO; 3]; 2];
    for i in 0..6 {
        loaded[i / 3][i % 3] = L::load(&numbers[i]);
    }
    (loaded[0], loaded[1])
}

/// The square of the smallest distance from the origin between two places of a segment.
#[inline(always)]
fn nearest2<L: Lanes>(start: [L; 3], way: [L; 3], from: L, to: L) -> L {
    let length2 = norm_squared(way);
    let t = -dot(start, way) / L::select(length2.gt(L::ZERO), length2, L::ONE);
    let t = t.max(from).min(to);
    let mut point = start;
    for i in 0..3 {
        point[i] = way[i].mul_add(t, start[i]);
    }
    norm_squared(point)
}

/// Between the discs, then past the axis.
#[inline(always)]
fn cylinder<L: Lanes>(start: [L; 3], way: [L; 3], radius: L, half_length: L) -> L::Mask {
    let still = way[2].abs().lt(L::c(1e-12));
    let inverse = L::ONE / L::select(still, L::ONE, way[2]);
    let (a, b) = ((-half_length - start[2]) * inverse, (half_length - start[2]) * inverse);
    let from = L::select(still, L::ZERO, a.min(b).max(L::ZERO));
    let to = L::select(still, L::ONE, a.max(b).min(L::ONE));
    let beyond = L::select(still, start[2].abs() - half_length, from - to);
    let flat = [[start[0], start[1], L::ZERO], [way[0], way[1], L::ZERO]];
    let distance2 = nearest2(flat[0], flat[1], from, to);
    !(beyond.gt(L::ZERO) | distance2.gt(radius * radius))
}

/// Past the centre, in the frame in which the ellipsoid is a ball. Its semi-axes grow in proportion: as much as the widening for the
/// shortest, more for the others.
#[inline(always)]
fn ellipsoid<L: Lanes>(mut start: [L; 3], mut way: [L; 3], radii: [f64; 3], wide: f64) -> L::Mask {
    let shortest = radii[0].min(radii[1]).min(radii[2]);
    let grown = 1.0 + wide / shortest;
    for i in 0..3 {
        let inverse = L::c(1.0 / (radii[i] * grown));
        start[i] *= inverse;
        way[i] *= inverse;
    }
    !nearest2(start, way, L::ZERO, L::ONE).gt(L::ONE)
}

/// Whether all of a segment is on the outer side of one of the planes n · p ≤ d + wide.
#[inline(always)]
fn beyond<L: Lanes>(start: [L; 3], way: [L; 3], sides: &[[f32; 4]], wide: f64) -> L::Mask {
    let mut apart = L::c(f64::from(f32::MIN));
    let wide = L::c(wide);
    for side in sides {
        let (n, reach) = splat_side::<L>(side);
        let rise = dot(n, way);
        apart = (dot(n, start) + rise.min(L::ZERO) - (reach + wide)).max(apart);
    }
    apart.gt(L::ZERO)
}

/// Whether something of a segment is on the inner side of all planes.
#[inline(always)]
fn between<L: Lanes>(start: [L; 3], way: [L; 3], sides: &[[f32; 4]], wide: f64) -> L::Mask {
    let (mut from, mut to) = (L::ZERO, L::ONE);
    let wide = L::c(wide);
    for side in sides {
        let (n, reach) = splat_side::<L>(side);
        let (height, rise) = (dot(n, start) - (reach + wide), dot(n, way));
        let end = height + rise;
        // Of most sides all segments are on the inner side.
        if !height.max(end).gt(L::ZERO).any() {
            continue;
        }
        // The place where it crosses the plane, if it does.
        let crosses = -height / rise;
        from = L::select(height.gt(L::ZERO), crosses.max(from), from);
        to = L::select(end.gt(L::ZERO), crosses.min(to), to);
    }
    !(from - to).gt(L::c(1e-6))
}

/// A side in all lanes: its normal, and how far the hull reaches.
#[inline(always)]
fn splat_side<L: Lanes>(&[x, y, z, reach]: &[f32; 4]) -> ([L; 3], L) {
    let n = [L::c(f64::from(x)), L::c(f64::from(y)), L::c(f64::from(z))];
    (n, L::c(f64::from(reach)))
}
