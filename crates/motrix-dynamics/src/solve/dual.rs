//! The constraint problem of one world in the space of constraint forces.
//!
//! min ½ fᵀ(A + R) f + fᵀ b over the admissible forces, with A = J M⁻¹ Jᵀ and b = J a₀ − a_ref: the dual of what Newton's method
//! minimises over accelerations. Solvers here visit one constraint after the other, which lanes cannot share, so each
//! world is solved by itself in `f64` on a dense matrix.

use motrix_model::Solver;
use motrix_spatial::{Lanes, Real};

use super::{Solution, gauss_seidel, islands, noslip};
use crate::constraint::Rows;
use crate::constraint::listing::{Listing, RowKind};
use crate::contacts::Slot;
use crate::pattern::{self, Pattern};
use crate::tables::SolverTable;

/// A positive change of cost beyond this is undone.
const WORSE: f64 = 1e-10;
/// Smallest diagonal of A without R that is divided by in blocks, as in MuJoCo.
const SMALLEST_DIAGONAL: f64 = 1e-10;

/// What is solved, and the memory for it.
#[derive(Clone, Debug, Default)]
pub struct Dual {
    /// Rows.
    pub listing: Listing,
    /// A + R, dense.
    matrix: Vec<f64>,
    /// R.
    pub softness: Vec<f64>,
    /// b.
    bias: Vec<f64>,
    /// f.
    pub force: Vec<f64>,
    /// Rows of each island, one island after the other.
    pub order: Vec<usize>,
    /// One past the last entry of each island in `order`.
    pub ends: Vec<usize>,
    /// Union-find of trees, and the island of each.
    pub(super) groups: Vec<usize>,
    /// Memory of the sweeps.
    pub(super) sweep: gauss_seidel::Memory,
    factors: Vec<f64>,
    inverse_diagonal: Vec<f64>,
    column: Vec<f64>,
    smooth: Vec<f64>,
    /// Forces of each lane, row by row, after the last solve.
    solved: Vec<Vec<f64>>,
    /// Whether `solved` belongs to the present state.
    current: bool,
}

/// The parts of a problem that all lanes share.
pub struct Shared<'a, L: Lanes> {
    /// Settings.
    pub settings: &'a SolverTable<L::Elem>,
    /// Pattern of M.
    pub pattern: &'a Pattern,
    /// Kinematic tree of each dof.
    pub dof_tree: &'a [usize],
    /// Factors LᵀDL of M.
    pub factors: &'a [L],
    /// 1/D.
    pub inverse_diagonal: &'a [L],
    /// Contacts.
    pub slots: &'a [Slot<L>],
}

/// Solves every world in turn from the forces in `rows`, then maps the forces to accelerations.
#[inline(always)]
pub fn solve<L: Lanes>(shared: &Shared<L>, rows: &mut Rows<L>, solution: &mut Solution<L>) {
    let mut dual = core::mem::take(&mut solution.dual);
    dual.solved.resize(L::COUNT, Vec::new());
    for k in 0..L::COUNT {
        dual.load(shared, rows, &solution.smooth, k);
        if shared.settings.solver == Solver::Pgs {
            dual.discard_a_bad_start(shared.settings.warmstart);
        }
        let mut iterations = 0;
        let mut start = 0;
        for island in 0..dual.ends.len() {
            let end = dual.ends[island];
            if shared.settings.solver == Solver::Pgs {
                iterations = iterations.max(gauss_seidel::solve(shared.settings, &mut dual, start..end));
            }
            if shared.settings.noslip_iterations > 0 {
                noslip::solve(shared.settings, &mut dual, start..end);
            }
            start = end;
        }
        if shared.settings.solver == Solver::Pgs {
            solution.iterations.set_lane(k, L::Elem::from_f64(iterations as f64));
        }
        dual.listing.put_forces(&dual.force, rows, k);
        let Dual { solved, force, .. } = &mut dual;
        solved[k].clone_from(force);
    }
    dual.current = true;
    solution.dual = dual;
    finish(shared, rows, solution);
}

/// Generalised force of all rows, and the acceleration that it adds.
#[inline(always)]
fn finish<L: Lanes>(shared: &Shared<L>, rows: &Rows<L>, solution: &mut Solution<L>) {
    let total = &mut solution.constraint_force;
    total.fill(L::ZERO);
    for row in &rows.friction {
        total[row.dof] += row.force;
    }
    for row in &rows.limits {
        total[row.dof] += row.signed(row.force);
    }
    for block in &rows.blocks {
        let dofs = &rows.support[block.first_dof..block.first_dof + block.dof_count];
        let columns = rows.jacobian[block.jacobian..].chunks_exact(block.dim);
        for (&dof, column) in dofs.iter().zip(columns) {
            for r in 0..block.dim {
                total[dof as usize] = column[r].mul_add(block.force[r], total[dof as usize]);
            }
        }
    }
    solution.acceleration.copy_from_slice(total);
    let acceleration = &mut solution.acceleration;
    pattern::solve(shared.pattern, shared.factors, shared.inverse_diagonal, acceleration);
    for (a, smooth) in acceleration.iter_mut().zip(&solution.smooth) {
        *a += *smooth;
    }
}

