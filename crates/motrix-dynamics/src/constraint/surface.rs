//! What surfaces do to contacts beyond resisting: adhesion, and surfaces that move by themselves, as conveyor belts do.
//!
//! Adhesion pulls two surfaces together with a constant force A, one of the passive forces. The contact holds against it: its
//! reference acceleration grows by R A, so that depth and softness are as without adhesion, and what the surfaces feel is the
//! solver's force less A.
//! A moving surface adds its velocity at the contact to the sliding and spinning velocity that friction resists; it neither
//! pushes along the normal nor drives rolling.

use motrix_model::{Cone, Model, Options};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::Block;
use crate::configuration::Configuration;
use crate::contacts::{PairTable, Slot};
use crate::data::{Forces, Poses};
use crate::wrench;

/// Velocities of the surfaces that move: linear and angular, in the frame of the geom.
#[derive(Clone, Debug, Default)]
pub struct SurfaceTable<E> {
    /// One per geom, or empty when no surface moves.
    pub velocity: Vec<[E; 6]>,
    /// Whether some pair adheres.
    pub adhesive: bool,
    /// Whether adhesion pulls: it stops with all other passive forces.
    pub pulls: bool,
}

impl<E: Real> SurfaceTable<E> {
    /// The surfaces of a model.
    pub fn new(model: &Model, options: &Options) -> Self {
        let adhesive = model.pair_params.iter().any(|p| p.adhesion != 0.0);
        let moving = model.geoms.iter().any(|g| g.surface_velocity != [0.0; 6]);
        let velocity = model.geoms.iter().map(|g| g.surface_velocity.map(E::from_f64));
        Self {
            velocity: if moving { velocity.collect() } else { Vec::new() },
            adhesive,
            pulls: adhesive && !(options.disable.spring && options.disable.damper),
        }
    }
}

/// Adds the velocity of moving surfaces to the velocity of a contact in its own frame.
#[inline(always)]
pub fn drive<L: Lanes>(
    table: &SurfaceTable<L::Elem>,
    pairs: &PairTable<L::Elem>,
    poses: &Poses<L>,
    slot: &Slot<L>,
    velocity: &mut [L; 6],
) {
    if table.velocity.is_empty() {
        return;
    }
    // Lanes may hold different pairs of geoms: each pair is served once, for all lanes that hold it.
    let mut left = slot.acting;
    while left.any() {
        let index = slot.pair[left.bits().trailing_zeros() as usize];
        let mut same = 0;
        for k in 0..L::COUNT {
            same |= u32::from(slot.pair[k] == index) << k;
        }
        let same = left & L::Mask::from_bits(same);
        left = left & !same;
        let pair = &pairs.pairs[index as usize];
        let (v1, w1) = surface_velocity(table, poses, pair.geom1(), slot.position);
        let (v2, w2) = surface_velocity(table, poses, pair.geom2(), slot.position);
        let (sliding, turning) = (mat_vec(&slot.frame, sub(v2, v1)), mat_vec(&slot.frame, sub(w2, w1)));
        for (row, driven) in [(1, sliding[1]), (2, sliding[2]), (3, turning[0])] {
            velocity[row] = L::select(same, velocity[row] + driven, velocity[row]);
        }
    }
}

/// Velocity of a geom's surface relative to the geom at a point of the world, and its angular velocity; world axes.
#[inline(always)]
fn surface_velocity<L: Lanes>(
    table: &SurfaceTable<L::Elem>,
    poses: &Poses<L>,
    geom: usize,
    point: Vec3<L>,
) -> (Vec3<L>, Vec3<L>) {
    let v = table.velocity[geom].map(L::splat);
    let rotation = &poses.geom_rotation[geom];
    let turning = mat_vec(rotation, [v[3], v[4], v[5]]);
    let arm = sub(point, poses.geom_position[geom]);
    (add_cross(mat_vec(rotation, [v[0], v[1], v[2]]), turning, arm), turning)
}

/// Adds the pull of adhesive contacts to the passive forces.
#[inline(always)]
pub fn pull<L: Lanes>(at: &Configuration<L>, slots: &[Slot<L>], forces: &mut Forces<L>) {
    forces.wrench.fill([L::ZERO; 6]);
    let mut sticky = false;
    for slot in slots {
        let size = L::select(slot.acting, slot.adhesion * slot.orientation, L::ZERO);
        if size.equal(L::ZERO).all() {
            continue;
        }
        sticky = true;
        let force = scale(mat_row(&slot.frame, 0), size);
        for (body, force) in [(slot.body1, force), (slot.body2, neg(force))] {
            let on = wrench::of_force(force, at.arm(body, slot.position));
            forces.wrench[body] = add6(&forces.wrench[body], &on);
        }
    }
    if sticky {
        wrench::project(at.tree, at.cdof, &mut forces.wrench, &mut forces.passive);
    }
}

/// Shifts the reference acceleration of an adhesive contact, once its weights are known.
#[inline(always)]
pub fn adhere<L: Lanes>(table: &SurfaceTable<L::Elem>, cone: Cone, slot: &Slot<L>, block: &mut Block<L>) {
    if table.adhesive {
        block.reference[0] += shift(cone, slot, block);
    }
}

/// What adhesion adds to the reference acceleration of a contact.
#[inline(always)]
pub fn shift<L: Lanes>(cone: Cone, slot: &Slot<L>, block: &Block<L>) -> L {
    let frictionless = slot.lane_dim.lt(L::c(2.0));
    // The edges of a pyramid share the force equally; all have the same weight.
    let (weight, share) = match cone {
        Cone::Elliptic => (block.weight[0], L::ONE),
        Cone::Pyramidal => {
            let edges = L::select(frictionless, L::ONE, L::c(2.0) * (slot.lane_dim - L::ONE));
            let weight = L::select(frictionless, block.weight[0], block.weight[1]);
            (weight, edges.recip())
        }
    };
    let sticks = slot.acting & slot.adhesion.gt(L::ZERO) & weight.gt(L::ZERO);
    L::select(sticks, slot.adhesion * share / weight, L::ZERO)
}

/// The force that two surfaces feel: the solver's less adhesion; in the contact's frame, zero where it does not act.
#[inline(always)]
pub fn interface_force<L: Lanes>(slot: &Slot<L>, block: &Block<L>) -> [L; 6] {
    let mut force = [L::ZERO; 6];
    for r in 0..block.dim {
        force[r] = L::select(slot.acting, block.force[r], L::ZERO);
    }
    force[0] -= L::select(slot.acting, slot.adhesion, L::ZERO);
    force
}
