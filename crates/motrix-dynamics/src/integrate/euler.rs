//! Semi-implicit Euler: (M + h B) a = f, with B the derivative of the joint dampers at the present velocity.

use motrix_spatial::Lanes;

use crate::data::Data;
use crate::params::Params;
use crate::pattern;
use crate::tables::Tables;

/// Whether some damper makes the step differ from an explicit one.
#[inline(always)]
pub fn is_damped<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>) -> bool {
    let damped = params.any_damping || tables.reflected_damping;
    damped && !tables.passive.dampers.is_empty() && !tables.options.disable.eulerdamp
}

/// M + h B.
#[inline(always)]
pub fn matrix<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, inertia: &[L], qvel: &[L], out: &mut Vec<L>) {
    let h = L::splat(tables.timestep);
    out.clear();
    out.extend_from_slice(inertia);
    for dof in 0..tables.nv {
        let place = tables.pattern.diagonal(dof);
        let slope = tables.passive.damping(params, dof).slope(qvel[dof].abs());
        out[place] = h.mul_add(slope, out[place]);
    }
}

/// The acceleration of the step.
#[inline(always)]
pub fn acceleration<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let Data {
        state,
        inertia,
        forces,
        solution,
        integration: work,
        ..
    } = data;
    work.acceleration.clear();
    if !is_damped(tables, params) {
        work.acceleration.extend_from_slice(&solution.acceleration);
        return;
    }
    matrix(tables, params, &inertia.matrix, &state.qvel, &mut work.lower);
    work.inverse.resize(tables.nv, L::ZERO);
    for dof in 0..tables.nv {
        work.acceleration
            .push(forces.smooth[dof] + solution.constraint_force[dof]);
    }
    pattern::factor(&tables.pattern, &mut work.lower, &mut work.inverse);
    pattern::solve(&tables.pattern, &work.lower, &work.inverse, &mut work.acceleration);
}
