//! The support point of a hull: the vertex farthest along a direction.
//!
//! Small hulls are scanned. On larger ones the search climbs along edges, starting from a table of directions over the faces
//! of a cube, which leaves only a few steps. Of equally far vertices the one of lowest index is taken where the search sees
//! both, and the search depends on nothing but the direction and a starting vertex of the same query.

use super::Hull;
use crate::vector::{Vec3, dot};

/// Up to this many vertices a scan is as fast as climbing.
const SCAN_LIMIT: usize = 24;
/// Cells along an edge of the cube of directions.
const CELLS: usize = 4;

/// The farthest vertex for each cell of the cube of directions.
#[derive(Clone, Debug)]
pub(super) struct Seeds {
    vertex: [u32; 6 * CELLS * CELLS],
}

impl Seeds {
    /// The table for these vertices; `None` when they are few enough to scan.
    pub fn new(vertices: &[Vec3]) -> Option<Seeds> {
        if vertices.len() <= SCAN_LIMIT {
            return None;
        }
        let mut vertex = [0; 6 * CELLS * CELLS];
        for (cell, seed) in vertex.iter_mut().enumerate() {
            *seed = farthest(vertices, centre_of_cell(cell));
        }
        Some(Seeds { vertex })
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
    let axis = if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    };
    let main = d[axis];
    let step = |c: f64| {
        // NaN, from a zero direction, becomes cell 0.
        let cell = (c / main.abs() + 1.0) * (CELLS as f64 / 2.0);
        (cell as usize).min(CELLS - 1)
    };
    let face = 2 * axis + usize::from(main < 0.0);
    (face * CELLS + step(d[(axis + 1) % 3])) * CELLS + step(d[(axis + 2) % 3])
}

/// The first of the vertices farthest along `d`.
#[inline]
fn farthest(vertices: &[Vec3], d: Vec3) -> u32 {
    let mut best = f64::NEG_INFINITY;
    let mut vertex = 0;
    for (i, &v) in vertices.iter().enumerate() {
        let height = dot(v, d);
        if height > best {
            best = height;
            vertex = i;
        }
    }
    vertex as u32
}

impl Hull {
    /// The vertex farthest along `d`, which need not be normalised. `near` is a vertex to start from, such as the one found
    /// for a similar direction; it saves steps.
    #[inline]
    pub fn support(&self, d: Vec3, near: u32) -> u32 {
        match &self.seeds {
            None => farthest(&self.vertices, d),
            Some(seeds) => self.climb(d, seeds.vertex[cell_of(d)], near),
        }
    }

    /// Walks uphill along edges from the better of two starts.
    fn climb(&self, d: Vec3, seed: u32, near: u32) -> u32 {
        let height = |i: u32| dot(self.vertices[i as usize], d);
        let mut at = seed;
        let mut best = height(seed);
        if let Some(&v) = self.vertices.get(near as usize)
            && dot(v, d) > best
        {
            at = near;
            best = height(near);
        }
        loop {
            let from = at;
            for &i in self.edges.row(from as usize) {
                let h = height(i);
                if h > best || (h == best && i < at) {
                    best = h;
                    at = i;
                }
            }
            // Each step climbs, or keeps the height and lowers the index, so that the walk ends.
            if at == from {
                return at;
            }
        }
    }
}
