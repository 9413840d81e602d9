//! The engine's own numbers under MuJoCo's names: fields of `mjModel`, and every intermediate of a forward pass.

use std::collections::BTreeMap;
use std::sync::Arc;

use motrix_batch::low::Array;
use motrix_model::{JointKind, Model};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrays;
use crate::data::SceneData;
use crate::each;
use crate::scene::{SceneCore, engine_error};
use crate::selection::Pick;

/// Fields of the compiled model.
#[pyclass(frozen, module = "motrixsim")]
pub struct LowModel {
    pub core: Arc<SceneCore>,
}

/// Columns of a list of objects as one array.
fn columns<'a, T, const N: usize>(list: &'a [T], numbers: impl Fn(&'a T) -> [f64; N]) -> (Vec<usize>, Vec<f64>) {
    let values = list.iter().flat_map(numbers).collect();
    let shape = if N == 1 { vec![list.len()] } else { vec![list.len(), N] };
    (shape, values)
}

/// A field of `mjModel`.
type Field = fn(&Model) -> (Vec<usize>, Vec<f64>);

fn id(index: Option<usize>) -> f64 {
    index.map_or(-1.0, |i| i as f64)
}

/// The fields offered, by MuJoCo's names.
const FIELDS: &[(&str, Field)] = &[
    ("nq", |m| (vec![], vec![m.nq() as f64])),
    ("nv", |m| (vec![], vec![m.nv() as f64])),
    ("nu", |m| (vec![], vec![m.control_count as f64])),
    ("na", |m| (vec![], vec![m.activation_count as f64])),
    ("nbody", |m| (vec![], vec![m.bodies.len() as f64])),
    ("njnt", |m| (vec![], vec![m.joints.len() as f64])),
    ("ngeom", |m| (vec![], vec![m.geoms.len() as f64])),
    ("nsite", |m| (vec![], vec![m.sites.len() as f64])),
    ("nsensor", |m| (vec![], vec![m.sensors.len() as f64])),
    ("nsensordata", |m| (vec![], vec![m.sensor_data_len as f64])),
    ("qpos0", |m| (vec![m.nq()], m.qpos0.clone())),
    ("qpos_spring", |m| (vec![m.nq()], m.qpos_spring.clone())),
    ("body_parentid", |m| columns(&m.bodies, |b| [b.parent.index() as f64])),
    ("body_rootid", |m| columns(&m.bodies, |b| [b.root.index() as f64])),
    ("body_weldid", |m| columns(&m.bodies, |b| [b.weld.index() as f64])),
    ("body_mocapid", |m| columns(&m.bodies, |b| [id(b.mocap)])),
    ("body_pos", |m| columns(&m.bodies, |b| b.position)),
    ("body_quat", |m| columns(&m.bodies, |b| b.orientation)),
    ("body_ipos", |m| columns(&m.bodies, |b| b.com)),
    ("body_iquat", |m| columns(&m.bodies, |b| b.inertia_orientation)),
    ("body_mass", |m| columns(&m.bodies, |b| [b.mass])),
    ("body_inertia", |m| columns(&m.bodies, |b| b.inertia)),
    ("body_subtreemass", |m| columns(&m.bodies, |b| [b.subtree_mass])),
    ("body_invweight0", |m| columns(&m.bodies, |b| b.invweight)),
    ("body_gravcomp", |m| columns(&m.bodies, |b| [b.gravcomp])),
    ("jnt_type", |m| columns(&m.joints, |j| [joint_code(j.kind)])),
    ("jnt_bodyid", |m| columns(&m.joints, |j| [j.body.index() as f64])),
    ("jnt_qposadr", |m| columns(&m.joints, |j| [j.first_position as f64])),
    ("jnt_dofadr", |m| columns(&m.joints, |j| [j.first_dof as f64])),
    ("jnt_pos", |m| columns(&m.joints, |j| j.anchor)),
    ("jnt_axis", |m| columns(&m.joints, |j| j.axis)),
    ("jnt_stiffness", |m| columns(&m.joints, |j| [j.stiffness])),
    ("jnt_limited", |m| columns(&m.joints, |j| [f64::from(j.limited)])),
    ("jnt_range", |m| columns(&m.joints, |j| j.range)),
    ("jnt_margin", |m| columns(&m.joints, |j| [j.margin])),
    ("jnt_solref", |m| columns(&m.joints, |j| j.solref)),
    ("jnt_solimp", |m| columns(&m.joints, |j| j.solimp)),
    ("jnt_actfrcrange", |m| columns(&m.joints, |j| j.actuator_force_range)),
    ("dof_bodyid", |m| columns(&m.dofs, |d| [d.body.index() as f64])),
    ("dof_jntid", |m| columns(&m.dofs, |d| [d.joint.index() as f64])),
    ("dof_parentid", |m| {
        columns(&m.dofs, |d| [id(d.parent.map(|p| p.index()))])
    }),
    ("dof_armature", |m| columns(&m.dofs, |d| [d.armature])),
    ("dof_damping", |m| columns(&m.dofs, |d| [d.damping])),
    ("dof_frictionloss", |m| columns(&m.dofs, |d| [d.frictionloss])),
    ("dof_invweight0", |m| columns(&m.dofs, |d| [d.invweight])),
    ("dof_M0", |m| columns(&m.dofs, |d| [d.inertia0])),
    ("geom_type", |m| columns(&m.geoms, |g| [f64::from(g.kind.code())])),
    ("geom_bodyid", |m| columns(&m.geoms, |g| [g.body.index() as f64])),
    ("geom_size", |m| columns(&m.geoms, |g| g.size)),
    ("geom_pos", |m| columns(&m.geoms, |g| g.position)),
    ("geom_quat", |m| columns(&m.geoms, |g| g.orientation)),
    ("geom_contype", |m| columns(&m.geoms, |g| [f64::from(g.contype)])),
    ("geom_conaffinity", |m| {
        columns(&m.geoms, |g| [f64::from(g.conaffinity)])
    }),
    ("geom_condim", |m| columns(&m.geoms, |g| [f64::from(g.condim)])),
    ("geom_priority", |m| columns(&m.geoms, |g| [f64::from(g.priority)])),
    ("geom_solmix", |m| columns(&m.geoms, |g| [g.solmix])),
    ("geom_solref", |m| columns(&m.geoms, |g| g.solref)),
    ("geom_solimp", |m| columns(&m.geoms, |g| g.solimp)),
    ("geom_friction", |m| columns(&m.geoms, |g| g.friction)),
    ("geom_margin", |m| columns(&m.geoms, |g| [g.margin])),
    ("geom_gap", |m| columns(&m.geoms, |g| [g.gap])),
    ("geom_aabb", |m| columns(&m.geoms, |g| g.aabb)),
    ("geom_rbound", |m| columns(&m.geoms, |g| [g.bounding_radius])),
    ("site_bodyid", |m| columns(&m.sites, |s| [s.body.index() as f64])),
    ("site_pos", |m| columns(&m.sites, |s| s.position)),
    ("site_quat", |m| columns(&m.sites, |s| s.orientation)),
    ("site_size", |m| columns(&m.sites, |s| s.size)),
    ("cam_bodyid", |m| columns(&m.cameras, |c| [c.body.index() as f64])),
    ("cam_pos", |m| columns(&m.cameras, |c| c.position)),
    ("cam_quat", |m| columns(&m.cameras, |c| c.orientation)),
    ("cam_fovy", |m| columns(&m.cameras, |c| [c.fovy])),
    ("actuator_gear", |m| columns(&m.actuators, |a| a.gear)),
    ("actuator_dynprm", |m| columns(&m.actuators, |a| a.dynamics_params)),
    ("actuator_gainprm", |m| columns(&m.actuators, |a| a.gain_params)),
    ("actuator_biasprm", |m| columns(&m.actuators, |a| a.bias_params)),
    ("actuator_ctrlrange", |m| columns(&m.actuators, |a| a.control_range)),
    ("actuator_forcerange", |m| columns(&m.actuators, |a| a.force_range)),
    ("actuator_acc0", |m| columns(&m.actuators, |a| [a.acc0])),
    ("actuator_length0", |m| columns(&m.actuators, |a| [a.length0])),
    ("actuator_lengthrange", |m| columns(&m.actuators, |a| a.length_range)),
    ("sensor_adr", |m| columns(&m.sensors, |s| [s.first as f64])),
    ("sensor_dim", |m| columns(&m.sensors, |s| [s.dim as f64])),
    ("sensor_cutoff", |m| columns(&m.sensors, |s| [s.cutoff])),
];

