//! Surfaces of triangles under oriented boxes: meshes, whose boxes are stored, and height fields, whose boxes follow from the grid.

use motrix_collide::HeightField;
use motrix_collide::vector::{IDENTITY, Vec3};

use super::obb::Obb;
use super::triangle::Triangle;
use crate::bvh::Under;
use crate::mesh::Mesh;

/// A node of a hierarchy.
pub type NodeId = u64;

/// A triangle of a surface.
pub type TriangleId = u64;

/// What is under a node.
#[derive(Clone, Copy, Debug)]
pub enum Below {
    /// Up to four nodes; the first `count` count.
    Nodes([NodeId; 4], usize),
    /// Triangles from the first one on.
    Triangles(TriangleId, usize),
}

/// A surface that can be searched.
pub trait Hierarchy {
    /// The node above all.
    fn root(&self) -> NodeId;
    /// The box around a node.
    fn obb(&self, node: NodeId) -> Obb;
    /// What is under it.
    fn below(&self, node: NodeId) -> Below;
    /// The corners of a triangle.
    fn triangle(&self, id: TriangleId) -> Triangle;
}

impl Hierarchy for Mesh {
    fn root(&self) -> NodeId {
        0
    }

    #[inline(always)]
    fn obb(&self, node: NodeId) -> Obb {
        self.boxes()[node as usize]
    }

    #[inline(always)]
    fn below(&self, node: NodeId) -> Below {
        match self.tree().nodes()[node as usize].under() {
            Under::Items(range) => Below::Triangles(range.start as u64, range.len()),
            Under::Children(left, right) => Below::Nodes([left as u64, right as u64, 0, 0], 2),
        }
    }

    #[inline(always)]
    fn triangle(&self, id: TriangleId) -> Triangle {
        self.triangles()[id as usize]
    }
}

/// Bits of a row or column in a node's number.
const BITS: u32 = 28;

/// A block of cells: at level 0 one cell, above a block of the pyramid.
#[derive(Clone, Copy)]
struct Block {
    level: u64,
    row: u64,
    col: u64,
}

impl Block {
    fn of(node: NodeId) -> Block {
        let mask = (1 << BITS) - 1;
        Block {
            level: node >> (2 * BITS),
            row: node >> BITS & mask,
            col: node & mask,
        }
    }

    fn id(self) -> NodeId {
        self.level << (2 * BITS) | self.row << BITS | self.col
    }
}

impl Hierarchy for HeightField {
    fn root(&self) -> NodeId {
        Block {
            level: self.level_count() as u64,
            row: 0,
            col: 0,
        }
        .id()
    }

    #[inline(always)]
    fn obb(&self, node: NodeId) -> Obb {
        let Block { level, row, col } = Block::of(node);
        let end = |first: u64, nodes: usize| (((first + 1) << level) as usize).min(nodes - 1);
        let (r0, c0) = ((row << level) as usize, (col << level) as usize);
        let (r1, c1) = (end(row, self.nrow()), end(col, self.ncol()));
        let scale = self.size().elevation_z;
        let [low, high] = match level
            .checked_sub(1)
            .and_then(|l| self.block(l as usize, row as usize, col as usize))
        {
            Some(extremes) => [extremes.min, extremes.max].map(|h| f64::from(h) * scale),
            None => {
                let corners = [(r0, c0), (r0, c1), (r1, c0), (r1, c1)].map(|(r, c)| self.node(r, c)[2]);
                [
                    corners.into_iter().fold(f64::INFINITY, f64::min),
                    corners.into_iter().fold(f64::NEG_INFINITY, f64::max),
                ]
            }
        };
        let (near, far) = (self.node(r0, c0), self.node(r1, c1));
        let (min, max): (Vec3, Vec3) = ([near[0], near[1], low], [far[0], far[1], high]);
        let middle = std::array::from_fn(|k| 0.5 * (min[k] + max[k]));
        Obb::new(middle, std::array::from_fn(|k| 0.5 * (max[k] - min[k])), &IDENTITY)
    }

    #[inline(always)]
    fn below(&self, node: NodeId) -> Below {
        let Block { level, row, col } = Block::of(node);
        if level == 0 {
            let cell = row * (self.ncol() as u64 - 1) + col;
            return Below::Triangles(2 * cell, 2);
        }
        let (rows, cols) = ((self.nrow() - 1) as u64, (self.ncol() - 1) as u64);
        let (mut nodes, mut count) = ([0; 4], 0);
        for (row, col) in [
            (2 * row, 2 * col),
            (2 * row, 2 * col + 1),
            (2 * row + 1, 2 * col),
            (2 * row + 1, 2 * col + 1),
        ] {
            if row << (level - 1) < rows && col << (level - 1) < cols {
                nodes[count] = Block {
                    level: level - 1,
                    row,
                    col,
                }
                .id();
                count += 1;
            }
        }
        Below::Nodes(nodes, count)
    }

    #[inline(always)]
    fn triangle(&self, id: TriangleId) -> Triangle {
        let cols = self.ncol() as u64 - 1;
        let cell = id / 2;
        self.triangles_of_cell((cell / cols) as usize, (cell % cols) as usize)[(id % 2) as usize]
    }
}
