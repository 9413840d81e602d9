//! The shapes of geoms and the sizes they have.

use motrix_batch::Overridden;
use motrix_model::GeomKind;
use pyo3::prelude::*;

use crate::arrays;
use crate::data::SceneData;
use crate::geom::Geom;
use crate::hfield::HField;
use crate::overrides::{self, Entry, positive};
use crate::terrain::{self, Reading};

/// Declares the subclasses.
macro_rules! subclasses {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[pyclass(frozen, extends = Geom, subclass, module = "motrixsim")]
        pub struct $name;
    )*};
}

subclasses! {
    /// A sphere.
    GeomSphere,
    /// A capsule.
    GeomCapsule,
    /// A cylinder.
    GeomCylinder,
    /// A box.
    GeomCuboid,
    /// An ellipsoid.
    GeomEllipsoid,
    /// A plane with the size of a picture; it collides as an infinite one.
    GeomPlane,
    /// A plane without a size.
    GeomInfinitePlane,
    /// A mesh.
    GeomMesh,
    /// A height field.
    GeomHField,
}

/// The sizes of a geom that may be overridden.
fn size_entry<'a>(geom: &Geom, tail: &'a [usize]) -> Entry<'a> {
    let first = 3 * geom.part.index;
    Entry {
        field: Overridden::GeomSize,
        columns: first..first + tail[0],
        tail,
        name: "size",
    }
}

fn size<'py>(geom: &Geom, data: &Bound<'py, SceneData>, tail: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    data.get().of_scene(&geom.part.core)?;
    overrides::read(data, &size_entry(geom, tail))
}

fn set_size(geom: &Geom, data: &Bound<'_, SceneData>, value: &Bound<'_, PyAny>, tail: &[usize]) -> PyResult<()> {
    data.get().of_scene(&geom.part.core)?;
    let (index, kind) = (geom.part.index, geom.of_model().kind);
    overrides::write_then(data, value, &size_entry(geom, tail), positive, |size, out| {
        out.push((Overridden::BoundingRadius, index, bounding_radius(kind, size)));
    })
}

/// The radius of a ball around the geom's frame that holds the shape.
fn bounding_radius(kind: GeomKind, size: &[f64]) -> f64 {
    let norm = |size: &[f64]| size.iter().map(|x| x * x).sum::<f64>().sqrt();
    match kind {
        GeomKind::Capsule => size[0] + size[1],
        GeomKind::Ellipsoid => size.iter().copied().fold(0.0, f64::max),
        _ => norm(size),
    }
}

fn length(geom: &Geom, axis: usize) -> f64 {
    f64::from(geom.of_model().size[axis] as f32)
}

#[pymethods]
impl GeomSphere {
    #[getter]
    fn radius(slf: PyRef<'_, Self>) -> f64 {
        length(slf.as_super(), 0)
    }

    fn get_size_override<'py>(slf: PyRef<'py, Self>, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        size(slf.as_super(), data, &[1])
    }

    fn set_size_override(slf: PyRef<'_, Self>, data: &Bound<'_, SceneData>, size: &Bound<'_, PyAny>) -> PyResult<()> {
        set_size(slf.as_super(), data, size, &[1])
    }
}

#[pymethods]
impl GeomCapsule {
    #[getter]
    fn radius(slf: PyRef<'_, Self>) -> f64 {
        length(slf.as_super(), 0)
    }

    #[getter]
    fn half_height(slf: PyRef<'_, Self>) -> f64 {
        length(slf.as_super(), 1)
    }

    fn get_size_override<'py>(slf: PyRef<'py, Self>, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        size(slf.as_super(), data, &[2])
    }

    fn set_size_override(slf: PyRef<'_, Self>, data: &Bound<'_, SceneData>, size: &Bound<'_, PyAny>) -> PyResult<()> {
        set_size(slf.as_super(), data, size, &[2])
    }
}

#[pymethods]
impl GeomCylinder {
    #[getter]
    fn radius(slf: PyRef<'_, Self>) -> f64 {
        length(slf.as_super(), 0)
    }

    #[getter]
    fn half_height(slf: PyRef<'_, Self>) -> f64 {
        length(slf.as_super(), 1)
    }

