//! The states of a batch.

use std::ops::Range;
use std::sync::Arc;

use motrix_dynamics::delay::DelayTable;
use motrix_model::Model;
use motrix_spatial::Real;

use crate::contact::Contact;
use crate::digest;
use crate::health::Watch;
use crate::history::History;
use crate::layout::Layout;
use crate::output::{Output, OutputSet};
use crate::overrides::Overrides;
use crate::quaternion;
use crate::selection::Selection;
use crate::states::{Columns, States};

/// A batch of worlds of one model.
///
/// A world has a *state*, which the user writes and a step advances, and a *basis*: the state that poses, velocities, sensors and
/// contacts describe. After a step the basis is the state at its start, as in MuJoCo; [`Worlds::rebase`] makes it the current one.
#[derive(Clone, Debug)]
pub struct Worlds<E> {
    model: Arc<Model>,
    layout: Arc<Layout>,
    /// The state every world starts in.
    reference: Arc<[E]>,
    count: usize,
    pub(crate) state: States<Vec<E>>,
    pub(crate) time: Vec<f64>,
    pub(crate) basis: States<Vec<E>>,
    pub(crate) basis_time: Vec<f64>,
    /// Kept results by kind; empty until asked for.
    pub(crate) outputs: [Vec<E>; Output::ALL.len()],
    pub(crate) contacts: Vec<Vec<Contact<E>>>,
    /// Kinds that every step keeps.
    pub(crate) kept: OutputSet,
    /// Kinds that are up to date in each world.
    pub(crate) fresh: Vec<OutputSet>,
    /// What was noticed in the last steps of each world, a mask of [`crate::Finding`] bits.
    pub(crate) health: Vec<u32>,
    /// What touched in the last step of each world; decides only which worlds share lanes.
    pub(crate) touching: Vec<u64>,
    /// The last states; none when they are not recorded.
    pub(crate) history: Option<History<E>>,
    /// What steps look for.
    pub watch: Watch,
    /// Parameters that differ from the model's.
    pub overrides: Overrides<E>,
}

impl<E: Real> Worlds<E> {
    /// `count` worlds in the model's reference state.
    pub fn new(model: Arc<Model>, count: usize) -> Self {
        let layout = Layout::new(&model);
        let reference: Arc<[E]> = reference_row(&model, &layout).into();
        let state = States::repeated(&layout, &reference, count);
        Self {
            basis: state.clone(),
            state,
            time: vec![0.0; count],
            basis_time: vec![0.0; count],
            outputs: Default::default(),
            contacts: Vec::new(),
            kept: OutputSet::NONE,
            fresh: vec![OutputSet::NONE; count],
            health: vec![0; count],
            touching: vec![0; count],
            history: None,
            watch: Watch::new(&model),
            overrides: Overrides::new(&model, count),
            count,
            layout: Arc::new(layout),
            reference,
            model,
        }
    }

