//! Rays: where o + t d with t ≥ 0 first meets the surface of a shape.
//!
//! A shape is asked in its own frame for the least t and the *feature* of its surface met there, from which [`Feature`]'s owner tells the
//! normal afterwards: only the nearest of many shapes needs one. Surfaces are met from both sides, so that a ray that starts inside a
//! solid meets it where it leaves; only planes are open from below. Normals point out of the solid whichever side is met. Rules
//! are those of MuJoCo's `mj_ray`, grazing included: a ray that only touches a round shape misses it.

mod cell;
mod solid;
mod terrain;

pub use cell::slope_normal;
pub use solid::{ball, block, capsule, cylinder, ellipsoid, plane};
pub use terrain::{Ground, terrain};

use motrix_collide::Pose;
use motrix_collide::vector::{Vec3, add_scaled, rotate_back, sub};
use motrix_model::GeomId;

/// A ray. The direction need not be of unit length; distances along it are in its units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: Vec3,
    /// Where it goes.
    pub direction: Vec3,
}

impl Ray {
    /// The point at t.
    #[inline(always)]
    pub fn at(&self, t: f64) -> Vec3 {
        add_scaled(self.origin, self.direction, t)
    }

    /// The same ray seen from the frame at `pose`.
    #[inline(always)]
    #[must_use]
    pub fn seen_from(&self, pose: &Pose) -> Ray {
        Ray {
            origin: rotate_back(&pose.rotation, sub(self.origin, pose.position)),
            direction: rotate_back(&pose.rotation, self.direction),
        }
    }
}

/// The part of a surface that a ray meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The curved part of a round shape.
    Round,
    /// A flat side across a local axis.
    Flat {
        /// The axis.
        axis: u8,
        /// Whether the side looks along the axis.
        positive: bool,
    },
    /// A triangle of a mesh.
    Face(u32),
    /// One of the triangles of a cell of a height field; `right` is that towards (+x, −y).
    Slope {
        /// Row of the cell.
        row: u32,
        /// Column of the cell.
        col: u32,
        /// Which of the two.
        right: bool,
    },
}

impl Feature {
    /// The outward normal of a flat side.
    pub(crate) fn flat_normal(axis: u8, positive: bool) -> Vec3 {
        let mut normal = [0.0; 3];
        normal[usize::from(axis)] = if positive { 1.0 } else { -1.0 };
        normal
    }
}

/// What a ray meets first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// How far, in units of the direction's length.
    pub distance: f64,
    /// Whose surface.
    pub geom: GeomId,
    /// The surface's unit normal in the world, out of the solid.
    pub normal: Vec3,
    /// Where on the mesh, when the geom is one.
    pub face: Option<OnFace>,
}

/// A place on a triangle of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnFace {
    /// The triangle: an index into the mesh asset's faces.
    pub face: u32,
    /// Shares of the three corners, which add up to 1.
    pub weights: Vec3,
}
