//! The model as the kernels read it.
//!
//! [`Tables`] are the numbers of a model and its options that no world can change, flattened into rows in the order in which the
//! kernels visit them and rounded once to the lanes' scalar. What a world may override lives in [`crate::Params`]. Each part is
//! defined beside the kernel that reads it.

use motrix_model::{Cone, ContactModel, Integrator, Model, Options, SensorKind, Solver, Transmission};
use motrix_spatial::Real;

use crate::actuation::ActuatorTable;
use crate::constraint::equality::{self, EqualityRow};
use crate::constraint::friction::{self, FrictionTableRow, TendonFrictionTableRow};
use crate::constraint::grip::GripTable;
use crate::constraint::limit::{self, BallLimitTableRow, LimitTableRow, TendonLimitTableRow};
use crate::constraint::soft_start::SoftStart;
use crate::constraint::surface::SurfaceTable;
use crate::contacts::PairTable;
use crate::delay::DelayTable;
use crate::integrate::derivative::DerivativeTable;
use crate::kinematics::Tree;
use crate::passive::PassiveTable;
use crate::pattern::Pattern;
use crate::plastic::PlasticTable;
use crate::reflected::Reflected;
use crate::sensor::SensorTable;
use crate::tendon::TendonTable;
use crate::transmission::TransmissionTable;

/// A tolerance near MuJoCo's default of 1e-8 is this in single precision: what it gains is below the rounding of trajectories.
const USUAL_F32_TOLERANCE: f64 = 1e-7;
/// A finer one is meant, for forces of stiff rows follow from it, and is taken as this many times as much.
const F32_TOLERANCES: f64 = 10.0;

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
    /// Most iterations of the noslip pass.
    pub noslip_iterations: usize,
    /// Termination tolerance of the noslip pass.
    pub noslip_tolerance: E,
    /// What improvements of the solvers in the space of forces are multiplied by: 1/(mean inertia · dofs).
    pub dual_scale: f64,
    /// Ratio of frictional to normal impedance.
    pub impratio: E,
    /// Least inverse inertia that a contact sees. Bodies that turn about their own centres have none in MuJoCo's approximation, which
    /// makes their contacts a million billion times as stiff as others: single precision would lose all inertia beside them. There, and
    /// for friction that holds, it is a rounding of the mean.
    pub least_inverse_inertia: E,
    /// MuJoCo's contacts or ours.
    pub contact_model: ContactModel,
    /// Whether friction is soft at first.
    pub soft_start: Option<SoftStart>,
}

impl<E: Real> SolverTable<E> {
    fn new(model: &Model, options: &Options) -> Self {
        let coarse = E::EPSILON > f64::EPSILON;
        let finest = if coarse {
            USUAL_F32_TOLERANCE.min(F32_TOLERANCES * options.tolerance)
        } else {
            0.0
        };
        Self {
            solver: options.solver,
            // Friction that holds needs tangential weights of their own, which the edges of a pyramid do not have.
            cone: match options.contact_model {
                ContactModel::Firm => Cone::Elliptic,
                ContactModel::Mujoco => options.cone,
            },
            iterations: options.iterations,
            ls_iterations: options.ls_iterations,
            tolerance: E::from_f64(options.tolerance.max(finest)),
            ls_tolerance: E::from_f64(options.ls_tolerance),
            warmstart: !options.disable.warmstart,
            noslip_iterations: options.noslip_iterations,
            noslip_tolerance: E::from_f64(options.noslip_tolerance),
            dual_scale: 1.0 / (model.statistic.meaninertia * model.nv().max(1) as f64),
            impratio: E::from_f64(options.impratio.max(1e-15)),
            least_inverse_inertia: E::from_f64(if coarse || options.contact_model == ContactModel::Firm {
                f64::from(f32::EPSILON) / model.statistic.meaninertia
            } else {
                0.0
            }),
            contact_model: options.contact_model,
            soft_start: SoftStart::of(options),
        }
    }
}