    /// Number of worlds.
    pub fn count(&self) -> usize {
        self.count
    }
    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
    /// Where each part of a state stands in its row.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
    /// The state every world starts in.
    pub(crate) fn reference(&self) -> Arc<[E]> {
        Arc::clone(&self.reference)
    }
    /// A copy of the state of a world, in one row.
    pub fn row(&self, world: usize) -> Vec<E> {
        self.state.row(world).concat()
    }
    /// Some columns of the state of a world. They must be positions, velocities, or among all else.
    pub fn numbers(&self, world: usize, columns: Range<usize>) -> &[E] {
        self.state.numbers(world, columns)
    }
    /// Some columns of the state of a world, to write. They must be positions, velocities, or among all else.
    pub fn numbers_mut(&mut self, world: usize, columns: Range<usize>) -> &mut [E] {
        if columns.start < self.layout.qpos.end {
            // Also where what is written is what was there: nothing of the past is left of a configuration that was set.
            self.state
                .numbers_mut(world, self.layout.residue.clone())
                .fill(E::default());
        }
        self.state.numbers_mut(world, columns)
    }
    /// Some columns of all states, which must be positions, velocities, or among all else; they stay where they are in memory for
    /// as long as the worlds exist.
    pub fn columns(&self, columns: &Range<usize>) -> Columns<'_, E> {
        self.state.columns(columns)
    }
    /// Seconds since the start of a world.
    pub fn time(&self, world: usize) -> f64 {
        self.time[world]
    }
    /// Sets the clock of a world.
    pub fn set_time(&mut self, world: usize, seconds: f64) {
        self.time[world] = seconds;
    }

    /// What was noticed in the last steps of a world, a mask of [`crate::Finding`] bits. A frozen world keeps it.
    pub fn health(&self, world: usize) -> u32 {
        self.health[world]
    }

    /// Adds to what was noticed in the last steps of a world.
    pub fn note(&mut self, world: usize, findings: u32) {
        self.health[world] |= findings;
    }

    /// Keeps the last `depth` states of every world from now on, beginning with none; 0 keeps nothing.
    pub fn keep_history(&mut self, depth: usize) {
        self.history = (depth > 0).then(|| History::new(depth, self.layout.len, self.count));
    }

    /// The last states of every world, if they are kept.
    pub fn history(&self) -> Option<&History<E>> {
        self.history.as_ref()
    }

    /// Nothing is known of the past of a world whose state was replaced.
    pub(crate) fn forget_past(&mut self, world: usize) {
        self.health[world] = 0;
        self.fresh[world] = OutputSet::NONE;
        if let Some(history) = &mut self.history {
            history.forget(world);
        }
    }

    /// Makes the current state the one that poses, velocities, sensors and contacts describe.
    pub fn rebase(&mut self, selection: Selection) {
        for world in selection.iter(self.count) {
            self.basis.copy(world, &self.state, world);
            self.basis_time[world] = self.time[world];
            self.fresh[world] = OutputSet::NONE;
        }
    }

    /// Places a mocap body, orientation `i j k w`. Results show it at once: it stands where it is put, whatever the rest does.
    pub fn place_mocap(&mut self, world: usize, mocap: usize, position: [E; 3], orientation: [E; 4]) {
        let p = self.layout.mocap_position.start + 3 * mocap;
        let q = self.layout.mocap_orientation.start + 4 * mocap;
        for states in [&mut self.state, &mut self.basis] {
            states.numbers_mut(world, p..p + 3).copy_from_slice(&position);
            states.numbers_mut(world, q..q + 4).copy_from_slice(&orientation);
        }
        self.fresh[world] = OutputSet::NONE;
    }

    /// Puts worlds back into the model's reference state: nothing of the past survives but, if asked for, the overrides.
    pub fn reset(&mut self, selection: Selection, keep_overrides: bool) {
        let reference = self.reference();
        for world in selection.iter(self.count) {
            self.state.write(world, &reference);
            self.time[world] = 0.0;
            self.forget_past(world);
        }
        if !keep_overrides {
            self.overrides.clear(selection);
        }
        self.rebase(selection);
    }

    /// Fingerprint of all that a world's future depends on: its state, its clock and its overrides.
    pub fn digest(&self, world: usize) -> u64 {
        let mut digest = digest::of_state(self.state.row(world).into_iter().flatten(), self.time[world]);
        if self.overrides.any() {
            self.overrides.fold(world, &mut digest);
        }
        digest.finish()
    }

    /// Starts to keep a kind of result.
    pub(crate) fn keep(&mut self, output: Output) {
        if self.kept.has(output) {
            return;
        }
        self.kept = self.kept.with(output.bit());
        self.outputs[output as usize] = vec![E::default(); self.count * output.width(&self.model)];
        if output == Output::Contacts {
            self.contacts = vec![Vec::new(); self.count];
        }
    }

    /// Whether a kind of result is up to date in all selected worlds.
    pub fn has_fresh(&self, selection: Selection, output: Output) -> bool {
        match selection {
            Selection::All => self.fresh.iter().all(|fresh| fresh.has(output)),
            Selection::Rows(rows) => rows.iter().all(|&world| self.fresh[world as usize].has(output)),
        }
    }

    /// All rows of a kind of result, once it is kept; they stay where they are in memory.
    pub fn output_rows(&self, output: Output) -> Option<&[E]> {
        self.kept.has(output).then(|| self.outputs[output as usize].as_slice())
    }

    /// A kept result of a world. Empty when the kind is not kept.
    pub(crate) fn output(&self, output: Output, world: usize) -> &[E] {
        let width = output.width(&self.model);
        &self.outputs[output as usize][world * width..(world + 1) * width]
    }

    /// Keeps no results, as fresh worlds do.
    pub(crate) fn forget_results(&mut self) {
        self.kept = OutputSet::NONE;
        self.outputs = Default::default();
        self.contacts = Vec::new();
        self.fresh.fill(OutputSet::NONE);
    }

    /// An empty batch of the same model.
    pub(crate) fn like(&self) -> Self {
        Self {
            model: Arc::clone(&self.model),
            layout: Arc::clone(&self.layout),
            reference: self.reference(),
            count: 0,
            state: States::none(&self.layout),
            time: Vec::new(),
            basis: States::none(&self.layout),
            basis_time: Vec::new(),
            outputs: Default::default(),
            contacts: Vec::new(),
            kept: OutputSet::NONE,
            fresh: Vec::new(),
            health: Vec::new(),
            touching: Vec::new(),
            history: None,
            watch: self.watch,
            overrides: self.overrides.like(),
        }
    }

    /// Copies the selected worlds of `self` into `to`, whose rows are then exactly those.
    pub(crate) fn gather(&self, selection: Selection, to: &mut Worlds<E>) {
        let count = selection.len(self.count);
        to.count = count;
        to.kept = self.kept;
        to.state.clear();
        to.basis.clear();
        to.time.clear();
        to.basis_time.clear();
        to.fresh.clear();
        to.health.clear();
        to.touching.clear();
        to.watch = self.watch;
        to.history = self.history.as_ref().map(|h| h.gather(selection.iter(self.count)));
        for world in selection.iter(self.count) {
            to.state.push(&self.state, world);
            to.basis.push(&self.basis, world);
            to.time.push(self.time[world]);
            to.basis_time.push(self.basis_time[world]);
            to.fresh.push(self.fresh[world]);
            to.health.push(self.health[world]);
            to.touching.push(self.touching[world]);
        }
        for output in Output::ALL {
            let width = if self.kept.has(output) {
                output.width(&self.model)
            } else {
                0
            };
            to.outputs[output as usize].clear();
            to.outputs[output as usize].resize(count * width, E::default());
        }
        let contacts = if self.kept.has(Output::Contacts) { count } else { 0 };
        to.contacts.resize(contacts, Vec::new());
        self.overrides.gather(selection, &mut to.overrides);
    }

    /// Copies worlds back after [`Worlds::gather`]; results only where they were computed.
    pub(crate) fn scatter(&mut self, selection: Selection, from: &mut Worlds<E>) {
        if let (Some(history), Some(from)) = (&mut self.history, &from.history) {
            history.scatter(selection.iter(self.count), from);
        }
        for (k, world) in selection.iter(self.count).enumerate() {
            self.state.copy(world, &from.state, k);
            self.basis.copy(world, &from.basis, k);
            self.time[world] = from.time[k];
            self.basis_time[world] = from.basis_time[k];
            self.fresh[world] = from.fresh[k];
            self.health[world] = from.health[k];
            self.touching[world] = from.touching[k];
            for output in Output::ALL
                .into_iter()
                .filter(|o| self.kept.has(*o) && from.fresh[k].has(*o))
            {
                let width = output.width(&self.model);
                self.outputs[output as usize][world * width..(world + 1) * width]
                    .copy_from_slice(&from.outputs[output as usize][k * width..(k + 1) * width]);
                if output == Output::Contacts {
                    std::mem::swap(&mut self.contacts[world], &mut from.contacts[k]);
                }
            }
        }
    }
}

