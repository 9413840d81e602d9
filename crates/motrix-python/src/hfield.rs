//! `HField`: a height field asset.

use motrix_collide::HeightField;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::arrays;
use crate::model::SceneModel;
use crate::scene::{Part, describe};

/// A height field.
#[pyclass(frozen, eq, hash, module = "motrixsim")]
#[derive(PartialEq, Eq, Hash)]
pub struct HField {
    pub part: Part,
}

impl HField {
    fn of_model(&self) -> &motrix_model::HField {
        &self.part.model().hfields[self.part.index]
    }

    fn field(&self) -> &HeightField {
        &self.of_model().field
    }

    fn heights(&self) -> Vec<f64> {
        let scale = self.field().size().elevation_z;
        self.field().heights().iter().map(|h| f64::from(*h) * scale).collect()
    }
}

#[pymethods]
impl HField {
    #[getter]
    fn name(&self) -> &str {
        &self.of_model().name
    }

    #[getter]
    fn index(&self) -> usize {
        self.part.index
    }

    #[getter]
    fn model<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, SceneModel>> {
        self.part.scene(py)
    }

    #[getter]
    fn nrow(&self) -> usize {
        self.field().nrow()
    }

    #[getter]
    fn ncol(&self) -> usize {
        self.field().ncol()
    }

    #[getter]
    fn bound<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let size = self.field().size();
        let highest = self.heights().into_iter().fold(0.0, f64::max);
        let bound = [
            -size.radius_x,
            -size.radius_y,
            0.0,
            size.radius_x,
            size.radius_y,
            highest,
        ];
        arrays::model_array(py, &[6], &bound)
    }

    #[getter]
    fn height_matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::model_array(py, &[self.nrow(), self.ncol()], &self.heights())
    }

    fn get(&self, row: isize, col: isize) -> PyResult<f64> {
        let (nrow, ncol) = (self.nrow(), self.ncol());
        let inside = |i: isize, n: usize| usize::try_from(i).ok().filter(|i| *i < n);
        let (Some(row), Some(col)) = (inside(row, nrow), inside(col, ncol)) else {
            return Err(PyIndexError::new_err(format!(
                "node ({row}, {col}) is outside of the grid of {nrow} rows and {ncol} columns"
            )));
        };
        Ok(f64::from(self.field().node(row, col)[2] as f32))
    }

    fn __repr__(&self) -> String {
        describe("HField", Some(&self.of_model().name), self.part.index)
    }
}
