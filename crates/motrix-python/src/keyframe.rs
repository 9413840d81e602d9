//! `Keyframe`: a named state of the file.

use motrix_model::{JointKind, Model};
use pyo3::prelude::*;

use crate::arrays;
use crate::data::SceneData;
use crate::each;
use crate::model::SceneModel;
use crate::scene::{Part, describe};

/// A keyframe.
#[pyclass(frozen, eq, hash, module = "motrixsim")]
#[derive(PartialEq, Eq, Hash)]
pub struct Keyframe {
    pub part: Part,
}

/// Turns the quaternions of a configuration from the model's `w x y z` to the users' `i j k w`.
pub fn to_surface_order(model: &Model, qpos: &mut [f64]) {
    for joint in &model.joints {
        let first = match joint.kind {
            JointKind::Free => joint.first_position + 3,
            JointKind::Ball => joint.first_position,
            JointKind::Slide | JointKind::Hinge => continue,
        };
        qpos[first..first + 4].rotate_left(1);
    }
}

impl Keyframe {
    fn key(&self) -> &motrix_model::Keyframe {
        &self.part.model().keyframes[self.part.index]
    }

    fn positions(&self) -> Option<Vec<f64>> {
        let mut qpos = self.key().qpos.clone()?;
        to_surface_order(self.part.model(), &mut qpos);
        Some(qpos)
    }
}

#[pymethods]
impl Keyframe {
    #[getter]
    fn name(&self) -> Option<&str> {
        self.key().name.as_deref()
    }

    #[getter]
    fn index(&self) -> usize {
        self.part.index
    }

    #[getter]
    fn model<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, SceneModel>> {
        self.part.scene(py)
    }

    #[getter]
    fn time(&self) -> Option<f64> {
        self.key().time
    }

    #[getter]
    fn dof_pos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let qpos = self.positions().unwrap_or_default();
        arrays::model_array(py, &[qpos.len()], &qpos)
    }

    #[getter]
    fn dof_vel<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let qvel = self.key().qvel.as_deref().unwrap_or(&[]);
        arrays::model_array(py, &[qvel.len()], qvel)
    }

    #[getter]
    fn ctrl<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ctrl = self.key().ctrl.as_deref().unwrap_or(&[]);
        arrays::model_array(py, &[ctrl.len()], ctrl)
    }

    fn apply(&self, data: &Bound<'_, SceneData>) -> PyResult<()> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let (key, qpos) = (self.key(), self.positions());
        let mut batch = data.lock(py);
        each!(batch, worlds => {
            let layout = worlds.layout().clone();
            let mocap_quats = key.mocap_orientation.as_ref().map(|q| {
                let mut q = q.clone();
                q.chunks_exact_mut(4).for_each(|q| q.rotate_left(1));
                q
            });
            let parts = [
                (layout.qpos, qpos.as_deref()),
                (layout.qvel, key.qvel.as_deref()),
                (layout.act, key.act.as_deref()),
                (layout.ctrl, key.ctrl.as_deref()),
                (layout.mocap_position, key.mocap_position.as_deref()),
                (layout.mocap_orientation, mocap_quats.as_deref()),
                (layout.plastic, key.plastic.as_deref()),
            ];
            for world in data.pick.worlds() {
                for (columns, values) in &parts {
                    let row = worlds.numbers_mut(world, columns.clone());
                    for (x, value) in row.iter_mut().zip(values.unwrap_or(&[])) {
                        *x = motrix_spatial::Real::from_f64(*value);
                    }
                }
                if let Some(time) = key.time {
                    worlds.set_time(world, time);
                }
            }
        });
        Ok(())
    }

    fn __repr__(&self) -> String {
        describe("Keyframe", self.key().name.as_deref(), self.part.index)
    }
}
