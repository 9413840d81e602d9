//! The Hessian H = M + JᵀWJ, assembled and factorised in the pattern of the group's couplings.

use motrix_model::Cone;
use motrix_spatial::Lanes;

use super::cost::{Curvature, entry};
use crate::constraint::{Block, BlockKind, Rows};
use crate::pattern::{Pattern, PatternBuilder};

/// Most dofs of a block for which W J fits the fixed buffer; longer supports are processed in pieces.
pub const CHUNK: usize = 12;

/// The pattern of H for the blocks of a group.
pub fn couple<L: Lanes>(tree: &Pattern, rows: &Rows<L>, builder: &mut PatternBuilder, pattern: &mut Pattern) {
    let blocks = rows.blocks.iter();
    let supports = blocks.map(|block| &rows.support[block.first_dof..block.first_dof + block.dof_count]);
    builder.build(tree, supports, pattern);
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

/// W J of a few dofs of a block.
pub type Weighted<L> = [[L; 6]; CHUNK];

/// Adds JᵀWJ of all rows.
#[inline(always)]
pub fn add_rows<L: Lanes>(
    cone: Cone,
    pattern: &Pattern,
    rows: &Rows<L>,
    weighted: &mut Weighted<L>,
    hessian: &mut [L],
) {
    assert!(hessian.len() >= pattern.len());
    for row in &rows.friction {
        hessian[pattern.diagonal(row.dof)] += row.curvature;
    }
    for row in &rows.limits {
        hessian[pattern.diagonal(row.dof)] += row.curvature;
    }
    for block in rows.blocks.iter().filter(|block| !block.idle) {
        let shape = Shape::of(block, cone);
        match (shape, block.dim) {
            (_, 1) => add_block::<L, 1, ARROW>(pattern, rows, block, weighted, hessian),
            (Shape::Arrow, 3) => add_block::<L, 3, ARROW>(pattern, rows, block, weighted, hessian),
            (Shape::Arrow, 4) => add_block::<L, 4, ARROW>(pattern, rows, block, weighted, hessian),
            (Shape::Arrow, _) => add_block::<L, 6, ARROW>(pattern, rows, block, weighted, hessian),
            (Shape::Full, 3) => add_block::<L, 3, FULL>(pattern, rows, block, weighted, hessian),
            (Shape::Full, 4) => add_block::<L, 4, FULL>(pattern, rows, block, weighted, hessian),
            (Shape::Full, _) => add_block::<L, 6, FULL>(pattern, rows, block, weighted, hessian),
        }
    }
}

/// Which entries of a curvature are not zero: all, or the first column and the diagonal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Full,
    Arrow,
}

/// [`Shape`] as a constant that code is compiled for.
pub(super) const FULL: bool = true;
pub(super) const ARROW: bool = false;

impl Shape {
    #[inline(always)]
    pub(super) fn of<L>(block: &Block<L>, cone: Cone) -> Self {
        match (block.kind, cone) {
            (BlockKind::Contact(_), Cone::Elliptic) => Shape::Full,
            _ => Shape::Arrow,
        }
    }
}

/// H(i, j) += J(i)ᵀ W J(j) for the dofs of a block, i ≥ j, with W J(j) kept for a few columns at a time.
#[inline(always)]
fn add_block<L: Lanes, const DIM: usize, const SHAPE: bool>(
    pattern: &Pattern,
    rows: &Rows<L>,
    block: &Block<L>,
    weighted: &mut Weighted<L>,
    hessian: &mut [L],
) {
    let support = &rows.support[block.first_dof..block.first_dof + block.dof_count];
    let jacobian = &rows.jacobian[block.jacobian..block.jacobian + DIM * block.dof_count];
    let mut start = 0;
    while start < support.len() {
        let count = CHUNK.min(support.len() - start);
        for (out, column) in weighted
            .iter_mut()
            .zip(jacobian[start * DIM..].chunks_exact(DIM))
            .take(count)
        {
            out[..DIM].copy_from_slice(&weigh::<L, DIM, SHAPE>(&block.curvature, column));
        }
        let weighted = &weighted[..count];
        let columns = &support[start..start + count];
        let mut a = start;
        // Two rows at a time, so that what is read serves both; the second also has the entry on its diagonal.
        while a + 1 < support.len() {
            let rows = [support[a], support[a + 1]].map(|i| pattern.base(i as usize));
            let pair = [row::<L, DIM>(jacobian, a), row::<L, DIM>(jacobian, a + 1)];
            let both = (a + 1 - start).min(count);
            for (&j, weighted) in columns[..both].iter().zip(weighted) {
                for (row, column) in rows.iter().zip(&pair) {
                    add_entry(hessian, row.wrapping_add(j as usize), column, weighted);
                }
            }
            if both < count {
                add_entry(
                    hessian,
                    rows[1].wrapping_add(columns[both] as usize),
                    &pair[1],
                    &weighted[both],
                );
            }
            a += 2;
        }
        if a < support.len() {
            let (last, column) = (pattern.base(support[a] as usize), row::<L, DIM>(jacobian, a));
            for (&j, weighted) in columns.iter().zip(weighted) {
                add_entry(hessian, last.wrapping_add(j as usize), &column, weighted);
            }
        }
        start += count;
    }
}

/// The derivatives of a block's rows by one of its dofs.
#[inline(always)]
fn row<L: Lanes, const DIM: usize>(jacobian: &[L], dof: usize) -> [L; DIM] {
    let mut out = [L::ZERO; DIM];
    out.copy_from_slice(&jacobian[dof * DIM..(dof + 1) * DIM]);
    out
}

/// Adds J(i)ᵀ W J(j) at its place.
#[inline(always)]
fn add_entry<L: Lanes, const DIM: usize>(hessian: &mut [L], place: usize, column: &[L; DIM], weighted: &[L; 6]) {
    // SAFETY: `add_rows` checked that the matrix has all places of the pattern, and the pattern has those of every block:
    // chains are part of the tree's, and `couple` entered the others.
    let place = unsafe { hessian.get_unchecked_mut(place) };
    let mut sum = *place;
    for r in 0..DIM {
        sum = column[r].mul_add(weighted[r], sum);
    }
    *place = sum;
}

/// W x for a symmetric W given by its lower triangle.
#[inline(always)]
pub(super) fn weigh<L: Lanes, const DIM: usize, const SHAPE: bool>(w: &Curvature<L>, x: &[L]) -> [L; DIM] {
    let mut out = [L::ZERO; DIM];
    if SHAPE == ARROW {
        out[0] = w[0] * x[0];
        for r in 1..DIM {
            let side = w[entry(r, 0)];
            out[0] = side.mul_add(x[r], out[0]);
            out[r] = w[entry(r, r)].mul_add(x[r], side * x[0]);
        }
        return out;
    }
    for r in 0..DIM {
        let mut sum = w[entry(r, 0)] * x[0];
        for c in 1..DIM {
            sum = w[entry(r.max(c), r.min(c))].mul_add(x[c], sum);
        }
        out[r] = sum;
    }
    out
}
