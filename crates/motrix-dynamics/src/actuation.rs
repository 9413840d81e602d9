//! Actuators: control → force → generalised force.

use motrix_model::{BiasKind, Model, Options, Transmission};
use motrix_spatial::{Lanes, Real};

use crate::data::{Actuators, Input, State};
use crate::params::Params;

/// An actuator on a hinge or slide.
#[derive(Clone, Debug)]
pub struct ActuatorRow<E> {
    /// Entry of `qpos`.
    pub position: usize,
    /// Dof.
    pub dof: usize,
    /// Control.
    pub control: usize,
    /// Gear.
    pub gear: E,
    /// Control range.
    pub control_range: Option<[E; 2]>,
    /// Force range.
    pub force_range: Option<[E; 2]>,
    /// Whether there is an affine bias.
    pub affine_bias: bool,
}

/// The actuators of a model.
#[derive(Clone, Debug)]
pub struct ActuatorTable<E> {
    /// Rows in the order of the file.
    pub rows: Vec<ActuatorRow<E>>,
}

impl<E: Real> ActuatorTable<E> {
    /// Flattens the actuators of a model.
    pub fn new(model: &Model, options: &Options) -> Self {
        let range = |limited: bool, range: [f64; 2]| limited.then(|| range.map(E::from_f64));
        let rows = model.actuators.iter().filter_map(|a| match a.transmission {
            Transmission::Joint(j) => {
                let joint = &model.joints[j.index()];
                Some(ActuatorRow {
                    position: joint.first_position,
                    dof: joint.first_dof,
                    control: a.first_control,
                    gear: E::from_f64(a.gear[0]),
                    control_range: range(a.control_limited && !options.disable.clampctrl, a.control_range),
                    force_range: range(a.force_limited, a.force_range),
                    affine_bias: a.bias == BiasKind::Affine,
                })
            }
            _ => None,
        });
        Self { rows: rows.collect() }
    }

    /// Length of all moment rows together.
    pub fn moment_len(&self) -> usize {
        self.rows.len()
    }
}

/// Actuator forces and their sum on each dof.
#[inline(always)]
pub fn forces<L: Lanes>(
    table: &ActuatorTable<L::Elem>,
    params: &Params<L>,
    state: &State<L>,
    input: &Input<L>,
    actuators: &mut Actuators<L>,
    total: &mut [L],
) {
    total.fill(L::ZERO);
    for (k, row) in table.rows.iter().enumerate() {
        let p = &params.actuators[k];
        let gear = L::splat(row.gear);
        let length = gear * state.qpos[row.position];
        let velocity = gear * state.qvel[row.dof];
        let mut u = input.ctrl[row.control];
        if let Some([lo, hi]) = row.control_range {
            u = u.clamp(L::splat(lo), L::splat(hi));
        }
        let mut force = p.gain[0] * u;
        if row.affine_bias {
            force = force + p.bias[1].mul_add(length, p.bias[2].mul_add(velocity, p.bias[0]));
        }
        if let Some([lo, hi]) = row.force_range {
            force = force.clamp(L::splat(lo), L::splat(hi));
        }
        actuators.length[k] = length;
        actuators.velocity[k] = velocity;
        actuators.force[k] = force;
        total[row.dof] = gear.mul_add(force, total[row.dof]);
    }
}
