//! Sensors: what is measured once positions, velocities and accelerations are known.
//!
//! Values are MuJoCo's (`mj_sensorPos`, `mj_sensorVel`, `mj_sensorAcc`) at the state of the step's start. A cutoff clamps real
//! values on both sides and non-negative ones from above. [`is_measured`] tells which kinds are computed here; rays and distances
//! are the business of whoever can ask for them, and read zero. `noise` is a note for the user, as in MuJoCo, and adds nothing.

pub mod camera;
mod contact;
mod frame;
mod limit;
pub mod momentum;
mod reaction;
mod tension;
mod touch;
mod zone;

use motrix_model::{JointKind, Model, Object, Options, Sensor, SensorDataKind, SensorKind};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Real};

use self::camera::CameraRow;
use self::contact::ContactSensor;
use self::tension::DriveRow;
use self::zone::Zone;
use crate::data::Data;
use crate::delay::{Buffer, DelayTable};
use crate::params::Params;
use crate::tables::Tables;

pub use self::contact::Match;

/// What some kinds of sensor need beside their objects.
#[derive(Clone, Debug)]
pub enum Detail<E> {
    /// Nothing.
    None,
    /// The volume of a site.
    Zone(Zone<E>),
    /// Which contacts count.
    Contact(ContactSensor<E>),
}

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
    /// What it needs beside its objects.
    pub detail: Detail<E>,
    /// Clamp of real values on both sides.
    pub cutoff: Option<E>,
    /// Whether values are non-negative.
    pub positive: bool,
    /// Past values, when it keeps some.
    pub buffer: Option<Buffer>,
}

/// The sensors of a model.
#[derive(Clone, Debug, Default)]
pub struct SensorTable<E> {
    /// Sensors that are measured.
    pub rows: Vec<SensorRow<E>>,
    /// Cameras.
    pub cameras: Vec<CameraRow<E>>,
    /// First output of each actuator.
    pub actuator_outputs: Vec<usize>,
    /// Actuators on spatial tendons.
    pub tendon_drives: Vec<DriveRow<E>>,
    /// One past the last body of each body's subtree.
    pub subtree_end: Vec<usize>,
    /// Dofs of the joints: kind and first entries of `qpos` and `qvel`.
    pub joints: Vec<(JointKind, usize, usize)>,
    /// Whether accelerations of bodies are needed.
    pub accelerations: bool,
    /// Whether forces between bodies are needed.
    pub reactions: bool,
}

/// Whether values of this kind are computed here.
pub fn is_measured(kind: &SensorKind) -> bool {
    !matches!(
        kind,
        SensorKind::Rangefinder { .. }
            | SensorKind::InsideSite { enclosed: true }
            | SensorKind::GeomDist
            | SensorKind::GeomNormal
            | SensorKind::GeomFromTo
            | SensorKind::Tactile
            | SensorKind::User
            | SensorKind::Lidar(_)
    )
}

impl<E: Real> SensorTable<E> {
    /// The measured sensors of a model; none when the options switch them off.
    pub fn new(model: &Model, options: &Options, delays: &DelayTable) -> Self {
        let mut subtree_end: Vec<usize> = (1..=model.bodies.len()).collect();
        for i in (1..model.bodies.len()).rev() {
            let parent = model.bodies[i].parent.index();
            subtree_end[parent] = subtree_end[parent].max(subtree_end[i]);
        }
        let measured = model
            .sensors
            .iter()
            .zip(&delays.sensors)
            .filter(|(s, _)| is_measured(&s.kind) && !options.disable.sensor);
        let rows: Vec<_> = measured
            .map(|(s, buffer)| SensorRow {
                buffer: buffer.clone(),
                ..row(model, s, &subtree_end)
            })
            .collect();
        let reactions = rows
            .iter()
            .any(|r| matches!(r.kind, SensorKind::Force | SensorKind::Torque));
        let accelerates = |kind: &SensorKind| {
            matches!(
                kind,
                SensorKind::Accelerometer | SensorKind::FrameLinAcc | SensorKind::FrameAngAcc
            )
        };
        Self {
            accelerations: reactions || rows.iter().any(|r| accelerates(&r.kind)),
            reactions,
            rows,
            cameras: camera::table(model),
            tendon_drives: tension::drives(model, &first_outputs(model)),
            actuator_outputs: first_outputs(model),
            subtree_end,
            joints: model
                .joints
                .iter()
                .map(|j| (j.kind, j.first_position, j.first_dof))
                .collect(),
        }
    }
}

