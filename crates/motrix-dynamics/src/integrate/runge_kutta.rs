//! Fourth-order Runge-Kutta, the classical rule, on the manifold of configurations.
//!
//! Stage i starts from x₀ ⊕ c(i) h k(i−1) with c = ½, ½, 1; the step is x₀ ⊕ h Σ b(i) k(i) with b = 1/6, 1/3, 1/3, 1/6. The
//! state x is (q, v, act) and k its rate (v, a, ȧct), except for rotations. Those are exp(u) behind the start of the step, and
//! a stage that turns at the local angular velocity ω changes u at the rate
//!
//! k = ω + ½ u × ω + β u × (u × ω), with β = (1 − |u|/2 · cot(|u|/2))/|u|²
//!
//! (Munthe-Kaas, *High order Runge-Kutta methods on manifolds*, 1999; as MuJoCo 4.0). The constraint solver starts all stages
//! from the same acceleration, and bristles of motors advance at the speed at the start of the step.

use motrix_model::{ContactModel, JointKind};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Vec3};

use super::{advance_time, positions};
use crate::actuation::activation::{self, Driven};
use crate::data::{Data, Tendons};
use crate::kinematics::Tree;
use crate::tables::Tables;

/// Number of stages after the first.
pub const LATER_STAGES: usize = 3;
/// c(i): how far along the step a later stage starts.
const START: [f64; LATER_STAGES] = [0.5, 0.5, 1.0];
/// b(i): what a stage counts.
const WEIGHT: [f64; LATER_STAGES + 1] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
/// Turns by less than this, squared, have the β of no turn: the next term is |u|²/720.
const TINY_TURN: f64 = 1e-10;

/// The start of a step, and the sums over its stages.
#[derive(Clone, Debug, Default)]
pub struct Stages<L> {
    time: Vec<f64>,
    qpos: Vec<L>,
    /// What rounding takes from the configuration of a stage.
    residue: Vec<L>,
    qvel: Vec<L>,
    act: Vec<L>,
    tendons: Tendons<L>,
    actuator_length: Vec<L>,
    actuator_velocity: Vec<L>,
    /// k of the last stage, for the configuration.
    slope: Vec<L>,
    /// Σ b k, for the configuration.
    displacement: Vec<L>,
    /// Σ b a.
    acceleration: Vec<L>,
    /// Σ b ȧct.
    rate: Vec<L>,
}

/// Ends a stage after its forward pass and sets the state of the next one. `stage` counts from 0.
#[inline(always)]
pub fn next_stage<L: Lanes>(tables: &Tables<L::Elem>, data: &mut Data<L>, stage: usize) {
    if stage == 0 {
        start(data);
    }
    count(tables, data, stage);
    let Data {
        state,
        actuators,
        solution,
        integration,
        ..
    } = data;
    let stages = &mut integration.stages;
    let h = L::splat(tables.timestep) * L::c(START[stage]);
    state.qpos.copy_from_slice(&stages.qpos);
    copy(&state.residue, &mut stages.residue);
    positions::advance(&tables.tree, h, &stages.slope, &mut state.qpos, &mut stages.residue);
    for i in 0..state.qvel.len() {
        state.qvel[i] = h.mul_add(solution.acceleration[i], stages.qvel[i]);
    }
    for (t, start) in state.time.iter_mut().zip(&stages.time) {
        *t = START[stage].mul_add(tables.options.timestep, *start);
    }
    for i in 0..state.act.len() {
        state.act[i] = h.mul_add(actuators.activation_rate[i], stages.act[i]);
    }
}

