//! The support function of a Minkowski difference of round and boxy cores, in closed form.
//!
//! Points, segments, boxes, cylinders and ellipsoids are symmetric about their centres, so that for a direction n
//!   h(n) = max over A − B of x·n = c·n + Σ αₖ |n·uₖ| + Σ r |n − (n·a) a| + Σ √(nᵀ M n),
//! with c from the centre of B to that of A; a kink term for each half length α along an axis u of a box, segment or cylinder; a
//! disc term for each cylinder of radius r about the axis a; and M = R diag(radii²) Rᵀ for each ellipsoid. Its gradient is the
//! support point; its second derivative holds the radii of curvature.

use crate::minkowski::Pair;
use crate::shape::Pose;
use crate::support::Core;
use crate::vector::{Mat3, Vec3, add_scaled, axis, dot, norm, norm2, scale};

/// Which of the two shapes a term belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Owner {
    A,
    B,
}

/// α |n·u|: a shape that extends by α both ways along the unit axis u. The axis is number `k` of its owner.
#[derive(Clone, Copy, Debug)]
pub struct Kink {
    pub u: Vec3,
    pub alpha: f64,
    pub owner: Owner,
    pub k: u8,
}

/// r |n − (n·a) a|: a disc of radius r across the unit axis a.
#[derive(Clone, Copy, Debug)]
pub struct Disc {
    pub a: Vec3,
    pub r: f64,
    pub owner: Owner,
}

/// √(nᵀ M n): an ellipsoid. M is symmetric: xx, yy, zz, xy, xz, yz.
#[derive(Clone, Copy, Debug)]
pub struct Ellipsoid {
    m: [f64; 6],
    pub owner: Owner,
    /// Least radius of curvature.
    pub least_radius: f64,
}

/// A few things in place.
#[derive(Clone, Copy, Debug)]
pub struct Few<T, const N: usize> {
    items: [T; N],
    count: usize,
}

impl<T: Copy, const N: usize> Few<T, N> {
    #[inline(always)]
    pub fn new(filler: T) -> Few<T, N> {
        Few {
            items: [filler; N],
            count: 0,
        }
    }

    #[inline(always)]
    pub fn push(&mut self, item: T) {
        if self.count < N {
            self.items[self.count] = item;
            self.count += 1;
        }
    }

    /// Keeps the first `count`.
    #[inline(always)]
    pub fn truncate(&mut self, count: usize) {
        self.count = self.count.min(count);
    }
}

impl<T, const N: usize> core::ops::Deref for Few<T, N> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.items[..self.count]
    }
}

/// The terms of the support function, in the frame of A.
#[derive(Clone, Copy, Debug)]
pub struct SupportFunction {
    /// From the centre of B to that of A.
    pub c: Vec3,
    pub kinks: Few<Kink, 4>,
    pub discs: Few<Disc, 2>,
    pub ellipsoids: Few<Ellipsoid, 2>,
}

impl SupportFunction {
    /// The support function of a pair with a curved core; `None` when a core is not symmetric, or none is curved, or one has no
    /// extent along an axis, so that a slope there has nothing to balance with.
    #[inline(always)]
    pub fn new(pair: &Pair) -> Option<SupportFunction> {
        if !pair.a.core.is_symmetric() || !pair.b.core.is_symmetric() || pair.is_polyhedral() {
            return None;
        }
        let mut h = SupportFunction::of_nothing();
        h.c = scale(pair.b_in_a.position, -1.0);
        h.add(&pair.a.core, &Pose::IDENTITY, Owner::A)?;
        h.add(&pair.b.core, &pair.b_in_a, Owner::B)?;
        Some(h)
    }

    /// The support function of an ellipsoid or a cylinder alone, as A; `None` when it has no extent along an axis.
    #[inline(always)]
    pub fn of_round(core: &Core) -> Option<SupportFunction> {
        if core.is_polyhedral() {
            return None;
        }
        let mut h = SupportFunction::of_nothing();
        h.add(core, &Pose::IDENTITY, Owner::A)?;
        Some(h)
    }

    #[inline(always)]
    fn of_nothing() -> SupportFunction {
        SupportFunction {
            c: [0.0; 3],
            kinks: Few::new(Kink {
                u: [0.0; 3],
                alpha: 0.0,
                owner: Owner::A,
                k: 0,
            }),
            discs: Few::new(Disc {
                a: [0.0; 3],
                r: 0.0,
                owner: Owner::A,
            }),
            ellipsoids: Few::new(Ellipsoid {
                m: [0.0; 6],
                owner: Owner::A,
                least_radius: 0.0,
            }),
        }
    }

