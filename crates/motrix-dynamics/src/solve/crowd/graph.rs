//! Which trees of a world its constraints couple, in which order they are eliminated, and what that fills.
//!
//! Trees with the fewest neighbours are eliminated first (Tinney and Walker, *Direct solutions of sparse network equations*,
//! 1967): piles of bodies then fill little. Of those that have as few, all that are no neighbours of each other go in one round (Liu,
//! *Modification of the minimum-degree algorithm by multiple elimination*, 1985), so that their own matrices can be factorised
//! side by side. The order follows from the contacts of the world alone, so that it is the same whatever worlds are stepped with it.

use super::layout::Layout;

/// A tree that is coupled with one that is eliminated before it.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The tree.
    pub tree: u32,
    /// Where the matrix between the two begins, a row for each dof of the tree that is eliminated first.
    pub block: usize,
}

/// What eliminating a tree does to the matrix between two of its neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    /// Link to the neighbour that is eliminated first.
    pub first: u32,
    /// Link to the other one.
    pub second: u32,
    /// Where the matrix between them begins.
    pub block: usize,
}

/// The elimination of a tree.
#[derive(Clone, Copy, Debug)]
pub struct Elimination {
    /// The tree.
    pub tree: usize,
    /// Its island.
    pub island: u32,
    /// First of its links, which end where those of the next one begin.
    pub links: usize,
    /// Where the matrices of its links begin.
    pub blocks: usize,
    /// First of its updates.
    pub updates: usize,
}

/// The couplings of one world.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Bit sets over trees, `words` each: neighbours that are left, then those that were left when a tree was eliminated.
    neighbours: Vec<u64>,
    words: usize,
    /// Number of neighbours that are left times the number of trees, plus the tree: the smallest is eliminated next. [`GONE`]
    /// for trees that are not, or no longer, part of the graph.
    keys: Vec<u32>,
    /// When a tree is eliminated.
    ranks: Vec<u32>,
    /// Island of each tree.
    islands: Vec<u32>,
    /// Trees of the graph that are left.
    left: Vec<u32>,
    /// The last round in which a neighbour of a tree was eliminated, counted from 1.
    linked: Vec<u32>,
    /// The trees in order, and one past the last.
    pub order: Vec<Elimination>,
    /// Where each round ends in the order.
    pub rounds: Vec<usize>,
    /// Links of all trees.
    pub links: Vec<Link>,
    /// Updates of all eliminations.
    pub updates: Vec<Update>,
    /// Length of all matrices between trees.
    pub len: usize,
}

/// Key of trees that are not left.
const GONE: u32 = u32::MAX;

impl Graph {
    /// A graph without trees.
    pub fn clear(&mut self, trees: usize) {
        self.words = trees.div_ceil(64);
        self.neighbours.resize(trees * self.words, 0);
        self.keys.resize(trees, GONE);
        self.ranks.resize(trees, 0);
        self.islands.resize(trees, 0);
        self.linked.resize(trees, 0);
        self.left.clear();
        self.order.clear();
        self.rounds.clear();
        self.links.clear();
        self.updates.clear();
        self.len = 0;
    }

    /// Enters a tree of an island.
    pub fn touch(&mut self, tree: usize, island: u32) {
        if self.keys[tree] == GONE {
            self.keys[tree] = 0;
            self.islands[tree] = island;
            self.linked[tree] = 0;
            self.neighbours[tree * self.words..(tree + 1) * self.words].fill(0);
            self.left.push(tree as u32);
        }
    }

    /// Couples two trees.
    pub fn couple(&mut self, a: usize, b: usize) {
        self.neighbours[a * self.words + b / 64] |= 1 << (b % 64);
        self.neighbours[b * self.words + a / 64] |= 1 << (a % 64);
    }

