//! What all objects of a scene share: the compiled model with its options, its structure, and settings for pictures.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use motrix_batch::Scene;
use motrix_compile::LoadReport;
use motrix_model::Model;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};

use crate::camera::{CameraSettings, RenderTarget};
use crate::model::SceneModel;
use crate::origin::Origin;
use crate::reports::Reports;
use crate::structure::Structure;

/// A loaded scene. Python objects such as links are positions in it.
pub struct SceneCore {
    /// The model and its engines.
    pub scene: Scene,
    /// Lists and names.
    pub structure: Structure,
    /// What the model was loaded from.
    pub origin: Origin,
    /// What was noticed while loading.
    pub load_report: LoadReport,
    /// Which reports are wanted.
    pub reports: Reports,
    /// What users set on cameras.
    pub cameras: Mutex<Vec<CameraSettings>>,
    /// Height fields that were written to since.
    pub changed_fields: Mutex<BTreeSet<usize>>,
    /// Where the system camera draws.
    pub system_target: Mutex<RenderTarget>,
    /// The Python object of the scene while it lives: `link.model is model`.
    object: Mutex<Option<Py<PyWeakrefReference>>>,
}

impl SceneCore {
    /// A scene of a loaded model.
    pub fn new(scene: Scene, origin: Origin, load_report: LoadReport) -> Arc<Self> {
        let model = scene.model();
        Arc::new(Self {
            structure: Structure::new(model),
            cameras: Mutex::new(model.cameras.iter().map(CameraSettings::of).collect()),
            system_target: Mutex::new(RenderTarget::Window),
            reports: Reports::default(),
            changed_fields: Mutex::default(),
            object: Mutex::new(None),
            origin,
            load_report,
            scene,
        })
    }

    /// The compiled model.
    pub fn model(&self) -> &Arc<Model> {
        self.scene.model()
    }

    /// The Python object of this scene; made anew when none is alive.
    pub fn object<'py>(self: &Arc<Self>, py: Python<'py>) -> PyResult<Bound<'py, SceneModel>> {
        let mut held = self.object.lock().unwrap_or_else(PoisonError::into_inner);
        let living = held.as_ref().and_then(|weak| weak.bind(py).upgrade());
        if let Some(living) = living {
            return Ok(living.cast_into::<SceneModel>()?);
        }
        let made = Bound::new(py, SceneModel::new(Arc::clone(self)))?;
        *held = Some(PyWeakrefReference::new(made.as_any())?.unbind());
        Ok(made)
    }
}

/// The `index`-th object of a kind in a scene.
#[derive(Clone)]
pub struct Part {
    pub core: Arc<SceneCore>,
    pub index: usize,
}

impl Part {
    /// The compiled model.
    pub fn model(&self) -> &Model {
        self.core.model()
    }

    /// The Python object of the scene.
    pub fn scene<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, SceneModel>> {
        self.core.object(py)
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.core, &other.core) && self.index == other.index
    }
}

impl Eq for Part {}

impl std::hash::Hash for Part {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (Arc::as_ptr(&self.core) as usize, self.index).hash(state);
    }
}

/// `<motrixsim.Link 'base' index=0>`.
pub fn describe(class: &str, name: Option<&str>, index: usize) -> String {
    match name {
        Some(name) => format!("<motrixsim.{class} {name:?} index={index}>"),
        None => format!("<motrixsim.{class} index={index}>"),
    }
}

/// An error of the engine as Python sees it.
pub fn engine_error(error: motrix_spatial::LaneError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
