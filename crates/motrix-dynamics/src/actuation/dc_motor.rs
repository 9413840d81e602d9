//! Direct-current motors: voltage → current → torque, with heat, cogging and friction.
//!
//! With R the resistance, K the motor constant, ω the speed of the rotor and V the voltage at its terminals, the torque is
//! K i and the current i follows τₑ di/dt = (V − K ω)/R − i, or is (V − K ω)/R at once when τₑ is zero. Optional states, in
//! this order:
//!
//! | state | rate |
//! |---|---|
//! | slew: the set point as far as it has come | towards the control, at a limited rate |
//! | integral of the position error | u − l, held at its bounds |
//! | temperature above the surroundings T | (R i² − T/R_T)/C, with R growing by α per degree |
//! | bristle deflection z (LuGre friction) | ω − σ₀ |ω| z/g(ω), g(ω) = F_C + (F_S − F_C) exp(−(ω/v_S)²) |
//! | current i | as above |
//!
//! A controller on board asks for the torque kp (q* − l) + kd (v* − ω) + ki x_I + feed-forward, which R/K turns into a voltage
//! beside the back-EMF K ω, limited to V_max. A voltage input is added behind it. Cogging A sin(N l + φ) and friction
//! −σ₀ z − σ₁ ż come on top of the limited force (MuJoCo's `dcmotor`).

use motrix_model::Actuator;
use motrix_spatial::{Lanes, Mask, Real};

use super::servo::{Inputs, slew};
use crate::params::ActuatorParams;

/// Smallest denominator (MuJoCo's `mjMINVAL`).
const MIN_VALUE: f64 = 1e-15;

/// Where the states of a motor are among the activations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// Slew-limited set point.
    pub slew: Option<usize>,
    /// Integral of the position error.
    pub integral: Option<usize>,
    /// Temperature.
    pub temperature: Option<usize>,
    /// Bristle deflection.
    pub bristle: Option<usize>,
    /// Current.
    pub current: Option<usize>,
}

/// A motor. Resistance, motor constant and temperature coefficient may differ between worlds: they are the first three gain
/// parameters; amplitude, periods and phase of cogging are the first three bias parameters.
#[derive(Clone, Debug)]
pub struct DcMotor<E> {
    /// Its states.
    pub slots: Slots,
    /// Its inputs.
    pub inputs: Inputs,
    /// Temperature at which R holds, minus that of the surroundings.
    pub reference_temperature: E,
    /// Gains of the controller: kp, ki, kd.
    pub gains: [E; 3],
    /// Largest voltage of the controller.
    pub voltage_limit: Option<E>,
    /// Electrical time constant τₑ.
    pub time: E,
    /// Largest rate of the current.
    pub current_rate_limit: Option<E>,
    /// Thermal resistance R_T.
    pub thermal_resistance: E,
    /// Heat capacity C.
    pub heat_capacity: E,
    /// Bristle stiffness σ₀ and damping σ₁.
    pub bristle: [E; 2],
    /// Largest rate of the set point.
    pub slew_rate: E,
    /// Bound of the integral.
    pub integral_limit: Option<E>,
    /// Coulomb friction F_C, static friction F_S, Stribeck velocity v_S.
    pub friction: [E; 3],
}

impl<E: Real> DcMotor<E> {
    /// From the parameters of an actuator.
    pub fn new(actuator: &Actuator) -> Self {
        let (dynamics, gain, bias) = (&actuator.dynamics_params, &actuator.gain_params, &actuator.bias_params);
        let e = E::from_f64;
        let positive = |x: f64| (x > 0.0).then(|| e(x));
        let mut next = actuator.first_activation.unwrap_or(0);
        let mut slot = |present: bool| {
            let place = next;
            next += usize::from(present);
            present.then_some(place)
        };
        Self {
            slots: Slots {
                slew: slot(dynamics[7] > 0.0),
                integral: slot(gain[5] > 0.0),
                temperature: slot(dynamics[2] > 0.0),
                bristle: slot(dynamics[5] > 0.0),
                current: slot(dynamics[0] > 0.0),
            },
            inputs: Inputs::new(actuator),
            reference_temperature: e(gain[3] - dynamics[4]),
            gains: [e(gain[4]), e(gain[5]), e(gain[6])],
            voltage_limit: positive(gain[7]),
            time: e(dynamics[0]),
            current_rate_limit: positive(dynamics[1]),
            thermal_resistance: e(dynamics[2]),
            heat_capacity: e(dynamics[3]),
            bristle: [e(dynamics[5]), e(dynamics[6])],
            slew_rate: e(dynamics[7]),
            integral_limit: positive(dynamics[8]),
            friction: [e(bias[3]), e(bias[4]), e(bias[5])],
        }
    }
}

/// R at the temperature of the motor.
#[inline(always)]
pub fn resistance<L: Lanes>(motor: &DcMotor<L::Elem>, params: &ActuatorParams<L>, act: &[L]) -> L {
    let [r, _, alpha] = params.gain;
    match motor.slots.temperature {
        Some(slot) => r * alpha.mul_add(act[slot] - L::splat(motor.reference_temperature), L::ONE),
        None => r,
    }
}

/// V, of the controller and the raw input together.
#[inline(always)]
pub fn voltage<L: Lanes>(
    motor: &DcMotor<L::Elem>,
    params: &ActuatorParams<L>,
    control: &[L],
    integral: L,
    length: L,
    velocity: L,
) -> L {
    let raw = motor.inputs.voltage(control);
    if !motor.inputs.is_servo() {
        return raw;
    }
    let mut voltage = controller_voltage(motor, params, control, integral, length, velocity);
    if let Some(limit) = motor.voltage_limit {
        voltage = voltage.clamp(-L::splat(limit), L::splat(limit));
    }
    voltage + raw
}

