//! Friction that holds: the contact model "firm".
//!
//! MuJoCo's friction is regularised: a contact that carries the tangential force f slides with the velocity R f/B, however
//! far inside the cone it is, so boxes creep down ramps and grippers lose what they hold. Three things make a contact stick:
//!
//! * The cone is round, and its tangential rows are stiffer than the normal one, whose softness is left as the model asks for
//!   it. Newton's method solves twice, the second time with the friction of the first carried over
//!   ([`Rows::carry_friction`](super::Rows::carry_friction), the method of multipliers): the slip that is left is that of rows
//!   which are stiffer by another factor of this size, without the many short steps that such rows would take.
//! * Rows ask for rest at the end of the step, a_ref = −v/h, rather than within the time constant of the normal. Where friction
//!   cannot stop the slip so soon, they ask for no more than what is sure to use all of it ([`Hold::pull`]), and the second solve
//!   is told of the slip that is left: the cost couples it to the normal force, by which MuJoCo's −B v throws a fast sliding
//!   body off the ground.
//! * J̇ q̇ is subtracted. A step moves a point by h J(q + h q̇/2)·q̇⁺, so half of it counts when the row stops within the
//!   step; in general 1 − h B/2 for a row that stops at the rate B. Without it bodies that turn together slide on each other.
//!
//! The solver sees the acceleration that the step will really take ([`crate::integrate::anticipation`]).

use motrix_model::Solver;
use motrix_spatial::Lanes;

/// Tangential over normal weight, on top of `impratio`, where the friction is carried over. Many contacts share the load of a
/// body in a pile, and what is carried over helps little there: at 30 a body of 25 still creeps a millimetre in four seconds,
/// at 100 a tenth of it.
const STIFFNESS: f64 = 100.0;
/// The same for solvers that go once, and would leave a creep: the rounding of `f32` still leaves forces exact to a tenth of a
/// percent.
const STIFFNESS_AT_ONCE: f64 = 1000.0;

/// What a sliding contact asks for, over what friction can give it by the load that it seems to bear: a body may slide on several
/// contacts, of which each sees only its share.
const LOAD_MARGIN: f64 = 4.0;

/// Acceleration that counts as the load of a contact which bears less, or has only begun to, in m/s²: twice that of gravity. A
/// cube that tips onto one edge is also turned by friction and could be slowed down by a little more; at 40 balls jump in steps of
/// 10 ms.
const LEAST_LOAD: f64 = 20.0;

/// How friction rows are made to hold.
#[derive(Clone, Copy, Debug)]
pub struct Hold<L> {
    /// h.
    timestep: L,
    /// 1/h.
    rate: L,
}

impl<L: Lanes> Hold<L> {
    /// For steps of the duration h.
    #[inline(always)]
    pub fn new(timestep: L) -> Self {
        Self {
            timestep,
            rate: timestep.recip(),
        }
    }

    /// Tangential over normal weight, on top of `impratio`.
    #[inline(always)]
    pub fn stiffness(solver: Solver) -> L {
        L::c(match solver {
            Solver::Newton => STIFFNESS,
            Solver::Cg | Solver::Pgs => STIFFNESS_AT_ONCE,
        })
    }

    /// The largest deceleration that a sliding contact asks for: what friction can surely not give. The normal force over the
    /// effective mass is d/(1 − d) times the acceleration of the contact's spring where it bears a load, and d times that of its
    /// damper where it is hit; d is the impedance.
    #[inline(always)]
    pub fn pull(&self, friction: L, impedance: L, spring: L, damper: L) -> L {
        let load = impedance * (spring.max(L::ZERO) / (L::ONE - impedance) + damper.max(L::ZERO));
        friction * (L::c(LOAD_MARGIN) * load).max(L::c(LEAST_LOAD))
    }

    /// The rate B at which a row that slides with the speed `slip` is asked to stop, given the pull that it gets at most.
    #[inline(always)]
    pub fn rate(&self, slip: L, pull: L) -> L {
        let slow = slip.lt(pull * self.timestep);
        L::select(slow, self.rate, pull / L::select(slow, L::ONE, slip))
    }

    /// The share of J̇ q̇ that a row which stops at a rate has to make up for.
    #[inline(always)]
    pub fn drift_share(&self, rate: L) -> L {
        (L::c(-0.5) * self.timestep).mul_add(rate, L::ONE).max(L::ZERO)
    }
}
