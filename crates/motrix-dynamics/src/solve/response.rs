//! What all rows answer to an acceleration: residuals, forces, curvatures and cost.

use motrix_model::Cone;
use motrix_spatial::{Lanes, Mask};

use super::change::Change;
use super::cost::{self, entry};
use crate::constraint::{Block, BlockKind, Rows};

/// Forces of all rows at an acceleration.
#[inline(always)]
pub fn forces_at<L: Lanes>(cone: Cone, acceleration: &[L], rows: &mut Rows<L>, total: &mut [L]) {
    residuals(rows, acceleration);
    update(cone, L::Mask::NONE, rows, total);
}

/// J a − a_ref of all rows.
#[inline(always)]
pub(super) fn residuals<L: Lanes>(rows: &mut Rows<L>, a: &[L]) {
    for row in &mut rows.friction {
        row.residual = a[row.dof] - row.reference;
    }
    for row in &mut rows.limits {
        row.residual = row.signed(a[row.dof]) - row.reference;
    }
    let Rows {
        blocks,
        support,
        jacobian,
        ..
    } = rows;
    for block in blocks {
        let product = block_times(block, support, jacobian, a);
        for r in 0..block.dim {
            block.residual[r] = product[r] - block.reference[r];
        }
    }
}

/// J x of all rows, kept as their slopes.
#[inline(always)]
pub(super) fn slopes<L: Lanes>(rows: &mut Rows<L>, x: &[L]) {
    for row in &mut rows.friction {
        row.slope = x[row.dof];
    }
    for row in &mut rows.limits {
        row.slope = row.signed(x[row.dof]);
    }
    let Rows {
        blocks,
        support,
        jacobian,
        ..
    } = rows;
    for block in blocks {
        block.slope = block_times(block, support, jacobian, x);
    }
}

/// J x of one block.
#[inline(always)]
pub(crate) fn block_times<L: Lanes>(block: &Block<L>, support: &[u32], jacobian: &[L], x: &[L]) -> [L; 6] {
    match block.dim {
        1 => block_times_dim::<L, 1>(block, support, jacobian, x),
        3 => block_times_dim::<L, 3>(block, support, jacobian, x),
        4 => block_times_dim::<L, 4>(block, support, jacobian, x),
        _ => block_times_dim::<L, 6>(block, support, jacobian, x),
    }
}

#[inline(always)]
fn block_times_dim<L: Lanes, const DIM: usize>(block: &Block<L>, support: &[u32], jacobian: &[L], x: &[L]) -> [L; 6] {
    let mut sum = [L::ZERO; DIM];
    for (&dof, column) in columns::<L, DIM>(block, support, jacobian) {
        let v = x[dof as usize];
        for r in 0..DIM {
            sum[r] = column[r].mul_add(v, sum[r]);
        }
    }
    let mut out = [L::ZERO; 6];
    out[..DIM].copy_from_slice(&sum);
    out
}

/// The dofs of a block and what each adds to its rows.
#[inline(always)]
fn columns<'a, L, const DIM: usize>(
    block: &Block<L>,
    support: &'a [u32],
    jacobian: &'a [L],
) -> impl Iterator<Item = (&'a u32, &'a [L; DIM])> {
    let dofs = &support[block.first_dof..block.first_dof + block.dof_count];
    dofs.iter().zip(jacobian[block.jacobian..].as_chunks::<DIM>().0)
}

/// Forces and curvatures at the residuals, and Jᵀ·force. In the lanes `kept`, cones that still slide keep their curvatures.
#[inline(always)]
pub(super) fn update<L: Lanes>(cone: Cone, kept: L::Mask, rows: &mut Rows<L>, total: &mut [L]) -> Change<L::Mask> {
    total.fill(L::ZERO);
    let mut change = Change::of(L::Mask::NONE);
    for row in &mut rows.friction {
        change = change.or(Change::of(row.respond()));
        total[row.dof] += row.force;
    }
    for row in &mut rows.limits {
        change = change.or(Change::of(row.respond()));
        total[row.dof] += row.signed(row.force);
    }
    let Rows {
        blocks,
        support,
        jacobian,
        ..
    } = rows;
    for block in blocks {
        let other = match block.dim {
            1 => update_block::<L, 1>(cone, kept, block, support, jacobian, total),
            3 => update_block::<L, 3>(cone, kept, block, support, jacobian, total),
            4 => update_block::<L, 4>(cone, kept, block, support, jacobian, total),
            _ => update_block::<L, 6>(cone, kept, block, support, jacobian, total),
        };
        change = change.or(other);
    }
    change
}

