//! One world as Newton's method sees it.

use motrix_spatial::{Lanes, Mask, Real};

use super::graph::Graph;
use super::layout::Layout;
use super::matrix::{add_products, add_up_rows};
use super::strip::{load, splat, store};
use super::{Crowd, Vectors, steps};
use crate::constraint::Rows;
use crate::solve::across;
use crate::solve::line_search::{self, Limits, Smooth, Step};
use crate::solve::newton::{MIN_VALUE, Space};
use crate::solve::response::constraint_cost;
use crate::tables::SolverTable;

/// One world.
pub struct World<'a, L: Lanes> {
    /// Its memory.
    pub crowd: &'a mut Crowd<L>,
    /// Settings.
    pub settings: &'a SolverTable<L::Elem>,
    /// Scale of improvements.
    pub scale: L,
}

impl<L: Lanes> World<'_, L> {
    /// Starts from the last acceleration or the smooth one, whichever costs less.
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
        let mut warm = false;
        if self.settings.warmstart {
            let cost_smooth = across(constraint_cost(cone, &packing.rows));
            packing.residuals(warmstart);
            multiply::<L>(layout, graph, mass, warmstart, momentum);
            let mut gauss = L::ZERO;
            for step in steps(graph) {
                for c in layout.trees[step.tree].places().step_by(L::COUNT) {
                    let pull = load::<L>(momentum, c) - load::<L>(forces, c);
                    gauss = pull.mul_add(load::<L>(warmstart, c) - load::<L>(smooth, c), gauss);
                }
            }
            let cost = across(L::c(0.5).mul_add(gauss, constraint_cost(cone, &packing.rows)));
            warm = cost.le(cost_smooth).all();
        }
        let start = if warm { warmstart } else { smooth };
        for step in steps(graph) {
            let places = layout.trees[step.tree].places();
            acceleration[places.clone()].copy_from_slice(&start[places]);
        }
        if !warm {
            packing.residuals(acceleration);
            multiply::<L>(layout, graph, mass, acceleration, momentum);
        }
    }

    /// The largest over trees of a·b times the tree's scale: its root for a norm, else minus half of it.
    #[inline(always)]
    fn worst_of_trees(&self, a: &[L::Elem], b: &[L::Elem], is_norm: bool) -> L {
        let Crowd {
            layout, graph, scales, ..
        } = &*self.crowd;
        let mut table = [L::Elem::default(); 64];
        let mut worst = 0.0f64;
        for (steps, scales) in steps(graph).chunks(L::COUNT).zip(scales.chunks_exact(L::COUNT)) {
            for (k, step) in steps.iter().enumerate() {
                let places = layout.trees[step.tree].places();
                store(
                    add_products(&a[places.clone()], &b[places], L::ZERO),
                    &mut table,
                    k * L::COUNT,
                );
            }
            let sums: L = add_up_rows(&table, steps.len());
            let sums = if is_norm { sums.sqrt() } else { L::c(-0.5) * sums };
            let scaled = sums * L::load(scales);
            for k in 0..steps.len() {
                worst = worst.max(scaled.lane(k).to_f64());
            }
        }
        L::c(worst)
    }

    /// a · b.
    #[inline(always)]
    fn dot(&self, a: &[L::Elem], b: &[L::Elem]) -> L {
        let mut sum = L::ZERO;
        for step in steps(&self.crowd.graph) {
            let places = self.crowd.layout.trees[step.tree].places();
            sum = add_products(&a[places.clone()], &b[places], sum);
        }
        across(sum)
    }
}

