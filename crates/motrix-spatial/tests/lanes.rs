//! The lane types do the same arithmetic: IEEE rounding decides the value, fusing decides the last bit, and neither the
//! type of register nor the position of the lane decides anything.

#[macro_use]
mod every_type;

use motrix_spatial::lanes::{Element, F32x8Portable, F32x8PortableFma, F64x4Portable, F64x4PortableFma};
use motrix_spatial::{Lanes, Mask, Real};
use proptest::prelude::*;

/// An operation of up to three arguments, by name.
type Operation<L> = (&'static str, fn(L, L, L) -> L);

/// Operations that return a number of their arguments: exact in every bit, NaN included.
fn choices<L: Lanes>() -> Vec<Operation<L>> {
    vec![
        ("negation", |a, _, _| -a),
        ("abs", |a, _, _| a.abs()),
        ("max", |a, b, _| a.max(b)),
        ("min", |a, b, _| a.min(b)),
        ("clamp", |a, b, c| a.clamp(b, c)),
        ("less", |a, b, c| L::select(a.lt(b), b, c)),
        ("less or equal", |a, b, c| L::select(a.le(b), b, c)),
        ("greater", |a, b, c| L::select(a.gt(b), b, c)),
        ("greater or equal", |a, b, c| L::select(a.ge(b), b, c)),
        ("equal", |a, b, c| L::select(a.equal(b), b, c)),
        ("finite", |a, b, c| L::select(a.is_finite(), b, c)),
        ("and", |a, b, c| L::select(a.lt(b) & b.lt(c), b, c)),
        ("or", |a, b, c| L::select(a.lt(b) | b.lt(c), b, c)),
        ("not", |a, b, c| L::select(!a.lt(b), b, c)),
    ]
}

/// Operations that compute: a NaN they create may have any sign and payload.
fn arithmetic<L: Lanes>() -> Vec<Operation<L>> {
    vec![
        ("sum", |a, b, _| a + b),
        ("difference", |a, b, _| a - b),
        ("product", |a, b, _| a * b),
        ("quotient", |a, b, _| a / b),
        ("mul_add", |a, b, c| a.mul_add(b, c)),
        ("neg_mul_add", |a, b, c| a.neg_mul_add(b, c)),
        ("sqrt", |a, _, _| a.sqrt()),
        ("recip", |a, _, _| a.recip()),
        ("floor", |a, _, _| a.floor()),
        ("sin", |a, _, _| a.sin_cos().0),
        ("cos", |a, _, _| a.sin_cos().1),
        ("atan2", |a, b, _| a.atan2(b)),
        ("map", |a, _, _| a.map(f64::exp2)),
        ("map2", |a, b, _| a.map2(b, f64::hypot)),
        ("assigned", |mut a, b, c| {
            a += b;
            a -= c;
            a *= b;
            a
        }),
    ]
}

/// The same bits, or NaN both.
fn same<E: Real>(x: E, y: E) -> bool {
    x.bits() == y.bits() || x.to_f64().is_nan() && y.to_f64().is_nan()
}

/// Both types, given the same numbers, return the same bits in every lane.
fn agree<A: Lanes, B: Lanes<Elem = A::Elem>>(args: &[[A::Elem; 8]; 3]) -> Result<(), TestCaseError> {
    assert_eq!(A::COUNT % B::COUNT, 0, "B is as wide as A, or a divisor of it");
    for (compute, operations) in [
        (false, choices::<A>().into_iter().zip(choices::<B>())),
        (true, arithmetic::<A>().into_iter().zip(arithmetic::<B>())),
    ] {
        for ((name, on_a), (_, on_b)) in operations {
            let whole = on_a(A::load(&args[0]), A::load(&args[1]), A::load(&args[2]));
            for first in (0..A::COUNT).step_by(B::COUNT) {
                let part = on_b(
                    B::load(&args[0][first..]),
                    B::load(&args[1][first..]),
                    B::load(&args[2][first..]),
                );
                for k in 0..B::COUNT {
                    let (x, y) = (whole.lane(first + k), part.lane(k));
                    let equal = x.bits() == y.bits() || compute && same(x, y);
                    let given = [args[0][first + k], args[1][first + k], args[2][first + k]];
                    prop_assert!(
                        equal,
                        "{name} of {given:?}: {} gives {x:?}, {} gives {y:?}",
                        A::NAME,
                        B::NAME
                    );
                }
            }
        }
    }
    Ok(())
}

/// A world moved to another lane gets the same bits there.
fn lanes_are_alike<L: Lanes>(args: &[[L::Elem; 8]; 3], shift: usize) -> Result<(), TestCaseError> {
    for (name, f) in choices::<L>().into_iter().chain(arithmetic()) {
        let here = f(L::load(&args[0]), L::load(&args[1]), L::load(&args[2]));
        let moved = args.map(|a| L::from_lanes(|k| a[(k + shift) % L::COUNT]));
        let there = f(moved[0], moved[1], moved[2]);
        for k in 0..L::COUNT {
            let (x, y) = (here.lane((k + shift) % L::COUNT), there.lane(k));
            prop_assert!(same(x, y), "{name} on {}: {x:?} and {y:?}", L::NAME);
        }
    }
    Ok(())
}

/// Numbers as physics has them, and everything else a bit pattern can be.
fn numbers_f32() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -20.0f32..20.0,
        2 => proptest::num::f32::ANY,
        1 => -1e6f32..1e6,
        1 => prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, 0.5, 8_388_608.0, 8_388_607.5, f32::INFINITY, f32::NAN]),
    ]
}

