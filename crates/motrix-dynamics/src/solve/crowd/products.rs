//! Products with the Jacobian of a batch: J x, Jᵀ f, and JᵀWJ into the matrix, for some of its islands. Each is a function of its own,
//! as many numbers of rows make each long.

use motrix_model::Cone;
use motrix_spatial::rows::Rows as TableRows;
use motrix_spatial::{Lanes, Mask, Part, Real};

use super::graph::Graph;
use super::layout::Layout;
use super::matrix::Matrix;
use super::packing::{Cluster, Leg, MAX_LANES, Members, NO_TREE, Packing, Singles, lanes};
use super::strip::{load, splat};
use crate::constraint::{Block, BlockKind};
use crate::solve::change::Change;
use crate::solve::hessian::{ARROW, FULL, Shape, weigh};
use crate::solve::response::respond;

impl<L: Lanes> Packing<L> {
    /// J x of the rows of some islands, kept as their slopes.
    #[inline(always)]
    pub fn slopes(&mut self, x: &[L::Elem], islands: u32) {
        L::apart(Slopes {
            packing: self,
            x,
            islands,
        });
    }

    #[inline(always)]
    fn take_slopes(&mut self, x: &[L::Elem], islands: u32) {
        for (row, singles) in self.rows.friction.iter_mut().zip(&self.friction) {
            row.slope = L::gather(x, &singles.places);
        }
        for (k, (row, singles)) in self.rows.limits.iter_mut().zip(&self.limits).enumerate() {
            row.slope = self.limit_signs[k] * L::gather(x, &singles.places);
        }
        let (legs, tiles) = (&self.legs, &self.tiles);
        for (block, cluster) in self.rows.blocks.iter_mut().zip(&self.clusters) {
            if cluster.members.mask & islands == 0 {
                continue;
            }
            let legs = &legs[cluster.first_leg..cluster.first_leg + cluster.legs];
            block.slope = match block.dim {
                1 => times::<L, 1>(legs, tiles, x),
                3 => times::<L, 3>(legs, tiles, x),
                4 => times::<L, 4>(legs, tiles, x),
                _ => times::<L, 6>(legs, tiles, x),
            };
        }
    }

    /// J a − a_ref of all rows.
    #[inline(always)]
    pub fn residuals(&mut self, a: &[L::Elem]) {
        self.slopes(a, u32::MAX);
        for row in &mut self.rows.friction {
            row.residual = row.slope - row.reference;
        }
        for row in &mut self.rows.limits {
            row.residual = row.slope - row.reference;
        }
        for block in &mut self.rows.blocks {
            for r in 0..block.dim {
                block.residual[r] = block.slope[r] - block.reference[r];
            }
        }
    }

    /// Forces and curvatures at the residuals, and Jᵀ·force, for some islands. In those that are `kept`, cones that still slide keep
    /// their curvatures.
    #[inline(always)]
    pub fn update(
        &mut self,
        cone: Cone,
        layout: &Layout,
        total: &mut [L::Elem],
        islands: u32,
        kept: u32,
    ) -> Change<u32> {
        L::apart(Update {
            packing: self,
            cone,
            layout,
            total,
            islands,
            kept,
        })
    }

