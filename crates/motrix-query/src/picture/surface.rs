//! What there is to see, in the frame of the world.

use std::sync::Arc;

use motrix_collide::HeightField;
use motrix_collide::vector::{Mat3, Vec3};

use super::lamp::Lamp;
use super::look::Look;
use super::mesh::Triangles;
use super::texture::Pyramid;

/// A shape in its own frame.
#[derive(Clone, Debug)]
pub enum Form {
    /// The face z = 0 seen from above, within the half sizes that are positive.
    Plane,
    /// Terrain.
    Field(Arc<HeightField>),
    /// A ball; its radius is the first size.
    Sphere,
    /// A ball swept along z: radius, half length.
    Capsule,
    /// Semi-axes.
    Ellipsoid,
    /// Along z: radius, half length.
    Cylinder,
    /// Half sizes.
    Box,
    /// A mesh.
    Mesh(Arc<Triangles>),
}

/// A shape somewhere.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Its shape.
    pub form: Form,
    /// Its sizes, whose meaning the form gives.
    pub size: Vec3,
    /// Where its frame is.
    pub position: Vec3,
    /// Axes of its frame as columns, row-major.
    pub rotation: Mat3,
    /// Which of the stage's looks it has.
    pub look: usize,
    /// What a segmentation says about its pixels.
    pub tag: i32,
}

/// Everything there is to see.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Shapes.
    pub pieces: Vec<Piece>,
    /// How they look.
    pub looks: Arc<[Look]>,
    /// Lights, in the world.
    pub lamps: Vec<Lamp>,
    /// A lamp in the camera's hand, which throws no shadows that one could see; its place is the camera's.
    pub headlight: Option<Lamp>,
    /// The sky; a plain gradient without one.
    pub sky: Option<Arc<Pyramid>>,
}
