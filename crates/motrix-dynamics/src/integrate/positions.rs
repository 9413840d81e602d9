//! Positions after a step, q ← q ⊕ h v, and what rounding takes from the sum.
//!
//! A step of a slow body is less than the last bit of where it is: in single precision, half a metre from the origin, whatever creeps at
//! less than 7 µm/s in steps of 4 ms would stay in its place for ever, while turning goes on, whose numbers are finer. Bodies of a pile
//! at rest rolled on the spot for minutes, and pushed others, because the walls they leaned on did not feel them come. What rounding
//! takes is therefore kept beside the positions and added in the next step: a compensated sum (Kahan 1965), with an error that is
//! told exactly whatever is the larger (Knuth, *The Art of Computer Programming*, 4.2.2).
//!
//! Quaternions are sums too: q ⊗ exp(hω/2) = q + q ⊗ (exp(hω/2) − 1), with the difference formed as it is and not as one of two
//! numbers near 1; the same step brings the whole of a quaternion, with what is kept, back to length 1.
//!
//! What is kept belongs to one configuration. Users write positions, even through arrays that share our memory, and then nothing may be
//! left of where bodies were before: with the residues goes a mark of the positions, and where it is another, they are zero.

use motrix_model::JointKind;
use motrix_spatial::Lanes;
use motrix_spatial::algebra::*;

use crate::kinematics::Tree;

/// Square of a quaternion's length, less 1, up to which one Newton step makes it a unit.
const NEARLY_UNIT: f64 = 1e-3;

/// Numbers kept beside so many positions: a residue for each, and the mark.
pub const fn kept_beside(positions: usize) -> usize {
    positions + 1
}

/// Advances positions by the velocities `qvel` over the time `h`, with the residues in `kept`.
#[inline(always)]
pub fn advance<L: Lanes>(tree: &Tree<L::Elem>, h: L, qvel: &[L], qpos: &mut [L], kept: &mut [L]) {
    let Some((mark_of_kept, residue)) = kept.split_last_mut() else {
        return;
    };
    let known = mark(qpos).equal(*mark_of_kept);
    for residue in residue.iter_mut() {
        *residue = L::select(known, *residue, L::ZERO);
    }
    for joint in &tree.joints {
        let (q, v) = (joint.first_position, joint.first_dof);
        match joint.kind {
            JointKind::Slide | JointKind::Hinge => add_step(h * qvel[v], &mut qpos[q], &mut residue[q]),
            JointKind::Ball => turn(q, h, [qvel[v], qvel[v + 1], qvel[v + 2]], qpos, residue),
            JointKind::Free => {
                for k in 0..3 {
                    add_step(h * qvel[v + k], &mut qpos[q + k], &mut residue[q + k]);
                }
                turn(q + 3, h, [qvel[v + 3], qvel[v + 4], qvel[v + 5]], qpos, residue);
            }
        }
    }
    *mark_of_kept = mark(qpos);
}

/// A number that tells configurations apart. One in ten million is taken for another, and starts with a last bit of that.
#[inline(always)]
fn mark<L: Lanes>(qpos: &[L]) -> L {
    /// Spreads the weights of the positions over 1 to 2, all different.
    const SCATTER: usize = 40_503;
    const WEIGHTS: usize = 1 << 16;
    let mut sum = L::ONE;
    for (k, q) in qpos.iter().enumerate() {
        let weight = 1.0 + (SCATTER * (k + 1) % WEIGHTS) as f64 / WEIGHTS as f64;
        sum = q.mul_add(L::c(weight), sum);
    }
    sum
}

/// Adds a step to a number and the residue of the steps before, and keeps what rounding takes.
#[inline(always)]
fn add_step<L: Lanes>(step: L, q: &mut L, residue: &mut L) {
    let step = step + *residue;
    let new = *q + step;
    let added = new - *q;
    *residue = (*q - (new - added)) + (step - added);
    *q = new;
}

