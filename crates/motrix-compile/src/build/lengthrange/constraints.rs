//! Limits and scalar equalities of joints and tendons as soft constraints, and the acceleration they leave.
//!
//! Each row asks for the acceleration aref = −B J v − K d (x − margin) along J, with regularisation R from its impedance d
//! (MuJoCo documentation, "Constraint model"). The forces f solve (A + R) f = aref − J a₀ with A = J M⁻¹ Jᵀ, those of limits
//! being non-negative; with few rows, a small active-set iteration finds them.

use motrix_model::{EqualityKind, JointKind, Model, SolImp, SolRef};
use nalgebra::{DMatrix, DVector};

use crate::build::mechanics::{InertiaMatrix, TendonPath};

/// Smallest number that divides (`mjMINVAL`).
const MIN_VALUE: f64 = 1e-15;
/// Bounds of impedances (`mjMINIMP`, `mjMAXIMP`).
const IMPEDANCE: [f64; 2] = [0.0001, 0.9999];
/// Changes of the active set before the last forces are accepted.
const MOST_CHANGES: usize = 50;

/// A scalar constraint.
pub struct Row {
    jacobian: Vec<(usize, f64)>,
    /// Whether the force can only push.
    one_sided: bool,
    regularization: f64,
    reference: f64,
}

/// What a row is made of.
struct Spring {
    position: f64,
    margin: f64,
    inverse_weight: f64,
    solref: SolRef,
    solimp: SolImp,
}

/// All rows that act in the present state.
pub fn rows(model: &Model, qpos: &[f64], qvel: &[f64], tendons: &[TendonPath], step: f64) -> Vec<Row> {
    let mut rows = Vec::new();
    if model.options.disable.constraint {
        return rows;
    }
    let mut push = |jacobian: Vec<(usize, f64)>, spring: Spring, one_sided: bool| {
        let velocity: f64 = jacobian.iter().map(|&(dof, j)| j * qvel[dof]).sum();
        rows.push(Row::new(jacobian, &spring, velocity, one_sided, step));
    };
    if !model.options.disable.equality {
        for equality in model.equalities.iter().filter(|equality| equality.active) {
            if let Some((jacobian, position, inverse_weight)) = equal(model, &equality.kind, qpos, tendons) {
                let (solref, solimp) = (equality.solref, equality.solimp);
                push(
                    jacobian,
                    Spring {
                        position,
                        margin: 0.0,
                        inverse_weight,
                        solref,
                        solimp,
                    },
                    false,
                );
            }
        }
    }
    if !model.options.disable.limit {
        for (jacobian, spring) in limits(model, qpos, tendons) {
            push(jacobian, spring, true);
        }
    }
    rows
}

/// Jacobian, violation and inverse weight of x₁ − x₁⁰ = P(x₂ − x₂⁰), for joints or tendons.
fn equal(
    model: &Model,
    kind: &EqualityKind,
    qpos: &[f64],
    tendons: &[TendonPath],
) -> Option<(Vec<(usize, f64)>, f64, f64)> {
    let joint = |id: motrix_model::JointId| {
        let joint = &model.joints[id.index()];
        let (q, dof) = (joint.first_position, joint.first_dof);
        (vec![(dof, 1.0)], qpos[q] - model.qpos0[q], model.dofs[dof].invweight)
    };
    let tendon = |id: motrix_model::TendonId| {
        let (path, tendon) = (&tendons[id.index()], &model.tendons[id.index()]);
        (path.jacobian.clone(), path.length - tendon.length0, tendon.invweight)
    };
    let (first, second, c) = match kind {
        EqualityKind::Joint {
            joint1,
            joint2,
            polynomial,
        } => (joint(*joint1), joint2.map(joint), polynomial),
        EqualityKind::Tendon {
            tendon1,
            tendon2,
            polynomial,
        } => (tendon(*tendon1), tendon2.map(tendon), polynomial),
        EqualityKind::Connect { .. } | EqualityKind::Weld { .. } => return None,
    };
    let (mut jacobian, position, mut inverse_weight) = first;
    let Some((other, x, weight)) = second else {
        return Some((jacobian, position - c[0], inverse_weight));
    };
    let value = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
    let slope = c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4]));
    jacobian.extend(other.into_iter().map(|(dof, j)| (dof, -slope * j)));
    inverse_weight += weight;
    Some((jacobian, position - value, inverse_weight))
}

