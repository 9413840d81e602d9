//! Sensors: what is measured once positions, velocities and accelerations are known.
//!
//! Values are MuJoCo's (`mj_sensorPos`, `mj_sensorVel`, `mj_sensorAcc`) at the state of the step's start. A cutoff clamps real
//! values on both sides and non-negative ones from above. [`is_measured`] tells which kinds are computed; the others read zero,
//! and the load report names them.

mod frame;
mod limit;
mod momentum;

use motrix_model::{JointKind, Model, Object, SensorDataKind, SensorKind};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Real};

use crate::data::Data;
use crate::kinematics::FrameRow;
use crate::params::Params;
use crate::tables::{Tables, round_orientation, round3};

/// A sensor as the kernels read it.
#[derive(Clone, Debug)]
pub struct SensorRow<E> {
    /// What is measured.
    pub kind: SensorKind,
    /// On what.
    pub object: Option<Object>,
    /// Relative to what.
    pub reference: Option<Object>,
    /// First number of the sensor vector.
    pub first: usize,
    /// Number of numbers.
    pub dim: usize,
    /// Clamp of real values on both sides.
    pub cutoff: Option<E>,
    /// Whether values are non-negative.
    pub positive: bool,
}

/// The sensors of a model.
#[derive(Clone, Debug, Default)]
pub struct SensorTable<E> {
    /// Sensors that are measured.
    pub rows: Vec<SensorRow<E>>,
    /// Camera frames.
    pub cameras: Vec<FrameRow<E>>,
    /// One past the last body of each body's subtree.
    pub subtree_end: Vec<usize>,
    /// Dofs of the joints: kind and first entries of `qpos` and `qvel`.
    pub joints: Vec<(JointKind, usize, usize)>,
    /// Whether accelerations of bodies are needed.
    pub accelerations: bool,
}

/// Whether values of this kind are computed.
pub fn is_measured(kind: &SensorKind) -> bool {
    !matches!(
        kind,
        SensorKind::Touch
            | SensorKind::Force
            | SensorKind::Torque
            | SensorKind::Rangefinder { .. }
            | SensorKind::CamProjection
            | SensorKind::InsideSite { .. }
            | SensorKind::GeomDist
            | SensorKind::GeomNormal
            | SensorKind::GeomFromTo
            | SensorKind::Contact { .. }
            | SensorKind::Tactile
            | SensorKind::User
    )
}

impl<E: Real> SensorTable<E> {
    /// The measured sensors of a model.
    pub fn new(model: &Model) -> Self {
        let rows = model
            .sensors
            .iter()
            .filter(|s| is_measured(&s.kind))
            .map(|s| SensorRow {
                kind: s.kind.clone(),
                object: s.object,
                reference: s.reference,
                first: s.first,
                dim: s.dim,
                cutoff: (s.cutoff > 0.0 && matches!(s.data, SensorDataKind::Real | SensorDataKind::Positive))
                    .then(|| E::from_f64(s.cutoff)),
                positive: s.data == SensorDataKind::Positive,
            });
        let rows: Vec<_> = rows.collect();
        let mut subtree_end: Vec<usize> = (1..=model.bodies.len()).collect();
        for i in (1..model.bodies.len()).rev() {
            let parent = model.bodies[i].parent.index();
            subtree_end[parent] = subtree_end[parent].max(subtree_end[i]);
        }
        let accelerates = |kind: &SensorKind| {
            matches!(
                kind,
                SensorKind::Accelerometer | SensorKind::FrameLinAcc | SensorKind::FrameAngAcc
            )
        };
        Self {
            accelerations: rows.iter().any(|r| accelerates(&r.kind)),
            rows,
            cameras: model
                .cameras
                .iter()
                .map(|c| FrameRow {
                    body: c.body.index(),
                    position: round3(c.position),
                    orientation: round_orientation(c.orientation),
                })
                .collect(),
            subtree_end,
            joints: model
                .joints
                .iter()
                .map(|j| (j.kind, j.first_position, j.first_dof))
                .collect(),
        }
    }
}

