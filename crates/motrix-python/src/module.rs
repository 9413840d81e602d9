//! Functions of the module that belong to no class.

use motrix_batch::{Threads, set_default_threads};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::data::SceneData;
use crate::model::SceneModel;

/// Advances the worlds by one step.
#[pyfunction]
#[pyo3(signature = (model, data, num_threads = None))]
pub fn step(model: &Bound<'_, SceneModel>, data: &Bound<'_, SceneData>, num_threads: Option<isize>) -> PyResult<()> {
    data.get().of_scene(&model.get().core)?;
    data.get().advance(data.py(), 1, threads(num_threads)?)
}

/// How many threads a call may use.
pub fn threads(num_threads: Option<isize>) -> PyResult<Threads> {
    match num_threads {
        None => Ok(Threads::Pool),
        Some(count) if count > 0 => Ok(Threads::AtMost(count as usize)),
        Some(count) => Err(not_positive(count)),
    }
}

fn not_positive(count: isize) -> PyErr {
    PyValueError::new_err(format!("num_threads must be positive, got {count}"))
}

/// Makes poses, velocities, sensors and contacts describe the current state.
#[pyfunction]
pub fn forward_kinematic(model: &Bound<'_, SceneModel>, data: &Bound<'_, SceneData>) -> PyResult<()> {
    data.get().of_scene(&model.get().core)?;
    data.get().rebase(data.py());
    Ok(())
}

/// Sets the number of threads.
#[pyfunction]
#[pyo3(signature = (num_threads = None))]
pub fn init_thread_pool(num_threads: Option<isize>) -> PyResult<()> {
    let count = match num_threads {
        None => 0,
        Some(count) if count > 0 => count as usize,
        Some(count) => {
            return Err(not_positive(count));
        }
    };
    set_default_threads(count).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// The numbers that arrays have unless data are made with another precision.
#[pyfunction]
pub fn real_dtype() -> &'static str {
    "float32"
}
