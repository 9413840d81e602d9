//! From a lane type as a value to compiled code: [`entry!`](crate::entry!) and [`with_lanes!`](crate::with_lanes!).
//!
//! A kernel is one generic, `#[inline(always)]` function. It becomes fast code where a *function that enables the
//! instructions* names a concrete lane type and everything inlines into it. [`entry!`](crate::entry!) writes those
//! functions: a trait whose functions exist once per lane type, compiled in the crate that owns the kernels. Code that
//! is generic over the lane type asks for the trait and calls `L::step(..)`; [`with_lanes!`](crate::with_lanes!) goes
//! from the [`LaneKind`](crate::LaneKind) found at run time to the type, once.
//!
//! # Example
//! The crate of the kernels:
//! ```
//! use motrix_spatial::{Lanes, algebra, Vec3};
//!
//! /// Constants of the model, in the precision of the lanes.
//! pub struct Tables<E> { pub gravity: [E; 3], pub timestep: E }
//!
//! /// A group of worlds, one per lane.
//! pub struct Data<L> { pub position: Vec3<L>, pub velocity: Vec3<L> }
//!
//! /// The kernel: generic and inlined wherever it is called.
//! #[inline(always)]
//! fn fall<L: Lanes>(model: &Tables<L::Elem>, data: &mut Data<L>) -> L::Mask {
//!     let h = L::splat(model.timestep);
//!     data.velocity = algebra::add_scaled(data.velocity, h, algebra::splat3(model.gravity));
//!     data.position = algebra::add_scaled(data.position, h, data.velocity);
//!     data.position[2].lt(L::ZERO)
//! }
//!
//! motrix_spatial::entry! {
//!     /// The kernels of this crate, compiled for each lane type.
//!     pub trait Kernels {
//!         /// One step of free fall; returns the worlds that are below the ground.
//!         fn step(model: &Tables<Self::Elem>, data: &mut Data<Self>) -> Self::Mask {
//!             fall(model, data)
//!         }
//!     }
//! }
//!
//! // The crate of the batch: generic over the lane type, behind one virtual call.
//! use motrix_spatial::{LaneKind, Mask, Precision, Real};
//!
//! trait Simulate { fn step(&mut self) -> u32; }
//!
//! struct Batch<L: Lanes> { model: Tables<L::Elem>, data: Data<L> }
//!
//! impl<L: Kernels> Simulate for Batch<L> {
//!     fn step(&mut self) -> u32 { L::step(&self.model, &mut self.data).count() }
//! }
//!
//! fn batch<L: Kernels>() -> Box<dyn Simulate> {
//!     let e = L::Elem::from_f64;
//!     let model = Tables { gravity: [e(0.0), e(0.0), e(-9.81)], timestep: e(0.002) };
//!     Box::new(Batch::<L> { model, data: Data { position: [L::ZERO; 3], velocity: [L::ZERO; 3] } })
//! }
//!
//! let kind = LaneKind::detect(Precision::Single)?;
//! let mut simulation = motrix_spatial::with_lanes!(kind, L => batch::<L>());
//! assert_eq!(simulation.step() as usize, kind.count());
//! # Ok::<(), motrix_spatial::LaneError>(())
//! ```
//!
//! # Rules for kernels
//! - Every function between the entry and the arithmetic is `#[inline(always)]`. One that is not is compiled without
//!   the instructions of the entry, and then each operation is a call: correct, and many times slower, without a
//!   warning.
//! - No closures in kernels: they cannot be marked, and are outlined when they are called more than once.

