//! The direction of least overlap of two symmetric cores, by Newton's method on the sphere of directions.
//!
//! Two convex sets are separated along n by −h(n), with h the support function of their difference; the direction n with the
//! smallest h gives their distance, or how the overlap is left soonest. Where h is smooth, Newton's method on the sphere finds
//! it: the gradient is the support point w without its part along n, and the second derivative is D²h − h. Where h has a kink,
//! α |n·u|, the search may come to rest on the great circle n·u = 0, an edge or a face of a shape lying against the other: the
//! kink is then *active*, and its slope t in [−1, 1] is whatever balances the rest. A cylinder can also rest on its cap, n = ±a.
//!
//! The result is a point where slopes balance exactly. With h < 0 that is the nearest point, there being only one. With h > 0
//! it is the shortest way out if a ball of at least that radius fits inside the difference and touches it there: the ball of
//! radius h about the origin then lies inside. Otherwise nothing is claimed, and the general algorithm has to decide.

use crate::minkowski::Pair;
use crate::separation::{Apart, Touch};
use crate::support::Core;
use crate::support_function::{Owner, SupportFunction};
use crate::vector::{Vec3, add_scaled, cross, dot, neg, norm, norm2, scale, sub, unit};

/// Longest step, radians.
const LONGEST_STEP: f64 = 0.5;
/// A step this short, radians, leaves an error of the order of its square.
const LAST_STEP: f64 = 1e-6;
/// Steps, and changes of the active kinks, after which the search gives up.
const MOST_STEPS: usize = 24;
/// Sine of the angle to the axis of a cylinder within which its cap is tried.
const NEAR_AXIS: f64 = 1e-3;
/// Cosine below which a direction is on a kink.
const ON_KINK: f64 = 1e-12;
/// How far a slope may exceed its range by rounding.
const SLACK: f64 = 1e-9;

/// Finds where the cores are nearest or overlap, unless they are farther apart than `limit`. `None` when the cores are not of
/// the kinds treated here, or when the result is not certain.
#[inline(always)]
pub(crate) fn nearest(pair: &Pair, limit: f64) -> Option<Result<Touch, Apart>> {
    let h = SupportFunction::new(pair)?;
    let start = match best_candidate(&h, limit) {
        Ok(start) => start,
        Err(apart) => return Some(Err(apart)),
    };
    let rest = Search::new(&h, start).run(MOST_STEPS)?;
    if -rest.value > limit {
        return Some(Err(Apart { axis: Some(rest.n) }));
    }
    (rest.value <= rest.inscribed_radius(pair)).then(|| Ok(rest.touch(pair)))
}

/// The exact place near one that was found from inside to `tolerance`: an expanding polytope of that depth has a direction and
/// points that are right only to the root of it. `None` when the cores are not of the kinds treated here, or when the search from
/// there rests elsewhere.
///
/// The overlap is at least as deep as a polytope inside the difference reaches and at most the support function in any direction;
/// where these two meet to the tolerance, the rest is the shortest way out.
#[inline(always)]
pub(crate) fn refined(pair: &Pair, found: &Touch, tolerance: f64) -> Option<Touch> {
    let h = SupportFunction::new(pair)?;
    let rest = Search::new(&h, found.normal).run(MOST_STEPS)?;
    (rest.value <= tolerance - found.distance).then(|| rest.touch(pair))
}

/// The best of the directions that are natural for the shapes: between the centres, along and across their axes.
#[inline(always)]
fn best_candidate(h: &SupportFunction, limit: f64) -> Result<Vec3, Apart> {
    let towards = neg(h.c);
    let mut best = Best {
        n: [0.0, 0.0, 1.0],
        value: f64::INFINITY,
    };
    if let Some(n) = unit(towards) {
        best.consider(h, n);
    }
    for kink in h.kinks.iter() {
        let along = dot(kink.u, towards) < 0.0;
        best.consider(h, if along { neg(kink.u) } else { kink.u });
    }
    for disc in h.discs.iter() {
        if let Some(n) = unit(disc.across(towards)) {
            best.consider(h, n);
        }
    }
    if -best.value > limit {
        Err(Apart { axis: Some(best.n) })
    } else {
        Ok(best.n)
    }
}

/// The direction of least overlap so far.
struct Best {
    n: Vec3,
    value: f64,
}

