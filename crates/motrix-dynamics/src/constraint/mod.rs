//! Constraint rows: what the solver is asked to satisfy.
//!
//! Each row has a Jacobian J, a reference acceleration a_ref and a weight D = 1/R; the solver minimises
//! ½(a − a₀)ᵀM(a − a₀) + Σ s(J a − a_ref) with a convex cost s per kind of constraint (Todorov, *Convex and analytically
//! invertible dynamics*, 2014; MuJoCo documentation, "Computation").
//!
//! Rows that touch a single dof (friction loss, limits of hinges and slides) never store a Jacobian. All others are [`Block`]s:
//! up to six rows over the same dofs. A contact is a block of its normal, tangents, spin and rolls for both friction cones; the
//! edges of a pyramid are folded into the cost.

mod blocks;
pub mod contact;
pub mod equality;
pub mod exact;
pub mod friction;
pub mod grip;
pub mod hold;
pub mod impedance;
pub mod limit;
pub mod listing;
pub mod soft_start;
pub mod surface;

use motrix_spatial::Lanes;

use crate::data::Tendons;
use crate::solve::cost::Curvature;
use crate::solve::line_search::ConeAlong;
use crate::tendon::TendonRow;

pub use blocks::Blocks;
pub use friction::FrictionRow;
pub use limit::LimitRow;

/// What a block constrains, and with that its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// An equality: quadratic cost.
    Equality(usize),
    /// Dry friction of a tendon: quadratic near zero, then linear.
    TendonFriction(usize),
    /// Limit of a ball joint: quadratic on one side.
    BallLimit(usize),
    /// Limit of a tendon: quadratic on one side; the upper one when true.
    TendonLimit(usize, bool),
    /// Contact in a slot: cone or pyramid.
    Contact(usize),
}

/// Up to six rows over the same dofs.
#[derive(Clone, Copy, Debug)]
pub struct Block<L> {
    /// What it constrains.
    pub kind: BlockKind,
    /// Number of rows: 1 to 6.
    pub dim: usize,
    /// Its dofs are `Rows::support[first_dof..first_dof + dof_count]`, ascending.
    pub first_dof: usize,
    /// Number of dofs.
    pub dof_count: usize,
    /// Its Jacobian starts here in `Rows::jacobian`, one column of `dim` numbers after the other.
    pub jacobian: usize,
    /// Violation of each row.
    pub violation: [L; 6],
    /// Margin of the first row.
    pub margin: L,
    /// Weight of each row, 1/R; zero in lanes without it. Contacts: see [`contact::Weights`].
    pub weight: [L; 6],
    /// Reference acceleration of each row.
    pub reference: [L; 6],
    /// Contacts: µ of the regularised cone, then friction coefficients. Tendon friction: the loss, first.
    pub friction: [L; 6],
    /// J a − a_ref.
    pub residual: [L; 6],
    /// J · search direction.
    pub slope: [L; 6],
    /// A round cone along the search direction, while a step is searched for.
    pub along: ConeAlong<L>,
    /// Constraint force.
    pub force: [L; 6],
    /// Second derivative of the cost, lower triangle. For all but round cones only its first column and diagonal count.
    pub curvature: Curvature<L>,
    /// Where the residual lay in a round cone when last measured: 0 apart, 1 sliding, 2 sticking.
    pub zone: L,
    /// Whether neither force nor curvature acts in any lane.
    pub idle: bool,
    /// Weight of a round cone's middle zone.
    pub middle_weight: L,
    /// Lanes in which a round cone is taken to stick wherever its residual lies, one bit each.
    pub held: u32,
}

/// All rows of a group.
#[derive(Clone, Debug)]
pub struct Rows<L> {
    /// Dry friction of dofs.
    pub friction: Vec<FrictionRow<L>>,
    /// Limits of hinges and slides.
    pub limits: Vec<LimitRow<L>>,
    /// Everything else.
    pub blocks: Blocks<L>,
    /// Dofs of the blocks.
    pub support: Vec<u32>,
    /// Jacobians of the blocks.
    pub jacobian: Vec<L>,
    /// Whether some block couples dofs that are not on one chain.
    pub coupled: bool,
    /// Lanes with a contact whose friction is soft at first, one bit each.
    pub soft: u32,
}

