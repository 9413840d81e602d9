//! The convex cost of each kind of constraint, as a function of its residual x = J a − a_ref.
//!
//! | kind | cost |
//! |---|---|
//! | equality | ½ D x² |
//! | dry friction | ½ D x² for \|x\| < R f, then f(\|x\| − ½ R f) |
//! | limit | ½ D min(x, 0)² |
//! | pyramid | ½ D Σ min(x₀ ± µₖ xₖ, 0)² over the edges |
//! | cone | with N = µ x₀ and T = ‖µₖ xₖ‖: 0 if N ≥ µT; ½ Σ D x² if µN + T ≤ 0; else ½ D₀/(µ²(1+µ²)) (N − µT)² |
//!
//! Each function gives the force −∂s/∂x, and blocks also the curvature ∂²s/∂x² that the Newton step needs, as the lower
//! triangle of a small symmetric matrix.

use motrix_spatial::{Lanes, Mask};

use super::change::Change;
use crate::constraint::Block;

/// Keeps 1/T finite where nothing slides.
const TINY_SLIP: f64 = 1e-15;

/// Lower triangle of a symmetric 6×6 matrix, row by row; entry (r, c) is at [`entry`].
pub type Curvature<L> = [L; 21];

/// Place of entry (r, c), c ≤ r, of a [`Curvature`].
#[inline(always)]
pub const fn entry(r: usize, c: usize) -> usize {
    r * (r + 1) / 2 + c
}

/// Cost and force of dry friction: quadratic near zero, then linear.
#[inline(always)]
pub fn dry_friction<L: Lanes>(x: L, loss: L, weight: L) -> (L, L) {
    let knee = loss / L::select(weight.gt(L::ZERO), weight, L::ONE);
    let size = x.abs();
    let inside = size.lt(knee);
    let half = L::c(0.5);
    let cost = L::select(inside, half * weight * x * x, loss * (size - half * knee));
    let force = L::select(inside, -(weight * x), L::select(x.lt(L::ZERO), loss, -loss));
    (cost, force)
}

/// Cost and force of a limit.
#[inline(always)]
pub fn one_sided<L: Lanes>(x: L, weight: L) -> (L, L) {
    let beyond = x.min(L::ZERO);
    let pull = weight * beyond;
    (L::c(0.5) * pull * beyond, -pull)
}

/// Curvature of a limit.
#[inline(always)]
pub fn one_sided_curvature<L: Lanes>(x: L, weight: L) -> L {
    L::select(x.lt(L::ZERO), weight, L::ZERO)
}

/// Cost of a pyramid at the residual `x`.
#[inline(always)]
pub fn pyramid_cost<L: Lanes, const DIM: usize>(x: &[L; 6], block: &Block<L>) -> L {
    let mut cost = one_sided(x[0], block.weight[0]).0;
    for k in 1..DIM {
        let side = block.friction[k] * x[k];
        cost += one_sided(x[0] + side, block.weight[k]).0 + one_sided(x[0] - side, block.weight[k]).0;
    }
    cost
}

/// Stores an entry of a curvature and tells in which lanes it is another than before.
#[inline(always)]
fn store<L: Lanes>(place: &mut L, value: L) -> L::Mask {
    let same = place.equal(value);
    *place = value;
    !same
}

/// Force and curvature of a one-sided row, and the lanes whose curvature changed.
#[inline(always)]
pub fn one_sided_row<L: Lanes>(residual: L, weight: L, force: &mut L, curvature: &mut L) -> L::Mask {
    *force = one_sided(residual, weight).1;
    store(curvature, one_sided_curvature(residual, weight))
}

/// Force and curvature of a row of dry friction, and the lanes whose cost is now another parabola or line: both lines have
/// the curvature 0, and are told apart by the force.
#[inline(always)]
pub fn dry_friction_row<L: Lanes>(residual: L, loss: L, weight: L, force: &mut L, curvature: &mut L) -> L::Mask {
    let pull = weight * residual;
    // |x| < loss/weight, without the division.
    let inside = pull.abs().lt(loss);
    let new = L::select(inside, -pull, L::select(residual.lt(L::ZERO), loss, -loss));
    let turned = !new.equal(*force);
    *force = new;
    let changed = store(curvature, L::select(inside, weight, L::ZERO));
    changed | (!inside & turned)
}

