//! Springs and dampers whose force grows with powers of the displacement.
//!
//! The force of a spring at the displacement x is −x p(x) with p(x) = k + k₁ x + k₂ x². A damper has the same form in the
//! speed |v|, so that it resists both directions alike: −v p(|v|) (MuJoCo's `mju_polyForce` and its relatives).

use motrix_spatial::{Lanes, Real};

/// Coefficients of p(x) = k + k₁ x + k₂ x².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Polynomial<T> {
    /// k.
    pub linear: T,
    /// k₁ and k₂.
    pub higher: [T; 2],
}

impl Polynomial<f64> {
    /// Whether p is zero everywhere.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// Rounded to the scalar of the lanes.
    pub fn round<E: Real>(&self) -> Polynomial<E> {
        Polynomial {
            linear: E::from_f64(self.linear),
            higher: self.higher.map(E::from_f64),
        }
    }
}

impl<E: Real> Polynomial<E> {
    /// The same coefficients in every lane.
    #[inline(always)]
    pub fn splat<L: Lanes<Elem = E>>(&self) -> Polynomial<L> {
        Polynomial {
            linear: L::splat(self.linear),
            higher: [L::splat(self.higher[0]), L::splat(self.higher[1])],
        }
    }
}

impl<L: Lanes> Polynomial<L> {
    /// p(x).
    #[inline(always)]
    pub fn at(&self, x: L) -> L {
        let [k1, k2] = self.higher;
        k2.mul_add(x, k1).mul_add(x, self.linear)
    }

    /// d(x p(x))/dx = k + 2 k₁ x + 3 k₂ x².
    #[inline(always)]
    pub fn slope(&self, x: L) -> L {
        let [k1, k2] = self.higher;
        (L::c(3.0) * k2).mul_add(x, L::c(2.0) * k1).mul_add(x, self.linear)
    }

    /// ∫ x p(x) dx from 0 = ½ k x² + ⅓ k₁ x³ + ¼ k₂ x⁴.
    #[inline(always)]
    pub fn potential(&self, x: L) -> L {
        let [k1, k2] = self.higher;
        let inner = (k2 * L::c(0.25)).mul_add(x, k1 * L::c(1.0 / 3.0));
        inner.mul_add(x, L::c(0.5) * self.linear) * x * x
    }
}
