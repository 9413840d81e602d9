//! Semi-implicit Euler: (M + h B) a = f, with B the derivative of the joint dampers at the present velocity.

use motrix_spatial::Lanes;

use crate::data::Data;
use crate::params::Params;
use crate::pattern;
use crate::tables::Tables;

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
    let table = &tables.passive;
    let damped = params.any_damping || tables.reflected_damping;
    if table.dampers.is_empty() || tables.options.disable.eulerdamp || !damped {
        work.acceleration.extend_from_slice(&solution.acceleration);
        return;
    }
    let h = L::splat(tables.timestep);
    work.lower.clear();
    work.lower.extend_from_slice(&inertia.matrix);
    work.inverse.resize(tables.nv, L::ZERO);
    for dof in 0..tables.nv {
        let place = tables.pattern.diagonal(dof);
        let slope = table.damping(params, dof).slope(state.qvel[dof].abs());
        work.lower[place] = h.mul_add(slope, work.lower[place]);
        work.acceleration
            .push(forces.smooth[dof] + solution.constraint_force[dof]);
    }
    pattern::factor(&tables.pattern, &mut work.lower, &mut work.inverse);
    pattern::solve(&tables.pattern, &work.lower, &work.inverse, &mut work.acceleration);
}
