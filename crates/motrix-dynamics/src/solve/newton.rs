//! Newton's method in acceleration space.
//!
//! Minimises ½(a − a₀)ᵀM(a − a₀) + Σ s(J a − a_ref). Each iteration assembles and factorises H = M + JᵀWJ, steps along
//! −H⁻¹·gradient with a line search, and stops a lane when its scaled gradient, improvement or predicted improvement falls
//! below the tolerance. Finished lanes stand still (step 0), so a lane's iterates do not depend on its neighbours.
//!
//! Near the minimum of a lane the curvatures of what slides hardly change from step to step: they are kept then, and with them the
//! factors of the Hessian, while each step gains at least ten times less than the one before. Such steps are whole ones.
//!
//! The method is written once for two kinds of lanes ([`Space`]): worlds ([`super::lockstep`]), and the islands of one world
//! ([`super::crowd`]).
//!
//! Stiff friction is solved for in two passes, of which the first makes it soft ([`crate::constraint::soft_start`]).

use motrix_spatial::{Lanes, Mask};

use super::change::Change;
use super::line_search::Step;
use crate::constraint::soft_start::SoftStart;
use crate::tables::SolverTable;

/// Smallest denominator (MuJoCo's `mjMINVAL`).
pub(super) const MIN_VALUE: f64 = 1e-15;

/// Scaled improvement, in the units of the solver's tolerance, below which soft rows have told what sticks.
const GUESSED: f64 = 0.1;
/// Steps with soft rows that tell enough of friction, and the most of them: more than enough are taken while the last one went less than
/// a [`WHOLE`] part of its way, for much was still to change.
const GUESSES: f64 = 2.0;
const MOST_GUESSES: f64 = 4.0;
const WHOLE: f64 = 0.5;

/// Predicted improvement, in tolerances, from which on curvatures are kept, and its share of the one before that must be reached.
/// Kept from ten times as far, a step takes two percent less, and piles at rest creep by ten times as much.
const NEAR: f64 = 1e4;
const FAST: f64 = 0.1;

/// Tolerance below which what rounding leaves at the minimum of a parabola is asked to be worked off too.
const EXACT: f64 = 1e-12;

/// Problems at accelerations, one per lane, as the method sees them. What is done for some lanes may be done for all: a lane's
/// numbers follow from its own.
pub(super) trait Space<L: Lanes> {
    /// Computes forces, curvatures and the gradient in the lanes whose acceleration or rows are others than when last measured.
    /// In the lanes `kept`, what still slides keeps its curvature.
    fn measure(&mut self, moved: L::Mask, kept: L::Mask) -> Change<L::Mask>;
    /// The scaled gradient.
    fn gradient_norm(&self) -> L;
    /// Factorises the Hessian of some lanes at the present curvatures.
    fn factorise(&mut self, lanes: L::Mask);
    /// Makes −H⁻¹·gradient the search direction of some lanes.
    fn descend(&mut self, lanes: L::Mask);
    /// The scaled improvement that a full Newton step predicts: half the slope along it.
    fn predicted_improvement(&mut self, lanes: L::Mask) -> L;
    /// Computes the products of the search direction with M and J in some lanes.
    fn project(&mut self, lanes: L::Mask);
    /// The best step along the search direction, whose products and predicted improvement are known, in the lanes `active`.
    fn step_along(&mut self, active: L::Mask) -> Step<L>;
    /// Moves along the search direction, in the lanes `moved`.
    fn advance(&mut self, alpha: L, moved: L::Mask);
    /// Makes the friction of some lanes stiff, and holds what sticks until [`Space::release`].
    fn stiffen(&mut self, start: SoftStart, lanes: L::Mask);
    /// Lets what is held slide again.
    fn release(&mut self);
}

