//! The state of a group of worlds and everything computed from it, split by writer.
//!
//! A stage takes what it reads as `&` and the one part it computes as `&mut`, so the borrow checker keeps stages honest. All
//! memory is allocated when the group is made, or grows once to what the scene needs; a warmed-up step allocates nothing.

use motrix_model::Model;
use motrix_spatial::algebra::Rotational;
use motrix_spatial::{Force, Lanes, Mat3, Motion, Quat, Vec3};

use crate::constraint::Rows;
use crate::contacts::Contacts;
use crate::integrate::{Work, positions};
use crate::sensor::Match;
use crate::solve::Solution;
use crate::tables::Tables;
use crate::tally::Tally;

/// What a step advances.
#[derive(Clone, Debug)]
pub struct State<L: Lanes> {
    /// Seconds since the start of each world.
    pub time: Vec<f64>,
    /// Configuration.
    pub qpos: Vec<L>,
    /// What rounding took from it, see [`crate::integrate::positions`].
    pub residue: Vec<L>,
    /// Velocity.
    pub qvel: Vec<L>,
    /// Actuator activations.
    pub act: Vec<L>,
    /// Acceleration of the last step, where the solver starts.
    pub warmstart: Vec<L>,
    /// Where springs that yield rest.
    pub plastic: Vec<L>,
    /// Past controls and readings.
    pub history: Vec<L>,
    /// Friction of the contacts of the last step, world after world.
    pub grip: Vec<L::Elem>,
}

/// What the user sets between steps.
#[derive(Clone, Debug)]
pub struct Input<L: Lanes> {
    /// Controls.
    pub ctrl: Vec<L>,
    /// Generalised forces.
    pub qfrc: Vec<L>,
    /// Force and torque on each body's centre of mass, world axes: `[force; torque]`.
    pub xfrc: Vec<[L; 6]>,
    /// Positions of mocap bodies.
    pub mocap_position: Vec<Vec3<L>>,
    /// Orientations of mocap bodies.
    pub mocap_orientation: Vec<Quat<L>>,
    /// Whether each equality constraint acts.
    pub equality_active: Vec<L::Mask>,
}

/// Poses in the world.
#[derive(Clone, Debug)]
pub struct Poses<L> {
    /// Body positions (`xpos`).
    pub position: Vec<Vec3<L>>,
    /// Body orientations (`xquat`).
    pub orientation: Vec<Quat<L>>,
    /// Body rotations (`xmat`).
    pub rotation: Vec<Mat3<L>>,
    /// Centres of mass (`xipos`).
    pub com: Vec<Vec3<L>>,
    /// Principal axes (`ximat`).
    pub inertia_rotation: Vec<Mat3<L>>,
    /// Centres of mass of subtrees (`subtree_com`).
    pub subtree_com: Vec<Vec3<L>>,
    /// From the centres of mass of bodies to those of their subtrees.
    pub subtree_offset: Vec<Vec3<L>>,
    /// Joint anchors (`xanchor`).
    pub anchor: Vec<Vec3<L>>,
    /// Joint axes (`xaxis`).
    pub axis: Vec<Vec3<L>>,
    /// Geom positions (`geom_xpos`), of the geoms that a step looks at.
    pub geom_position: Vec<Vec3<L>>,
    /// Geom rotations (`geom_xmat`), of the same.
    pub geom_rotation: Vec<Mat3<L>>,
    /// Site positions (`site_xpos`).
    pub site_position: Vec<Vec3<L>>,
    /// Site rotations (`site_xmat`).
    pub site_rotation: Vec<Mat3<L>>,
}

/// How heavy the bodies are.
#[derive(Clone, Debug)]
pub struct Inertia<L> {
    /// Bodies, about their own centres of mass.
    pub central: Vec<Rotational<L>>,
    /// Subtrees of several bodies, about their own centres of mass.
    pub subtree: Vec<Rotational<L>>,
    /// Joint axes, about the centres of mass of the subtrees that they move.
    pub subtree_dof: Vec<Motion<L>>,
    /// Joint axes, about the centre of mass of their tree (`cdof`).
    pub cdof: Vec<Motion<L>>,
    /// Joint-space inertia in the tree's pattern (`M`).
    pub matrix: Vec<L>,
    /// Its factors LᵀDL (`qLD`), in steps that solve with it.
    pub factors: Vec<L>,
    /// 1/D (`qLDiagInv`).
    pub inverse_diagonal: Vec<L>,
}

