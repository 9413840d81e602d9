//! Draft bodies to the lists of the model: bodies depth first, everything else body by body.

use motrix_model::{Body, BodyId, Dof, DofId, Joint, JointId, JointKind, Model, SleepPolicy, Tree};

use super::constants::Wishes;
use super::draft::{BodyDraft, JointDraft};
use super::pose::Pose;
use crate::document::Element;
use crate::problem::{Problem, Problems};

/// Bodies beyond this number are refused, as in MuJoCo: two body ids fit one 32-bit signature there.
const MOST_BODIES: usize = 65_534;

/// Elements whose references are still to be resolved, in the order of the model's lists.
#[derive(Debug, Default)]
pub struct Pending<'d> {
    /// Elements of bodies.
    pub bodies: Vec<&'d Element>,
    /// Elements of joints.
    pub joints: Vec<&'d Element>,
    /// Elements of cameras.
    pub cameras: Vec<&'d Element>,
    /// Elements of lights.
    pub lights: Vec<&'d Element>,
    /// Wishes that wait for the constants.
    pub wishes: Wishes,
    /// What bodies say about sleeping.
    sleep: Vec<Option<SleepPolicy>>,
}

/// The first body too many, if there is one, as a problem: building all that stands in so many would only take time.
/// Bodies may still be fused, so this is asked where they are not.
pub fn excess(world: &Element) -> Option<Problem> {
    let mut count = 0;
    let mut excess = None;
    world.visit(&mut |element| {
        if matches!(element.tag(), "body" | "worldbody") {
            count += 1;
            if count > MOST_BODIES && excess.is_none() {
                excess = Some(too_many(element));
            }
        }
    });
    excess
}

fn too_many(body: &Element) -> Problem {
    body.problem(format!("the model has more than {MOST_BODIES} bodies"))
}

/// Lists all bodies of the tree and what is in them.
pub fn number<'d>(world: BodyDraft<'d>, model: &mut Model, problems: &mut Problems) -> Pending<'d> {
    let mut pending = Pending::default();
    // an explicit stack: the tree may be deep
    let mut stack = vec![(world, BodyId::WORLD)];
    while let Some((mut draft, parent)) = stack.pop() {
        if model.bodies.len() >= MOST_BODIES {
            problems.push(too_many(draft.element));
            break;
        }
        let children = std::mem::take(&mut draft.children);
        let id = add_body(draft, parent, model, &mut pending);
        stack.extend(children.into_iter().rev().map(|child| (child, id)));
    }
    set_trees(model, &pending, problems);
    pending
}

fn add_body<'d>(draft: BodyDraft<'d>, parent: BodyId, model: &mut Model, pending: &mut Pending<'d>) -> BodyId {
    let id = BodyId::new(model.bodies.len());
    let is_world = id == BodyId::WORLD;
    let above = (!is_world).then(|| (model.bodies[parent.index()].root, model.bodies[parent.index()].weld));
    let root = above.filter(|_| parent != BodyId::WORLD).map_or(id, |(root, _)| root);
    let weld = above.filter(|_| draft.is_fixed()).map_or(id, |(_, weld)| weld);
    let first_dof = model.dofs.len();
    let first_joint = model.joints.len();
    let joint_count = draft.joints.len();
    let mut last_dof = if is_world { None } else { model.last_dof(parent) };
    for joint in draft.joints {
        add_joint(joint, id, &draft.pose, &mut last_dof, model, pending);
    }
    let mocap = draft.mocap.then_some(model.mocap_count);
    model.mocap_count += usize::from(draft.mocap);
    model.bodies.push(Body {
        name: draft.name,
        parent,
        root,
        weld,
        tree: None,
        mocap,
        first_joint,
        joint_count,
        first_dof,
        dof_count: model.dofs.len() - first_dof,
        first_geom: model.geoms.len(),
        geom_count: draft.geoms.len(),
        position: draft.pose.position,
        orientation: draft.pose.orientation,
        com: draft.inertia.pose.position,
        inertia_orientation: draft.inertia.pose.orientation,
        mass: draft.inertia.mass,
        inertia: draft.inertia.moments,
        subtree_mass: 0.0,
        invweight: [0.0; 2],
        gravcomp: draft.gravcomp,
        user: draft.user,
    });
    model.geoms.extend(draft.geoms.into_iter().map(|mut geom| {
        geom.geom.body = id;
        geom.geom
    }));
    model.sites.extend(draft.sites.into_iter().map(|mut site| {
        site.body = id;
        site
    }));
    for (mut camera, element) in draft.cameras {
        camera.body = id;
        model.cameras.push(camera);
        pending.cameras.push(element);
    }
    for (mut light, element) in draft.lights {
        light.body = id;
        model.lights.push(light);
        pending.lights.push(element);
    }
    pending.bodies.push(draft.element);
    pending.sleep.push(draft.sleep);
    pending.wishes.not_simple.push(draft.not_simple);
    id
}

