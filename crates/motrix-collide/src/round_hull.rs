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

use crate::direction::{Rest, Search};
use crate::hull::Hull;
use crate::minkowski::Pair;
use crate::separation::{Apart, Touch};
use crate::support::Core;
use crate::support_function::{Kink, Owner, SupportFunction};
use crate::vector::{Vec3, add_scaled, cross, dot, middle, neg, norm, norm2, rotate_back, sub, unit};

/// Changes of the vertices that matter after which the search gives up.
const MOST_CHANGES: usize = 10;
/// Newton steps against one corner or edge after which it is not worth going on: from a good start four or five suffice.
const MOST_STEPS: usize = 8;
/// By how much a vertex must lie farther out than those that matter, relative to its distance: far above rounding.
const FARTHER: f64 = 1e-12;
/// How far a point may lie outside a triangle by rounding, relative to the triangle.
const INSIDE: f64 = 1e-9;
/// Facets up to which it is worth looking for a ball inside the hull.
const MOST_FACETS: usize = 512;

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
    /// Radius of a ball inside the round core that touches its surface there.
    inscribed: f64,
}

/// Finds where a round core and a hull are nearest or overlap, unless they are farther apart than `limit`. `None` when the cores
/// are of other kinds, or when the result is not certain.
#[inline(always)]
pub(crate) fn nearest(pair: &Pair, limit: f64) -> Option<Result<Touch, Apart>> {
    let Core::Hull(hull) = pair.b.core else {
        return None;
    };
    // A cylinder overlaps most often with its rim, where no ball fits and the general algorithm has to decide anyway. Apart, where
    // that one converges slowly, everything is certain.
    if limit <= 0.0 && matches!(pair.a.core, Core::Cylinder { .. }) {
        return None;
    }
    let round = SupportFunction::of_round(&pair.a.core)?;
    let (n, corner) = best_start(pair, hull, &round)?;
    let mut carriers = Carriers::NONE;
    carriers.push(corner);
    match carriers.balance(pair, hull, &round, n, limit)? {
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
    let round = SupportFunction::of_round(&pair.a.core)?;
    let mut carriers = Carriers::NONE;
    for id in found.features_b {
        if !carriers.has(id) {
            carriers.push((id, pair.b_in_a.point(hull.vertices()[id as usize])));
        }
    }
    let balance = carriers
        .balance(pair, hull, &round, found.normal, f64::INFINITY)?
        .ok()?;
    (balance.value <= tolerance - found.distance).then(|| balance.touch(&carriers))
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
        round: &SupportFunction,
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
        (0..3).any(|k| k < self.count && self.id[k] == id)
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
    fn balance_edge(&mut self, pair: &Pair, round: &SupportFunction, n: Vec3) -> Option<Balance> {
        let edge = self.count == 2;
        if let (false, Core::Cylinder { radius, half_length }) = (edge, pair.a.core)
            && let Some(balance) = Balance::of_cylinder_and_corner(radius, half_length, self.p[0])
        {
            return Some(balance);
        }
        let mut h = *round;
        if edge {
            let along = sub(self.p[1], self.p[0]);
            h.c = neg(middle(self.p[0], self.p[1]));
            h.kinks.push(Kink {
                u: unit(along)?,
                alpha: 0.5 * norm(along),
                owner: Owner::B,
                k: 0,
            });
        } else {
            h.c = neg(self.p[0]);
        }
        let rest = Search::new(&h, n).run(MOST_STEPS)?;
        let balance = Balance::of(&rest, pair);
        if edge && let Some(slope) = rest.free_slope(h.kinks.len() - 1) {
            self.drop(usize::from(slope > 0.0));
        }
        Some(balance)
    }

    /// Balances the round core against the plane of three carriers. The newest lies farther out than the edge of the others, so
    /// that it carries.
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
        if shares[2] < least {
            return None;
        }
        let beside = usize::from(shares[1] < shares[0]);
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

    /// The place, if it is certain that there is no shorter way out.
    #[inline(always)]
    fn certain(&self, carriers: &Carriers, pair: &Pair, hull: &Hull) -> Option<Touch> {
        let touch = self.touch(carriers);
        let missing = self.value - self.inscribed;
        let fits = missing <= 0.0 || carriers.count == 3 && ball_fits(pair, hull, self.n, touch.b, missing);
        fits.then_some(touch)
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

/// Whether a ball of this radius fits inside the hull and touches its surface at `b`, the point of a facet that faces against n.
#[inline(always)]
fn ball_fits(pair: &Pair, hull: &Hull, n: Vec3, b: Vec3, radius: f64) -> bool {
    if hull.facet_count() > MOST_FACETS {
        return false;
    }
    let centre = add_scaled(b, n, radius);
    let local = rotate_back(&pair.b_in_a.rotation, sub(centre, pair.b_in_a.position));
    // The facet that touches is as far away as the radius but for rounding.
    let least = radius - FARTHER * (radius + norm(b));
    for f in 0..hull.facet_count() {
        let on_facet = hull.vertices()[hull.facet_loop(f)[0] as usize];
        if !(dot(hull.facet_normal(f), sub(on_facet, local)) >= least) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::depth::shortest_way_out;
    use crate::gjk::{self, Outcome};
    use crate::polytope::Polytope;
    use crate::shape::{Placed, Pose, Shape};
    use crate::simplex::Simplex;

    /// How closely the general algorithm resolves a curved surface here, metres.
    const TOLERANCE: f64 = 1e-8;

    /// A wedge, a roof over a square, stretched along its axes.
    fn wedge(stretch: Vec3) -> Hull {
        let vertices = [
            [-1.0, -1.0, -1.0],
            [1.0, -1.0, -1.0],
            [-1.0, 1.0, -1.0],
            [1.0, 1.0, -1.0],
            [-1.0, 0.0, 1.0],
            [1.0, 0.0, 1.0],
        ];
        let triangles = [
            [0, 2, 1],
            [1, 2, 3],
            [0, 1, 5],
            [0, 5, 4],
            [2, 4, 5],
            [2, 5, 3],
            [0, 4, 2],
            [1, 3, 5],
        ];
        let vertices = vertices.map(|v: Vec3| [0, 1, 2].map(|k| 0.12 * stretch[k] * v[k]));
        Hull::from_triangles(&vertices, &triangles).expect("the wedge is closed")
    }

    /// Numbers in [−1, 1) from a linear congruential generator (Knuth's MMIX).
    fn random(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    /// The signed distance by GJK and an expanding polytope.
    fn general(pair: &Pair, limit: f64) -> Option<f64> {
        let mut simplex = Simplex::default();
        let distance = match gjk::nearest(pair, limit, TOLERANCE, 500, &mut simplex) {
            Outcome::Apart { .. } => return None,
            Outcome::Separated { x } => norm(x),
            Outcome::Overlapping => shortest_way_out(pair, &simplex, TOLERANCE, 500, &mut Polytope::default()).distance,
        };
        (distance <= limit).then_some(distance)
    }

    #[test]
    fn what_is_claimed_of_a_round_core_and_a_hull_is_what_the_general_algorithm_finds() {
        // As it is, a plate, and a blade.
        let hulls = [[1.0, 1.0, 1.0], [1.0, 1.0, 0.15], [0.1, 1.0, 1.0]].map(wedge);
        let mut random = random(11);
        let (mut claimed, mut certain) = ([0; 2], [0; 2]);
        for k in 0..4000 {
            let sizes: Vec3 = [0; 3].map(|_| 0.12 + 0.08 * random());
            let shape = if k % 2 == 0 {
                Shape::Ellipsoid { radii: sizes }
            } else {
                Shape::Cylinder {
                    radius: sizes[0],
                    half_length: sizes[1],
                }
            };
            let turn = [0; 4].map(|_| random());
            let place = [0; 3].map(|_| 0.3 * random());
            let a = Placed {
                shape,
                pose: Pose::IDENTITY,
            };
            let b = Placed {
                shape: Shape::Hull(&hulls[k % 3]),
                pose: Pose::new(place, turn),
            };
            let pair = Pair::new(&a, &b).expect("both are bounded");
            let limit = 0.05;
            let Some(theirs) = general(&pair, limit) else {
                continue;
            };
            claimed[k % 2] += 1;
            let Some(ours) = nearest(&pair, limit) else {
                continue;
            };
            certain[k % 2] += 1;
            let ours = ours.expect("no farther apart than the limit");
            assert!(
                (ours.distance - theirs).abs() < 1e-6,
                "pose {k}: {} and {theirs}",
                ours.distance
            );
            // The two points lie on the shapes, as far apart along the normal as is said.
            let w = pair.support(ours.normal, &crate::minkowski::Vertex::ZERO);
            assert!((dot(w.p, ours.normal) + ours.distance).abs() < 1e-9, "pose {k}");
        }
        assert!(claimed[0] > 500 && claimed[1] > 500, "many poses touch: {claimed:?}");
        assert!(
            2 * certain[0] > claimed[0] && 3 * certain[1] > claimed[1],
            "most are certain: {certain:?} of {claimed:?}"
        );
    }
}
