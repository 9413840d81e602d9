//! Forces that motion itself needs: gravity, Coriolis and centrifugal terms.
//!
//! Recursive Newton-Euler without joint acceleration: a(i) = a(parent) + Ṡ q̇ with a(world) = −g, then
//! f(i) = I a + v ×* (I v), summed towards the root; bias(j) = S(j)·f (MuJoCo's `mj_rne`).

use motrix_spatial::Lanes;
use motrix_spatial::algebra::*;

use crate::data::{Inertia, Twists};
use crate::kinematics::Tree;
use crate::params::Params;

/// Bias force of each dof, from body inertias and twists; `work` keeps the accelerations and forces of the bodies.
#[inline(always)]
pub fn forces<L: Lanes>(
    tree: &Tree<L::Elem>,
    params: &Params<L>,
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
        let own = &inertia.body[i];
        force[i] = add6(&inertia_mul(own, &a), &gyroscopic(own, &velocity[i]));
    }
    for i in (1..tree.bodies.len()).rev() {
        let parent = tree.bodies[i].parent;
        if parent != 0 {
            force[parent] = add6(&force[parent], &force[i]);
        }
    }
    for (d, &body) in tree.dof_body.iter().enumerate() {
        bias[d] = dot6(&inertia.cdof[d], &force[body]);
    }
}
