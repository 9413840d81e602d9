//! Consecutive worlds that one thread works on at a time.
//!
//! A chunk is large enough that worlds which touch alike can be put into the same lanes, and small enough that threads finish
//! together.

use motrix_spatial::Real;
use motrix_spatial::fetch::fetch_ahead;

use crate::contact::Contact;
use crate::history::HistoryPart;
use crate::output::{Output, OutputSet};
use crate::overrides::Overrides;
use crate::states::States;
use crate::worlds::Worlds;

/// Most worlds in a chunk. Among more worlds more touch alike: quadrupeds step a twelfth faster in chunks of 1024 than in chunks of
/// 64. Rows are fetched while others are worked on, so that they need not all stay in a cache.
pub const MOST_WORLDS: usize = 1024;

/// Consecutive worlds, row by row.
pub struct Chunk<'a, E> {
    /// First world.
    pub first: usize,
    /// States.
    pub state: States<&'a mut [E]>,
    /// Clocks.
    pub time: &'a mut [f64],
    /// States that results describe.
    pub basis: States<&'a mut [E]>,
    /// Clocks of those.
    pub basis_time: &'a mut [f64],
    /// Kept results by kind.
    pub outputs: [&'a mut [E]; Output::ALL.len()],
    /// Kept contacts; empty when they are not kept.
    pub contacts: &'a mut [Vec<Contact<E>>],
    /// What is up to date.
    pub fresh: &'a mut [OutputSet],
    /// What was noticed in the last steps.
    pub health: &'a mut [u32],
    /// What touched in the last step.
    pub touching: &'a mut [u64],
    /// Past states; none when they are not recorded.
    pub history: Option<HistoryPart<'a, E>>,
}

impl<E: Copy> Chunk<'_, E> {
    /// Number of worlds.
    pub fn len(&self) -> usize {
        self.time.len()
    }

    /// Starts to bring the rows of some worlds into the cache, while others are being worked on. What contacts remember takes little
    /// of the room for it.
    pub fn fetch_ahead(&self, index: &[u32]) {
        /// Numbers of a memory that most worlds need.
        const REMEMBERED: usize = 32;
        for &row in index {
            for states in [&self.state, &self.basis] {
                let [parts @ .., memory] = states.row(row as usize);
                parts.into_iter().for_each(fetch_ahead);
                fetch_ahead(&memory[..memory.len().min(REMEMBERED)]);
            }
        }
    }
}

/// How many worlds go into a chunk: few enough that each of several threads gets several chunks, a multiple of the lanes.
pub fn worlds_per_chunk(count: usize, lanes: usize, threads: usize) -> usize {
    /// Chunks per thread: threads that start late, or meet harder worlds, then hold up nobody for long.
    const SHARES: usize = 4;
    let shares = if threads > 1 { threads * SHARES } else { 1 };
    let groups = count.div_ceil(lanes * shares).max(1);
    (groups * lanes).min(MOST_WORLDS.max(lanes))
}

/// The first `n` elements of what is left.
fn take<'a, T>(rest: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    let (part, others) = std::mem::take(rest).split_at_mut(n);
    *rest = others;
    part
}

impl<E: Real> Worlds<E> {
    /// The worlds in chunks of `size`, and their overrides.
    pub(crate) fn chunks(&mut self, size: usize) -> (Vec<Chunk<'_, E>>, &Overrides<E>) {
        let (count, kept) = (self.count(), self.kept);
        let widths = Output::ALL.map(|o| if kept.has(o) { o.width(self.model()) } else { 0 });
        let (mut state, mut basis) = (self.state.whole(), self.basis.whole());
        let (mut time, mut basis_time) = (self.time.as_mut_slice(), self.basis_time.as_mut_slice());
        let mut outputs = self.outputs.each_mut().map(Vec::as_mut_slice);
        let (mut contacts, mut fresh) = (self.contacts.as_mut_slice(), self.fresh.as_mut_slice());
        let (mut health, mut touching) = (self.health.as_mut_slice(), self.touching.as_mut_slice());
        let mut history = self.history.as_mut().map(|history| history.whole());
        let mut chunks = Vec::with_capacity(count.div_ceil(size));
        for first in (0..count).step_by(size) {
            let live = size.min(count - first);
            let mut part: [&mut [E]; Output::ALL.len()] = Default::default();
            for (part, (rest, width)) in part.iter_mut().zip(outputs.iter_mut().zip(widths)) {
                *part = take(rest, live * width);
            }
            let with_contacts = live.min(contacts.len());
            chunks.push(Chunk {
                first,
                state: state.take(live),
                time: take(&mut time, live),
                basis: basis.take(live),
                basis_time: take(&mut basis_time, live),
                outputs: part,
                contacts: take(&mut contacts, with_contacts),
                fresh: take(&mut fresh, live),
                health: take(&mut health, live),
                touching: take(&mut touching, live),
                history: history.as_mut().map(|history| history.take(live)),
            });
        }
        (chunks, &self.overrides)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_gets_work_before_chunks_grow() {
        assert_eq!(worlds_per_chunk(16, 8, 2), 8, "two threads, two chunks");
        assert_eq!(worlds_per_chunk(1024, 8, 2), 128);
        assert_eq!(worlds_per_chunk(8192, 8, 2), MOST_WORLDS);
        assert_eq!(worlds_per_chunk(300, 8, 1), 304, "one thread, one chunk");
        assert_eq!(worlds_per_chunk(1, 8, 1), 8);
        assert_eq!(worlds_per_chunk(0, 8, 1), 8);
        assert_eq!(worlds_per_chunk(300, 1, 2), 38);
    }
}
