//! `<geom>`: shape, place, contact parameters and mass.

use motrix_model::{Geom, GeomKind, MeshId};

use super::assets::Assets;
use super::draft::{GeomDraft, UNNUMBERED};
use super::inertia::{Fill, MassProperties, measure, moments};
use super::joint::{SOLIMP, SOLREF};
use super::pose::{Pose, TINY, compose, conjugate, cross, from_z_axis, normalize, rotate};
use super::{fluid, user};
use crate::assets::mesh::{FitShape, FitTo, MeshAsset};
use crate::document::Element;
use crate::problem::{NoteKind, Problems};

/// Half size of the bounding box of unbounded geoms (`mjMAXVAL`).
const UNBOUNDED: f64 = 1e10;
/// Density of water, which geoms have unless told otherwise, kg/m³.
const WATER: f64 = 1000.0;

/// A shape as the file names it, before its asset is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Plane,
    HField,
    Mesh,
    Primitive(GeomKind),
    SignedDistance,
}

const SHAPE: &[(&str, Shape)] = &[
    ("plane", Shape::Plane),
    ("hfield", Shape::HField),
    ("sphere", Shape::Primitive(GeomKind::Sphere)),
    ("capsule", Shape::Primitive(GeomKind::Capsule)),
    ("ellipsoid", Shape::Primitive(GeomKind::Ellipsoid)),
    ("cylinder", Shape::Primitive(GeomKind::Cylinder)),
    ("box", Shape::Primitive(GeomKind::Box)),
    ("mesh", Shape::Mesh),
    ("sdf", Shape::SignedDistance),
];

/// What a geom needs to know about the body it is in.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    /// Whether the body's mass may come from this geom.
    pub weighs: bool,
    /// Whether the body cannot move, or is moved by the user.
    pub held: bool,
}

/// Reads a `<geom>`; none when its shape is not supported or cannot be made.
pub fn read(
    element: &Element,
    around: Surroundings,
    assets: &Assets,
    users: Option<usize>,
    problems: &mut Problems,
) -> Option<GeomDraft> {
    let shape = element
        .keyword("type", SHAPE, problems)
        .unwrap_or(Shape::Primitive(GeomKind::Sphere));
    let placed = place(element, shape, around, assets, problems)?;
    let group = element.int("group", problems).unwrap_or(0);
    let fill = match element.boolean("shellinertia", problems) {
        Some(true) => Fill::Shell,
        _ => Fill::Solid,
    };
    if fill == Fill::Shell && matches!(placed.kind, GeomKind::Mesh(_)) {
        problems.push(element.problem_with("shellinertia", "the inertia of a mesh is chosen in its asset"));
    }
    let bounds = bounds(&placed);
    let geom = Geom {
        name: element.name().map(str::to_owned),
        body: UNNUMBERED,
        kind: placed.kind,
        size: placed.size,
        position: placed.pose.position,
        orientation: placed.pose.orientation,
        // bits: the sign is one of them
        contype: element.int("contype", problems).unwrap_or(1) as u32,
        conaffinity: element.int("conaffinity", problems).unwrap_or(1) as u32,
        condim: condim(element, problems),
        priority: element.int("priority", problems).unwrap_or(0),
        solmix: element.real("solmix", problems).unwrap_or(1.0),
        solref: element.reals_over("solref", SOLREF, problems),
        solimp: element.reals_over("solimp", SOLIMP, problems),
        friction: element.reals_over("friction", [1.0, 0.005, 0.0001], problems),
        margin: element.real("margin", problems).unwrap_or(0.0),
        gap: element.real("gap", problems).unwrap_or(0.0),
        adhesion: element.real("adhesion", problems).unwrap_or(0.0),
        surface_velocity: surface_velocity(element, &placed, problems),
        fluid: fluid::read(element, placed.kind, placed.size, problems),
        aabb: bounds.0,
        bounding_radius: bounds.1,
        group,
        cast_shadow: element.boolean("castshadow", problems).unwrap_or(true),
        material: assets.material_of_geom(element, placed.mesh, problems),
        rgba: element.rgba("rgba", problems).unwrap_or([0.5, 0.5, 0.5, 1.0]),
        fitted_mesh: placed.fitted,
        user: user::read(element, users, problems),
    };
    let [first, last] = element.compiler().inertiagrouprange;
    let counts = around.weighs && (first..=last).contains(&group);
    let inertia = if counts {
        weigh(element, &placed, fill, problems)
    } else {
        None
    };
    Some(GeomDraft { geom, inertia })
}

