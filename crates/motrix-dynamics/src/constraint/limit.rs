//! Limits of joints and tendons: one-sided constraints.
//!
//! A hinge or slide has a limit at each end of its range, a constraint on its single dof. A ball joint may turn by at most an
//! angle about any axis: the distance to the limit is that angle minus |θ|, θ the rotation vector, and its Jacobian −θ/|θ|. A
//! tendon has a limit at each end of its range of lengths.

use motrix_model::{JointKind, Model, Options, SolImp, SolRef};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mask, Real};

use super::impedance::{Impedance, Reference, regularisation};
use super::{Block, BlockKind, Rows};
use crate::data::Tendons;
use crate::params::Params;
use crate::solve::cost;
use crate::tendon::TendonTable;

/// How a limit resists.
#[derive(Clone, Debug)]
pub struct Stop<E> {
    /// Distance at which it becomes active.
    pub margin: E,
    /// Reference.
    pub reference: Reference<E>,
    /// Impedance.
    pub impedance: Impedance<E>,
}

impl<E: Real> Stop<E> {
    fn new(margin: f64, solref: SolRef, solimp: &SolImp, options: &Options) -> Self {
        let reference = Reference::new(solref, solimp, options);
        Self {
            margin: E::from_f64(margin),
            reference: Reference {
                stiffness: E::from_f64(reference.stiffness),
                damping: E::from_f64(reference.damping),
            },
            impedance: Impedance::new(solimp).round(),
        }
    }

    /// Weight 1/R and reference acceleration at `distance` from the limit, moving away from it at `velocity`. Lanes that are
    /// further away than the margin weigh nothing.
    #[inline(always)]
    fn resist<L: Lanes<Elem = E>>(&self, distance: L, velocity: L, inverse_inertia: L) -> (L, L) {
        let margin = L::splat(self.margin);
        let violation = distance - margin;
        let impedance = self.impedance.splat::<L>().at(violation);
        let (_, weight) = regularisation(impedance, inverse_inertia);
        let spring = L::splat(self.reference.stiffness) * impedance.d * violation;
        let reference = -(L::splat(self.reference.damping).mul_add(velocity, spring));
        (L::select(distance.lt(margin), weight, L::ZERO), reference)
    }

    /// Fills a block of one row.
    #[inline(always)]
    fn weigh<L: Lanes<Elem = E>>(&self, distance: L, velocity: L, inverse_inertia: L, block: &mut Block<L>) {
        block.violation[0] = distance;
        block.margin = L::splat(self.margin);
        (block.weight[0], block.reference[0]) = self.resist(distance, velocity, inverse_inertia);
    }
}

/// A limited hinge or slide.
#[derive(Clone, Debug)]
pub struct LimitTableRow<E> {
    /// Joint.
    pub joint: usize,
    /// Its entry of `qpos`.
    pub position: usize,
    /// Its dof.
    pub dof: usize,
    /// Lower and upper limit.
    pub range: [E; 2],
    /// How they resist.
    pub stop: Stop<E>,
}

/// The limited hinges and slides of a model.
pub fn table<E: Real>(model: &Model, options: &Options) -> Vec<LimitTableRow<E>> {
    if options.disable.limit {
        return Vec::new();
    }
    let scalar = |kind| matches!(kind, JointKind::Hinge | JointKind::Slide);
    let limited = model
        .joints
        .iter()
        .enumerate()
        .filter(|(_, j)| j.limited && scalar(j.kind));
    let row = |(joint, j): (usize, &motrix_model::Joint)| LimitTableRow {
        joint,
        position: j.first_position,
        dof: j.first_dof,
        range: j.range.map(E::from_f64),
        stop: Stop::new(j.margin, j.solref, &j.solimp, options),
    };
    limited.map(row).collect()
}

/// One side of a joint's range; its Jacobian is +1 at the lower and −1 at the upper limit.
#[derive(Clone, Copy, Debug)]
pub struct LimitRow<L> {
    /// Joint.
    pub joint: usize,
    /// Dof.
    pub dof: usize,
    /// Whether it is the upper limit.
    pub upper: bool,
    /// Distance to the limit, negative beyond it.
    pub distance: L,
    /// Distance at which it becomes active.
    pub margin: L,
    /// 1/R, zero in lanes that are away from the limit.
    pub weight: L,
    /// Reference acceleration.
    pub reference: L,
    /// J a − a_ref.
    pub residual: L,
    /// J · search direction.
    pub slope: L,
    /// Constraint force.
    pub force: L,
    /// Second derivative of the cost.
    pub curvature: L,
}

impl<L: Lanes> LimitRow<L> {
    /// `J x` for the value `x` of the dof.
    #[inline(always)]
    pub fn signed(&self, x: L) -> L {
        if self.upper { -x } else { x }
    }

