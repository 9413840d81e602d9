//! `<sensor>`: what is measured, on what, and where it is written.

use motrix_model::{
    ActuatorId, BodyId, CameraId, GeomId, GeomKind, JointId, JointKind, MeshId, Model, Object, Sensor, SensorDataKind,
    SensorKind, SensorStage, SiteId, TendonId,
};

use super::actuator::history;
use super::enclosable;
use super::lidar;
use super::names::Names;
use super::user;
use crate::document::Element;
use crate::problem::{NoteKind, Problems};
use crate::schema::Namespace;

/// Numbers of all sensors together beyond this are refused: 512 MB per world.
const MOST_NUMBERS: usize = 1 << 26;

/// What sensors are read from.
pub struct Section<'s> {
    /// All sensors.
    pub elements: &'s [Element],
    /// The patterns of scanners.
    pub lidars: &'s [Option<lidar::Pattern>],
    /// Numbers that `<size>` reserves for each sensor.
    pub users: Option<usize>,
}

/// Reads all sensors, one after the other in the sensor vector.
pub fn read(section: &Section, names: &Names, model: &mut Model, problems: &mut Problems) {
    for element in section.elements {
        let reader = Reader { names, model, section };
        if let Some(sensor) = reader.read(element, problems) {
            if model.sensor_data_len.saturating_add(sensor.dim) > MOST_NUMBERS {
                problems.push(element.problem(format!("the sensors have more than {MOST_NUMBERS} numbers")));
                return;
            }
            model.sensor_data_len += sensor.dim;
            model.sensors.push(sensor);
        }
    }
}

struct Reader<'r> {
    names: &'r Names,
    model: &'r Model,
    section: &'r Section<'r>,
}

/// What a sensor looks at, and relative to what.
type Objects = (Option<Object>, Option<Object>);

