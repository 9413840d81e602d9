//! Constants of the compiled model that follow from its reference configuration.
//!
//! Inverse weights, reference lengths, anchors of equalities, offsets of tracking cameras, damping from damping ratios and the
//! statistics of the model are computed once, after everything else is known (MuJoCo's `mj_setConst`).

mod equality;
mod inverse_weight;
mod statistic;

use motrix_model::{Actuator, BodyId, DofId, GainKind, Model, OutputConstants, PathItem, Statistic};

use super::mechanics::{InertiaMatrix, Kinematics, Output, outputs, tendon_paths};
use super::pose::{apply, matrix, rotate, sub};

/// Numbers below this are zero to the engine (`mjMINVAL`).
const MIN_VALUE: f64 = 1e-15;

/// Scales of a model in which there is nothing to measure.
const EMPTY: Statistic = Statistic {
    meaninertia: 1.0,
    meanmass: 1.0,
    meansize: 0.2,
    extent: 2.0,
    center: [0.0; 3],
};

/// What the constants depend on beside the model itself.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Bodies whose file forbids treating them as simple (`simple="false"`), by index.
    pub not_simple: Vec<bool>,
    /// Time constant and damping ratio from which a joint's spring and damper follow, by joint index.
    pub spring_dampers: Vec<Option<[f64; 2]>>,
}

/// Fills every constant of `model` that follows from its reference configuration, except length ranges.
pub fn fill(model: &mut Model, wishes: &Wishes) {
    model.statistic = EMPTY;
    for tendon in 0..model.tendons.len() {
        model.tendons[tendon].dofs = tendon_dofs(model, tendon);
    }
    let reference = Kinematics::at(model, &model.qpos0);
    let tendons = tendon_paths(model, &reference);
    let inertia = InertiaMatrix::new(model, &reference, &tendons);
    let outputs: Vec<Vec<Output>> = model
        .actuators
        .iter()
        .map(|a| outputs(model, &reference, &tendons, a))
        .collect();

    for (dof, inertia0) in model.dofs.iter_mut().zip(&inertia.tree_diagonal) {
        dof.inertia0 = *inertia0;
    }
    set_subtree_masses(model);
    inverse_weight::set(model, wishes, &reference, &inertia);
    for (i, path) in tendons.iter().enumerate() {
        model.tendons[i].length0 = path.length;
        model.tendons[i].invweight = inertia.inverse_weight(&path.row(model.nv()));
    }
    set_actuator_constants(model, &inertia, &outputs);
    equality::set_anchors(model, &reference);
    set_viewpoints(model, &reference);
    statistic::set(model, &reference, &inertia);
    set_spring_lengths(model);
    set_spring_dampers(model, wishes);
}

/// Dofs that can change a tendon's length, ascending.
fn tendon_dofs(model: &Model, tendon: usize) -> Vec<DofId> {
    let mut dofs = Vec::new();
    for item in &model.tendons[tendon].path {
        match item {
            PathItem::Joint(id, _) => dofs.push(DofId::new(model.joints[id.index()].first_dof)),
            PathItem::Site(id) => dofs.extend(model.dof_chain(model.sites[id.index()].body)),
            PathItem::Sphere(id, _) | PathItem::Cylinder(id, _) => {
                dofs.extend(model.dof_chain(model.geoms[id.index()].body));
            }
            PathItem::Pulley(_) => {}
        }
    }
    dofs.sort_unstable();
    dofs.dedup();
    dofs
}

fn set_subtree_masses(model: &mut Model) {
    for body in &mut model.bodies {
        body.subtree_mass = body.mass;
    }
    for i in (1..model.bodies.len()).rev() {
        let parent = model.bodies[i].parent.index();
        model.bodies[parent].subtree_mass += model.bodies[i].subtree_mass;
    }
}

