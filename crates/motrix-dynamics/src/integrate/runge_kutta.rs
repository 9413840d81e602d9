//! Fourth-order Runge-Kutta, the classical rule.
//!
//! Stage i starts from x₀ ⊕ c(i) h ẋ(i−1) with c = ½, ½, 1; the step is x₀ ⊕ h Σ b(i) ẋ(i) with b = 1/6, 1/3, 1/3, 1/6. The
//! state x is (q, v, act), its rate (v, a, ȧct). The constraint solver starts all stages from the same acceleration.

use motrix_spatial::Lanes;

use super::{advance_time, positions};
use crate::actuation::activation;
use crate::data::Data;
use crate::tables::Tables;

/// Number of stages after the first.
pub const LATER_STAGES: usize = 3;
/// c(i): how far along the step a later stage starts.
const START: [f64; LATER_STAGES] = [0.5, 0.5, 1.0];
/// b(i): what a stage counts.
const WEIGHT: [f64; LATER_STAGES + 1] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];

/// The start of a step, and the sums over its stages.
#[derive(Clone, Debug, Default)]
pub struct Stages<L> {
    qpos: Vec<L>,
    qvel: Vec<L>,
    act: Vec<L>,
    /// Σ b v.
    velocity: Vec<L>,
    /// Σ b a.
    acceleration: Vec<L>,
    /// Σ b ȧct.
    rate: Vec<L>,
}

/// Ends a stage after its forward pass and sets the state of the next one. `stage` counts from 0.
#[inline(always)]
pub fn next_stage<L: Lanes>(tables: &Tables<L::Elem>, data: &mut Data<L>, stage: usize) {
    if stage == 0 {
        let Data { state, integration, .. } = data;
        let stages = &mut integration.stages;
        copy(&state.qpos, &mut stages.qpos);
        copy(&state.qvel, &mut stages.qvel);
        copy(&state.act, &mut stages.act);
        zero(state.qvel.len(), &mut stages.velocity);
        zero(state.qvel.len(), &mut stages.acceleration);
        zero(state.act.len(), &mut stages.rate);
    }
    count(data, WEIGHT[stage]);
    let Data {
        state,
        actuators,
        solution,
        integration,
        ..
    } = data;
    let stages = &integration.stages;
    let h = L::splat(tables.timestep) * L::c(START[stage]);
    state.qpos.copy_from_slice(&stages.qpos);
    positions(&tables.tree, h, &state.qvel, &mut state.qpos);
    for i in 0..state.qvel.len() {
        state.qvel[i] = h.mul_add(solution.acceleration[i], stages.qvel[i]);
    }
    for i in 0..state.act.len() {
        state.act[i] = h.mul_add(actuators.activation_rate[i], stages.act[i]);
    }
}

/// Ends the last stage and makes the step.
#[inline(always)]
pub fn finish<L: Lanes>(tables: &Tables<L::Elem>, data: &mut Data<L>) {
    count(data, WEIGHT[LATER_STAGES]);
    let Data {
        state,
        actuators,
        solution,
        integration,
        ..
    } = data;
    let stages = &integration.stages;
    let h = L::splat(tables.timestep);
    state.warmstart.copy_from_slice(&solution.acceleration);
    state.act.copy_from_slice(&stages.act);
    activation::advance(&tables.actuators, actuators, &stages.rate, &mut state.act);
    state.qpos.copy_from_slice(&stages.qpos);
    positions(&tables.tree, h, &stages.velocity, &mut state.qpos);
    for i in 0..state.qvel.len() {
        state.qvel[i] = h.mul_add(stages.acceleration[i], stages.qvel[i]);
    }
    advance_time(tables, state);
}

/// Adds the rates of a stage to the sums.
#[inline(always)]
fn count<L: Lanes>(data: &mut Data<L>, weight: f64) {
    let b = L::c(weight);
    let stages = &mut data.integration.stages;
    for i in 0..stages.velocity.len() {
        stages.velocity[i] = b.mul_add(data.state.qvel[i], stages.velocity[i]);
        stages.acceleration[i] = b.mul_add(data.solution.acceleration[i], stages.acceleration[i]);
    }
    for i in 0..stages.rate.len() {
        stages.rate[i] = b.mul_add(data.actuators.activation_rate[i], stages.rate[i]);
    }
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
