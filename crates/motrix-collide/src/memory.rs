//! A direction that separated two shapes the last time, and often still does.
//!
//! Most pairs whose bounding shapes overlap do not touch, and stay apart along nearly the same direction from step to step. One
//! support point of each shape along it proves them apart, which a search from scratch takes many to find.
//!
//! A remembered direction can only save time. It is used for nothing but a proof that the shapes are farther apart than asked
//! for, with [`SLACK`] to spare, and then the search would find no contact either: its distances are those of points of the
//! shapes, so that they err towards too far. Whatever a memory holds, results are the same.

use crate::minkowski::{Pair, Vertex};
use crate::separation::Apart;
use crate::vector::{Vec3, dot, norm, unit};

/// By how much a gap must exceed what is asked for, relative to the distance of the points that span it: far above the rounding
/// of the search.
const SLACK: f64 = 1e-9;

/// What is remembered of a pair of shapes between searches; at first nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// Unit direction from the first shape to the second, in the frame of the first.
    axis: Option<Vec3>,
}

impl Memory {
    /// A direction of any length that may separate two shapes.
    #[inline(always)]
    pub(crate) fn of(direction: Vec3) -> Memory {
        Memory { axis: unit(direction) }
    }

    /// Remembers the direction that separated two shapes, or that they were not apart.
    #[inline(always)]
    pub(crate) fn keep(&mut self, axis: Option<Vec3>) {
        self.axis = axis;
    }

    /// Remembers the direction that a search ended with, if it has one.
    #[inline(always)]
    pub(crate) fn keep_axis(&mut self, apart: Apart) {
        if let Some(axis) = apart.axis.and_then(unit) {
            self.axis = Some(axis);
        }
    }

    /// Whether the cores of a pair are certainly farther apart than `limit`.
    #[inline(always)]
    pub(crate) fn proves_apart(&self, pair: &Pair, limit: f64) -> bool {
        let Some(n) = self.axis else {
            return false;
        };
        let w = pair.support(n, &Vertex::ZERO);
        -dot(w.p, n) > limit + SLACK * norm(w.p)
    }
}