#[inline(always)]
fn update_block<L: Lanes, const DIM: usize>(
    cone: Cone,
    kept: L::Mask,
    block: &mut Block<L>,
    support: &[u32],
    jacobian: &[L],
    total: &mut [L],
) -> Change<L::Mask> {
    let change = respond::<L, DIM>(cone, kept, block);
    if block.idle {
        return change;
    }
    let mut force = [L::ZERO; DIM];
    force.copy_from_slice(&block.force[..DIM]);
    for (&dof, column) in columns::<L, DIM>(block, support, jacobian) {
        let total = &mut total[dof as usize];
        let mut sum = *total;
        for r in 0..DIM {
            sum = column[r].mul_add(force[r], sum);
        }
        *total = sum;
    }
    change
}

/// Force and curvature of a block, and whether it acts at all. In the lanes `kept` a cone that still slides keeps its curvature.
#[inline(always)]
pub(super) fn respond<L: Lanes, const DIM: usize>(cone: Cone, kept: L::Mask, block: &mut Block<L>) -> Change<L::Mask> {
    let change = match block.kind {
        BlockKind::Equality(_) => {
            for r in 0..DIM {
                block.force[r] = -(block.weight[r] * block.residual[r]);
                block.curvature[entry(r, 0)] = L::ZERO;
                block.curvature[entry(r, r)] = block.weight[r];
            }
            Change::of(L::Mask::NONE)
        }
        BlockKind::TendonFriction(_) => {
            let (x, loss, weight) = (block.residual[0], block.friction[0], block.weight[0]);
            let (force, curvature) = (&mut block.force[0], &mut block.curvature[0]);
            Change::of(cost::dry_friction_row(x, loss, weight, force, curvature))
        }
        BlockKind::BallLimit(_) | BlockKind::TendonLimit(..) => Change::of(one_sided_block(block)),
        BlockKind::Contact(_) if DIM == 1 => Change::of(one_sided_block(block)),
        BlockKind::Contact(_) => match cone {
            Cone::Pyramidal => Change::of(cost::pyramid::<L, DIM>(block)),
            Cone::Elliptic => cost::cone::<L, DIM>(block, kept),
        },
    };
    // What does not press, not even with a force that is no number, adds nothing to forces or Hessian.
    block.idle = (block.curvature[0].equal(L::ZERO) & block.force[0].equal(L::ZERO)).all()
        && !matches!(block.kind, BlockKind::Equality(_));
    change
}

#[inline(always)]
fn one_sided_block<L: Lanes>(block: &mut Block<L>) -> L::Mask {
    cost::one_sided_row(
        block.residual[0],
        block.weight[0],
        &mut block.force[0],
        &mut block.curvature[0],
    )
}

/// Constraint cost at the residuals.
#[inline(always)]
pub(super) fn constraint_cost<L: Lanes>(cone: Cone, rows: &Rows<L>) -> L {
    let mut sum = L::ZERO;
    for row in &rows.friction {
        sum += cost::dry_friction(row.residual, row.loss, row.weight).0;
    }
    for row in &rows.limits {
        sum += cost::one_sided(row.residual, row.weight).0;
    }
    for block in &rows.blocks {
        sum += block_cost(cone, block);
    }
    sum
}

/// Cost of a block at its residual.
#[inline(always)]
pub(super) fn block_cost<L: Lanes>(cone: Cone, block: &Block<L>) -> L {
    match (block.kind, cone, block.dim) {
        (BlockKind::Equality(_), ..) => {
            let mut all = L::ZERO;
            for r in 0..block.dim {
                all = (block.weight[r] * block.residual[r]).mul_add(block.residual[r], all);
            }
            L::c(0.5) * all
        }
        (BlockKind::TendonFriction(_), ..) => {
            cost::dry_friction(block.residual[0], block.friction[0], block.weight[0]).0
        }
        (BlockKind::BallLimit(_) | BlockKind::TendonLimit(..), ..) | (BlockKind::Contact(_), _, 1) => {
            cost::one_sided(block.residual[0], block.weight[0]).0
        }
        (_, Cone::Pyramidal, 3) => cost::pyramid_cost::<L, 3>(&block.residual, block),
        (_, Cone::Pyramidal, 4) => cost::pyramid_cost::<L, 4>(&block.residual, block),
        (_, Cone::Pyramidal, _) => cost::pyramid_cost::<L, 6>(&block.residual, block),
        (_, Cone::Elliptic, 3) => cost::cone_cost::<L, 3>(&block.residual, block),
        (_, Cone::Elliptic, 4) => cost::cone_cost::<L, 4>(&block.residual, block),
        (_, Cone::Elliptic, _) => cost::cone_cost::<L, 6>(&block.residual, block),
    }
}
