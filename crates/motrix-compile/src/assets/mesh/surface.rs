//! A triangulated surface as its source describes it, before any processing.

use super::{msh, obj, stl};
use crate::assets::AssetError;

/// Vertices and faces with optional normals and texture coordinates, in the units and frame of the source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Points.
    pub vertices: Vec<[f32; 3]>,
    /// Outward directions, of any length. Empty: to be computed from the faces.
    pub normals: Vec<[f32; 3]>,
    /// Places in the texture image, first row of the image at 0. May be empty.
    pub texcoords: Vec<[f32; 2]>,
    /// Corners of triangles, counter-clockwise seen from outside. Empty: the surface is the convex hull of the vertices.
    pub faces: Vec<[u32; 3]>,
    /// Normal of each corner. Empty: a whole number of normals per vertex, the first of which belongs to its corners.
    pub face_normals: Vec<[u32; 3]>,
    /// Texture coordinates of each corner. Empty: one per vertex.
    pub face_texcoords: Vec<[u32; 3]>,
}

/// File formats of meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Wavefront text.
    Obj,
    /// Binary or text triangles.
    Stl,
    /// MuJoCo's binary layout.
    Msh,
}

impl MeshFormat {
    /// The format a content type names, or else the one the file name ends in.
    pub fn of(file: &str, content_type: Option<&str>) -> Result<Self, AssetError> {
        match content_type.filter(|name| !name.is_empty()) {
            Some("model/obj") => return Ok(Self::Obj),
            Some("model/stl") => return Ok(Self::Stl),
            Some("model/vnd.mujoco.msh") => return Ok(Self::Msh),
            Some(other) => return Err(format!("meshes of content type {other:?} are not supported").into()),
            None => {}
        }
        let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_ascii_lowercase().as_str() {
            "obj" => Ok(Self::Obj),
            "stl" => Ok(Self::Stl),
            "msh" => Ok(Self::Msh),
            _ => Err(format!("{file:?} is not a mesh: OBJ, STL and MSH files are supported").into()),
        }
    }
}

impl Surface {
    /// The surface in the bytes of a file.
    pub fn decode(format: MeshFormat, bytes: &[u8]) -> Result<Self, AssetError> {
        match format {
            MeshFormat::Obj => obj::decode(bytes),
            MeshFormat::Stl => stl::decode(bytes),
            MeshFormat::Msh => msh::decode(bytes),
        }
    }

    /// The surface in the attributes `vertex`, `normal`, `texcoord` and `face` of a document; any of them may be empty.
    pub fn from_numbers(vertex: &[f64], normal: &[f64], texcoord: &[f64], face: &[i64]) -> Result<Self, AssetError> {
        Ok(Self {
            vertices: grouped("vertex", vertex, |x| x as f32)?,
            normals: grouped("normal", normal, |x| x as f32)?,
            texcoords: grouped("texcoord", texcoord, |x| x as f32)?,
            // Indices that do not fit become one that does not exist, which `check` reports.
            faces: grouped("face", face, |index| u32::try_from(index).unwrap_or(u32::MAX))?,
            ..Self::default()
        })
    }

    /// This surface, read from a file, with what the document adds to it.
    pub fn completed_by(self, document: Self) -> Result<Self, AssetError> {
        Ok(Self {
            vertices: one_of("vertices", self.vertices, document.vertices)?,
            normals: one_of("normals", self.normals, document.normals)?,
            texcoords: one_of("texture coordinates", self.texcoords, document.texcoords)?,
            faces: one_of("faces", self.faces, document.faces)?,
            face_normals: one_of("normals", self.face_normals, document.face_normals)?,
            face_texcoords: one_of("texture coordinates", self.face_texcoords, document.face_texcoords)?,
        })
    }

    /// Whether all indices name something and the counts agree.
    pub(super) fn check(&self) -> Result<(), AssetError> {
        let count = self.vertices.len();
        if count < 4 {
            return Err(format!("a mesh of {count} vertices; at least 4 are required").into());
        }
        if count > u32::MAX as usize / 2 {
            return Err(format!("a mesh of {count} vertices is too large").into());
        }
        if let Some(index) = self
            .vertices
            .iter()
            .position(|vertex| vertex.iter().any(|x| !x.is_finite()))
        {
            return Err(format!("vertex {index} is not finite").into());
        }
        for (face, corners) in self.faces.iter().enumerate() {
            if let Some(corner) = corners.iter().find(|&&corner| corner as usize >= count) {
                let corner = i64::from(*corner as i32);
                return Err(format!("face {face} uses vertex {corner}, but the mesh has {count} vertices").into());
            }
        }
        self.check_corners("normal", &self.face_normals, self.normals.len())?;
        self.check_corners("texture coordinate", &self.face_texcoords, self.texcoords.len())?;
        if self.face_texcoords.is_empty() && !self.texcoords.is_empty() && self.texcoords.len() != count {
            return Err(format!("{} texture coordinates for {count} vertices", self.texcoords.len()).into());
        }
        Ok(())
    }

    fn check_corners(&self, what: &str, corners: &[[u32; 3]], count: usize) -> Result<(), AssetError> {
        if !corners.is_empty() && corners.len() != self.faces.len() {
            return Err(format!("{what} indices for {} faces of {}", corners.len(), self.faces.len()).into());
        }
        match corners.iter().flatten().find(|&&index| index as usize >= count) {
            Some(index) => Err(format!("a face uses {what} {index}, but there are {count}").into()),
            None => Ok(()),
        }
    }
}

fn grouped<T: Copy, U: Copy + Default, const N: usize>(
    what: &str,
    values: &[T],
    convert: impl Fn(T) -> U,
) -> Result<Vec<[U; N]>, AssetError> {
    let (groups, rest) = values.as_chunks::<N>();
    if !rest.is_empty() {
        return Err(format!("{what} has {} numbers, which is not a multiple of {N}", values.len()).into());
    }
    Ok(groups.iter().map(|group| group.map(&convert)).collect())
}

fn one_of<T>(what: &str, file: Vec<T>, document: Vec<T>) -> Result<Vec<T>, AssetError> {
    match (file.is_empty(), document.is_empty()) {
        (false, false) => Err(format!("{what} are given both by the file and beside it").into()),
        (true, _) => Ok(document),
        (false, true) => Ok(file),
    }
}
