//! Forces on bodies, and what they do to the dofs.
//!
//! A force f and a torque τ at a point p of a body form the spatial force [τ + (p − c) × f; f] about the centre of mass c of
//! the body's tree, the origin of all spatial vectors. Its share on the dof with axis S is S·F for every dof on the way to
//! the root; many forces are summed from the leaves to the root first (MuJoCo's `mj_applyFT`, one body after the other).

use motrix_spatial::algebra::*;
use motrix_spatial::{Force, Lanes, Motion, Vec3};

use crate::kinematics::Tree;

/// The spatial force of a force at `arm` from the origin.
#[inline(always)]
pub fn of_force<L: Lanes>(force: Vec3<L>, arm: Vec3<L>) -> Force<L> {
    spatial(cross(arm, force), force)
}

/// The spatial force of a force and a torque at `arm` from the origin.
#[inline(always)]
pub fn of_force_and_torque<L: Lanes>(force: Vec3<L>, torque: Vec3<L>, arm: Vec3<L>) -> Force<L> {
    spatial(add_cross(torque, arm, force), force)
}

/// Adds the shares of the bodies' forces to the dofs; sums the forces of each subtree in place.
#[inline(always)]
pub fn project<L: Lanes>(tree: &Tree<L::Elem>, cdof: &[Motion<L>], wrenches: &mut [Force<L>], out: &mut [L]) {
    for i in (1..tree.bodies.len()).rev() {
        let parent = tree.bodies[i].parent;
        if parent != 0 {
            wrenches[parent] = add6(&wrenches[parent], &wrenches[i]);
        }
    }
    for (d, &body) in tree.dof_body.iter().enumerate() {
        out[d] += dot6(&cdof[d], &wrenches[body]);
    }
}
