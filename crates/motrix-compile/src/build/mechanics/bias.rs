//! Forces that keep the present velocity without accelerating: Coriolis and centrifugal, without gravity.
//!
//! Recursive Newton-Euler with spatial vectors about the centre of mass of each tree (Featherstone, *Rigid Body Dynamics
//! Algorithms*, chapter 5).

use motrix_model::{JointKind, Model};

use super::inertia_matrix::times;
use super::kinematics::{Kinematics, Motion};
use crate::build::pose::{add, cross};

/// Generalised bias force of each dof at velocity `qvel`.
pub fn bias_forces(model: &Model, kinematics: &Kinematics, qvel: &[f64]) -> Vec<f64> {
    let count = model.bodies.len();
    let mut velocity: Vec<Motion> = vec![[0.0; 6]; count];
    let mut acceleration: Vec<Motion> = vec![[0.0; 6]; count];
    let mut force: Vec<Motion> = vec![[0.0; 6]; count];
    for i in 1..count {
        let body = &model.bodies[i];
        let parent = body.parent.index();
        let (mut v, mut a) = (velocity[parent], acceleration[parent]);
        for joint in &model.joints[body.first_joint..body.first_joint + body.joint_count] {
            // the three axes of a rotation turn with the motion before it; translations of a free body do not turn
            let at_start = v;
            for k in 0..joint.kind.dof_count() {
                let dof = joint.first_dof + k;
                let axis = &kinematics.axes[dof];
                let turning = match joint.kind {
                    JointKind::Free if k < 3 => [0.0; 6],
                    JointKind::Free => {
                        cross_motion(&with_translation(&at_start, kinematics, joint.first_dof, qvel), axis)
                    }
                    JointKind::Ball => cross_motion(&at_start, axis),
                    JointKind::Slide | JointKind::Hinge => cross_motion(&v, axis),
                };
                for c in 0..6 {
                    a[c] += turning[c] * qvel[dof];
                }
            }
            for k in 0..joint.kind.dof_count() {
                let dof = joint.first_dof + k;
                for c in 0..6 {
                    v[c] += kinematics.axes[dof][c] * qvel[dof];
                }
            }
        }
        (velocity[i], acceleration[i]) = (v, a);
        let inertia = &kinematics.inertia[i];
        let momentum = times(inertia, &v);
        let inertial = times(inertia, &a);
        let gyroscopic = cross_force(&v, &momentum);
        for c in 0..6 {
            force[i][c] = inertial[c] + gyroscopic[c];
        }
    }
    for i in (1..count).rev() {
        let parent = model.bodies[i].parent.index();
        let own = force[i];
        for c in 0..6 {
            force[parent][c] += own[c];
        }
    }
    let project = |(dof, axis): (usize, &Motion)| -> f64 {
        let force = &force[model.dofs[dof].body.index()];
        (0..6).map(|c| axis[c] * force[c]).sum()
    };
    kinematics.axes.iter().enumerate().map(project).collect()
}

/// Velocity of a free body with its translation but not yet its rotation.
fn with_translation(start: &Motion, kinematics: &Kinematics, first_dof: usize, qvel: &[f64]) -> Motion {
    let mut v = *start;
    for dof in first_dof..first_dof + 3 {
        for c in 0..6 {
            v[c] += kinematics.axes[dof][c] * qvel[dof];
        }
    }
    v
}

/// Rate of change of the motion `m` fixed to something that moves with `v`.
fn cross_motion(v: &Motion, m: &Motion) -> Motion {
    let (w, linear) = ([v[0], v[1], v[2]], [v[3], v[4], v[5]]);
    let (mw, ml) = ([m[0], m[1], m[2]], [m[3], m[4], m[5]]);
    join(cross(w, mw), add(cross(w, ml), cross(linear, mw)))
}

/// Rate of change of the force `f` fixed to something that moves with `v`.
fn cross_force(v: &Motion, f: &Motion) -> Motion {
    let (w, linear) = ([v[0], v[1], v[2]], [v[3], v[4], v[5]]);
    let (torque, force) = ([f[0], f[1], f[2]], [f[3], f[4], f[5]]);
    join(add(cross(w, torque), cross(linear, force)), cross(w, force))
}

fn join(angular: [f64; 3], linear: [f64; 3]) -> Motion {
    [angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]]
}
