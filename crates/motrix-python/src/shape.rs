//! `Shape`: the kind of a geom.

use motrix_model::{Geom, GeomKind};
use pyo3::prelude::*;

/// The kind of a geom, as the file writes it.
#[pyclass(frozen, eq, eq_int, hash, module = "motrixsim")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    Sphere,
    Cylinder,
    Capsule,
    Cuboid,
    Ellipsoid,
    InfinitePlane,
    HField,
    Mesh,
    Sdf,
    Plane,
}

impl Shape {
    const ALL: [Shape; 10] = [
        Shape::Sphere,
        Shape::Cylinder,
        Shape::Capsule,
        Shape::Cuboid,
        Shape::Ellipsoid,
        Shape::InfinitePlane,
        Shape::HField,
        Shape::Mesh,
        Shape::Sdf,
        Shape::Plane,
    ];

    /// The kind of a geom of the model.
    pub fn of(geom: &Geom) -> Self {
        match geom.kind {
            GeomKind::Plane if geom.size[0] > 0.0 && geom.size[1] > 0.0 => Shape::Plane,
            GeomKind::Plane => Shape::InfinitePlane,
            GeomKind::HField(_) => Shape::HField,
            GeomKind::Sphere => Shape::Sphere,
            GeomKind::Capsule => Shape::Capsule,
            GeomKind::Ellipsoid => Shape::Ellipsoid,
            GeomKind::Cylinder => Shape::Cylinder,
            GeomKind::Box => Shape::Cuboid,
            GeomKind::Mesh(_) => Shape::Mesh,
        }
    }
}

#[pymethods]
impl Shape {
    #[staticmethod]
    fn types() -> Vec<Shape> {
        Self::ALL.to_vec()
    }

    #[staticmethod]
    fn type_names() -> Vec<&'static str> {
        vec![
            "sphere",
            "cylinder",
            "capsule",
            "cuboid",
            "ellipsoid",
            "infiniteplane",
            "hfield",
            "mesh",
            "sdf",
            "plane",
        ]
    }
}