/// Contact dimension: 1, 3, 4 or 6.
pub fn condim(element: &Element, problems: &mut Problems) -> u8 {
    match element.int("condim", problems) {
        None => 3,
        Some(dim @ (1 | 3 | 4 | 6)) => dim as u8,
        Some(_) => {
            problems.push(element.problem_with("condim", "the contact dimension must be 1, 3, 4 or 6"));
            3
        }
    }
}

/// Shape, size and pose in the body.
struct Placed<'a> {
    kind: GeomKind,
    size: [f64; 3],
    pose: Pose,
    /// Where the frame of the mesh is in the frame the file gives.
    mesh_frame: Option<Pose>,
    /// The mesh of a mesh geom.
    mesh: Option<MeshId>,
    asset: Option<&'a MeshAsset>,
    /// Extent of a height field: x, y, up, down.
    field: Option<[f64; 4]>,
    /// The mesh that a primitive was fitted to.
    fitted: Option<MeshId>,
}

impl Placed<'_> {
    fn new(kind: GeomKind, size: [f64; 3], pose: Pose) -> Self {
        Self {
            kind,
            size,
            pose,
            mesh_frame: None,
            mesh: None,
            asset: None,
            field: None,
            fitted: None,
        }
    }
}

fn place<'a>(
    element: &Element,
    shape: Shape,
    around: Surroundings,
    assets: &'a Assets,
    problems: &mut Problems,
) -> Option<Placed<'a>> {
    let size = element.reals_over("size", [0.0; 3], problems);
    if shape != Shape::HField && element.has("hfield") {
        problems.push(element.problem_with("hfield", "only geoms of type hfield have a height field"));
    }
    let mesh = match element.has("mesh") {
        true => Some(assets.mesh(element, "mesh", problems)?),
        false => None,
    };
    match (shape, mesh) {
        (Shape::SignedDistance, _) => {
            let message = "signed distance fields (type=\"sdf\"); the geom is left out";
            problems.push(element.problem_with("type", message).note(NoteKind::NotSupported));
            None
        }
        (Shape::Mesh, None) => {
            problems.push(element.problem_with("type", "a geom of type mesh needs the attribute mesh"));
            None
        }
        (Shape::Mesh, Some((id, asset))) => Some(place_mesh(element, id, asset?, problems)),
        (Shape::Primitive(kind), Some((id, asset))) => fit(element, kind, id, asset?, problems),
        (Shape::Plane | Shape::HField, Some(_)) => {
            problems.push(element.problem_with("mesh", "only solid primitives can be fitted to a mesh"));
            None
        }
        (Shape::Primitive(kind), None) => place_primitive(element, kind, size, problems),
        (Shape::Plane, None) => {
            if size[2] <= 0.0 {
                problems.push(element.problem_with("size", "the third size of a plane must be positive"));
            }
            if !around.held {
                problems.push(element.problem("planes are only allowed in bodies that do not move"));
            }
            Some(Placed::new(GeomKind::Plane, size, in_body(element, problems)))
        }
        (Shape::HField, None) => place_field(element, around, assets, problems),
    }
}

/// The pose as written, in the body.
fn in_body(element: &Element, problems: &mut Problems) -> Pose {
    element.pose(problems).into()
}

fn place_field<'a>(
    element: &Element,
    around: Surroundings,
    assets: &'a Assets,
    problems: &mut Problems,
) -> Option<Placed<'a>> {
    if !element.has("hfield") {
        problems.push(element.problem_with("type", "a geom of type hfield needs the attribute hfield"));
        return None;
    }
    let (id, extent) = assets.hfield(element, "hfield", problems)?;
    if !around.held {
        problems.push(element.problem("height fields are only allowed in the world and in bodies that do not move"));
    }
    // Half height: between the base and the mean of ground and summit.
    let size = [extent[0], extent[1], 0.25 * extent[2] + 0.5 * extent[3]];
    let placed = Placed::new(GeomKind::HField(id), size, in_body(element, problems));
    Some(Placed {
        field: Some(extent),
        ..placed
    })
}

