//! Nonlinear conjugate gradients in acceleration space, all lanes in lockstep.
//!
//! The problem is Newton's; the direction is the gradient preconditioned by M, −M⁻¹g, made conjugate to the last one by the rule of
//! Hager and Zhang (*A new conjugate gradient method with guaranteed descent and an efficient line search*, 2005), with the
//! same line search. No matrix is assembled or factorised, so an iteration costs a few products with M⁻¹ and J, which
//! pays where there are very many dofs. As in MuJoCo a lane starts only if ½ gᵀM⁻¹g, which bounds what is left to gain, is
//! not yet below the tolerance.

use motrix_spatial::{Lanes, Mask};

use super::Solution;
use super::lockstep::{self, Problem};
use super::newton::MIN_VALUE;
use crate::constraint::Rows;
use crate::pattern;

/// Keeps a direction from turning orthogonal to the gradient: the smallest rule weight is −1/(‖d‖ min(η, ‖g‖)).
const ETA: f64 = 0.01;

/// What the solver remembers from one direction to the next.
#[derive(Clone, Debug)]
pub struct Memory<L> {
    /// M⁻¹ g.
    preconditioned: Vec<L>,
    /// g before the last step.
    last_gradient: Vec<L>,
    /// M⁻¹ g before the last step.
    last_preconditioned: Vec<L>,
}

impl<L: Lanes> Memory<L> {
    /// Memory for `nv` dofs.
    pub fn new(nv: usize) -> Self {
        let zeros = || vec![L::ZERO; nv];
        Self {
            preconditioned: zeros(),
            last_gradient: zeros(),
            last_preconditioned: zeros(),
        }
    }
}

/// Solves for the constrained acceleration.
#[inline(always)]
pub fn solve<L: Lanes>(problem: &Problem<L>, rows: &mut Rows<L>, solution: &mut Solution<L>) {
    let settings = problem.settings;
    let tolerance = L::splat(settings.tolerance);
    lockstep::choose_start(problem, rows, solution);
    let scale = lockstep::tree_scales(problem, &mut solution.tree_scales);
    lockstep::measure(problem, L::Mask::NONE, rows, solution);
    precondition(problem, solution);
    solution.iterations = L::ZERO;

    let gap = L::c(0.5) * scale * lockstep::dot(&solution.gradient, &solution.conjugate.preconditioned);
    let mut active = gap.ge(tolerance);
    for i in 0..solution.search.len() {
        solution.search[i] = -solution.conjugate.preconditioned[i];
    }
    for _ in 0..settings.iterations {
        if !active.any() {
            break;
        }
        stretch(problem, rows, solution);
        let slope = lockstep::dot(&solution.gradient, &solution.search);
        lockstep::project(problem, rows, solution);
        let step = lockstep::step_along(problem, rows, solution, slope, scale, active);
        lockstep::advance(rows, solution, step.alpha);
        let Memory {
            preconditioned,
            last_gradient,
            last_preconditioned,
        } = &mut solution.conjugate;
        last_gradient.copy_from_slice(&solution.gradient);
        last_preconditioned.copy_from_slice(preconditioned);
        lockstep::measure(problem, L::Mask::NONE, rows, solution);
        precondition(problem, solution);

        solution.iterations += L::select(active, L::ONE, L::ZERO);
        let improvement = scale * step.improvement;
        active = active & step.alpha.gt(L::ZERO) & improvement.ge(tolerance) & solution.gradient_norm.ge(tolerance);
        turn(solution);
    }
}

/// M⁻¹ g.
#[inline(always)]
fn precondition<L: Lanes>(problem: &Problem<L>, solution: &mut Solution<L>) {
    let out = &mut solution.conjugate.preconditioned;
    out.copy_from_slice(&solution.gradient);
    pattern::solve(problem.tree, problem.mass.factors, problem.mass.inverse_diagonal, out);
}

/// Scales the direction so that the minimum of the parabola along it is at 1, where the line search starts.
#[inline(always)]
fn stretch<L: Lanes>(problem: &Problem<L>, rows: &mut Rows<L>, solution: &mut Solution<L>) {
    let curvature = lockstep::curvature_along(problem, rows, solution);
    let length = -lockstep::dot(&solution.gradient, &solution.search) / curvature.max(L::c(MIN_VALUE));
    let length = L::select(length.is_finite() & length.gt(L::ZERO), length, L::ONE);
    for x in &mut solution.search {
        *x *= length;
    }
}

/// The next direction, −M⁻¹g + β d, from the gradients before and after the last step; β = 0 where conjugacy is lost.
#[inline(always)]
fn turn<L: Lanes>(solution: &mut Solution<L>) {
    let Memory {
        preconditioned,
        last_gradient,
        last_preconditioned,
    } = &solution.conjugate;
    let (mut dy, mut y_my, mut y_mg, mut dg) = (L::ZERO, L::ZERO, L::ZERO, L::ZERO);
    for i in 0..solution.search.len() {
        let (d, g) = (solution.search[i], solution.gradient[i]);
        let y = g - last_gradient[i];
        dy = d.mul_add(y, dy);
        dg = d.mul_add(g, dg);
        y_my = y.mul_add(preconditioned[i] - last_preconditioned[i], y_my);
        y_mg = y.mul_add(preconditioned[i], y_mg);
    }
    let lost = dy.lt(L::c(MIN_VALUE));
    let inverse = L::select(lost, L::ONE, dy).recip();
    let rule = (y_mg - L::c(2.0) * (y_my * inverse) * dg) * inverse;
    let (length, steepness) = (lockstep::norm(&solution.search), lockstep::norm(&solution.gradient));
    let floor = -(length * steepness.min(L::c(ETA))).max(L::c(MIN_VALUE)).recip();
    let beta = L::select(lost, L::ZERO, rule.max(floor));
    for i in 0..solution.search.len() {
        solution.search[i] = beta.mul_add(solution.search[i], -preconditioned[i]);
    }
}
