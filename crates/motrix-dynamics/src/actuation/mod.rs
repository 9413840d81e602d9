//! Actuators: control → activation → scalar force → generalised force.
//!
//! Controls are clamped to their ranges; a world with a control that is no number, or out of all bounds, gets zero for all of
//! them. Stateful actuators turn controls into rates of their activations ([`activation`]). The scalar force is
//! gain(l, l̇) · (control or activation) + bias(l, l̇), limited first to what a tendon takes in total, then to the actuator's
//! own range; the moments turn it into generalised force, to which some joints add their gravity compensation, and which is
//! limited per joint (MuJoCo's `mj_fwdActuation`).

pub mod activation;
pub mod dc_motor;
pub mod muscle;
pub mod orientation;
pub mod servo;
pub mod slope;

use motrix_model::{Actuator, BiasKind, GainKind, Model, Options, Transmission};
use motrix_spatial::{Lanes, Mask, Real};

use self::activation::{ActivationRow, Dynamics};
use self::dc_motor::DcMotor;
use self::muscle::MuscleCurve;
use self::orientation::SetPoint;
use self::servo::{Inputs, nearest};
use crate::data::{Actuators, Forces};
use crate::params::{ActuatorParams, Params};
use crate::tendon::scatter;
use crate::transmission::TransmissionTable;

/// A control beyond this is an error (MuJoCo's `mjMAXVAL`).
const LARGEST_CONTROL: f64 = 1e10;
/// Smallest denominator (MuJoCo's `mjMINVAL`).
const MIN_VALUE: f64 = 1e-15;

/// How the gain is computed; its first three parameters come from [`ActuatorParams::gain`].
#[derive(Clone, Debug)]
pub enum Gain<E> {
    /// The first parameter.
    Fixed,
    /// g₀ + g₁ l + g₂ l̇.
    Affine,
    /// A muscle's curves.
    Muscle(MuscleCurve<E>),
    /// K, or K/R without a current of its own.
    DcMotor,
    /// A PID servo.
    Pid,
    /// A servo on rotations, which has three outputs.
    Orientation(SetPoint),
    /// One: what a user callback would replace.
    One,
}

/// How the bias is computed; its first three parameters come from [`ActuatorParams::bias`].
#[derive(Clone, Debug)]
pub enum Bias<E> {
    /// Zero.
    None,
    /// b₀ + b₁ l + b₂ l̇.
    Affine,
    /// A muscle's passive force.
    Muscle(MuscleCurve<E>),
    /// Back-EMF.
    DcMotor,
}

/// An actuator.
#[derive(Clone, Debug)]
pub struct ActuatorRow<E> {
    /// Its first output: lengths, velocities and forces of actuators are counted by outputs.
    pub output: usize,
    /// Number of outputs: 3 for servos on rotations, else 1.
    pub outputs: usize,
    /// Whether its group is switched off.
    pub disabled: bool,
    /// Its controls.
    pub inputs: Inputs,
    /// Whether it has a control at all.
    pub has_control: bool,
    /// Activation that drives the force, its last one; the control does when there is none.
    pub state: Option<usize>,
    /// Whether the force uses the activation at the end of the step.
    pub early: bool,
    /// How its states change.
    pub dynamics: Dynamics<E>,
    /// Gain.
    pub gain: Gain<E>,
    /// Bias.
    pub bias: Bias<E>,
    /// Constants of a motor.
    pub motor: Option<DcMotor<E>>,
    /// Period of its set point.
    pub period: Option<E>,
    /// Force range.
    pub force_range: Option<[E; 2]>,
    /// Dof of the joint that it drives, by its place in [`ActuatorTable::dof_ranges`], when its total force is limited.
    pub dof_range: Option<usize>,
    /// Tendon that it drives, by its place in [`ActuatorTable::tendon_forces`], when its total force is limited.
    pub tendon_force: Option<usize>,
}

/// A tendon whose actuators together push within a range.
#[derive(Clone, Debug)]
pub struct TendonForceRow<E> {
    /// Outputs of its actuators.
    pub outputs: Vec<usize>,
    /// Range of their total.
    pub range: [E; 2],
}

/// The actuators of a model.
#[derive(Clone, Debug)]
pub struct ActuatorTable<E> {
    /// Whether actuators act at all.
    pub enabled: bool,
    /// Duration of a step.
    pub timestep: E,
    /// Rows in the order of the file.
    pub rows: Vec<ActuatorRow<E>>,
    /// Range of each control that is clamped.
    pub control_ranges: Vec<Option<[E; 2]>>,
    /// Activations.
    pub activations: Vec<ActivationRow<E>>,
    /// Tendons that limit the force of their actuators.
    pub tendon_forces: Vec<TendonForceRow<E>>,
    /// Dofs whose total actuator force is limited.
    pub dof_ranges: Vec<(usize, [E; 2])>,
    /// Dofs to whose actuator force gravity compensation is added.
    pub gravcomp_dofs: Vec<usize>,
}

