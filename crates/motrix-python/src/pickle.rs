//! Models and data as plain values that travel between processes.
//!
//! A model is sent as the files it was loaded from and compiled again on arrival; data as its numbers. Restored data continue bit for
//! bit.

use std::collections::BTreeMap;
use std::sync::Arc;

use motrix_batch::{Snapshot, Worlds};
use motrix_model::Options;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::{self, Number, numbers};
use crate::data::{SceneData, is_double};
use crate::load::{Origin, Source, load_again};
use crate::model::SceneModel;
use crate::scene::SceneCore;
use crate::selection::Pick;
use crate::store::{Batch, Store};

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

/// How pickle makes the model again.
pub fn reduce_model<'py>(py: Python<'py>, core: &Arc<SceneCore>) -> PyResult<Bound<'py, PyAny>> {
    let files = PyDict::new(py);
    for (path, bytes) in &core.origin.files {
        files.set_item(path, PyBytes::new(py, bytes))?;
    }
    let (is_file, source) = match &core.origin.source {
        Source::File(path) => (true, path),
        Source::Text(text) => (false, text),
    };
    let options = option_values(&core.scene.options());
    let arguments = (is_file, source, core.origin.strict, files, options);
    Ok((rebuild(py, "_rebuild_model")?, arguments)
        .into_pyobject(py)?
        .into_any())
}

/// Makes a pickled model again.
#[pyfunction]
pub fn _rebuild_model<'py>(
    py: Python<'py>,
    is_file: bool,
    source: String,
    strict: bool,
    files: BTreeMap<String, Vec<u8>>,
    options: OptionValues,
) -> PyResult<Bound<'py, SceneModel>> {
    let source = if is_file {
        Source::File(source)
    } else {
        Source::Text(source)
    };
    let files = files.into_iter().map(|(path, bytes)| (path, bytes.into())).collect();
    let core = load_again(py, Origin { source, strict, files })?;
    core.scene.set_options(|own| set_option_values(own, options));
    core.object(py)
}

/// How pickle makes data again.
pub fn reduce_data<'py>(py: Python<'py>, data: &SceneData) -> PyResult<Bound<'py, PyAny>> {
    let selection = data.pick.selection(data.store.count);
    let batch = data.lock(py);
    let parts = match &*batch {
        Batch::Single(worlds) => snapshot_parts(py, worlds.snapshot(selection))?,
        Batch::Double(worlds) => snapshot_parts(py, worlds.snapshot(selection))?,
    };
    let batched = !matches!(data.pick, Pick::One(_));
    let precision = if data.store.double { "f64" } else { "f32" };
    let arguments = (data.core.object(py)?, batched, precision, parts);
    Ok((rebuild(py, "_rebuild_data")?, arguments).into_pyobject(py)?.into_any())
}

fn snapshot_parts<'py, E: Number>(py: Python<'py>, snapshot: Snapshot<E>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    fn flat<'py, T: numpy::Element>(py: Python<'py>, values: Vec<T>) -> PyResult<Bound<'py, PyAny>> {
        arrays::array(py, &[values.len()], values)
    }
    let mut parts = vec![
        flat(py, snapshot.state)?,
        flat(py, snapshot.time)?,
        flat(py, snapshot.basis)?,
        flat(py, snapshot.basis_time)?,
    ];
    for rows in snapshot.overrides {
        parts.push(flat(py, rows)?);
    }
    Ok(parts)
}

/// Makes pickled data again.
#[pyfunction]
pub fn _rebuild_data(
    model: &Bound<'_, SceneModel>,
    batched: bool,
    precision: &str,
    parts: Vec<Bound<'_, PyAny>>,
) -> PyResult<SceneData> {
    let core = &model.get().core;
    let batch = if is_double(precision)? {
        Batch::Double(restored(core, &parts)?)
    } else {
        Batch::Single(restored(core, &parts)?)
    };
    let store = Store::new(batch);
    let pick = match (batched, store.count) {
        (true, count) => Pick::All(count),
        (false, 1) => Pick::One([0]),
        (false, _) => return Err(PyValueError::new_err("data of a single world must have one world")),
    };
    Ok(SceneData::over(Arc::clone(core), store, pick))
}

fn restored<E: Number>(core: &SceneCore, parts: &[Bound<'_, PyAny>]) -> PyResult<Worlds<E>> {
    let mismatch = || PyValueError::new_err("the pickled data do not fit the model");
    let [state, time, basis, basis_time, overrides @ ..] = parts else {
        return Err(mismatch());
    };
    let rows = |part: &Bound<'_, PyAny>| numbers::<E>(part, "state").map(|numbers| numbers.values);
    let clock = |part: &Bound<'_, PyAny>| numbers::<f64>(part, "time").map(|numbers| numbers.values);
    let snapshot = Snapshot {
        state: rows(state)?,
        time: clock(time)?,
        basis: rows(basis)?,
        basis_time: clock(basis_time)?,
        overrides: overrides.iter().map(rows).collect::<PyResult<_>>()?,
    };
    Worlds::restore(Arc::clone(core.model()), snapshot).map_err(|_| mismatch())
}
