//! Groups of worlds in lanes.
//!
//! An engine holds the tables of a model for one lane type and works through chunks of worlds: it puts worlds that touch alike into
//! the same lanes, loads their rows, runs the kernels, looks at what came out and stores the rows. Scratch memory belongs to the
//! engine and is handed to whichever thread works on a chunk.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use motrix_dynamics::contacts::MAX_LANES;
use motrix_dynamics::{Data, Kernels, Params, Tables, forward_with_sensors, step};
use motrix_model::{Integrator, Model, Options};
use motrix_query::Shapes;
use motrix_spatial::{Lanes, Real};

use crate::chunk::Chunk;
use crate::contact;
use crate::health::{self, Notes, Policy, Watch};
use crate::kernels::GroupKernels;
use crate::low;
use crate::order::{self, Order};
use crate::output::{Output, OutputSet, Stage};
use crate::overrides::Overrides;
use crate::perception::Perception;
use crate::transfer::{Group, Transfer};

/// What a call asks for.
pub struct Job<'a, E> {
    /// Number of steps.
    pub count: usize,
    /// Results to keep.
    pub kept: OutputSet,
    /// What to look for.
    pub watch: Watch,
    /// The state that a world is reset to.
    pub reference: &'a [E],
}

/// Steps chunks; one per model and lane type.
pub trait Engine<E>: Send + Sync {
    /// Worlds in a full group.
    fn lanes(&self) -> usize;
    /// Advances a chunk.
    fn step(&self, chunk: &mut Chunk<E>, overrides: &Overrides<E>, job: &Job<E>);
    /// Computes results from the basis.
    fn derive(&self, chunk: &mut Chunk<E>, overrides: &Overrides<E>, wanted: OutputSet);
    /// Every intermediate of a forward pass from the basis of the chunk's first world.
    fn inspect(&self, chunk: &Chunk<E>, overrides: &Overrides<E>) -> Vec<low::Array>;
}

/// An engine for lanes `L` and rows of the scalar `S`, which need not be the lanes' own.
pub struct LaneEngine<L: Lanes, S> {
    transfer: Transfer,
    model: Arc<Model>,
    tables: Tables<L::Elem>,
    /// The model's own parameters in every lane.
    params: Params<L>,
    /// Whether the options switch gravity off, which no world overrides.
    weightless: bool,
    /// Sensors that look around, which are read after the kernels.
    perception: Option<Perception>,
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
    notes: Notes<L>,
}

