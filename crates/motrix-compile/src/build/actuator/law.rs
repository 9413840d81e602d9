//! From control to force: dynamics, gain and bias of an actuator, by the element it is written with.
//!
//! Every shortcut (`<position>`, `<velocity>`, ...) stands for a choice of dynamics, gain and bias with a few parameters of its
//! own. A shortcut inherits its parameters from the nearest default class whose last actuator entry is the same shortcut,
//! or is `<general>`, whose numbers then stand for the shortcut's parameters; entries of other shortcuts say nothing to it.

use motrix_model::{ActuatorKind, BiasKind, DynamicsKind, GainKind};

use super::dcmotor;
use crate::document::Element;
use crate::problem::{NoteKind, Problems};

/// Dynamics, gain and bias with their parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// The element that wrote it.
    pub kind: ActuatorKind,
    /// Activation dynamics.
    pub dynamics: DynamicsKind,
    /// Gain.
    pub gain: GainKind,
    /// Bias.
    pub bias: BiasKind,
    /// Parameters of the dynamics.
    pub dynamics_params: [f64; 10],
    /// Parameters of the gain.
    pub gain_params: [f64; 10],
    /// Parameters of the bias.
    pub bias_params: [f64; 10],
    /// Inputs asked for (`mjtCtrlInput` bits), 0 for the usual ones.
    pub inputs: u32,
    /// Number of activations, when it does not follow from the dynamics.
    pub activations: Option<usize>,
    /// Whether the activation is advanced before the force.
    pub early: bool,
}

/// Bits of `mjtCtrlInput`.
pub mod input {
    /// Position set point.
    pub const POSITION: u32 = 1;
    /// Velocity set point.
    pub const VELOCITY: u32 = 2;
    /// Feed-forward.
    pub const FEEDFORWARD: u32 = 4;
    /// Voltage.
    pub const VOLTAGE: u32 = 8;
    /// None at all.
    pub const NONE: u32 = 16;
    /// Pressure.
    pub const PRESSURE: u32 = 32;
}

impl Default for Law {
    /// Unit gain, no bias, no dynamics.
    fn default() -> Self {
        Self {
            kind: ActuatorKind::General,
            dynamics: DynamicsKind::None,
            gain: GainKind::Fixed,
            bias: BiasKind::None,
            dynamics_params: first(1.0),
            gain_params: first(1.0),
            bias_params: [0.0; 10],
            inputs: 0,
            activations: None,
            early: false,
        }
    }
}

/// Ten numbers of which only the first is not zero.
fn first(x: f64) -> [f64; 10] {
    let mut numbers = [0.0; 10];
    numbers[0] = x;
    numbers
}

/// Which kind of actuator a tag stands for.
pub fn kind_of(tag: &str) -> Option<ActuatorKind> {
    Some(match tag {
        "general" => ActuatorKind::General,
        "motor" => ActuatorKind::Motor,
        "position" => ActuatorKind::Position,
        "velocity" => ActuatorKind::Velocity,
        "intvelocity" => ActuatorKind::IntVelocity,
        "damper" => ActuatorKind::Damper,
        "cylinder" => ActuatorKind::Cylinder,
        "muscle" => ActuatorKind::Muscle,
        "adhesion" => ActuatorKind::Adhesion,
        "dcmotor" => ActuatorKind::DcMotor,
        "pid" => ActuatorKind::Pid,
        "orientation" => ActuatorKind::Orientation,
        _ => return None,
    })
}

/// Reads the law of `element`, which says what it says itself only, on top of `inherited`. `damping` is the viscous
/// damping of the actuator, from which a DC motor's constants may follow.
pub fn read(element: &Element, inherited: Law, damping: f64, problems: &mut Problems) -> Law {
    let Some(kind) = kind_of(element.tag()) else {
        return inherited;
    };
    let law = match kind {
        ActuatorKind::General => general(element, inherited, problems),
        ActuatorKind::Motor => Law::default(),
        ActuatorKind::Position | ActuatorKind::IntVelocity => servo(element, kind, &inherited, problems),
        ActuatorKind::Velocity => velocity(element, &inherited, problems),
        ActuatorKind::Damper => damper(element, &inherited, problems),
        ActuatorKind::Cylinder => cylinder(element, &inherited, problems),
        ActuatorKind::Muscle => muscle(element, &inherited, problems),
        ActuatorKind::Adhesion => adhesion(element, &inherited, problems),
        ActuatorKind::DcMotor => dcmotor::read(element, &inherited, damping, problems),
        ActuatorKind::Pid => pid(element, &inherited, problems),
        ActuatorKind::Orientation => orientation(element, &inherited, problems),
    };
    Law { kind, ..law }
}

