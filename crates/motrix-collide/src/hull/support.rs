//! The support point of a hull: the vertex farthest along a direction.
//!
//! Small hulls are scanned, two vertices at a time. On larger ones the search climbs along edges from the vertex found last in the same query, and on
//! large ones also from a table of directions over the faces of a cube, whichever is farther along, which leaves few steps.
//! Of equally far vertices the one of lowest index is taken where the search sees both. The search depends on nothing but
//! the direction and its starting vertex, so that a query does not depend on the queries before it.

use super::Hull;
use crate::vector::{Vec3, dot};

/// Up to this many vertices a scan is as fast as climbing.
const SCAN_LIMIT: usize = 24;
/// Up to this many vertices climbing needs no table.
const TABLE_LIMIT: usize = 48;
/// Cells along an edge of the cube of directions.
const CELLS: usize = 8;

/// Coordinates of vertices in the order in which a scan reads them: as many side by side as any processor multiplies at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    x: [f64; Block::WIDTH],
    y: [f64; Block::WIDTH],
    z: [f64; Block::WIDTH],
}

impl Block {
    const WIDTH: usize = 2;

    /// All vertices; the last one fills up the last block.
    fn all(vertices: &[Vec3]) -> Box<[Block]> {
        let of = |chunk: &[Vec3]| {
            let coordinate = |k: usize| core::array::from_fn(|i| chunk[i.min(chunk.len() - 1)][k]);
            Block {
                x: coordinate(0),
                y: coordinate(1),
                z: coordinate(2),
            }
        };
        vertices.chunks(Block::WIDTH).map(of).collect()
    }
}

/// How the support point is found.
#[derive(Clone, Debug)]
pub(super) enum Search {
    Scan(Box<[Block]>),
    Climb,
    /// The farthest vertex for each cell of the cube of directions.
    ClimbFrom(Box<[u32; 6 * CELLS * CELLS]>),
}

impl Search {
    /// The search for points without a graph of edges.
    pub fn without_edges(vertices: &[Vec3]) -> Search {
        Search::Scan(Block::all(vertices))
    }

    /// The search for a hull with these vertices and a graph of edges.
    pub fn new(vertices: &[Vec3]) -> Search {
        if vertices.len() <= SCAN_LIMIT {
            Search::without_edges(vertices)
        } else if vertices.len() <= TABLE_LIMIT {
            Search::Climb
        } else {
            let blocks = Block::all(vertices);
            let mut table = Box::new([0; 6 * CELLS * CELLS]);
            for (cell, vertex) in table.iter_mut().enumerate() {
                *vertex = farthest(&blocks, centre_of_cell(cell));
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

/// The first of the vertices farthest along `d`: of each column of the blocks, then of both.
#[inline(always)]
fn farthest(blocks: &[Block], d: Vec3) -> u32 {
    let mut best = [f64::NEG_INFINITY; Block::WIDTH];
    let mut at = [0; Block::WIDTH];
    for (block, Block { x, y, z }) in blocks.iter().enumerate() {
        for k in 0..Block::WIDTH {
            let height = x[k] * d[0] + y[k] * d[1] + z[k] * d[2];
            let higher = height > best[k];
            best[k] = if higher { height } else { best[k] };
            at[k] = if higher { block } else { at[k] };
        }
    }
    let [even, odd] = [2 * at[0], 2 * at[1] + 1];
    let takes_odd = best[1] > best[0] || best[1] == best[0] && odd < even;
    (if takes_odd { odd } else { even }) as u32
}

impl Hull {
    /// The vertex farthest along `d`, which need not be normalised. `near` is a vertex to start from, such as the one found
    /// for a similar direction; it saves steps.
    #[inline(always)]
    pub fn support(&self, d: Vec3, near: u32) -> u32 {
        match &self.search {
            Search::Scan(blocks) => farthest(blocks, d),
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
    #[inline(always)]
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
