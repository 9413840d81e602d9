//! The rows of one world, as many as there are lanes side by side, and their Jacobian.
//!
//! Rows of a kind are put into lanes in their order, which follows from the world alone. The Jacobian of a cluster of rows has a
//! [`Leg`] for each tree that some of them moves. It is kept twice: as lines, the derivatives of one row by the dofs of its tree,
//! and as tiles, those of all rows of the cluster by one dof.

use motrix_spatial::rows::Rows as TableRows;
use motrix_spatial::{Lanes, Real};

use super::graph::Graph;
use super::layout::Layout;
use crate::constraint::{Block, BlockKind, FrictionRow, LimitRow, Rows};

/// Most lanes of any lane type.
const MAX_LANES: usize = 8;
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
}

/// Up to as many blocks as there are lanes.
#[derive(Clone, Copy, Debug)]
pub struct Cluster {
    /// Number of blocks.
    pub count: usize,
    /// Index of the block of each lane among the group's.
    pub origin: [u32; MAX_LANES],
    /// First leg.
    pub first_leg: usize,
    /// Number of legs.
    pub legs: usize,
}

/// Rows on single dofs, one per lane.
#[derive(Clone, Copy, Debug)]
pub struct Singles {
    /// Number of rows.
    pub count: usize,
    /// Index of the row of each lane among the group's.
    pub origin: [u32; MAX_LANES],
    /// Tree of each lane.
    pub trees: [u32; MAX_LANES],
    /// Place of its dof in vectors over dofs.
    pub places: [u32; MAX_LANES],
}

impl Singles {
    const NONE: Self = Self {
        count: 0,
        origin: [0; MAX_LANES],
        trees: [0; MAX_LANES],
        places: [0; MAX_LANES],
    };

    fn push(&mut self, origin: usize, dof: usize, layout: &Layout) -> usize {
        let (k, tree) = (self.count, layout.tree_of[dof]);
        let span = &layout.trees[tree as usize];
        self.origin[k] = origin as u32;
        self.trees[k] = tree;
        self.places[k] = (span.start + dof - span.first) as u32;
        self.count += 1;
        k
    }
}

/// Numbers of a block that a world is told of: weights, references, friction, then the weight of the middle zone.
pub const NUMBERS: usize = 19;
const WEIGHT: usize = 0;
const REFERENCE: usize = 6;
const FRICTION: usize = 12;
const MIDDLE_WEIGHT: usize = 18;
/// Numbers of a block that a world answers with: forces and residuals.
pub const ANSWERS: usize = 12;

/// The numbers of one world's rows.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'a, E> {
    /// Of all blocks, [`NUMBERS`] each.
    pub blocks: &'a [E],
    /// Their Jacobians.
    pub jacobian: &'a [E],
}

impl<E: Real> Numbers<'_, E> {
    #[inline(always)]
    fn weights(&self, block: usize) -> &[E] {
        &self.blocks[block * NUMBERS..][..6]
    }

    /// A number of some blocks, one per lane.
    #[inline(always)]
    fn gather<L: Lanes<Elem = E>>(&self, members: &[u32], number: usize, others: L) -> L {
        let mut out = [E::default(); MAX_LANES];
        others.store(&mut out);
        for k in 0..members.len() {
            out[k] = self.blocks[members[k] as usize * NUMBERS + number];
        }
        L::load(&out)
    }
}

/// The rows of one world.
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
    /// Kind of each block of the group in this world.
    kinds: Vec<u8>,
}

