//! How the scalar force of an actuator changes with its velocity, for the implicit integrators.
//!
//! ∂f/∂l̇ of an affine gain or bias is its third parameter, of a muscle the slope of its velocity curve, of a motor the
//! back-EMF −K²/R, the damping of its controller and of its bristles. A force at the end of its range does not change. Where
//! the gain depends on velocity it multiplies the control as it was set, before any clamping, as in MuJoCo.

use motrix_spatial::Lanes;
use motrix_spatial::algebra::norm;

use super::activation::Dynamics;
use super::{ActuatorTable, Bias, Gain, MIN_VALUE, activation_in_force, muscle};
use crate::data::Actuators;
use crate::params::ActuatorParams;

/// Whether the force of an actuator can depend on its velocity.
pub fn exists<E>(table: &ActuatorTable<E>, k: usize) -> bool {
    let row = &table.rows[k];
    let in_gain = matches!(row.gain, Gain::Affine | Gain::Muscle(_) | Gain::DcMotor);
    let in_bias = matches!(row.bias, Bias::Affine | Bias::DcMotor) || row.outputs == 3;
    table.enabled && !row.disabled && (in_gain || in_bias)
}

/// ∂f/∂l̇ of actuator `k`, the same for each of its outputs.
#[inline(always)]
pub fn of_force<L: Lanes>(
    table: &ActuatorTable<L::Elem>,
    k: usize,
    params: &ActuatorParams<L>,
    act: &[L],
    ctrl: &[L],
    actuators: &Actuators<L>,
) -> L {
    let row = &table.rows[k];
    let mut slope = match &row.bias {
        Bias::Affine => params.bias[2],
        Bias::None if row.outputs == 3 => params.bias[2],
        Bias::None | Bias::Muscle(_) | Bias::DcMotor => L::ZERO,
    };
    let gain_slope = match &row.gain {
        Gain::Affine => Some(params.gain[2]),
        Gain::Muscle(curve) => {
            let (l, v) = (actuators.length[row.output], actuators.velocity[row.output]);
            Some(muscle::gain_slope(curve, &params.gain, l, v))
        }
        Gain::Fixed | Gain::One | Gain::DcMotor | Gain::Pid | Gain::Orientation(_) => None,
    };
    if let Some(gain_slope) = gain_slope {
        let driver = match (&row.dynamics, row.state) {
            (Dynamics::None, _) | (_, None) => ctrl[row.inputs.first],
            (_, Some(place)) => activation_in_force(table, k, place, act, actuators),
        };
        slope = gain_slope.mul_add(driver, slope);
    }
    slope += motor_slope(table, k, params);
    match row.force_range {
        Some([lo, hi]) => {
            let force = &actuators.force[row.output..row.output + row.outputs];
            let clamped = match force {
                [x, y, z] => norm([*x, *y, *z]).ge(L::splat(hi)),
                _ => force[0].le(L::splat(lo)) | force[0].ge(L::splat(hi)),
            };
            L::select(clamped, L::ZERO, slope)
        }
        None => slope,
    }
}

/// Back-EMF, controller and bristles of a motor, at the resistance of its reference temperature.
#[inline(always)]
fn motor_slope<L: Lanes>(table: &ActuatorTable<L::Elem>, k: usize, params: &ActuatorParams<L>) -> L {
    let row = &table.rows[k];
    let Some(motor) = &row.motor else { return L::ZERO };
    let r = params.gain[0].max(L::c(MIN_VALUE));
    let constant = params.gain[1];
    let current = motor.slots.current;
    let mut slope = L::ZERO;
    if matches!(row.bias, Bias::DcMotor) && current.is_none() {
        slope = -(constant * constant / r);
    }
    if !matches!(row.gain, Gain::DcMotor) {
        return slope;
    }
    let by_voltage = if motor.inputs.is_servo() {
        constant - L::splat(motor.gains[2]) * r / constant
    } else {
        L::ZERO
    };
    match current {
        Some(place) => {
            // The current at the end of the step is what pushes: it has moved by s = 1 − exp(−h/τ) of the way.
            let share = match table.activations[place].advance {
                super::activation::Advance::Exact(s) => L::splat(s) / L::splat(motor.time),
                _ => L::ZERO,
            };
            slope += constant * (by_voltage - constant) * share / r;
        }
        None => slope += constant * by_voltage / r,
    }
    slope - L::splat(motor.bristle[1])
}
