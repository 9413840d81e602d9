//! Surfaces of triangles under oriented boxes: meshes, whose boxes are stored, and height fields, whose boxes follow from the grid.
//!
//! A height field is two surfaces: the ground, under the blocks of its pyramid as far as they are in the window, and the walls at the
//! border with the base between them. Neither stores anything, so that what was written into the field is seen at once.

use motrix_collide::vector::{IDENTITY, Vec3};
use motrix_collide::{Surface, Window};

use super::mesh_boxes::WHOLE;
use super::obb::Obb;
use super::triangle::Triangle;
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
    /// The square of half the diagonal of that box.
    #[inline(always)]
    fn reach2(&self, node: NodeId) -> f32 {
        self.obb(node).reach2()
    }
    /// What is under it.
    fn below(&self, node: NodeId) -> Below;
    /// Bounds of the squared distances between a box and the first `count` of nodes that [`Hierarchy::below`] gave together.
    #[inline(always)]
    fn gaps2(&self, nodes: &[NodeId; 4], count: usize, other: &Obb) -> [f32; 4] {
        std::array::from_fn(|k| {
            if k < count {
                self.obb(nodes[k]).gap2(other)
            } else {
                f32::INFINITY
            }
        })
    }
    /// The corners of a triangle.
    fn triangle(&self, id: TriangleId) -> Triangle;
    /// How many triangles there are.
    fn count(&self) -> u64;
}

impl Hierarchy for Mesh {
    fn root(&self) -> NodeId {
        WHOLE
    }

    #[inline(always)]
    fn obb(&self, node: NodeId) -> Obb {
        self.boxes().obb(node)
    }

    #[inline(always)]
    fn reach2(&self, node: NodeId) -> f32 {
        self.boxes().reach2(node)
    }

    #[inline(always)]
    fn below(&self, node: NodeId) -> Below {
        self.boxes().below(node)
    }

    #[inline(always)]
    fn gaps2(&self, nodes: &[NodeId; 4], _count: usize, other: &Obb) -> [f32; 4] {
        self.boxes().gaps2(nodes, other)
    }

    #[inline(always)]
    fn triangle(&self, id: TriangleId) -> Triangle {
        self.triangles()[id as usize]
    }

    fn count(&self) -> u64 {
        self.triangles().len() as u64
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

/// The box along the axes between two corners.
pub(super) fn upright(min: Vec3, max: Vec3) -> Obb {
    let middle = std::array::from_fn(|k| 0.5 * (min[k] + max[k]));
    Obb::new(middle, std::array::from_fn(|k| 0.5 * (max[k] - min[k])), &IDENTITY)
}

/// The ground.
impl Hierarchy for Surface<'_> {
    /// The smallest block that holds the window.
    fn root(&self) -> NodeId {
        let Window {
            row, col, rows, cols, ..
        } = *self.window();
        let differing = (row ^ (row + rows - 2)) | (col ^ (col + cols - 2));
        let level = usize::BITS - differing.leading_zeros();
        Block {
            level: u64::from(level),
            row: (row >> level) as u64,
            col: (col >> level) as u64,
        }
        .id()
    }

    #[inline(always)]
    fn obb(&self, node: NodeId) -> Obb {
        let Block { level, row, col } = Block::of(node);
        let window = self.window();
        // Nodes of the window from and to which the block reaches along an axis.
        let nodes = |block: u64, first: usize, count: usize| {
            [block, block + 1].map(|b| ((b << level) as usize).saturating_sub(first).min(count - 1))
        };
        let [r0, r1] = nodes(row, window.row, window.rows);
        let [c0, c1] = nodes(col, window.col, window.cols);
        let [low, high] = match level
            .checked_sub(1)
            .and_then(|l| self.field().block(l as usize, row as usize, col as usize))
        {
            Some(extremes) => [extremes.min, extremes.max].map(|h| f64::from(h) * self.elevation()),
            None => {
                let corners = [(r0, c0), (r0, c1), (r1, c0), (r1, c1)].map(|(r, c)| self.height(r, c));
                [
                    corners.into_iter().fold(f64::INFINITY, f64::min),
                    corners.into_iter().fold(f64::NEG_INFINITY, f64::max),
                ]
            }
        };
        let (near, far) = (self.node(r0, c0), self.node(r1, c1));
        upright([near[0], near[1], low], [far[0], far[1], high])
    }

    #[inline(always)]
    fn below(&self, node: NodeId) -> Below {
        let Block { level, row, col } = Block::of(node);
        let window = self.window();
        if level == 0 {
            let (row, col) = (row - window.row as u64, col - window.col as u64);
            return Below::Triangles(2 * (row * (window.cols as u64 - 1) + col), 2);
        }
        let meets = |block: u64, first: usize, count: usize| {
            let (from, to) = (block << (level - 1), (block + 1) << (level - 1));
            from < (first + count - 1) as u64 && to > first as u64
        };
        let (mut nodes, mut count) = ([0; 4], 0);
        for (row, col) in [
            (2 * row, 2 * col),
            (2 * row, 2 * col + 1),
            (2 * row + 1, 2 * col),
            (2 * row + 1, 2 * col + 1),
        ] {
            if meets(row, window.row, window.rows) && meets(col, window.col, window.cols) {
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
        let cols = self.window().cols as u64 - 1;
        let cell = id / 2;
        self.triangles_of_cell((cell / cols) as usize, (cell % cols) as usize)[(id % 2) as usize]
    }

    fn count(&self) -> u64 {
        let window = self.window();
        2 * (window.rows as u64 - 1) * (window.cols as u64 - 1)
    }
}