    #[inline(always)]
    fn respond(&mut self, cone: Cone, layout: &Layout, total: &mut [L::Elem], islands: u32, kept: u32) -> Change<u32> {
        let mut change = Change::of(0);
        for (row, singles) in self.rows.friction.iter_mut().zip(&self.friction) {
            change = change.or(Change::of(singles.members.islands_of(row.respond().bits())));
            add_singles(row.force, singles, islands, total);
        }
        for (k, (row, singles)) in self.rows.limits.iter_mut().zip(&self.limits).enumerate() {
            change = change.or(Change::of(singles.members.islands_of(row.respond().bits())));
            add_singles(self.limit_signs[k] * row.force, singles, islands, total);
        }
        for (block, cluster) in self.rows.blocks.iter_mut().zip(&self.clusters) {
            if cluster.members.mask & islands == 0 {
                continue;
            }
            let legs = &self.legs[cluster.first_leg..cluster.first_leg + cluster.legs];
            let members = &cluster.members;
            let kept = L::Mask::from_bits(members.lanes_of(kept));
            let other = match block.dim {
                1 => update_cluster::<L, 1>(cone, kept, block, members, legs, &self.tiles, layout, total, islands),
                3 => update_cluster::<L, 3>(cone, kept, block, members, legs, &self.tiles, layout, total, islands),
                4 => update_cluster::<L, 4>(cone, kept, block, members, legs, &self.tiles, layout, total, islands),
                _ => update_cluster::<L, 6>(cone, kept, block, members, legs, &self.tiles, layout, total, islands),
            };
            change = change.or(Change {
                cost: members.islands_of(other.cost.bits()),
                curvature: members.islands_of(other.curvature.bits()),
            });
        }
        Change {
            cost: change.cost & islands,
            curvature: change.curvature & islands,
        }
    }

    /// Adds JᵀWJ of some islands.
    #[inline(always)]
    pub fn add_to(
        &self,
        cone: Cone,
        layout: &Layout,
        graph: &Graph,
        weighted: &mut Vec<L::Elem>,
        h: &mut Matrix<L>,
        islands: u32,
    ) {
        for (block, cluster) in self.rows.blocks.iter().zip(&self.clusters) {
            if block.idle || cluster.members.mask & islands == 0 {
                continue;
            }
            let adding = Adding {
                packing: self,
                cluster,
                layout,
                graph,
                islands,
            };
            L::apart(Add {
                adding,
                cone,
                block,
                weighted,
                h,
            });
        }
        self.add_singles_to(layout, h, islands);
    }

    /// Adds the curvatures of rows on single dofs.
    #[inline(always)]
    fn add_singles_to(&self, layout: &Layout, h: &mut Matrix<L>, islands: u32) {
        let friction = self.rows.friction.iter().map(|row| row.curvature);
        let limits = self.rows.limits.iter().map(|row| row.curvature);
        let singles = self.friction.iter().zip(friction).chain(self.limits.iter().zip(limits));
        for (singles, curvature) in singles {
            for k in 0..singles.members.count {
                if islands >> singles.members.islands[k] & 1 == 0 {
                    continue;
                }
                let span = &layout.trees[singles.trees[k] as usize];
                let i = singles.places[k] as usize - span.start;
                let entry = &mut h.squares[span.square + i * (span.stride + 1)];
                *entry = (L::splat(*entry) + L::splat(curvature.lane(k))).lane(0);
            }
        }
    }
}

/// [`Packing::slopes`].
struct Slopes<'a, L: Lanes> {
    packing: &'a mut Packing<L>,
    x: &'a [L::Elem],
    islands: u32,
}

impl<L: Lanes> Part for Slopes<'_, L> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        self.packing.take_slopes(self.x, self.islands);
    }
}

/// [`Packing::update`].
struct Update<'a, L: Lanes> {
    packing: &'a mut Packing<L>,
    cone: Cone,
    layout: &'a Layout,
    total: &'a mut [L::Elem],
    islands: u32,
    kept: u32,
}

impl<L: Lanes> Part for Update<'_, L> {
    type Out = Change<u32>;
    #[inline(always)]
    fn run(self) -> Change<u32> {
        self.packing
            .respond(self.cone, self.layout, self.total, self.islands, self.kept)
    }
}

/// JᵀWJ of one cluster.
struct Add<'a, L: Lanes> {
    adding: Adding<'a, L>,
    cone: Cone,
    block: &'a Block<L>,
    weighted: &'a mut Vec<L::Elem>,
    h: &'a mut Matrix<L>,
}