/// A block that the world does not have.
const ABSENT: u8 = u8::MAX;

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
            kinds: Vec::new(),
        }
    }

    /// Enters the rows of lane `k` of a group, and the trees they move.
    #[inline(always)]
    pub fn enter(&mut self, k: usize, from: &Rows<L>, numbers: &Numbers<L::Elem>, layout: &Layout, graph: &mut Graph) {
        self.rows.clear();
        self.friction.clear();
        self.limits.clear();
        self.limit_signs.clear();
        self.clusters.clear();
        self.legs.clear();
        self.tiles.clear();
        self.lines.clear();
        graph.clear(layout.trees.len());
        self.enter_singles(k, from, layout, graph);
        let mut seen = 0u64;
        self.kinds.clear();
        for (b, block) in from.blocks.iter().enumerate() {
            let kind = kind_in_lane(block, numbers.weights(b));
            if kind != ABSENT {
                seen |= 1 << kind;
            }
            self.kinds.push(kind);
        }
        while seen != 0 {
            let kind = seen.trailing_zeros() as u8;
            seen &= seen - 1;
            let mut members = [0; MAX_LANES];
            let mut count = 0;
            for b in 0..=from.blocks.len() {
                let is_end = b == from.blocks.len();
                if !is_end {
                    if self.kinds[b] != kind {
                        continue;
                    }
                    members[count] = b as u32;
                    count += 1;
                }
                if count == L::COUNT || (is_end && count > 0) {
                    self.enter_cluster(kind, &members[..count], from, numbers, layout, graph);
                    count = 0;
                }
            }
        }
        self.rows.holding = from.holding >> k & 1;
    }

    /// Enters rows on single dofs.
    #[inline(always)]
    fn enter_singles(&mut self, k: usize, from: &Rows<L>, layout: &Layout, graph: &mut Graph) {
        for (i, row) in from.friction.iter().enumerate().filter(|(_, r)| weighs(r.weight, k)) {
            let (singles, lane) = place(&mut self.friction, i, row.dof, layout, graph, L::COUNT);
            if lane == 0 {
                self.rows.friction.push(FrictionRow::empty());
            }
            let to = &mut self.rows.friction[singles];
            copy(row.loss, k, &mut to.loss, lane);
            copy(row.weight, k, &mut to.weight, lane);
            copy(row.reference, k, &mut to.reference, lane);
        }
        for (i, row) in from.limits.iter().enumerate().filter(|(_, r)| weighs(r.weight, k)) {
            let (singles, lane) = place(&mut self.limits, i, row.dof, layout, graph, L::COUNT);
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
    fn enter_cluster(
        &mut self,
        kind: u8,
        members: &[u32],
        from: &Rows<L>,
        numbers: &Numbers<L::Elem>,
        layout: &Layout,
        graph: &mut Graph,
    ) {
        let dim = usize::from(kind % KINDS);
        let index = self.rows.blocks.len();
        let mut block = Block::empty(kind_of(kind, index), dim);
        let mut cluster = Cluster {
            count: members.len(),
            origin: [0; MAX_LANES],
            first_leg: self.legs.len(),
            legs: 0,
        };
        cluster.origin[..members.len()].copy_from_slice(members);
        block.middle_weight = numbers.gather(members, MIDDLE_WEIGHT, L::ZERO);
        // Lanes without a row have no weight, and a friction that nothing is divided by zero for.
        block.friction[0] = numbers.gather(members, FRICTION, L::ONE);
        for r in 0..dim {
            block.weight[r] = numbers.gather(members, WEIGHT + r, L::ZERO);
            block.reference[r] = numbers.gather(members, REFERENCE + r, L::ZERO);
            if r > 0 {
                block.friction[r] = numbers.gather(members, FRICTION + r, L::ZERO);
            }
        }
        for (lane, &b) in members.iter().enumerate() {
            let source = &from.blocks[b as usize];
            let support = &from.support[source.first_dof..source.first_dof + source.dof_count];
            self.enter_legs(lane, support, layout, graph, &mut cluster);
        }
        self.rows.blocks.push(block);
        self.clusters.push(cluster);
        self.make_room(dim, &cluster);
        for (lane, &b) in members.iter().enumerate() {
            let source = &from.blocks[b as usize];
            let support = &from.support[source.first_dof..source.first_dof + source.dof_count];
            let derivatives = &numbers.jacobian[source.jacobian..source.jacobian + source.dim * source.dof_count];
            let mut leg = cluster.first_leg;
            for (d, &dof) in support.iter().enumerate() {
                let column = &derivatives[d * source.dim..(d + 1) * source.dim];
                let tree = layout.tree_of[dof as usize];
                while self.legs[leg].trees[lane] != tree {
                    leg += 1;
                }
                let Leg { stride, lines, .. } = self.legs[leg];
                let place = lines + lane * stride + dof as usize - layout.trees[tree as usize].first;
                for r in 0..dim {
                    self.lines[place + r * L::COUNT * stride] = column[r];
                }
            }
        }
        self.make_tiles(dim, &cluster);
    }

    /// Enters the trees that a block moves.
    #[inline(always)]
    fn enter_legs(&mut self, lane: usize, support: &[u32], layout: &Layout, graph: &mut Graph, cluster: &mut Cluster) {
        let (mut last, mut leg) = (NO_TREE, 0);
        for &dof in support {
            let tree = layout.tree_of[dof as usize];
            if tree == last {
                continue;
            }
            last = tree;
            if leg == cluster.legs {
                self.legs.push(Leg {
                    trees: [NO_TREE; MAX_LANES],
                    starts: [0; MAX_LANES],
                    stride: 0,
                    tiles: 0,
                    lines: 0,
                });
                cluster.legs += 1;
            }
            let (before, this) = self.legs.split_at_mut(cluster.first_leg + leg);
            let span = &layout.trees[tree as usize];
            this[0].trees[lane] = tree;
            this[0].starts[lane] = (span.start / L::COUNT) as u32;
            this[0].stride = this[0].stride.max(span.stride);
            graph.touch(tree as usize);
            for other in &before[cluster.first_leg..] {
                graph.couple(other.trees[lane] as usize, tree as usize);
            }
            leg += 1;
        }
    }

    /// Room for the Jacobian of a cluster.
    #[inline(always)]
    fn make_room(&mut self, dim: usize, cluster: &Cluster) {
        for leg in &mut self.legs[cluster.first_leg..] {
            leg.lines = self.lines.len();
            leg.tiles = self.tiles.len();
            let lines = leg.lines + dim * L::COUNT * leg.stride;
            self.lines.resize(lines, L::Elem::from_f64(0.0));
            self.tiles.resize(leg.tiles + dim * leg.stride, L::ZERO);
        }
    }

    /// Tiles from lines.
    #[inline(always)]
    fn make_tiles(&mut self, dim: usize, cluster: &Cluster) {
        for leg in &self.legs[cluster.first_leg..] {
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
    }

    /// Hands forces and residuals back to lane `k` of the group's rows; those of blocks to `answers`.
    #[inline(always)]
    pub fn leave(&self, k: usize, to: &mut Rows<L>, answers: &mut [L::Elem]) {
        for (singles, row) in self.friction.iter().zip(&self.rows.friction) {
            for lane in 0..singles.count {
                let to = &mut to.friction[singles.origin[lane] as usize];
                copy(row.force, lane, &mut to.force, k);
                copy(row.residual, lane, &mut to.residual, k);
            }
        }
        for (singles, row) in self.limits.iter().zip(&self.rows.limits) {
            for lane in 0..singles.count {
                let to = &mut to.limits[singles.origin[lane] as usize];
                copy(row.force, lane, &mut to.force, k);
                copy(row.residual, lane, &mut to.residual, k);
            }
        }
        for (cluster, block) in self.clusters.iter().zip(&self.rows.blocks) {
            for lane in 0..cluster.count {
                let to = &mut answers[cluster.origin[lane] as usize * ANSWERS..][..ANSWERS];
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
fn place(
    singles: &mut Vec<Singles>,
    origin: usize,
    dof: usize,
    layout: &Layout,
    graph: &mut Graph,
    lanes: usize,
) -> (usize, usize) {
    if singles.last().is_none_or(|last| last.count == lanes) {
        singles.push(Singles::NONE);
    }
    let last = singles.len() - 1;
    graph.touch(layout.tree_of[dof] as usize);
    (last, singles[last].push(origin, dof, layout))
}

/// Copies the number in one lane to another.
#[inline(always)]
fn copy<L: Lanes>(from: L, k: usize, to: &mut L, lane: usize) {
    to.set_lane(lane, from.lane(k));
}

/// Whether a row has a weight in lane `k`, be it no number.
#[inline(always)]
fn weighs<L: Lanes>(weight: L, k: usize) -> bool {
    weight.lane(k).to_f64() != 0.0
}

/// Kinds are numbered by cost, in steps of this, plus the number of rows.
const KINDS: u8 = 8;

/// What a block is in a lane where it has the given weights: its cost and its rows there, which may be fewer than in other
/// lanes.
#[inline(always)]
fn kind_in_lane<L: Lanes>(block: &Block<L>, weights: &[L::Elem]) -> u8 {
    let mut rows = 0;
    for r in 0..block.dim {
        if weights[r].to_f64() != 0.0 {
            rows = r + 1;
        }
    }
    let dim = match rows {
        0 => return ABSENT,
        1 => 1,
        2 | 3 => 3,
        4 => 4,
        _ => 6,
    };
    let cost = match block.kind {
        BlockKind::Contact(_) => 0,
        BlockKind::Equality(_) => 1,
        BlockKind::TendonFriction(_) => 2,
        BlockKind::BallLimit(_) | BlockKind::TendonLimit(..) => 3,
    };
    cost * KINDS + dim
}

/// The inverse of [`kind_in_lane`], for the cluster with the given index.
#[inline(always)]
fn kind_of(kind: u8, index: usize) -> BlockKind {
    match kind / KINDS {
        0 => BlockKind::Contact(index),
        1 => BlockKind::Equality(index),
        2 => BlockKind::TendonFriction(index),
        _ => BlockKind::BallLimit(index),
    }
}