/// Everything the kernels read that is the same in all worlds.
#[derive(Clone, Debug)]
pub struct Tables<E> {
    /// Length of `qpos`.
    pub nq: usize,
    /// Length of `qvel`.
    pub nv: usize,
    /// The physics options that these tables were made for.
    pub options: Options,
    /// Duration of a step.
    pub timestep: E,
    /// The kinematic tree.
    pub tree: Tree<E>,
    /// Non-zeros of the inertia matrix: row *i* holds the dofs on the way to the root.
    pub pattern: Pattern,
    /// Dofs of each kinematic tree.
    pub trees: Vec<core::ops::Range<usize>>,
    /// Kinematic tree of each dof.
    pub dof_tree: Vec<usize>,
    /// Dofs from the root to each body.
    pub chains: Vec<Vec<u32>>,
    /// Tendons.
    pub tendons: TendonTable<E>,
    /// Rotor inertia that actuators add to each dof.
    pub reflected_armature: Vec<E>,
    /// Whether some dof has damping beside [`crate::params::DofParams::damping`].
    pub reflected_damping: bool,
    /// Springs, dampers and the medium.
    pub passive: PassiveTable<E>,
    /// Springs that yield.
    pub plastic: PlasticTable<E>,
    /// Controls and sensors that remember.
    pub delays: DelayTable,
    /// What actuators act on.
    pub transmission: TransmissionTable<E>,
    /// Actuators.
    pub actuators: ActuatorTable<E>,
    /// Where the derivatives of an implicit step go.
    pub derivative: DerivativeTable,
    /// Whether energies are computed.
    pub energy: bool,
    /// Equalities.
    pub equalities: Vec<EqualityRow<E>>,
    /// Dry friction of dofs.
    pub friction: Vec<FrictionTableRow<E>>,
    /// Dry friction of tendons.
    pub tendon_friction: Vec<TendonFrictionTableRow<E>>,
    /// Limits of hinges and slides.
    pub limits: Vec<LimitTableRow<E>>,
    /// Limits of ball joints.
    pub ball_limits: Vec<BallLimitTableRow<E>>,
    /// Limits of tendons.
    pub tendon_limits: Vec<TendonLimitTableRow<E>>,
    /// Geom pairs that may touch.
    pub pairs: PairTable<E>,
    /// How friction is remembered.
    pub grip: GripTable,
    /// Adhesive and moving surfaces.
    pub surfaces: SurfaceTable<E>,
    /// Sensors.
    pub sensors: SensorTable<E>,
    /// Tendon that each actuator pulls, when it pulls one.
    pub tendon_actuators: Vec<Option<motrix_model::TendonId>>,
    /// Solver settings.
    pub solver: SolverTable<E>,
}

impl<E: Real> Tables<E> {
    /// Flattens a model under the given options (which may differ from the model's own).
    pub fn new(model: &Model, options: &Options) -> Self {
        let parents: Vec<_> = model.dofs.iter().map(|d| d.parent.map(|p| p.index())).collect();
        let chain = |body| model.dof_chain(body).iter().map(|d| d.index() as u32).collect();
        let mut disabled = options.clone();
        if options.disable.constraint {
            let d = &mut disabled.disable;
            (d.equality, d.frictionloss, d.limit) = (true, true, true);
        }
        let pattern = Pattern::of_tree(&parents);
        let reflected = Reflected::new(model);
        let plastic = PlasticTable::new(model, options);
        let passive = PassiveTable::new(model, options, &reflected, &plastic);
        let delays = DelayTable::new(model);
        let transmission = TransmissionTable::new(model, options);
        let actuators = ActuatorTable::new(model, options);
        Self {
            nq: model.nq(),
            nv: model.nv(),
            options: options.clone(),
            timestep: E::from_f64(options.timestep),
            tree: Tree::new(model),
            trees: model
                .trees
                .iter()
                .map(|t| t.first_dof..t.first_dof + t.dof_count)
                .collect(),
            dof_tree: model
                .trees
                .iter()
                .enumerate()
                .flat_map(|(tree, t)| core::iter::repeat_n(tree, t.dof_count))
                .collect(),
            chains: (0..model.bodies.len())
                .map(|b| chain(motrix_model::BodyId::new(b)))
                .collect(),
            tendons: TendonTable::new(model, &pattern),
            reflected_armature: reflected.dof_armature.iter().map(|&a| E::from_f64(a)).collect(),
            reflected_damping: passive
                .dampers
                .iter()
                .any(|row| row.higher.is_some() || row.reflected != E::from_f64(0.0)),
            derivative: DerivativeTable::new(model, options, &pattern, &actuators, &transmission, &passive),
            passive,
            plastic,
            transmission,
            actuators,
            energy: options.enable.energy || measures_energy(model),
            equalities: equality::table(model, &disabled),
            friction: friction::table(model, &disabled),
            tendon_friction: friction::tendon_table(model, &disabled),
            limits: limit::table(model, &disabled),
            ball_limits: limit::ball_table(model, &disabled),
            tendon_limits: limit::tendon_table(model, &disabled),
            pairs: PairTable::new(model, options),
            grip: GripTable::new(model),
            surfaces: SurfaceTable::new(model, options),
            sensors: SensorTable::new(model, options, &delays),
            tendon_actuators: model
                .actuators
                .iter()
                .map(|a| match a.transmission {
                    Transmission::Tendon(t) => Some(t),
                    _ => None,
                })
                .collect(),
            solver: SolverTable::new(model, options),
            delays,
            pattern,
        }
    }

    /// Whether the velocity is integrated with anything implicit.
    pub fn integrator(&self) -> Integrator {
        self.options.integrator
    }
}

/// Whether a sensor measures energy.
fn measures_energy(model: &Model) -> bool {
    let energy = |kind: &SensorKind| matches!(kind, SensorKind::PotentialEnergy | SensorKind::KineticEnergy);
    model.sensors.iter().any(|s| energy(&s.kind))
}

/// A row of three, rounded.
pub(crate) fn round3<E: Real>(x: [f64; 3]) -> [E; 3] {
    x.map(E::from_f64)
}

/// An orientation, rounded; the identity is left out.
pub(crate) fn round_orientation<E: Real>(q: [f64; 4]) -> Option<[E; 4]> {
    (q != [1.0, 0.0, 0.0, 0.0]).then(|| q.map(E::from_f64))
}
