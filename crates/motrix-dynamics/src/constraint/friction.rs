//! Dry friction of dofs (`frictionloss`): a force of limited size that opposes motion.

use motrix_model::{Model, Options};
use motrix_spatial::{Lanes, Mask, Real};

use super::impedance::{Impedance, Reference, regularisation};
use crate::params::Params;

/// A dof that has, or in some world may have, dry friction.
#[derive(Clone, Debug)]
pub struct FrictionTableRow<E> {
    /// Dof.
    pub dof: usize,
    /// Damping of the reference acceleration.
    pub damping: E,
    /// Impedance; friction has no violation, so it is constant.
    pub impedance: E,
}

/// Friction constants of every dof.
pub fn table<E: Real>(model: &Model, options: &Options) -> Vec<FrictionTableRow<E>> {
    if options.disable.frictionloss {
        return Vec::new();
    }
    let row = |(dof, d): (usize, &motrix_model::Dof)| FrictionTableRow {
        dof,
        damping: E::from_f64(Reference::new(d.solref, &d.solimp, options).damping),
        impedance: E::from_f64(Impedance::new(&d.solimp).d0),
    };
    model.dofs.iter().enumerate().map(row).collect()
}

/// Dry friction of one dof; its Jacobian is 1 there.
#[derive(Clone, Copy, Debug)]
pub struct FrictionRow<L> {
    /// Dof.
    pub dof: usize,
    /// Largest force.
    pub loss: L,
    /// 1/R.
    pub weight: L,
    /// Reference acceleration.
    pub reference: L,
    /// a − a_ref.
    pub residual: L,
    /// Search direction.
    pub slope: L,
    /// Constraint force.
    pub force: L,
}

/// Rows of the dofs that have friction in some lane.
#[inline(always)]
pub fn rows<L: Lanes>(
    table: &[FrictionTableRow<L::Elem>],
    params: &Params<L>,
    qvel: &[L],
    out: &mut Vec<FrictionRow<L>>,
) {
    for row in table {
        let p = &params.dofs[row.dof];
        let present = p.frictionloss.gt(L::ZERO);
        if !present.any() {
            continue;
        }
        let (_, weight) = regularisation(L::splat(row.impedance), p.invweight);
        out.push(FrictionRow {
            dof: row.dof,
            loss: L::select(present, p.frictionloss, L::ZERO),
            weight: L::select(present, weight, L::ZERO),
            reference: -(L::splat(row.damping) * qvel[row.dof]),
            residual: L::ZERO,
            slope: L::ZERO,
            force: L::ZERO,
        });
    }
}
