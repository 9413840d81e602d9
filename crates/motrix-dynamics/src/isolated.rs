//! Bodies on their own, which MuJoCo integrates by rules of their own.
//!
//! A *simple* body hangs on the world, carries nothing, and has its centre of mass and principal axes in its frame and its
//! joints along its axes, so that its inertia matrix is diagonal. MuJoCo then stores the diagonal only, and the implicit
//! integrators lose what would couple such dofs. A *standalone* body has a free joint and is the only one in its tree to have
//! mass; `implicitfast` solves its six dofs exactly, gyroscopic forces included.

use motrix_model::{Body, JointKind, Model, PathItem, Transmission};

/// Smallest component that counts when a frame is compared with another.
const SAME: f64 = 1e-14;

/// For each dof whether it belongs to a simple body.
pub fn simple_dofs(model: &Model) -> Vec<bool> {
    let mut simple: Vec<bool> = (0..model.bodies.len()).map(|b| b > 0 && is_simple(model, b)).collect();
    for body in model.bodies.iter().skip(1) {
        simple[body.parent.index()] = false;
    }
    for body in bodies_on_heavy_tendons(model) {
        simple[body] = false;
    }
    model.dofs.iter().map(|d| simple[d.body.index()]).collect()
}

/// Whether a body would be simple if it has no children and no tendon lends it inertia.
fn is_simple(model: &Model, index: usize) -> bool {
    let body = &model.bodies[index];
    let parent = &model.bodies[body.parent.index()];
    let on_world = body.parent.index() == 0 || (parent.parent.index() == 0 && parent.dof_count == 0);
    on_world && own_principal_frame(body) && joints_along_axes(model, body)
}

fn own_principal_frame(body: &Body) -> bool {
    let [w, x, y, z] = body.inertia_orientation;
    body.com.iter().all(|c| c.abs() < SAME) && (w - 1.0).abs() < SAME && [x, y, z].iter().all(|c| c.abs() < SAME)
}

/// Whether all joints are anchored at the origin along axes, and none follows a rotation.
fn joints_along_axes(model: &Model, body: &Body) -> bool {
    let mut turned = false;
    for joint in &model.joints[body.first_joint..body.first_joint + body.joint_count] {
        let aligned = joint.axis.iter().filter(|a| a.abs() > SAME).count() == 1;
        let scalar = matches!(joint.kind, JointKind::Hinge | JointKind::Slide);
        if turned || joint.anchor.iter().any(|a| a.abs() >= SAME) || (scalar && !aligned) {
            return false;
        }
        turned = matches!(joint.kind, JointKind::Hinge | JointKind::Ball);
    }
    true
}

/// Bodies on the path of a tendon that has inertia, its own or an actuator's.
fn bodies_on_heavy_tendons(model: &Model) -> Vec<usize> {
    let driven = |tendon: usize| {
        let drives = |t: &Transmission| matches!(t, Transmission::Tendon(id) if id.index() == tendon);
        model
            .actuators
            .iter()
            .any(|a| a.armature != 0.0 && drives(&a.transmission))
    };
    let heavy = model
        .tendons
        .iter()
        .enumerate()
        .filter(|&(i, t)| t.armature > 0.0 || driven(i));
    let body_of = |item: &PathItem| match item {
        PathItem::Joint(id, _) => Some(model.joints[id.index()].body.index()),
        PathItem::Site(id) => Some(model.sites[id.index()].body.index()),
        PathItem::Sphere(id, _) | PathItem::Cylinder(id, _) => Some(model.geoms[id.index()].body.index()),
        PathItem::Pulley(_) => None,
    };
    heavy.flat_map(|(_, t)| t.path.iter().filter_map(body_of)).collect()
}

/// The standalone bodies, by index.
pub fn standalone_bodies(model: &Model) -> Vec<usize> {
    let standalone = |body: &Body| {
        body.joint_count == 1
            && model.joints[body.first_joint].kind == JointKind::Free
            && model.trees[model.dofs[body.first_dof].tree].dof_count == 6
            && body.subtree_mass == body.mass
    };
    (1..model.bodies.len())
        .filter(|&b| standalone(&model.bodies[b]))
        .collect()
}
