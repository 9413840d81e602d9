//! Which lanes the engine computes in, as Python sees it.

use motrix_spatial::{LaneKind, Precision};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// A lane type this process can run.
#[pyclass(frozen, get_all, eq, hash, module = "motrixsim")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LaneInfo {
    name: &'static str,
    count: usize,
    precision: &'static str,
}

impl From<LaneKind> for LaneInfo {
    fn from(kind: LaneKind) -> Self {
        let precision = match kind.precision() {
            Precision::Single => "f32",
            Precision::Double => "f64",
        };
        LaneInfo {
            name: kind.name(),
            count: kind.count(),
            precision,
        }
    }
}

#[pymethods]
impl LaneInfo {
    fn __repr__(&self) -> String {
        let LaneInfo { name, count, precision } = self;
        format!("LaneInfo(name='{name}', count={count}, precision='{precision}')")
    }
}

/// The lanes a batch of this precision computes in.
#[pyfunction]
#[pyo3(signature = (precision = "f32"))]
pub fn lane_info(precision: &str) -> PyResult<LaneInfo> {
    let precision = match precision {
        "f32" => Precision::Single,
        "f64" => Precision::Double,
        other => {
            return Err(PyValueError::new_err(format!(
                "unknown precision {other:?}, expected \"f32\" or \"f64\""
            )));
        }
    };
    let kind = LaneKind::detect(precision).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    Ok(kind.into())
}

/// Every lane type this processor can run.
#[pyfunction]
pub fn available_lanes() -> Vec<LaneInfo> {
    LaneKind::ALL
        .iter()
        .filter(|kind| kind.is_supported())
        .map(|&kind| kind.into())
        .collect()
}
