//! The surface of a height field as one world sees it: a window of the grid, scaled in height.
//!
//! Rows and columns count from the window's corner at the lowest x and y. The window is centred on the origin, as a field of
//! the window's size would be, and every position is computed from the window's own numbers before the corner is added: what a
//! world sees in a window is, bit for bit, what it would see of a field cut out along it.

use std::ops::{Range, RangeInclusive};

use crate::height_field::{CellRange, HeightField};
use crate::vector::Vec3;

/// A rectangle of nodes of a height field, and how much its heights are stretched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// First row of nodes.
    pub row: usize,
    /// First column of nodes.
    pub col: usize,
    /// Number of rows, at least 2.
    pub rows: usize,
    /// Number of columns, at least 2.
    pub cols: usize,
    /// Factor of the heights.
    pub z_scale: f64,
}

impl Window {
    /// All of a field.
    pub fn whole(field: &HeightField) -> Self {
        Self {
            row: 0,
            col: 0,
            rows: field.nrow(),
            cols: field.ncol(),
            z_scale: 1.0,
        }
    }

    /// Whether the window is one and lies in the field.
    pub fn fits(&self, field: &HeightField) -> bool {
        let inside = |first: usize, count: usize, nodes: usize| {
            count >= 2 && first.checked_add(count).is_some_and(|end| end <= nodes)
        };
        inside(self.row, self.rows, field.nrow())
            && inside(self.col, self.cols, field.ncol())
            && self.z_scale.is_finite()
            && self.z_scale >= 0.0
    }
}

/// A window of a height field in metres.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    field: &'a HeightField,
    window: Window,
    /// Half extents along x and y.
    half: [f64; 2],
    /// Height of the number 1.
    elevation: f64,
}

/// Nodes under a box: rows and columns of the window.
pub type Nodes = [RangeInclusive<usize>; 2];

/// The plane of a triangle: z = origin z + slope · (xy − origin xy).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    pub origin: Vec3,
    pub slope: [f64; 2],
    pub normal: Vec3,
}

impl Face {
    fn new(origin: Vec3, slope: [f64; 2]) -> Self {
        let z = 1.0 / (1.0 + slope[0] * slope[0] + slope[1] * slope[1]).sqrt();
        Self {
            origin,
            slope,
            normal: [-slope[0] * z, -slope[1] * z, z],
        }
    }

    /// Signed distance of a point from the plane, positive above.
    #[inline(always)]
    pub fn distance(&self, p: Vec3) -> f64 {
        let [x, y, z] = self.origin;
        let height = z + self.slope[0] * (p[0] - x) + self.slope[1] * (p[1] - y);
        (p[2] - height) * self.normal[2]
    }
}

/// Where a point lies in the grid: a cell, and the place in it from 0 to 1 along x and y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    pub row: usize,
    pub col: usize,
    pub u: f64,
    pub v: f64,
}

impl<'a> Surface<'a> {
    /// A window of a field; it must fit.
    #[inline(always)]
    pub fn new(field: &'a HeightField, window: Window) -> Self {
        let [dx, dy] = field.spacing();
        Self {
            field,
            window,
            half: [0.5 * dx * (window.cols - 1) as f64, 0.5 * dy * (window.rows - 1) as f64],
            elevation: field.size().elevation_z * window.z_scale,
        }
    }

    /// All of a field.
    pub fn whole(field: &'a HeightField) -> Self {
        Self::new(field, Window::whole(field))
    }

