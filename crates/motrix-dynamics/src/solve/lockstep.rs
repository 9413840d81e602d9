//! The solver's problem for several worlds in lockstep, one per lane, in the pattern of the kinematic tree and of what couples
//! branches in any of them.

use core::mem::take;
use core::ops::Range;

use motrix_spatial::{Lanes, Mask};

use super::change::Change;
use super::line_search::{self, AllRows, Limits, Line, Smooth, Step};
use super::newton::{self, MIN_VALUE, Space};
use super::response::{constraint_cost, residuals, slopes, update};
use super::{Mass, Solution, crowd, hessian};
use crate::constraint::Rows;
use crate::constraint::soft_start::SoftStart;
use crate::pattern::{self, Pattern};
use crate::tables::SolverTable;

/// What the solver minimises.
pub struct Problem<'a, L: Lanes> {
    /// Settings.
    pub settings: &'a SolverTable<L::Elem>,
    /// Pattern of M.
    pub tree: &'a Pattern,
    /// Dofs of each kinematic tree.
    pub trees: &'a [Range<usize>],
    /// M.
    pub mass: Mass<'a, L>,
    /// Forces without constraints.
    pub forces: &'a [L],
    /// Acceleration of the last step.
    pub warmstart: &'a [L],
    /// Lanes with a world of their own.
    pub live: usize,
}

/// Solves for the constrained acceleration by Newton's method.
#[inline(always)]
pub fn solve<L: Lanes>(problem: &Problem<L>, rows: &mut Rows<L>, solution: &mut Solution<L>) {
    if let Some(mut crowd) = solution.crowd.take() {
        crowd::solve(problem, rows, solution, &mut crowd);
        solution.crowd = Some(crowd);
        return;
    }
    // Taken out of the solution while the solver borrows the rest of it.
    let (mut coupled, mut spread) = (take(&mut solution.coupled), take(&mut solution.spread));
    let (pattern, inertia) = if rows.coupled {
        hessian::couple(problem.tree, rows, &mut solution.builder, &mut coupled);
        hessian::spread_inertia(problem.tree, problem.mass.matrix, &coupled, &mut spread);
        (&coupled, &spread[..])
    } else {
        (problem.tree, problem.mass.matrix)
    };
    choose_start(problem, rows, solution);
    let scale = tree_scales(problem, &mut solution.tree_scales);
    solution.iterations = L::ZERO;
    let soft = L::Mask::from_bits(rows.soft);
    let mut group = Group {
        problem,
        pattern,
        inertia,
        rows,
        solution,
        scale,
        slope: L::ZERO,
    };
    newton::iterate(problem.settings, scale, soft, &mut group);
    (solution.coupled, solution.spread) = (coupled, spread);
}

/// A group of worlds.
struct Group<'a, L: Lanes> {
    problem: &'a Problem<'a, L>,
    /// That of H, and M in its places.
    pattern: &'a Pattern,
    inertia: &'a [L],
    rows: &'a mut Rows<L>,
    solution: &'a mut Solution<L>,
    scale: L,
    /// Gradient · search direction.
    slope: L,
}