    /// A row without weight, of no joint.
    pub fn empty() -> Self {
        Self {
            joint: 0,
            dof: 0,
            upper: false,
            distance: L::ZERO,
            margin: L::ZERO,
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
        cost::one_sided_row(self.residual, self.weight, &mut self.force, &mut self.curvature)
    }
}

/// Rows of the limits that are active in some lane.
#[inline(always)]
pub fn rows<L: Lanes>(
    table: &[LimitTableRow<L::Elem>],
    params: &Params<L>,
    qpos: &[L],
    qvel: &[L],
    out: &mut Vec<LimitRow<L>>,
) {
    for row in table {
        let q = qpos[row.position];
        let margin = L::splat(row.stop.margin);
        let distances = [q - L::splat(row.range[0]), L::splat(row.range[1]) - q];
        for (side, distance) in distances.into_iter().enumerate() {
            let active = distance.lt(margin);
            if !active.any() {
                continue;
            }
            let upper = side == 1;
            let v = if upper { -qvel[row.dof] } else { qvel[row.dof] };
            let (weight, reference) = row.stop.resist(distance, v, params.dofs[row.dof].invweight);
            out.push(LimitRow {
                joint: row.joint,
                dof: row.dof,
                upper,
                distance,
                margin,
                weight,
                reference,
                residual: L::ZERO,
                slope: L::ZERO,
                force: L::ZERO,
                curvature: L::ZERO,
            });
        }
    }
}

/// A limited ball joint.
#[derive(Clone, Debug)]
pub struct BallLimitTableRow<E> {
    /// Joint.
    pub joint: usize,
    /// First entry of `qpos`.
    pub position: usize,
    /// First dof.
    pub dof: usize,
    /// Largest angle.
    pub angle: E,
    /// How it resists.
    pub stop: Stop<E>,
}

/// The limited ball joints of a model.
pub fn ball_table<E: Real>(model: &Model, options: &Options) -> Vec<BallLimitTableRow<E>> {
    if options.disable.limit {
        return Vec::new();
    }
    let balls = model.joints.iter().enumerate();
    let limited = balls.filter(|(_, j)| j.limited && j.kind == JointKind::Ball);
    let row = |(joint, j): (usize, &motrix_model::Joint)| BallLimitTableRow {
        joint,
        position: j.first_position,
        dof: j.first_dof,
        angle: E::from_f64(j.range[0].max(j.range[1])),
        stop: Stop::new(j.margin, j.solref, &j.solimp, options),
    };
    limited.map(row).collect()
}

/// Blocks of the ball joints that are at their limit in some lane.
#[inline(always)]
pub fn ball_rows<L: Lanes>(
    table: &[BallLimitTableRow<L::Elem>],
    params: &Params<L>,
    qpos: &[L],
    qvel: &[L],
    rows: &mut Rows<L>,
) {
    for row in table {
        let q = &qpos[row.position..];
        let theta = quat_to_rotation_vector(quat_normalize([q[0], q[1], q[2], q[3]]));
        let (axis, angle) = normalize(theta);
        let distance = L::splat(row.angle) - angle;
        if !distance.lt(L::splat(row.stop.margin)).any() {
            continue;
        }
        let first_dof = rows.support.len();
        let dof = row.dof as u32;
        rows.support.extend_from_slice(&[dof, dof + 1, dof + 2]);
        let mut block = Block::open(BlockKind::BallLimit(row.joint), 1, first_dof, rows);
        rows.jacobian[block.jacobian..block.jacobian + 3].copy_from_slice(&neg(axis));
        let omega = [qvel[row.dof], qvel[row.dof + 1], qvel[row.dof + 2]];
        let velocity = -dot(axis, omega);
        row.stop
            .weigh(distance, velocity, params.dofs[row.dof].invweight, &mut block);
        rows.blocks.push(block);
    }
}

/// A limited tendon.
#[derive(Clone, Debug)]
pub struct TendonLimitTableRow<E> {
    /// Tendon.
    pub tendon: usize,
    /// Shortest and longest length.
    pub range: [E; 2],
    /// How it resists.
    pub stop: Stop<E>,
}

/// The limited tendons of a model.
pub fn tendon_table<E: Real>(model: &Model, options: &Options) -> Vec<TendonLimitTableRow<E>> {
    if options.disable.limit {
        return Vec::new();
    }
    let limited = model.tendons.iter().enumerate().filter(|(_, t)| t.limited);
    let row = |(tendon, t): (usize, &motrix_model::Tendon)| TendonLimitTableRow {
        tendon,
        range: t.range.map(E::from_f64),
        stop: Stop::new(t.margin, t.solref_limit, &t.solimp_limit, options),
    };
    limited.map(row).collect()
}

/// Blocks of the tendons that are at a limit in some lane.
#[inline(always)]
pub fn tendon_rows<L: Lanes>(
    table: &[TendonLimitTableRow<L::Elem>],
    params: &Params<L>,
    tendon_table: &TendonTable<L::Elem>,
    tendons: &Tendons<L>,
    rows: &mut Rows<L>,
) {
    for row in table {
        let (length, speed) = (tendons.length[row.tendon], tendons.velocity[row.tendon]);
        let [lo, hi] = [L::splat(row.range[0]), L::splat(row.range[1])];
        let sides = [(false, length - lo, L::ONE), (true, hi - length, -L::ONE)];
        for (upper, distance, sign) in sides {
            if !distance.lt(L::splat(row.stop.margin)).any() {
                continue;
            }
            let kind = BlockKind::TendonLimit(row.tendon, upper);
            let Some(mut block) = Block::on_tendon(kind, &tendon_table.rows[row.tendon], tendons, sign, rows) else {
                continue;
            };
            let inverse = params.tendon_invweight[row.tendon];
            row.stop.weigh(distance, sign * speed, inverse, &mut block);
            rows.blocks.push(block);
        }
    }
}
