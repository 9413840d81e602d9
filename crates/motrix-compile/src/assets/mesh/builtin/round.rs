//! Spheres, cones and tori, and their angular relatives.

use std::collections::HashMap;
use std::f64::consts::PI;

use super::Surface;

type Vertex = [f32; 3];

/// Icosahedron whose faces are divided in four, `subdivisions` times, with the vertices on the unit sphere.
pub(super) fn sphere(subdivisions: usize) -> Surface {
    const FACES: [[u32; 3]; 20] = [
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    let golden = ((1.0 + 5f64.sqrt()) / 2.0) as f32;
    let length = (1.0 + f64::from(golden * golden)).sqrt();
    let [one, phi] = [1.0, f64::from(golden)].map(|x| (x / length) as f32);
    let mut vertices: Vec<Vertex> = vec![
        [-one, phi, 0.0],
        [one, phi, 0.0],
        [-one, -phi, 0.0],
        [one, -phi, 0.0],
        [0.0, -one, phi],
        [0.0, one, phi],
        [0.0, -one, -phi],
        [0.0, one, -phi],
        [phi, 0.0, -one],
        [phi, 0.0, one],
        [-phi, 0.0, -one],
        [-phi, 0.0, one],
    ];
    let mut faces = FACES.to_vec();
    for _ in 0..subdivisions {
        let mut middles = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                vertices.push(middle_on_sphere(vertices[a as usize], vertices[b as usize]));
                vertices.len() as u32 - 1
            })
        };
        faces = faces
            .iter()
            .flat_map(|&[a, b, c]| {
                let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
            })
            .collect();
    }
    Surface {
        vertices,
        faces,
        ..Surface::default()
    }
}

fn middle_on_sphere(a: Vertex, b: Vertex) -> Vertex {
    let [x, y, z] = [0, 1, 2].map(|k| (a[k] + b[k]) / 2.0);
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

/// Upper half of the unit sphere: an octahedron whose four upper faces carry rows of triangles, closed by a flat cap.
pub(super) fn hemisphere(resolution: usize) -> Surface {
    const EQUATOR: [[f64; 3]; 4] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
    const POLE: [f64; 3] = [0.0, 0.0, 1.0];
    let mut vertices = vec![POLE.map(|x| x as f32)];
    for row in 0..=resolution {
        let factor = (row + 1) as f64 / (resolution + 1) as f64;
        let corner = |side: usize| [0, 1, 2].map(|k| POLE[k] + factor * (EQUATOR[side % 4][k] - POLE[k]));
        for side in 0..4 {
            let (start, end) = (corner(side), corner(side + 1));
            for step in 0..=row {
                let p = [0, 1, 2].map(|k| start[k] + step as f64 * ((end[k] - start[k]) / (row + 1) as f64));
                let length = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
                vertices.push(p.map(|x| (x / length) as f32));
            }
        }
    }
    vertices.push([0.0; 3]);
    Surface {
        faces: hemisphere_faces(resolution, vertices.len() - 1),
        vertices,
        ..Surface::default()
    }
}

/// Rows of triangles from the pole down, then the cap around the vertex `centre`. Row `r` is a ring of 4 (r + 1) vertices.
fn hemisphere_faces(resolution: usize, centre: usize) -> Vec<[u32; 3]> {
    let mut faces = vec![[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]];
    let ring = |row: usize| (2 * row * (row + 1) + 1, 4 * (row + 1));
    for row in 0..resolution {
        let ((start, count), (next_start, next_count)) = (ring(row), ring(row + 1));
        for side in 0..4 {
            for k in 0..row + 2 {
                let above = |step: usize| start + (k + (row + 1) * side + step) % count;
                let below = |step: usize| next_start + (k + (row + 2) * side + step) % next_count;
                faces.push([above(0), below(0), below(1)]);
                if k < row + 1 {
                    faces.push([above(0), below(1), above(1)]);
                }
            }
        }
    }
    let (start, count) = ring(resolution);
    faces.extend((0..count).map(|k| [start + k, centre, start + (k + 1) % count]));
    faces.into_iter().map(|face| face.map(|corner| corner as u32)).collect()
}

/// Corners of a regular polygon at z = -1, and above it one of the given radius, or a point, at z = 1. The faces are those of
/// the convex hull.
pub(super) fn cone(corners: usize, radius: f64) -> Surface {
    let polygon = |radius: f64, z: f32| {
        (0..corners).map(move |k| {
            let angle = 2.0 * k as f64 * PI / corners as f64;
            [(radius * angle.cos()) as f32, (radius * angle.sin()) as f32, z]
        })
    };
    let mut vertices: Vec<Vertex> = polygon(1.0, -1.0).collect();
    if radius > 0.0 {
        vertices.extend(polygon(radius, 1.0));
    } else {
        vertices.push([0.0, 0.0, 1.0]);
    }
    Surface {
        vertices,
        ..Surface::default()
    }
}

/// Sphere with the cosines and sines of longitude and latitude raised to powers `e` and `n`.
pub(super) fn supersphere(resolution: usize, e: f64, n: f64) -> Surface {
    let count = resolution as u32;
    let mut vertices = vec![[0.0, 0.0, -1.0]];
    for ring in 1..resolution {
        let v = -PI / 2.0 + ring as f64 * PI / resolution as f64;
        for step in 0..resolution {
            let u = -PI + step as f64 * 2.0 * PI / resolution as f64;
            let point = [
                power(v.cos(), n) * power(u.cos(), e),
                power(v.cos(), n) * power(u.sin(), e),
                power(v.sin(), n),
            ];
            vertices.push(point.map(|x| x as f32));
        }
    }
    vertices.push([0.0, 0.0, 1.0]);

    let next = |k: u32| (k + 1) % count;
    let mut faces: Vec<[u32; 3]> = (0..count).map(|k| [0, 1 + next(k), 1 + k]).collect();
    for ring in 0..count - 2 {
        let (lower, upper) = (1 + ring * count, 1 + (ring + 1) * count);
        for k in 0..count {
            faces.push([lower + k, lower + next(k), upper + k]);
            faces.push([lower + next(k), upper + next(k), upper + k]);
        }
    }
    let (last_ring, pole) = (1 + (count - 2) * count, vertices.len() as u32 - 1);
    faces.extend((0..count).map(|k| [last_ring + k, last_ring + next(k), pole]));
    Surface {
        vertices,
        faces,
        ..Surface::default()
    }
}

/// Torus around z of major radius 1, with cosines and sines raised to powers: of the minor angle to `s`, the major to `t`.
pub(super) fn supertorus(resolution: usize, radius: f64, [s, t]: [f64; 2]) -> Surface {
    let count = resolution as u32;
    let angle = |k: u32| 2.0 * PI * f64::from(k) / resolution as f64;
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for i in 0..count {
        for j in 0..count {
            let (u, v) = (angle(i), angle(j));
            let distance = 1.0 + radius * power(v.cos(), s);
            let point = [
                distance * power(u.cos(), t),
                distance * power(u.sin(), t),
                radius * power(v.sin(), s),
            ];
            vertices.push(point.map(|x| x as f32));

            let at = |down: u32, right: u32| ((i + down) % count) * count + (j + right) % count;
            faces.extend([[at(0, 0), at(1, 0), at(0, 1)], [at(1, 0), at(1, 1), at(0, 1)]]);
        }
    }
    Surface {
        vertices,
        faces,
        ..Surface::default()
    }
}

/// Power that keeps the sign of the base.
fn power(base: f64, exponent: f64) -> f64 {
    base.abs().powf(exponent).copysign(base)
}