impl<L: Lanes> Space<L> for Group<'_, L> {
    #[inline(always)]
    fn measure(&mut self, _: L::Mask, kept: L::Mask) -> Change<L::Mask> {
        measure(self.problem, kept, self.rows, self.solution)
    }
    #[inline(always)]
    fn gradient_norm(&self) -> L {
        self.solution.gradient_norm
    }
    #[inline(always)]
    fn factorise(&mut self, _: L::Mask) {
        let (problem, solution) = (self.problem, &mut *self.solution);
        let (cone, weighted) = (problem.settings.cone, &mut solution.weighted);
        solution.hessian.clear();
        solution.hessian.extend_from_slice(self.inertia);
        hessian::add_rows(cone, self.pattern, self.rows, weighted, &mut solution.hessian);
        pattern::factor(self.pattern, &mut solution.hessian, &mut solution.inverse_diagonal);
    }
    #[inline(always)]
    fn descend(&mut self, _: L::Mask) {
        let solution = &mut *self.solution;
        for (search, gradient) in solution.search.iter_mut().zip(&solution.gradient) {
            *search = -*gradient;
        }
        pattern::solve(
            self.pattern,
            &solution.hessian,
            &solution.inverse_diagonal,
            &mut solution.search,
        );
    }
    #[inline(always)]
    fn predicted_improvement(&mut self, _: L::Mask) -> L {
        let mut best = L::ZERO;
        self.slope = L::ZERO;
        for (tree, scale) in self.problem.trees.iter().zip(&self.solution.tree_scales) {
            let slope = dot(
                &self.solution.gradient[tree.clone()],
                &self.solution.search[tree.clone()],
            );
            self.slope += slope;
            best = (L::c(-0.5) * slope * *scale).max(best);
        }
        best
    }
    #[inline(always)]
    fn project(&mut self, _: L::Mask) {
        project(self.problem, self.rows, self.solution);
    }
    #[inline(always)]
    fn step_along(&mut self, active: L::Mask) -> Step<L> {
        step_along(self.problem, self.rows, self.solution, self.slope, self.scale, active)
    }
    #[inline(always)]
    fn advance(&mut self, alpha: L, moved: L::Mask) {
        advance(self.rows, self.solution, alpha);
        self.solution.iterations += L::select(moved, L::ONE, L::ZERO);
    }
    #[inline(always)]
    fn stiffen(&mut self, start: SoftStart, lanes: L::Mask) {
        for block in self.rows.blocks.iter_mut().filter(|block| block.has_friction()) {
            block.stiffen(start, lanes);
        }
    }
    #[inline(always)]
    fn release(&mut self) {
        self.rows.release();
    }
}

/// Forces, curvatures and the gradient at the present acceleration. In the lanes `kept`, cones that still slide keep their
/// curvatures.
#[inline(always)]
pub(super) fn measure<L: Lanes>(
    problem: &Problem<L>,
    kept: L::Mask,
    rows: &mut Rows<L>,
    solution: &mut Solution<L>,
) -> Change<L::Mask> {
    let change = update(problem.settings.cone, kept, rows, &mut solution.constraint_force);
    let smooth = solution.momentum.iter().zip(problem.forces);
    let all = smooth.zip(&solution.constraint_force);
    for (gradient, ((momentum, force), pull)) in solution.gradient.iter_mut().zip(all) {
        *gradient = *momentum - *force - *pull;
    }
    solution.gradient_norm = scaled_gradient(problem, solution);
    change
}

/// Starts each lane from the last acceleration or the smooth one, whichever costs less.
#[inline(always)]
pub(super) fn choose_start<L: Lanes>(problem: &Problem<L>, rows: &mut Rows<L>, solution: &mut Solution<L>) {
    let cone = problem.settings.cone;
    let Solution {
        smooth,
        acceleration,
        momentum,
        ..
    } = solution;
    residuals(rows, smooth);
    if !problem.settings.warmstart {
        acceleration.copy_from_slice(smooth);
        multiply(problem, acceleration, momentum);
        return;
    }
    let cost_smooth = constraint_cost(cone, rows);
    residuals(rows, problem.warmstart);
    multiply(problem, problem.warmstart, momentum);
    let mut gauss = L::ZERO;
    for i in 0..smooth.len() {
        gauss = (momentum[i] - problem.forces[i]).mul_add(problem.warmstart[i] - smooth[i], gauss);
    }
    let cost_warm = L::c(0.5).mul_add(gauss, constraint_cost(cone, rows));
    let warm = cost_warm.le(cost_smooth);
    for i in 0..smooth.len() {
        acceleration[i] = L::select(warm, problem.warmstart[i], smooth[i]);
    }
    if !warm.all() {
        residuals(rows, acceleration);
        multiply(problem, acceleration, momentum);
    }
}

/// M x.
#[inline(always)]
fn multiply<L: Lanes>(problem: &Problem<L>, x: &[L], out: &mut [L]) {
    pattern::multiply(problem.tree, problem.mass.matrix, x, out);
}

/// Products of the search direction with M and J.
#[inline(always)]
pub(super) fn project<L: Lanes>(problem: &Problem<L>, rows: &mut Rows<L>, solution: &mut Solution<L>) {
    multiply(problem, &solution.search, &mut solution.search_momentum);
    slopes(rows, &solution.search);
}

