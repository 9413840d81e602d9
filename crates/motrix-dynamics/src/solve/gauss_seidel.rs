//! Projected Gauss-Seidel on the dual problem, as in MuJoCo's `mj_solPGS`.
//!
//! A sweep visits the constraints in a shuffled order and sets the force of each to the admissible minimiser given all
//! others: the normal force of a round cone along its ray first, then its friction inside the ellipsoid that the normal force
//! allows. Between sweeps the forces are extrapolated with Nesterov's momentum, which is dropped whenever a sweep turns against it
//! (O'Donoghue and Candès, *Adaptive restart for accelerated gradient schemes*, 2015). The shuffle is seeded anew in each
//! solve, so results depend on nothing but the problem.

use core::ops::Range;

use motrix_spatial::Real;

use super::dual::Dual;
use super::ellipsoid::{self, MOST};
use crate::constraint::listing::RowKind;
use crate::tables::SolverTable;

/// Normal forces below this are none (MuJoCo's `mjMINVAL`).
pub(super) const MIN_VALUE: f64 = 1e-15;
/// Most rows of a contact.
const DIM: usize = MOST + 1;

/// Memory of the sweeps.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// First row of each constraint.
    starts: Vec<usize>,
    /// Forces before the last extrapolation, and after it.
    previous: Vec<f64>,
    extrapolated: Vec<f64>,
}

/// Solves the island `order[island]` of a problem; returns the number of sweeps.
pub fn solve<E: Real>(settings: &SolverTable<E>, dual: &mut Dual, island: Range<usize>) -> usize {
    let mut memory = core::mem::take(&mut dual.sweep);
    let rows: &[usize] = &dual.order[island.clone()];
    memory.starts.clear();
    memory.starts.extend(
        rows.iter()
            .copied()
            .filter(|&i| !dual.is_cone(i) || dual.listing.rows[i].part == 0),
    );
    memory.previous.clone_from(&dual.force);
    let tolerance = settings.tolerance.to_f64();
    let mut random = Random::new();
    let (mut sweeps, mut momentum) = (0, 0);
    while sweeps < settings.iterations {
        if sweeps > 0 && momentum > 1 {
            let beta = f64::from(momentum - 1) / f64::from(momentum + 2);
            extrapolate(dual, &island, beta, &mut memory.previous);
        } else {
            memory.previous.clone_from(&dual.force);
        }
        memory.extrapolated.clone_from(&dual.force);

        random.shuffle(&mut memory.starts);
        let mut improvement = 0.0;
        for &i in &memory.starts {
            improvement += if dual.is_cone(i) {
                visit_cone(dual, i)
            } else {
                visit(dual, i)
            };
        }

        let against: f64 = dual.order[island.clone()]
            .iter()
            .map(|&i| (dual.force[i] - memory.extrapolated[i]) * (memory.extrapolated[i] - memory.previous[i]))
            .sum();
        momentum = if sweeps > 0 && against < 0.0 { 0 } else { momentum + 1 };
        sweeps += 1;
        if settings.dual_scale * improvement < tolerance {
            break;
        }
    }
    dual.sweep = memory;
    sweeps
}

/// Moves the forces of an island on in the direction of the last sweep, and back to what is admissible.
fn extrapolate(dual: &mut Dual, island: &Range<usize>, beta: f64, previous: &mut [f64]) {
    for at in island.clone() {
        let i = dual.order[at];
        let force = dual.force[i];
        dual.force[i] += beta * (force - previous[i]);
        previous[i] = force;
    }
    for at in island.clone() {
        let i = dual.order[at];
        match dual.listing.rows[i].kind {
            RowKind::Cone if dual.listing.rows[i].part == 0 => into_cone(dual, i),
            RowKind::Cone => {}
            _ => dual.force[i] = admissible(dual, i, dual.force[i]),
        }
    }
}

/// The nearest admissible force of a row that is not part of a round cone.
fn admissible(dual: &Dual, i: usize, force: f64) -> f64 {
    let row = &dual.listing.rows[i];
    match row.kind {
        RowKind::Equality => force,
        RowKind::DofFriction | RowKind::TendonFriction => force.max(-row.loss).min(row.loss),
        _ => force.max(0.0),
    }
}

/// Sets the force of a single row; returns the improvement.
fn visit(dual: &mut Dual, i: usize) -> f64 {
    let (residual, a, before) = (dual.residual(i), dual.entry(i, i), dual.force[i]);
    dual.force[i] = admissible(dual, i, before - residual / a);
    dual.judge(i, &[before], &[a], &[residual])
}

