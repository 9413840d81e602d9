//! Sensors.

use super::actuation::history;
use super::{Entry, each, flag, index, rows, wide_rows};
use crate::{Object, SensorKind};

/// Kind (`mjtObj`) and id of what a sensor looks at.
fn object(object: Option<Object>) -> [f64; 2] {
    match object {
        None => [0.0, -1.0],
        Some(Object::Body(id)) => [1.0, index(id.index())],
        Some(Object::XBody(id)) => [2.0, index(id.index())],
        Some(Object::Joint(id)) => [3.0, index(id.index())],
        Some(Object::Geom(id)) => [5.0, index(id.index())],
        Some(Object::Site(id)) => [6.0, index(id.index())],
        Some(Object::Camera(id)) => [7.0, index(id.index())],
        Some(Object::Mesh(id)) => [10.0, index(id.index())],
        Some(Object::Tendon(id)) => [18.0, index(id.index())],
        Some(Object::Actuator(id)) => [19.0, index(id.index())],
    }
}

pub(super) const SENSORS: &[Entry] = &[
    ("sensor_type", |m| each(&m.sensors, |s| sensor_code(&s.kind))),
    ("sensor_datatype", |m| each(&m.sensors, |s| f64::from(s.data as u8))),
    ("sensor_needstage", |m| {
        each(&m.sensors, |s| f64::from(s.stage as u8) + 1.0)
    }),
    ("sensor_objtype", |m| each(&m.sensors, |s| object(s.object)[0])),
    ("sensor_objid", |m| each(&m.sensors, |s| object(s.object)[1])),
    ("sensor_reftype", |m| each(&m.sensors, |s| object(s.reference)[0])),
    ("sensor_refid", |m| each(&m.sensors, |s| object(s.reference)[1])),
    ("sensor_intprm", |m| rows(&m.sensors, |s| parameters(&s.kind))),
    ("sensor_dim", |m| each(&m.sensors, |s| index(s.dim))),
    ("sensor_adr", |m| each(&m.sensors, |s| index(s.first))),
    ("sensor_cutoff", |m| each(&m.sensors, |s| s.cutoff)),
    ("sensor_noise", |m| each(&m.sensors, |s| s.noise)),
    ("sensor_delay", |m| each(&m.sensors, |s| s.delay)),
    ("sensor_history", |m| rows(&m.sensors, |s| history(s.history))),
    ("sensor_interval", |m| rows(&m.sensors, |s| s.interval)),
    ("sensor_user", |m| wide_rows(&m.sensors, |s| &s.user)),
];

/// MuJoCo's number for a sensor (`mjtSensor`).
fn sensor_code(kind: &SensorKind) -> f64 {
    use SensorKind::*;
    let code = match kind {
        Touch => 0,
        Accelerometer => 1,
        Velocimeter => 2,
        Gyro => 3,
        Force => 4,
        Torque => 5,
        Magnetometer => 6,
        Rangefinder { .. } => 7,
        CamProjection => 8,
        JointPos => 9,
        JointVel => 10,
        TendonPos => 11,
        TendonVel => 12,
        ActuatorPos => 13,
        ActuatorVel => 14,
        ActuatorFrc => 15,
        JointActFrc => 16,
        TendonActFrc => 17,
        BallQuat => 18,
        BallAngVel => 19,
        JointLimitPos => 20,
        JointLimitVel => 21,
        JointLimitFrc => 22,
        TendonLimitPos => 23,
        TendonLimitVel => 24,
        TendonLimitFrc => 25,
        FramePos => 26,
        FrameQuat => 27,
        FrameXAxis => 28,
        FrameYAxis => 29,
        FrameZAxis => 30,
        FrameLinVel => 31,
        FrameAngVel => 32,
        FrameLinAcc => 33,
        FrameAngAcc => 34,
        SubtreeCom => 35,
        SubtreeLinVel => 36,
        SubtreeAngMom => 37,
        InsideSite { .. } => 38,
        GeomDist => 39,
        GeomNormal => 40,
        GeomFromTo => 41,
        Contact { .. } => 42,
        PotentialEnergy => 43,
        KineticEnergy => 44,
        Clock => 45,
        Tactile => 46,
        User => 48,
        // The first number that MuJoCo does not use.
        Lidar(_) => 49,
    };
    f64::from(code)
}

/// What MuJoCo keeps in `sensor_intprm`.
fn parameters(kind: &SensorKind) -> [f64; 3] {
    match kind {
        SensorKind::Rangefinder { fields } => [f64::from(*fields), 0.0, 0.0],
        SensorKind::Contact { fields, reduce, num } => [f64::from(*fields), f64::from(*reduce), index(*num)],
        SensorKind::Lidar(scan) => [index(scan.rows), index(scan.columns), 0.0],
        SensorKind::InsideSite { enclosed } => [flag(*enclosed), 0.0, 0.0],
        _ => [0.0; 3],
    }
}
