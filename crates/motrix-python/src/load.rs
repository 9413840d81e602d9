//! Loading models: from files and texts, with everything that is wrong told at once.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use motrix_batch::Scene;
use motrix_compile::document::{DiskFiles, FileError, Files, MemoryFiles};
use motrix_compile::problem::{LoadReport, Problem, Severity};
use motrix_compile::{LoadError, LoadOptions, WithPackages, load_file, load_str};
use pyo3::exceptions::{PyTypeError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::model::SceneModel;
use crate::origin::{Kept, Origin, Source};
use crate::scene::SceneCore;

/// Files that remember what was read from them.
struct Recorded<F> {
    files: F,
    read: Mutex<BTreeMap<String, Arc<[u8]>>>,
}

impl<F: Files> Files for Recorded<F> {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, FileError> {
        let bytes = self.files.read(path)?;
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.insert(path.to_owned(), Arc::clone(&bytes));
        Ok(bytes)
    }

    fn exists(&self, path: &str) -> bool {
        self.files.exists(path)
    }

    fn package(&self, name: &str) -> Option<String> {
        self.files.package(name)
    }
}

/// Loads a model from files on disk.
fn load(py: Python<'_>, source: Source, strict: bool, packages: BTreeMap<String, String>) -> PyResult<Arc<SceneCore>> {
    let core = load_from(py, source, strict, packages, Arc::new(DiskFiles::default()))?;
    warn_of(py, &core.load_report)?;
    Ok(core)
}

/// One warning for all that was understood and has no effect.
fn warn_of(py: Python<'_>, report: &LoadReport) -> PyResult<()> {
    let Some(first) = report.entries.first() else {
        return Ok(());
    };
    let further = match report.entries.len() - 1 + report.further {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    // A C string: what is quoted from a file may hold the byte that ends one.
    let text = format!("{first}{further} (see model.load_report)").replace('\0', "");
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(text)?, 1)
}

/// Loads a model again from the files it was first loaded from.
pub fn load_again(
    py: Python<'_>,
    source: Source,
    strict: bool,
    packages: BTreeMap<String, String>,
    files: BTreeMap<String, Vec<u8>>,
) -> PyResult<Arc<SceneCore>> {
    let mut kept = MemoryFiles::new();
    for (path, bytes) in files {
        kept.insert(&path, bytes);
    }
    load_from(py, source, strict, packages, Arc::new(kept))
}

fn load_from(
    py: Python<'_>,
    source: Source,
    strict: bool,
    packages: BTreeMap<String, String>,
    files: Arc<dyn Files>,
) -> PyResult<Arc<SceneCore>> {
    let files = Arc::new(Recorded {
        files: WithPackages::new(files, packages.clone()),
        read: Mutex::default(),
    });
    let options = LoadOptions {
        strict,
        files: Arc::clone(&files) as Arc<dyn Files>,
        ..LoadOptions::default()
    };
    let loaded = py.detach(|| match &source {
        Source::File(path) => load_file(path, &options),
        Source::Text(text) => load_str(text, &options),
    });
    let loaded = loaded.map_err(|error| load_error(py, &error))?;
    let read = std::mem::take(&mut *files.read.lock().unwrap_or_else(PoisonError::into_inner));
    let kept = |(path, bytes)| (path, Kept::of(bytes, &loaded.model));
    let files = read.into_iter().map(kept).collect();
    let origin = Origin {
        source,
        strict,
        packages,
        files,
    };
    let scene = Scene::new(Arc::new(loaded.model));
    Ok(SceneCore::new(scene, origin, loaded.report))
}

/// `motrixsim.LoadError` with the list of problems.
fn load_error(py: Python<'_>, error: &LoadError) -> PyErr {
    let problems: Vec<LoadProblem> = error.problems.iter().map(LoadProblem::of).collect();
    let make = || -> PyResult<PyErr> {
        // The class has two bases, which only a class written in Python can have.
        let class = py.import("motrixsim._errors")?.getattr("LoadError")?;
        let value = class.call1((error.to_string(), problems))?;
        Ok(PyErr::from_value(value))
    };
    make().unwrap_or_else(|failure| failure)
}

/// One finding about a model file.
#[pyclass(frozen, get_all, module = "motrixsim")]
#[derive(Clone)]
pub struct LoadProblem {
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    element: String,
    message: String,
    did_you_mean: Option<String>,
    kind: String,
    text: String,
}

impl LoadProblem {
    /// A finding of the compiler.
    pub fn of(problem: &Problem) -> Self {
        let place = problem.place.as_ref();
        Self {
            file: place.map(|p| p.source.path.clone()),
            line: place.map(|p| p.line),
            column: place.map(|p| p.column),
            element: problem.element.clone(),
            message: problem.message.clone(),
            did_you_mean: problem.did_you_mean.clone(),
            kind: match problem.severity {
                Severity::Error => String::from("error"),
                Severity::Note(kind) => kind.to_string(),
            },
            text: problem.to_string(),
        }
    }
}

#[pymethods]
impl LoadProblem {
    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<motrixsim.LoadProblem {}: {}>", self.kind, self.text)
    }
}

/// Loads a model from a file.
#[pyfunction]
#[pyo3(signature = (path, strict = true, packages = None))]
pub fn load_model<'py>(
    py: Python<'py>,
    path: &Bound<'py, PyAny>,
    strict: bool,
    packages: Option<BTreeMap<String, PathBuf>>,
) -> PyResult<Bound<'py, SceneModel>> {
    if path.is_instance_of::<PyBytes>() || path.is_none() {
        return Err(PyTypeError::new_err("path: expected a str or a path"));
    }
    let path: PathBuf = path.extract()?;
    let packages = packages.unwrap_or_default().into_iter();
    let packages = packages.map(|(name, folder)| (name, folder.to_string_lossy().into_owned()));
    let source = Source::File(path.to_string_lossy().into_owned());
    load(py, source, strict, packages.collect())?.object(py)
}

/// Loads a model from a text.
#[pyfunction]
#[pyo3(signature = (mjcf, strict = true))]
pub fn load_mjcf_str<'py>(
    py: Python<'py>,
    mjcf: &Bound<'py, PyString>,
    strict: bool,
) -> PyResult<Bound<'py, SceneModel>> {
    load(py, Source::Text(mjcf.to_string()), strict, BTreeMap::new())?.object(py)
}