impl Reader<'_> {
    fn read(&self, element: &Element, problems: &mut Problems) -> Option<Sensor> {
        let (kind, objects) = self.kind(element, problems)?;
        let (object, reference) = objects?;
        self.check(element, &kind, object, reference, problems);
        let (delay, history) = if has(element, "nsample") {
            history(element, problems)
        } else {
            (0.0, None)
        };
        let number = |name: &str, problems: &mut Problems| {
            let given = if has(element, name) {
                element.real(name, problems)
            } else {
                None
            };
            if given.is_some_and(|number| number < 0.0) {
                problems.push(element.problem_with(name, format!("{name} cannot be negative")));
            }
            given.unwrap_or(0.0)
        };
        let (stage, data) = if kind == SensorKind::User {
            user_class(element, problems)
        } else {
            class(&kind)
        };
        let cutoff = number("cutoff", problems);
        if cutoff > 0.0
            && (data == SensorDataKind::Quaternion || (data == SensorDataKind::Axis && kind != SensorKind::GeomNormal))
        {
            problems.push(element.problem_with("cutoff", "axes and quaternions have no cutoff"));
        }
        Some(Sensor {
            name: element.name().map(str::to_owned),
            object,
            reference,
            stage,
            data,
            first: self.model.sensor_data_len,
            dim: self.dim(element, &kind, object, problems),
            kind,
            cutoff,
            noise: number("noise", problems),
            delay,
            history,
            interval: interval(element, problems),
            user: if has(element, "user") {
                user::read(element, self.section.users, problems)
            } else {
                Vec::new()
            },
        })
    }

    /// The kind of a sensor and its objects; the objects are none when they cannot be found.
    fn kind(&self, element: &Element, problems: &mut Problems) -> Option<(SensorKind, Option<Objects>)> {
        use Namespace::{Actuator, Body, Joint, Site, Tendon};
        let mut one = |kind: SensorKind, attribute: &str, namespace: Namespace| {
            Some((
                kind,
                self.named(element, attribute, namespace, problems)
                    .map(|object| (Some(object), None)),
            ))
        };
        match element.tag() {
            "touch" => one(SensorKind::Touch, "site", Site),
            "accelerometer" => one(SensorKind::Accelerometer, "site", Site),
            "velocimeter" => one(SensorKind::Velocimeter, "site", Site),
            "gyro" => one(SensorKind::Gyro, "site", Site),
            "force" => one(SensorKind::Force, "site", Site),
            "torque" => one(SensorKind::Torque, "site", Site),
            "magnetometer" => one(SensorKind::Magnetometer, "site", Site),
            "jointpos" => one(SensorKind::JointPos, "joint", Joint),
            "jointvel" => one(SensorKind::JointVel, "joint", Joint),
            "tendonpos" => one(SensorKind::TendonPos, "tendon", Tendon),
            "tendonvel" => one(SensorKind::TendonVel, "tendon", Tendon),
            "actuatorpos" => one(SensorKind::ActuatorPos, "actuator", Actuator),
            "actuatorvel" => one(SensorKind::ActuatorVel, "actuator", Actuator),
            "actuatorfrc" => one(SensorKind::ActuatorFrc, "actuator", Actuator),
            "jointactuatorfrc" => one(SensorKind::JointActFrc, "joint", Joint),
            "tendonactuatorfrc" => one(SensorKind::TendonActFrc, "tendon", Tendon),
            "ballquat" => one(SensorKind::BallQuat, "joint", Joint),
            "ballangvel" => one(SensorKind::BallAngVel, "joint", Joint),
            "jointlimitpos" => one(SensorKind::JointLimitPos, "joint", Joint),
            "jointlimitvel" => one(SensorKind::JointLimitVel, "joint", Joint),
            "jointlimitfrc" => one(SensorKind::JointLimitFrc, "joint", Joint),
            "tendonlimitpos" => one(SensorKind::TendonLimitPos, "tendon", Tendon),
            "tendonlimitvel" => one(SensorKind::TendonLimitVel, "tendon", Tendon),
            "tendonlimitfrc" => one(SensorKind::TendonLimitFrc, "tendon", Tendon),
            "subtreecom" => one(SensorKind::SubtreeCom, "body", Body),
            "subtreelinvel" => one(SensorKind::SubtreeLinVel, "body", Body),
            "subtreeangmom" => one(SensorKind::SubtreeAngMom, "body", Body),
            _ => self.kind_of_two(element, problems),
        }
    }

    /// Sensors with two objects, with other data, or with none.
    fn kind_of_two(&self, element: &Element, problems: &mut Problems) -> Option<(SensorKind, Option<Objects>)> {
        let nothing = Some((None, None));
        let mut framed = |kind| Some((kind, self.frames(element, problems)));
        match element.tag() {
            "framepos" => framed(SensorKind::FramePos),
            "framequat" => framed(SensorKind::FrameQuat),
            "framexaxis" => framed(SensorKind::FrameXAxis),
            "frameyaxis" => framed(SensorKind::FrameYAxis),
            "framezaxis" => framed(SensorKind::FrameZAxis),
            "framelinvel" => framed(SensorKind::FrameLinVel),
            "frameangvel" => framed(SensorKind::FrameAngVel),
            "framelinacc" => framed(SensorKind::FrameLinAcc),
            "frameangacc" => framed(SensorKind::FrameAngAcc),
            "distance" => Some((SensorKind::GeomDist, self.shapes(element, problems))),
            "normal" => Some((SensorKind::GeomNormal, self.shapes(element, problems))),
            "fromto" => Some((SensorKind::GeomFromTo, self.shapes(element, problems))),
            "contact" => self.contact(element, problems),
            "rangefinder" => self.rangefinder(element, problems),
            "camprojection" => {
                let site = self.named(element, "site", Namespace::Site, problems);
                let camera = self.named(element, "camera", Namespace::Camera, problems);
                Some((
                    SensorKind::CamProjection,
                    site.zip(camera).map(|(site, camera)| (Some(site), Some(camera))),
                ))
            }
            "insidesite" => {
                let object = self.frame(element, "objtype", "objname", problems);
                let site = self.named(element, "site", Namespace::Site, problems);
                let enclosed = element.boolean("enclosed", problems).unwrap_or(false);
                if let (true, Some(object)) = (enclosed, object) {
                    enclosable::check(self.model, element, object, problems);
                }
                Some((
                    SensorKind::InsideSite { enclosed },
                    object.zip(site).map(|(object, site)| (Some(object), Some(site))),
                ))
            }
            "tactile" => {
                let mesh = self.named(element, "mesh", Namespace::Mesh, problems);
                let geom = self.named(element, "geom", Namespace::Geom, problems);
                Some((
                    SensorKind::Tactile,
                    mesh.zip(geom).map(|(mesh, geom)| (Some(mesh), Some(geom))),
                ))
            }
            "e_potential" => Some((SensorKind::PotentialEnergy, nothing)),
            "e_kinetic" => Some((SensorKind::KineticEnergy, nothing)),
            "clock" => Some((SensorKind::Clock, nothing)),
            "lidar" => {
                let site = self.named(element, "site", Namespace::Site, problems);
                let kind = lidar::scanner(element, self.names, self.section.lidars, problems);
                Some((kind?, site.map(|site| (Some(site), None))))
            }
            "user" => {
                let message = "user sensors have no callback here; they read zero";
                problems.push(element.problem(message).note(NoteKind::NotSupported));
                Some((SensorKind::User, self.user_object(element, problems)))
            }
            other => {
                problems.push(
                    element
                        .problem(format!("sensors of type {other}"))
                        .note(NoteKind::NotSupported),
                );
                None
            }
        }
    }

    /// The object of kind `namespace` that `attribute` names.
    fn named(
        &self,
        element: &Element,
        attribute: &str,
        namespace: Namespace,
        problems: &mut Problems,
    ) -> Option<Object> {
        let index = self.names.require(element, attribute, namespace, problems)?;
        Some(match namespace {
            Namespace::Site => Object::Site(SiteId::new(index)),
            Namespace::Joint => Object::Joint(JointId::new(index)),
            Namespace::Tendon => Object::Tendon(TendonId::new(index)),
            Namespace::Actuator => Object::Actuator(ActuatorId::new(index)),
            Namespace::Geom => Object::Geom(GeomId::new(index)),
            Namespace::Camera => Object::Camera(CameraId::new(index)),
            Namespace::Mesh => Object::Mesh(MeshId::new(index)),
            _ => Object::Body(BodyId::new(index)),
        })
    }

    /// The frame that a pair of attributes names: kind and name.
    fn frame(&self, element: &Element, kind: &str, name: &str, problems: &mut Problems) -> Option<Object> {
        let word = element.text(kind)?;
        let object = self.named(element, name, Namespace::of_objtype(word)?, problems)?;
        Some(match object {
            Object::Body(body) if word == "xbody" => Object::XBody(body),
            other => other,
        })
    }

    fn frames(&self, element: &Element, problems: &mut Problems) -> Option<Objects> {
        let object = self.frame(element, "objtype", "objname", problems);
        let relative = has(element, "refname");
        let reference = if relative {
            self.frame(element, "reftype", "refname", problems)
        } else {
            None
        };
        if relative {
            reference?;
        }
        Some((Some(object?), reference))
    }

    /// What a user sensor points at: anything that has an id here.
    fn user_object(&self, element: &Element, problems: &mut Problems) -> Option<Objects> {
        let known = [
            "body", "xbody", "joint", "geom", "site", "camera", "mesh", "tendon", "actuator",
        ];
        match element.text("objtype") {
            Some(word) if known.contains(&word) => {
                Some((Some(self.frame(element, "objtype", "objname", problems)?), None))
            }
            _ => Some((None, None)),
        }
    }

    /// Two shapes: geoms, or bodies with all their geoms.
    fn shapes(&self, element: &Element, problems: &mut Problems) -> Option<Objects> {
        let mut shape = |body: &str, geom: &str| match element.has(body) {
            true => self.named(element, body, Namespace::Body, problems),
            false => self.named(element, geom, Namespace::Geom, problems),
        };
        let (first, second) = (shape("body1", "geom1"), shape("body2", "geom2"));
        Some((Some(first?), Some(second?)))
    }

    fn contact(&self, element: &Element, problems: &mut Problems) -> Option<(SensorKind, Option<Objects>)> {
        const FIELDS: &[&str] = &[
            "found", "force", "torque", "dist", "pos", "normal", "tangent", "linvel", "angvel",
        ];
        const REDUCE: &[(&str, u8)] = &[("none", 0), ("mindist", 1), ("maxforce", 2), ("netforce", 3)];
        let fields = fields(element, FIELDS, problems);
        let reduce = element.keyword("reduce", REDUCE, problems).unwrap_or(0);
        let num = element.int("num", problems).unwrap_or(1);
        if num <= 0 {
            problems.push(element.problem_with("num", "the number of contacts must be positive"));
        }
        let num = usize::try_from(num).unwrap_or(1).max(1);
        if reduce == 3 && fields & 0b1_1000_0000 != 0 {
            problems.push(element.problem_with("reduce", "the net force has no velocity"));
        }
        let mut matching = |names: &[(&str, Namespace)]| -> Option<Option<Object>> {
            let Some((name, kind)) = names.iter().find(|(name, _)| element.has(name)) else {
                return Some(None);
            };
            let object = self.named(element, name, *kind, problems)?;
            Some(Some(match object {
                Object::Body(body) if name.starts_with("subtree") => Object::XBody(body),
                other => other,
            }))
        };
        let (site, body, geom) = (Namespace::Site, Namespace::Body, Namespace::Geom);
        let first = matching(&[("site", site), ("body1", body), ("subtree1", body), ("geom1", geom)]);
        let second = matching(&[("body2", body), ("subtree2", body), ("geom2", geom)]);
        Some((SensorKind::Contact { fields, reduce, num }, first.zip(second)))
    }

    fn rangefinder(&self, element: &Element, problems: &mut Problems) -> Option<(SensorKind, Option<Objects>)> {
        const FIELDS: &[&str] = &["dist", "dir", "origin", "point", "normal", "depth"];
        let fields = fields(element, FIELDS, problems);
        let (attribute, kind) = if element.has("site") {
            ("site", Namespace::Site)
        } else {
            ("camera", Namespace::Camera)
        };
        let object = self.named(element, attribute, kind, problems);
        Some((
            SensorKind::Rangefinder { fields },
            object.map(|object| (Some(object), None)),
        ))
    }

    /// Number of numbers a sensor writes.
    fn dim(&self, element: &Element, kind: &SensorKind, object: Option<Object>, problems: &mut Problems) -> usize {
        match kind {
            SensorKind::Contact { fields, num, .. } => {
                num.saturating_mul(size_of(*fields, &[1, 3, 3, 1, 3, 3, 3, 3, 3]))
            }
            SensorKind::Rangefinder { fields } => {
                let rays = match object {
                    Some(Object::Camera(id)) => self.model.cameras[id.index()]
                        .resolution
                        .map(|pixels| pixels as usize)
                        .iter()
                        .product(),
                    _ => 1,
                };
                size_of(*fields, &[1, 3, 3, 3, 3, 1]).saturating_mul(rays)
            }
            SensorKind::Tactile => match object {
                Some(Object::Mesh(id)) => 3 * self.model.meshes[id.index()].vertices.len(),
                _ => 0,
            },
            SensorKind::User => {
                let given = element.int("dim", problems).unwrap_or(0);
                if given < 0 {
                    problems.push(element.problem_with("dim", "the number of numbers cannot be negative"));
                }
                usize::try_from(given).unwrap_or(0)
            }
            SensorKind::ActuatorPos | SensorKind::ActuatorVel | SensorKind::ActuatorFrc => match object {
                Some(Object::Actuator(id)) => self.model.actuators[id.index()].transmission.output_count(),
                _ => 1,
            },
            SensorKind::Lidar(scan) => scan.directions.len(),
            SensorKind::CamProjection => 2,
            SensorKind::GeomFromTo => 6,
            SensorKind::BallQuat | SensorKind::FrameQuat => 4,
            _ if is_vector(kind) => 3,
            _ => 1,
        }
    }

    /// What a sensor needs of its objects.
    fn check(
        &self,
        element: &Element,
        kind: &SensorKind,
        object: Option<Object>,
        reference: Option<Object>,
        problems: &mut Problems,
    ) {
        let mut offend = |attribute: &str, message: &str| problems.push(element.problem_with(attribute, message));
        match (kind, object, reference) {
            (SensorKind::JointPos | SensorKind::JointVel | SensorKind::JointActFrc, Some(Object::Joint(id)), _)
                if self.model.joints[id.index()].kind.dof_count() != 1 =>
            {
                offend("joint", "the joint must be a slide or a hinge");
            }
            (SensorKind::BallQuat | SensorKind::BallAngVel, Some(Object::Joint(id)), _)
                if self.model.joints[id.index()].kind != JointKind::Ball =>
            {
                offend("joint", "the joint must be a ball");
            }
            (
                SensorKind::JointLimitPos | SensorKind::JointLimitVel | SensorKind::JointLimitFrc,
                Some(Object::Joint(id)),
                _,
            ) if !self.model.joints[id.index()].limited => {
                offend("joint", "the joint has no limit");
            }
            (
                SensorKind::TendonLimitPos | SensorKind::TendonLimitVel | SensorKind::TendonLimitFrc,
                Some(Object::Tendon(id)),
                _,
            ) if !self.model.tendons[id.index()].limited => {
                offend("tendon", "the tendon has no limit");
            }
            (SensorKind::CamProjection, _, Some(Object::Camera(id)))
                if self.model.cameras[id.index()].resolution.contains(&0) =>
            {
                offend("camera", "the camera has no resolution");
            }
            (SensorKind::GeomDist | SensorKind::GeomNormal | SensorKind::GeomFromTo, first, second) => {
                if first == second {
                    offend("geom2", "the two shapes are the same");
                }
                let is_field = |object: Option<Object>| {
                    matches!(object, Some(Object::Geom(id))
                        if matches!(self.model.geoms[id.index()].kind, GeomKind::HField(_)))
                };
                if is_field(first) || is_field(second) {
                    offend("geom1", "distances to height fields cannot be measured");
                }
            }
            _ => {}
        }
    }
}

