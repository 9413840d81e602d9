//! The noslip pass, as in MuJoCo's `mj_solNoSlip`: Gauss-Seidel over friction alone, without its regularisation.
//!
//! The main solver's friction is soft and lets things creep. Here normal forces stay as they are and friction is solved again as
//! if it were hard: dry friction inside its loss, pyramids by trading force between opposing edges, round cones inside their
//! ellipsoid.

use core::ops::Range;

use motrix_spatial::Real;

use super::dual::Dual;
use super::ellipsoid::MOST;
use super::gauss_seidel::{MIN_VALUE, set_friction};
use crate::constraint::listing::RowKind;
use crate::tables::SolverTable;

/// Hardens the friction of the island `order[island]`.
pub fn solve<E: Real>(settings: &SolverTable<E>, dual: &mut Dual, island: Range<usize>) {
    let tolerance = settings.noslip_tolerance.to_f64();
    for sweep in 0..settings.noslip_iterations {
        // Leaving out the regularisation changes the cost before anything moves.
        let mut improvement = 0.0;
        if sweep == 0 {
            for at in island.clone() {
                let i = dual.order[at];
                improvement += 0.5 * dual.force[i] * dual.force[i] * dual.softness[i];
            }
        }
        for at in island.clone() {
            let i = dual.order[at];
            let row = &dual.listing.rows[i];
            improvement += match row.kind {
                RowKind::DofFriction | RowKind::TendonFriction => dry(dual, i),
                RowKind::Edge if row.part.is_multiple_of(2) => opposing_edges(dual, i),
                RowKind::Cone if row.part == 0 => round(dual, i),
                _ => 0.0,
            };
        }
        if settings.dual_scale * improvement < tolerance {
            break;
        }
    }
}

/// Dry friction; returns the improvement.
fn dry(dual: &mut Dual, i: usize) -> f64 {
    let a = (dual.entry(i, i) - dual.softness[i]).max(MIN_VALUE);
    let (residual, before, loss) = (dual.hard_residual(i), dual.force[i], dual.listing.rows[i].loss);
    dual.force[i] = (before - residual / a).max(-loss).min(loss);
    let delta = dual.force[i] - before;
    -delta * (0.5 * delta * a + residual)
}

/// Two opposing edges of a pyramid, whose sum stays; returns the improvement.
fn opposing_edges(dual: &mut Dual, i: usize) -> f64 {
    let residual = [dual.hard_residual(i), dual.hard_residual(i + 1)];
    let before = [dual.force[i], dual.force[i + 1]];
    let mut a = [0.0; 4];
    dual.block(i, 2, true, &mut a);
    let b = [0, 1].map(|r| residual[r] - a[2 * r] * before[0] - a[2 * r + 1] * before[1]);
    // With forces m + y and m − y the cost is a parabola in y.
    let middle = 0.5 * (before[0] + before[1]);
    let bend = a[0] + a[3] - a[1] - a[2];
    let slope = middle * (a[0] - a[3]) + b[0] - b[1];
    let y = if bend < MIN_VALUE {
        0.0
    } else {
        (-slope / bend).max(-middle).min(middle)
    };
    (dual.force[i], dual.force[i + 1]) = (middle + y, middle - y);
    dual.judge(i, &before, &a, &residual)
}

/// The friction of a round cone; returns the improvement.
fn round(dual: &mut Dual, i: usize) -> f64 {
    let n = dual.listing.rows[i].span - 1;
    let (mut residual, mut before) = ([0.0; MOST], [0.0; MOST]);
    for r in 0..n {
        residual[r] = dual.hard_residual(i + 1 + r);
        before[r] = dual.force[i + 1 + r];
    }
    let (mut a, mut b) = ([0.0; MOST * MOST], [0.0; MOST]);
    dual.block(i + 1, n, true, &mut a[..n * n]);
    for r in 0..n {
        b[r] = residual[r] - (0..n).map(|c| a[r * n + c] * before[c]).sum::<f64>();
    }
    set_friction(dual, i, &a[..n * n], &b[..n]);
    dual.judge(i + 1, &before[..n], &a[..n * n], &residual[..n])
}