    /// The field.
    #[inline(always)]
    pub fn field(&self) -> &'a HeightField {
        self.field
    }

    /// The window.
    #[inline(always)]
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// Distances between neighbouring nodes.
    #[inline(always)]
    pub fn spacing(&self) -> [f64; 2] {
        self.field.spacing()
    }

    /// Half extents along x and y.
    #[inline(always)]
    pub fn half(&self) -> [f64; 2] {
        self.half
    }

    /// Height of the number 1.
    #[inline(always)]
    pub fn elevation(&self) -> f64 {
        self.elevation
    }

    /// Thickness of the body below height 0.
    #[inline(always)]
    pub fn base(&self) -> f64 {
        self.field.size().base_z
    }

    /// The number of a node.
    #[inline(always)]
    pub fn number(&self, row: usize, col: usize) -> f32 {
        self.field.height(self.window.row + row, self.window.col + col)
    }

    /// The numbers of a cell's four nodes: near, right, left, far.
    ///
    /// # Panics
    /// If the cell is outside of the field.
    #[inline(always)]
    pub fn cell_numbers(&self, row: usize, col: usize) -> [f32; 4] {
        self.field.cell(self.window.row + row, self.window.col + col)
    }

    /// Nodes of a row of the whole field.
    #[inline(always)]
    pub fn pitch(&self) -> usize {
        self.field.ncol()
    }

    /// Nodes of the whole field.
    pub fn node_count(&self) -> usize {
        self.field.nrow() * self.field.ncol()
    }

    /// The numbers of the four nodes of the cell whose near one has this place among all nodes of the field.
    ///
    /// # Panics
    /// If the cell is outside of the field.
    #[inline(always)]
    pub fn cell_from(&self, node: usize) -> [f32; 4] {
        self.field.cell_from(node)
    }

    /// The height of a node.
    #[inline(always)]
    pub fn height(&self, row: usize, col: usize) -> f64 {
        f64::from(self.number(row, col)) * self.elevation
    }

    /// A node.
    #[inline(always)]
    pub fn node(&self, row: usize, col: usize) -> Vec3 {
        let [dx, dy] = self.field.spacing();
        [
            dx * col as f64 - self.half[0],
            dy * row as f64 - self.half[1],
            self.height(row, col),
        ]
    }

    /// From a node that is not on the border to the ends of its six edges in turn, from that along +x on: differences of
    /// [`Surface::node`].
    ///
    /// # Panics
    /// If one of them is outside of the field.
    #[inline(always)]
    pub fn ways_around(&self, row: usize, col: usize) -> [Vec3; 6] {
        let [dx, dy] = self.field.spacing();
        let [ax, bx, cx] = [col - 1, col, col + 1].map(|col| dx * col as f64 - self.half[0]);
        let [ay, by, cy] = [row - 1, row, row + 1].map(|row| dy * row as f64 - self.half[1]);
        let numbers = self.field.around(self.window.row + row, self.window.col + col);
        let [z0, z1, z2, z3, z4, z5, own] = numbers.map(|number| f64::from(number) * self.elevation);
        let (left, right, below, above) = (ax - bx, cx - bx, ay - by, cy - by);
        [
            [right, 0.0, z0 - own],
            [right, above, z1 - own],
            [0.0, above, z2 - own],
            [left, 0.0, z3 - own],
            [left, below, z4 - own],
            [0.0, below, z5 - own],
        ]
    }

    /// The two triangles of a cell, counter-clockwise seen from above: that towards (-x, +y) first.
    pub fn triangles_of_cell(&self, row: usize, col: usize) -> [[Vec3; 3]; 2] {
        let (near, far) = (self.node(row, col), self.node(row + 1, col + 1));
        [
            [near, far, self.node(row + 1, col)],
            [near, self.node(row, col + 1), far],
        ]
    }

    /// The planes of the two triangles of a cell, in the same order.
    #[inline(always)]
    pub fn faces_of_cell(&self, row: usize, col: usize) -> [Face; 2] {
        let [dx, dy] = self.field.spacing();
        let origin = self.node(row, col);
        let (near, right) = (origin[2], self.height(row, col + 1));
        let (left, far) = (self.height(row + 1, col), self.height(row + 1, col + 1));
        [
            Face::new(origin, [(far - left) / dx, (left - near) / dy]),
            Face::new(origin, [(right - near) / dx, (far - right) / dy]),
        ]
    }

    /// Where a point lies in the grid; none beside it, or for what is not a number.
    #[inline(always)]
    pub fn place(&self, x: f64, y: f64) -> Option<Place> {
        let [dx, dy] = self.field.spacing();
        let (across, along) = ((x + self.half[0]) / dx, (y + self.half[1]) / dy);
        let (last_col, last_row) = ((self.window.cols - 1) as f64, (self.window.rows - 1) as f64);
        if !(across >= 0.0 && across <= last_col && along >= 0.0 && along <= last_row) {
            return None;
        }
        let col = (across as usize).min(self.window.cols - 2);
        let row = (along as usize).min(self.window.rows - 2);
        Some(Place {
            row,
            col,
            u: across - col as f64,
            v: along - row as f64,
        })
    }

    /// The plane of the triangle over or under a point.
    #[inline(always)]
    pub fn face_at(&self, x: f64, y: f64) -> Option<Face> {
        let Place { row, col, u, v } = self.place(x, y)?;
        let [dx, dy] = self.field.spacing();
        let origin = self.node(row, col);
        let far = self.height(row + 1, col + 1);
        let slope = if u > v {
            let right = self.height(row, col + 1);
            [(right - origin[2]) / dx, (far - right) / dy]
        } else {
            let left = self.height(row + 1, col);
            [(far - left) / dx, (left - origin[2]) / dy]
        };
        Some(Face::new(origin, slope))
    }

    /// Nodes whose cells towards (+x, +y) the box from `min` to `max` overlaps, of which only x and y matter; none if it lies
    /// beside the window or is not a number.
    pub fn nodes_under(&self, min: Vec3, max: Vec3) -> Option<Nodes> {
        let along = |axis: usize, nodes: usize| {
            let spacing = self.field.spacing()[axis];
            let place = |x: f64| (x + self.half[axis]) / spacing;
            let (first, last, end) = (place(min[axis]), place(max[axis]), (nodes - 1) as f64);
            (first <= end && last >= 0.0).then(|| first.max(0.0) as usize..=last.min(end) as usize)
        };
        Some([along(1, self.window.rows)?, along(0, self.window.cols)?])
    }

    /// Cells whose ground area overlaps the box from `min` to `max`, of which only x and y matter; none if it lies beside the
    /// window or is not a number.
    #[inline(always)]
    pub fn cells_overlapping(&self, min: Vec3, max: Vec3) -> CellRange {
        let along = |axis: usize, nodes: usize| {
            let (half, cells) = (self.half[axis], (nodes - 1) as f64);
            let place = |x: f64| (x + half) / (2.0 * half) * cells;
            // Conversions clip to the grid and round down; a range that ends before it starts is empty.
            let last = place(max[axis]).clamp(0.0, cells);
            let whole = last as usize;
            let first = place(min[axis]).clamp(0.0, cells) as usize;
            let last = whole + usize::from(last > whole as f64);
            first..last
        };
        CellRange {
            rows: along(1, self.window.rows),
            cols: along(0, self.window.cols),
        }
    }

    /// The lowest and the highest node of the window. Takes time in proportion to its outline; none to speak of for a whole field.
    pub fn range(&self) -> [f64; 2] {
        let Window {
            row, col, rows, cols, ..
        } = self.window;
        let all = self.field.all_extremes();
        let shown = if (rows, cols) == (self.field.nrow(), self.field.ncol()) {
            all
        } else {
            let cells = CellRange {
                rows: row..row + rows - 1,
                cols: col..col + cols - 1,
            };
            self.field.extremes(&cells).unwrap_or(all)
        };
        [shown.min, shown.max].map(|number| f64::from(number) * self.elevation)
    }

    /// Whether a box stays farther than `margin` from the box around the whole field. Not a number counts as clear.
    #[inline(always)]
    pub fn is_beside(&self, min: Vec3, max: Vec3, margin: f64) -> bool {
        let [x, y] = self.half;
        let low = [-x, -y, -self.base()];
        let high = [x, y, self.highest().max(0.0)];
        !(0..3).all(|k| min[k] - margin <= high[k] && max[k] + margin >= low[k])
    }

    /// A bound from above of the numbers of some cells of the window, of which there must be one: four blocks of the pyramid.
    pub fn highest_number(&self, rows: &Range<u32>, cols: &Range<u32>) -> f32 {
        let shifted = |range: &Range<u32>, by: usize| range.start as usize + by..range.end as usize + by;
        self.field
            .highest_around(shifted(rows, self.window.row), shifted(cols, self.window.col))
    }

    /// A bound from below of all heights.
    #[inline(always)]
    pub fn lowest(&self) -> f64 {
        f64::from(self.field.all_extremes().min) * self.elevation
    }

    /// A bound from above of all heights.
    #[inline(always)]
    pub fn highest(&self) -> f64 {
        f64::from(self.field.all_extremes().max) * self.elevation
    }

    /// A bound from above of the heights around some nodes, one cell farther included: four blocks of the pyramid.
    pub fn highest_around(&self, nodes: &Nodes) -> f64 {
        let [rows, cols] = nodes;
        let shifted = |range: &RangeInclusive<usize>, by: usize| range.start() + by..range.end() + by + 1;
        let highest = self
            .field
            .highest_around(shifted(rows, self.window.row), shifted(cols, self.window.col));
        f64::from(highest) * self.elevation
    }

    /// Whether the faces around some nodes are one level plane, none of them at the rim. Small level ground may pass as uneven.
    pub fn is_level(&self, nodes: &Nodes) -> bool {
        let Window {
            row, col, rows, cols, ..
        } = self.window;
        let inside = |range: &RangeInclusive<usize>, count: usize| *range.start() > 0 && range.end() + 2 <= count;
        let cells = |range: &RangeInclusive<usize>, first: usize| first + range.start() - 1..first + range.end() + 1;
        inside(&nodes[0], rows)
            && inside(&nodes[1], cols)
            && self.field.is_level(cells(&nodes[0], row), cells(&nodes[1], col))
    }
}
