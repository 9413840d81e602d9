//! Servos on rotations: a torque along the shortest turn to a target orientation.
//!
//! The three lengths of the actuator are the rotation vector θ of a ball joint or of one site in another. With q = exp θ and
//! the target q*, given as a quaternion or as a rotation vector, the error is e = log(q⁻¹ q*) and the torque, in the frame
//! that turns, kp e + b₀ − kv ω. Its size, not its components, is limited. A set point that is integrated in an activation
//! stays the shortest of its equals (MuJoCo's `orientation` actuators).

use core::f64::consts::{PI, TAU};

use motrix_model::{Actuator, DynamicsKind};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mask, Quat, Vec3};

use super::{ActuatorTable, activation};
use crate::data::Actuators;
use crate::params::ActuatorParams;

/// `actuator_ctrlspec` of a set point that is a quaternion (`mjCHART_QUAT`).
const QUATERNION_CHART: u32 = 2;

/// What the set point of an orientation servo is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetPoint {
    /// Four controls: a quaternion.
    Quaternion,
    /// Three controls: a rotation vector.
    RotationVector,
    /// Three activations from this one on: a rotation vector.
    Integrated(usize),
}

impl SetPoint {
    /// From the declaration of an actuator.
    pub fn new(actuator: &Actuator) -> Self {
        match (actuator.control_inputs, actuator.dynamics, actuator.first_activation) {
            (QUATERNION_CHART, ..) => SetPoint::Quaternion,
            (_, DynamicsKind::None, _) | (_, _, None) => SetPoint::RotationVector,
            (_, _, Some(first)) => SetPoint::Integrated(first),
        }
    }
}

/// exp(θ).
#[inline(always)]
fn exponential<L: Lanes>(theta: Vec3<L>) -> Quat<L> {
    let (axis, angle) = normalize(theta);
    quat_from_axis_angle(axis, angle)
}

/// The torque of actuator `k`.
#[inline(always)]
pub fn torque<L: Lanes>(
    table: &ActuatorTable<L::Elem>,
    k: usize,
    set_point: SetPoint,
    params: &ActuatorParams<L>,
    act: &[L],
    actuators: &Actuators<L>,
) -> Vec3<L> {
    let row = &table.rows[k];
    let u = &actuators.control[row.inputs.first..];
    let target = match set_point {
        SetPoint::Quaternion => quat_normalize([u[0], u[1], u[2], u[3]]),
        SetPoint::RotationVector => exponential([u[0], u[1], u[2]]),
        SetPoint::Integrated(first) => {
            let mut theta = [L::ZERO; 3];
            for i in 0..3 {
                theta[i] = super::activation_in_force(table, k, first + i, act, actuators);
            }
            exponential(theta)
        }
    };
    let o = row.output;
    let theta = [actuators.length[o], actuators.length[o + 1], actuators.length[o + 2]];
    let omega = [
        actuators.velocity[o],
        actuators.velocity[o + 1],
        actuators.velocity[o + 2],
    ];
    let error = quat_difference(target, exponential(theta));
    let mut torque = [L::ZERO; 3];
    for i in 0..3 {
        torque[i] = params.gain[0].mul_add(error[i], params.bias[2].mul_add(omega[i], params.bias[0]));
    }
    torque
}

/// A torque no larger than `limit`, in the same direction.
#[inline(always)]
pub fn limited<L: Lanes>(torque: Vec3<L>, limit: L) -> Vec3<L> {
    let size = norm(torque);
    scale(torque, L::select(size.gt(limit), limit / size, L::ONE))
}

/// Replaces integrated set points beyond half a turn by their shortest equals.
#[inline(always)]
pub fn shorten_set_points<L: Lanes>(table: &ActuatorTable<L::Elem>, act: &mut [L]) {
    for row in &table.rows {
        let (super::Gain::Orientation(SetPoint::Integrated(first)), activation::Dynamics::Integrator { .. }) =
            (&row.gain, &row.dynamics)
        else {
            continue;
        };
        let theta = [act[*first], act[first + 1], act[first + 2]];
        let angle = norm(theta);
        let long = angle.gt(L::c(PI));
        if !long.any() {
            continue;
        }
        let turns = (angle / L::c(TAU) + L::c(0.5)).floor();
        let share = L::select(long, (angle - L::c(TAU) * turns) / angle, L::ONE);
        act[*first..first + 3].copy_from_slice(&scale(theta, share));
    }
}
