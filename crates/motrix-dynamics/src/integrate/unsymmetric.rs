//! Factorisation of a matrix whose *pattern* is the tree's but whose values are not symmetric.
//!
//! Eliminated from the last dof to the first, A = U L with U unit upper triangular has no fill-in, for the same reason as the
//! symmetric factorisation of [`crate::pattern`]. The lower triangle is stored as there; of the upper triangle the transposed
//! is stored in a second array at the same places, so that `upper[at(i, j)]` is A(j, i) for j < i. No pivoting: in an implicit
//! step A is M plus terms of the order of the time step.

use motrix_spatial::Lanes;

use crate::pattern::Pattern;

/// Factorises in place: L below and on the diagonal of `lower`, U in `upper`; `inverse[i]` becomes 1/L(i, i).
#[inline(always)]
pub fn factor<L: Lanes>(pattern: &Pattern, lower: &mut [L], upper: &mut [L], inverse: &mut [L]) {
    for k in (0..pattern.rows()).rev() {
        let pivot = lower[pattern.diagonal(k)].recip();
        inverse[k] = pivot;
        // Row j of an ancestor loses U(j, k) times row k; the columns of row k are the ancestors, all of which row j has.
        for run in pattern.row(k) {
            for j in run.start..run.end {
                let u = upper[pattern.at(k, j)] * pivot;
                upper[pattern.at(k, j)] = u;
                for other in pattern.row(k) {
                    for c in other.start..other.end {
                        let entry = lower[pattern.at(k, c)];
                        let target = if c <= j {
                            &mut lower[pattern.at(j, c)]
                        } else {
                            &mut upper[pattern.at(c, j)]
                        };
                        *target = u.neg_mul_add(entry, *target);
                    }
                }
            }
        }
    }
}

/// Solves U L x = b in place.
#[inline(always)]
pub fn solve<L: Lanes>(pattern: &Pattern, lower: &[L], upper: &[L], inverse: &[L], x: &mut [L]) {
    let n = pattern.rows();
    for k in (0..n).rev() {
        let xk = x[k];
        for run in pattern.row(k) {
            for j in run.start..run.end {
                x[j] = upper[pattern.at(k, j)].neg_mul_add(xk, x[j]);
            }
        }
    }
    for i in 0..n {
        let mut sum = x[i];
        for run in pattern.row(i) {
            for j in run.start..run.end {
                sum = lower[pattern.at(i, j)].neg_mul_add(x[j], sum);
            }
        }
        x[i] = sum * inverse[i];
    }
}