/// Reference length, acceleration of unit force, and damping from a damping ratio.
fn set_actuator_constants(model: &mut Model, inertia: &InertiaMatrix, outputs: &[Vec<Output>]) {
    let nv = model.nv();
    for (actuator, outputs) in model.actuators.iter_mut().zip(outputs) {
        let length_range = actuator.length_range;
        let mut constants = outputs.iter().map(|output| {
            let mut acceleration = output.row(nv);
            inertia.solve(&mut acceleration);
            let acc0 = acceleration.iter().map(|a| a * a).sum::<f64>().sqrt();
            OutputConstants {
                acc0,
                length0: output.length,
                length_range,
            }
        });
        let first = constants.next().unwrap_or_default();
        (actuator.acc0, actuator.length0) = (first.acc0, first.length0);
        actuator.further_outputs = constants.collect();
        damp_by_ratio(actuator, reflected_mass(inertia, outputs, nv));
    }
}

/// Mass that the actuator feels at its outputs: the inverse of the mean of J M⁻¹ Jᵀ.
fn reflected_mass(inertia: &InertiaMatrix, outputs: &[Output], nv: usize) -> f64 {
    let weights = outputs.iter().map(|output| inertia.inverse_weight(&output.row(nv)));
    let mean = weights.sum::<f64>() / outputs.len().max(1) as f64;
    if mean > MIN_VALUE { 1.0 / mean } else { 0.0 }
}

/// A servo whose velocity coefficient is positive holds a damping ratio ζ there: the damping is 2 ζ √(k m).
fn damp_by_ratio(actuator: &mut Actuator, mass: f64) {
    let stiffness = match actuator.gain {
        GainKind::Pid => -actuator.bias_params[1],
        _ if actuator.gain_params[0] == -actuator.bias_params[1] => actuator.gain_params[0],
        _ => return,
    };
    let ratio = actuator.bias_params[2];
    if ratio > 0.0 {
        actuator.damping_ratio = Some(ratio);
        actuator.bias_params[2] = -ratio * 2.0 * (stiffness * mass).sqrt();
    }
}

/// Where cameras and lights are in the reference configuration, relative to what they may follow.
fn set_viewpoints(model: &mut Model, k: &Kinematics) {
    let followed = |body: BodyId, target: Option<BodyId>| k.subtree_com[target.unwrap_or(body).index()];
    for camera in &mut model.cameras {
        let body = k.bodies[camera.body.index()];
        let offset = apply(&body.rotation, camera.position);
        let position = super::pose::add(body.position, offset);
        camera.offset_from_body0 = sub(position, body.position);
        camera.offset_from_com0 = sub(position, followed(camera.body, camera.target));
        camera.rotation0 = matrix(super::pose::compose(
            k.orientations[camera.body.index()],
            camera.orientation,
        ));
    }
    for light in &mut model.lights {
        let body = k.bodies[light.body.index()];
        let offset = apply(&body.rotation, light.position);
        let position = super::pose::add(body.position, offset);
        light.offset_from_body0 = sub(position, body.position);
        light.offset_from_com0 = sub(position, followed(light.body, light.target));
        light.direction0 = super::pose::unit(rotate(k.orientations[light.body.index()], light.direction));
    }
}

/// A spring length written as −1 −1 is the length in the configuration where springs rest.
fn set_spring_lengths(model: &mut Model) {
    if model.tendons.iter().all(|tendon| tendon.spring_length != [-1.0; 2]) {
        return;
    }
    let rest = Kinematics::at(model, &model.qpos_spring);
    for (i, path) in tendon_paths(model, &rest).into_iter().enumerate() {
        if model.tendons[i].spring_length == [-1.0; 2] {
            model.tendons[i].spring_length = [path.length; 2];
        }
    }
}

/// Stiffness and damping of joints written with a time constant and a damping ratio, from their mean inertia.
fn set_spring_dampers(model: &mut Model, wishes: &Wishes) {
    for (j, wish) in wishes.spring_dampers.iter().enumerate() {
        let Some([time, ratio]) = *wish else { continue };
        if !(time > 0.0 && ratio > 0.0) {
            continue;
        }
        let joint = &mut model.joints[j];
        let dofs = joint.first_dof..joint.first_dof + joint.kind.dof_count();
        let inverse: f64 = model.dofs[dofs.clone()].iter().map(|dof| dof.invweight).sum();
        let inertia = dofs.len() as f64 / inverse.max(MIN_VALUE);
        joint.stiffness = inertia / (time * time * ratio * ratio).max(MIN_VALUE);
        for dof in &mut model.dofs[dofs] {
            dof.damping = 2.0 * inertia / time.max(MIN_VALUE);
        }
    }
}
