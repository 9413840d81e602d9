//! Actuators: control → activation → force → generalised force.

use crate::{BodyId, JointId, SiteId, TendonId};

/// The element that made the actuator; decides which Python class represents it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActuatorKind {
    /// `<general>`
    General,
    /// `<motor>`
    Motor,
    /// `<position>`
    Position,
    /// `<velocity>`
    Velocity,
    /// `<intvelocity>`
    IntVelocity,
    /// `<damper>`
    Damper,
    /// `<cylinder>`
    Cylinder,
    /// `<muscle>`
    Muscle,
    /// `<adhesion>`
    Adhesion,
    /// `<dcmotor>`
    DcMotor,
    /// `<pid>`
    Pid,
    /// `<orientation>`
    Orientation,
}

/// What the force acts on (`actuator_trntype`, `actuator_trnid`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transmission {
    /// A joint.
    Joint(JointId),
    /// A joint, rotations expressed in the parent frame.
    JointInParent(JointId),
    /// A slider-crank.
    SliderCrank {
        /// Site of the crank pin.
        crank: SiteId,
        /// Site whose z axis is the slider.
        slider: SiteId,
        /// Length of the connecting rod (`actuator_cranklength`).
        length: f64,
    },
    /// A tendon.
    Tendon(TendonId),
    /// A site, with an optional reference site.
    Site(SiteId, Option<SiteId>),
    /// The contacts of a body (adhesion).
    Body(BodyId),
    /// The rotation of a ball joint: three outputs, the components of its rotation vector.
    BallOrientation(JointId),
    /// The rotation of a site relative to another one: three outputs.
    SiteOrientation(SiteId, SiteId),
}

impl Transmission {
    /// Number of force outputs (`actuator_outnum`).
    pub const fn output_count(&self) -> usize {
        match self {
            Transmission::BallOrientation(_) | Transmission::SiteOrientation(..) => 3,
            _ => 1,
        }
    }
}

/// Activation dynamics (`actuator_dyntype`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DynamicsKind {
    /// No state.
    None,
    /// ȧ = u.
    Integrator,
    /// ȧ = (u − a)/τ.
    Filter,
    /// ȧ = (u − a)/τ, integrated exactly.
    FilterExact,
    /// Muscle activation with two time constants.
    Muscle,
    /// Electrical dynamics of a DC motor.
    DcMotor,
    /// States of a PID controller.
    Pid,
    /// States that a user callback would advance; they stay as they are.
    User,
}

/// Gain (`actuator_gaintype`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GainKind {
    /// A constant.
    Fixed,
    /// Affine in length and velocity.
    Affine,
    /// Muscle force-length-velocity curve.
    Muscle,
    /// DC motor constant.
    DcMotor,
    /// PID controller.
    Pid,
    /// Geodesic servo on rotations.
    Orientation,
    /// What a user callback would return; one.
    User,
}

/// Bias (`actuator_biastype`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BiasKind {
    /// Zero.
    None,
    /// Affine in length and velocity.
    Affine,
    /// Passive muscle force.
    Muscle,
    /// Back-EMF, cogging and friction of a DC motor.
    DcMotor,
    /// Geodesic servo on rotations.
    Orientation,
    /// What a user callback would return; zero.
    User,
}

/// Limits of one control.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ControlLimit {
    /// Whether it is clamped.
    pub limited: bool,
    /// Range.
    pub range: [f64; 2],
}

/// Constants of one force output.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OutputConstants {
    /// Acceleration from unit force in the reference pose (`actuator_acc0`).
    pub acc0: f64,
    /// Length in the reference pose (`actuator_length0`).
    pub length0: f64,
    /// Feasible length range (`actuator_lengthrange`).
    pub length_range: [f64; 2],
}

/// A buffer of past values, from which delayed ones are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct History {
    /// Number of values kept.
    pub samples: usize,
    /// How values between two samples are found.
    pub interpolation: Interpolation,
}

/// How a value between two samples is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// The earlier sample.
    #[default]
    Hold,
    /// On the line between both.
    Linear,
    /// On a cubic through four.
    Cubic,
}

/// An actuator.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator {
    /// Name, when the file gives one.
    pub name: Option<String>,
    /// The element that made it.
    pub kind: ActuatorKind,
    /// What it acts on.
    pub transmission: Transmission,
    /// Activation dynamics.
    pub dynamics: DynamicsKind,
    /// Gain.
    pub gain: GainKind,
    /// Bias.
    pub bias: BiasKind,
    /// Parameters of the dynamics (`actuator_dynprm`).
    pub dynamics_params: [f64; 10],
    /// Parameters of the gain (`actuator_gainprm`).
    pub gain_params: [f64; 10],
    /// Parameters of the bias (`actuator_biasprm`).
    pub bias_params: [f64; 10],
    /// First control (`actuator_ctrladr`).
    pub first_control: usize,
    /// Number of controls (`actuator_ctrlnum`).
    pub control_count: usize,
    /// Which inputs a controller declares (`actuator_ctrlspec`): bits of `mjtCtrlInput`, or, for orientation servos, the
    /// chart of the set point, `mjtCtrlChart`.
    pub control_inputs: u32,
    /// First activation (`actuator_actadr`), when there is one.
    pub first_activation: Option<usize>,
    /// Number of activations (`actuator_actnum`).
    pub activation_count: usize,
    /// Whether the first control is clamped; [`Actuator::controls`] tells it for each.
    pub control_limited: bool,
    /// Range of the first control.
    pub control_range: [f64; 2],
    /// Limits of each control, `control_count` of them (`actuator_ctrllimited`, `actuator_ctrlrange`).
    pub controls: Vec<ControlLimit>,
    /// Whether the force is clamped (`actuator_forcelimited`).
    pub force_limited: bool,
    /// Force range (`actuator_forcerange`).
    pub force_range: [f64; 2],
    /// Whether the activation is clamped (`actuator_actlimited`).
    pub activation_limited: bool,
    /// Activation range (`actuator_actrange`).
    pub activation_range: [f64; 2],
    /// Whether the activation is advanced before the force (`actuator_actearly`).
    pub activation_early: bool,
    /// Scale of length and force (`actuator_gear`).
    pub gear: [f64; 6],
    /// Delay of the controls, seconds (`actuator_delay`).
    pub delay: f64,
    /// Past controls that are kept, when some are (`actuator_history`).
    pub history: Option<History>,
    /// Damping ratio a position actuator was written with, when its damping came from one.
    pub damping_ratio: Option<f64>,
    /// Damping added to the target (`actuator_damping`).
    pub damping: f64,
    /// Higher-order damping added to the target (`actuator_dampingpoly`).
    pub damping_poly: [f64; 2],
    /// Armature added to the target (`actuator_armature`).
    pub armature: f64,
    /// Acceleration from unit force in the reference pose (`actuator_acc0`).
    pub acc0: f64,
    /// Length in the reference pose (`actuator_length0`).
    pub length0: f64,
    /// Feasible length range (`actuator_lengthrange`).
    pub length_range: [f64; 2],
    /// Constants of the second and third output of actuators that have three.
    pub further_outputs: Vec<OutputConstants>,
    /// Group, for switching actuators off.
    pub group: i32,
    /// User numbers (`actuator_user`).
    pub user: Vec<f64>,
}
