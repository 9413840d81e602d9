//! Which lane type runs: found once from the processor, or asked for by name in the environment.
//!
//! `MOTRIX_LANES` overrides the choice, for tests and for comparing machines:
//!
//! | value | lanes |
//! |---|---|
//! | `avx2` | `F32x8Avx2` or `F64x4Avx2`: x86-64 with AVX2 and FMA |
//! | `portable` | `F32x8Portable`, products rounded before they are added; runs anywhere with the same bits |
//! | `portable-fma` | `F32x8PortableFma`, products fused: the bits of `avx2`; aarch64, or x86-64 with FMA |
//! | `scalar` | one lane of `f64`, the reference, whatever the precision asked for |
//!
//! A development build with `--cfg motrix_few_lanes` (`make quick`) runs only `f64` and `F32x8Avx2`: a kernel is compiled
//! once per type, and that is most of the time a build takes.
//!
//! [`with_lanes!`](crate::with_lanes!) turns a [`LaneKind`] into the type, once per batch; [`entry!`](crate::entry!)
//! compiles the kernels for every type.

use core::fmt;
use std::sync::OnceLock;

use crate::lanes::{Lanes, Real};
use crate::with_lanes;

/// The environment variable that overrides the choice of the lane type.
pub const LANES_VARIABLE: &str = "MOTRIX_LANES";

/// Whether this is a development build with two lane types.
const FEW_LANES: bool = cfg!(all(motrix_few_lanes, target_arch = "x86_64"));

/// The scalar the physics is computed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// `f32`: for learning, eight worlds at a time.
    Single,
    /// `f64`: for comparing and arbitrating, four worlds at a time.
    Double,
}

/// A lane type of this build, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneKind {
    /// One `f64`: the reference.
    F64,
    /// [`F32x8Portable`](crate::lanes::F32x8Portable).
    F32x8Portable,
    /// [`F32x8PortableFma`](crate::lanes::F32x8PortableFma).
    F32x8PortableFma,
    /// [`F32x8Avx2`](crate::lanes::F32x8Avx2).
    #[cfg(target_arch = "x86_64")]
    F32x8Avx2,
    /// [`F64x4Avx2`](crate::lanes::F64x4Avx2).
    #[cfg(target_arch = "x86_64")]
    F64x4Avx2,
}

impl LaneKind {
    /// Every lane type of this build, whether or not this processor can run it.
    pub const ALL: &'static [LaneKind] = &[
        LaneKind::F64,
        LaneKind::F32x8Portable,
        LaneKind::F32x8PortableFma,
        #[cfg(target_arch = "x86_64")]
        LaneKind::F32x8Avx2,
        #[cfg(target_arch = "x86_64")]
        LaneKind::F64x4Avx2,
    ];

    /// The type to run: the one `MOTRIX_LANES` names, else the fastest of this processor. The variable is read once.
    pub fn detect(precision: Precision) -> Result<LaneKind, LaneError> {
        static REQUEST: OnceLock<Option<String>> = OnceLock::new();
        let request = REQUEST.get_or_init(|| {
            let value = std::env::var_os(LANES_VARIABLE)?;
            Some(value.to_string_lossy().into_owned())
        });
        LaneKind::choose(request.as_deref(), precision)
    }

    /// The type that a value of `MOTRIX_LANES` asks for; `None` or an empty value asks for the fastest.
    pub fn choose(request: Option<&str>, precision: Precision) -> Result<LaneKind, LaneError> {
        use Precision::{Double, Single};
        match (request.unwrap_or_default(), precision) {
            ("", _) => Ok(LaneKind::fastest(precision)),
            ("portable", Single) => Some(LaneKind::F32x8Portable)
                .filter(|kind| kind.is_supported())
                .ok_or(LaneError::FewLanes),
            ("portable-fma", Single) => Some(LaneKind::F32x8PortableFma)
                .filter(|kind| kind.is_supported())
                .ok_or(LaneError::NoFma),
            ("portable" | "portable-fma", Double) => Ok(LaneKind::F64),
            ("scalar", _) => Ok(LaneKind::F64),
            ("avx2", _) => avx2(precision).ok_or(LaneError::NoAvx2),
            (unknown, _) => Err(LaneError::Unknown(unknown.to_owned())),
        }
    }

    /// The fastest type this processor can run.
    pub fn fastest(precision: Precision) -> LaneKind {
        // On aarch64 the fused product is part of the baseline.
        let fused = cfg!(target_arch = "aarch64");
        avx2(precision).unwrap_or(match (precision, fused) {
            (Precision::Single, false) => LaneKind::F32x8Portable,
            (Precision::Single, true) => LaneKind::F32x8PortableFma,
            (Precision::Double, _) => LaneKind::F64,
        })
    }

    /// Whether this build has kernels for the type and this processor its instructions.
    #[inline]
    pub fn is_supported(self) -> bool {
        match self {
            LaneKind::F32x8Portable | LaneKind::F32x8PortableFma if FEW_LANES => false,
            #[cfg(target_arch = "x86_64")]
            LaneKind::F64x4Avx2 if FEW_LANES => false,
            #[cfg(target_arch = "x86_64")]
            LaneKind::F32x8Avx2 | LaneKind::F64x4Avx2 => {
                std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma")
            }
            #[cfg(target_arch = "x86_64")]
            LaneKind::F32x8PortableFma => std::is_x86_feature_detected!("fma"),
            _ => true,
        }
    }

    /// The name of the type, for reports.
    pub fn name(self) -> &'static str {
        with_lanes!(self, L => L::NAME)
    }

    /// The number of worlds that step together.
    pub fn count(self) -> usize {
        with_lanes!(self, L => L::COUNT)
    }

    /// The scalar in a lane.
    pub fn precision(self) -> Precision {
        let epsilon = with_lanes!(self, L => <<L as Lanes>::Elem as Real>::EPSILON);
        if epsilon == f64::EPSILON {
            Precision::Double
        } else {
            Precision::Single
        }
    }
}

/// The AVX2 type of this precision, if this build and this processor have it.
fn avx2(precision: Precision) -> Option<LaneKind> {
    #[cfg(target_arch = "x86_64")]
    {
        let kind = match precision {
            Precision::Single => LaneKind::F32x8Avx2,
            Precision::Double => LaneKind::F64x4Avx2,
        };
        Some(kind).filter(|kind| kind.is_supported())
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = precision;
        None
    }
}

impl fmt::Display for LaneKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why the lane type that `MOTRIX_LANES` asks for cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaneError {
    /// The value names no lane type.
    Unknown(String),
    /// AVX2 was asked for, and this processor lacks AVX2 or FMA.
    NoAvx2,
    /// Fused products were asked for, and this processor lacks FMA.
    NoFma,
    /// The type was left out of this development build.
    FewLanes,
}

impl fmt::Display for LaneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaneError::Unknown(value) => write!(
                f,
                "{LANES_VARIABLE}={value:?} names no lane type; \
                 use avx2, portable, portable-fma or scalar, or leave it unset"
            ),
            LaneError::NoFma => write!(
                f,
                "{LANES_VARIABLE}=\"portable-fma\" needs a processor with FMA, and this one lacks it; \
                 use portable, or leave it unset"
            ),
            LaneError::FewLanes => write!(f, "this development build has only the lane types avx2 and scalar"),
            LaneError::NoAvx2 => write!(
                f,
                "{LANES_VARIABLE}=\"avx2\" needs a processor with AVX2 and FMA, and this one lacks them; \
                 use portable, or leave it unset"
            ),
        }
    }
}

impl std::error::Error for LaneError {}
