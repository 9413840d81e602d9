//! The pattern of the Hessian for the couplings of a group.

use super::{Pattern, Run};

/// Builds the pattern of H for the couplings of a group, reusing its memory from step to step.
#[derive(Clone, Debug, Default)]
pub struct PatternBuilder {
    /// The couplings of the last pattern: the dofs of each constraint, counted.
    couplings: Vec<u32>,
    /// Those of the next one.
    next: Vec<u32>,
    /// Row *i* as a bit set over columns, `words` words each.
    bits: Vec<u64>,
    /// Those of the inertia matrix, which is always that of the same tree.
    tree: Vec<u64>,
    words: usize,
}

impl PatternBuilder {
    /// Writes the pattern that holds the inertia matrix and what constraints on the given dofs, ascending, couple. Nothing is
    /// done when `pattern` already is the one of these couplings.
    pub fn build<'a>(&mut self, tree: &Pattern, supports: impl Iterator<Item = &'a [u32]>, pattern: &mut Pattern) {
        self.next.clear();
        for support in supports.filter(|support| !on_one_chain(tree, support)) {
            self.next.push(support.len() as u32);
            self.next.extend_from_slice(support);
        }
        if pattern.rows() == tree.rows() && self.next == self.couplings {
            return;
        }
        core::mem::swap(&mut self.next, &mut self.couplings);
        self.start(tree);
        let couplings = core::mem::take(&mut self.couplings);
        let mut rest = couplings.as_slice();
        while let Some((count, dofs)) = rest.split_first() {
            let (support, others) = dofs.split_at(*count as usize);
            self.couple(support);
            rest = others;
        }
        self.couplings = couplings;
        self.finish(pattern);
    }

    /// Starts from the pattern of the inertia matrix.
    fn start(&mut self, tree: &Pattern) {
        if self.tree.is_empty() {
            let n = tree.rows();
            self.words = n.div_ceil(64);
            self.bits.resize(n * self.words, 0);
            for i in 0..n {
                for column in tree.columns(i) {
                    self.set(i, column);
                }
            }
            self.tree.clone_from(&self.bits);
        }
        self.bits.copy_from_slice(&self.tree);
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
        for i in 0..n {
            let row = self.bits[i * words..(i + 1) * words].iter();
            pattern.push_row(row.enumerate().flat_map(|(w, word)| Runs {
                first: 64 * w,
                rest: *word,
            }));
        }
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

/// The runs of columns in a word, the first of whose bits is the column `first`.
struct Runs {
    first: usize,
    rest: u64,
}

impl Iterator for Runs {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        if self.rest == 0 {
            return None;
        }
        let start = self.rest.trailing_zeros();
        // Adding the lowest bit carries through the run it starts.
        let (carried, overflow) = self.rest.overflowing_add(1 << start);
        let end = if overflow { 64 } else { carried.trailing_zeros() };
        self.rest &= carried;
        Some(Run {
            start: self.first + start as usize,
            end: self.first + end as usize,
        })
    }
}

/// Whether the last dof of a support has all others as ancestors: its couplings are those of the tree.
fn on_one_chain(tree: &Pattern, support: &[u32]) -> bool {
    let Some((&last, others)) = support.split_last() else {
        return true;
    };
    let mut runs = tree.row(last as usize).iter();
    let mut run = runs.next();
    others.iter().all(|&dof| {
        while run.is_some_and(|run| run.end <= dof as usize) {
            run = runs.next();
        }
        run.is_some_and(|run| run.start <= dof as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_columns_of_a_word() {
        for rest in [
            0,
            1,
            0b1011_0111,
            u64::MAX,
            1 << 63,
            u64::MAX << 60,
            0x8000_0000_0000_0001,
        ] {
            let columns: Vec<usize> = Runs { first: 64, rest }.flat_map(|run| run.start..run.end).collect();
            let expected: Vec<usize> = (0..64).filter(|c| rest >> c & 1 != 0).map(|c| 64 + c).collect();
            assert_eq!(columns, expected, "{rest:b}");
        }
    }

    #[test]
    fn couplings_of_a_tree_of_more_columns_than_a_word_has_are_found() {
        let parent: Vec<_> = (0..150).map(|i| (i % 50 != 0).then(|| i - 1)).collect();
        let tree = Pattern::of_tree(&parent);
        let mut pattern = Pattern::default();
        let supports: [&[u32]; 2] = [&[40, 41, 90], &[60, 149]];
        let mut builder = PatternBuilder::default();
        builder.build(&tree, supports.into_iter(), &mut pattern);
        for (i, j) in [(90, 40), (90, 41), (149, 60), (148, 60), (60, 50)] {
            assert!(pattern.columns(i).any(|c| c == j), "({i}, {j})");
        }
        assert!(pattern.columns(91).eq(50..91), "what nothing couples is as in the tree");
        builder.build(&tree, [].into_iter(), &mut pattern);
        assert_eq!(pattern, tree);
    }
}
