//! Speeds of the kernels, as Markdown on standard output. Without arguments: the tree of a quadruped, per lane type; see
//! [`step`] for whole steps.
//!
//! Every lane type runs the same source on the same worlds. The hash of the final state stands beside each speed, so that a
//! faster wrong answer is visible: types that fuse products and have the same width must print the same hash.

mod cpu_time;
mod hash;
mod step;
mod tree;

use motrix_spatial::LaneKind;

/// How often each lane type has its turn.
const ROUNDS: usize = 5;

/// What one lane type did.
pub struct Measurement {
    /// Nanoseconds of CPU time for one step of one world.
    pub ns_per_world_step: f64,
    /// Hash of the final state of all worlds.
    pub hash: u64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => trees(),
        ["step", ..] => step::report(&arguments[1..]),
        ["replay", model, contact_model, steps] => match steps.parse() {
            Ok(steps) => step::replay(model, contact_model, steps),
            Err(error) => eprintln!("STEPS: {error}"),
        },
        _ => eprintln!("usage: motrix-benches [step MODEL.. | replay MODEL firm|mujoco STEPS]"),
    }
}

fn trees() {
    print_table(
        "Kinematics, composite inertia, factorisation and solve of a quadruped's 18 dofs",
        tree::measure,
    );
}

/// One row per lane type this processor can run; the scalar `f64` row comes first and is the unit of the others.
fn print_table(title: &str, measure: fn(LaneKind) -> Measurement) {
    println!("**{title}**\n");
    println!("| lanes | ns per world and step | times scalar f64 | state hash |");
    println!("|---|---:|---:|---|");
    let kinds: Vec<LaneKind> = LaneKind::ALL
        .iter()
        .copied()
        .filter(|kind| kind.is_supported())
        .collect();
    let mut best: Vec<Measurement> = kinds.iter().map(|&kind| measure(kind)).collect();
    // In turns, so that a moment in which the machine is slow does not hit one type alone.
    for _ in 1..ROUNDS {
        for (best, &kind) in best.iter_mut().zip(&kinds) {
            best.ns_per_world_step = best.ns_per_world_step.min(measure(kind).ns_per_world_step);
        }
    }
    for (
        kind,
        Measurement {
            ns_per_world_step,
            hash,
        },
    ) in kinds.iter().zip(&best)
    {
        let ratio = best[0].ns_per_world_step / ns_per_world_step;
        println!("| {kind} | {ns_per_world_step:.1} | {ratio:.1} | `{hash:016x}` |");
    }
    println!();
}