impl Best {
    #[inline(always)]
    fn consider(&mut self, h: &SupportFunction, n: Vec3) {
        let value = h.value(n);
        if value < self.value {
            (self.n, self.value) = (n, value);
        }
    }
}

/// Two tangents that make a right-handed frame with n, without a branch (Duff and others, *Building an orthonormal basis,
/// revisited*, JCGT 2017).
#[inline(always)]
fn tangents(n: Vec3) -> (Vec3, Vec3) {
    let sign = 1f64.copysign(n[2]);
    let a = -1.0 / (sign + n[2]);
    let b = n[0] * n[1] * a;
    (
        [1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]],
        [b, sign + n[1] * n[1] * a, -n[1]],
    )
}

/// The number of a range that is nearest to x.
#[inline(always)]
fn within(x: f64, low: f64, high: f64) -> f64 {
    if x < low {
        low
    } else if x > high {
        high
    } else {
        x
    }
}

/// A search under way.
pub(crate) struct Search<'h> {
    h: &'h SupportFunction,
    n: Vec3,
    /// Slope of each kink: ±1, the side of n, unless it is active.
    slope: [f64; 4],
    active: [usize; 2],
    active_count: usize,
    /// Discs whose caps have been tried.
    tried: [bool; 2],
}

/// Where the slopes balance.
pub(crate) struct Rest<'h> {
    h: &'h SupportFunction,
    /// The direction, and the support function there.
    pub n: Vec3,
    pub value: f64,
    slope: [f64; 4],
    active: [bool; 4],
    /// The disc that rests on its cap, and the point of the cap, from its centre.
    cap: Option<(usize, Vec3)>,
}

impl<'h> Search<'h> {
    /// A search from the direction n on.
    #[inline(always)]
    pub fn new(h: &'h SupportFunction, n: Vec3) -> Search<'h> {
        let mut search = Search {
            h,
            n,
            slope: [0.0; 4],
            active: [0; 2],
            active_count: 0,
            tried: [false; 2],
        };
        for (k, kink) in h.kinks.iter().enumerate() {
            let side = dot(kink.u, n);
            search.slope[k] = if side < 0.0 { -1.0 } else { 1.0 };
            if side.abs() < ON_KINK && search.active_count < 2 {
                search.activate(k);
            }
        }
        search
    }

    /// Searches until the slopes balance; `None` when they do not within so many steps.
    #[inline(always)]
    pub fn run(mut self, steps: usize) -> Option<Rest<'h>> {
        for _ in 0..steps {
            if let Some(rest) = self.try_caps() {
                return Some(rest);
            }
            let settled = match self.active_count {
                0 => self.step_freely(),
                1 => self.step_along_kink(),
                _ => true,
            };
            if settled && self.balance()? {
                return Some(self.rest(None));
            }
        }
        None
    }

    #[inline(always)]
    fn is_active(&self, k: usize) -> bool {
        self.active[..self.active_count].contains(&k)
    }

    /// Puts n on a kink. Parallel to the one already active it would change nothing, and is left out.
    #[inline(always)]
    fn activate(&mut self, k: usize) {
        let u = self.h.kinks[k].u;
        let n = if self.active_count == 0 {
            unit(add_scaled(self.n, u, -dot(self.n, u)))
        } else {
            let other = self.h.kinks[self.active[0]].u;
            unit(cross(other, u)).map(|n| if dot(n, self.n) < 0.0 { neg(n) } else { n })
        };
        if let Some(n) = n {
            self.n = n;
            self.active[self.active_count] = k;
            self.active_count += 1;
        }
    }

    /// The support point without the active kinks, and the second derivatives in two tangents.
    #[inline(always)]
    fn derivatives(&self, s: Vec3, t: Vec3) -> (Vec3, [f64; 3]) {
        let (mut w, d2) = self.h.derivatives(self.n, s, t);
        for (k, kink) in self.h.kinks.iter().enumerate() {
            if !self.is_active(k) {
                w = add_scaled(w, kink.u, kink.alpha * self.slope[k]);
            }
        }
        (w, d2)
    }

