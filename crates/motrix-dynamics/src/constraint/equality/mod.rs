//! Equality constraints: connect, weld, joint and tendon couplings.
//!
//! | kind | violation r |
//! |---|---|
//! | connect | p₁ − p₂, the anchors in the world |
//! | weld | p₁ − p₂, then s·vec(q̄₂ q₁ q_rel), s the torque scale |
//! | joint, tendon | x₁ − x₁⁰ − P(x₂ − x₂⁰), P a quartic polynomial |
//!
//! with J = ∂r/∂q and the reference acceleration a_ref = −B J q̇ − K d(|r|) r − J̇ q̇. Connect and weld subtract J̇ q̇, the
//! acceleration of r that velocities alone cause: without it fast loops drift. Polynomials do not, as in MuJoCo. The norm
//! of the whole r decides the impedance d.

mod bodies;
mod coupling;

use motrix_model::{BodyId, Equality, EqualityKind, Model, Options, SiteId};
use motrix_spatial::{Lanes, Mask, Real};

pub use self::bodies::weld_torque;
use self::bodies::{connect, weld};
pub use self::coupling::tendon_slope;
use self::coupling::{couple_joints, couple_tendons};
use super::impedance::{Impedance, Reference, regularisation};
use super::{Block, BlockKind, Rows};
use crate::configuration::Movement;
use crate::data::Tendons;
use crate::support::{Support, on_one_chain};
use crate::tables::round3;
use crate::tendon::TendonTable;

/// Bits of [`Support::moves`]: the first and the second body.
const FIRST: u8 = 1;
const SECOND: u8 = 2;

/// Where an anchor is.
#[derive(Clone, Debug)]
pub enum Anchor<E> {
    /// A point of a body.
    Point([E; 3]),
    /// A site.
    Site(usize),
}

/// What is held equal, as the kernels read it.
#[derive(Clone, Debug)]
pub enum EqualityRowKind<E> {
    /// Two points of two bodies.
    Connect(BodyPair<E>),
    /// Two frames of two bodies.
    Weld {
        /// The points.
        pair: BodyPair<E>,
        /// Orientation of each frame in its body.
        frames: [[E; 4]; 2],
        /// Scale of the rotation.
        torque_scale: E,
    },
    /// A coordinate and a polynomial of another.
    Joint {
        /// Entries of `qpos`.
        positions: [usize; 2],
        /// Dofs.
        dofs: [usize; 2],
        /// The polynomial.
        coupling: Coupling<E>,
    },
    /// A length and a polynomial of another.
    Tendon {
        /// Tendons.
        tendons: [usize; 2],
        /// Columns of each tendon among the block's dofs.
        columns: [Vec<u32>; 2],
        /// The polynomial.
        coupling: Coupling<E>,
    },
}

/// Two bodies with an anchor each.
#[derive(Clone, Debug)]
pub struct BodyPair<E> {
    /// Bodies.
    pub bodies: [usize; 2],
    /// Anchors.
    pub anchors: [Anchor<E>; 2],
}

/// x₁ − x₁⁰ = P(x₂ − x₂⁰), or a constant without a second coordinate.
#[derive(Clone, Debug)]
pub struct Coupling<E> {
    /// Whether there is a second coordinate.
    pub double: bool,
    /// x₁⁰ and x₂⁰.
    pub references: [E; 2],
    /// Coefficients of P, constant first.
    pub polynomial: [E; 5],
}

/// An equality constraint.
#[derive(Clone, Debug)]
pub struct EqualityRow<E> {
    /// Its index in the model.
    pub index: usize,
    /// What is held equal.
    pub kind: EqualityRowKind<E>,
    /// Its dofs.
    pub support: Support,
    /// Reference.
    pub reference: Reference<E>,
    /// Impedance.
    pub impedance: Impedance<E>,
}

