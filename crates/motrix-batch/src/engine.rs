//! Groups of worlds in lanes.
//!
//! An engine holds the tables of a model for one lane type and steps groups of consecutive rows: load the rows into lanes, run the
//! kernels, store the rows. Scratch memory belongs to the engine and is handed to whichever thread runs a group.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use motrix_dynamics::{Data, Kernels, Params, Tables, forward_with_sensors, step};
use motrix_model::{Model, Options};
use motrix_spatial::algebra::{add_cross, angular, linear, sub};
use motrix_spatial::rows::{Rows, load_rows, store_rows};
use motrix_spatial::{Lanes, Real};

use crate::contact::{self, Contact};
use crate::layout::Layout;
use crate::low;
use crate::output::{Output, OutputSet, Stage};
use crate::overrides::Overrides;
use crate::quaternion;

/// Consecutive worlds that step together, at most as many as there are lanes.
pub struct Group<'a, E> {
    /// First world.
    pub first: usize,
    /// States, row by row.
    pub state: &'a mut [E],
    /// Clocks.
    pub time: &'a mut [f64],
    /// States that results describe.
    pub basis: &'a mut [E],
    /// Clocks of those.
    pub basis_time: &'a mut [f64],
    /// Kept results by kind, row by row.
    pub outputs: [&'a mut [E]; Output::ALL.len()],
    /// Kept contacts.
    pub contacts: &'a mut [Vec<Contact<E>>],
    /// What is up to date.
    pub fresh: &'a mut [OutputSet],
}

/// Steps groups; one per model and lane type.
pub trait Engine<E>: Send + Sync {
    /// Worlds in a full group.
    fn lanes(&self) -> usize;
    /// Advances a group by `count` steps and keeps the results in `kept`.
    fn step(&self, group: &mut Group<E>, overrides: &Overrides<E>, count: usize, kept: OutputSet);
    /// Computes results from the basis.
    fn derive(&self, group: &mut Group<E>, overrides: &Overrides<E>, wanted: OutputSet);
    /// Every intermediate of a forward pass from the basis of the group's first world.
    fn inspect(&self, group: &Group<E>, overrides: &Overrides<E>) -> Vec<low::Array>;
}

/// An engine for lanes `L` and rows of the scalar `S`, which need not be the lanes' own.
pub struct LaneEngine<L: Lanes, S> {
    layout: Layout,
    /// First number of each quaternion in the sensor vector.
    sensor_quaternions: Vec<usize>,
    model: Arc<Model>,
    tables: Tables<L::Elem>,
    /// The model's own parameters in every lane.
    params: Params<L>,
    /// Whether the options switch gravity off, which no world overrides.
    weightless: bool,
    spare: Mutex<Vec<Box<Scratch<L>>>>,
    surface: PhantomData<fn() -> S>,
}

/// Memory of one thread.
struct Scratch<L: Lanes> {
    data: Data<L>,
    params: Params<L>,
    /// Whether `params` differ from the model's.
    overridden: bool,
    /// A row in lanes.
    lanes: Vec<L>,
}

impl<L: Kernels, S: Real> LaneEngine<L, S> {
    /// Prepares a model under the given options.
    pub fn new(model: Arc<Model>, options: &Options) -> Self {
        let tables = Tables::new(&model, options);
        let gravity = if options.disable.gravity {
            [0.0; 3]
        } else {
            options.gravity
        };
        let params = Params::new(&model, gravity);
        Self {
            layout: Layout::new(&model),
            sensor_quaternions: quaternion::of_sensors(&model),
            tables,
            params,
            weightless: options.disable.gravity,
            spare: Mutex::new(Vec::new()),
            surface: PhantomData,
            model,
        }
    }

