//! The thin thread: load, set, step, read.

use std::collections::HashMap;
use std::sync::Arc;

use motrix_batch::{Scene, Selection, Threads, Worlds};
use motrix_compile::{LoadOptions, load_file, load_str};
use motrix_model::ContactModel;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A model.
#[pyclass(frozen)]
pub struct LowModel {
    scene: Arc<Scene>,
}

/// Data.
#[pyclass]
pub struct LowData {
    scene: Arc<Scene>,
    single: Option<Worlds<f32>>,
    double: Option<Worlds<f64>>,
}

#[pymethods]
impl LowModel {
    #[new]
    fn new(path: &str, text: bool) -> PyResult<Self> {
        let loaded = if text {
            load_str(path, &LoadOptions::default())
        } else {
            load_file(path, &LoadOptions::default())
        };
        let loaded = loaded.map_err(|e| PyValueError::new_err(e.to_string()))?;
        let scene = Arc::new(Scene::new(Arc::new(loaded.model)));
        scene.set_options(|o| o.contact_model = ContactModel::Mujoco);
        Ok(Self { scene })
    }
}

#[pymethods]
impl LowData {
    #[new]
    fn new(model: &LowModel, count: usize, double: bool) -> Self {
        let m = Arc::clone(model.scene.model());
        Self {
            scene: Arc::clone(&model.scene),
            single: (!double).then(|| Worlds::new(Arc::clone(&m), count)),
            double: double.then(|| Worlds::new(m, count)),
        }
    }
    fn set(
        &mut self,
        world: usize,
        qpos: PyReadonlyArray1<f64>,
        qvel: PyReadonlyArray1<f64>,
        ctrl: PyReadonlyArray1<f64>,
    ) -> PyResult<()> {
        let parts = [(0, qpos), (1, qvel), (2, ctrl)];
        for (k, x) in parts {
            let x = x.as_slice()?.to_vec();
            if let Some(w) = &mut self.double {
                let l = w.layout().clone();
                let r = [l.qpos, l.qvel, l.ctrl][k].clone();
                w.row_mut(world)[r].copy_from_slice(&x);
            }
            if let Some(w) = &mut self.single {
                let l = w.layout().clone();
                let r = [l.qpos, l.qvel, l.ctrl][k].clone();
                for (a, b) in w.row_mut(world)[r].iter_mut().zip(&x) {
                    *a = *b as f32;
                }
            }
        }
        Ok(())
    }
    fn step(&mut self, py: Python<'_>, n: usize, threads: usize) -> PyResult<()> {
        let t = Threads::AtMost(threads);
        py.detach(|| {
            if let Some(w) = &mut self.double {
                self.scene.step(w, Selection::All, n, t).unwrap();
            }
            if let Some(w) = &mut self.single {
                self.scene.step(w, Selection::All, n, t).unwrap();
            }
        });
        Ok(())
    }
    fn rebase(&mut self) {
        if let Some(w) = &mut self.double {
            w.rebase(Selection::All);
        }
        if let Some(w) = &mut self.single {
            w.rebase(Selection::All);
        }
    }
    fn state<'py>(&self, py: Python<'py>, world: usize) -> Bound<'py, PyArray1<f64>> {
        let row: Vec<f64> = match (&self.double, &self.single) {
            (Some(w), _) => w.row(world).to_vec(),
            (_, Some(w)) => w.row(world).iter().map(|x| f64::from(*x)).collect(),
            _ => vec![],
        };
        PyArray1::from_vec(py, row)
    }
    fn low<'py>(&self, py: Python<'py>, world: usize) -> PyResult<HashMap<&'static str, Py<PyAny>>> {
        let arrays = match (&self.double, &self.single) {
            (Some(w), _) => self.scene.inspect(w, world),
            (_, Some(w)) => self.scene.inspect(w, world),
            _ => Ok(vec![]),
        }
        .map_err(|e| PyValueError::new_err(e.to_string()))?;
        let mut out = HashMap::new();
        for a in arrays {
            let x = PyArray1::from_vec(py, a.data).reshape(a.shape)?;
            out.insert(a.name, x.into_any().unbind());
        }
        Ok(out)
    }
}
