//! Contacts: from slots to blocks.
//!
//! With J the relative velocity of the second body with respect to the first at the contact point, in the contact frame
//! (normal, two tangents, then rotations about them), v = J q̇:
//! * normal row: a_ref = −B vₙ − K d(r) r with r = distance − margin;
//! * friction rows: a_ref = −B v.
//!
//! The contact model "firm" asks friction rows for rest, see [`super::hold`].
//!
//! Weights. Elliptic: D₀ = 1/R₀, D₁ = D₀·impratio, and D_k µ₁² = D₁ µ_k², which makes the cone round. Pyramidal: all edges
//! weigh D = 1/(2 µ² R₀) with µ = µ₁/√impratio and R₀ taken for the first edge. Frictionless: D₀ alone.

use motrix_model::Cone;
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mask, Motion, Real, Vec3};

use super::hold::Hold;
use super::impedance::regularisation;
use super::surface::{self, SurfaceTable};
use super::{Block, BlockKind, Rows};
use crate::contacts::{PairTable, Slot};
use crate::data::{Inertia, Poses, Twists};
use crate::kinematics::Tree;
use crate::params::Params;
use crate::solve::cost::middle_weight;

/// Weights of a contact block, by place in `Block::weight`.
///
/// | cone | `weight[0]` | `weight[k]`, k ≥ 1 |
/// |---|---|---|
/// | elliptic | normal | friction direction k |
/// | pyramidal | normal of a frictionless lane, else 0 | both edges of direction k |
pub struct Weights;

/// Largest weight of a pyramid's edge times the inverse inertia at the contact, in units of 1/ε. Edges weigh 1/µ²: without
/// friction, where µ is MuJoCo's least, single precision would lose everything else beside them.
const STIFFEST: f64 = 1.0 / 64.0;

/// What contact rows need to know of the scene.
pub struct Scene<'a, L: Lanes> {
    /// The tree.
    pub tree: &'a Tree<L::Elem>,
    /// Dofs from the root to each body.
    pub chains: &'a [Vec<u32>],
    /// Parameters.
    pub params: &'a Params<L>,
    /// Poses.
    pub poses: &'a Poses<L>,
    /// Joint axes.
    pub inertia: &'a Inertia<L>,
    /// Velocity.
    pub qvel: &'a [L],
    /// Pairs of geoms.
    pub pairs: &'a PairTable<L::Elem>,
    /// What surfaces do by themselves.
    pub surfaces: &'a SurfaceTable<L::Elem>,
    /// Velocities of the bodies, and the accelerations they cause.
    pub twists: &'a Twists<L>,
}

/// The law of friction.
#[derive(Clone, Copy, Debug)]
pub struct Law<L> {
    /// Friction cone.
    pub cone: Cone,
    /// Ratio of frictional to normal impedance.
    pub impratio: L,
    /// Least inverse inertia at a contact.
    pub least_inverse_inertia: L,
    /// Whether the solver makes friction stiffer.
    pub soft: bool,
}

impl<L: Lanes> Scene<'_, L> {
    /// A point seen from the centre about which the joint axes of a body are expressed.
    #[inline(always)]
    pub fn arm(&self, body: usize, point: Vec3<L>) -> Vec3<L> {
        sub(point, self.poses.subtree_com[self.tree.bodies[body].root])
    }
}

/// Blocks of the contacts that act in some lane; their friction may be made to hold.
#[inline(always)]
pub fn rows<L: Lanes>(
    scene: &Scene<L>,
    law: &Law<L>,
    mut hold: Option<Hold<L>>,
    slots: &[Slot<L>],
    rows: &mut Rows<L>,
) {
    for (index, slot) in slots.iter().enumerate() {
        if !slot.acting.any() {
            continue;
        }
        let first_dof = rows.support.len();
        let split = support(scene.chains, slot.body1, slot.body2, rows);
        if rows.support.len() == first_dof {
            continue;
        }
        let block = rows.blocks.open(BlockKind::Contact(index), slot.dim);
        block.first_dof = first_dof;
        block.dof_count = rows.support.len() - first_dof;
        block.jacobian = rows.jacobian.len();
        rows.jacobian
            .resize(block.jacobian + slot.dim * block.dof_count, L::ZERO);
        let (dofs, out) = (&rows.support[first_dof..], &mut rows.jacobian[block.jacobian..]);
        let mut velocity = match slot.dim {
            1 => jacobian::<L, 1>(scene, slot, dofs, split, out),
            3 => jacobian::<L, 3>(scene, slot, dofs, split, out),
            4 => jacobian::<L, 4>(scene, slot, dofs, split, out),
            _ => jacobian::<L, 6>(scene, slot, dofs, split, out),
        };
        surface::drive(scene.surfaces, scene.pairs, scene.poses, slot, &mut velocity);
        weigh(scene.params, law, slot, &velocity, block);
        surface::adhere(scene.surfaces, law.cone, slot, block);
        if let Some(hold) = hold.as_mut().filter(|_| slot.dim > 1) {
            hold.apply(scene, slot, &velocity, (&rows.support, &rows.jacobian), block);
        }
        if law.soft && slot.dim > 1 {
            rows.soft |= (slot.acting & slot.lane_dim.gt(L::ONE)).bits();
        }
    }
}

/// Which part of a support moves the first body.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// Number of leading dofs that belong to one body; the rest belong to the other.
    pub leading: usize,
    /// Whether the leading dofs move the first body.
    pub first_leads: bool,
}

