//! `<keyframe>`: named states.
//!
//! A keyframe written for a smaller model is completed with the reference state. One that came with an attached model lists
//! the numbers of *that* model; each is brought to where its joint, actuator or mocap body stands now.

use std::collections::HashMap;

use motrix_model::{JointKind, Keyframe, Model};

use super::numbering::Pending;
use super::pose::{normalize, unit};
use super::{actuator, joint};
use crate::document::{self, Element, Layout};
use crate::problem::{NoteKind, Problems};

/// Where numbers stand in a list, and how many.
type Span = std::ops::Range<usize>;

/// Where the state of each element of an attached model stands, by identity, and the state of the reference.
pub struct Places {
    qpos: HashMap<u64, Span>,
    qvel: HashMap<u64, Span>,
    act: HashMap<u64, Span>,
    ctrl: HashMap<u64, Span>,
    mocap: HashMap<u64, usize>,
    joints: Vec<(JointKind, usize)>,
    /// Where the rests of ball joints' springs that yield stand among all rests.
    ball_rests: Vec<usize>,
    reference: Reference,
}

/// The state that a keyframe without numbers stands for.
struct Reference {
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    act: Vec<f64>,
    ctrl: Vec<f64>,
    mocap_position: Vec<f64>,
    mocap_orientation: Vec<f64>,
    plastic: Vec<f64>,
}

impl Places {
    /// Of the numbered model.
    pub fn new(pending: &Pending, actuators: &[Element], model: &Model) -> Self {
        let joints = || {
            pending
                .joints
                .iter()
                .map(|element| element.identity())
                .zip(&model.joints)
        };
        let mocaps: Vec<_> = model.bodies.iter().filter(|body| body.mocap.is_some()).collect();
        let bodies = pending
            .bodies
            .iter()
            .map(|element| element.identity())
            .zip(&model.bodies);
        // actuators that were left out have no state
        let named = actuators
            .iter()
            .filter(|element| element.tag() != "plugin")
            .map(Element::identity);
        let actuators = || named.clone().zip(&model.actuators);
        Self {
            qpos: first_of_each(joints().map(|(id, j)| (id, span(j.first_position, j.kind.position_count())))),
            qvel: first_of_each(joints().map(|(id, j)| (id, span(j.first_dof, j.kind.dof_count())))),
            act: first_of_each(
                actuators().filter_map(|(id, a)| Some((id, span(a.first_activation?, a.activation_count)))),
            ),
            ctrl: first_of_each(actuators().map(|(id, a)| (id, span(a.first_control, a.control_count)))),
            mocap: first_of_each(bodies.filter_map(|(id, body)| Some((id, body.mocap?)))),
            joints: model
                .joints
                .iter()
                .map(|joint| (joint.kind, joint.first_position))
                .collect(),
            reference: Reference {
                qpos: model.qpos0.clone(),
                qvel: vec![0.0; model.nv()],
                act: vec![0.0; model.activation_count],
                ctrl: vec![0.0; model.control_count],
                mocap_position: mocaps.iter().flat_map(|body| body.position).collect(),
                mocap_orientation: mocaps.iter().flat_map(|body| body.orientation).collect(),
                plastic: model.spring_rests(),
            },
            ball_rests: ball_rests(model),
        }
    }
}

/// Where the orientations stand among the rests of springs that yield.
fn ball_rests(model: &Model) -> Vec<usize> {
    let mut next = 0;
    let mut places = Vec::new();
    for joint in model.joints.iter().filter(|joint| joint.spring_yield > 0.0) {
        if joint.kind == JointKind::Ball {
            places.push(next);
            next += 4;
        } else {
            next += 1;
        }
    }
    places
}

/// By identity. An element that was copied after it was attached stands for all its copies; 0 is no identity.
fn first_of_each<T>(places: impl Iterator<Item = (u64, T)>) -> HashMap<u64, T> {
    let mut first = HashMap::new();
    for (identity, place) in places.filter(|(identity, _)| *identity != 0) {
        first.entry(identity).or_insert(place);
    }
    first
}

fn span(first: usize, count: usize) -> Span {
    first..first + count
}

/// Reads all keyframes, and adds empty ones up to the number that `<size>` reserves.
pub fn read(
    keyframes: &[document::Keyframe],
    reserved: usize,
    places: &Places,
    problems: &mut Problems,
) -> Vec<Keyframe> {
    let mut list: Vec<Keyframe> = keyframes.iter().map(|key| one(key, places, problems)).collect();
    if list.len() < reserved {
        list.resize(reserved, Keyframe::default());
    }
    list
}

fn one(key: &document::Keyframe, places: &Places, problems: &mut Problems) -> Keyframe {
    let element = &key.element;
    let reference = &places.reference;
    let sources = key.layout.as_deref().map(|layout| Sources::of(key, layout, places));
    let mut list = |name: &str, reference: &[f64], pick: fn(&Sources) -> &[Fate]| {
        let given = element.real_list(name, problems)?;
        match &sources {
            Some(sources) => relocate(element, name, &given, pick(sources), reference, problems),
            None => complete(element, name, given, reference, problems),
        }
    };
    let mut qpos = list("qpos", &reference.qpos, |sources| &sources.qpos);
    let qvel = list("qvel", &reference.qvel, |sources| &sources.qvel);
    let act = list("act", &reference.act, |sources| &sources.act);
    let ctrl = list("ctrl", &reference.ctrl, |sources| &sources.ctrl);
    let mocap_position = list("mpos", &reference.mocap_position, |sources| &sources.mocap_position);
    let mut mocap_orientation = list("mquat", &reference.mocap_orientation, |sources| {
        &sources.mocap_orientation
    });
    let plastic = rests(key, places, problems);
    if let Some(qpos) = &mut qpos {
        normalize_quaternions(qpos, &places.joints);
    }
    for q in mocap_orientation.iter_mut().flat_map(|list| list.chunks_exact_mut(4)) {
        let rotation: [f64; 4] = std::array::from_fn(|i| q[i]);
        q.copy_from_slice(&unit(rotation));
    }
    Keyframe {
        name: element.name().map(str::to_owned),
        time: element.real("time", problems),
        qpos,
        qvel,
        act,
        ctrl,
        mocap_position,
        mocap_orientation,
        plastic,
    }
}

