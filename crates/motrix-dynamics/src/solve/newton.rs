//! Newton's method in acceleration space, all lanes in lockstep.
//!
//! Minimises ½(a − a₀)ᵀM(a − a₀) + Σ s(J a − a_ref). Each iteration assembles and factorises H = M + JᵀWJ, steps along
//! −H⁻¹·gradient with an exact line search, and stops a lane when its scaled gradient, improvement or predicted improvement falls
//! below the tolerance. Finished lanes stand still (step 0), so a lane's iterates do not depend on its neighbours.
//!
//! Friction that holds is solved for in three passes ([`Pass`]): soft rows tell what sticks, stiff ones how it is held, and
//! in the end friction is carried over.

use core::ops::Range;

use motrix_spatial::{Lanes, Mask};

use super::line_search::{self, Limits, Smooth};
use super::response::{constraint_cost, residuals, slopes, update};
use super::{Mass, Solution, hessian};
use crate::constraint::Rows;
use crate::constraint::hold::STIFFNESS;
use crate::pattern::{self, Pattern};
use crate::tables::SolverTable;

/// Smallest denominator (MuJoCo's `mjMINVAL`).
pub(super) const MIN_VALUE: f64 = 1e-15;

/// Scaled improvement, in the units of the solver's tolerance, below which soft rows have told what sticks.
const GUESSED: f64 = 0.1;
/// The same for forces that are carried over: what is left of their error is R times it as slip, and a percent is enough.
const HELD: f64 = 1e-4;

/// Where the search for friction that holds is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// With soft rows, to know what sticks.
    Guess,
    /// With stiff rows.
    Hold,
    /// With the friction of the last pass carried over; the only pass where no friction holds.
    Finish,
}

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
}

/// Solves for the constrained acceleration.
#[inline(always)]
pub fn solve<L: Lanes>(problem: &Problem<L>, rows: &mut Rows<L>, solution: &mut Solution<L>) {
    // The coupled pattern is taken out of the solution while the solver borrows both.
    let mut coupled = core::mem::take(&mut solution.coupled);
    if rows.coupled {
        hessian::couple(problem.tree, rows, &mut solution.builder, &mut coupled);
    }
    let pattern = if rows.coupled { &coupled } else { problem.tree };
    iterate(problem, pattern, rows, solution);
    solution.coupled = coupled;
}

#[inline(always)]
fn iterate<L: Lanes>(problem: &Problem<L>, pattern: &Pattern, rows: &mut Rows<L>, solution: &mut Solution<L>) {
    choose_start(problem, rows, solution);
    let scale = tree_scales(problem, &mut solution.tree_scales);
    solution.iterations = L::ZERO;
    let tolerance = L::splat(problem.settings.tolerance);
    let holding = L::Mask::from_bits(rows.holding);
    let mut progress = Progress {
        active: L::Mask::ALL,
        stale: L::Mask::ALL,
        leap: false,
    };
    let mut pass = if holding.any() { Pass::Guess } else { Pass::Finish };
    loop {
        let enough = match pass {
            // Lanes where no friction holds have only this pass.
            Pass::Guess => L::select(holding, L::c(GUESSED), L::ZERO),
            Pass::Hold => L::c(HELD),
            Pass::Finish => L::ZERO,
        };
        let stop = Stop {
            tolerance: enough.max(tolerance),
            scale,
        };
        let stale = minimise(problem, pattern, rows, solution, &stop, progress);
        pass = match pass {
            Pass::Guess => {
                rows.carry_friction(STIFFNESS);
                Pass::Hold
            }
            Pass::Hold => {
                rows.carry_friction(1.0);
                Pass::Finish
            }
            Pass::Finish => return,
        };
        progress = Progress {
            active: holding,
            stale,
            leap: true,
        };
    }
}

/// When a lane has gained enough.
struct Stop<L> {
    /// Scaled gradient or improvement that counts as none.
    tolerance: L,
    /// Scale of improvements.
    scale: L,
}

/// How far lanes are.
#[derive(Clone, Copy)]
struct Progress<M> {
    /// Lanes that go on.
    active: M,
    /// Lanes whose factors are those of another Hessian.
    stale: M,
    /// Whether the first step is a whole one, during which what is held sticks.
    leap: bool,
}

