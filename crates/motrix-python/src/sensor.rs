//! Readings of sensors by name.

use std::sync::Arc;

use motrix_batch::Output;
use motrix_compile::problem::nearest;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::data::SceneData;
use crate::each;
use crate::scene::SceneCore;

/// The readings of the named sensors, one after the other.
pub fn values<'py>(
    core: &Arc<SceneCore>,
    data: &Bound<'py, SceneData>,
    names: &[String],
) -> PyResult<Bound<'py, PyAny>> {
    let (py, data) = (data.py(), data.get());
    data.of_scene(core)?;
    let ranges: Vec<std::ops::Range<usize>> = names.iter().map(|name| range(core, name)).collect::<PyResult<_>>()?;
    let width = ranges.iter().map(ExactSizeIterator::len).sum();
    let mut batch = data.results(py, Output::Sensors)?;
    each!(batch, worlds => data.array::<E>(py, &[width], |world, out| {
        let row = core.scene.output(worlds, Output::Sensors, world);
        for range in &ranges {
            out.extend_from_slice(&row[range.clone()]);
        }
    }))
}

/// Where the reading of a sensor stands in the sensor vector.
fn range(core: &SceneCore, name: &str) -> PyResult<std::ops::Range<usize>> {
    let names = &core.structure.names.sensors;
    let Some(&index) = names.get(name) else {
        let hint = nearest(name, names.keys().map(String::as_str));
        let hint = hint.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
        return Err(PyValueError::new_err(format!("no sensor named {name:?}{hint}")));
    };
    let sensor = &core.model().sensors[index];
    Ok(sensor.first..sensor.first + sensor.dim)
}
