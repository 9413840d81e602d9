//! Where the bodies are and how they move.
//!
//! [`poses`] walks the tree from the root: each body starts at its parent's frame, moves by its fixed offset, then by its joints
//! in order. [`twists`] walks it again for velocities. Spatial vectors are expressed in world axes about the centre of mass of
//! the tree ([`crate::inertia`]), as in MuJoCo's `mj_kinematics`, `mj_comPos` and `mj_comVel`, so that every intermediate can be
//! compared with MuJoCo's.

use motrix_model::{JointKind, Model};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mat3, Motion, Quat, Real, Vec3};

use crate::axis::Axis;
use crate::data::{Input, Poses, Twists};
use crate::frames::{self, FrameTable};
use crate::joint_space::{self, Bundle};
use crate::params::Params;
use crate::tables::{round_orientation, round3};

/// A body.
#[derive(Clone, Debug)]
pub struct BodyRow<E> {
    /// Parent body.
    pub parent: usize,
    /// Root of the tree, whose subtree's centre of mass is the origin of spatial vectors.
    pub root: usize,
    /// First joint.
    pub first_joint: usize,
    /// Number of joints.
    pub joint_count: usize,
    /// First dof.
    pub first_dof: usize,
    /// Number of dofs.
    pub dof_count: usize,
    /// Whether other bodies hang on it.
    pub has_children: bool,
    /// Row of the mocap arrays.
    pub mocap: Option<usize>,
    /// Position in the parent.
    pub position: [E; 3],
    /// Orientation in the parent, absent when it is the identity.
    pub orientation: Option<[E; 4]>,
    /// Principal axes in the body, absent when they are the body's own.
    pub inertia_orientation: Option<[E; 4]>,
}

/// A joint.
#[derive(Clone, Debug)]
pub struct JointRow<E> {
    /// What it allows.
    pub kind: JointKind,
    /// Body that it moves.
    pub body: usize,
    /// First entry of `qpos`.
    pub first_position: usize,
    /// First entry of `qvel`.
    pub first_dof: usize,
    /// The next joint on the way to the root.
    pub previous: Option<usize>,
    /// Axis in the body.
    pub axis: Axis<E>,
    /// Anchor in the body, absent when it is the origin.
    pub anchor: Option<[E; 3]>,
    /// Position at which a slide or hinge does not move its body.
    pub reference: E,
}

/// The kinematic tree as the kernels read it.
#[derive(Clone, Debug)]
pub struct Tree<E> {
    /// Bodies in depth-first order; 0 is the world.
    pub bodies: Vec<BodyRow<E>>,
    /// Joints.
    pub joints: Vec<JointRow<E>>,
    /// All joints, those together whose rows of the inertia matrix are.
    pub bundles: Vec<Bundle>,
    /// Body of each dof.
    pub dof_body: Vec<usize>,
    /// Whether the dof is a rotation about an axis of its own body: those of ball and free joints are.
    pub dof_in_body_axes: Vec<bool>,
    /// What is fixed to the bodies.
    pub frames: FrameTable<E>,
}

