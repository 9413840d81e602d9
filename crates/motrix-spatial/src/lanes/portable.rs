//! Lanes as a plain array, for every processor: the compiler turns the fixed loops into NEON or whatever instructions there are.
//!
//! Whether `mul_add` is fused is a parameter of the type, because the two answers differ in the last bit and the answer
//! must not depend on the machine. The fused kind performs operation for operation what the AVX2 types do and gives the
//! same bits; it wants a processor whose baseline has the instruction (aarch64), elsewhere each product is a library
//! call.

use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, MulAssign, Neg, Not, Sub, SubAssign};

use super::{Element, Lanes, Mask};

/// Eight `f32`, products rounded before they are added.
#[cfg(not(target_arch = "x86_64"))]
pub type F32x8Portable = Portable<f32, 8, false>;
/// Eight `f32`, products fused into sums: the bits of `F32x8Avx2`.
#[cfg(not(target_arch = "x86_64"))]
pub type F32x8PortableFma = Portable<f32, 8, true>;
/// Four `f64`, products rounded before they are added.
pub type F64x4Portable = Portable<f64, 4, false>;
/// Four `f64`, products fused into sums: the bits of `F64x4Avx2`.
pub type F64x4PortableFma = Portable<f64, 4, true>;

/// `N` lanes of `E`; `FUSED` decides whether `mul_add` rounds once.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Portable<E, const N: usize, const FUSED: bool>([E; N]);

/// One truth value for each of `N` lanes of `E`: all bits of the word set, or none.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct PortableMask<E: Element, const N: usize>([E::Word; N]);

impl<E: Element, const N: usize, const FUSED: bool> Default for Portable<E, N, FUSED> {
    #[inline(always)]
    fn default() -> Self {
        Self::ZERO
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<E: Element, const N: usize, const FUSED: bool> $trait for Portable<E, N, FUSED> {
            type Output = Self;
            #[inline(always)]
            fn $method(mut self, other: Self) -> Self {
                for k in 0..N {
                    self.0[k] = self.0[k] $op other.0[k];
                }
                self
            }
        }
    };
}
operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

