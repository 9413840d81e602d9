//! The scene as users see it: trees are bodies, MJCF bodies are links, free joints are floating bases.

use std::collections::HashMap;

use motrix_model::{BodyId, JointKind, Model, Transmission};

/// A kinematic tree: everything that hangs on a direct child of the world.
pub struct TreeBody {
    /// Its root, a body of the model.
    pub root: BodyId,
    /// Bodies of the model, root first; contiguous.
    pub links: std::ops::Range<usize>,
    /// The floating base, when the root floats.
    pub floating_base: Option<usize>,
    /// Joints by position in [`Structure::joints`].
    pub joints: std::ops::Range<usize>,
    /// Actuators on its joints, in the order of the file.
    pub actuators: Vec<usize>,
}

/// Lists and names of a scene. Links are the model's bodies without the world: link i is body i + 1.
pub struct Structure {
    /// Trees in the order of their roots.
    pub bodies: Vec<TreeBody>,
    /// Joints of the model that are not free.
    pub joints: Vec<usize>,
    /// Joints of the model that are free.
    pub floating_bases: Vec<usize>,
    /// Names.
    pub names: Names,
}

/// Positions by name.
pub struct Names {
    pub bodies: HashMap<String, usize>,
    pub links: HashMap<String, usize>,
    pub joints: HashMap<String, usize>,
    pub geoms: HashMap<String, usize>,
    pub sites: HashMap<String, usize>,
    pub actuators: HashMap<String, usize>,
    pub hfields: HashMap<String, usize>,
    pub cameras: HashMap<String, usize>,
    pub sensors: HashMap<String, usize>,
}

/// Positions of the names in a list.
fn positions<'a>(names: impl Iterator<Item = Option<&'a String>>) -> HashMap<String, usize> {
    names
        .enumerate()
        .filter_map(|(i, name)| name.map(|name| (name.clone(), i)))
        .collect()
}

impl Structure {
    /// Reads the lists off a model.
    pub fn new(model: &Model) -> Self {
        let is_free = |j: &usize| model.joints[*j].kind == JointKind::Free;
        let (floating_bases, joints): (Vec<usize>, Vec<usize>) = (0..model.joints.len()).partition(is_free);
        let bodies = trees(model, &joints, &floating_bases);
        let names = Names {
            bodies: positions(bodies.iter().map(|b| model.bodies[b.root.index()].name.as_ref())),
            links: positions(model.bodies.iter().skip(1).map(|b| b.name.as_ref())),
            joints: positions(joints.iter().map(|&j| model.joints[j].name.as_ref())),
            geoms: positions(model.geoms.iter().map(|g| g.name.as_ref())),
            sites: positions(model.sites.iter().map(|s| s.name.as_ref())),
            actuators: positions(model.actuators.iter().map(|a| a.name.as_ref())),
            hfields: positions(model.hfields.iter().map(|h| Some(&h.name))),
            cameras: positions(model.cameras.iter().map(|c| c.name.as_ref())),
            sensors: positions(model.sensors.iter().map(|s| s.name.as_ref())),
        };
        Self {
            bodies,
            joints,
            floating_bases,
            names,
        }
    }
}

/// The trees, in one pass over what they have: a scene may be a hundred thousand trees.
fn trees(model: &Model, joints: &[usize], floating: &[usize]) -> Vec<TreeBody> {
    let roots: Vec<usize> = (1..model.bodies.len())
        .filter(|&b| model.bodies[b].parent == BodyId::WORLD)
        .collect();
    // Joints are listed by body, so those of a tree stand together.
    let before = |list: &[usize], body: usize| list.partition_point(|&j| model.joints[j].body.index() < body);
    let mut trees: Vec<TreeBody> = (0..roots.len())
        .map(|t| {
            let links = roots[t]..roots.get(t + 1).copied().unwrap_or(model.bodies.len());
            let floats = before(floating, links.start)..before(floating, links.end);
            let own = before(joints, links.start)..before(joints, links.end);
            TreeBody {
                root: BodyId::new(links.start),
                floating_base: (!floats.is_empty()).then_some(floats.start),
                joints: if own.is_empty() { 0..0 } else { own },
                actuators: Vec::new(),
                links,
            }
        })
        .collect();
    for (a, actuator) in model.actuators.iter().enumerate() {
        if let Transmission::Joint(joint) | Transmission::JointInParent(joint) | Transmission::BallOrientation(joint) =
            &actuator.transmission
        {
            let body = model.joints[joint.index()].body.index();
            if let Some(tree) = roots.partition_point(|&root| root <= body).checked_sub(1) {
                trees[tree].actuators.push(a);
            }
        }
    }
    trees
}
