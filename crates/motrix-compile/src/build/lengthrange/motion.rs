//! A model in motion under one driving force, step by step.

use motrix_model::{JointKind, Model, Quat};

use super::constraints::{Row, rows, solve};
use crate::build::mechanics::{InertiaMatrix, Kinematics, bias_forces, outputs, tendon_paths};
use crate::build::pose::{about, compose, norm, unit};

/// Positions and velocities beyond this mean that the motion has blown up (`mjMAXVAL`).
const LARGEST: f64 = 1e10;

/// State of the motion.
pub struct Motion<'m> {
    model: &'m Model,
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    time: f64,
    step: f64,
}

impl<'m> Motion<'m> {
    /// At rest in the reference configuration.
    pub fn new(model: &'m Model, step: f64) -> Self {
        Self {
            model,
            qpos: model.qpos0.clone(),
            qvel: vec![0.0; model.nv()],
            time: 0.0,
            step,
        }
    }

    /// Time since the start.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Whether the state is still usable.
    pub fn is_finite(&self) -> bool {
        // NaN compares false
        self.qpos.iter().chain(&self.qvel).all(|x| x.abs() < LARGEST)
    }

    /// Slows everything down by a factor.
    pub fn decay(&mut self, factor: f64) {
        for velocity in &mut self.qvel {
            *velocity *= factor;
        }
    }

    /// Advances by one step with a force on actuator `index` and returns its length before. `drive` gets the acceleration
    /// of unit force and returns the force for a moment arm of given norm.
    pub fn advance<F: FnOnce(f64) -> f64>(&mut self, index: usize, drive: impl FnOnce(f64) -> F) -> f64 {
        let model = self.model;
        let kinematics = Kinematics::at(model, &self.qpos);
        let tendons = tendon_paths(model, &kinematics);
        let inertia = InertiaMatrix::new(model, &kinematics, &tendons);
        let actuator = outputs(model, &kinematics, &tendons, &model.actuators[index]).swap_remove(0);
        let moment = actuator.row(model.nv());

        let mut unit_acceleration = moment.clone();
        inertia.solve(&mut unit_acceleration);
        let force = drive(length(&unit_acceleration))(length(&moment));

        let bias = bias_forces(model, &kinematics, &self.qvel);
        let mut acceleration: Vec<f64> = moment.iter().zip(&bias).map(|(arm, bias)| force * arm - bias).collect();
        inertia.solve(&mut acceleration);
        let rows: Vec<Row> = rows(model, &self.qpos, &self.qvel, &tendons, self.step);
        solve(&rows, &inertia, &mut acceleration);
        self.integrate(&acceleration);
        actuator.length
    }

    /// Velocities first, then positions with the new velocities.
    fn integrate(&mut self, acceleration: &[f64]) {
        for (velocity, acceleration) in self.qvel.iter_mut().zip(acceleration) {
            *velocity += self.step * acceleration;
        }
        for joint in &self.model.joints {
            let (q, v) = (joint.first_position, joint.first_dof);
            match joint.kind {
                JointKind::Slide | JointKind::Hinge => self.qpos[q] += self.step * self.qvel[v],
                JointKind::Ball => self.turn(q, v),
                JointKind::Free => {
                    for i in 0..3 {
                        self.qpos[q + i] += self.step * self.qvel[v + i];
                    }
                    self.turn(q + 3, v + 3);
                }
            }
        }
        self.time += self.step;
    }

    /// Rotates the quaternion at `q` by the angular velocity at `v`, in the body.
    fn turn(&mut self, q: usize, v: usize) {
        let velocity = [self.qvel[v], self.qvel[v + 1], self.qvel[v + 2]];
        let speed = norm(velocity);
        if speed < 1e-15 {
            return;
        }
        let turn = about(velocity.map(|x| x / speed), speed * self.step);
        let old: Quat = unit(std::array::from_fn(|i| self.qpos[q + i]));
        self.qpos[q..q + 4].copy_from_slice(&compose(old, turn));
    }
}

fn length(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}
