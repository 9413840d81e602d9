//! An ellipsoid or a cylinder against a hull: the direction of least overlap, with the vertices of the hull that carry it.
//!
//! Only one to three vertices of the hull matter where it touches: a corner, the ends of an edge, three points of a facet. Against
//! a corner or an edge Newton's method on the sphere of directions ([`crate::direction`]) finds the direction n; across three
//! points it is that of their plane. The vertex of the whole hull that lies farthest against n then either is one of those that
//! matter, and the search is over, or joins them in place of one that carries nothing.
//!
//! What is found is certain in the sense of [`crate::direction`]: the nearest point when the shapes are apart, and the shortest
//! way out when a ball of that radius fits inside their difference there. Otherwise nothing is claimed and the general algorithm
//! decides. It would add support points one by one until a polytope has come near enough to the curved surface; here a few
//! Newton steps do.
//!
//! A ball fits in the difference when it fits in any part of it. The difference with the carriers alone is such a part, so that a
//! corner inside a cylinder is certain, a rim that crosses an edge as a rule ([`Balance::consider_sweep`]), and a rim that enters
//! a facet where it is no nearer to the border than deep ([`Balance::fits_over_triangle`]).

use crate::direction::{Rest, Search};
use crate::hull::Hull;
use crate::minkowski::Pair;
use crate::separation::{Apart, Touch};
use crate::support::Core;
use crate::support_function::{Kink, Owner, SupportFunction};
use crate::vector::{Vec3, add_scaled, cross, dot, index_of_least, middle, neg, norm, norm2, rotate_back, sub, unit};

/// Changes of the vertices that matter after which the search gives up.
const MOST_CHANGES: usize = 10;
/// Newton steps against one corner or edge after which it is not worth going on: from a good start four or five suffice.
const MOST_STEPS: usize = 8;
/// By how much a vertex must lie farther out than those that matter, relative to its distance: far above rounding.
const FARTHER: f64 = 1e-12;
/// How far a point may lie outside a triangle by rounding, relative to the triangle.
const INSIDE: f64 = 1e-9;
/// Sides up to which it is worth looking for a ball inside the hull.
const MOST_SIDES: usize = 512;

/// The vertices that matter, the newest last, in the frame of A.
#[derive(Clone, Copy)]
struct Carriers {
    id: [u32; 3],
    p: [Vec3; 3],
    count: usize,
}

/// A direction in which the round core balances the carriers.
struct Balance {
    n: Vec3,
    /// Support function of the difference with the carriers alone: the overlap along n.
    value: f64,
    /// The point of the round core, and its features.
    a: Vec3,
    features_a: [u32; 3],
    /// Radius of a ball inside the round core, or inside the difference, that touches its surface there.
    inscribed: f64,
}

/// Finds where a round core and a hull are nearest or overlap, unless they are farther apart than `limit`. `None` when the cores
/// are of other kinds, or when the result is not certain.
#[inline(always)]
pub(crate) fn nearest(pair: &Pair, limit: f64) -> Option<Result<Touch, Apart>> {
    let Core::Hull(hull) = pair.b.core else {
        return None;
    };
    // For a cylinder that can only overlap, a start from a rough way out ([`settled`]) leads to the end sooner. Apart, where the
    // general algorithm converges slowly, everything is certain.
    if limit <= 0.0 && matches!(pair.a.core, Core::Cylinder { .. }) {
        return None;
    }
    let mut round = SupportFunction::of_round(&pair.a.core)?;
    let (n, corner) = best_start(pair, hull, &round)?;
    let mut carriers = Carriers::NONE;
    carriers.push(corner);
    match carriers.balance(pair, hull, &mut round, n, limit)? {
        Ok(balance) => Some(Ok(balance.certain(&carriers, pair, hull)?)),
        Err(apart) => Some(Err(apart)),
    }
}

/// The exact place near one that was found from inside to `tolerance`, as in [`crate::direction::refined`].
#[inline(always)]
pub(crate) fn refined(pair: &Pair, found: &Touch, tolerance: f64) -> Option<Touch> {
    let Core::Hull(hull) = pair.b.core else {
        return None;
    };
    let (balance, carriers) = balance_near(pair, hull, found)?;
    if balance.value <= tolerance - found.distance {
        Some(balance.touch(&carriers))
    } else {
        None
    }
}

/// Whether it is worth asking for a place near one that is known roughly: not for ellipsoids, for which [`nearest`] has asked.
#[inline(always)]
pub(crate) fn may_settle(pair: &Pair) -> bool {
    matches!((pair.a.core, pair.b.core), (Core::Cylinder { .. }, Core::Hull(_)))
}

