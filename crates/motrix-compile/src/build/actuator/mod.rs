//! `<actuator>`: what it acts on, how control becomes force, and its limits.

mod dcmotor;
mod inherit;
mod law;
mod transmission;

use motrix_model::{
    Actuator, ActuatorKind, BiasKind, ControlLimit, DynamicsKind, GainKind, History, Interpolation, Model, Transmission,
};

use self::inherit::Laws;
use self::law::{Law, input, kind_of};
use super::names::Names;
use super::{limits, user};
use crate::document::{AUTO, Auto, Element};
use crate::problem::Problems;

/// Reads all actuators and counts their controls and activations.
pub fn read(elements: &[Element], names: &Names, users: Option<usize>, model: &mut Model, problems: &mut Problems) {
    let mut reader = Reader {
        names,
        users,
        laws: Laws::default(),
    };
    for element in elements {
        match element.tag() {
            "plugin" => law::note_plugin(element, problems),
            _ => {
                if let Some(mut actuator) = reader.read(element, model, problems) {
                    actuator.first_control = model.control_count;
                    actuator.first_activation = (actuator.activation_count > 0).then_some(model.activation_count);
                    model.control_count += actuator.control_count;
                    model.activation_count += actuator.activation_count;
                    model.actuators.push(actuator);
                }
            }
        }
    }
}

/// How much state an actuator has.
#[derive(Clone, Copy, Debug)]
pub struct StateSize {
    /// Number of controls.
    pub controls: usize,
    /// Number of activations.
    pub activations: usize,
}

/// The state of an actuator that is not part of the model. Its problems are those of the model it belongs to.
pub fn state_size(element: &Element) -> StateSize {
    let mut unheard = Problems::new(false);
    let law = Laws::default().of(element, 0.0, &mut unheard);
    let ranges = Ranges::read(element, &law, &mut unheard);
    StateSize {
        controls: controls(element, &law, &ranges, &mut unheard).len(),
        activations: activation_count(element, &law, &mut unheard),
    }
}

struct Reader<'r> {
    names: &'r Names,
    users: Option<usize>,
    laws: Laws,
}

impl Reader<'_> {
    fn read(&mut self, element: &Element, model: &Model, problems: &mut Problems) -> Option<Actuator> {
        let [damping, damping_poly @ ..] = element.reals_over("damping", [0.0; 3], problems);
        let law = self.laws.of(element, damping, problems);
        let transmission = transmission::read(element, &law, self.names, model, problems);
        let armature = element.real("armature", problems).unwrap_or(0.0);
        let mut ranges = Ranges::read(element, &law, problems);
        let transmission = transmission?;
        ranges.inherit(element, &law, &transmission, model, problems);
        check_law(element, &law, &transmission, problems);
        check_reflected(
            element,
            &transmission,
            damping != 0.0 || damping_poly != [0.0; 2],
            armature,
            problems,
        );
        let controls = controls(element, &law, &ranges, problems);
        let force_limited = limits::resolve(
            element,
            ("forcelimited", ranges.force.0),
            ("forcerange", ranges.force.1),
            problems,
        );
        let activation_limited = limits::resolve(
            element,
            ("actlimited", ranges.act.0),
            ("actrange", ranges.act.1),
            problems,
        );
        if activation_limited && law.dynamics == DynamicsKind::None {
            problems.push(element.problem_with("actrange", "an actuator without dynamics has no activation to limit"));
        }
        let (delay, history) = history(element, problems);
        Some(Actuator {
            name: element.name().map(str::to_owned),
            kind: kind_of(element.tag()).unwrap_or(ActuatorKind::General),
            transmission,
            dynamics: law.dynamics,
            gain: law.gain,
            bias: law.bias,
            dynamics_params: law.dynamics_params,
            gain_params: law.gain_params,
            bias_params: law.bias_params,
            first_control: 0,
            control_count: controls.len(),
            control_inputs: inputs(&law),
            first_activation: None,
            activation_count: activation_count(element, &law, problems),
            control_limited: controls.first().is_some_and(|control| control.limited),
            control_range: controls.first().map_or([0.0; 2], |control| control.range),
            controls,
            force_limited,
            force_range: ranges.force.1,
            activation_limited,
            activation_range: ranges.act.1,
            activation_early: law.early,
            gear: element.reals_over("gear", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], problems),
            delay,
            history,
            damping_ratio: None,
            damping,
            damping_poly,
            armature,
            acc0: 0.0,
            length0: 0.0,
            length_range: length_range(element, problems),
            further_outputs: Vec::new(),
            group: element.int("group", problems).unwrap_or(0),
            user: user::read(element, self.users, problems),
        })
    }
}

/// Limits of control, force and activation, each with the choice whether it acts.
struct Ranges {
    control: (Auto, [f64; 2]),
    force: (Auto, [f64; 2]),
    act: (Auto, [f64; 2]),
}