/// Force and curvature of a pyramid at the block's residual, and the lanes whose curvature changed. The curvature is an
/// arrow: entries between two friction directions are zero, and neither written nor read.
#[inline(always)]
pub fn pyramid<L: Lanes, const DIM: usize>(block: &mut Block<L>) -> L::Mask {
    let x = &block.residual;
    let (_, mut normal) = one_sided(x[0], block.weight[0]);
    let mut normal_curvature = one_sided_curvature(x[0], block.weight[0]);
    let mut changed = L::Mask::NONE;
    for k in 1..DIM {
        let (mu, weight) = (block.friction[k], block.weight[k]);
        let side = mu * x[k];
        let (plus, minus) = (x[0] + side, x[0] - side);
        let (cp, cm) = (one_sided_curvature(plus, weight), one_sided_curvature(minus, weight));
        let (push, pull) = (-(cp * plus), -(cm * minus));
        normal += push + pull;
        block.force[k] = mu * (push - pull);
        let both = cp + cm;
        normal_curvature += both;
        changed = changed | store(&mut block.curvature[entry(k, 0)], mu * (cp - cm));
        changed = changed | store(&mut block.curvature[entry(k, k)], mu * mu * both);
    }
    block.force[0] = normal;
    changed | store(&mut block.curvature[0], normal_curvature)
}

/// Where the residual lies relative to the cone.
struct Zone<L: Lanes> {
    /// No force.
    top: L::Mask,
    /// Inside the dual cone: every row quadratic.
    bottom: L::Mask,
    /// N.
    n: L,
    /// T.
    t: L,
    /// Residuals times friction, friction directions.
    u: [L; 6],
}

/// Classifies a residual. A frictionless lane (no friction coefficients) is a cone of T = 0 and never in the middle.
#[inline(always)]
fn zone<L: Lanes, const DIM: usize>(x: &[L; 6], block: &Block<L>) -> Zone<L> {
    let mu = block.friction[0];
    let n = mu * x[0];
    let mut u = [L::ZERO; 6];
    let mut t2 = L::ZERO;
    for k in 1..DIM {
        u[k] = block.friction[k] * x[k];
        t2 = u[k].mul_add(u[k], t2);
    }
    let t = t2.sqrt();
    let held = L::Mask::from_bits(block.held);
    let top = (mu * t).le(n) & !held;
    let bottom = held | (!top & mu.mul_add(n, t).le(L::ZERO));
    Zone { top, bottom, n, t, u }
}

/// The lanes in which a cone sticks at the block's residual.
#[inline(always)]
pub fn cone_sticks<L: Lanes, const DIM: usize>(block: &Block<L>) -> L::Mask {
    zone::<L, DIM>(&block.residual, block).bottom
}

/// Cost of a cone at the residual `x`.
#[inline(always)]
pub fn cone_cost<L: Lanes, const DIM: usize>(x: &[L; 6], block: &Block<L>) -> L {
    let z = zone::<L, DIM>(x, block);
    let mut all = L::ZERO;
    for r in 0..DIM {
        all = (block.weight[r] * x[r]).mul_add(x[r], all);
    }
    let gap = z.n - block.friction[0] * z.t;
    let cost = L::select(z.bottom, all, block.middle_weight * gap * gap);
    L::c(0.5) * L::select(z.top, L::ZERO, cost)
}

/// D₀/(µ²(1+µ²)): the weight of the cone's middle zone.
#[inline(always)]
pub fn middle_weight<L: Lanes>(weight: L, mu: L) -> L {
    let mu2 = mu * mu;
    weight / (mu2 * (L::ONE + mu2))
}

