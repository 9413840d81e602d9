//! House rules that a program can check: how a file opens, how long it is, what it is called, that nothing is left undone, and
//! that the architecture page speaks of what exists.

use std::fs;

use motrix_tests::source::{self, Scope, SourceFile};

/// One idea per file; beyond this a file holds two.
const MAX_LINES: usize = 600;

/// Names that say nothing about what a file computes.
const EMPTY_NAMES: &[&str] = &[
    "util", "utils", "helper", "helpers", "manager", "common", "misc", "types",
];

/// Marks of unfinished work in comments; written in halves so that this file does not carry them.
const UNDONE_MARKS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

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
    let files = all_files();
    let mut undone: Vec<String> = files
        .iter()
        .flat_map(|file| file.mentions(&["todo", "unimplemented", "dbg"], Scope::Whole))
        .collect();
    for file in &files {
        let marked = file
            .text
            .lines()
            .enumerate()
            .filter(|(_, line)| UNDONE_MARKS.iter().any(|mark| line.contains(mark)));
        undone.extend(marked.map(|(index, line)| format!("{}:{} {}", file.path, index + 1, line.trim())));
    }
    assert!(undone.is_empty(), "left undone: {undone:#?}");
}

/// An architecture page that names files and tests which no longer exist misleads everyone who trusts it.
#[test]
fn the_architecture_page_names_only_what_exists() {
    let page = fs::read_to_string(source::root().join("crates/README.md")).expect("the architecture page can be read");
    let files = all_files();
    // Every second piece between backquotes is code.
    let named: Vec<&str> = page.split('`').skip(1).step_by(2).collect();
    let paths = named.iter().filter(|name| name.contains('/'));
    let tests = named
        .iter()
        .filter(|name| !name.contains('/') && name.matches('_').count() >= 3);

    let mut missing: Vec<String> = Vec::new();
    for path in paths {
        let exists = ["", "crates"]
            .iter()
            .any(|folder| source::root().join(folder).join(path).exists());
        if !exists {
            missing.push((*path).to_owned());
        }
    }
    for test in tests {
        let definition = format!("fn {test}(");
        if !files.iter().any(|file| file.text.contains(&definition)) {
            missing.push((*test).to_owned());
        }
    }
    assert!(
        missing.is_empty(),
        "named in crates/README.md, but not there: {missing:#?}"
    );
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
