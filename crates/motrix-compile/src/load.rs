//! From a path or a text to a compiled model.

use std::sync::Arc;

use motrix_model::Model;

use crate::build;
use crate::document::{self, DiskFiles, Document, Files, Limits};
use crate::problem::{LoadError, LoadReport, Problems};

/// How a model is loaded.
#[derive(Clone)]
pub struct LoadOptions {
    /// Unknown elements and attributes are errors; otherwise they are noted in the report.
    pub strict: bool,
    /// Bounds on what a model may ask for.
    pub limits: Limits,
    /// Where files are read from.
    pub files: Arc<dyn Files>,
}

impl Default for LoadOptions {
    /// Strict, with generous limits, from disk.
    fn default() -> Self {
        Self {
            strict: true,
            limits: Limits::default(),
            files: Arc::new(DiskFiles::default()),
        }
    }
}

impl std::fmt::Debug for LoadOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            strict,
            limits,
            files: _,
        } = self;
        f.debug_struct("LoadOptions")
            .field("strict", strict)
            .field("limits", limits)
            .finish_non_exhaustive()
    }
}

/// A compiled model, and what was noticed on the way.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// What the file contains that does not act on the simulation.
    pub report: LoadReport,
}

/// Loads the model in the file at `path`.
pub fn load_file(path: &str, options: &LoadOptions) -> Result<Loaded, LoadError> {
    load(options, |problems| {
        document::read_file(path, &*options.files, options.limits, problems)
    })
}

/// Loads a model given as text; files it mentions are looked for in the current directory.
pub fn load_str(text: &str, options: &LoadOptions) -> Result<Loaded, LoadError> {
    load_str_with(text, "<string>", options)
}

/// Loads a model given as text. `name` stands for its path: in messages, and for the files that it mentions.
pub fn load_str_with(text: &str, name: &str, options: &LoadOptions) -> Result<Loaded, LoadError> {
    load(options, |problems| {
        document::read_str(text, name, &*options.files, options.limits, problems)
    })
}

fn load(options: &LoadOptions, read: impl FnOnce(&mut Problems) -> Option<Document>) -> Result<Loaded, LoadError> {
    let mut problems = Problems::new(options.strict);
    let document = read(&mut problems);
    problems.end_reading();
    let model = document.map(|document| build::build(&document, &*options.files, &mut problems));
    let report = problems.finish()?;
    // without a document there is an error, so that this default is never used
    Ok(Loaded {
        model: model.unwrap_or_default(),
        report,
    })
}
