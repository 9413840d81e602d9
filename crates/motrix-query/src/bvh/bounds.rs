//! Boxes along the axes.

use motrix_collide::vector::{Vec3, sub};

use crate::ray::Ray;

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest coordinates.
    pub min: Vec3,
    /// Highest coordinates.
    pub max: Vec3,
}

impl Bounds {
    /// Around nothing: the neutral element of [`Bounds::with`].
    pub const NONE: Bounds = Bounds {
        min: [f64::INFINITY; 3],
        max: [f64::NEG_INFINITY; 3],
    };

    /// Around points.
    pub fn of(points: &[Vec3]) -> Bounds {
        points
            .iter()
            .fold(Bounds::NONE, |all, &p| all.with(&Bounds { min: p, max: p }))
    }

    /// Around both. Comparisons rather than `f64::min`, which spends most of its time on what is not a number.
    #[inline(always)]
    #[must_use]
    pub fn with(&self, other: &Bounds) -> Bounds {
        let lower = |a: f64, b: f64| if b < a { b } else { a };
        let upper = |a: f64, b: f64| if b > a { b } else { a };
        Bounds {
            min: std::array::from_fn(|k| lower(self.min[k], other.min[k])),
            max: std::array::from_fn(|k| upper(self.max[k], other.max[k])),
        }
    }

    /// The middle.
    #[inline(always)]
    pub fn middle(&self) -> Vec3 {
        std::array::from_fn(|k| 0.5 * (self.min[k] + self.max[k]))
    }

    /// Half of the surface; 0 around nothing.
    #[inline(always)]
    pub(super) fn half_area(&self) -> f64 {
        let [x, y, z] = sub(self.max, self.min);
        if x < 0.0 { 0.0 } else { x * y + y * z + z * x }
    }

    /// Where a ray with these inverses of its direction enters, if it does at or after its start.
    #[inline(always)]
    pub(super) fn entered_by(&self, ray: &Ray, inverse: &Vec3) -> Option<f64> {
        let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
        for k in 0..3 {
            let (a, b) = (
                (self.min[k] - ray.origin[k]) * inverse[k],
                (self.max[k] - ray.origin[k]) * inverse[k],
            );
            let (near, far) = if inverse[k] < 0.0 { (b, a) } else { (a, b) };
            // What is not a number, of a ray along a side, bounds nothing.
            enter = if near > enter { near } else { enter };
            leave = if far < leave { far } else { leave };
        }
        // A ray that never moves along an axis enters at infinity when it is beside.
        (enter <= leave && enter < f64::INFINITY).then_some(enter)
    }

    /// Where a ray enters and leaves, if it does at or after its start.
    #[inline(always)]
    pub fn crossed_by(&self, ray: &Ray) -> Option<(f64, f64)> {
        let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
        for k in 0..3 {
            if ray.direction[k] == 0.0 {
                if !(self.min[k] <= ray.origin[k] && ray.origin[k] <= self.max[k]) {
                    return None;
                }
                continue;
            }
            let inverse = 1.0 / ray.direction[k];
            let (a, b) = (
                (self.min[k] - ray.origin[k]) * inverse,
                (self.max[k] - ray.origin[k]) * inverse,
            );
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        (enter <= leave).then_some((enter, leave))
    }
}