/// The numbers of a fixed gain, which can stand for the parameters of servos; a unit gain in place of other gains.
fn fixed(inherited: &Law) -> Law {
    if inherited.gain == GainKind::Fixed {
        inherited.clone()
    } else {
        Law::default()
    }
}

fn general(element: &Element, inherited: Law, problems: &mut Problems) -> Law {
    const DYNAMICS: &[(&str, DynamicsKind)] = &[
        ("none", DynamicsKind::None),
        ("integrator", DynamicsKind::Integrator),
        ("filter", DynamicsKind::Filter),
        ("filterexact", DynamicsKind::FilterExact),
        ("muscle", DynamicsKind::Muscle),
        ("dcmotor", DynamicsKind::DcMotor),
        ("pid", DynamicsKind::Pid),
        ("user", DynamicsKind::User),
    ];
    const GAIN: &[(&str, GainKind)] = &[
        ("fixed", GainKind::Fixed),
        ("affine", GainKind::Affine),
        ("muscle", GainKind::Muscle),
        ("dcmotor", GainKind::DcMotor),
        ("pid", GainKind::Pid),
        ("so3", GainKind::Orientation),
        ("user", GainKind::User),
    ];
    const BIAS: &[(&str, BiasKind)] = &[
        ("none", BiasKind::None),
        ("affine", BiasKind::Affine),
        ("muscle", BiasKind::Muscle),
        ("dcmotor", BiasKind::DcMotor),
        ("so3", BiasKind::Orientation),
        ("user", BiasKind::User),
    ];
    let mut law = inherited;
    law.dynamics = element.keyword("dyntype", DYNAMICS, problems).unwrap_or(law.dynamics);
    law.gain = element.keyword("gaintype", GAIN, problems).unwrap_or(law.gain);
    law.bias = element.keyword("biastype", BIAS, problems).unwrap_or(law.bias);
    for name in ["dyntype", "gaintype", "biastype"] {
        if element.text(name) == Some("user") {
            let problem = element.problem_with(
                name,
                "there are no user callbacks; states rest, gains are 1 and biases 0",
            );
            problems.push(problem.note(NoteKind::NotSupported));
        }
    }
    law.dynamics_params = element.reals_over("dynprm", law.dynamics_params, problems);
    law.gain_params = element.reals_over("gainprm", law.gain_params, problems);
    law.bias_params = element.reals_over("biasprm", law.bias_params, problems);
    law.inputs = chart(element, problems)
        .or_else(|| inputs(element, problems))
        .unwrap_or(law.inputs);
    law.early = element.boolean("actearly", problems).unwrap_or(law.early);
    match element.int("actdim", problems) {
        // more than any motor has; MuJoCo knows larger ones for its callbacks only
        Some(given) if given > 16 => {
            problems.push(element.problem_with("actdim", "at most 16 activations are possible"))
        }
        Some(given) => law.activations = usize::try_from(given).ok(),
        None => {}
    }
    law
}

/// The inputs a controller declares, in their canonical order.
pub fn inputs(element: &Element, problems: &mut Problems) -> Option<u32> {
    const WORDS: &[&str] = &["pos", "vel", "ff", "voltage", "none", "pressure"];
    if !element.has("input") {
        return None;
    }
    let given = element.keywords("input", WORDS, problems);
    if given.windows(2).any(|pair| pair[0] > pair[1]) {
        problems.push(element.problem_with("input", "inputs must be listed in the order pos, vel, ff, voltage"));
    }
    let bits: u32 = given.iter().map(|bit| 1 << bit).sum();
    if bits & input::NONE != 0 && bits != input::NONE {
        problems.push(element.problem_with("input", "none cannot be combined with other inputs"));
    }
    Some(bits)
}

/// The chart of an orientation servo's set point (`mjtCtrlChart`): rotation vector or quaternion.
fn chart(element: &Element, problems: &mut Problems) -> Option<u32> {
    const CHART: &[(&str, u32)] = &[("expmap", 1), ("quat", 2)];
    let is_chart = CHART.iter().any(|(word, _)| element.text("input") == Some(word));
    if is_chart {
        element.keyword("input", CHART, problems)
    } else {
        None
    }
}

