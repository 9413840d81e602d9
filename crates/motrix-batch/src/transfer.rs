//! Between the rows of a chunk and the lanes of a group.

use motrix_dynamics::Data;
use motrix_model::Model;
use motrix_spatial::rows::Rows;
use motrix_spatial::{Lanes, Mask, Real};

use crate::kernels::{self, GroupKernels};
use crate::layout::Layout;
use crate::output::Output;
use crate::quaternion;
use crate::states::States;

/// Where rows and lanes correspond.
pub struct Transfer {
    layout: Layout,
    /// First number of each quaternion in the sensor vector.
    sensor_quaternions: Vec<usize>,
}

impl Transfer {
    /// The correspondence for a model.
    pub fn new(model: &Model) -> Self {
        Self {
            layout: Layout::new(model),
            sensor_quaternions: quaternion::of_sensors(model),
        }
    }

    /// States of the worlds `index` into lanes; `lanes` holds the rows as they came.
    pub fn load<L: GroupKernels, S: Real>(
        &self,
        states: &States<&mut [S]>,
        time: &[f64],
        index: &[u32],
        lanes: &mut Vec<L>,
        data: &mut Data<L>,
    ) {
        let layout = &self.layout;
        lanes.resize(layout.grip.start, L::ZERO);
        for (columns, table) in states.parts().filter(|(columns, _)| *columns != layout.grip) {
            let stride = columns.len();
            kernels::load(table, Rows { index, stride }, &mut lanes[columns]);
        }
        quaternion::into_lanes(&layout.quaternions, lanes);
        data.state.qpos.copy_from_slice(&lanes[layout.qpos.clone()]);
        data.state.qvel.copy_from_slice(&lanes[layout.qvel.clone()]);
        data.state.act.copy_from_slice(&lanes[layout.act.clone()]);
        data.state.warmstart.copy_from_slice(&lanes[layout.warmstart.clone()]);
        data.state.residue.copy_from_slice(&lanes[layout.residue.clone()]);
        data.state.plastic.copy_from_slice(&lanes[layout.plastic.clone()]);
        data.state.history.copy_from_slice(&lanes[layout.history.clone()]);
        let input = &mut data.input;
        input.ctrl.copy_from_slice(&lanes[layout.ctrl.clone()]);
        input.qfrc.copy_from_slice(&lanes[layout.qfrc.clone()]);
        copy_chunks(&lanes[layout.xfrc.clone()], &mut input.xfrc);
        copy_chunks(&lanes[layout.mocap_position.clone()], &mut input.mocap_position);
        copy_chunks(&lanes[layout.mocap_orientation.clone()], &mut input.mocap_orientation);
        let active = &lanes[layout.equality_active.clone()];
        for (mask, x) in input.equality_active.iter_mut().zip(active) {
            *mask = L::Mask::from_bits(positive_lanes(*x));
        }
        data.live = index.len();
        for k in 0..L::COUNT {
            let row = index[k.min(index.len() - 1)] as usize;
            data.state.time[k] = time[row];
            let grip = &mut data.state.grip[k * layout.grip.len()..(k + 1) * layout.grip.len()];
            layout.grips.copy(states.numbers(row, layout.grip.clone()), grip);
        }
    }

    /// States from lanes to rows. `lanes` must be as [`Transfer::load`] left it: a step does not change every number of a row.
    pub fn store<L: GroupKernels, S: Real>(
        &self,
        data: &Data<L>,
        lanes: &mut [L],
        index: &[u32],
        states: &mut States<&mut [S]>,
        time: &mut [f64],
    ) {
        let layout = &self.layout;
        lanes[layout.qpos.clone()].copy_from_slice(&data.state.qpos);
        lanes[layout.qvel.clone()].copy_from_slice(&data.state.qvel);
        lanes[layout.act.clone()].copy_from_slice(&data.state.act);
        lanes[layout.warmstart.clone()].copy_from_slice(&data.state.warmstart);
        lanes[layout.residue.clone()].copy_from_slice(&data.state.residue);
        lanes[layout.plastic.clone()].copy_from_slice(&data.state.plastic);
        lanes[layout.history.clone()].copy_from_slice(&data.state.history);
        lanes[layout.qfrc.clone()].copy_from_slice(&data.input.qfrc);
        lanes[layout.xfrc.clone()].copy_from_slice(data.input.xfrc.as_flattened());
        lanes[layout.mocap_orientation.clone()].copy_from_slice(data.input.mocap_orientation.as_flattened());
        quaternion::into_rows(&layout.quaternions, lanes);
        for (columns, table) in states.parts_mut().filter(|(columns, _)| *columns != layout.grip) {
            let stride = columns.len();
            kernels::store(&lanes[columns], table, Rows { index, stride });
        }
        for (k, &row) in index.iter().enumerate() {
            time[row as usize] = data.state.time[k];
            let grip = &data.state.grip[k * layout.grip.len()..(k + 1) * layout.grip.len()];
            let own = states.numbers_mut(row as usize, layout.grip.clone());
            layout.grips.copy(grip, own);
        }
    }

    /// A result from lanes to rows; contacts are lists and go another way.
    pub fn store_output<L: GroupKernels, S: Real>(
        &self,
        output: Output,
        group: &Group<L>,
        lanes: &mut Vec<L>,
        index: &[u32],
        rows: &mut [S],
    ) {
        let Group { tables, data } = group;
        lanes.clear();
        match output {
            Output::Poses => {
                for (p, [w, i, j, k]) in data.poses.position.iter().zip(&data.poses.orientation) {
                    lanes.extend_from_slice(p);
                    lanes.extend_from_slice(&[*i, *j, *k, *w]);
                }
            }
            Output::JointAxes => {
                for (anchor, axis) in data.poses.anchor.iter().zip(&data.poses.axis) {
                    lanes.extend_from_slice(anchor);
                    lanes.extend_from_slice(axis);
                }
            }
            Output::Velocities => {
                lanes.resize(6 * data.twists.body.len(), L::ZERO);
                L::frame_velocities(tables, data, lanes);
            }
            Output::Sensors => {
                lanes.extend_from_slice(&data.sensors);
                quaternion::into_rows(&self.sensor_quaternions, lanes);
            }
            Output::Accelerations => lanes.extend_from_slice(&data.solution.acceleration),
            Output::ActuatorForces => lanes.extend_from_slice(&data.actuators.force),
            Output::TerrainCounts => {
                let counts = &data.contacts.terrain;
                lanes.extend_from_slice(&[counts.found, counts.merged, counts.dropped]);
            }
            Output::Contacts => return,
        }
        let stride = lanes.len();
        kernels::store(lanes, rows, Rows { index, stride });
    }
}

/// A group whose results are wanted.
pub struct Group<'a, L: Lanes> {
    /// What all worlds share.
    pub tables: &'a motrix_dynamics::Tables<L::Elem>,
    /// The group.
    pub data: &'a Data<L>,
}

/// The lanes with a positive number, one bit each.
fn positive_lanes<L: Lanes>(x: L) -> u32 {
    (0..L::COUNT).fold(0, |bits, k| bits | u32::from(x.lane(k).to_f64() > 0.0) << k)
}

/// Consecutive lanes into arrays.
fn copy_chunks<L: Copy, const N: usize>(from: &[L], to: &mut [[L; N]]) {
    to.as_flattened_mut().copy_from_slice(from);
}