/// The equality constraints of a model, without those that nothing can move.
pub fn table<E: Real>(model: &Model, options: &Options) -> Vec<EqualityRow<E>> {
    if options.disable.equality {
        return Vec::new();
    }
    let rows = model.equalities.iter().enumerate().map(|(index, equality)| {
        let (kind, support) = kind(model, equality);
        let reference = Reference::new(equality.solref, &equality.solimp, options);
        EqualityRow {
            index,
            kind,
            support,
            reference: Reference {
                stiffness: E::from_f64(reference.stiffness),
                damping: E::from_f64(reference.damping),
            },
            impedance: Impedance::new(&equality.solimp).round(),
        }
    });
    rows.filter(|row| !row.support.dofs.is_empty()).collect()
}

fn kind<E: Real>(model: &Model, equality: &Equality) -> (EqualityRowKind<E>, Support) {
    let of_bodies = |bodies: [BodyId; 2], sites: Option<[SiteId; 2]>, anchors: [[f64; 3]; 2]| {
        let bodies = sites.map_or(bodies, |sites| sites.map(|s| model.sites[s.index()].body));
        let anchors = match sites {
            Some(sites) => sites.map(|s| Anchor::Site(s.index())),
            None => anchors.map(|a| Anchor::Point(round3(a))),
        };
        // Dofs that move both bodies matter too: they turn the gap between the anchors.
        let support = Support::of_any(model, &bodies);
        let bodies = bodies.map(BodyId::index);
        (BodyPair { bodies, anchors }, support)
    };
    match &equality.kind {
        EqualityKind::Connect {
            body1,
            body2,
            anchors,
            sites,
        } => {
            let (pair, support) = of_bodies([*body1, *body2], *sites, *anchors);
            (EqualityRowKind::Connect(pair), support)
        }
        EqualityKind::Weld {
            body1,
            body2,
            data: d,
            sites,
            ..
        } => {
            // The data hold the anchor of the second body first.
            let (pair, support) = of_bodies([*body1, *body2], *sites, [[d[3], d[4], d[5]], [d[0], d[1], d[2]]]);
            let frames = match sites {
                Some(sites) => sites.map(|s| model.sites[s.index()].orientation),
                None => [[d[6], d[7], d[8], d[9]], [1.0, 0.0, 0.0, 0.0]],
            };
            let kind = EqualityRowKind::Weld {
                pair,
                frames: frames.map(|q| q.map(E::from_f64)),
                torque_scale: E::from_f64(d[10]),
            };
            (kind, support)
        }
        EqualityKind::Joint {
            joint1,
            joint2,
            polynomial,
        } => {
            let joints = [*joint1, joint2.unwrap_or(*joint1)].map(|j| &model.joints[j.index()]);
            let positions = joints.map(|j| j.first_position);
            let dofs = joints.map(|j| j.first_dof);
            let coupling = Coupling {
                double: joint2.is_some(),
                references: positions.map(|p| E::from_f64(model.qpos0[p])),
                polynomial: polynomial.map(E::from_f64),
            };
            let support = support_of(model, dofs.map(|d| vec![d as u32]));
            let kind = EqualityRowKind::Joint {
                positions,
                dofs,
                coupling,
            };
            (kind, support)
        }
        EqualityKind::Tendon {
            tendon1,
            tendon2,
            polynomial,
        } => {
            let ids = [*tendon1, tendon2.unwrap_or(*tendon1)].map(|t| t.index());
            let dofs = ids.map(|t| {
                model.tendons[t]
                    .dofs
                    .iter()
                    .map(|d| d.index() as u32)
                    .collect::<Vec<_>>()
            });
            let support = support_of(model, dofs.clone());
            let column = |dof: &u32| support.dofs.iter().position(|d| d == dof).unwrap_or(0) as u32;
            let columns = dofs.map(|dofs| dofs.iter().map(column).collect());
            let coupling = Coupling {
                double: tendon2.is_some(),
                references: ids.map(|t| E::from_f64(model.tendons[t].length0)),
                polynomial: polynomial.map(E::from_f64),
            };
            let kind = EqualityRowKind::Tendon {
                tendons: ids,
                columns,
                coupling,
            };
            (kind, support)
        }
    }
}

