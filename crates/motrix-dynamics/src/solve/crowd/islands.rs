//! The islands of one world: trees that its constraints couple, directly or through others. Each is solved by itself.

/// Which trees hang together.
#[derive(Clone, Debug, Default)]
pub struct Islands {
    /// A tree of the same island, the lowest one at the end of the chain; [`STILL`] for trees that no row moves.
    groups: Vec<u32>,
    /// Island of each tree that rows move.
    of_tree: Vec<u32>,
    /// Number of islands.
    pub count: usize,
}

/// A tree that no row moves.
const STILL: u32 = u32::MAX;

impl Islands {
    /// Trees that nothing moves.
    pub fn clear(&mut self, trees: usize) {
        self.groups.clear();
        self.groups.resize(trees, STILL);
        self.count = 0;
    }

    /// Enters a tree.
    pub fn touch(&mut self, tree: u32) {
        let group = &mut self.groups[tree as usize];
        if *group == STILL {
            *group = tree;
        }
    }

    /// Puts two trees that were entered into one island.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.lowest(a), self.lowest(b));
        self.groups[a.max(b) as usize] = a.min(b);
    }

    fn lowest(&self, mut tree: u32) -> u32 {
        while self.groups[tree as usize] != tree {
            tree = self.groups[tree as usize];
        }
        tree
    }

    /// Numbers the islands by their lowest trees.
    pub fn number(&mut self) {
        self.of_tree.clear();
        for tree in 0..self.groups.len() {
            let island = match self.groups[tree] {
                STILL => STILL,
                group if group as usize == tree => {
                    self.count += 1;
                    self.count as u32 - 1
                }
                // Links lead to lower trees, which have their numbers.
                group => self.of_tree[group as usize],
            };
            self.of_tree.push(island);
        }
    }

    /// The island of a tree that was entered.
    #[inline(always)]
    pub fn of(&self, tree: u32) -> usize {
        self.of_tree[tree as usize] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_that_are_coupled_through_others_are_one_island() {
        let mut islands = Islands::default();
        islands.clear(7);
        for tree in [1, 2, 3, 5, 6] {
            islands.touch(tree);
        }
        for (a, b) in [(6, 2), (5, 3), (2, 5)] {
            islands.join(a, b);
        }
        islands.number();
        assert_eq!(islands.count, 2);
        assert_eq!([1, 2, 3, 5, 6].map(|tree| islands.of(tree)), [0, 1, 1, 1, 1]);
    }
}