/// The state every world starts in.
fn reference_row<E: Real>(model: &Model, layout: &Layout) -> Vec<E> {
    let mut row = vec![E::default(); layout.len];
    let one = E::from_f64(1.0);
    for (x, q) in row[layout.qpos.clone()].iter_mut().zip(&model.qpos0) {
        *x = E::from_f64(*q);
    }
    for (m, body) in model.bodies.iter().filter_map(|b| b.mocap.map(|m| (m, b))) {
        let (p, q) = (
            layout.mocap_position.start + 3 * m,
            layout.mocap_orientation.start + 4 * m,
        );
        row[p..p + 3].copy_from_slice(&body.position.map(E::from_f64));
        row[q..q + 4].copy_from_slice(&body.orientation.map(E::from_f64));
    }
    for (x, rest) in row[layout.plastic.clone()].iter_mut().zip(model.spring_rests()) {
        *x = E::from_f64(rest);
    }
    let delays = DelayTable::new(model).initial(model.options.timestep);
    row[layout.history.clone()].copy_from_slice(&delays);
    quaternion::into_rows(&layout.quaternions, &mut row);
    for (x, equality) in row[layout.equality_active.clone()].iter_mut().zip(&model.equalities) {
        *x = if equality.active { one } else { E::default() };
    }
    row
}
