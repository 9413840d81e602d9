//! The joint-space inertia matrix, composed of the inertias of subtrees about their own centres of mass.
//!
//! A unit velocity of dof i gives the subtree that it moves, of mass m, centre of mass c and inertia I about it, the momentum
//! f = m v, with v the velocity of c, and the angular momentum n = I ω about c. A dof j on the way to the root meets it with
//!
//! M(i,j) = a·f along the axis a of a slide, a·(n + (c − p) × f) about the axis a through p of a rotation.
//!
//! This is the composite rigid body algorithm (Featherstone, *Rigid Body Dynamics Algorithms*, §6.2) with an origin per subtree.
//! MuJoCo has one for all, the centre of mass of the tree (`mj_crb`): the moment m d² of a small link at the distance d from there
//! is many times its own and cancels in M, which in single precision costs the link of a finger three digits. Here M(i,i) is
//! ω·I ω + m v², a sum of what is never negative.

use motrix_model::JointKind;
use motrix_spatial::algebra::*;
use motrix_spatial::{Force, Lanes, Mat3, Motion, Vec3};

use crate::data::{Inertia, Poses};
use crate::kinematics::Tree;
use crate::params::Params;
use crate::pattern::Pattern;

/// The matrix, from what each body adds to the inertia of its subtree ([`crate::inertia::about_com`]).
///
/// `reflected` is the rotor inertia that actuators add to each dof.
#[inline(always)]
pub fn matrix<L: Lanes>(
    tree: &Tree<L::Elem>,
    pattern: &Pattern,
    params: &Params<L>,
    reflected: &[L::Elem],
    poses: &Poses<L>,
    inertia: &mut Inertia<L>,
) {
    compose(tree, params, poses, inertia);
    let chains = Chains { tree, pattern, poses };
    for (j, joint) in tree.joints.iter().enumerate() {
        let body = &params.bodies[joint.body];
        let subtree = Subtree {
            resistance: if tree.bodies[joint.body].has_children {
                Resistance::Composed(&inertia.subtree[joint.body])
            } else {
                Resistance::Principal(body.inertia, &poses.inertia_rotation[joint.body])
            },
            mass: body.subtree_mass,
            offset: poses.subtree_offset[joint.body],
        };
        chains.rows(j, &subtree, &mut inertia.subtree_dof, &mut inertia.matrix);
    }
    for i in 0..tree.dof_body.len() {
        let own = &mut inertia.matrix[pattern.diagonal(i)];
        *own = *own + params.dofs[i].armature + L::splat(reflected[i]);
    }
}

/// Adds the inertia of the subtrees of children, moved to the centre of the common subtree.
#[inline(always)]
fn compose<L: Lanes>(tree: &Tree<L::Elem>, params: &Params<L>, poses: &Poses<L>, inertia: &mut Inertia<L>) {
    let Inertia { central, subtree, .. } = inertia;
    for i in (1..tree.bodies.len()).rev() {
        let parent = tree.bodies[i].parent;
        if parent != 0 {
            let apart = sub(poses.com[i], poses.com[parent]);
            let away = add(apart, sub(poses.subtree_offset[i], poses.subtree_offset[parent]));
            let first_moment = scale(away, params.bodies[i].subtree_mass);
            let own = if tree.bodies[i].has_children {
                &subtree[i]
            } else {
                &central[i]
            };
            subtree[parent] = add6(&subtree[parent], &parallel_axes(own, first_moment, away));
        }
    }
}

/// What a joint moves.
struct Subtree<'a, L> {
    resistance: Resistance<'a, L>,
    mass: L,
    /// From the centre of mass of the body to that of the subtree.
    offset: Vec3<L>,
}

/// Rotational inertia about the centre of mass.
enum Resistance<'a, L> {
    /// Of several bodies.
    Composed(&'a Rotational<L>),
    /// Of one body: its principal moments and axes. A thin rod hardly resists turning about itself, a thousandth of what it resists
    /// across: the tensor in world axes rounds that away.
    Principal(Vec3<L>, &'a Mat3<L>),
}

impl<L: Lanes> Subtree<'_, L> {
    /// `[n; f]` of a motion about the centre of mass.
    #[inline(always)]
    fn momentum(&self, s: &Motion<L>) -> Force<L> {
        let omega = angular(s);
        let n = match &self.resistance {
            Resistance::Composed(inertia) => rotational_mul(inertia, omega),
            Resistance::Principal(moments, axes) => mat_vec(axes, mul(*moments, mat_t_vec(axes, omega))),
        };
        spatial(n, scale(linear(s), self.mass))
    }
}

/// Joints, their places in the matrix and in the world.
struct Chains<'a, L: Lanes> {
    tree: &'a Tree<L::Elem>,
    pattern: &'a Pattern,
    poses: &'a Poses<L>,
}