/// MuJoCo's number of a joint type.
fn joint_code(kind: JointKind) -> f64 {
    match kind {
        JointKind::Free => 0.0,
        JointKind::Ball => 1.0,
        JointKind::Slide => 2.0,
        JointKind::Hinge => 3.0,
    }
}

#[pymethods]
impl LowModel {
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let (_, field) = FIELDS
            .iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| PyAttributeError::new_err(format!("'LowModel' object has no attribute '{name}'")))?;
        let (shape, values) = field(self.core.model());
        if let ([], [count]) = (&shape[..], &values[..]) {
            return Ok((*count as usize).into_pyobject(py)?.into_any());
        }
        arrays::array(py, &shape, values)
    }

    fn __dir__(&self) -> Vec<&'static str> {
        FIELDS.iter().map(|(name, _)| *name).collect()
    }

    fn __repr__(&self) -> String {
        format!("<motrixsim.LowModel of {:?}>", self.core.model().name)
    }
}

/// Intermediates of a forward pass from the state that results describe, as they were when this object was made.
#[pyclass(frozen, module = "motrixsim")]
pub struct LowData {
    batched: bool,
    worlds: Vec<BTreeMap<&'static str, Array>>,
}

impl LowData {
    /// Evaluates the worlds of `data`.
    pub fn of(py: Python<'_>, data: &SceneData) -> PyResult<Self> {
        let mut batch = data.lock(py);
        let scene = &data.core.scene;
        let inspected: Result<Vec<Vec<Array>>, _> = each!(batch, worlds => {
            data.pick.worlds().map(|world| scene.inspect(worlds, world)).collect()
        });
        let inspected = inspected.map_err(engine_error)?;
        let by_name = |arrays: Vec<Array>| arrays.into_iter().map(|array| (array.name, array)).collect();
        Ok(Self {
            batched: !matches!(data.pick, Pick::One(_)),
            worlds: inspected.into_iter().map(by_name).collect(),
        })
    }
}

#[pymethods]
impl LowData {
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let found: Option<Vec<&Array>> = self.worlds.iter().map(|world| world.get(name)).collect();
        let Some(found) = found.filter(|found| !found.is_empty()) else {
            return Err(PyAttributeError::new_err(format!(
                "'LowData' object has no attribute '{name}'"
            )));
        };
        let one = |array: &Array| arrays::array(py, &array.shape, array.data.clone());
        if !self.batched {
            return one(found[0]);
        }
        if found.iter().all(|array| array.shape == found[0].shape) {
            let shape = [&[found.len()], &found[0].shape[..]].concat();
            let values = found.iter().flat_map(|array| array.data.iter().copied()).collect();
            return arrays::array(py, &shape, values);
        }
        // Worlds with different numbers of contacts have arrays of different shapes.
        let list: Vec<_> = found.into_iter().map(one).collect::<PyResult<_>>()?;
        Ok(PyList::new(py, list)?.into_any())
    }

    fn __dir__(&self) -> Vec<&'static str> {
        self.worlds
            .first()
            .map_or(Vec::new(), |world| world.keys().copied().collect())
    }

    fn __repr__(&self) -> String {
        format!("<motrixsim.LowData of {} worlds>", self.worlds.len())
    }
}
