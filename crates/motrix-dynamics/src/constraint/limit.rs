//! Limits of hinges and slides: one-sided constraints on a single dof. (Ball joints and tendons: see [`super::equality`]'s
//! neighbours in this folder.)

use motrix_model::{JointKind, Model, Options};
use motrix_spatial::{Lanes, Mask, Real};

use super::impedance::{Impedance, Reference, regularisation};
use crate::params::Params;

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
    /// Distance at which a limit becomes active.
    pub margin: E,
    /// Reference.
    pub reference: Reference<E>,
    /// Impedance.
    pub impedance: Impedance<E>,
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
    let row = |(joint, j): (usize, &motrix_model::Joint)| {
        let reference = Reference::new(j.solref, &j.solimp, options);
        LimitTableRow {
            joint,
            position: j.first_position,
            dof: j.first_dof,
            range: j.range.map(E::from_f64),
            margin: E::from_f64(j.margin),
            reference: Reference {
                stiffness: E::from_f64(reference.stiffness),
                damping: E::from_f64(reference.damping),
            },
            impedance: Impedance::new(&j.solimp).round(),
        }
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
}

impl<L: Lanes> LimitRow<L> {
    /// `J x` for the value `x` of the dof.
    #[inline(always)]
    pub fn signed(&self, x: L) -> L {
        if self.upper { -x } else { x }
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
        let margin = L::splat(row.margin);
        let distances = [q - L::splat(row.range[0]), L::splat(row.range[1]) - q];
        for (side, distance) in distances.into_iter().enumerate() {
            let active = distance.lt(margin);
            if !active.any() {
                continue;
            }
            let upper = side == 1;
            let v = if upper { -qvel[row.dof] } else { qvel[row.dof] };
            let violation = distance - margin;
            let d = row.impedance.splat::<L>().at(violation);
            let (_, weight) = regularisation(d, params.dofs[row.dof].invweight);
            let spring = L::splat(row.reference.stiffness) * d * violation;
            out.push(LimitRow {
                joint: row.joint,
                dof: row.dof,
                upper,
                distance,
                margin,
                weight: L::select(active, weight, L::ZERO),
                reference: -(L::splat(row.reference.damping).mul_add(v, spring)),
                residual: L::ZERO,
                slope: L::ZERO,
                force: L::ZERO,
            });
        }
    }
}