    /// Scratch memory from the stock, or new.
    fn scratch(&self) -> Box<Scratch<L>> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.unwrap_or_else(|| {
            Box::new(Scratch {
                data: Data::new(&self.model, &self.tables),
                params: self.params.clone(),
                overridden: false,
                lanes: Vec::new(),
            })
        })
    }

    fn give_back(&self, scratch: Box<Scratch<L>>) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }

    /// Puts the parameters of the group's worlds into the scratch lanes.
    fn load_params(&self, group: &Group<S>, overrides: &Overrides<S>, scratch: &mut Scratch<L>) {
        if overrides.any() {
            scratch.params.clone_from(&self.params);
            overrides.load(&self.model, group.first, group.time.len(), &mut scratch.params);
            if self.weightless {
                scratch.params.gravity = self.params.gravity;
            }
            scratch.overridden = true;
        } else if scratch.overridden {
            scratch.params.clone_from(&self.params);
            scratch.overridden = false;
        }
    }

    /// Rows into lanes.
    fn load_state(&self, rows: &[S], time: &[f64], scratch: &mut Scratch<L>) {
        let (len, layout) = (self.layout.len, &self.layout);
        let Scratch { data, lanes, .. } = scratch;
        lanes.resize(len, L::ZERO);
        let index: [u32; 8] = std::array::from_fn(|k| k as u32);
        load_rows(
            rows,
            Rows {
                index: &index[..time.len()],
                stride: len,
            },
            lanes,
        );
        quaternion::into_lanes(&layout.quaternions, lanes);
        data.state.qpos.copy_from_slice(&lanes[layout.qpos.clone()]);
        data.state.qvel.copy_from_slice(&lanes[layout.qvel.clone()]);
        data.state.act.copy_from_slice(&lanes[layout.act.clone()]);
        data.state.warmstart.copy_from_slice(&lanes[layout.warmstart.clone()]);
        data.input.ctrl.copy_from_slice(&lanes[layout.ctrl.clone()]);
        data.input.qfrc.copy_from_slice(&lanes[layout.qfrc.clone()]);
        copy_chunks(&lanes[layout.xfrc.clone()], &mut data.input.xfrc);
        copy_chunks(&lanes[layout.mocap_position.clone()], &mut data.input.mocap_position);
        copy_chunks(
            &lanes[layout.mocap_orientation.clone()],
            &mut data.input.mocap_orientation,
        );
        for (mask, x) in data
            .input
            .equality_active
            .iter_mut()
            .zip(&lanes[layout.equality_active.clone()])
        {
            *mask = x.gt(L::ZERO);
        }
        for k in 0..L::COUNT {
            data.state.time[k] = time[k.min(time.len() - 1)];
        }
    }

    /// The part of a row that a step changes, from lanes to rows.
    fn store_state(&self, scratch: &mut Scratch<L>, rows: &mut [S], time: &mut [f64]) {
        let (len, layout) = (self.layout.len, &self.layout);
        let Scratch { data, lanes, .. } = scratch;
        lanes[layout.qpos.clone()].copy_from_slice(&data.state.qpos);
        lanes[layout.qvel.clone()].copy_from_slice(&data.state.qvel);
        lanes[layout.act.clone()].copy_from_slice(&data.state.act);
        lanes[layout.warmstart.clone()].copy_from_slice(&data.state.warmstart);
        lanes[layout.qfrc.clone()].copy_from_slice(&data.input.qfrc);
        lanes[layout.mocap_orientation.clone()].copy_from_slice(data.input.mocap_orientation.as_flattened());
        quaternion::into_rows(&layout.quaternions, lanes);
        for (l, x) in lanes[layout.xfrc.clone()]
            .iter_mut()
            .zip(data.input.xfrc.as_flattened())
        {
            *l = *x;
        }
        let index: [u32; 8] = std::array::from_fn(|k| k as u32);
        store_rows(
            lanes,
            rows,
            Rows {
                index: &index[..time.len()],
                stride: len,
            },
        );
        time.copy_from_slice(&data.state.time[..time.len()]);
    }

    /// Results from lanes to rows.
    fn store_outputs(&self, scratch: &mut Scratch<L>, wanted: OutputSet, group: &mut Group<S>) {
        let live = group.time.len();
        let index: [u32; 8] = std::array::from_fn(|k| k as u32);
        for output in Output::ALL.into_iter().filter(|o| wanted.has(*o)) {
            if output == Output::Contacts {
                for (k, list) in group.contacts.iter_mut().enumerate() {
                    contact::of_lane(&self.tables, &scratch.data, k, list);
                }
                continue;
            }
            let stride = output.width(&self.model);
            let Scratch { data, lanes, .. } = &mut *scratch;
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
                Output::Velocities => self.body_velocities(data, lanes),
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
                Output::Contacts => {}
            }
            let rows = Rows {
                index: &index[..live],
                stride,
            };
            store_rows(lanes, group.outputs[output as usize], rows);
        }
        for fresh in group.fresh.iter_mut() {
            *fresh = fresh.with(wanted);
        }
    }

    /// Velocities of the body frames in world axes: linear, then angular.
    fn body_velocities(&self, data: &Data<L>, out: &mut Vec<L>) {
        for (i, body) in self.tables.tree.bodies.iter().enumerate() {
            let v = &data.twists.body[i];
            let arm = sub(data.poses.position[i], data.poses.subtree_com[body.root]);
            out.extend_from_slice(&add_cross(linear(v), angular(v), arm));
            out.extend_from_slice(&angular(v));
        }
    }
}

