//! The rows of a batch of islands, as many as there are lanes side by side, and their Jacobian.
//!
//! Rows of a kind are put into lanes in their order, which follows from the world alone. The Jacobian of a cluster of rows has a
//! [`Leg`] for each tree that some of them moves. It is kept twice: as lines, the derivatives of one row by the dofs of its tree,
//! and as tiles, those of all rows of the cluster by one dof.

use motrix_spatial::rows::Rows as TableRows;
use motrix_spatial::{Lanes, Mask, Real};

use super::graph::Graph;
use super::inventory::{Batch, Item, Limb, Stock, block_kind, dim_of};
use super::layout::Layout;
use crate::constraint::{Block, FrictionRow, LimitRow, Rows};

/// Most lanes of any lane type.
pub const MAX_LANES: usize = 8;
/// The numbers of lanes.
const LANES: [u32; MAX_LANES] = [0, 1, 2, 3, 4, 5, 6, 7];
/// The tree of a lane whose row moves fewer trees than its cluster has legs.
pub const NO_TREE: u32 = u32::MAX;

/// What the rows of a cluster are to one tree each.
#[derive(Clone, Copy, Debug)]
pub struct Leg {
    /// The tree of each lane.
    pub trees: [u32; MAX_LANES],
    /// Where its dofs begin in vectors over dofs, in whole lanes.
    pub starts: [u32; MAX_LANES],
    /// Dofs of the largest of the trees, padded.
    pub stride: usize,
    /// First tile, `stride` times as many as there are rows in a block.
    pub tiles: usize,
    /// Where the lines begin: those of the first row of every lane, then those of the second, and so on.
    pub lines: usize,
    /// Where the derivatives of each lane begin in the Jacobian of the world.
    columns: [u32; MAX_LANES],
    /// The dofs, if the rows move all of each lane's tree and have nothing else between their derivatives.
    whole: Option<usize>,
}

/// The islands of the rows in lanes.
#[derive(Clone, Copy, Debug)]
pub struct Members {
    /// Number of rows.
    pub count: usize,
    /// Number of each lane's row among the group's.
    pub origin: [u32; MAX_LANES],
    /// Island of each lane; the first where there is no row.
    pub islands: [u32; MAX_LANES],
    /// All of them, one bit each.
    pub mask: u32,
}

impl Members {
    const NONE: Self = Self {
        count: 0,
        origin: [0; MAX_LANES],
        islands: [0; MAX_LANES],
        mask: 0,
    };

    #[inline(always)]
    fn push(&mut self, item: Item) -> usize {
        let k = self.count;
        self.origin[k] = item.number() as u32;
        self.islands[k] = item.island();
        self.mask |= 1 << item.island();
        self.count += 1;
        k
    }

    /// The number of each lane's island.
    #[inline(always)]
    pub fn spread<L: Lanes>(&self, by_island: &[L::Elem; MAX_LANES]) -> L {
        L::gather(by_island, &self.islands)
    }

    /// Adds the numbers of lanes to those of their islands.
    #[inline(always)]
    pub fn add_up<L: Lanes>(&self, x: L, by_island: &mut [f64; MAX_LANES]) {
        let mut numbers = [L::Elem::default(); MAX_LANES];
        x.store(&mut numbers);
        for k in 0..self.count {
            by_island[self.islands[k] as usize] += numbers[k].to_f64();
        }
    }

    /// The lanes whose islands are among some, one bit each.
    #[inline(always)]
    pub fn lanes_of(&self, islands: u32) -> u32 {
        let mut bits = 0;
        for k in 0..self.count {
            bits |= (islands >> self.islands[k] & 1) << k;
        }
        bits
    }

    /// The islands of some lanes, one bit each.
    #[inline(always)]
    pub fn islands_of(&self, lanes: u32) -> u32 {
        let mut bits = 0;
        for k in 0..self.count {
            bits |= (lanes >> k & 1) << self.islands[k];
        }
        bits
    }
}