/// Whether the attribute exists and is given; some sensors know fewer attributes than others.
fn has(element: &Element, name: &str) -> bool {
    element.rule().attribute(name).is_some() && element.has(name)
}

/// Bits of the data fields asked for, the first one when none is; they must stand in their order.
fn fields(element: &Element, words: &'static [&'static str], problems: &mut Problems) -> u32 {
    let given = element.keywords("data", words, problems);
    if given.windows(2).any(|pair| pair[0] > pair[1]) {
        let message = format!("the fields must stand in the order {}", words.join(", "));
        problems.push(element.problem_with("data", message));
    }
    if given.is_empty() {
        1
    } else {
        given.iter().map(|bit| 1 << bit).sum()
    }
}

/// Numbers in the fields whose bits are set.
fn size_of(fields: u32, sizes: &[usize]) -> usize {
    sizes
        .iter()
        .enumerate()
        .filter(|(bit, _)| fields & (1 << bit) != 0)
        .map(|(_, size)| size)
        .sum()
}

/// Period and phase of readings.
fn interval(element: &Element, problems: &mut Problems) -> [f64; 2] {
    if !has(element, "interval") {
        return [0.0; 2];
    }
    let [period, phase] = element.reals_over("interval", [0.0; 2], problems);
    if period < 0.0 {
        problems.push(element.problem_with("interval", "the period cannot be negative"));
    } else if phase > 0.0 || (period > 0.0 && phase <= -period) {
        problems.push(element.problem_with("interval", "the phase must be between minus one period and zero"));
    }
    [period, phase]
}