/// Ends the last stage and makes the step.
#[inline(always)]
pub fn finish<L: Lanes>(tables: &Tables<L::Elem>, data: &mut Data<L>) {
    count(tables, data, LATER_STAGES);
    let Data {
        state,
        input,
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
    let stages = &integration.stages;
    let h = L::splat(tables.timestep);
    state.time.copy_from_slice(&stages.time);
    tables
        .delays
        .advance(&state.time, &input.ctrl, readings, &mut state.history);
    state.warmstart.copy_from_slice(&solution.acceleration);
    state.act.copy_from_slice(&stages.act);
    let driven = Driven {
        rates: &stages.rate,
        length: &stages.actuator_length,
        velocity: &stages.actuator_velocity,
    };
    activation::advance(&tables.actuators, &driven, &mut state.act);
    state.qpos.copy_from_slice(&stages.qpos);
    positions::advance(
        &tables.tree,
        h,
        &stages.displacement,
        &mut state.qpos,
        &mut state.residue,
    );
    for i in 0..state.qvel.len() {
        state.qvel[i] = h.mul_add(stages.acceleration[i], stages.qvel[i]);
    }
    let (tendons, mean) = (&stages.tendons, &stages.displacement);
    tables
        .plastic
        .advance(&tables.tendons, tendons, h, mean, &state.qpos, &mut state.plastic);
    advance_time(tables, state);
}

/// Remembers the start of a step.
#[inline(always)]
fn start<L: Lanes>(data: &mut Data<L>) {
    let Data {
        state,
        actuators,
        tendons,
        integration,
        ..
    } = data;
    let stages = &mut integration.stages;
    stages.time.clear();
    stages.time.extend_from_slice(&state.time);
    copy(&tendons.length, &mut stages.tendons.length);
    copy(&tendons.jacobian, &mut stages.tendons.jacobian);
    copy(&state.qpos, &mut stages.qpos);
    copy(&state.qvel, &mut stages.qvel);
    copy(&state.act, &mut stages.act);
    copy(&actuators.length, &mut stages.actuator_length);
    copy(&actuators.velocity, &mut stages.actuator_velocity);
    zero(state.qvel.len(), &mut stages.slope);
    zero(state.qvel.len(), &mut stages.displacement);
    zero(state.qvel.len(), &mut stages.acceleration);
    zero(state.act.len(), &mut stages.rate);
}

/// Adds the rates of a stage to the sums.
#[inline(always)]
fn count<L: Lanes>(tables: &Tables<L::Elem>, data: &mut Data<L>, stage: usize) {
    let b = L::c(WEIGHT[stage]);
    let came = if stage == 0 { 0.0 } else { START[stage - 1] };
    let stages = &mut data.integration.stages;
    let h = L::splat(tables.timestep) * L::c(came);
    slopes(&tables.tree, h, &data.state.qvel, &mut stages.slope);
    for i in 0..stages.slope.len() {
        stages.displacement[i] = b.mul_add(stages.slope[i], stages.displacement[i]);
        stages.acceleration[i] = b.mul_add(data.solution.acceleration[i], stages.acceleration[i]);
    }
    for i in 0..stages.rate.len() {
        stages.rate[i] = b.mul_add(data.actuators.activation_rate[i], stages.rate[i]);
    }
}

/// Replaces k of the last stage by k of the present one, which the time `h` along the last k led to.
#[inline(always)]
fn slopes<L: Lanes>(tree: &Tree<L::Elem>, h: L, qvel: &[L], slope: &mut [L]) {
    for joint in &tree.joints {
        let mut v = joint.first_dof;
        match joint.kind {
            JointKind::Slide | JointKind::Hinge => {
                slope[v] = qvel[v];
                continue;
            }
            JointKind::Free => {
                slope[v..v + 3].copy_from_slice(&qvel[v..v + 3]);
                v += 3;
            }
            JointKind::Ball => {}
        }
        let u = [h * slope[v], h * slope[v + 1], h * slope[v + 2]];
        let k = turn_rate(u, [qvel[v], qvel[v + 1], qvel[v + 2]]);
        slope[v..v + 3].copy_from_slice(&k);
    }
}

/// ω + ½ u × ω + β u × (u × ω).
#[inline(always)]
fn turn_rate<L: Lanes>(u: Vec3<L>, omega: Vec3<L>) -> Vec3<L> {
    let square = norm_squared(u);
    let half = L::c(0.5) * square.sqrt();
    let (sin, cos) = half.sin_cos();
    let beta = L::select(
        square.lt(L::c(TINY_TURN)),
        L::c(1.0 / 12.0),
        (L::ONE - half * cos / sin) / square,
    );
    let across = cross(u, omega);
    add_scaled(add_scaled(omega, L::c(0.5), across), beta, cross(u, across))
}

#[inline(always)]
fn copy<L: Lanes>(from: &[L], to: &mut Vec<L>) {
    to.clear();
    to.extend_from_slice(from);
}

#[inline(always)]
fn zero<L: Lanes>(count: usize, to: &mut Vec<L>) {
    to.clear();
    to.resize(count, L::ZERO);
}