    /// A Newton step in both tangents; true when it is the last.
    #[inline(always)]
    fn step_freely(&mut self) -> bool {
        let n = self.n;
        let (s, t) = tangents(n);
        let (w, [ss, st, tt]) = self.derivatives(s, t);
        let value = dot(w, n);
        let (gs, gt) = (dot(w, s), dot(w, t));
        let (ss, tt) = (ss - value, tt - value);
        let det = ss * tt - st * st;
        // Where h is not convex, downhill as far as allowed: a kink will stop it.
        let convex = ss > 0.0 && det > 0.0;
        let step = if convex {
            [(st * gt - tt * gs) / det, (st * gs - ss * gt) / det]
        } else {
            [-gs, -gt]
        };
        let length = (step[0] * step[0] + step[1] * step[1]).sqrt();
        let step = if convex && length <= LONGEST_STEP {
            step
        } else {
            step.map(|d| d * LONGEST_STEP / length.max(f64::MIN_POSITIVE))
        };
        let slope = gs * step[0] + gt * step[1];
        let bend = ss * step[0] * step[0] + 2.0 * st * step[0] * step[1] + tt * step[1] * step[1];
        let direction = add_scaled(scale(s, step[0]), t, step[1]);
        self.walk(direction, slope, bend) && convex && length < LAST_STEP
    }

    /// A Newton step along the great circle of the active kink; true when it is the last.
    #[inline(always)]
    fn step_along_kink(&mut self) -> bool {
        let n = self.n;
        let t = cross(n, self.h.kinks[self.active[0]].u);
        let (w, [tt, ..]) = self.derivatives(t, t);
        let g = dot(w, t);
        let tt = tt - dot(w, n);
        let step = if tt > 0.0 {
            within(-g / tt, -LONGEST_STEP, LONGEST_STEP)
        } else {
            -LONGEST_STEP * g.signum()
        };
        self.walk(scale(t, step), g * step, tt * step * step) && step.abs() < LAST_STEP
    }

    /// Moves along a tangent as far as h falls, with `slope` and `bend` its first and second derivative over the whole step.
    /// Each kink on the way adds to the slope; one that turns it upward becomes active. True when none did.
    #[inline(always)]
    fn walk(&mut self, direction: Vec3, mut slope: f64, bend: f64) -> bool {
        let mut passed = 0.0;
        loop {
            // The next kink ahead.
            let mut next: Option<(f64, usize, f64)> = None;
            for (k, kink) in self.h.kinks.iter().enumerate() {
                let rate = dot(kink.u, direction) * self.slope[k];
                if rate < 0.0 && !self.is_active(k) {
                    let at = (dot(kink.u, self.n) * self.slope[k] / -rate).max(passed);
                    if at < next.map_or(1.0, |(at, ..)| at) {
                        next = Some((at, k, -rate));
                    }
                }
            }
            let Some((at, k, rate)) = next else {
                break;
            };
            let kink = &self.h.kinks[k];
            slope += 2.0 * kink.alpha * rate;
            if slope + bend * at >= 0.0 {
                self.n = add_scaled(self.n, direction, at);
                self.n = unit(self.n).unwrap_or(self.n);
                self.activate(k);
                return false;
            }
            self.slope[k] = -self.slope[k];
            passed = at;
        }
        // Past some kinks the fall ends earlier.
        let end = if passed > 0.0 && bend > 0.0 {
            within(-slope / bend, passed, 1.0)
        } else {
            1.0
        };
        let n = add_scaled(self.n, direction, end);
        self.n = scale(n, 1.0 / norm(n));
        true
    }

    /// Finds the slopes of the active kinks that balance the rest. When one is out of its range the kink is left again, to the
    /// side it pulls to, and the search goes on: false. `None` when the kinks are too nearly parallel to tell.
    #[inline(always)]
    fn balance(&mut self) -> Option<bool> {
        if self.active_count == 0 {
            return Some(true);
        }
        let (w, _) = self.derivatives([0.0; 3], [0.0; 3]);
        let kinks = [&self.h.kinks[self.active[0]], &self.h.kinks[self.active[1]]];
        let slopes = match self.active_count {
            1 => [-dot(w, kinks[0].u) / kinks[0].alpha, 0.0],
            _ => {
                let (a, b) = (kinks[0].u, kinks[1].u);
                let (wa, wb, ab) = (dot(w, a), dot(w, b), dot(a, b));
                let det = 1.0 - ab * ab;
                if det < 1e-9 {
                    return None;
                }
                [
                    (ab * wb - wa) / det / kinks[0].alpha,
                    (ab * wa - wb) / det / kinks[1].alpha,
                ]
            }
        };
        let worst = if slopes[1].abs() > slopes[0].abs() { 1 } else { 0 };
        if slopes[worst].abs() > 1.0 + SLACK {
            let k = self.active[worst];
            self.slope[k] = slopes[worst].signum();
            self.active[0] = self.active[1 - worst];
            self.active_count -= 1;
            return Some(false);
        }
        for i in 0..self.active_count {
            self.slope[self.active[i]] = within(slopes[i], -1.0, 1.0);
        }
        Some(true)
    }