fn place_mesh<'a>(element: &Element, id: MeshId, asset: &'a MeshAsset, problems: &mut Problems) -> Placed<'a> {
    refuse_fromto(element, problems);
    let frame = Pose::new(asset.pos, asset.quat);
    let local = Pose::from(element.local_pose(problems)).then(&frame);
    let pose = element.in_body(local.into()).into();
    let placed = Placed::new(GeomKind::Mesh(id), asset.half_sizes(), pose);
    Placed {
        mesh_frame: Some(frame),
        mesh: Some(id),
        asset: Some(asset),
        ..placed
    }
}

/// A primitive in place of a mesh.
fn fit<'a>(
    element: &Element,
    kind: GeomKind,
    id: MeshId,
    asset: &'a MeshAsset,
    problems: &mut Problems,
) -> Option<Placed<'a>> {
    refuse_fromto(element, problems);
    let shape = match kind {
        GeomKind::Sphere => FitShape::Sphere,
        GeomKind::Capsule => FitShape::Capsule,
        GeomKind::Cylinder => FitShape::Cylinder,
        GeomKind::Ellipsoid => FitShape::Ellipsoid,
        _ => FitShape::Box,
    };
    let to = if element.compiler().fitaabb {
        FitTo::BoundingBox
    } else {
        FitTo::InertiaBox
    };
    let fit = asset.fit(shape, to, element.real("fitscale", problems).unwrap_or(1.0));
    let frame = Pose::new(fit.pos, asset.quat);
    let local = Pose::from(element.local_pose(problems)).then(&frame);
    let pose = element.in_body(local.into()).into();
    check_size(element, "mesh", kind, fit.size, problems)?;
    Some(Placed {
        mesh_frame: Some(frame),
        mesh: Some(id),
        fitted: Some(id),
        ..Placed::new(kind, fit.size, pose)
    })
}

fn refuse_fromto(element: &Element, problems: &mut Problems) {
    if element.has("fromto") {
        problems.push(element.problem_with("fromto", "a geom with a mesh has no end points"));
    }
}

fn place_primitive<'a>(
    element: &Element,
    kind: GeomKind,
    size: [f64; 3],
    problems: &mut Problems,
) -> Option<Placed<'a>> {
    let (size, pose) = match between_points(element, kind, size, problems) {
        Some(between) => between?,
        None => (size, in_body(element, problems)),
    };
    check_size(element, "size", kind, size, problems)?;
    Some(Placed::new(kind, size, pose))
}

/// Size and pose of a shape that spans two points (`fromto`); the outer option tells whether it does, the inner whether it
/// can. Sites use it too.
pub fn between_points(
    element: &Element,
    kind: GeomKind,
    size: [f64; 3],
    problems: &mut Problems,
) -> Option<Option<([f64; 3], Pose)>> {
    let [ax, ay, az, bx, by, bz] = element.reals("fromto", problems)?;
    if !matches!(
        kind,
        GeomKind::Capsule | GeomKind::Cylinder | GeomKind::Ellipsoid | GeomKind::Box
    ) {
        problems.push(element.problem_with(
            "fromto",
            "only capsules, cylinders, boxes and ellipsoids span two points",
        ));
        return Some(None);
    }
    if element
        .reals("pos", problems)
        .is_some_and(|pos: [f64; 3]| pos != [0.0; 3])
    {
        problems.push(element.problem_with("fromto", "both pos and fromto are given"));
        return Some(None);
    }
    let mut axis = [ax - bx, ay - by, az - bz];
    let half = normalize(&mut axis) / 2.0;
    if half < TINY {
        problems.push(element.problem_with("fromto", "the points are too close"));
        return Some(None);
    }
    let size = match kind {
        GeomKind::Capsule | GeomKind::Cylinder => [size[0], half, size[2]],
        _ => [size[0], size[0], half],
    };
    let local = Pose::new([(ax + bx) / 2.0, (ay + by) / 2.0, (az + bz) / 2.0], from_z_axis(axis));
    Some(Some((size, element.in_body(local.into()).into())))
}

/// Sizes that the shape uses must be positive.
pub fn check_size(
    element: &Element,
    attribute: &str,
    kind: GeomKind,
    size: [f64; 3],
    problems: &mut Problems,
) -> Option<()> {
    let used = match kind {
        GeomKind::Sphere => 1,
        GeomKind::Capsule | GeomKind::Cylinder => 2,
        GeomKind::Ellipsoid | GeomKind::Box => 3,
        GeomKind::Plane | GeomKind::HField(_) | GeomKind::Mesh(_) => 0,
    };
    // NaN is not positive either
    match size[..used].iter().position(|&s| !(s > 0.0)) {
        None => Some(()),
        Some(i) => {
            let message = format!("size {} of {} must be positive, not {}", i + 1, word(kind), size[i]);
            problems.push(element.problem_with(attribute, message));
            None
        }
    }
}

