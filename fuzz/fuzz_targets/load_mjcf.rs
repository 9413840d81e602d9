//! Any bytes as the text of a model, MJCF or URDF: loading ends with a model or a message.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use motrix_compile::document::{Limits, MemoryFiles};
use motrix_compile::{LoadOptions, load_str_with};

fuzz_target!(|bytes: &[u8]| {
    let options = LoadOptions {
        strict: bytes.len() % 2 == 0,
        // A model of more elements only takes longer.
        limits: Limits {
            elements: 2_000,
            ..Limits::default()
        },
        files: Arc::new(MemoryFiles::new()),
    };
    let text = String::from_utf8_lossy(bytes);
    if let Err(error) = load_str_with(&text, "fuzz.xml", &options) {
        assert!(!error.to_string().is_empty());
    }
});
