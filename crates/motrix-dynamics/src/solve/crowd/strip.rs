//! Whole lanes of numbers read from and written to memory whose length is known from the layout of the trees.

use motrix_spatial::Lanes;

/// The numbers from place `i` on.
#[inline(always)]
pub fn load<L: Lanes>(from: &[L::Elem], i: usize) -> L {
    debug_assert!(i + L::COUNT <= from.len());
    // SAFETY: places come from the layout, the graph and the packing, which also made the memory: vectors over dofs end with room
    // for the widest tree, and rows of matrices, lines and tiles are padded to whole lanes.
    L::load(unsafe { from.get_unchecked(i..i + L::COUNT) })
}

/// Writes the numbers from place `i` on.
#[inline(always)]
pub fn store<L: Lanes>(x: L, to: &mut [L::Elem], i: usize) {
    debug_assert!(i + L::COUNT <= to.len());
    // SAFETY: as in `load`.
    x.store(unsafe { to.get_unchecked_mut(i..i + L::COUNT) });
}

/// One number in every lane.
#[inline(always)]
pub fn splat<L: Lanes>(from: &[L::Elem], i: usize) -> L {
    debug_assert!(i < from.len());
    // SAFETY: as in `load`.
    L::splat(unsafe { *from.get_unchecked(i) })
}
