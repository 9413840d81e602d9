//! Eight `f32` in one AVX register.

use core::arch::x86_64::*;
use core::mem::transmute;
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, MulAssign, Neg, Not, Sub, SubAssign};

use super::{assign_operator, avx2, enabled, operator};
use crate::lanes::{Element, Lanes, Mask, Part, Real};
use crate::rows::{Rows, load_columns, store_columns};

/// Eight `f32`, AVX2 and FMA instructions.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F32x8Avx2(__m256);

/// One truth value per lane of [`F32x8Avx2`]: all bits of the lane set, or none.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F32x8Avx2Mask(__m256);

/// The sign bit of every lane.
const SIGN: __m256 = F32x8Avx2::from_array([-0.0; 8]).0;

impl F32x8Avx2 {
    /// Lane *k* is `lanes[k]`.
    #[inline(always)]
    const fn from_array(lanes: [f32; 8]) -> Self {
        // SAFETY: both are 32 bytes without padding, and every pattern of bits is a value of the register.
        Self(unsafe { transmute::<[f32; 8], __m256>(lanes) })
    }
    #[inline(always)]
    const fn to_array(self) -> [f32; 8] {
        // SAFETY: both are 32 bytes without padding, and every pattern of bits is a value of the array.
        unsafe { transmute::<__m256, [f32; 8]>(self.0) }
    }
}

impl Default for F32x8Avx2 {
    #[inline(always)]
    fn default() -> Self {
        Self::ZERO
    }
}

operator!(F32x8Avx2, Add, add, _mm256_add_ps);
operator!(F32x8Avx2, Sub, sub, _mm256_sub_ps);
operator!(F32x8Avx2, Mul, mul, _mm256_mul_ps);
operator!(F32x8Avx2, Div, div, _mm256_div_ps);
assign_operator!(F32x8Avx2, AddAssign, add_assign, +);
assign_operator!(F32x8Avx2, SubAssign, sub_assign, -);
assign_operator!(F32x8Avx2, MulAssign, mul_assign, *);

impl Neg for F32x8Avx2 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(avx2!(_mm256_xor_ps(self.0, SIGN)))
    }
}

impl Lanes for F32x8Avx2 {
    type Elem = f32;
    type Mask = F32x8Avx2Mask;
    const COUNT: usize = 8;
    const NAME: &'static str = "f32x8-avx2";
    const ZERO: Self = Self::from_array([0.0; 8]);
    const ONE: Self = Self::from_array([1.0; 8]);

