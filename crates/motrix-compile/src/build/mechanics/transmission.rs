//! Length of an actuator in one configuration, and the generalised force of its unit force.

use motrix_model::{Actuator, BodyId, DofId, JointKind, Model, Quat, SiteId, Transmission, Vec3};

use super::kinematics::Kinematics;
use super::tendon_path::TendonPath;
use crate::build::pose::{apply, apply_transposed, compose, conjugate, dot, rotate, scale, sub, unit};

/// One force output of an actuator.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Length (`actuator_length`).
    pub length: f64,
    /// Moment arms by dof, zeros left out (`actuator_moment`).
    pub moment: Vec<(usize, f64)>,
}

impl Output {
    /// The moment arms as a full row of `nv` numbers.
    pub fn row(&self, nv: usize) -> Vec<f64> {
        let mut row = vec![0.0; nv];
        for &(dof, arm) in &self.moment {
            row[dof] = arm;
        }
        row
    }
}

/// The outputs of `actuator`: one, or three when it acts on a rotation.
pub fn outputs(model: &Model, kinematics: &Kinematics, tendons: &[TendonPath], actuator: &Actuator) -> Vec<Output> {
    match actuator.transmission {
        Transmission::BallOrientation(id) => ball_orientation(model, kinematics, id.index()),
        Transmission::SiteOrientation(site, reference) => site_orientation(model, kinematics, site, reference),
        _ => vec![output(model, kinematics, tendons, actuator)],
    }
}

fn output(model: &Model, kinematics: &Kinematics, tendons: &[TendonPath], actuator: &Actuator) -> Output {
    let gear = &actuator.gear;
    match actuator.transmission {
        Transmission::Joint(id) => joint(model, kinematics, id.index(), gear, false),
        Transmission::JointInParent(id) => joint(model, kinematics, id.index(), gear, true),
        Transmission::SliderCrank { crank, slider, length } => {
            slider_crank(model, kinematics, crank, slider, length, gear[0])
        }
        Transmission::Tendon(id) => {
            let path = &tendons[id.index()];
            let moment = path.jacobian.iter().map(|&(dof, arm)| (dof, arm * gear[0])).collect();
            Output {
                length: path.length * gear[0],
                moment,
            }
        }
        Transmission::Site(site, None) => site_wrench(model, kinematics, site, gear),
        Transmission::Site(site, Some(reference)) => relative_site(model, kinematics, site, reference, gear),
        // Forces of adhesion act at contacts, of which there are none here.
        Transmission::Body(_) | Transmission::BallOrientation(_) | Transmission::SiteOrientation(..) => {
            Output::default()
        }
    }
}

fn joint(model: &Model, kinematics: &Kinematics, id: usize, gear: &[f64; 6], in_parent: bool) -> Output {
    let joint = &model.joints[id];
    let at = joint.first_position;
    let quat = |from: usize| -> Quat { unit(std::array::from_fn(|i| kinematics.qpos[from + i])) };
    let turned = |axis: Vec3, q: Quat| if in_parent { rotate(conjugate(q), axis) } else { axis };
    let from_dof = |arms: &[f64]| {
        arms.iter()
            .enumerate()
            .map(|(i, &arm)| (joint.first_dof + i, arm))
            .collect()
    };
    match joint.kind {
        JointKind::Slide | JointKind::Hinge => Output {
            length: kinematics.qpos[at] * gear[0],
            moment: from_dof(&gear[..1]),
        },
        JointKind::Ball => {
            let q = quat(at);
            let axis = turned([gear[0], gear[1], gear[2]], q);
            Output {
                length: dot(rotation_vector(q), axis),
                moment: from_dof(&axis),
            }
        }
        JointKind::Free => {
            let axis = turned([gear[3], gear[4], gear[5]], quat(at + 3));
            let arms = [gear[0], gear[1], gear[2], axis[0], axis[1], axis[2]];
            Output {
                length: 0.0,
                moment: from_dof(&arms),
            }
        }
    }
}

/// Length a·v − √((a·v)² + r² − v·v) of a slider along the axis a, driven by a rod of length r whose pin is at v from it.
fn slider_crank(model: &Model, k: &Kinematics, crank: SiteId, slider: SiteId, rod: f64, gear: f64) -> Output {
    let base = k.sites[slider.index()];
    let pin = k.sites[crank.index()].position;
    let axis = [base.rotation[2], base.rotation[5], base.rotation[8]];
    let v = sub(pin, base.position);
    let av = dot(v, axis);
    let determinant = av * av + rod * rod - dot(v, v);
    let (length, by_v, by_axis) = if determinant <= 0.0 {
        (av, axis, v)
    } else {
        let root = determinant.sqrt();
        let s = 1.0 - av / root;
        (
            av - root,
            std::array::from_fn(|i| s * axis[i] + v[i] / root),
            scale(s, v),
        )
    };
    let mut row = vec![0.0; model.nv()];
    for (dof, linear, _) in k.point_jacobian(model, model.sites[crank.index()].body, pin) {
        row[dof] += dot(by_v, linear);
    }
    for (dof, linear, angular) in k.point_jacobian(model, model.sites[slider.index()].body, base.position) {
        row[dof] += dot(by_axis, crate::build::pose::cross(angular, axis)) - dot(by_v, linear);
    }
    Output {
        length: length * gear,
        moment: nonzero(row.into_iter().map(|arm| arm * gear)),
    }
}

