//! The [`Lanes`] trait: the arithmetic every kernel is written in, and one type per instruction set.
//!
//! The instruction set is part of the *type*, so whether a product is fused never depends on how the crate was built. A
//! kernel is an `#[inline(always)]` generic function; only the entry points that name a concrete type carry
//! `#[target_feature]`. Closures are avoided inside kernels: an outlined closure silently loses the instruction set of
//! its caller.
//!
//! | type | lanes | products in `mul_add` | chosen for |
//! |---|---|---|---|
//! | `f64` | 1 | rounded twice | the reference: debugging, disputes |
//! | `f32` | 1 | rounded twice | tests of a single world in single precision |
//! | `F32x8Avx2`, `F64x4Avx2` | 8, 4 | fused | x86-64 with AVX2 and FMA |
//! | [`F32x8PortableFma`] | 8 | fused | aarch64; bit for bit `F32x8Avx2` |
//! | [`F32x8Portable`] | 8 | rounded twice | everything else |
//! | [`F64x4PortableFma`], [`F64x4Portable`] | 4 | fused, rounded twice | tests; kernels are not compiled for them |
//!
//! Two types that agree on fusing agree on every bit, except the sign and payload of a NaN that an operation creates.

mod arctangent;
#[cfg(target_arch = "x86_64")]
mod avx2;
mod element;
mod portable;
mod scalar;
mod sine;
#[cfg(target_arch = "x86_64")]
mod sse2;

use core::fmt::Debug;
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, MulAssign, Neg, Not, Sub, SubAssign};

use crate::rows::{Rows, load_columns, store_columns};

#[cfg(target_arch = "x86_64")]
pub use avx2::{F32x8Avx2, F32x8Avx2Mask, F64x4Avx2, F64x4Avx2Mask};
pub use element::Element;
#[cfg(not(target_arch = "x86_64"))]
pub use portable::{F32x8Portable, F32x8PortableFma};
pub use portable::{F64x4Portable, F64x4PortableFma, Portable, PortableMask};
#[cfg(target_arch = "x86_64")]
pub use sse2::{F32x8Portable, F32x8PortableFma, F32x8Sse2, F32x8Sse2Mask};

/// The scalar in one lane: `f32` or `f64`.
pub trait Real: Copy + Debug + Default + PartialEq + PartialOrd + Send + Sync + 'static {
    /// Distance from 1 to the next larger number.
    const EPSILON: f64;
    /// Rounds once, to nearest.
    fn from_f64(x: f64) -> Self;
    /// Exact.
    fn to_f64(self) -> f64;
    /// Exact for `f32`, rounded once for `f64`.
    fn to_f32(self) -> f32;
    /// The bit pattern, widened: equal states have equal bits.
    fn bits(self) -> u64;
    /// Neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// These very numbers, when they are `f32`: lets a copy between equal types skip the conversion.
    #[inline(always)]
    fn as_f32s(_row: &[Self]) -> Option<&[f32]> {
        None
    }
    /// As [`Real::as_f32s`], for writing.
    #[inline(always)]
    fn as_f32s_mut(_row: &mut [Self]) -> Option<&mut [f32]> {
        None
    }
}

/// One truth value per lane.
pub trait Mask:
    Copy + Debug + Send + Sync + 'static + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// True in every lane.
    const ALL: Self;
    /// True in no lane.
    const NONE: Self;
    /// Whether some lane is true.
    fn any(self) -> bool;
    /// Whether every lane is true.
    fn all(self) -> bool;
    /// Bit *k* is lane *k*.
    fn bits(self) -> u32;
    /// Inverse of [`Mask::bits`]; higher bits are ignored.
    fn from_bits(bits: u32) -> Self;
    /// Whether lane `k` is true.
    #[inline(always)]
    fn lane(self, k: usize) -> bool {
        self.bits() >> k & 1 != 0
    }
    /// How many lanes are true.
    #[inline(always)]
    fn count(self) -> u32 {
        self.bits().count_ones()
    }
}

/// A part of a kernel that is a function of its own, see [`Lanes::apart`].
pub trait Part {
    /// Its result.
    type Out;
    /// The part itself. Must be `#[inline(always)]`, as all of a kernel.
    fn run(self) -> Self::Out;
}

