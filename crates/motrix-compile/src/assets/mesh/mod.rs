//! Meshes: decode, centre and align, weigh, wrap in a convex hull.
//!
//! A geom's frame is where its shape is simplest: the origin at the centre of mass, axes along the principal axes of inertia.
//! [`compile`] moves the vertices there and keeps the pose of that frame in the frame of the source, to be composed with the
//! pose of every geom that uses the mesh. Steps and numbers are MuJoCo 4.0's.

use std::array;

use super::AssetError;

use crate::principal_axes::{Noise, PrincipalAxes, principal_axes};
use crate::space::{self, Quat, Vec3};

pub mod builtin;
mod facing;
mod fit;
mod hull;
mod mass;
mod msh;
mod normals;
mod obj;
mod orientation;
mod stl;
mod surface;

pub use fit::{Fit, FitShape, FitTo};
pub use hull::{HullTriangles, convex_hull};
pub use surface::{MeshFormat, Surface};

/// Areas, volumes and lengths below this are none (`mjMINVAL`).
const MIN_VALUE: f64 = 1e-15;

/// How a surface turns into mass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeshInertia {
    /// The solid convex hull.
    Convex,
    /// The solid inside; the surface must be closed and consistently oriented.
    Exact,
    /// Pyramids from the centroid to each face, all counted positively.
    #[default]
    Legacy,
    /// The surface itself, of uniform mass per area.
    Shell,
}

/// Attributes of a mesh besides its surface.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshOptions {
    /// Factor along each axis of the source; negative factors mirror.
    pub scale: [f64; 3],
    /// Subtracted from the vertices, before scaling.
    pub refpos: [f64; 3],
    /// The vertices are rotated by its conjugate, before scaling.
    pub refquat: [f64; 4],
    /// How mass is computed.
    pub inertia: MeshInertia,
    /// Average all faces into vertex normals, even across sharp edges.
    pub smooth_normals: bool,
    /// Whether something collides with the mesh. A convex inertia or a surface without faces makes the hull needed too.
    pub needs_hull: bool,
    /// Upper bound of the hull's vertices; at least 4.
    pub max_hull_vertices: Option<usize>,
}

impl Default for MeshOptions {
    fn default() -> Self {
        Self {
            scale: [1.0; 3],
            refpos: [0.0; 3],
            refquat: [1.0, 0.0, 0.0, 0.0],
            inertia: MeshInertia::default(),
            smooth_normals: false,
            needs_hull: true,
            max_hull_vertices: None,
        }
    }
}

/// A mesh in its principal frame.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshAsset {
    /// Points in the principal frame.
    pub vertices: Vec<[f32; 3]>,
    /// Unit normals in the principal frame.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates; may be empty.
    pub texcoords: Vec<[f32; 2]>,
    /// Corners of triangles, counter-clockwise seen from outside.
    pub faces: Vec<[u32; 3]>,
    /// Normal of each corner.
    pub face_normals: Vec<[u32; 3]>,
    /// Texture coordinates of each corner; empty if there are none.
    pub face_texcoords: Vec<[u32; 3]>,
    /// The convex hull, by indices of `vertices`, if it is needed.
    pub hull: Option<HullTriangles>,
    /// A number for each triangle of the hull, the same for those that face alike.
    pub hull_facing: Vec<u32>,
    /// Origin of the principal frame in the frame of the (referenced and scaled) source.
    pub pos: [f64; 3],
    /// Orientation of the principal frame there, `[w, x, y, z]`.
    pub quat: [f64; 4],
    /// Mass for unit density: the volume in cubic metres or, for shells, the area in square metres.
    pub measure: f64,
    /// Area of all faces in square metres.
    pub area: f64,
    /// Half sizes of the solid box with the same inertia: `I_x = m (b_y^2 + b_z^2) / 3` and so on.
    pub inertia_box: [f64; 3],
    /// Lowest coordinates of the vertices in the principal frame.
    pub aabb_min: [f64; 3],
    /// Highest coordinates of the vertices in the principal frame.
    pub aabb_max: [f64; 3],
}

