//! `HField`: a height field asset.

use std::sync::PoisonError;

use motrix_collide::{HeightField, HeightFieldError};
use pyo3::exceptions::{PyIndexError, PyValueError};
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
        self.field()
            .heights()
            .into_iter()
            .map(|h| f64::from(h) * scale)
            .collect()
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
        let highest = f64::from(self.field().all_extremes().max).max(0.0) * size.elevation_z;
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

    fn update(&self, row: isize, col: isize, block: &Bound<'_, PyAny>) -> PyResult<()> {
        let given = arrays::numbers::<f64>(block, "block")?;
        let [rows, cols] = given.shape[..] else {
            let shape = arrays::shape_text(&given.shape);
            return Err(PyValueError::new_err(format!(
                "block: expected two dimensions, got shape {shape}"
            )));
        };
        let (nrow, ncol) = (self.nrow(), self.ncol());
        let (Ok(first_row), Ok(first_col)) = (usize::try_from(row), usize::try_from(col)) else {
            return Err(PyIndexError::new_err(format!(
                "node ({row}, {col}) is outside of the grid of {nrow} rows and {ncol} columns"
            )));
        };
        let scale = self.field().size().elevation_z;
        let numbers: Vec<f32> = given.values.iter().map(|metres| (metres / scale) as f32).collect();
        let done = self.field().update(first_row, first_col, rows, &numbers);
        done.map_err(|error| match error {
            HeightFieldError::OutOfGrid => PyIndexError::new_err(format!(
                "a block of {rows} x {cols} nodes at ({row}, {col}) reaches beyond the grid of {nrow} rows and {ncol} columns"
            )),
            error => PyValueError::new_err(format!("block: {error}")),
        })?;
        let mut changed = self
            .part
            .core
            .changed_fields
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        changed.insert(self.part.index);
        Ok(())
    }

    fn __repr__(&self) -> String {
        describe("HField", Some(&self.of_model().name), self.part.index)
    }
}
