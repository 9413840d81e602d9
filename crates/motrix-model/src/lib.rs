//! The compiled, immutable model.
//!
//! A [`Model`] is what the compiler makes of a robot description: the kinematic tree in depth-first order, geoms, the static
//! list of geom pairs that may touch, actuators, tendons, equalities, sensors and options, all in `f64`. It never changes
//! after compilation; the numbers equal those of MuJoCo's `mjModel` for the same file, whose field names are given in the
//! documentation of each field so that the two can be compared.
//!
//! Body 0 is the world. Quaternions are `[w, x, y, z]`, units are SI, angles radians.

mod actuator;
mod asset;
mod contact;
mod equality;
mod fields;
mod ids;
mod keyframe;
mod options;
mod pairs;
mod scene;
mod sensor;
mod tendon;
mod tree;

pub use actuator::{
    Actuator, ActuatorKind, BiasKind, ControlLimit, DynamicsKind, GainKind, History, Interpolation, OutputConstants,
    Transmission,
};
pub use asset::{HField, Material, Mesh, TEXTURE_ROLES, Texture, TextureKind};
pub use contact::{CollisionPair, ContactParams, Exclude, ExplicitPair, mix_geoms};
pub use equality::{Equality, EqualityKind};
pub use fields::{FieldArray, field, field_names, object_names};
pub use ids::{
    ActuatorId, BodyId, CameraId, DofId, EqualityId, GeomId, HFieldId, JointId, LightId, MaterialId, MeshId, SensorId,
    SiteId, TendonId, TextureId,
};
pub use keyframe::Keyframe;
pub use options::{Cone, ContactModel, Disable, Enable, Integrator, JacobianKind, Options, Solver, Statistic};
pub use pairs::{MOST_BODY_PAIRS, MOST_PAIRS, TooManyPairs, collision_pairs};
pub use scene::{Camera, Custom, Light, LightKind, TrackMode, Visual};
pub use sensor::{LidarExclude, LidarScan, Object, Sensor, SensorDataKind, SensorKind, SensorStage};
pub use tendon::{PathItem, Tendon, TendonKind};
pub use tree::{Body, Dof, Geom, GeomKind, Joint, JointKind, Site, SleepPolicy, Tree};

/// A point or direction.
pub type Vec3 = [f64; 3];
/// A unit quaternion `[w, x, y, z]`.
pub type Quat = [f64; 4];

/// Reference acceleration parameters (`solref`): time constant and damping ratio, or, both negative, stiffness and damping.
pub type SolRef = [f64; 2];
/// Impedance parameters (`solimp`): `d0`, `dmax`, `width`, `midpoint`, `power`.
pub type SolImp = [f64; 5];

/// A compiled scene. Built by the compiler only; shared by all worlds.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Name of the model (`<mujoco model="...">`).
    pub name: String,
    /// Physics options, as read from the file.
    pub options: Options,
    /// Scales of the model in its reference pose.
    pub statistic: Statistic,
    /// Bodies in depth-first order; body 0 is the world.
    pub bodies: Vec<Body>,
    /// Joints in the order of their bodies.
    pub joints: Vec<Joint>,
    /// Degrees of freedom in the order of their joints: the order of `qvel`.
    pub dofs: Vec<Dof>,
    /// Kinematic trees that can move.
    pub trees: Vec<Tree>,
    /// Geoms: the world's first, then body by body.
    pub geoms: Vec<Geom>,
    /// Sites: the world's first, then body by body.
    pub sites: Vec<Site>,
    /// Cameras: the world's first, then body by body.
    pub cameras: Vec<Camera>,
    /// Lights: the world's first, then body by body.
    pub lights: Vec<Light>,
    /// Mesh assets.
    pub meshes: Vec<Mesh>,
    /// Height field assets.
    pub hfields: Vec<HField>,
    /// Texture assets.
    pub textures: Vec<Texture>,
    /// Material assets.
    pub materials: Vec<Material>,
    /// Pairs written as `<pair>`.
    pub explicit_pairs: Vec<ExplicitPair>,
    /// Body pairs written as `<exclude>`.
    pub excludes: Vec<Exclude>,
    /// Every pair of geoms that may touch, after all filtering, grouped by body pair.
    pub pairs: Vec<CollisionPair>,
    /// Distinct contact parameters named by [`CollisionPair::params`].
    pub pair_params: Vec<ContactParams>,
    /// Equality constraints.
    pub equalities: Vec<Equality>,
    /// Tendons.
    pub tendons: Vec<Tendon>,
    /// Actuators in the order of the file.
    pub actuators: Vec<Actuator>,
    /// Sensors in the order of the file.
    pub sensors: Vec<Sensor>,
    /// Keyframes.
    pub keyframes: Vec<Keyframe>,
    /// User data: numbers, texts and tuples.
    pub custom: Vec<Custom>,
    /// What pictures need beside the geometry.
    pub visual: Visual,
    /// Reference configuration (`qpos0`).
    pub qpos0: Vec<f64>,
    /// Configuration in which springs are at rest (`qpos_spring`).
    pub qpos_spring: Vec<f64>,
    /// Number of mocap bodies.
    pub mocap_count: usize,
    /// Number of activation states (`na`).
    pub activation_count: usize,
    /// Number of controls (`nu`).
    pub control_count: usize,
    /// Length of the sensor vector (`nsensordata`).
    pub sensor_data_len: usize,
}

impl Model {
    /// Length of the configuration vector (`nq`).
    pub fn nq(&self) -> usize {
        self.qpos0.len()
    }
    /// Length of the velocity vector (`nv`).
    pub fn nv(&self) -> usize {
        self.dofs.len()
    }
    /// The rests of all springs that yield, as long as none has: those of joints from `qpos_spring`, then `tendon_lengthspring`.
    pub fn spring_rests(&self) -> Vec<f64> {
        let mut rests = Vec::new();
        for joint in self.joints.iter().filter(|j| j.spring_yield > 0.0) {
            let count = if joint.kind == JointKind::Ball { 4 } else { 1 };
            rests.extend_from_slice(&self.qpos_spring[joint.first_position..][..count]);
        }
        for tendon in self.tendons.iter().filter(|t| t.spring_yield > 0.0) {
            rests.extend_from_slice(&tendon.spring_length);
        }
        rests
    }

    /// The chain of dofs that move `body`, root first.
    pub fn dof_chain(&self, body: BodyId) -> Vec<DofId> {
        let mut chain = Vec::new();
        let mut next = self.last_dof(body);
        while let Some(dof) = next {
            chain.push(dof);
            next = self.dofs[dof.index()].parent;
        }
        chain.reverse();
        chain
    }
    /// The dof nearest to `body` on its way to the root.
    pub fn last_dof(&self, body: BodyId) -> Option<DofId> {
        let mut at = body;
        while at != BodyId::WORLD {
            let b = &self.bodies[at.index()];
            if b.dof_count > 0 {
                return Some(DofId::new(b.first_dof + b.dof_count - 1));
            }
            at = b.parent;
        }
        None
    }
}