impl<L: Kernels + GroupKernels, S: Real> LaneEngine<L, S> {
    /// Prepares a model under the given options.
    pub fn new(model: Arc<Model>, shapes: &Arc<Shapes>, options: &Options) -> Self {
        let tables = Tables::new(&model, options);
        let gravity = if options.disable.gravity {
            [0.0; 3]
        } else {
            options.gravity
        };
        let params = Params::new(&model, gravity);
        Self {
            transfer: Transfer::new(&model),
            perception: Perception::new(shapes, options, &tables.delays),
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
                notes: Notes::new(self.model.nv()),
            })
        })
    }

    fn give_back(&self, scratch: Box<Scratch<L>>) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }

    /// Puts the parameters of worlds into the scratch lanes; `index` counts from `first`.
    fn load_params(&self, first: usize, index: &[u32], overrides: &Overrides<S>, scratch: &mut Scratch<L>) {
        if overrides.any() {
            scratch.params.clone_from(&self.params);
            overrides.load(&self.model, first, index, &mut scratch.params);
            if self.weightless {
                scratch.params.gravity = self.params.gravity;
            }
            scratch.overridden = true;
        } else if scratch.overridden {
            scratch.params.clone_from(&self.params);
            scratch.overridden = false;
        }
    }

    fn load_state(&self, chunk: &Chunk<S>, index: &[u32], scratch: &mut Scratch<L>) {
        let Scratch { data, lanes, .. } = scratch;
        self.transfer.load(&chunk.state, chunk.time, index, lanes, data);
    }

    fn load_basis(&self, chunk: &Chunk<S>, index: &[u32], scratch: &mut Scratch<L>) {
        let Scratch { data, lanes, .. } = scratch;
        self.transfer.load(&chunk.basis, chunk.basis_time, index, lanes, data);
    }

    fn store_state(&self, scratch: &mut Scratch<L>, index: &[u32], chunk: &mut Chunk<S>) {
        let Scratch { data, lanes, .. } = scratch;
        self.transfer.store(data, lanes, index, &mut chunk.state, chunk.time);
    }

    fn store_basis(&self, scratch: &mut Scratch<L>, index: &[u32], chunk: &mut Chunk<S>) {
        let Scratch { data, lanes, .. } = scratch;
        self.transfer
            .store(data, lanes, index, &mut chunk.basis, chunk.basis_time);
    }

    /// Reads the sensors that look around, when their readings are wanted.
    fn look_around(&self, scratch: &mut Scratch<L>, wanted: OutputSet, count: usize) {
        let Scratch { data, params, .. } = scratch;
        if let Some(perception) = self.perception.as_ref().filter(|_| wanted.has(Output::Sensors)) {
            perception.read(&self.tables, params, data, count);
        }
    }

    /// Enters the present readings of the sensors that look around among the past ones, if some sensor shows those.
    fn remember(&self, scratch: &mut Scratch<L>, count: usize) {
        let Scratch { data, params, .. } = scratch;
        if let Some(perception) = self.perception.as_ref().filter(|perception| perception.remembers()) {
            L::position(&self.tables, params, data);
            L::velocity(&self.tables, params, data);
            perception.read_and_remember(&self.tables, params, data, count);
        }
    }

    /// Whether the sensors that look around have been read before a step.
    fn remembers(&self) -> bool {
        self.perception.as_ref().is_some_and(Perception::remembers)
    }

    /// Results from lanes to rows.
    fn store_outputs(&self, scratch: &mut Scratch<L>, wanted: OutputSet, index: &[u32], chunk: &mut Chunk<S>) {
        let Scratch { data, lanes, .. } = scratch;
        for output in Output::ALL.into_iter().filter(|o| wanted.has(*o)) {
            if output == Output::Contacts {
                for (k, &row) in index.iter().enumerate() {
                    contact::of_lane(&self.tables, data, k, &mut chunk.contacts[row as usize]);
                }
                continue;
            }
            let group = Group {
                tables: &self.tables,
                data,
            };
            let rows = &mut *chunk.outputs[output as usize];
            self.transfer.store_output(output, &group, lanes, index, rows);
        }
        for &row in index {
            let fresh = &mut chunk.fresh[row as usize];
            *fresh = fresh.with(wanted);
        }
    }

    /// The kinds of results that are right after a step. The later stages of Runge-Kutta leave other poses behind than those that
    /// sensors describe, so that sensors which look around are read from the basis when asked for.
    fn after_step(&self, kept: OutputSet) -> OutputSet {
        if self.perception.is_some() && !self.remembers() && self.tables.integrator() == Integrator::Rk4 {
            kept.without(Output::Sensors.bit())
        } else {
            kept
        }
    }

    /// Advances the worlds `index` of a chunk, at most as many as there are lanes.
    fn step_group(&self, chunk: &mut Chunk<S>, index: &[u32], job: &Job<S>, scratch: &mut Scratch<L>) {
        self.load_state(chunk, index, scratch);
        let guarded = job.watch.policy != Policy::Keep;
        let mut watched = Watched::new(chunk, index, &job.watch);
        for k in 0..job.count {
            // The basis is the state before the last step; whoever may have to go back needs it before every step.
            if k + 1 == job.count || guarded || chunk.history.is_some() {
                if k == 0 {
                    self.enter_first_basis(chunk, index);
                } else {
                    self.store_basis(scratch, index, chunk);
                }
            }
            self.enter_history(chunk, index);
            scratch.notes.velocity.copy_from_slice(&scratch.data.state.qvel);
            self.remember(scratch, index.len());
            step(&self.tables, &scratch.params, &mut scratch.data);
            if k == 0 {
                // Applied forces act once.
                scratch.data.input.qfrc.fill(L::ZERO);
                scratch.data.input.xfrc.fill([L::ZERO; 6]);
            }
            let Scratch {
                data, params, notes, ..
            } = &mut *scratch;
            let findings = L::examine(&self.tables, params, &job.watch, data, notes);
            watched.note(&findings, index.len(), &job.watch);
            if watched.stopped != 0 {
                self.settle(chunk, index, job, watched.stopped, scratch);
            }
            if job.watch.policy == Policy::Reset {
                watched.restart(k + 1 == job.count);
            }
        }
        self.store_state(scratch, index, chunk);
        let touching = order::touching(&scratch.data);
        for (k, &row) in index.iter().enumerate() {
            chunk.touching[row as usize] = touching[k];
            chunk.health[row as usize] = watched.masks[k];
            chunk.fresh[row as usize] = OutputSet::NONE;
        }
        let wanted = self.after_step(job.kept);
        if !self.remembers() {
            self.look_around(scratch, wanted, index.len());
        }
        self.store_outputs(scratch, wanted, index, chunk);
        self.forget_results_before_reset(chunk, index, job, watched.just_reset);
    }

    /// The basis of a single step is the state itself.
    fn enter_first_basis(&self, chunk: &mut Chunk<S>, index: &[u32]) {
        for &row in index {
            let row = row as usize;
            chunk.basis.copy(row, &chunk.state, row);
            chunk.basis_time[row] = chunk.time[row];
        }
    }

    /// Enters the bases into the history, if one is kept.
    fn enter_history(&self, chunk: &mut Chunk<S>, index: &[u32]) {
        let Some(history) = &mut chunk.history else { return };
        for &row in index {
            let row = row as usize;
            history.enter(row, chunk.basis.row(row), chunk.basis_time[row]);
        }
    }

    /// Puts the stopped lanes back to where their step started, or to the reference state, and leaves the others as they are.
    fn settle(&self, chunk: &mut Chunk<S>, index: &[u32], job: &Job<S>, stopped: u32, scratch: &mut Scratch<L>) {
        self.store_state(scratch, index, chunk);
        for (k, &row) in index.iter().enumerate() {
            if stopped >> k & 1 == 0 {
                continue;
            }
            let row = row as usize;
            if job.watch.policy == Policy::Reset {
                chunk.state.write(row, job.reference);
                chunk.time[row] = 0.0;
            } else {
                chunk.state.copy(row, &chunk.basis, row);
                chunk.time[row] = chunk.basis_time[row];
            }
        }
        self.load_state(chunk, index, scratch);
    }

    /// Results of worlds that the last step reset describe the reference state, and are computed when they are asked for.
    fn forget_results_before_reset(&self, chunk: &mut Chunk<S>, index: &[u32], job: &Job<S>, reset: u32) {
        for (_, &row) in index.iter().enumerate().filter(|(k, _)| reset >> k & 1 != 0) {
            let row = row as usize;
            chunk.basis.write(row, job.reference);
            chunk.basis_time[row] = 0.0;
            chunk.fresh[row] = OutputSet::NONE;
        }
    }
}

