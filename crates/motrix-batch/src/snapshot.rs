//! Everything that distinguishes worlds from fresh ones, as plain numbers that can be kept, sent and put back.

use std::sync::Arc;

use motrix_model::Model;
use motrix_spatial::Real;

use crate::selection::Selection;
use crate::worlds::Worlds;

/// The past of a batch of worlds: what a copy needs to continue bit for bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot<E> {
    /// States, row by row.
    pub state: Vec<E>,
    /// Clocks.
    pub time: Vec<f64>,
    /// States that results describe, row by row.
    pub basis: Vec<E>,
    /// Clocks of those.
    pub basis_time: Vec<f64>,
    /// Rows of each overridden parameter, in the order of [`crate::Overridden::ALL`]; empty where nothing is overridden.
    pub overrides: Vec<Vec<E>>,
}

/// A snapshot of another model, or a damaged one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotMismatch;

impl std::fmt::Display for SnapshotMismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the snapshot does not fit the model")
    }
}

impl std::error::Error for SnapshotMismatch {}

impl<E: Real> Worlds<E> {
    /// The past of the selected worlds.
    pub fn snapshot(&self, selection: Selection) -> Snapshot<E> {
        let worlds = self.select(selection);
        Snapshot {
            overrides: worlds.overrides.into_rows(),
            state: worlds.state,
            time: worlds.time,
            basis: worlds.basis,
            basis_time: worlds.basis_time,
        }
    }

    /// Worlds that continue where the snapshot was taken.
    pub fn restore(model: Arc<Model>, snapshot: Snapshot<E>) -> Result<Self, SnapshotMismatch> {
        let count = snapshot.time.len();
        let mut worlds = Self::new(model, count);
        let numbers = count * worlds.layout().len;
        let fits = snapshot.state.len() == numbers
            && snapshot.basis.len() == numbers
            && snapshot.basis_time.len() == count
            && worlds.overrides.set_rows(snapshot.overrides);
        if !fits {
            return Err(SnapshotMismatch);
        }
        worlds.state = snapshot.state;
        worlds.time = snapshot.time;
        worlds.basis = snapshot.basis;
        worlds.basis_time = snapshot.basis_time;
        Ok(worlds)
    }

    /// Worlds of their own that begin as the selected ones are.
    pub fn select(&self, selection: Selection) -> Self {
        let mut worlds = self.like();
        self.gather(selection, &mut worlds);
        worlds.forget_results();
        worlds
    }
}
