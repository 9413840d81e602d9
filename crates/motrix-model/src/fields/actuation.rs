//! Actuators.

use super::{Entry, addresses, all, each, flag, index, optional, rows, wide_rows};
use crate::{Actuator, GainKind, History, OutputConstants, SiteId, Transmission};

/// A transmission as MuJoCo stores it.
struct Stored {
    kind: f64,
    targets: [f64; 2],
    crank_length: f64,
}

fn stored(transmission: &Transmission) -> Stored {
    let plain = |kind, first, second| Stored {
        kind,
        targets: [index(first), optional(second)],
        crank_length: 0.0,
    };
    match transmission {
        Transmission::Joint(id) => plain(0.0, id.index(), None),
        Transmission::JointInParent(id) => plain(1.0, id.index(), None),
        Transmission::SliderCrank { crank, slider, length } => Stored {
            crank_length: *length,
            ..plain(2.0, crank.index(), Some(slider.index()))
        },
        Transmission::Tendon(id) => plain(3.0, id.index(), None),
        Transmission::Site(id, reference) => plain(4.0, id.index(), reference.map(SiteId::index)),
        Transmission::Body(id) => plain(5.0, id.index(), None),
        Transmission::BallOrientation(id) => plain(6.0, id.index(), None),
        Transmission::SiteOrientation(id, reference) => plain(6.0, id.index(), Some(reference.index())),
    }
}

/// MuJoCo's number for the gain (`mjtGain`).
fn gain_code(gain: GainKind) -> f64 {
    f64::from(match gain {
        GainKind::Fixed => 0,
        GainKind::Affine => 1,
        GainKind::Muscle => 2,
        GainKind::DcMotor => 3,
        GainKind::Orientation => 4,
        GainKind::Pid => 5,
        GainKind::User => 6,
    })
}

/// The constants of all outputs of an actuator.
fn outputs(a: &Actuator) -> impl Iterator<Item = OutputConstants> {
    let first = OutputConstants {
        acc0: a.acc0,
        length0: a.length0,
        length_range: a.length_range,
    };
    std::iter::once(first).chain(a.further_outputs.iter().copied())
}

/// Samples and interpolation, as MuJoCo stores them for actuators and sensors.
pub(super) fn history(history: Option<History>) -> [f64; 2] {
    history.map_or([0.0; 2], |h| [index(h.samples), f64::from(h.interpolation as u8)])
}

pub(super) const ACTUATORS: &[Entry] = &[
    ("actuator_trntype", |m| {
        each(&m.actuators, |a| stored(&a.transmission).kind)
    }),
    ("actuator_dyntype", |m| {
        each(&m.actuators, |a| f64::from(a.dynamics as u8))
    }),
    ("actuator_gaintype", |m| each(&m.actuators, |a| gain_code(a.gain))),
    ("actuator_biastype", |m| each(&m.actuators, |a| f64::from(a.bias as u8))),
    ("actuator_trnid", |m| {
        rows(&m.actuators, |a| stored(&a.transmission).targets)
    }),
    ("actuator_cranklength", |m| {
        each(&m.actuators, |a| stored(&a.transmission).crank_length)
    }),
    ("actuator_ctrladr", |m| each(&m.actuators, |a| index(a.first_control))),
    ("actuator_ctrlnum", |m| each(&m.actuators, |a| index(a.control_count))),
    ("actuator_ctrlspec", |m| {
        each(&m.actuators, |a| f64::from(a.control_inputs))
    }),
    ("actuator_outadr", |m| {
        addresses(&m.actuators, |a| a.transmission.output_count())
    }),
    ("actuator_outnum", |m| {
        each(&m.actuators, |a| index(a.transmission.output_count()))
    }),
    ("actuator_actadr", |m| {
        each(&m.actuators, |a| optional(a.first_activation))
    }),
    ("actuator_actnum", |m| each(&m.actuators, |a| index(a.activation_count))),
    ("actuator_group", |m| each(&m.actuators, |a| f64::from(a.group))),
    ("actuator_ctrllimited", |m| {
        all(&m.actuators, |a| a.controls.iter().map(|c| [flag(c.limited)]))
    }),
    ("actuator_ctrlrange", |m| {
        all(&m.actuators, |a| a.controls.iter().map(|c| c.range))
    }),
    ("actuator_forcelimited", |m| {
        each(&m.actuators, |a| flag(a.force_limited))
    }),
    ("actuator_forcerange", |m| rows(&m.actuators, |a| a.force_range)),
    ("actuator_actlimited", |m| {
        each(&m.actuators, |a| flag(a.activation_limited))
    }),
    ("actuator_actrange", |m| rows(&m.actuators, |a| a.activation_range)),
    ("actuator_actearly", |m| {
        each(&m.actuators, |a| flag(a.activation_early))
    }),
    ("actuator_dynprm", |m| rows(&m.actuators, |a| a.dynamics_params)),
    ("actuator_gainprm", |m| rows(&m.actuators, |a| a.gain_params)),
    ("actuator_biasprm", |m| rows(&m.actuators, |a| a.bias_params)),
    ("actuator_gear", |m| all(&m.actuators, |a| outputs(a).map(|_| a.gear))),
    ("actuator_damping", |m| each(&m.actuators, |a| a.damping)),
    ("actuator_dampingpoly", |m| rows(&m.actuators, |a| a.damping_poly)),
    ("actuator_armature", |m| each(&m.actuators, |a| a.armature)),
    ("actuator_delay", |m| each(&m.actuators, |a| a.delay)),
    ("actuator_history", |m| rows(&m.actuators, |a| history(a.history))),
    ("actuator_acc0", |m| all(&m.actuators, |a| outputs(a).map(|o| [o.acc0]))),
    ("actuator_length0", |m| {
        all(&m.actuators, |a| outputs(a).map(|o| [o.length0]))
    }),
    ("actuator_lengthrange", |m| {
        all(&m.actuators, |a| outputs(a).map(|o| o.length_range))
    }),
    ("actuator_user", |m| wide_rows(&m.actuators, |a| &a.user)),
];