impl<E: Real> ActuatorTable<E> {
    /// Flattens the actuators of a model.
    pub fn new(model: &Model, options: &Options) -> Self {
        let by_actuator = |d: &usize| model.joints[model.dofs[*d].joint.index()].actuator_gravcomp;
        let limited = model.joints.iter().filter(|j| j.actuator_force_limited);
        Self {
            enabled: !options.disable.actuation && !model.actuators.is_empty(),
            timestep: E::from_f64(options.timestep),
            rows: model
                .actuators
                .iter()
                .zip(first_outputs(model))
                .map(|(a, output)| row(model, options, a, output))
                .collect(),
            control_ranges: control_ranges(model, options),
            activations: activation::rows(model, options),
            tendon_forces: tendon_forces(model),
            dof_ranges: limited
                .map(|j| (j.first_dof, j.actuator_force_range.map(E::from_f64)))
                .collect(),
            gravcomp_dofs: (0..model.nv()).filter(by_actuator).collect(),
        }
    }
}

/// Whether the group of an actuator is switched off.
pub(crate) fn is_disabled(actuator: &Actuator, options: &Options) -> bool {
    (0..=30).contains(&actuator.group) && options.disable_actuator_groups & (1 << actuator.group) != 0
}

/// First output of each actuator.
fn first_outputs(model: &Model) -> Vec<usize> {
    let mut next = 0;
    let first = |actuator: &Actuator| {
        let first = next;
        next += actuator.transmission.output_count();
        first
    };
    model.actuators.iter().map(first).collect()
}

fn row<E: Real>(model: &Model, options: &Options, actuator: &Actuator, output: usize) -> ActuatorRow<E> {
    let is_motor = actuator.gain == GainKind::DcMotor || actuator.bias == BiasKind::DcMotor;
    let last = actuator.first_activation.filter(|_| actuator.activation_count > 0);
    ActuatorRow {
        output,
        outputs: actuator.transmission.output_count(),
        disabled: is_disabled(actuator, options),
        inputs: Inputs::new(actuator),
        has_control: actuator.control_count > 0,
        state: last.map(|first| first + actuator.activation_count - 1),
        early: actuator.activation_early,
        dynamics: Dynamics::new(actuator),
        gain: match actuator.gain {
            GainKind::Fixed => Gain::Fixed,
            GainKind::Affine => Gain::Affine,
            GainKind::Muscle => Gain::Muscle(MuscleCurve::new(actuator, &actuator.gain_params)),
            GainKind::DcMotor => Gain::DcMotor,
            GainKind::Pid => Gain::Pid,
            GainKind::Orientation => Gain::Orientation(SetPoint::new(actuator)),
            GainKind::User => Gain::One,
        },
        bias: match actuator.bias {
            BiasKind::None | BiasKind::Orientation | BiasKind::User => Bias::None,
            BiasKind::Affine => Bias::Affine,
            BiasKind::Muscle => Bias::Muscle(MuscleCurve::new(actuator, &actuator.bias_params)),
            BiasKind::DcMotor => Bias::DcMotor,
        },
        motor: is_motor.then(|| DcMotor::new(actuator)),
        period: servo::period(model, actuator),
        force_range: actuator.force_limited.then(|| actuator.force_range.map(E::from_f64)),
        dof_range: match actuator.transmission {
            Transmission::Joint(id) | Transmission::JointInParent(id) => {
                let joint = &model.joints[id.index()];
                let before = model.joints[..id.index()].iter().filter(|j| j.actuator_force_limited);
                joint.actuator_force_limited.then(|| before.count())
            }
            _ => None,
        },
        tendon_force: match actuator.transmission {
            Transmission::Tendon(id) => {
                let tendon = &model.tendons[id.index()];
                let before = model.tendons[..id.index()].iter().filter(|t| t.actuator_force_limited);
                tendon.actuator_force_limited.then(|| before.count())
            }
            _ => None,
        },
    }
}

fn control_ranges<E: Real>(model: &Model, options: &Options) -> Vec<Option<[E; 2]>> {
    let mut ranges = vec![None; model.control_count];
    if options.disable.clampctrl {
        return ranges;
    }
    for actuator in &model.actuators {
        for (k, limit) in actuator.controls.iter().enumerate() {
            ranges[actuator.first_control + k] = limit.limited.then(|| limit.range.map(E::from_f64));
        }
    }
    ranges
}

