//! Meshes, height fields, textures and materials.

use super::{Entry, addresses, all, each, flag, index, optional, rows, wide};
use crate::{Mesh, TextureId};

fn ids(corners: [u32; 3]) -> [f64; 3] {
    corners.map(f64::from)
}

/// Zeros for a mesh without texture coordinates.
fn face_texcoords(mesh: &Mesh) -> impl Iterator<Item = [f64; 3]> {
    (0..mesh.faces.len()).map(|face| mesh.face_texcoords.get(face).map_or([0.0; 3], |corners| ids(*corners)))
}

pub(super) const MESHES: &[Entry] = &[
    ("mesh_vertadr", |m| addresses(&m.meshes, |x| x.vertices.len())),
    ("mesh_vertnum", |m| each(&m.meshes, |x| index(x.vertices.len()))),
    ("mesh_faceadr", |m| addresses(&m.meshes, |x| x.faces.len())),
    ("mesh_facenum", |m| each(&m.meshes, |x| index(x.faces.len()))),
    ("mesh_normaladr", |m| addresses(&m.meshes, |x| x.normals.len())),
    ("mesh_normalnum", |m| each(&m.meshes, |x| index(x.normals.len()))),
    ("mesh_texcoordnum", |m| each(&m.meshes, |x| index(x.texcoords.len()))),
    ("mesh_vert", |m| {
        all(&m.meshes, |x| x.vertices.iter().copied().map(wide))
    }),
    ("mesh_normal", |m| {
        all(&m.meshes, |x| x.normals.iter().copied().map(wide))
    }),
    ("mesh_texcoord", |m| {
        all(&m.meshes, |x| x.texcoords.iter().copied().map(wide))
    }),
    ("mesh_face", |m| all(&m.meshes, |x| x.faces.iter().copied().map(ids))),
    ("mesh_facenormal", |m| {
        all(&m.meshes, |x| x.face_normals.iter().copied().map(ids))
    }),
    ("mesh_facetexcoord", |m| all(&m.meshes, face_texcoords)),
    ("mesh_pos", |m| rows(&m.meshes, |x| x.position)),
    ("mesh_quat", |m| rows(&m.meshes, |x| x.orientation)),
    ("mesh_scale", |m| rows(&m.meshes, |x| x.scale)),
];

pub(super) const PICTURES: &[Entry] = &[
    ("tex_type", |m| each(&m.textures, |t| f64::from(t.kind as u8))),
    ("tex_height", |m| each(&m.textures, |t| index(t.height))),
    ("tex_width", |m| each(&m.textures, |t| index(t.width))),
    ("tex_nchannel", |m| each(&m.textures, |t| index(t.channels))),
    ("tex_adr", |m| addresses(&m.textures, |t| t.data.len())),
    ("tex_data", |m| {
        all(&m.textures, |t| t.data.iter().map(|&byte| [f64::from(byte)]))
    }),
    ("mat_texuniform", |m| each(&m.materials, |x| flag(x.texture_uniform))),
    ("mat_texrepeat", |m| rows(&m.materials, |x| wide(x.texture_repeat))),
    ("mat_emission", |m| each(&m.materials, |x| f64::from(x.emission))),
    ("mat_specular", |m| each(&m.materials, |x| f64::from(x.specular))),
    ("mat_shininess", |m| each(&m.materials, |x| f64::from(x.shininess))),
    ("mat_reflectance", |m| each(&m.materials, |x| f64::from(x.reflectance))),
    ("mat_metallic", |m| each(&m.materials, |x| f64::from(x.metallic))),
    ("mat_roughness", |m| each(&m.materials, |x| f64::from(x.roughness))),
    ("mat_rgba", |m| rows(&m.materials, |x| wide(x.rgba))),
    ("mat_texid", |m| {
        rows(&m.materials, |x| {
            x.layers.map(|texture| optional(texture.map(TextureId::index)))
        })
    }),
];

pub(super) const HEIGHT_FIELDS: &[Entry] = &[
    ("hfield_nrow", |m| each(&m.hfields, |h| index(h.field.nrow()))),
    ("hfield_ncol", |m| each(&m.hfields, |h| index(h.field.ncol()))),
    ("hfield_size", |m| {
        rows(&m.hfields, |h| {
            let size = h.field.size();
            [size.radius_x, size.radius_y, size.elevation_z, size.base_z]
        })
    }),
    ("hfield_adr", |m| {
        addresses(&m.hfields, |h| h.field.nrow() * h.field.ncol())
    }),
    ("hfield_data", |m| {
        all(&m.hfields, |h| h.field.heights().into_iter().map(|z| [f64::from(z)]))
    }),
];
