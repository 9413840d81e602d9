//! Broken models and exactly what is said about each.
//!
//! Every `broken/*.xml` is loaded as a strict model; what is printed must be what stands in the `.txt` beside it. Set
//! UPDATE_GOLDEN=1 to record the present messages, and review the difference: they are written for people.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use motrix_compile::document::{FileError, Files, Limits, MemoryFiles};
use motrix_compile::problem::Problems;
use motrix_compile::{LoadOptions, load_file, load_str};

/// The folder as the root, so that messages show plain file names.
struct Folder(PathBuf);

impl Files for Folder {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, FileError> {
        std::fs::read(self.0.join(path))
            .map(Into::into)
            .map_err(|_| FileError::NotFound)
    }

    fn exists(&self, path: &str) -> bool {
        self.0.join(path).is_file()
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken")
}

fn broken_models() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name.ends_with(".xml")).collect();
    names.sort();
    names
}

fn messages(name: &str) -> String {
    let options = LoadOptions {
        files: Arc::new(Folder(folder())),
        ..LoadOptions::default()
    };
    match load_file(name, &options) {
        Ok(loaded) => format!("loads\n{}\n", loaded.report),
        Err(error) => format!("{error}\n"),
    }
}

#[test]
fn each_broken_model_gets_its_messages() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut differences = String::new();
    for name in broken_models() {
        let recorded = folder().join(name.replace(".xml", ".txt"));
        let found = messages(&name);
        if update {
            std::fs::write(&recorded, &found).unwrap();
        }
        let expected = std::fs::read_to_string(&recorded).unwrap_or_default();
        if found != expected {
            writeln!(differences, "{name}\n--- recorded\n{expected}--- found\n{found}").unwrap();
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

#[test]
fn every_broken_model_is_refused_and_no_message_is_left_over() {
    let models = broken_models();
    assert!(models.len() >= 80, "{} broken models", models.len());
    for name in &models {
        assert!(!messages(name).starts_with("loads"), "{name} loads");
    }
    for entry in std::fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            !name.ends_with(".txt") || models.contains(&name.replace(".txt", ".xml")),
            "{name} has no model"
        );
    }
}

#[test]
fn without_strictness_unknown_things_are_ignored_and_reported() {
    let text = "<mujoco>\n  <worldbody>\n    <geom size=\"1\" frction=\"1\"/>\n    <bdoy/>\n  </worldbody>\n</mujoco>";
    let mut problems = Problems::new(false);
    let document =
        motrix_compile::document::read_str(text, "m.xml", &MemoryFiles::new(), Limits::default(), &mut problems);
    assert_eq!(document.unwrap().world.children().len(), 1);
    assert_eq!(
        problems.finish().unwrap().to_string(),
        "ignored: m.xml:3:20 <geom frction=\"1\">: <geom> has no attribute \"frction\"; did you mean \"friction\"?\n\
         ignored: m.xml:4:5 <bdoy>: <bdoy> cannot stand in <worldbody>; did you mean \"body\"?"
    );
}

#[test]
fn what_mujoco_passes_over_is_noted() {
    let text = "<mujoco>\n<worldbody>\n<geom size=\"1\"/>>\n<frame pso=\"1 0 0\"/>\n</worldbody>\n</mujoco>";
    let report = load_str(text, &LoadOptions::default()).unwrap().report.to_string();
    let expected = [
        "ignored: <string>:3:17 <worldbody>: text \">\" between elements; MJCF has attributes only",
        "ignored: <string>:4:8 <frame pso=\"1 0 0\">: <frame> has no attribute \"pso\"; did you mean \"pos\"?",
    ];
    assert_eq!(report.lines().collect::<Vec<_>>(), expected);
}