fn tendon_forces<E: Real>(model: &Model) -> Vec<TendonForceRow<E>> {
    let outputs = first_outputs(model);
    let limited = model
        .tendons
        .iter()
        .enumerate()
        .filter(|(_, t)| t.actuator_force_limited);
    let row = |(tendon, t): (usize, &motrix_model::Tendon)| {
        let drives = |a: &Actuator| matches!(a.transmission, Transmission::Tendon(id) if id.index() == tendon);
        let actuators = model.actuators.iter().zip(&outputs).filter(|(a, _)| drives(a));
        TendonForceRow {
            outputs: actuators.map(|(_, output)| *output).collect(),
            range: t.actuator_force_range.map(E::from_f64),
        }
    };
    limited.map(row).collect()
}

/// Actuator forces, the rates of their activations, and their sum on each dof.
#[inline(always)]
pub fn forces<L: Lanes>(
    table: &ActuatorTable<L::Elem>,
    transmission: &TransmissionTable<L::Elem>,
    params: &Params<L>,
    act: &[L],
    ctrl: &[L],
    actuators: &mut Actuators<L>,
    forces: &mut Forces<L>,
) {
    forces.actuator.fill(L::ZERO);
    if !table.enabled {
        return;
    }
    controls(table, ctrl, &mut actuators.control);
    activation::rates(table, params, act, actuators);
    for (k, row) in table.rows.iter().enumerate() {
        let (o, params) = (row.output, &params.actuators[k]);
        if row.disabled {
            actuators.force[o..o + row.outputs].fill(L::ZERO);
        } else if let Gain::Orientation(set_point) = row.gain {
            let torque = orientation::torque(table, k, set_point, params, act, actuators);
            actuators.force[o..o + 3].copy_from_slice(&torque);
        } else {
            actuators.force[o] = scalar_force(table, k, params, act, actuators);
        }
    }
    limit_tendons(table, &mut actuators.force);
    for (k, row) in table.rows.iter().enumerate() {
        limit_force(row, &mut actuators.force[row.output..row.output + row.outputs]);
        if let (Bias::DcMotor, Some(motor), false) = (&row.bias, &row.motor, row.disabled) {
            let (o, rates) = (row.output, &actuators.activation_rate);
            actuators.force[o] += dc_motor::mechanical(motor, &params.actuators[k], act, rates, actuators.length[o]);
        }
    }
    for (drive, force) in transmission.rows.iter().zip(&actuators.force) {
        scatter(drive.moment(actuators), &drive.dofs, *force, &mut forces.actuator);
    }
    for &dof in &table.gravcomp_dofs {
        forces.actuator[dof] += forces.gravcomp[dof];
    }
    for (dof, [lo, hi]) in &table.dof_ranges {
        forces.actuator[*dof] = forces.actuator[*dof].clamp(L::splat(*lo), L::splat(*hi));
    }
}

/// Controls as the actuators see them.
#[inline(always)]
fn controls<L: Lanes>(table: &ActuatorTable<L::Elem>, ctrl: &[L], out: &mut [L]) {
    let mut good = L::Mask::ALL;
    for (i, range) in table.control_ranges.iter().enumerate() {
        let mut u = ctrl[i];
        if let Some([lo, hi]) = range {
            // Clamping would turn a NaN into a limit.
            u = L::select(u.equal(u), u.clamp(L::splat(*lo), L::splat(*hi)), u);
        }
        good = good & u.abs().le(L::c(LARGEST_CONTROL));
        out[i] = u;
    }
    if !good.all() {
        for u in out {
            *u = L::select(good, *u, L::ZERO);
        }
    }
}

/// gain · (control or activation) + bias.
#[inline(always)]
fn scalar_force<L: Lanes>(
    table: &ActuatorTable<L::Elem>,
    k: usize,
    params: &ActuatorParams<L>,
    act: &[L],
    actuators: &Actuators<L>,
) -> L {
    let row = &table.rows[k];
    let (l, v) = (actuators.length[row.output], actuators.velocity[row.output]);
    let gain = match &row.gain {
        Gain::Fixed => params.gain[0],
        Gain::Affine => affine(&params.gain, l, v),
        Gain::Muscle(curve) => muscle::gain(curve, &params.gain, l, v),
        Gain::DcMotor => motor_gain(row, params, act),
        Gain::One => L::ONE,
        // Their terms do not have the form of a gain.
        Gain::Pid | Gain::Orientation(_) => L::ZERO,
    };
    let active = match &row.gain {
        Gain::Pid => pid_force(table, k, params, act, actuators),
        _ => gain * nearest(driver(table, k, params, act, actuators), l, row.period),
    };
    active
        + match &row.bias {
            Bias::None => L::ZERO,
            Bias::Affine => affine(&params.bias, l, v),
            Bias::Muscle(curve) => muscle::bias(curve, &params.bias, l),
            // With a current of its own the back-EMF is in the equation of the current.
            Bias::DcMotor if has_current(row) => L::ZERO,
            Bias::DcMotor => -(gain * params.gain[1] * v),
        }
}