fn numbers_f64() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -20.0f64..20.0,
        2 => proptest::num::f64::ANY,
        1 => -1e9f64..1e9,
        1 => prop::sample::select(
            vec![0.0, -0.0, 1.0, -1.0, 0.5, 4.503599627370496e15, 4.5035996273704955e15, f64::INFINITY, f64::NAN],
        ),
    ]
}

fn three<S: Strategy + Clone>(number: S) -> impl Strategy<Value = [[S::Value; 8]; 3]> {
    prop::array::uniform3(prop::array::uniform8(number))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn unfused_single_precision_is_one_arithmetic(args in three(numbers_f32().boxed())) {
        agree::<F32x8Portable, f32>(&args)?;
    }

    #[test]
    fn unfused_double_precision_is_one_arithmetic(args in three(numbers_f64().boxed())) {
        agree::<F64x4Portable, f64>(&args)?;
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn fused_single_precision_is_one_arithmetic(args in three(numbers_f32().boxed())) {
        if motrix_spatial::LaneKind::F32x8Avx2.is_supported() {
            agree::<motrix_spatial::lanes::F32x8Avx2, F32x8PortableFma>(&args)?;
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn fused_double_precision_is_one_arithmetic(args in three(numbers_f64().boxed())) {
        if motrix_spatial::LaneKind::F64x4Avx2.is_supported() {
            agree::<motrix_spatial::lanes::F64x4Avx2, F64x4PortableFma>(&args)?;
        }
    }

    #[test]
    fn a_world_may_live_in_any_lane(
        single in three(numbers_f32().boxed()),
        double in three(numbers_f64().boxed()),
        shift in 1usize..8,
    ) {
        lanes_are_alike::<F32x8Portable>(&single, shift)?;
        lanes_are_alike::<F32x8PortableFma>(&single, shift)?;
        lanes_are_alike::<F64x4Portable>(&double, shift)?;
        lanes_are_alike::<F64x4PortableFma>(&double, shift)?;
        #[cfg(target_arch = "x86_64")]
        if motrix_spatial::LaneKind::F32x8Avx2.is_supported() {
            lanes_are_alike::<motrix_spatial::lanes::F32x8Avx2>(&single, shift)?;
            lanes_are_alike::<motrix_spatial::lanes::F64x4Avx2>(&double, shift)?;
        }
    }

    #[test]
    fn arithmetic_is_that_of_ieee_754(a in numbers_f32(), b in numbers_f32(), c in numbers_f32()) {
        type Fused = F32x8PortableFma;
        let lanes = [Fused::splat(a), Fused::splat(b), Fused::splat(c)];
        let [x, y, z] = lanes;
        for (got, want) in [
            (x + y, a + b),
            (x - y, a - b),
            (x * y, a * b),
            (x / y, a / b),
            (x.mul_add(y, z), a.mul_add(b, c)),
            (x.neg_mul_add(y, z), (-a).mul_add(b, c)),
            (x.sqrt(), a.sqrt()),
            (x.floor(), a.floor()),
            (x.recip(), 1.0 / a),
        ] {
            prop_assert!(same(got.lane(3), want), "{got:?} {want}");
        }
        let unfused = F32x8Portable::splat(a).mul_add(F32x8Portable::splat(b), F32x8Portable::splat(c));
        let want = a * b + c;
        prop_assert!(same(unfused.lane(0), want));
    }

    #[test]
    fn rounding_down_a_double_is_that_of_the_library(a in numbers_f64()) {
        let (got, want) = (a.round_down(), a.floor());
        prop_assert!(same(got, want), "{got} {want}");
    }
}

#[test]
fn maximum_and_minimum_return_the_second_operand_unless_the_first_wins() {
    fn check<L: Lanes>() {
        let (nan, one, zero, minus_zero) = (L::c(f64::NAN), L::ONE, L::c(0.0), L::c(-0.0));
        let bits = |x: L| x.lane(L::COUNT - 1).bits();
        for choose in [L::max, L::min] {
            assert_eq!(bits(choose(nan, one)), bits(one), "{}", L::NAME);
            assert!(choose(one, nan).lane(0).to_f64().is_nan(), "{}", L::NAME);
            assert_eq!(bits(choose(zero, minus_zero)), bits(minus_zero), "{}", L::NAME);
            assert_eq!(bits(choose(minus_zero, zero)), bits(zero), "{}", L::NAME);
        }
    }
    on_every_type!(L => check::<L>());
}

#[test]
fn masks_are_their_bits() {
    fn check<L: Lanes>() {
        let every = (1u32 << L::COUNT) - 1;
        assert_eq!((L::Mask::ALL.bits(), L::Mask::NONE.bits()), (every, 0));
        for bits in 0..=every {
            // Bits beyond the last lane are ignored.
            let mask = L::Mask::from_bits(bits | !every);
            assert_eq!(mask.bits(), bits, "{}", L::NAME);
            assert_eq!((!mask).bits(), !bits & every);
            assert_eq!((mask & L::Mask::from_bits(0b1010_1010)).bits(), bits & 0b1010_1010);
            assert_eq!(
                (mask | L::Mask::from_bits(0b0011_0011)).bits(),
                (bits | 0b0011_0011) & every
            );
            assert_eq!(
                (mask.any(), mask.all(), mask.count()),
                (bits != 0, bits == every, bits.count_ones())
            );
            for k in 0..L::COUNT {
                assert_eq!(mask.lane(k), bits >> k & 1 != 0);
                assert_eq!(
                    L::select(mask, L::ONE, L::ZERO).lane(k).to_f64(),
                    f64::from(bits >> k & 1)
                );
            }
        }
    }
    on_every_type!(L => check::<L>());
}

#[test]
fn lanes_are_loaded_stored_and_replaced_in_order() {
    fn check<L: Lanes>() {
        let numbers: Vec<L::Elem> = (0..L::COUNT + 3).map(|k| L::Elem::from_f64(k as f64 + 0.5)).collect();
        let mut x = L::load(&numbers);
        assert_eq!(x.lane(L::COUNT - 1), numbers[L::COUNT - 1]);
        x.set_lane(0, L::Elem::from_f64(-7.0));
        let mut stored = vec![L::Elem::default(); L::COUNT + 1];
        x.store(&mut stored);
        assert_eq!(stored[0].to_f64(), -7.0);
        assert_eq!(stored[1..L::COUNT], numbers[1..L::COUNT]);
        assert_eq!(stored[L::COUNT].to_f64(), 0.0, "nothing is written beyond the lanes");

        let backwards: Vec<u32> = (0..L::COUNT as u32).rev().collect();
        let gathered = L::gather(&numbers, &backwards);
        for k in 0..L::COUNT {
            assert_eq!(gathered.lane(k), numbers[L::COUNT - 1 - k]);
        }
        // Lanes count modulo how many there are.
        let beyond: Vec<u32> = backwards.iter().map(|k| k + L::COUNT as u32).collect();
        for index in [&backwards, &beyond] {
            assert_eq!(
                (0..L::COUNT).map(|k| x.pick(index).lane(k)).collect::<Vec<_>>(),
                (0..L::COUNT).rev().map(|k| x.lane(k)).collect::<Vec<_>>()
            );
        }
        assert_eq!(
            (L::ZERO.lane(0).to_f64(), L::ONE.lane(L::COUNT - 1).to_f64()),
            (0.0, 1.0)
        );
        assert_eq!(L::default().lane(0).bits(), L::ZERO.lane(0).bits());
    }
    on_every_type!(L => check::<L>());
}

#[test]
fn a_slice_too_short_or_an_index_too_large_is_refused() {
    fn check<L: Lanes>() {
        let numbers = vec![L::Elem::default(); L::COUNT];
        let index = vec![L::COUNT as u32; L::COUNT];
        let refused =
            |attempt: &dyn Fn() -> L| std::panic::catch_unwind(std::panic::AssertUnwindSafe(attempt)).is_err();
        assert!(refused(&|| L::load(&numbers[1..])), "{}", L::NAME);
        assert!(refused(&|| L::gather(&numbers, &index)), "{}", L::NAME);
        assert!(refused(&|| L::gather(&numbers, &index[1..])), "{}", L::NAME);
        assert!(refused(&|| L::ONE.pick(&index[1..])), "{}", L::NAME);
        assert!(refused(&|| L::splat(L::ONE.lane(L::COUNT))), "{}", L::NAME);
        let store = || {
            L::ONE.store(&mut numbers.clone()[1..]);
            L::ONE
        };
        assert!(refused(&store), "{}", L::NAME);
    }
    on_every_type!(L => check::<L>());
}
