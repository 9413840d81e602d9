//! `Options`: settings of the simulation that may change between steps.

use std::sync::Arc;

use motrix_model::ContactModel;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::arrays;
use crate::scene::SceneCore;

/// The options of a scene.
#[pyclass(frozen, module = "motrixsim")]
pub struct Options {
    pub core: Arc<SceneCore>,
}

fn positive(value: f64, what: &str) -> PyResult<f64> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(PyValueError::new_err(format!(
        "{what} must be positive and finite, got {value}"
    )))
}

#[pymethods]
impl Options {
    #[getter]
    fn timestep(&self) -> f64 {
        self.core.scene.options().timestep
    }

    #[setter]
    fn set_timestep(&self, value: f64) -> PyResult<()> {
        let value = positive(value, "timestep")?;
        self.core.scene.set_options(|options| options.timestep = value);
        Ok(())
    }

    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let gravity = self.core.scene.options().gravity;
        arrays::model_array(py, &[3], &gravity)
    }

    #[setter]
    fn set_gravity(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let wrong = || PyTypeError::new_err("gravity: expected three numbers");
        let given = arrays::numbers::<f64>(value, "gravity").map_err(|_| wrong())?;
        let Ok(gravity) = <[f64; 3]>::try_from(given.values) else {
            return Err(wrong());
        };
        if given.shape != [3] {
            return Err(wrong());
        }
        if gravity.iter().any(|x| !x.is_finite()) {
            return Err(PyValueError::new_err("gravity must be finite"));
        }
        self.core.scene.set_options(|options| options.gravity = gravity);
        Ok(())
    }

    #[getter]
    fn max_iterations(&self) -> usize {
        self.core.scene.options().iterations
    }

    #[setter]
    fn set_max_iterations(&self, value: isize) -> PyResult<()> {
        let count = usize::try_from(value).ok().filter(|n| *n > 0);
        let count =
            count.ok_or_else(|| PyValueError::new_err(format!("max_iterations must be positive, got {value}")))?;
        self.core.scene.set_options(|options| options.iterations = count);
        Ok(())
    }

    #[getter]
    fn solver_tolerance(&self) -> f64 {
        self.core.scene.options().tolerance
    }

    #[setter]
    fn set_solver_tolerance(&self, value: f64) -> PyResult<()> {
        let value = positive(value, "solver_tolerance")?;
        self.core.scene.set_options(|options| options.tolerance = value);
        Ok(())
    }

    #[getter]
    fn disable_gravity(&self) -> bool {
        self.core.scene.options().disable.gravity
    }

    #[setter]
    fn set_disable_gravity(&self, value: bool) {
        self.core.scene.set_options(|options| options.disable.gravity = value);
    }

    #[getter]
    fn disable_contacts(&self) -> bool {
        self.core.scene.options().disable.contact
    }

    #[setter]
    fn set_disable_contacts(&self, value: bool) {
        self.core.scene.set_options(|options| options.disable.contact = value);
    }

    #[getter]
    fn contact_model(&self) -> &'static str {
        match self.core.scene.options().contact_model {
            ContactModel::Firm => "firm",
            ContactModel::Mujoco => "mujoco",
        }
    }

    #[setter]
    fn set_contact_model(&self, value: &str) -> PyResult<()> {
        let model = match value {
            "firm" => ContactModel::Firm,
            "mujoco" => ContactModel::Mujoco,
            other => {
                return Err(PyValueError::new_err(format!(
                    "unknown contact model {other:?}, expected \"firm\" or \"mujoco\""
                )));
            }
        };
        self.core.scene.set_options(|options| options.contact_model = model);
        Ok(())
    }

    fn __repr__(&self) -> String {
        let options = self.core.scene.options();
        format!(
            "Options(timestep={}, gravity={:?}, max_iterations={}, solver_tolerance={}, disable_gravity={}, \
             disable_contacts={}, contact_model={:?})",
            options.timestep,
            options.gravity,
            options.iterations,
            options.tolerance,
            python_bool(options.disable.gravity),
            python_bool(options.disable.contact),
            match options.contact_model {
                ContactModel::Firm => "firm",
                ContactModel::Mujoco => "mujoco",
            },
        )
    }
}

fn python_bool(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}
