//! Threads. Only this module starts any.
//!
//! The pool starts with the first call that can use it, and again in a process that was forked off: threads do not survive a fork,
//! so the pool a child inherits is only memory.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

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
/// The pool in use. Pools are never freed: there is one per process, and a forked child must not touch its parent's.
static POOL: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());

/// Threads, and the process they run in.
struct Pool {
    process: u32,
    /// None when one thread is all there is.
    threads: Option<ThreadPool>,
}

/// Sets the number of threads of the pool. Fails once the pool has started.
pub fn set_default_threads(count: usize) -> Result<(), PoolStarted> {
    if started().is_some() {
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

/// The pool of this process, if it has started.
fn started() -> Option<&'static Pool> {
    // SAFETY: the pointer is null or came from `Box::leak`, so that what it points to is never freed nor changed.
    let pool = unsafe { POOL.load(Ordering::Acquire).as_ref() };
    pool.filter(|pool| pool.process == std::process::id())
}

/// The threads, or none when one is all there is.
fn running() -> Option<&'static ThreadPool> {
    if let Some(pool) = started() {
        return pool.threads.as_ref();
    }
    // Two threads may both come here; the first to publish wins, the other's pool idles. A lock would be simpler, but a child forked
    // while it is held would wait for ever.
    let inherited = POOL.load(Ordering::Acquire);
    let pool = Box::leak(Box::new(Pool::start()));
    let published = POOL.compare_exchange(inherited, pool, Ordering::AcqRel, Ordering::Acquire);
    match published {
        Ok(_) => pool.threads.as_ref(),
        Err(_) => started().and_then(|pool| pool.threads.as_ref()),
    }
}

impl Pool {
    fn start() -> Self {
        let asked = DEFAULT_THREADS.load(Ordering::Relaxed);
        let count = if asked == 0 {
            std::thread::available_parallelism().map_or(1, usize::from)
        } else {
            asked
        };
        let build = || {
            let builder = ThreadPoolBuilder::new().num_threads(count);
            builder.thread_name(|i| format!("motrix-{i}")).build().ok()
        };
        Self {
            process: std::process::id(),
            // Without a pool the work runs on the calling thread, which is slower but right.
            threads: (count > 1).then(build).flatten(),
        }
    }
}

/// How many threads a call will run on.
///
/// A call from inside a pool of the process, ours or another, stays on the thread it came from: that pool has shared out the cores.
pub fn parallelism(threads: Threads) -> usize {
    match (running(), threads) {
        (None, _) => 1,
        (Some(_), _) if rayon::current_thread_index().is_some() => 1,
        (Some(pool), Threads::Pool) => pool.current_num_threads(),
        (Some(pool), Threads::AtMost(n)) => n.clamp(1, pool.current_num_threads()),
    }
}

/// Runs `work` on every item, on the pool's threads when there are several items.
///
/// Which thread takes which item is left to the pool; results must not depend on it.
pub fn for_each<T: Send>(items: &mut [T], threads: Threads, work: impl Fn(&mut T) + Sync) {
    let parts = parallelism(threads);
    match running() {
        Some(pool) if items.len() > 1 && parts > 1 => {
            use rayon::prelude::*;
            // With fewer threads than the pool has, as many parts as threads are allowed keep to the limit.
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Mutex;

    use super::*;

    /// The threads on which `count` items were worked on.
    fn workers(count: usize, threads: Threads) -> usize {
        let seen = Mutex::new(HashSet::new());
        for_each(&mut vec![(); count], threads, |()| {
            seen.lock()
                .expect("no worker panics")
                .insert(std::thread::current().id());
            std::thread::sleep(std::time::Duration::from_millis(1));
        });
        seen.into_inner().expect("no worker panics").len()
    }

    #[test]
    fn a_call_keeps_to_its_number_of_threads() {
        assert_eq!(workers(20, Threads::AtMost(1)), 1);
        for limit in 1..4 {
            assert!(workers(20, Threads::AtMost(limit)) <= limit, "{limit} threads allowed");
        }
    }

    #[test]
    fn work_that_is_started_inside_a_pool_stays_on_its_thread() {
        let inside = Mutex::new(Vec::new());
        for_each(&mut [(); 8], Threads::Pool, |()| {
            let on_a_worker = rayon::current_thread_index().is_some();
            let nested = workers(8, Threads::Pool);
            inside.lock().expect("no worker panics").push((on_a_worker, nested));
        });
        let others: Vec<_> = inside.into_inner().expect("no worker panics");
        assert!(
            others.iter().all(|&(on_a_worker, nested)| !on_a_worker || nested == 1),
            "{others:?}"
        );
    }
}