/// Velocities, and what the bias recursion leaves behind.
#[derive(Clone, Debug)]
pub struct Twists<L> {
    /// Body velocities (`cvel`).
    pub body: Vec<Motion<L>>,
    /// Rates of the joint axes (`cdof_dot`).
    pub dof_rate: Vec<Motion<L>>,
    /// Accelerations without joint acceleration.
    pub acceleration: Vec<Motion<L>>,
    /// Forces of subtrees, about their own centres of mass.
    pub force: Vec<Force<L>>,
    /// Accelerations with joint acceleration, when a sensor needs them (`cacc`).
    pub total: Vec<Motion<L>>,
    /// Forces from outside the tree's joints, when a sensor needs them (`cfrc_ext`).
    pub external: Vec<Force<L>>,
    /// Forces through the joints to the parents, when a sensor needs them (`cfrc_int`).
    pub interaction: Vec<Force<L>>,
    /// Memory for the sums of both.
    pub(crate) tallies: Vec<Tally<L>>,
}

/// Generalised forces that do not come from constraints.
#[derive(Clone, Debug)]
pub struct Forces<L> {
    /// Gravity, Coriolis, centrifugal (`qfrc_bias`).
    pub bias: Vec<L>,
    /// Springs (`qfrc_spring`).
    pub spring: Vec<L>,
    /// Dampers (`qfrc_damper`).
    pub damper: Vec<L>,
    /// Gravity compensation (`qfrc_gravcomp`).
    pub gravcomp: Vec<L>,
    /// Drag and lift (`qfrc_fluid`).
    pub fluid: Vec<L>,
    /// Sum of the passive ones (`qfrc_passive`).
    pub passive: Vec<L>,
    /// Actuators (`qfrc_actuator`).
    pub actuator: Vec<L>,
    /// Everything but constraints (`qfrc_smooth`).
    pub smooth: Vec<L>,
    /// Forces on bodies before they are projected on the dofs.
    pub(crate) wrench: Vec<Force<L>>,
}

/// Tendons: lengths and how they change.
#[derive(Clone, Debug, Default)]
pub struct Tendons<L> {
    /// Length (`ten_length`).
    pub length: Vec<L>,
    /// Velocity (`ten_velocity`).
    pub velocity: Vec<L>,
    /// Jacobian rows one after the other, each over its tendon's dofs (`ten_J`).
    pub jacobian: Vec<L>,
}

/// Actuators: lengths, forces, activations. Lengths, velocities, forces and moments are counted by outputs, of which a
/// servo on rotations has three and every other actuator one.
#[derive(Clone, Debug)]
pub struct Actuators<L> {
    /// Controls as the actuators see them: clamped, zero where they were no numbers, as far as slew limits let them come.
    pub control: Vec<L>,
    /// Length (`actuator_length`).
    pub length: Vec<L>,
    /// Velocity (`actuator_velocity`).
    pub velocity: Vec<L>,
    /// Scalar force (`actuator_force`).
    pub force: Vec<L>,
    /// Rate of the activations (`act_dot`).
    pub activation_rate: Vec<L>,
    /// Moment rows one after the other, each over its actuator's dofs (`actuator_moment`).
    pub moment: Vec<L>,
}

/// A group of worlds.
#[derive(Clone, Debug)]
pub struct Data<L: Lanes> {
    /// What a step advances.
    pub state: State<L>,
    /// What the user sets.
    pub input: Input<L>,
    /// Poses.
    pub poses: Poses<L>,
    /// Inertia.
    pub inertia: Inertia<L>,
    /// Velocities.
    pub twists: Twists<L>,
    /// Tendons.
    pub tendons: Tendons<L>,
    /// Actuators.
    pub actuators: Actuators<L>,
    /// Forces.
    pub forces: Forces<L>,
    /// What touches.
    pub contacts: Contacts<L>,
    /// Constraint rows.
    pub rows: Rows<L>,
    /// Accelerations and constraint forces.
    pub solution: Solution<L>,
    /// Memory of the integrator.
    pub integration: Work<L>,
    /// Sensor values.
    pub sensors: Vec<L>,
    /// Present values of the sensors that keep past ones, one after the other.
    pub(crate) readings: Vec<L>,
    /// Controls as actuators with a delay see them.
    pub(crate) delayed_controls: Vec<L>,
    /// Memory of exact weights.
    pub(crate) exact_work: Vec<L>,
    /// Memory of contact sensors.
    pub(crate) contact_matches: Vec<Match>,
    /// Potential and kinetic energy.
    pub energy: [L; 2],
    /// Lanes with a world of their own; the others repeat the last of these.
    pub live: usize,
}

