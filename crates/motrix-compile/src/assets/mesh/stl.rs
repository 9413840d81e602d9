//! STL, binary or text, to a [`Surface`].
//!
//! STL repeats the three corners of every facet; corners with equal bits become one vertex, in order of first appearance, as
//! MuJoCo joins them. The facet normals of the file are not used: many exporters write zeros.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::Surface;
use crate::assets::AssetError;

/// Length of the comment a binary file opens with; the number of facets follows, in four bytes.
const HEADER: usize = 80;
/// Bytes of a binary facet: normal and three corners in `f32`, and a two byte attribute.
const FACET: usize = 50;
/// Coordinates beyond this are the mark of a file that is not STL (MuJoCo's limit).
const LARGEST_COORDINATE: f32 = (1u32 << 30) as f32;

/// The surface an STL file describes.
///
/// The file is binary if its length agrees with the number of facets in its header, whatever its comment says: binary files
/// whose comment starts with `solid` exist.
pub(super) fn decode(bytes: &[u8]) -> Result<Surface, AssetError> {
    let facets = binary_facets(bytes);
    let length = |facets: u32| HEADER as u64 + 4 + FACET as u64 * u64::from(facets);
    if facets.is_some_and(|count| count > 0 && bytes.len() as u64 == length(count)) {
        return binary(&bytes[HEADER + 4..]);
    }
    if bytes.trim_ascii_start().starts_with(b"solid") {
        return text(bytes);
    }
    Err(match facets {
        None => format!("the STL file ends within its header, after {} bytes", bytes.len()),
        Some(count) => format!(
            "the STL file has {} bytes, but {count} facets take {}",
            bytes.len(),
            length(count)
        ),
    }
    .into())
}

fn binary_facets(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(HEADER..HEADER + 4)?;
    Some(u32::from_le_bytes(count.try_into().ok()?))
}

fn binary(facets: &[u8]) -> Result<Surface, AssetError> {
    let mut welder = Welder::default();
    for facet in facets.chunks_exact(FACET) {
        for corner in facet[12..48].chunks_exact(12) {
            let coordinate = |k: usize| f32::from_le_bytes([0, 1, 2, 3].map(|byte| corner[4 * k + byte]));
            welder.corner([coordinate(0), coordinate(1), coordinate(2)])?;
        }
    }
    Ok(welder.surface())
}

/// `facet normal .. outer loop vertex x y z (three times) endloop endfacet`, between `solid` and `endsolid`.
fn text(bytes: &[u8]) -> Result<Surface, AssetError> {
    let mut welder = Welder::default();
    let mut words = bytes.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        match word {
            b"vertex" => {
                let mut point = [0.0f32; 3];
                for coordinate in &mut point {
                    let number = words
                        .next()
                        .and_then(|word| std::str::from_utf8(word).ok()?.parse().ok());
                    *coordinate = number.ok_or("a vertex of the STL file is not three numbers")?;
                }
                welder.corner(point)?;
            }
            b"endloop" if welder.corners.len() % 3 != 0 => {
                return Err("a facet of the STL file does not have three vertices".into());
            }
            _ => {}
        }
    }
    if welder.corners.len() % 3 != 0 {
        return Err("the STL file ends within a facet".into());
    }
    Ok(welder.surface())
}

/// Corners in file order, equal ones joined.
#[derive(Default)]
struct Welder {
    index_of: HashMap<[u32; 3], u32, BuildHasherDefault<BitHasher>>,
    vertices: Vec<[f32; 3]>,
    corners: Vec<u32>,
}

impl Welder {
    fn corner(&mut self, point: [f32; 3]) -> Result<(), AssetError> {
        if point.iter().any(|coordinate| coordinate.abs() > LARGEST_COORDINATE) {
            return Err(format!("a vertex of the STL file is at {point:?}, which is too far out").into());
        }
        let next = self.vertices.len() as u32;
        let index = *self.index_of.entry(point.map(f32::to_bits)).or_insert(next);
        if index == next {
            self.vertices.push(point);
        }
        self.corners.push(index);
        Ok(())
    }

    fn surface(self) -> Surface {
        let faces = self
            .corners
            .chunks_exact(3)
            .map(|corner| [corner[0], corner[1], corner[2]]);
        Surface {
            vertices: self.vertices,
            faces: faces.collect(),
            ..Surface::default()
        }
    }
}

/// Mixes the bits of three coordinates. The standard hasher, made for hostile keys, takes longer than the rest of decoding;
/// here a collision costs one comparison.
#[derive(Default)]
struct BitHasher(u64);

impl Hasher for BitHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            // An odd constant near 2^64 / golden ratio spreads consecutive keys; the rotation carries high bits down.
            self.0 = (self.0 ^ u64::from_le_bytes(word))
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
