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
const NEIGHBOURS: [(isize, isize); 6] = [(0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0)];

/// Below the rim there is nothing: as if a neighbour stood straight below.
const BELOW: Vec3 = [0.0, 0.0, -1.0];

/// A convex edge of the surface.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Row and column of its first node, from which it goes towards (+x, +y).
    pub start: [usize; 2],
    /// Offset of its second node.
    pub step: [usize; 2],
    /// From its first node to the two nodes beside it; straight down where the grid ends.
    pub beside: [Vec3; 2],
    /// Its two ends.
    pub ends: [Vec3; 2],
}

/// The direction nearest to the unit vector `d` in the cone of an edge's inside.
pub fn inside_edge(edge: &Edge, d: Vec3) -> Option<Vec3> {
    let along = unit(sub(edge.ends[1], edge.ends[0]))?;
    let across = |v: Vec3| add_scaled(v, along, -dot(v, along));
    project(d, across(d), &edge.beside.map(across))
}

/// The direction nearest to the unit vector `d` in the cone of a node.
pub fn at_node(surface: &Surface, [row, col]: [usize; 2], d: Vec3) -> Option<Vec3> {
    let node = surface.node(row, col);
    let window = surface.window();
    let around = NEIGHBOURS.map(|(down, right)| {
        let (row, col) = (row.wrapping_add_signed(down), col.wrapping_add_signed(right));
        if row < window.rows && col < window.cols {
            sub(surface.node(row, col), node)
        } else {
            BELOW
        }
    });
    project(d, d, &around)
}

/// Moves `from` until it points away from all of `around`; refused if that cannot be, or is far from `d`.
fn project(d: Vec3, from: Vec3, around: &[Vec3]) -> Option<Vec3> {
    let mut moved = from;
    for _ in 0..ROUNDS {
        let before = moved;
        for &u in around {
            let into = dot(moved, u);
            if into > 0.0 {
                moved = add_scaled(moved, u, -into / norm2(u));
            }
        }
        if moved == before {
            break;
        }
    }
    let direction = unit(moved)?;
    let points_away = |u: Vec3| {
        let into = dot(direction, u);
        into <= 0.0 || into <= SLACK * norm2(u).sqrt()
    };
    let outside = around.iter().all(|&u| points_away(u));
    (outside && dot(direction, d) >= LEAST_COSINE).then_some(direction)
}
