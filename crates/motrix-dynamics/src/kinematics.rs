//! Where the bodies are and how they move.
//!
//! [`poses`] walks the tree from the root: each body starts at its parent's frame, moves by its fixed offset, then by its joints
//! in order. [`twists`] walks it again for velocities. Spatial vectors are expressed in world axes about the centre of mass of
//! the tree ([`crate::inertia`]), as in MuJoCo's `mj_kinematics`, `mj_comPos` and `mj_comVel`, so that every intermediate can be
//! compared with MuJoCo's.

use motrix_model::{Body, JointKind, Model};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mat3, Motion, Quat, Real, Vec3};

use crate::data::{Input, Poses, Twists};
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
    pub axis: [E; 3],
    /// Anchor in the body, absent when it is the origin.
    pub anchor: Option<[E; 3]>,
    /// Position at which a slide or hinge does not move its body.
    pub reference: E,
}

/// A frame fixed to a body.
#[derive(Clone, Debug)]
pub struct FrameRow<E> {
    /// Body.
    pub body: usize,
    /// Position in the body.
    pub position: [E; 3],
    /// Orientation in the body, absent when it is the identity.
    pub orientation: Option<[E; 4]>,
}

/// The kinematic tree as the kernels read it.
#[derive(Clone, Debug)]
pub struct Tree<E> {
    /// Bodies in depth-first order; 0 is the world.
    pub bodies: Vec<BodyRow<E>>,
    /// Joints.
    pub joints: Vec<JointRow<E>>,
    /// Body of each dof.
    pub dof_body: Vec<usize>,
    /// Whether the dof is a rotation about an axis of its own body: those of ball and free joints are.
    pub dof_in_body_axes: Vec<bool>,
    /// Geom frames.
    pub geoms: Vec<FrameRow<E>>,
    /// Site frames.
    pub sites: Vec<FrameRow<E>>,
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
            inertia_orientation: round_orientation(near(b.inertia_orientation, IDENTITY)),
        });
        let joints = model.joints.iter().enumerate().map(|(k, j)| JointRow {
            kind: j.kind,
            body: j.body.index(),
            first_position: j.first_position,
            first_dof: j.first_dof,
            previous: previous_joint(model, k),
            axis: round3(j.axis),
            anchor: (j.anchor != [0.0; 3]).then(|| round3(j.anchor)),
            reference: E::from_f64(model.qpos0[j.first_position]),
        });
        let frame = |body: usize, position, orientation| {
            let (position, orientation) = aligned(&model.bodies[body], position, orientation);
            FrameRow {
                body,
                position: round3(position),
                orientation: round_orientation(orientation),
            }
        };
        Self {
            bodies: bodies.collect(),
            joints: joints.collect(),
            dof_body: model.dofs.iter().map(|d| d.body.index()).collect(),
            dof_in_body_axes: (0..model.nv()).map(|d| in_body_axes(model, d)).collect(),
            geoms: model
                .geoms
                .iter()
                .map(|g| frame(g.body.index(), g.position, g.orientation))
                .collect(),
            sites: model
                .sites
                .iter()
                .map(|s| frame(s.body.index(), s.position, s.orientation))
                .collect(),
        }
    }
}

const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
/// Frames whose numbers differ by less than this are one (as in MuJoCo).
const SAME_FRAME: f64 = 1e-6;

/// Whether all numbers are nearly the same.
fn is_near<const N: usize>(a: [f64; N], b: [f64; N]) -> bool {
    a.iter().zip(b).all(|(x, y)| (x - y).abs() < SAME_FRAME)
}

/// `b` where the orientations are nearly the same, else `a`.
fn near(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    if is_near(a, b) || is_near(a, b.map(|x| -x)) {
        b
    } else {
        a
    }
}

/// The centre of mass in a body: its origin where the frame of the inertia is nearly that of the body.
pub(crate) fn centre(body: &Body) -> [f64; 3] {
    let turned = near(body.inertia_orientation, IDENTITY) != IDENTITY;
    if turned || !is_near(body.com, [0.0; 3]) {
        body.com
    } else {
        [0.0; 3]
    }
}

/// A frame in a body, exactly that of the body or of its inertia where it is nearly so.
fn aligned(body: &Body, position: [f64; 3], orientation: [f64; 4]) -> ([f64; 3], [f64; 4]) {
    if near(orientation, IDENTITY) == IDENTITY {
        let origin = is_near(position, [0.0; 3]);
        return (if origin { [0.0; 3] } else { position }, IDENTITY);
    }
    let with_inertia = near(orientation, body.inertia_orientation);
    if with_inertia == body.inertia_orientation && is_near(position, body.com) {
        return (body.com, with_inertia);
    }
    (position, with_inertia)
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
            poses.axis[body.first_joint] = splat3(joint.axis);
        }
    }
    frames(&tree.geoms, poses, Frames::Geoms);
    frames(&tree.sites, poses, Frames::Sites);
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
        let rotation = quat_to_mat(orientation);
        let axis = mat_vec(&rotation, splat3(joint.axis));
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
        let turn = match joint.kind {
            JointKind::Ball => quat_normalize([q[0], q[1], q[2], q[3]]),
            _ => quat_from_axis_angle(splat3(joint.axis), q[0] - L::splat(joint.reference)),
        };
        orientation = quat_mul(orientation, turn);
        if let Some(a) = &joint.anchor {
            // Rotation about an anchor moves the body frame.
            position = sub(anchor, mat_vec(&quat_to_mat(orientation), splat3(*a)));
        }
    }
    (position, orientation)
}

/// Which frames a call of [`frames`] computes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frames {
    Geoms,
    Sites,
}

/// World poses of frames fixed to bodies.
#[inline(always)]
fn frames<L: Lanes>(rows: &[FrameRow<L::Elem>], poses: &mut Poses<L>, which: Frames) {
    for (k, row) in rows.iter().enumerate() {
        let position = transform(
            &poses.rotation[row.body],
            splat3(row.position),
            poses.position[row.body],
        );
        let rotation = match &row.orientation {
            Some(q) => quat_to_mat(quat_mul(poses.orientation[row.body], splat4(*q))),
            None => poses.rotation[row.body],
        };
        match which {
            Frames::Geoms => (poses.geom_position[k], poses.geom_rotation[k]) = (position, rotation),
            Frames::Sites => (poses.site_position[k], poses.site_rotation[k]) = (position, rotation),
        }
    }
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
