//! How stiff a constraint is: impedance, regularisation and reference acceleration.
//!
//! A constraint with violation r and velocity v asks for the acceleration a_ref = −B v − K d(r) r and is regularised by
//! R = (1 − d)/d · Â, with Â the approximate inverse inertia it sees (MuJoCo documentation, "Solver parameters").
//! K and B follow from `solref`, the impedance d(r) from `solimp`.
//!
//! Stiff constraints have d near 1, and in single precision 1 − d would be little but the rounding of d: of d = 0.9999 it leaves
//! a 6000th uncertain. Both are therefore worked out from the curve.

use motrix_model::{Options, SolImp, SolRef};
use motrix_spatial::{Lanes, Mask, Real};

/// Impedances stay inside `[MIN_IMPEDANCE, MAX_IMPEDANCE]` (MuJoCo's `mjMINIMP`, `mjMAXIMP`).
const MIN_IMPEDANCE: f64 = 1e-4;
const MAX_IMPEDANCE: f64 = 0.9999;
/// Smallest denominator (MuJoCo's `mjMINVAL`).
pub const MIN_VALUE: f64 = 1e-15;

/// Stiffness and damping of the reference acceleration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference<T> {
    /// Stiffness K.
    pub stiffness: T,
    /// Damping B.
    pub damping: T,
}

impl Reference<f64> {
    /// K and B of `solref`, for the saturated impedance `dmax`.
    ///
    /// Standard form (positive): K = 1/(dmax² τ² ζ²), B = 2/(dmax τ), with τ at least two time steps unless `refsafe` is
    /// disabled. Direct form (negative): K = −s₀/dmax², B = −s₁/dmax. Mixed signs fall back to the default.
    pub fn new(solref: SolRef, solimp: &SolImp, options: &Options) -> Self {
        let mixed = (solref[0] > 0.0) != (solref[1] > 0.0);
        let [mut a, b] = if mixed { [0.02, 1.0] } else { solref };
        if a > 0.0 && !options.disable.refsafe {
            a = a.max(2.0 * options.timestep);
        }
        let dmax = solimp[1].clamp(MIN_IMPEDANCE, MAX_IMPEDANCE);
        let stiffness = if a > 0.0 {
            1.0 / (dmax * dmax * a * a * b * b).max(MIN_VALUE)
        } else {
            -a / (dmax * dmax).max(MIN_VALUE)
        };
        let damping = if b > 0.0 {
            2.0 / (dmax * a).max(MIN_VALUE)
        } else {
            -b / dmax.max(MIN_VALUE)
        };
        Self { stiffness, damping }
    }

    /// The same for the friction directions of an elliptic contact: no stiffness; zeros stand for the normal's `solref`.
    pub fn friction(solref_friction: SolRef, solref: SolRef, solimp: &SolImp, options: &Options) -> Self {
        let mixed = (solref_friction[0] > 0.0) != (solref_friction[1] > 0.0);
        let own = !mixed && solref_friction != [0.0; 2];
        let damping = Self::new(if own { solref_friction } else { solref }, solimp, options).damping;
        Self {
            stiffness: 0.0,
            damping,
        }
    }
}

/// An impedance d, and 1 − d.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level<T> {
    /// d.
    pub d: T,
    /// 1 − d.
    pub lack: T,
}

impl Level<f64> {
    /// The impedance of `solimp` where nothing is violated.
    pub fn at_rest(solimp: &SolImp) -> Self {
        let d = Impedance::new(solimp).d0;
        Self { d, lack: 1.0 - d }
    }

    /// Rounded to the scalar of the lanes.
    pub fn round<E: Real>(&self) -> Level<E> {
        Level {
            d: E::from_f64(self.d),
            lack: E::from_f64(self.lack),
        }
    }
}

impl<E: Real> Level<E> {
    /// The same impedance in every lane.
    #[inline(always)]
    pub fn splat<L: Lanes<Elem = E>>(&self) -> Level<L> {
        Level {
            d: L::splat(self.d),
            lack: L::splat(self.lack),
        }
    }
}

/// The impedance curve d(r): from `d0` at no violation to `dmax` at `width`, a power on each side of the midpoint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impedance<T> {
    /// d at no violation.
    pub d0: T,
    /// By how much d grows up to `width`.
    pub rise: T,
    /// 1 − d at and beyond `width`.
    pub lack: T,
    /// 1/width; 0 for a flat curve, which then does not rise.
    pub inverse_width: T,
    /// Where the two branches meet, as a share of the width.
    pub midpoint: T,
    /// Exponent of the branches.
    pub power: T,
}

impl Impedance<f64> {
    /// The curve of `solimp`, with MuJoCo's bounds.
    pub fn new(solimp: &SolImp) -> Self {
        let d0 = solimp[0].clamp(MIN_IMPEDANCE, MAX_IMPEDANCE);
        let dmax = solimp[1].clamp(MIN_IMPEDANCE, MAX_IMPEDANCE);
        let width = solimp[2].max(0.0);
        let midpoint = solimp[3].clamp(MIN_IMPEDANCE, MAX_IMPEDANCE);
        let power = solimp[4].max(1.0);
        if d0 == dmax || width <= MIN_VALUE {
            let mean = 0.5 * (d0 + dmax);
            return Self {
                d0: mean,
                rise: 0.0,
                lack: 1.0 - mean,
                inverse_width: 0.0,
                midpoint,
                power,
            };
        }
        Self {
            d0,
            rise: dmax - d0,
            lack: 1.0 - dmax,
            inverse_width: 1.0 / width,
            midpoint,
            power,
        }
    }