impl<L: Lanes> Rows<L> {
    /// No rows.
    pub fn new() -> Self {
        Self {
            friction: Vec::new(),
            limits: Vec::new(),
            blocks: Blocks::default(),
            support: Vec::new(),
            jacobian: Vec::new(),
            coupled: false,
            soft: 0,
        }
    }

    /// Forgets all rows, keeps the memory.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.friction.clear();
        self.limits.clear();
        self.blocks.clear();
        self.support.clear();
        self.jacobian.clear();
        self.coupled = false;
        self.soft = 0;
    }

    /// Moves the residuals along their slopes.
    #[inline(always)]
    pub fn advance(&mut self, alpha: L) {
        for row in &mut self.friction {
            row.residual = alpha.mul_add(row.slope, row.residual);
        }
        for row in &mut self.limits {
            row.residual = alpha.mul_add(row.slope, row.residual);
        }
        for block in &mut self.blocks {
            for r in 0..block.dim {
                block.residual[r] = alpha.mul_add(block.slope[r], block.residual[r]);
            }
        }
    }

    /// Lets what is held slide again.
    #[inline(always)]
    pub fn release(&mut self) {
        for block in &mut self.blocks {
            block.held = 0;
        }
    }

    /// Whether there is nothing to solve.
    pub fn is_empty(&self) -> bool {
        self.friction.is_empty() && self.limits.is_empty() && self.blocks.is_empty()
    }
}

impl<L: Lanes> Default for Rows<L> {
    fn default() -> Self {
        Self::new()
    }
}

impl<L: Lanes> Block<L> {
    /// Whether it is a contact with friction.
    #[inline(always)]
    pub fn has_friction(&self) -> bool {
        self.dim > 1 && matches!(self.kind, BlockKind::Contact(_))
    }

    /// A block without weight over the dofs that were pushed to `rows.support` since `first_dof`, with room for its Jacobian.
    #[inline(always)]
    pub fn open(kind: BlockKind, dim: usize, first_dof: usize, rows: &mut Rows<L>) -> Self {
        let dof_count = rows.support.len() - first_dof;
        let jacobian = rows.jacobian.len();
        rows.jacobian.resize(jacobian + dim * dof_count, L::ZERO);
        Self {
            first_dof,
            dof_count,
            jacobian,
            ..Self::empty(kind, dim)
        }
    }

    /// A block without weight and dofs.
    #[inline(always)]
    pub fn empty(kind: BlockKind, dim: usize) -> Self {
        let zero = [L::ZERO; 6];
        Self {
            kind,
            dim,
            first_dof: 0,
            dof_count: 0,
            jacobian: 0,
            violation: zero,
            margin: L::ZERO,
            weight: zero,
            reference: zero,
            friction: zero,
            residual: zero,
            slope: zero,
            along: ConeAlong::default(),
            force: zero,
            curvature: [L::ZERO; 21],
            zone: L::ZERO,
            idle: false,
            middle_weight: L::ZERO,
            held: 0,
        }
    }

    /// A block of one row along a tendon, its Jacobian times `sign`; none when nothing can move the tendon.
    #[inline(always)]
    pub fn on_tendon(
        kind: BlockKind,
        tendon: &TendonRow<L::Elem>,
        tendons: &Tendons<L>,
        sign: L,
        rows: &mut Rows<L>,
    ) -> Option<Self> {
        if tendon.dofs.is_empty() {
            return None;
        }
        let first_dof = rows.support.len();
        rows.support.extend_from_slice(&tendon.dofs);
        rows.coupled |= !tendon.single_chain;
        let block = Self::open(kind, 1, first_dof, rows);
        let jacobian = tendon.jacobian(tendons);
        for k in 0..block.dof_count {
            rows.jacobian[block.jacobian + k] = sign * jacobian[k];
        }
        Some(block)
    }
}