/// The exact place near one that was found roughly, if it is certain that there is no shorter way out.
#[inline(always)]
pub(crate) fn settled(pair: &Pair, found: &Touch) -> Option<Touch> {
    let Core::Hull(hull) = pair.b.core else {
        return None;
    };
    let (balance, carriers) = balance_near(pair, hull, found)?;
    balance.certain(&carriers, pair, hull)
}

/// The balance that a search from this place leads to, and what carries it.
#[inline(always)]
fn balance_near(pair: &Pair, hull: &Hull, found: &Touch) -> Option<(Balance, Carriers)> {
    let mut round = SupportFunction::of_round(&pair.a.core)?;
    let mut carriers = Carriers::NONE;
    for id in found.features_b {
        if !carriers.has(id) {
            carriers.push((id, pair.b_in_a.point(hull.vertices()[id as usize])));
        }
    }
    match carriers.balance(pair, hull, &mut round, found.normal, f64::INFINITY)? {
        Ok(balance) => Some((balance, carriers)),
        Err(_) => None,
    }
}

/// The best of the directions that are natural for the shapes, between the centres and along and across the axis of a cylinder,
/// and the vertex of the hull there.
#[inline(always)]
fn best_start(pair: &Pair, hull: &Hull, round: &SupportFunction) -> Option<(Vec3, (u32, Vec3))> {
    let towards = neg(pair.centre());
    let mut natural = [unit(towards), None, None];
    if let Some(disc) = round.discs.first() {
        let along = dot(disc.a, towards) < 0.0;
        natural[1] = Some(if along { neg(disc.a) } else { disc.a });
        natural[2] = unit(disc.across(towards));
    }
    let mut best = None;
    let mut least = f64::INFINITY;
    for n in natural {
        let Some(n) = n else {
            continue;
        };
        let corner = farthest_against(pair, hull, n, 0);
        let value = round.value(n) - dot(corner.1, n);
        if value < least {
            (best, least) = (Some((n, corner)), value);
        }
    }
    best
}

/// The vertex of the hull farthest against n, in the frame of A.
#[inline(always)]
fn farthest_against(pair: &Pair, hull: &Hull, n: Vec3, near: u32) -> (u32, Vec3) {
    let id = hull.support(rotate_back(&pair.b_in_a.rotation, neg(n)), near);
    (id, pair.b_in_a.point(hull.vertices()[id as usize]))
}

/// What the plane of three carriers does.
enum Plane {
    Balanced(Balance),
    /// The round core touches it beside the triangle, and this carrier carries nothing.
    Beside(usize),
}

impl Carriers {
    const NONE: Carriers = Carriers {
        id: [0; 3],
        p: [[0.0; 3]; 3],
        count: 0,
    };

    /// Searches from the direction n on until no other vertex matters. `None` when that takes too long.
    #[inline(always)]
    fn balance(
        &mut self,
        pair: &Pair,
        hull: &Hull,
        round: &mut SupportFunction,
        mut n: Vec3,
        limit: f64,
    ) -> Option<Result<Balance, Apart>> {
        for _ in 0..MOST_CHANGES {
            let balance = match self.count {
                3 => match self.balance_plane(pair, round, n)? {
                    Plane::Balanced(balance) => balance,
                    Plane::Beside(k) => {
                        self.drop(k);
                        continue;
                    }
                },
                _ => self.balance_edge(pair, round, n)?,
            };
            n = balance.n;
            let (id, p) = farthest_against(pair, hull, n, self.id[0]);
            let farther = dot(sub(self.p[0], p), n);
            if -(balance.value + farther) > limit {
                return Some(Err(Apart { axis: Some(n) }));
            }
            if farther <= FARTHER * norm(p) || self.has(id) {
                return Some(Ok(balance));
            }
            if self.count == 3 {
                self.refine(n, balance.a, p);
            }
            self.push((id, p));
        }
        None
    }

    #[inline(always)]
    fn push(&mut self, (id, p): (u32, Vec3)) {
        (self.id[self.count], self.p[self.count]) = (id, p);
        self.count += 1;
    }

    #[inline(always)]
    fn has(&self, id: u32) -> bool {
        let [first, second, third] = self.id;
        self.count > 0 && first == id || self.count > 1 && second == id || self.count > 2 && third == id
    }

    #[inline(always)]
    fn drop(&mut self, k: usize) {
        for i in k + 1..self.count {
            (self.id[i - 1], self.p[i - 1]) = (self.id[i], self.p[i]);
        }
        self.count -= 1;
    }

