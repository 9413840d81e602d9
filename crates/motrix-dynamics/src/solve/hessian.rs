//! The Hessian H = M + JᵀWJ, assembled and factorised in the pattern of the group's couplings.

use motrix_model::Cone;
use motrix_spatial::{Lanes, Part};

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
pub fn spread_inertia<L: Lanes>(tree: &Pattern, matrix: &[L], target: &Pattern, out: &mut Vec<L>) {
    out.clear();
    out.resize(target.len(), L::ZERO);
    for i in 0..tree.rows() {
        for run in tree.row(i) {
            let count = run.end - run.start;
            let (from, to) = (tree.at(i, run.start), target.at(i, run.start));
            out[to..to + count].copy_from_slice(&matrix[from..from + count]);
        }
        out[target.diagonal(i)] = matrix[tree.diagonal(i)];
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
    L::apart(AddRows {
        cone,
        pattern,
        rows,
        weighted,
        hessian,
    });
}

struct AddRows<'a, L> {
    cone: Cone,
    pattern: &'a Pattern,
    rows: &'a Rows<L>,
    weighted: &'a mut Weighted<L>,
    hessian: &'a mut [L],
}

impl<L: Lanes> Part for AddRows<'_, L> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        let Self {
            cone,
            pattern,
            rows,
            weighted,
            hessian,
        } = self;
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
    let jacobian = rows.jacobian[block.jacobian..].as_chunks::<DIM>().0;
    assert!(jacobian.len() >= support.len());
    let mut start = 0;
    for columns in support.chunks(CHUNK) {
        for (out, column) in weighted.iter_mut().zip(&jacobian[start..start + columns.len()]) {
            out[..DIM].copy_from_slice(&weigh::<L, DIM, SHAPE>(&block.curvature, column));
        }
        let target = hessian.as_mut_ptr();
        // SAFETY: `AddRows` checked that the matrix has all places of the pattern, and the pattern has those of every block: chains
        // are part of the tree's, and `couple` entered the others.
        unsafe {
            let rows = &support[start..];
            add_triangle(pattern, &rows[..columns.len()], &jacobian[start..], weighted, target);
            let (below, others) = (&rows[columns.len()..], &jacobian[start + columns.len()..]);
            for (&i, x) in below.iter().zip(others) {
                add_row(target.wrapping_add(pattern.base(i as usize)), columns, x, weighted);
            }
        }
        start += columns.len();
    }
}

/// Adds J(i)ᵀ W J(j) for a few dofs i ≥ j, of which W J is known. Two rows at a time, so that what is read serves both.
///
/// # Safety
/// The target has the places of these entries in the pattern.
#[inline(always)]
unsafe fn add_triangle<L: Lanes, const DIM: usize>(
    pattern: &Pattern,
    dofs: &[u32],
    jacobian: &[[L; DIM]],
    weighted: &Weighted<L>,
    target: *mut L,
) {
    let n = dofs.len().min(CHUNK).min(jacobian.len());
    let (dofs, jacobian) = (&dofs[..n], &jacobian[..n]);
    // SAFETY: by the caller, and by the lengths above.
    unsafe {
        let row = |a: usize| target.wrapping_add(pattern.base(dofs[a] as usize));
        let mut a = 0;
        while a + 1 < n {
            let (one, two) = (row(a), row(a + 1));
            let (x, y) = (jacobian[a], jacobian[a + 1]);
            for c in 0..=a {
                let (j, w) = (*dofs.get_unchecked(c) as usize, weighted.get_unchecked(c));
                add_entry(one.wrapping_add(j), &x, w);
                add_entry(two.wrapping_add(j), &y, w);
            }
            add_entry(two.wrapping_add(dofs[a + 1] as usize), &y, &weighted[a + 1]);
            a += 2;
        }
        if a < n {
            add_row(row(a), &dofs[..=a], &jacobian[a], weighted);
        }
    }
}

/// Adds J(i)ᵀ W J(j) for one dof i, whose row is the target.
///
/// # Safety
/// The row has the columns.
#[inline(always)]
unsafe fn add_row<L: Lanes, const DIM: usize>(target: *mut L, columns: &[u32], x: &[L; DIM], weighted: &Weighted<L>) {
    for (&j, weighted) in columns.iter().zip(weighted) {
        // SAFETY: by the caller.
        unsafe { add_entry(target.wrapping_add(j as usize), x, weighted) };
    }
}

/// Adds J(i)ᵀ W J(j) at its place.
///
/// # Safety
/// The place is valid, and nobody else's.
#[inline(always)]
unsafe fn add_entry<L: Lanes, const DIM: usize>(place: *mut L, column: &[L; DIM], weighted: &[L; 6]) {
    // SAFETY: by the caller.
    unsafe {
        let mut sum = *place;
        for r in 0..DIM {
            sum = column[r].mul_add(weighted[r], sum);
        }
        *place = sum;
    }
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
