//! CPU time of the calling thread, which other programs on a busy machine lengthen far less than they lengthen wall time.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// How often a piece of work is repeated; the fastest repetition counts, the others were disturbed.
const REPETITIONS: usize = 9;

/// The least CPU time of several repetitions of `work`, after one that warms caches up.
pub fn fastest(mut work: impl FnMut()) -> Duration {
    work();
    (0..REPETITIONS)
        .map(|_| {
            let start = now();
            work();
            now() - start
        })
        .min()
        .unwrap_or_default()
}

/// Times one piece of work after the other.
pub struct Lap(Duration);

impl Lap {
    /// Starts now.
    pub fn start() -> Self {
        Self(now())
    }

    /// Nanoseconds since the start or the last lap.
    pub fn lap(&mut self) -> f64 {
        let before = std::mem::replace(&mut self.0, now());
        (self.0 - before).as_nanos() as f64
    }
}

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // The clock starts at zero with the thread, so neither field is negative.
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}