/// Up to as many blocks as there are lanes.
#[derive(Clone, Copy, Debug)]
pub struct Cluster {
    /// The blocks.
    pub members: Members,
    /// First leg.
    pub first_leg: usize,
    /// Number of legs.
    pub legs: usize,
}

/// Rows on single dofs, one per lane.
#[derive(Clone, Copy, Debug)]
pub struct Singles {
    /// The rows.
    pub members: Members,
    /// Tree of each lane.
    pub trees: [u32; MAX_LANES],
    /// Place of its dof in vectors over dofs.
    pub places: [u32; MAX_LANES],
}

impl Singles {
    const NONE: Self = Self {
        members: Members::NONE,
        trees: [0; MAX_LANES],
        places: [0; MAX_LANES],
    };
}

/// Numbers of a block that a world is told of, padded: weight, reference and friction of the first row, the weight of the middle
/// zone, then weight, reference and friction of each further row.
pub const NUMBERS: usize = 24;
/// Numbers of a block that a world answers with: forces and residuals.
pub const ANSWERS: usize = 12;

/// Appends the numbers of a block.
#[inline(always)]
pub fn tell<L: Lanes>(block: &Block<L>, out: &mut Vec<L>) {
    let mut numbers = [L::ZERO; NUMBERS];
    numbers[0] = block.weight[0];
    numbers[1] = block.reference[0];
    numbers[2] = block.friction[0];
    numbers[3] = block.middle_weight;
    for r in 1..block.dim {
        numbers[3 * r + 1] = block.weight[r];
        numbers[3 * r + 2] = block.reference[r];
        numbers[3 * r + 3] = block.friction[r];
    }
    out.extend_from_slice(&numbers);
}

/// The numbers of one world's rows.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'a, E> {
    /// Of all blocks, [`NUMBERS`] each.
    pub blocks: &'a [E],
    /// Their Jacobians, and what follows.
    pub jacobian: &'a [E],
}

impl<E: Real> Numbers<'_, E> {
    /// The numbers of some blocks, one per lane, as a block of theirs.
    #[inline(always)]
    fn gather<L: Lanes<Elem = E>>(&self, members: &Members, block: &mut Block<L>) {
        let dim = block.dim;
        let rows = TableRows {
            index: &members.origin[..members.count],
            stride: NUMBERS,
        };
        let mut numbers = [L::ZERO; NUMBERS];
        for column in (0..3 * dim + 1).step_by(L::COUNT) {
            L::load_tile(self.blocks, rows, column, &mut numbers[column..column + L::COUNT]);
        }
        // Lanes without a row repeat the last one, without its weight.
        let present = L::Mask::from_bits((1 << members.count) - 1);
        block.weight[0] = L::select(present, numbers[0], L::ZERO);
        block.reference[0] = numbers[1];
        block.friction[0] = numbers[2];
        block.middle_weight = L::select(present, numbers[3], L::ZERO);
        for r in 1..dim {
            block.weight[r] = L::select(present, numbers[3 * r + 1], L::ZERO);
            block.reference[r] = numbers[3 * r + 2];
            block.friction[r] = numbers[3 * r + 3];
        }
    }
}

/// The rows of one batch.
#[derive(Clone, Debug)]
pub struct Packing<L: Lanes> {
    /// The rows, without dofs and Jacobian.
    pub rows: Rows<L>,
    /// Where rows of dry friction come from, as many as in `rows`.
    pub friction: Vec<Singles>,
    /// Where limits come from.
    pub limits: Vec<Singles>,
    /// Jacobians of limits: 1 or −1.
    pub limit_signs: Vec<L>,
    /// Where blocks come from.
    pub clusters: Vec<Cluster>,
    /// Legs of all clusters.
    pub legs: Vec<Leg>,
    /// Jacobians by dof.
    pub tiles: Vec<L>,
    /// Jacobians by row.
    pub lines: Vec<L::Elem>,
}

/// Where the rows of a world are.
pub struct Source<'a, L: Lanes> {
    /// Its lane in the group.
    pub lane: usize,
    /// The rows of the group.
    pub rows: &'a Rows<L>,
    /// What its blocks are.
    pub stock: &'a Stock,
    /// The numbers of the world.
    pub numbers: Numbers<'a, L::Elem>,
}