macro_rules! assign_operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<E: Element, const N: usize, const FUSED: bool> $trait for Portable<E, N, FUSED> {
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

impl<E: Element, const N: usize, const FUSED: bool> Neg for Portable<E, N, FUSED> {
    type Output = Self;
    #[inline(always)]
    fn neg(mut self) -> Self {
        for k in 0..N {
            self.0[k] = -self.0[k];
        }
        self
    }
}

impl<E: Element, const N: usize, const FUSED: bool> Lanes for Portable<E, N, FUSED> {
    type Elem = E;
    type Mask = PortableMask<E, N>;
    const COUNT: usize = {
        assert!(N <= 32, "a mask has 32 bits");
        N
    };
    const NAME: &'static str = match (size_of::<E>(), N, FUSED) {
        (4, 8, false) => "f32x8-portable",
        (4, 8, true) => "f32x8-portable-fma",
        (8, 4, false) => "f64x4-portable",
        (8, 4, true) => "f64x4-portable-fma",
        (_, _, false) => "portable",
        (_, _, true) => "portable-fma",
    };
    const ZERO: Self = Self([E::ZERO; N]);
    const ONE: Self = Self([E::ONE; N]);

    #[inline(always)]
    fn splat(x: E) -> Self {
        Self([x; N])
    }
    #[inline(always)]
    fn lane(self, k: usize) -> E {
        self.0[k]
    }
    #[inline(always)]
    fn set_lane(&mut self, k: usize, x: E) {
        self.0[k] = x;
    }
    #[inline(always)]
    fn load(src: &[E]) -> Self {
        let mut x = Self::ZERO;
        x.0.copy_from_slice(&src[..N]);
        x
    }
    #[inline(always)]
    fn store(self, dst: &mut [E]) {
        dst[..N].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn gather(table: &[E], index: &[u32]) -> Self {
        let index = &index[..N];
        let mut x = Self::ZERO;
        for k in 0..N {
            x.0[k] = table[index[k] as usize];
        }
        x
    }
    #[inline(always)]
    fn pick(self, index: &[u32]) -> Self {
        let index = &index[..N];
        let mut x = self;
        for k in 0..N {
            x.0[k] = self.0[index[k] as usize % N];
        }
        x
    }

    #[inline(always)]
    fn mul_add(mut self, b: Self, c: Self) -> Self {
        for k in 0..N {
            self.0[k] = if FUSED {
                self.0[k].fused(b.0[k], c.0[k])
            } else {
                self.0[k] * b.0[k] + c.0[k]
            };
        }
        self
    }
    #[inline(always)]
    fn neg_mul_add(mut self, b: Self, c: Self) -> Self {
        for k in 0..N {
            self.0[k] = if FUSED {
                (-self.0[k]).fused(b.0[k], c.0[k])
            } else {
                c.0[k] - self.0[k] * b.0[k]
            };
        }
        self
    }
    #[inline(always)]
    fn sqrt(mut self) -> Self {
        for k in 0..N {
            self.0[k] = self.0[k].root();
        }
        self
    }
    #[inline(always)]
    fn abs(mut self) -> Self {
        for k in 0..N {
            self.0[k] = self.0[k].magnitude();
        }
        self
    }
    #[inline(always)]
    fn max(mut self, other: Self) -> Self {
        for k in 0..N {
            self.0[k] = if self.0[k] > other.0[k] { self.0[k] } else { other.0[k] };
        }
        self
    }
    #[inline(always)]
    fn min(mut self, other: Self) -> Self {
        for k in 0..N {
            self.0[k] = if self.0[k] < other.0[k] { self.0[k] } else { other.0[k] };
        }
        self
    }
    #[inline(always)]
    fn floor(mut self) -> Self {
        for k in 0..N {
            self.0[k] = self.0[k].round_down();
        }
        self
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        E::sin_cos(self)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        E::atan2(self, x)
    }
    #[inline(always)]
    fn map(mut self, f: fn(f64) -> f64) -> Self {
        for k in 0..N {
            self.0[k] = E::from_f64(f(self.0[k].to_f64()));
        }
        self
    }
    #[inline(always)]
    fn map2(mut self, other: Self, f: fn(f64, f64) -> f64) -> Self {
        for k in 0..N {
            self.0[k] = E::from_f64(f(self.0[k].to_f64(), other.0[k].to_f64()));
        }
        self
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        let mut mask = PortableMask::NONE;
        for k in 0..N {
            mask.0[k] = if self.0[k] < other.0[k] { E::YES } else { E::NO };
        }
        mask
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        let mut mask = PortableMask::NONE;
        for k in 0..N {
            mask.0[k] = if self.0[k] <= other.0[k] { E::YES } else { E::NO };
        }
        mask
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self::Mask {
        let mut mask = PortableMask::NONE;
        for k in 0..N {
            mask.0[k] = if self.0[k] == other.0[k] { E::YES } else { E::NO };
        }
        mask
    }
    #[inline(always)]
    fn is_finite(self) -> Self::Mask {
        self.abs().lt(Self::splat(E::INFINITY))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, mut a: Self, b: Self) -> Self {
        for k in 0..N {
            a.0[k] = E::from_word(a.0[k].to_word() & mask.0[k] | b.0[k].to_word() & !mask.0[k]);
        }
        a
    }
}

impl<E: Element, const N: usize> Mask for PortableMask<E, N> {
    const ALL: Self = Self([E::YES; N]);
    const NONE: Self = Self([E::NO; N]);
    #[inline(always)]
    fn any(self) -> bool {
        let mut some = E::NO;
        for k in 0..N {
            some = some | self.0[k];
        }
        some != E::NO
    }
    #[inline(always)]
    fn all(self) -> bool {
        !(!self).any()
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        let mut bits = 0;
        for k in 0..N {
            bits |= u32::from(self.0[k] != E::NO) << k;
        }
        bits
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        let mut mask = Self::NONE;
        for k in 0..N {
            mask.0[k] = if bits >> k & 1 != 0 { E::YES } else { E::NO };
        }
        mask
    }
}

impl<E: Element, const N: usize> BitAnd for PortableMask<E, N> {
    type Output = Self;
    #[inline(always)]
    fn bitand(mut self, other: Self) -> Self {
        for k in 0..N {
            self.0[k] = self.0[k] & other.0[k];
        }
        self
    }
}

impl<E: Element, const N: usize> BitOr for PortableMask<E, N> {
    type Output = Self;
    #[inline(always)]
    fn bitor(mut self, other: Self) -> Self {
        for k in 0..N {
            self.0[k] = self.0[k] | other.0[k];
        }
        self
    }
}

impl<E: Element, const N: usize> Not for PortableMask<E, N> {
    type Output = Self;
    #[inline(always)]
    fn not(mut self) -> Self {
        for k in 0..N {
            self.0[k] = !self.0[k];
        }
        self
    }
}
