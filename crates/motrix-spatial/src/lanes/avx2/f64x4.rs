//! Four `f64` in one AVX register.

use core::arch::x86_64::*;
use core::mem::transmute;
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, MulAssign, Neg, Not, Sub, SubAssign};

use super::{assign_operator, avx2, enabled, operator};
use crate::lanes::{Element, Lanes, Mask, Part};

/// Four `f64`, AVX2 and FMA instructions.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F64x4Avx2(__m256d);

/// One truth value per lane of [`F64x4Avx2`]: all bits of the lane set, or none.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F64x4Avx2Mask(__m256d);

/// The sign bit of every lane.
const SIGN: __m256d = F64x4Avx2::from_array([-0.0; 4]).0;

impl F64x4Avx2 {
    /// Lane *k* is `lanes[k]`.
    #[inline(always)]
    const fn from_array(lanes: [f64; 4]) -> Self {
        // SAFETY: both are 32 bytes without padding, and every pattern of bits is a value of the register.
        Self(unsafe { transmute::<[f64; 4], __m256d>(lanes) })
    }
    #[inline(always)]
    const fn to_array(self) -> [f64; 4] {
        // SAFETY: both are 32 bytes without padding, and every pattern of bits is a value of the array.
        unsafe { transmute::<__m256d, [f64; 4]>(self.0) }
    }
}

impl Default for F64x4Avx2 {
    #[inline(always)]
    fn default() -> Self {
        Self::ZERO
    }
}

operator!(F64x4Avx2, Add, add, _mm256_add_pd);
operator!(F64x4Avx2, Sub, sub, _mm256_sub_pd);
operator!(F64x4Avx2, Mul, mul, _mm256_mul_pd);
operator!(F64x4Avx2, Div, div, _mm256_div_pd);
assign_operator!(F64x4Avx2, AddAssign, add_assign, +);
assign_operator!(F64x4Avx2, SubAssign, sub_assign, -);
assign_operator!(F64x4Avx2, MulAssign, mul_assign, *);

impl Neg for F64x4Avx2 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(avx2!(_mm256_xor_pd(self.0, SIGN)))
    }
}

impl Lanes for F64x4Avx2 {
    type Elem = f64;
    type Mask = F64x4Avx2Mask;
    const COUNT: usize = 4;
    const NAME: &'static str = "f64x4-avx2";
    const ZERO: Self = Self::from_array([0.0; 4]);
    const ONE: Self = Self::from_array([1.0; 4]);

    #[inline(always)]
    fn apart<P: Part>(part: P) -> P::Out {
        avx2!(enabled(part))
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self(avx2!(_mm256_set1_pd(x)))
    }
    #[inline(always)]
    fn lane(self, k: usize) -> f64 {
        self.to_array()[k]
    }
    #[inline(always)]
    fn set_lane(&mut self, k: usize, x: f64) {
        let mut lanes = self.to_array();
        lanes[k] = x;
        *self = Self::from_array(lanes);
    }
    #[inline(always)]
    fn load(src: &[f64]) -> Self {
        let src = &src[..Self::COUNT];
        // An unaligned load of exactly the COUNT numbers of `src`.
        Self(avx2!(_mm256_loadu_pd(src.as_ptr())))
    }
    #[inline(always)]
    fn store(self, dst: &mut [f64]) {
        let dst = &mut dst[..Self::COUNT];
        // An unaligned store to exactly the COUNT numbers of `dst`.
        avx2!(_mm256_storeu_pd(dst.as_mut_ptr(), self.0));
    }
    #[inline(always)]
    fn gather(table: &[f64], index: &[u32]) -> Self {
        // Scalar loads rather than the gather instruction: every index has to be checked anyway.
        let index = &index[..Self::COUNT];
        let mut lanes = [0.0; 4];
        for k in 0..4 {
            lanes[k] = table[index[k] as usize];
        }
        Self::from_array(lanes)
    }
    #[inline(always)]
    fn pick(self, index: &[u32]) -> Self {
        let (index, table) = (&index[..Self::COUNT], self.to_array());
        let mut lanes = [0.0; 4];
        for k in 0..4 {
            lanes[k] = table[index[k] as usize % 4];
        }
        Self::from_array(lanes)
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Self(avx2!(_mm256_fmadd_pd(self.0, b.0, c.0)))
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        Self(avx2!(_mm256_fnmadd_pd(self.0, b.0, c.0)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(avx2!(_mm256_sqrt_pd(self.0)))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(avx2!(_mm256_andnot_pd(SIGN, self.0)))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // The instruction returns its second operand unless the first is larger, NaN and equal zeros included.
        Self(avx2!(_mm256_max_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(avx2!(_mm256_min_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Self(avx2!(_mm256_floor_pd(self.0)))
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        <f64 as Element>::sin_cos(self)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        <f64 as Element>::atan2(self, x)
    }
    #[inline(always)]
    fn map(self, f: fn(f64) -> f64) -> Self {
        let mut lanes = self.to_array();
        for k in 0..4 {
            lanes[k] = f(lanes[k]);
        }
        Self::from_array(lanes)
    }
    #[inline(always)]
    fn map2(self, other: Self, f: fn(f64, f64) -> f64) -> Self {
        let (mut lanes, others) = (self.to_array(), other.to_array());
        for k in 0..4 {
            lanes[k] = f(lanes[k], others[k]);
        }
        Self::from_array(lanes)
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        F64x4Avx2Mask(avx2!(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0)))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        F64x4Avx2Mask(avx2!(_mm256_cmp_pd::<_CMP_LE_OQ>(self.0, other.0)))
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self::Mask {
        F64x4Avx2Mask(avx2!(_mm256_cmp_pd::<_CMP_EQ_OQ>(self.0, other.0)))
    }
    #[inline(always)]
    fn is_finite(self) -> Self::Mask {
        self.abs().lt(Self::splat(f64::INFINITY))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        Self(avx2!(_mm256_blendv_pd(b.0, a.0, mask.0)))
    }
}

impl F64x4Avx2Mask {
    #[inline(always)]
    const fn from_words(words: [u64; 4]) -> Self {
        // SAFETY: both are 32 bytes without padding, and every pattern of bits is a value of the register.
        Self(unsafe { transmute::<[u64; 4], __m256d>(words) })
    }
}

impl Mask for F64x4Avx2Mask {
    const ALL: Self = Self::from_words([u64::MAX; 4]);
    const NONE: Self = Self::from_words([0; 4]);
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
        avx2!(_mm256_movemask_pd(self.0)) as u32
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        let mut words = [0; 4];
        for k in 0..4 {
            words[k] = if bits >> k & 1 != 0 { u64::MAX } else { 0 };
        }
        Self::from_words(words)
    }
}

operator!(F64x4Avx2Mask, BitAnd, bitand, _mm256_and_pd);
operator!(F64x4Avx2Mask, BitOr, bitor, _mm256_or_pd);

impl Not for F64x4Avx2Mask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(avx2!(_mm256_xor_pd(self.0, Self::ALL.0)))
    }
}