impl Ranges {
    /// Ranges as written, with what shortcuts imply: dampers and adhesion are limited, DC motors saturate.
    fn read(element: &Element, law: &Law, problems: &mut Problems) -> Self {
        let choice = |name: &str, implied: fn(&Element) -> Option<Auto>, problems: &mut Problems| {
            let layer = element
                .layers()
                .find(|layer| layer.own(name).is_some() || implied(layer).is_some());
            let given = layer.filter(|layer| layer.own(name).is_some());
            match given {
                Some(layer) => layer.keyword(name, AUTO, problems).unwrap_or(Auto::Auto),
                None => layer.and_then(implied).unwrap_or(Auto::Auto),
            }
        };
        let limited = |layer: &Element| matches!(layer.tag(), "damper" | "adhesion").then_some(Auto::True);
        let never = |layer: &Element| (layer.tag() == "dcmotor").then_some(Auto::False);
        let range = |name: &str, problems: &mut Problems| element.reals(name, problems).unwrap_or([0.0; 2]);
        let control_range = control_range(element, problems);
        let mut ranges = Self {
            control: (choice("ctrllimited", limited, problems), control_range),
            force: (
                choice("forcelimited", |_| None, problems),
                range("forcerange", problems),
            ),
            act: (choice("actlimited", never, problems), range("actrange", problems)),
        };
        if matches!(element.tag(), "damper" | "adhesion") && control_range.iter().any(|&bound| bound < 0.0) {
            problems.push(element.problem_with("ctrlrange", "the control cannot be negative"));
        }
        let motors = element.layers().filter(|layer| layer.tag() == "dcmotor");
        for motor in motors {
            if let Some(torque) = dcmotor::saturation_torque(motor, law.gain_params[1], problems) {
                ranges.force = (Auto::True, [-torque, torque]);
                break;
            }
        }
        ranges
    }

    /// `inheritrange`: the range of a servo's set point is that of its target, scaled about the middle.
    fn inherit(
        &mut self,
        element: &Element,
        law: &Law,
        transmission: &Transmission,
        model: &Model,
        problems: &mut Problems,
    ) {
        let is_servo =
            law.gain == GainKind::Pid || (law.gain == GainKind::Fixed && law.gain_params[0] == -law.bias_params[1]);
        let may_inherit = matches!(element.tag(), "general" | "position" | "intvelocity" | "pid")
            && is_servo
            && law.bias == BiasKind::Affine;
        if !may_inherit || !element.has("inheritrange") {
            return;
        }
        let (attribute, range) = match law.dynamics {
            DynamicsKind::None | DynamicsKind::FilterExact | DynamicsKind::Pid => ("ctrlrange", &mut self.control.1),
            DynamicsKind::Integrator => ("actrange", &mut self.act.1),
            _ => {
                problems
                    .push(element.problem_with("inheritrange", "only position and integrated-velocity servos inherit"));
                return;
            }
        };
        let Some(share) = strongest_share(element, attribute, problems) else {
            return;
        };
        let target = match transmission {
            Transmission::Joint(id) if model.joints[id.index()].kind.dof_count() == 1 => model.joints[id.index()].range,
            Transmission::Tendon(id) => model.tendons[id.index()].range,
            _ => {
                let message = "only the ranges of hinge joints, slide joints and tendons can be inherited";
                problems.push(element.problem_with("inheritrange", message));
                return;
            }
        };
        if target[0] == target[1] {
            problems.push(element.problem_with("inheritrange", "the target has no range to inherit"));
            return;
        }
        let (middle, radius) = (0.5 * (target[1] + target[0]), 0.5 * (target[1] - target[0]) * share);
        *range = [middle - radius, middle + radius];
    }
}

/// The range of the control. That of a set point, which only `<pid>` knows, is another name for it: in a default class it
/// holds for all actuators, and of the two in one element it counts.
fn control_range(element: &Element, problems: &mut Problems) -> [f64; 2] {
    let given = element.layers().find_map(|layer| {
        let name = ["posrange", "ctrlrange"]
            .into_iter()
            .find(|name| layer.own(name).is_some())?;
        Some((layer, name))
    });
    given
        .and_then(|(layer, name)| layer.reals(name, problems))
        .unwrap_or([0.0; 2])
}

/// The share to inherit, unless a stronger default gives the range itself. One element cannot give both; a share that is not
/// positive takes back what a default says and leaves the range to be given.
fn strongest_share(element: &Element, range: &str, problems: &mut Problems) -> Option<f64> {
    let alias = if range == "ctrlrange" { "posrange" } else { range };
    for layer in element.layers() {
        let inherits = layer.own("inheritrange").is_some();
        let gives = [range, alias].into_iter().any(|name| layer.own(name).is_some());
        let share = layer
            .real("inheritrange", problems)
            .filter(|&share| inherits && share > 0.0);
        if share.is_some() && gives {
            problems.push(layer.problem_with("inheritrange", format!("{range} and inheritrange cannot both be given")));
        }
        if inherits || gives {
            return share;
        }
    }
    None
}

