//! Threads. Only this module starts any.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// How many threads a call may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// The pool's own number.
    #[default]
    Pool,
    /// At most this many.
    AtMost(usize),
}

/// Threads of the pool when it is first used; 0 stands for one per core.
static DEFAULT_THREADS: AtomicUsize = AtomicUsize::new(0);
static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();

/// Sets the number of threads of the pool. Fails once the pool has started.
pub fn set_default_threads(count: usize) -> Result<(), PoolStarted> {
    if POOL.get().is_some() {
        return Err(PoolStarted);
    }
    DEFAULT_THREADS.store(count, Ordering::Relaxed);
    Ok(())
}

/// The pool runs already, so its size is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolStarted;

impl std::fmt::Display for PoolStarted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the thread pool has already started; set the number of threads before the first step")
    }
}

impl std::error::Error for PoolStarted {}

/// The pool, or none when one thread is all there is.
fn pool() -> Option<&'static ThreadPool> {
    POOL.get_or_init(|| {
        let asked = DEFAULT_THREADS.load(Ordering::Relaxed);
        let count = if asked == 0 {
            std::thread::available_parallelism().map_or(1, usize::from)
        } else {
            asked
        };
        // Without a pool the work runs on the calling thread, which is slower but right.
        (count > 1)
            .then(|| {
                ThreadPoolBuilder::new()
                    .num_threads(count)
                    .thread_name(|i| format!("motrix-{i}"))
                    .build()
                    .ok()
            })
            .flatten()
    })
    .as_ref()
}

/// Runs `work` on every item, on the pool's threads when there are several items.
///
/// Which thread takes which item is left to the pool; results must not depend on it.
pub fn for_each<T: Send>(items: &mut [T], threads: Threads, work: impl Fn(&mut T) + Sync) {
    let limit = match threads {
        Threads::Pool => usize::MAX,
        Threads::AtMost(n) => n.max(1),
    };
    match pool() {
        Some(pool) if items.len() > 1 && limit > 1 => {
            use rayon::prelude::*;
            // A few items per task keep the hand-over cheap; fewer tasks than threads allowed keep to the limit.
            let parts = limit.min(pool.current_num_threads());
            let size = if parts < pool.current_num_threads() {
                items.len().div_ceil(parts)
            } else {
                1
            };
            pool.install(|| {
                items
                    .par_chunks_mut(size)
                    .for_each(|part| part.iter_mut().for_each(&work))
            });
        }
        _ => items.iter_mut().for_each(work),
    }
}
