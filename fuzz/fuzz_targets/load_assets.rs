//! Any bytes as a mesh, a height field and a texture of a model: loading ends with a model or a message.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use motrix_compile::document::MemoryFiles;
use motrix_compile::{LoadOptions, load_str_with};

/// Endings decide how a file is read.
const ASSETS: [(&str, &str); 6] = [
    ("a.stl", "<mesh file=\"a.stl\"/>"),
    ("a.obj", "<mesh file=\"a.obj\"/>"),
    ("a.msh", "<mesh file=\"a.msh\"/>"),
    ("a.png", "<hfield name=\"h\" file=\"a.png\" size=\"1 1 1 1\"/>"),
    ("a.bin", "<hfield name=\"h\" file=\"a.bin\" size=\"1 1 1 1\"/>"),
    ("a.png", "<texture name=\"t\" type=\"2d\" file=\"a.png\"/>"),
];

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, content)) = bytes.split_first() else {
        return;
    };
    let (name, asset) = ASSETS[usize::from(*choice) % ASSETS.len()];
    let mut files = MemoryFiles::new();
    files.insert(name, content);
    let options = LoadOptions {
        files: Arc::new(files),
        ..LoadOptions::default()
    };
    let geom = if asset.starts_with("<mesh") {
        "<geom type=\"mesh\" mesh=\"a\"/>"
    } else {
        ""
    };
    let text = format!("<mujoco><asset>{asset}</asset><worldbody>{geom}</worldbody></mujoco>");
    if let Err(error) = load_str_with(&text, "fuzz.xml", &options) {
        assert!(!error.to_string().is_empty());
    }
});
