//! `<dcmotor>`: electrical, thermal and friction parameters of a DC motor.
//!
//! Torque K i, back-EMF K ω, resistance R; the motor constant and the resistance may follow from nominal voltage, stall
//! torque and no-load speed.

use motrix_model::{ActuatorKind, BiasKind, DynamicsKind, GainKind};

use super::law::{self, Law};
use crate::document::Element;
use crate::problem::Problems;

/// Reads a `<dcmotor>` on top of what a default class says. `damping` is the viscous damping at the shaft.
pub fn read(element: &Element, inherited: &Law, damping: f64, problems: &mut Problems) -> Law {
    let own = if inherited.gain == GainKind::DcMotor {
        inherited.clone()
    } else {
        nothing()
    };
    let (g, b, d) = (&own.gain_params, &own.bias_params, &own.dynamics_params);
    let mut law = nothing();

    let [torque_constant, emf_constant] = element.reals_over("motorconst", [g[1], 0.0], problems);
    let resistance = element.real("resistance", problems).unwrap_or(g[0]);
    let nominal = element.reals_over("nominal", [0.0; 3], problems);
    let (constant, resistance) = constants([torque_constant, emf_constant], resistance, nominal, damping);
    if !(constant > 0.0) {
        problems.push(element.problem("the motor constant must be positive; give motorconst or nominal"));
    }
    if !(resistance > 0.0) {
        problems.push(element.problem("the resistance must be positive; give resistance or nominal"));
    }
    let saturation = element.reals_over("saturation", [0.0, 0.0, d[1]], problems);
    let controller = element.reals_over("controller", [g[4], g[5], g[6], d[7], d[8], g[7]], problems);
    let inductance = element.reals_over("inductance", [0.0, d[0]], problems);
    let cogging = element.reals_over("cogging", [b[0], b[1], b[2]], problems);
    let thermal = element.reals_over("thermal", [d[2], d[3], 0.0, g[2], g[3], d[4]], problems);
    let lugre = element.reals_over("lugre", [d[5], d[6], b[3], b[4], b[5]], problems);
    if inductance.iter().any(|&x| x < 0.0) {
        problems.push(element.problem_with(
            "inductance",
            "inductance and electrical time constant cannot be negative",
        ));
    }

    let electrical_time = if inductance[0] > 0.0 {
        inductance[0] / resistance
    } else {
        inductance[1]
    };
    law.gain_params[..2].copy_from_slice(&[resistance, constant]);
    law.gain_params[4..8].copy_from_slice(&[controller[0], controller[1], controller[2], controller[5].max(0.0)]);
    law.dynamics_params[0] = electrical_time;
    law.dynamics_params[1] = saturation[2].max(0.0);
    law.dynamics_params[7..9].copy_from_slice(&[controller[3], controller[4]]);
    law.bias_params[..3].copy_from_slice(&cogging);
    set_thermal(element, thermal, &mut law, problems);
    if lugre[0] > 0.0 {
        law.dynamics_params[5..7].copy_from_slice(&lugre[..2]);
        law.bias_params[3..6].copy_from_slice(&lugre[2..]);
    }
    law.inputs = law::inputs(element, problems).unwrap_or(own.inputs);
    law
}

/// A motor without constants.
fn nothing() -> Law {
    Law {
        kind: ActuatorKind::DcMotor,
        dynamics: DynamicsKind::DcMotor,
        gain: GainKind::DcMotor,
        bias: BiasKind::DcMotor,
        dynamics_params: [0.0; 10],
        gain_params: [0.0; 10],
        bias_params: [0.0; 10],
        inputs: 0,
        activations: None,
        early: true,
    }
}

/// Torque at which the motor saturates, if the element says so.
pub fn saturation_torque(element: &Element, constant: f64, problems: &mut Problems) -> Option<f64> {
    let [torque, current, _] = element.reals_over("saturation", [0.0; 3], problems);
    if torque > 0.0 {
        Some(torque)
    } else if current > 0.0 {
        Some(constant * current)
    } else {
        None
    }
}

/// Motor constant K and resistance R from what is given of K, R and the nominal voltage v, stall torque τ₀ = K v / R and
/// no-load speed ω₀ = K v / (K² + R B), B being the damping.
fn constants([torque, mut emf]: [f64; 2], resistance: f64, nominal: [f64; 3], damping: f64) -> (f64, f64) {
    let [voltage, stall, no_load] = nominal;
    if voltage > 0.0 && emf <= 0.0 && no_load > 0.0 {
        let lossless = voltage / no_load;
        emf = if damping > 0.0 && resistance > 0.0 {
            let discriminant = voltage * voltage - 4.0 * resistance * damping * no_load * no_load;
            if discriminant > 0.0 {
                (voltage + discriminant.sqrt()) / (2.0 * no_load)
            } else {
                lossless
            }
        } else if damping > 0.0 && stall > 0.0 {
            let exact = lossless - voltage * damping / stall;
            if exact > 0.0 { exact } else { lossless }
        } else {
            lossless
        };
    }
    let constant = match (torque > 0.0, emf > 0.0) {
        (true, true) => (torque * emf).sqrt(),
        (true, false) => torque,
        (false, _) => emf,
    };
    let derivable = resistance == 0.0 && voltage > 0.0 && stall > 0.0 && constant > 0.0;
    (
        constant,
        if derivable {
            constant * voltage / stall
        } else {
            resistance
        },
    )
}

/// Thermal resistance, capacity and time constant, of which two give the third.
fn set_thermal(element: &Element, thermal: [f64; 6], law: &mut Law, problems: &mut Problems) {
    let [mut resistance, mut capacity, time, coefficient, reference, ambient] = thermal;
    if !(resistance > 0.0 || capacity > 0.0 || time > 0.0) {
        return;
    }
    if time > 0.0 && resistance > 0.0 && capacity == 0.0 {
        capacity = time / resistance;
    } else if time > 0.0 && capacity > 0.0 && resistance == 0.0 {
        resistance = time / capacity;
    }
    if resistance <= 0.0 || capacity <= 0.0 {
        problems.push(element.problem_with("thermal", "thermal resistance and capacity must be positive"));
    }
    law.dynamics_params[2..5].copy_from_slice(&[resistance, capacity, ambient]);
    law.gain_params[2..4].copy_from_slice(&[coefficient, reference]);
}
