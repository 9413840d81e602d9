//! What one world has of the rows of its group, sorted: as many islands as there are lanes make a batch, and within a batch
//! rows of a kind follow each other, island by island.

use motrix_spatial::{Lanes, Mask, Real};

use super::islands::Islands;
use super::layout::Layout;
use super::packing::MAX_LANES;
use crate::constraint::{Block, BlockKind, Rows};

/// The dofs of a block that belong to one tree.
#[derive(Clone, Copy, Debug)]
pub struct Limb {
    /// The tree.
    pub tree: u32,
    /// First of them among the dofs of the block.
    pub first: usize,
    /// Number of dofs.
    pub count: usize,
}

/// What the blocks of a group are in each of its worlds.
#[derive(Clone, Debug, Default)]
pub struct Stock {
    /// Limbs of all blocks.
    limbs: Vec<Limb>,
    /// First limb of each block, and one past the last.
    firsts: Vec<usize>,
    /// Kind of each block in each world.
    kinds: Vec<[u8; MAX_LANES]>,
}

/// A block that a world does not have.
const ABSENT: u8 = u8::MAX;
/// Kinds are numbered by cost, in steps of this, plus the number of rows.
const KINDS: u8 = 8;

impl Stock {
    /// Takes stock of the rows of a group.
    #[inline(always)]
    pub fn take<L: Lanes>(&mut self, rows: &Rows<L>, layout: &Layout) {
        self.limbs.clear();
        self.firsts.clear();
        self.kinds.clear();
        for block in &rows.blocks {
            self.firsts.push(self.limbs.len());
            let support = &rows.support[block.first_dof..block.first_dof + block.dof_count];
            let mut first = 0;
            while first < support.len() {
                let tree = layout.tree_of[support[first] as usize];
                let end = layout.trees[tree as usize].first + layout.trees[tree as usize].count;
                let mut next = first + 1;
                while next < support.len() && (support[next] as usize) < end {
                    next += 1;
                }
                self.limbs.push(Limb {
                    tree,
                    first,
                    count: next - first,
                });
                first = next;
            }
            self.kinds.push(kinds(block));
        }
        self.firsts.push(self.limbs.len());
    }

    /// The trees that a block moves.
    #[inline(always)]
    pub fn limbs(&self, block: usize) -> &[Limb] {
        &self.limbs[self.firsts[block]..self.firsts[block + 1]]
    }
}

/// What a block is in each lane: its cost and its rows there, which may be fewer than in other lanes.
#[inline(always)]
fn kinds<L: Lanes>(block: &Block<L>) -> [u8; MAX_LANES] {
    let cost = match block.kind {
        BlockKind::Contact(_) => 0,
        BlockKind::Equality(_) => 1,
        BlockKind::TendonFriction(_) => 2,
        BlockKind::BallLimit(_) | BlockKind::TendonLimit(..) => 3,
    };
    let mut out = [ABSENT; MAX_LANES];
    for r in 0..block.dim {
        let dim = match r {
            0 => 1,
            1 | 2 => 3,
            3 => 4,
            _ => 6,
        };
        // A weight that is no number is one.
        let present = (!block.weight[r].equal(L::ZERO)).bits();
        for k in 0..L::COUNT {
            if present >> k & 1 != 0 {
                out[k] = cost * KINDS + dim;
            }
        }
    }
    out
}

/// The number of rows of a kind.
#[inline(always)]
pub fn dim_of(kind: u8) -> usize {
    usize::from(kind % KINDS)
}

/// A kind of block, the one with the given index.
#[inline(always)]
pub fn block_kind(kind: u8, index: usize) -> BlockKind {
    match kind / KINDS {
        0 => BlockKind::Contact(index),
        1 => BlockKind::Equality(index),
        2 => BlockKind::TendonFriction(index),
        _ => BlockKind::BallLimit(index),
    }
}

/// A row of a world: its batch, kind, island within the batch, and number in the group, from the highest bits on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item(u64);