/// Damping of a servo: `kv` is negative in the bias, a damping ratio positive until the constants are known.
fn read_damping(element: &Element, inherited: f64, problems: &mut Problems) -> f64 {
    let kv = element.real("kv", problems);
    let ratio = element.real("dampratio", problems);
    if kv.is_some() && ratio.is_some() {
        problems.push(element.problem_with("dampratio", "kv and dampratio cannot both be given"));
    }
    for (name, value) in [("kv", kv), ("dampratio", ratio)] {
        if value.is_some_and(|value| value < 0.0) {
            problems.push(element.problem_with(name, format!("{name} cannot be negative")));
        }
    }
    kv.map(|kv| -kv).or(ratio).unwrap_or(inherited)
}

/// Force kp (u − length) − kv velocity; the integrated-velocity servo integrates its control to the set point.
fn servo(element: &Element, kind: ActuatorKind, inherited: &Law, problems: &mut Problems) -> Law {
    let inherited = fixed(inherited);
    let kp = element.real("kp", problems).unwrap_or(inherited.gain_params[0]);
    let mut law = Law {
        bias: BiasKind::Affine,
        gain_params: first(kp),
        inputs: input::POSITION,
        ..Law::default()
    };
    law.bias_params[1] = -kp;
    law.bias_params[2] = read_damping(element, inherited.bias_params[2], problems);
    let inherited_time = (inherited.dynamics == DynamicsKind::FilterExact).then_some(inherited.dynamics_params[0]);
    if kind == ActuatorKind::IntVelocity {
        law.inputs = input::VELOCITY;
        law.dynamics = DynamicsKind::Integrator;
        law.dynamics_params[0] = inherited_time.unwrap_or(1.0);
        return law;
    }
    let given = element.real("timeconst", problems);
    if given.is_some_and(|time| time < 0.0) {
        problems.push(element.problem_with("timeconst", "the time constant cannot be negative"));
    }
    if let Some(time) = given.or(inherited_time) {
        law.dynamics_params[0] = time;
        law.dynamics = if time == 0.0 {
            DynamicsKind::None
        } else {
            DynamicsKind::FilterExact
        };
    }
    law
}

/// Force kv (u − velocity).
fn velocity(element: &Element, inherited: &Law, problems: &mut Problems) -> Law {
    let kv = element.real("kv", problems).unwrap_or(fixed(inherited).gain_params[0]);
    let mut law = Law {
        bias: BiasKind::Affine,
        gain_params: first(kv),
        inputs: input::VELOCITY,
        ..Law::default()
    };
    law.bias_params[2] = -kv;
    law
}

/// Force −kv velocity u.
fn damper(element: &Element, inherited: &Law, problems: &mut Problems) -> Law {
    let inherited = if inherited.gain == GainKind::Affine {
        -inherited.gain_params[2]
    } else {
        0.0
    };
    let kv = element.real("kv", problems).unwrap_or(inherited);
    if kv < 0.0 {
        problems.push(element.problem_with("kv", "the damping cannot be negative"));
    }
    let mut law = Law {
        gain: GainKind::Affine,
        gain_params: [0.0; 10],
        ..Law::default()
    };
    law.gain_params[2] = -kv;
    law
}

/// Pressure, filtered, times area.
fn cylinder(element: &Element, inherited: &Law, problems: &mut Problems) -> Law {
    let inherited = fixed(inherited);
    let time = element
        .real("timeconst", problems)
        .unwrap_or(inherited.dynamics_params[0]);
    let area = element.real("area", problems).unwrap_or(inherited.gain_params[0]);
    let diameter = element.real("diameter", problems).filter(|&diameter| diameter >= 0.0);
    let area = diameter.map_or(area, |diameter| std::f64::consts::PI / 4.0 * diameter * diameter);
    let [a, b, c, ..] = inherited.bias_params;
    let bias: [f64; 3] = element.reals("bias", problems).unwrap_or([a, b, c]);
    let mut law = Law {
        dynamics: DynamicsKind::Filter,
        bias: BiasKind::Affine,
        dynamics_params: first(time),
        gain_params: first(area),
        inputs: input::PRESSURE,
        ..Law::default()
    };
    law.bias_params[..3].copy_from_slice(&bias);
    law
}

/// Range, force, scale, lmin, lmax, vmax, fpmax, fvmax of a muscle that says nothing.
const MUSCLE: [f64; 10] = [0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2, 0.0];

