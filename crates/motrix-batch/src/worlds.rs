//! The states of a batch.

use std::sync::Arc;

use motrix_model::Model;
use motrix_spatial::Real;

use crate::contact::Contact;
use crate::digest;
use crate::engine::Group;
use crate::layout::Layout;
use crate::output::{Output, OutputSet};
use crate::overrides::Overrides;
use crate::quaternion;
use crate::selection::Selection;

/// A batch of worlds of one model.
///
/// A world has a *state*, which the user writes and a step advances, and a *basis*: the state that poses, velocities, sensors and
/// contacts describe. After a step the basis is the state at its start, as in MuJoCo; [`Worlds::rebase`] makes it the current one.
#[derive(Clone, Debug)]
pub struct Worlds<E> {
    model: Arc<Model>,
    layout: Layout,
    count: usize,
    pub(crate) state: Vec<E>,
    pub(crate) time: Vec<f64>,
    pub(crate) basis: Vec<E>,
    pub(crate) basis_time: Vec<f64>,
    /// Kept results by kind; empty until asked for.
    pub(crate) outputs: [Vec<E>; Output::ALL.len()],
    pub(crate) contacts: Vec<Vec<Contact<E>>>,
    /// Kinds that every step keeps.
    pub(crate) kept: OutputSet,
    /// Kinds that are up to date in each world.
    pub(crate) fresh: Vec<OutputSet>,
    /// Parameters that differ from the model's.
    pub overrides: Overrides<E>,
}

