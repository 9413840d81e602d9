//! Momentum of subtrees (MuJoCo's `mj_subtreeVel`).

use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Vec3};

use crate::data::Data;
use crate::params::Params;
use crate::tables::Tables;

/// Velocity of a body's centre of mass.
#[inline(always)]
fn com_velocity<L: Lanes>(tables: &Tables<L::Elem>, data: &Data<L>, body: usize) -> Vec3<L> {
    let v = &data.twists.body[body];
    let arm = sub(
        data.poses.com[body],
        data.poses.subtree_com[tables.tree.bodies[body].root],
    );
    add_cross(linear(v), angular(v), arm)
}

/// Velocity of the centre of mass of a subtree.
#[inline(always)]
pub fn linear_velocity<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &Data<L>, body: usize) -> Vec3<L> {
    let mut sum = [L::ZERO; 3];
    for i in body.max(1)..tables.sensors.subtree_end[body] {
        sum = add_scaled(sum, params.bodies[i].mass, com_velocity(tables, data, i));
    }
    scale(sum, params.bodies[body].subtree_mass.max(L::c(1e-15)).recip())
}

/// Angular momentum of a subtree about its centre of mass: spin of each body, plus the moment of its linear momentum relative
/// to the centre.
#[inline(always)]
pub fn angular_momentum<L: Lanes>(
    tables: &Tables<L::Elem>,
    params: &Params<L>,
    data: &Data<L>,
    body: usize,
) -> Vec3<L> {
    let centre = data.poses.subtree_com[body];
    let drift = linear_velocity(tables, params, data, body);
    let mut sum = [L::ZERO; 3];
    for i in body.max(1)..tables.sensors.subtree_end[body] {
        let p = &params.bodies[i];
        let rotation = &data.poses.inertia_rotation[i];
        let local = mat_t_vec(rotation, angular(&data.twists.body[i]));
        let spin = mat_vec(
            rotation,
            [
                p.inertia[0] * local[0],
                p.inertia[1] * local[1],
                p.inertia[2] * local[2],
            ],
        );
        let relative = sub(com_velocity(tables, data, i), drift);
        let moment = cross(sub(data.poses.com[i], centre), scale(relative, p.mass));
        sum = add(sum, add(spin, moment));
    }
    sum
}
