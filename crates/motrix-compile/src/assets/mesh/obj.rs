//! Wavefront OBJ text to a [`Surface`].
//!
//! Read are `v`, `vn`, `vt` and `f`, and the `o` and `g` lines that separate objects; of several objects only the first that
//! has faces is kept, with the vertices of all, as MuJoCo does. Faces may index from the end with negative numbers. Polygons
//! become triangles: quadrilaterals are cut along the shorter diagonal, larger ones lose ears until a triangle is left, in
//! the single precision arithmetic of tinyobjloader, whose cuts MuJoCo models were inspected with.
//!
//! Vertices are numbers of the file rounded to `f32`. Materials, lines, points, curves and smoothing groups do not change
//! the shape and are passed over.

use super::Surface;
use crate::assets::AssetError;

/// Ear clipping takes up to cubic time in the corners of one polygon; files of real meshes stay below a hundred.
const MAX_POLYGON_CORNERS: usize = 1024;

/// One corner of a face: indices from zero into the vertices, texture coordinates and normals of the file.
#[derive(Clone, Copy)]
struct Corner {
    vertex: u32,
    texcoord: Option<u32>,
    normal: Option<u32>,
}

/// The file as it is read: attributes of all objects, polygons of the first object that has any.
#[derive(Default)]
struct Reader {
    vertices: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    texcoords: Vec<[f32; 2]>,
    /// Corners of all polygons, one polygon after the other.
    corners: Vec<Corner>,
    /// Where each polygon ends in `corners`.
    ends: Vec<usize>,
    /// A later object has begun: its faces are not part of the mesh.
    closed: bool,
}

/// The surface an OBJ file describes.
pub(super) fn decode(bytes: &[u8]) -> Result<Surface, AssetError> {
    let mut reader = Reader::default();
    for (number, text) in bytes.split(|&b| b == b'\n').enumerate() {
        for line in text.split(|&b| b == b'\r') {
            reader
                .line(line)
                .map_err(|error| format!("line {} of the OBJ file: {error}", number + 1))?;
        }
    }
    reader.surface()
}

impl Reader {
    fn line(&mut self, line: &[u8]) -> Result<(), AssetError> {
        let mut words = line
            .split(|b| matches!(b, b' ' | b'\t'))
            .filter(|word| !word.is_empty());
        match words.next() {
            Some(b"v") => self.vertices.push(numbers("vertex", words)?),
            Some(b"vn") => self.normals.push(numbers("normal", words)?),
            Some(b"vt") => {
                // The image's first row is its top, while v grows upwards.
                let [u, v] = numbers("texture coordinate", words)?;
                self.texcoords.push([u, 1.0 - v]);
            }
            Some(b"f") if !self.closed => self.face(words)?,
            Some(b"o" | b"g") => self.closed = !self.ends.is_empty(),
            _ => {}
        }
        Ok(())
    }

    fn face<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>) -> Result<(), AssetError> {
        let start = self.corners.len();
        for word in words {
            let corner = self.corner(word)?;
            self.corners.push(corner);
        }
        match self.corners.len() - start {
            0..=2 => self.corners.truncate(start),
            count if count > MAX_POLYGON_CORNERS => {
                return Err(format!("a face of {count} corners; at most {MAX_POLYGON_CORNERS} are supported").into());
            }
            _ => self.ends.push(self.corners.len()),
        }
        Ok(())
    }

    /// `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn corner(&self, word: &[u8]) -> Result<Corner, AssetError> {
        let mut parts = word.split(|&b| b == b'/');
        let mut part = |count: usize| match parts.next() {
            None | Some(b"") => Ok(None),
            Some(text) => index(text, count),
        };
        let vertex = part(self.vertices.len())?;
        Ok(Corner {
            vertex: vertex.ok_or("a face uses vertex 0, but vertices count from 1")?,
            texcoord: part(self.texcoords.len())?,
            normal: part(self.normals.len())?,
        })
    }

    fn surface(self) -> Result<Surface, AssetError> {
        // A vertex may be defined after the face that uses it, hence the check at the end.
        if let Some(bad) = self
            .corners
            .iter()
            .find(|corner| corner.vertex as usize >= self.vertices.len())
        {
            let count = self.vertices.len();
            return Err(format!("a face of the OBJ file uses vertex {} of {count}", bad.vertex + 1).into());
        }
        let mut triangles = Vec::with_capacity(self.ends.len());
        let mut start = 0;
        for &end in &self.ends {
            triangulate(&self.corners[start..end], &self.vertices, &mut triangles);
            start = end;
        }

        // Normals and texture coordinates are kept only if every corner names a valid one.
        let face_normals = attribute(&triangles, self.normals.len(), |corner| corner.normal);
        let face_texcoords = attribute(&triangles, self.texcoords.len(), |corner| corner.texcoord);
        Ok(Surface {
            normals: if face_normals.is_empty() {
                Vec::new()
            } else {
                self.normals
            },
            texcoords: if face_texcoords.is_empty() {
                Vec::new()
            } else {
                self.texcoords
            },
            faces: triangles
                .iter()
                .map(|triangle| triangle.map(|corner| corner.vertex))
                .collect(),
            vertices: self.vertices,
            face_normals,
            face_texcoords,
        })
    }
}

