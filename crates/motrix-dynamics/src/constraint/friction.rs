//! Dry friction of dofs and tendons (`frictionloss`): a force of limited size that opposes motion.

use motrix_model::{Model, Options};
use motrix_spatial::{Lanes, Mask, Real};

use super::impedance::{Level, Reference, regularisation};
use super::{Block, BlockKind, Rows};
use crate::data::Tendons;
use crate::params::Params;
use crate::solve::cost;
use crate::tendon::TendonTable;

/// A dof that has, or in some world may have, dry friction.
#[derive(Clone, Debug)]
pub struct FrictionTableRow<E> {
    /// Dof.
    pub dof: usize,
    /// Damping of the reference acceleration.
    pub damping: E,
    /// Impedance; friction has no violation, so it is constant.
    pub impedance: Level<E>,
}

/// Friction constants of every dof.
pub fn table<E: Real>(model: &Model, options: &Options) -> Vec<FrictionTableRow<E>> {
    if options.disable.frictionloss {
        return Vec::new();
    }
    let row = |(dof, d): (usize, &motrix_model::Dof)| FrictionTableRow {
        dof,
        damping: E::from_f64(Reference::new(d.solref, &d.solimp, options).damping),
        impedance: Level::at_rest(&d.solimp).round(),
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
    /// Second derivative of the cost.
    pub curvature: L,
}

impl<L: Lanes> FrictionRow<L> {
    /// A row without weight.
    pub fn empty() -> Self {
        Self {
            dof: 0,
            loss: L::ZERO,
            weight: L::ZERO,
            reference: L::ZERO,
            residual: L::ZERO,
            slope: L::ZERO,
            force: L::ZERO,
            curvature: L::ZERO,
        }
    }

    /// Force and curvature at the residual, and the lanes whose cost is now another parabola or line.
    #[inline(always)]
    pub fn respond(&mut self) -> L::Mask {
        cost::dry_friction_row(
            self.residual,
            self.loss,
            self.weight,
            &mut self.force,
            &mut self.curvature,
        )
    }
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
        let (_, weight) = regularisation(row.impedance.splat(), p.invweight);
        out.push(FrictionRow {
            dof: row.dof,
            loss: L::select(present, p.frictionloss, L::ZERO),
            weight: L::select(present, weight, L::ZERO),
            reference: -(L::splat(row.damping) * qvel[row.dof]),
            ..FrictionRow::empty()
        });
    }
}

/// A tendon with dry friction.
#[derive(Clone, Debug)]
pub struct TendonFrictionTableRow<E> {
    /// Tendon.
    pub tendon: usize,
    /// Largest force.
    pub loss: E,
    /// Damping of the reference acceleration.
    pub damping: E,
    /// Impedance.
    pub impedance: Level<E>,
}

/// The tendons of a model with dry friction.
pub fn tendon_table<E: Real>(model: &Model, options: &Options) -> Vec<TendonFrictionTableRow<E>> {
    if options.disable.frictionloss {
        return Vec::new();
    }
    let rough = model.tendons.iter().enumerate().filter(|(_, t)| t.frictionloss > 0.0);
    let row = |(tendon, t): (usize, &motrix_model::Tendon)| TendonFrictionTableRow {
        tendon,
        loss: E::from_f64(t.frictionloss),
        damping: E::from_f64(Reference::new(t.solref_friction, &t.solimp_friction, options).damping),
        impedance: Level::at_rest(&t.solimp_friction).round(),
    };
    rough.map(row).collect()
}

/// Blocks of the tendons with friction.
#[inline(always)]
pub fn tendon_rows<L: Lanes>(
    table: &[TendonFrictionTableRow<L::Elem>],
    params: &Params<L>,
    tendon_table: &TendonTable<L::Elem>,
    tendons: &Tendons<L>,
    rows: &mut Rows<L>,
) {
    for row in table {
        let kind = BlockKind::TendonFriction(row.tendon);
        let Some(mut block) = Block::on_tendon(kind, &tendon_table.rows[row.tendon], tendons, L::ONE, rows) else {
            continue;
        };
        let (_, weight) = regularisation(row.impedance.splat(), params.tendon_invweight[row.tendon]);
        block.weight[0] = weight;
        block.friction[0] = L::splat(row.loss);
        block.reference[0] = -(L::splat(row.damping) * tendons.velocity[row.tendon]);
        rows.blocks.push(block);
    }
}
