//! Frames fixed to bodies: where geoms and sites are.
//!
//! A step works out the frames of all sites, and of those geoms that it looks at: what may touch something, what a tendon is led
//! around, what a medium flows around. Where a sensor looks at geoms these are all of them. The others, which robots carry for the
//! eye, are worked out for those who ask ([`all_geoms`]).

use motrix_model::{Body, Model, Object, PathItem, Sensor, SensorKind};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mat3, Real, Vec3};

use crate::data::Poses;
use crate::fluid::ellipsoid::EllipsoidRow;
use crate::kinematics::transform;
use crate::params::Params;
use crate::tables::{round_orientation, round3};

/// A frame fixed to a body.
#[derive(Clone, Debug)]
pub struct FrameRow<E> {
    /// Body.
    pub body: usize,
    /// Position in the body.
    pub position: [E; 3],
    /// Orientation in the body, absent when it is the identity.
    pub orientation: Option<[E; 4]>,
    /// Whether that is the model's orientation of the principal axes.
    along_inertia: bool,
}

/// The frames of a model.
#[derive(Clone, Debug)]
pub struct FrameTable<E> {
    /// Geom frames.
    pub geoms: Vec<FrameRow<E>>,
    /// Site frames.
    pub sites: Vec<FrameRow<E>>,
    /// Geoms that a step looks at.
    read: Vec<usize>,
}

impl<E: Real> FrameTable<E> {
    /// The frames of a model.
    pub fn new(model: &Model) -> Self {
        let row = |body: usize, position, orientation| {
            let of = &model.bodies[body];
            let (position, orientation) = aligned(of, position, orientation);
            FrameRow {
                body,
                position: round3(position),
                orientation: round_orientation(orientation),
                along_inertia: orientation == near(of.inertia_orientation, IDENTITY),
            }
        };
        let geoms = model
            .geoms
            .iter()
            .map(|g| row(g.body.index(), g.position, g.orientation));
        let sites = model
            .sites
            .iter()
            .map(|s| row(s.body.index(), s.position, s.orientation));
        Self {
            geoms: geoms.collect(),
            sites: sites.collect(),
            read: read(model),
        }
    }
}

/// Geoms whose frames a step reads, ascending.
fn read(model: &Model) -> Vec<usize> {
    let all = model.sensors.iter().any(looks_at_geoms);
    let mut wanted = vec![all; model.geoms.len()];
    for pair in &model.pairs {
        (wanted[pair.geom1.index()], wanted[pair.geom2.index()]) = (true, true);
    }
    for item in model.tendons.iter().flat_map(|tendon| &tendon.path) {
        if let PathItem::Sphere(geom, _) | PathItem::Cylinder(geom, _) = item {
            wanted[geom.index()] = true;
        }
    }
    let floats = |geom: &usize| EllipsoidRow::<f64>::new(model, *geom).is_some();
    (0..wanted.len()).filter(|g| wanted[*g] || floats(g)).collect()
}

/// Whether a sensor looks at geoms: at one that it names, at those of a body, or at whatever is there.
fn looks_at_geoms(sensor: &Sensor) -> bool {
    let names_one = [sensor.object, sensor.reference]
        .iter()
        .any(|object| matches!(object, Some(Object::Geom(_))));
    names_one
        || matches!(
            sensor.kind,
            SensorKind::Rangefinder { .. }
                | SensorKind::InsideSite { .. }
                | SensorKind::GeomDist
                | SensorKind::GeomNormal
                | SensorKind::GeomFromTo
                | SensorKind::Tactile
                | SensorKind::Lidar(_)
        )
}

const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
/// Frames whose numbers differ by less than this are one (as in MuJoCo).
const SAME_FRAME: f64 = 1e-6;

/// Whether all numbers are nearly the same.
fn is_near<const N: usize>(a: [f64; N], b: [f64; N]) -> bool {
    a.iter().zip(b).all(|(x, y)| (x - y).abs() < SAME_FRAME)
}

/// `b` where the orientations are nearly the same, else `a`.
fn near(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    if is_near(a, b) || is_near(a, b.map(|x| -x)) {
        b
    } else {
        a
    }
}

/// The orientation of the principal axes in a body: none where they are nearly its own.
pub(crate) fn principal(body: &Body) -> [f64; 4] {
    near(body.inertia_orientation, IDENTITY)
}

/// The centre of mass in a body: its origin where the frame of the inertia is nearly that of the body.
pub(crate) fn centre(body: &Body) -> [f64; 3] {
    let turned = principal(body) != IDENTITY;
    if turned || !is_near(body.com, [0.0; 3]) {
        body.com
    } else {
        [0.0; 3]
    }
}

/// A frame in a body, exactly that of the body or of its inertia where it is nearly so.
fn aligned(body: &Body, position: [f64; 3], orientation: [f64; 4]) -> ([f64; 3], [f64; 4]) {
    if near(orientation, IDENTITY) == IDENTITY {
        let origin = is_near(position, [0.0; 3]);
        return (if origin { [0.0; 3] } else { position }, IDENTITY);
    }
    let with_inertia = near(orientation, body.inertia_orientation);
    if with_inertia == body.inertia_orientation && is_near(position, body.com) {
        return (body.com, with_inertia);
    }
    (position, with_inertia)
}

/// World poses of sites, and of the geoms that a step looks at.
#[inline(always)]
pub fn poses<L: Lanes>(table: &FrameTable<L::Elem>, params: &Params<L>, poses: &mut Poses<L>) {
    for &geom in &table.read {
        (poses.geom_position[geom], poses.geom_rotation[geom]) = pose(&table.geoms[geom], params, poses);
    }
    for (site, row) in table.sites.iter().enumerate() {
        (poses.site_position[site], poses.site_rotation[site]) = pose(row, params, poses);
    }
}

/// World poses of all geoms, from those of bodies.
pub fn all_geoms<L: Lanes>(table: &FrameTable<L::Elem>, params: &Params<L>, poses: &mut Poses<L>) {
    for (geom, row) in table.geoms.iter().enumerate() {
        (poses.geom_position[geom], poses.geom_rotation[geom]) = pose(row, params, poses);
    }
}

/// Where a frame is.
#[inline(always)]
fn pose<L: Lanes>(row: &FrameRow<L::Elem>, params: &Params<L>, poses: &Poses<L>) -> (Vec3<L>, Mat3<L>) {
    let (body, rotation) = (row.body, &poses.rotation[row.body]);
    let position = transform(rotation, splat3(row.position), poses.position[body]);
    let rotation = match &row.orientation {
        None => *rotation,
        Some(_) if row.along_inertia && params.principal_axes.is_empty() => poses.inertia_rotation[body],
        Some(q) => quat_to_mat(quat_mul(poses.orientation[body], splat4(*q))),
    };
    (position, rotation)
}