    /// Balances the round core against a corner, or against an edge, of which an end that carries nothing is dropped.
    #[inline(always)]
    fn balance_edge(&mut self, pair: &Pair, round: &mut SupportFunction, mut n: Vec3) -> Option<Balance> {
        let edge = self.count == 2;
        if let (false, Core::Cylinder { radius, half_length }) = (edge, pair.a.core)
            && let Some(balance) = Balance::of_cylinder_and_corner(radius, half_length, self.p[0])
        {
            return Some(balance);
        }
        let h = round;
        let own = h.kinks.len();
        if edge {
            let along = sub(self.p[1], self.p[0]);
            let u = unit(along)?;
            h.c = neg(middle(self.p[0], self.p[1]));
            // As a rule the edge carries, across itself.
            if let Some(across) = unit(add_scaled(n, u, -dot(n, u))) {
                n = across;
            }
            h.kinks.push(Kink {
                u,
                alpha: 0.5 * norm(along),
                owner: Owner::B,
                k: 0,
            });
        } else {
            h.c = neg(self.p[0]);
        }
        let rest = Search::new(h, n).run(MOST_STEPS)?;
        let mut balance = Balance::of(&rest, pair);
        if edge {
            match rest.free_slope(own) {
                Some(slope) => self.drop(usize::from(slope > 0.0)),
                None => balance.consider_sweep(pair, self.p),
            }
            h.kinks.truncate(own);
        }
        Some(balance)
    }

    /// Balances the round core against the plane of three carriers.
    #[inline(always)]
    fn balance_plane(&self, pair: &Pair, round: &SupportFunction, n: Vec3) -> Option<Plane> {
        let [p, q, r] = self.p;
        let area = cross(sub(q, p), sub(r, p));
        let normal = unit(area)?;
        let normal = if dot(normal, n) < 0.0 { neg(normal) } else { normal };
        let (a, feature) = pair.a.core.support(normal, 0);
        // Shares of the carriers in the point of their plane under a.
        let [u, v, w] = [sub(p, a), sub(q, a), sub(r, a)];
        let shares = [dot(area, cross(v, w)), dot(area, cross(w, u)), dot(area, cross(u, v))];
        let least = -INSIDE * norm2(area);
        let beside = index_of_least(shares);
        if shares[beside] < least {
            return Some(Plane::Beside(beside));
        }
        Some(Plane::Balanced(Balance {
            n: normal,
            value: dot(sub(a, p), normal),
            a,
            features_a: [feature; 3],
            inscribed: match round.ellipsoids.first() {
                Some(ellipsoid) => ellipsoid.least_radius,
                None => 0.0,
            },
        }))
    }

    /// Of three carriers drops the one that makes room for a vertex beyond their plane: those two stay that make, with the new
    /// one, the triangle under `a`.
    #[inline(always)]
    fn refine(&mut self, n: Vec3, a: Vec3, new: Vec3) {
        let to = sub(a, new);
        let [p, q, r] = self.p;
        let clockwise = dot(n, cross(sub(q, p), sub(r, p))) < 0.0;
        let [p, q, r] = [sub(p, new), sub(q, new), sub(r, new)];
        let left = [
            (dot(n, cross(p, to)) >= 0.0) != clockwise,
            (dot(n, cross(q, to)) >= 0.0) != clockwise,
            (dot(n, cross(r, to)) >= 0.0) != clockwise,
        ];
        self.drop(match left {
            [_, true, false] => 0,
            [false, _, true] => 1,
            [true, false, _] => 2,
            _ => 0,
        });
    }
}

impl Balance {
    #[inline(always)]
    fn of(rest: &Rest, pair: &Pair) -> Balance {
        Balance {
            n: rest.n,
            value: rest.value,
            a: rest.point(Owner::A),
            features_a: rest.features(&pair.a.core, Owner::A),
            inscribed: rest.inscribed_in(&pair.a.core, Owner::A),
        }
    }

    /// A cylinder against a corner at `p` in closed form: nearest are a point of the side, of a cap, or of the rim between. `None`
    /// for a corner on the axis that is nearest to the side, all around.
    #[inline(always)]
    fn of_cylinder_and_corner(radius: f64, half_length: f64, p: Vec3) -> Option<Balance> {
        let across = (p[0] * p[0] + p[1] * p[1]).sqrt();
        let (beyond_side, beyond_cap) = (across - radius, p[2].abs() - half_length);
        let up = 1f64.copysign(p[2]);
        let cap = u32::from(p[2] < 0.0);
        if beyond_side <= beyond_cap.min(0.0) {
            return Some(Balance {
                n: [0.0, 0.0, up],
                value: -beyond_cap,
                a: [p[0], p[1], up * half_length],
                features_a: [cap; 3],
                inscribed: half_length.min(-beyond_side),
            });
        }
        if across < FARTHER * radius {
            return None;
        }
        let outward = [p[0] / across, p[1] / across, 0.0];
        let on_side = [outward[0] * radius, outward[1] * radius, p[2]];
        if beyond_cap <= 0.0 {
            return Some(Balance {
                n: outward,
                value: -beyond_side,
                a: on_side,
                features_a: [cap, 1 - cap, cap],
                inscribed: radius.min(-beyond_cap),
            });
        }
        let distance = (beyond_side * beyond_side + beyond_cap * beyond_cap).sqrt();
        let (sine, cosine) = (beyond_side / distance, beyond_cap / distance);
        Some(Balance {
            n: [outward[0] * sine, outward[1] * sine, up * cosine],
            value: -distance,
            a: [on_side[0], on_side[1], up * half_length],
            features_a: [cap; 3],
            inscribed: 0.0,
        })
    }

