//! The edges of a triangle side by side, to be compared with one edge at once.
//!
//! The lanes here are not worlds but edges of one triangle in double precision. Products are never fused, so that lanes of every kind, and one
//! number at a time, find the same bits.

use motrix_collide::vector::Vec3;
use motrix_spatial::Lanes;
#[cfg(target_arch = "x86_64")]
use motrix_spatial::lanes::{F32x8Avx2, F64x4Avx2};
use motrix_spatial::lanes::{F32x8Portable, F32x8PortableFma};

/// The lanes of double precision that code for these lanes may use.
pub trait Doubles: Lanes {
    /// Those lanes.
    type Lanes: Lanes<Elem = f64>;
}

impl Doubles for f64 {
    type Lanes = f64;
}

impl Doubles for F32x8Portable {
    type Lanes = f64;
}

impl Doubles for F32x8PortableFma {
    type Lanes = f64;
}

#[cfg(target_arch = "x86_64")]
impl Doubles for F32x8Avx2 {
    type Lanes = F64x4Avx2;
}

#[cfg(target_arch = "x86_64")]
impl Doubles for F64x4Avx2 {
    type Lanes = F64x4Avx2;
}

/// A number of each edge. The first stands twice, since registers hold four.
pub type OfEdges = [f64; 4];

/// The edges q + t v of a triangle.
pub struct Edges {
    q: [OfEdges; 3],
    v: [OfEdges; 3],
    /// v · v.
    vv: OfEdges,
}

/// How near an edge p + s u comes to each of the others.
pub struct Nearness {
    /// Squares of the distances.
    pub d2: OfEdges,
    /// Where on the one edge.
    pub s: OfEdges,
    /// Where on the others.
    pub t: OfEdges,
}

/// The squared sine below which directions count as parallel: there the solution of two lines loses all digits.
const PARALLEL: f64 = 1e-20;

impl Edges {
    /// Of a triangle with these corners, edges from them, and squared lengths of those.
    #[inline(always)]
    pub fn of(corners: &[Vec3; 3], edges: &[Vec3; 3], lengths2: Vec3) -> Edges {
        let side = |of: &[Vec3; 3], k: usize| [of[0][k], of[1][k], of[2][k], of[0][k]];
        let [a, b, c] = lengths2;
        Edges {
            q: [side(corners, 0), side(corners, 1), side(corners, 2)],
            v: [side(edges, 0), side(edges, 1), side(edges, 2)],
            vv: [a, b, c, a],
        }
    }

    /// How near p + s u, with u · u given, comes to each.
    ///
    /// The nearest points of the whole lines give s, which clamped to the edge gives t, which clamped gives s in turn. Parallel lines are as
    /// near everywhere, and s may start anywhere. An edge without length is its start.
    #[inline(always)]
    pub fn nearest_to<L: Lanes<Elem = f64>>(&self, p: Vec3, u: Vec3, uu: f64) -> Nearness {
        let mut nearness = Nearness {
            d2: [0.0; 4],
            s: [0.0; 4],
            t: [0.0; 4],
        };
        let mut first = 0;
        while first < 3 {
            let v: [L; 3] = [
                L::load(&self.v[0][first..]),
                L::load(&self.v[1][first..]),
                L::load(&self.v[2][first..]),
            ];
            let vv = L::load(&self.vv[first..]);
            let r: [L; 3] = [
                L::splat(p[0]) - L::load(&self.q[0][first..]),
                L::splat(p[1]) - L::load(&self.q[1][first..]),
                L::splat(p[2]) - L::load(&self.q[2][first..]),
            ];
            let (d2, s, t) = between([L::splat(u[0]), L::splat(u[1]), L::splat(u[2])], L::splat(uu), v, vv, r);
            d2.store(&mut nearness.d2[first..]);
            s.store(&mut nearness.s[first..]);
            t.store(&mut nearness.t[first..]);
            first += L::COUNT;
        }
        nearness
    }
}

#[inline(always)]
fn dot<L: Lanes>(a: [L; 3], b: [L; 3]) -> L {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// x / y, or 0 where y is none.
#[inline(always)]
fn over<L: Lanes>(x: L, y: L) -> L {
    let some = y.gt(L::ZERO);
    L::select(some, x / L::select(some, y, L::ONE), L::ZERO)
}

/// The squared distance of p + s u and q + t v, s and t, with r = p − q.
#[inline(always)]
fn between<L: Lanes>(u: [L; 3], uu: L, v: [L; 3], vv: L, r: [L; 3]) -> (L, L, L) {
    let (uv, ur, vr) = (dot(u, v), dot(u, r), dot(v, r));
    let squares = uu * vv;
    let determinant = squares - uv * uv;
    let crossing = determinant.gt(L::c(PARALLEL) * squares);
    let on_line = over(uv * vr - ur * vv, L::select(crossing, determinant, L::ZERO));
    let s = on_line.clamp(L::ZERO, L::ONE);
    let t = over(uv * s + vr, vv).clamp(L::ZERO, L::ONE);
    let s = over(uv * t - ur, uu).clamp(L::ZERO, L::ONE);
    let d = [
        r[0] + s * u[0] - t * v[0],
        r[1] + s * u[1] - t * v[1],
        r[2] + s * u[2] - t * v[2],
    ];
    (dot(d, d), s, t)
}