    #[inline(always)]
    fn add(&mut self, core: &Core, pose: &Pose, owner: Owner) -> Option<()> {
        if core.is_flat() {
            return None;
        }
        let r = &pose.rotation;
        match *core {
            Core::Point => {}
            Core::Segment { half_length } => self.kinks.push(Kink::along(r, 2, half_length, owner)),
            Core::Box { half } => {
                for k in 0..3 {
                    self.kinks.push(Kink::along(r, k, half[k], owner));
                }
            }
            Core::Cylinder { radius, half_length } => {
                self.kinks.push(Kink::along(r, 2, half_length, owner));
                self.discs.push(Disc {
                    a: axis(r, 2),
                    r: radius,
                    owner,
                });
            }
            Core::Ellipsoid { radii } => {
                self.ellipsoids.push(Ellipsoid::turned(radii, r, owner));
            }
            Core::Hull(_) | Core::Prism(_) => return None,
        }
        Some(())
    }

    /// h(n) for a unit n.
    #[inline(always)]
    pub fn value(&self, n: Vec3) -> f64 {
        let (mut kinks, mut discs, mut ellipsoids) = (0.0, 0.0, 0.0);
        for kink in self.kinks.iter() {
            kinks += kink.alpha * dot(kink.u, n).abs();
        }
        for disc in self.discs.iter() {
            discs += disc.r * norm(disc.across(n));
        }
        for ellipsoid in self.ellipsoids.iter() {
            ellipsoids += dot(n, ellipsoid.times(n)).max(0.0).sqrt();
        }
        dot(self.c, n) + kinks + discs + ellipsoids
    }

    /// The part of the support point that does not come from kinks, and the second derivatives sᵀ D²h s, sᵀ D²h t, tᵀ D²h t
    /// for tangents s, t at n.
    #[inline(always)]
    pub fn derivatives(&self, n: Vec3, s: Vec3, t: Vec3) -> (Vec3, [f64; 3]) {
        let mut g = self.c;
        let mut d2 = [0.0; 3];
        for disc in self.discs.iter() {
            let across = disc.across(n);
            let inverse2 = 1.0 / norm2(across).max(f64::MIN_POSITIVE);
            let curvature = disc.r * inverse2.sqrt();
            g = add_scaled(g, across, curvature);
            // In the plane of the disc, across n only.
            let (sa, ta) = (dot(s, disc.a), dot(t, disc.a));
            let (sn, tn) = (dot(s, across), dot(t, across));
            d2[0] += curvature * (norm2(s) - sa * sa - sn * sn * inverse2);
            d2[1] += curvature * (dot(s, t) - sa * ta - sn * tn * inverse2);
            d2[2] += curvature * (norm2(t) - ta * ta - tn * tn * inverse2);
        }
        for ellipsoid in self.ellipsoids.iter() {
            let mn = ellipsoid.times(n);
            let inverse2 = 1.0 / dot(n, mn);
            let inverse = inverse2.sqrt();
            g = add_scaled(g, mn, inverse);
            let (ms, mt) = (ellipsoid.times(s), ellipsoid.times(t));
            let (sn, tn) = (dot(s, mn), dot(t, mn));
            d2[0] += inverse * (dot(s, ms) - sn * sn * inverse2);
            d2[1] += inverse * (dot(s, mt) - sn * tn * inverse2);
            d2[2] += inverse * (dot(t, mt) - tn * tn * inverse2);
        }
        (g, d2)
    }
}

impl Kink {
    /// Along column `k` of a rotation.
    #[inline(always)]
    fn along(r: &Mat3, k: usize, alpha: f64, owner: Owner) -> Kink {
        Kink {
            u: axis(r, k),
            alpha,
            owner,
            k: k as u8,
        }
    }
}

impl Disc {
    /// The part of n across the axis.
    #[inline(always)]
    pub fn across(&self, n: Vec3) -> Vec3 {
        add_scaled(n, self.a, -dot(n, self.a))
    }
}

impl Ellipsoid {
    /// With its radii along the columns of a rotation.
    #[inline(always)]
    fn turned(radii: Vec3, r: &Mat3, owner: Owner) -> Ellipsoid {
        let [x, y, z] = [radii[0] * radii[0], radii[1] * radii[1], radii[2] * radii[2]];
        let row = |i: usize| [r[3 * i], r[3 * i + 1], r[3 * i + 2]];
        let entry = |a: Vec3, b: Vec3| x * a[0] * b[0] + y * a[1] * b[1] + z * a[2] * b[2];
        let [a, b, c] = [row(0), row(1), row(2)];
        let least = radii[0].min(radii[1]).min(radii[2]);
        let most = radii[0].max(radii[1]).max(radii[2]);
        Ellipsoid {
            m: [
                entry(a, a),
                entry(b, b),
                entry(c, c),
                entry(a, b),
                entry(a, c),
                entry(b, c),
            ],
            owner,
            least_radius: least * least / most,
        }
    }

    /// M n.
    #[inline(always)]
    pub fn times(&self, n: Vec3) -> Vec3 {
        let [xx, yy, zz, xy, xz, yz] = self.m;
        [
            xx * n[0] + xy * n[1] + xz * n[2],
            xy * n[0] + yy * n[1] + yz * n[2],
            xz * n[0] + yz * n[1] + zz * n[2],
        ]
    }
}
