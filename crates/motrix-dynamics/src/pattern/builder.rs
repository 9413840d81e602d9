//! The pattern of the Hessian for what is coupled in a group of worlds.

use super::Pattern;

/// Builds patterns of H, reusing its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct PatternBuilder {
    /// Row *i* as a bit set over columns, `words` words each.
    bits: Vec<u64>,
    words: usize,
    columns: Vec<usize>,
}

impl PatternBuilder {
    /// Writes the pattern that holds the inertia matrix and what constraints couple: a list of their dofs, ascending, counted.
    pub fn build(&mut self, tree: &Pattern, couplings: &[u32], pattern: &mut Pattern) {
        self.start(tree);
        let mut rest = couplings;
        while let Some((count, dofs)) = rest.split_first() {
            let (support, others) = dofs.split_at(*count as usize);
            self.couple(support);
            rest = others;
        }
        self.finish(pattern);
    }

    /// Starts from the pattern of the inertia matrix.
    fn start(&mut self, tree: &Pattern) {
        let n = tree.rows();
        self.words = n.div_ceil(64);
        self.bits.clear();
        self.bits.resize(n * self.words, 0);
        for i in 0..n {
            for column in tree.columns(i) {
                self.set(i, column);
            }
        }
    }

    /// Adds the couplings of a constraint on the dofs `support`, ascending.
    fn couple(&mut self, support: &[u32]) {
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
    fn finish(&mut self, pattern: &mut Pattern) {
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
        pattern.clear();
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