/// Line search along the current direction, whose products are known.
#[inline(always)]
pub(super) fn step_along<L: Lanes>(
    problem: &Problem<L>,
    rows: &mut Rows<L>,
    solution: &Solution<L>,
    slope: L,
    scale: L,
    active: L::Mask,
) -> line_search::Step<L> {
    let mut smooth = Smooth {
        slope: L::ZERO,
        curvature: L::ZERO,
    };
    let mut length = L::ZERO;
    let products = solution.search.iter().zip(&solution.search_momentum);
    let forces = solution.momentum.iter().zip(problem.forces);
    for ((&s, &product), (&momentum, &force)) in products.zip(forces) {
        smooth.slope = s.mul_add(momentum - force, smooth.slope);
        smooth.curvature = s.mul_add(product, smooth.curvature);
        length = s.mul_add(s, length);
    }
    let limits = Limits {
        slope: L::splat(problem.settings.tolerance) * L::splat(problem.settings.ls_tolerance) * length.sqrt()
            / scale.max(L::c(MIN_VALUE)),
        evaluations: problem.settings.ls_iterations,
    };
    let cone = problem.settings.cone;
    line_search::trace_cones(cone, rows);
    line_search::search(&AllRows { cone, rows, smooth }, slope, limits, active)
}

/// x += α d.
#[inline(always)]
fn move_along<L: Lanes>(x: &mut [L], alpha: L, direction: &[L]) {
    for (x, d) in x.iter_mut().zip(direction) {
        *x = alpha.mul_add(*d, *x);
    }
}

/// Moves everything that is linear in the acceleration.
#[inline(always)]
pub(super) fn advance<L: Lanes>(rows: &mut Rows<L>, solution: &mut Solution<L>, alpha: L) {
    move_along(&mut solution.acceleration, alpha, &solution.search);
    move_along(&mut solution.momentum, alpha, &solution.search_momentum);
    rows.advance(alpha);
}

/// 1/Σ M(i,i) of each tree, and the largest of them: makes tolerances independent of size and mass.
///
/// MuJoCo scales by the inertia of an island of constrained trees and lets islands converge one by one. Here the few trees of a
/// world are solved together, so each is held to the tolerance of an island of its own, which is never looser.
#[inline(always)]
pub(super) fn tree_scales<L: Lanes>(problem: &Problem<L>, scales: &mut Vec<L>) -> L {
    scales.clear();
    let mut largest = L::ZERO;
    for tree in problem.trees {
        let mut sum = L::ZERO;
        for i in tree.clone() {
            sum += problem.mass.matrix[problem.tree.diagonal(i)];
        }
        let scale = sum.max(L::c(MIN_VALUE)).recip();
        scales.push(scale);
        largest = largest.max(scale);
    }
    largest
}

/// The largest scaled gradient of any tree.
#[inline(always)]
pub(super) fn scaled_gradient<L: Lanes>(problem: &Problem<L>, solution: &Solution<L>) -> L {
    let mut worst = L::ZERO;
    for (tree, scale) in problem.trees.iter().zip(&solution.tree_scales) {
        worst = (*scale * norm(&solution.gradient[tree.clone()])).max(worst);
    }
    worst
}

#[inline(always)]
pub(super) fn dot<L: Lanes>(a: &[L], b: &[L]) -> L {
    let mut sum = L::ZERO;
    for (x, y) in a.iter().zip(b) {
        sum = x.mul_add(*y, sum);
    }
    sum
}

#[inline(always)]
pub(super) fn norm<L: Lanes>(a: &[L]) -> L {
    dot(a, a).sqrt()
}

/// Second derivative of the cost along the search direction, whose products with M and J it leaves behind.
#[inline(always)]
pub(super) fn curvature_along<L: Lanes>(problem: &Problem<L>, rows: &mut Rows<L>, solution: &mut Solution<L>) -> L {
    project(problem, rows, solution);
    let smooth = Smooth {
        slope: L::ZERO,
        curvature: dot(&solution.search, &solution.search_momentum),
    };
    let cone = problem.settings.cone;
    line_search::trace_cones(cone, rows);
    AllRows { cone, rows, smooth }.derivatives(L::ZERO, L::Mask::ALL).second
}
