//! `SceneModel`: the compiled scene and its lists of objects.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use motrix_batch::Output;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::actuator::Actuator;
use crate::arrays;
use crate::body::Body;
use crate::camera::CameraMgr;
use crate::contact_query::ContactQuery;
use crate::data::SceneData;
use crate::floating_base::FloatingBase;
use crate::geom::Geom;
use crate::hfield::HField;
use crate::joint::Joint;
use crate::keyframe::Keyframe;
use crate::link::Link;
use crate::link_results::LinkChoice;
use crate::lists::{copies, look_up};
use crate::load::LoadProblem;
use crate::low::LowModel;
use crate::module::threads;
use crate::options::Options;
use crate::reports::ReportFlags;
use crate::scene::SceneCore;
use crate::site::Site;

/// The scene. Objects are made once and kept, so that `model.get_link("a") is model.get_link("a")`.
#[pyclass(frozen, weakref, module = "motrixsim")]
pub struct SceneModel {
    pub core: Arc<SceneCore>,
    pub(crate) links: PyOnceLock<Vec<Py<Link>>>,
    pub(crate) bodies: PyOnceLock<Vec<Py<Body>>>,
    pub(crate) joints: PyOnceLock<Vec<Py<Joint>>>,
    pub(crate) floating_bases: PyOnceLock<Vec<Py<FloatingBase>>>,
    pub(crate) geoms: PyOnceLock<Vec<Py<Geom>>>,
    pub(crate) sites: PyOnceLock<Vec<Py<Site>>>,
    pub(crate) actuators: PyOnceLock<Vec<Py<Actuator>>>,
    pub(crate) hfields: PyOnceLock<Vec<Py<HField>>>,
    pub(crate) keyframes: PyOnceLock<Vec<Py<Keyframe>>>,
}

impl SceneModel {
    /// The object of a scene.
    pub fn new(core: Arc<SceneCore>) -> Self {
        Self {
            core,
            links: PyOnceLock::new(),
            bodies: PyOnceLock::new(),
            joints: PyOnceLock::new(),
            floating_bases: PyOnceLock::new(),
            geoms: PyOnceLock::new(),
            sites: PyOnceLock::new(),
            actuators: PyOnceLock::new(),
            hfields: PyOnceLock::new(),
            keyframes: PyOnceLock::new(),
        }
    }
}

#[pymethods]
impl SceneModel {
    #[getter]
    fn name(&self) -> &str {
        &self.core.model().name
    }

    #[getter]
    fn options(&self) -> Options {
        Options {
            core: Arc::clone(&self.core),
        }
    }

    #[getter]
    fn reports(&self) -> ReportFlags {
        ReportFlags {
            core: Arc::clone(&self.core),
        }
    }

    #[getter]
    fn load_report(&self) -> Vec<LoadProblem> {
        self.core.load_report.entries.iter().map(LoadProblem::of).collect()
    }

    #[getter]
    fn low(&self) -> LowModel {
        LowModel::of(Arc::clone(&self.core))
    }

    #[getter]
    fn cameras(&self) -> CameraMgr {
        CameraMgr {
            core: Arc::clone(&self.core),
        }
    }

    #[getter]
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Link>>> {
        Ok(copies(py, self.all_links(py)?))
    }

    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Body>>> {
        Ok(copies(py, self.all_bodies(py)?))
    }

    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Joint>>> {
        Ok(copies(py, self.all_joints(py)?))
    }

    #[getter]
    fn floating_bases<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, FloatingBase>>> {
        Ok(copies(py, self.all_floating_bases(py)?))
    }

    #[getter]
    fn geoms<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Geom>>> {
        Ok(copies(py, self.all_geoms(py)?))
    }

    #[getter]
    fn sites<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Site>>> {
        Ok(copies(py, self.all_sites(py)?))
    }

    #[getter]
    fn actuators<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Actuator>>> {
        Ok(copies(py, self.all_actuators(py)?))
    }

    #[getter]
    fn keyframes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Keyframe>>> {
        Ok(copies(py, self.all_keyframes(py)?))
    }

