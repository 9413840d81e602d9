//! What closes a height field: walls at its border from the rim down to the base, and the base.
//!
//! The rim is a ring of segments, counter-clockwise seen from above, so that walls look outwards; under each hangs a quad of two
//! triangles. Nodes are ranges of segments, first the four sides, then their halves.

use motrix_collide::Surface;
use motrix_collide::vector::Vec3;

use super::hierarchy::{Below, Hierarchy, NodeId, TriangleId, upright};
use super::obb::Obb;
use super::triangle::Triangle;

/// Walls and base of a height field.
#[derive(Clone, Copy, Debug)]
pub struct Walls<'a>(pub Surface<'a>);

/// Walls and base.
const ALL: NodeId = 0;

/// The base.
const BASE: NodeId = 1;

/// Bits of a segment in a node's number.
const BITS: u32 = 30;

/// The node of a range of segments, which is never empty: its number is above those of the others.
fn range(first: u64, end: u64) -> NodeId {
    end << BITS | first
}

impl Walls<'_> {
    /// Columns and rows of cells.
    fn cells(&self) -> [u64; 2] {
        let window = self.0.window();
        [window.cols as u64 - 1, window.rows as u64 - 1]
    }

    /// Segments of the rim.
    fn segments(&self) -> u64 {
        let [cols, rows] = self.cells();
        2 * (cols + rows)
    }

    /// Row and column of the node at which a segment starts.
    fn rim(&self, k: u64) -> [usize; 2] {
        let [cols, rows] = self.cells();
        let [row, col] = if k < cols {
            [0, k]
        } else if k < cols + rows {
            [k - cols, cols]
        } else if k < 2 * cols + rows {
            [rows, 2 * cols + rows - k]
        } else {
            [2 * (cols + rows) - k, 0]
        };
        [row as usize, col as usize]
    }

    /// A corner of the base.
    fn corner(&self, x: f64, y: f64) -> Vec3 {
        let [half_x, half_y] = self.0.half();
        [x * half_x, y * half_y, -self.0.base()]
    }

    /// The box of segments that stand on one side.
    fn side(&self, first: u64, end: u64) -> Obb {
        let ends = [self.rim(first), self.rim(end)];
        let [rows, cols] = [0, 1].map(|k| ends[0][k].min(ends[1][k])..=ends[0][k].max(ends[1][k]));
        let (near, far) = (
            self.0.node(*rows.start(), *cols.start()),
            self.0.node(*rows.end(), *cols.end()),
        );
        let low = self.0.lowest().min(-self.0.base());
        let high = self.0.highest_around(&[rows, cols]).max(-self.0.base());
        upright([near[0], near[1], low], [far[0], far[1], high])
    }
}

impl Hierarchy for Walls<'_> {
    fn root(&self) -> NodeId {
        ALL
    }

    fn obb(&self, node: NodeId) -> Obb {
        if node == BASE {
            return upright(self.corner(-1.0, -1.0), self.corner(1.0, 1.0));
        }
        let (first, end) = (node & ((1 << BITS) - 1), node >> BITS);
        if node == ALL || end - first == self.segments() {
            let (low, high) = (self.0.lowest(), self.0.highest());
            let (min, max) = (self.corner(-1.0, -1.0), self.corner(1.0, 1.0));
            return upright([min[0], min[1], low.min(min[2])], [max[0], max[1], high.max(max[2])]);
        }
        self.side(first, end)
    }

    fn below(&self, node: NodeId) -> Below {
        let all = self.segments();
        match node {
            ALL => return Below::Nodes([BASE, range(0, all), 0, 0], 2),
            BASE => return Below::Triangles(2 * all, 2),
            _ => {}
        }
        let (first, end) = (node & ((1 << BITS) - 1), node >> BITS);
        if end - first == all {
            let [cols, rows] = self.cells();
            let [east, north, west] = [cols, cols + rows, 2 * cols + rows];
            let sides = [range(0, east), range(east, north), range(north, west), range(west, all)];
            return Below::Nodes(sides, 4);
        }
        if end - first == 1 {
            return Below::Triangles(2 * first, 2);
        }
        let middle = first + (end - first) / 2;
        Below::Nodes([range(first, middle), range(middle, end), 0, 0], 2)
    }

    fn triangle(&self, id: TriangleId) -> Triangle {
        let segment = id / 2;
        if segment == self.segments() {
            let (near, far) = (self.corner(-1.0, -1.0), self.corner(1.0, 1.0));
            return if id.is_multiple_of(2) {
                [near, far, self.corner(1.0, -1.0)]
            } else {
                [near, self.corner(-1.0, 1.0), far]
            };
        }
        let [a, b] = [segment, segment + 1].map(|k| {
            let [row, col] = self.rim(k);
            self.0.node(row, col)
        });
        let down = |p: Vec3| [p[0], p[1], -self.0.base()];
        if id.is_multiple_of(2) {
            [a, down(a), down(b)]
        } else {
            [a, down(b), b]
        }
    }

    fn count(&self) -> u64 {
        2 * self.segments() + 2
    }
}
