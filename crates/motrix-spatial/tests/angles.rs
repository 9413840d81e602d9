//! Sine, cosine and arctangent are accurate where angles are, and sane everywhere else, on every lane type.
//!
//! Errors are in units in the last place of the exact value. The reference is the `f64` library: for `f32` lanes it is
//! exact to the digits that matter; for `f64` lanes it is itself off by up to 0.55 ulp, so a bound of *b* on the
//! difference proves *b* + 0.55.

#[macro_use]
mod every_type;

use motrix_spatial::{Lanes, Real};

/// The distance between neighbouring numbers of the lane's precision at `x`.
fn ulp<E: Real>(x: f64) -> f64 {
    let exponent = E::from_f64(x).to_f64().abs().max(1e-30).log2().floor();
    exponent.exp2() * E::EPSILON
}

/// The largest error of a function of one angle over `angles`, and where.
fn worst<L: Lanes>(angles: impl Iterator<Item = f64>, ours: fn(L) -> L, reference: fn(f64) -> f64) -> (f64, f64) {
    let (mut error, mut at) = (0.0, 0.0);
    for x in angles {
        let x = L::Elem::from_f64(x);
        let want = reference(x.to_f64());
        let e = (ours(L::splat(x)).lane(L::COUNT - 1).to_f64() - want).abs() / ulp::<L::Elem>(want);
        if e > error || e.is_nan() {
            (error, at) = (e, x.to_f64());
        }
    }
    (error, at)
}

/// Angles in [−limit, limit], densest near zero, and the neighbourhoods of the multiples of π/2 where the cancellation
/// is worst.
fn angles(limit: f64, count: usize) -> impl Iterator<Item = f64> {
    let spread = (0..count).map(move |i| {
        let u = (i as f64 * 0.618_033_988_749_895).fract() * 2.0 - 1.0;
        if i % 2 == 0 { u * limit } else { u.powi(9) * limit }
    });
    let quarters = (limit / std::f64::consts::FRAC_PI_2) as usize;
    let near_quarters = (0..count).map(move |i| (i * quarters / count) as f64 * std::f64::consts::FRAC_PI_2);
    spread.chain(near_quarters)
}

fn sine<L: Lanes>(x: L) -> L {
    x.sin_cos().0
}

fn cosine<L: Lanes>(x: L) -> L {
    x.sin_cos().1
}

fn single<L: Lanes>() -> bool {
    L::Elem::EPSILON > f64::EPSILON
}

#[test]
fn sine_and_cosine_are_within_an_ulp_of_the_exact_value() {
    fn check<L: Lanes>() {
        let (limit, bound) = if single::<L>() {
            (8192.0, 1.1)
        } else {
            (1_048_576.0, 1.0)
        };
        let (error, x) = worst::<L>(angles(limit, 20_000), sine, f64::sin);
        assert!(error <= bound, "{}: sine off by {error} ulp at {x}", L::NAME);
        let (error, x) = worst::<L>(angles(limit, 20_000), cosine, f64::cos);
        assert!(error <= bound, "{}: cosine off by {error} ulp at {x}", L::NAME);
    }
    on_every_type!(L => check::<L>());
}

#[test]
fn after_many_turns_the_phase_is_still_right() {
    // A wheel after weeks of spinning. The angle left after whole turns is rounded once, at up to 2π, and the
    // polynomial adds its own error: together below four times the spacing of numbers at 1.
    fn check<L: Lanes>() {
        for i in 1..2000 {
            let x = L::Elem::from_f64((i as f64 * 0.02 - 20.0).exp2() * 1e9);
            let (s, c) = L::splat(x).sin_cos();
            let (want_s, want_c) = x.to_f64().sin_cos();
            let error = (s.lane(0).to_f64() - want_s)
                .abs()
                .max((c.lane(0).to_f64() - want_c).abs());
            assert!(
                error <= 4.0 * L::Elem::EPSILON,
                "{}: off by {error:e} at {x:?}",
                L::NAME
            );
        }
    }
    on_every_type!(L => check::<L>());
}

#[test]
fn the_largest_angles_still_give_a_point_of_the_unit_circle() {
    fn check<L: Lanes>() {
        for exponent in 10..127 {
            let (s, c) = L::c(-1.7 * f64::from(exponent).exp2()).sin_cos();
            let (s, c) = (s.lane(0).to_f64(), c.lane(0).to_f64());
            let off = (s * s + c * c - 1.0).abs();
            assert!(s.abs() <= 1.0 && c.abs() <= 1.0, "{} 2^{exponent}: {s} {c}", L::NAME);
            assert!(
                off <= 4.0 * L::Elem::EPSILON,
                "{} 2^{exponent}: off the circle by {off:e}",
                L::NAME
            );
        }
    }
    on_every_type!(L => check::<L>());
}

#[test]
fn no_angle_has_no_sine_and_spoils_no_other_lane() {
    fn check<L: Lanes>() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut x = L::c(0.3);
            x.set_lane(0, L::Elem::from_f64(bad));
            let (s, c) = x.sin_cos();
            assert!(
                s.lane(0).to_f64().is_nan() && c.lane(0).to_f64().is_nan(),
                "{}: sine of {bad}",
                L::NAME
            );
            let (want_s, want_c) = L::c(0.3).sin_cos();
            for k in 1..L::COUNT {
                assert_eq!((s.lane(k), c.lane(k)), (want_s.lane(k), want_c.lane(k)), "{}", L::NAME);
            }
        }
    }
    on_every_type!(L => check::<L>());
}

#[test]
fn the_arctangent_is_right_in_every_octant() {
    // Roundings of the quotient, of the polynomial and of the folds.
    fn check<L: Lanes>() {
        let bound = if single::<L>() { 2.2 } else { 2.0 };
        for i in 0..20_000 {
            let (angle, size) = (i as f64 * 0.001 - 10.0, (i as f64 * 0.37).sin().exp2());
            let (y, x) = (
                L::Elem::from_f64(size * angle.sin()),
                L::Elem::from_f64(size * angle.cos()),
            );
            let want = y.to_f64().atan2(x.to_f64());
            let got = L::splat(y).atan2(L::splat(x)).lane(0).to_f64();
            let error = (got - want).abs() / ulp::<L::Elem>(want);
            assert!(
                error <= bound,
                "{}: atan2({y:?}, {x:?}) is {got}, {error} ulp off",
                L::NAME
            );
        }
    }
    on_every_type!(L => check::<L>());
}

#[test]
fn the_arctangent_of_the_axes_is_exact_and_that_of_the_origin_is_zero() {
    use std::f64::consts::{FRAC_PI_2, PI};
    fn check<L: Lanes>() {
        let axes = [
            (0.0, 2.0, 0.0),
            (3.0, 0.0, FRAC_PI_2),
            (0.0, -1.0, PI),
            (-1.0, 0.0, -FRAC_PI_2),
        ];
        for (y, x, want) in axes.into_iter().chain([(0.0, 0.0, 0.0)]) {
            assert_eq!(
                L::c(y).atan2(L::c(x)).lane(0),
                L::Elem::from_f64(want),
                "{}: atan2({y}, {x})",
                L::NAME
            );
        }
        assert!(L::c(f64::NAN).atan2(L::ONE).lane(0).to_f64().is_nan());
        assert!(L::ONE.atan2(L::c(f64::NAN)).lane(0).to_f64().is_nan());
    }
    on_every_type!(L => check::<L>());
}