fn add_joint<'d>(
    draft: JointDraft<'d>,
    body: BodyId,
    pose: &Pose,
    last_dof: &mut Option<DofId>,
    model: &mut Model,
    pending: &mut Pending<'d>,
) {
    let id = JointId::new(model.joints.len());
    let joint = Joint {
        body,
        first_position: model.qpos0.len(),
        first_dof: model.dofs.len(),
        ..draft.joint
    };
    match joint.kind {
        JointKind::Free => {
            for list in [&mut model.qpos0, &mut model.qpos_spring] {
                list.extend(pose.position);
                list.extend(pose.orientation);
            }
        }
        JointKind::Ball => {
            model.qpos0.extend([1.0, 0.0, 0.0, 0.0]);
            model.qpos_spring.extend([1.0, 0.0, 0.0, 0.0]);
        }
        JointKind::Slide | JointKind::Hinge => {
            model.qpos0.push(draft.reference);
            model.qpos_spring.push(draft.spring_reference);
        }
    }
    for _ in 0..joint.kind.dof_count() {
        let parent = last_dof.replace(DofId::new(model.dofs.len()));
        model.dofs.push(Dof {
            body,
            joint: id,
            parent,
            tree: 0,
            armature: draft.dof.armature,
            damping: draft.dof.damping[0],
            damping_poly: [draft.dof.damping[1], draft.dof.damping[2]],
            frictionloss: draft.dof.frictionloss,
            solref: draft.dof.solref,
            solimp: draft.dof.solimp,
            invweight: 0.0,
            inertia0: 0.0,
            length: 1.0,
        });
    }
    model.joints.push(joint);
    pending.joints.push(draft.element);
    pending.wishes.spring_dampers.push(draft.spring_damper);
}

/// Trees start at dofs without parent; a body belongs to the tree of the dofs that move it.
fn set_trees(model: &mut Model, pending: &Pending, problems: &mut Problems) {
    for i in 0..model.dofs.len() {
        if model.dofs[i].parent.is_none() {
            let empty = Tree {
                first_body: 0,
                body_count: 0,
                first_dof: i,
                dof_count: 0,
                sleep: SleepPolicy::default(),
            };
            model.trees.push(empty);
        }
        let tree = model.trees.len() - 1;
        model.dofs[i].tree = tree;
        model.trees[tree].dof_count += 1;
    }
    for i in 1..model.bodies.len() {
        let weld = &model.bodies[model.bodies[i].weld.index()];
        let tree = (weld.dof_count > 0).then(|| model.dofs[weld.first_dof].tree);
        let first_of_tree = tree.is_some() && tree != model.bodies[i - 1].tree;
        model.bodies[i].tree = tree;
        if let Some(tree) = tree {
            let tree = &mut model.trees[tree];
            if tree.body_count == 0 {
                tree.first_body = i;
            }
            tree.body_count += 1;
        }
        if let Some(sleep) = pending.sleep.get(i).copied().flatten() {
            match tree.filter(|_| first_of_tree) {
                Some(tree) => model.trees[tree].sleep = sleep,
                None => {
                    let message = "only the first body of a moving tree decides about sleeping";
                    problems.push(pending.bodies[i].problem_with("sleep", message));
                }
            }
        }
    }
}
