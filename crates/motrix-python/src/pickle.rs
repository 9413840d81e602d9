//! Models and data as plain values that travel between processes.
//!
//! A model is sent as the files it was loaded from and compiled again on arrival, with the heights of fields that were written to since;
//! data as a snapshot. Restored data continue bit for bit.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use motrix_model::Options;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::data::{SceneData, is_double};
use crate::load::load_again;
use crate::model::SceneModel;
use crate::origin::Source;
use crate::scene::SceneCore;
use crate::selection::Pick;
use crate::store::Store;

/// The options that users may change: time step, gravity, iterations, tolerance, no gravity, no contacts, contacts as MuJoCo's.
type OptionValues = (f64, [f64; 3], usize, f64, bool, bool, bool);

fn option_values(options: &Options) -> OptionValues {
    (
        options.timestep,
        options.gravity,
        options.iterations,
        options.tolerance,
        options.disable.gravity,
        options.disable.contact,
        options.contact_model == motrix_model::ContactModel::Mujoco,
    )
}

fn set_option_values(options: &mut Options, values: OptionValues) {
    let mujoco;
    (
        options.timestep,
        options.gravity,
        options.iterations,
        options.tolerance,
        options.disable.gravity,
        options.disable.contact,
        mujoco,
    ) = values;
    options.contact_model = if mujoco {
        motrix_model::ContactModel::Mujoco
    } else {
        motrix_model::ContactModel::Firm
    };
}

fn rebuild<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("motrixsim._core")?.getattr(name)
}

/// Heights of the fields that were written to, by number, as bytes of single precision; and the fingerprint that goes with them.
type ChangedHeights = (BTreeMap<usize, Vec<u8>>, u64);

fn changed_heights(core: &SceneCore) -> Option<ChangedHeights> {
    let changed = core.changed_fields.lock().unwrap_or_else(PoisonError::into_inner);
    let bytes = |index: usize| {
        let heights = core.model().hfields[index].field.heights();
        heights.iter().flat_map(|height| height.to_le_bytes()).collect()
    };
    let fields: BTreeMap<usize, Vec<u8>> = changed.iter().map(|&index| (index, bytes(index))).collect();
    (!fields.is_empty()).then(|| (fields, core.scene.fingerprint()))
}

fn set_changed_heights(core: &SceneCore, (fields, fingerprint): ChangedHeights) -> PyResult<()> {
    core.scene.adopt_fingerprint(fingerprint);
    for (index, bytes) in fields {
        let heights: Vec<f32> = bytes
            .as_chunks()
            .0
            .iter()
            .map(|four| f32::from_le_bytes(*four))
            .collect();
        let field = core.model().hfields.get(index).map(|hfield| &hfield.field);
        let written = field.filter(|field| field.nrow() * field.ncol() == heights.len());
        let written = written.map(|field| field.update(0, 0, field.nrow(), &heights));
        if !matches!(written, Some(Ok(()))) {
            return Err(PyValueError::new_err(format!(
                "these are not the heights of height field {index}"
            )));
        }
        core.changed_fields
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(index);
    }
    Ok(())
}

/// How pickle makes the model again.
pub fn reduce_model<'py>(py: Python<'py>, core: &Arc<SceneCore>) -> PyResult<Bound<'py, PyAny>> {
    let files = PyDict::new(py);
    let changed = core
        .changed_fields
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    for (path, kept) in &core.origin.files {
        files.set_item(path, PyBytes::new(py, &kept.bytes(core.model(), &changed)))?;
    }
    let (is_file, source) = match &core.origin.source {
        Source::File(path) => (true, path),
        Source::Text(text) => (false, text),
    };
    let options = option_values(&core.scene.options());
    let heights = changed_heights(core).map(|(fields, fingerprint)| {
        let bytes = |(index, bytes): (usize, Vec<u8>)| (index, PyBytes::new(py, &bytes));
        (fields.into_iter().map(bytes).collect::<BTreeMap<_, _>>(), fingerprint)
    });
    let packages = core.origin.packages.clone();
    let source = (is_file, source);
    let arguments = (source, core.origin.strict, packages, files, options, heights);
    Ok((rebuild(py, "_rebuild_model")?, arguments)
        .into_pyobject(py)?
        .into_any())
}

/// Makes a pickled model again.
#[pyfunction]
#[pyo3(signature = (source, strict, packages, files, options, heights = None))]
pub fn _rebuild_model<'py>(
    py: Python<'py>,
    source: (bool, String),
    strict: bool,
    packages: BTreeMap<String, String>,
    files: BTreeMap<String, Vec<u8>>,
    options: OptionValues,
    heights: Option<ChangedHeights>,
) -> PyResult<Bound<'py, SceneModel>> {
    let source = match source {
        (true, path) => Source::File(path),
        (false, text) => Source::Text(text),
    };
    let core = load_again(py, source, strict, packages, files)?;
    core.scene.set_options(|own| set_option_values(own, options));
    if let Some(heights) = heights {
        set_changed_heights(&core, heights)?;
    }
    core.object(py)
}

/// How pickle makes data again.
pub fn reduce_data<'py>(py: Python<'py>, data: &SceneData) -> PyResult<Bound<'py, PyAny>> {
    let bytes = PyBytes::new(py, &data.snapshot_bytes(py));
    let batched = !matches!(data.pick, Pick::One(_));
    let precision = if data.store.double { "f64" } else { "f32" };
    let watch = data.watch_settings(py)?;
    let arguments = (data.core.object(py)?, batched, data.pick.len(), precision, bytes, watch);
    Ok((rebuild(py, "_rebuild_data")?, arguments).into_pyobject(py)?.into_any())
}

/// Makes pickled data again.
#[pyfunction]
pub fn _rebuild_data<'py>(
    py: Python<'py>,
    model: &Bound<'_, SceneModel>,
    batched: bool,
    count: usize,
    precision: &str,
    snapshot: &[u8],
    watch: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, SceneData>> {
    let core = &model.get().core;
    let store = Store::fresh(core.model(), count, is_double(precision)?);
    let pick = match (batched, count) {
        (true, count) => Pick::All(count),
        (false, 1) => Pick::One([0]),
        (false, _) => return Err(PyValueError::new_err("data of a single world must have one world")),
    };
    let data = SceneData::over(Arc::clone(core), store, pick);
    data.restore_bytes(py, snapshot)?;
    let data = Bound::new(py, data)?;
    data.call_method("watch", (), Some(watch))?;
    Ok(data)
}
