//! Feasible lengths of muscles, by pulling and pushing them to their limits.
//!
//! A muscle's force depends on its length relative to the range of lengths that the joints allow. When the file does not give
//! that range, each muscle drives the model for a while in either direction, with a force that would accelerate it by a
//! set amount, while velocities decay; the lengths at the end are the range (MuJoCo documentation, "Length range"). Only
//! joints, tendons and their limits and equalities act; gravity, springs, dampers, contacts and friction do not.

mod constraints;
mod motion;

use motrix_model::{Actuator, BiasKind, EqualityKind, GainKind, Model, Transmission};

use self::motion::Motion;
use crate::document::Element;
use crate::problem::{NoteKind, Problem, Problems};

/// Which actuators need a length range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    None,
    Muscle,
    MuscleUser,
    All,
}

/// Settings of `<compiler><lengthrange/></compiler>`.
#[derive(Clone, Copy, Debug)]
pub struct LengthRangeOptions {
    mode: Mode,
    /// Keep ranges that the file gives.
    use_existing: bool,
    /// Take the limits of joints and tendons where they have some.
    use_limit: bool,
    /// Acceleration that the driving force aims at.
    acceleration: f64,
    /// Largest driving force; 0 is no bound.
    max_force: f64,
    /// Time in which velocities decay, seconds.
    time_constant: f64,
    /// Time step of the motion, seconds.
    time_step: f64,
    /// Duration of the motion, seconds.
    duration: f64,
    /// Time at its end in which the length is measured, seconds.
    interval: f64,
    /// Largest change of length in that time, as a share of the range.
    tolerance: f64,
}

/// Steps of one motion beyond this are refused; the usual number is a thousand.
const MOST_STEPS: f64 = 1e6;

impl LengthRangeOptions {
    /// Reads the element, when there is one.
    pub fn read(element: Option<&Element>, problems: &mut Problems) -> Self {
        const MODE: &[(&str, Mode)] = &[
            ("none", Mode::None),
            ("muscle", Mode::Muscle),
            ("muscleuser", Mode::MuscleUser),
            ("all", Mode::All),
        ];
        let mut options = Self {
            mode: Mode::Muscle,
            use_existing: true,
            use_limit: false,
            acceleration: 20.0,
            max_force: 0.0,
            time_constant: 1.0,
            time_step: 0.01,
            duration: 10.0,
            interval: 2.0,
            tolerance: 0.05,
        };
        let Some(element) = element else { return options };
        options.mode = element.keyword("mode", MODE, problems).unwrap_or(options.mode);
        options.use_existing = element.boolean("useexisting", problems).unwrap_or(options.use_existing);
        options.use_limit = element.boolean("uselimit", problems).unwrap_or(options.use_limit);
        let mut number = |name: &str, field: &mut f64| *field = element.real(name, problems).unwrap_or(*field);
        number("accel", &mut options.acceleration);
        number("maxforce", &mut options.max_force);
        number("timeconst", &mut options.time_constant);
        number("timestep", &mut options.time_step);
        number("inttotal", &mut options.duration);
        number("interval", &mut options.interval);
        number("tolrange", &mut options.tolerance);
        options
    }

    fn wants(&self, actuator: &Actuator) -> bool {
        let muscle = actuator.gain == GainKind::Muscle || actuator.bias == BiasKind::Muscle;
        let user = actuator.gain == GainKind::User || actuator.bias == BiasKind::User;
        let asked = match self.mode {
            Mode::None => false,
            Mode::Muscle => muscle,
            Mode::MuscleUser => muscle || user,
            Mode::All => true,
        };
        let known = actuator.length_range[0] < actuator.length_range[1];
        asked && !(self.use_existing && known)
    }
}

/// Sets the length range of all actuators that need one.
pub fn find_length_ranges(model: &mut Model, options: &LengthRangeOptions, problems: &mut Problems) {
    let wanted: Vec<usize> = (0..model.actuators.len())
        .filter(|&i| options.wants(&model.actuators[i]))
        .collect();
    if wanted.is_empty() {
        return;
    }
    let step = if options.time_step > 0.0 {
        options.time_step
    } else {
        model.options.timestep
    };
    if !(options.duration / step <= MOST_STEPS) {
        problems.push(Problem::of_model(
            "the length range takes more than a million steps to find",
        ));
        return;
    }
    let ties = model
        .equalities
        .iter()
        .any(|equality| matches!(equality.kind, EqualityKind::Connect { .. } | EqualityKind::Weld { .. }));
    if ties {
        let message = "length ranges of muscles are found without connect and weld; give lengthrange to be exact";
        problems.push(Problem::of_model(message).note(NoteKind::NotSupported));
    }
    for index in wanted {
        match range(model, index, options, step) {
            Ok(range) => model.actuators[index].length_range = range,
            Err(why) => {
                let name = model.actuators[index].name.clone().unwrap_or_else(|| index.to_string());
                let message = format!("the length range of actuator \"{name}\" {why}; give it lengthrange");
                problems.push(Problem::of_model(message));
            }
        }
    }
}

/// Lowest and highest length of one actuator.
fn range(model: &Model, index: usize, options: &LengthRangeOptions, step: f64) -> Result<[f64; 2], &'static str> {
    let actuator = &model.actuators[index];
    if options.use_limit {
        let limit = match actuator.transmission {
            Transmission::Joint(id) | Transmission::JointInParent(id) => {
                let joint = &model.joints[id.index()];
                joint.limited.then_some(joint.range)
            }
            Transmission::Tendon(id) => {
                let tendon = &model.tendons[id.index()];
                tendon.limited.then_some(tendon.range)
            }
            _ => None,
        };
        if let Some(limit) = limit {
            return Ok(limit);
        }
    }
    let short = extreme(model, index, options, step, -1.0)?;
    let long = extreme(model, index, options, step, 1.0)?;
    let range = [short[0], long[1]];
    let width = range[1] - range[0];
    if width <= 0.0 {
        return Err("is empty");
    }
    if [short, long]
        .iter()
        .any(|seen| seen[1] - seen[0] > options.tolerance * width)
    {
        return Err("cannot be found: the length does not settle");
    }
    Ok(range)
}

/// Lowest and highest length at the end of a motion driven towards shorter (−1) or longer (+1) lengths.
fn extreme(
    model: &Model,
    index: usize,
    options: &LengthRangeOptions,
    step: f64,
    direction: f64,
) -> Result<[f64; 2], &'static str> {
    let mut motion = Motion::new(model, step);
    let mut seen: Option<[f64; 2]> = None;
    while motion.time() < options.duration {
        motion.decay((-step / options.time_constant.max(0.01)).exp());
        let length = motion.advance(index, |acceleration_of_unit| {
            let force = direction * options.acceleration / acceleration_of_unit.max(1e-15);
            move |moment_norm: f64| {
                let largest = options.max_force;
                let size = force.abs() * moment_norm;
                if largest > 0.0 && size > largest {
                    force * largest / size.max(1e-15)
                } else {
                    force
                }
            }
        });
        if !motion.is_finite() {
            return Err("cannot be found: the motion is unstable");
        }
        if motion.time() > options.duration - options.interval {
            let [low, high] = seen.unwrap_or([length; 2]);
            seen = Some([low.min(length), high.max(length)]);
        }
    }
    seen.ok_or("cannot be found: no time is left to measure it")
}