/// Force-length-velocity curve of a muscle, with activation dynamics of two time constants. Negative numbers count as not
/// given.
fn muscle(element: &Element, inherited: &Law, problems: &mut Problems) -> Law {
    let own = inherited.gain == GainKind::Muscle;
    let mut gain = if own { inherited.gain_params } else { MUSCLE };
    let mut dynamics = if own {
        inherited.dynamics_params
    } else {
        [0.01, 0.04, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    };
    for (i, time) in element
        .reals::<2>("timeconst", problems)
        .unwrap_or([-1.0; 2])
        .into_iter()
        .enumerate()
    {
        if time >= 0.0 {
            dynamics[i] = time;
        }
    }
    dynamics[2] = element.real("tausmooth", problems).unwrap_or(dynamics[2]);
    if dynamics[2] < 0.0 {
        problems.push(element.problem_with("tausmooth", "the smoothing width cannot be negative"));
    }
    let range = element.reals::<2>("range", problems).unwrap_or([-1.0; 2]);
    let names = ["force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"];
    let rest = names.map(|name| element.real(name, problems).unwrap_or(-1.0));
    for (i, number) in range.into_iter().chain(rest).enumerate() {
        if number >= 0.0 {
            gain[i] = number;
        }
    }
    if element.real("force", problems).is_some_and(|force| force < 0.0) {
        gain[2] = -1.0;
    }
    let mut bias = inherited.bias_params;
    bias[..9].copy_from_slice(&gain[..9]);
    bias[9] = 0.0;
    Law {
        dynamics: DynamicsKind::Muscle,
        gain: GainKind::Muscle,
        bias: BiasKind::Muscle,
        dynamics_params: dynamics,
        gain_params: gain,
        bias_params: bias,
        ..Law::default()
    }
}

/// Force gain·u, pulling at contacts.
fn adhesion(element: &Element, inherited: &Law, problems: &mut Problems) -> Law {
    let gain = element
        .real("gain", problems)
        .unwrap_or(fixed(inherited).gain_params[0]);
    if gain < 0.0 {
        problems.push(element.problem_with("gain", "the gain of adhesion cannot be negative"));
    }
    Law {
        gain_params: first(gain),
        ..Law::default()
    }
}

/// Servo with an integral term and a slew rate limit: kp and kv in the bias, ki in the gain.
fn pid(element: &Element, inherited: &Law, problems: &mut Problems) -> Law {
    let own = (inherited.gain == GainKind::Pid).then_some(inherited);
    let state = own.filter(|law| law.dynamics == DynamicsKind::Pid);
    let mut number = |name: &str, inherited: f64| element.real(name, problems).unwrap_or(inherited);
    let kp = number("kp", own.map_or(1.0, |law| -law.bias_params[1]));
    let ki = number("ki", state.map_or(0.0, |law| law.gain_params[0]));
    let largest = number("imax", state.map_or(0.0, |law| law.dynamics_params[0]));
    let slew = number("slewmax", state.map_or(0.0, |law| law.dynamics_params[1]));
    if slew < 0.0 {
        problems.push(element.problem_with("slewmax", "the slew rate cannot be negative"));
    }
    if largest < 0.0 {
        problems.push(element.problem_with("imax", "the bound of the integral cannot be negative"));
    }
    let mut law = Law {
        gain: GainKind::Pid,
        bias: BiasKind::Affine,
        gain_params: first(ki),
        ..Law::default()
    };
    law.bias_params[1] = -kp;
    law.bias_params[2] = read_damping(element, own.map_or(0.0, |law| law.bias_params[2]), problems);
    law.dynamics_params = first(if ki != 0.0 { largest } else { 0.0 });
    law.dynamics_params[1] = slew;
    law.dynamics = if ki != 0.0 || slew != 0.0 {
        DynamicsKind::Pid
    } else {
        DynamicsKind::None
    };
    law.inputs = inputs(element, problems).unwrap_or(own.map_or(0, |law| law.inputs));
    law
}

/// Torque kp times the rotation to the set point, minus kv times the angular velocity.
fn orientation(element: &Element, inherited: &Law, problems: &mut Problems) -> Law {
    let own = (inherited.gain == GainKind::Orientation).then_some(inherited);
    let kp = element
        .real("kp", problems)
        .unwrap_or(own.map_or(1.0, |law| law.gain_params[0]));
    let mut law = Law {
        gain: GainKind::Orientation,
        bias: BiasKind::Orientation,
        gain_params: first(kp),
        inputs: chart(element, problems).unwrap_or(own.map_or(0, |law| law.inputs)),
        ..Law::default()
    };
    law.bias_params[1] = -kp;
    law.bias_params[2] = read_damping(element, own.map_or(0.0, |law| law.bias_params[2]), problems);
    law
}

/// What an element with plugin says is noted and otherwise ignored.
pub fn note_plugin(element: &Element, problems: &mut Problems) {
    problems.push(element.problem("actuator plugins").note(NoteKind::NotSupported));
}