/// The inputs of an actuator, with those a controller has when it says nothing.
fn inputs(law: &Law) -> u32 {
    match (law.gain, law.inputs) {
        (GainKind::Pid, 0) => input::POSITION | input::VELOCITY,
        (GainKind::DcMotor, 0) => input::VOLTAGE,
        (GainKind::Orientation, 0) => ROTATION_VECTOR,
        (_, given) => given,
    }
}

/// Charts of the set point of orientation servos (`mjtCtrlChart`).
const ROTATION_VECTOR: u32 = 1;
const QUATERNION: u32 = 2;

/// The range of lengths, when the element can have one.
fn length_range(element: &Element, problems: &mut Problems) -> [f64; 2] {
    let has = element.rule().attribute("lengthrange").is_some();
    has.then(|| element.reals("lengthrange", problems))
        .flatten()
        .unwrap_or([0.0; 2])
}

/// One limit per control, in the order position, velocity, feed-forward, voltage.
fn controls(element: &Element, law: &Law, ranges: &Ranges, problems: &mut Problems) -> Vec<ControlLimit> {
    let limited = limits::resolve(
        element,
        ("ctrllimited", ranges.control.0),
        ("ctrlrange", ranges.control.1),
        problems,
    );
    let main = ControlLimit {
        limited,
        range: ranges.control.1,
    };
    let bits = inputs(law);
    let has = |bit: u32| bits & bit != 0;
    match law.gain {
        GainKind::Pid => {
            let mut own = |name: &str| {
                let range = element.reals(name, problems).unwrap_or([0.0; 2]);
                ControlLimit {
                    limited: range[0] < range[1],
                    range,
                }
            };
            let list = [
                (input::POSITION, main),
                (input::VELOCITY, own("velrange")),
                (input::FEEDFORWARD, own("ffrange")),
            ];
            list.into_iter()
                .filter(|&(bit, _)| has(bit))
                .map(|(_, control)| control)
                .collect()
        }
        GainKind::DcMotor => {
            let all = [input::POSITION, input::VELOCITY, input::FEEDFORWARD, input::VOLTAGE];
            all.into_iter().filter(|&bit| has(bit)).map(|_| main).collect()
        }
        GainKind::Orientation => vec![main; if bits == QUATERNION { 4 } else { 3 }],
        _ => vec![main],
    }
}

/// Activations that the dynamics need, checked against what the file says.
fn activation_count(element: &Element, law: &Law, problems: &mut Problems) -> usize {
    let needed = match law.dynamics {
        DynamicsKind::None => 0,
        DynamicsKind::User => law.activations.unwrap_or(1),
        DynamicsKind::Integrator if law.gain == GainKind::Orientation => 3,
        DynamicsKind::DcMotor => {
            // current, slew-limited set point, integral of the error, temperature, bristle
            let (d, g) = (&law.dynamics_params, &law.gain_params);
            [d[0], d[7], g[5], d[2], d[5]]
                .into_iter()
                .filter(|&parameter| parameter > 0.0)
                .count()
        }
        DynamicsKind::Pid => usize::from(law.dynamics_params[1] > 0.0) + usize::from(law.gain_params[0] > 0.0),
        _ => 1,
    };
    if law.activations.is_some_and(|given| given != needed) {
        let message = format!(
            "dynamics of this type have {needed} activation{}",
            if needed == 1 { "" } else { "s" }
        );
        problems.push(element.problem_with("actdim", message));
    }
    needed
}