/// Declares a trait of entry points and implements it for every lane type.
///
/// Each function is written once, with a body in which `Self` is the lane type; it is compiled without inlining for
/// each type, with the instructions of that type enabled. Arguments are plain names, lifetimes are elided, and a name
/// that [`Lanes`](crate::Lanes) already uses (`load`, `store`) would be ambiguous. See the [module](crate::entries) for
/// an example.
#[macro_export]
macro_rules! entry {
    (
        @plain $Entries:ident for $L:ty {
            $($(#[$meta:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? $body:block)*
        }
    ) => {
        impl $Entries for $L {
            $(
                #[inline(never)]
                fn $name($($arg: $type),*) $(-> $out)? $body
            )*
        }
    };
    (
        @enable $features:literal, $Entries:ident for $L:ident {
            $($(#[$meta:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? $body:block)*
        }
    ) => {
        const _: () = {
            // A safe function of a trait cannot enable instructions, an unsafe one can.
            trait Enabled: $crate::Lanes {
                $(unsafe fn $name($($arg: $type),*) $(-> $out)?;)*
            }
            impl Enabled for $crate::lanes::$L {
                $(
                    #[inline(never)]
                    #[target_feature(enable = $features)]
                    unsafe fn $name($($arg: $type),*) $(-> $out)? $body
                )*
            }
            impl $Entries for $crate::lanes::$L {
                $(
                    #[inline]
                    fn $name($($arg: $type),*) $(-> $out)? {
                        let runs_here = $crate::LaneKind::$L.is_supported();
                        assert!(runs_here, "this processor lacks the instructions of these lanes");
                        // SAFETY: the processor has the instructions that the function enables.
                        unsafe { <Self as Enabled>::$name($($arg),*) }
                    }
                )*
            }
        };
    };
    (
        @absent $Entries:ident for $L:ty {
            $($(#[$meta:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? $body:block)*
        }
    ) => {
        impl $Entries for $L {
            $(
                fn $name($($arg: $type),*) $(-> $out)? {
                    $(let _ = $arg;)*
                    unreachable!("this development build has no kernels for these lanes, and does not choose them")
                }
            )*
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis trait $Entries:ident {
            $($(#[$fn_meta:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? $body:block)*
        }
    ) => {
        $(#[$meta])*
        $vis trait $Entries: $crate::Lanes {
            $(
                $(#[$fn_meta])*
                fn $name($($arg: $type),*) $(-> $out)?;
            )*
        }
        $crate::entry! { @each $Entries { $(fn $name($($arg: $type),*) $(-> $out)? $body)* } }
    };
    (@each $Entries:ident $functions:tt) => {
        $crate::entry! { @plain $Entries for f64 $functions }
        #[cfg(target_arch = "x86_64")]
        $crate::entry! { @enable "avx2,fma", $Entries for F32x8Avx2 $functions }
        #[cfg(not(all(motrix_few_lanes, target_arch = "x86_64")))]
        $crate::entry! { @others $Entries $functions }
        #[cfg(all(motrix_few_lanes, target_arch = "x86_64"))]
        const _: () = {
            $crate::entry! { @absent $Entries for $crate::lanes::F32x8Portable $functions }
            $crate::entry! { @absent $Entries for $crate::lanes::F32x8PortableFma $functions }
            $crate::entry! { @absent $Entries for $crate::lanes::F64x4Avx2 $functions }
        };
    };
    (@others $Entries:ident $functions:tt) => {
        $crate::entry! { @plain $Entries for $crate::lanes::F32x8Portable $functions }
        // Without the instruction a fused product is a call per lane: far too slow to be worth its code.
        #[cfg(not(target_arch = "x86_64"))]
        $crate::entry! { @plain $Entries for $crate::lanes::F32x8PortableFma $functions }
        #[cfg(target_arch = "x86_64")]
        $crate::entry! { @enable "fma", $Entries for F32x8PortableFma $functions }
        #[cfg(target_arch = "x86_64")]
        $crate::entry! { @enable "avx2,fma", $Entries for F64x4Avx2 $functions }
    };
}

/// Evaluates an expression with a type name standing for the lane type of a [`LaneKind`](crate::LaneKind).
///
/// `with_lanes!(kind, L => batch::<L>(..))`: the expression is compiled once per lane type and must have the same type
/// for all. `L` is an alias of the type, so its scalar is `<L as Lanes>::Elem`; a generic function is usually the
/// better place for such code.
#[macro_export]
macro_rules! with_lanes {
    ($kind:expr, $L:ident => $value:expr) => {
        match $kind {
            $crate::LaneKind::F64 => {
                type $L = f64;
                $value
            }
            $crate::LaneKind::F32x8Portable => {
                type $L = $crate::lanes::F32x8Portable;
                $value
            }
            $crate::LaneKind::F32x8PortableFma => {
                type $L = $crate::lanes::F32x8PortableFma;
                $value
            }
            #[cfg(target_arch = "x86_64")]
            $crate::LaneKind::F32x8Avx2 => {
                type $L = $crate::lanes::F32x8Avx2;
                $value
            }
            #[cfg(target_arch = "x86_64")]
            $crate::LaneKind::F64x4Avx2 => {
                type $L = $crate::lanes::F64x4Avx2;
                $value
            }
        }
    };
}
