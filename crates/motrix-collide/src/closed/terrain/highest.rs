//! The highest ground below a box in each lane, from the pyramid of highest numbers.

use motrix_spatial::{Lanes, Real};

use super::Ground;
use super::window::MAX_LANES;

/// A bound from above of the ground below the rectangle from `min` to `max` along x and y of the field, metres. What is not a number
/// may make it the highest ground of all.
///
/// The blocks are those of a slightly larger rectangle, so that rounding leaves out no cell below it.
#[inline(always)]
pub fn highest_below<L: Lanes>(ground: &Ground<L>, min: [L; 2], max: [L; 2]) -> L {
    let window = ground.window;
    // Columns and rows, the first and the last.
    let mut cells = [[L::Elem::default(); MAX_LANES]; 4];
    for i in 0..2 {
        let inverse = window.spacing[i].recip();
        let (first, last) = ((min[i] + window.half[i]) * inverse, (max[i] + window.half[i]) * inverse);
        let slack = L::c(1e-6);
        (first - slack.mul_add(first.abs(), L::c(0.01))).store(&mut cells[2 * i]);
        (last + slack.mul_add(last.abs(), L::c(0.01))).store(&mut cells[2 * i + 1]);
    }
    let mut highest = [L::Elem::default(); MAX_LANES];
    for k in 0..L::COUNT {
        let window = window.lane(k);
        // Saturating conversions: what is beside the window is taken to its border.
        let cell = |i: usize, most: usize| (cells[i][k].to_f32() as usize).min(most);
        let cols = [cell(0, window.cols - 2), cell(1, window.cols - 2)].map(|col| window.col + col);
        let rows = [cell(2, window.rows - 2), cell(3, window.rows - 2)].map(|row| window.row + row);
        highest[k] = L::Elem::from_f64(f64::from(ground.field.highest_between(rows, cols)));
    }
    L::load(&highest) * window.elevation
}
