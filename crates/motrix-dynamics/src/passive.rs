//! Forces that need no drive: springs, dampers, gravity compensation and the medium.
//!
//! * Joint springs: −x p(x) with x the distance from the rest position (for ball and free joints the rotation vector and the
//!   translation from it, along which the spring pulls) and p the polynomial of [`crate::polynomial`].
//! * Tendon springs: the same with x the excess over a range of rest lengths, −Jᵀ x p(x).
//! * Dampers: −v p(|v|) on each dof, −Jᵀ v p(|v|) on each tendon. Actuators may add to the coefficients.
//! * Gravity compensation: −c m g at the centre of mass of a body. A joint can ask for its share to count as actuator force.
//! * The medium: [`crate::fluid`].

use motrix_model::{JointKind, Model, Options};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Real};

use crate::configuration::Movement;
use crate::data::{Forces, Tendons};
use crate::fluid::{self, FluidTable};
use crate::params::Params;
use crate::plastic::PlasticTable;
use crate::polynomial::Polynomial;
use crate::reflected::Reflected;
use crate::tendon::{TendonTable, scatter};
use crate::wrench;

/// What a spring pulls back to.
#[derive(Clone, Debug)]
pub enum Rest<E> {
    /// The position of a hinge or slide.
    Scalar(E),
    /// The position of a free joint.
    Point([E; 3]),
    /// The orientation of a ball or free joint.
    Orientation([E; 4]),
}

/// A spring on a joint; a free joint has two.
#[derive(Clone, Debug)]
pub struct SpringRow<E> {
    /// First entry of `qpos`.
    pub position: usize,
    /// First dof.
    pub dof: usize,
    /// Stiffness.
    pub stiffness: Polynomial<E>,
    /// Where it rests.
    pub rest: Rest<E>,
    /// Where the rest of a spring that yields stands in the state.
    pub set: Option<usize>,
}

/// A tendon with a spring or a damper.
#[derive(Clone, Debug)]
pub struct TendonSpringRow<E> {
    /// Tendon.
    pub tendon: usize,
    /// Stiffness.
    pub stiffness: Polynomial<E>,
    /// Lengths at which the spring does not pull.
    pub rest: [E; 2],
    /// Where those of a spring that yields stand in the state.
    pub set: Option<usize>,
    /// Damping, the actuators' share included.
    pub damping: Polynomial<E>,
}

/// A damper on a dof, beside the damping that a world may override.
#[derive(Clone, Debug)]
pub struct DamperRow<E> {
    /// Damping that actuators add.
    pub reflected: E,
    /// Higher-order damping, the actuators' share included; most dofs have none.
    pub higher: Option<[E; 2]>,
}

/// A body whose weight is compensated.
#[derive(Clone, Debug)]
pub struct GravcompRow<E> {
    /// Body.
    pub body: usize,
    /// Share of the weight.
    pub share: E,
}

/// Everything passive.
#[derive(Clone, Debug)]
pub struct PassiveTable<E> {
    /// Joint springs.
    pub springs: Vec<SpringRow<E>>,
    /// Dampers of all dofs, or none when dampers are disabled.
    pub dampers: Vec<DamperRow<E>>,
    /// Springs and dampers of tendons.
    pub tendons: Vec<TendonSpringRow<E>>,
    /// Compensated bodies.
    pub gravcomp: Vec<GravcompRow<E>>,
    /// Dofs whose compensation is the actuators' business.
    pub gravcomp_by_actuator: Vec<bool>,
    /// The medium.
    pub fluid: FluidTable<E>,
}

impl<E: Real> PassiveTable<E> {
    /// Flattens the passive elements of a model.
    ///
    /// When springs and dampers are both disabled nothing passive is left, as in MuJoCo.
    pub fn new(model: &Model, options: &Options, reflected: &Reflected, plastic: &PlasticTable<E>) -> Self {
        let disable = &options.disable;
        let anything = !(disable.spring && disable.damper);
        let compensated = |b: &usize| anything && !disable.gravity && model.bodies[*b].gravcomp != 0.0;
        let by_actuator = |d: &motrix_model::Dof| model.joints[d.joint.index()].actuator_gravcomp;
        let mut fluid = FluidTable::new(model, options);
        if !anything {
            fluid.rows.clear();
        }
        Self {
            springs: if disable.spring {
                Vec::new()
            } else {
                springs(model, plastic)
            },
            dampers: if disable.damper {
                Vec::new()
            } else {
                dampers(model, reflected)
            },
            tendons: tendon_springs(model, options, reflected, plastic),
            gravcomp: (1..model.bodies.len())
                .filter(compensated)
                .map(|body| GravcompRow {
                    body,
                    share: E::from_f64(model.bodies[body].gravcomp),
                })
                .collect(),
            gravcomp_by_actuator: model.dofs.iter().map(by_actuator).collect(),
            fluid,
        }
    }

