//! The last states of each world, for a look at what led to a failure.
//!
//! A ring of rows per world: every step first enters the state it starts from, with its inputs, over the oldest one.

use motrix_spatial::Real;

/// Past states of a batch.
#[derive(Clone, Debug)]
pub struct History<E> {
    /// States kept per world.
    depth: usize,
    /// Numbers per state.
    row: usize,
    rows: Vec<E>,
    time: Vec<f64>,
    /// States entered so far, by world.
    entered: Vec<u64>,
}

/// The past states of consecutive worlds, to write.
pub struct HistoryPart<'a, E> {
    depth: usize,
    row: usize,
    rows: &'a mut [E],
    time: &'a mut [f64],
    entered: &'a mut [u64],
}

impl<E: Real> History<E> {
    /// Room for `depth` states of `row` numbers in each of `count` worlds.
    pub fn new(depth: usize, row: usize, count: usize) -> Self {
        Self {
            depth,
            row,
            rows: vec![E::default(); count * depth * row],
            time: vec![0.0; count * depth],
            entered: vec![0; count],
        }
    }

    /// States kept per world.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The past of a world, oldest first: state and clock at the start of each of the last steps.
    pub fn of(&self, world: usize) -> impl Iterator<Item = (&[E], f64)> {
        let (depth, entered) = (self.depth as u64, self.entered[world]);
        (entered.saturating_sub(depth)..entered).map(move |step| {
            let place = world * self.depth + (step % depth) as usize;
            (&self.rows[place * self.row..(place + 1) * self.row], self.time[place])
        })
    }

    /// Forgets the past of a world.
    pub fn forget(&mut self, world: usize) {
        self.entered[world] = 0;
    }

    /// All worlds, to write.
    pub(crate) fn whole(&mut self) -> HistoryPart<'_, E> {
        HistoryPart {
            depth: self.depth,
            row: self.row,
            rows: &mut self.rows,
            time: &mut self.time,
            entered: &mut self.entered,
        }
    }

    /// The past of `worlds` alone.
    pub(crate) fn gather(&self, worlds: impl Iterator<Item = usize>) -> Self {
        let mut some = Self::new(self.depth, self.row, 0);
        for world in worlds {
            let (first, end) = (world * self.depth, (world + 1) * self.depth);
            some.rows
                .extend_from_slice(&self.rows[first * self.row..end * self.row]);
            some.time.extend_from_slice(&self.time[first..end]);
            some.entered.push(self.entered[world]);
        }
        some
    }

    /// Puts back what [`History::gather`] took.
    pub(crate) fn scatter(&mut self, worlds: impl Iterator<Item = usize>, from: &Self) {
        let numbers = self.depth * self.row;
        for (k, world) in worlds.enumerate() {
            let past = &from.rows[k * numbers..(k + 1) * numbers];
            self.rows[world * numbers..(world + 1) * numbers].copy_from_slice(past);
            let clocks = &from.time[k * self.depth..(k + 1) * self.depth];
            self.time[world * self.depth..(world + 1) * self.depth].copy_from_slice(clocks);
            self.entered[world] = from.entered[k];
        }
    }
}

impl<'a, E: Real> HistoryPart<'a, E> {
    /// Splits off the first `worlds`.
    pub(crate) fn take(&mut self, worlds: usize) -> HistoryPart<'a, E> {
        let (rows, others) = std::mem::take(&mut self.rows).split_at_mut(worlds * self.depth * self.row);
        self.rows = others;
        let (time, others) = std::mem::take(&mut self.time).split_at_mut(worlds * self.depth);
        self.time = others;
        let (entered, others) = std::mem::take(&mut self.entered).split_at_mut(worlds);
        self.entered = others;
        HistoryPart {
            depth: self.depth,
            row: self.row,
            rows,
            time,
            entered,
        }
    }

    /// Enters the state from which `world` is about to step, given in parts.
    pub(crate) fn enter<const PARTS: usize>(&mut self, world: usize, state: [&[E]; PARTS], time: f64) {
        let place = world * self.depth + (self.entered[world] % self.depth as u64) as usize;
        let mut rest = &mut self.rows[place * self.row..(place + 1) * self.row];
        for part in state {
            let (own, others) = rest.split_at_mut(part.len());
            own.copy_from_slice(part);
            rest = others;
        }
        self.time[place] = time;
        self.entered[world] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_keeps_the_last_states_oldest_first() {
        let mut history = History::<f32>::new(3, 2, 2);
        for step in 0..5 {
            let x = step as f32;
            history.whole().enter(1, [&[x], &[-x]], f64::from(step));
        }
        let past: Vec<_> = history.of(1).map(|(row, time)| (row.to_vec(), time)).collect();
        assert_eq!(past, [2.0, 3.0, 4.0].map(|x: f32| (vec![x, -x], f64::from(x))));
        assert_eq!(history.of(0).count(), 0);
        history.forget(1);
        assert_eq!(history.of(1).count(), 0);
    }
}
