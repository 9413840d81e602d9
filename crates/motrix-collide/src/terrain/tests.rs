//! What the lanes leave out does not touch, and the lane type changes no contact.

use motrix_spatial::Lanes;
use motrix_spatial::lanes::{F32x8Portable, F64x4Portable};

use super::near::{CellAt, EdgeAt};
use super::*;
use crate::contact::Settings;
use crate::height_field::{HeightField, HeightFieldSize};
use crate::hull::Hull;
use crate::shape::Shape;

/// Numbers from 0 to 1 that look random.
struct Scatter(u64);

impl Scatter {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

/// A field of 31 rows of 23 nodes.
fn field(heights: Vec<f32>) -> HeightField {
    let size = HeightFieldSize {
        radius_x: 1.1,
        radius_y: 1.5,
        elevation_z: 0.1,
        base_z: 0.2,
    };
    HeightField::new(31, 23, size, heights).expect("a field")
}

/// Rough ground around the height `level` times 0.1 m.
fn rough(level: f32) -> HeightField {
    let mut scatter = Scatter(7);
    field((0..31 * 23).map(|_| level + scatter.next() as f32).collect())
}

/// Level ground in terraces a few cells wide.
fn terraces() -> HeightField {
    field(
        (0..31 * 23)
            .map(|node| ((node / 23 / 7 * 5 + node % 23 / 9 * 3) % 4) as f32)
            .collect(),
    )
}

/// The hull of points scattered in a box: of its planes, all that no point lies beyond.
fn stone() -> Hull {
    let mut scatter = Scatter(11);
    let corners: Vec<[f64; 3]> = (0..16)
        .map(|_| {
            let [x, y, z] = [0; 3].map(|_| scatter.between(-1.0, 1.0));
            let length = (x * x + y * y + z * z).sqrt();
            [0.2 * x / length, 0.15 * y / length, 0.1 * z / length]
        })
        .collect();
    let mut triangles = Vec::new();
    for a in 0..16 {
        for b in a + 1..16 {
            for c in b + 1..16 {
                let side = |i: usize| crate::vector::sub(corners[i], corners[a]);
                let normal = crate::vector::cross(side(b), side(c));
                let heights = (0..16)
                    .filter(|i| ![a, b, c].contains(i))
                    .map(|i| crate::vector::dot(normal, side(i)));
                let (above, below) = heights.fold((0, 0), |(up, down), h| {
                    (up + usize::from(h > 0.0), down + usize::from(h < 0.0))
                });
                if above == 0 {
                    triangles.push([a as u32, b as u32, c as u32]);
                } else if below == 0 {
                    triangles.push([a as u32, c as u32, b as u32]);
                }
            }
        }
    }
    Hull::from_triangles(&corners, &triangles).expect("a hull")
}

/// Poses from above the ground to below it, some beyond the rim.
fn poses(count: usize, level: f64) -> Vec<Pose> {
    let mut scatter = Scatter(3);
    let mut random = |low: f64, high: f64| scatter.between(low, high);
    (0..count)
        .map(|_| {
            let place = [random(-1.2, 1.2), random(-1.6, 1.6), level + random(-0.05, 0.35)];
            Pose::new(place, [0; 4].map(|_| random(-1.0, 1.0)))
        })
        .collect()
}

fn settings() -> Settings {
    Settings::default()
}

/// The contacts, and how many edges were looked at.
fn found<L: Lanes>(surface: &Surface, shape: &Placed, margin: f64) -> (Vec<Contact>, usize) {
    let (mut near, mut out) = (Near::default(), Vec::new());
    let mut scratch = Scratch::new();
    let pose = Pose::IDENTITY;
    collide_surface::<L>(
        surface,
        &pose,
        shape,
        margin,
        &settings(),
        &mut scratch,
        &mut near,
        &mut out,
    );
    (out, near.edges.len())
}

/// The contacts with every edge and face of the field, and how many edges there are.
fn exhaustive(surface: &Surface, shape: &Placed, margin: f64) -> (Vec<Contact>, usize) {
    let (rows, cols) = (surface.window().rows as u32, surface.window().cols as u32);
    let nodes = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
    let edges: Vec<EdgeAt> = nodes
        .clone()
        .flat_map(|(row, col)| (0..3).map(move |kind| EdgeAt { row, col, kind }))
        .collect();
    let cells: Vec<CellAt> = nodes
        .filter(|&(row, col)| row + 1 < rows && col + 1 < cols)
        .map(|(row, col)| CellAt {
            row,
            col,
            faces: [true; 2],
        })
        .collect();
    let mut out = Vec::new();
    let (low, high) = bounds::bounding_box(shape).expect("it is bounded");
    if high[2] + margin >= -surface.base() {
        let mut scratch = Scratch::new();
        faces::touch(surface, f64::INFINITY, &cells, shape, margin, &mut out);
        edges::touch(
            surface,
            &edges,
            shape,
            low[2] - margin,
            margin,
            &settings(),
            &mut scratch,
            &mut out,
        );
        reduce::reduce(&mut out);
    }
    (out, edges.len())
}

fn bits(contacts: &[Contact]) -> Vec<[u64; 7]> {
    let of = |c: &Contact| {
        let [px, py, pz] = c.position;
        let [nx, ny, nz] = c.normal;
        // Zeros of either sign are one.
        [c.distance, px, py, pz, nx, ny, nz].map(|x| (x + 0.0).to_bits())
    };
    contacts.iter().map(of).collect()
}

/// A margin of zero: with one, a point over a steep face is within the margin of its plane while farther than that above the ground.
#[test]
fn what_lanes_leave_out_does_not_touch() {
    let stone = stone();
    let shapes = [
        Shape::Box { half: [0.2, 0.15, 0.1] },
        Shape::Cylinder {
            radius: 0.12,
            half_length: 0.2,
        },
        Shape::Ellipsoid {
            radii: [0.2, 0.15, 0.1],
        },
        Shape::Hull(&stone),
    ];
    // Near height 0 and so far above it that lanes in single precision round heights to 0.01 mm.
    for (level, field) in [(0.0, rough(0.0)), (1000.0, rough(1000.0)), (0.0, terraces())] {
        let surface = Surface::whole(&field);
        for shape in shapes {
            let (mut contacts, mut asked, mut all) = (0, 0, 0);
            for pose in poses(300, 0.1 * level) {
                let placed = Placed { shape, pose };
                let (expected, edges) = exhaustive(&surface, &placed, 0.0);
                all += edges;
                contacts += expected.len();
                for (lanes, (found, edges)) in [
                    ("f64", found::<f64>(&surface, &placed, 0.0)),
                    ("f64x4", found::<F64x4Portable>(&surface, &placed, 0.0)),
                    ("f32x8", found::<F32x8Portable>(&surface, &placed, 0.0)),
                ] {
                    asked += edges;
                    assert_eq!(
                        bits(&found),
                        bits(&expected),
                        "{shape:?} at {pose:?} in lanes of {lanes}"
                    );
                }
            }
            assert!(contacts > 300, "{contacts} contacts of {shape:?}");
            // Of 2000 edges, the shape overlaps the bounds of some fifty.
            assert!(asked * 10 < 3 * all, "{asked} of {all} edges asked about {shape:?}");
        }
    }
}

/// On flat ground nothing is left to ask, wherever it is.
#[test]
fn flat_ground_has_no_edges_to_ask() {
    for height in [0.0, 1.0, 123.456] {
        let size = HeightFieldSize {
            radius_x: 1.0,
            radius_y: 1.0,
            elevation_z: 0.7,
            base_z: 0.2,
        };
        let field = HeightField::new(41, 41, size, vec![height; 41 * 41]).expect("a field");
        let surface = Surface::whole(&field);
        let pose = Pose::at([0.1, 0.2, 0.7 * f64::from(height) + 0.09]);
        let half = [0.2, 0.15, 0.1];
        let placed = Placed {
            shape: Shape::Box { half },
            pose,
        };
        let (contacts, edges) = found::<F32x8Portable>(&surface, &placed, 0.0);
        assert_eq!((contacts.len(), edges), (4, 0), "at the number {height}");
    }
}