impl<L: Lanes> Part for Add<'_, L> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        let Self {
            adding,
            cone,
            block,
            weighted,
            h,
        } = self;
        match (Shape::of(block, cone), block.dim) {
            (_, 1) => adding.block::<1, ARROW>(block, weighted, h),
            (Shape::Arrow, 3) => adding.block::<3, ARROW>(block, weighted, h),
            (Shape::Arrow, 4) => adding.block::<4, ARROW>(block, weighted, h),
            (Shape::Arrow, _) => adding.block::<6, ARROW>(block, weighted, h),
            (Shape::Full, 3) => adding.block::<3, FULL>(block, weighted, h),
            (Shape::Full, 4) => adding.block::<4, FULL>(block, weighted, h),
            (Shape::Full, _) => adding.block::<6, FULL>(block, weighted, h),
        }
    }
}

/// J x of one cluster.
#[inline(always)]
fn times<L: Lanes, const DIM: usize>(legs: &[Leg], tiles: &[L], x: &[L::Elem]) -> [L; 6] {
    let mut sum = [L::ZERO; 6];
    for leg in legs {
        let rows = TableRows {
            index: &leg.starts[..L::COUNT],
            stride: L::COUNT,
        };
        for c in (0..leg.stride).step_by(L::COUNT) {
            let columns = &tiles[leg.tiles + c * DIM..][..L::COUNT * DIM];
            let mut tile = [L::ZERO; MAX_LANES];
            L::load_tile(x, rows, c, &mut tile[..L::COUNT]);
            for k in 0..L::COUNT {
                for r in 0..DIM {
                    sum[r] = columns[k * DIM + r].mul_add(tile[k], sum[r]);
                }
            }
        }
    }
    sum
}

/// Force and curvature of a cluster, and Jᵀ·force of the rows of some islands.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "the rows, their Jacobian, what is asked for, the result"
)]
fn update_cluster<L: Lanes, const DIM: usize>(
    cone: Cone,
    kept: L::Mask,
    block: &mut Block<L>,
    members: &Members,
    legs: &[Leg],
    tiles: &[L],
    layout: &Layout,
    total: &mut [L::Elem],
    islands: u32,
) -> Change<L::Mask> {
    let change = respond::<L, DIM>(cone, kept, block);
    if block.idle {
        return change;
    }
    for leg in legs {
        for c in (0..leg.stride).step_by(L::COUNT) {
            let columns = &tiles[leg.tiles + c * DIM..][..L::COUNT * DIM];
            let mut tile = [L::ZERO; MAX_LANES];
            for k in 0..L::COUNT {
                for r in 0..DIM {
                    tile[k] = columns[k * DIM + r].mul_add(block.force[r], tile[k]);
                }
            }
            let mut rows = [L::Elem::default(); MAX_LANES * MAX_LANES];
            L::store_tile(&tile[..L::COUNT], &mut rows, lanes::<L>(L::COUNT), 0);
            for lane in 0..members.count {
                let tree = leg.trees[lane];
                let asked = islands >> members.islands[lane] & 1 != 0;
                if !asked || tree == NO_TREE || c >= layout.trees[tree as usize].stride {
                    continue;
                }
                let place = &mut total[leg.starts[lane] as usize * L::COUNT + c..];
                (L::load(place) + load::<L>(&rows, lane * L::COUNT)).store(place);
            }
        }
    }
    change
}

/// Adds the numbers of the rows of some islands at their places.
#[inline(always)]
fn add_singles<L: Lanes>(x: L, singles: &Singles, islands: u32, total: &mut [L::Elem]) {
    for k in 0..singles.members.count {
        if islands >> singles.members.islands[k] & 1 != 0 {
            let place = &mut total[singles.places[k] as usize];
            *place = (L::splat(*place) + L::splat(x.lane(k))).lane(0);
        }
    }
}

/// What adds JᵀWJ of a cluster to the matrix.
struct Adding<'a, L: Lanes> {
    packing: &'a Packing<L>,
    cluster: &'a Cluster,
    layout: &'a Layout,
    graph: &'a Graph,
    islands: u32,
}

