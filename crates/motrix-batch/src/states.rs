//! The states of many worlds, kept so that what users read whole lies together in memory.
//!
//! The state of a world is a row of numbers ([`Layout`]). Rows are cut after the positions, after the velocities and before what
//! contacts remember, and each of the four parts has a table of its own: all positions are then one block of memory, and a copy of
//! them is a copy of that block, where a walk over whole rows, ten times as long, would fetch two cache lines per world for every
//! one it needs.

use std::ops::{Deref, DerefMut, Range};

use crate::layout::Layout;

/// Parts of a row: positions, velocities, all else that goes into lanes, what contacts remember.
const PARTS: usize = 4;

/// Rows of states, in vectors that own them or in slices of those.
#[derive(Clone, Debug)]
pub struct States<T> {
    /// Columns where parts begin, and the number of all columns.
    cuts: [usize; PARTS + 1],
    tables: [T; PARTS],
}

/// Columns of a table.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a, E> {
    /// The table, row by row.
    pub table: &'a [E],
    /// Numbers from the start of one row to the start of the next.
    pub stride: usize,
    /// The first of the columns in a row of the table.
    pub first: usize,
}

impl<T> States<T> {
    fn width(&self, part: usize) -> usize {
        self.cuts[part + 1] - self.cuts[part]
    }

    /// The part that a column belongs to.
    fn part_of(&self, column: usize) -> usize {
        (1..PARTS).filter(|&part| self.cuts[part] <= column).count()
    }

    /// The columns of each part and its table.
    pub fn parts(&self) -> impl Iterator<Item = (Range<usize>, &T)> {
        let cuts = self.cuts.windows(2).map(|cut| cut[0]..cut[1]);
        cuts.zip(&self.tables)
    }

    /// The columns of each part and its table, to write.
    pub fn parts_mut(&mut self) -> impl Iterator<Item = (Range<usize>, &mut T)> {
        let cuts = self.cuts.windows(2).map(|cut| cut[0]..cut[1]);
        cuts.zip(&mut self.tables)
    }
}

impl<E: Copy, T: Deref<Target = [E]>> States<T> {
    /// The parts of a world's row in order.
    pub fn row(&self, world: usize) -> [&[E]; PARTS] {
        std::array::from_fn(|part| {
            let width = self.width(part);
            &self.tables[part][world * width..(world + 1) * width]
        })
    }

    /// Some columns of a world's row, all of the same part.
    pub fn numbers(&self, world: usize, columns: Range<usize>) -> &[E] {
        let (part, place) = self.place(world, &columns);
        &self.tables[part][place]
    }

    /// Some columns of all rows, all of the same part.
    pub fn columns(&self, columns: &Range<usize>) -> Columns<'_, E> {
        let part = self.part_of(columns.start);
        Columns {
            table: &self.tables[part],
            stride: self.width(part),
            first: columns.start - self.cuts[part],
        }
    }

    /// The part of columns, and where they are in its table.
    fn place(&self, world: usize, columns: &Range<usize>) -> (usize, Range<usize>) {
        let part = self.part_of(columns.start);
        debug_assert!(columns.end <= self.cuts[part + 1], "columns {columns:?} of two parts");
        let first = world * self.width(part) + columns.start - self.cuts[part];
        (part, first..first + columns.len())
    }
}

impl<E: Copy, T: DerefMut<Target = [E]>> States<T> {
    /// Some columns of a world's row, to write; all of the same part.
    pub fn numbers_mut(&mut self, world: usize, columns: Range<usize>) -> &mut [E] {
        let (part, place) = self.place(world, &columns);
        &mut self.tables[part][place]
    }

    /// The parts of a world's row in order, to write.
    pub fn row_mut(&mut self, world: usize) -> [&mut [E]; PARTS] {
        let cuts = self.cuts;
        let mut parts = self.tables.each_mut().map(|table| &mut table[..]);
        for (part, table) in parts.iter_mut().enumerate() {
            let width = cuts[part + 1] - cuts[part];
            *table = &mut std::mem::take(table)[world * width..(world + 1) * width];
        }
        parts
    }

