//! Assets: meshes, height fields, textures and materials.

use std::sync::Arc;

use crate::{Quat, TextureId, Vec3};

/// A mesh asset, centred on its centre of mass and aligned with its principal axes as MuJoCo does.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Name.
    pub name: String,
    /// Vertices in the mesh frame (`mesh_vert`).
    pub vertices: Vec<[f32; 3]>,
    /// Normals (`mesh_normal`).
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates (`mesh_texcoord`).
    pub texcoords: Vec<[f32; 2]>,
    /// Triangles (`mesh_face`).
    pub faces: Vec<[u32; 3]>,
    /// Normals of each triangle's corners (`mesh_facenormal`).
    pub face_normals: Vec<[u32; 3]>,
    /// Texture coordinates of each triangle's corners (`mesh_facetexcoord`).
    pub face_texcoords: Vec<[u32; 3]>,
    /// Translation that was applied to the asset's vertices (`mesh_pos`).
    pub position: Vec3,
    /// Rotation that was applied to the asset's vertices (`mesh_quat`).
    pub orientation: Quat,
    /// Scale that was applied to the asset's vertices (`mesh_scale`).
    pub scale: Vec3,
    /// Convex hull for collision; absent when no colliding geom uses the mesh.
    pub hull: Option<Arc<motrix_collide::Hull>>,
}

/// A height field asset.
#[derive(Clone, Debug)]
pub struct HField {
    /// Name.
    pub name: String,
    /// Grid, sizes and heights.
    pub field: Arc<motrix_collide::HeightField>,
}

/// How a texture is mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextureKind {
    /// A plane image.
    #[default]
    Flat,
    /// Six images around an object.
    Cube,
    /// Six images around the scene.
    Skybox,
}

/// A texture asset.
#[derive(Clone, Debug, Default)]
pub struct Texture {
    /// Name.
    pub name: String,
    /// Mapping.
    pub kind: TextureKind,
    /// Pixels per row.
    pub width: usize,
    /// Rows; six faces of a cube are stacked.
    pub height: usize,
    /// Bytes per pixel.
    pub channels: usize,
    /// Row-major pixels.
    pub data: Arc<[u8]>,
}

/// Roles that the textures of a material can play: of the user's own, colour, occlusion, roughness, metallic, normal, opacity,
/// emissive, colour with transparency, and occlusion, roughness and metallic in one.
pub const TEXTURE_ROLES: usize = 10;

/// A material asset.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name.
    pub name: String,
    /// Base colour texture: the layer in the role of colour, with or without transparency.
    pub texture: Option<TextureId>,
    /// Textures by the role they play, in the order of MuJoCo's `mjtTextureRole`.
    pub layers: [Option<TextureId>; TEXTURE_ROLES],
    /// Whether the texture repeats per metre instead of per object.
    pub texture_uniform: bool,
    /// Repetitions.
    pub texture_repeat: [f32; 2],
    /// Emission.
    pub emission: f32,
    /// Specularity.
    pub specular: f32,
    /// Shininess.
    pub shininess: f32,
    /// Reflectance.
    pub reflectance: f32,
    /// Metallic coefficient.
    pub metallic: f32,
    /// Roughness coefficient.
    pub roughness: f32,
    /// Colour.
    pub rgba: [f32; 4],
}
