//! Time per pair of shapes, over the poses of a file that `tests/golden/contacts.py` writes.
//!
//!     cargo run --release -p motrix-collide --example pairs [file]
//!
//! Each pose is collided many times; the least time of several rounds is reported, with a sum of the distances so that a
//! faster wrong answer is visible.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

#[path = "../tests/golden_file/mod.rs"]
#[expect(dead_code, reason = "timing needs the poses, not what was recorded there")]
mod golden_file;

use golden_file::GoldenFile;
use motrix_collide::{Manifold, Scratch, Settings, collide};

const ROUNDS: usize = 15;
const REPEATS: usize = 10;

#[derive(Default)]
struct Cost {
    nanoseconds: f64,
    poses: usize,
    contacts: usize,
    distances: f64,
}

fn main() {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/contacts.txt");
    let path = std::env::args().nth(1).unwrap_or_else(|| default.to_string());
    let file = GoldenFile::read(&path);
    let settings = Settings::default();
    let mut scratch = Scratch::new();
    let mut out = Manifold::new();
    let mut costs: BTreeMap<&str, Cost> = BTreeMap::new();
    for pair in &file.pairs {
        let placed: Vec<_> = pair.cases.iter().map(|case| pair.placed(case, &file.hulls)).collect();
        let cost = costs.entry(&pair.name).or_default();
        cost.poses += placed.len();
        for [a, b] in &placed {
            collide(a, b, pair.margin, &settings, &mut scratch, &mut out);
            cost.contacts += out.len();
            cost.distances += out.iter().map(|contact| contact.distance).sum::<f64>();
        }
        let mut round = || {
            let start = Instant::now();
            for _ in 0..REPEATS {
                for [a, b] in &placed {
                    collide(
                        black_box(a),
                        black_box(b),
                        pair.margin,
                        &settings,
                        &mut scratch,
                        &mut out,
                    );
                    black_box(&out);
                }
            }
            start.elapsed().as_secs_f64() * 1e9 / REPEATS as f64
        };
        cost.nanoseconds += (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min);
    }
    for (name, cost) in &costs {
        let per_pose = |x: f64| x / cost.poses as f64;
        println!(
            "{name:22} {:8.1} ns  ({:.2} contacts, distances {:.9})",
            per_pose(cost.nanoseconds),
            per_pose(cost.contacts as f64),
            cost.distances
        );
    }
}