    #[getter]
    fn link_names(&self) -> Vec<Option<&str>> {
        let bodies = self.core.model().bodies.iter().skip(1);
        bodies.map(|body| body.name.as_deref()).collect()
    }

    #[getter]
    fn body_names(&self) -> Vec<Option<&str>> {
        let model = self.core.model();
        let roots = self.core.structure.bodies.iter().map(|body| body.root.index());
        roots.map(|root| model.bodies[root].name.as_deref()).collect()
    }

    #[getter]
    fn joint_names(&self) -> Vec<Option<&str>> {
        let model = self.core.model();
        let joints = self.core.structure.joints.iter();
        joints.map(|&joint| model.joints[joint].name.as_deref()).collect()
    }

    #[getter]
    fn geom_names(&self) -> Vec<Option<&str>> {
        self.core
            .model()
            .geoms
            .iter()
            .map(|geom| geom.name.as_deref())
            .collect()
    }

    #[getter]
    fn site_names(&self) -> Vec<Option<&str>> {
        self.core
            .model()
            .sites
            .iter()
            .map(|site| site.name.as_deref())
            .collect()
    }

    #[getter]
    fn actuator_names(&self) -> Vec<Option<&str>> {
        let actuators = self.core.model().actuators.iter();
        actuators.map(|actuator| actuator.name.as_deref()).collect()
    }

    #[getter]
    fn num_links(&self) -> usize {
        self.core.model().bodies.len() - 1
    }

    #[getter]
    fn num_bodies(&self) -> usize {
        self.core.structure.bodies.len()
    }

    #[getter]
    fn num_joints(&self) -> usize {
        self.core.structure.joints.len()
    }

    #[getter]
    fn num_geoms(&self) -> usize {
        self.core.model().geoms.len()
    }

    #[getter]
    fn num_sites(&self) -> usize {
        self.core.model().sites.len()
    }

    #[getter]
    fn num_actuators(&self) -> usize {
        self.core.model().actuators.len()
    }

    #[getter]
    fn num_sensors(&self) -> usize {
        self.core.model().sensors.len()
    }

    #[getter]
    fn num_hfields(&self) -> usize {
        self.core.model().hfields.len()
    }

    #[getter]
    fn num_keyframes(&self) -> usize {
        self.core.model().keyframes.len()
    }

    #[getter]
    fn num_dof_pos(&self) -> usize {
        self.core.model().nq()
    }

    #[getter]
    fn num_dof_vel(&self) -> usize {
        self.core.model().nv()
    }

    #[getter]
    fn joint_dof_pos_indices(&self) -> Vec<usize> {
        self.each_joint(|joint| joint.first_position)
    }

    #[getter]
    fn joint_dof_pos_nums(&self) -> Vec<usize> {
        self.each_joint(|joint| joint.kind.position_count())
    }

    #[getter]
    fn joint_dof_vel_indices(&self) -> Vec<usize> {
        self.each_joint(|joint| joint.first_dof)
    }

    #[getter]
    fn joint_dof_vel_nums(&self) -> Vec<usize> {
        self.each_joint(|joint| joint.kind.dof_count())
    }