/// A wrench fixed in a site.
fn site_wrench(model: &Model, k: &Kinematics, site: SiteId, gear: &[f64; 6]) -> Output {
    let frame = &k.sites[site.index()];
    let force = apply(&frame.rotation, [gear[0], gear[1], gear[2]]);
    let torque = apply(&frame.rotation, [gear[3], gear[4], gear[5]]);
    let mut row = vec![0.0; model.nv()];
    for (dof, linear, angular) in k.point_jacobian(model, model.sites[site.index()].body, frame.position) {
        row[dof] = dot(force, linear) + dot(torque, angular);
    }
    Output {
        length: 0.0,
        moment: nonzero(row.into_iter()),
    }
}

/// A wrench between two sites, in the frame of the reference. Dofs that move both sites do no work.
fn relative_site(model: &Model, k: &Kinematics, site: SiteId, reference: SiteId, gear: &[f64; 6]) -> Output {
    let (at, origin) = (&k.sites[site.index()], &k.sites[reference.index()]);
    let (translation, rotation) = ([gear[0], gear[1], gear[2]], [gear[3], gear[4], gear[5]]);
    let force = apply(&origin.rotation, translation);
    let torque = apply(&origin.rotation, rotation);
    let mut length = 0.0;
    if translation != [0.0; 3] {
        let offset = apply_transposed(&origin.rotation, sub(at.position, origin.position));
        length += dot(offset, translation);
    }
    if rotation != [0.0; 3] {
        length += dot(rotation_between(model, k, reference, site), rotation);
    }
    let bodies = [site, reference].map(|s| model.sites[s.index()].body);
    let shared = shared_dofs(model, bodies[0], bodies[1]);
    let mut row = vec![0.0; model.nv()];
    for (sign, body, point) in [(1.0, bodies[0], at.position), (-1.0, bodies[1], origin.position)] {
        for (dof, linear, angular) in k.point_jacobian(model, body, point) {
            if !shared.contains(&DofId::new(dof)) {
                row[dof] += sign * (dot(force, linear) + dot(torque, angular));
            }
        }
    }
    Output {
        length,
        moment: nonzero(row.into_iter()),
    }
}

/// The rotation vector of a ball joint, each component driven by one dof.
fn ball_orientation(model: &Model, k: &Kinematics, id: usize) -> Vec<Output> {
    let joint = &model.joints[id];
    let q: Quat = unit(std::array::from_fn(|i| k.qpos[joint.first_position + i]));
    let lengths = rotation_vector(q);
    (0..3)
        .map(|i| Output {
            length: lengths[i],
            moment: vec![(joint.first_dof + i, 1.0)],
        })
        .collect()
}

/// The rotation vector of a site relative to another one, driven by torques about the site's axes.
fn site_orientation(model: &Model, k: &Kinematics, site: SiteId, reference: SiteId) -> Vec<Output> {
    let lengths = rotation_between(model, k, reference, site);
    let bodies = [site, reference].map(|s| model.sites[s.index()].body);
    let shared = shared_dofs(model, bodies[0], bodies[1]);
    let r = &k.sites[site.index()].rotation;
    (0..3)
        .map(|i| {
            let axis = [r[i], r[3 + i], r[6 + i]];
            let mut row = vec![0.0; model.nv()];
            for (sign, body) in [(1.0, bodies[0]), (-1.0, bodies[1])] {
                for (dof, _, angular) in k.point_jacobian(model, body, [0.0; 3]) {
                    if !shared.contains(&DofId::new(dof)) {
                        row[dof] += sign * dot(axis, angular);
                    }
                }
            }
            Output {
                length: lengths[i],
                moment: nonzero(row.into_iter()),
            }
        })
        .collect()
}

/// Dofs that move both bodies.
fn shared_dofs(model: &Model, a: BodyId, b: BodyId) -> Vec<DofId> {
    let chain = model.dof_chain(b);
    model
        .dof_chain(a)
        .into_iter()
        .filter(|dof| chain.contains(dof))
        .collect()
}

/// Rotation from `reference` to `site`, as a rotation vector in the frame of the reference.
fn rotation_between(model: &Model, k: &Kinematics, reference: SiteId, site: SiteId) -> Vec3 {
    let world = |id: SiteId| {
        let site = &model.sites[id.index()];
        compose(k.orientations[site.body.index()], site.orientation)
    };
    rotation_vector(compose(conjugate(world(reference)), world(site)))
}

/// Axis times angle of a rotation, the short way.
fn rotation_vector(q: Quat) -> Vec3 {
    let axis = [q[1], q[2], q[3]];
    let sin = crate::build::pose::norm(axis);
    if sin < 1e-15 {
        return [0.0; 3];
    }
    let mut angle = 2.0 * sin.atan2(q[0]);
    if angle > std::f64::consts::PI {
        angle -= std::f64::consts::TAU;
    }
    scale(angle / sin, axis)
}

fn nonzero(row: impl Iterator<Item = f64>) -> Vec<(usize, f64)> {
    row.enumerate().filter(|&(_, arm)| arm != 0.0).collect()
}