/// The same number of several worlds, one per lane.
///
/// Every operation acts lane by lane with IEEE rounding. `mul_add` is fused or not by the type, never by the build.
pub trait Lanes:
    Copy
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// The scalar in a lane.
    type Elem: Real;
    /// The result of a comparison.
    type Mask: Mask;
    /// Number of lanes.
    const COUNT: usize;
    /// Name for reports and for choosing a type by environment variable.
    const NAME: &'static str;

    /// Zero in every lane.
    const ZERO: Self;
    /// One in every lane.
    const ONE: Self;

    /// The same scalar in every lane.
    fn splat(x: Self::Elem) -> Self;
    /// A literal in every lane, rounded once.
    #[inline(always)]
    fn c(x: f64) -> Self {
        Self::splat(Self::Elem::from_f64(x))
    }
    /// The scalar in lane `k`.
    fn lane(self, k: usize) -> Self::Elem;
    /// Replaces the scalar in lane `k`.
    fn set_lane(&mut self, k: usize, x: Self::Elem);
    /// Lane *k* from `src[k]`. Panics unless `src.len() >= COUNT`.
    fn load(src: &[Self::Elem]) -> Self;
    /// Lane *k* to `dst[k]`. Panics unless `dst.len() >= COUNT`.
    fn store(self, dst: &mut [Self::Elem]);
    /// Lane *k* from `table[index[k]]`. Panics when an index of a lane is out of range or `index.len() < COUNT`.
    fn gather(table: &[Self::Elem], index: &[u32]) -> Self;
    /// Lane *k* from lane `index[k]` of these, counted modulo the number of lanes. Panics unless `index.len() >= COUNT`.
    fn pick(self, index: &[u32]) -> Self;

    /// `self·b + c`.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// `c − self·b`.
    fn neg_mul_add(self, b: Self, c: Self) -> Self;
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// `self` where `self > other`, else `other`: NaN in `self` gives `other`, on every type.
    fn max(self, other: Self) -> Self;
    /// `self` where `self < other`, else `other`: NaN in `self` gives `other`, on every type.
    fn min(self, other: Self) -> Self;
    /// Largest integer not above.
    fn floor(self) -> Self;
    /// Sine and cosine by our own polynomial, so that no system library decides a bit.
    fn sin_cos(self) -> (Self, Self);
    /// The angle of the point `(x, self)` from the x axis, in (−π, π]; no system library decides a bit here either.
    fn atan2(self, x: Self) -> Self;
    /// A rare scalar function applied to each lane in `f64` and rounded once.
    fn map(self, f: fn(f64) -> f64) -> Self;
    /// As [`Lanes::map`], for two arguments.
    fn map2(self, other: Self, f: fn(f64, f64) -> f64) -> Self;

    /// `self < other`, false for NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self <= other`, false for NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// `self == other`, false for NaN.
    fn equal(self, other: Self) -> Self::Mask;
    /// `self > other`, false for NaN.
    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        other.lt(self)
    }
    /// `self >= other`, false for NaN.
    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        other.le(self)
    }
    /// Neither infinite nor NaN.
    fn is_finite(self) -> Self::Mask;
    /// `a` where the mask is true, else `b`. The lane not chosen may hold anything, NaN included.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// `a` clamped to `[lo, hi]`.
    #[inline(always)]
    fn clamp(self, lo: Self, hi: Self) -> Self {
        self.max(lo).min(hi)
    }
    /// `1 / self`, correctly rounded (never an approximation).
    #[inline(always)]
    fn recip(self) -> Self {
        Self::ONE / self
    }
    /// Lanes copied from a scalar function of the lane number; for set-up and scalar colliders, not for inner loops.
    #[inline(always)]
    fn from_lanes(f: impl Fn(usize) -> Self::Elem) -> Self {
        let mut x = Self::ZERO;
        for k in 0..Self::COUNT {
            x.set_lane(k, f(k));
        }
        x
    }

    /// Runs a part of a kernel as a function of its own, with the instructions of these lanes: a part that is called from many
    /// places, and is then compiled once, or that wants all registers.
    #[inline(never)]
    fn apart<P: Part>(part: P) -> P::Out {
        part.run()
    }

    /// A square of a row-major table: lane *k* of `tile[j]` from column `column + j` of the row of lane *k*.
    /// [`load_rows`](crate::rows::load_rows) is made of these. Panics when a row ends beyond the table.
    #[inline(always)]
    fn load_tile<S: Real>(table: &[S], rows: Rows, column: usize, tile: &mut [Self]) {
        load_columns(table, rows, column, tile);
    }
    /// The inverse of [`Lanes::load_tile`], for as many lanes as there are rows.
    #[inline(always)]
    fn store_tile<S: Real>(tile: &[Self], table: &mut [S], rows: Rows, column: usize) {
        store_columns(tile, table, rows, column);
    }
}