    /// Replaces a world's row.
    pub fn write(&mut self, world: usize, row: &[E]) {
        let cuts = self.cuts;
        for (part, own) in self.row_mut(world).into_iter().enumerate() {
            own.copy_from_slice(&row[cuts[part]..cuts[part + 1]]);
        }
    }

    /// Replaces a world's row by that of world `other` of states of the same layout.
    pub fn copy<U: Deref<Target = [E]>>(&mut self, world: usize, from: &States<U>, other: usize) {
        for (own, theirs) in self.row_mut(world).into_iter().zip(from.row(other)) {
            own.copy_from_slice(theirs);
        }
    }
}

impl<E: Copy> States<Vec<E>> {
    /// No rows.
    pub fn none(layout: &Layout) -> Self {
        Self {
            cuts: [0, layout.qpos.end, layout.qvel.end, layout.grip.start, layout.len],
            tables: Default::default(),
        }
    }

    /// `count` times the same row.
    pub fn repeated(layout: &Layout, row: &[E], count: usize) -> Self {
        let mut states = Self::none(layout);
        for (columns, table) in states.parts_mut() {
            table.reserve_exact(count * columns.len());
            for _ in 0..count {
                table.extend_from_slice(&row[columns.clone()]);
            }
        }
        states
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.tables.iter_mut().for_each(Vec::clear);
    }

    /// Adds the row of world `other` of states of the same layout.
    pub fn push(&mut self, from: &Self, other: usize) {
        for (table, row) in self.tables.iter_mut().zip(from.row(other)) {
            table.extend_from_slice(row);
        }
    }

    /// Replaces the row of world `to` by that of world `from`.
    pub fn copy_within(&mut self, from: usize, to: usize) {
        for (columns, table) in self.parts_mut() {
            let width = columns.len();
            table.copy_within(from * width..(from + 1) * width, to * width);
        }
    }

    /// All rows, to be split.
    pub fn whole(&mut self) -> States<&mut [E]> {
        States {
            cuts: self.cuts,
            tables: self.tables.each_mut().map(Vec::as_mut_slice),
        }
    }
}

impl<'a, E> States<&'a mut [E]> {
    /// Splits off the rows of the first `worlds`.
    pub fn take(&mut self, worlds: usize) -> States<&'a mut [E]> {
        let cuts = self.cuts;
        let mut first: [&'a mut [E]; PARTS] = Default::default();
        for (part, rest) in self.tables.iter_mut().enumerate() {
            let numbers = worlds * (cuts[part + 1] - cuts[part]);
            (first[part], *rest) = std::mem::take(rest).split_at_mut(numbers);
        }
        States { cuts, tables: first }
    }
}

#[cfg(test)]
mod tests {
    use motrix_model::Model;

    use super::*;

    fn layout(positions: usize, velocities: usize, len: usize) -> Layout {
        let mut layout = Layout::new(&Model::default());
        layout.qpos = 0..positions;
        layout.qvel = positions..positions + velocities;
        layout.grip = len.saturating_sub(1).max(positions + velocities)..len;
        layout.len = len;
        layout
    }

    #[test]
    fn a_row_comes_out_as_it_was_written() {
        for (positions, velocities, len) in [(3, 2, 9), (0, 0, 4), (2, 2, 4), (0, 0, 0)] {
            let layout = layout(positions, velocities, len);
            let mut states = States::repeated(&layout, &vec![-1; len], 3);
            let row: Vec<i32> = (0..len as i32).collect();
            states.write(1, &row);
            assert_eq!(states.row(1).concat(), row);
            assert_eq!(states.row(0).concat(), vec![-1; len]);
            for columns in [
                layout.qpos.clone(),
                layout.qvel.clone(),
                layout.qvel.end..layout.grip.start,
                layout.grip.clone(),
            ] {
                assert_eq!(states.numbers(1, columns.clone()), &row[columns.clone()]);
                let Columns { table, stride, first } = states.columns(&columns);
                assert_eq!(&table[stride + first..][..columns.len()], &row[columns]);
            }
            states.copy_within(1, 2);
            let mut whole = states.whole();
            let (_, others) = (whole.take(1), whole.take(2));
            assert_eq!(others.row(0).concat(), row);
            assert_eq!(others.row(1).concat(), row);
        }
    }
}
