//! Eight `f32` in two SSE registers: the portable lanes on x86-64, whose baseline has SSE2.
//!
//! Operation for operation what [`Portable`](super::Portable) arrays compute, bit for bit. Written with intrinsics because arrays
//! leave it to the compiler to find the registers again, which costs minutes of compilation in large kernels and a third of
//! their speed. The fused kind needs FMA and is entered only on processors that have it.

use core::arch::x86_64::*;
use core::mem::transmute;
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, MulAssign, Neg, Not, Sub, SubAssign};

use super::{Element, Lanes, Mask, Part};

/// Eight `f32`; `FUSED` decides whether `mul_add` rounds once.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct F32x8Sse2<const FUSED: bool>([__m128; 2]);

/// Eight `f32`, products rounded before they are added.
pub type F32x8Portable = F32x8Sse2<false>;
/// Eight `f32`, products fused into sums: the bits of `F32x8Avx2`.
pub type F32x8PortableFma = F32x8Sse2<true>;

/// One truth value per lane of [`F32x8Sse2`]: all bits of the lane set, or none.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct F32x8Sse2Mask([__m128; 2]);

/// An instruction of the baseline, on both registers.
macro_rules! both {
    ($instruction:ident($a:expr, $b:expr)) => {{
        let (a, b) = ($a, $b);
        // SAFETY: SSE2 is part of the x86-64 baseline.
        unsafe { [$instruction(a[0], b[0]), $instruction(a[1], b[1])] }
    }};
}

const fn pack(lanes: [f32; 8]) -> [__m128; 2] {
    // SAFETY: both are 32 bytes without padding, and every pattern of bits is a value of the registers.
    unsafe { transmute::<[f32; 8], [__m128; 2]>(lanes) }
}

const fn unpack(registers: [__m128; 2]) -> [f32; 8] {
    // SAFETY: both are 32 bytes without padding, and every pattern of bits is a value of the array.
    unsafe { transmute::<[__m128; 2], [f32; 8]>(registers) }
}

/// A part of a kernel of the fused kind.
#[inline(never)]
#[target_feature(enable = "fma")]
fn with_fma<P: Part>(part: P) -> P::Out {
    part.run()
}

/// A part of a kernel of the other kind.
#[inline(never)]
fn on_baseline<P: Part>(part: P) -> P::Out {
    part.run()
}

/// The sign bit of every lane.
const SIGN: [__m128; 2] = pack([-0.0; 8]);

impl<const FUSED: bool> Default for F32x8Sse2<FUSED> {
    #[inline(always)]
    fn default() -> Self {
        Self::ZERO
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $instruction:ident) => {
        impl<const FUSED: bool> $trait for F32x8Sse2<FUSED> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(both!($instruction(self.0, other.0)))
            }
        }
    };
}
operator!(Add, add, _mm_add_ps);
operator!(Sub, sub, _mm_sub_ps);
operator!(Mul, mul, _mm_mul_ps);
operator!(Div, div, _mm_div_ps);

macro_rules! assign_operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<const FUSED: bool> $trait for F32x8Sse2<FUSED> {
            #[inline(always)]
            fn $method(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    };
}
assign_operator!(AddAssign, add_assign, +);
assign_operator!(SubAssign, sub_assign, -);
assign_operator!(MulAssign, mul_assign, *);

impl<const FUSED: bool> Neg for F32x8Sse2<FUSED> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(both!(_mm_xor_ps(self.0, SIGN)))
    }
}

impl<const FUSED: bool> Lanes for F32x8Sse2<FUSED> {
    type Elem = f32;
    type Mask = F32x8Sse2Mask;
    const COUNT: usize = 8;
    const NAME: &'static str = if FUSED { "f32x8-portable-fma" } else { "f32x8-portable" };
    const ZERO: Self = Self(pack([0.0; 8]));
    const ONE: Self = Self(pack([1.0; 8]));

