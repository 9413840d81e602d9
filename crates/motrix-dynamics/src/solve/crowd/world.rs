//! A batch of islands as Newton's method sees it: one island per lane.

use motrix_spatial::{Lanes, Mask, Real};

use super::graph::Graph;
use super::layout::Layout;
use super::matrix::add_up_rows;
use super::packing::{MAX_LANES, Packing};
use super::strip::{load, splat, store};
use super::{Crowd, Vectors, steps};
use crate::constraint::soft_start::SoftStart;
use crate::solve::change::Change;
use crate::solve::cost;
use crate::solve::line_search::{self, Limits, Line, Point, Smooth, Step, block_along};
use crate::solve::newton::{MIN_VALUE, Space};
use crate::solve::response::block_cost;
use crate::tables::SolverTable;
use motrix_model::Cone;

/// A batch of islands.
pub struct World<'a, L: Lanes> {
    /// Its memory.
    pub crowd: &'a mut Crowd<L>,
    /// Settings.
    pub settings: &'a SolverTable<L::Elem>,
    /// Gradient · search direction of each island.
    pub slope: L,
}

/// Sums over the dofs of each island.
struct Sums<L>([L; MAX_LANES]);

impl<L: Lanes> Sums<L> {
    #[inline(always)]
    fn new() -> Self {
        Self([L::ZERO; MAX_LANES])
    }

    #[inline(always)]
    fn add(&mut self, island: u32, a: L, b: L) {
        let sum = &mut self.0[island as usize];
        *sum = a.mul_add(b, *sum);
    }

    /// The sum of each island in its lane.
    #[inline(always)]
    fn total(&self) -> L {
        let mut table = [L::Elem::default(); MAX_LANES * MAX_LANES];
        for k in 0..L::COUNT {
            store(self.0[k], &mut table, k * L::COUNT);
        }
        add_up_rows(&table, L::COUNT)
    }
}

/// Numbers of islands as lanes.
#[inline(always)]
fn as_lanes<L: Lanes>(by_island: &[f64; MAX_LANES]) -> L {
    let mut numbers = [L::Elem::default(); MAX_LANES];
    for k in 0..L::COUNT {
        numbers[k] = L::Elem::from_f64(by_island[k]);
    }
    L::load(&numbers)
}

/// Lanes as numbers of islands.
#[inline(always)]
fn by_island<L: Lanes>(x: L) -> [L::Elem; MAX_LANES] {
    let mut numbers = [L::Elem::default(); MAX_LANES];
    x.store(&mut numbers);
    numbers
}

impl<L: Lanes> World<'_, L> {
    /// Starts each island from the last acceleration or the smooth one, whichever costs less.
    #[inline(always)]
    pub fn choose_start(&mut self) {
        let Crowd {
            layout,
            graph,
            packing,
            mass,
            vectors,
            ..
        } = &mut *self.crowd;
        let cone = self.settings.cone;
        let Vectors {
            forces,
            smooth,
            warmstart,
            acceleration,
            momentum,
            ..
        } = vectors;
        packing.residuals(smooth);
        let mut warm = L::Mask::NONE;
        if self.settings.warmstart {
            let cost_smooth = packing.costs(cone);
            packing.residuals(warmstart);
            multiply::<L>(layout, graph, mass, warmstart, momentum, u32::MAX);
            let mut gauss = Sums::new();
            for step in steps(graph) {
                for c in layout.trees[step.tree].places().step_by(L::COUNT) {
                    let pull = load::<L>(momentum, c) - load::<L>(forces, c);
                    gauss.add(step.island, pull, load::<L>(warmstart, c) - load::<L>(smooth, c));
                }
            }
            let cost = L::c(0.5).mul_add(gauss.total(), packing.costs(cone));
            warm = cost.le(cost_smooth);
        }
        for step in steps(graph) {
            let start = if warm.lane(step.island as usize) {
                &*warmstart
            } else {
                &*smooth
            };
            let places = layout.trees[step.tree].places();
            acceleration[places.clone()].copy_from_slice(&start[places]);
        }
        if !warm.all() {
            packing.residuals(acceleration);
            multiply::<L>(layout, graph, mass, acceleration, momentum, u32::MAX);
        }
    }
}

