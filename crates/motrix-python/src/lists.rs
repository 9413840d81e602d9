//! The lists of objects of a model, made when first asked for, and the look-ups in them.

use std::sync::Arc;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::actuator::Actuator;
use crate::body::Body;
use crate::floating_base::FloatingBase;
use crate::geom::Geom;
use crate::hfield::HField;
use crate::joint::Joint;
use crate::keyframe::Keyframe;
use crate::link::Link;
use crate::model::SceneModel;
use crate::scene::Part;
use crate::site::Site;

/// A name or a number, as the look-ups take them.
enum Key {
    Name(String),
    Index(usize),
}

impl Key {
    fn parse(key: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(name) = key.cast::<PyString>() {
            return Ok(Key::Name(name.to_string()));
        }
        if let Ok(index) = key.extract::<usize>() {
            return Ok(Key::Index(index));
        }
        let found = key.get_type().name()?.to_string();
        // The exception programs know from this API.
        Err(PyRuntimeError::new_err(format!(
            "expected a name or an index that is not negative, got {found}"
        )))
    }
}

type Positions = std::collections::HashMap<String, usize>;

/// The object that a name or an index means, if there is one.
pub fn look_up<'py, T>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    names: &Positions,
    list: &[Py<T>],
) -> PyResult<Option<Bound<'py, T>>> {
    let index = match Key::parse(key)? {
        Key::Name(name) => names.get(&name).copied(),
        Key::Index(index) => Some(index),
    };
    Ok(index.and_then(|i| list.get(i)).map(|object| object.bind(py).clone()))
}

/// References to all objects of a list.
pub fn copies<'py, T>(py: Python<'py>, list: &[Py<T>]) -> Vec<Bound<'py, T>> {
    list.iter().map(|object| object.bind(py).clone()).collect()
}

impl SceneModel {
    /// Makes all objects of a kind.
    fn parts<T>(&self, count: usize, make: impl Fn(Part) -> PyResult<Py<T>>) -> PyResult<Vec<Py<T>>> {
        let part = |index| Part {
            core: Arc::clone(&self.core),
            index,
        };
        (0..count).map(|index| make(part(index))).collect()
    }

    /// All links.
    pub fn all_links(&self, py: Python<'_>) -> PyResult<&[Py<Link>]> {
        let make = || self.parts(self.core.model().bodies.len() - 1, |part| Py::new(py, Link { part }));
        Ok(self.links.get_or_try_init(py, make)?)
    }

    /// All trees.
    pub fn all_bodies(&self, py: Python<'_>) -> PyResult<&[Py<Body>]> {
        let make = || self.parts(self.core.structure.bodies.len(), |part| Py::new(py, Body { part }));
        Ok(self.bodies.get_or_try_init(py, make)?)
    }

    /// All joints.
    pub fn all_joints(&self, py: Python<'_>) -> PyResult<&[Py<Joint>]> {
        let make = || self.parts(self.core.structure.joints.len(), |part| Py::new(py, Joint { part }));
        Ok(self.joints.get_or_try_init(py, make)?)
    }

    /// All floating bases.
    pub fn all_floating_bases(&self, py: Python<'_>) -> PyResult<&[Py<FloatingBase>]> {
        let count = self.core.structure.floating_bases.len();
        let make = || self.parts(count, |part| Py::new(py, FloatingBase { part }));
        Ok(self.floating_bases.get_or_try_init(py, make)?)
    }

    /// All geoms.
    pub fn all_geoms(&self, py: Python<'_>) -> PyResult<&[Py<Geom>]> {
        let make = || self.parts(self.core.model().geoms.len(), |part| Geom::of_kind(py, part));
        Ok(self.geoms.get_or_try_init(py, make)?)
    }

    /// All sites.
    pub fn all_sites(&self, py: Python<'_>) -> PyResult<&[Py<Site>]> {
        let make = || self.parts(self.core.model().sites.len(), |part| Py::new(py, Site { part }));
        Ok(self.sites.get_or_try_init(py, make)?)
    }

    /// All actuators.
    pub fn all_actuators(&self, py: Python<'_>) -> PyResult<&[Py<Actuator>]> {
        let make = || self.parts(self.core.model().actuators.len(), |part| Actuator::of_kind(py, part));
        Ok(self.actuators.get_or_try_init(py, make)?)
    }

    /// All height fields.
    pub fn all_hfields(&self, py: Python<'_>) -> PyResult<&[Py<HField>]> {
        let make = || self.parts(self.core.model().hfields.len(), |part| Py::new(py, HField { part }));
        Ok(self.hfields.get_or_try_init(py, make)?)
    }

    /// All keyframes.
    pub fn all_keyframes(&self, py: Python<'_>) -> PyResult<&[Py<Keyframe>]> {
        let make = || self.parts(self.core.model().keyframes.len(), |part| Py::new(py, Keyframe { part }));
        Ok(self.keyframes.get_or_try_init(py, make)?)
    }
}