    fn get_size_override<'py>(slf: PyRef<'py, Self>, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        size(slf.as_super(), data, &[2])
    }

    fn set_size_override(slf: PyRef<'_, Self>, data: &Bound<'_, SceneData>, size: &Bound<'_, PyAny>) -> PyResult<()> {
        set_size(slf.as_super(), data, size, &[2])
    }
}

#[pymethods]
impl GeomCuboid {
    #[getter]
    fn half_extents<'py>(slf: PyRef<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        arrays::model_array(py, &[3], &slf.as_super().of_model().size)
    }

    fn get_size_override<'py>(slf: PyRef<'py, Self>, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        size(slf.as_super(), data, &[3])
    }

    fn set_size_override(slf: PyRef<'_, Self>, data: &Bound<'_, SceneData>, size: &Bound<'_, PyAny>) -> PyResult<()> {
        set_size(slf.as_super(), data, size, &[3])
    }
}

#[pymethods]
impl GeomEllipsoid {
    #[getter]
    fn half_extents<'py>(slf: PyRef<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        arrays::model_array(py, &[3], &slf.as_super().of_model().size)
    }

    fn get_size_override<'py>(slf: PyRef<'py, Self>, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        size(slf.as_super(), data, &[3])
    }

    fn set_size_override(slf: PyRef<'_, Self>, data: &Bound<'_, SceneData>, size: &Bound<'_, PyAny>) -> PyResult<()> {
        set_size(slf.as_super(), data, size, &[3])
    }
}

#[pymethods]
impl GeomMesh {
    #[getter]
    fn mesh_name(slf: PyRef<'_, Self>) -> Option<String> {
        let geom: &Geom = slf.as_super();
        let GeomKind::Mesh(mesh) = geom.of_model().kind else {
            return None;
        };
        Some(geom.part.model().meshes[mesh.index()].name.clone())
    }

    #[getter]
    fn mesh_scale<'py>(slf: PyRef<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = slf.py();
        let geom: &Geom = slf.as_super();
        let GeomKind::Mesh(mesh) = geom.of_model().kind else {
            return Ok(None);
        };
        let scale = geom.part.model().meshes[mesh.index()].scale;
        (scale != [1.0; 3])
            .then(|| arrays::model_array(py, &[3], &scale))
            .transpose()
    }
}

#[pymethods]
impl GeomHField {
    #[getter]
    fn hfield<'py>(slf: PyRef<'py, Self>) -> PyResult<Option<Bound<'py, HField>>> {
        let py = slf.py();
        let geom: &Geom = slf.as_super();
        let GeomKind::HField(field) = geom.of_model().kind else {
            return Ok(None);
        };
        let scene = geom.part.scene(py)?;
        Ok(Some(scene.get().all_hfields(py)?[field.index()].bind(py).clone()))
    }

    #[pyo3(signature = (data, xy, out = None, interp = "bilinear"))]
    fn sample_height<'py>(
        slf: PyRef<'py, Self>,
        data: &Bound<'py, SceneData>,
        xy: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
        interp: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let how = terrain::interpolation(interp)?;
        terrain::sample(slf.as_super(), data, xy, Reading::Height, how, out)
    }

    #[pyo3(signature = (data, xy, out = None, interp = "surface"))]
    fn sample_normal<'py>(
        slf: PyRef<'py, Self>,
        data: &Bound<'py, SceneData>,
        xy: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
        interp: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let how = terrain::interpolation(interp)?;
        terrain::sample(slf.as_super(), data, xy, Reading::Normal, how, out)
    }

    #[pyo3(signature = (data, origin, z_scale = None, shape = None), text_signature = "($self, data, origin, z_scale=1.0, shape=None)")]
    fn set_window_override(
        slf: PyRef<'_, Self>,
        data: &Bound<'_, SceneData>,
        origin: &Bound<'_, PyAny>,
        z_scale: Option<&Bound<'_, PyAny>>,
        shape: Option<[usize; 2]>,
    ) -> PyResult<()> {
        let one = pyo3::types::PyFloat::new(slf.py(), 1.0).into_any();
        crate::terrain_window::set(slf.as_super(), data, origin, z_scale.unwrap_or(&one), shape)
    }

    fn get_window_override<'py>(
        slf: PyRef<'py, Self>,
        data: &Bound<'py, SceneData>,
    ) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
        crate::terrain_window::get(slf.as_super(), data)
    }
}
