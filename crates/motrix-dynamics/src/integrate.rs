//! The next state.
//!
//! Semi-implicit Euler: v ← v + h a, then q ← q ⊕ h v with the new velocity. Joint damping is integrated implicitly:
//! (M + h B) a = f, with B the damping coefficients (MuJoCo's `mj_Euler`).

use motrix_model::JointKind;
use motrix_spatial::Lanes;
use motrix_spatial::algebra::*;

use crate::data::{Data, State};
use crate::kinematics::Tree;
use crate::params::Params;
use crate::pattern;
use crate::tables::Tables;

/// Advances all worlds of a group by one step.
#[inline(always)]
pub fn euler<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let h = L::splat(tables.timestep);
    let Data {
        state,
        inertia,
        forces,
        solution,
        integration: work,
        ..
    } = data;
    state.warmstart.copy_from_slice(&solution.acceleration);
    work.acceleration.clear();
    if tables.passive.dampers && !tables.options.disable.eulerdamp && params.any_damping {
        work.matrix.clear();
        work.matrix.extend_from_slice(&inertia.matrix);
        work.inverse.resize(tables.nv, L::ZERO);
        for (i, dof) in params.dofs.iter().enumerate() {
            let place = tables.pattern.diagonal(i);
            work.matrix[place] = h.mul_add(dof.damping, work.matrix[place]);
        }
        for i in 0..tables.nv {
            work.acceleration.push(forces.smooth[i] + solution.constraint_force[i]);
        }
        pattern::factor(&tables.pattern, &mut work.matrix, &mut work.inverse);
        pattern::solve(&tables.pattern, &work.matrix, &work.inverse, &mut work.acceleration);
    } else {
        work.acceleration.extend_from_slice(&solution.acceleration);
    }
    for i in 0..tables.nv {
        state.qvel[i] = h.mul_add(work.acceleration[i], state.qvel[i]);
    }
    positions(&tables.tree, h, state);
    for t in &mut state.time {
        *t += tables.options.timestep;
    }
}

/// Memory of the integrator.
#[derive(Clone, Debug, Default)]
pub struct Work<L> {
    acceleration: Vec<L>,
    matrix: Vec<L>,
    inverse: Vec<L>,
}

/// q ← q ⊕ h v.
#[inline(always)]
pub fn positions<L: Lanes>(tree: &Tree<L::Elem>, h: L, state: &mut State<L>) {
    for joint in &tree.joints {
        let (q, v) = (joint.first_position, joint.first_dof);
        let turning = match joint.kind {
            JointKind::Slide | JointKind::Hinge => {
                state.qpos[q] = h.mul_add(state.qvel[v], state.qpos[q]);
                continue;
            }
            JointKind::Ball => (q, v),
            JointKind::Free => {
                for k in 0..3 {
                    state.qpos[q + k] = h.mul_add(state.qvel[v + k], state.qpos[q + k]);
                }
                (q + 3, v + 3)
            }
        };
        let (q, v) = turning;
        let orientation = [state.qpos[q], state.qpos[q + 1], state.qpos[q + 2], state.qpos[q + 3]];
        let omega = [state.qvel[v], state.qvel[v + 1], state.qvel[v + 2]];
        let next = quat_integrate(orientation, omega, h);
        state.qpos[q..q + 4].copy_from_slice(&next);
    }
}