fn is_vector(kind: &SensorKind) -> bool {
    use SensorKind::*;
    matches!(
        kind,
        Accelerometer
            | Velocimeter
            | Gyro
            | Force
            | Torque
            | Magnetometer
            | BallAngVel
            | FramePos
            | FrameXAxis
            | FrameYAxis
            | FrameZAxis
            | FrameLinVel
            | FrameAngVel
            | FrameLinAcc
            | FrameAngAcc
            | SubtreeCom
            | SubtreeLinVel
            | SubtreeAngMom
            | GeomNormal
    )
}

/// When a sensor can be computed, and the range of its values.
fn class(kind: &SensorKind) -> (SensorStage, SensorDataKind) {
    use SensorKind::*;
    let stage = match kind {
        Contact { fields, reduce, .. } => contact_stage(*fields, *reduce),
        Touch | Accelerometer | Force | Torque | ActuatorFrc | JointActFrc | TendonActFrc | JointLimitFrc
        | TendonLimitFrc | FrameLinAcc | FrameAngAcc => SensorStage::Acceleration,
        Velocimeter | Gyro | JointVel | TendonVel | ActuatorVel | BallAngVel | JointLimitVel | TendonLimitVel
        | FrameLinVel | FrameAngVel | SubtreeLinVel | SubtreeAngMom | Tactile => SensorStage::Velocity,
        _ => SensorStage::Position,
    };
    let data = match kind {
        Touch | InsideSite { enclosed: false } => SensorDataKind::Positive,
        FrameXAxis | FrameYAxis | FrameZAxis | GeomNormal => SensorDataKind::Axis,
        BallQuat | FrameQuat => SensorDataKind::Quaternion,
        _ => SensorDataKind::Real,
    };
    (stage, data)
}

