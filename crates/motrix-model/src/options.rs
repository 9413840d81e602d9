//! Physics options (`<option>`) and the scales of a model (`<statistic>`).

use crate::{SolImp, SolRef, Vec3};

/// Time integration (`opt.integrator`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Semi-implicit Euler, joint damping implicit.
    #[default]
    Euler,
    /// Fourth-order Runge-Kutta.
    Rk4,
    /// Implicit in velocity with all derivatives.
    Implicit,
    /// Implicit in velocity without the derivative of the bias forces.
    ImplicitFast,
}

/// Friction cone (`opt.cone`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cone {
    /// Linearised: two opposing edges per friction dimension.
    #[default]
    Pyramidal,
    /// The smooth second-order cone.
    Elliptic,
}

/// Constraint solver (`opt.solver`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// Projected Gauss-Seidel in constraint space.
    Pgs,
    /// Nonlinear conjugate gradients in acceleration space.
    Cg,
    /// Newton's method in acceleration space.
    #[default]
    Newton,
}

/// What the file asks for the layout of constraint Jacobians; kept for comparison, without effect on results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JacobianKind {
    /// Dense rows.
    Dense,
    /// Compressed rows.
    Sparse,
    /// Chosen by size.
    #[default]
    Auto,
}

/// How contacts behave where MuJoCo's are known to be poor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactModel {
    /// Friction without creep, terrain contacts without ghost normals.
    #[default]
    Firm,
    /// Exactly MuJoCo 4.0.
    Mujoco,
}

/// Features switched off (`opt.disableflags`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disable {
    /// The whole constraint solver.
    pub constraint: bool,
    /// Equality constraints.
    pub equality: bool,
    /// Joint and tendon friction loss.
    pub frictionloss: bool,
    /// Joint and tendon limits.
    pub limit: bool,
    /// Contacts.
    pub contact: bool,
    /// Passive springs.
    pub spring: bool,
    /// Passive dampers.
    pub damper: bool,
    /// Gravity.
    pub gravity: bool,
    /// Clamping of controls to their range.
    pub clampctrl: bool,
    /// Warm start of the solver.
    pub warmstart: bool,
    /// Filtering of collisions between parent and child.
    pub filterparent: bool,
    /// Actuator forces.
    pub actuation: bool,
    /// Lower bound of contact time constants at twice the time step.
    pub refsafe: bool,
    /// Sensors.
    pub sensor: bool,
    /// Mid-phase culling; no effect on results.
    pub midphase: bool,
    /// Implicit joint damping of the Euler integrator.
    pub eulerdamp: bool,
    /// Reset of a world whose state is no longer finite.
    pub autoreset: bool,
    /// MuJoCo's own convex collider; no other is offered here.
    pub nativeccd: bool,
    /// Constraint islands.
    pub island: bool,
    /// Several contacts per convex pair.
    pub multiccd: bool,
}

/// Optional features switched on (`opt.enableflags`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Enable {
    /// Contact parameters replaced by the `o_*` options.
    pub contact_override: bool,
    /// Energy computed in each step.
    pub energy: bool,
    /// Comparison of forward and inverse dynamics.
    pub fwdinv: bool,
    /// Discrete-time inverse dynamics.
    pub invdiscrete: bool,
    /// Sleeping of resting trees.
    pub sleep: bool,
    /// Exact diagonal of the constraint-space inertia.
    pub diagexact: bool,
    /// General-purpose convex collider for pairs of boxes; MuJoCo 4.0 has dropped this flag and always uses its own for boxes.
    pub boxconvex: bool,
}

/// Physics options.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Duration of a step, seconds.
    pub timestep: f64,
    /// Ratio of frictional to normal contact impedance.
    pub impratio: f64,
    /// Termination tolerance of the main solver.
    pub tolerance: f64,
    /// Termination tolerance of the line search.
    pub ls_tolerance: f64,
    /// Termination tolerance of the noslip solver.
    pub noslip_tolerance: f64,
    /// Tolerance of the convex collider.
    pub ccd_tolerance: f64,
    /// Speed below which a tree may fall asleep.
    pub sleep_tolerance: f64,
    /// Gravitational acceleration.
    pub gravity: Vec3,
    /// Velocity of the medium.
    pub wind: Vec3,
    /// Magnetic flux, for magnetometers.
    pub magnetic: Vec3,
    /// Density of the medium.
    pub density: f64,
    /// Viscosity of the medium.
    pub viscosity: f64,
    /// Contact margin under [`Enable::contact_override`].
    pub o_margin: f64,
    /// Contact `solref` under [`Enable::contact_override`].
    pub o_solref: SolRef,
    /// Contact `solimp` under [`Enable::contact_override`].
    pub o_solimp: SolImp,
    /// Contact friction under [`Enable::contact_override`].
    pub o_friction: [f64; 5],
    /// Time integration.
    pub integrator: Integrator,
    /// Friction cone.
    pub cone: Cone,
    /// Layout of Jacobians asked for.
    pub jacobian: JacobianKind,
    /// Constraint solver.
    pub solver: Solver,
    /// Most iterations of the main solver.
    pub iterations: usize,
    /// Most iterations of a line search.
    pub ls_iterations: usize,
    /// Most iterations of the noslip solver.
    pub noslip_iterations: usize,
    /// Most iterations of the convex collider.
    pub ccd_iterations: usize,
    /// Features switched off.
    pub disable: Disable,
    /// Features switched on.
    pub enable: Enable,
    /// Actuator groups switched off: bit *g* disables group *g*.
    pub disable_actuator_groups: u32,
    /// Contacts: ours or exactly MuJoCo's.
    pub contact_model: ContactModel,
}

impl Default for Options {
    /// MuJoCo's defaults.
    fn default() -> Self {
        Self {
            timestep: 0.002,
            impratio: 1.0,
            tolerance: 1e-8,
            ls_tolerance: 0.01,
            noslip_tolerance: 1e-6,
            ccd_tolerance: 1e-6,
            sleep_tolerance: 1e-3,
            gravity: [0.0, 0.0, -9.81],
            wind: [0.0; 3],
            magnetic: [0.0, -0.5, 0.0],
            density: 0.0,
            viscosity: 0.0,
            o_margin: 0.0,
            o_solref: [0.02, 1.0],
            o_solimp: [0.9, 0.95, 0.001, 0.5, 2.0],
            o_friction: [1.0, 1.0, 0.005, 0.0001, 0.0001],
            integrator: Integrator::default(),
            cone: Cone::default(),
            jacobian: JacobianKind::default(),
            solver: Solver::default(),
            iterations: 100,
            ls_iterations: 50,
            noslip_iterations: 0,
            ccd_iterations: 35,
            disable: Disable::default(),
            enable: Enable::default(),
            disable_actuator_groups: 0,
            contact_model: ContactModel::default(),
        }
    }
}

/// Scales of a model in its reference pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistic {
    /// Mean diagonal entry of the inertia matrix; scales solver tolerances.
    pub meaninertia: f64,
    /// Mean mass of a body.
    pub meanmass: f64,
    /// Mean size of a body.
    pub meansize: f64,
    /// Size of the whole scene.
    pub extent: f64,
    /// Centre of the scene.
    pub center: Vec3,
}
