//! Pictures without a graphics card: rays through pixels, in lanes.
//!
//! A [`Stage`] is what there is to see, in the world: [`Piece`]s with their [`Look`]s, [`Lamp`]s and a sky. A [`View`] is where it is seen
//! from. Both make a [`Shot`]: all pieces moved into the frame of the camera, where rays start at the origin and a ray's parameter
//! *is* its depth, and listed for each tile of the screen that their bounds can touch. Bands of rows of a shot are then drawn
//! independently ([`Kernels`]), so that any number of threads may share the work without changing a bit of it.
//!
//! One packet holds neighbouring pixels of a row, one per lane. It tests the pieces of its tile by closed forms, triangles through the
//! tree of their mesh, and terrain through its pyramid of extremes. Surfaces are seen from outside only, as with the culling of
//! back faces that other renderers do: a camera inside a shape looks through it, and what is transparent is one layer.
//!
//! Light is that of the fixed-function pipeline MuJoCo's pictures are made with (Blinn 1977): ambient, diffuse and specular terms per
//! lamp, spots with a cut-off, and hard shadows by one ray per lamp.

mod field;
mod instance;
mod kernels;
mod lamp;
mod look;
mod mesh;
mod packet;
mod scene;
mod shade;
mod shadow;
mod shape;
mod shot;
mod surface;
mod tendon;
mod texture;
mod view;

pub use kernels::Kernels;
pub use lamp::{Lamp, LampKind};
pub use look::Look;
pub use mesh::Triangles;
pub use scene::{Assets, BodyPose, Choice, cut, quaternion_matrix, window};
pub use shot::{Quality, Shot};
pub use surface::{Form, Piece, Stage};
pub use texture::Pyramid;
pub use view::View;

/// What stands in a pixel of a segmentation where nothing is seen.
pub const NOTHING: i32 = -1;