    /// Rounded to the scalar of the lanes.
    pub fn round<E: Real>(&self) -> Impedance<E> {
        Impedance {
            d0: E::from_f64(self.d0),
            rise: E::from_f64(self.rise),
            lack: E::from_f64(self.lack),
            inverse_width: E::from_f64(self.inverse_width),
            midpoint: E::from_f64(self.midpoint),
            power: E::from_f64(self.power),
        }
    }
}

impl<E: Real> Impedance<E> {
    /// The same curve in every lane.
    #[inline(always)]
    pub fn splat<L: Lanes<Elem = E>>(&self) -> Impedance<L> {
        Impedance {
            d0: L::splat(self.d0),
            rise: L::splat(self.rise),
            lack: L::splat(self.lack),
            inverse_width: L::splat(self.inverse_width),
            midpoint: L::splat(self.midpoint),
            power: L::splat(self.power),
        }
    }
}

impl<L: Lanes> Impedance<L> {
    /// d(r).
    #[inline(always)]
    pub fn at(&self, violation: L) -> Level<L> {
        let x = (violation * self.inverse_width).abs();
        let two = L::c(2.0);
        let lower = x.le(self.midpoint);
        // Distance from the end of the branch, and the branch's own length.
        let (u, m) = (
            L::select(lower, x, L::ONE - x),
            L::select(lower, self.midpoint, L::ONE - self.midpoint),
        );
        // Branch height u^p / m^(p−1).
        let h = if self.power.equal(two).all() {
            u * u / m
        } else {
            self.general_branch(u, m)
        };
        // Share of the rise that is behind, and what is ahead.
        let rest = L::ONE - h;
        let inside = x.lt(L::ONE);
        let behind = L::select(inside, L::select(lower, h, rest), L::ONE);
        let ahead = L::select(inside, L::select(lower, rest, h), L::ZERO);
        Level {
            d: behind.mul_add(self.rise, self.d0),
            lack: ahead.mul_add(self.rise, self.lack),
        }
    }

    /// u^p / m^(p−1) for any exponent; lanes beyond the end (u < 0) are discarded by the caller.
    #[inline(always)]
    fn general_branch(&self, u: L, m: L) -> L {
        let u = u.max(L::ZERO);
        let h = u.map2(self.power, f64::powf) / m.map2(self.power - L::ONE, f64::powf);
        L::select(self.power.equal(L::ONE), u, h)
    }
}

/// R = (1 − d)/d · Â, and 1/R.
#[inline(always)]
pub fn regularisation<L: Lanes>(impedance: Level<L>, inverse_inertia: L) -> (L, L) {
    let r = (impedance.lack * inverse_inertia / impedance.d).max(L::c(MIN_VALUE));
    (r, r.recip())
}

#[cfg(test)]
mod tests {
    use motrix_spatial::lanes::{F32x8Portable, F64x4Portable};

    use super::*;

    /// The largest relative error of R in single precision over violations up to twice the width.
    fn error(solimp: SolImp) -> f64 {
        let exact = Impedance::new(&solimp);
        let rounded = exact.round::<f32>();
        let errors = (0..1000).map(|k| {
            // The same number in both precisions: what single precision makes of the violation is not the question.
            let violation = f64::from((2.0 * solimp[2] * f64::from(k) / 999.0) as f32);
            let (r, _) = regularisation(exact.splat().at(F64x4Portable::c(violation)), F64x4Portable::ONE);
            let (single, _) = regularisation(rounded.splat().at(F32x8Portable::c(violation)), F32x8Portable::ONE);
            (single.lane(0).to_f64() / r.lane(0) - 1.0).abs()
        });
        errors.fold(0.0, f64::max)
    }

    #[test]
    fn stiff_constraints_are_as_soft_in_single_precision() {
        // Between half and all of the width x = r/width is rounded to 2⁻²⁴, and 1 − x with it: near the end of a curve that rises to
        // 0.9999 what is ahead of it shrinks to that rounding while R shrinks to a 10⁴th.
        for (solimp, bound) in [
            ([0.9, 0.95, 0.001, 0.5, 2.0], 1e-6),
            ([0.95, 0.99, 0.01, 0.5, 2.0], 1e-6),
            ([0.9, 0.9999, 0.01, 0.5, 2.0], 1e-5),
            ([0.9999, 0.9999, 0.001, 0.5, 2.0], 1e-6),
            ([0.0001, 0.5, 0.001, 0.5, 1.0], 1e-6),
        ] {
            let found = error(solimp);
            assert!(found < bound, "{solimp:?}: {found:.1e}");
        }
    }

    #[test]
    fn what_an_impedance_lacks_of_one_is_the_rest() {
        let curve = Impedance::new(&[0.2, 0.9, 0.01, 0.3, 3.0]);
        for k in 0..=20 {
            let Level { d, lack } = curve.splat().at(F64x4Portable::c(0.001 * f64::from(k)));
            assert!(
                (d + lack - F64x4Portable::ONE).lane(0).abs() < 1e-15,
                "{d:?} and {lack:?}"
            );
        }
    }
}