/// The first `N` numbers of a line; further ones (a weight, a colour) do not matter.
fn numbers<'a, const N: usize>(what: &str, mut words: impl Iterator<Item = &'a [u8]>) -> Result<[f32; N], AssetError> {
    let mut values = [0.0; N];
    for value in &mut values {
        let word = words.next().ok_or_else(|| format!("a {what} needs {N} numbers"))?;
        let number: Option<f64> = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
        let number = number.ok_or_else(|| format!("{:?} is not a number", String::from_utf8_lossy(word)))?;
        *value = number as f32;
    }
    Ok(values)
}

/// Index from zero of the `count` attributes so far; negative numbers count from the last one, zero names none.
fn index(text: &[u8], count: usize) -> Result<Option<u32>, AssetError> {
    let number: Option<i64> = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    let number = number.ok_or_else(|| format!("{:?} is not an index", String::from_utf8_lossy(text)))?;
    let from_zero = match number {
        0 => return Ok(None),
        1.. => number - 1,
        _ => number + count as i64,
    };
    match u32::try_from(from_zero) {
        Ok(index) => Ok(Some(index)),
        Err(_) => Err(format!("index {number} is outside of the {count} defined so far").into()),
    }
}

/// The indices of one attribute per corner, or nothing unless all corners name one of the `count` that exist.
fn attribute(triangles: &[[Corner; 3]], count: usize, of: impl Fn(&Corner) -> Option<u32>) -> Vec<[u32; 3]> {
    let valid = |corner: &Corner| of(corner).filter(|&index| (index as usize) < count);
    let indices = triangles
        .iter()
        .map(|[a, b, c]| Some([valid(a)?, valid(b)?, valid(c)?]));
    indices.collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// Cuts one polygon into triangles with the orientation of the polygon.
fn triangulate(polygon: &[Corner], vertices: &[[f32; 3]], triangles: &mut Vec<[Corner; 3]>) {
    let at = |corner: &Corner| vertices[corner.vertex as usize];
    match *polygon {
        [a, b, c] => triangles.push([a, b, c]),
        [a, b, c, d] => {
            let squared = |p: [f32; 3], q: [f32; 3]| {
                let [x, y, z] = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
                x * x + y * y + z * z
            };
            if squared(at(&a), at(&c)) < squared(at(&b), at(&d)) {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
        _ => clip_ears(polygon, vertices, triangles),
    }
}

/// Removes ears of the polygon's projection onto the coordinate plane it faces most, at its first real corner.
///
/// An ear is a corner that does not turn against the sign of `area` and holds no other corner. A polygon without ears left
/// (one that crosses itself) is dropped with what remains of it. So is what remains after an ear that was the last corner to
/// be tried: the tries are counted anew only by the round after an ear, as tinyobjloader does it.
fn clip_ears(polygon: &[Corner], vertices: &[[f32; 3]], triangles: &mut Vec<[Corner; 3]>) {
    let [u, v] = projection_axes(polygon, vertices);
    let flat = |corner: &Corner| {
        let p = vertices[corner.vertex as usize];
        [p[u], p[v]]
    };
    let mut rest = polygon.to_vec();
    let mut guess = 0;
    let mut tries = rest.len();
    let mut counted_for = rest.len();
    while rest.len() > 3 && tries > 0 {
        let count = rest.len();
        tries = if count == counted_for { tries - 1 } else { count };
        counted_for = count;
        guess %= count;
        let ear = [0, 1, 2].map(|k| rest[(guess + k) % count]);
        let [a, b, c] = ear.each_ref().map(flat);
        let turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
        let area = (a[0] * b[1] - a[1] * b[0]) * 0.5;
        let holds_another = || (3..count).any(|k| inside([a, b, c], flat(&rest[(guess + k) % count])));
        if turn * area < 0.0 || holds_another() {
            guess += 1;
            continue;
        }
        triangles.push(ear);
        rest.remove((guess + 1) % count);
    }
    if let [a, b, c] = rest[..] {
        triangles.push([a, b, c]);
    }
}

/// The two coordinates that span the plane a polygon is projected on.
fn projection_axes(polygon: &[Corner], vertices: &[[f32; 3]]) -> [usize; 2] {
    let count = polygon.len();
    for k in 0..count {
        let [p, q, r] = [0, 1, 2].map(|j| vertices[polygon[(k + j) % count].vertex as usize]);
        let d = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
        let e = [r[0] - q[0], r[1] - q[1], r[2] - q[2]];
        let x = (d[1] * e[2] - d[2] * e[1]).abs();
        let y = (d[2] * e[0] - d[0] * e[2]).abs();
        let z = (d[0] * e[1] - d[1] * e[0]).abs();
        if x > f32::EPSILON || y > f32::EPSILON || z > f32::EPSILON {
            return match (x > y && x > z, z > x && z > y) {
                (true, _) => [1, 2],
                (false, true) => [0, 1],
                (false, false) => [0, 2],
            };
        }
    }
    [1, 2]
}

/// Whether a ray from `point` crosses the triangle's outline an odd number of times.
fn inside(triangle: [[f32; 2]; 3], point: [f32; 2]) -> bool {
    let [x, y] = point;
    let mut odd = false;
    for (i, j) in [(0, 2), (1, 0), (2, 1)] {
        let ([xi, yi], [xj, yj]) = (triangle[i], triangle[j]);
        if (yi > y) != (yj > y) && x < (xj - xi) * (y - yi) / (yj - yi) + xi {
            odd = !odd;
        }
    }
    odd
}
