//! The best step along a search direction, lane by lane.
//!
//! The cost φ(α) along the line is convex, so its derivative is increasing: a Newton iteration on φ′, kept inside a bracket,
//! finds its zero. Costs themselves are never formed; in `f32` their differences would be rounding long before φ′ is. The
//! search ends where φ′ is a small share of what it was, for Newton's method gains nothing from more; when it is cut off it
//! returns the longest step known to lie before the minimum, so it never makes things worse. It is not cut off before it knows one.

use motrix_model::Cone;
use motrix_spatial::{Lanes, Mask, Real};

use super::across;
use crate::constraint::{Block, BlockKind, Rows};

/// φ′ at the end of a search, as a share of φ′ at its start, that counts as zero.
const FLAT: f64 = 0.01;
/// Evaluations beyond the limit for lanes that know of no better step than none: files for other engines grant as few as four, and
/// a search that gives up leaves the solver at its start, far from any solution.
const RESCUE: usize = 32;
/// Keeps 1/T finite where nothing slides.
const TINY_SLIP: f64 = 1e-15;

/// φ′ and φ″ at a step.
#[derive(Clone, Copy, Debug)]
struct Point<L> {
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
    /// Decrease of the cost, from the derivatives at both ends: exact where the cost is a parabola.
    pub improvement: L,
}

/// Relative resolution of the step: finer changes are rounding.
#[inline(always)]
fn resolution<L: Lanes>() -> L {
    // A few hundred roundings of the scalar: 3e-5 for f32, 6e-14 for f64.
    L::c(256.0 * L::Elem::EPSILON)
}

/// Finds the step for the lanes in `active`; the others get 0.
///
/// The direction is a Newton direction with the derivative `slope` at its start, so the first guess is 1. `ALONE` says that the
/// rows in lanes are those of one world, whose costs add up.
#[inline(always)]
pub fn search<L: Lanes, const ALONE: bool>(
    cone: Cone,
    rows: &Rows<L>,
    smooth: Smooth<L>,
    slope: L,
    limits: Limits<L>,
    active: L::Mask,
) -> Step<L> {
    let flat = (L::c(FLAT) * slope.abs()).max(limits.slope);
    let mut alpha = L::ONE;
    let (mut low, mut low_first) = (L::ZERO, slope);
    let mut high = L::ZERO;
    let mut bracketed = L::Mask::NONE;
    let (mut found, mut found_alpha, mut found_first) = (L::Mask::NONE, L::ZERO, L::ZERO);
    let mut open = active & slope.lt(L::ZERO);
    for evaluation in 0..limits.evaluations + RESCUE {
        if evaluation >= limits.evaluations {
            open = open & low.equal(L::ZERO);
        }
        if !open.any() {
            break;
        }
        let p = evaluate::<L, ALONE>(cone, rows, smooth, alpha);
        let good = open & p.first.abs().le(flat);
        found = found | good;
        found_alpha = L::select(good, alpha, found_alpha);
        found_first = L::select(good, p.first, found_first);

        // The zero of the derivative lies beyond a falling point and before a rising one.
        let falling = open & p.first.lt(L::ZERO);
        low = L::select(falling, alpha, low);
        low_first = L::select(falling, p.first, low_first);
        let rising = open & p.first.ge(L::ZERO);
        high = L::select(rising, alpha, high);
        bracketed = bracketed | rising;

        let mut next = alpha - p.first / p.second;
        let outside = bracketed & !(low.lt(next) & next.lt(high));
        next = L::select(outside, L::c(0.5) * (low + high), next);
        let settled = (next - alpha).abs().le(resolution::<L>() * alpha.abs());
        open = open & !good & !settled & p.first.is_finite();
        alpha = L::select(open, next, alpha);
    }
    let alpha = L::select(active, L::select(found, found_alpha, low), L::ZERO);
    let first = L::select(found, found_first, low_first);
    Step {
        alpha,
        improvement: L::c(-0.5) * alpha * (slope + first),
    }
}

impl<L: Lanes> Point<L> {
    #[inline(always)]
    fn add(&mut self, other: Self) {
        self.first += other.first;
        self.second += other.second;
    }
}

/// The derivatives of the whole cost at a step.
#[inline(always)]
fn evaluate<L: Lanes, const ALONE: bool>(cone: Cone, rows: &Rows<L>, smooth: Smooth<L>, alpha: L) -> Point<L> {
    let mut p = Point {
        first: L::ZERO,
        second: L::ZERO,
    };
    add_rows(cone, rows, alpha, &mut p);
    if ALONE {
        (p.first, p.second) = (across(p.first), across(p.second));
    }
    p.add(Point {
        first: alpha.mul_add(smooth.curvature, smooth.slope),
        second: smooth.curvature,
    });
    p
}