impl MeshAsset {
    /// Half sizes of the box around the origin that contains the mesh; the geom's `size`.
    pub fn half_sizes(&self) -> [f64; 3] {
        array::from_fn(|k| self.aabb_min[k].abs().max(self.aabb_max[k].abs()))
    }

    /// Radius of a sphere around the origin that contains the mesh: that around its box.
    pub fn bounding_radius(&self) -> f64 {
        let [x, y, z] = self.half_sizes();
        (x * x + y * y + z * z).sqrt()
    }

    /// Principal moments of inertia of `mass` spread over the mesh.
    pub fn moments(&self, mass: f64) -> [f64; 3] {
        let [x, y, z] = self.inertia_box.map(|half| half * half);
        [mass * (y + z) / 3.0, mass * (x + z) / 3.0, mass * (x + y) / 3.0]
    }
}

/// Turns a surface into a mesh asset.
pub fn compile(mut surface: Surface, options: &MeshOptions) -> Result<MeshAsset, AssetError> {
    surface.check()?;
    let mut vertices: Vec<Vec3> = surface.vertices.iter().map(|vertex| vertex.map(f64::from)).collect();
    if options.inertia == MeshInertia::Exact {
        mass::check_orientation(&vertices, &surface.faces)?;
    }

    // shape as given: hull, faces, normals
    let needs_hull = options.needs_hull || options.inertia == MeshInertia::Convex || surface.faces.is_empty();
    let mut hull = needs_hull
        .then(|| convex_hull(&surface.vertices, options.max_hull_vertices))
        .transpose()?;
    if let (true, Some(hull)) = (surface.faces.is_empty(), &hull) {
        surface.faces.clone_from(&hull.faces);
    }
    let hull_facing = hull
        .as_ref()
        .map_or_else(Vec::new, |hull| facing::facing(&vertices, &hull.faces));
    complete_corners(&mut surface, &vertices, options.smooth_normals);

    // place and size as asked for
    if options.scale.iter().product::<f64>() <= 0.0 {
        mirror(&mut surface, &mut hull);
    }
    transform(&mut vertices, &mut surface.normals, options);

    // mass, and the frame it suggests
    let (area, centroid) = mass::area_and_centroid(&vertices, &surface.faces);
    if area < MIN_VALUE {
        return Err("the surface area of the mesh is too small".into());
    }
    let solid = match &hull {
        Some(hull) if options.inertia == MeshInertia::Convex => &hull.faces,
        _ => &surface.faces,
    };
    let body = mass::Body {
        vertices: &vertices,
        faces: solid,
        rule: options.inertia,
    };
    let pos = body.centre_of_mass(&centroid)?;
    let moments = body.moments_about(&pos);
    let PrincipalAxes {
        moments: principal,
        orientation: quat,
    } = principal_axes(&symmetric(&moments.inertia), Noise::OF_VERTICES);
    check_moments(&principal)?;
    let (aabb_min, aabb_max) = align(&mut vertices, &mut surface.normals, &pos, &quat);

    Ok(MeshAsset {
        vertices: vertices.iter().map(|vertex| vertex.map(|x| x as f32)).collect(),
        normals: surface.normals,
        texcoords: surface.texcoords,
        faces: surface.faces,
        face_normals: surface.face_normals,
        face_texcoords: surface.face_texcoords,
        hull,
        hull_facing,
        pos,
        quat,
        measure: moments.measure,
        area,
        inertia_box: inertia_box(&principal, moments.measure),
        aabb_min,
        aabb_max,
    })
}

/// Fills in normals and the indices of corners that the source left to be derived.
fn complete_corners(surface: &mut Surface, vertices: &[Vec3], smooth: bool) {
    if surface.normals.is_empty() {
        surface.normals = normals::vertex_normals(vertices, &surface.faces, smooth);
        surface.face_normals.clone_from(&surface.faces);
    }
    if surface.face_normals.is_empty() {
        // Touch meshes carry a frame of three normals per vertex, of which the first is the outward one.
        let per_vertex = (surface.normals.len() / vertices.len()) as u32;
        surface.face_normals = surface
            .faces
            .iter()
            .map(|face| face.map(|corner| per_vertex * corner))
            .collect();
    }
    if surface.face_texcoords.is_empty() && !surface.texcoords.is_empty() {
        surface.face_texcoords.clone_from(&surface.faces);
    }
}