impl<E: Real> Tree<E> {
    /// Flattens the tree of a model.
    pub fn new(model: &Model) -> Self {
        let mut has_children = vec![false; model.bodies.len()];
        for body in model.bodies.iter().skip(1) {
            has_children[body.parent.index()] = true;
        }
        let bodies = model.bodies.iter().zip(has_children).map(|(b, has_children)| BodyRow {
            parent: b.parent.index(),
            root: b.root.index(),
            first_joint: b.first_joint,
            joint_count: b.joint_count,
            first_dof: b.first_dof,
            dof_count: b.dof_count,
            has_children,
            mocap: b.mocap,
            position: round3(b.position),
            orientation: round_orientation(b.orientation),
            inertia_orientation: round_orientation(frames::principal(b)),
        });
        let joints = model.joints.iter().enumerate().map(|(k, j)| JointRow {
            kind: j.kind,
            body: j.body.index(),
            first_position: j.first_position,
            first_dof: j.first_dof,
            previous: previous_joint(model, k),
            axis: Axis::new(j.axis),
            anchor: (j.anchor != [0.0; 3]).then(|| round3(j.anchor)),
            reference: E::from_f64(model.qpos0[j.first_position]),
        });
        let kinds: Vec<_> = model
            .joints
            .iter()
            .enumerate()
            .map(|(k, j)| (j.kind, previous_joint(model, k)))
            .collect();
        Self {
            bodies: bodies.collect(),
            bundles: joint_space::bundles(&kinds),
            joints: joints.collect(),
            dof_body: model.dofs.iter().map(|d| d.body.index()).collect(),
            dof_in_body_axes: (0..model.nv()).map(|d| in_body_axes(model, d)).collect(),
            frames: FrameTable::new(model),
        }
    }
}

/// The joint that moves the anchor of another, if any does: the one before it on its body, or the last of the nearest body
/// towards the root that has joints.
fn previous_joint(model: &Model, joint: usize) -> Option<usize> {
    let mut body = model.joints[joint].body.index();
    if joint > model.bodies[body].first_joint {
        return Some(joint - 1);
    }
    while body != 0 {
        body = model.bodies[body].parent.index();
        let row = &model.bodies[body];
        if row.joint_count > 0 {
            return Some(row.first_joint + row.joint_count - 1);
        }
    }
    None
}

/// Whether a dof is a rotation of a ball or free joint.
fn in_body_axes(model: &Model, dof: usize) -> bool {
    let joint = &model.joints[model.dofs[dof].joint.index()];
    match joint.kind {
        JointKind::Ball => true,
        JointKind::Free => dof >= joint.first_dof + 3,
        JointKind::Slide | JointKind::Hinge => false,
    }
}

/// Poses of bodies, joints, geoms and sites in the world.
#[inline(always)]
pub fn poses<L: Lanes>(tree: &Tree<L::Elem>, params: &Params<L>, qpos: &[L], input: &Input<L>, poses: &mut Poses<L>) {
    for (i, body) in tree.bodies.iter().enumerate().skip(1) {
        let (position, orientation) = match free_joint(tree, body) {
            Some(joint) => free_body(joint, qpos),
            None => jointed_body(tree, body, qpos, input, poses),
        };
        let orientation = quat_normalize(orientation);
        let rotation = quat_to_mat(orientation);
        poses.position[i] = position;
        poses.orientation[i] = orientation;
        poses.rotation[i] = rotation;
        poses.com[i] = transform(&rotation, params.bodies[i].com, position);
        poses.inertia_rotation[i] = match (params.principal_axes.get(i), &body.inertia_orientation) {
            (Some(q), _) => quat_to_mat(quat_mul(orientation, *q)),
            (None, Some(q)) => quat_to_mat(quat_mul(orientation, splat4(*q))),
            (None, None) => rotation,
        };
        if let Some(joint) = free_joint(tree, body) {
            // A free joint is anchored at the body; its axis has no meaning.
            poses.anchor[body.first_joint] = position;
            poses.axis[body.first_joint] = joint.axis.in_body();
        }
    }
    frames::poses(&tree.frames, params, poses);
}

/// The body's joint, when it is a free one.
#[inline(always)]
fn free_joint<'t, E>(tree: &'t Tree<E>, body: &BodyRow<E>) -> Option<&'t JointRow<E>> {
    if body.joint_count == 1 && tree.joints[body.first_joint].kind == JointKind::Free {
        Some(&tree.joints[body.first_joint])
    } else {
        None
    }
}

/// A free body is where its coordinates say.
#[inline(always)]
fn free_body<L: Lanes>(joint: &JointRow<L::Elem>, qpos: &[L]) -> (Vec3<L>, Quat<L>) {
    let q = &qpos[joint.first_position..joint.first_position + 7];
    ([q[0], q[1], q[2]], [q[3], q[4], q[5], q[6]])
}

