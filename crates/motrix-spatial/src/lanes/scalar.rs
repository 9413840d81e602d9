//! One lane: `f64`, the reference every other type is judged by, and `f32`.
//!
//! `mul_add` is *not* fused here. A fused product without the instruction is a library call, which would make the
//! reference several times slower on a baseline x86-64; and the reference is closest to a C program compiled for that
//! baseline, which rounds twice.
//!
//! In code that names `f64` itself Rust prefers the inherent `f64::max`, `f64::mul_add`, ...; kernels are generic and
//! therefore always reach the methods below.

use super::{Element, Lanes, Mask};

impl Mask for bool {
    const ALL: Self = true;
    const NONE: Self = false;
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
    #[inline(always)]
    fn all(self) -> bool {
        self
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        u32::from(self)
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        bits & 1 != 0
    }
}

macro_rules! single_lane {
    ($scalar:ident) => {
        impl Lanes for $scalar {
            type Elem = $scalar;
            type Mask = bool;
            const COUNT: usize = 1;
            const NAME: &'static str = stringify!($scalar);
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;

            #[inline(always)]
            fn splat(x: $scalar) -> Self {
                x
            }
            #[inline(always)]
            fn lane(self, k: usize) -> $scalar {
                [self][k]
            }
            #[inline(always)]
            fn set_lane(&mut self, k: usize, x: $scalar) {
                *[self][k] = x;
            }
            #[inline(always)]
            fn load(src: &[$scalar]) -> Self {
                src[0]
            }
            #[inline(always)]
            fn store(self, dst: &mut [$scalar]) {
                dst[0] = self;
            }
            #[inline(always)]
            fn gather(table: &[$scalar], index: &[u32]) -> Self {
                table[index[0] as usize]
            }
            #[inline(always)]
            fn pick(self, index: &[u32]) -> Self {
                // The only lane, whichever is asked for; an index there must be.
                let _ = index[0];
                self
            }

            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                self * b + c
            }
            #[inline(always)]
            fn neg_mul_add(self, b: Self, c: Self) -> Self {
                c - self * b
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.root()
            }
            #[inline(always)]
            fn abs(self) -> Self {
                self.magnitude()
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                if self < other { self } else { other }
            }
            #[inline(always)]
            fn floor(self) -> Self {
                self.round_down()
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                <$scalar as Element>::sin_cos(self)
            }
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                <$scalar as Element>::atan2(self, x)
            }
            #[inline(always)]
            fn map(self, f: fn(f64) -> f64) -> Self {
                f(f64::from(self)) as $scalar
            }
            #[inline(always)]
            fn map2(self, other: Self, f: fn(f64, f64) -> f64) -> Self {
                f(f64::from(self), f64::from(other)) as $scalar
            }

            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn le(self, other: Self) -> bool {
                self <= other
            }
            #[inline(always)]
            fn equal(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                $scalar::is_finite(self)
            }
            #[inline(always)]
            fn select(mask: bool, a: Self, b: Self) -> Self {
                if mask { a } else { b }
            }
        }
    };
}

single_lane!(f64);
single_lane!(f32);