/// All dofs of two rows.
fn support_of(model: &Model, rows: [Vec<u32>; 2]) -> Support {
    let mut dofs = rows.concat();
    dofs.sort_unstable();
    dofs.dedup();
    let moves = |dof: &u32| u8::from(rows[0].contains(dof)) * FIRST + u8::from(rows[1].contains(dof)) * SECOND;
    Support {
        moves: dofs.iter().map(moves).collect(),
        single_chain: on_one_chain(model, &dofs),
        dofs,
    }
}

/// Blocks of the equalities that act in some lane.
#[inline(always)]
pub fn rows<L: Lanes>(
    table: &[EqualityRow<L::Elem>],
    movement: &Movement<L>,
    tendon_table: &TendonTable<L::Elem>,
    tendons: &Tendons<L>,
    active: &[L::Mask],
    rows: &mut Rows<L>,
) {
    for row in table {
        let active = active[row.index];
        if !active.any() {
            continue;
        }
        let first_dof = rows.support.len();
        rows.support.extend_from_slice(&row.support.dofs);
        rows.coupled |= !row.support.single_chain;
        let dim = match &row.kind {
            EqualityRowKind::Connect(_) => 3,
            EqualityRowKind::Weld { .. } => 6,
            EqualityRowKind::Joint { .. } | EqualityRowKind::Tendon { .. } => 1,
        };
        let mut block = Block::open(BlockKind::Equality(row.index), dim, first_dof, rows);
        let jacobian = &mut rows.jacobian[block.jacobian..block.jacobian + dim * block.dof_count];
        let state = match &row.kind {
            EqualityRowKind::Connect(pair) => connect(pair, &row.support, movement, jacobian),
            EqualityRowKind::Weld {
                pair,
                frames,
                torque_scale,
            } => weld(pair, frames, L::splat(*torque_scale), &row.support, movement, jacobian),
            EqualityRowKind::Joint {
                positions,
                dofs,
                coupling,
            } => couple_joints(*positions, *dofs, coupling, &row.support, movement, jacobian),
            EqualityRowKind::Tendon {
                tendons: ids,
                columns,
                coupling,
            } => couple_tendons(*ids, columns, coupling, tendon_table, movement, tendons, jacobian),
        };
        weigh(row, &state, active, &mut block);
        rows.blocks.push(block);
    }
}

/// How far a constraint is from holding, and how it moves.
struct State<L> {
    /// r.
    violation: [L; 6],
    /// J q̇.
    velocity: [L; 6],
    /// J̇ q̇.
    product: [L; 6],
    /// Approximate inverse inertia, Â, of the first three rows and of the others.
    inverse_inertia: [L; 2],
}

/// Weights and reference accelerations of a block.
#[inline(always)]
fn weigh<L: Lanes>(row: &EqualityRow<L::Elem>, state: &State<L>, active: L::Mask, block: &mut Block<L>) {
    let (stiffness, damping) = (L::splat(row.reference.stiffness), L::splat(row.reference.damping));
    let size = if block.dim == 1 {
        state.violation[0]
    } else {
        let mut sum = L::ZERO;
        for r in 0..block.dim {
            sum = state.violation[r].mul_add(state.violation[r], sum);
        }
        sum.sqrt()
    };
    let impedance = row.impedance.splat::<L>().at(size);
    for r in 0..block.dim {
        let (_, weight) = regularisation(impedance, state.inverse_inertia[r / 3]);
        block.violation[r] = state.violation[r];
        block.weight[r] = L::select(active, weight, L::ZERO);
        let spring = stiffness * impedance.d * state.violation[r];
        block.reference[r] = -(damping.mul_add(state.velocity[r], spring)) - state.product[r];
    }
}
