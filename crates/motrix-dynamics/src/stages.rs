//! The three parts of a step, in the order in which one needs the other: positions, velocities, accelerations.

use motrix_model::{ContactModel, Solver};
use motrix_spatial::{Lanes, Mask, Motion};

use crate::configuration::{Configuration, Movement};
use crate::constraint::grip::Recall;
use crate::constraint::hold::{self, Hold};
use crate::constraint::{contact, equality, exact, friction, limit, surface};
use crate::data::{Data, Forces, Input, Poses};
use crate::integrate::anticipation;
use crate::params::Params;
use crate::solve::{self, Mass, conjugate, dual, lockstep, response};
use crate::tables::Tables;
use crate::{
    actuation, bias, contacts, energy, inertia, joint_space, kinematics, passive, tendon, transmission, wrench,
};

/// Where the bodies are, how heavy, what touches.
#[inline(always)]
pub fn position<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    masses(tables, params, data);
    let Data {
        state,
        poses,
        inertia,
        tendons,
        actuators,
        contacts,
        energy,
        live,
        ..
    } = data;
    contacts::find(&tables.pairs, params, poses, *live, contacts);
    let at = configuration(tables, params, &state.qpos, poses, &inertia.cdof);
    transmission::lengths(
        &tables.transmission,
        &at,
        &tables.tendons,
        tendons,
        &contacts.slots,
        actuators,
    );
    if tables.energy {
        energy[0] = energy::potential(&tables.options, &tables.passive, &at, tendons, &state.plastic);
    }
}

/// Where the bodies are and how heavy: poses, tendons, the inertia matrix.
#[inline(always)]
pub fn masses<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let Data {
        state,
        input,
        poses,
        inertia,
        tendons,
        ..
    } = data;
    kinematics::poses(&tables.tree, params, &state.qpos, input, poses);
    inertia::about_com(&tables.tree, params, poses, inertia);
    let at = configuration(tables, params, &state.qpos, poses, &inertia.cdof);
    tendon::lengths(&tables.tendons, &at, tendons);
    joint_space::matrix(
        &tables.tree,
        &tables.pattern,
        params,
        &tables.reflected_armature,
        poses,
        inertia,
    );
    tendon::armature::add_inertia(&tables.tendons, tendons, &mut inertia.matrix);
}

/// How they move, what resists, what drives.
#[inline(always)]
pub fn velocity<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let Data {
        state,
        input,
        poses,
        inertia,
        twists,
        tendons,
        forces,
        actuators,
        contacts,
        energy,
        delayed_controls,
        ..
    } = data;
    kinematics::twists(&tables.tree, &inertia.cdof, &state.qvel, twists);
    tendon::velocities(&tables.tendons, &state.qvel, tendons);
    transmission::velocities(&tables.transmission, &state.qvel, actuators);
    bias::forces(
        &tables.tree,
        params,
        poses,
        inertia,
        &state.qvel,
        twists,
        &mut forces.bias,
    );
    let movement = Movement {
        at: configuration(tables, params, &state.qpos, poses, &inertia.cdof),
        qvel: &state.qvel,
        twists,
    };
    tendon::armature::add_bias(&tables.tendons, &movement, tendons, &mut forces.bias);
    passive::forces(
        &tables.passive,
        &movement,
        &tables.tendons,
        tendons,
        &state.plastic,
        forces,
    );
    if tables.surfaces.pulls {
        surface::pull(&movement.at, &contacts.slots, forces);
    }
    if tables.energy {
        energy[1] = energy::kinetic(&tables.pattern, inertia, &state.qvel, &mut forces.smooth);
    }
    let mut ctrl = &input.ctrl;
    if tables.delays.delays_controls() {
        tables
            .delays
            .controls(&state.history, &state.time, ctrl, delayed_controls);
        ctrl = delayed_controls;
    }
    actuation::forces(
        &tables.actuators,
        &tables.transmission,
        params,
        &state.act,
        ctrl,
        actuators,
        forces,
    );
}

