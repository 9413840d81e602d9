//! Rotors and friction of actuators, seen by what they drive through the gear.
//!
//! A rotor of inertia J behind a gear g moves g times as fast as the joint and pushes g times as hard, so the joint feels
//! g² J; likewise g² times the damping (`actuator_armature`, `actuator_damping`). Several actuators on a joint or tendon add
//! up. The share on tendons that is inertia is the business of [`crate::tendon::armature`].

use motrix_model::{Model, Transmission};

use crate::polynomial::Polynomial;

/// What actuators add to joints and tendons.
#[derive(Clone, Debug)]
pub struct Reflected {
    /// Rotor inertia on each dof.
    pub dof_armature: Vec<f64>,
    /// Damping on each dof.
    pub dof_damping: Vec<Polynomial<f64>>,
    /// Damping on each tendon.
    pub tendon_damping: Vec<Polynomial<f64>>,
}

impl Reflected {
    /// Sums over the actuators of a model.
    pub fn new(model: &Model) -> Self {
        let mut out = Self {
            dof_armature: vec![0.0; model.nv()],
            dof_damping: vec![Polynomial::default(); model.nv()],
            tendon_damping: vec![Polynomial::default(); model.tendons.len()],
        };
        for actuator in &model.actuators {
            let g2 = actuator.gear[0] * actuator.gear[0];
            let add_damping = |damping: &mut Polynomial<f64>| {
                damping.linear += actuator.damping * g2;
                for k in 0..2 {
                    damping.higher[k] += actuator.damping_poly[k] * g2;
                }
            };
            match actuator.transmission {
                Transmission::Joint(id) | Transmission::JointInParent(id) => {
                    let joint = &model.joints[id.index()];
                    for dof in joint.first_dof..joint.first_dof + joint.kind.dof_count() {
                        out.dof_armature[dof] += actuator.armature * g2;
                        add_damping(&mut out.dof_damping[dof]);
                    }
                }
                Transmission::Tendon(id) => add_damping(&mut out.tendon_damping[id.index()]),
                _ => {}
            }
        }
        out
    }
}
