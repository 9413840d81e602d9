//! What a step made of the costs of constraint rows: whether the minimum of their parabolas is still the minimum, and whether the
//! factors of the Hessian still are its own.

use core::ops::BitOr;

/// Lanes, or islands one bit each, in which something about costs is not what it was.
#[derive(Clone, Copy, Debug)]
pub struct Change<M> {
    /// Some cost is another parabola or line.
    pub cost: M,
    /// Some curvature that the Hessian is made of is another. Not so where the curvature of before is kept though the cost changed.
    pub curvature: M,
}

impl<M: Copy + BitOr<Output = M>> Change<M> {
    /// That of costs made of parabolas and lines, whose curvature is never kept.
    #[inline(always)]
    pub fn of(changed: M) -> Self {
        Self {
            cost: changed,
            curvature: changed,
        }
    }

    /// Either change.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self {
            cost: self.cost | other.cost,
            curvature: self.curvature | other.curvature,
        }
    }
}