/// Shortens the friction of a contact to what its normal force allows.
fn into_cone(dual: &mut Dual, i: usize) {
    let dim = dual.listing.rows[i].span;
    if dual.force[i] < 0.0 {
        dual.force[i..i + dim].fill(0.0);
        return;
    }
    let size = relative_size(dual, i);
    let limit = dual.force[i] * dual.force[i];
    if size > limit {
        shorten(dual, i, (limit / size.max(MIN_VALUE)).sqrt());
    }
}

/// Σ (f/µ)² over the friction of a contact.
fn relative_size(dual: &Dual, i: usize) -> f64 {
    let dim = dual.listing.rows[i].span;
    let ratio = |r: usize| dual.force[i + r] / dual.listing.rows[i + r].friction;
    (1..dim).map(|r| ratio(r) * ratio(r)).sum()
}

fn shorten(dual: &mut Dual, i: usize, factor: f64) {
    let dim = dual.listing.rows[i].span;
    for force in &mut dual.force[i + 1..i + dim] {
        *force *= factor;
    }
}

/// Sets the forces of a round cone; returns the improvement.
fn visit_cone(dual: &mut Dual, i: usize) -> f64 {
    let dim = dual.listing.rows[i].span;
    let (mut residual, mut before, mut a) = ([0.0; DIM], [0.0; DIM], [0.0; DIM * DIM]);
    for r in 0..dim {
        residual[r] = dual.residual(i + r);
        before[r] = dual.force[i + r];
    }
    let (residual, before, a) = (&residual[..dim], &before[..dim], &mut a[..dim * dim]);
    dual.block(i, dim, false, a);
    if before[0] < MIN_VALUE {
        dual.force[i] = (before[0] - residual[0] / a[0]).max(0.0);
        dual.force[i + 1..i + dim].fill(0.0);
    } else {
        along_the_ray(dual, i, before, a, residual);
    }

    // Friction with the normal force as it now is.
    let n = dim - 1;
    let (mut friction_a, mut friction_b) = ([0.0; MOST * MOST], [0.0; MOST]);
    let pressed = dual.force[i] - before[0];
    for r in 0..n {
        friction_b[r] = residual[r + 1] + a[(r + 1) * dim] * pressed;
        for c in 0..n {
            friction_a[r * n + c] = a[(r + 1) * dim + c + 1];
            friction_b[r] -= friction_a[r * n + c] * before[c + 1];
        }
    }
    set_friction(dual, i, &friction_a[..n * n], &friction_b[..n]);
    dual.judge(i, before, a, residual)
}

/// Scales all forces of a contact to the minimum along their own direction.
fn along_the_ray(dual: &mut Dual, i: usize, ray: &[f64], a: &[f64], residual: &[f64]) {
    let dim = ray.len();
    let mut bend = 0.0;
    for r in 0..dim {
        bend += ray[r] * (0..dim).map(|c| a[r * dim + c] * ray[c]).sum::<f64>();
    }
    if bend < MIN_VALUE {
        return;
    }
    let slope: f64 = (0..dim).map(|r| ray[r] * residual[r]).sum();
    // No further back than to zero force.
    let step = (-slope / bend).max(-1.0);
    for r in 0..dim {
        dual.force[i + r] += step * ray[r];
    }
}

/// Sets the friction of a contact to the minimiser inside the ellipsoid of its normal force.
pub(super) fn set_friction(dual: &mut Dual, i: usize, a: &[f64], b: &[f64]) {
    let n = b.len();
    if dual.force[i] < MIN_VALUE {
        dual.force[i + 1..=i + n].fill(0.0);
        return;
    }
    let (mut mu, mut x) = ([0.0; MOST], [0.0; MOST]);
    for r in 0..n {
        mu[r] = dual.listing.rows[i + 1 + r].friction;
    }
    let bound = ellipsoid::minimise(a, b, &mu[..n], dual.force[i], &mut x[..n]);
    dual.force[i + 1..=i + n].copy_from_slice(&x[..n]);
    if bound {
        // Exactly on the ellipsoid, though the search for it ends near it.
        let size = relative_size(dual, i).max(MIN_VALUE);
        shorten(dual, i, (dual.force[i] * dual.force[i] / size).sqrt());
    }
}

/// PCG32 (O'Neill, *PCG: a family of simple fast space-efficient statistically good algorithms*, 2014) with MuJoCo's seed.
struct Random(u64);

impl Random {
    fn new() -> Self {
        let mut random = Self(0);
        random.next();
        random
    }

    fn next(&mut self) -> u32 {
        let old = self.0;
        self.0 = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let shifted = (((old >> 18) ^ old) >> 27) as u32;
        shifted.rotate_right((old >> 59) as u32)
    }

    /// Fisher-Yates.
    fn shuffle(&mut self, items: &mut [usize]) {
        for i in (1..items.len()).rev() {
            let j = self.next() as usize % (i + 1);
            items.swap(i, j);
        }
    }
}
