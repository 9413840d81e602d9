//! Equalities between scalars: a joint coordinate or a tendon length as a polynomial of another.

use motrix_spatial::Lanes;

use super::{Coupling, FIRST, SECOND, State};
use crate::configuration::Movement;
use crate::data::Tendons;
use crate::support::Support;
use crate::tendon::TendonTable;

/// x₁ − x₁⁰ − P(x₂ − x₂⁰), and P'.
#[inline(always)]
fn mismatch<L: Lanes>(coupling: &Coupling<L::Elem>, x1: L, x2: L) -> (L, L) {
    let p = &coupling.polynomial;
    let own = x1 - L::splat(coupling.references[0]);
    if !coupling.double {
        return (own - L::splat(p[0]), L::ZERO);
    }
    let x = x2 - L::splat(coupling.references[1]);
    let (mut value, mut slope) = (L::splat(p[4]), L::ZERO);
    // Horner's rule for P and P' together.
    for c in [p[3], p[2], p[1], p[0]] {
        slope = slope.mul_add(x, value);
        value = value.mul_add(x, L::splat(c));
    }
    (own - value, slope)
}

/// P' of a coupling of two tendons: minus the derivative of its violation by the second length.
#[inline(always)]
pub fn tendon_slope<L: Lanes>(coupling: &Coupling<L::Elem>, ids: [usize; 2], tendons: &Tendons<L>) -> L {
    mismatch(coupling, tendons.length[ids[0]], tendons.length[ids[1]]).1
}

/// A single row with its violation and velocity.
#[inline(always)]
fn single<L: Lanes>(violation: L, velocity: L, inverse_inertia: L) -> State<L> {
    let mut state = State {
        violation: [L::ZERO; 6],
        velocity: [L::ZERO; 6],
        product: [L::ZERO; 6],
        inverse_inertia: [inverse_inertia; 2],
    };
    (state.violation[0], state.velocity[0]) = (violation, velocity);
    state
}

/// A coordinate and a polynomial of another.
#[inline(always)]
pub(super) fn couple_joints<L: Lanes>(
    positions: [usize; 2],
    dofs: [usize; 2],
    coupling: &Coupling<L::Elem>,
    support: &Support,
    movement: &Movement<L>,
    jacobian: &mut [L],
) -> State<L> {
    let qpos = movement.at.qpos;
    let (violation, slope) = mismatch(coupling, qpos[positions[0]], qpos[positions[1]]);
    for k in 0..support.dofs.len() {
        if support.moves[k] & FIRST != 0 {
            jacobian[k] += L::ONE;
        }
        if coupling.double && support.moves[k] & SECOND != 0 {
            jacobian[k] -= slope;
        }
    }
    let mut velocity = movement.qvel[dofs[0]];
    let mut inverse = movement.at.params.dofs[dofs[0]].invweight;
    if coupling.double {
        velocity = slope.neg_mul_add(movement.qvel[dofs[1]], velocity);
        inverse += movement.at.params.dofs[dofs[1]].invweight;
    }
    single(violation, velocity, inverse)
}

/// A length and a polynomial of another.
#[inline(always)]
pub(super) fn couple_tendons<L: Lanes>(
    ids: [usize; 2],
    columns: &[Vec<u32>; 2],
    coupling: &Coupling<L::Elem>,
    tendon_table: &TendonTable<L::Elem>,
    movement: &Movement<L>,
    tendons: &Tendons<L>,
    jacobian: &mut [L],
) -> State<L> {
    let [t1, t2] = ids;
    let (violation, slope) = mismatch(coupling, tendons.length[t1], tendons.length[t2]);
    let invweight = &movement.at.params.tendon_invweight;
    let (mut velocity, mut inverse) = (tendons.velocity[t1], invweight[t1]);
    for (&column, j) in columns[0].iter().zip(tendon_table.rows[t1].jacobian(tendons)) {
        jacobian[column as usize] += *j;
    }
    if coupling.double {
        velocity = slope.neg_mul_add(tendons.velocity[t2], velocity);
        inverse += invweight[t2];
        for (&column, j) in columns[1].iter().zip(tendon_table.rows[t2].jacobian(tendons)) {
            jacobian[column as usize] = slope.neg_mul_add(*j, jacobian[column as usize]);
        }
    }
    single(violation, velocity, inverse)
}
