//! Sparsity of symmetric matrices over dofs, and their factorisation in lanes.
//!
//! The inertia matrix M couples a dof only with its ancestors, so in depth-first order the factorisation M = LᵀDL, eliminated
//! from the last dof to the first, has no fill-in (Featherstone, *Rigid Body Dynamics Algorithms*, §6.5). The Hessian of the
//! constraint solver, H = M + JᵀWJ, has the same pattern as long as every constraint acts on a single chain; a contact between
//! two chains adds entries and, by elimination, some fill. Both cases are one [`Pattern`]: for each row the columns below the
//! diagonal as runs of consecutive dofs.
//!
//! Entries are kept in *envelope* storage: row *i* occupies consecutive places from its first column to its diagonal, so entry
//! (i, j) is found at `base(i) + j` without a search, and columns outside the pattern are never touched.
//!
//! Consecutive rows that differ only in their diagonals (the dofs of one joint, or of a chain without branches) are worked on
//! together as a [`Panel`]: what is read of other rows then serves several rows while it is in a register.
//!
//! The elimination order is always the same and an absent coupling is an exact zero, so a lane's bits do not depend on
//! couplings that only its neighbours have.

mod builder;
mod factors;
mod panels;
mod product;

pub use builder::PatternBuilder;
pub use factors::{factor, solve};
pub use product::multiply;

/// Consecutive columns `start..end` of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// First column.
    pub start: usize,
    /// One past the last column.
    pub end: usize,
}

/// Consecutive rows, each with the columns of the one before it and that row's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Panel {
    /// First row. Its columns are those that all rows of the panel share.
    pub first: usize,
    /// Number of rows, at most [`Panel::MOST`].
    pub count: usize,
}

impl Panel {
    /// Most rows of a panel: their multipliers, for two other rows at a time, fit the registers.
    pub const MOST: usize = 4;
}

/// Non-zeros of a symmetric matrix over dofs, lower triangle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// Where row *i* would have its column 0; entry (i, j) is at `base[i] + j`, which wraps for absent columns only.
    base: Vec<usize>,
    /// Runs of all rows, in order; the diagonal is not part of a run.
    runs: Vec<Run>,
    /// Runs of row *i* are `runs[first_run[i]..first_run[i + 1]]`.
    first_run: Vec<usize>,
    /// All rows, in order.
    panels: Vec<Panel>,
    /// The first of those last rows that could all be one panel.
    chain: usize,
    /// Number of places of the storage.
    len: usize,
}

impl Pattern {
    /// The pattern of the inertia matrix: each dof with its ancestors. `parent[i] < i`.
    pub fn of_tree(parent: &[Option<usize>]) -> Self {
        let mut rows: Vec<Vec<usize>> = Vec::with_capacity(parent.len());
        for p in parent {
            let row = p.map_or(Vec::new(), |p| rows[p].iter().copied().chain([p]).collect());
            rows.push(row);
        }
        let mut pattern = Self::default();
        pattern.clear();
        for row in &rows {
            pattern.push_row(row.iter().map(|&start| Run { start, end: start + 1 }));
        }
        pattern
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.base.len()
    }
    /// Number of places that a matrix of this pattern occupies.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether the matrix has no rows.
    pub fn is_empty(&self) -> bool {
        self.base.is_empty()
    }
    /// Place of entry (i, j), j ≤ i, inside the pattern.
    #[inline(always)]
    pub fn at(&self, i: usize, j: usize) -> usize {
        self.base[i].wrapping_add(j)
    }
    /// Where row `i` would have its column 0; only sums with columns of the pattern are places.
    #[inline(always)]
    pub fn base(&self, i: usize) -> usize {
        self.base[i]
    }
    /// Place of the diagonal entry of row `i`.
    #[inline(always)]
    pub fn diagonal(&self, i: usize) -> usize {
        self.at(i, i)
    }
    /// Runs of row `i`, ascending.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &[Run] {
        &self.runs[self.first_run[i]..self.first_run[i + 1]]
    }
    /// Columns of row `i` below the diagonal, ascending.
    pub fn columns(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.row(i).iter().flat_map(|run| run.start..run.end)
    }

    /// The rows in order, those that are worked on together as one.
    #[inline(always)]
    pub fn panels(&self) -> &[Panel] {
        &self.panels
    }

    fn clear(&mut self) {
        self.base.clear();
        self.runs.clear();
        self.first_run.clear();
        self.first_run.push(0);
        self.panels.clear();
        self.chain = 0;
        self.len = 0;
    }

    /// Adds the last row to the panels: rows that could all be one panel are shared out evenly.
    fn push_panel(&mut self) {
        let i = self.base.len() - 1;
        if i == 0 || !self.continues(i) {
            self.chain = i;
        }
        while self.panels.last().is_some_and(|panel| panel.first >= self.chain) {
            self.panels.pop();
        }
        let rows = i + 1 - self.chain;
        let count = rows.div_ceil(Panel::MOST);
        for k in 0..count {
            let first = self.chain + k * rows / count;
            let next = self.chain + (k + 1) * rows / count;
            self.panels.push(Panel {
                first,
                count: next - first,
            });
        }
    }

    /// Whether row `i` has the columns of the row before it and that row's diagonal, and no others.
    fn continues(&self, i: usize) -> bool {
        let (row, before) = (self.row(i), self.row(i - 1));
        let Some((last, others)) = row.split_last() else {
            return false;
        };
        if last.end != i {
            return false;
        }
        match before.split_last() {
            Some((previous, rest)) if previous.end == i - 1 => rest == others && previous.start == last.start,
            _ => before == others && last.start == i - 1,
        }
    }

    /// Adds a row with the columns of some runs, ascending, which may meet.
    fn push_row(&mut self, runs: impl Iterator<Item = Run>) {
        let i = self.base.len();
        let first_run = self.runs.len();
        for run in runs {
            match self.runs[first_run..].last_mut() {
                Some(last) if last.end == run.start => last.end = run.end,
                _ => self.runs.push(run),
            }
        }
        let first = self.runs.get(first_run).map_or(i, |run| run.start);
        self.base.push(self.len.wrapping_sub(first));
        self.len += i - first + 1;
        self.first_run.push(self.runs.len());
        self.push_panel();
    }
}
