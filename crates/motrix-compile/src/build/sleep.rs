//! Which trees may sleep when the file does not say: those that nothing drives.

use motrix_model::{BodyId, Model, PathItem, SiteId, SleepPolicy, Transmission};

/// Turns "allowed unless there is a reason" into a decision for every tree.
pub fn set_policies(model: &mut Model) {
    let mut driven: Vec<usize> = Vec::new();
    for actuator in &model.actuators {
        let body = |body: BodyId| model.bodies[body.index()].tree;
        let tree_of_site = |site: SiteId| body(model.sites[site.index()].body);
        match actuator.transmission {
            Transmission::Joint(id) | Transmission::JointInParent(id) | Transmission::BallOrientation(id) => {
                driven.extend(body(model.joints[id.index()].body));
            }
            Transmission::Site(site, reference) => {
                driven.extend([Some(site), reference].into_iter().flatten().filter_map(tree_of_site));
            }
            Transmission::SiteOrientation(first, second) => {
                driven.extend([first, second].into_iter().filter_map(tree_of_site));
            }
            Transmission::SliderCrank { crank, slider, .. } => {
                driven.extend([crank, slider].into_iter().filter_map(tree_of_site));
            }
            Transmission::Body(id) => driven.extend(body(id)),
            Transmission::Tendon(id) => driven.extend(tendon_trees(model, id.index())),
        }
    }
    for i in 0..model.tendons.len() {
        let trees = tendon_trees(model, i);
        if trees.len() > 2 || (trees.len() == 2 && tendon_acts(model, i)) {
            driven.extend(trees);
        }
    }
    for tree in driven {
        let policy = &mut model.trees[tree].sleep;
        if *policy == SleepPolicy::AutoAllowed {
            *policy = SleepPolicy::AutoNever;
        }
    }
}

/// Trees along the path of a tendon, each once.
fn tendon_trees(model: &Model, tendon: usize) -> Vec<usize> {
    let body_of = |item: &PathItem| match item {
        PathItem::Joint(id, _) => Some(model.joints[id.index()].body),
        PathItem::Site(id) => Some(model.sites[id.index()].body),
        PathItem::Sphere(id, _) | PathItem::Cylinder(id, _) => Some(model.geoms[id.index()].body),
        PathItem::Pulley(_) => None,
    };
    let path = &model.tendons[tendon].path;
    let mut trees: Vec<usize> = path
        .iter()
        .filter_map(body_of)
        .filter_map(|body| model.bodies[body.index()].tree)
        .collect();
    trees.sort_unstable();
    trees.dedup();
    trees
}

/// Whether a tendon exerts forces of its own: by spring, damper, or an actuator's damping and armature.
fn tendon_acts(model: &Model, tendon: usize) -> bool {
    let t = &model.tendons[tendon];
    let passive = t.stiffness != 0.0 || t.stiffness_poly != [0.0; 2] || t.damping != 0.0 || t.damping_poly != [0.0; 2];
    passive
        || model.actuators.iter().any(|actuator| {
            let reflects = actuator.damping != 0.0 || actuator.damping_poly != [0.0; 2] || actuator.armature != 0.0;
            reflects && actuator.transmission == Transmission::Tendon(motrix_model::TendonId::new(tendon))
        })
}
