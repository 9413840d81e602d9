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
//! The elimination order is always the same and an absent coupling is an exact zero, so a lane's bits do not depend on
//! couplings that only its neighbours have.

use core::ops::Range;

use motrix_spatial::Lanes;

/// Consecutive columns `start..end` of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// First column.
    pub start: usize,
    /// One past the last column.
    pub end: usize,
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
        pattern.first_run.push(0);
        for row in &rows {
            pattern.push_row(row);
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

    fn push_row(&mut self, columns: &[usize]) {
        let i = self.base.len();
        let first = columns.first().copied().unwrap_or(i);
        self.base.push(self.len.wrapping_sub(first));
        self.len += i - first + 1;
        let first_run = self.runs.len();
        for &column in columns {
            match self.runs[first_run..].last_mut() {
                Some(run) if run.end == column => run.end += 1,
                _ => self.runs.push(Run {
                    start: column,
                    end: column + 1,
                }),
            }
        }
        self.first_run.push(self.runs.len());
    }
}

/// Builds the pattern of H for the couplings of a group, reusing its memory from step to step.
#[derive(Clone, Debug, Default)]
pub struct PatternBuilder {
    /// Row *i* as a bit set over columns, `words` words each.
    bits: Vec<u64>,
    words: usize,
    columns: Vec<usize>,
}

impl PatternBuilder {
    /// Starts from the pattern of the inertia matrix.
    pub fn start(&mut self, tree: &Pattern) {
        let n = tree.rows();
        self.words = n.div_ceil(64);
        self.bits.clear();
        self.bits.resize(n * self.words, 0);
        for i in 0..n {
            for run in tree.row(i) {
                for column in run.start..run.end {
                    self.set(i, column);
                }
            }
        }
    }

    /// Adds the couplings of a constraint on the dofs `support`, ascending.
    pub fn couple(&mut self, support: &[u32]) {
        for (k, &i) in support.iter().enumerate() {
            for &j in &support[..k] {
                self.set(i as usize, j as usize);
            }
        }
    }

    /// Adds the fill of the elimination and writes the pattern.
    ///
    /// Eliminating row *i* couples all its columns with each other. It is enough to hand them to the largest of them, which
    /// is eliminated next among them and hands them on.
    pub fn finish(&mut self, pattern: &mut Pattern) {
        let words = self.words;
        let n = self.bits.len().checked_div(words).unwrap_or(0);
        for i in (0..n).rev() {
            if let Some(last) = self.last_column(i) {
                let (before, row) = self.bits.split_at_mut(i * words);
                let target = &mut before[last * words..(last + 1) * words];
                for (t, r) in target.iter_mut().zip(&row[..words]) {
                    *t |= r;
                }
                target[last / 64] &= !(1 << (last % 64));
            }
        }
        pattern.base.clear();
        pattern.runs.clear();
        pattern.first_run.clear();
        pattern.first_run.push(0);
        pattern.len = 0;
        let mut columns = std::mem::take(&mut self.columns);
        for i in 0..n {
            columns.clear();
            for (w, &word) in self.bits[i * words..(i + 1) * words].iter().enumerate() {
                let mut rest = word;
                while rest != 0 {
                    columns.push(w * 64 + rest.trailing_zeros() as usize);
                    rest &= rest - 1;
                }
            }
            pattern.push_row(&columns);
        }
        self.columns = columns;
    }

    fn set(&mut self, i: usize, j: usize) {
        self.bits[i * self.words + j / 64] |= 1 << (j % 64);
    }

    fn last_column(&self, i: usize) -> Option<usize> {
        let row = &self.bits[i * self.words..(i + 1) * self.words];
        row.iter()
            .enumerate()
            .rev()
            .find(|(_, w)| **w != 0)
            .map(|(w, bits)| w * 64 + 63 - bits.leading_zeros() as usize)
    }
}

