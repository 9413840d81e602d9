//! The Python edge of the engine: the extension module `motrixsim._core`.
//!
//! Functions here convert arguments, free the interpreter while the engine works, and convert results. No physics lives in
//! this crate. What the functions mean to a user is written once, in `python/motrixsim/_core.pyi`; `stubtest` keeps that
//! stub and this binary together.
//!
//! One file per class. A Python object such as a link is a position in a shared scene (`scene::Part`); data are a selection of
//! worlds (`selection::Pick`) in a shared store (`store::Store`).

use pyo3::prelude::*;

mod actuator;
mod actuator_kinds;
mod arrays;
mod body;
mod camera;
mod contact_query;
mod data;
mod floating_base;
mod geom;
mod geom_shapes;
mod health;
mod hfield;
mod inertia_override;
mod joint;
mod keyframe;
mod lanes;
mod link;
mod link_results;
mod lists;
mod load;
mod low;
mod mocap;
mod model;
mod module;
mod options;
mod origin;
mod overrides;
mod painter;
mod pickle;
mod proximity;
mod raycast;
mod reports;
mod scene;
mod selection;
mod sensor;
mod shape;
mod site;
mod store;
mod structure;
mod terrain;
mod terrain_cuts;
mod terrain_window;
mod views;

/// The compiled half of the `motrixsim` package.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::actuator::{Actuator, DampingType};
    #[pymodule_export]
    use crate::actuator_kinds::{
        ActuatorOverrideDampingTypeError, ActuatorOverrideError, ActuatorOverrideInvalidValueError,
        ActuatorOverrideUnsupportedTypeError, AdhesionActuator, GeneralActuator, MotorActuator, PositionActuator,
        VelocityActuator,
    };
    #[pymodule_export]
    use crate::body::Body;
    #[pymodule_export]
    use crate::camera::{Camera, CameraMgr};
    #[pymodule_export]
    use crate::contact_query::ContactQuery;
    #[pymodule_export]
    use crate::data::SceneData;
    #[pymodule_export]
    use crate::floating_base::FloatingBase;
    #[pymodule_export]
    use crate::geom::Geom;
    #[pymodule_export]
    use crate::geom_shapes::{
        GeomCapsule, GeomCuboid, GeomCylinder, GeomEllipsoid, GeomHField, GeomInfinitePlane, GeomMesh, GeomPlane,
        GeomSphere,
    };
    #[pymodule_export]
    use crate::hfield::HField;
    #[pymodule_export]
    use crate::joint::Joint;
    #[pymodule_export]
    use crate::keyframe::Keyframe;
    #[pymodule_export]
    use crate::lanes::{LaneInfo, available_lanes, lane_info};
    #[pymodule_export]
    use crate::link::Link;
    #[pymodule_export]
    use crate::load::{LoadProblem, load_mjcf_str, load_model};
    #[pymodule_export]
    use crate::low::{LowData, LowModel};
    #[pymodule_export]
    use crate::mocap::Mocap;
    #[pymodule_export]
    use crate::model::SceneModel;
    #[pymodule_export]
    use crate::module::{forward_kinematic, init_thread_pool, real_dtype, step};
    #[pymodule_export]
    use crate::options::Options;
    #[pymodule_export]
    use crate::painter::Painter;
    #[pymodule_export]
    use crate::pickle::{_rebuild_data, _rebuild_model};
    #[pymodule_export]
    use crate::proximity::_GeomPairs;
    #[pymodule_export]
    use crate::raycast::raycast;
    #[pymodule_export]
    use crate::reports::ReportFlags;
    #[pymodule_export]
    use crate::selection::DisjointIndices;
    #[pymodule_export]
    use crate::shape::Shape;
    #[pymodule_export]
    use crate::site::Site;
    #[pymodule_export]
    use crate::terrain::TerrainScanner;
    #[pymodule_export]
    use crate::views::DataViews;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
