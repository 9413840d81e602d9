//! How the rows of a panel are found in a matrix.

use super::{Panel, Pattern, Run};

/// The columns that all rows of a panel share, if they are one run.
#[inline(always)]
pub(super) fn shared_run(pattern: &Pattern, panel: &Panel) -> Option<Run> {
    match pattern.row(panel.first) {
        [] => Some(Run {
            start: panel.first,
            end: panel.first,
        }),
        [run] => Some(*run),
        _ => None,
    }
}

/// Calls the unrolled form of a function of panels where their rows share few columns, as the limbs of a floating base do, else
/// the general one.
macro_rules! unrolled {
    ($short:ident, $general:ident, $S:ident, $pattern:ident, $panel:ident, $($argument:expr),*) => {
        match shared_run($pattern, $panel) {
            Some(Run { start, end }) if end == start => $short::<L, $S, 0>($pattern, $panel, start, $($argument),*),
            Some(Run { start, end }) if end - start == 3 => $short::<L, $S, 3>($pattern, $panel, start, $($argument),*),
            Some(Run { start, end }) if end - start == 4 => $short::<L, $S, 4>($pattern, $panel, start, $($argument),*),
            Some(Run { start, end }) if end - start == 6 => $short::<L, $S, 6>($pattern, $panel, start, $($argument),*),
            _ => $general::<L, $S>($pattern, $panel, $($argument),*),
        }
    };
}

pub(super) use unrolled;

/// The places of a column of a matrix in the rows of a panel, as far as these have it.
#[inline(always)]
pub(super) fn column<L, const S: usize>(pattern: &Pattern, panel: &Panel, a: *const L, column: usize) -> [*const L; S] {
    core::array::from_fn(|s| a.wrapping_add(pattern.base(panel.first + s).wrapping_add(column)))
}

/// Where the rows of a panel would have their column 0.
#[inline(always)]
pub(super) fn bases<const S: usize>(pattern: &Pattern, panel: &Panel) -> [usize; S] {
    core::array::from_fn(|s| pattern.base(panel.first + s))
}