/// ∂V/∂ω: the controller's damping, seen as a voltage, and what makes up for the back-EMF; zero at the limit of the voltage.
#[inline(always)]
pub fn voltage_slope<L: Lanes>(
    motor: &DcMotor<L::Elem>,
    params: &ActuatorParams<L>,
    control: &[L],
    act: &[L],
    length: L,
    velocity: L,
) -> L {
    if !motor.inputs.is_servo() {
        return L::ZERO;
    }
    let [r, k, _] = params.gain;
    let slope = k - L::splat(motor.gains[2]) * r / k;
    match motor.voltage_limit {
        Some(limit) => {
            let x = integral(motor, act);
            let voltage = controller_voltage(motor, params, control, x, length, velocity);
            L::select(voltage.abs().ge(L::splat(limit)), L::ZERO, slope)
        }
        None => slope,
    }
}

/// The voltage that the controller asks for.
#[inline(always)]
fn controller_voltage<L: Lanes>(
    motor: &DcMotor<L::Elem>,
    params: &ActuatorParams<L>,
    control: &[L],
    integral: L,
    length: L,
    velocity: L,
) -> L {
    let [kp, ki, kd] = [
        L::splat(motor.gains[0]),
        L::splat(motor.gains[1]),
        L::splat(motor.gains[2]),
    ];
    let [q, v, feedforward] = motor.inputs.servo(control);
    let torque = kp * (q - length) + kd * (v - velocity) + ki * integral + feedforward;
    let [r, k, _] = params.gain;
    r / k * torque + k * velocity
}

/// The integral of the controller, zero without one.
#[inline(always)]
pub fn integral<L: Lanes>(motor: &DcMotor<L::Elem>, act: &[L]) -> L {
    match motor.slots.integral {
        Some(slot) => act[slot],
        None => L::ZERO,
    }
}

/// What the rates of a motor depend on.
pub struct Running<'a, L> {
    /// Activations.
    pub act: &'a [L],
    /// Length of the actuator.
    pub length: L,
    /// Velocity of the actuator.
    pub velocity: L,
    /// Duration of a step.
    pub timestep: L,
}

/// Rates of the states; the first control becomes the slew-limited one.
#[inline(always)]
pub fn rates<L: Lanes>(
    motor: &DcMotor<L::Elem>,
    params: &ActuatorParams<L>,
    running: &Running<L>,
    control: &mut [L],
    rate: &mut [L],
) {
    let Running {
        act,
        length,
        velocity,
        timestep,
    } = *running;
    let first = motor.inputs.first;
    if let Some(slot) = motor.slots.slew {
        let reached = slew(control[first], act[slot], L::splat(motor.slew_rate) * timestep, None);
        rate[slot] = (reached - act[slot]) / timestep;
        control[first] = reached;
    }
    if let Some(slot) = motor.slots.integral {
        let error = control[first] - length;
        rate[slot] = held_at_bounds(error, act[slot], motor.integral_limit);
    }
    let v = voltage(motor, params, control, integral(motor, act), length, velocity);
    let k = params.gain[1];
    let r = resistance(motor, params, act);
    if let Some(slot) = motor.slots.temperature {
        let current = match motor.slots.current {
            Some(i) => act[i],
            None => (v - k * velocity) / r,
        };
        let lost = act[slot] / L::splat(motor.thermal_resistance);
        rate[slot] = (r * current * current - lost) / L::splat(motor.heat_capacity);
    }
    if let Some(slot) = motor.slots.bristle {
        rate[slot] = decay(motor, velocity).mul_add(act[slot], velocity);
    }
    if let Some(slot) = motor.slots.current {
        let mut change = (v / r - k / r * velocity - act[slot]) / L::splat(motor.time);
        if let Some(limit) = motor.current_rate_limit {
            change = change.clamp(-L::splat(limit), L::splat(limit));
        }
        rate[slot] = change;
    }
}

/// The rate of an integral, not beyond its bounds.
#[inline(always)]
pub fn held_at_bounds<L: Lanes>(rate: L, integral: L, limit: Option<L::Elem>) -> L {
    let Some(limit) = limit else { return rate };
    let limit = L::splat(limit);
    let held = L::select(integral.ge(limit), rate.min(L::ZERO), rate);
    L::select(integral.le(-limit), rate.max(L::ZERO), held)
}

/// −σ₀ |ω|/g(ω), the rate at which bristles slip.
#[inline(always)]
pub fn decay<L: Lanes>(motor: &DcMotor<L::Elem>, velocity: L) -> L {
    let [coulomb, still, stribeck] = [
        L::splat(motor.friction[0]),
        L::splat(motor.friction[1]),
        L::splat(motor.friction[2]),
    ];
    let tiny = L::c(MIN_VALUE);
    let ratio = velocity / stribeck.max(tiny);
    let g = (still - coulomb).mul_add((-(ratio * ratio)).map(f64::exp), coulomb);
    -(L::splat(motor.bristle[0]) * velocity.abs() / g.max(tiny))
}

/// Cogging and friction, which no current limit touches.
#[inline(always)]
pub fn mechanical<L: Lanes>(
    motor: &DcMotor<L::Elem>,
    params: &ActuatorParams<L>,
    act: &[L],
    rate: &[L],
    length: L,
) -> L {
    let [amplitude, periods, phase] = params.bias;
    let mut force = L::ZERO;
    if !amplitude.equal(L::ZERO).all() {
        force = amplitude * periods.mul_add(length, phase).sin_cos().0;
    }
    if let Some(slot) = motor.slots.bristle {
        let [stiffness, damping] = [L::splat(motor.bristle[0]), L::splat(motor.bristle[1])];
        force = force - stiffness * act[slot] - damping * rate[slot];
    }
    force
}