/// Pushes the dofs that move the bodies relative to each other.
///
/// Ancestors that the two chains share move both alike and are left out. The remainders lie in different branches, and in
/// depth-first order one branch lies wholly before the other, so the support is ascending.
#[inline(always)]
pub fn support<L: Lanes>(chains: &[Vec<u32>], body1: usize, body2: usize, rows: &mut Rows<L>) -> Split {
    let (a, b) = (&chains[body1], &chains[body2]);
    let shared = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[shared..], &b[shared..]);
    if !a.is_empty() && !b.is_empty() {
        rows.coupled = true;
    }
    let first_leads = match (a.first(), b.first()) {
        (Some(x), Some(y)) => x < y,
        (first, _) => first.is_some(),
    };
    let (lead, follow) = if first_leads { (a, b) } else { (b, a) };
    rows.support.extend_from_slice(lead);
    rows.support.extend_from_slice(follow);
    Split {
        leading: lead.len(),
        first_leads,
    }
}

/// Fills the Jacobian of a contact and returns J q̇.
#[inline(always)]
fn jacobian<L: Lanes, const DIM: usize>(
    scene: &Scene<L>,
    slot: &Slot<L>,
    dofs: &[u32],
    split: Split,
    out: &mut [L],
) -> [L; 6] {
    let arms = [
        scene.arm(slot.body1, slot.position),
        scene.arm(slot.body2, slot.position),
    ];
    let mut velocity = [L::ZERO; 6];
    for (k, (&dof, out)) in dofs.iter().zip(out.chunks_exact_mut(DIM)).enumerate() {
        // The normal points from the pair's first geom, which may be on either body.
        let of_first = (k < split.leading) == split.first_leads;
        let dof = dof as usize;
        let mut column = contact_column::<L, DIM>(slot, &scene.inertia.cdof[dof], arms[usize::from(!of_first)]);
        let sign = if of_first { -slot.orientation } else { slot.orientation };
        for x in &mut column {
            *x *= sign;
        }
        for r in 0..DIM {
            out[r] = column[r];
            velocity[r] = column[r].mul_add(scene.qvel[dof], velocity[r]);
        }
    }
    velocity
}

/// Velocity of the contact point in the contact frame for unit speed of a dof.
#[inline(always)]
fn contact_column<L: Lanes, const DIM: usize>(slot: &Slot<L>, cdof: &Motion<L>, arm: Vec3<L>) -> [L; DIM] {
    let angular = angular(cdof);
    let linear = add(linear(cdof), cross(angular, arm));
    let mut column = [L::ZERO; DIM];
    for r in 0..DIM {
        let (row, v) = if r < 3 { (r, linear) } else { (r - 3, angular) };
        column[r] = dot(mat_row(&slot.frame, row), v);
    }
    column
}

/// Reference accelerations, weights and friction of a contact.
#[inline(always)]
fn weigh<L: Lanes>(params: &Params<L>, law: &Law<L>, slot: &Slot<L>, velocity: &[L; 6], block: &mut Block<L>) {
    let violation = slot.distance - slot.margin;
    let impedance = slot.impedance.at(violation);
    let (b1, b2) = (&params.bodies[slot.body1], &params.bodies[slot.body2]);
    let translation = (b1.invweight[0] + b2.invweight[0]).max(law.least_inverse_inertia);
    block.violation[0] = slot.distance;
    block.margin = slot.margin;

    let spring = slot.reference.stiffness * impedance.d * violation;
    block.reference[0] = -(slot.reference.damping.mul_add(velocity[0], spring));
    let friction_damping = match law.cone {
        Cone::Elliptic => slot.friction_damping,
        Cone::Pyramidal => slot.reference.damping,
    };
    for r in 1..slot.dim {
        block.reference[r] = -(friction_damping * velocity[r]);
    }

    let mu1 = slot.friction[0];
    let root = law.impratio.sqrt().recip();
    block.friction[0] = mu1 * root;
    let frictionless = slot.lane_dim.lt(L::c(2.0)) & slot.acting;
    let (_, plain) = regularisation(impedance, translation);
    let plain = L::select(slot.acting, plain, L::ZERO);
    match law.cone {
        Cone::Elliptic => {
            block.weight[0] = plain;
            block.middle_weight = middle_weight(plain, block.friction[0]);
            let ratio = plain * law.impratio / (mu1 * mu1);
            for k in 1..slot.dim {
                let present = L::c(k as f64).lt(slot.lane_dim) & slot.acting;
                let mu = L::select(present, slot.friction[k - 1], L::ZERO);
                block.friction[k] = mu;
                block.weight[k] = ratio * mu * mu;
            }
        }
        Cone::Pyramidal => {
            let edge_inertia = (mu1 * mu1).mul_add(translation, translation);
            let (r0, _) = regularisation(impedance, edge_inertia);
            let mu = block.friction[0];
            let most = L::c(STIFFEST / L::Elem::EPSILON) / translation;
            let edge = (L::c(2.0) * mu * mu * r0).recip().min(most);
            block.weight[0] = L::select(frictionless, plain, L::ZERO);
            for k in 1..slot.dim {
                let present = L::c(k as f64).lt(slot.lane_dim) & slot.acting;
                block.friction[k] = L::select(present, slot.friction[k - 1], L::ZERO);
                block.weight[k] = L::select(present, edge, L::ZERO);
            }
        }
    }
}
