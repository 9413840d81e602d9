//! Between worlds as rows and worlds as lanes.
//!
//! Outside the kernels the state of world *w* is row *w* of a row-major table; inside, column *j* of several rows is
//! one lane value. Loading and storing are therefore transposes, here done in square tiles of `COUNT` rows by `COUNT`
//! columns. The table may hold another scalar than the lanes: each number is then converted, rounded once.
//!
//! Call these inside an entry point (see [`crate::entries`]), like every other lane arithmetic.

use crate::lanes::{Lanes, Real};

/// Rows of a row-major table, one per lane.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The row of each lane. When there are fewer rows than lanes, the lanes left over repeat the last row: they then
    /// compute something finite, and are not stored.
    pub index: &'a [u32],
    /// Numbers from the start of one row to the start of the next.
    pub stride: usize,
}

impl Rows<'_> {
    /// Where the row of lane `k` begins.
    #[inline(always)]
    pub fn start(&self, k: usize) -> usize {
        self.index[k.min(self.index.len() - 1)] as usize * self.stride
    }
}

/// Lane *k* of `lanes[j]` from column *j* of the row of lane *k*. For columns from `c` on, pass `&table[c..]`.
///
/// Without rows nothing is loaded. Panics when there are more rows than lanes, or a row ends beyond the table.
#[inline(always)]
pub fn load_rows<L: Lanes, S: Real>(table: &[S], rows: Rows, lanes: &mut [L]) {
    assert!(rows.index.len() <= L::COUNT, "more rows than lanes");
    let columns = lanes.len();
    if rows.index.is_empty() {
        return;
    }
    let mut column = 0;
    while column + L::COUNT <= columns {
        L::load_tile(table, rows, column, &mut lanes[column..column + L::COUNT]);
        column += L::COUNT;
    }
    if column < columns && columns >= L::COUNT {
        // A last tile that overlaps the one before loads some columns twice, to the same values.
        let column = columns - L::COUNT;
        L::load_tile(table, rows, column, &mut lanes[column..]);
    } else if column < columns {
        load_columns(table, rows, column, &mut lanes[column..]);
    }
}

/// Column *j* of the row of lane *k* from lane *k* of `lanes[j]`, for as many lanes as there are rows.
///
/// Panics when there are more rows than lanes, or a row ends beyond the table.
#[inline(always)]
pub fn store_rows<L: Lanes, S: Real>(lanes: &[L], table: &mut [S], rows: Rows) {
    assert!(rows.index.len() <= L::COUNT, "more rows than lanes");
    let columns = lanes.len();
    let mut column = 0;
    while column + L::COUNT <= columns {
        L::store_tile(&lanes[column..column + L::COUNT], table, rows, column);
        column += L::COUNT;
    }
    if column < columns && columns >= L::COUNT {
        let column = columns - L::COUNT;
        L::store_tile(&lanes[column..], table, rows, column);
    } else if column < columns {
        store_columns(&lanes[column..], table, rows, column);
    }
}

/// `lanes[j]` from column `first + j`, number by number.
#[inline(always)]
pub(crate) fn load_columns<L: Lanes, S: Real>(table: &[S], rows: Rows, first: usize, lanes: &mut [L]) {
    for k in 0..L::COUNT {
        let row = &table[rows.start(k) + first..][..lanes.len()];
        for j in 0..lanes.len() {
            lanes[j].set_lane(k, L::Elem::from_f64(row[j].to_f64()));
        }
    }
}

/// Column `first + j` from `lanes[j]`, number by number.
#[inline(always)]
pub(crate) fn store_columns<L: Lanes, S: Real>(lanes: &[L], table: &mut [S], rows: Rows, first: usize) {
    for k in 0..rows.index.len() {
        let row = &mut table[rows.start(k) + first..][..lanes.len()];
        for j in 0..lanes.len() {
            row[j] = S::from_f64(lanes[j].lane(k).to_f64());
        }
    }
}