/// Turns the quaternion at place `q` at the local angular velocity ω.
#[inline(always)]
fn turn<L: Lanes>(q: usize, h: L, omega: [L; 3], qpos: &mut [L], residue: &mut [L]) {
    let here = [qpos[q], qpos[q + 1], qpos[q + 2], qpos[q + 3]];
    let (mut square, mut across) = (L::ZERO, L::ZERO);
    for k in 0..4 {
        square = here[k].mul_add(here[k], square);
        across = here[k].mul_add(residue[q + k], across);
    }
    let excess = L::c(2.0).mul_add(across, square - L::ONE);
    let nearly = excess.abs().lt(L::c(NEARLY_UNIT));
    let unit = quat_normalize(here);

    // exp(hω/2) − 1, by the quarter of the angle: cos 2x − 1 = −2 sin² x.
    let (axis, speed) = normalize(omega);
    let (sine, cosine) = (L::c(0.25) * h * speed).sin_cos();
    let [x, y, z] = scale(axis, L::c(2.0) * sine * cosine);
    let turned = quat_mul(unit, [L::c(-2.0) * sine * sine, x, y, z]);
    for k in 0..4 {
        let to_unit = L::select(nearly, L::c(-0.5) * excess * here[k], unit[k] - here[k]);
        add_step(turned[k] + to_unit, &mut qpos[q + k], &mut residue[q + k]);
    }
}

#[cfg(test)]
mod tests {
    use motrix_spatial::lanes::F32x8Portable;

    use super::*;

    /// Steps of the tests.
    const STEPS: usize = 10_000;

    #[test]
    fn what_creeps_far_from_the_origin_arrives() {
        // A kilometre out, single precision knows places 61 µm apart; a step is a sixtieth of that.
        let (mut q, mut residue) = (F32x8Portable::c(1000.0), F32x8Portable::ZERO);
        for _ in 0..STEPS {
            add_step(F32x8Portable::c(1e-6), &mut q, &mut residue);
        }
        let moved = f64::from(q.lane(0)) - 1000.0 + f64::from(residue.lane(0));
        assert!((moved - 0.01).abs() < 1e-7, "moved by {moved} m");
    }

    #[test]
    fn what_turns_slowly_arrives_and_stays_a_rotation() {
        let mut q = [0.5, -0.5, 0.1, 0.7].map(F32x8Portable::c);
        let start = quat_normalize(q.map(|x| f64::from(x.lane(0))));
        let mut residue = [F32x8Portable::ZERO; 4];
        let rate = [3e-6, -4e-6, 1e-6];
        for _ in 0..STEPS {
            turn(
                0,
                F32x8Portable::c(0.002),
                rate.map(F32x8Portable::c),
                &mut q,
                &mut residue,
            );
        }
        let end: [f64; 4] = std::array::from_fn(|k| f64::from(q[k].lane(0)) + f64::from(residue[k].lane(0)));
        let length = end.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((length - 1.0).abs() < 1e-7, "length {length}");
        let turned = quat_difference(end.map(|x| x / length), start);
        for k in 0..3 {
            let expected = rate[k] * 0.002 * STEPS as f64;
            assert!((turned[k] - expected).abs() < 1e-9, "turned by {turned:?} rad");
        }
    }

    #[test]
    fn any_quaternion_becomes_a_rotation_at_once() {
        for q in [[3.0, 0.0, 4.0, 0.0], [1e-3, 0.0, 0.0, 1e-3], [0.0; 4]] {
            let mut turned = q;
            turn::<f64>(0, 0.01, [0.1, 0.2, 0.3], &mut turned, &mut [0.0; 4]);
            let expected = quat_integrate(q, [0.1, 0.2, 0.3], 0.01);
            for k in 0..4 {
                assert!((turned[k] - expected[k]).abs() < 1e-15, "{q:?} became {turned:?}");
            }
        }
    }

    #[test]
    fn configurations_have_marks_of_their_own() {
        let q: [f64; 5] = [0.3, -2.0, 1e-3, 0.0, 7.0];
        for k in 0..5 {
            let mut moved = q;
            moved[k] += 1e-9;
            assert!(mark(&moved) != mark(&q));
            moved = q;
            moved.swap(k, (k + 1) % 5);
            assert!(mark(&moved) != mark(&q));
        }
    }
}