    /// Makes the order, the links and the updates.
    pub fn eliminate(&mut self, layout: &Layout) {
        let trees = self.keys.len();
        self.left.sort_unstable();
        for k in 0..self.left.len() {
            let t = self.left[k] as usize;
            self.keys[t] = self.key(t);
        }
        while !self.left.is_empty() {
            let mut least = GONE;
            for &t in &self.left {
                least = least.min(self.keys[t as usize]);
            }
            self.eliminate_round(least / trees as u32, layout);
        }
        self.order.push(Elimination {
            tree: trees,
            island: 0,
            links: self.links.len(),
            blocks: self.len,
            updates: 0,
        });
        self.find_updates();
    }

    /// Eliminates trees of a degree, but for neighbours of one that was eliminated in this round.
    fn eliminate_round(&mut self, degree: u32, layout: &Layout) {
        let round = self.rounds.len() as u32 + 1;
        let mut kept = 0;
        for k in 0..self.left.len() {
            let t = self.left[k] as usize;
            if self.keys[t] / self.keys.len() as u32 != degree || self.linked[t] == round {
                self.left[kept] = t as u32;
                kept += 1;
                continue;
            }
            self.ranks[t] = self.order.len() as u32;
            self.keys[t] = GONE;
            let links = self.links.len();
            self.order.push(Elimination {
                tree: t,
                island: self.islands[t],
                links,
                blocks: self.len,
                updates: 0,
            });
            self.link(t, layout);
            for k in links..self.links.len() {
                let neighbour = self.links[k].tree as usize;
                self.linked[neighbour] = round;
                self.take_over(t, neighbour);
            }
        }
        self.left.truncate(kept);
        self.rounds.push(self.order.len());
    }

    fn key(&self, t: usize) -> u32 {
        let row = &self.neighbours[t * self.words..(t + 1) * self.words];
        let degree: u32 = row.iter().map(|word| word.count_ones()).sum();
        degree * self.keys.len() as u32 + t as u32
    }

    /// Links a tree with the neighbours that are left.
    fn link(&mut self, t: usize, layout: &Layout) {
        for w in 0..self.words {
            let mut rest = self.neighbours[t * self.words + w];
            while rest != 0 {
                let tree = w * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                self.links.push(Link {
                    tree: tree as u32,
                    block: self.len,
                });
                self.len += layout.trees[t].count * layout.trees[tree].stride;
            }
        }
    }

    /// Gives a neighbour the neighbours of an eliminated tree.
    fn take_over(&mut self, t: usize, neighbour: usize) {
        for w in 0..self.words {
            let word = self.neighbours[t * self.words + w];
            self.neighbours[neighbour * self.words + w] |= word;
        }
        for gone in [t, neighbour] {
            self.neighbours[neighbour * self.words + gone / 64] &= !(1 << (gone % 64));
        }
        self.keys[neighbour] = self.key(neighbour);
    }

    fn find_updates(&mut self) {
        for k in 0..self.order.len() {
            self.order[k].updates = self.updates.len();
            if k + 1 == self.order.len() {
                break;
            }
            let links = self.order[k].links..self.order[k + 1].links;
            for a in links.clone() {
                for b in a + 1..links.end {
                    let (ta, tb) = (self.links[a].tree as usize, self.links[b].tree as usize);
                    let (first, second) = if self.ranks[ta] < self.ranks[tb] {
                        (a, b)
                    } else {
                        (b, a)
                    };
                    if let Some(block) = self.block(ta, tb) {
                        self.updates.push(Update {
                            first: first as u32,
                            second: second as u32,
                            block,
                        });
                    }
                }
            }
        }
    }

    /// Whether the first of two trees is eliminated before the second.
    #[inline(always)]
    pub fn precedes(&self, a: usize, b: usize) -> bool {
        self.ranks[a] < self.ranks[b]
    }

    /// Where the matrix between two coupled trees begins.
    #[inline(always)]
    pub fn block(&self, a: usize, b: usize) -> Option<usize> {
        let (first, second) = if self.precedes(a, b) { (a, b) } else { (b, a) };
        let rank = self.ranks[first] as usize;
        let links = &self.links[self.order[rank].links..self.order[rank + 1].links];
        links
            .iter()
            .find(|link| link.tree as usize == second)
            .map(|link| link.block)
    }
}