impl<L: Kernels, S: Real> Engine<S> for LaneEngine<L, S> {
    fn lanes(&self) -> usize {
        L::COUNT
    }

    fn step(&self, group: &mut Group<S>, overrides: &Overrides<S>, count: usize, kept: OutputSet) {
        let mut scratch = self.scratch();
        self.load_params(group, overrides, &mut scratch);
        self.load_state(group.state, group.time, &mut scratch);
        for k in 0..count {
            if k + 1 == count {
                if k == 0 {
                    group.basis.copy_from_slice(group.state);
                    group.basis_time.copy_from_slice(group.time);
                } else {
                    // Inputs do not change between the steps of one call.
                    group.basis.copy_from_slice(group.state);
                    self.store_state(&mut scratch, group.basis, group.basis_time);
                }
            }
            step(&self.tables, &scratch.params, &mut scratch.data);
            if k == 0 {
                // Applied forces act once.
                scratch.data.input.qfrc.fill(L::ZERO);
                scratch.data.input.xfrc.fill([L::ZERO; 6]);
            }
        }
        self.store_state(&mut scratch, group.state, group.time);
        group.fresh.fill(OutputSet::NONE);
        self.store_outputs(&mut scratch, kept, group);
        self.give_back(scratch);
    }

    fn derive(&self, group: &mut Group<S>, overrides: &Overrides<S>, wanted: OutputSet) {
        let Some(stage) = wanted.stage() else { return };
        let mut scratch = self.scratch();
        self.load_params(group, overrides, &mut scratch);
        self.load_state(group.basis, group.basis_time, &mut scratch);
        let Scratch { data, params, .. } = &mut *scratch;
        match stage {
            Stage::Acceleration => forward_with_sensors(&self.tables, params, data),
            Stage::Velocity => {
                L::position(&self.tables, params, data);
                L::velocity(&self.tables, params, data);
            }
            Stage::Position => L::position(&self.tables, params, data),
        }
        self.store_outputs(&mut scratch, wanted, group);
        self.give_back(scratch);
    }

    fn inspect(&self, group: &Group<S>, overrides: &Overrides<S>) -> Vec<low::Array> {
        let mut scratch = self.scratch();
        self.load_params(group, overrides, &mut scratch);
        self.load_state(group.basis, group.basis_time, &mut scratch);
        let Scratch { data, params, .. } = &mut *scratch;
        forward_with_sensors(&self.tables, params, data);
        let arrays = low::of_lane(&self.model, &self.tables, data, 0);
        self.give_back(scratch);
        arrays
    }
}

/// Consecutive lanes into arrays.
fn copy_chunks<L: Copy, const N: usize>(from: &[L], to: &mut [[L; N]]) {
    to.as_flattened_mut().copy_from_slice(from);
}
