//! `<keyframe>`: named states.

use motrix_model::{JointKind, Keyframe, Model};

use super::pose::{normalize, unit};
use crate::document::Element;
use crate::problem::Problems;

/// Reads all keyframes, and adds empty ones up to the number that `<size>` reserves.
pub fn read(elements: &[Element], reserved: usize, model: &Model, problems: &mut Problems) -> Vec<Keyframe> {
    let mut keyframes: Vec<Keyframe> = elements.iter().map(|element| one(element, model, problems)).collect();
    if keyframes.len() < reserved {
        keyframes.resize(reserved, Keyframe::default());
    }
    keyframes
}

fn one(element: &Element, model: &Model, problems: &mut Problems) -> Keyframe {
    let mut list = |name: &str, length: usize| {
        let given = element.real_list(name, problems)?;
        if given.len() != length {
            let message = format!("{name} has {} numbers, but the model needs {length}", given.len());
            problems.push(element.problem_with(name, message));
            return None;
        }
        Some(given)
    };
    let mut qpos = list("qpos", model.nq());
    let qvel = list("qvel", model.nv());
    let act = list("act", model.activation_count);
    let ctrl = list("ctrl", model.control_count);
    let mocap_position = list("mpos", 3 * model.mocap_count);
    let mut mocap_orientation = list("mquat", 4 * model.mocap_count);
    if let Some(qpos) = &mut qpos {
        normalize_quaternions(qpos, model);
    }
    for q in mocap_orientation.iter_mut().flat_map(|list| list.chunks_exact_mut(4)) {
        let rotation: [f64; 4] = std::array::from_fn(|i| q[i]);
        q.copy_from_slice(&unit(rotation));
    }
    let time = element.real("time", problems);
    Keyframe {
        name: element.name().map(str::to_owned),
        time,
        qpos,
        qvel,
        act,
        ctrl,
        mocap_position,
        mocap_orientation,
    }
}

/// Unit quaternions for ball and free joints; one that is zero becomes the identity.
fn normalize_quaternions(qpos: &mut [f64], model: &Model) {
    for joint in &model.joints {
        let at = match joint.kind {
            JointKind::Free => joint.first_position + 3,
            JointKind::Ball => joint.first_position,
            JointKind::Slide | JointKind::Hinge => continue,
        };
        let mut q: [f64; 4] = std::array::from_fn(|i| qpos[at + i]);
        if normalize(&mut q) == 0.0 {
            q = [1.0, 0.0, 0.0, 0.0];
        }
        qpos[at..at + 4].copy_from_slice(&q);
    }
}
