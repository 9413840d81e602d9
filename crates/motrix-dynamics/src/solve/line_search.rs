//! The best step along a search direction, lane by lane.
//!
//! The cost φ(α) along the line is convex, so its derivative is increasing: a Newton iteration on φ′, kept inside a bracket,
//! finds its zero. Costs themselves are never formed; in `f32` their differences would be rounding long before φ′ is. The
//! search ends where φ′ is a small share of what it was, for Newton's method gains nothing from more; when it is cut off it
//! returns the longest step known to lie before the minimum, so it never makes things worse. It is not cut off before it knows one.

use motrix_model::Cone;
use motrix_spatial::{Lanes, Mask, Real};

use crate::constraint::{Block, BlockKind, Rows};

/// φ′ at the end of a search, as a share of φ′ at its start, that counts as zero.
const FLAT: f64 = 0.1;
/// Evaluations beyond the limit for lanes that know of no better step than none: files for other engines grant as few as four, and
/// a search that gives up leaves the solver at its start, far from any solution.
const RESCUE: usize = 32;
/// Keeps 1/T finite where nothing slides.
const TINY_SLIP: f64 = 1e-15;

/// φ′ and φ″ at a step.
#[derive(Clone, Copy, Debug)]
pub struct Point<L> {
    /// φ′.
    pub first: L,
    /// φ″.
    pub second: L,
}

/// A cost along a line.
pub trait Line<L: Lanes> {
    /// Its derivatives at a step, in the lanes `asked`.
    fn derivatives(&self, alpha: L, asked: L::Mask) -> Point<L>;
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
/// The direction is a Newton direction with the derivative `slope` at its start, so the first guess is 1.
#[inline(always)]
pub fn search<L: Lanes>(line: &impl Line<L>, slope: L, limits: Limits<L>, active: L::Mask) -> Step<L> {
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
        let p = line.derivatives(alpha, open);
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

/// The whole cost of worlds, one per lane.
pub struct AllRows<'a, L> {
    /// Friction cone.
    pub cone: Cone,
    /// Rows, with [traces](trace_cones) of their cones.
    pub rows: &'a Rows<L>,
    /// All but the rows.
    pub smooth: Smooth<L>,
}

impl<L: Lanes> Line<L> for AllRows<'_, L> {
    #[inline(always)]
    fn derivatives(&self, alpha: L, _: L::Mask) -> Point<L> {
        let mut p = Point {
            first: L::ZERO,
            second: L::ZERO,
        };
        for row in &self.rows.friction {
            p.add(dry_friction(row.residual, row.slope, row.loss, row.weight, alpha));
        }
        for row in &self.rows.limits {
            p.add(one_sided(row.residual, row.slope, row.weight, alpha));
        }
        for block in &self.rows.blocks {
            p.add(block_along(self.cone, block, alpha));
        }
        p.add(Point {
            first: alpha.mul_add(self.smooth.curvature, self.smooth.slope),
            second: self.smooth.curvature,
        });
        p
    }
}

/// The derivatives of the cost of a block at a step.
#[inline(always)]
pub fn block_along<L: Lanes>(cone: Cone, block: &Block<L>, alpha: L) -> Point<L> {
    match block.kind {
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
            (Cone::Elliptic, _) => cone_along(block, alpha),
        },
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
pub fn one_sided<L: Lanes>(x: L, s: L, weight: L, alpha: L) -> Point<L> {
    let y = alpha.mul_add(s, x);
    let pull = L::select(y.lt(L::ZERO), weight * s, L::ZERO);
    Point {
        first: pull * y,
        second: pull * s,
    }
}

/// Dry friction at x + α s.
#[inline(always)]
pub fn dry_friction<L: Lanes>(x: L, s: L, loss: L, weight: L, alpha: L) -> Point<L> {
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

/// A round cone along a line: N = n₀ + n₁ α, T² = t₀ + 2 t₁ α + t₂ α², and inside the dual cone φ = q₁ α + ½ q₂ α².
#[derive(Clone, Copy, Debug, Default)]
pub struct ConeAlong<L> {
    n: [L; 2],
    t: [L; 3],
    q: [L; 2],
}

/// Takes down what round cones are along the line, so that each evaluation need not.
#[inline(always)]
pub fn trace_cones<L: Lanes>(cone: Cone, rows: &mut Rows<L>) {
    if cone == Cone::Pyramidal {
        return;
    }
    for block in rows.blocks.iter_mut().filter(|block| block.has_friction()) {
        trace_cone(block);
    }
}

/// Takes down what the round cone of a contact is along the line.
#[inline(always)]
pub fn trace_cone<L: Lanes>(block: &mut Block<L>) {
    block.along = match block.dim {
        3 => cone_trace::<L, 3>(block),
        4 => cone_trace::<L, 4>(block),
        _ => cone_trace::<L, 6>(block),
    };
}

#[inline(always)]
fn cone_trace<L: Lanes, const DIM: usize>(block: &Block<L>) -> ConeAlong<L> {
    let mu = block.friction[0];
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
    ConeAlong {
        n: [mu * block.residual[0], mu * block.slope[0]],
        t: [uu, uv, vv],
        q: [q1, q2],
    }
}

/// The derivatives of a round cone's cost at a step.
#[inline(always)]
fn cone_along<L: Lanes>(block: &Block<L>, alpha: L) -> Point<L> {
    let mu = block.friction[0];
    let ConeAlong {
        n: [n0, n1],
        t: [uu, uv, vv],
        q: [q1, q2],
    } = block.along;
    let n = alpha.mul_add(n1, n0);
    let t = alpha.mul_add(alpha.mul_add(vv, uv + uv), uu).max(L::ZERO).sqrt();
    // No force above the cone, all rows quadratic below its dual.
    let top = (mu * t).le(n);
    let bottom = !top & mu.mul_add(n, t).le(L::ZERO);
    let quadratic = alpha.mul_add(q2, q1);
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
