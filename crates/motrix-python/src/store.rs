//! The worlds behind data: shared by all views of them, in one of two precisions, one thread at a time.
//!
//! A thread that has to wait for another one's step gives up the interpreter meanwhile, and the stepping thread never asks for the
//! interpreter while it holds the worlds, so that neither can wait for the other for ever.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use motrix_batch::{Output, Scene, Threads, Worlds};
use motrix_model::Model;
use motrix_spatial::LaneError;
use pyo3::prelude::*;

use crate::selection::Pick;

/// Worlds in the precision they were made with.
#[derive(Clone)]
pub enum Batch {
    /// Rows of `f32`.
    Single(Worlds<f32>),
    /// Rows of `f64`.
    Double(Worlds<f64>),
}

/// Runs the same code for either precision, whose scalar is `E` in it: `each!(batch, worlds => ...)`.
#[macro_export]
macro_rules! each {
    ($batch:expr, $worlds:ident => $body:expr) => {
        match &mut *$batch {
            $crate::store::Batch::Single($worlds) => {
                #[allow(dead_code)]
                type E = f32;
                $body
            }
            $crate::store::Batch::Double($worlds) => {
                #[allow(dead_code)]
                type E = f64;
                $body
            }
        }
    };
}

/// Worlds that several views share.
pub struct Store {
    batch: Mutex<Batch>,
    /// Number of worlds.
    pub count: usize,
    /// Whether the worlds are kept in `f64`.
    pub double: bool,
    /// Nanoseconds that a step took lately; 0 as long as none was made.
    pace: AtomicU64,
}

impl Store {
    /// Shares worlds.
    pub fn new(batch: Batch) -> Arc<Self> {
        let (count, double) = match &batch {
            Batch::Single(worlds) => (worlds.count(), false),
            Batch::Double(worlds) => (worlds.count(), true),
        };
        Arc::new(Self {
            batch: Mutex::new(batch),
            count,
            double,
            pace: AtomicU64::new(0),
        })
    }

    /// Fresh worlds.
    pub fn fresh(model: &Arc<Model>, count: usize, double: bool) -> Arc<Self> {
        Self::new(if double {
            Batch::Double(Worlds::new(Arc::clone(model), count))
        } else {
            Batch::Single(Worlds::new(Arc::clone(model), count))
        })
    }

    /// The worlds, once no other thread uses them.
    pub fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Batch> {
        loop {
            match self.batch.try_lock() {
                Ok(batch) => return batch,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => py.detach(|| drop(self.wait())),
            }
        }
    }

    fn wait(&self) -> MutexGuard<'_, Batch> {
        self.batch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many steps take about `time`, going by the last ones; at least one.
    pub fn steps_within(&self, time: Duration) -> usize {
        let nanoseconds = time.as_nanos() as u64;
        nanoseconds
            .checked_div(self.pace.load(Ordering::Relaxed))
            .unwrap_or(1)
            .max(1) as usize
    }

    /// Remembers how long steps took.
    pub fn took(&self, time: Duration, steps: usize) {
        let nanoseconds = (time.as_nanos() as u64 / steps.max(1) as u64).max(1);
        self.pace.store(nanoseconds, Ordering::Relaxed);
    }

    /// Works on the worlds without the interpreter.
    pub fn detached<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Batch) -> T + Send) -> T {
        py.detach(|| work(&mut self.wait()))
    }

    /// Advances the picked worlds, without the interpreter.
    pub fn step(
        &self,
        py: Python<'_>,
        scene: &Scene,
        pick: &Pick,
        count: usize,
        threads: Threads,
    ) -> Result<(), LaneError> {
        self.detached(
            py,
            |batch| each!(batch, worlds => scene.step(worlds, pick.selection(self.count), count, threads)),
        )
    }

    /// The worlds, with a kind of result up to date in the picked ones.
    pub fn with_output<'s>(
        &'s self,
        py: Python<'_>,
        scene: &Scene,
        pick: &Pick,
        output: Output,
    ) -> Result<MutexGuard<'s, Batch>, LaneError> {
        self.detached(
            py,
            |batch| each!(batch, worlds => scene.ensure(worlds, pick.selection(self.count), output, Threads::Pool)),
        )?;
        Ok(self.lock(py))
    }
}
