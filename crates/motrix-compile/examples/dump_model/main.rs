//! Prints a compiled model as JSON under the field names of MuJoCo's `mjModel`, for comparison field by field.
//!
//! ```text
//! cargo run -p motrix-compile --example dump_model -- scene.xml > scene.json
//! ```
<<<<<<< HEAD
//! Numbers are printed with all their digits; absent references are −1 as in MuJoCo. Problems and notes go to standard error.

use std::process::ExitCode;

use motrix_compile::{LoadOptions, load_file};
use motrix_model::Model;

#[macro_use]
mod json;
mod constraints;
mod options;
mod signals;
mod tree;

use json::Json;
=======
//! Numbers are printed with all their digits. Problems and notes go to standard error.

mod fields;

use std::process::ExitCode;

use fields::{Field, Fields};
use motrix_compile::{LoadOptions, load_file};
>>>>>>> build

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: dump_model FILE");
        return ExitCode::FAILURE;
    };
    match load_file(&path, &LoadOptions::default()) {
        Ok(loaded) => {
            eprint!("{}", loaded.report);
<<<<<<< HEAD
            println!("{}", dump(&loaded.model));
=======
            println!("{}", json(&Fields::of(&loaded.model)));
>>>>>>> build
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
<<<<<<< HEAD
fn dump(model: &Model) -> String {
    let mut json = Json::default();
    options::options(&mut json, model);
    tree::bodies(&mut json, model);
    tree::joints(&mut json, model);
    tree::geoms(&mut json, model);
    tree::sites_and_cameras(&mut json, model);
    tree::lights(&mut json, model);
    constraints::assets(&mut json, model);
    constraints::contacts(&mut json, model);
    constraints::equalities(&mut json, model);
    constraints::tendons(&mut json, model);
    signals::actuators(&mut json, model);
    signals::sensors(&mut json, model);
    signals::keyframes(&mut json, model);
    json.0 + "\n}"
=======

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
>>>>>>> build
}