/// M x.
#[inline(always)]
fn multiply<L: Lanes>(layout: &Layout, graph: &Graph, mass: &[L::Elem], x: &[L::Elem], out: &mut [L::Elem]) {
    for step in steps(graph) {
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

impl<L: Lanes> Space<L> for World<'_, L> {
    #[inline(always)]
    fn measure(&mut self) -> L::Mask {
        let Crowd {
            layout,
            graph,
            packing,
            vectors,
            ..
        } = &mut *self.crowd;
        let total = &mut vectors.constraint_force;
        for step in steps(graph) {
            total[layout.trees[step.tree].places()].fill(L::Elem::default());
        }
        let changed = packing.update(self.settings.cone, layout, total);
        for step in steps(graph) {
            for c in layout.trees[step.tree].places().step_by(L::COUNT) {
                let rest = load::<L>(&vectors.momentum, c) - load::<L>(&vectors.forces, c);
                store(rest - load::<L>(&vectors.constraint_force, c), &mut vectors.gradient, c);
            }
        }
        let gradient = &self.crowd.vectors.gradient;
        let norm = self.worst_of_trees(gradient, gradient, true);
        self.crowd.gradient_norm = norm;
        if changed { L::Mask::ALL } else { L::Mask::NONE }
    }
    #[inline(always)]
    fn gradient_norm(&self) -> L {
        self.crowd.gradient_norm
    }
    #[inline(always)]
    fn factorise(&mut self) {
        let Crowd {
            layout,
            graph,
            packing,
            matrix,
            mass,
            weighted,
            ..
        } = &mut *self.crowd;
        matrix.load(layout, graph, mass);
        packing.add_to(self.settings.cone, layout, graph, weighted, matrix);
        matrix.factor(layout, graph);
    }
    #[inline(always)]
    fn descend(&mut self) {
        let Crowd {
            layout,
            graph,
            packing,
            matrix,
            mass,
            vectors,
            ..
        } = &mut *self.crowd;
        for step in steps(graph) {
            for c in layout.trees[step.tree].places().step_by(L::COUNT) {
                store(-load::<L>(&vectors.gradient, c), &mut vectors.search, c);
            }
        }
        matrix.solve(layout, graph, &mut vectors.search);
        multiply::<L>(layout, graph, mass, &vectors.search, &mut vectors.search_momentum);
        packing.slopes(&vectors.search);
    }
    #[inline(always)]
    fn slope(&self) -> L {
        self.dot(&self.crowd.vectors.gradient, &self.crowd.vectors.search)
    }
    #[inline(always)]
    fn predicted_improvement(&self) -> L {
        let vectors = &self.crowd.vectors;
        self.worst_of_trees(&vectors.gradient, &vectors.search, false)
    }
    #[inline(always)]
    fn step_along(&self, slope: L, active: L::Mask) -> Step<L> {
        let vectors = &self.crowd.vectors;
        let search = &vectors.search;
        let mut pull = L::ZERO;
        for step in steps(&self.crowd.graph) {
            for c in self.crowd.layout.trees[step.tree].places().step_by(L::COUNT) {
                let rest = load::<L>(&vectors.momentum, c) - load::<L>(&vectors.forces, c);
                pull = rest.mul_add(load::<L>(search, c), pull);
            }
        }
        let smooth = Smooth {
            slope: across(pull),
            curvature: self.dot(search, &vectors.search_momentum),
        };
        let length = self.dot(search, search).sqrt();
        let settings = self.settings;
        let limits = Limits {
            slope: L::splat(settings.tolerance) * L::splat(settings.ls_tolerance) * length
                / self.scale.max(L::c(MIN_VALUE)),
            evaluations: settings.ls_iterations,
        };
        let rows = &self.crowd.packing.rows;
        line_search::search::<L, true>(settings.cone, rows, smooth, slope, limits, active)
    }
    #[inline(always)]
    fn advance(&mut self, alpha: L, moved: L::Mask) {
        let Crowd {
            layout,
            graph,
            packing,
            vectors,
            ..
        } = &mut *self.crowd;
        for step in steps(graph) {
            for c in layout.trees[step.tree].places().step_by(L::COUNT) {
                let a = &mut vectors.acceleration[c..];
                alpha.mul_add(load::<L>(&vectors.search, c), L::load(a)).store(a);
                let m = &mut vectors.momentum[c..];
                alpha
                    .mul_add(load::<L>(&vectors.search_momentum, c), L::load(m))
                    .store(m);
            }
        }
        packing.rows.advance(alpha);
        if moved.any() {
            self.crowd.iterations += 1.0;
        }
    }
    #[inline(always)]
    fn rows(&mut self) -> &mut Rows<L> {
        &mut self.crowd.packing.rows
    }
}
