//! Reads models and prints every problem found: `cargo run --example inspect -- robot.xml ...`.

use motrix_compile::document::{DiskFiles, Limits, read_file};
use motrix_compile::problem::Problems;

fn main() {
    for path in std::env::args().skip(1) {
        let mut problems = Problems::new(true);
        let document = read_file(&path, &DiskFiles::default(), Limits::default(), &mut problems);
        let sensors = document.map_or(0, |document| document.outer.sensors.len());
        match problems.finish() {
            Ok(report) if report.is_empty() => println!("{path}: fine, {sensors} sensors"),
            Ok(report) => println!("{path}: loads; {report}"),
            Err(error) => println!("{path}: cannot be loaded\n{error}"),
        }
    }
}
