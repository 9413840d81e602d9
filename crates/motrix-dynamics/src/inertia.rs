//! How heavy the bodies are: centres of mass, inertias and joint axes, the factors of the joint-space inertia matrix.
//!
//! Spatial vectors are expressed in world axes about the centre of mass of the tree, which keeps the numbers small however far
//! the robot has walked (MuJoCo's `mj_comPos`). The matrix itself is made of inertias about the centres of subtrees
//! ([`crate::joint_space`]).

use motrix_spatial::algebra::*;
use motrix_spatial::{Inertia as BodyInertia, Lanes, Vec3};

use motrix_model::JointKind;

use crate::configuration::Configuration;
use crate::data::{Inertia, Poses};
use crate::kinematics::Tree;
use crate::params::Params;
use crate::pattern::{self, Pattern};

/// Smallest mass that still has a centre (MuJoCo's `mjMINVAL`).
const MIN_MASS: f64 = 1e-15;

/// Centres of mass of subtrees, inertias of bodies about their own centres, what they add to those of their subtrees about the
/// centres of these, and joint axes about the centre of mass of the tree.
#[inline(always)]
pub fn about_com<L: Lanes>(tree: &Tree<L::Elem>, params: &Params<L>, poses: &mut Poses<L>, inertia: &mut Inertia<L>) {
    subtree_centres(tree, params, poses);
    for (i, body) in tree.bodies.iter().enumerate().skip(1) {
        let p = &params.bodies[i];
        let central = inertia_along(p.inertia, &poses.inertia_rotation[i]);
        inertia.central[i] = central;
        if body.has_children {
            let away = poses.subtree_offset[i];
            inertia.subtree[i] = parallel_axes(&central, scale(away, p.mass), away);
        }
    }
    for (j, joint) in tree.joints.iter().enumerate() {
        let centre = poses.subtree_com[tree.bodies[joint.body].root];
        let arm = sub(centre, poses.anchor[j]);
        let first = joint.first_dof;
        match joint.kind {
            JointKind::Slide => inertia.cdof[first] = sliding_along(poses.axis[j]),
            JointKind::Hinge => inertia.cdof[first] = turning_about(poses.axis[j], arm),
            JointKind::Ball => body_axes(poses, joint.body, arm, &mut inertia.cdof[first..first + 3]),
            JointKind::Free => {
                for k in 0..3 {
                    let mut axis = [L::ZERO; 3];
                    axis[k] = L::ONE;
                    inertia.cdof[first + k] = sliding_along(axis);
                }
                body_axes(poses, joint.body, arm, &mut inertia.cdof[first + 3..first + 6]);
            }
        }
    }
}

/// Rotations about the three body axes.
#[inline(always)]
fn body_axes<L: Lanes>(poses: &Poses<L>, body: usize, arm: Vec3<L>, out: &mut [[L; 6]]) {
    for (k, s) in out.iter_mut().enumerate() {
        *s = turning_about(mat_column(&poses.rotation[body], k), arm);
    }
}

/// Centre of mass of each body with all its descendants.
///
/// It is worked out as seen from the body itself, to the rounding of the size of the subtree: composed of places in the world, it
/// would be off by the rounding of these, differently for each link of a rope, whose inertias then belong to no rope.
#[inline(always)]
fn subtree_centres<L: Lanes>(tree: &Tree<L::Elem>, params: &Params<L>, poses: &mut Poses<L>) {
    let Poses {
        com,
        subtree_com,
        subtree_offset: offset,
        ..
    } = poses;
    offset.fill(zero3());
    for i in (0..tree.bodies.len()).rev() {
        let (body, mass) = (&tree.bodies[i], params.bodies[i].subtree_mass);
        if body.has_children {
            // All children come later in the tree: the offset is the sum of their first moments.
            let massless = mass.lt(L::c(MIN_MASS));
            let inverse = L::select(massless, L::ZERO, mass.recip());
            offset[i] = select3(massless, zero3(), scale(offset[i], inverse));
        }
        subtree_com[i] = add(com[i], offset[i]);
        if i != 0 {
            let away = add(sub(com[i], com[body.parent]), offset[i]);
            offset[body.parent] = add_scaled(offset[body.parent], mass, away);
        }
    }
}

/// Inertia of a body about the centre of mass of its tree (`cinert`).
#[inline(always)]
pub fn about_tree<L: Lanes>(at: &Configuration<L>, inertia: &Inertia<L>, body: usize) -> BodyInertia<L> {
    let offset = at.arm(body, at.poses.com[body]);
    inertia_about(&inertia.central[body], at.params.bodies[body].mass, offset)
}

/// Inertia of subtrees from those of bodies, all about the centre of mass of the tree (`crb`).
#[inline(always)]
pub fn compose<L: Lanes>(tree: &Tree<L::Elem>, inertias: &mut [BodyInertia<L>]) {
    for i in (1..tree.bodies.len()).rev() {
        let parent = tree.bodies[i].parent;
        if parent != 0 {
            inertias[parent] = add_inertia(&inertias[parent], &inertias[i]);
        }
    }
}

/// M = LᵀDL.
#[inline(always)]
pub fn factor<L: Lanes>(pattern: &Pattern, inertia: &mut Inertia<L>) {
    inertia.factors.copy_from_slice(&inertia.matrix);
    pattern::factor(pattern, &mut inertia.factors, &mut inertia.inverse_diagonal);
}
