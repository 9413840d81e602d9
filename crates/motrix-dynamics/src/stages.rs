//! The three parts of a step, in the order in which one needs the other: positions, velocities, accelerations.

use motrix_spatial::Lanes;

use crate::constraint::{self, contact};
use crate::data::Data;
use crate::params::Params;
use crate::solve::{self, newton};
use crate::tables::Tables;
use crate::{actuation, bias, contacts, inertia, kinematics, passive};

/// Where the bodies are, how heavy, what touches.
#[inline(always)]
pub fn position<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let Data {
        state,
        input,
        poses,
        inertia,
        contacts,
        ..
    } = data;
    kinematics::poses(&tables.tree, params, &state.qpos, input, poses);
    inertia::about_com(&tables.tree, params, poses, inertia);
    inertia::joint_space(&tables.tree, &tables.pattern, params, inertia);
    inertia::factor(&tables.pattern, inertia);
    contacts::find(&tables.pairs, params, poses, contacts);
}

/// How they move, what resists, what drives.
#[inline(always)]
pub fn velocity<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let Data {
        state,
        input,
        inertia,
        twists,
        forces,
        actuators,
        ..
    } = data;
    kinematics::twists(&tables.tree, &inertia.cdof, &state.qvel, twists);
    bias::forces(&tables.tree, params, inertia, &state.qvel, twists, &mut forces.bias);
    passive::forces(&tables.passive, params, &state.qpos, &state.qvel, forces);
    actuation::forces(&tables.actuators, params, state, input, actuators, &mut forces.actuator);
}

/// Free motion first, then the constrained one.
#[inline(always)]
pub fn acceleration<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let Data {
        state,
        input,
        poses,
        inertia,
        contacts,
        forces,
        rows,
        solution,
        ..
    } = data;
    for i in 0..tables.nv {
        forces.smooth[i] = forces.passive[i] - forces.bias[i] + forces.actuator[i] + input.qfrc[i];
    }
    solve::smooth(&tables.pattern, inertia, forces, &mut solution.smooth);

    rows.clear();
    constraint::friction::rows(&tables.friction, params, &state.qvel, &mut rows.friction);
    constraint::limit::rows(&tables.limits, params, &state.qpos, &state.qvel, &mut rows.limits);
    let scene = contact::Scene {
        tree: &tables.tree,
        chains: &tables.chains,
        params,
        poses,
        inertia,
        qvel: &state.qvel,
    };
    let impratio = L::splat(tables.solver.impratio);
    contact::rows(&scene, tables.solver.cone, impratio, &contacts.slots, rows);

    if rows.is_empty() {
        solution.acceleration.copy_from_slice(&solution.smooth);
        solution.constraint_force.fill(L::ZERO);
        return;
    }
    let problem = newton::Problem {
        settings: &tables.solver,
        tree: &tables.pattern,
        inertia,
        forces,
        warmstart: &state.warmstart,
    };
    newton::solve(&problem, rows, solution);
}
