//! Which worlds a call acts on.

/// Worlds of a batch, in the order in which results are given.
#[derive(Clone, Copy, Debug)]
pub enum Selection<'a> {
    /// All worlds.
    All,
    /// These worlds; each at most once.
    Rows(&'a [u32]),
}

impl Selection<'_> {
    /// Number of worlds selected from a batch of `count`.
    pub fn len(&self, count: usize) -> usize {
        match self {
            Selection::All => count,
            Selection::Rows(rows) => rows.len(),
        }
    }

    /// The `k`-th selected world.
    pub fn row(&self, k: usize) -> usize {
        match self {
            Selection::All => k,
            Selection::Rows(rows) => rows[k] as usize,
        }
    }

    /// The selected worlds.
    pub fn iter(&self, count: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.len(count)).map(|k| self.row(k))
    }
}
