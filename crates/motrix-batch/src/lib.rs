//! Many worlds of one model.
//!
//! A [`Scene`] is a model ready to run: its options, and an engine per precision that steps groups of worlds in lanes. [`Worlds`]
//! are the states of a batch, one row per world. The scene steps any selection of them: chunks of rows
//! run on the threads of a pool; in each, worlds that touch alike are put into the same lanes, and results go back to their rows. Lanes do not exchange data, so neither the
//! number of threads, nor the batch size, nor the order or choice of worlds changes a bit of any world.
//!
//! What can be computed from a state (poses, velocities, sensors, contacts) is kept only for those who ask: the first question is
//! answered by computing it from the state it belongs to, and from then on it is kept by every step ([`Output`]).

mod chunk;
mod contact;
mod digest;
mod enclosed;
mod engine;
pub mod frame;
mod health;
mod history;
mod kernels;
mod layout;
pub mod low;
mod order;
mod output;
mod overrides;
mod perception;
pub mod pictures;
mod pool;
mod proximity;
mod quaternion;
mod rays;
mod scanner;
mod scene;
mod selection;
mod snapshot;
mod states;
mod tactile;
mod transfer;
mod worlds;

pub use contact::Contact;
pub use health::{Finding, Policy, Watch};
pub use history::History;
pub use layout::Layout;
pub use output::{Output, OutputSet};
pub use overrides::{Overridden, Overrides, WINDOW_WIDTH, window};
pub use pool::{PoolStarted, Threads, for_each, set_default_threads};
pub use proximity::{ProximityAnswer, ProximityQuestion, Warm};
pub use rays::{RayAnswers, RayQuestion};
pub use scene::{Scalar, Scene};
pub use selection::Selection;
pub use snapshot::SnapshotError;
pub use states::Columns;
pub use worlds::Worlds;