/// What was found in the worlds of a group so far.
struct Watched {
    masks: [u32; MAX_LANES],
    /// Lanes that must not go on, one bit each.
    stopped: u32,
    /// Lanes that the last step of the call reset.
    just_reset: u32,
}

impl Watched {
    /// Worlds that were frozen before stay so.
    fn new<S>(chunk: &Chunk<S>, index: &[u32], watch: &Watch) -> Self {
        let (mut masks, mut stopped) = ([0; MAX_LANES], 0);
        for (k, &row) in index.iter().enumerate() {
            let before = chunk.health[row as usize];
            if watch.policy.holds() && watch.stops(before) {
                masks[k] = before;
                stopped |= 1 << k;
            }
        }
        Self {
            masks,
            stopped,
            just_reset: 0,
        }
    }

    /// Adds the findings of a step; those of frozen worlds are told already.
    fn note(&mut self, findings: &health::Findings, live: usize, watch: &Watch) {
        if findings.iter().all(|lanes| *lanes == 0) {
            return;
        }
        let frozen = self.stopped;
        for k in (0..live).filter(|k| frozen >> k & 1 == 0) {
            let mask = health::of_lane(findings, k);
            self.masks[k] |= mask;
            self.stopped |= u32::from(watch.stops(mask)) << k;
        }
    }

    /// Lets worlds that have been reset go on.
    fn restart(&mut self, last: bool) {
        self.just_reset = if last { self.stopped } else { 0 };
        self.stopped = 0;
    }
}

impl<L: Kernels + GroupKernels, S: Real> Engine<S> for LaneEngine<L, S> {
    fn lanes(&self) -> usize {
        L::COUNT
    }

    fn step(&self, chunk: &mut Chunk<S>, overrides: &Overrides<S>, job: &Job<S>) {
        let mut scratch = self.scratch();
        let order = Order::by(chunk.touching);
        let mut groups = order.groups(L::COUNT).peekable();
        while let Some(index) = groups.next() {
            if let Some(next) = groups.peek() {
                chunk.fetch_ahead(next);
            }
            self.load_params(chunk.first, index, overrides, &mut scratch);
            self.step_group(chunk, index, job, &mut scratch);
        }
        self.give_back(scratch);
    }

    fn derive(&self, chunk: &mut Chunk<S>, overrides: &Overrides<S>, wanted: OutputSet) {
        let Some(stage) = wanted.stage() else { return };
        let mut scratch = self.scratch();
        let order = Order::by(chunk.touching);
        for index in order.groups(L::COUNT) {
            self.load_params(chunk.first, index, overrides, &mut scratch);
            self.load_basis(chunk, index, &mut scratch);
            let Scratch { data, params, .. } = &mut *scratch;
            match stage {
                Stage::Acceleration => forward_with_sensors(&self.tables, params, data),
                Stage::Velocity => {
                    L::position(&self.tables, params, data);
                    L::velocity(&self.tables, params, data);
                }
                Stage::Position => L::position(&self.tables, params, data),
            }
            self.look_around(&mut scratch, wanted, index.len());
            self.store_outputs(&mut scratch, wanted, index, chunk);
        }
        self.give_back(scratch);
    }

    fn inspect(&self, chunk: &Chunk<S>, overrides: &Overrides<S>) -> Vec<low::Array> {
        let mut scratch = self.scratch();
        self.load_params(chunk.first, &[0], overrides, &mut scratch);
        self.load_basis(chunk, &[0], &mut scratch);
        let Scratch { data, params, .. } = &mut *scratch;
        forward_with_sensors(&self.tables, params, data);
        if let Some(perception) = &self.perception {
            perception.read(&self.tables, params, data, 1);
        }
        let arrays = low::of_lane(&self.model, &self.tables, params, data, 0);
        self.give_back(scratch);
        arrays
    }
}