/// What does not go together in dynamics, gain and bias.
fn check_law(element: &Element, law: &Law, transmission: &Transmission, problems: &mut Problems) {
    let mut offend = |attribute: &str, message: &str| problems.push(element.problem_with(attribute, message));
    match law.gain {
        GainKind::Pid => {
            if law.bias != BiasKind::Affine {
                offend("biastype", "a PID gain needs an affine bias");
            }
            if !matches!(law.dynamics, DynamicsKind::None | DynamicsKind::Pid) {
                offend("dyntype", "a PID gain needs PID dynamics or none");
            }
            if matches!(transmission, Transmission::Body(_)) {
                offend("body", "a PID controller cannot act on a body");
            }
            if inputs(law) & !(input::POSITION | input::VELOCITY | input::FEEDFORWARD) != 0 {
                offend("input", "the inputs of a PID controller are pos, vel and ff");
            }
            if law.dynamics == DynamicsKind::Pid && inputs(law) & input::POSITION == 0 {
                offend("input", "integral and slew rate need the input pos");
            }
        }
        GainKind::DcMotor => check_motor(law, &mut offend),
        GainKind::Orientation => check_orientation(law, &mut offend),
        _ if law.bias == BiasKind::Orientation => {
            offend("biastype", "an orientation servo needs gain and bias of type so3")
        }
        _ if law.dynamics == DynamicsKind::Pid => offend("dyntype", "PID dynamics need a PID gain"),
        _ if law.inputs.count_ones() > 1 => offend("input", "only controllers have several inputs"),
        _ => {}
    }
    if law.dynamics == DynamicsKind::DcMotor && !law.early {
        offend("actearly", "a DC motor advances its activation before the force");
    }
    let muscles = [
        (law.gain == GainKind::Muscle, &law.gain_params),
        (law.bias == BiasKind::Muscle, &law.bias_params),
    ];
    for (_, p) in muscles.into_iter().filter(|(is_muscle, _)| *is_muscle) {
        if p[0] >= p[1] {
            offend("range", "the range of a muscle must increase");
        }
        if p[4] >= 1.0 || p[5] <= 1.0 {
            offend("lmin", "a muscle needs lmin < 1 < lmax");
        }
        if [p[3], p[6], p[7], p[8]].iter().any(|&x| x <= 0.0) {
            offend("scale", "scale, vmax, fpmax and fvmax of a muscle must be positive");
        }
    }
}

fn check_orientation(law: &Law, offend: &mut impl FnMut(&str, &str)) {
    if law.bias != BiasKind::Orientation {
        offend("gaintype", "an orientation servo needs gain and bias of type so3");
    }
    if !matches!(law.dynamics, DynamicsKind::None | DynamicsKind::Integrator) {
        offend(
            "dyntype",
            "an orientation servo has no dynamics or integrates its set point",
        );
    }
    if law.gain_params[0] != -law.bias_params[1] {
        offend("biasprm", "an orientation servo needs gainprm[0] = -biasprm[1]");
    }
    let chart = inputs(law);
    if chart == QUATERNION && law.dynamics != DynamicsKind::None {
        offend("input", "a quaternion cannot be integrated");
    }
    if chart != QUATERNION && chart != ROTATION_VECTOR {
        offend("input", "the input of an orientation servo is expmap or quat");
    }
}

fn check_motor(law: &Law, offend: &mut impl FnMut(&str, &str)) {
    let bits = inputs(law);
    let controller = bits & (input::POSITION | input::VELOCITY | input::FEEDFORWARD) != 0;
    let gains = &law.gain_params[4..7];
    if bits & input::PRESSURE != 0 {
        offend("input", "the inputs of a DC motor are pos, vel, ff, voltage or none");
    }
    if !controller && gains.iter().any(|&gain| gain != 0.0) {
        offend(
            "controller",
            "gains of the controller need one of the inputs pos, vel, ff",
        );
    }
    if law.gain_params[5] > 0.0 && bits & input::POSITION == 0 {
        offend("controller", "the integral gain needs the input pos");
    }
    if !controller && law.dynamics_params[7] > 0.0 {
        offend("controller", "the slew rate needs one of the inputs pos, vel, ff");
    }
}

/// Damping and armature are reflected to joints and tendons only.
fn check_reflected(
    element: &Element,
    transmission: &Transmission,
    damped: bool,
    armature: f64,
    problems: &mut Problems,
) {
    let scalar = matches!(
        transmission,
        Transmission::Joint(_) | Transmission::JointInParent(_) | Transmission::Tendon(_)
    );
    for (name, given) in [("damping", damped), ("armature", armature != 0.0)] {
        if given && !scalar {
            problems.push(element.problem_with(name, format!("{name} needs a joint or a tendon to act on")));
        }
    }
}

/// Samples kept beyond this number are refused (MuJoCo counts them in single precision).
const MOST_SAMPLES: i32 = 1 << 24;

/// Delay and buffer of past values; sensors have them too.
pub fn history(element: &Element, problems: &mut Problems) -> (f64, Option<History>) {
    const INTERPOLATION: &[(&str, Interpolation)] = &[
        ("zoh", Interpolation::Hold),
        ("linear", Interpolation::Linear),
        ("cubic", Interpolation::Cubic),
    ];
    let delay = element.real("delay", problems).unwrap_or(0.0);
    let samples = element.int("nsample", problems).unwrap_or(0);
    let interpolation = element.keyword("interp", INTERPOLATION, problems).unwrap_or_default();
    if samples > MOST_SAMPLES {
        problems.push(element.problem_with("nsample", format!("at most {MOST_SAMPLES} samples can be kept")));
    }
    if delay > 0.0 && samples <= 0 {
        problems.push(element.problem_with("delay", "a delay needs a buffer: give nsample"));
    }
    let history = usize::try_from(samples).ok().filter(|&samples| samples > 0);
    (delay, history.map(|samples| History { samples, interpolation }))
}
