//! Accelerations: free motion first, then the constrained one.

pub mod change;
pub mod conjugate;
pub mod cost;
pub mod crowd;
pub mod dual;
pub mod ellipsoid;
pub mod gauss_seidel;
pub mod hessian;
pub mod islands;
pub mod line_search;
pub mod lockstep;
pub mod newton;
pub mod noslip;
pub mod response;

use core::ops::Range;

use motrix_spatial::Lanes;

use crate::data::Inertia;
use crate::pattern::{self, Pattern, PatternBuilder};

/// Accelerations, constraint forces, and the memory of the solver.
#[derive(Clone, Debug)]
pub struct Solution<L: Lanes> {
    /// Acceleration without constraints (`qacc_smooth`).
    pub smooth: Vec<L>,
    /// Acceleration (`qacc`).
    pub acceleration: Vec<L>,
    /// Generalised constraint force (`qfrc_constraint`).
    pub constraint_force: Vec<L>,
    /// Iterations that each lane needed.
    pub iterations: L,
    /// Scaled gradient at the end.
    pub gradient_norm: L,
    /// The problem in the space of forces, for the solvers that work there.
    pub dual: dual::Dual,
    /// M a.
    momentum: Vec<L>,
    /// M · search direction.
    search_momentum: Vec<L>,
    gradient: Vec<L>,
    search: Vec<L>,
    /// 1/Σ M(i,i) of each tree.
    tree_scales: Vec<L>,
    conjugate: conjugate::Memory<L>,
    /// Memory for what is added to H.
    weighted: hessian::Weighted<L>,
    /// H, then its factors.
    hessian: Vec<L>,
    /// 1/D of the factors of H.
    inverse_diagonal: Vec<L>,
    /// Pattern of H when chains are coupled, and M in its places.
    coupled: Pattern,
    spread: Vec<L>,
    builder: PatternBuilder,
    /// Memory for scenes of many trees.
    crowd: Option<Box<crowd::Crowd<L>>>,
}

impl<L: Lanes> Solution<L> {
    /// Memory for the dofs of trees.
    pub fn new(trees: &[Range<usize>]) -> Self {
        let nv = trees.last().map_or(0, |tree| tree.end);
        let zeros = || vec![L::ZERO; nv];
        Self {
            smooth: zeros(),
            acceleration: zeros(),
            constraint_force: zeros(),
            iterations: L::ZERO,
            gradient_norm: L::ZERO,
            dual: dual::Dual::default(),
            momentum: zeros(),
            search_momentum: zeros(),
            gradient: zeros(),
            search: zeros(),
            tree_scales: Vec::new(),
            conjugate: conjugate::Memory::new(nv),
            weighted: [[L::ZERO; 6]; hessian::CHUNK],
            hessian: Vec::new(),
            inverse_diagonal: zeros(),
            coupled: Pattern::default(),
            spread: Vec::new(),
            builder: PatternBuilder::default(),
            crowd: crowd::Crowd::new(trees),
        }
    }
}

/// The matrix that accelerations are solved with, in the pattern of the tree: M, or that of the step.
#[derive(Clone, Copy, Debug)]
pub struct Mass<'a, L> {
    /// The matrix.
    pub matrix: &'a [L],
    /// Its factors LᵀDL.
    pub factors: &'a [L],
    /// 1/D.
    pub inverse_diagonal: &'a [L],
}

impl<'a, L> Mass<'a, L> {
    /// M.
    #[inline(always)]
    pub fn of(inertia: &'a Inertia<L>) -> Self {
        Self {
            matrix: &inertia.matrix,
            factors: &inertia.factors,
            inverse_diagonal: &inertia.inverse_diagonal,
        }
    }
}

/// Acceleration without constraints: M a = f.
#[inline(always)]
pub fn smooth<L: Lanes>(pattern: &Pattern, mass: &Mass<L>, forces: &[L], out: &mut [L]) {
    out.copy_from_slice(forces);
    pattern::solve(pattern, mass.factors, mass.inverse_diagonal, out);
}
