//! The Hessian H = M + JᵀWJ, assembled and factorised in the pattern of the group's couplings.

use motrix_spatial::Lanes;

use super::cost;
use crate::constraint::{Block, Rows};
use crate::pattern::{Pattern, PatternBuilder};

/// Most dofs of a block for which W J fits the fixed buffer; longer supports are processed in pieces.
const CHUNK: usize = 12;

/// The pattern of H for the blocks of a group.
pub fn couple<L: Lanes>(tree: &Pattern, rows: &Rows<L>, builder: &mut PatternBuilder, pattern: &mut Pattern) {
    builder.start(tree);
    for block in &rows.blocks {
        builder.couple(&rows.support[block.first_dof..block.first_dof + block.dof_count]);
    }
    builder.finish(pattern);
}

/// Copies M, which has the pattern `tree`, into a matrix of the pattern `target` that contains it.
#[inline(always)]
pub fn load_inertia<L: Lanes>(tree: &Pattern, matrix: &[L], target: &Pattern, hessian: &mut Vec<L>) {
    if core::ptr::eq(tree, target) {
        hessian.clear();
        hessian.extend_from_slice(matrix);
        return;
    }
    hessian.clear();
    hessian.resize(target.len(), L::ZERO);
    for i in 0..tree.rows() {
        for run in tree.row(i) {
            let count = run.end - run.start;
            let (from, to) = (tree.at(i, run.start), target.at(i, run.start));
            hessian[to..to + count].copy_from_slice(&matrix[from..from + count]);
        }
        hessian[target.diagonal(i)] = matrix[tree.diagonal(i)];
    }
}

/// Adds JᵀWJ of all rows.
#[inline(always)]
pub fn add_rows<L: Lanes>(pattern: &Pattern, rows: &Rows<L>, hessian: &mut [L]) {
    for row in &rows.friction {
        hessian[pattern.diagonal(row.dof)] += cost::dry_friction_curvature(row.residual, row.loss, row.weight);
    }
    for row in &rows.limits {
        hessian[pattern.diagonal(row.dof)] += cost::one_sided_curvature(row.residual, row.weight);
    }
    for block in &rows.blocks {
        match block.dim {
            1 => add_block::<L, 1>(pattern, rows, block, hessian),
            3 => add_block::<L, 3>(pattern, rows, block, hessian),
            4 => add_block::<L, 4>(pattern, rows, block, hessian),
            _ => add_block::<L, 6>(pattern, rows, block, hessian),
        }
    }
}

/// H(i, j) += J(i)ᵀ W J(j) for the dofs of a block, i ≥ j, with W J(j) kept for a few columns at a time.
#[inline(always)]
fn add_block<L: Lanes, const DIM: usize>(pattern: &Pattern, rows: &Rows<L>, block: &Block<L>, hessian: &mut [L]) {
    let support = &rows.support[block.first_dof..block.first_dof + block.dof_count];
    let jacobian = &rows.jacobian[block.jacobian..block.jacobian + DIM * block.dof_count];
    let mut start = 0;
    while start < support.len() {
        let count = CHUNK.min(support.len() - start);
        let mut weighted = [[L::ZERO; DIM]; CHUNK];
        for (k, out) in weighted.iter_mut().enumerate().take(count) {
            *out = weigh::<L, DIM>(&block.curvature, &jacobian[(start + k) * DIM..]);
        }
        for a in start..support.len() {
            let i = support[a] as usize;
            let column = &jacobian[a * DIM..(a + 1) * DIM];
            let last = (a + 1 - start).min(count);
            for b in 0..last {
                let place = pattern.at(i, support[start + b] as usize);
                let mut sum = hessian[place];
                for r in 0..DIM {
                    sum = column[r].mul_add(weighted[b][r], sum);
                }
                hessian[place] = sum;
            }
        }
        start += count;
    }
}

/// W x for a symmetric W given by its lower triangle.
#[inline(always)]
fn weigh<L: Lanes, const DIM: usize>(w: &cost::Curvature<L>, x: &[L]) -> [L; DIM] {
    let mut out = [L::ZERO; DIM];
    for r in 0..DIM {
        let mut sum = L::ZERO;
        for c in 0..DIM {
            let e = if c <= r { w[r][c] } else { w[c][r] };
            sum = e.mul_add(x[c], sum);
        }
        out[r] = sum;
    }
    out
}
