//! The two integrators that are implicit in velocity.

use motrix_model::Integrator;
use motrix_spatial::Lanes;

use super::derivative::{self, Drives, Target};
use super::standalone::{Equations, Exact};
use super::unsymmetric;
use crate::configuration::{Configuration, Movement};
use crate::data::Data;
use crate::params::Params;
use crate::pattern;
use crate::tables::Tables;

/// The acceleration of the step.
#[inline(always)]
pub fn acceleration<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let full = tables.integrator() == Integrator::Implicit;
    let h = L::splat(tables.timestep);
    let Data {
        state,
        poses,
        inertia,
        twists,
        tendons,
        actuators,
        forces,
        solution,
        integration: work,
        ..
    } = data;
    let at = Configuration {
        tree: &tables.tree,
        chains: &tables.chains,
        params,
        qpos: &state.qpos,
        poses,
        cdof: &inertia.cdof,
    };
    let movement = Movement {
        at,
        qvel: &state.qvel,
        twists,
    };
    let drives = Drives {
        movement,
        act: &state.act,
        actuators,
        total: &forces.actuator,
        tendons,
    };
    let pattern = &tables.pattern;
    let table = &tables.derivative;

    work.acceleration.clear();
    for i in 0..tables.nv {
        work.acceleration.push(forces.smooth[i] + solution.constraint_force[i]);
    }
    work.inverse.resize(tables.nv, L::ZERO);
    work.lower.clear();
    work.lower.extend_from_slice(&inertia.matrix);
    derivative::add_actuators(
        table,
        &tables.actuators,
        &tables.transmission,
        &drives,
        h,
        &mut work.lower,
    );
    derivative::add_dampers(
        table,
        pattern,
        &tables.passive,
        &tables.tendons,
        &drives,
        h,
        &mut work.lower,
    );

    // From here on the two triangles may differ.
    work.upper.clear();
    if full {
        work.upper.extend_from_slice(&work.lower);
    }
    let mut target = Target {
        pattern,
        alone: &table.alone,
        lower: &mut work.lower,
        upper: if full { Some(&mut work.upper) } else { None },
    };
    let fluid = &tables.passive.fluid;
    derivative::add_fluid(fluid, &movement, &table.standalone, h, &mut work.columns, &mut target);

    if full {
        work.bias.carry(&tables.tree, &inertia.cdof, &state.qvel, twists);
        work.bias.compose(&tables.tree, inertia, twists);
        work.bias
            .add(&tables.tree, pattern, inertia, h, &mut work.lower, &mut work.upper);
        unsymmetric::factor(pattern, &mut work.lower, &mut work.upper, &mut work.inverse);
        unsymmetric::solve(pattern, &work.lower, &work.upper, &work.inverse, &mut work.acceleration);
        return;
    }

    if !table.standalone.is_empty() {
        work.bias.carry(&tables.tree, &inertia.cdof, &state.qvel, twists);
    }
    // The exact solutions of standalone bodies wait until the others are solved.
    work.exact.clear();
    for &(body, first) in &table.standalone {
        let mut equations = Equations::new(pattern, &work.lower, &work.acceleration, first);
        equations.add_bias(&work.bias, &movement, inertia, body, first, h);
        equations.add_ellipsoids(fluid, &movement, body, h, &mut work.columns);
        let (x, regular) = equations.solve();
        work.exact.push(Exact { first, x, regular });
    }
    pattern::factor(pattern, &mut work.lower, &mut work.inverse);
    pattern::solve(pattern, &work.lower, &work.inverse, &mut work.acceleration);
    for exact in &work.exact {
        for i in 0..6 {
            let a = &mut work.acceleration[exact.first + i];
            *a = L::select(exact.regular, exact.x[i], *a);
        }
    }
}