impl<L: Lanes> Packing<L> {
    /// The cost of the rows of each island at their residuals.
    #[inline(always)]
    fn costs(&self, cone: Cone) -> L {
        let mut costs = [0.0; MAX_LANES];
        for (row, singles) in self.rows.friction.iter().zip(&self.friction) {
            let cost = cost::dry_friction(row.residual, row.loss, row.weight).0;
            singles.members.add_up(cost, &mut costs);
        }
        for (row, singles) in self.rows.limits.iter().zip(&self.limits) {
            let cost = cost::one_sided(row.residual, row.weight).0;
            singles.members.add_up(cost, &mut costs);
        }
        for (block, cluster) in self.rows.blocks.iter().zip(&self.clusters) {
            cluster.members.add_up(block_cost(cone, block), &mut costs);
        }
        as_lanes(&costs)
    }

    /// Takes down what the round cones of some islands are along their search directions.
    #[inline(always)]
    fn trace_cones(&mut self, cone: Cone, islands: u32) {
        if cone == Cone::Pyramidal {
            return;
        }
        for (block, cluster) in self.rows.blocks.iter_mut().zip(&self.clusters) {
            if cluster.members.mask & islands != 0 && block.has_friction() {
                line_search::trace_cone(block);
            }
        }
    }
}

/// M x for the trees of some islands.
#[inline(always)]
fn multiply<L: Lanes>(
    layout: &Layout,
    graph: &Graph,
    mass: &[L::Elem],
    x: &[L::Elem],
    out: &mut [L::Elem],
    islands: u32,
) {
    for step in steps(graph) {
        if islands >> step.island & 1 == 0 {
            continue;
        }
        let span = &layout.trees[step.tree];
        let square = &mass[span.squares()];
        for c in (0..span.stride).step_by(L::COUNT) {
            let mut sum = L::ZERO;
            for j in 0..span.count {
                sum = splat::<L>(x, span.start + j).mul_add(load::<L>(square, j * span.stride + c), sum);
            }
            store(sum, out, span.start + c);
        }
    }
}

/// The cost of islands along their search directions.
struct Lines<'a, L: Lanes> {
    packing: &'a Packing<L>,
    cone: Cone,
    smooth: Smooth<L>,
}

impl<L: Lanes> Line<L> for Lines<'_, L> {
    #[inline(always)]
    fn derivatives(&self, alpha: L, asked: L::Mask) -> Point<L> {
        let islands = asked.bits();
        let alphas = by_island(alpha);
        let packing = self.packing;
        let (mut first, mut second) = ([0.0; MAX_LANES], [0.0; MAX_LANES]);
        for (row, singles) in packing.rows.friction.iter().zip(&packing.friction) {
            let members = &singles.members;
            let p = line_search::dry_friction(row.residual, row.slope, row.loss, row.weight, members.spread(&alphas));
            members.add_up(p.first, &mut first);
            members.add_up(p.second, &mut second);
        }
        for (row, singles) in packing.rows.limits.iter().zip(&packing.limits) {
            let members = &singles.members;
            let p = line_search::one_sided(row.residual, row.slope, row.weight, members.spread(&alphas));
            members.add_up(p.first, &mut first);
            members.add_up(p.second, &mut second);
        }
        for (block, cluster) in packing.rows.blocks.iter().zip(&packing.clusters) {
            let members = &cluster.members;
            if members.mask & islands == 0 {
                continue;
            }
            let p = block_along(self.cone, block, members.spread(&alphas));
            members.add_up(p.first, &mut first);
            members.add_up(p.second, &mut second);
        }
        Point {
            first: as_lanes::<L>(&first) + alpha.mul_add(self.smooth.curvature, self.smooth.slope),
            second: as_lanes::<L>(&second) + self.smooth.curvature,
        }
    }
}

