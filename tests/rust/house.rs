//! House rules that a program can check: how a file opens, how long it is, what it is called, and that nothing is left undone.

use motrix_tests::source::{self, Scope, SourceFile};

/// One idea per file; beyond this a file holds two.
const MAX_LINES: usize = 600;

/// Names that say nothing about what a file computes.
const EMPTY_NAMES: &[&str] = &[
    "util", "utils", "helper", "helpers", "manager", "common", "misc", "types",
];

#[test]
fn every_file_opens_by_saying_what_it_computes() {
    let silent = paths(|file| !file.text.starts_with("//!"));
    assert!(silent.is_empty(), "files that do not open with `//!`: {silent:#?}");
}

#[test]
fn no_file_holds_two_ideas() {
    let long = paths(|file| file.text.lines().count() > MAX_LINES);
    assert!(long.is_empty(), "longer than {MAX_LINES} lines: {long:#?}");
}

#[test]
fn a_file_is_named_after_what_it_computes() {
    let nameless = paths(|file| {
        file.path
            .split('/')
            .any(|part| EMPTY_NAMES.contains(&part.trim_end_matches(".rs")))
    });
    assert!(nameless.is_empty(), "names that hide the physics: {nameless:#?}");
}

#[test]
fn nothing_is_left_undone() {
    let undone: Vec<String> = all_files()
        .iter()
        .flat_map(|file| file.mentions(&["todo", "unimplemented", "dbg"], Scope::Whole))
        .collect();
    assert!(undone.is_empty(), "left undone: {undone:#?}");
}

fn paths(is_wrong: impl Fn(&SourceFile) -> bool) -> Vec<String> {
    all_files()
        .into_iter()
        .filter(|file| is_wrong(file))
        .map(|file| file.path)
        .collect()
}

fn all_files() -> Vec<SourceFile> {
    let crates = source::crates().expect("the project's own crates can be read");
    let outside = source::files_outside_the_crates().expect("the project's own files can be read");
    crates
        .into_iter()
        .flat_map(|krate| krate.files)
        .chain(outside)
        .collect()
}