/// Limits that are reached.
fn limits(model: &Model, qpos: &[f64], tendons: &[TendonPath]) -> Vec<(Vec<(usize, f64)>, Spring)> {
    let mut limits = Vec::new();
    for joint in model.joints.iter().filter(|joint| joint.limited) {
        let (q, dof) = (joint.first_position, joint.first_dof);
        let inverse_weight = model.dofs[dof].invweight;
        let spring = |position| Spring {
            position,
            margin: joint.margin,
            inverse_weight,
            solref: joint.solref,
            solimp: joint.solimp,
        };
        match joint.kind {
            JointKind::Slide | JointKind::Hinge => {
                for (bound, side) in joint.range.into_iter().zip([1.0, -1.0]) {
                    let distance = side * (qpos[q] - bound);
                    if distance < joint.margin {
                        limits.push((vec![(dof, side)], spring(distance)));
                    }
                }
            }
            JointKind::Ball => {
                let axis = [qpos[q + 1], qpos[q + 2], qpos[q + 3]];
                let sin = crate::build::pose::norm(axis).max(MIN_VALUE);
                let mut angle = 2.0 * sin.atan2(qpos[q]);
                if angle > std::f64::consts::PI {
                    angle -= std::f64::consts::TAU;
                }
                let distance = joint.range[0].max(joint.range[1]) - angle.abs();
                if distance < joint.margin {
                    let away = -angle.signum() / sin;
                    limits.push(((0..3).map(|i| (dof + i, away * axis[i])).collect(), spring(distance)));
                }
            }
            JointKind::Free => {}
        }
    }
    for (tendon, path) in model.tendons.iter().zip(tendons).filter(|(tendon, _)| tendon.limited) {
        for (bound, side) in tendon.range.into_iter().zip([1.0, -1.0]) {
            let distance = side * (path.length - bound);
            if distance < tendon.margin {
                let jacobian = path.jacobian.iter().map(|&(dof, j)| (dof, side * j)).collect();
                let spring = Spring {
                    position: distance,
                    margin: tendon.margin,
                    inverse_weight: tendon.invweight,
                    solref: tendon.solref_limit,
                    solimp: tendon.solimp_limit,
                };
                limits.push((jacobian, spring));
            }
        }
    }
    limits
}

impl Row {
    fn new(jacobian: Vec<(usize, f64)>, spring: &Spring, velocity: f64, one_sided: bool, step: f64) -> Self {
        let offset = spring.position - spring.margin;
        let d = impedance(&spring.solimp, offset);
        let (stiffness, damping) = stiffness_and_damping(spring.solref, &spring.solimp, step);
        Self {
            jacobian,
            one_sided,
            regularization: ((1.0 - d) * spring.inverse_weight.max(MIN_VALUE) / d).max(MIN_VALUE),
            reference: -damping * velocity - stiffness * d * offset,
        }
    }
}

/// Impedance at a violation: from d₀ to d_max over the width, along a power curve.
fn impedance(&[d0, dmax, width, midpoint, power]: &SolImp, violation: f64) -> f64 {
    let bound = |x: f64| x.clamp(IMPEDANCE[0], IMPEDANCE[1]);
    let (d0, dmax, midpoint) = (bound(d0), bound(dmax), bound(midpoint));
    let (width, power) = (width.max(0.0), power.max(1.0));
    if d0 == dmax || width <= MIN_VALUE {
        return 0.5 * (d0 + dmax);
    }
    let x = violation.abs() / width;
    if x >= 1.0 {
        return dmax;
    }
    let y = if power == 1.0 {
        x
    } else if x <= midpoint {
        midpoint.powf(1.0 - power) * x.powf(power)
    } else {
        1.0 - (1.0 - midpoint).powf(1.0 - power) * (1.0 - x).powf(power)
    };
    d0 + y * (dmax - d0)
}

