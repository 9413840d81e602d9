//! The patterns of the Hessian that a group of worlds needed, kept: what touches in one step, or in the group before, often touches
//! in the next.

use super::Pattern;
use super::builder::PatternBuilder;

/// Patterns that are kept. A humanoid that falls over itself comes back to a few dozen.
const KEPT: usize = 64;

/// Patterns by what they couple.
#[derive(Clone, Debug, Default)]
pub struct Patterns {
    /// The couplings that are asked for: the dofs of each constraint, counted.
    wanted: Vec<u32>,
    /// Patterns, each in the place that its couplings choose; there is nothing else to look for, and it is overwritten by the next
    /// one that falls on its place.
    kept: Vec<Entry>,
    builder: PatternBuilder,
}

/// A pattern and the couplings it is for.
#[derive(Clone, Debug, Default)]
struct Entry {
    couplings: Vec<u32>,
    pattern: Pattern,
}

impl Patterns {
    /// The pattern that holds the inertia matrix, whose own is always the same `tree`, and what constraints on the given dofs,
    /// ascending, couple.
    pub fn of<'a>(&mut self, tree: &Pattern, supports: impl Iterator<Item = &'a [u32]>) -> &Pattern {
        self.wanted.clear();
        let mut last: &[u32] = &[];
        for support in supports.filter(|support| !on_one_chain(tree, support)) {
            // Two bodies that touch often do so in several places.
            if support != last {
                self.wanted.push(support.len() as u32);
                self.wanted.extend_from_slice(support);
                last = support;
            }
        }
        self.kept.resize_with(KEPT, Entry::default);
        let entry = &mut self.kept[place(&self.wanted)];
        if entry.pattern.rows() != tree.rows() || entry.couplings != self.wanted {
            entry.couplings.clear();
            entry.couplings.extend_from_slice(&self.wanted);
            self.builder.build(tree, &entry.couplings, &mut entry.pattern);
        }
        &entry.pattern
    }
}

/// Where the pattern of some couplings is kept: their hash by Fowler, Noll and Vo, whose high bits are the well mixed ones.
fn place(couplings: &[u32]) -> usize {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let hash = couplings
        .iter()
        .fold(OFFSET, |hash, &dof| (hash ^ u64::from(dof)).wrapping_mul(PRIME));
    (hash >> 32) as usize % KEPT
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
    fn a_pattern_that_comes_back_is_the_one_built_anew() {
        // A trunk of one dof and twelve limbs of two: more couplings than places.
        let parent = |i: usize| (i > 0).then(|| if i % 2 == 1 { 0 } else { i - 1 });
        let tree = Pattern::of_tree(&(0..25).map(parent).collect::<Vec<_>>());
        let pairs = (0..12u32).flat_map(|a| (0..a).map(move |b| [1 + 2 * b, 2 + 2 * b, 1 + 2 * a, 2 + 2 * a]));
        let pairs: Vec<[u32; 4]> = pairs.collect();
        assert!(pairs.len() > KEPT);
        let mut patterns = Patterns::default();
        for _ in 0..2 {
            for pair in &pairs {
                let anew = Patterns::default().of(&tree, [&pair[..]].into_iter()).clone();
                let twice = [&pair[..], &pair[..]].into_iter();
                assert_eq!(*patterns.of(&tree, twice), anew, "{pair:?}");
                assert_ne!(anew, tree);
            }
        }
        assert_eq!(*patterns.of(&tree, [&pairs[0][..2]].into_iter()), tree);
    }
}
