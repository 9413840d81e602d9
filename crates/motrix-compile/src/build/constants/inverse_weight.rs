//! Inverse weights in the reference configuration: how readily bodies and dofs accelerate.
//!
//! A body's inverse weight is the mean diagonal of J M⁻¹ Jᵀ, J being the Jacobian of its centre of mass, for translation and
//! rotation apart; a dof's is the diagonal of M⁻¹, averaged over the translations and the rotations of its joint. Bodies that
//! only slide along their own axes are *simple*: their weight is their mass, whatever their armature (MuJoCo does the same).

use motrix_model::{BodyId, JointKind, Model, PathItem};

use super::{MIN_VALUE, Wishes};
use crate::build::mechanics::{InertiaMatrix, Kinematics};
use crate::build::pose::TINY;

/// Sets `invweight` of bodies and dofs.
pub fn set(model: &mut Model, wishes: &Wishes, reference: &Kinematics, inertia: &InertiaMatrix) {
    let sliding = sliding_bodies(model, wishes);
    for i in 0..model.bodies.len() {
        model.bodies[i].invweight = if model.bodies[model.bodies[i].weld.index()].dof_count == 0 {
            [0.0; 2]
        } else if sliding[i] {
            [1.0 / model.bodies[i].mass.max(MIN_VALUE), 0.0]
        } else {
            body_inverse_weight(model, reference, inertia, BodyId::new(i))
        };
    }
    for j in 0..model.joints.len() {
        let (body, first) = (model.joints[j].body.index(), model.joints[j].first_dof);
        if sliding[body] {
            model.dofs[first].invweight = 1.0 / model.bodies[body].mass.max(MIN_VALUE);
            continue;
        }
        for (from, count) in groups(model.joints[j].kind) {
            let dofs = first + from..first + from + count;
            let diagonal = dofs.map(|dof| inertia.inverse_weight_on_chain(dof, [(dof, 1.0)]));
            let mean = diagonal.sum::<f64>() / count as f64;
            for dof in &mut model.dofs[first + from..first + from + count] {
                dof.invweight = mean;
            }
        }
    }
}

/// First dof and number of dofs of the groups of a joint that share one weight.
fn groups(kind: JointKind) -> Vec<(usize, usize)> {
    match kind {
        JointKind::Free => vec![(0, 3), (3, 3)],
        JointKind::Ball => vec![(0, 3)],
        JointKind::Slide | JointKind::Hinge => vec![(0, 1)],
    }
}

/// Mean diagonal of J M⁻¹ Jᵀ for the translation and the rotation of the body's centre of mass.
fn body_inverse_weight(model: &Model, reference: &Kinematics, inertia: &InertiaMatrix, body: BodyId) -> [f64; 2] {
    let com = reference.inertial[body.index()].position;
    let jacobian = reference.point_jacobian(model, body, com);
    let Some(last) = model.last_dof(body) else {
        return [0.0; 2];
    };
    let mean = |pick: fn(&(usize, [f64; 3], [f64; 3])) -> [f64; 3]| {
        let weight = |axis: usize| {
            let row = jacobian.iter().map(|column| (column.0, pick(column)[axis]));
            inertia.inverse_weight_on_chain(last.index(), row)
        };
        (0..3).map(weight).sum::<f64>() / 3.0
    };
    [mean(|column| column.1), mean(|column| column.2)]
}

/// Bodies with sliders along their own axes only, whose inertia matrix is diagonal (`body_simple == 2`).
fn sliding_bodies(model: &Model, wishes: &Wishes) -> Vec<bool> {
    let mut simple: Vec<bool> = (0..model.bodies.len())
        .map(|i| slides_only(model, i) && !wishes.not_simple.get(i).copied().unwrap_or(false))
        .collect();
    for body in &model.bodies[1..] {
        if body.parent != BodyId::WORLD {
            simple[body.parent.index()] = false;
        }
    }
    // the inertia of a tendon couples the bodies it passes through
    for tendon in model.tendons.iter().filter(|tendon| tendon.armature != 0.0) {
        for item in &tendon.path {
            match item {
                PathItem::Site(id) => simple[model.sites[id.index()].body.index()] = false,
                PathItem::Sphere(id, _) | PathItem::Cylinder(id, _) => {
                    simple[model.geoms[id.index()].body.index()] = false;
                }
                PathItem::Joint(..) | PathItem::Pulley(_) => {}
            }
        }
    }
    simple
}

fn slides_only(model: &Model, index: usize) -> bool {
    let body = &model.bodies[index];
    let parent = &model.bodies[body.parent.index()];
    let at_root = body.root.index() == index || (parent.parent == BodyId::WORLD && parent.dof_count == 0);
    let near = |x: f64, target: f64| (x - target).abs() < 1e-6;
    let centred = body.com.iter().all(|&x| near(x, 0.0));
    let upright = |sign: f64| {
        near(body.inertia_orientation[0], sign) && body.inertia_orientation[1..].iter().all(|&x| near(x, 0.0))
    };
    let joints = &model.joints[body.first_joint..body.first_joint + body.joint_count];
    let aligned = |axis: &[f64; 3]| axis.iter().filter(|x| x.abs() > TINY).count() == 1;
    index > 0
        && body.dof_count > 0
        && at_root
        && centred
        && (upright(1.0) || upright(-1.0))
        && joints.iter().all(|joint| {
            joint.kind == JointKind::Slide && aligned(&joint.axis) && joint.anchor.iter().all(|&x| near(x, 0.0))
        })
}