    /// Tries to rest on the cap of a cylinder that n points along; failing that, leaves the axis.
    #[inline(always)]
    fn try_caps(&mut self) -> Option<Rest<'h>> {
        for (i, disc) in self.h.discs.iter().enumerate() {
            if self.tried[i] || norm2(disc.across(self.n)) > NEAR_AXIS * NEAR_AXIS {
                continue;
            }
            self.tried[i] = true;
            let n = if dot(disc.a, self.n) < 0.0 { neg(disc.a) } else { disc.a };
            let mut cap = Search {
                tried: self.tried,
                ..Search::new(self.h, n)
            };
            let pull = cap.pull_at_cap(i);
            let length = norm(pull);
            if length <= disc.r {
                return Some(cap.rest(Some((i, neg(pull)))));
            }
            self.leave_axis(n, scale(pull, -1.0 / length));
        }
        None
    }

    /// What the cap of disc `i` has to balance at n, its axis: the support point without that disc, across n, with the kinks
    /// that n lies on taking what they can.
    #[inline(always)]
    fn pull_at_cap(&mut self, i: usize) -> Vec3 {
        let n = self.n;
        let mut w = self.h.c;
        for (j, disc) in self.h.discs.iter().enumerate() {
            let across = disc.across(n);
            if j != i && norm2(across) > 0.0 {
                w = add_scaled(w, across, disc.r / norm(across));
            }
        }
        for ellipsoid in self.h.ellipsoids.iter() {
            let mn = ellipsoid.times(n);
            w = add_scaled(w, mn, 1.0 / dot(n, mn).sqrt());
        }
        let on_kink = |k: usize| dot(self.h.kinks[k].u, n).abs() < ON_KINK;
        for (k, kink) in self.h.kinks.iter().enumerate().filter(|&(k, _)| !on_kink(k)) {
            w = add_scaled(w, kink.u, kink.alpha * self.slope[k]);
        }
        let mut pull = add_scaled(w, n, -dot(w, n));
        for (k, kink) in self.h.kinks.iter().enumerate().filter(|&(k, _)| on_kink(k)) {
            let slope = within(-dot(pull, kink.u) / kink.alpha, -1.0, 1.0);
            self.slope[k] = slope;
            pull = add_scaled(pull, kink.u, kink.alpha * slope);
        }
        pull
    }

    /// Turns n from the axis towards a direction across it.
    #[inline(always)]
    fn leave_axis(&mut self, axis: Vec3, towards: Vec3) {
        let n = unit(add_scaled(axis, towards, 10.0 * NEAR_AXIS)).unwrap_or(axis);
        *self = Search {
            tried: self.tried,
            ..Search::new(self.h, n)
        };
    }

    #[inline(always)]
    fn rest(&self, cap: Option<(usize, Vec3)>) -> Rest<'h> {
        let mut active = [false; 4];
        for &k in &self.active[..self.active_count] {
            active[k] = true;
        }
        Rest {
            h: self.h,
            n: self.n,
            value: self.h.value(self.n),
            slope: self.slope,
            active,
            cap,
        }
    }
}

