//! Forces that motion itself needs: gravity, Coriolis and centrifugal terms.
//!
//! Recursive Newton-Euler without joint acceleration: a(i) = a(parent) + Ṡ q̇ with a(world) = −g (MuJoCo's `mj_rne`). A body with
//! mass m and inertia I about its centre of mass c, whose acceleration there is a(c), needs the force f = m a(c) and the torque
//! n = I α + ω × I ω about c. They are summed towards the root, and bias(j) = S(j)·[n; f], about the centres of mass of subtrees
//! as in [`crate::joint_space`]: weight has no torque there. About the centre of the tree it has one, which single precision
//! rounds to what a light link far out takes for a push; and free fall, in which M and bias must cancel, would show it.

use motrix_spatial::algebra::*;
use motrix_spatial::{Force, Lanes, Motion, Vec3};

use crate::data::{Inertia, Poses, Twists};
use crate::kinematics::Tree;
use crate::params::Params;

/// Bias force of each dof, from body inertias and twists, in which it keeps the accelerations and forces of the bodies.
#[inline(always)]
pub fn forces<L: Lanes>(
    tree: &Tree<L::Elem>,
    params: &Params<L>,
    poses: &Poses<L>,
    inertia: &Inertia<L>,
    qvel: &[L],
    twists: &mut Twists<L>,
    bias: &mut [L],
) {
    let Twists {
        body: velocity,
        dof_rate,
        acceleration,
        force,
        ..
    } = twists;
    acceleration[0] = sliding_along(neg(params.gravity));
    for (i, body) in tree.bodies.iter().enumerate().skip(1) {
        let mut a = acceleration[body.parent];
        for d in body.first_dof..body.first_dof + body.dof_count {
            a = add_scaled6(&a, qvel[d], &dof_rate[d]);
        }
        acceleration[i] = a;
        let offset = sub(poses.com[i], poses.subtree_com[body.root]);
        force[i] = about_centre(&inertia.central[i], params.bodies[i].mass, &velocity[i], &a, offset);
    }
    for i in (1..tree.bodies.len()).rev() {
        let parent = tree.bodies[i].parent;
        if parent != 0 {
            let away = sub(poses.com[parent], poses.com[i]);
            force[parent] = add6(&force[parent], &force_at(&force[i], away));
        }
        if tree.bodies[i].has_children {
            force[i] = force_at(&force[i], poses.subtree_offset[i]);
        }
    }
    for (d, &body) in tree.dof_body.iter().enumerate() {
        bias[d] = dot6(&inertia.subtree_dof[d], &force[body]);
    }
}

/// The force that a body needs, about its centre of mass at `offset` from the origin of its velocity and acceleration.
#[inline(always)]
fn about_centre<L: Lanes>(
    inertia: &Rotational<L>,
    mass: L,
    velocity: &Motion<L>,
    acceleration: &Motion<L>,
    offset: Vec3<L>,
) -> Force<L> {
    let (omega, alpha) = (angular(velocity), angular(acceleration));
    let v = add_cross(linear(velocity), omega, offset);
    // A spatial acceleration is that of whatever passes the point; a point that stays with the body has ω × v more.
    let a = add_cross(add_cross(linear(acceleration), alpha, offset), omega, v);
    let n = add_cross(rotational_mul(inertia, alpha), omega, rotational_mul(inertia, omega));
    spatial(n, scale(a, mass))
}
