//! What follows from how the triangles of a mesh hang together: whether it is closed, its pieces, its distinct corners.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use motrix_collide::vector::{Vec3, norm, sub};

use crate::bvh::Bounds;

/// A map whose keys are a few numbers, which need no protection from an adversary: several times faster than the standard one.
type Numbered<K, V> = HashMap<K, V, BuildHasherDefault<Fold>>;

/// Folds words into one by multiplication with 2⁶⁴ over the golden ratio.
#[derive(Clone, Copy, Debug, Default)]
struct Fold(u64);

impl Hasher for Fold {
    fn write(&mut self, bytes: &[u8]) {
        for word in bytes.chunks(8) {
            let mut padded = [0; 8];
            padded[..word.len()].copy_from_slice(word);
            self.write_u64(u64::from_le_bytes(padded));
        }
    }

    #[inline(always)]
    fn write_u64(&mut self, word: u64) {
        let product = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 29);
    }

    #[inline(always)]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// How the triangles of a mesh hang together. Corners at the same place are the same corner.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// Distinct corners.
    pub vertices: Vec<Vec3>,
    /// Whether every edge is run along equally often in both directions, so that the surface has an inside.
    pub closed: bool,
    /// A corner of every connected piece.
    pub pieces: Vec<Vec3>,
    /// Middle of the box around the corners.
    pub centre: Vec3,
    /// Distance of the corner farthest from it.
    pub radius: f64,
}

impl Topology {
    /// Of triangles.
    pub fn new(triangles: &[[Vec3; 3]]) -> Topology {
        let mut numbers: Numbered<[u64; 3], usize> = Numbered::default();
        let mut vertices: Vec<Vec3> = Vec::new();
        let mut number = |p: &Vec3| {
            // Adding zero makes the two zeros one.
            *numbers.entry(p.map(|x| (x + 0.0).to_bits())).or_insert_with(|| {
                vertices.push(*p);
                vertices.len() - 1
            })
        };
        let faces: Vec<[usize; 3]> = triangles
            .iter()
            .map(|t| [number(&t[0]), number(&t[1]), number(&t[2])])
            .collect();
        let bounds = Bounds::of(&vertices);
        let centre = if vertices.is_empty() { [0.0; 3] } else { bounds.middle() };
        let radius = vertices.iter().map(|&p| norm(sub(p, centre))).fold(0.0, f64::max);
        Topology {
            closed: !faces.is_empty() && is_closed(&faces),
            pieces: pieces(&faces, vertices.len())
                .into_iter()
                .map(|i| vertices[i])
                .collect(),
            vertices,
            centre,
            radius,
        }
    }
}

/// Whether every edge is run along equally often in both directions.
fn is_closed(faces: &[[usize; 3]]) -> bool {
    let mut balance: Numbered<(usize, usize), i32> = Numbered::default();
    for face in faces {
        for k in 0..3 {
            let (from, to) = (face[k], face[(k + 1) % 3]);
            if from != to {
                *balance.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
            }
        }
    }
    balance.values().all(|&sum| sum == 0)
}

/// The first vertex of each connected piece.
fn pieces(faces: &[[usize; 3]], count: usize) -> Vec<usize> {
    let mut above: Vec<usize> = (0..count).collect();
    fn root(above: &mut [usize], mut i: usize) -> usize {
        while above[i] != i {
            above[i] = above[above[i]];
            i = above[i];
        }
        i
    }
    for face in faces {
        for &corner in &face[1..] {
            let (a, b) = (root(&mut above, face[0]), root(&mut above, corner));
            above[a.max(b)] = a.min(b);
        }
    }
    (0..count).filter(|&i| above[i] == i).collect()
}
