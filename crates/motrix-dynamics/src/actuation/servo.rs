//! Servos: set points, and errors on a circle.
//!
//! A PID servo pushes with kp (q* − l) + kv (v* − l̇) + ki z + feed-forward; the terms in l and l̇ are an affine bias, the
//! others are computed here. On a rotational transmission (a ball joint, or a site turned against another) lengths repeat
//! with a period, and a set point stands for all its equals: the one nearest to the length is meant.

use core::f64::consts::TAU;

use motrix_model::{Actuator, BiasKind, DynamicsKind, GainKind, JointKind, Model, Transmission};
use motrix_spatial::{Lanes, Real};

/// Bits of `actuator_ctrlspec` (`mjtCtrlInput`).
const POSITION: u32 = 1;
const VELOCITY: u32 = 2;
const FEEDFORWARD: u32 = 4;
const VOLTAGE: u32 = 8;

/// Which control is which input of a servo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// First control of the actuator.
    pub first: usize,
    position: Option<usize>,
    velocity: Option<usize>,
    feedforward: Option<usize>,
    voltage: Option<usize>,
}

impl Inputs {
    /// The inputs that an actuator declares, in their fixed order.
    pub fn new(actuator: &Actuator) -> Self {
        let mut next = actuator.first_control;
        let end = next + actuator.control_count;
        let mut input = |bit: u32| {
            let present = actuator.control_inputs & bit != 0 && next < end;
            let place = next;
            next += usize::from(present);
            present.then_some(place)
        };
        Self {
            first: actuator.first_control,
            position: input(POSITION),
            velocity: input(VELOCITY),
            feedforward: input(FEEDFORWARD),
            voltage: input(VOLTAGE),
        }
    }

    /// Whether there is a set point of any kind.
    pub fn is_servo(&self) -> bool {
        self.position.is_some() || self.velocity.is_some() || self.feedforward.is_some()
    }

    /// Position and velocity set points and feed-forward; zero where absent.
    #[inline(always)]
    pub fn servo<L: Lanes>(&self, control: &[L]) -> [L; 3] {
        [
            read(self.position, control),
            read(self.velocity, control),
            read(self.feedforward, control),
        ]
    }

    /// Raw voltage; zero where absent.
    #[inline(always)]
    pub fn voltage<L: Lanes>(&self, control: &[L]) -> L {
        read(self.voltage, control)
    }
}

#[inline(always)]
fn read<L: Lanes>(input: Option<usize>, control: &[L]) -> L {
    match input {
        Some(i) => control[i],
        None => L::ZERO,
    }
}

/// The period of the set point of a servo on a rotational transmission.
pub fn period<E: Real>(model: &Model, actuator: &Actuator) -> Option<E> {
    let proportional = actuator.gain == GainKind::Fixed
        && actuator.bias == BiasKind::Affine
        && actuator.gain_params[0] == -actuator.bias_params[1]
        && matches!(actuator.dynamics, DynamicsKind::None | DynamicsKind::Integrator);
    if !proportional && actuator.gain != GainKind::Pid {
        return None;
    }
    let [x, y, z, a, b, c] = actuator.gear;
    let length = |v: [f64; 3]| v.iter().map(|g| g * g).sum::<f64>().sqrt();
    let turns = match actuator.transmission {
        Transmission::Site(_, Some(_)) if [x, y, z] == [0.0; 3] => length([a, b, c]),
        Transmission::Joint(id) | Transmission::JointInParent(id)
            if model.joints[id.index()].kind == JointKind::Ball =>
        {
            length([x, y, z])
        }
        _ => 0.0,
    };
    (turns > 0.0).then(|| E::from_f64(TAU * turns))
}

/// The equal of `u` that is nearest to `l`.
#[inline(always)]
pub fn nearest<L: Lanes>(u: L, l: L, period: Option<L::Elem>) -> L {
    match period {
        Some(p) => {
            let p = L::splat(p);
            u - p * ((u - l) / p + L::c(0.5)).floor()
        }
        None => u,
    }
}

/// The set point that `reached` comes to on its way to `u` when it may change by `most`.
#[inline(always)]
pub fn slew<L: Lanes>(u: L, reached: L, most: L, period: Option<L::Elem>) -> L {
    nearest(u, reached, period).clamp(reached - most, reached + most)
}
