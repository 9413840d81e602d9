//! Which shapes come down to the ground around them at all: boxes about them against the pyramid of highest numbers.

use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::window::MAX_LANES;
use super::{Ground, none};

/// Relative widening that covers rounding.
const SLACK: f64 = 1e-4;

/// Up to so many nodes below a shape are looked at one by one.
const FEW_NODES: usize = 25;

/// The lanes, of those `near`, in which the box that reaches `extents` to either side of `centre` along the axes of the field,
/// and `reach` farther, lies over or under the field and comes down to the highest ground around it. May name a lane too many,
/// never miss one.
#[inline(always)]
pub fn terrain_reached<L: Lanes>(
    ground: &Ground<L>,
    centre: Vec3<L>,
    extents: Vec3<L>,
    reach: L,
    near: L::Mask,
) -> L::Mask {
    let window = ground.window;
    let far = centre[0].abs() + centre[1].abs() + centre[2].abs() + window.half[0] + window.half[1];
    let rounding = far.mul_add(L::c(16.0 * L::Elem::EPSILON), reach);
    let mut wide = extents;
    for extent in &mut wide {
        *extent = extent.mul_add(L::c(1.0 + SLACK), rounding);
    }
    let near = near & !(centre[2] + wide[2]).lt(-window.base);
    if none(near) {
        return near;
    }
    // First and last column, first and last row, lowest point.
    let mut rectangle = [[L::Elem::default(); MAX_LANES]; 5];
    for k in 0..2 {
        let inverse = L::ONE / window.spacing[k];
        let from_corner = centre[k] + window.half[k];
        ((from_corner - wide[k]) * inverse).floor().store(&mut rectangle[2 * k]);
        ((from_corner + wide[k]) * inverse)
            .floor()
            .store(&mut rectangle[2 * k + 1]);
    }
    (centre[2] - wide[2]).store(&mut rectangle[4]);
    let mut elevation = [L::Elem::default(); MAX_LANES];
    window.elevation.store(&mut elevation);
    let mut bits = near.bits();
    let mut reached = 0;
    while bits != 0 {
        let lane = bits.trailing_zeros() as usize % MAX_LANES;
        bits &= bits - 1;
        let own = window.lane(lane);
        let [left, right] = [rectangle[0][lane].to_f64(), rectangle[1][lane].to_f64()];
        let [lower, upper] = [rectangle[2][lane].to_f64(), rectangle[3][lane].to_f64()];
        let bottom = rectangle[4][lane].to_f64();
        let (last_col, last_row) = ((own.cols - 1) as f64, (own.rows - 1) as f64);
        // What is not a number is nowhere.
        if !(left <= last_col && right >= 0.0 && lower <= last_row && upper >= 0.0) {
            continue;
        }
        let rows = own.row + lower.max(0.0) as usize..own.row + upper.min(last_row) as usize + 1;
        let cols = own.col + left.max(0.0) as usize..own.col + right.min(last_col) as usize + 1;
        let elevation = elevation[lane].to_f64();
        let above = |number: f32| bottom > f64::from(number) * elevation;
        if above(ground.field.highest_around(rows.clone(), cols.clone())) {
            continue;
        }
        // Blocks of the pyramid are wider than a small shape: its own nodes tell more, one farther than its last cells.
        let (end_row, end_col) = (
            (rows.end).min(own.row + own.rows - 1),
            cols.end.min(own.col + own.cols - 1),
        );
        let few = (end_row - rows.start) * (end_col - cols.start) <= FEW_NODES;
        let mut highest = f32::MIN;
        if few {
            for row in rows.start..=end_row {
                for col in cols.start..=end_col {
                    highest = highest.max(ground.field.height(row, col));
                }
            }
        }
        if !few || !above(highest) {
            reached |= 1 << lane;
        }
    }
    L::Mask::from_bits(reached)
}
