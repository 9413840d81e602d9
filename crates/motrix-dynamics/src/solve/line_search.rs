//! The best step along a search direction, lane by lane.
//!
//! The cost along the line is convex and piecewise smooth, so its derivative is increasing: a Newton iteration on the derivative,
//! kept inside a bracket, finds its zero. Costs are differences to the start of the line, formed without cancellation where a
//! constraint keeps its zone; without that `f32` cannot tell an improvement from rounding. The point with the lowest cost is
//! returned, or 0 when none improves, so a cut-off search never makes things worse.

use motrix_model::Cone;
use motrix_spatial::{Lanes, Mask};

use super::cost;
use crate::constraint::{Block, BlockKind, Rows};

/// Cost relative to the start of the line, and its first two derivatives.
#[derive(Clone, Copy, Debug)]
pub struct Point<L> {
    cost: L,
    first: L,
    second: L,
}

/// What the search needs of the smooth part: ½α²·curvature + α·slope.
#[derive(Clone, Copy, Debug)]
pub struct Smooth<L> {
    /// Search · (M a − f).
    pub slope: L,
    /// Search · M search.
    pub curvature: L,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Limits<L> {
    /// Largest derivative that counts as zero.
    pub slope: L,
    /// Most evaluations.
    pub evaluations: usize,
}

/// A step and what it gains.
#[derive(Clone, Copy, Debug)]
pub struct Step<L> {
    /// Length along the search direction; 0 when nothing improves.
    pub alpha: L,
    /// Decrease of the cost.
    pub improvement: L,
}

/// Relative resolution of the step: finer changes are rounding.
#[inline(always)]
fn resolution<L: Lanes>() -> L {
    use motrix_spatial::Real;
    // A few hundred roundings of the scalar: 3e-5 for f32, 6e-14 for f64.
    L::c(256.0 * L::Elem::EPSILON)
}

/// Finds the step for the lanes in `active`; the others get 0.
///
/// The direction is a Newton direction, so the first guess is 1 and the derivative at the start is negative.
#[inline(always)]
pub fn search<L: Lanes>(
    cone: Cone,
    rows: &Rows<L>,
    smooth: Smooth<L>,
    start: Point<L>,
    limits: Limits<L>,
    active: L::Mask,
) -> Step<L> {
    let mut alpha = newton_guess(L::ZERO, start);
    let (mut low, mut high) = (L::ZERO, L::ZERO);
    let mut bracketed = L::Mask::NONE;
    let (mut best_alpha, mut best_cost) = (L::ZERO, L::ZERO);
    let mut open = active;
    for _ in 0..limits.evaluations {
        let p = evaluate(cone, rows, smooth, alpha);
        let better = open & p.cost.lt(best_cost);
        best_alpha = L::select(better, alpha, best_alpha);
        best_cost = L::select(better, p.cost, best_cost);

        // The zero of the derivative lies beyond a falling point and before a rising one.
        let falling = p.first.lt(L::ZERO);
        low = L::select(open & falling, alpha, low);
        high = L::select(open & !falling, alpha, high);
        bracketed = bracketed | (open & !falling);

        let mut next = newton_guess(alpha, p);
        let outside = bracketed & (next.le(low) | high.le(next));
        next = L::select(outside, L::c(0.5) * (low + high), next);
        let settled = (next - alpha).abs().le(resolution::<L>() * alpha.abs());
        open = open & !p.first.abs().lt(limits.slope) & !settled & p.first.is_finite();
        if !open.any() {
            break;
        }
        alpha = L::select(open, next, alpha);
    }
    Step {
        alpha: L::select(active, best_alpha, L::ZERO),
        improvement: -best_cost,
    }
}

/// The minimum of the local parabola.
#[inline(always)]
fn newton_guess<L: Lanes>(alpha: L, p: Point<L>) -> L {
    alpha - p.first / p.second
}

impl<L: Lanes> Point<L> {
    /// The start of the line, from its slope and curvature.
    #[inline(always)]
    pub fn start(first: L, second: L) -> Self {
        Self {
            cost: L::ZERO,
            first,
            second,
        }
    }

