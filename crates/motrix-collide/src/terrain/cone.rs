//! Normal cones of convex edges and corners: the directions in which a shape can touch them without overlapping a face.
//!
//! A direction d is in the cone of a feature if the surface around the feature falls away from it: d · u ≤ 0 for every vector u
//! from the feature to a neighbouring node, and d is perpendicular to an edge inside of it. A direction that is not in the cone is
//! moved to its boundary, by subtracting what points along the offending neighbours; one that would turn too far is refused.

use super::surface::Surface;
use crate::vector::{Vec3, add_scaled, dot, norm2, sub, unit};

/// A direction may be turned by at most 45° into its cone: more means that the shape touches another feature.
const LEAST_COSINE: f64 = 0.7;

/// How far, as a cosine, a direction may point into a face: rounding of the projections.
const SLACK: f64 = 1e-6;

/// Rounds of projections; cones of two planes need one, corners rarely more than two.
const ROUNDS: usize = 4;

/// Offsets of the neighbours of a node in rows and columns: the ends of its six edges, in turn.
const NEIGHBOURS: [[isize; 2]; 6] = [[0, 1], [1, 1], [1, 0], [0, -1], [-1, -1], [-1, 0]];

/// Below the rim there is nothing: as if a neighbour stood straight below.
const BELOW: Vec3 = [0.0, 0.0, -1.0];

/// A convex edge of the surface.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Row and column of its first node, from which it goes towards (+x, +y).
    pub start: [usize; 2],
    /// Offset of its second node.
    pub step: [usize; 2],
    /// Offsets of the two nodes beside it from its first, in rows and columns.
    pub beside: [[isize; 2]; 2],
    /// Its two ends.
    pub ends: [Vec3; 2],
}

impl Edge {
    /// From its first node to the two nodes beside it; straight down where the grid ends.
    pub fn ways_beside(&self, surface: &Surface) -> [Vec3; 2] {
        self.beside.map(|to| way(surface, self.start, self.ends[0], to))
    }
}

/// From a node to its neighbour at an offset; straight down where the grid ends.
#[inline(always)]
fn way(surface: &Surface, [row, col]: [usize; 2], node: Vec3, [down, right]: [isize; 2]) -> Vec3 {
    let (row, col) = (row.wrapping_add_signed(down), col.wrapping_add_signed(right));
    if row < surface.window().rows && col < surface.window().cols {
        sub(surface.node(row, col), node)
    } else {
        BELOW
    }
}

/// The direction nearest to the unit vector `d` in the cone of an edge's inside.
pub fn inside_edge(surface: &Surface, edge: &Edge, d: Vec3) -> Option<Vec3> {
    let along = unit(sub(edge.ends[1], edge.ends[0]))?;
    let across = |v: Vec3| add_scaled(v, along, -dot(v, along));
    project(d, across(d), &edge.ways_beside(surface).map(across))
}

/// The direction nearest to the unit vector `d` in the cone of a node.
pub fn at_node(surface: &Surface, [row, col]: [usize; 2], d: Vec3) -> Option<Vec3> {
    let window = surface.window();
    let inside = row > 0 && col > 0 && row + 1 < window.rows && col + 1 < window.cols;
    let around = if inside {
        surface.ways_around(row, col)
    } else {
        let node = surface.node(row, col);
        NEIGHBOURS.map(|to| way(surface, [row, col], node, to))
    };
    project(d, d, &around)
}

/// Moves `from` until it points away from all of `around`; refused if that cannot be, or is far from `d`.
fn project(d: Vec3, from: Vec3, around: &[Vec3]) -> Option<Vec3> {
    let mut moved = from;
    let mut settled = false;
    for _ in 0..ROUNDS {
        let before = moved;
        for &u in around {
            let into = dot(moved, u);
            if into > 0.0 {
                moved = add_scaled(moved, u, -into / norm2(u));
            }
        }
        if moved == before {
            settled = true;
            break;
        }
    }
    let direction = unit(moved)?;
    let points_away = |u: Vec3| {
        let into = dot(direction, u);
        into <= 0.0 || into <= SLACK * norm2(u).sqrt()
    };
    // What a whole round did not move points away from all.
    let outside = settled || around.iter().all(|&u| points_away(u));
    (outside && dot(direction, d) >= LEAST_COSINE).then_some(direction)
}