/// Free motion first, then the constrained one.
#[inline(always)]
pub fn acceleration<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let anticipated = anticipation::applies(tables, params);
    if anticipated {
        anticipation::prepare(tables, params, data);
    } else {
        inertia::factor(&tables.pattern, &mut data.inertia);
    }
    let Data {
        state,
        input,
        poses,
        inertia,
        twists,
        tendons,
        contacts,
        forces,
        rows,
        solution,
        integration,
        exact_work,
        live,
        ..
    } = data;
    let mass = if anticipated {
        integration.anticipated.mass()
    } else {
        Mass::of(inertia)
    };
    let movement = Movement {
        at: configuration(tables, params, &state.qpos, poses, &inertia.cdof),
        qvel: &state.qvel,
        twists,
    };
    smooth_forces(&movement.at, input, forces);
    solve::smooth(&tables.pattern, &mass, &forces.smooth, &mut solution.smooth);

    rows.clear();
    let (tendon_table, tendons) = (&tables.tendons, &*tendons);
    let active = &input.equality_active;
    equality::rows(&tables.equalities, &movement, tendon_table, tendons, active, rows);
    friction::rows(&tables.friction, params, &state.qvel, &mut rows.friction);
    friction::tendon_rows(&tables.tendon_friction, params, tendon_table, tendons, rows);
    limit::rows(&tables.limits, params, &state.qpos, &state.qvel, &mut rows.limits);
    limit::ball_rows(&tables.ball_limits, params, &state.qpos, &state.qvel, rows);
    limit::tendon_rows(&tables.tendon_limits, params, tendon_table, tendons, rows);
    let scene = contact::Scene {
        tree: &tables.tree,
        chains: &tables.chains,
        params,
        poses,
        inertia,
        qvel: &state.qvel,
        pairs: &tables.pairs,
        surfaces: &tables.surfaces,
        twists,
    };
    let law = friction_law(tables);
    let firm = tables.solver.contact_model == ContactModel::Firm;
    let recall = Recall::new(&tables.grip, &state.grip);
    let hold = firm.then_some(Hold::new(L::splat(tables.timestep), &state.warmstart, recall));
    contact::rows(&scene, &law, hold, &contacts.slots, rows);
    if tables.options.enable.diagexact {
        exact::reweigh(tables, &mass, &contacts.slots, exact_work, rows);
    }
    if firm {
        hold::carry(rows);
    }

    if rows.is_empty() {
        solution.acceleration.copy_from_slice(&solution.smooth);
        solution.constraint_force.fill(L::ZERO);
        solution.dual.forget();
        return;
    }
    let problem = lockstep::Problem {
        settings: &tables.solver,
        tree: &tables.pattern,
        trees: &tables.trees,
        mass,
        forces: &forces.smooth,
        warmstart: &state.warmstart,
        live: *live,
    };
    match tables.solver.solver {
        Solver::Newton => lockstep::solve(&problem, rows, solution),
        Solver::Cg => conjugate::solve(&problem, rows, solution),
        Solver::Pgs => {
            let total = &mut solution.constraint_force;
            response::forces_at(tables.solver.cone, &state.warmstart, rows, total);
        }
    }
    if dual::is_needed(&tables.solver) {
        let shared = dual::Shared {
            settings: &tables.solver,
            pattern: &tables.pattern,
            dof_tree: &tables.dof_tree,
            factors: mass.factors,
            inverse_diagonal: mass.inverse_diagonal,
            slots: &contacts.slots,
        };
        dual::solve(&shared, rows, solution);
    }
}

/// The law of friction. That which holds begins as soft as the normal, and so does that which the solver makes stiffer.
#[inline(always)]
fn friction_law<L: Lanes>(tables: &Tables<L::Elem>) -> contact::Law<L> {
    let settings = &tables.solver;
    let soft = settings.soft_start.is_some();
    let firm = settings.contact_model == ContactModel::Firm;
    contact::Law {
        cone: settings.cone,
        impratio: if soft || firm {
            L::ONE
        } else {
            L::splat(settings.impratio)
        },
        least_inverse_inertia: L::splat(settings.least_inverse_inertia),
        soft,
    }
}

/// What follows from positions alone.
#[inline(always)]
pub(crate) fn configuration<'a, L: Lanes>(
    tables: &'a Tables<L::Elem>,
    params: &'a Params<L>,
    qpos: &'a [L],
    poses: &'a Poses<L>,
    cdof: &'a [Motion<L>],
) -> Configuration<'a, L> {
    Configuration {
        tree: &tables.tree,
        chains: &tables.chains,
        params,
        qpos,
        poses,
        cdof,
    }
}

/// Sums everything but constraints: passive − bias + actuator forces, and what the user applies to dofs and bodies.
#[inline(always)]
fn smooth_forces<L: Lanes>(at: &Configuration<L>, input: &Input<L>, forces: &mut Forces<L>) {
    for i in 0..forces.smooth.len() {
        forces.smooth[i] = forces.passive[i] - forces.bias[i] + forces.actuator[i] + input.qfrc[i];
    }
    let mut still = L::Mask::ALL;
    for wrench in &input.xfrc[1..] {
        for component in wrench {
            still = still & component.equal(L::ZERO);
        }
    }
    if still.all() {
        return;
    }
    for (body, x) in input.xfrc.iter().enumerate().skip(1) {
        let (force, torque) = ([x[0], x[1], x[2]], [x[3], x[4], x[5]]);
        let arm = at.arm(body, at.poses.com[body]);
        forces.wrench[body] = wrench::of_force_and_torque(force, torque, arm);
    }
    wrench::project(at.tree, at.cdof, &mut forces.wrench, &mut forces.smooth);
}
