//! `Body`: a kinematic tree, everything that hangs on a direct child of the world.

use motrix_batch::Output;
use motrix_batch::frame::{matrix, orientation};
use pyo3::prelude::*;

use crate::actuator::Actuator;
use crate::arrays::{self, PerWorld};
use crate::data::{SceneData, StatePart, bad_quaternion, is_unit};
use crate::floating_base::FloatingBase;
use crate::geom::Geom;
use crate::joint::Joint;
use crate::link::Link;
use crate::mocap::Mocap;
use crate::model::SceneModel;
use crate::scene::{Part, describe};
use crate::structure::TreeBody;
use crate::{each, in_precision};

/// A tree.
#[pyclass(frozen, eq, hash, module = "motrixsim")]
#[derive(PartialEq, Eq, Hash)]
pub struct Body {
    pub part: Part,
}

impl Body {
    fn tree(&self) -> &TreeBody {
        &self.part.core.structure.bodies[self.part.index]
    }

    fn root(&self) -> &motrix_model::Body {
        &self.part.model().bodies[self.tree().root.index()]
    }

    /// Positions of the tree's joints, and of its floating base before them if wanted, in `dof_pos` or `dof_vel`.
    fn indices(&self, part: StatePart, include_floatingbase: bool) -> Vec<usize> {
        let structure = &self.part.core.structure;
        let tree = self.tree();
        let floating = tree.floating_base.filter(|_| include_floatingbase);
        let joints = floating.map(|base| structure.floating_bases[base]).into_iter();
        let joints = joints.chain(structure.joints[tree.joints.clone()].iter().copied());
        joints
            .flat_map(|joint| {
                let joint = &self.part.model().joints[joint];
                match part {
                    StatePart::Velocities => joint.first_dof..joint.first_dof + joint.kind.dof_count(),
                    _ => joint.first_position..joint.first_position + joint.kind.position_count(),
                }
            })
            .collect()
    }

    fn read<'py>(
        &self,
        data: &Bound<'py, SceneData>,
        part: StatePart,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let indices = self.indices(part, false);
        let mut batch = data.lock(py);
        each!(batch, worlds => {
            let columns = part.columns(worlds.layout());
            data.array_into::<E>(py, &[indices.len()], out, |world, out| {
                let row = worlds.numbers(world, columns.clone());
                out.extend(indices.iter().map(|&i| row[i]));
            })
        })
    }

    fn write(
        &self,
        data: &Bound<'_, SceneData>,
        value: &Bound<'_, PyAny>,
        part: StatePart,
        include_floatingbase: bool,
    ) -> PyResult<()> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let indices = self.indices(part, include_floatingbase);
        let name = if part == StatePart::Velocities {
            "dof_vel"
        } else {
            "dof_pos"
        };
        in_precision!(data.store, worlds => {
            let rows: PerWorld<_> = data.input_or_flat::<E>(value, &[indices.len()], name)?;
            if part == StatePart::Positions {
                self.check_quaternions(&rows, &indices)?;
            }
            let mut worlds = worlds.lock(py);
            let columns = part.columns(worlds.layout());
            for (k, world) in data.pick.worlds().enumerate() {
                let row = worlds.numbers_mut(world, columns.clone());
                for (&i, &x) in indices.iter().zip(rows.row(k)) {
                    row[i] = x;
                }
            }
            Ok(())
        })
    }

    /// Checks the quaternions among the given entries of configurations.
    fn check_quaternions<E: arrays::Number>(&self, rows: &PerWorld<E>, indices: &[usize]) -> PyResult<()> {
        let model = self.part.model();
        let mut whole: Vec<E> = model.qpos0.iter().map(|x| E::from_f64(*x)).collect();
        for (k, row) in rows.rows().enumerate() {
            for (&i, &x) in indices.iter().zip(row) {
                whole[i] = x;
            }
            // Only quaternions all of whose entries are given were overwritten; the others are the model's, in another order but
            // of the same length.
            if let Some(first) = bad_quaternion(model, &whole) {
                let place = indices.iter().position(|&i| i == first).unwrap_or(first);
                debug_assert!(!is_unit(&whole[first..first + 4]));
                return Err(pyo3::exceptions::PyValueError::new_err(format!(
                    "dof_pos: entries {place} to {} of row {k} are not a unit quaternion",
                    place + 3
                )));
            }
        }
        Ok(())
    }

    fn base(&self) -> Link {
        Link {
            part: Part {
                core: self.part.core.clone(),
                index: self.tree().root.index() - 1,
            },
        }
    }
}

