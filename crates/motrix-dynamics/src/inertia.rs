//! How heavy the bodies are: composite inertia, the joint-space inertia matrix and its factors.
//!
//! Everything is expressed in world axes about the centre of mass of the tree, which keeps the numbers small however far the
//! robot has walked. The joint-space matrix is M(i,j) = S(j)·(Iᶜ(i) S(i)) for j on the way from i to the root, with Iᶜ the
//! inertia of the subtree (composite rigid body algorithm; MuJoCo's `mj_comPos` and `mj_crb`).

use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Vec3};

use motrix_model::JointKind;

use crate::data::{Inertia, Poses};
use crate::kinematics::Tree;
use crate::params::Params;
use crate::pattern::{self, Pattern};

/// Smallest mass that still has a centre (MuJoCo's `mjMINVAL`).
const MIN_MASS: f64 = 1e-15;

/// Centres of mass of subtrees, body inertias and joint axes about the centre of mass of the tree.
#[inline(always)]
pub fn about_com<L: Lanes>(tree: &Tree<L::Elem>, params: &Params<L>, poses: &mut Poses<L>, inertia: &mut Inertia<L>) {
    subtree_centres(tree, params, poses);
    for (i, body) in tree.bodies.iter().enumerate().skip(1) {
        let p = &params.bodies[i];
        let offset = sub(poses.com[i], poses.subtree_com[body.root]);
        inertia.body[i] = inertia_about(p.inertia, &poses.inertia_rotation[i], p.mass, offset);
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
#[inline(always)]
fn subtree_centres<L: Lanes>(tree: &Tree<L::Elem>, params: &Params<L>, poses: &mut Poses<L>) {
    for (i, p) in params.bodies.iter().enumerate() {
        poses.subtree_com[i] = scale(poses.com[i], p.mass);
    }
    for i in (1..tree.bodies.len()).rev() {
        let parent = tree.bodies[i].parent;
        poses.subtree_com[parent] = add(poses.subtree_com[parent], poses.subtree_com[i]);
    }
    for (i, p) in params.bodies.iter().enumerate() {
        let massless = p.subtree_mass.lt(L::c(MIN_MASS));
        let inverse = L::select(massless, L::ZERO, p.subtree_mass.recip());
        let centre = scale(poses.subtree_com[i], inverse);
        poses.subtree_com[i] = select3(massless, poses.com[i], centre);
    }
}

/// The joint-space inertia matrix.
///
/// `reflected` is the rotor inertia that actuators add to each dof.
#[inline(always)]
pub fn joint_space<L: Lanes>(
    tree: &Tree<L::Elem>,
    pattern: &Pattern,
    params: &Params<L>,
    reflected: &[L::Elem],
    inertia: &mut Inertia<L>,
) {
    inertia.composite.copy_from_slice(&inertia.body);
    for i in (1..tree.bodies.len()).rev() {
        let parent = tree.bodies[i].parent;
        if parent != 0 {
            inertia.composite[parent] = add_inertia(&inertia.composite[parent], &inertia.composite[i]);
        }
    }
    // Two rows of a panel at a time: the axes that are read serve both.
    for panel in pattern.panels() {
        let end = panel.first + panel.count;
        let mut i = panel.first;
        while i + 1 < end {
            rows::<L, 2>(tree, pattern, i, inertia);
            i += 2;
        }
        if i < end {
            rows::<L, 1>(tree, pattern, i, inertia);
        }
    }
    for i in 0..tree.dof_body.len() {
        let own = &mut inertia.matrix[pattern.diagonal(i)];
        *own = *own + params.dofs[i].armature + L::splat(reflected[i]);
    }
}

/// S(j)·(Iᶜ(i) S(i)) for `N` consecutive rows i of a panel.
#[inline(always)]
fn rows<L: Lanes, const N: usize>(tree: &Tree<L::Elem>, pattern: &Pattern, first: usize, inertia: &mut Inertia<L>) {
    let Inertia {
        composite,
        cdof,
        matrix,
        ..
    } = inertia;
    let mut momenta = [[L::ZERO; 6]; N];
    for k in 0..N {
        momenta[k] = inertia_mul(&composite[tree.dof_body[first + k]], &cdof[first + k]);
    }
    for run in pattern.row(first) {
        for j in run.start..run.end {
            for k in 0..N {
                matrix[pattern.at(first + k, j)] = dot6(&cdof[j], &momenta[k]);
            }
        }
    }
    for k in 0..N {
        for j in 0..=k {
            matrix[pattern.at(first + k, first + j)] = dot6(&cdof[first + j], &momenta[k]);
        }
    }
}

/// M = LᵀDL.
#[inline(always)]
pub fn factor<L: Lanes>(pattern: &Pattern, inertia: &mut Inertia<L>) {
    inertia.factors.copy_from_slice(&inertia.matrix);
    pattern::factor(pattern, &mut inertia.factors, &mut inertia.inverse_diagonal);
}