impl Item {
    #[inline(always)]
    fn new(island: usize, lanes: usize, kind: u8, number: usize) -> Self {
        let (batch, lane) = (island / lanes, island % lanes);
        Self((batch as u64) << 40 | u64::from(kind) << 32 | (lane as u64) << 28 | number as u64)
    }
    #[inline(always)]
    fn batch(self) -> usize {
        (self.0 >> 40) as usize
    }
    /// Its kind, for blocks.
    #[inline(always)]
    pub fn kind(self) -> u8 {
        (self.0 >> 32) as u8
    }
    /// Its island, as a lane of the batch.
    #[inline(always)]
    pub fn island(self) -> u32 {
        (self.0 >> 28) as u32 & 0xF
    }
    /// Its number in the group.
    #[inline(always)]
    pub fn number(self) -> usize {
        self.0 as usize & 0xFFF_FFFF
    }
}

/// The rows of one world.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Which trees hang together.
    pub islands: Islands,
    friction: Vec<Item>,
    limits: Vec<Item>,
    blocks: Vec<Item>,
    /// Where the rows of the present batch begin.
    starts: [usize; 3],
}

/// The rows of one batch.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// Rows of dry friction.
    pub friction: &'a [Item],
    /// Limits.
    pub limits: &'a [Item],
    /// Blocks.
    pub blocks: &'a [Item],
}

impl Inventory {
    /// Lists the rows of the world in lane `k`.
    #[inline(always)]
    pub fn list<L: Lanes>(&mut self, k: usize, rows: &Rows<L>, stock: &Stock, layout: &Layout) {
        let Self {
            islands,
            friction,
            limits,
            blocks,
            starts,
        } = self;
        *starts = [0; 3];
        islands.clear(layout.trees.len());
        for row in rows.friction.iter().filter(|row| weighs(row.weight, k)) {
            islands.touch(layout.tree_of[row.dof]);
        }
        for row in rows.limits.iter().filter(|row| weighs(row.weight, k)) {
            islands.touch(layout.tree_of[row.dof]);
        }
        for b in 0..rows.blocks.len() {
            if stock.kinds[b][k] == ABSENT {
                continue;
            }
            let limbs = stock.limbs(b);
            for limb in limbs {
                islands.touch(limb.tree);
                islands.join(limbs[0].tree, limb.tree);
            }
        }
        islands.number();

        friction.clear();
        for (i, row) in rows.friction.iter().enumerate() {
            if weighs(row.weight, k) {
                friction.push(Item::new(islands.of(layout.tree_of[row.dof]), L::COUNT, 0, i));
            }
        }
        limits.clear();
        for (i, row) in rows.limits.iter().enumerate() {
            if weighs(row.weight, k) {
                limits.push(Item::new(islands.of(layout.tree_of[row.dof]), L::COUNT, 0, i));
            }
        }
        blocks.clear();
        for b in 0..rows.blocks.len() {
            let kind = stock.kinds[b][k];
            if kind != ABSENT {
                // What moves nothing belongs anywhere.
                let island = stock.limbs(b).first().map_or(0, |limb| islands.of(limb.tree));
                blocks.push(Item::new(island, L::COUNT, kind, b));
            }
        }
        friction.sort_unstable();
        limits.sort_unstable();
        blocks.sort_unstable();
    }

    /// Number of batches.
    #[inline(always)]
    pub fn batches(&self, lanes: usize) -> usize {
        let rows = self.friction.len() + self.limits.len() + self.blocks.len();
        self.islands.count.div_ceil(lanes).max(rows.min(1))
    }

    /// The rows of a batch, after those of the batches before it were taken.
    #[inline(always)]
    pub fn batch(&mut self, number: usize) -> Batch<'_> {
        let [f, l, b] = self.starts;
        let friction = leading(&self.friction[f..], number);
        let limits = leading(&self.limits[l..], number);
        let blocks = leading(&self.blocks[b..], number);
        self.starts = [f + friction.len(), l + limits.len(), b + blocks.len()];
        Batch {
            friction,
            limits,
            blocks,
        }
    }
}

/// The items at the front that belong to a batch.
#[inline(always)]
fn leading(items: &[Item], batch: usize) -> &[Item] {
    let mut end = 0;
    while end < items.len() && items[end].batch() == batch {
        end += 1;
    }
    &items[..end]
}

/// Whether a row has a weight in lane `k`, be it no number.
#[inline(always)]
fn weighs<L: Lanes>(weight: L, k: usize) -> bool {
    weight.lane(k).to_f64() != 0.0
}