impl<E: Real> Worlds<E> {
    /// `count` worlds in the model's reference state.
    pub fn new(model: Arc<Model>, count: usize) -> Self {
        let layout = Layout::new(&model);
        let row = reference_row(&model, &layout);
        let state: Vec<E> = row.iter().copied().cycle().take(count * layout.len).collect();
        Self {
            basis: state.clone(),
            state,
            time: vec![0.0; count],
            basis_time: vec![0.0; count],
            outputs: Default::default(),
            contacts: Vec::new(),
            kept: OutputSet::NONE,
            fresh: vec![OutputSet::NONE; count],
            overrides: Overrides::new(&model, count),
            count,
            layout,
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
    /// The state of a world.
    pub fn row(&self, world: usize) -> &[E] {
        &self.state[world * self.layout.len..(world + 1) * self.layout.len]
    }
    /// The state of a world, to write.
    pub fn row_mut(&mut self, world: usize) -> &mut [E] {
        &mut self.state[world * self.layout.len..(world + 1) * self.layout.len]
    }
    /// All states, row by row; they stay where they are in memory for as long as the worlds exist.
    pub fn rows_mut(&mut self) -> &mut [E] {
        &mut self.state
    }
    /// Seconds since the start of a world.
    pub fn time(&self, world: usize) -> f64 {
        self.time[world]
    }
    /// Sets the clock of a world.
    pub fn set_time(&mut self, world: usize, seconds: f64) {
        self.time[world] = seconds;
    }

    /// Makes the current state the one that poses, velocities, sensors and contacts describe.
    pub fn rebase(&mut self, selection: Selection) {
        let n = self.layout.len;
        for world in selection.iter(self.count) {
            let range = world * n..(world + 1) * n;
            self.basis[range.clone()].copy_from_slice(&self.state[range]);
            self.basis_time[world] = self.time[world];
            self.fresh[world] = OutputSet::NONE;
        }
    }

    /// Places a mocap body, orientation `i j k w`. Results show it at once: it stands where it is put, whatever the rest does.
    pub fn place_mocap(&mut self, world: usize, mocap: usize, position: [E; 3], orientation: [E; 4]) {
        let (n, layout) = (self.layout.len, &self.layout);
        let p = world * n + layout.mocap_position.start + 3 * mocap;
        let q = world * n + layout.mocap_orientation.start + 4 * mocap;
        for rows in [&mut self.state, &mut self.basis] {
            rows[p..p + 3].copy_from_slice(&position);
            rows[q..q + 4].copy_from_slice(&orientation);
        }
        self.fresh[world] = OutputSet::NONE;
    }

    /// Puts worlds back into the model's reference state: nothing of the past survives but, if asked for, the overrides.
    pub fn reset(&mut self, selection: Selection, keep_overrides: bool) {
        let row = reference_row(&self.model, &self.layout);
        for world in selection.iter(self.count) {
            self.row_mut(world).copy_from_slice(&row);
            self.time[world] = 0.0;
        }
        if !keep_overrides {
            self.overrides.clear(selection);
        }
        self.rebase(selection);
    }

    /// Fingerprint of all that a world's future depends on: its state, its clock and its overrides.
    pub fn digest(&self, world: usize) -> u64 {
        let mut digest = digest::of_state(self.row(world), self.time[world]);
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
        Self::new(Arc::clone(&self.model), 0)
    }

    /// The worlds in groups of at most `lanes`, and their overrides.
    pub(crate) fn groups(&mut self, lanes: usize) -> (Vec<Group<'_, E>>, &Overrides<E>) {
        let n = self.layout.len;
        let mut outputs = self.outputs.each_mut().map(Vec::as_mut_slice);
        let mut contacts = self.contacts.as_mut_slice();
        let mut groups = Vec::with_capacity(self.count.div_ceil(lanes));
        let states = self
            .state
            .chunks_mut((lanes * n).max(1))
            .zip(self.basis.chunks_mut((lanes * n).max(1)));
        let times = self.time.chunks_mut(lanes).zip(self.basis_time.chunks_mut(lanes));
        for (k, (((state, basis), (time, basis_time)), fresh)) in
            states.zip(times).zip(self.fresh.chunks_mut(lanes)).enumerate()
        {
            let live = time.len();
            let mut part: [&mut [E]; Output::ALL.len()] = Default::default();
            for output in Output::ALL {
                let width = if self.kept.has(output) {
                    output.width(&self.model)
                } else {
                    0
                };
                let rest = std::mem::take(&mut outputs[output as usize]);
                (part[output as usize], outputs[output as usize]) = rest.split_at_mut(live * width);
            }
            let with_contacts = live.min(contacts.len());
            let (own, rest) = std::mem::take(&mut contacts).split_at_mut(with_contacts);
            contacts = rest;
            groups.push(Group {
                first: k * lanes,
                state,
                time,
                basis,
                basis_time,
                outputs: part,
                contacts: own,
                fresh,
            });
        }
        (groups, &self.overrides)
    }

    /// Copies the selected worlds of `self` into `to`, whose rows are then exactly those.
    pub(crate) fn gather(&self, selection: Selection, to: &mut Worlds<E>) {
        let count = selection.len(self.count);
        let n = self.layout.len;
        to.count = count;
        to.kept = self.kept;
        to.state.clear();
        to.basis.clear();
        to.time.clear();
        to.basis_time.clear();
        to.fresh.clear();
        for world in selection.iter(self.count) {
            to.state.extend_from_slice(&self.state[world * n..(world + 1) * n]);
            to.basis.extend_from_slice(&self.basis[world * n..(world + 1) * n]);
            to.time.push(self.time[world]);
            to.basis_time.push(self.basis_time[world]);
            to.fresh.push(self.fresh[world]);
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
        let n = self.layout.len;
        for (k, world) in selection.iter(self.count).enumerate() {
            self.state[world * n..(world + 1) * n].copy_from_slice(&from.state[k * n..(k + 1) * n]);
            self.basis[world * n..(world + 1) * n].copy_from_slice(&from.basis[k * n..(k + 1) * n]);
            self.time[world] = from.time[k];
            self.basis_time[world] = from.basis_time[k];
            self.fresh[world] = from.fresh[k];
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
    quaternion::into_rows(&layout.quaternions, &mut row);
    for (x, equality) in row[layout.equality_active.clone()].iter_mut().zip(&model.equalities) {
        *x = if equality.active { one } else { E::default() };
    }
    row
}