/// Stiffness and damping from a time constant and a damping ratio, or, both negative, given directly.
fn stiffness_and_damping([first, second]: SolRef, solimp: &SolImp, step: f64) -> (f64, f64) {
    let dmax = solimp[1].clamp(IMPEDANCE[0], IMPEDANCE[1]);
    if first <= 0.0 {
        return (-first / (dmax * dmax).max(MIN_VALUE), -second / dmax.max(MIN_VALUE));
    }
    // a time constant below two steps is not stable
    let time = first.max(2.0 * step);
    let stiffness = 1.0 / (dmax * dmax * time * time * second * second).max(MIN_VALUE);
    (stiffness, 2.0 / (dmax * time).max(MIN_VALUE))
}

/// Adds the effect of all rows to the unconstrained `acceleration`.
pub fn solve(rows: &[Row], inertia: &InertiaMatrix, acceleration: &mut [f64]) {
    if rows.is_empty() {
        return;
    }
    let nv = acceleration.len();
    // response of every dof to the force of every row
    let responses: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| {
            let mut response = vec![0.0; nv];
            for &(dof, j) in &row.jacobian {
                response[dof] += j;
            }
            inertia.solve(&mut response);
            response
        })
        .collect();
    let along = |row: &Row, x: &[f64]| -> f64 { row.jacobian.iter().map(|&(dof, j)| j * x[dof]).sum() };
    let a = DMatrix::from_fn(rows.len(), rows.len(), |i, k| {
        along(&rows[i], &responses[k]) + if i == k { rows[i].regularization } else { 0.0 }
    });
    let b = DVector::from_fn(rows.len(), |i, _| rows[i].reference - along(&rows[i], acceleration));
    let force = non_negative(&a, &b, |i| rows[i].one_sided);
    for (response, force) in responses.iter().zip(force.iter()) {
        for (acceleration, response) in acceleration.iter_mut().zip(response) {
            *acceleration += force * response;
        }
    }
}

/// x with A x = b where x may have any sign, and the complementary solution x ≥ 0, A x ≥ b elsewhere.
fn non_negative(a: &DMatrix<f64>, b: &DVector<f64>, one_sided: impl Fn(usize) -> bool) -> DVector<f64> {
    let count = b.len();
    let mut active = vec![true; count];
    let mut x = DVector::zeros(count);
    for _ in 0..MOST_CHANGES {
        let list: Vec<usize> = (0..count).filter(|&i| active[i]).collect();
        let part = DMatrix::from_fn(list.len(), list.len(), |i, k| a[(list[i], list[k])]);
        let right = DVector::from_fn(list.len(), |i, _| b[list[i]]);
        x = DVector::zeros(count);
        if let Some(solution) = part.cholesky().map(|factor| factor.solve(&right)) {
            for (&i, &value) in list.iter().zip(solution.iter()) {
                x[i] = value;
            }
        }
        let residual = a * &x - b;
        let mut changed = false;
        for i in (0..count).filter(|&i| one_sided(i)) {
            let stays = if active[i] { x[i] >= 0.0 } else { residual[i] < 0.0 };
            changed |= stays != active[i];
            active[i] = stays;
        }
        if !changed {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_pushes_but_never_pulls() {
        let a = DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]);
        let b = DVector::from_row_slice(&[1.0, -1.0]);
        let x = non_negative(&a, &b, |_| true);
        assert!((x[0] - 0.5).abs() < 1e-15 && x[1] == 0.0);
        let x = non_negative(&a, &b, |_| false);
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] + 1.0).abs() < 1e-15);
    }

    #[test]
    fn impedance_rises_from_its_smallest_to_its_largest_value() {
        let solimp = [0.9, 0.95, 0.001, 0.5, 2.0];
        assert!((impedance(&solimp, 0.0) - 0.9).abs() < 1e-15);
        assert!((impedance(&solimp, 0.0005) - 0.925).abs() < 1e-15);
        assert!((impedance(&solimp, -0.002) - 0.95).abs() < 1e-15);
    }
}