fn row<E: Real>(model: &Model, sensor: &Sensor, subtree_end: &[usize]) -> SensorRow<E> {
    let zone = |object| match object {
        Some(Object::Site(site)) => Detail::Zone(Zone::new(model, site)),
        _ => Detail::None,
    };
    let detail = match sensor.kind {
        SensorKind::Touch => zone(sensor.object),
        SensorKind::InsideSite { .. } => zone(sensor.reference),
        SensorKind::Contact { fields, reduce, num } => {
            let objects = [sensor.object, sensor.reference];
            Detail::Contact(ContactSensor::new(model, objects, fields, reduce, num, subtree_end))
        }
        _ => Detail::None,
    };
    // Contacts carry numbers of many kinds, which no one bound fits.
    let clamped = matches!(sensor.data, SensorDataKind::Real | SensorDataKind::Positive)
        && !matches!(sensor.kind, SensorKind::Contact { .. });
    SensorRow {
        kind: sensor.kind.clone(),
        object: sensor.object,
        reference: sensor.reference,
        first: sensor.first,
        dim: sensor.dim,
        detail,
        cutoff: (clamped && sensor.cutoff > 0.0).then(|| E::from_f64(sensor.cutoff)),
        positive: sensor.data == SensorDataKind::Positive,
        buffer: None,
    }
}

/// First output of each actuator.
fn first_outputs(model: &Model) -> Vec<usize> {
    let counts = model.actuators.iter().map(|a| a.transmission.output_count());
    let ends = counts.scan(0, |next, count| {
        let first = *next;
        *next += count;
        Some(first)
    });
    ends.collect()
}

/// Reads all sensors of a group.
#[inline(always)]
pub fn read<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let table = &tables.sensors;
    if table.accelerations {
        reaction::accelerations(tables, params, data);
    }
    if table.reactions {
        reaction::forces(tables, params, data);
    }
    // Taken out while the sensors read everything else.
    let mut values = core::mem::take(&mut data.sensors);
    let mut matches = core::mem::take(&mut data.contact_matches);
    let mut readings = core::mem::take(&mut data.readings);
    let mut next = 0;
    for row in &table.rows {
        let values = &mut values[row.first..row.first + row.dim];
        if let Detail::Contact(sensor) = &row.detail {
            sensor.read(tables, data, &mut matches, values);
        } else {
            let mut out = [L::ZERO; 4];
            measure(tables, params, data, row, &mut out);
            cut_off(row, &mut out);
            values.copy_from_slice(&out[..row.dim]);
        }
        if let Some(buffer) = &row.buffer {
            readings[next..next + row.dim].copy_from_slice(values);
            next += row.dim;
            buffer.show(&data.state.history, &data.state.time, values);
        }
    }
    data.readings = readings;
    data.sensors = values;
    data.contact_matches = matches;
}

/// Keeps a value within its cutoff, if there is one.
#[inline(always)]
fn cut_off<L: Lanes>(row: &SensorRow<L::Elem>, out: &mut [L; 4]) {
    let Some(cutoff) = row.cutoff.map(L::splat) else { return };
    for x in out {
        *x = if row.positive {
            x.min(cutoff)
        } else {
            x.clamp(-cutoff, cutoff)
        };
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
        (SensorKind::ActuatorPos | SensorKind::ActuatorVel | SensorKind::ActuatorFrc, Some(Object::Actuator(a))) => {
            let all = match row.kind {
                SensorKind::ActuatorPos => &data.actuators.length,
                SensorKind::ActuatorVel => &data.actuators.velocity,
                _ => &data.actuators.force,
            };
            let first = tables.sensors.actuator_outputs[a.index()];
            out[..row.dim].copy_from_slice(&all[first..first + row.dim]);
        }
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
        (SensorKind::Touch, Some(Object::Site(site))) => {
            if let Detail::Zone(zone) = &row.detail {
                out[0] = touch::read(data, zone, tables.tree.frames.sites[site.index()].body);
            }
        }
        (SensorKind::InsideSite { .. }, Some(object)) => {
            if let Detail::Zone(zone) = &row.detail {
                let inside = zone.holds(&data.poses, frame::point_of(tables, params, &data.poses, object));
                out[0] = L::select(inside, L::ONE, L::ZERO);
            }
        }
        (SensorKind::CamProjection, Some(Object::Site(site))) => {
            if let Some(Object::Camera(camera)) = row.reference {
                let point = data.poses.site_position[site.index()];
                let pixel = tables.sensors.cameras[camera.index()].project(&data.poses, point);
                out[..2].copy_from_slice(&pixel);
            }
        }
        (kind, Some(Object::Joint(_) | Object::Tendon(_))) => out[0] = limit::read(kind, row.object, data),
        (kind, Some(object)) => frame::read(tables, params, data, kind, object, row.reference, out),
        (_, None) => {}
    }
}
