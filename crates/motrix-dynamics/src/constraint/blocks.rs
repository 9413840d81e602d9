//! The blocks of a group, in memory that is used again: a block is made in its place, and what a solver fills before it reads is
//! not cleared.

use core::ops::{Deref, DerefMut};

use motrix_spatial::Lanes;

use super::{Block, BlockKind};

/// Blocks one after the other.
#[derive(Clone, Debug, Default)]
pub struct Blocks<L> {
    /// The blocks, then those of before.
    stock: Vec<Block<L>>,
    count: usize,
}

impl<L: Lanes> Blocks<L> {
    /// Forgets all blocks, keeps the memory.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Appends a block.
    #[inline(always)]
    pub fn push(&mut self, block: Block<L>) {
        match self.stock.get_mut(self.count) {
            Some(place) => *place = block,
            None => self.stock.push(block),
        }
        self.count += 1;
    }

    /// Appends a block without weight and dofs. Slopes, curvatures and zones, which only solvers know, are any numbers.
    #[inline(always)]
    pub fn open(&mut self, kind: BlockKind, dim: usize) -> &mut Block<L> {
        if self.count == self.stock.len() {
            self.stock.push(Block::empty(kind, dim));
        }
        let block = &mut self.stock[self.count];
        self.count += 1;
        let zero = [L::ZERO; 6];
        block.kind = kind;
        block.dim = dim;
        (block.first_dof, block.dof_count, block.jacobian) = (0, 0, 0);
        block.violation = zero;
        block.margin = L::ZERO;
        block.weight = zero;
        block.reference = zero;
        block.friction = zero;
        block.residual = zero;
        block.force = zero;
        block.idle = false;
        block.middle_weight = L::ZERO;
        block.held = 0;
        block
    }
}

impl<L> Deref for Blocks<L> {
    type Target = [Block<L>];
    #[inline(always)]
    fn deref(&self) -> &[Block<L>] {
        &self.stock[..self.count]
    }
}

impl<L> DerefMut for Blocks<L> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Block<L>] {
        &mut self.stock[..self.count]
    }
}

impl<'a, L> IntoIterator for &'a Blocks<L> {
    type Item = &'a Block<L>;
    type IntoIter = core::slice::Iter<'a, Block<L>>;
    #[inline(always)]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, L> IntoIterator for &'a mut Blocks<L> {
    type Item = &'a mut Block<L>;
    type IntoIter = core::slice::IterMut<'a, Block<L>>;
    #[inline(always)]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