impl Rest<'_> {
    /// The slope of kink `k`, unless the direction rests on it.
    #[inline(always)]
    pub fn free_slope(&self, k: usize) -> Option<f64> {
        (!self.active[k]).then_some(self.slope[k])
    }

    /// Radius of a ball inside A − B that touches its surface here: a ball inside A plus a ball inside B.
    #[inline(always)]
    fn inscribed_radius(&self, pair: &Pair) -> f64 {
        if self.value <= 0.0 {
            return 0.0;
        }
        self.inscribed_in(&pair.a.core, Owner::A) + self.inscribed_in(&pair.b.core, Owner::B)
    }

    /// The first kink of a shape.
    #[inline(always)]
    fn first_kink(&self, owner: Owner) -> Option<usize> {
        self.h.kinks.iter().position(|kink| kink.owner == owner)
    }

    /// Radius of a ball inside a core that touches its surface where it touches the other.
    #[inline(always)]
    pub fn inscribed_in(&self, core: &Core, owner: Owner) -> f64 {
        match *core {
            // A ball of the least radius of curvature rolls freely inside.
            Core::Ellipsoid { .. } => {
                for ellipsoid in self.h.ellipsoids.iter() {
                    if ellipsoid.owner == owner {
                        return ellipsoid.least_radius;
                    }
                }
                0.0
            }
            Core::Cylinder { radius, half_length } => {
                if let Some((i, point)) = self.cap
                    && self.h.discs[i].owner == owner
                {
                    return half_length.min(radius - norm(point));
                }
                match self.first_kink(owner) {
                    Some(k) if self.active[k] => radius.min(half_length * (1.0 - self.slope[k].abs())),
                    _ => 0.0,
                }
            }
            // On a face: as far as the nearest side of it, and no more than half the thickness.
            Core::Box { half } => {
                let mut radius = f64::INFINITY;
                let mut sides = 0;
                for k in 0..self.h.kinks.len() {
                    if self.h.kinks[k].owner != owner {
                        continue;
                    }
                    let half = half[self.h.kinks[k].k as usize];
                    if self.active[k] {
                        sides += 1;
                        radius = radius.min(half * (1.0 - self.slope[k].abs()));
                    } else {
                        radius = radius.min(half);
                    }
                }
                if sides == 2 { radius } else { 0.0 }
            }
            _ => 0.0,
        }
    }

    #[inline(always)]
    fn touch(&self, pair: &Pair) -> Touch {
        let a = self.point(Owner::A);
        let features_a = self.features(&pair.a.core, Owner::A);
        let features_b = self.features(&pair.b.core, Owner::B);
        let b = sub(a, scale(self.n, self.value));
        Touch {
            distance: -self.value,
            normal: self.n,
            a,
            b,
            features_a,
            features_b,
            count: 3,
        }
    }

    /// The sum of the terms of one shape: its point, from its centre, towards the other.
    #[inline(always)]
    pub fn point(&self, owner: Owner) -> Vec3 {
        let mut point = [0.0; 3];
        for (k, kink) in self.h.kinks.iter().enumerate().filter(|(_, kink)| kink.owner == owner) {
            point = add_scaled(point, kink.u, kink.alpha * self.slope[k]);
        }
        for (i, disc) in self.h.discs.iter().enumerate().filter(|(_, disc)| disc.owner == owner) {
            point = match self.cap {
                Some((cap, on_cap)) if cap == i => add_scaled(point, on_cap, 1.0),
                _ => {
                    let across = disc.across(self.n);
                    let length = norm(across);
                    if length > 0.0 {
                        add_scaled(point, across, disc.r / length)
                    } else {
                        point
                    }
                }
            };
        }
        for ellipsoid in self.h.ellipsoids.iter().filter(|e| e.owner == owner) {
            let mn = ellipsoid.times(self.n);
            point = add_scaled(point, mn, 1.0 / dot(self.n, mn).sqrt());
        }
        point
    }

    /// The features of a shape here: one, and one more for each active kink.
    #[inline(always)]
    pub fn features(&self, core: &Core, owner: Owner) -> [u32; 3] {
        // B is met from the other side.
        let side = if owner == Owner::A { 1.0 } else { -1.0 };
        match core {
            Core::Box { .. } => {
                let mut first = 0;
                let mut flips = [0; 2];
                let mut count = 0;
                for k in 0..self.h.kinks.len() {
                    if self.h.kinks[k].owner != owner {
                        continue;
                    }
                    let bit = 1 << self.h.kinks[k].k;
                    if self.slope[k] * side > 0.0 {
                        first |= bit;
                    }
                    if self.active[k] && count < 2 {
                        flips[count] = bit;
                        count += 1;
                    }
                }
                [first, first ^ flips[0], first ^ flips[1]]
            }
            Core::Cylinder { .. } | Core::Segment { .. } => {
                let Some(k) = self.first_kink(owner) else {
                    return [0; 3];
                };
                let first = u32::from(self.slope[k] * side < 0.0);
                [first, if self.active[k] { 1 - first } else { first }, first]
            }
            _ => [0; 3],
        }
    }
}