/// Reverses the order of corners, so that faces look outwards again after a mirroring scale.
fn mirror(surface: &mut Surface, hull: &mut Option<HullTriangles>) {
    let hull_faces = hull.iter_mut().flat_map(|hull| &mut hull.faces);
    let corners = [
        &mut surface.faces,
        &mut surface.face_normals,
        &mut surface.face_texcoords,
    ];
    for face in corners.into_iter().flatten().chain(hull_faces) {
        face.swap(1, 2);
    }
}

/// Applies reference pose and scale. Normals are covectors: the inverse scale applies, then unit length again.
fn transform(vertices: &mut [Vec3], normals: &mut [[f32; 3]], options: &MeshOptions) {
    let MeshOptions {
        scale, refpos, refquat, ..
    } = options;
    for vertex in &mut *vertices {
        *vertex = space::difference(vertex, refpos);
    }
    if *refquat != [1.0, 0.0, 0.0, 0.0] {
        let inverse = space::transpose(&space::matrix(&space::normalized(refquat)));
        for vertex in &mut *vertices {
            *vertex = space::apply(&inverse, vertex);
        }
        for normal in &mut *normals {
            *normal = space::apply(&inverse, &normal.map(f64::from)).map(|x| x as f32);
        }
    }
    for vertex in vertices {
        *vertex = array::from_fn(|k| vertex[k] * scale[k]);
    }
    for normal in normals {
        if *scale != [1.0; 3] {
            *normal = array::from_fn(|k| (f64::from(normal[k]) / scale[k]) as f32);
        }
        let squared = normals::squared_length(normal);
        *normal = if f64::from(squared) > MIN_VALUE {
            let inverse = 1.0 / squared.sqrt();
            normal.map(|x| x * inverse)
        } else {
            [0.0, 0.0, 1.0]
        };
    }
}

/// Moves everything into the principal frame; returns the bounds of the vertices there.
fn align(vertices: &mut [Vec3], normals: &mut [[f32; 3]], pos: &Vec3, quat: &Quat) -> (Vec3, Vec3) {
    let into_frame = space::matrix(&space::conjugate(quat));
    let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for vertex in vertices {
        *vertex = space::apply(&into_frame, &space::difference(vertex, pos));
        min = array::from_fn(|k| min[k].min(vertex[k]));
        max = array::from_fn(|k| max[k].max(vertex[k]));
    }
    for normal in normals {
        *normal = space::apply(&into_frame, &normal.map(f64::from)).map(|x| x as f32);
    }
    (min, max)
}

fn symmetric(&[xx, yy, zz, xy, xz, yz]: &[f64; 6]) -> space::Mat3 {
    [xx, xy, xz, xy, yy, yz, xz, yz, zz]
}

/// Moments must be positive, and no one may exceed the sum of the others; wrongly oriented surfaces violate this.
fn check_moments(&[a, b, c]: &Vec3) -> Result<(), AssetError> {
    const ABSOLUTE: f64 = 1e-9;
    const RELATIVE: f64 = 1e-6;
    if c <= 0.0 {
        return Err("the principal moments of inertia of the mesh are not positive".into());
    }
    let exceeds = |one: f64, others: f64| others < one * (1.0 - RELATIVE) - ABSOLUTE;
    if exceeds(c, a + b) || exceeds(b, a + c) || exceeds(a, b + c) {
        return Err("the principal moments of inertia of the mesh violate A + B >= C".into());
    }
    Ok(())
}

/// Half sizes of the box of the same mass with these moments; for a flat shape rounding must not make one imaginary.
fn inertia_box(&[a, b, c]: &Vec3, measure: f64) -> Vec3 {
    [b + c - a, a + c - b, a + b - c].map(|sum| 0.5 * (6.0 * sum / measure).max(0.0).sqrt())
}
