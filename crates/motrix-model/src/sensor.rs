//! Sensors: what is measured, on what, and where it is written.

use std::sync::Arc;

use crate::{ActuatorId, BodyId, CameraId, GeomId, History, JointId, MeshId, SiteId, TendonId};

/// What a sensor looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// The inertial frame of a body.
    Body(BodyId),
    /// The frame of a body.
    XBody(BodyId),
    /// A geom.
    Geom(GeomId),
    /// A site.
    Site(SiteId),
    /// A camera.
    Camera(CameraId),
    /// A joint.
    Joint(JointId),
    /// A tendon.
    Tendon(TendonId),
    /// An actuator.
    Actuator(ActuatorId),
    /// A mesh.
    Mesh(MeshId),
}

/// What is measured (`sensor_type`). Parameters that MuJoCo keeps in `sensor_intprm` are fields here.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // The names are MuJoCo's own, documented in the MJCF reference.
pub enum SensorKind {
    Touch,
    Accelerometer,
    Velocimeter,
    Gyro,
    Force,
    Torque,
    Magnetometer,
    /// Rays from a site or a camera; `fields` are the bits of `mjtRayDataField`.
    Rangefinder {
        fields: u32,
    },
    CamProjection,
    JointPos,
    JointVel,
    TendonPos,
    TendonVel,
    ActuatorPos,
    ActuatorVel,
    ActuatorFrc,
    JointActFrc,
    TendonActFrc,
    BallQuat,
    BallAngVel,
    JointLimitPos,
    JointLimitVel,
    JointLimitFrc,
    TendonLimitPos,
    TendonLimitVel,
    TendonLimitFrc,
    FramePos,
    FrameQuat,
    FrameXAxis,
    FrameYAxis,
    FrameZAxis,
    FrameLinVel,
    FrameAngVel,
    FrameLinAcc,
    FrameAngAcc,
    SubtreeCom,
    SubtreeLinVel,
    SubtreeAngMom,
    /// Whether the object is inside the site: its origin, or, with `enclosed`, all of it.
    InsideSite {
        enclosed: bool,
    },
    GeomDist,
    GeomNormal,
    GeomFromTo,
    /// Contacts that match; `fields` are the bits of `mjtConDataField`, `reduce` is MuJoCo's code, `num` the slots.
    Contact {
        fields: u32,
        reduce: u8,
        num: usize,
    },
    PotentialEnergy,
    KineticEnergy,
    Clock,
    /// Pressure and slip at the vertices of a mesh that a geom carries; three numbers per vertex.
    Tactile,
    /// Numbers that a user callback would write; they stay zero.
    User,
    /// Distances along the rays of a scanner that moves with a site; not a sensor of MuJoCo.
    Lidar(Arc<LidarScan>),
}

/// The rays of a scanner.
#[derive(Clone, Debug, PartialEq)]
pub struct LidarScan {
    /// Rows of rays, each of one elevation.
    pub rows: usize,
    /// Rays of a row.
    pub columns: usize,
    /// Unit vectors in the frame of the site, row by row.
    pub directions: Vec<[f64; 3]>,
    /// How far is seen, metres; may be infinite.
    pub reach: f64,
    /// What is not seen.
    pub exclude: LidarExclude,
}

/// What a scanner does not see of the robot that carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LidarExclude {
    /// It sees everything.
    Nothing,
    /// The body of its site.
    Body,
    /// That body and all it carries.
    Subtree,
}

/// The stage of a step whose quantities a sensor needs (`sensor_needstage`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SensorStage {
    /// Positions.
    Position,
    /// Velocities.
    Velocity,
    /// Accelerations and forces.
    Acceleration,
}

/// Range of values, which decides how a cutoff clamps (`sensor_datatype`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SensorDataKind {
    /// Any real.
    Real,
    /// Non-negative.
    Positive,
    /// Unit vector.
    Axis,
    /// Unit quaternion.
    Quaternion,
}

/// A sensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// Name, when the file gives one.
    pub name: Option<String>,
    /// What is measured.
    pub kind: SensorKind,
    /// On what (`sensor_objtype`, `sensor_objid`).
    pub object: Option<Object>,
    /// Relative to what, or the second object (`sensor_reftype`, `sensor_refid`).
    pub reference: Option<Object>,
    /// When it can be computed.
    pub stage: SensorStage,
    /// Range of values.
    pub data: SensorDataKind,
    /// First number in the sensor vector (`sensor_adr`).
    pub first: usize,
    /// Number of numbers (`sensor_dim`).
    pub dim: usize,
    /// Clamp of real and positive values; 0 does not clamp (`sensor_cutoff`).
    pub cutoff: f64,
    /// Standard deviation of noise (`sensor_noise`).
    pub noise: f64,
    /// Delay of the reading, seconds (`sensor_delay`).
    pub delay: f64,
    /// Past readings that are kept, when some are (`sensor_history`).
    pub history: Option<History>,
    /// Period and phase of readings, seconds; zeros read in every step (`sensor_interval`).
    pub interval: [f64; 2],
    /// User numbers (`sensor_user`).
    pub user: Vec<f64>,
}
