//! A cell of a height field on the way of a ray: two triangles, cut along the diagonal from the near to the far corner.
//!
//! The height of the ray over the plane of each triangle is linear in t, and the surface is met where it changes its sign.

use motrix_collide::Surface;
use motrix_collide::vector::Vec3;

use super::Feature;
use super::solid::Met;
use super::terrain::{Along, Walk};

/// A cell, the heights of its corners, and the ray in it: from 0 to 1 across and along.
pub(super) struct Cell {
    col: usize,
    row: usize,
    corners: Corners,
    u: Along,
    v: Along,
    z: Along,
}

/// Heights of the corners of a cell.
#[derive(Clone, Copy)]
struct Corners {
    near: f64,
    right: f64,
    left: f64,
    far: f64,
}

impl Corners {
    #[inline(always)]
    fn of(surface: &Surface, row: usize, col: usize) -> Corners {
        let scale = surface.elevation();
        let [near, right, left, far] = surface.cell_numbers(row, col);
        Corners {
            near: f64::from(near) * scale,
            right: f64::from(right) * scale,
            left: f64::from(left) * scale,
            far: f64::from(far) * scale,
        }
    }

    /// How much a triangle rises across and along the cell.
    #[inline(always)]
    fn rise(&self, right: bool) -> [f64; 2] {
        if right {
            [self.right - self.near, self.far - self.right]
        } else {
            [self.far - self.left, self.left - self.near]
        }
    }
}

/// The upward unit normal of one of the triangles of a cell.
#[inline(always)]
pub fn slope_normal(surface: &Surface, row: usize, col: usize, right: bool) -> Vec3 {
    let ([dx, dy], [across, along]) = (surface.spacing(), Corners::of(surface, row, col).rise(right));
    let (across, along) = (across / dx, along / dy);
    let z = 1.0 / (1.0 + across * across + along * along).sqrt();
    [-across * z, -along * z, z]
}

impl Cell {
    /// The cell that a walk has come to.
    #[inline(always)]
    pub fn around(walk: &Walk) -> Cell {
        let [u, v] = walk.in_cell();
        Cell {
            col: walk.col,
            row: walk.row,
            corners: Corners::of(&walk.surface, walk.row, walk.col),
            u,
            v,
            z: walk.z,
        }
    }

    /// Whether the ray is over the right one of the triangles.
    #[inline(always)]
    fn is_right(&self, t: f64) -> bool {
        self.u.at(t) > self.v.at(t)
    }

    /// Height of the ray over the plane of one of the triangles.
    #[inline(always)]
    fn over(&self, t: f64, right: bool) -> f64 {
        let [across, along] = self.corners.rise(right);
        self.z.at(t) - (self.corners.near + self.u.at(t) * across + self.v.at(t) * along)
    }

    /// Height of the ray over the surface.
    #[inline(always)]
    pub fn clearance(&self, t: f64) -> f64 {
        self.over(t, self.is_right(t))
    }

    /// The triangle that the ray is over.
    pub fn feature(&self, t: f64) -> Feature {
        self.slope(self.is_right(t))
    }

    #[inline(always)]
    fn slope(&self, right: bool) -> Feature {
        Feature::Slope {
            row: self.row as u32,
            col: self.col as u32,
            right,
        }
    }

    /// Where a ray that is in the cell between two t changes sides, and on which side it leaves.
    #[inline(always)]
    pub fn crossing(&self, [from, to]: [f64; 2], above: bool) -> (Met, bool) {
        // Where the diagonal is crossed: not a number or infinite when the ray runs along it.
        let diagonal = (self.v.start - self.u.start) / (self.u.slope - self.v.slope);
        if !(diagonal > from && diagonal < to) {
            return self.crossing_one([from, to], self.is_right(0.5 * (from + to)), above);
        }
        let first = self.u.slope < self.v.slope;
        let (met, above) = self.crossing_one([from, diagonal], first, above);
        if met.is_some() {
            return (met, above);
        }
        self.crossing_one([diagonal, to], !first, above)
    }

    /// The same over one triangle.
    #[inline(always)]
    fn crossing_one(&self, [from, to]: [f64; 2], right: bool, above: bool) -> (Met, bool) {
        let (a, b) = (self.over(from, right), self.over(to, right));
        let t = if (a >= 0.0) != above {
            from
        } else if (b >= 0.0) != above {
            from + (to - from) * (a / (a - b))
        } else {
            return (None, above);
        };
        (Some((t, self.slope(right))), above)
    }
}
