//! Switches for reports that cost time in every step.
//!
//! Results are computed when first asked for and kept from then on, so no report has to be announced. The switches exist for
//! programs that set them; they are remembered and change nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;

use crate::scene::SceneCore;

/// Which reports were asked for.
#[derive(Default)]
pub struct Reports {
    pub contacting_geoms: AtomicBool,
    pub contact_forces: AtomicBool,
    pub constraints: AtomicBool,
}

/// The switches of a scene.
#[pyclass(frozen, module = "motrixsim")]
pub struct ReportFlags {
    pub core: Arc<SceneCore>,
}

#[pymethods]
impl ReportFlags {
    #[getter]
    fn contacting_geoms(&self) -> bool {
        self.core.reports.contacting_geoms.load(Ordering::Relaxed)
    }

    #[setter]
    fn set_contacting_geoms(&self, value: bool) {
        self.core.reports.contacting_geoms.store(value, Ordering::Relaxed);
    }

    #[getter]
    fn contact_forces(&self) -> bool {
        self.core.reports.contact_forces.load(Ordering::Relaxed)
    }

    #[setter]
    fn set_contact_forces(&self, value: bool) {
        self.core.reports.contact_forces.store(value, Ordering::Relaxed);
    }

    fn __repr__(&self) -> String {
        format!(
            "ReportFlags(contacting_geoms={}, contact_forces={})",
            self.contacting_geoms(),
            self.contact_forces()
        )
    }
}
