//! Primitive shapes in place of a mesh: sizes from its inertia box or its bounding box.

use super::MeshAsset;
use crate::space::{self, Vec3};

/// Shapes that can stand in for a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitShape {
    /// Radius.
    Sphere,
    /// Radius and half length of the straight part, along z.
    Capsule,
    /// Radius and half length, along z.
    Cylinder,
    /// Three radii.
    Ellipsoid,
    /// Three half sizes.
    Box,
}

/// What the shape is fitted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitTo {
    /// The box with the same inertia, at the centre of mass.
    InertiaBox,
    /// The axis-aligned bounding box in the principal frame, at its centre.
    BoundingBox,
}

/// Size and place of a fitted shape. Its axes are those of the mesh ([`MeshAsset::quat`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Sizes as the shape counts them; unused ones are zero.
    pub size: [f64; 3],
    /// Centre in the frame the mesh was given in.
    pub pos: [f64; 3],
}

impl MeshAsset {
    /// The shape that replaces this mesh, its sizes multiplied by `scale`.
    pub fn fit(&self, shape: FitShape, to: FitTo, scale: f64) -> Fit {
        let (size, centre) = match to {
            FitTo::InertiaBox => (from_inertia_box(shape, self.inertia_box), [0.0; 3]),
            FitTo::BoundingBox => {
                let (min, max) = (&self.aabb_min, &self.aabb_max);
                let centre: Vec3 = std::array::from_fn(|k| (min[k] + max[k]) / 2.0);
                (from_bounding_box(shape, space::difference(max, &centre)), centre)
            }
        };
        let offset = space::apply(&space::matrix(&self.quat), &centre);
        Fit {
            size: size.map(|x| x * scale),
            pos: std::array::from_fn(|k| offset[k] + self.pos[k]),
        }
    }
}

fn from_inertia_box(shape: FitShape, [x, y, z]: Vec3) -> Vec3 {
    let radius = (x + y) / 2.0;
    match shape {
        FitShape::Sphere => [(x + y + z) / 3.0, 0.0, 0.0],
        FitShape::Capsule => [radius, (z - radius / 2.0).max(0.0), 0.0],
        FitShape::Cylinder => [radius, z, 0.0],
        FitShape::Ellipsoid | FitShape::Box => [x, y, z],
    }
}

/// The smallest shape whose bounding box contains the given one. A capsule wider than long gets a negative length, which
/// the check of geom sizes reports.
fn from_bounding_box(shape: FitShape, [x, y, z]: Vec3) -> Vec3 {
    let radius = x.max(y);
    match shape {
        FitShape::Sphere => [radius.max(z), 0.0, 0.0],
        FitShape::Capsule => [radius, z - radius, 0.0],
        FitShape::Cylinder => [radius, z, 0.0],
        FitShape::Ellipsoid | FitShape::Box => [x, y, z],
    }
}
