//! The lane types do the same arithmetic: the reference decides the value, fusing decides the last bit, nothing else does.

use motrix_spatial::lanes::{F32x8Portable, F32x8PortableFma, F64x4Portable, F64x4PortableFma};
use motrix_spatial::{Lanes, Mask, Real};

fn signed_zeros_and_nan_follow_the_comparison<L: Lanes>() {
    let (nan, one) = (L::c(f64::NAN), L::ONE);
    assert_eq!(nan.max(one).lane(0), one.lane(0));
    assert!(one.max(nan).lane(0).to_f64().is_nan());
    assert_eq!(L::c(0.0).max(L::c(-0.0)).lane(0).bits(), L::c(-0.0).lane(0).bits());
    assert_eq!(L::c(-0.5).floor().lane(0).to_f64(), -1.0);
    assert!(L::ONE.lt(L::c(2.0)).all());
}

#[test]
fn maximum_returns_the_second_operand_unless_the_first_is_larger() {
    signed_zeros_and_nan_follow_the_comparison::<f64>();
    signed_zeros_and_nan_follow_the_comparison::<f32>();
    signed_zeros_and_nan_follow_the_comparison::<F32x8Portable>();
    signed_zeros_and_nan_follow_the_comparison::<F32x8PortableFma>();
    signed_zeros_and_nan_follow_the_comparison::<F64x4Portable>();
    signed_zeros_and_nan_follow_the_comparison::<F64x4PortableFma>();
}
