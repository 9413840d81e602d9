//! Sine and cosine together, in lanes, without any library.
//!
//! Cody and Waite: `x = k·π/2 + r` with `|r| ≤ π/4`, one polynomial each for `sin r` and `cos r`, then the
//! quadrant `k mod 4` swaps them and sets their signs. π/2 is split into parts with so few bits that `k·part` is exact,
//! fused or not, so the subtraction that cancels the leading bits is exact too. The quadrant is found with `floor` and
//! comparisons of floating-point numbers, hence one source for every lane type. The coefficients are minimax fits of
//! the relative error, each rounded in turn and the later ones refitted.
//!
//! Accuracy, measured by the tests: `f32` within 1.1 ulp for `|x| ≤ 2¹³`, `f64` within 1 ulp for `|x| ≤ 2²⁰`. Farther
//! out the argument is first brought into one turn (see [`within_a_turn`]); infinities give NaN.

use super::{Lanes, Mask};

/// Up to here `k` has 13 bits, and `k` times an 11-bit part of π/2 fits the 24 bits of an `f32`.
const NEAR_F32: f64 = 8_192.0;
/// Up to here `k` has 20 bits, and `k` times a 33-bit part of π/2 fits the 53 bits of an `f64`.
const NEAR_F64: f64 = 1_048_576.0;

const TWO_OVER_PI: f64 = core::f64::consts::FRAC_2_PI;
const TURN: f64 = core::f64::consts::TAU;
/// What `TURN` lacks to 2π.
const TURN_REST: f64 = 2.449_293_598_294_706_4e-16;

/// Sine and cosine of `f32` lanes.
#[inline(always)]
pub(super) fn sin_cos_f32<L: Lanes<Elem = f32>>(x: L) -> (L, L) {
    /// Adding 1.5·2²³ leaves no bit for a fraction, whatever the sign of the sum.
    const ROUND: f64 = 12_582_912.0;
    /// π/2 in three parts of 11 bits and one of 24; 2⁻⁶³ is left over.
    const HALF_PI: [f64; 4] = [
        1.570_312_5,
        4.837_512_969_970_703e-4,
        7.549_533_620_476_723e-8,
        2.563_344_068_257_089_6e-12,
    ];
    /// `sin r ≈ r + r³ P(r²)`, relative error 2⁻²⁷·⁹.
    const SIN: [f64; 3] = [
        -0.166_666_552_424_430_85,
        8.332_189_172_506_332e-3,
        -1.951_827_725_861_221_6e-4,
    ];
    /// `cos r ≈ 1 − r²/2 + r⁴ Q(r²)`, relative error 2⁻³³.
    const COS: [f64; 3] = [
        0.041_666_645_556_688_31,
        -1.388_730_946_928_262_7e-3,
        2.443_232_733_639_888_5e-5,
    ];

    let x = bring_near(x, NEAR_F32);
    let k = x.mul_add(L::c(TWO_OVER_PI), L::c(ROUND)) - L::c(ROUND);
    // r and dr are the head and the tail of x − k·π/2. The first two differences are exact, the third leaves its
    // rounding error for the tail; without the tail the sine would be off by up to 1.5 ulp instead of 1.1.
    let a = k.neg_mul_add(L::c(HALF_PI[0]), x);
    let b = k.neg_mul_add(L::c(HALF_PI[1]), a);
    let kc = k * L::c(HALF_PI[2]);
    let c = b - kc;
    let lost = (b - c) - kc;
    let rest = k.neg_mul_add(L::c(HALF_PI[3]), lost);
    let r = c + rest;
    let dr = (c - r) + rest;

    let z = r * r;
    let p = L::c(SIN[2]).mul_add(z, L::c(SIN[1])).mul_add(z, L::c(SIN[0]));
    let sin = r + (p * z).mul_add(r, dr);
    let q = L::c(COS[2]).mul_add(z, L::c(COS[1])).mul_add(z, L::c(COS[0]));
    let half = z * L::c(0.5);
    let head = L::ONE - half;
    let cos = head + (q * z).mul_add(z, (L::ONE - head) - half);
    in_quadrant(k, sin, cos)
}

