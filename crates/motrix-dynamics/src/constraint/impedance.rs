//! How stiff a constraint is: impedance, regularisation and reference acceleration.
//!
//! A constraint with violation r and velocity v asks for the acceleration a_ref = −B v − K d(r) r and is regularised by
//! R = (1 − d)/d · Â, with Â the approximate inverse inertia it sees (MuJoCo documentation, "Solver parameters").
//! K and B follow from `solref`, the impedance d(r) from `solimp`.

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

/// The impedance curve d(r): from `d0` at no violation to `dmax` at `width`, a power on each side of the midpoint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impedance<T> {
    /// d at no violation.
    pub d0: T,
    /// d at and beyond `width`.
    pub dmax: T,
    /// 1/width; 0 for a flat curve, which then has d0 = dmax.
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
                dmax: mean,
                inverse_width: 0.0,
                midpoint,
                power,
            };
        }
        Self {
            d0,
            dmax,
            inverse_width: 1.0 / width,
            midpoint,
            power,
        }
    }

    /// Rounded to the scalar of the lanes.
    pub fn round<E: Real>(&self) -> Impedance<E> {
        Impedance {
            d0: E::from_f64(self.d0),
            dmax: E::from_f64(self.dmax),
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
            dmax: L::splat(self.dmax),
            inverse_width: L::splat(self.inverse_width),
            midpoint: L::splat(self.midpoint),
            power: L::splat(self.power),
        }
    }
}

impl<L: Lanes> Impedance<L> {
    /// d(r).
    #[inline(always)]
    pub fn at(&self, violation: L) -> L {
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
        let y = L::select(lower, h, L::ONE - h);
        let y = L::select(x.lt(L::ONE), y, L::ONE);
        y.mul_add(self.dmax - self.d0, self.d0)
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
pub fn regularisation<L: Lanes>(impedance: L, inverse_inertia: L) -> (L, L) {
    let r = ((L::ONE - impedance) * inverse_inertia / impedance).max(L::c(MIN_VALUE));
    (r, r.recip())
}
