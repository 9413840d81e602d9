//! The two scalars a lane can hold, `f32` and `f64`, with the operations the lane types are built from.
//!
//! Nothing here calls a system library, save [`Element::fused`] on a processor or build without the instruction: the
//! result of a fused product is defined by IEEE 754, so even there only the speed depends on the library.

use core::fmt::Debug;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::{Lanes, Real, arctangent, sine};

/// Arithmetic on one lane.
pub trait Element:
    Real + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// An integer as wide as the scalar: its bits, or the truth value of a lane.
    type Word: Copy
        + Debug
        + PartialEq
        + Send
        + Sync
        + 'static
        + BitAnd<Output = Self::Word>
        + BitOr<Output = Self::Word>
        + Not<Output = Self::Word>;
    /// No bit set: false.
    const NO: Self::Word;
    /// Every bit set: true.
    const YES: Self::Word;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// 2²³ or 2⁵²: from here on every number is an integer, and a sum with it is rounded to one.
    const INTEGERS: Self;
    /// Above every finite number.
    const INFINITY: Self;

    /// The bits of the scalar.
    fn to_word(self) -> Self::Word;
    /// The scalar with these bits.
    fn from_word(word: Self::Word) -> Self;
    /// `self·b + c`, rounded once.
    fn fused(self, b: Self, c: Self) -> Self;
    /// Square root, correctly rounded.
    fn root(self) -> Self;
    /// The number without its sign.
    fn magnitude(self) -> Self;
    /// This magnitude with the sign of `sign`.
    fn with_sign(self, sign: Self) -> Self;
    /// Sine and cosine of lanes of this scalar.
    fn sin_cos<L: Lanes<Elem = Self>>(x: L) -> (L, L);
    /// The angle of points `(x, y)` in lanes of this scalar.
    fn atan2<L: Lanes<Elem = Self>>(y: L, x: L) -> L;

    /// Largest integer not above. NaN stays NaN, zero keeps its sign.
    ///
    /// `(|x| + 2²³) − 2²³` rounds to an integer with two additions, on every instruction set; the round-down of the
    /// baseline x86-64 would be a library call per lane.
    #[inline(always)]
    fn round_down(self) -> Self {
        let size = self.magnitude();
        if size < Self::INTEGERS {
            let nearest = ((size + Self::INTEGERS) - Self::INTEGERS).with_sign(self);
            nearest - if nearest > self { Self::ONE } else { Self::ZERO }
        } else {
            self
        }
    }
}

macro_rules! element {
    ($scalar:ident, $word:ident, $integers:expr, $sin_cos:path, $atan2:path) => {
        impl Element for $scalar {
            type Word = $word;
            const NO: $word = 0;
            const YES: $word = $word::MAX;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const INTEGERS: Self = $integers;
            const INFINITY: Self = $scalar::INFINITY;

            #[inline(always)]
            fn to_word(self) -> $word {
                self.to_bits()
            }
            #[inline(always)]
            fn from_word(word: $word) -> Self {
                Self::from_bits(word)
            }
            #[inline(always)]
            fn fused(self, b: Self, c: Self) -> Self {
                $scalar::mul_add(self, b, c)
            }
            #[inline(always)]
            fn root(self) -> Self {
                $scalar::sqrt(self)
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                $scalar::abs(self)
            }
            #[inline(always)]
            fn with_sign(self, sign: Self) -> Self {
                $scalar::copysign(self, sign)
            }
            #[inline(always)]
            fn sin_cos<L: Lanes<Elem = Self>>(x: L) -> (L, L) {
                $sin_cos(x)
            }
            #[inline(always)]
            fn atan2<L: Lanes<Elem = Self>>(y: L, x: L) -> L {
                $atan2(y, x)
            }
        }
    };
}

element!(f32, u32, 8_388_608.0, sine::sin_cos_f32, arctangent::atan2_f32);
element!(
    f64,
    u64,
    4_503_599_627_370_496.0,
    sine::sin_cos_f64,
    arctangent::atan2_f64
);

impl Real for f32 {
    const EPSILON: f64 = f32::EPSILON as f64;
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn to_f32(self) -> f32 {
        self
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        f32::is_finite(self)
    }
    #[inline(always)]
    fn as_f32s(row: &[Self]) -> Option<&[f32]> {
        Some(row)
    }
    #[inline(always)]
    fn as_f32s_mut(row: &mut [Self]) -> Option<&mut [f32]> {
        Some(row)
    }
}

impl Real for f64 {
    const EPSILON: f64 = f64::EPSILON;
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn to_f32(self) -> f32 {
        self as f32
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }
}
