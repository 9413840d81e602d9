//! Newton's method in acceleration space.
//!
//! Minimises ½(a − a₀)ᵀM(a − a₀) + Σ s(J a − a_ref). Each iteration assembles and factorises H = M + JᵀWJ, steps along
//! −H⁻¹·gradient with an exact line search, and stops a lane when its scaled gradient, improvement or predicted improvement falls
//! below the tolerance. Finished lanes stand still (step 0), so a lane's iterates do not depend on its neighbours.
//!
//! The method is written once for two ways of laying a problem out ([`Space`]): several worlds in lanes
//! ([`super::lockstep`]), and one world at a time with its rows in lanes ([`super::crowd`]).
//!
//! Friction that holds is solved for in two passes: soft rows tell what sticks and how much friction it takes, which is
//! carried over to stiff ones.

use motrix_spatial::{Lanes, Mask};

use super::line_search::Step;
use crate::constraint::Rows;
use crate::constraint::hold::STIFFNESS;
use crate::tables::SolverTable;

/// Smallest denominator (MuJoCo's `mjMINVAL`).
pub(super) const MIN_VALUE: f64 = 1e-15;

/// Scaled improvement, in the units of the solver's tolerance, below which soft rows have told what sticks.
const GUESSED: f64 = 0.1;

/// A problem at an acceleration, as the method sees it. Numbers are those of several worlds, one per lane, or of one world,
/// the same in every lane.
pub(super) trait Space<L: Lanes> {
    /// Computes forces, curvatures and the gradient at the present acceleration. Tells in which lanes some row's cost is no
    /// longer the parabola or line that it was.
    fn measure(&mut self) -> L::Mask;
    /// The largest scaled gradient of any tree.
    fn gradient_norm(&self) -> L;
    /// Factorises the Hessian at the present curvatures.
    fn factorise(&mut self);
    /// Makes −H⁻¹·gradient the search direction, and its products with M and J.
    fn descend(&mut self);
    /// Gradient · search direction.
    fn slope(&self) -> L;
    /// The largest scaled improvement that a full Newton step predicts for any tree: half the slope along it.
    fn predicted_improvement(&self) -> L;
    /// The best step along the search direction, whose derivative there is `slope`.
    fn step_along(&self, slope: L, active: L::Mask) -> Step<L>;
    /// Moves along the search direction, in the lanes `moved`.
    fn advance(&mut self, alpha: L, moved: L::Mask);
    /// The rows.
    fn rows(&mut self) -> &mut Rows<L>;
}

/// Solves for the constrained acceleration. `scale` is that of improvements, friction holds in the lanes `holding`.
#[inline(always)]
pub(super) fn iterate<L: Lanes>(
    settings: &SolverTable<L::Elem>,
    scale: L,
    holding: L::Mask,
    space: &mut impl Space<L>,
) {
    let tolerance = L::splat(settings.tolerance);
    let mut progress = Progress {
        active: L::Mask::ALL,
        stale: L::Mask::ALL,
        leap: false,
    };
    let mut stop = Stop {
        tolerance,
        scale,
        iterations: settings.iterations,
    };
    let mut guesses = holding.any();
    if guesses {
        // Lanes where no friction holds have only this pass.
        stop.tolerance = L::select(holding, L::c(GUESSED), L::ZERO).max(tolerance);
    }
    loop {
        let stale = minimise(space, &stop, progress);
        if !guesses {
            return;
        }
        guesses = false;
        space.rows().carry_friction(STIFFNESS);
        progress = Progress {
            active: holding,
            stale,
            leap: true,
        };
        stop.tolerance = tolerance;
    }
}

/// When a lane has gained enough.
struct Stop<L> {
    /// Scaled gradient or improvement that counts as none.
    tolerance: L,
    /// Scale of improvements.
    scale: L,
    /// Most iterations.
    iterations: usize,
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
fn minimise<L: Lanes>(space: &mut impl Space<L>, stop: &Stop<L>, progress: Progress<L::Mask>) -> L::Mask {
    let Stop { tolerance, scale, .. } = *stop;
    let Progress {
        mut active,
        mut stale,
        mut leap,
    } = progress;
    // Lanes that went the whole way to the minimum of their parabola.
    let mut arrived = L::Mask::NONE;
    let mut iteration = 0;
    loop {
        let changed = space.measure();
        stale = stale | changed;
        if leap {
            space.rows().release();
        } else {
            // Where the cost still is that parabola, it is the minimum of the cost.
            active = active & !(arrived & !changed) & !space.gradient_norm().lt(tolerance);
            if iteration == stop.iterations {
                break;
            }
        }
        if !active.any() {
            break;
        }
        if (active & stale).any() {
            space.factorise();
            stale = L::Mask::NONE;
        }
        space.descend();
        if leap {
            leap = false;
            space.advance(L::select(active, L::ONE, L::ZERO), active);
            arrived = active;
        } else {
            iteration += 1;
            let slope = space.slope();
            active = active & space.predicted_improvement().ge(tolerance);
            let step = space.step_along(slope, active);
            space.advance(step.alpha, active);
            arrived = step.alpha.equal(L::ONE);
            active = active & step.alpha.gt(L::ZERO) & (scale * step.improvement).ge(tolerance);
        }
    }
    stale
}
