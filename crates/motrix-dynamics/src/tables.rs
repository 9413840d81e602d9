//! The model as the kernels read it.
//!
//! [`Tables`] are the numbers of a [`Model`] and its [`Options`] that no world can change, flattened into rows in the order the
//! kernels visit them and rounded once to the lanes' scalar. What a world may override (masses, friction, gains, …) lives in
//! [`crate::Params`] instead.

use motrix_model::{
    Cone, ContactModel, Integrator, JointKind, Model, Options, SolImp, SolRef, Solver,
};
use motrix_spatial::Real;

use crate::pattern::Pattern;

/// A body.
#[derive(Clone, Debug)]
pub struct BodyRow<E> {
    /// Parent body.
    pub parent: usize,
    /// Root of the tree, whose subtree's centre of mass is the origin of spatial quantities.
    pub root: usize,
    /// First joint.
    pub first_joint: usize,
    /// Number of joints.
    pub joint_count: usize,
    /// First dof.
    pub first_dof: usize,
    /// Number of dofs.
    pub dof_count: usize,
    /// Row of the mocap arrays.
    pub mocap: Option<usize>,
    /// Position in the parent.
    pub position: [E; 3],
    /// Orientation in the parent, absent when it is the identity.
    pub orientation: Option<[E; 4]>,
    /// Principal axes in the body, absent when they are the body's.
    pub inertia_orientation: Option<[E; 4]>,
    /// Share of the weight that is compensated.
    pub gravcomp: E,
}

/// A joint.
#[derive(Clone, Debug)]
pub struct JointRow<E> {
    /// What it allows.
    pub kind: JointKind,
    /// Body that it moves.
    pub body: usize,
    /// First entry of `qpos`.
    pub first_position: usize,
    /// First entry of `qvel`.
    pub first_dof: usize,
    /// Axis in the body.
    pub axis: [E; 3],
    /// Which body axis the joint axis is, when it is one.
    pub unit_axis: Option<usize>,
    /// Anchor in the body, absent when it is the origin.
    pub anchor: Option<[E; 3]>,
    /// Reference position (slide, hinge).
    pub reference: E,
}

/// A frame fixed to a body.
#[derive(Clone, Debug)]
pub struct FrameRow<E> {
    /// Body.
    pub body: usize,
    /// Position in the body.
    pub position: [E; 3],
    /// Orientation in the body, absent when it is the identity.
    pub orientation: Option<[E; 4]>,
}

/// The kinematic tree.
#[derive(Clone, Debug)]
pub struct TreeTable<E> {
    /// Bodies in depth-first order; 0 is the world.
    pub bodies: Vec<BodyRow<E>>,
    /// Joints.
    pub joints: Vec<JointRow<E>>,
    /// Body of each dof.
    pub dof_body: Vec<usize>,
    /// Geom frames.
    pub geoms: Vec<FrameRow<E>>,
    /// Site frames.
    pub sites: Vec<FrameRow<E>>,
    /// Non-zeros of the inertia matrix: row *i* holds the dofs on the way to the root.
    pub pattern: Pattern,
}

/// Solver settings.
#[derive(Clone, Debug)]
pub struct SolverTable<E> {
    /// Algorithm.
    pub solver: Solver,
    /// Friction cone.
    pub cone: Cone,
    /// Most iterations.
    pub iterations: usize,
    /// Most evaluations of a line search.
    pub ls_iterations: usize,
    /// Termination tolerance.
    pub tolerance: E,
    /// Termination tolerance of the line search.
    pub ls_tolerance: E,
    /// Whether the last acceleration starts the next solve.
    pub warmstart: bool,
    /// Ratio of frictional to normal impedance.
    pub impratio: E,
    /// MuJoCo's contacts or ours.
    pub contact_model: ContactModel,
}

/// Everything the kernels read that is the same in all worlds.
#[derive(Clone, Debug)]
pub struct Tables<E> {
    /// Length of `qpos`.
    pub nq: usize,
    /// Length of `qvel`.
    pub nv: usize,
    /// Duration of a step.
    pub timestep: E,
    /// The same in full precision, for the clock.
    pub timestep_seconds: f64,
    /// Time integration.
    pub integrator: Integrator,
    /// The kinematic tree.
    pub tree: TreeTable<E>,
    /// Solver settings.
    pub solver: SolverTable<E>,
}

/// A row of three, rounded.
pub(crate) fn round3<E: Real>(x: [f64; 3]) -> [E; 3] {
    x.map(E::from_f64)
}

/// An orientation, rounded; the identity is left out.
fn round_orientation<E: Real>(q: [f64; 4]) -> Option<[E; 4]> {
    (q != [1.0, 0.0, 0.0, 0.0]).then(|| q.map(E::from_f64))
}
