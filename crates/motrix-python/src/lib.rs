//! The Python edge of the engine: the extension module `motrixsim._core`.
//!
//! Functions here convert arguments, free the interpreter while the engine works, and convert results. No physics lives in
//! this crate. What the functions mean to a user is written once, in `python/motrixsim/_core.pyi`; `stubtest` keeps that
//! stub and this binary together.

use pyo3::prelude::*;

mod lanes;
mod scene;

/// The compiled half of the `motrixsim` package.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::lanes::{LaneInfo, available_lanes, lane_info};
    #[pymodule_export]
    use crate::scene::{LowData, LowModel};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
