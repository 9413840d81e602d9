//! Friction that holds: the contact model "firm".
//!
//! MuJoCo's friction is regularised: a contact that carries the tangential force f slides with the velocity R f/B, however
//! far inside the cone it is, so boxes creep down ramps and grippers lose what they hold. Three things make a contact stick:
//!
//! * The cone is round, and its tangential rows are stiffer than the normal one, whose softness is left as the model asks for
//!   it. They are [soft at first](super::soft_start), and what friction these took is carried over to the stiff ones (the method of
//!   multipliers): what slips is only what stiff rows leave of the difference between the two. Carrying over a second time leaves a
//!   hundredth of that and takes a tenth more time; leaving what slides soft takes less, and lets a box with one sliding corner
//!   creep. `impratio`, by which a model fights creep, has no say.
//! * Rows ask for rest at the end of the step, a_ref = −v/h, rather than within the time constant of the normal. A row that
//!   slides faster than h·[`LARGEST_PULL`] is sliding in earnest and gets no more than that, or what MuJoCo would ask for:
//!   the cost couples slip to the normal force, and a harder pull would lift a sliding body off the ground.
//! * J̇ q̇ is subtracted. A step moves a point by h J(q + h q̇/2)·q̇⁺, so half of it counts when the row stops within the
//!   step; in general 1 − h B/2 for a row that stops at the rate B. Without it bodies that turn together slide on each other.
//!
//! The solver sees the acceleration that the step will really take ([`crate::integrate::anticipation`]).

use motrix_spatial::Lanes;

/// Tangential over normal weight where friction is carried over, and for solvers that go once. A box at 0.99 of the friction angle
/// creeps 51 µm in a minute at 100, 17 µm at 300 and 5 µm at 1000, where a quadruped takes no more iterations and a pile of
/// 25 a twentieth more time. Many contacts share the load of a body in a pile, and what is carried over helps little there: at 300 a
/// body of 25 still creeps half a millimetre in eight seconds, at 1000 a sixth. The rounding of `f32` leaves forces exact to
/// a tenth of a percent.
pub const STIFFNESS: f64 = 1000.0;

/// Largest deceleration that a sliding row asks for beyond MuJoCo's, in m/s²: above what friction can give on a legged
/// robot, so that the row still saturates the cone.
const LARGEST_PULL: f64 = 20.0;

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

    /// The rate B at which a row that slides with the speed `slip` is asked to stop; `damping` is the rate of the model.
    #[inline(always)]
    pub fn rate(&self, slip: L, damping: L) -> L {
        let slow = slip.lt(L::c(LARGEST_PULL) * self.timestep);
        let rest = L::select(slow, self.rate, L::c(LARGEST_PULL) / L::select(slow, L::ONE, slip));
        rest.max(damping)
    }

    /// The share of J̇ q̇ that a row which stops at a rate has to make up for.
    #[inline(always)]
    pub fn drift_share(&self, rate: L) -> L {
        (L::c(-0.5) * self.timestep).mul_add(rate, L::ONE).max(L::ZERO)
    }
}