fn word(kind: GeomKind) -> &'static str {
    match kind {
        GeomKind::Plane => "a plane",
        GeomKind::HField(_) => "a height field",
        GeomKind::Sphere => "a sphere",
        GeomKind::Capsule => "a capsule",
        GeomKind::Ellipsoid => "an ellipsoid",
        GeomKind::Cylinder => "a cylinder",
        GeomKind::Box => "a box",
        GeomKind::Mesh(_) => "a mesh",
    }
}

/// Bounding box (centre, half size) and radius about the geom frame.
fn bounds(placed: &Placed) -> ([f64; 6], f64) {
    let [a, b, c] = placed.size;
    let around_origin = |half: [f64; 3]| [0.0, 0.0, 0.0, half[0], half[1], half[2]];
    match placed.kind {
        GeomKind::Plane => {
            let half = UNBOUNDED;
            ([0.0, 0.0, -half / 2.0, half, half, half / 2.0], 0.0)
        }
        GeomKind::HField(_) => {
            let [x, y, up, down] = placed.field.unwrap_or([0.0; 4]);
            let aabb = [0.0, 0.0, (up - down) / 2.0, x, y, (up + down) / 2.0];
            (aabb, (x * x + y * y + (up * up).max(down * down)).sqrt())
        }
        GeomKind::Sphere => (around_origin([a; 3]), a),
        GeomKind::Capsule => (around_origin([a, a, a + b]), a + b),
        GeomKind::Cylinder => (around_origin([a, a, b]), (a * a + b * b).sqrt()),
        GeomKind::Ellipsoid => (around_origin(placed.size), a.max(b).max(c)),
        GeomKind::Box => (around_origin(placed.size), (a * a + b * b + c * c).sqrt()),
        GeomKind::Mesh(_) => match placed.asset {
            Some(mesh) => {
                let (min, max) = (mesh.aabb_min, mesh.aabb_max);
                let mean = |i: usize| (max[i] + min[i]) / 2.0;
                let half = |i: usize| (max[i] - min[i]) / 2.0;
                (
                    [mean(0), mean(1), mean(2), half(0), half(1), half(2)],
                    mesh.bounding_radius(),
                )
            }
            None => (around_origin(placed.size), 0.0),
        },
    }
}

/// Velocity of the surface in the geom frame. The file gives it in the frame before that of a mesh is added.
fn surface_velocity(element: &Element, placed: &Placed, problems: &mut Problems) -> [f64; 6] {
    let given = element.reals_over("surfacevel", [0.0; 6], problems);
    let Some(frame) = placed.mesh_frame.filter(|_| given != [0.0; 6]) else {
        return given;
    };
    let angular = [given[3], given[4], given[5]];
    let shift = cross(angular, frame.position);
    let back = conjugate(compose(frame.orientation, [1.0, 0.0, 0.0, 0.0]));
    let linear = rotate(back, [given[0] + shift[0], given[1] + shift[1], given[2] + shift[2]]);
    let angular = rotate(back, angular);
    [linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]]
}

/// Mass from `mass` or `density`, with its moments; none when the geom weighs nothing.
fn weigh(element: &Element, placed: &Placed, fill: Fill, problems: &mut Problems) -> Option<MassProperties> {
    let extent = match placed.asset {
        Some(mesh) => mesh.measure,
        None => measure(placed.kind, placed.size, fill),
    };
    let (attribute, mass) = match element.real("mass", problems) {
        Some(mass) if mass == 0.0 || extent > TINY => ("mass", mass),
        Some(_) => return None,
        None => ("density", element.real("density", problems).unwrap_or(WATER) * extent),
    };
    if mass < 0.0 {
        problems.push(element.problem_with(attribute, "mass and density cannot be negative"));
        return None;
    }
    let moments = match placed.asset {
        Some(mesh) => mesh.moments(mass),
        None => moments(placed.kind, placed.size, fill, mass),
    };
    Some(MassProperties {
        mass,
        pose: placed.pose,
        moments,
    })
    .filter(|inertia| inertia.mass > TINY)
}