/// Solves for the constrained acceleration. `scale` is that of improvements, friction is soft at first in the lanes `soft`.
///
/// Each lane goes through its passes by itself: one that has learnt what sticks goes on with stiff rows while others still learn.
#[inline(always)]
pub(super) fn iterate<L: Lanes>(settings: &SolverTable<L::Elem>, scale: L, soft: L::Mask, space: &mut impl Space<L>) {
    let last_tolerance = L::splat(settings.tolerance);
    let last_most = L::c(settings.iterations as f64);
    // Lanes that still learn what sticks, those that go on, and those whose factors are of another Hessian.
    let mut guessing = soft;
    let mut active = L::Mask::ALL;
    let mut stale = L::Mask::ALL;
    // Lanes that went the whole way to the minimum of their parabola.
    let mut arrived = L::Mask::NONE;
    let mut moved = L::Mask::ALL;
    // Lanes that keep the curvatures of what slides, and what the last step of each lane was predicted to gain.
    let mut kept = L::Mask::NONE;
    let mut last_predicted = L::c(f64::INFINITY);
    // Scaled gradient or improvement that counts as none, steps in this pass, and the most of them.
    let mut tolerance = L::select(soft, L::c(GUESSED), L::ZERO).max(last_tolerance);
    let mut taken = L::ZERO;
    let mut most = L::select(soft, L::c(MOST_GUESSES), last_most).min(last_most);
    loop {
        // Some lanes have learnt what sticks, whatever is measured now; of others it is measured.
        let mut leaping = guessing & !(active & taken.lt(most));
        stiffen(settings, space, leaping);
        let change = space.measure(moved | leaping, kept);
        stale = stale | change.curvature;
        kept = kept & !change.curvature;
        // Where the cost still is that parabola, it is the minimum of the cost.
        active = active & !(arrived & !change.cost) & !space.gradient_norm().lt(tolerance) & taken.lt(most);
        let learnt = guessing & !active & !leaping;
        if learnt.any() {
            stiffen(settings, space, learnt);
            stale = stale | space.measure(learnt, kept).curvature;
            leaping = leaping | learnt;
        }
        // The first step with stiff rows is a whole one, during which what sticks is held.
        if leaping.any() {
            space.release();
            guessing = guessing & !leaping;
            active = active | leaping;
            tolerance = L::select(leaping, last_tolerance, tolerance);
            taken = L::select(leaping, L::ZERO, taken);
            most = L::select(leaping, last_most, most);
        }
        if !active.any() {
            return;
        }
        if (active & stale).any() {
            space.factorise(active & stale);
            stale = stale & !active;
        }
        space.descend(active);
        let predicted = space.predicted_improvement(active);
        let searching = active & !leaping & predicted.ge(tolerance);
        moved = searching | leaping;
        if !moved.any() && !guessing.any() {
            return;
        }
        space.project(moved);
        // So near the minimum that curvatures are kept, the whole step is the best one.
        let whole = leaping | (searching & kept);
        let mut step = Step {
            alpha: L::ZERO,
            improvement: L::ZERO,
        };
        if (searching & !whole).any() {
            step = space.step_along(searching & !whole);
        }
        let alpha = L::select(whole, L::ONE, step.alpha);
        let improvement = L::select(whole, predicted, scale * step.improvement);
        space.advance(alpha, moved);
        arrived = alpha.equal(L::ONE) & tolerance.ge(L::c(EXACT));
        active = leaping | (searching & alpha.gt(L::ZERO) & improvement.ge(tolerance));
        taken += L::select(leaping, L::ZERO, L::ONE);
        let guessed = guessing & taken.ge(L::c(GUESSES)) & alpha.ge(L::c(WHOLE));
        most = L::select(guessed, taken, most);
        kept = searching
            & !guessing
            & predicted.lt(L::c(NEAR) * last_tolerance)
            & predicted.lt(L::c(FAST) * last_predicted);
        last_predicted = predicted;
    }
}

/// Makes the friction of some lanes stiff.
#[inline(always)]
fn stiffen<L: Lanes>(settings: &SolverTable<L::Elem>, space: &mut impl Space<L>, lanes: L::Mask) {
    if let Some(start) = settings.soft_start
        && lanes.any()
    {
        space.stiffen(start, lanes);
    }
}
