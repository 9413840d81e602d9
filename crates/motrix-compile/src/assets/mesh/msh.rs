//! MuJoCo's MSH layout to a [`Surface`].
//!
//! Little endian: `int32` counts of vertices, normals, texture coordinates and faces, then `f32` vertices, normals and
//! texture coordinates, then `int32` vertex indices of the faces. Normals and texture coordinates are absent or one per
//! vertex; without faces the mesh is its convex hull.

use super::Surface;
use crate::assets::AssetError;

/// The surface an MSH file describes.
pub(super) fn decode(bytes: &[u8]) -> Result<Surface, AssetError> {
    let (header, data) = bytes
        .split_at_checked(16)
        .ok_or("the MSH file ends within its header")?;
    let [vertices, normals, texcoords, faces] = [0, 1, 2, 3].map(|k| i64::from(i32::from_le_bytes(word(header, k))));
    let per_vertex = |count: i64| count == 0 || count == vertices;
    if vertices < 4 || faces < 0 || !per_vertex(normals) || !per_vertex(texcoords) {
        return Err(format!(
            "the MSH file counts {vertices} vertices, {normals} normals, {texcoords} texture coordinates and {faces} faces; \
             it needs at least 4 vertices, and normals and texture coordinates for none or all of them"
        )
        .into());
    }
    let expected = 12 * vertices + 12 * normals + 8 * texcoords + 12 * faces;
    if data.len() as i64 != expected {
        return Err(format!(
            "the MSH file has {} bytes, its header asks for {}",
            bytes.len(),
            16 + expected
        )
        .into());
    }

    // The counts agree with the length, so they fit memory and the words below exist.
    let mut words = data.chunks_exact(4).map(|chunk| word(chunk, 0));
    let mut next = || words.next().unwrap_or_default();
    let surface = Surface {
        vertices: (0..vertices)
            .map(|_| [(); 3].map(|()| f32::from_le_bytes(next())))
            .collect(),
        normals: (0..normals)
            .map(|_| [(); 3].map(|()| f32::from_le_bytes(next())))
            .collect(),
        texcoords: (0..texcoords)
            .map(|_| [(); 2].map(|()| f32::from_le_bytes(next())))
            .collect(),
        // Negative indices become large ones, which the surface's own check reports.
        faces: (0..faces)
            .map(|_| [(); 3].map(|()| u32::from_le_bytes(next())))
            .collect(),
        ..Surface::default()
    };
    Ok(surface)
}

/// The `k`-th group of four bytes.
fn word(bytes: &[u8], k: usize) -> [u8; 4] {
    [0, 1, 2, 3].map(|byte| bytes[4 * k + byte])
}