    #[getter]
    fn joint_limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        limits(py, &self.each_joint(crate::joint::limits))
    }

    #[getter]
    fn actuator_ctrl_limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let controls = self
            .core
            .model()
            .actuators
            .iter()
            .flat_map(|actuator| &actuator.controls);
        let ranges: Vec<[f64; 2]> = controls
            .map(|control| if control.limited { control.range } else { UNLIMITED })
            .collect();
        limits(py, &ranges)
    }

    fn compute_init_dof_pos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut row = self.core.model().qpos0.clone();
        crate::keyframe::to_surface_order(self.core.model(), &mut row);
        arrays::model_array(py, &[row.len()], &row)
    }

    fn enable_constraints_report(&self) {
        self.core.reports.constraints.store(true, Ordering::Relaxed);
    }

    #[pyo3(signature = (data, num_threads = None))]
    fn step(&self, data: &Bound<'_, SceneData>, num_threads: Option<isize>) -> PyResult<()> {
        data.get().of_scene(&self.core)?;
        data.get().advance(data.py(), 1, threads(num_threads)?)
    }

    #[pyo3(signature = (data, n, num_threads = None))]
    fn step_n(&self, data: &Bound<'_, SceneData>, n: isize, num_threads: Option<isize>) -> PyResult<()> {
        data.get().of_scene(&self.core)?;
        let count = usize::try_from(n);
        let count = count.map_err(|_| PyValueError::new_err(format!("n: the number of steps cannot be {n}")))?;
        data.get().advance(data.py(), count, threads(num_threads)?)
    }

    fn forward_kinematic(&self, data: &Bound<'_, SceneData>) -> PyResult<()> {
        data.get().of_scene(&self.core)?;
        data.get().rebase(data.py());
        Ok(())
    }

    fn get_link<'py>(&self, arg: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, Link>>> {
        let py = arg.py();
        look_up(py, arg, &self.core.structure.names.links, self.all_links(py)?)
    }

    fn get_body<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, Body>>> {
        let py = key.py();
        look_up(py, key, &self.core.structure.names.bodies, self.all_bodies(py)?)
    }

    fn get_joint<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, Joint>>> {
        let py = key.py();
        look_up(py, key, &self.core.structure.names.joints, self.all_joints(py)?)
    }

    fn get_geom<'py>(&self, arg: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, Geom>>> {
        let py = arg.py();
        look_up(py, arg, &self.core.structure.names.geoms, self.all_geoms(py)?)
    }

    fn get_site<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, Site>>> {
        let py = key.py();
        look_up(py, key, &self.core.structure.names.sites, self.all_sites(py)?)
    }

    fn get_actuator<'py>(&self, arg: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, Actuator>>> {
        let py = arg.py();
        look_up(py, arg, &self.core.structure.names.actuators, self.all_actuators(py)?)
    }

    fn get_hfield<'py>(&self, arg: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, HField>>> {
        let py = arg.py();
        look_up(py, arg, &self.core.structure.names.hfields, self.all_hfields(py)?)
    }

    fn get_link_index(&self, name: &str) -> Option<usize> {
        self.core.structure.names.links.get(name).copied()
    }

    fn get_body_index(&self, name: &str) -> Option<usize> {
        self.core.structure.names.bodies.get(name).copied()
    }

    fn get_joint_index(&self, name: &str) -> Option<usize> {
        self.core.structure.names.joints.get(name).copied()
    }

    fn get_geom_index(&self, name: &str) -> Option<usize> {
        self.core.structure.names.geoms.get(name).copied()
    }

    fn get_site_index(&self, name: &str) -> Option<usize> {
        self.core.structure.names.sites.get(name).copied()
    }

    fn get_actuator_index(&self, name: &str) -> Option<usize> {
        self.core.structure.names.actuators.get(name).copied()
    }

    fn get_hfield_index(&self, name: &str) -> Option<usize> {
        self.core.structure.names.hfields.get(name).copied()
    }

    fn get_actuator_ctrls<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.core)?;
        data.get().actuator_ctrls(data.py())
    }

    fn get_camera_poses<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        crate::camera::all_poses(&self.core, data)
    }

    fn get_contact_query(&self, data: &Bound<'_, SceneData>) -> PyResult<ContactQuery> {
        data.get().of_scene(&self.core)?;
        Ok(ContactQuery::new(data.get()))
    }

    #[pyo3(signature = (data, indices = None, out = None))]
    fn get_link_net_contact_forces<'py>(
        &self,
        data: &Bound<'py, SceneData>,
        indices: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let links = LinkChoice {
            indices,
            out,
            tail: &[6],
        }
        .links(&self.core)?;
        crate::contact_query::net_forces(&self.core, data, &links, out)
    }

    #[pyo3(signature = (data, indices = None, out = None))]
    fn get_link_poses<'py>(
        &self,
        data: &Bound<'py, SceneData>,
        indices: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if indices.is_none() {
            return self.link_rows(data, Output::Poses, out);
        }
        let choice = LinkChoice {
            indices,
            out,
            tail: &[7],
        };
        self.link_numbers(data, Output::Poses, &choice, |pose| pose)
    }

    #[pyo3(signature = (data, indices = None, out = None))]
    fn get_link_rotation_mats<'py>(
        &self,
        data: &Bound<'py, SceneData>,
        indices: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        use motrix_batch::frame::{matrix, orientation};
        let choice = LinkChoice {
            indices,
            out,
            tail: &[3, 3],
        };
        self.link_numbers(data, Output::Poses, &choice, |pose| matrix(orientation(&pose)))
    }

    #[pyo3(signature = (data, indices = None, out = None))]
    fn get_link_velocities<'py>(
        &self,
        data: &Bound<'py, SceneData>,
        indices: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if indices.is_none() {
            return self.link_rows(data, Output::Velocities, out);
        }
        let choice = LinkChoice {
            indices,
            out,
            tail: &[6],
        };
        self.link_numbers(data, Output::Velocities, &choice, |[a, b, c, d, e, f, _]| {
            [a, b, c, d, e, f]
        })
    }

    #[pyo3(signature = (data, indices = None, out = None))]
    fn get_link_linear_velocities<'py>(
        &self,
        data: &Bound<'py, SceneData>,
        indices: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let choice = LinkChoice {
            indices,
            out,
            tail: &[3],
        };
        self.link_numbers(data, Output::Velocities, &choice, |[a, b, c, ..]| [a, b, c])
    }

    #[pyo3(signature = (data, indices = None, out = None))]
    fn get_link_angular_velocities<'py>(
        &self,
        data: &Bound<'py, SceneData>,
        indices: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let choice = LinkChoice {
            indices,
            out,
            tail: &[3],
        };
        self.link_numbers(data, Output::Velocities, &choice, |[_, _, _, d, e, f, _]| [d, e, f])
    }

    fn get_sensor_value<'py>(&self, id: &str, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        crate::sensor::values(&self.core, data, &[id.to_owned()])
    }

    fn get_sensor_values<'py>(&self, names: Vec<String>, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        crate::sensor::values(&self.core, data, &names)
    }

    fn get_gravity_override<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.core)?;
        crate::overrides::gravity(data)
    }

    fn set_gravity_override(&self, data: &Bound<'_, SceneData>, gravity: &Bound<'_, PyAny>) -> PyResult<()> {
        data.get().of_scene(&self.core)?;
        crate::overrides::set_gravity(data, gravity)
    }

    /// What a notebook shows: the model in its first key frame.
    fn _repr_png_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("motrixsim.render")?.call_method1("portrait", (slf,))
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::pickle::reduce_model(py, &self.core)
    }

    fn __repr__(&self) -> String {
        let model = self.core.model();
        let (links, nq, nv, nu) = (self.num_links(), model.nq(), model.nv(), model.control_count);
        format!(
            "<motrixsim.SceneModel {:?} links={links} dof_pos={nq} dof_vel={nv} ctrls={nu}>",
            model.name
        )
    }
}

impl SceneModel {
    fn each_joint<T>(&self, number: impl Fn(&motrix_model::Joint) -> T) -> Vec<T> {
        let model = self.core.model();
        let joints = self.core.structure.joints.iter();
        joints.map(|&joint| number(&model.joints[joint])).collect()
    }
}

/// The range of what has no limits.
pub const UNLIMITED: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// Lower limits in the first row, upper ones in the second.
fn limits<'py>(py: Python<'py>, ranges: &[[f64; 2]]) -> PyResult<Bound<'py, PyAny>> {
    let rows = [0, 1].map(|side| ranges.iter().map(move |range| range[side]));
    let values: Vec<f64> = rows.into_iter().flatten().collect();
    arrays::model_array(py, &[2, ranges.len()], &values)
}
