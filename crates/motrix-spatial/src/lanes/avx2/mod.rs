//! Lanes in the 256-bit registers of x86-64 processors with AVX2 and FMA.
//!
//! # The invariant behind every `unsafe` of this module
//! An intrinsic may only run on a processor that has its instruction. The types of this module are therefore used only
//! inside the entry points that [`entry!`](crate::entry!) emits, which test the processor before they call the
//! feature-enabled function, and in code that has asked [`LaneKind::is_supported`](crate::LaneKind::is_supported).
//! Inside an entry the intrinsics inline to one instruction each; outside they are still correct, but calls.

mod f32x8;
mod f64x4;

use super::Part;

pub use f32x8::{F32x8Avx2, F32x8Avx2Mask};
pub use f64x4::{F64x4Avx2, F64x4Avx2Mask};

/// Evaluates an intrinsic of AVX2 or FMA.
macro_rules! avx2 {
    ($intrinsic:expr) => {{
        // SAFETY: by the invariant of the module the processor has the instruction; what the intrinsic reads or writes
        // is a register, or memory whose length the caller has just checked.
        unsafe { $intrinsic }
    }};
}

/// A part of a kernel, with the instructions of this module.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
fn enabled<P: Part>(part: P) -> P::Out {
    part.run()
}

/// A binary operator that is one instruction.
macro_rules! operator {
    ($type:ident, $trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(avx2!($intrinsic(self.0, other.0)))
            }
        }
    };
}

macro_rules! assign_operator {
    ($type:ident, $trait:ident, $method:ident, $op:tt) => {
        impl $trait for $type {
            #[inline(always)]
            fn $method(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    };
}

use {assign_operator, avx2, operator};
