//! Activations: states between control and force, and how they advance.
//!
//! | dynamics | rate ȧ |
//! |---|---|
//! | integrator | u |
//! | filter | (u − a)/τ |
//! | muscle, motor, PID | see there |
//!
//! Over a step h an activation moves by h ȧ, except where the equation has a closed solution: a filter with `filterexact` and
//! the current of a motor move by ȧ τ (1 − exp(−h/τ)), and the bristles of a motor by their linear equation at constant
//! speed. Activations with a range stay inside (MuJoCo's `mj_nextActivation`).

use motrix_model::{Actuator, DynamicsKind, Model, Options};
use motrix_spatial::{Lanes, Real};

use super::dc_motor::{self, DcMotor, Running};
use super::muscle::{self, MuscleDynamics};
use super::servo::{nearest, slew};
use super::{ActuatorTable, is_disabled, orientation};
use crate::data::Actuators;
use crate::params::Params;

/// Smallest time constant (MuJoCo's `mjMINVAL`).
const MIN_VALUE: f64 = 1e-15;

/// States of a PID servo.
#[derive(Clone, Debug)]
pub struct PidStates<E> {
    /// Set point as far as it has come, and its largest rate.
    pub slew: Option<(usize, E)>,
    /// Integral of the error.
    pub integral: Option<usize>,
    /// Bound of the integral.
    pub integral_limit: Option<E>,
}

/// How the states of an actuator change.
#[derive(Clone, Debug)]
pub enum Dynamics<E> {
    /// No state.
    None,
    /// ȧ = u, for each of the last few activations and as many controls.
    Integrator {
        /// How many.
        count: usize,
    },
    /// ȧ = (u − a)/τ.
    Filter {
        /// τ.
        time: E,
    },
    /// A muscle.
    Muscle(MuscleDynamics<E>),
    /// A PID servo.
    Pid(PidStates<E>),
    /// A motor; its constants are in [`super::ActuatorRow::motor`].
    DcMotor,
}

impl<E: Real> Dynamics<E> {
    /// The dynamics of an actuator.
    pub fn new(actuator: &Actuator) -> Self {
        let params = &actuator.dynamics_params;
        let Some(first) = actuator.first_activation else {
            return Dynamics::None;
        };
        match actuator.dynamics {
            DynamicsKind::None | DynamicsKind::User => Dynamics::None,
            DynamicsKind::Integrator => Dynamics::Integrator {
                count: actuator.control_count.min(actuator.activation_count),
            },
            DynamicsKind::Filter | DynamicsKind::FilterExact => Dynamics::Filter {
                time: E::from_f64(params[0].max(MIN_VALUE)),
            },
            DynamicsKind::Muscle => Dynamics::Muscle(MuscleDynamics::new(params)),
            DynamicsKind::DcMotor => Dynamics::DcMotor,
            DynamicsKind::Pid => {
                let slewed = params[1] > 0.0;
                Dynamics::Pid(PidStates {
                    slew: slewed.then(|| (first, E::from_f64(params[1]))),
                    integral: (actuator.gain_params[0] > 0.0).then_some(first + usize::from(slewed)),
                    integral_limit: (params[0] > 0.0).then(|| E::from_f64(params[0])),
                })
            }
        }
    }
}

/// How an activation advances over a step.
#[derive(Clone, Debug)]
pub enum Advance<E> {
    /// By h ȧ.
    Euler,
    /// By s ȧ, with s = τ (1 − exp(−h/τ)).
    Exact(E),
    /// By the linear equation of bristles.
    Bristle,
    /// By h ȧ, inside ± the bound.
    Bounded(E),
}

/// One activation.
#[derive(Clone, Debug)]
pub struct ActivationRow<E> {
    /// Its actuator.
    pub actuator: usize,
    /// How it advances.
    pub advance: Advance<E>,
    /// Its range.
    pub range: Option<[E; 2]>,
    /// Whether its actuator is switched off, which stops it.
    pub stopped: bool,
    /// Period of a set point that it holds.
    pub period: Option<E>,
}

/// The activations of all actuators, in order.
pub fn rows<E: Real>(model: &Model, options: &Options) -> Vec<ActivationRow<E>> {
    let mut rows = Vec::with_capacity(model.activation_count);
    for (k, actuator) in model.actuators.iter().enumerate() {
        let first = actuator.first_activation.unwrap_or(0);
        let motor = DcMotor::<f64>::new(actuator);
        for place in first..first + actuator.activation_count {
            let last = place + 1 == first + actuator.activation_count;
            let limited = actuator.activation_limited && actuator.dynamics != DynamicsKind::DcMotor;
            let set_point = last && actuator.dynamics == DynamicsKind::Integrator;
            rows.push(ActivationRow {
                actuator: k,
                advance: advance_of(actuator, &motor, place, options.timestep),
                range: limited.then(|| actuator.activation_range.map(E::from_f64)),
                stopped: is_disabled(actuator, options),
                period: if set_point {
                    super::servo::period(model, actuator)
                } else {
                    None
                },
            });
        }
    }
    rows
}