/// Rests of the springs that yield. Those of an attached model are left out, for tendons have no place of their own in its state.
fn rests(key: &document::Keyframe, places: &Places, problems: &mut Problems) -> Option<Vec<f64>> {
    let element = &key.element;
    let given = element.real_list("plastic", problems)?;
    if key.layout.is_some() {
        let message = "the rests of yielding springs in a keyframe of an attached model";
        problems.push(element.problem_with("plastic", message).note(NoteKind::NotSupported));
        return None;
    }
    let mut rests = complete(element, "plastic", given, &places.reference.plastic, problems)?;
    for &first in &places.ball_rests {
        let q: [f64; 4] = std::array::from_fn(|i| rests[first + i]);
        rests[first..first + 4].copy_from_slice(&unit(q));
    }
    Some(rests)
}

/// The numbers given, followed by those of the reference state.
fn complete(
    element: &Element,
    name: &str,
    mut given: Vec<f64>,
    reference: &[f64],
    problems: &mut Problems,
) -> Option<Vec<f64>> {
    if given.len() > reference.len() {
        let message = format!("{} numbers, but the model has {}", given.len(), reference.len());
        problems.push(element.problem_with(name, message));
        return None;
    }
    given.extend_from_slice(&reference[given.len()..]);
    Some(given)
}

/// What becomes of consecutive numbers of an attached model's state.
#[derive(Clone, Debug)]
enum Fate {
    /// They go there.
    Moves(Span),
    /// This many belong to something that did not come along.
    Stays(usize),
}

/// For each piece of an attached model's state, in its order, where the numbers go now.
struct Sources {
    qpos: Vec<Fate>,
    qvel: Vec<Fate>,
    act: Vec<Fate>,
    ctrl: Vec<Fate>,
    mocap_position: Vec<Fate>,
    mocap_orientation: Vec<Fate>,
}

impl Sources {
    fn of(key: &document::Keyframe, layout: &Layout, places: &Places) -> Self {
        let fates = |elements: &[Element], to: &HashMap<u64, Span>, size: fn(&Element) -> usize| -> Vec<Fate> {
            let fate = |element: &Element| match to.get(&key.identity_of(element)) {
                Some(span) => Fate::Moves(span.clone()),
                None => Fate::Stays(size(element)),
            };
            elements.iter().map(fate).collect()
        };
        let mocap = |count: usize| -> Vec<Fate> {
            let fate = |element: &Element| match places.mocap.get(&key.identity_of(element)) {
                Some(&row) => Fate::Moves(span(count * row, count)),
                None => Fate::Stays(count),
            };
            layout.mocaps.iter().map(fate).collect()
        };
        Self {
            qpos: fates(&layout.joints, &places.qpos, |joint| {
                joint::kind(joint).position_count()
            }),
            qvel: fates(&layout.joints, &places.qvel, |joint| joint::kind(joint).dof_count()),
            act: fates(&layout.actuators, &places.act, |element| {
                actuator::state_size(element).activations
            }),
            ctrl: fates(&layout.actuators, &places.ctrl, |element| {
                actuator::state_size(element).controls
            }),
            mocap_position: mocap(3),
            mocap_orientation: mocap(4),
        }
    }
}

/// The reference state with the numbers of an attached model's keyframe put where they belong now.
fn relocate(
    element: &Element,
    name: &str,
    given: &[f64],
    fates: &[Fate],
    reference: &[f64],
    problems: &mut Problems,
) -> Option<Vec<f64>> {
    let mut list = reference.to_vec();
    let mut rest = given;
    for fate in fates {
        let count = match fate {
            Fate::Moves(span) => span.len(),
            Fate::Stays(count) => *count,
        };
        // a keyframe for a smaller model leaves the rest at the reference
        let Some((numbers, after)) = rest.split_at_checked(count) else {
            break;
        };
        if let Fate::Moves(span) = fate {
            list[span.clone()].copy_from_slice(numbers);
        }
        rest = after;
    }
    if !rest.is_empty() {
        let message = format!(
            "{} numbers, but the attached model has {}",
            given.len(),
            given.len() - rest.len()
        );
        problems.push(element.problem_with(name, message));
        return None;
    }
    Some(list)
}

/// Unit quaternions for ball and free joints; one that is zero becomes the identity.
fn normalize_quaternions(qpos: &mut [f64], joints: &[(JointKind, usize)]) {
    for &(kind, first) in joints {
        let at = match kind {
            JointKind::Free => first + 3,
            JointKind::Ball => first,
            JointKind::Slide | JointKind::Hinge => continue,
        };
        let mut q: [f64; 4] = std::array::from_fn(|i| qpos[at + i]);
        if normalize(&mut q) == 0.0 {
            q = [1.0, 0.0, 0.0, 0.0];
        }
        qpos[at..at + 4].copy_from_slice(&q);
    }
}
