//! `Joint`: what lets a link move; free joints are floating bases instead.

use std::ops::Range;

use motrix_batch::Overridden;
use motrix_model::JointKind;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{self, PerWorld};
use crate::data::{SceneData, StatePart, is_unit};
use crate::link::Link;
use crate::model::{SceneModel, UNLIMITED};
use crate::overrides::{self, Entry, not_negative};
use crate::scene::{Part, describe};
use crate::{each, in_precision};

/// A joint.
#[pyclass(frozen, eq, hash, module = "motrixsim")]
#[derive(PartialEq, Eq, Hash)]
pub struct Joint {
    pub part: Part,
}

/// The limits of a joint, infinite where there are none.
pub fn limits(joint: &motrix_model::Joint) -> [f64; 2] {
    if joint.limited { joint.range } else { UNLIMITED }
}

/// Reads some entries of the state.
pub fn read_entries<'py>(
    data: &Bound<'py, SceneData>,
    part: StatePart,
    entries: Range<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, data) = (data.py(), data.get());
    let mut batch = data.lock(py);
    each!(batch, worlds => {
        let first = part.columns(worlds.layout()).start;
        let columns = first + entries.start..first + entries.end;
        data.array::<E>(py, &[columns.len()], |world, out| out.extend_from_slice(worlds.numbers(world, columns.clone())))
    })
}

/// Writes some entries of the state; with `quaternion`, each row must be a unit quaternion.
pub fn write_entries(
    data: &Bound<'_, SceneData>,
    value: &Bound<'_, PyAny>,
    part: StatePart,
    entries: Range<usize>,
    quaternion: bool,
    name: &str,
) -> PyResult<()> {
    let (py, data) = (data.py(), data.get());
    in_precision!(data.store, worlds => {
        let rows: PerWorld<_> = data.input_or_flat::<E>(value, &[entries.len()], name)?;
        if quaternion && let Some(k) = rows.rows().position(|row| !is_unit(row)) {
            return Err(PyValueError::new_err(format!("{name}: row {k} is not a unit quaternion")));
        }
        let mut worlds = worlds.lock(py);
        let first = part.columns(worlds.layout()).start;
        let columns = first + entries.start..first + entries.end;
        for (k, world) in data.pick.worlds().enumerate() {
            worlds.numbers_mut(world, columns.clone()).copy_from_slice(rows.row(k));
        }
        Ok(())
    })
}

impl Joint {
    fn of_model(&self) -> &motrix_model::Joint {
        &self.part.model().joints[self.part.core.structure.joints[self.part.index]]
    }

    fn dof(&self) -> &motrix_model::Dof {
        &self.part.model().dofs[self.of_model().first_dof]
    }

    fn positions(&self) -> Range<usize> {
        let joint = self.of_model();
        joint.first_position..joint.first_position + joint.kind.position_count()
    }

    fn velocities(&self) -> Range<usize> {
        let joint = self.of_model();
        joint.first_dof..joint.first_dof + joint.kind.dof_count()
    }

    /// A parameter of its first dof.
    fn entry(&self, field: Overridden, name: &'static str) -> Entry<'static> {
        let dof = self.of_model().first_dof;
        Entry {
            field,
            columns: dof..dof + 1,
            tail: &[],
            name,
        }
    }

    /// Overrides a parameter of all its dofs.
    fn set_all(
        &self,
        data: &Bound<'_, SceneData>,
        value: &Bound<'_, PyAny>,
        field: Overridden,
        name: &'static str,
    ) -> PyResult<()> {
        data.get().of_scene(&self.part.core)?;
        let further = self.velocities().skip(1);
        overrides::write_then(data, value, &self.entry(field, name), not_negative, |row, out| {
            out.extend(further.clone().map(|dof| (field, dof, row[0])));
        })
    }
}

#[pymethods]
impl Joint {
    #[getter]
    fn name(&self) -> Option<&str> {
        self.of_model().name.as_deref()
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
    fn link<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Link>> {
        let scene = self.part.scene(py)?;
        Ok(scene.get().all_links(py)?[self.link_index()].bind(py).clone())
    }

    #[getter]
    fn link_index(&self) -> usize {
        self.of_model().body.index() - 1
    }

    #[getter]
    fn armature(&self) -> f64 {
        f64::from(self.dof().armature as f32)
    }

    #[getter]
    fn frictionloss(&self) -> f64 {
        f64::from(self.dof().frictionloss as f32)
    }

    #[getter]
    fn axis<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::model_array(py, &[3], &self.of_model().axis)
    }

    #[getter]
    fn range<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::model_array(py, &[1, 2], &limits(self.of_model()))
    }

    #[getter]
    fn dof_pos_index(&self) -> usize {
        self.positions().start
    }

    #[getter]
    fn dof_vel_index(&self) -> usize {
        self.velocities().start
    }

    #[getter]
    fn num_dof_pos(&self) -> usize {
        self.positions().len()
    }

    #[getter]
    fn num_dof_vel(&self) -> usize {
        self.velocities().len()
    }

    fn get_dof_pos<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.part.core)?;
        read_entries(data, StatePart::Positions, self.positions())
    }

    fn get_dof_vel<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.part.core)?;
        read_entries(data, StatePart::Velocities, self.velocities())
    }

    fn set_dof_pos(&self, data: &Bound<'_, SceneData>, position: &Bound<'_, PyAny>) -> PyResult<()> {
        data.get().of_scene(&self.part.core)?;
        let quaternion = self.of_model().kind == JointKind::Ball;
        write_entries(
            data,
            position,
            StatePart::Positions,
            self.positions(),
            quaternion,
            "position",
        )
    }

    fn set_dof_vel(&self, data: &Bound<'_, SceneData>, velocity: &Bound<'_, PyAny>) -> PyResult<()> {
        data.get().of_scene(&self.part.core)?;
        write_entries(
            data,
            velocity,
            StatePart::Velocities,
            self.velocities(),
            false,
            "velocity",
        )
    }

    fn get_armature_override<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.part.core)?;
        overrides::read(data, &self.entry(Overridden::Armature, "armature"))
    }

    fn set_armature_override(&self, data: &Bound<'_, SceneData>, armature: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_all(data, armature, Overridden::Armature, "armature")
    }

    fn get_frictionloss_override<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.part.core)?;
        overrides::read(data, &self.entry(Overridden::FrictionLoss, "frictionloss"))
    }

    fn set_frictionloss_override(&self, data: &Bound<'_, SceneData>, frictionloss: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_all(data, frictionloss, Overridden::FrictionLoss, "frictionloss")
    }

    fn __repr__(&self) -> String {
        describe("Joint", self.of_model().name.as_deref(), self.part.index)
    }
}