/// Newton's iterations. Returns the lanes whose factors are stale at the end.
#[inline(always)]
fn minimise<L: Lanes>(
    problem: &Problem<L>,
    pattern: &Pattern,
    rows: &mut Rows<L>,
    solution: &mut Solution<L>,
    stop: &Stop<L>,
    progress: Progress<L::Mask>,
) -> L::Mask {
    let settings = problem.settings;
    let Stop { tolerance, scale } = *stop;
    let Progress {
        mut active,
        mut stale,
        mut leap,
    } = progress;
    // Lanes that went the whole way to the minimum of their parabola.
    let mut arrived = L::Mask::NONE;
    let mut iteration = 0;
    loop {
        let changed = measure(problem, rows, solution);
        stale = stale | changed;
        if leap {
            rows.release();
        } else {
            // Where the cost still is that parabola, it is the minimum of the cost.
            active = active & !(arrived & !changed) & !solution.gradient_norm.lt(tolerance);
            if iteration == settings.iterations {
                break;
            }
        }
        if !active.any() {
            break;
        }
        if (active & stale).any() {
            factorise(problem, pattern, rows, solution);
            stale = L::Mask::NONE;
        }
        descend(pattern, solution);
        project(problem, rows, solution);
        if leap {
            leap = false;
            let whole = L::select(active, L::ONE, L::ZERO);
            advance(rows, solution, whole);
            solution.iterations += whole;
            arrived = active;
        } else {
            iteration += 1;
            let slope = dot(&solution.gradient, &solution.search);
            active = active & predicted_improvement(problem, solution).ge(tolerance);
            let step = step_along(problem, rows, solution, slope, scale, active);
            advance(rows, solution, step.alpha);
            solution.iterations += L::select(active, L::ONE, L::ZERO);
            arrived = step.alpha.equal(L::ONE);
            active = active & step.alpha.gt(L::ZERO) & (scale * step.improvement).ge(tolerance);
        }
    }
    stale
}

/// Forces, curvatures and the gradient at the present acceleration. Tells in which lanes some row's cost is no longer the
/// parabola or line that it was.
#[inline(always)]
pub(super) fn measure<L: Lanes>(problem: &Problem<L>, rows: &mut Rows<L>, solution: &mut Solution<L>) -> L::Mask {
    let changed = update(problem.settings.cone, rows, &mut solution.constraint_force);
    for i in 0..solution.gradient.len() {
        solution.gradient[i] = solution.momentum[i] - problem.forces[i] - solution.constraint_force[i];
    }
    solution.gradient_norm = scaled_gradient(problem, solution);
    changed
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

/// Factorises the Hessian at the present curvatures.
#[inline(always)]
fn factorise<L: Lanes>(problem: &Problem<L>, pattern: &Pattern, rows: &Rows<L>, solution: &mut Solution<L>) {
    hessian::load_inertia(problem.tree, problem.mass.matrix, pattern, &mut solution.hessian);
    hessian::add_rows(problem.settings.cone, pattern, rows, &mut solution.hessian);
    pattern::factor(pattern, &mut solution.hessian, &mut solution.inverse_diagonal);
}

/// search = −H⁻¹·gradient.
#[inline(always)]
fn descend<L: Lanes>(pattern: &Pattern, solution: &mut Solution<L>) {
    for i in 0..solution.search.len() {
        solution.search[i] = -solution.gradient[i];
    }
    pattern::solve(
        pattern,
        &solution.hessian,
        &solution.inverse_diagonal,
        &mut solution.search,
    );
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
    rows: &Rows<L>,
    solution: &Solution<L>,
    slope: L,
    scale: L,
    active: L::Mask,
) -> line_search::Step<L> {
    let mut smooth = Smooth {
        slope: L::ZERO,
        curvature: L::ZERO,
    };
    for i in 0..solution.search.len() {
        let s = solution.search[i];
        smooth.slope = s.mul_add(solution.momentum[i] - problem.forces[i], smooth.slope);
        smooth.curvature = s.mul_add(solution.search_momentum[i], smooth.curvature);
    }
    let length = norm(&solution.search);
    let limits = Limits {
        slope: L::splat(problem.settings.tolerance) * L::splat(problem.settings.ls_tolerance) * length
            / scale.max(L::c(MIN_VALUE)),
        evaluations: problem.settings.ls_iterations,
    };
    line_search::search(problem.settings.cone, rows, smooth, slope, limits, active)
}

/// Moves everything that is linear in the acceleration.
#[inline(always)]
pub(super) fn advance<L: Lanes>(rows: &mut Rows<L>, solution: &mut Solution<L>, alpha: L) {
    for i in 0..solution.search.len() {
        solution.acceleration[i] = alpha.mul_add(solution.search[i], solution.acceleration[i]);
        solution.momentum[i] = alpha.mul_add(solution.search_momentum[i], solution.momentum[i]);
    }
    for row in &mut rows.friction {
        row.residual = alpha.mul_add(row.slope, row.residual);
    }
    for row in &mut rows.limits {
        row.residual = alpha.mul_add(row.slope, row.residual);
    }
    for block in &mut rows.blocks {
        for r in 0..block.dim {
            block.residual[r] = alpha.mul_add(block.slope[r], block.residual[r]);
        }
    }
}

/// 1/Σ M(i,i) of each tree, and the largest of them: makes tolerances independent of size and mass.
///
/// MuJoCo scales by the inertia of an island of constrained trees and lets islands converge one by one. Here they are solved
/// together, so each tree is held to the tolerance of an island of its own, which is never looser.
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

/// The largest scaled improvement that a full Newton step predicts for any tree: half the slope along it.
#[inline(always)]
fn predicted_improvement<L: Lanes>(problem: &Problem<L>, solution: &Solution<L>) -> L {
    let mut best = L::ZERO;
    for (tree, scale) in problem.trees.iter().zip(&solution.tree_scales) {
        let slope = dot(&solution.gradient[tree.clone()], &solution.search[tree.clone()]);
        best = (L::c(-0.5) * slope * *scale).max(best);
    }
    best
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
    line_search::curvature_at_start(problem.settings.cone, rows, smooth)
}