impl<L: Lanes> Packing<L> {
    /// No rows.
    pub fn new() -> Self {
        Self {
            rows: Rows::new(),
            friction: Vec::new(),
            limits: Vec::new(),
            limit_signs: Vec::new(),
            clusters: Vec::new(),
            legs: Vec::new(),
            tiles: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Enters the rows of a batch, and the trees they move.
    #[inline(always)]
    pub fn enter(&mut self, source: &Source<L>, batch: &Batch, layout: &Layout, graph: &mut Graph) {
        self.rows.clear();
        self.friction.clear();
        self.limits.clear();
        self.limit_signs.clear();
        self.clusters.clear();
        self.legs.clear();
        self.tiles.clear();
        self.lines.clear();
        graph.clear(layout.trees.len());
        self.enter_singles(source, batch, layout, graph);
        let mut rest = batch.blocks;
        while let Some(first) = rest.first() {
            let mut members = Members::NONE;
            while members.count < L::COUNT.min(rest.len()) && rest[members.count].kind() == first.kind() {
                members.push(rest[members.count]);
            }
            rest = &rest[members.count..];
            self.enter_cluster(first.kind(), members, source, layout, graph);
        }
    }

    /// The islands with a contact that has friction, one bit each.
    #[inline(always)]
    pub fn with_friction(&self) -> u32 {
        let mut islands = 0;
        for (block, cluster) in self.rows.blocks.iter().zip(&self.clusters) {
            if block.has_friction() {
                islands |= cluster.members.mask;
            }
        }
        islands
    }

    /// Enters rows on single dofs.
    #[inline(always)]
    fn enter_singles(&mut self, source: &Source<L>, batch: &Batch, layout: &Layout, graph: &mut Graph) {
        let k = source.lane;
        for &item in batch.friction {
            let row = &source.rows.friction[item.number()];
            let (singles, lane) = place::<L>(&mut self.friction, item, row.dof, layout, graph);
            if lane == 0 {
                self.rows.friction.push(FrictionRow::empty());
            }
            let to = &mut self.rows.friction[singles];
            copy(row.loss, k, &mut to.loss, lane);
            copy(row.weight, k, &mut to.weight, lane);
            copy(row.reference, k, &mut to.reference, lane);
        }
        for &item in batch.limits {
            let row = &source.rows.limits[item.number()];
            let (singles, lane) = place::<L>(&mut self.limits, item, row.dof, layout, graph);
            if lane == 0 {
                self.rows.limits.push(LimitRow::empty());
                self.limit_signs.push(L::ONE);
            }
            let to = &mut self.rows.limits[singles];
            copy(row.weight, k, &mut to.weight, lane);
            copy(row.reference, k, &mut to.reference, lane);
            copy(row.signed(L::ONE), k, &mut self.limit_signs[singles], lane);
        }
    }

    /// Enters blocks of a kind.
    #[inline(always)]
    fn enter_cluster(&mut self, kind: u8, members: Members, source: &Source<L>, layout: &Layout, graph: &mut Graph) {
        let dim = dim_of(kind);
        let kind = block_kind(kind, self.rows.blocks.len());
        source.numbers.gather(&members, self.rows.blocks.open(kind, dim));
        let mut cluster = Cluster {
            members,
            first_leg: self.legs.len(),
            legs: 0,
        };
        for lane in 0..members.count {
            self.enter_legs(lane, dim, source, layout, graph, &mut cluster);
        }
        self.clusters.push(cluster);
        for leg in cluster.first_leg..self.legs.len() {
            self.make_room(dim, leg);
            match self.legs[leg].whole {
                Some(dofs) => {
                    self.load_tiles(dim, leg, dofs, members.count, source);
                    self.make_lines(dim, leg);
                }
                None => {
                    for lane in 0..members.count {
                        self.copy_lines(dim, leg, lane, &members, source, layout);
                    }
                    self.make_tiles(dim, leg);
                }
            }
        }
    }

    /// Enters the trees that a block moves.
    #[inline(always)]
    fn enter_legs(
        &mut self,
        lane: usize,
        dim: usize,
        source: &Source<L>,
        layout: &Layout,
        graph: &mut Graph,
        cluster: &mut Cluster,
    ) {
        let number = cluster.members.origin[lane] as usize;
        let block = &source.rows.blocks[number];
        for (k, limb) in source.stock.limbs(number).iter().enumerate() {
            let span = &layout.trees[limb.tree as usize];
            let column = (block.jacobian + limb.first * block.dim) as u32;
            let whole = (block.dim == dim && limb.count == span.count).then_some(span.count);
            if k == cluster.legs {
                self.legs.push(Leg {
                    trees: [NO_TREE; MAX_LANES],
                    starts: [0; MAX_LANES],
                    stride: 0,
                    tiles: 0,
                    lines: 0,
                    columns: [column; MAX_LANES],
                    whole,
                });
                cluster.legs += 1;
            }
            let (before, this) = self.legs.split_at_mut(cluster.first_leg + k);
            let leg = &mut this[0];
            leg.trees[lane] = limb.tree;
            leg.starts[lane] = (span.start / L::COUNT) as u32;
            leg.stride = leg.stride.max(span.stride);
            leg.columns[lane] = column;
            if leg.whole != whole {
                leg.whole = None;
            }
            graph.touch(limb.tree as usize, cluster.members.islands[lane]);
            for other in &before[cluster.first_leg..] {
                graph.couple(other.trees[lane] as usize, limb.tree as usize);
            }
        }
    }

    /// Room for the Jacobian of a leg.
    #[inline(always)]
    fn make_room(&mut self, dim: usize, leg: usize) {
        let leg = &mut self.legs[leg];
        leg.lines = self.lines.len();
        leg.tiles = self.tiles.len();
        let lines = leg.lines + dim * L::COUNT * leg.stride;
        self.lines.resize(lines, L::Elem::from_f64(0.0));
        self.tiles.resize(leg.tiles + dim * leg.stride, L::ZERO);
    }

    /// Tiles of whole trees from the Jacobian of the world, where the derivatives of a row lie one after the other.
    #[inline(always)]
    fn load_tiles(&mut self, dim: usize, leg: usize, dofs: usize, count: usize, source: &Source<L>) {
        let leg = &self.legs[leg];
        let mut bits = 0;
        for lane in 0..count {
            bits |= u32::from(leg.trees[lane] != NO_TREE) << lane;
        }
        let present = L::Mask::from_bits(bits);
        let rows = TableRows {
            index: &leg.columns[..L::COUNT],
            stride: 1,
        };
        let tiles = &mut self.tiles[leg.tiles..leg.tiles + dim * dofs];
        for (t, chunk) in tiles.chunks_mut(L::COUNT).enumerate() {
            let mut tile = [L::ZERO; MAX_LANES];
            L::load_tile(source.numbers.jacobian, rows, t * L::COUNT, &mut tile[..L::COUNT]);
            for (to, x) in chunk.iter_mut().zip(tile) {
                *to = L::select(present, x, L::ZERO);
            }
        }
    }

    /// Lines from tiles.
    #[inline(always)]
    fn make_lines(&mut self, dim: usize, leg: usize) {
        let leg = &self.legs[leg];
        for r in 0..dim {
            let table = &mut self.lines[leg.lines + r * L::COUNT * leg.stride..];
            for column in (0..leg.stride).step_by(L::COUNT) {
                let mut tile = [L::ZERO; MAX_LANES];
                for c in 0..L::COUNT {
                    tile[c] = self.tiles[leg.tiles + (column + c) * dim + r];
                }
                L::store_tile(&tile[..L::COUNT], table, lanes::<L>(leg.stride), column);
            }
        }
    }

    /// Lines of one lane, number by number.
    #[inline(always)]
    fn copy_lines(
        &mut self,
        dim: usize,
        leg: usize,
        lane: usize,
        members: &Members,
        source: &Source<L>,
        layout: &Layout,
    ) {
        let leg = &self.legs[leg];
        let number = members.origin[lane] as usize;
        let block = &source.rows.blocks[number];
        let limbs = source.stock.limbs(number);
        let Some(Limb { tree, first, count }) = limbs.iter().find(|limb| limb.tree == leg.trees[lane]).copied() else {
            return;
        };
        for d in first..first + count {
            let column = &source.numbers.jacobian[block.jacobian + d * block.dim..][..dim];
            let dof = source.rows.support[block.first_dof + d] as usize;
            let place = leg.lines + lane * leg.stride + dof - layout.trees[tree as usize].first;
            for r in 0..dim {
                self.lines[place + r * L::COUNT * leg.stride] = column[r];
            }
        }
    }

    /// Tiles from lines.
    #[inline(always)]
    fn make_tiles(&mut self, dim: usize, leg: usize) {
        let leg = &self.legs[leg];
        for r in 0..dim {
            for column in (0..leg.stride).step_by(L::COUNT) {
                let mut tile = [L::ZERO; MAX_LANES];
                let table = &self.lines[leg.lines + r * L::COUNT * leg.stride..];
                L::load_tile(table, lanes::<L>(leg.stride), column, &mut tile[..L::COUNT]);
                for (c, x) in tile[..L::COUNT].iter().enumerate() {
                    self.tiles[leg.tiles + (column + c) * dim + r] = *x;
                }
            }
        }
    }

    /// Hands forces and residuals back to lane `k` of the group's rows; those of blocks to `answers`.
    #[inline(always)]
    pub fn leave(&self, k: usize, to: &mut Rows<L>, answers: &mut [L::Elem]) {
        for (singles, row) in self.friction.iter().zip(&self.rows.friction) {
            for lane in 0..singles.members.count {
                let to = &mut to.friction[singles.members.origin[lane] as usize];
                copy(row.force, lane, &mut to.force, k);
                copy(row.residual, lane, &mut to.residual, k);
            }
        }
        for (singles, row) in self.limits.iter().zip(&self.rows.limits) {
            for lane in 0..singles.members.count {
                let to = &mut to.limits[singles.members.origin[lane] as usize];
                copy(row.force, lane, &mut to.force, k);
                copy(row.residual, lane, &mut to.residual, k);
            }
        }
        for (cluster, block) in self.clusters.iter().zip(&self.rows.blocks) {
            for lane in 0..cluster.members.count {
                let to = &mut answers[cluster.members.origin[lane] as usize * ANSWERS..][..ANSWERS];
                for r in 0..block.dim {
                    to[r] = block.force[r].lane(lane);
                    to[6 + r] = block.residual[r].lane(lane);
                }
            }
        }
    }
}

/// The rows of a table that belong to lanes, one after the other.
#[inline(always)]
pub fn lanes<L: Lanes>(stride: usize) -> TableRows<'static> {
    TableRows {
        index: &LANES[..L::COUNT],
        stride,
    }
}

/// The place of the next row on a single dof: which vector, which lane of it.
#[inline(always)]
fn place<L: Lanes>(
    singles: &mut Vec<Singles>,
    item: Item,
    dof: usize,
    layout: &Layout,
    graph: &mut Graph,
) -> (usize, usize) {
    if singles.last().is_none_or(|last| last.members.count == L::COUNT) {
        singles.push(Singles::NONE);
    }
    let last = singles.len() - 1;
    let tree = layout.tree_of[dof];
    let span = &layout.trees[tree as usize];
    let to = &mut singles[last];
    let lane = to.members.push(item);
    to.trees[lane] = tree;
    to.places[lane] = (span.start + dof - span.first) as u32;
    graph.touch(tree as usize, item.island());
    (last, lane)
}

/// Copies the number in one lane to another.
#[inline(always)]
fn copy<L: Lanes>(from: L, k: usize, to: &mut L, lane: usize) {
    to.set_lane(lane, from.lane(k));
}