/// p₀ + p₁ l + p₂ v.
#[inline(always)]
fn affine<L: Lanes>(p: &[L; 3], l: L, v: L) -> L {
    p[2].mul_add(v, p[1].mul_add(l, p[0]))
}

/// K of a motor, over R when the current follows the voltage at once.
#[inline(always)]
fn motor_gain<L: Lanes>(row: &ActuatorRow<L::Elem>, params: &ActuatorParams<L>, act: &[L]) -> L {
    match &row.motor {
        Some(motor) if motor.slots.current.is_none() => {
            params.gain[1] / dc_motor::resistance(motor, params, act).max(L::c(MIN_VALUE))
        }
        _ => params.gain[1],
    }
}

#[inline(always)]
fn has_current<E>(row: &ActuatorRow<E>) -> bool {
    matches!(&row.motor, Some(motor) if motor.slots.current.is_some())
}

/// What the gain multiplies: the last activation, or the control.
#[inline(always)]
fn driver<L: Lanes>(
    table: &ActuatorTable<L::Elem>,
    k: usize,
    params: &ActuatorParams<L>,
    act: &[L],
    actuators: &Actuators<L>,
) -> L {
    let row = &table.rows[k];
    match (&row.gain, &row.motor, row.state) {
        (Gain::DcMotor, Some(motor), _) if motor.slots.current.is_none() => {
            let x = dc_motor::integral(motor, act);
            dc_motor::voltage(
                motor,
                params,
                &actuators.control,
                x,
                actuators.length[k],
                actuators.velocity[k],
            )
        }
        (_, _, Some(place)) => activation_in_force(table, k, place, act, actuators),
        _ if row.has_control => actuators.control[row.inputs.first],
        _ => L::ZERO,
    }
}

/// An activation as the force sees it: now, or at the end of the step.
#[inline(always)]
fn activation_in_force<L: Lanes>(
    table: &ActuatorTable<L::Elem>,
    k: usize,
    place: usize,
    act: &[L],
    actuators: &Actuators<L>,
) -> L {
    if table.rows[k].early {
        let rate = actuators.activation_rate[place];
        activation::next(table, place, act[place], rate, &actuators.velocity)
    } else {
        act[place]
    }
}

/// The part of a PID servo's force that does not depend on length and velocity; kp and kv are minus the bias parameters.
#[inline(always)]
fn pid_force<L: Lanes>(
    table: &ActuatorTable<L::Elem>,
    k: usize,
    params: &ActuatorParams<L>,
    act: &[L],
    actuators: &Actuators<L>,
) -> L {
    let row = &table.rows[k];
    let [q, v, feedforward] = row.inputs.servo(&actuators.control);
    let q = nearest(q, actuators.length[row.output], row.period);
    let mut force = feedforward - params.bias[1] * q - params.bias[2] * v;
    if let Dynamics::Pid(pid) = &row.dynamics
        && let Some(place) = pid.integral
    {
        force += params.gain[0] * activation_in_force(table, k, place, act, actuators);
    }
    force
}

/// Keeps the outputs of an actuator in its force range.
#[inline(always)]
fn limit_force<L: Lanes>(row: &ActuatorRow<L::Elem>, force: &mut [L]) {
    let Some([lo, hi]) = row.force_range else { return };
    let [lo, hi] = [L::splat(lo), L::splat(hi)];
    if row.outputs == 3 {
        let limited = orientation::limited([force[0], force[1], force[2]], hi);
        force.copy_from_slice(&limited);
    } else {
        force[0] = force[0].clamp(lo, hi);
    }
}

/// Scales the forces on a tendon so that their sum stays in its range.
#[inline(always)]
fn limit_tendons<L: Lanes>(table: &ActuatorTable<L::Elem>, force: &mut [L]) {
    for row in &table.tendon_forces {
        let mut total = L::ZERO;
        for &o in &row.outputs {
            total += force[o];
        }
        let [lo, hi] = [L::splat(row.range[0]), L::splat(row.range[1])];
        let (below, above) = (total.lt(lo), total.gt(hi));
        let share = L::select(below, lo, hi) / total;
        let outside = (below | above) & !total.equal(L::ZERO);
        for &o in &row.outputs {
            force[o] *= L::select(outside, share, L::ONE);
        }
    }
}