impl Dual {
    /// Forces of lane `k` row by row after the last solve; none when no dual solver ran.
    pub fn forces_of(&self, k: usize) -> Option<&[f64]> {
        self.solved.get(k).filter(|_| self.current).map(Vec::as_slice)
    }

    /// Forgets the forces of earlier steps.
    pub fn forget(&mut self) {
        self.current = false;
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.listing.rows.len()
    }

    /// The problem of lane `k`.
    fn load<L: Lanes>(&mut self, shared: &Shared<L>, rows: &Rows<L>, smooth: &[L], k: usize) {
        let nv = shared.pattern.rows();
        self.listing.fill(rows, shared.slots, shared.settings.cone, nv, k);
        let number = |x: &L| x.lane(k).to_f64();
        self.factors.clear();
        self.factors.extend(shared.factors.iter().map(number));
        self.inverse_diagonal.clear();
        self.inverse_diagonal.extend(shared.inverse_diagonal.iter().map(number));
        self.smooth.clear();
        self.smooth.extend(smooth.iter().map(number));
        let listed = &self.listing.rows;
        self.softness.clear();
        self.softness.extend(listed.iter().map(|r| 1.0 / r.weight));
        self.force.clear();
        self.force.extend(listed.iter().map(|r| r.force));
        self.assemble(shared.pattern);
        islands::find(shared.dof_tree, self);
    }

    /// A + R, and b.
    fn assemble(&mut self, pattern: &Pattern) {
        let n = self.len();
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        self.bias.clear();
        for i in 0..n {
            let row = self.listing.jacobian_of(i);
            self.column.clear();
            self.column.extend_from_slice(row);
            pattern::solve(pattern, &self.factors, &self.inverse_diagonal, &mut self.column);
            for j in 0..=i {
                let a = dot(self.listing.jacobian_of(j), &self.column);
                self.matrix[i * n + j] = a;
                self.matrix[j * n + i] = a;
            }
            self.matrix[i * n + i] += self.softness[i];
            self.bias.push(dot(row, &self.smooth) - self.listing.rows[i].reference);
        }
    }

    /// Starts from zero when that costs less than the forces of the last acceleration, or when those are not wanted.
    fn discard_a_bad_start(&mut self, warmstart: bool) {
        let cost: f64 = (0..self.len())
            .map(|i| self.force[i] * (self.bias[i] + 0.5 * (self.residual(i) - self.bias[i])))
            .sum();
        if !warmstart || cost > 0.0 {
            self.force.fill(0.0);
        }
    }

    /// (A + R) f + b of row `i`.
    pub fn residual(&self, i: usize) -> f64 {
        let n = self.len();
        self.bias[i] + dot(&self.matrix[i * n..(i + 1) * n], &self.force)
    }

    /// A f + b of row `i`.
    pub fn hard_residual(&self, i: usize) -> f64 {
        self.residual(i) - self.softness[i] * self.force[i]
    }

    /// Entry (i, j) of A + R.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        self.matrix[i * self.len() + j]
    }

    /// The square of A + R, or of A alone, that belongs to `count` rows from `first`, row-major.
    pub fn block(&self, first: usize, count: usize, hard: bool, out: &mut [f64]) {
        for i in 0..count {
            for j in 0..count {
                out[i * count + j] = self.entry(first + i, first + j);
            }
            if hard {
                let diagonal = &mut out[i * count + i];
                *diagonal = (*diagonal - self.softness[first + i]).max(SMALLEST_DIAGONAL);
            }
        }
    }

    /// Takes the change of the forces of some rows back if it makes things worse; returns the improvement. `a` is their block
    /// of the matrix, `residual` their residual before the change.
    pub fn judge(&mut self, first: usize, before: &[f64], a: &[f64], residual: &[f64]) -> f64 {
        let n = before.len();
        let mut change = 0.0;
        for i in 0..n {
            let delta = self.force[first + i] - before[i];
            let bent: f64 = (0..n).map(|j| a[i * n + j] * (self.force[first + j] - before[j])).sum();
            change += delta * (0.5 * bent + residual[i]);
        }
        if change > WORSE {
            self.force[first..first + n].copy_from_slice(before);
            return 0.0;
        }
        -change
    }

    /// Whether row `i` belongs to a round cone.
    pub fn is_cone(&self, i: usize) -> bool {
        self.listing.rows[i].kind == RowKind::Cone
    }
}

/// Whether the model's solver, or what follows it, needs the dual problem.
pub fn is_needed<E: Real>(settings: &SolverTable<E>) -> bool {
    settings.solver == Solver::Pgs || settings.noslip_iterations > 0
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