/// Force and curvature of a cone at the block's residual. In the lanes `kept` a cone that still slides keeps its curvature.
#[inline(always)]
pub fn cone<L: Lanes, const DIM: usize>(block: &mut Block<L>, kept: L::Mask) -> Change<L::Mask> {
    match DIM {
        3 => cone_of::<L, DIM, 6>(block, kept),
        4 => cone_of::<L, DIM, 10>(block, kept),
        _ => cone_of::<L, DIM, 21>(block, kept),
    }
}

/// [`cone`] with the number of entries of its curvature.
#[inline(always)]
fn cone_of<L: Lanes, const DIM: usize, const ENTRIES: usize>(block: &mut Block<L>, kept: L::Mask) -> Change<L::Mask> {
    let x = block.residual;
    let z = zone::<L, DIM>(&x, block);
    // Sticking or apart: the rows are independent.
    let mut curvature = [L::ZERO; ENTRIES];
    for r in 0..DIM {
        let weight = L::select(z.bottom, block.weight[r], L::ZERO);
        block.force[r] = -(weight * x[r]);
        curvature[entry(r, r)] = weight;
    }
    // Lanes without the contact are in no zone: their neighbours' contacts must not make them go on.
    let present = block.weight[0].gt(L::ZERO);
    let middle = present & !(z.top | z.bottom);
    slide::<L, DIM>(block, &z, middle, &mut curvature);
    // What slides bends with every step; elsewhere the zone says all.
    let zone = L::select(present & z.bottom, L::c(2.0), L::select(middle, L::ONE, L::ZERO));
    let crossed = store(&mut block.zone, zone);
    let kept = kept & !crossed;
    if kept.any() {
        for (new, old) in curvature.iter_mut().zip(&block.curvature) {
            *new = L::select(kept, *old, *new);
        }
    }
    block.curvature[..ENTRIES].copy_from_slice(&curvature);
    Change {
        cost: crossed | middle,
        curvature: crossed | (middle & !kept),
    }
}

/// Slip of the lanes that are in the middle of a cone.
struct Slip<L> {
    /// Weight of the middle zone; zero in other lanes.
    w: L,
    /// 1/T.
    inverse_t: L,
    /// The unit slip direction, each of its components scaled by the friction there.
    e: [L; 6],
}

/// Adds the force of the lanes that are in the middle of the cone: the derivative of ½ w (N − µT)² along e. Written with e rather
/// than powers of 1/T, which overflow where nothing slips. Other lanes add zero.
#[inline(always)]
fn slip<L: Lanes, const DIM: usize>(block: &mut Block<L>, z: &Zone<L>, middle: L::Mask) -> Slip<L> {
    let mu = block.friction[0];
    let w = L::select(middle, block.middle_weight, L::ZERO);
    let inverse_t = z.t.max(L::c(TINY_SLIP)).recip();
    let normal = -(w * (z.n - mu * z.t) * mu);
    block.force[0] += normal;
    let mut e = [L::ZERO; 6];
    for k in 1..DIM {
        e[k] = z.u[k] * inverse_t;
        block.force[k] -= normal * e[k] * block.friction[k];
    }
    Slip { w, inverse_t, e }
}

/// Adds force and curvature of the lanes that are in the middle of the cone.
#[inline(always)]
fn slide<L: Lanes, const DIM: usize>(block: &mut Block<L>, z: &Zone<L>, middle: L::Mask, curvature: &mut [L]) {
    let Slip { w, inverse_t, e } = slip::<L, DIM>(block, z, middle);
    let mu = block.friction[0];
    let bend = mu * z.n * inverse_t;
    let across = mu.mul_add(mu, -bend);
    curvature[0] += w * mu * mu;
    for k in 1..DIM {
        let wk = w * block.friction[k];
        curvature[entry(k, 0)] = -(wk * mu * mu * e[k]);
        for j in 1..k {
            curvature[entry(k, j)] = wk * block.friction[j] * bend * e[k] * e[j];
        }
        let own = bend.mul_add(e[k] * e[k], across);
        curvature[entry(k, k)] += wk * block.friction[k] * own;
    }
}
