//! The highest ground below a box in each lane, from the pyramid of highest numbers.

use motrix_spatial::{Lanes, Mask, Real};

use super::Ground;
use super::window::MAX_LANES;

/// A bound from above of the ground below the rectangle from `min` to `max` along x and y of the field, metres, in the lanes `near`.
/// What is not a number may make it the highest ground of all.
///
/// The blocks are those of a slightly larger rectangle, so that rounding leaves out no cell below it. All lanes ask for blocks of the
/// same size, that of the widest rectangle.
#[inline(always)]
pub fn highest_below<L: Lanes>(ground: &Ground<L>, min: [L; 2], max: [L; 2], near: L::Mask) -> L {
    let window = ground.window;
    // Columns and rows, the first and the last.
    let mut cells = [[L::Elem::default(); MAX_LANES]; 4];
    let mut wide = L::ZERO;
    for i in 0..2 {
        let inverse = window.spacing[i].recip();
        let (first, last) = ((min[i] + window.half[i]) * inverse, (max[i] + window.half[i]) * inverse);
        let slack = L::c(1e-6);
        let first = (first - slack.mul_add(first.abs(), L::c(0.01))).floor();
        let last = (last + slack.mul_add(last.abs(), L::c(0.01))).floor();
        wide = wide.max(last - first);
        first.store(&mut cells[2 * i]);
        last.store(&mut cells[2 * i + 1]);
    }
    let mut widths = [L::Elem::default(); MAX_LANES];
    L::select(near, wide, L::ZERO).store(&mut widths);
    let mut widest = 0;
    for k in 0..L::COUNT {
        widest = whole(widths[k]).max(widest);
    }
    let blocks = ground.field.blocks_across(widest);
    let mut highest = [L::Elem::default(); MAX_LANES];
    let mut bits = near.bits();
    while bits != 0 {
        let k = bits.trailing_zeros() as usize % MAX_LANES;
        bits &= bits - 1;
        let window = window.lane(k);
        // What is beside the window is taken to its border.
        let (last_col, last_row) = (window.cols - 2, window.rows - 2);
        let (left, right) = (whole(cells[0][k]).min(last_col), whole(cells[1][k]).min(last_col));
        let (top, bottom) = (whole(cells[2][k]).min(last_row), whole(cells[3][k]).min(last_row));
        let rows = [window.row + top, window.row + bottom];
        let cols = [window.col + left, window.col + right];
        highest[k] = L::Elem::from_f64(f64::from(blocks.highest(rows, cols)));
    }
    L::load(&highest) * window.elevation
}

/// A whole number as an integer: none is negative, and those larger than fields have cells are larger still.
#[inline(always)]
fn whole<E: Real>(x: E) -> usize {
    let x = x.to_f32();
    if x < MOST_CELLS {
        x.max(0.0) as i32 as usize
    } else {
        usize::MAX >> 1
    }
}

/// More cells than a field has in a row.
const MOST_CELLS: f32 = 1e9;