    #[inline(always)]
    fn apart<P: Part>(part: P) -> P::Out {
        if FUSED {
            // SAFETY: the fused kind is entered only on processors that have FMA.
            unsafe { with_fma(part) }
        } else {
            on_baseline(part)
        }
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        // SAFETY: SSE2 is part of the x86-64 baseline.
        Self([unsafe { _mm_set1_ps(x) }; 2])
    }
    #[inline(always)]
    fn lane(self, k: usize) -> f32 {
        unpack(self.0)[k]
    }
    #[inline(always)]
    fn set_lane(&mut self, k: usize, x: f32) {
        let mut lanes = unpack(self.0);
        lanes[k] = x;
        self.0 = pack(lanes);
    }
    #[inline(always)]
    fn load(src: &[f32]) -> Self {
        let mut lanes = [0.0; 8];
        lanes.copy_from_slice(&src[..8]);
        Self(pack(lanes))
    }
    #[inline(always)]
    fn store(self, dst: &mut [f32]) {
        dst[..8].copy_from_slice(&unpack(self.0));
    }
    #[inline(always)]
    fn gather(table: &[f32], index: &[u32]) -> Self {
        let index = &index[..8];
        let mut lanes = [0.0; 8];
        for k in 0..8 {
            lanes[k] = table[index[k] as usize];
        }
        Self(pack(lanes))
    }
    #[inline(always)]
    fn pick(self, index: &[u32]) -> Self {
        let (index, table) = (&index[..8], unpack(self.0));
        let mut lanes = [0.0; 8];
        for k in 0..8 {
            lanes[k] = table[index[k] as usize % 8];
        }
        Self(pack(lanes))
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        if FUSED {
            // SAFETY: fused lanes are entered only on processors with FMA (`entry!` checks).
            unsafe {
                Self([
                    _mm_fmadd_ps(self.0[0], b.0[0], c.0[0]),
                    _mm_fmadd_ps(self.0[1], b.0[1], c.0[1]),
                ])
            }
        } else {
            self * b + c
        }
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        if FUSED {
            // SAFETY: fused lanes are entered only on processors with FMA (`entry!` checks).
            unsafe {
                Self([
                    _mm_fnmadd_ps(self.0[0], b.0[0], c.0[0]),
                    _mm_fnmadd_ps(self.0[1], b.0[1], c.0[1]),
                ])
            }
        } else {
            c - self * b
        }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: SSE2 is part of the x86-64 baseline.
        unsafe { Self([_mm_sqrt_ps(self.0[0]), _mm_sqrt_ps(self.0[1])]) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(both!(_mm_andnot_ps(SIGN, self.0)))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // The instruction returns its second operand unless the first is larger, NaN and equal zeros included.
        Self(both!(_mm_max_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(both!(_mm_min_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        // Rounding down came with SSE4.1; as in `Element::round_down`, two additions round to an integer.
        let integers = Self::splat(f32::INTEGERS);
        let size = self.abs();
        let sign = Self(both!(_mm_and_ps(SIGN, self.0)));
        let rounded = (size + integers) - integers;
        let nearest = Self(both!(_mm_or_ps(rounded.abs().0, sign.0)));
        let down = nearest - Self::select(self.lt(nearest), Self::ONE, Self::ZERO);
        Self::select(size.lt(integers), down, self)
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
        let mut lanes = unpack(self.0);
        for x in &mut lanes {
            *x = f(f64::from(*x)) as f32;
        }
        Self(pack(lanes))
    }
    #[inline(always)]
    fn map2(self, other: Self, f: fn(f64, f64) -> f64) -> Self {
        let (mut lanes, others) = (unpack(self.0), unpack(other.0));
        for k in 0..8 {
            lanes[k] = f(f64::from(lanes[k]), f64::from(others[k])) as f32;
        }
        Self(pack(lanes))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        F32x8Sse2Mask(both!(_mm_cmplt_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        F32x8Sse2Mask(both!(_mm_cmple_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self::Mask {
        F32x8Sse2Mask(both!(_mm_cmpeq_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn is_finite(self) -> Self::Mask {
        self.abs().lt(Self::splat(f32::INFINITY))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        let (chosen, other) = (both!(_mm_and_ps(mask.0, a.0)), both!(_mm_andnot_ps(mask.0, b.0)));
        Self(both!(_mm_or_ps(chosen, other)))
    }
}

impl Mask for F32x8Sse2Mask {
    const ALL: Self = Self(pack([f32::from_bits(u32::MAX); 8]));
    const NONE: Self = Self(pack([0.0; 8]));
    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }
    #[inline(always)]
    fn all(self) -> bool {
        self.bits() == 0xff
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: SSE2 is part of the x86-64 baseline.
        unsafe { _mm_movemask_ps(self.0[0]) as u32 | (_mm_movemask_ps(self.0[1]) as u32) << 4 }
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        let mut words = [0.0; 8];
        for k in 0..8 {
            words[k] = f32::from_bits(if bits >> k & 1 != 0 { u32::MAX } else { 0 });
        }
        Self(pack(words))
    }
}

impl BitAnd for F32x8Sse2Mask {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(both!(_mm_and_ps(self.0, other.0)))
    }
}

impl BitOr for F32x8Sse2Mask {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(both!(_mm_or_ps(self.0, other.0)))
    }
}

impl Not for F32x8Sse2Mask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(both!(_mm_xor_ps(self.0, Self::ALL.0)))
    }
}