/// Fixed offset from the parent, then joint after joint.
#[inline(always)]
fn jointed_body<L: Lanes>(
    tree: &Tree<L::Elem>,
    body: &BodyRow<L::Elem>,
    qpos: &[L],
    input: &Input<L>,
    poses: &mut Poses<L>,
) -> (Vec3<L>, Quat<L>) {
    let parent = body.parent;
    let (mut position, mut orientation) = match body.mocap {
        Some(m) => (input.mocap_position[m], quat_normalize(input.mocap_orientation[m])),
        None => {
            let position = transform(&poses.rotation[parent], splat3(body.position), poses.position[parent]);
            let orientation = match &body.orientation {
                Some(q) => quat_mul(poses.orientation[parent], splat4(*q)),
                None => poses.orientation[parent],
            };
            (position, orientation)
        }
    };
    for j in body.first_joint..body.first_joint + body.joint_count {
        let joint = &tree.joints[j];
        // Before its first joint a body is turned as its parent is, unless it has an orientation of its own.
        let rotation = if j == body.first_joint && body.orientation.is_none() && body.mocap.is_none() {
            poses.rotation[parent]
        } else {
            quat_to_mat(orientation)
        };
        let axis = joint.axis.turned(&rotation);
        let anchor = match &joint.anchor {
            Some(a) => transform(&rotation, splat3(*a), position),
            None => position,
        };
        poses.axis[j] = axis;
        poses.anchor[j] = anchor;
        if joint.kind == JointKind::Slide {
            let q = qpos[joint.first_position] - L::splat(joint.reference);
            position = add_scaled(position, q, axis);
            continue;
        }
        let q = &qpos[joint.first_position..];
        orientation = match joint.kind {
            JointKind::Ball => quat_mul(orientation, quat_normalize([q[0], q[1], q[2], q[3]])),
            _ => joint.axis.turn(orientation, q[0] - L::splat(joint.reference)),
        };
        if let Some(a) = &joint.anchor {
            // Rotation about an anchor moves the body frame.
            position = sub(anchor, mat_vec(&quat_to_mat(orientation), splat3(*a)));
        }
    }
    (position, orientation)
}

/// Velocities of bodies, and how fast the joint axes turn.
///
/// v(i) = v(parent) + S q̇ and Ṡ = v × S, accumulated joint by joint. The three rotational axes of a ball or free joint all
/// turn with the velocity before the rotation.
#[inline(always)]
pub fn twists<L: Lanes>(tree: &Tree<L::Elem>, cdof: &[Motion<L>], qvel: &[L], twists: &mut Twists<L>) {
    twists.body[0] = [L::ZERO; 6];
    for (i, body) in tree.bodies.iter().enumerate().skip(1) {
        let mut v = twists.body[body.parent];
        for j in body.first_joint..body.first_joint + body.joint_count {
            let joint = &tree.joints[j];
            let mut dof = joint.first_dof;
            if joint.kind == JointKind::Free {
                for _ in 0..3 {
                    twists.dof_rate[dof] = [L::ZERO; 6];
                    v = add_scaled6(&v, qvel[dof], &cdof[dof]);
                    dof += 1;
                }
            }
            let before = v;
            for d in dof..joint.first_dof + joint.kind.dof_count() {
                twists.dof_rate[d] = cross_motion(&before, &cdof[d]);
                v = add_scaled6(&v, qvel[d], &cdof[d]);
            }
        }
        twists.body[i] = v;
    }
}

/// World position of a point given in a frame.
#[inline(always)]
pub(crate) fn transform<L: Lanes>(rotation: &Mat3<L>, local: Vec3<L>, origin: Vec3<L>) -> Vec3<L> {
    add(mat_vec(rotation, local), origin)
}