/// Adds the derivatives of the cost of rows at a step.
#[inline(always)]
fn add_rows<L: Lanes>(cone: Cone, rows: &Rows<L>, alpha: L, p: &mut Point<L>) {
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
}

/// ½ D (x + α s)².
#[inline(always)]
fn quadratic<L: Lanes, const DIM: usize>(block: &Block<L>, alpha: L) -> Point<L> {
    let (mut slope, mut curvature) = (L::ZERO, L::ZERO);
    for r in 0..DIM {
        let pull = block.weight[r] * block.slope[r];
        slope = pull.mul_add(block.residual[r], slope);
        curvature = pull.mul_add(block.slope[r], curvature);
    }
    Point {
        first: alpha.mul_add(curvature, slope),
        second: curvature,
    }
}

/// ½ D min(x + α s, 0)².
#[inline(always)]
fn one_sided<L: Lanes>(x: L, s: L, weight: L, alpha: L) -> Point<L> {
    let y = alpha.mul_add(s, x);
    let pull = L::select(y.lt(L::ZERO), weight * s, L::ZERO);
    Point {
        first: pull * y,
        second: pull * s,
    }
}

/// Dry friction at x + α s.
#[inline(always)]
fn dry_friction<L: Lanes>(x: L, s: L, loss: L, weight: L, alpha: L) -> Point<L> {
    let y = alpha.mul_add(s, x);
    let force = weight * y;
    let inside = force.abs().lt(loss);
    let signed = L::select(y.lt(L::ZERO), -loss, loss);
    Point {
        first: s * L::select(inside, force, signed),
        second: L::select(inside, weight * s * s, L::ZERO),
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

/// The elliptic cone along the line: N is linear in α, T² and the cost inside the dual cone are quadratic.
#[inline(always)]
fn cone_along<L: Lanes, const DIM: usize>(block: &Block<L>, alpha: L) -> Point<L> {
    let mu = block.friction[0];
    // T² = uu + 2α uv + α² vv, and inside the dual cone φ = α q1 + ½α² q2.
    let (n0, n1) = (mu * block.residual[0], mu * block.slope[0]);
    let pull = block.weight[0] * block.slope[0];
    let (mut q1, mut q2) = (pull * block.residual[0], pull * block.slope[0]);
    let (mut uu, mut uv, mut vv) = (L::ZERO, L::ZERO, L::ZERO);
    for k in 1..DIM {
        let (x, s) = (block.residual[k], block.slope[k]);
        let (u, v) = (block.friction[k] * x, block.friction[k] * s);
        uu = u.mul_add(u, uu);
        uv = u.mul_add(v, uv);
        vv = v.mul_add(v, vv);
        let pull = block.weight[k] * s;
        q1 = pull.mul_add(x, q1);
        q2 = pull.mul_add(s, q2);
    }
    let n = alpha.mul_add(n1, n0);
    let t = alpha.mul_add(alpha.mul_add(vv, uv + uv), uu).max(L::ZERO).sqrt();
    // No force above the cone, all rows quadratic below its dual.
    let top = (mu * t).le(n);
    let bottom = !top & mu.mul_add(n, t).le(L::ZERO);
    let quadratic = alpha.mul_add(q2, q1);
    if (top | bottom).all() {
        return Point {
            first: L::select(top, L::ZERO, quadratic),
            second: L::select(top, L::ZERO, q2),
        };
    }
    let w = block.middle_weight;
    let gap = n - mu * t;
    let inverse_t = t.max(L::c(TINY_SLIP)).recip();
    let dt = alpha.mul_add(vv, uv) * inverse_t;
    let ddt = (vv - dt * dt) * inverse_t;
    let dgap = n1 - mu * dt;
    let first = L::select(bottom, quadratic, w * gap * dgap);
    let second = L::select(bottom, q2, w * (dgap * dgap - gap * mu * ddt));
    Point {
        first: L::select(top, L::ZERO, first),
        second: L::select(top, L::ZERO, second),
    }
}

/// φ″ where the line starts.
#[inline(always)]
pub fn curvature_at_start<L: Lanes>(cone: Cone, rows: &Rows<L>, smooth: Smooth<L>) -> L {
    evaluate::<L, false>(cone, rows, smooth, L::ZERO).second
}