#[pymethods]
impl Body {
    #[getter]
    fn name(&self) -> Option<&str> {
        self.root().name.as_deref()
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
    fn base_link<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Link>> {
        let scene = self.part.scene(py)?;
        Ok(scene.get().all_links(py)?[self.tree().root.index() - 1]
            .bind(py)
            .clone())
    }

    #[getter]
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Link>>> {
        let scene = self.part.scene(py)?;
        let links = &scene.get().all_links(py)?[self.tree().links.start - 1..self.tree().links.end - 1];
        Ok(links.iter().map(|link| link.bind(py).clone()).collect())
    }

    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Joint>>> {
        let scene = self.part.scene(py)?;
        let joints = &scene.get().all_joints(py)?[self.tree().joints.clone()];
        Ok(joints.iter().map(|joint| joint.bind(py).clone()).collect())
    }

    #[getter]
    fn geoms<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Geom>>> {
        let scene = self.part.scene(py)?;
        let geoms = scene.get().all_geoms(py)?.iter().zip(&self.part.model().geoms);
        let own = geoms.filter(|(_, geom)| self.tree().links.contains(&geom.body.index()));
        Ok(own.map(|(geom, _)| geom.bind(py).clone()).collect())
    }

    #[getter]
    fn floatingbase<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, FloatingBase>>> {
        let scene = self.part.scene(py)?;
        let bases = scene.get().all_floating_bases(py)?;
        Ok(self.tree().floating_base.map(|base| bases[base].bind(py).clone()))
    }

    #[getter]
    fn actuators<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Actuator>>> {
        let scene = self.part.scene(py)?;
        let all = scene.get().all_actuators(py)?;
        Ok(self.tree().actuators.iter().map(|&a| all[a].bind(py).clone()).collect())
    }

    #[getter]
    fn is_mocap(&self) -> bool {
        self.root().mocap.is_some()
    }

    #[getter]
    fn mocap(&self) -> Option<Mocap> {
        self.root().mocap.map(|_| Mocap {
            part: self.part.clone(),
        })
    }

    #[getter]
    fn num_links(&self) -> usize {
        self.tree().links.len()
    }

    #[getter]
    fn num_joints(&self) -> usize {
        self.tree().joints.len()
    }

    #[getter]
    fn num_actuators(&self) -> usize {
        self.tree().actuators.len()
    }

    #[getter]
    fn num_joint_dof_pos(&self) -> usize {
        self.indices(StatePart::Positions, false).len()
    }

    #[getter]
    fn num_joint_dof_vel(&self) -> usize {
        self.indices(StatePart::Velocities, false).len()
    }

    #[pyo3(signature = (include_floatingbase = true))]
    fn get_dof_pos_indices<'py>(&self, py: Python<'py>, include_floatingbase: bool) -> PyResult<Bound<'py, PyAny>> {
        let indices = self.indices(StatePart::Positions, include_floatingbase);
        arrays::array(py, &[indices.len()], indices.iter().map(|&i| i as u32).collect())
    }

    #[pyo3(signature = (include_floatingbase = true))]
    fn get_dof_vel_indices<'py>(&self, py: Python<'py>, include_floatingbase: bool) -> PyResult<Bound<'py, PyAny>> {
        let indices = self.indices(StatePart::Velocities, include_floatingbase);
        arrays::array(py, &[indices.len()], indices.iter().map(|&i| i as u32).collect())
    }

    #[pyo3(signature = (data, out = None))]
    fn get_joint_dof_pos<'py>(
        &self,
        data: &Bound<'py, SceneData>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.read(data, StatePart::Positions, out)
    }

    #[pyo3(signature = (data, out = None))]
    fn get_joint_dof_vel<'py>(
        &self,
        data: &Bound<'py, SceneData>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.read(data, StatePart::Velocities, out)
    }

    #[pyo3(signature = (data, dof_pos, include_floatingbase = true))]
    fn set_dof_pos(
        &self,
        data: &Bound<'_, SceneData>,
        dof_pos: &Bound<'_, PyAny>,
        include_floatingbase: bool,
    ) -> PyResult<()> {
        self.write(data, dof_pos, StatePart::Positions, include_floatingbase)
    }

    #[pyo3(signature = (data, dof_vel, include_floatingbase = true))]
    fn set_dof_vel(
        &self,
        data: &Bound<'_, SceneData>,
        dof_vel: &Bound<'_, PyAny>,
        include_floatingbase: bool,
    ) -> PyResult<()> {
        self.write(data, dof_vel, StatePart::Velocities, include_floatingbase)
    }

    fn set_actuator_ctrls(&self, data: &Bound<'_, SceneData>, ctrls: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let model = self.part.model();
        let columns: Vec<usize> = self
            .tree()
            .actuators
            .iter()
            .map(|&a| model.actuators[a].first_control)
            .collect();
        in_precision!(data.store, worlds => {
            let rows: PerWorld<_> = data.input_or_flat::<E>(ctrls, &[columns.len()], "ctrls")?;
            let mut worlds = worlds.lock(py);
            let all = worlds.layout().ctrl.clone();
            for (k, world) in data.pick.worlds().enumerate() {
                let row = worlds.numbers_mut(world, all.clone());
                for (&column, &x) in columns.iter().zip(rows.row(k)) {
                    row[column] = x;
                }
            }
            Ok(())
        })
    }

    fn get_pose<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        self.base().numbers(data, Output::Poses, &[7], |pose| pose)
    }

    fn get_position<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        self.base()
            .numbers(data, Output::Poses, &[3], |[x, y, z, ..]| [x, y, z])
    }

    fn get_rotation<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        self.base()
            .numbers(data, Output::Poses, &[4], |pose| orientation(&pose))
    }

    fn get_rotation_mat<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        self.base()
            .numbers(data, Output::Poses, &[3, 3], |pose| matrix(orientation(&pose)))
    }

    fn __repr__(&self) -> String {
        describe("Body", self.root().name.as_deref(), self.part.index)
    }
}