/// Forces need accelerations, velocities need velocities, the rest of a contact is known with positions.
fn contact_stage(fields: u32, reduce: u8) -> SensorStage {
    const FORCES: u32 = 0b110;
    const VELOCITIES: u32 = 0b1_1000_0000;
    const STRONGEST: u8 = 2;
    if fields & FORCES != 0 || reduce >= STRONGEST {
        SensorStage::Acceleration
    } else if fields & VELOCITIES != 0 {
        SensorStage::Velocity
    } else {
        SensorStage::Position
    }
}

/// As [`class`], for user sensors, which say it themselves.
fn user_class(element: &Element, problems: &mut Problems) -> (SensorStage, SensorDataKind) {
    const STAGE: &[(&str, SensorStage)] = &[
        ("none", SensorStage::Acceleration),
        ("pos", SensorStage::Position),
        ("vel", SensorStage::Velocity),
        ("acc", SensorStage::Acceleration),
    ];
    const DATA: &[(&str, SensorDataKind)] = &[
        ("real", SensorDataKind::Real),
        ("positive", SensorDataKind::Positive),
        ("axis", SensorDataKind::Axis),
        ("quaternion", SensorDataKind::Quaternion),
    ];
    let stage = element
        .keyword("needstage", STAGE, problems)
        .unwrap_or(SensorStage::Acceleration);
    (
        stage,
        element
            .keyword("datatype", DATA, problems)
            .unwrap_or(SensorDataKind::Real),
    )
}
