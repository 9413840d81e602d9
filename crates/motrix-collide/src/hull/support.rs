//! The support point of a hull: the vertex farthest along a direction.
//!
//! Small hulls are scanned. On larger ones the search climbs along edges from the vertex found last in the same query, and on
//! large ones also from a table of directions over the faces of a cube, whichever is farther along, which leaves few steps.
//! Of equally far vertices the one of lowest index is taken where the search sees both. The search depends on nothing but
//! the direction and its starting vertex, so that a query does not depend on the queries before it.

use super::Hull;
use crate::vector::{Vec3, dot};

/// Up to this many vertices a scan is as fast as climbing.
const SCAN_LIMIT: usize = 16;
/// Up to this many vertices climbing needs no table.
const TABLE_LIMIT: usize = 48;
/// Cells along an edge of the cube of directions.
const CELLS: usize = 4;

/// How the support point is found.
#[derive(Clone, Debug)]
pub(super) enum Search {
    Scan,
    Climb,
    /// The farthest vertex for each cell of the cube of directions.
    ClimbFrom(Box<[u32; 6 * CELLS * CELLS]>),
}

impl Search {
    /// The search for a hull with these vertices and a graph of edges.
    pub fn new(vertices: &[Vec3]) -> Search {
        if vertices.len() <= SCAN_LIMIT {
            Search::Scan
        } else if vertices.len() <= TABLE_LIMIT {
            Search::Climb
        } else {
            let mut table = Box::new([0; 6 * CELLS * CELLS]);
            for (cell, vertex) in table.iter_mut().enumerate() {
                *vertex = farthest(vertices, centre_of_cell(cell));
            }
            Search::ClimbFrom(table)
        }
    }
}

/// The direction in the middle of a cell.
fn centre_of_cell(cell: usize) -> Vec3 {
    let (face, u, v) = (cell / (CELLS * CELLS), cell / CELLS % CELLS, cell % CELLS);
    let middle = |k: usize| (2 * k + 1) as f64 / CELLS as f64 - 1.0;
    let axis = face / 2;
    let mut direction = [0.0; 3];
    direction[axis] = if face % 2 == 0 { 1.0 } else { -1.0 };
    direction[(axis + 1) % 3] = middle(u);
    direction[(axis + 2) % 3] = middle(v);
    direction
}

/// The cell a direction falls into.
#[inline(always)]
fn cell_of(d: Vec3) -> usize {
    let (x, y, z) = (d[0].abs(), d[1].abs(), d[2].abs());
    let (axis, main, u, v) = if x >= y && x >= z {
        (0, d[0], d[1], d[2])
    } else if y >= z {
        (1, d[1], d[2], d[0])
    } else {
        (2, d[2], d[0], d[1])
    };
    let scale = (CELLS as f64 / 2.0) / main.abs();
    // NaN, from a zero direction, becomes cell 0.
    let step = |c: f64| ((c * scale + CELLS as f64 / 2.0) as usize).min(CELLS - 1);
    ((2 * axis + usize::from(main < 0.0)) * CELLS + step(u)) * CELLS + step(v)
}

/// The first of the vertices farthest along `d`.
#[inline]
fn farthest(vertices: &[Vec3], d: Vec3) -> u32 {
    let mut best = f64::NEG_INFINITY;
    let mut vertex = 0;
    for (i, &v) in vertices.iter().enumerate() {
        let height = dot(v, d);
        let higher = height > best;
        best = if higher { height } else { best };
        vertex = if higher { i as u32 } else { vertex };
    }
    vertex
}

impl Hull {
    /// The vertex farthest along `d`, which need not be normalised. `near` is a vertex to start from, such as the one found
    /// for a similar direction; it saves steps.
    #[inline]
    pub fn support(&self, d: Vec3, near: u32) -> u32 {
        match &self.search {
            Search::Scan => farthest(&self.vertices, d),
            Search::Climb => self.climb(d, near),
            Search::ClimbFrom(table) => {
                let seed = table[cell_of(d)];
                self.climb(d, self.farther(d, seed, near))
            }
        }
    }

    #[inline(always)]
    fn farther(&self, d: Vec3, a: u32, b: u32) -> u32 {
        let height = |i: u32| self.vertices.get(i as usize).map_or(f64::NEG_INFINITY, |&v| dot(v, d));
        if height(b) > height(a) { b } else { a }
    }

    /// Walks uphill along edges.
    fn climb(&self, d: Vec3, start: u32) -> u32 {
        let start = if (start as usize) < self.vertices.len() {
            start
        } else {
            0
        };
        let mut at = start;
        let mut best = dot(self.vertices[start as usize], d);
        loop {
            let from = at;
            let range = self.edges.range(from as usize);
            for (&i, &end) in self.edges.items[range.clone()].iter().zip(&self.edge_ends[range]) {
                let height = dot(end, d);
                let better = height > best || (height == best && i < at);
                best = if better { height } else { best };
                at = if better { i } else { at };
            }
            // Each step climbs, or keeps the height and lowers the index, so that the walk ends.
            if at == from {
                return at;
            }
        }
    }
}