impl<L: Lanes> Adding<'_, L> {
    #[inline(always)]
    fn block<const DIM: usize, const SHAPE: bool>(
        &self,
        block: &Block<L>,
        weighted: &mut Vec<L::Elem>,
        h: &mut Matrix<L>,
    ) {
        let Cluster { first_leg, legs, .. } = *self.cluster;
        let legs = &self.packing.legs[first_leg..first_leg + legs];
        let Some(first) = legs.first() else { return };
        // Lines of W J lie as those of J do.
        let lines = &self.packing.lines[first.lines..];
        weighted.resize(weighted.len().max(lines.len()), L::Elem::default());
        for leg in legs {
            self.weigh_leg::<DIM, SHAPE>(block, leg, &mut weighted[leg.lines - first.lines..]);
        }
        for lane in 0..self.cluster.members.count {
            if self.islands >> self.cluster.members.islands[lane] & 1 == 0 {
                continue;
            }
            // A contact that does not press has no curvature.
            if block.curvature[0].lane(lane).to_f64() == 0.0 && matches!(block.kind, BlockKind::Contact(_)) {
                continue;
            }
            for a in 0..legs.len() {
                let leg = &legs[a];
                if leg.trees[lane] == NO_TREE {
                    break;
                }
                let t = leg.trees[lane] as usize;
                let own = self.layout.trees[t].square;
                self.product::<DIM>(lane, leg, leg, first.lines, weighted, &mut h.squares[own..]);
                for other in &legs[a + 1..] {
                    if other.trees[lane] == NO_TREE {
                        break;
                    }
                    let u = other.trees[lane] as usize;
                    let Some(place) = self.graph.block(t, u) else { continue };
                    let (i, j) = if self.graph.precedes(t, u) {
                        (leg, other)
                    } else {
                        (other, leg)
                    };
                    self.product::<DIM>(lane, i, j, first.lines, weighted, &mut h.blocks[place..]);
                }
            }
        }
    }

    /// Lines of W J.
    #[inline(always)]
    fn weigh_leg<const DIM: usize, const SHAPE: bool>(&self, block: &Block<L>, leg: &Leg, out: &mut [L::Elem]) {
        for c in (0..leg.stride).step_by(L::COUNT) {
            let columns = &self.packing.tiles[leg.tiles + c * DIM..][..L::COUNT * DIM];
            let mut tiles = [[L::ZERO; MAX_LANES]; DIM];
            for k in 0..L::COUNT {
                let weighted = weigh::<L, DIM, SHAPE>(&block.curvature, &columns[k * DIM..(k + 1) * DIM]);
                for r in 0..DIM {
                    tiles[r][k] = weighted[r];
                }
            }
            for r in 0..DIM {
                let rows = &mut out[r * L::COUNT * leg.stride..];
                L::store_tile(&tiles[r][..L::COUNT], rows, lanes::<L>(leg.stride), c);
            }
        }
    }

    /// Adds J(i)ᵀ W J(j) of the row in a lane, for the dofs of two trees.
    #[inline(always)]
    fn product<const DIM: usize>(
        &self,
        lane: usize,
        i: &Leg,
        j: &Leg,
        first_line: usize,
        weighted: &[L::Elem],
        target: &mut [L::Elem],
    ) {
        let (t, u) = (i.trees[lane] as usize, j.trees[lane] as usize);
        let (count, stride) = (self.layout.trees[t].count, self.layout.trees[u].stride);
        let lines = &self.packing.lines[i.lines + lane * i.stride..];
        let weighted = &weighted[j.lines - first_line + lane * j.stride..];
        for c in (0..stride).step_by(L::COUNT) {
            let mut rows = [L::ZERO; DIM];
            for r in 0..DIM {
                rows[r] = load::<L>(weighted, r * L::COUNT * j.stride + c);
            }
            for k in 0..count {
                let place = &mut target[k * stride + c..][..L::COUNT];
                let mut sum = L::load(place);
                for r in 0..DIM {
                    sum = splat::<L>(lines, r * L::COUNT * i.stride + k).mul_add(rows[r], sum);
                }
                sum.store(place);
            }
        }
    }
}
