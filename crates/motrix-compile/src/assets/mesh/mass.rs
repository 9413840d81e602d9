//! Volume, area, centre of mass and inertia of a triangulated surface.
//!
//! Each face spans a pyramid with a common apex; volumes, first and second moments of the pyramids add up. With signed volumes
//! this is exact for any closed, consistently oriented surface (O'Rourke, "Computational Geometry in C", section 1.3.8).
//! [`MeshInertia::Legacy`] adds absolute volumes, which counts concave parts twice but forgives wrong orientations.

use super::{MIN_VALUE, MeshInertia};
use crate::assets::AssetError;
use crate::space::{self, Vec3};

/// Faces with less area than this, the root of [`MIN_VALUE`], do not take part in the orientation check.
const NEGLIGIBLE_AREA: f64 = 3.162_277_660_168_379e-8;

/// Area, unit normal and centre of one face.
struct Facet {
    area: f64,
    normal: Vec3,
    centre: Vec3,
}

impl Facet {
    fn of([a, b, c]: [&Vec3; 3]) -> Self {
        let normal = space::cross(&space::difference(b, a), &space::difference(c, a));
        let length = space::dot(&normal, &normal).sqrt();
        let centre = std::array::from_fn(|k| (a[k] + b[k] + c[k]) / 3.0);
        if length < MIN_VALUE {
            return Self {
                area: 0.0,
                normal,
                centre,
            };
        }
        Self {
            area: 0.5 * length,
            normal: normal.map(|x| x / length),
            centre,
        }
    }
}

/// A surface with the rule that turns it into mass.
pub(super) struct Body<'s> {
    pub(super) vertices: &'s [Vec3],
    pub(super) faces: &'s [[u32; 3]],
    pub(super) rule: MeshInertia,
}

/// Mass properties for unit density.
pub(super) struct Moments {
    /// Volume in cubic metres, or area in square metres for shells.
    pub(super) measure: f64,
    /// Moments and products `[xx, yy, zz, xy, xz, yz]` about the point asked for.
    pub(super) inertia: [f64; 6],
}

impl Body<'_> {
    fn facets(&self) -> impl Iterator<Item = ([&Vec3; 3], Facet)> {
        self.faces.iter().map(|corners| {
            let corners = corners.map(|corner| &self.vertices[corner as usize]);
            (corners, Facet::of(corners))
        })
    }

    /// Volume of the pyramid from a face to `apex`, or the area of the face for shells.
    fn measure(&self, facet: &Facet, apex: &Vec3) -> f64 {
        let height = || space::dot(&space::difference(&facet.centre, apex), &facet.normal);
        match self.rule {
            MeshInertia::Shell => facet.area,
            MeshInertia::Legacy => (height() * facet.area / 3.0).abs(),
            MeshInertia::Convex | MeshInertia::Exact => height() * facet.area / 3.0,
        }
    }

    /// Centre of mass, given the apex of the pyramids.
    pub(super) fn centre_of_mass(&self, apex: &Vec3) -> Result<Vec3, AssetError> {
        let mut total = 0.0;
        let mut centre = [0.0; 3];
        for (_, facet) in self.facets() {
            let measure = self.measure(&facet, apex);
            total += measure;
            for k in 0..3 {
                centre[k] += measure * (facet.centre[k] * 3.0 / 4.0 + apex[k] / 4.0);
            }
        }
        match self.rule {
            _ if total >= MIN_VALUE => Ok(centre.map(|x| x / total)),
            MeshInertia::Shell => Err("the surface area of the mesh is too small".into()),
            _ if total < 0.0 => Err("the volume of the mesh is negative: its triangles face inwards".into()),
            _ => Err("the volume of the mesh is too small; try inertia=\"shell\"".into()),
        }
    }

    /// Measure and inertia about `origin`.
    pub(super) fn moments_about(&self, origin: &Vec3) -> Moments {
        const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
        let divisor = if self.rule == MeshInertia::Shell { 12.0 } else { 20.0 };
        let mut total = 0.0;
        // Second moments: the integral of x_i x_j over the body.
        let mut second = [0.0; 6];
        for corners in self.faces {
            let [d, e, f] = corners.map(|corner| space::difference(&self.vertices[corner as usize], origin));
            let measure = self.measure(&Facet::of([&d, &e, &f]), &[0.0; 3]);
            total += measure;
            for (sum, (i, j)) in second.iter_mut().zip(PAIRS) {
                *sum += measure / divisor
                    * (2.0 * (d[i] * d[j] + e[i] * e[j] + f[i] * f[j])
                        + d[i] * e[j]
                        + d[j] * e[i]
                        + d[i] * f[j]
                        + d[j] * f[i]
                        + e[i] * f[j]
                        + e[j] * f[i]);
            }
        }
        let [xx, yy, zz, xy, xz, yz] = second;
        Moments {
            measure: total,
            inertia: [yy + zz, xx + zz, xx + yy, -xy, -xz, -yz],
        }
    }
}

/// Area of all faces and its centroid.
pub(super) fn area_and_centroid(vertices: &[Vec3], faces: &[[u32; 3]]) -> (f64, Vec3) {
    let mut total = 0.0;
    let mut centroid = [0.0; 3];
    for corners in faces {
        let facet = Facet::of(corners.map(|corner| &vertices[corner as usize]));
        for k in 0..3 {
            centroid[k] += facet.area * facet.centre[k];
        }
        total += facet.area;
    }
    if total >= MIN_VALUE {
        centroid = centroid.map(|x| x / total);
    }
    (total, centroid)
}

/// An edge used twice in the same direction belongs to two faces of opposite orientation.
pub(super) fn check_orientation(vertices: &[Vec3], faces: &[[u32; 3]]) -> Result<(), AssetError> {
    let mut edges = Vec::with_capacity(3 * faces.len());
    for &[a, b, c] in faces {
        if Facet::of([a, b, c].map(|corner| &vertices[corner as usize])).area > NEGLIGIBLE_AREA {
            edges.extend([(a, b), (b, c), (c, a)]);
        }
    }
    edges.sort_unstable();
    match edges.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(&[(a, b), _]) => Err(format!(
            "the faces of the mesh have inconsistent orientation: see those with vertices {a} and {b}, counted from 0"
        )
        .into()),
        _ => Ok(()),
    }
}
