//! Prints a compiled model as JSON under the field names of MuJoCo's `mjModel`, for comparison field by field.
//!
//! ```text
//! cargo run -p motrix-compile --example dump_model -- scene.xml > scene.json
//! ```
//! Numbers are printed with all their digits. Problems and notes go to standard error.

mod fields;

use std::process::ExitCode;

use fields::{Field, Fields};
use motrix_compile::{LoadOptions, load_file};

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: dump_model FILE");
        return ExitCode::FAILURE;
    };
    match load_file(&path, &LoadOptions::default()) {
        Ok(loaded) => {
            eprint!("{}", loaded.report);
            println!("{}", json(&Fields::of(&loaded.model)));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn json(fields: &Fields) -> String {
    let line = |(name, field): &(String, Field)| {
        let values: Vec<String> = match field {
            Field::Numbers(numbers) => numbers.iter().map(|number| format!("{number:?}")).collect(),
            Field::Strings(strings) => strings.iter().map(|string| format!("{string:?}")).collect(),
        };
        format!("{name:?}: [{}]", values.join(", "))
    };
    let lines: Vec<String> = fields.list.iter().map(line).collect();
    format!("{{\n{}\n}}", lines.join(",\n"))
}