    #[inline(always)]
    fn apart<P: Part>(part: P) -> P::Out {
        avx2!(enabled(part))
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self(avx2!(_mm256_set1_ps(x)))
    }
    #[inline(always)]
    fn lane(self, k: usize) -> f32 {
        self.to_array()[k]
    }
    #[inline(always)]
    fn set_lane(&mut self, k: usize, x: f32) {
        let mut lanes = self.to_array();
        lanes[k] = x;
        *self = Self::from_array(lanes);
    }
    #[inline(always)]
    fn load(src: &[f32]) -> Self {
        let src = &src[..Self::COUNT];
        // An unaligned load of exactly the COUNT numbers of `src`.
        Self(avx2!(_mm256_loadu_ps(src.as_ptr())))
    }
    #[inline(always)]
    fn store(self, dst: &mut [f32]) {
        let dst = &mut dst[..Self::COUNT];
        // An unaligned store to exactly the COUNT numbers of `dst`.
        avx2!(_mm256_storeu_ps(dst.as_mut_ptr(), self.0));
    }
    #[inline(always)]
    fn gather(table: &[f32], index: &[u32]) -> Self {
        // Scalar loads rather than the gather instruction: every index has to be checked anyway.
        let index = &index[..Self::COUNT];
        let mut lanes = [0.0; 8];
        for k in 0..8 {
            lanes[k] = table[index[k] as usize];
        }
        Self::from_array(lanes)
    }
    #[inline(always)]
    fn pick(self, index: &[u32]) -> Self {
        let index = &index[..Self::COUNT];
        // An unaligned load of exactly the COUNT numbers of `index`, of which the instruction reads the lowest three bits.
        let lanes = avx2!(_mm256_loadu_si256(index.as_ptr().cast()));
        Self(avx2!(_mm256_permutevar8x32_ps(self.0, lanes)))
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Self(avx2!(_mm256_fmadd_ps(self.0, b.0, c.0)))
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        Self(avx2!(_mm256_fnmadd_ps(self.0, b.0, c.0)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(avx2!(_mm256_sqrt_ps(self.0)))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(avx2!(_mm256_andnot_ps(SIGN, self.0)))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // The instruction returns its second operand unless the first is larger, NaN and equal zeros included.
        Self(avx2!(_mm256_max_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(avx2!(_mm256_min_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Self(avx2!(_mm256_floor_ps(self.0)))
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        <f32 as Element>::sin_cos(self)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        <f32 as Element>::atan2(self, x)
    }
    #[inline(always)]
    fn map(self, f: fn(f64) -> f64) -> Self {
        let mut lanes = self.to_array();
        for k in 0..8 {
            lanes[k] = f(f64::from(lanes[k])) as f32;
        }
        Self::from_array(lanes)
    }
    #[inline(always)]
    fn map2(self, other: Self, f: fn(f64, f64) -> f64) -> Self {
        let (mut lanes, others) = (self.to_array(), other.to_array());
        for k in 0..8 {
            lanes[k] = f(f64::from(lanes[k]), f64::from(others[k])) as f32;
        }
        Self::from_array(lanes)
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        F32x8Avx2Mask(avx2!(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0)))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        F32x8Avx2Mask(avx2!(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0)))
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self::Mask {
        F32x8Avx2Mask(avx2!(_mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, other.0)))
    }
    #[inline(always)]
    fn is_finite(self) -> Self::Mask {
        self.abs().lt(Self::splat(f32::INFINITY))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        Self(avx2!(_mm256_blendv_ps(b.0, a.0, mask.0)))
    }

    #[inline(always)]
    fn load_tile<S: Real>(table: &[S], rows: Rows, column: usize, tile: &mut [Self]) {
        let Some(table) = S::as_f32s(table) else {
            return load_columns(table, rows, column, tile);
        };
        let mut square = [Self::ZERO; 8];
        for k in 0..8 {
            square[k] = Self::load(&table[rows.start(k) + column..]);
        }
        tile.copy_from_slice(&transpose(square));
    }
    #[inline(always)]
    fn store_tile<S: Real>(tile: &[Self], table: &mut [S], rows: Rows, column: usize) {
        let Some(table) = S::as_f32s_mut(table) else {
            return store_columns(tile, table, rows, column);
        };
        let mut square = [Self::ZERO; 8];
        square.copy_from_slice(tile);
        let square = transpose(square);
        for k in 0..rows.index.len() {
            square[k].store(&mut table[rows.start(k) + column..]);
        }
    }
}

/// Number *j* of register *k* to number *k* of register *j*: pairs, then quarters, then halves change places.
#[inline(always)]
fn transpose(r: [F32x8Avx2; 8]) -> [F32x8Avx2; 8] {
    let mut pairs = r;
    for k in [0, 2, 4, 6] {
        pairs[k].0 = avx2!(_mm256_unpacklo_ps(r[k].0, r[k + 1].0));
        pairs[k + 1].0 = avx2!(_mm256_unpackhi_ps(r[k].0, r[k + 1].0));
    }
    let mut quarters = pairs;
    for k in [0, 4] {
        quarters[k].0 = avx2!(_mm256_shuffle_ps::<0x44>(pairs[k].0, pairs[k + 2].0));
        quarters[k + 1].0 = avx2!(_mm256_shuffle_ps::<0xEE>(pairs[k].0, pairs[k + 2].0));
        quarters[k + 2].0 = avx2!(_mm256_shuffle_ps::<0x44>(pairs[k + 1].0, pairs[k + 3].0));
        quarters[k + 3].0 = avx2!(_mm256_shuffle_ps::<0xEE>(pairs[k + 1].0, pairs[k + 3].0));
    }
    let mut halves = quarters;
    for k in 0..4 {
        halves[k].0 = avx2!(_mm256_permute2f128_ps::<0x20>(quarters[k].0, quarters[k + 4].0));
        halves[k + 4].0 = avx2!(_mm256_permute2f128_ps::<0x31>(quarters[k].0, quarters[k + 4].0));
    }
    halves
}

impl F32x8Avx2Mask {
    #[inline(always)]
    const fn from_words(words: [u32; 8]) -> Self {
        // SAFETY: both are 32 bytes without padding, and every pattern of bits is a value of the register.
        Self(unsafe { transmute::<[u32; 8], __m256>(words) })
    }
}

impl Mask for F32x8Avx2Mask {
    const ALL: Self = Self::from_words([u32::MAX; 8]);
    const NONE: Self = Self::from_words([0; 8]);
    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }
    #[inline(always)]
    fn all(self) -> bool {
        self.bits() == Self::ALL.bits()
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        avx2!(_mm256_movemask_ps(self.0)) as u32
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        let mut words = [0; 8];
        for k in 0..8 {
            words[k] = if bits >> k & 1 != 0 { u32::MAX } else { 0 };
        }
        Self::from_words(words)
    }
}

operator!(F32x8Avx2Mask, BitAnd, bitand, _mm256_and_ps);
operator!(F32x8Avx2Mask, BitOr, bitor, _mm256_or_ps);

impl Not for F32x8Avx2Mask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(avx2!(_mm256_xor_ps(self.0, Self::ALL.0)))
    }
}
