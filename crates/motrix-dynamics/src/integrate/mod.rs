//! The next state.
//!
//! | integrator | acceleration a of the step |
//! |---|---|
//! | Euler | (M + h B) a = f, with B the damping of the joints; a = q̈ without damping |
//! | implicitfast | (M − h D) a = f, with D = ∂(passive + actuator forces)/∂q̇, symmetric |
//! | implicit | the same with D = ∂(passive + actuator − bias forces)/∂q̇ |
//! | RK4 | the weighted mean of four stages |
//!
//! with f all forces, those of constraints included. Then v ← v + h a and q ← q ⊕ h v with the new velocity (with the mean
//! velocity of the stages for RK4), and the activations advance by their rates (MuJoCo's `mj_Euler`, `mj_implicit`,
//! `mj_RungeKutta`).

pub mod anticipation;
pub mod bias_slope;
pub mod derivative;
mod euler;
mod implicit;
pub mod positions;
pub mod runge_kutta;
mod standalone;
mod unsymmetric;

use motrix_model::{ContactModel, Integrator};
use motrix_spatial::Lanes;

use self::anticipation::StepMatrix;
use self::implicit::Standalone;
use self::runge_kutta::Stages;
use crate::actuation::activation::{self, Driven};
use crate::data::{Data, State};
use crate::params::Params;
use crate::tables::Tables;

/// Memory of the integrators.
#[derive(Clone, Debug, Default)]
pub struct Work<L: Lanes> {
    /// Acceleration of the step.
    acceleration: Vec<L>,
    /// The matrix of an implicit step: its lower triangle, in the tree's pattern, then its factors.
    lower: Vec<L>,
    /// Its upper triangle, transposed, when it has one of its own.
    upper: Vec<L>,
    /// Inverses of the pivots.
    inverse: Vec<L>,
    /// Bodies on their own.
    standalone: Standalone<L>,
    /// The matrix of the step, when the constraints are solved with it.
    pub(crate) anticipated: StepMatrix<L>,
    /// Stages of Runge-Kutta.
    stages: Stages<L>,
}

/// Advances all worlds of a group by one step, after a forward pass. For RK4 this is the end of the last stage.
#[inline(always)]
pub fn step<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    match tables.integrator() {
        Integrator::Rk4 => return runge_kutta::finish(tables, data),
        _ if anticipation::applies(tables, params) => anticipation::acceleration(tables, params, data),
        Integrator::Euler => euler::acceleration(tables, params, data),
        Integrator::Implicit | Integrator::ImplicitFast => implicit::acceleration(tables, params, data),
    }
    let Data {
        state,
        input,
        actuators,
        tendons,
        contacts,
        rows,
        solution,
        integration,
        readings,
        ..
    } = data;
    match tables.solver.contact_model {
        ContactModel::Firm => tables.grip.remember(&contacts.slots, rows, &mut state.grip),
        ContactModel::Mujoco => tables.grip.forget::<L>(&mut state.grip),
    }
    tables
        .delays
        .advance(&state.time, &input.ctrl, readings, &mut state.history);
    state.warmstart.copy_from_slice(&solution.acceleration);
    let driven = Driven {
        rates: &actuators.activation_rate,
        length: &actuators.length,
        velocity: &actuators.velocity,
    };
    activation::advance(&tables.actuators, &driven, &mut state.act);
    let h = L::splat(tables.timestep);
    for (v, a) in state.qvel.iter_mut().zip(&integration.acceleration) {
        *v = h.mul_add(*a, *v);
    }
    positions::advance(&tables.tree, h, &state.qvel, &mut state.qpos, &mut state.residue);
    let State {
        qpos, qvel, plastic, ..
    } = state;
    tables.plastic.advance(&tables.tendons, tendons, h, qvel, qpos, plastic);
    advance_time(tables, state);
}

/// t ← t + h.
#[inline(always)]
fn advance_time<L: Lanes>(tables: &Tables<L::Elem>, state: &mut State<L>) {
    for t in &mut state.time {
        *t += tables.options.timestep;
    }
}
