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
//!
//! Momenta are then taken on to the centre of the body that moves, and every joint on the way to the root takes them from there.
//! In long chains joints do so in [bundles](Bundle): the momenta of four joints in a row are all taken to the anchor of the first, about
//! which each joint further on has one axis `[a; a × arm]` for all of them. From there it is farther to all of these joints than within
//! the bundle, so that nothing cancels.

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
    let Inertia {
        subtree,
        subtree_dof: axes,
        matrix,
        ..
    } = inertia;
    let chains = Chains {
        tree,
        pattern,
        params,
        poses,
        subtree,
    };
    for bundle in &tree.bundles {
        match *bundle {
            Bundle::One(joint) => chains.rows(joint, axes, matrix),
            Bundle::Four(first) => chains.bundle(first, axes, matrix),
        }
    }
    for i in 0..tree.dof_body.len() {
        let own = &mut matrix[pattern.diagonal(i)];
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

/// Joints whose rows of the matrix are worked out together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bundle {
    /// A joint by itself.
    One(usize),
    /// Four hinges or slides from this one on, each carried by the one before.
    Four(usize),
}

/// Joints of a [`Bundle::Four`].
const FOUR: usize = 4;
/// Hinges before a bundle from which on it is worth the way to a common point.
const WORTH: usize = 4;

/// All joints, in bundles, from the kind of each and the one before it on the way to the root.
pub fn bundles(joints: &[(JointKind, Option<usize>)]) -> Vec<Bundle> {
    let single = |j: usize| matches!(joints[j].0, JointKind::Hinge | JointKind::Slide);
    let mut hinges: Vec<usize> = Vec::with_capacity(joints.len());
    for (kind, previous) in joints {
        let before = previous.map_or(0, |p| hinges[p]);
        hinges.push(before + usize::from(*kind == JointKind::Hinge));
    }
    let mut out = Vec::with_capacity(joints.len());
    let mut end = joints.len();
    // From the last joint on: what is far out has most joints before it.
    while end > 0 {
        let first = end.saturating_sub(FOUR);
        let in_a_row = (first + 1..end).all(|j| joints[j].1 == Some(j - 1)) && (first..end).all(single);
        let before = joints[first].1.map_or(0, |p| hinges[p]);
        if end - first == FOUR && in_a_row && before >= WORTH {
            out.push(Bundle::Four(first));
            end = first;
        } else {
            end -= 1;
            out.push(Bundle::One(end));
        }
    }
    out.reverse();
    out
}

/// Joints, their places in the matrix and in the world.
struct Chains<'a, L: Lanes> {
    tree: &'a Tree<L::Elem>,
    pattern: &'a Pattern,
    params: &'a Params<L>,
    poses: &'a Poses<L>,
    /// Inertias of subtrees of several bodies.
    subtree: &'a [Rotational<L>],
}