impl<L: Lanes> Data<L> {
    /// A group of worlds in the model's reference state.
    pub fn new(model: &Model, tables: &Tables<L::Elem>) -> Self {
        let (nv, nbody) = (model.nv(), model.bodies.len());
        let zeros = |n: usize| vec![L::ZERO; n];
        let zeros3 = |n: usize| vec![[L::ZERO; 3]; n];
        let zeros6 = |n: usize| vec![[L::ZERO; 6]; n];
        let identities = |n: usize| {
            let mut m = [L::ZERO; 9];
            (m[0], m[4], m[8]) = (L::ONE, L::ONE, L::ONE);
            vec![m; n]
        };
        let unit = [L::ONE, L::ZERO, L::ZERO, L::ZERO];
        let tree_len = tables.pattern.len();
        let delays = tables.delays.initial::<L::Elem>(tables.options.timestep);
        let mut data = Self {
            state: State {
                time: vec![0.0; L::COUNT],
                qpos: model.qpos0.iter().map(|&x| L::c(x)).collect(),
                residue: zeros(positions::kept_beside(model.qpos0.len())),
                qvel: zeros(nv),
                act: zeros(model.activation_count),
                warmstart: zeros(nv),
                plastic: model.spring_rests().into_iter().map(L::c).collect(),
                history: delays.into_iter().map(L::splat).collect(),
                grip: vec![L::Elem::default(); tables.grip.len() * L::COUNT],
            },
            input: Input {
                ctrl: zeros(model.control_count),
                qfrc: zeros(nv),
                xfrc: zeros6(nbody),
                mocap_position: zeros3(model.mocap_count),
                mocap_orientation: vec![unit; model.mocap_count],
                equality_active: model.equalities.iter().map(|e| mask_of::<L>(e.active)).collect(),
            },
            poses: Poses {
                position: zeros3(nbody),
                orientation: vec![unit; nbody],
                rotation: identities(nbody),
                com: zeros3(nbody),
                inertia_rotation: identities(nbody),
                subtree_com: zeros3(nbody),
                subtree_offset: zeros3(nbody),
                anchor: zeros3(model.joints.len()),
                axis: zeros3(model.joints.len()),
                geom_position: zeros3(model.geoms.len()),
                geom_rotation: identities(model.geoms.len()),
                site_position: zeros3(model.sites.len()),
                site_rotation: identities(model.sites.len()),
            },
            inertia: Inertia {
                central: zeros6(nbody),
                subtree: zeros6(nbody),
                subtree_dof: zeros6(nv),
                cdof: zeros6(nv),
                matrix: zeros(tree_len),
                factors: zeros(tree_len),
                inverse_diagonal: zeros(nv),
            },
            twists: Twists {
                body: zeros6(nbody),
                dof_rate: zeros6(nv),
                acceleration: zeros6(nbody),
                force: zeros6(nbody),
                total: zeros6(nbody),
                external: zeros6(nbody),
                interaction: zeros6(nbody),
                tallies: Vec::new(),
            },
            tendons: Tendons {
                length: zeros(model.tendons.len()),
                velocity: zeros(model.tendons.len()),
                jacobian: zeros(model.tendons.iter().map(|t| t.dofs.len()).sum()),
            },
            actuators: Actuators {
                control: zeros(model.control_count),
                length: zeros(tables.transmission.rows.len()),
                velocity: zeros(tables.transmission.rows.len()),
                force: zeros(tables.transmission.rows.len()),
                activation_rate: zeros(model.activation_count),
                moment: zeros(tables.transmission.moment_len()),
            },
            forces: Forces {
                bias: zeros(nv),
                spring: zeros(nv),
                damper: zeros(nv),
                gravcomp: zeros(nv),
                fluid: zeros(nv),
                passive: zeros(nv),
                actuator: zeros(nv),
                smooth: zeros(nv),
                wrench: zeros6(nbody),
            },
            contacts: Contacts::new(),
            rows: Rows::new(),
            solution: Solution::new(&tables.trees),
            integration: Work::default(),
            sensors: zeros(model.sensor_data_len),
            readings: zeros(tables.delays.reading_len()),
            delayed_controls: zeros(model.control_count),
            exact_work: Vec::new(),
            contact_matches: Vec::new(),
            energy: [L::ZERO; 2],
            live: L::COUNT,
        };
        for (m, body) in model.bodies.iter().filter_map(|b| b.mocap.map(|m| (m, b))) {
            data.input.mocap_position[m] = body.position.map(L::c);
            data.input.mocap_orientation[m] = body.orientation.map(L::c);
        }
        data
    }
}

/// The same truth value in every lane.
fn mask_of<L: Lanes>(value: bool) -> L::Mask {
    use motrix_spatial::Mask;
    if value { L::Mask::ALL } else { L::Mask::NONE }
}