    #[inline(always)]
    fn add(&mut self, other: Self) {
        self.cost += other.cost;
        self.first += other.first;
        self.second += other.second;
    }
}

/// The whole cost at a step.
#[inline(always)]
fn evaluate<L: Lanes>(cone: Cone, rows: &Rows<L>, smooth: Smooth<L>, alpha: L) -> Point<L> {
    let bend = alpha * smooth.curvature;
    let mut p = Point {
        cost: alpha * L::c(0.5).mul_add(bend, smooth.slope),
        first: smooth.slope + bend,
        second: smooth.curvature,
    };
    for row in &rows.friction {
        p.add(dry_friction(row.residual, row.slope, row.loss, row.weight, alpha));
    }
    for row in &rows.limits {
        p.add(one_sided(row.residual, row.slope, row.weight, alpha));
    }
    for block in &rows.blocks {
        p.add(match block.kind {
            BlockKind::Equality(_) => match block.dim {
                1 => quadratic::<L, 1>(block, alpha),
                3 => quadratic::<L, 3>(block, alpha),
                _ => quadratic::<L, 6>(block, alpha),
            },
            BlockKind::TendonFriction(_) => dry_friction(
                block.residual[0],
                block.slope[0],
                block.friction[0],
                block.weight[0],
                alpha,
            ),
            BlockKind::BallLimit(_) | BlockKind::TendonLimit(..) => {
                one_sided(block.residual[0], block.slope[0], block.weight[0], alpha)
            }
            BlockKind::Contact(_) => match (cone, block.dim) {
                (_, 1) => one_sided(block.residual[0], block.slope[0], block.weight[0], alpha),
                (Cone::Pyramidal, 3) => pyramid::<L, 3>(block, alpha),
                (Cone::Pyramidal, 4) => pyramid::<L, 4>(block, alpha),
                (Cone::Pyramidal, _) => pyramid::<L, 6>(block, alpha),
                (Cone::Elliptic, 3) => cone_along::<L, 3>(block, alpha),
                (Cone::Elliptic, 4) => cone_along::<L, 4>(block, alpha),
                (Cone::Elliptic, _) => cone_along::<L, 6>(block, alpha),
            },
        });
    }
    p
}

/// ½ D (x + α s)², relative to α = 0.
#[inline(always)]
fn quadratic<L: Lanes, const DIM: usize>(block: &Block<L>, alpha: L) -> Point<L> {
    let (mut slope, mut curvature) = (L::ZERO, L::ZERO);
    for r in 0..DIM {
        let pull = block.weight[r] * block.slope[r];
        slope = pull.mul_add(block.residual[r], slope);
        curvature = pull.mul_add(block.slope[r], curvature);
    }
    let bend = alpha * curvature;
    Point {
        cost: alpha * L::c(0.5).mul_add(bend, slope),
        first: slope + bend,
        second: curvature,
    }
}

/// ½ D min(x + α s, 0)², relative to α = 0.
#[inline(always)]
fn one_sided<L: Lanes>(x: L, s: L, weight: L, alpha: L) -> Point<L> {
    let move_by = alpha * s;
    let y = x + move_by;
    let half = L::c(0.5);
    let (before, after) = (x.min(L::ZERO), y.min(L::ZERO));
    let beyond = y.lt(L::ZERO);
    let stays = beyond & x.lt(L::ZERO);
    // Both points beyond: the difference of squares, factored.
    let change = L::select(
        stays,
        move_by * (x + half * move_by),
        half * (after * after - before * before),
    );
    let pull = weight * s;
    Point {
        cost: weight * change,
        first: pull * after,
        second: L::select(beyond, pull * s, L::ZERO),
    }
}

/// Dry friction at x + α s, relative to α = 0.
#[inline(always)]
fn dry_friction<L: Lanes>(x: L, s: L, loss: L, weight: L, alpha: L) -> Point<L> {
    let knee = loss / L::select(weight.gt(L::ZERO), weight, L::ONE);
    let half = L::c(0.5);
    let move_by = alpha * s;
    let y = x + move_by;
    let (inside_x, inside_y) = (x.abs().lt(knee), y.abs().lt(knee));
    let signed = L::select(y.lt(L::ZERO), -loss, loss);
    let same_side = (x.lt(L::ZERO) & y.lt(L::ZERO)) | (x.gt(L::ZERO) & y.gt(L::ZERO));
    let linear = same_side & !inside_x & !inside_y;
    let quadratic = inside_x & inside_y;
    let change = cost::dry_friction(y, loss, weight).0 - cost::dry_friction(x, loss, weight).0;
    let change = L::select(quadratic, weight * move_by * (x + half * move_by), change);
    let change = L::select(linear, signed * move_by, change);
    Point {
        cost: change,
        first: s * L::select(inside_y, weight * y, signed),
        second: L::select(inside_y, weight * s * s, L::ZERO),
    }
}

/// The edges of a pyramid.
#[inline(always)]
fn pyramid<L: Lanes, const DIM: usize>(block: &Block<L>, alpha: L) -> Point<L> {
    let (x, s) = (&block.residual, &block.slope);
    let mut p = one_sided(x[0], s[0], block.weight[0], alpha);
    for k in 1..DIM {
        let (mu, weight) = (block.friction[k], block.weight[k]);
        let (xk, sk) = (mu * x[k], mu * s[k]);
        p.add(one_sided(x[0] + xk, s[0] + sk, weight, alpha));
        p.add(one_sided(x[0] - xk, s[0] - sk, weight, alpha));
    }
    p
}

/// The elliptic cone along the line: N and T² are linear and quadratic in α.
#[inline(always)]
fn cone_along<L: Lanes, const DIM: usize>(block: &Block<L>, alpha: L) -> Point<L> {
    let mu = block.friction[0];
    let half = L::c(0.5);
    // N = n0 + α n1, T² = uu + 2α uv + α² vv, and the all-quadratic branch α q1 + ½α² q2.
    let (n0, n1) = (mu * block.residual[0], mu * block.slope[0]);
    let pull = block.weight[0] * block.slope[0];
    let (mut q0, mut q1, mut q2) = (
        block.weight[0] * block.residual[0] * block.residual[0],
        pull * block.residual[0],
        pull * block.slope[0],
    );
    let (mut uu, mut uv, mut vv) = (L::ZERO, L::ZERO, L::ZERO);
    for k in 1..DIM {
        let (u, v) = (
            block.friction[k] * block.residual[k],
            block.friction[k] * block.slope[k],
        );
        uu = u.mul_add(u, uu);
        uv = u.mul_add(v, uv);
        vv = v.mul_add(v, vv);
        let pull = block.weight[k] * block.slope[k];
        q0 = (block.weight[k] * block.residual[k]).mul_add(block.residual[k], q0);
        q1 = pull.mul_add(block.residual[k], q1);
        q2 = pull.mul_add(block.slope[k], q2);
    }
    let mu2 = mu * mu;
    let w = block.weight[0] / (mu2 * (L::ONE + mu2));

    let t0 = uu.sqrt();
    let (top0, bottom0) = cone_zone(mu, n0, t0);
    let gap0 = n0 - mu * t0;
    let cost0 = half * L::select(top0, L::ZERO, L::select(bottom0, q0, w * gap0 * gap0));

    let n = alpha.mul_add(n1, n0);
    let t = alpha.mul_add(alpha.mul_add(vv, uv + uv), uu).max(L::ZERO).sqrt();
    let (top, bottom) = cone_zone(mu, n, t);
    let gap = n - mu * t;
    let inverse_t = t.max(L::c(1e-15)).recip();
    let dt = alpha.mul_add(vv, uv) * inverse_t;
    let ddt = (vv - dt * dt) * inverse_t;
    let dgap = n1 - mu * dt;

    let bend = alpha * q2;
    let quadratic_change = alpha * half.mul_add(bend, q1);
    let middle_cost = half * w * gap * gap;
    let changed_zone = L::select(bottom, half * q0 + quadratic_change, middle_cost) - cost0;
    let stays_bottom = bottom & bottom0;
    let stays_middle = !top & !bottom & !top0 & !bottom0;
    let change = L::select(stays_bottom, quadratic_change, changed_zone);
    let change = L::select(stays_middle, half * w * (gap - gap0) * (gap + gap0), change);
    let cost = L::select(top, -cost0, change);
    let first = L::select(bottom, q1 + bend, w * gap * dgap);
    let second = L::select(bottom, q2, w * (dgap * dgap - gap * mu * ddt));
    Point {
        cost,
        first: L::select(top, L::ZERO, first),
        second: L::select(top, L::ZERO, second),
    }
}

/// No force above the cone, all rows quadratic below its dual.
#[inline(always)]
fn cone_zone<L: Lanes>(mu: L, n: L, t: L) -> (L::Mask, L::Mask) {
    let top = (mu * t).le(n);
    (top, !top & mu.mul_add(n, t).le(L::ZERO))
}

/// φ″ where the line starts.
#[inline(always)]
pub fn curvature_at_start<L: Lanes>(cone: Cone, rows: &Rows<L>, smooth: Smooth<L>) -> L {
    evaluate(cone, rows, smooth, L::ZERO).second
}
