//! The states of many worlds, kept so that what users read whole lies together in memory.
//!
//! The state of a world is a row of numbers ([`Layout`]). Rows are cut after the positions, after the velocities and before what
//! contacts remember, and each of the four parts has a table of its own: all positions are then one block of memory, and a copy of
//! them is a copy of that block, where a walk over whole rows, ten times as long, would fetch two cache lines per world for every
//! one it needs.

use std::ops::{Deref, DerefMut, Range};

use motrix_dynamics::constraint::grip::GripTable;
use motrix_spatial::Real;

use crate::layout::Layout;

/// Parts of a row: positions, velocities, all else that goes into lanes, what contacts remember.
const PARTS: usize = 4;

/// Rows of states, in vectors that own them or in slices of those.
#[derive(Clone, Debug)]
pub struct States<T> {
    /// Columns where parts begin, and the number of all columns.
    cuts: [usize; PARTS + 1],
    tables: [T; PARTS],
    /// How the last part is kept.
    grips: GripTable,
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

impl<E: Real, T: DerefMut<Target = [E]>> States<T> {
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
        self.replace(world, std::array::from_fn(|part| &row[cuts[part]..cuts[part + 1]]));
    }

    /// Replaces a world's row by that of world `other` of states of the same layout.
    pub fn copy<U: Deref<Target = [E]>>(&mut self, world: usize, from: &States<U>, other: usize) {
        self.replace(world, from.row(other));
    }

    /// Replaces the parts of a world's row. Of what contacts remember, which is little of the room for it, that alone is touched.
    fn replace(&mut self, world: usize, parts: [&[E]; PARTS]) {
        let grips = self.grips;
        let ([own @ .., memory], [theirs @ .., remembered]) = (self.row_mut(world), parts);
        for (own, theirs) in own.into_iter().zip(theirs) {
            own.copy_from_slice(theirs);
        }
        grips.copy(remembered, memory);
    }
}

impl<E: Real> States<Vec<E>> {
    /// No rows.
    pub fn none(layout: &Layout) -> Self {
        Self {
            cuts: [0, layout.qpos.end, layout.qvel.end, layout.grip.start, layout.len],
            tables: Default::default(),
            grips: layout.grips,
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
            grips: self.grips,
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
        States {
            cuts,
            tables: first,
            grips: self.grips,
        }
    }
}

#[cfg(test)]
mod tests {
    use motrix_model::{ContactParams, Model};

    use super::*;

    /// Numbers of a memory of eight entries of four numbers, of which `entries` are taken.
    fn memory(entries: usize) -> Vec<f32> {
        (0..32)
            .map(|k| if k < 4 * entries { 100.0 + k as f32 } else { 0.0 })
            .collect()
    }

    /// Columns of a model without bodies whose contacts rub.
    fn layout(positions: usize, velocities: usize, others: usize) -> Layout {
        let params = ContactParams {
            dim: 3,
            friction: [1.0; 5],
            solref: [0.02, 1.0],
            solref_friction: [0.0; 2],
            solimp: [0.9, 0.95, 0.001, 0.5, 2.0],
            margin: 0.0,
            gap: 0.0,
            adhesion: 0.0,
        };
        let mut layout = Layout::new(&Model {
            pair_params: vec![params],
            ..Model::default()
        });
        assert_eq!(layout.grip.len(), memory(0).len());
        layout.qpos = 0..positions;
        layout.qvel = positions..positions + velocities;
        let lanes = positions + velocities + others;
        layout.len = lanes + layout.grip.len();
        layout.grip = lanes..layout.len;
        layout
    }

    #[test]
    fn a_row_comes_out_as_it_was_written() {
        for (positions, velocities, others) in [(3, 2, 4), (0, 0, 4), (2, 2, 0), (0, 0, 0)] {
            let layout = layout(positions, velocities, others);
            let numbers = layout.grip.start;
            let mut states = States::repeated(&layout, &[vec![-1.0; numbers], memory(8)].concat(), 3);
            for entries in [2, 8, 0] {
                let row = [(0..numbers).map(|k| k as f32).collect(), memory(entries)].concat();
                states.write(1, &row);
                assert_eq!(states.row(1).concat(), row, "{entries} entries");
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
                let mut copy = states.clone();
                copy.copy(0, &states, 2);
                assert_eq!(copy.row(0).concat(), row, "{entries} entries");
                let mut whole = states.whole();
                let (_, others) = (whole.take(1), whole.take(2));
                assert_eq!(others.row(0).concat(), row);
                assert_eq!(others.row(1).concat(), row);
            }
            assert_eq!(states.row(0).concat(), [vec![-1.0; numbers], memory(8)].concat());
        }
    }
}
