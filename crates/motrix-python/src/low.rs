//! The engine's own numbers under MuJoCo's names: fields of `mjModel`, and every intermediate of a forward pass.

use std::collections::BTreeMap;
use std::sync::Arc;

use motrix_batch::low::Array;
use motrix_model::FieldArray;
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrays;
use crate::data::SceneData;
use crate::each;
use crate::scene::{SceneCore, engine_error};
use crate::selection::Pick;

/// Fields of the compiled model, or those of one of its groups: `opt`, `stat`, `vis` and the parts of it.
#[pyclass(frozen, module = "motrixsim")]
pub struct LowModel {
    pub core: Arc<SceneCore>,
    /// What stands before the names of this group.
    pub group: String,
}

impl LowModel {
    /// All fields.
    pub fn of(core: Arc<SceneCore>) -> Self {
        Self {
            core,
            group: String::new(),
        }
    }
}

#[pymethods]
impl LowModel {
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let full = format!("{}{name}", self.group);
        if let Some(FieldArray { shape, values }) = motrix_model::field(self.core.model(), &full) {
            return match (&shape[..], &values[..]) {
                ([], [size]) if full.starts_with('n') => Ok((*size as usize).into_pyobject(py)?.into_any()),
                ([], [number]) => Ok(number.into_pyobject(py)?.into_any()),
                _ => arrays::array(py, &shape, values),
            };
        }
        let group = format!("{full}.");
        if motrix_model::field_names().any(|known| known.starts_with(&group)) {
            let core = self.core.clone();
            return Ok(Bound::new(py, Self { core, group })?.into_any());
        }
        Err(PyAttributeError::new_err(format!(
            "'LowModel' object has no attribute '{name}'"
        )))
    }

    /// Names of all objects of a kind in the order of their ids, empty for those without.
    fn names(&self, kind: &str) -> PyResult<Vec<&str>> {
        motrix_model::object_names(self.core.model(), kind)
            .ok_or_else(|| PyValueError::new_err(format!("no kind of objects is called {kind:?}")))
    }

    fn __dir__(&self) -> Vec<&'static str> {
        let inside = motrix_model::field_names().filter_map(|name| name.strip_prefix(&*self.group));
        let mut names: Vec<&str> = inside.map(|name| name.split('.').next().unwrap_or(name)).collect();
        names.dedup();
        names.push("names");
        names
    }

    fn __repr__(&self) -> String {
        format!("<motrixsim.LowModel of {:?}>", self.core.model().name)
    }
}

/// Intermediates of a forward pass from the state that results describe, as they were when this object was made.
#[pyclass(frozen, module = "motrixsim")]
pub struct LowData {
    batched: bool,
    worlds: Vec<BTreeMap<&'static str, Array>>,
}

impl LowData {
    /// Evaluates the worlds of `data`.
    pub fn of(py: Python<'_>, data: &SceneData) -> PyResult<Self> {
        let mut batch = data.lock(py);
        let scene = &data.core.scene;
        let inspected: Result<Vec<Vec<Array>>, _> = each!(batch, worlds => {
            data.pick.worlds().map(|world| scene.inspect(worlds, world)).collect()
        });
        let inspected = inspected.map_err(engine_error)?;
        let by_name = |arrays: Vec<Array>| arrays.into_iter().map(|array| (array.name, array)).collect();
        Ok(Self {
            batched: !matches!(data.pick, Pick::One(_)),
            worlds: inspected.into_iter().map(by_name).collect(),
        })
    }
}

#[pymethods]
impl LowData {
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let found: Option<Vec<&Array>> = self.worlds.iter().map(|world| world.get(name)).collect();
        let Some(found) = found.filter(|found| !found.is_empty()) else {
            return Err(PyAttributeError::new_err(format!(
                "'LowData' object has no attribute '{name}'"
            )));
        };
        let one = |array: &Array| arrays::array(py, &array.shape, array.data.clone());
        if !self.batched {
            return one(found[0]);
        }
        if found.iter().all(|array| array.shape == found[0].shape) {
            let shape = [&[found.len()], &found[0].shape[..]].concat();
            let values = found.iter().flat_map(|array| array.data.iter().copied()).collect();
            return arrays::array(py, &shape, values);
        }
        // Worlds with different numbers of contacts have arrays of different shapes.
        let list: Vec<_> = found.into_iter().map(one).collect::<PyResult<_>>()?;
        Ok(PyList::new(py, list)?.into_any())
    }

    fn __dir__(&self) -> Vec<&'static str> {
        self.worlds
            .first()
            .map_or(Vec::new(), |world| world.keys().copied().collect())
    }

    fn __repr__(&self) -> String {
        format!("<motrixsim.LowData of {} worlds>", self.worlds.len())
    }
}
