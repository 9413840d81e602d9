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
            tops: [near, far, if upper_left { left } else { right }],
        };
        self.reached &= self.reached - 1;
        place
    }
}

/// The cells below a box. Their prisms extend down to the base, so that only the tops tell which of them reach up to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Below {
    pub rows: Range<u32>,
    pub cols: Range<u32>,
    /// Prisms whose corners all have numbers below it are out of reach.
    pub floor: f32,
}

impl Below {
    /// Of a box in the field's frame; `None` when there is none, or when the box is farther than `margin` from the whole field.
    #[inline(always)]
    pub fn of_box(surface: &Surface, min: Vec3, max: Vec3, margin: f64) -> Option<Self> {
        if surface.is_beside(min, max, margin) {
            return None;
        }
        let cells = surface.cells_overlapping(min, max);
        (!cells.is_empty()).then(|| Self {
            rows: cells.rows.start as u32..cells.rows.end as u32,
            cols: cells.cols.start as u32..cells.cols.end as u32,
            floor: floor_number(min[2] - margin, surface.elevation()),
        })
    }
}

/// A walk over the prisms that can reach a box, in the order of the grid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    /// From the row at hand on.
    below: Below,
    /// The column to look at next.
    col: u32,
    /// The cell whose prisms are told one by one.
    cell: Cell,
}

impl Walk {
    /// Over the prisms below a box, in the field's frame; `None` when it is farther than `margin` from all.
    pub fn below(surface: &Surface, min: Vec3, max: Vec3, margin: f64) -> Option<Self> {
        let below = Below::of_box(surface, min, max, margin)?;
        (below.floor <= surface.highest_number(&below.rows, &below.cols)).then(|| Self::over(below))
    }

    /// Over the prisms of cells.
    pub fn over(below: Below) -> Self {
        Self {
            col: below.cols.start,
            below,
            cell: Cell::default(),
        }
    }

    /// The next cell with a prism that reaches up to the box.
    #[inline(always)]
    pub fn next_cell(&mut self, surface: &Surface) -> Option<Cell> {
        let Below { rows, cols, floor } = &mut self.below;
        loop {
            if self.col == cols.end {
                self.col = cols.start;
                rows.start += 1;
            }
            if rows.start >= rows.end {
                return None;
            }
            let (row, col) = (rows.start, self.col);
            self.col += 1;
            let numbers = surface.cell_numbers(row as usize, col as usize);
            let [near, right, left, far] = numbers;
            // Both triangles of a cell have the diagonal in common.
            let diagonal = near >= *floor || far >= *floor;
            let reached = u8::from(diagonal || left >= *floor) | u8::from(diagonal || right >= *floor) << 1;
            if reached != 0 {
                return Some(Cell {
                    row,
                    col,
                    numbers,
                    reached,
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
