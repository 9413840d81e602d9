//! Weights from the exact inverse inertia of each row, the diagonal of J M⁻¹ Jᵀ (MuJoCo's flag `diagexact`).
//!
//! Without the flag rows are weighed with an estimate from the reference pose. With it their weights are replaced: the impedance
//! stays, R = (1 − d)/d · (J M⁻¹ Jᵀ)ᵢᵢ. Of a contact the normal decides, or the first edge of its pyramid; the other directions follow
//! as always. It costs a solve with M for every row.

use motrix_model::Cone;
use motrix_spatial::Lanes;

use super::impedance::{Level, regularisation};
use super::{Block, BlockKind, Rows, surface};
use crate::contacts::Slot;
use crate::pattern;
use crate::solve::Mass;
use crate::solve::cost::middle_weight;
use crate::tables::Tables;

/// What all rows are weighed with.
struct Scale<'a, L: Lanes> {
    tables: &'a Tables<L::Elem>,
    mass: &'a Mass<'a, L>,
}

/// Replaces the weights of all rows; `work` is overwritten.
#[inline(always)]
pub fn reweigh<L: Lanes>(
    tables: &Tables<L::Elem>,
    mass: &Mass<L>,
    slots: &[Slot<L>],
    work: &mut Vec<L>,
    rows: &mut Rows<L>,
) {
    work.resize(tables.nv, L::ZERO);
    let scale = Scale { tables, mass };
    for row in &mut rows.friction {
        let d = tables.friction[row.dof].impedance.splat();
        row.weight = replaced(row.weight, d, scale.of_dof(row.dof, work));
    }
    for row in &mut rows.limits {
        for limit in tables.limits.iter().filter(|limit| limit.joint == row.joint) {
            let d = limit.stop.impedance.splat::<L>().at(row.distance - row.margin);
            row.weight = replaced(row.weight, d, scale.of_dof(row.dof, work));
        }
    }
    for index in 0..rows.blocks.len() {
        let mut block = rows.blocks[index];
        let d = impedance(tables, slots, &block);
        if let BlockKind::Contact(slot) = block.kind {
            scale.contact(&slots[slot], d, rows, work, &mut block);
        } else {
            for row in 0..block.dim {
                let mut direction = [L::ZERO; 6];
                direction[row] = L::ONE;
                let inverse = scale.along(&block, direction, rows, work);
                block.weight[row] = replaced(block.weight[row], d, inverse);
            }
        }
        rows.blocks[index] = block;
    }
}

/// 1/R in the lanes that have the row.
#[inline(always)]
fn replaced<L: Lanes>(weight: L, impedance: Level<L>, inverse_inertia: L) -> L {
    let (_, exact) = regularisation(impedance, inverse_inertia);
    L::select(weight.gt(L::ZERO), exact, weight)
}

/// The impedance of a block, which all its rows share.
#[inline(always)]
pub fn impedance<L: Lanes>(tables: &Tables<L::Elem>, slots: &[Slot<L>], block: &Block<L>) -> Level<L> {
    let excess = block.violation[0] - block.margin;
    let none = Level {
        d: L::ZERO,
        lack: L::ONE,
    };
    match block.kind {
        BlockKind::Contact(slot) => slots[slot].impedance.at(slots[slot].distance - slots[slot].margin),
        BlockKind::Equality(index) => {
            let mut square = L::ZERO;
            for r in &block.violation[..block.dim] {
                square = r.mul_add(*r, square);
            }
            let row = tables.equalities.iter().find(|row| row.index == index);
            row.map_or(none, |row| row.impedance.splat::<L>().at(square.sqrt()))
        }
        BlockKind::TendonFriction(tendon) => {
            let row = tables.tendon_friction.iter().find(|row| row.tendon == tendon);
            row.map_or(none, |row| row.impedance.splat())
        }
        BlockKind::BallLimit(joint) => {
            let row = tables.ball_limits.iter().find(|row| row.joint == joint);
            row.map_or(none, |row| row.stop.impedance.splat::<L>().at(excess))
        }
        BlockKind::TendonLimit(tendon, _) => {
            let row = tables.tendon_limits.iter().find(|row| row.tendon == tendon);
            row.map_or(none, |row| row.stop.impedance.splat::<L>().at(excess))
        }
    }
}

impl<L: Lanes> Scale<'_, L> {
    #[inline(always)]
    fn solve(&self, x: &mut [L]) {
        pattern::solve(&self.tables.pattern, self.mass.factors, self.mass.inverse_diagonal, x);
    }

    /// (M⁻¹)ᵢᵢ.
    #[inline(always)]
    fn of_dof(&self, dof: usize, work: &mut [L]) -> L {
        work.fill(L::ZERO);
        work[dof] = L::ONE;
        self.solve(work);
        work[dof]
    }

    /// j M⁻¹ jᵀ for the sum j of a block's rows.
    #[inline(always)]
    fn along(&self, block: &Block<L>, direction: [L; 6], rows: &Rows<L>, work: &mut [L]) -> L {
        let dofs = &rows.support[block.first_dof..block.first_dof + block.dof_count];
        work.fill(L::ZERO);
        for (k, &dof) in dofs.iter().enumerate() {
            work[dof as usize] = column(block, k, &direction, rows);
        }
        self.solve(work);
        let mut sum = L::ZERO;
        for (k, &dof) in dofs.iter().enumerate() {
            sum = column(block, k, &direction, rows).mul_add(work[dof as usize], sum);
        }
        sum
    }

    /// The weights of a contact, and what adhesion makes of them.
    #[inline(always)]
    fn contact(&self, slot: &Slot<L>, d: Level<L>, rows: &Rows<L>, work: &mut [L], block: &mut Block<L>) {
        let cone = self.tables.solver.cone;
        let adhesive = self.tables.surfaces.adhesive;
        if adhesive {
            block.reference[0] -= surface::shift(cone, slot, block);
        }
        let mut direction = [L::ONE, L::ZERO, L::ZERO, L::ZERO, L::ZERO, L::ZERO];
        let normal = replaced(block.weight[0], d, self.along(block, direction, rows, work));
        match cone {
            Cone::Elliptic => {
                let ratio = normal / L::select(block.weight[0].gt(L::ZERO), block.weight[0], L::ONE);
                for weight in &mut block.weight[1..] {
                    *weight *= ratio;
                }
                block.weight[0] = normal;
                block.middle_weight = middle_weight(normal, block.friction[0]);
            }
            Cone::Pyramidal => {
                block.weight[0] = normal;
                direction[1] = block.friction[1];
                let (r, _) = regularisation(d, self.along(block, direction, rows, work));
                let mu = block.friction[0];
                let edge = (L::c(2.0) * mu * mu * r).recip();
                for weight in &mut block.weight[1..] {
                    *weight = L::select(weight.gt(L::ZERO), edge, *weight);
                }
            }
        }
        if adhesive {
            block.reference[0] += surface::shift(cone, slot, block);
        }
    }
}

/// Column `k` of a sum of a block's rows.
#[inline(always)]
fn column<L: Lanes>(block: &Block<L>, k: usize, direction: &[L; 6], rows: &Rows<L>) -> L {
    let mut sum = L::ZERO;
    for row in 0..block.dim {
        sum = direction[row].mul_add(rows.jacobian[block.jacobian + k * block.dim + row], sum);
    }
    sum
}