/// Sine and cosine of `f64` lanes.
#[inline(always)]
pub(super) fn sin_cos_f64<L: Lanes<Elem = f64>>(x: L) -> (L, L) {
    /// 1.5·2⁵², see `sin_cos_f32`.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    /// π/2 in three parts of 33 bits and one of 53; 2⁻¹⁶⁰ is left over.
    const HALF_PI: [f64; 4] = [
        1.570_796_326_734_125_6,
        6.077_100_506_303_966e-11,
        2.022_266_248_711_166_5e-21,
        8.478_427_660_368_9e-32,
    ];
    /// `sin r ≈ r + r³ P(r²)`, relative error 2⁻⁵⁷·⁹.
    const SIN: [f64; 6] = [
        -0.166_666_666_666_666_3,
        8.333_333_333_321_84e-3,
        -1.984_126_982_935_850_6e-4,
        2.755_731_353_849_892_4e-6,
        -2.505_073_438_585_322e-8,
        1.589_543_304_660_951_4e-10,
    ];
    /// `cos r ≈ 1 − r²/2 + r⁴ Q(r²)`, relative error 2⁻⁶³·⁹.
    const COS: [f64; 6] = [
        0.041_666_666_666_666_595,
        -1.388_888_888_887_333_3e-3,
        2.480_158_728_899_287_4e-5,
        -2.755_731_421_355_271_7e-7,
        2.087_570_483_254_415_3e-9,
        -1.135_871_621_368_409_3e-11,
    ];

    let x = bring_near(x, NEAR_F64);
    let k = x.mul_add(L::c(TWO_OVER_PI), L::c(ROUND)) - L::c(ROUND);
    // r and dr are the head and the tail of x − k·π/2; each difference leaves its rounding error for the tail.
    let a = k.neg_mul_add(L::c(HALF_PI[0]), x);
    let kb = k * L::c(HALF_PI[1]);
    let b = a - kb;
    let kc = k * L::c(HALF_PI[2]);
    let c = b - kc;
    let lost = ((a - b) - kb) + ((b - c) - kc);
    let rest = k.neg_mul_add(L::c(HALF_PI[3]), lost);
    let r = c + rest;
    let dr = (c - r) + rest;

    let z = r * r;
    // sin(r + dr) ≈ r + (r³ P + dr (1 − r²/2))
    let p = horner(&SIN, z);
    let sin = r + (p * z).mul_add(r, (z * dr).neg_mul_add(L::c(0.5), dr));
    // cos(r + dr) ≈ 1 − r²/2 + (r⁴ Q − r dr), where the rounding error of 1 − r²/2 joins the small terms
    let q = horner(&COS, z);
    let half = z * L::c(0.5);
    let head = L::ONE - half;
    let cos = head + (((L::ONE - head) - half) + (q * z).mul_add(z, -(r * dr)));
    in_quadrant(k, sin, cos)
}

/// `c[0] + c[1] z + … + c[5] z⁵`.
#[inline(always)]
fn horner<L: Lanes>(c: &[f64; 6], z: L) -> L {
    let mut sum = L::c(c[5]);
    for i in (0..5).rev() {
        sum = sum.mul_add(z, L::c(c[i]));
    }
    sum
}

/// Sine and cosine of `k·π/2 + r` from those of `r`: odd `k` swaps them, and a half turn or a quarter turn on negates.
#[inline(always)]
fn in_quadrant<L: Lanes>(k: L, sin: L, cos: L) -> (L, L) {
    // k = 4·turns + 2·half + quarter, each of the last two 0 or 1; `x − floor(x)` is then 0 or one half.
    let halves = k * L::c(0.5);
    let whole_halves = halves.floor();
    let quarter = halves - whole_halves;
    let turns = whole_halves * L::c(0.5);
    let half = turns - turns.floor();

    let odd = quarter.gt(L::ZERO);
    // 1 − 4·0 = 1 and 1 − 4·½ = −1
    let sin_sign = half.neg_mul_add(L::c(4.0), L::ONE);
    let cos_sign = quarter.neg_mul_add(L::c(4.0), L::ONE) * sin_sign;
    (L::select(odd, cos, sin) * sin_sign, L::select(odd, sin, cos) * cos_sign)
}

/// Arguments beyond `limit` brought into one turn; the others untouched.
#[inline(always)]
fn bring_near<L: Lanes>(x: L, limit: f64) -> L {
    let far = x.abs().gt(L::c(limit));
    if far.any() { turns_removed(x, far) } else { x }
}

/// Kept out of line: a hinge rarely turns a thousand times, and this must not weigh on every call of a kernel.
#[cold]
#[inline(never)]
fn turns_removed<L: Lanes>(x: L, far: L::Mask) -> L {
    L::select(far, x.map(within_a_turn), x)
}

/// `x` less whole turns of 2π, in (−2π, 2π); NaN for infinities.
///
/// The remainder by the `f64` nearest 2π is exact by definition, and what that number lacks to 2π is made good for
/// every turn: the phase is right to about 1e-15 while the number of turns fits an `f64`. Beyond, it is still the same
/// on every machine.
fn within_a_turn(x: f64) -> f64 {
    let remainder = x % TURN;
    let turns = ((x - remainder) / TURN).round();
    (remainder - turns * TURN_REST) % TURN
}
