//! Forces that need no drive: springs and dampers of joints.

use motrix_model::{JointKind, Model, Options};
use motrix_spatial::{Lanes, Real};

use crate::data::Forces;
use crate::params::Params;

/// A spring on a hinge or slide.
#[derive(Clone, Debug)]
pub struct SpringRow<E> {
    /// Entry of `qpos`.
    pub position: usize,
    /// Dof.
    pub dof: usize,
    /// Stiffness.
    pub stiffness: E,
    /// Rest position.
    pub rest: E,
}

/// Springs and dampers.
#[derive(Clone, Debug)]
pub struct PassiveTable<E> {
    /// Springs of hinges and slides.
    pub springs: Vec<SpringRow<E>>,
    /// Whether dampers act.
    pub dampers: bool,
}

impl<E: Real> PassiveTable<E> {
    /// Flattens the passive elements of a model.
    pub fn new(model: &Model, options: &Options) -> Self {
        let scalar = |kind| matches!(kind, JointKind::Hinge | JointKind::Slide);
        let sprung = model
            .joints
            .iter()
            .filter(|j| scalar(j.kind) && j.stiffness != 0.0 && !options.disable.spring);
        let springs = sprung.map(|j| SpringRow {
            position: j.first_position,
            dof: j.first_dof,
            stiffness: E::from_f64(j.stiffness),
            rest: E::from_f64(model.qpos_spring[j.first_position]),
        });
        Self {
            springs: springs.collect(),
            dampers: !options.disable.damper,
        }
    }
}

/// Spring and damper forces.
#[inline(always)]
pub fn forces<L: Lanes>(
    table: &PassiveTable<L::Elem>,
    params: &Params<L>,
    qpos: &[L],
    qvel: &[L],
    forces: &mut Forces<L>,
) {
    forces.spring.fill(L::ZERO);
    for row in &table.springs {
        forces.spring[row.dof] = L::splat(row.stiffness) * (L::splat(row.rest) - qpos[row.position]);
    }
    for i in 0..qvel.len() {
        forces.damper[i] = if table.dampers {
            -(params.dofs[i].damping * qvel[i])
        } else {
            L::ZERO
        };
        forces.passive[i] = forces.spring[i] + forces.damper[i];
    }
}