impl<L: Lanes> Chains<'_, L> {
    /// What a body carries, itself included.
    #[inline(always)]
    fn subtree(&self, body: usize) -> Subtree<'_, L> {
        let of_body = &self.params.bodies[body];
        Subtree {
            resistance: if self.tree.bodies[body].has_children {
                Resistance::Composed(&self.subtree[body])
            } else {
                Resistance::Principal(of_body.inertia, &self.poses.inertia_rotation[body])
            },
            mass: of_body.subtree_mass,
            offset: self.poses.subtree_offset[body],
        }
    }

    /// The rows of a joint's dofs, and their axes about the centre of the subtree.
    #[inline(always)]
    fn rows(&self, joint: usize, axes: &mut [Motion<L>], matrix: &mut [L]) {
        let row = &self.tree.joints[joint];
        let (first, previous, com) = (row.first_dof, row.previous, self.poses.com[row.body]);
        let subtree = self.subtree(row.body);
        let axes = &mut axes[first..first + row.kind.dof_count()];
        match row.kind {
            JointKind::Slide | JointKind::Hinge => {
                let momentum = self.single(joint, &subtree, &mut axes[0], matrix);
                self.towards_root(previous, com, [first], [momentum], matrix);
            }
            JointKind::Ball => {
                self.turn(row.body, self.arm(joint, &subtree), axes);
                let momenta = self.turns(first, axes, &subtree, matrix);
                let momenta = momenta.map(|momentum| self.at_com(row.body, &subtree, momentum));
                self.towards_root(previous, com, [first, first + 1, first + 2], momenta, matrix);
            }
            JointKind::Free => {
                let (slides, turns) = axes.split_at_mut(3);
                self.turn(row.body, self.arm(joint, &subtree), turns);
                let momenta = self.turns(first + 3, turns, &subtree, matrix);
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

    /// The rows of four hinges or slides in a row.
    #[inline(always)]
    fn bundle(&self, first: usize, axes: &mut [Motion<L>], matrix: &mut [L]) {
        let joints = &self.tree.joints;
        let point = self.poses.anchor[first];
        let dofs: [usize; FOUR] = core::array::from_fn(|k| joints[first + k].first_dof);
        let mut momenta = [zero6(); FOUR];
        for k in 0..FOUR {
            let body = joints[first + k].body;
            let momentum = self.single(first + k, &self.subtree(body), &mut axes[dofs[k]], matrix);
            let com = self.poses.com[body];
            for j in first..first + k {
                let place = self.pattern.at(dofs[k], joints[j].first_dof);
                matrix[place] = self.across(j, com, &momentum);
            }
            momenta[k] = force_at(&momentum, sub(point, com));
        }
        self.towards_root(joints[first].previous, point, dofs, momenta, matrix);
    }

    /// The diagonal entry of a hinge or slide and its axis about the centre of the subtree; its momentum about the centre of the body.
    #[inline(always)]
    fn single(&self, joint: usize, subtree: &Subtree<L>, axis: &mut Motion<L>, matrix: &mut [L]) -> Force<L> {
        let row = &self.tree.joints[joint];
        let diagonal = &mut matrix[self.pattern.diagonal(row.first_dof)];
        let along = self.poses.axis[joint];
        if row.kind == JointKind::Slide {
            *axis = sliding_along(along);
            let f = scale(along, subtree.mass);
            *diagonal = dot(along, f);
            return self.at_com(row.body, subtree, spatial(zero3(), f));
        }
        *axis = turning_about(along, self.arm(joint, subtree));
        let momentum = subtree.momentum(axis);
        *diagonal = dot6(axis, &momentum);
        self.at_com(row.body, subtree, momentum)
    }

    /// From the anchor of a joint to the centre of the subtree.
    #[inline(always)]
    fn arm(&self, joint: usize, subtree: &Subtree<L>) -> Vec3<L> {
        let com = self.poses.com[self.tree.joints[joint].body];
        add(sub(com, self.poses.anchor[joint]), subtree.offset)
    }

    /// A momentum about the centre of a subtree, about that of its first body. From there on, ways are those between places that are
    /// known.
    #[inline(always)]
    fn at_com(&self, body: usize, subtree: &Subtree<L>, momentum: Force<L>) -> Force<L> {
        if !self.tree.bodies[body].has_children {
            return momentum;
        }
        let (n, f) = (angular(&momentum), linear(&momentum));
        spatial(add_cross(n, subtree.offset, f), f)
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

    /// How a hinge or slide meets a momentum about `point`.
    #[inline(always)]
    fn across(&self, joint: usize, point: Vec3<L>, momentum: &Force<L>) -> L {
        let (n, f) = (angular(momentum), linear(momentum));
        let axis = self.poses.axis[joint];
        match self.tree.joints[joint].kind {
            JointKind::Slide => dot(axis, f),
            _ => dot(axis, add_cross(n, sub(point, self.poses.anchor[joint]), f)),
        }
    }

    /// The entries of some dofs with those of a joint and of all further ones on the way to the root, from their momenta about a point.
    #[inline(always)]
    fn towards_root<const N: usize>(
        &self,
        mut next: Option<usize>,
        point: Vec3<L>,
        dofs: [usize; N],
        momenta: [Force<L>; N],
        matrix: &mut [L],
    ) {
        let base = dofs.map(|dof| self.pattern.base(dof));
        while let Some(j) = next {
            let other = &self.tree.joints[j];
            next = other.previous;
            let place = base.map(|base| base.wrapping_add(other.first_dof));
            match other.kind {
                JointKind::Hinge if N == FOUR => {
                    let axis = turning_about(self.poses.axis[j], sub(point, self.poses.anchor[j]));
                    for k in 0..N {
                        matrix[place[k]] = dot6(&axis, &momenta[k]);
                    }
                }
                JointKind::Hinge | JointKind::Slide => {
                    for k in 0..N {
                        matrix[place[k]] = self.across(j, point, &momenta[k]);
                    }
                }
                JointKind::Ball => {
                    for k in 0..N {
                        matrix[place[k]..place[k] + 3].copy_from_slice(&self.about_axes(j, point, &momenta[k]));
                    }
                }
                JointKind::Free => {
                    for k in 0..N {
                        matrix[place[k]..place[k] + 3].copy_from_slice(&linear(&momenta[k]));
                        matrix[place[k] + 3..place[k] + 6].copy_from_slice(&self.about_axes(j, point, &momenta[k]));
                    }
                }
            }
        }
    }

    /// Angular momentum about the anchor of a ball or free joint along the axes of its body, from the momentum about `point`.
    #[inline(always)]
    fn about_axes(&self, joint: usize, point: Vec3<L>, momentum: &Force<L>) -> Vec3<L> {
        let arm = sub(point, self.poses.anchor[joint]);
        let about_anchor = add_cross(angular(momentum), arm, linear(momentum));
        mat_t_vec(&self.poses.rotation[self.tree.joints[joint].body], about_anchor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bundles of a chain: single joints but for the four from `four` on.
    fn four_from(four: usize, joints: usize) -> Vec<Bundle> {
        let ones = |range: core::ops::Range<usize>| range.map(Bundle::One);
        ones(0..four)
            .chain([Bundle::Four(four)])
            .chain(ones(four + FOUR..joints))
            .collect()
    }

    #[test]
    fn joints_far_out_on_a_chain_are_bundled() {
        let hinge = |j: usize| (JointKind::Hinge, j.checked_sub(1));
        let chain: Vec<_> = (0..11).map(hinge).collect();
        assert_eq!(
            bundles(&chain),
            four_from(7, 11),
            "three hinges before four others are too few"
        );
        // A branch or a joint of several dofs ends a bundle.
        let mut fork = chain.clone();
        fork[9].1 = Some(7);
        assert_eq!(bundles(&fork), four_from(5, 11));
        let mut ball = chain;
        ball[8].0 = JointKind::Ball;
        assert_eq!(bundles(&ball), four_from(4, 11));
    }
}
