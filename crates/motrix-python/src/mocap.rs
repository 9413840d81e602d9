//! `Mocap`: a body that the program places by hand.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{self, PerWorld, doubles};
use crate::body::Body;
use crate::data::SceneData;
use crate::floating_base::normalised;
use crate::in_precision;
use crate::model::SceneModel;
use crate::scene::{Part, describe};

/// A mocap body; the part is its tree.
#[pyclass(frozen, eq, hash, module = "motrixsim")]
#[derive(PartialEq, Eq, Hash)]
pub struct Mocap {
    pub part: Part,
}

impl Mocap {
    fn root(&self) -> &motrix_model::Body {
        let root = self.part.core.structure.bodies[self.part.index].root;
        &self.part.model().bodies[root.index()]
    }
}

#[pymethods]
impl Mocap {
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Body>> {
        let scene = self.part.scene(py)?;
        Ok(scene.get().all_bodies(py)?[self.part.index].bind(py).clone())
    }

    #[getter]
    fn model<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, SceneModel>> {
        self.part.scene(py)
    }

    fn set_pose(&self, data: &Bound<'_, SceneData>, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let Some(mocap) = self.root().mocap else {
            return Err(PyValueError::new_err("the body is not a mocap body"));
        };
        in_precision!(data.store, worlds => {
            let rows: PerWorld<_> = data.input_or_flat::<E>(pose, &[7], "pose")?;
            let bad = |row: &[_]| normalised(doubles(&row[3..])).is_none();
            if let Some(k) = rows.rows().position(bad) {
                return Err(PyValueError::new_err(format!("pose: the quaternion of row {k} is not a rotation")));
            }
            let mut worlds = worlds.lock(py);
            for (k, world) in data.pick.worlds().enumerate() {
                let row = rows.row(k);
                if let Some(q) = normalised(doubles(&row[3..])) {
                    worlds.place_mocap(world, mocap, [row[0], row[1], row[2]], arrays::rounded(q));
                }
            }
            Ok(())
        })
    }

    fn __repr__(&self) -> String {
        describe("Mocap", self.root().name.as_deref(), self.part.index)
    }
}