impl<L: Lanes> Chains<'_, L> {
    /// The rows of a joint's dofs, and their axes about the centre of the subtree.
    #[inline(always)]
    fn rows(&self, joint: usize, subtree: &Subtree<L>, axes: &mut [Motion<L>], matrix: &mut [L]) {
        let row = &self.tree.joints[joint];
        let (first, axis) = (row.first_dof, self.poses.axis[joint]);
        let axes = &mut axes[first..first + row.kind.dof_count()];
        let arm = add(sub(self.poses.com[row.body], self.poses.anchor[joint]), subtree.offset);
        match row.kind {
            JointKind::Slide => {
                axes[0] = sliding_along(axis);
                let f = scale(axis, subtree.mass);
                matrix[self.pattern.diagonal(first)] = dot(axis, f);
                self.towards_root(joint, subtree, [spatial(zero3(), f)], matrix);
            }
            JointKind::Hinge => {
                axes[0] = turning_about(axis, arm);
                let momentum = subtree.momentum(&axes[0]);
                matrix[self.pattern.diagonal(first)] = dot6(&axes[0], &momentum);
                self.towards_root(joint, subtree, [momentum], matrix);
            }
            JointKind::Ball => {
                self.turn(row.body, arm, axes);
                let momenta = self.turns(first, axes, subtree, matrix);
                self.towards_root(joint, subtree, momenta, matrix);
            }
            JointKind::Free => {
                let (slides, turns) = axes.split_at_mut(3);
                self.turn(row.body, arm, turns);
                let momenta = self.turns(first + 3, turns, subtree, matrix);
                for k in 0..3 {
                    slides[k] = zero6();
                    slides[k][3 + k] = L::ONE;
                    let place = self.pattern.at(first + k, first);
                    matrix[place..place + k].fill(L::ZERO);
                    matrix[place + k] = subtree.mass;
                    let place = self.pattern.at(first + 3 + k, first);
                    matrix[place..place + 3].copy_from_slice(&linear(&momenta[k]));
                }
            }
        }
    }

    /// Rotations about the three axes of a body; `arm` leads from the anchor to the centre of the subtree.
    #[inline(always)]
    fn turn(&self, body: usize, arm: Vec3<L>, axes: &mut [Motion<L>]) {
        for k in 0..3 {
            axes[k] = turning_about(mat_column(&self.poses.rotation[body], k), arm);
        }
    }

    /// The entries between three rotations, of which `first` is the first dof, and their momenta.
    #[inline(always)]
    fn turns(&self, first: usize, axes: &[Motion<L>], subtree: &Subtree<L>, matrix: &mut [L]) -> [Force<L>; 3] {
        let mut momenta = [zero6(); 3];
        for k in 0..3 {
            momenta[k] = subtree.momentum(&axes[k]);
            for j in 0..=k {
                matrix[self.pattern.at(first + k, first + j)] = dot6(&axes[j], &momenta[k]);
            }
        }
        momenta
    }

    /// The entries of the dofs of a joint with those of all joints on the way to the root, from their momenta about the centre of
    /// the subtree.
    #[inline(always)]
    fn towards_root<const N: usize>(
        &self,
        joint: usize,
        subtree: &Subtree<L>,
        mut momenta: [Force<L>; N],
        matrix: &mut [L],
    ) {
        let joints = &self.tree.joints;
        let first = joints[joint].first_dof;
        // From the centre of the body on, ways are those between places that are known.
        let body = joints[joint].body;
        if self.tree.bodies[body].has_children {
            for momentum in &mut momenta {
                let (n, f) = (angular(momentum), linear(momentum));
                *momentum = spatial(add_cross(n, subtree.offset, f), f);
            }
        }
        let com = self.poses.com[body];
        let mut base = [0; N];
        for k in 0..N {
            base[k] = self.pattern.base(first + k);
        }
        let mut next = joints[joint].previous;
        while let Some(j) = next {
            let other = &joints[j];
            let arm = sub(com, self.poses.anchor[j]);
            for k in 0..N {
                let (n, f) = (angular(&momenta[k]), linear(&momenta[k]));
                let place = base[k].wrapping_add(other.first_dof);
                match other.kind {
                    JointKind::Slide => matrix[place] = dot(self.poses.axis[j], f),
                    JointKind::Hinge => matrix[place] = dot(self.poses.axis[j], add_cross(n, arm, f)),
                    JointKind::Ball => {
                        let about_axes = mat_t_vec(&self.poses.rotation[other.body], add_cross(n, arm, f));
                        matrix[place..place + 3].copy_from_slice(&about_axes);
                    }
                    JointKind::Free => {
                        let about_axes = mat_t_vec(&self.poses.rotation[other.body], add_cross(n, arm, f));
                        matrix[place..place + 3].copy_from_slice(&f);
                        matrix[place + 3..place + 6].copy_from_slice(&about_axes);
                    }
                }
            }
            next = other.previous;
        }
    }
}