    /// The rim of a cylinder against an edge: the disc of the rim, swept along the edge, fills a slanted cylinder between two
    /// planes across the axis, and lies in the difference. Across the edge it is an ellipse with half axes r and r |u·a|; a ball of
    /// the least radius of curvature, r (u·a)², rolls freely inside. It also has to stay between the planes.
    #[inline(always)]
    fn consider_sweep(&mut self, pair: &Pair, [p, q, _]: [Vec3; 3]) {
        let Core::Cylinder { radius, half_length } = pair.a.core else {
            return;
        };
        let on_rim = self.features_a[0] == self.features_a[1];
        let along = sub(q, p);
        let slant2 = along[2] * along[2] / norm2(along);
        let cap = if self.a[2] < 0.0 { -half_length } else { half_length };
        let (beyond_p, beyond_q) = (p[2] - cap, q[2] - cap);
        if on_rim && beyond_p * beyond_q < 0.0 {
            let rolling = radius * slant2;
            self.inscribed = self.inscribed.max(rolling.min(beyond_p.abs()).min(beyond_q.abs()));
        }
    }

    /// The place, if it is certain that there is no shorter way out.
    #[inline(always)]
    fn certain(&self, carriers: &Carriers, pair: &Pair, hull: &Hull) -> Option<Touch> {
        let missing = self.value - self.inscribed;
        let fits = missing <= 0.0
            || carriers.count == 3
                && (self.fits_over_triangle(carriers, pair)
                    || ball_fits(pair, hull, self.n, add_scaled(self.a, self.n, -self.value), missing));
        if fits { Some(self.touch(carriers)) } else { None }
    }

    /// Whether a ball as large as the overlap fits over the triangle of three carriers. The line from the touching point straight
    /// into a cylinder, twice as long as the overlap, makes a prism with the triangle that lies in the difference; the ball fits in
    /// when it is no nearer to the sides of the triangle than its radius.
    #[inline(always)]
    fn fits_over_triangle(&self, carriers: &Carriers, pair: &Pair) -> bool {
        let Core::Cylinder { radius, half_length } = pair.a.core else {
            return false;
        };
        let end = add_scaled(self.a, self.n, -2.0 * self.value);
        if !(end[0] * end[0] + end[1] * end[1] <= radius * radius && end[2].abs() <= half_length) {
            return false;
        }
        let foot = add_scaled(self.a, self.n, -self.value);
        let [p, q, r] = carriers.p;
        let clockwise = dot(self.n, cross(sub(q, p), sub(r, p))) < 0.0;
        let [u, v, w] = [sub(p, foot), sub(q, foot), sub(r, foot)];
        let [v, w] = if clockwise { [w, v] } else { [v, w] };
        self.fits_beside(u, v) && self.fits_beside(v, w) && self.fits_beside(w, u)
    }

    /// Whether the side of a triangle from u to v, counter-clockwise about the origin, is no nearer to it than the overlap is deep.
    #[inline(always)]
    fn fits_beside(&self, u: Vec3, v: Vec3) -> bool {
        let area = dot(self.n, cross(u, v));
        area > 0.0 && area * area >= self.value * self.value * norm2(sub(v, u))
    }

    #[inline(always)]
    fn touch(&self, carriers: &Carriers) -> Touch {
        let id = carriers.id;
        Touch {
            distance: -self.value,
            normal: self.n,
            a: self.a,
            b: add_scaled(self.a, self.n, -self.value),
            features_a: self.features_a,
            features_b: [id[0], id[1.min(carriers.count - 1)], id[2.min(carriers.count - 1)]],
            count: 3,
        }
    }
}

/// Whether a ball of this radius fits inside the hull and touches its surface at `b`, the point of a side that faces against n. The
/// sides of triangles tell, not the facets, which are even only roughly. A flat hull has no sides and no room.
#[inline(always)]
fn ball_fits(pair: &Pair, hull: &Hull, n: Vec3, b: Vec3, radius: f64) -> bool {
    if !(1..=MOST_SIDES).contains(&hull.sides().len()) {
        return false;
    }
    let centre = add_scaled(b, n, radius);
    let local = rotate_back(&pair.b_in_a.rotation, sub(centre, pair.b_in_a.position));
    // The side that touches is as far away as the radius but for rounding.
    let least = radius - FARTHER * (radius + norm(b));
    for &(normal, height) in hull.sides() {
        if !(height - dot(normal, local) >= least) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests;
