//! The worlds behind data: shared by all views of them, in one of two precisions, one thread at a time.
//!
//! Nothing of Python runs while the worlds are locked: arguments are converted before, since an object that converts itself may
//! well read the same data, and a lock waits for itself for ever. A thread that has to wait for another one's step gives up the
//! interpreter meanwhile, and the stepping thread never asks for the interpreter while it holds the worlds, so that neither can wait
//! for the other for ever.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use motrix_batch::{Output, Scalar, Scene, Threads, Worlds};
use motrix_model::Model;
use motrix_spatial::LaneError;
use pyo3::prelude::*;

use crate::selection::Pick;

/// Worlds that one thread uses at a time.
pub struct Locked<E>(Mutex<Worlds<E>>);

impl<E: Scalar> Locked<E> {
    /// The worlds, once no other thread uses them.
    pub fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Worlds<E>> {
        loop {
            match self.0.try_lock() {
                Ok(worlds) => return worlds,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => py.detach(|| drop(self.wait())),
            }
        }
    }

    fn wait(&self) -> MutexGuard<'_, Worlds<E>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The worlds, with a kind of result up to date in the picked ones.
    pub fn results(
        &self,
        py: Python<'_>,
        scene: &Scene,
        pick: &Pick,
        output: Output,
    ) -> Result<MutexGuard<'_, Worlds<E>>, LaneError> {
        let mut worlds = self.lock(py);
        let selection = pick.selection(worlds.count());
        if !worlds.has_fresh(selection, output) {
            let all = &mut *worlds;
            py.detach(|| scene.ensure(all, selection, output, Threads::Pool))?;
        }
        Ok(worlds)
    }
}

/// Worlds in the precision they were made with.
pub enum Batch {
    /// Rows of `f32`.
    Single(Locked<f32>),
    /// Rows of `f64`.
    Double(Locked<f64>),
}

/// Worlds of either precision that nobody else uses now.
pub enum Guard<'a> {
    /// Rows of `f32`.
    Single(MutexGuard<'a, Worlds<f32>>),
    /// Rows of `f64`.
    Double(MutexGuard<'a, Worlds<f64>>),
}

/// Runs the same code for either precision, whose scalar is `E` in it, with the worlds still unlocked, so that arguments can be
/// converted first: `in_precision!(store, worlds => { ...; let mut worlds = worlds.lock(py); ... })`.
#[macro_export]
macro_rules! in_precision {
    ($store:expr, $worlds:ident => $body:expr) => {
        match &$store.batch {
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

/// As [`in_precision!`] for worlds that are locked already: `each!(guard, worlds => ...)`.
#[macro_export]
macro_rules! each {
    ($guard:expr, $worlds:ident => $body:expr) => {
        match &mut $guard {
            $crate::store::Guard::Single($worlds) => {
                #[allow(dead_code)]
                type E = f32;
                let $worlds = &mut **$worlds;
                $body
            }
            $crate::store::Guard::Double($worlds) => {
                #[allow(dead_code)]
                type E = f64;
                let $worlds = &mut **$worlds;
                $body
            }
        }
    };
}

/// Worlds that several views share.
pub struct Store {
    /// The worlds.
    pub batch: Batch,
    /// Number of worlds.
    pub count: usize,
    /// Whether the worlds are kept in `f64`.
    pub double: bool,
    /// Nanoseconds that a step took lately; 0 as long as none was made.
    pace: AtomicU64,
}

impl Store {
    /// Shares worlds of single precision.
    pub fn single(worlds: Worlds<f32>) -> Arc<Self> {
        let count = worlds.count();
        Self::new(Batch::Single(Locked(Mutex::new(worlds))), count, false)
    }

    /// Shares worlds of double precision.
    pub fn double(worlds: Worlds<f64>) -> Arc<Self> {
        let count = worlds.count();
        Self::new(Batch::Double(Locked(Mutex::new(worlds))), count, true)
    }

    fn new(batch: Batch, count: usize, double: bool) -> Arc<Self> {
        Arc::new(Self {
            batch,
            count,
            double,
            pace: AtomicU64::new(0),
        })
    }

    /// Fresh worlds.
    pub fn fresh(model: &Arc<Model>, count: usize, double: bool) -> Arc<Self> {
        if double {
            Self::double(Worlds::new(Arc::clone(model), count))
        } else {
            Self::single(Worlds::new(Arc::clone(model), count))
        }
    }

    /// The worlds, once no other thread uses them.
    pub fn lock(&self, py: Python<'_>) -> Guard<'_> {
        match &self.batch {
            Batch::Single(worlds) => Guard::Single(worlds.lock(py)),
            Batch::Double(worlds) => Guard::Double(worlds.lock(py)),
        }
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
    pub fn detached<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Guard) -> T + Send) -> T {
        py.detach(|| {
            work(&mut match &self.batch {
                Batch::Single(worlds) => Guard::Single(worlds.wait()),
                Batch::Double(worlds) => Guard::Double(worlds.wait()),
            })
        })
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
            |batch| each!(*batch, worlds => scene.step(worlds, pick.selection(self.count), count, threads)),
        )
    }

    /// The worlds, with a kind of result up to date in the picked ones.
    pub fn with_output<'s>(
        &'s self,
        py: Python<'_>,
        scene: &Scene,
        pick: &Pick,
        output: Output,
    ) -> Result<Guard<'s>, LaneError> {
        Ok(match &self.batch {
            Batch::Single(worlds) => Guard::Single(worlds.results(py, scene, pick, output)?),
            Batch::Double(worlds) => Guard::Double(worlds.results(py, scene, pick, output)?),
        })
    }
}