fn advance_of<E: Real>(actuator: &Actuator, motor: &DcMotor<f64>, place: usize, h: f64) -> Advance<E> {
    let exact = |time: f64| {
        let time = time.max(MIN_VALUE);
        Advance::Exact(E::from_f64(time * (1.0 - (-h / time).exp())))
    };
    match actuator.dynamics {
        DynamicsKind::FilterExact => exact(actuator.dynamics_params[0]),
        DynamicsKind::DcMotor if motor.slots.current == Some(place) => exact(motor.time),
        DynamicsKind::DcMotor if motor.slots.bristle == Some(place) => Advance::Bristle,
        DynamicsKind::DcMotor if motor.slots.integral == Some(place) => match motor.integral_limit {
            Some(limit) => Advance::Bounded(E::from_f64(limit)),
            None => Advance::Euler,
        },
        _ => Advance::Euler,
    }
}

/// Rates of all activations. Slew limits replace the controls that they delay.
#[inline(always)]
pub fn rates<L: Lanes>(table: &ActuatorTable<L::Elem>, params: &Params<L>, act: &[L], actuators: &mut Actuators<L>) {
    let h = L::splat(table.timestep);
    let Actuators {
        control,
        length,
        velocity,
        activation_rate: rate,
        ..
    } = actuators;
    for (k, row) in table.rows.iter().enumerate() {
        let o = row.output;
        let (u, state) = (row.inputs.first, row.state.unwrap_or(0));
        match &row.dynamics {
            Dynamics::None => {}
            Dynamics::Integrator { count } => {
                for i in 0..*count {
                    rate[state + 1 + i - count] = control[u + i];
                }
            }
            Dynamics::Filter { time } => rate[state] = (control[u] - act[state]) / L::splat(*time),
            Dynamics::Muscle(muscle) => rate[state] = muscle::rate(muscle, control[u], act[state]),
            Dynamics::Pid(pid) => {
                if let Some((slot, most)) = pid.slew {
                    let reached = slew(control[u], act[slot], L::splat(most) * h, row.period);
                    rate[slot] = (reached - act[slot]) / h;
                    control[u] = reached;
                }
                if let Some(slot) = pid.integral {
                    let error = nearest(control[u] - length[o], L::ZERO, row.period);
                    rate[slot] = dc_motor::held_at_bounds(error, act[slot], pid.integral_limit);
                }
            }
            Dynamics::DcMotor => {
                if let Some(motor) = &row.motor {
                    let running = Running {
                        act,
                        length: length[o],
                        velocity: velocity[o],
                        timestep: h,
                    };
                    dc_motor::rates(motor, &params.actuators[k], &running, control, rate);
                }
            }
        }
    }
}

/// The activation `place` after a step at the given rate.
#[inline(always)]
pub fn next<L: Lanes>(table: &ActuatorTable<L::Elem>, place: usize, act: L, rate: L, velocity: &[L]) -> L {
    let h = L::splat(table.timestep);
    let row = &table.activations[place];
    let next = match &row.advance {
        Advance::Euler => h.mul_add(rate, act),
        Advance::Exact(s) => L::splat(*s).mul_add(rate, act),
        Advance::Bounded(limit) => h.mul_add(rate, act).clamp(-L::splat(*limit), L::splat(*limit)),
        Advance::Bristle => match &table.rows[row.actuator].motor {
            Some(motor) => {
                let v = velocity[table.rows[row.actuator].output];
                let a = dc_motor::decay(motor, v);
                let growth = (a * h).map(f64::exp);
                let turning = a.abs().gt(L::c(MIN_VALUE));
                let input = L::select(turning, (growth - L::ONE) / a, h);
                growth.mul_add(act, input * v)
            }
            None => act,
        },
    };
    match row.range {
        Some([lo, hi]) => next.clamp(L::splat(lo), L::splat(hi)),
        None => next,
    }
}

/// What the activations advance by.
pub struct Driven<'a, L> {
    /// Rates of the activations.
    pub rates: &'a [L],
    /// Lengths of the actuators.
    pub length: &'a [L],
    /// Velocities of the actuators.
    pub velocity: &'a [L],
}

/// Advances all activations by a step.
#[inline(always)]
pub fn advance<L: Lanes>(table: &ActuatorTable<L::Elem>, driven: &Driven<L>, act: &mut [L]) {
    if !table.enabled {
        return;
    }
    for place in 0..table.activations.len() {
        let row = &table.activations[place];
        let rate = if row.stopped { L::ZERO } else { driven.rates[place] };
        let reached = next(table, place, act[place], rate, driven.velocity);
        act[place] = nearest(reached, driven.length[table.rows[row.actuator].output], row.period);
    }
    orientation::shorten_set_points(table, act);
}