    /// Damping of a dof, all shares included.
    #[inline(always)]
    pub fn damping<L: Lanes<Elem = E>>(&self, params: &Params<L>, dof: usize) -> Polynomial<L> {
        let row = &self.dampers[dof];
        let higher = match row.higher {
            Some(h) => [L::splat(h[0]), L::splat(h[1])],
            None => [L::ZERO; 2],
        };
        Polynomial {
            linear: params.dofs[dof].damping + L::splat(row.reflected),
            higher,
        }
    }
}

fn springs<E: Real>(model: &Model, plastic: &PlasticTable<E>) -> Vec<SpringRow<E>> {
    let mut rows = Vec::new();
    for (joint, &set) in model.joints.iter().zip(&plastic.joints) {
        let stiffness = Polynomial {
            linear: joint.stiffness,
            higher: joint.stiffness_poly,
        };
        if stiffness.is_zero() {
            continue;
        }
        let (position, dof) = (joint.first_position, joint.first_dof);
        let rest = &model.qpos_spring[position..];
        let mut push = |position, dof, rest| {
            rows.push(SpringRow {
                position,
                dof,
                stiffness: stiffness.round(),
                rest,
                set,
            });
        };
        let round = |i: usize| E::from_f64(rest[i]);
        match joint.kind {
            JointKind::Hinge | JointKind::Slide => push(position, dof, Rest::Scalar(round(0))),
            JointKind::Ball => push(position, dof, Rest::Orientation([0, 1, 2, 3].map(round))),
            JointKind::Free => {
                push(position, dof, Rest::Point([0, 1, 2].map(round)));
                push(position + 3, dof + 3, Rest::Orientation([3, 4, 5, 6].map(round)));
            }
        }
    }
    rows
}

fn dampers<E: Real>(model: &Model, reflected: &Reflected) -> Vec<DamperRow<E>> {
    let row = |(dof, d): (usize, &motrix_model::Dof)| {
        let added = &reflected.dof_damping[dof];
        let higher = [0, 1].map(|k| d.damping_poly[k] + added.higher[k]);
        DamperRow {
            reflected: E::from_f64(added.linear),
            higher: (higher != [0.0; 2]).then(|| higher.map(E::from_f64)),
        }
    };
    model.dofs.iter().enumerate().map(row).collect()
}

fn tendon_springs<E: Real>(
    model: &Model,
    options: &Options,
    reflected: &Reflected,
    plastic: &PlasticTable<E>,
) -> Vec<TendonSpringRow<E>> {
    let row = |(tendon, t): (usize, &motrix_model::Tendon)| {
        let mut stiffness = Polynomial {
            linear: t.stiffness,
            higher: t.stiffness_poly,
        };
        let added = &reflected.tendon_damping[tendon];
        let mut damping = Polynomial {
            linear: t.damping + added.linear,
            higher: [0, 1].map(|k| t.damping_poly[k] + added.higher[k]),
        };
        if options.disable.spring {
            stiffness = Polynomial::default();
        }
        if options.disable.damper {
            damping = Polynomial::default();
        }
        (!(stiffness.is_zero() && damping.is_zero())).then(|| TendonSpringRow {
            tendon,
            stiffness: stiffness.round(),
            rest: t.spring_length.map(E::from_f64),
            set: plastic.tendons[tendon],
            damping: damping.round(),
        })
    };
    model.tendons.iter().enumerate().filter_map(row).collect()
}

/// All passive forces.
#[inline(always)]
pub fn forces<L: Lanes>(
    table: &PassiveTable<L::Elem>,
    movement: &Movement<L>,
    tendon_table: &TendonTable<L::Elem>,
    tendons: &Tendons<L>,
    plastic: &[L],
    forces: &mut Forces<L>,
) {
    forces.spring.fill(L::ZERO);
    for row in &table.springs {
        joint_spring(row, movement.at.qpos, plastic, &mut forces.spring);
    }
    for dof in 0..table.dampers.len() {
        let v = movement.qvel[dof];
        let row = &table.dampers[dof];
        let mut coefficient = movement.at.params.dofs[dof].damping + L::splat(row.reflected);
        if row.higher.is_some() {
            coefficient = table.damping(movement.at.params, dof).at(v.abs());
        }
        forces.damper[dof] = -(coefficient * v);
    }
    for row in &table.tendons {
        let tendon = &tendon_table.rows[row.tendon];
        let jacobian = tendon.jacobian(tendons);
        let [pull, drag] = tendon_forces(row, tendons, plastic);
        scatter(jacobian, &tendon.dofs, pull, &mut forces.spring);
        scatter(jacobian, &tendon.dofs, drag, &mut forces.damper);
    }
    for i in 0..forces.passive.len() {
        forces.passive[i] = forces.spring[i] + forces.damper[i];
    }
    if !table.gravcomp.is_empty() {
        compensate_gravity(table, movement, forces);
    }
    if !table.fluid.rows.is_empty() {
        resist_motion(table, movement, forces);
    }
}

