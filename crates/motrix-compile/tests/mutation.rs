//! Damage to our own models: whatever comes out, reading and compiling it ends and does not crash, and asking the elements
//! for everything they have neither.
//!
//! The damage is drawn from a fixed seed, so that a case that fails will fail again. A thousand cases run by default, in a
//! second or two; for a long search say how many and from where:
//!
//! ```text
//! MOTRIX_MUTATIONS=100000 MOTRIX_MUTATION_SEED=1 cargo test --release -p motrix-compile --test mutation
//! ```

use std::sync::Arc;

use motrix_compile::document::{AssetKind, Document, Element, Limits, MemoryFiles, read_bytes};
use motrix_compile::problem::Problems;
use motrix_compile::schema::{Count, Value};
use motrix_compile::{LoadOptions, load_str_with};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const MODELS: [&str; 3] = [
    include_str!("models/walker.xml"),
    include_str!("models/gripper.xml"),
    include_str!("models/cell.xml"),
];

/// Pieces that mean something to the reader.
const PIECES: [&str; 24] = [
    "<",
    ">",
    "/>",
    "</",
    "\"",
    "'",
    "&",
    "&amp;",
    "&#0;",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?",
    "?>",
    "<!DOCTYPE x>",
    "<include file=\"walker.xml\"/>",
    "<replicate count=\"3\">",
    "<attach model=\"gripper\" prefix=\"x\"/>",
    "nan",
    "1e308",
    "\u{feff}",
    "\u{0}",
    "ü",
];

/// One way to damage a text at a relative position.
#[derive(Clone, Debug)]
enum Damage {
    Delete(f64, usize),
    Insert(f64, usize),
    Duplicate(f64, f64, usize),
    Overwrite(f64, u8),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = 0.0..1.0f64;
    prop_oneof![
        (at.clone(), 1..60usize).prop_map(|(at, length)| Damage::Delete(at, length)),
        (at.clone(), 0..PIECES.len()).prop_map(|(at, piece)| Damage::Insert(at, piece)),
        (at.clone(), at.clone(), 1..200usize).prop_map(|(from, to, length)| Damage::Duplicate(from, to, length)),
        (at, any::<u8>()).prop_map(|(at, byte)| Damage::Overwrite(at, byte)),
    ]
}

fn apply(damage: &Damage, bytes: &mut Vec<u8>) {
    let position = |at: f64| ((bytes.len() as f64 * at) as usize).min(bytes.len());
    match *damage {
        Damage::Delete(at, length) => {
            let start = position(at);
            bytes.drain(start..(start + length).min(bytes.len()));
        }
        Damage::Insert(at, piece) => {
            let start = position(at);
            bytes.splice(start..start, PIECES[piece].bytes());
        }
        Damage::Duplicate(from, to, length) => {
            let (start, target) = (position(from), position(to));
            let piece = bytes[start..(start + length).min(bytes.len())].to_vec();
            bytes.splice(target..target, piece);
        }
        Damage::Overwrite(at, byte) => {
            let start = position(at);
            if let Some(target) = bytes.get_mut(start) {
                *target = byte;
            }
        }
    }
}

/// Asks for everything that the schema says there may be.
fn ask_everything(document: &Document, problems: &mut Problems) {
    fn ask(element: &Element, problems: &mut Problems) {
        for attribute in element.rule().attributes() {
            let name = attribute.name;
            match attribute.value {
                Value::Real(Count::Exactly(1)) => drop(element.real(name, problems)),
                Value::Real(Count::Exactly(3)) => drop(element.reals::<3>(name, problems)),
                Value::Real(Count::UpTo(_)) => drop(element.reals_over(name, [0.0; 10], problems)),
                Value::Real(_) => drop(element.real_list(name, problems)),
                Value::Int(_) => drop(element.int_list(name, problems)),
                Value::Bool => drop(element.boolean(name, problems)),
                Value::Keywords(words) => drop(element.keywords(name, words, problems)),
                Value::File => drop(element.file_candidates(name, AssetKind::Mesh)),
                _ => drop(element.text(name)),
            }
        }
        if element.rule().attribute("quat").is_some() {
            element.pose(problems);
        }
        element.children().iter().for_each(|child| ask(child, problems));
    }
    ask(&document.world, problems);
    document
        .assets
        .iter()
        .chain(document.outer.iter())
        .for_each(|element| ask(element, problems));
    document.keyframes.iter().for_each(|key| ask(&key.element, problems));
}

fn files() -> MemoryFiles {
    let mut files = MemoryFiles::new();
    files.insert("walker.xml", MODELS[0]);
    files.insert("gripper.xml", MODELS[1]);
    files.insert("lights.xml", include_str!("models/lights.xml"));
    files
}

fn read_damaged(bytes: &[u8]) {
    // Low limits keep unlucky combinations of copies fast.
    let limits = Limits {
        elements: 20_000,
        ..Limits::default()
    };
    for strict in [true, false] {
        let mut problems = Problems::new(strict);
        if let Some(document) = read_bytes(bytes, "damaged.xml", &files(), limits, &mut problems) {
            ask_everything(&document, &mut problems);
        }
        match problems.finish() {
            Ok(report) => drop(report.to_string()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    let options = LoadOptions {
        strict: false,
        limits,
        files: Arc::new(files()),
    };
    match load_str_with(&String::from_utf8_lossy(bytes), "damaged.xml", &options) {
        Ok(loaded) => assert!(!loaded.model.bodies.is_empty()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A number from the environment.
fn told<N: std::str::FromStr>(name: &str) -> Option<N> {
    std::env::var(name).ok()?.parse().ok()
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: told("MOTRIX_MUTATIONS").unwrap_or(1000),
        rng_seed: RngSeed::Fixed(told("MOTRIX_MUTATION_SEED").unwrap_or(0)),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_damaged_model_is_refused_or_read_but_never_a_crash(
        model in 0..MODELS.len(),
        damages in prop::collection::vec(damage(), 1..6),
    ) {
        let mut bytes = MODELS[model].as_bytes().to_vec();
        for damage in &damages {
            apply(damage, &mut bytes);
        }
        read_damaged(&bytes);
    }
}

#[test]
fn undamaged_models_are_read_without_problems() {
    for model in MODELS {
        read_damaged(model.as_bytes());
    }
}
