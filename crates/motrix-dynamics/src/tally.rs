//! Sums of forces in which large ones cancel.
//!
//! Bodies that press against each other, or that a strong joint holds together, act on the rest of their tree with what is left of
//! two large forces. Rounding that rest as the forces are would drown it: a grip of 10⁵ N leaves a hundredth of a newton of noise
//! in single precision at the base of the arm. So each sum keeps what its roundings took away (D. Knuth, *The Art of Computer
//! Programming* 2, §4.2.2, theorem B): equal and opposite forces cancel exactly, however long the way to where they meet.

use motrix_spatial::algebra::{add6, sub6, zero6};
use motrix_spatial::{Force, Lanes};

/// A sum of forces.
#[derive(Clone, Copy, Debug)]
pub struct Tally<L> {
    sum: Force<L>,
    /// What the roundings of `sum` took away.
    rest: Force<L>,
}

impl<L: Lanes> Tally<L> {
    /// One force.
    #[inline(always)]
    pub fn of(force: Force<L>) -> Self {
        Self {
            sum: force,
            rest: zero6(),
        }
    }

    /// Adds a force.
    #[inline(always)]
    pub fn add(&mut self, force: &Force<L>) {
        let sum = add6(&self.sum, force);
        let added = sub6(&sum, &self.sum);
        let lost = add6(&sub6(&self.sum, &sub6(&sum, &added)), &sub6(force, &added));
        self.sum = sum;
        self.rest = add6(&self.rest, &lost);
    }

    /// Takes a force away.
    #[inline(always)]
    pub fn subtract(&mut self, force: &Force<L>) {
        self.add(&sub6(&zero6(), force));
    }

    /// Adds another sum.
    #[inline(always)]
    pub fn merge(&mut self, other: &Self) {
        self.add(&other.sum);
        self.rest = add6(&self.rest, &other.rest);
    }

    /// `force` less this sum.
    #[inline(always)]
    pub fn subtracted_from(&self, force: Force<L>) -> Self {
        let mut all = Self::of(force);
        all.subtract(&self.sum);
        all.rest = sub6(&all.rest, &self.rest);
        all
    }

    /// The sum, rounded once.
    #[inline(always)]
    pub fn total(&self) -> Force<L> {
        add6(&self.sum, &self.rest)
    }
}

#[cfg(test)]
mod tests {
    use motrix_spatial::Real;
    use motrix_spatial::lanes::F32x8Portable as L;

    use super::*;

    #[test]
    fn a_strong_grip_leaves_what_little_acts_beside_it() {
        let force = |x: f64| [L::c(x); 6];
        let mut arm = Tally::of(force(0.125));
        for grip in [119_747.06, -31_415.927, 0.3] {
            let mut finger = Tally::of(force(0.001));
            finger.subtract(&force(grip));
            arm.add(&force(grip));
            arm.merge(&finger);
        }
        let left = arm.total()[0].lane(0).to_f64();
        // One rounding of each small force and of their sum.
        assert!((left - 0.128).abs() < 1e-8, "{left}");
    }
}
