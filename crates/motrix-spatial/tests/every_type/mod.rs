//! Runs a check for every lane type this processor has: those that kernels are compiled for, and the others.

/// Evaluates an expression with a type name standing for each lane type in turn.
macro_rules! on_every_type {
    ($L:ident => $check:expr) => {{
        {
            type $L = f32;
            $check;
        }
        {
            type $L = motrix_spatial::lanes::F64x4Portable;
            $check;
        }
        {
            type $L = motrix_spatial::lanes::F64x4PortableFma;
            $check;
        }
        for &kind in motrix_spatial::LaneKind::ALL.iter().filter(|kind| kind.is_supported()) {
            motrix_spatial::with_lanes!(kind, $L => $check);
        }
    }};
}