/// Factorises A = LᵀDL in place: L below the diagonal, D on it; `inverse[i]` becomes 1/D(i).
///
/// Right-looking: row *k* is eliminated by subtracting `A(k,j)/D(k) · A(k,·)` from each row *j* of its pattern.
#[inline(always)]
pub fn factor<L: Lanes>(pattern: &Pattern, a: &mut [L], inverse: &mut [L]) {
    assert!(a.len() >= pattern.len && inverse.len() >= pattern.rows());
    for k in (0..pattern.rows()).rev() {
        let inv = a[pattern.diagonal(k)].recip();
        inverse[k] = inv;
        let runs = pattern.row(k);
        for (r, run) in runs.iter().enumerate().rev() {
            for j in (run.start..run.end).rev() {
                let place = pattern.at(k, j);
                let l = a[place] * inv;
                for before in &runs[..r] {
                    subtract_row(pattern, a, k, j, before.start..before.end, l);
                }
                subtract_row(pattern, a, k, j, run.start..j + 1, l);
                a[place] = l;
            }
        }
    }
}

/// `A(j, c) −= l · A(k, c)` for some columns that both rows have.
#[inline(always)]
fn subtract_row<L: Lanes>(pattern: &Pattern, a: &mut [L], k: usize, j: usize, columns: Range<usize>, l: L) {
    let (from, to) = (pattern.at(k, columns.start), pattern.at(j, columns.start));
    let rows = a.as_mut_ptr();
    for c in 0..columns.end - columns.start {
        // SAFETY: `factor` checked that the matrix has all places of the pattern, `columns` are columns of row k, and the
        // pattern is closed under elimination, so row j has them too (its diagonal for c = j).
        unsafe {
            let target = rows.add(to + c);
            *target = l.neg_mul_add(*rows.add(from + c), *target);
        }
    }
}

/// Solves LᵀDL x = b in place, with the factors of [`factor`].
#[inline(always)]
pub fn solve<L: Lanes>(pattern: &Pattern, factors: &[L], inverse: &[L], x: &mut [L]) {
    let n = pattern.rows();
    assert!(factors.len() >= pattern.len && inverse.len() >= n && x.len() >= n);
    for i in (0..n).rev() {
        let xi = x[i];
        for run in pattern.row(i) {
            let row = pattern.base(i);
            for c in run.start..run.end {
                // SAFETY: the lengths were checked above, and c is a column of row i, below i.
                unsafe {
                    let l = *factors.get_unchecked(row.wrapping_add(c));
                    let target = x.get_unchecked_mut(c);
                    *target = l.neg_mul_add(xi, *target);
                }
            }
        }
    }
    for i in 0..n {
        let mut sum = x[i] * inverse[i];
        for run in pattern.row(i) {
            let row = pattern.base(i);
            for c in run.start..run.end {
                // SAFETY: as above.
                unsafe {
                    let l = *factors.get_unchecked(row.wrapping_add(c));
                    sum = l.neg_mul_add(*x.get_unchecked(c), sum);
                }
            }
        }
        x[i] = sum;
    }
}

/// `out = A·x` for a symmetric matrix.
#[inline(always)]
pub fn multiply<L: Lanes>(pattern: &Pattern, a: &[L], x: &[L], out: &mut [L]) {
    let n = pattern.rows();
    assert!(a.len() >= pattern.len && x.len() >= n && out.len() >= n);
    for i in 0..n {
        let xi = x[i];
        let mut sum = a[pattern.diagonal(i)] * xi;
        for run in pattern.row(i) {
            let row = pattern.base(i);
            for c in run.start..run.end {
                // SAFETY: the lengths were checked above, and c is a column of row i, below i.
                unsafe {
                    let e = *a.get_unchecked(row.wrapping_add(c));
                    sum = e.mul_add(*x.get_unchecked(c), sum);
                    let other = out.get_unchecked_mut(c);
                    *other = e.mul_add(xi, *other);
                }
            }
        }
        out[i] = sum;
    }
}
