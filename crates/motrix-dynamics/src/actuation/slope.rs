//! How the scalar force of an actuator changes with its velocity, for the implicit integrators.
//!
//! ∂f/∂l̇ of an affine gain or bias is its third parameter, of a muscle the slope of its velocity curve. A force at the end of
//! its range does not change, nor does one whose joint or tendon is at the end of its range for the total. A motor has the back-EMF −K²/R, the damping of its controller, and the damping −σ₁ of its
//! bristles, which no limit touches; a voltage or a rate of current at its limit does not change either (as MuJoCo 4.0; how
//! the slip of bristles changes is left out there too).

use motrix_spatial::algebra::norm;
use motrix_spatial::{Lanes, Mask, Real};

use super::activation::{Advance, Dynamics};
use super::dc_motor::{self, DcMotor};
use super::{ActuatorTable, Bias, Gain, MIN_VALUE, activation_in_force, muscle, scalar_force};
use crate::data::Actuators;
use crate::params::ActuatorParams;

/// Whether the force of an actuator can depend on its velocity.
pub fn exists<E>(table: &ActuatorTable<E>, k: usize) -> bool {
    let row = &table.rows[k];
    let in_gain = matches!(row.gain, Gain::Affine | Gain::Muscle(_) | Gain::DcMotor);
    let in_bias = matches!(row.bias, Bias::Affine | Bias::DcMotor) || row.outputs == 3;
    table.enabled && !row.disabled && (in_gain || in_bias)
}

/// ∂f/∂l̇ of actuator `k`, the same for each of its outputs. `total` is the force of all actuators on the dofs.
#[inline(always)]
pub fn of_force<L: Lanes>(
    table: &ActuatorTable<L::Elem>,
    k: usize,
    params: &ActuatorParams<L>,
    act: &[L],
    actuators: &Actuators<L>,
    total: &[L],
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
            (Dynamics::None, _) | (_, None) => actuators.control[row.inputs.first],
            (_, Some(place)) => activation_in_force(table, k, place, act, actuators),
        };
        slope = gain_slope.mul_add(driver, slope);
    }
    if let Some(motor) = &row.motor {
        slope += electric_slope(table, k, motor, params, act, actuators);
    }
    let held = limited(table, k, params, act, actuators) | total_limited(table, k, actuators, total);
    slope = L::select(held, L::ZERO, slope);
    match (&row.gain, &row.motor) {
        (Gain::DcMotor, Some(motor)) => slope - L::splat(motor.bristle[1]),
        _ => slope,
    }
}

/// Lanes in which the force is at the end of its range.
#[inline(always)]
fn limited<L: Lanes>(
    table: &ActuatorTable<L::Elem>,
    k: usize,
    params: &ActuatorParams<L>,
    act: &[L],
    actuators: &Actuators<L>,
) -> L::Mask {
    let row = &table.rows[k];
    let Some([lo, hi]) = row.force_range else {
        return L::Mask::NONE;
    };
    let [lo, hi] = [L::splat(lo), L::splat(hi)];
    if row.outputs == 3 {
        // A torque that was scaled to the limit may have lost a few roundings.
        let o = row.output;
        let size = norm([actuators.force[o], actuators.force[o + 1], actuators.force[o + 2]]);
        return size.ge(hi * L::c(1.0 - 4.0 * L::Elem::EPSILON));
    }
    // The force of a motor has cogging and friction added behind the limit.
    let force = match row.motor {
        Some(_) => scalar_force(table, k, params, act, actuators),
        None => actuators.force[row.output],
    };
    force.le(lo) | force.ge(hi)
}

/// Lanes in which the joint or tendon of an actuator takes no more force.
#[inline(always)]
fn total_limited<L: Lanes>(table: &ActuatorTable<L::Elem>, k: usize, actuators: &Actuators<L>, total: &[L]) -> L::Mask {
    let row = &table.rows[k];
    let mut held = L::Mask::NONE;
    if let Some(place) = row.dof_range {
        let (dof, [lo, hi]) = &table.dof_ranges[place];
        held = total[*dof].le(L::splat(*lo)) | total[*dof].ge(L::splat(*hi));
    }
    if let Some(place) = row.tendon_force {
        let tendon = &table.tendon_forces[place];
        let mut sum = L::ZERO;
        for &o in &tendon.outputs {
            sum += actuators.force[o];
        }
        // Forces that were scaled to a limit sum up to it only within roundings.
        let [lo, hi] = [L::splat(tendon.range[0]), L::splat(tendon.range[1])];
        let slack = L::c(8.0 * L::Elem::EPSILON) * lo.abs().max(hi.abs());
        held = held | sum.le(lo + slack) | sum.ge(hi - slack);
    }
    held
}

/// Back-EMF and controller of a motor.
#[inline(always)]
fn electric_slope<L: Lanes>(
    table: &ActuatorTable<L::Elem>,
    k: usize,
    motor: &DcMotor<L::Elem>,
    params: &ActuatorParams<L>,
    act: &[L],
    actuators: &Actuators<L>,
) -> L {
    let row = &table.rows[k];
    let constant = params.gain[1];
    let r = dc_motor::resistance(motor, params, act).max(L::c(MIN_VALUE));
    let back_emf = match row.bias {
        Bias::DcMotor => -(constant * constant / r),
        _ => L::ZERO,
    };
    if !matches!(row.gain, Gain::DcMotor) {
        return back_emf;
    }
    let (l, v) = (actuators.length[row.output], actuators.velocity[row.output]);
    let by_voltage = dc_motor::voltage_slope(motor, params, &actuators.control, act, l, v);
    let Some(place) = motor.slots.current else {
        return constant.mul_add(by_voltage / r, back_emf);
    };
    // What pushes is the current at the end of the step, which has gone s = 1 − exp(−h/τ) of its way.
    let share = match table.activations[place].advance {
        Advance::Exact(s) => L::splat(s) / L::splat(motor.time),
        _ => L::ZERO,
    };
    let slope = constant * (by_voltage - constant) * share / r;
    match motor.current_rate_limit {
        Some(limit) => {
            let held = actuators.activation_rate[place].abs().ge(L::splat(limit));
            L::select(held, L::ZERO, slope)
        }
        None => slope,
    }
}
