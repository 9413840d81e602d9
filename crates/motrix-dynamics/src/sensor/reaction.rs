//! Forces on bodies and between them, once accelerations and constraint forces are known (MuJoCo's `mj_rnePostConstraint`).
//!
//! The external force of a body (`cfrc_ext`) sums what the user applies, its contacts, what connects and welds it, and the pull of
//! spatial tendons. Newton-Euler then gives the force through the joint to its parent (`cfrc_int`): f(i) = I a + v ×* (I v) − f_ext(i) + Σ f(children). All are
//! spatial forces about the centre of mass of the body's tree, in world axes. What bodies of one tree do to each other cancels on
//! the way to its root ([`Tally`]).

use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Vec3};

use super::tension;
use crate::constraint::equality::{EqualityRowKind, weld_torque};
use crate::constraint::{BlockKind, surface};
use crate::data::Data;
use crate::params::Params;
use crate::tables::Tables;
use crate::tally::Tally;
use crate::{inertia, stages, wrench};

/// Spatial accelerations of bodies with the solved joint accelerations: a(i) = a(parent) + Ṡ q̇ + S q̈, a(world) = −g.
#[inline(always)]
pub fn accelerations<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let Data {
        state,
        inertia,
        twists,
        solution,
        ..
    } = data;
    twists.total[0] = sliding_along(neg(params.gravity));
    for (i, body) in tables.tree.bodies.iter().enumerate().skip(1) {
        let mut a = twists.total[body.parent];
        for d in body.first_dof..body.first_dof + body.dof_count {
            a = add_scaled6(&a, state.qvel[d], &twists.dof_rate[d]);
            a = add_scaled6(&a, solution.acceleration[d], &inertia.cdof[d]);
        }
        twists.total[i] = a;
    }
}

/// External forces and the forces between bodies and their parents; needs [`accelerations`].
#[inline(always)]
pub fn forces<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let mut tallies = core::mem::take(&mut data.twists.tallies);
    applied(tables, data, &mut tallies);
    touching(tables, data, &mut tallies);
    held(tables, data, &mut tallies);
    tension::pulls(tables, params, data, &mut tallies);

    let Data {
        state,
        poses,
        inertia,
        twists,
        ..
    } = data;
    let at = stages::configuration(tables, params, &state.qpos, poses, &inertia.cdof);
    for i in 1..tables.tree.bodies.len() {
        twists.external[i] = tallies[i].total();
        let (v, body) = (&twists.body[i], inertia::about_tree(&at, inertia, i));
        let inertial = add6(&inertia_mul(&body, &twists.total[i]), &gyroscopic(&body, v));
        tallies[i] = tallies[i].subtracted_from(inertial);
    }
    for i in (1..tables.tree.bodies.len()).rev() {
        let own = tallies[i];
        tallies[tables.tree.bodies[i].parent].merge(&own);
        twists.interaction[i] = own.total();
    }
    twists.interaction[0] = tallies[0].total();
    twists.tallies = tallies;
}

/// A point seen from the origin of a body's spatial vectors.
#[inline(always)]
fn arm<L: Lanes>(tables: &Tables<L::Elem>, data: &Data<L>, body: usize, point: Vec3<L>) -> Vec3<L> {
    sub(point, data.poses.subtree_com[tables.tree.bodies[body].root])
}

/// What the user applies at the centres of mass.
#[inline(always)]
fn applied<L: Lanes>(tables: &Tables<L::Elem>, data: &Data<L>, external: &mut Vec<Tally<L>>) {
    external.clear();
    external.push(Tally::of(zero6()));
    for (body, x) in data.input.xfrc.iter().enumerate().skip(1) {
        let at = arm(tables, data, body, data.poses.com[body]);
        let on = wrench::of_force_and_torque([x[0], x[1], x[2]], [x[3], x[4], x[5]], at);
        external.push(Tally::of(on));
    }
}

/// Forces of contacts; the world feels none.
#[inline(always)]
fn touching<L: Lanes>(tables: &Tables<L::Elem>, data: &Data<L>, external: &mut [Tally<L>]) {
    for block in &data.rows.blocks {
        let BlockKind::Contact(index) = block.kind else {
            continue;
        };
        let slot = &data.contacts.slots[index];
        let local = surface::interface_force(slot, block);
        // On `body2`, whichever geom of the pair it carries.
        let force = scale(mat_t_vec(&slot.frame, [local[0], local[1], local[2]]), slot.orientation);
        let torque = scale(mat_t_vec(&slot.frame, [local[3], local[4], local[5]]), slot.orientation);
        for (body, sign) in [(slot.body1, -L::ONE), (slot.body2, L::ONE)] {
            if body != 0 {
                let at = arm(tables, data, body, slot.position);
                let on = wrench::of_force_and_torque(force, torque, at);
                external[body].add(&scale6(&on, sign));
            }
        }
    }
}

/// Forces of connects and welds.
#[inline(always)]
fn held<L: Lanes>(tables: &Tables<L::Elem>, data: &Data<L>, external: &mut [Tally<L>]) {
    for row in &tables.equalities {
        let kind = BlockKind::Equality(row.index);
        let Some(block) = data.rows.blocks.iter().find(|b| b.kind == kind) else {
            continue;
        };
        let f = &block.force;
        let (pair, torque) = match &row.kind {
            EqualityRowKind::Connect(pair) => (pair, zero3()),
            EqualityRowKind::Weld {
                pair,
                frames,
                torque_scale,
            } => {
                let scale = L::splat(*torque_scale);
                (pair, weld_torque(pair, frames, scale, &data.poses, [f[3], f[4], f[5]]))
            }
            EqualityRowKind::Joint { .. } | EqualityRowKind::Tendon { .. } => continue,
        };
        for (which, sign) in [(0, L::ONE), (1, -L::ONE)] {
            let body = pair.bodies[which];
            if body != 0 {
                let at = arm(tables, data, body, pair.place(which, &data.poses));
                let on = wrench::of_force_and_torque([f[0], f[1], f[2]], torque, at);
                external[body].add(&scale6(&on, sign));
            }
        }
    }
}
