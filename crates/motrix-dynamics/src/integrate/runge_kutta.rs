//! Fourth-order Runge-Kutta, the classical rule.
//!
//! Stage i starts from x₀ ⊕ c(i) h ẋ(i−1) with c = ½, ½, 1; the step is x₀ ⊕ h Σ b(i) ẋ(i) with b = 1/6, 1/3, 1/3, 1/6. The
//! state x is (q, v, act), its rate (v, a, ȧct). The constraint solver starts all stages from the same acceleration.
//!
//! A rotation is q = q₀ ∘ exp(u), and stages have different body frames: their angular velocities ω cannot simply be averaged.
//! What is averaged is the rate of u, u̇ = ω + ½ u × ω + ¹⁄₁₂ u × (u × ω) (Munthe-Kaas, *Runge-Kutta methods on Lie groups*,
//! 1998), which keeps the rule of fourth order.

use motrix_model::JointKind;
use motrix_spatial::Lanes;
use motrix_spatial::algebra::{add_scaled, cross};

use super::{advance_time, positions};
use crate::actuation::activation;
use crate::data::Data;
use crate::kinematics::Tree;
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
    /// How far the stage is from the start, as a velocity times a time; rotations as rotation vectors u.
    increment: Vec<L>,
    /// Rate of the increment: v, rotations u̇.
    position_rate: Vec<L>,
    /// Σ b (rate of the increment).
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
        zero(state.qvel.len(), &mut stages.increment);
        zero(state.qvel.len(), &mut stages.position_rate);
        zero(state.qvel.len(), &mut stages.velocity);
        zero(state.qvel.len(), &mut stages.acceleration);
        zero(state.act.len(), &mut stages.rate);
    }
    position_rate(&tables.tree, data);
    count(data, WEIGHT[stage]);
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
    positions(&tables.tree, h, &stages.position_rate, &mut state.qpos);
    for (u, rate) in stages.increment.iter_mut().zip(&stages.position_rate) {
        *u = h * *rate;
    }
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
    position_rate(&tables.tree, data);
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

/// The rate of the increment at a stage.
#[inline(always)]
fn position_rate<L: Lanes>(tree: &Tree<L::Elem>, data: &mut Data<L>) {
    let Data { state, integration, .. } = data;
    let Stages {
        increment,
        position_rate,
        ..
    } = &mut integration.stages;
    position_rate.copy_from_slice(&state.qvel);
    for joint in &tree.joints {
        let first = match joint.kind {
            JointKind::Ball => joint.first_dof,
            JointKind::Free => joint.first_dof + 3,
            JointKind::Slide | JointKind::Hinge => continue,
        };
        let omega = [state.qvel[first], state.qvel[first + 1], state.qvel[first + 2]];
        let u = [increment[first], increment[first + 1], increment[first + 2]];
        let turn = cross(u, omega);
        let rate = add_scaled(add_scaled(omega, L::c(0.5), turn), L::c(1.0 / 12.0), cross(u, turn));
        position_rate[first..first + 3].copy_from_slice(&rate);
    }
}

/// Adds the rates of a stage to the sums.
#[inline(always)]
fn count<L: Lanes>(data: &mut Data<L>, weight: f64) {
    let b = L::c(weight);
    let stages = &mut data.integration.stages;
    for i in 0..stages.velocity.len() {
        stages.velocity[i] = b.mul_add(stages.position_rate[i], stages.velocity[i]);
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
