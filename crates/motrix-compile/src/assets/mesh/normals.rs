//! Vertex normals from faces: area-weighted averages, with faces across a sharp edge left out.

use crate::space::{self, Vec3};

/// A face whose normal makes a smaller cosine than this with the average belongs to the other side of a sharp edge.
const SHARP: f64 = 0.8;

/// A normal for each vertex. If not `smooth`, a second pass removes faces at large angles from each average, so that the
/// sides of a box stay flat. Sums are kept in `f32`, as in MuJoCo.
pub(super) fn vertex_normals(vertices: &[Vec3], faces: &[[u32; 3]], smooth: bool) -> Vec<[f32; 3]> {
    let mut normals = vec![[0.0f32; 3]; vertices.len()];
    for corners in faces {
        let (normal, doubled_area) = face_normal(vertices, corners);
        for &corner in corners {
            accumulate(&mut normals[corner as usize], &normal, doubled_area);
        }
    }
    if !smooth {
        let mut beyond_edges = vec![[0.0f32; 3]; vertices.len()];
        for corners in faces {
            let (normal, doubled_area) = face_normal(vertices, corners);
            for &corner in corners {
                let average = space::normalized(&normals[corner as usize].map(f64::from));
                if space::dot(&normal, &average) < SHARP {
                    accumulate(&mut beyond_edges[corner as usize], &normal, doubled_area);
                }
            }
        }
        for (normal, beyond) in normals.iter_mut().zip(&beyond_edges) {
            *normal = [normal[0] - beyond[0], normal[1] - beyond[1], normal[2] - beyond[2]];
        }
    }
    for normal in &mut normals {
        let length = squared_length(normal).sqrt();
        *normal = if f64::from(length) > super::MIN_VALUE {
            normal.map(|x| x / length)
        } else {
            [0.0, 0.0, 1.0]
        };
    }
    normals
}

/// Squared length in single precision.
pub(super) fn squared_length(v: &[f32; 3]) -> f32 {
    v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
}

/// Unit normal and twice the area; no area if the face is next to degenerate.
fn face_normal(vertices: &[Vec3], corners: &[u32; 3]) -> (Vec3, f64) {
    let [a, b, c] = corners.map(|corner| &vertices[corner as usize]);
    space::with_length(&space::cross(&space::difference(b, a), &space::difference(c, a)))
}

fn accumulate(sum: &mut [f32; 3], direction: &Vec3, weight: f64) {
    for k in 0..3 {
        sum[k] = (f64::from(sum[k]) + direction[k] * weight) as f32;
    }
}
