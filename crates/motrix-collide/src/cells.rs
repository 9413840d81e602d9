//! The prisms below a box, in the order of the grid.
//!
//! Each cell of a height field is two prisms: a triangle of the surface, the walls below its edges, and the base. Below a box are
//! those of the cells that it overlaps, seen from above, whose tops reach up to it.

use core::ops::Range;

use crate::terrain::Surface;
use crate::vector::Vec3;

/// A prism of a window: its cell, and which of the two triangles is its top.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub row: u32,
    pub col: u32,
    /// Whether it is the triangle towards (−x, +y).
    pub upper_left: bool,
    /// How many prisms came before it.
    pub number: u32,
    /// The field's numbers at the cell's near and far corner, and at the third of the triangle.
    pub tops: [f32; 3],
}

/// A cell of a window, and which of its two prisms reach up to a box.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cell {
    pub row: u32,
    pub col: u32,
    /// The field's numbers at its nodes: near, right, left, far.
    pub numbers: [f32; 4],
    /// Bit 0: the prism towards (−x, +y), bit 1: the other.
    pub reached: u8,
    /// How many prisms came before the first of these.
    number: u32,
}

impl Cell {
    /// Takes one of the prisms that are left in `reached`, of which there must be one.
    #[inline(always)]
    pub fn take(&mut self) -> Place {
        let upper_left = self.reached & 1 != 0;
        let [near, right, left, far] = self.numbers;
        let place = Place {
            row: self.row,
            col: self.col,
            upper_left,
            number: self.number,
            tops: [near, far, if upper_left { left } else { right }],
        };
        self.reached &= self.reached - 1;
        self.number += 1;
        place
    }
}

/// Some cells in the order of the grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strip {
    /// The first of them.
    pub row: u32,
    pub col: u32,
    /// How many rows, and how many cells of each.
    pub rows: u32,
    pub cols: u32,
    /// The logarithm of how many cells from one row's first to the next row's.
    pub shift: u32,
}

/// A walk over the prisms that can reach a box, in the order of the grid. They extend down to the base, so only their tops matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    /// Rows from the one at hand on, and columns.
    rows: Range<u32>,
    cols: Range<u32>,
    /// The column to look at next.
    col: u32,
    /// The cell whose prisms are told one by one.
    cell: Cell,
    /// Prisms whose corners all have numbers below it cannot be reached.
    floor: f32,
    passed: u32,
}

impl Walk {
    /// Over the prisms below a box, in the field's frame; `None` when it is farther than `margin` from all.
    pub fn below(surface: &Surface, min: Vec3, max: Vec3, margin: f64) -> Option<Self> {
        if surface.is_beside(min, max, margin) {
            return None;
        }
        let cells = surface.cells_overlapping(min, max);
        let floor = min[2] - margin;
        if cells.is_empty() || floor > surface.highest_in(&cells) {
            return None;
        }
        let narrow = |range: Range<usize>| range.start as u32..range.end as u32;
        let cols = narrow(cells.cols);
        Some(Self {
            col: cols.start,
            rows: narrow(cells.rows),
            cols,
            floor: floor_number(floor, surface.elevation()),
            ..Self::default()
        })
    }

    /// How many prisms it has come by.
    pub fn passed(&self) -> u32 {
        self.passed
    }

    /// The first row and column.
    pub fn start(&self) -> [u32; 2] {
        [self.rows.start, self.cols.start]
    }

    /// Prisms whose corners all have numbers below it are out of reach.
    pub fn floor(&self) -> f32 {
        self.floor
    }

    /// Counts some more prisms, and tells how many came before.
    #[inline(always)]
    pub fn pass(&mut self, count: u32) -> u32 {
        let before = self.passed;
        self.passed += count;
        before
    }

    /// The logarithm of how many of `most` cells at a time are beside each other.
    #[inline(always)]
    pub fn shift(&self, most: u32) -> u32 {
        let wide = self.cols.end - self.cols.start;
        wide.next_power_of_two().min(most).trailing_zeros()
    }

    /// The next cells, at most `most` of them, a power of two: a part of a row, or some whole rows where those are short.
    #[inline(always)]
    pub fn next_strip(&mut self, most: u32) -> Option<Strip> {
        let shift = self.shift(most);
        let (row, col) = (self.rows.start, self.col);
        if row >= self.rows.end {
            return None;
        }
        let cols = (self.cols.end - col).min(1 << shift);
        let mut rows = 1;
        self.col += cols;
        if self.col == self.cols.end {
            // Only what begins a row may go on in the next.
            if col == self.cols.start {
                rows = (most >> shift).min(self.rows.end - row);
            }
            self.rows.start += rows;
            self.col = self.cols.start;
        }
        Some(Strip {
            row,
            col,
            rows,
            cols,
            shift,
        })
    }

    /// The next cell with a prism that reaches up to the box.
    #[inline(always)]
    pub fn next_cell(&mut self, surface: &Surface) -> Option<Cell> {
        loop {
            if self.col == self.cols.end {
                self.col = self.cols.start;
                self.rows.start += 1;
            }
            if self.rows.start >= self.rows.end {
                return None;
            }
            let (row, col) = (self.rows.start, self.col);
            self.col += 1;
            let numbers = surface.cell_numbers(row as usize, col as usize);
            let [near, right, left, far] = numbers;
            // Both triangles of a cell have the diagonal in common.
            let diagonal = near >= self.floor || far >= self.floor;
            let reached = u8::from(diagonal || left >= self.floor) | u8::from(diagonal || right >= self.floor) << 1;
            if reached != 0 {
                let number = self.passed;
                self.passed += reached.count_ones();
                return Some(Cell {
                    row,
                    col,
                    numbers,
                    reached,
                    number,
                });
            }
        }
    }

    /// The next prism that reaches up to the box.
    pub fn next(&mut self, surface: &Surface) -> Option<Place> {
        if self.cell.reached == 0 {
            self.cell = self.next_cell(surface)?;
        }
        Some(self.cell.take())
    }
}

/// The largest number whose height is not above `floor`, so that at least the heights that reach it compare as not less.
fn floor_number(floor: f64, elevation: f64) -> f32 {
    if floor <= 0.0 && elevation <= 0.0 {
        return f32::NEG_INFINITY;
    }
    let exact = floor / elevation;
    let rounded = exact as f32;
    if f64::from(rounded) > exact {
        rounded.next_down()
    } else {
        rounded
    }
}

/// The corners of a prism: three points of the base, then the three of the surface above them.
#[inline(always)]
pub(crate) fn corners(surface: &Surface, place: Place) -> [Vec3; 6] {
    let [dx, dy] = surface.spacing();
    let [half_x, half_y] = surface.half();
    let x = |col: u32| dx * f64::from(col) - half_x;
    let y = |row: u32| dy * f64::from(row) - half_y;
    let (near_x, far_x) = (x(place.col), x(place.col + 1));
    let (near_y, far_y) = (y(place.row), y(place.row + 1));
    let [near, far, third] = place.tops.map(|number| f64::from(number) * surface.elevation());
    // Counter-clockwise seen from above: near, far, left; or near, right, far.
    let (a, b, c) = if place.upper_left {
        ([near_x, near_y, near], [far_x, far_y, far], [near_x, far_y, third])
    } else {
        ([near_x, near_y, near], [far_x, near_y, third], [far_x, far_y, far])
    };
    let base = -surface.base();
    [[a[0], a[1], base], [b[0], b[1], base], [c[0], c[1], base], a, b, c]
}