impl<L: Lanes> Space<L> for World<'_, L> {
    #[inline(always)]
    fn measure(&mut self, moved: L::Mask, kept: L::Mask) -> Change<L::Mask> {
        let Crowd {
            layout,
            graph,
            packing,
            vectors,
            tree_scales,
            gradient_norm,
            ..
        } = &mut *self.crowd;
        let islands = moved.bits();
        let total = &mut vectors.constraint_force;
        for step in steps(graph) {
            if islands >> step.island & 1 != 0 {
                total[layout.trees[step.tree].places()].fill(L::Elem::default());
            }
        }
        let change = packing.update(self.settings.cone, layout, total, islands, kept.bits());
        let mut squares = Sums::new();
        for step in steps(graph) {
            if islands >> step.island & 1 == 0 {
                continue;
            }
            let scale = splat::<L>(tree_scales, step.tree);
            for c in layout.trees[step.tree].places().step_by(L::COUNT) {
                let rest = load::<L>(&vectors.momentum, c) - load::<L>(&vectors.forces, c);
                let gradient = rest - load::<L>(&vectors.constraint_force, c);
                store(gradient, &mut vectors.gradient, c);
                squares.add(step.island, gradient * scale, gradient * scale);
            }
        }
        let norm = squares.total().sqrt();
        *gradient_norm = L::select(moved, norm, *gradient_norm);
        Change {
            cost: L::Mask::from_bits(change.cost),
            curvature: L::Mask::from_bits(change.curvature),
        }
    }
    #[inline(always)]
    fn gradient_norm(&self) -> L {
        self.crowd.gradient_norm
    }
    #[inline(always)]
    fn factorise(&mut self, lanes: L::Mask) {
        let Crowd {
            layout,
            graph,
            packing,
            matrix,
            mass,
            weighted,
            ..
        } = &mut *self.crowd;
        let islands = lanes.bits();
        matrix.load(layout, graph, mass, islands);
        packing.add_to(self.settings.cone, layout, graph, weighted, matrix, islands);
        matrix.factor(layout, graph, islands);
    }
    #[inline(always)]
    fn descend(&mut self, lanes: L::Mask) {
        let Crowd {
            layout,
            graph,
            matrix,
            vectors,
            ..
        } = &mut *self.crowd;
        let islands = lanes.bits();
        for step in steps(graph) {
            if islands >> step.island & 1 != 0 {
                for c in layout.trees[step.tree].places().step_by(L::COUNT) {
                    store(-load::<L>(&vectors.gradient, c), &mut vectors.search, c);
                }
            }
        }
        matrix.solve(layout, graph, &mut vectors.search, islands);
    }
    #[inline(always)]
    fn predicted_improvement(&mut self, lanes: L::Mask) -> L {
        let Crowd {
            layout,
            graph,
            vectors,
            tree_scales,
            ..
        } = &*self.crowd;
        let islands = lanes.bits();
        let (mut slopes, mut scaled) = (Sums::new(), Sums::new());
        for step in steps(graph) {
            if islands >> step.island & 1 == 0 {
                continue;
            }
            let scale = splat::<L>(tree_scales, step.tree);
            for c in layout.trees[step.tree].places().step_by(L::COUNT) {
                let (gradient, search) = (load::<L>(&vectors.gradient, c), load::<L>(&vectors.search, c));
                slopes.add(step.island, gradient, search);
                scaled.add(step.island, gradient * scale, search);
            }
        }
        self.slope = slopes.total();
        L::c(-0.5) * scaled.total()
    }
    #[inline(always)]
    fn project(&mut self, lanes: L::Mask) {
        let Crowd {
            layout,
            graph,
            packing,
            mass,
            vectors,
            ..
        } = &mut *self.crowd;
        let islands = lanes.bits();
        let momentum = &mut vectors.search_momentum;
        multiply::<L>(layout, graph, mass, &vectors.search, momentum, islands);
        packing.slopes(&vectors.search, islands);
    }
    #[inline(always)]
    fn step_along(&mut self, active: L::Mask) -> Step<L> {
        let Crowd {
            layout,
            graph,
            packing,
            vectors,
            scales,
            ..
        } = &mut *self.crowd;
        let islands = active.bits();
        let (mut pulls, mut curvatures, mut lengths) = (Sums::new(), Sums::new(), Sums::new());
        for step in steps(graph) {
            if islands >> step.island & 1 == 0 {
                continue;
            }
            for c in layout.trees[step.tree].places().step_by(L::COUNT) {
                let search = load::<L>(&vectors.search, c);
                let rest = load::<L>(&vectors.momentum, c) - load::<L>(&vectors.forces, c);
                pulls.add(step.island, rest, search);
                curvatures.add(step.island, search, load::<L>(&vectors.search_momentum, c));
                lengths.add(step.island, search, search);
            }
        }
        let settings = self.settings;
        let limits = Limits {
            slope: L::splat(settings.tolerance) * L::splat(settings.ls_tolerance) * lengths.total().sqrt()
                / scales.max(L::c(MIN_VALUE)),
            evaluations: settings.ls_iterations,
        };
        packing.trace_cones(settings.cone, islands);
        let lines = Lines {
            packing,
            cone: settings.cone,
            smooth: Smooth {
                slope: pulls.total(),
                curvature: curvatures.total(),
            },
        };
        line_search::search(&lines, self.slope, limits, active)
    }
    #[inline(always)]
    fn advance(&mut self, alpha: L, moved: L::Mask) {
        let Crowd {
            layout,
            graph,
            packing,
            vectors,
            iterations,
            ..
        } = &mut *self.crowd;
        let (islands, alphas) = (moved.bits(), by_island(alpha));
        for step in steps(graph) {
            if islands >> step.island & 1 == 0 {
                continue;
            }
            let alpha = L::splat(alphas[step.island as usize]);
            for c in layout.trees[step.tree].places().step_by(L::COUNT) {
                let a = &mut vectors.acceleration[c..];
                alpha.mul_add(load::<L>(&vectors.search, c), L::load(a)).store(a);
                let m = &mut vectors.momentum[c..];
                alpha
                    .mul_add(load::<L>(&vectors.search_momentum, c), L::load(m))
                    .store(m);
            }
        }
        for (row, singles) in packing.rows.friction.iter_mut().zip(&packing.friction) {
            let alpha: L = singles.members.spread(&alphas);
            row.residual = alpha.mul_add(row.slope, row.residual);
        }
        for (row, singles) in packing.rows.limits.iter_mut().zip(&packing.limits) {
            let alpha: L = singles.members.spread(&alphas);
            row.residual = alpha.mul_add(row.slope, row.residual);
        }
        for (block, cluster) in packing.rows.blocks.iter_mut().zip(&packing.clusters) {
            if cluster.members.mask & islands == 0 {
                continue;
            }
            let alpha: L = cluster.members.spread(&alphas);
            for r in 0..block.dim {
                block.residual[r] = alpha.mul_add(block.slope[r], block.residual[r]);
            }
        }
        *iterations += L::select(moved, L::ONE, L::ZERO);
    }
    #[inline(always)]
    fn stiffen(&mut self, start: SoftStart, lanes: L::Mask) {
        let packing = &mut self.crowd.packing;
        for (block, cluster) in packing.rows.blocks.iter_mut().zip(&packing.clusters) {
            let lanes = cluster.members.lanes_of(lanes.bits());
            if lanes != 0 && block.has_friction() {
                block.stiffen(start, L::Mask::from_bits(lanes));
            }
        }
    }
    #[inline(always)]
    fn release(&mut self) {
        self.crowd.packing.rows.release();
    }
}