/// The forces of a tendon's spring and damper along it.
#[inline(always)]
pub fn tendon_forces<L: Lanes>(row: &TendonSpringRow<L::Elem>, tendons: &Tendons<L>, plastic: &[L]) -> [L; 2] {
    let x = excess(row, tendons.length[row.tendon], plastic);
    let v = tendons.velocity[row.tendon];
    [
        -(x * row.stiffness.splat::<L>().at(x)),
        -(v * row.damping.splat::<L>().at(v.abs())),
    ]
}

/// The force of one joint spring.
#[inline(always)]
fn joint_spring<L: Lanes>(row: &SpringRow<L::Elem>, qpos: &[L], plastic: &[L], out: &mut [L]) {
    let stiffness = row.stiffness.splat::<L>();
    let x = displacement(row, qpos, plastic);
    if let Rest::Scalar(_) = row.rest {
        out[row.dof] = -(x[0] * stiffness.at(x[0]));
        return;
    }
    let k = stiffness.at(norm(x));
    for i in 0..3 {
        out[row.dof + i] = -(k * x[i]);
    }
}

/// How far a joint is from where its spring rests; a scalar joint along the first axis.
#[inline(always)]
pub fn displacement<L: Lanes>(row: &SpringRow<L::Elem>, qpos: &[L], plastic: &[L]) -> [L; 3] {
    let q = &qpos[row.position..];
    match (&row.rest, row.set) {
        (Rest::Scalar(_), Some(p)) => [q[0] - plastic[p], L::ZERO, L::ZERO],
        (Rest::Orientation(_), Some(p)) => quat_difference(
            quat_normalize([q[0], q[1], q[2], q[3]]),
            [plastic[p], plastic[p + 1], plastic[p + 2], plastic[p + 3]],
        ),
        (Rest::Scalar(rest), None) => [q[0] - L::splat(*rest), L::ZERO, L::ZERO],
        (Rest::Point(rest), _) => sub([q[0], q[1], q[2]], splat3(*rest)),
        (Rest::Orientation(rest), None) => quat_difference(quat_normalize([q[0], q[1], q[2], q[3]]), splat4(*rest)),
    }
}

/// How far a length lies outside the range in which its spring rests.
#[inline(always)]
pub fn excess<L: Lanes>(row: &TendonSpringRow<L::Elem>, length: L, plastic: &[L]) -> L {
    let [lower, upper] = match row.set {
        Some(p) => [plastic[p], plastic[p + 1]],
        None => [L::splat(row.rest[0]), L::splat(row.rest[1])],
    };
    let below = L::select(length.lt(lower), length - lower, L::ZERO);
    L::select(length.gt(upper), length - upper, below)
}

/// Adds −c m g at the centres of mass.
#[inline(always)]
fn compensate_gravity<L: Lanes>(table: &PassiveTable<L::Elem>, movement: &Movement<L>, forces: &mut Forces<L>) {
    let at = &movement.at;
    forces.wrench.fill(zero6());
    for row in &table.gravcomp {
        let weight = at.params.bodies[row.body].mass * L::splat(row.share);
        let force = scale(at.params.gravity, -weight);
        forces.wrench[row.body] = wrench::of_force(force, at.arm(row.body, at.poses.com[row.body]));
    }
    forces.gravcomp.fill(L::ZERO);
    wrench::project(at.tree, at.cdof, &mut forces.wrench, &mut forces.gravcomp);
    for i in 0..forces.passive.len() {
        if !table.gravcomp_by_actuator[i] {
            forces.passive[i] += forces.gravcomp[i];
        }
    }
}

/// Adds drag and lift.
#[inline(always)]
fn resist_motion<L: Lanes>(table: &PassiveTable<L::Elem>, movement: &Movement<L>, forces: &mut Forces<L>) {
    forces.wrench.fill(zero6());
    fluid::wrenches(&table.fluid, movement, &mut forces.wrench);
    forces.fluid.fill(L::ZERO);
    wrench::project(
        movement.at.tree,
        movement.at.cdof,
        &mut forces.wrench,
        &mut forces.fluid,
    );
    for i in 0..forces.passive.len() {
        forces.passive[i] += forces.fluid[i];
    }
}