/// Reads all sensors of a group.
#[inline(always)]
pub fn read<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let table = &tables.sensors;
    if table.accelerations {
        frame::accelerations(&tables.tree, params, data);
    }
    for row in &table.rows {
        let mut out = [L::ZERO; 4];
        measure(tables, params, data, row, &mut out);
        if let Some(cutoff) = row.cutoff {
            let cutoff = L::splat(cutoff);
            for x in &mut out {
                *x = if row.positive {
                    x.min(cutoff)
                } else {
                    x.clamp(-cutoff, cutoff)
                };
            }
        }
        data.sensors[row.first..row.first + row.dim].copy_from_slice(&out[..row.dim]);
    }
}

/// The value of one sensor.
#[inline(always)]
fn measure<L: Lanes>(
    tables: &Tables<L::Elem>,
    params: &Params<L>,
    data: &Data<L>,
    row: &SensorRow<L::Elem>,
    out: &mut [L; 4],
) {
    match (&row.kind, row.object) {
        (SensorKind::JointPos, Some(Object::Joint(j))) => out[0] = data.state.qpos[tables.sensors.joints[j.index()].1],
        (SensorKind::JointVel, Some(Object::Joint(j))) => out[0] = data.state.qvel[tables.sensors.joints[j.index()].2],
        (SensorKind::JointActFrc, Some(Object::Joint(j))) => {
            out[0] = data.forces.actuator[tables.sensors.joints[j.index()].2];
        }
        (SensorKind::BallQuat, Some(Object::Joint(j))) => {
            let q = &data.state.qpos[tables.sensors.joints[j.index()].1..];
            *out = quat_normalize([q[0], q[1], q[2], q[3]]);
        }
        (SensorKind::BallAngVel, Some(Object::Joint(j))) => {
            out[..3].copy_from_slice(&data.state.qvel[tables.sensors.joints[j.index()].2..][..3]);
        }
        (SensorKind::TendonPos, Some(Object::Tendon(t))) => out[0] = data.tendons.length[t.index()],
        (SensorKind::TendonVel, Some(Object::Tendon(t))) => out[0] = data.tendons.velocity[t.index()],
        (SensorKind::TendonActFrc, Some(Object::Tendon(t))) => out[0] = limit::tendon_actuation(tables, data, t),
        (SensorKind::ActuatorPos, Some(Object::Actuator(a))) => out[0] = data.actuators.length[a.index()],
        (SensorKind::ActuatorVel, Some(Object::Actuator(a))) => out[0] = data.actuators.velocity[a.index()],
        (SensorKind::ActuatorFrc, Some(Object::Actuator(a))) => out[0] = data.actuators.force[a.index()],
        (SensorKind::Clock, _) => out[0] = L::from_lanes(|k| L::Elem::from_f64(data.state.time[k])),
        (SensorKind::PotentialEnergy, _) => out[0] = data.energy[0],
        (SensorKind::KineticEnergy, _) => out[0] = data.energy[1],
        (SensorKind::SubtreeCom, Some(Object::Body(b) | Object::XBody(b))) => {
            out[..3].copy_from_slice(&data.poses.subtree_com[b.index()]);
        }
        (SensorKind::SubtreeLinVel, Some(Object::Body(b) | Object::XBody(b))) => {
            out[..3].copy_from_slice(&momentum::linear_velocity(tables, params, data, b.index()));
        }
        (SensorKind::SubtreeAngMom, Some(Object::Body(b) | Object::XBody(b))) => {
            out[..3].copy_from_slice(&momentum::angular_momentum(tables, params, data, b.index()));
        }
        (kind, Some(Object::Joint(_) | Object::Tendon(_))) => out[0] = limit::read(kind, row.object, data),
        (kind, Some(object)) => frame::read(tables, data, kind, object, row.reference, out),
        (_, None) => {}
    }
}
