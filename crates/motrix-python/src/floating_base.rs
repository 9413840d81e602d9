//! `FloatingBase`: a free joint, which lets a tree move anywhere.

use std::ops::Range;

use motrix_batch::frame::{rotate, rotate_back};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{self, PerWorld, doubles};
use crate::data::{SceneData, StatePart};
use crate::joint::{read_entries, write_entries};
use crate::model::SceneModel;
use crate::scene::{Part, describe};
use crate::{each, in_precision};

/// A floating base.
#[pyclass(frozen, eq, hash, module = "motrixsim")]
#[derive(PartialEq, Eq, Hash)]
pub struct FloatingBase {
    pub part: Part,
}

/// A quaternion of unit length with the direction of the given one, if it has one.
pub fn normalised(q: [f64; 4]) -> Option<[f64; 4]> {
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    (norm > 0.0 && norm.is_finite()).then(|| q.map(|x| x / norm))
}

impl FloatingBase {
    fn of_model(&self) -> &motrix_model::Joint {
        &self.part.model().joints[self.part.core.structure.floating_bases[self.part.index]]
    }

    fn positions(&self, entries: Range<usize>) -> Range<usize> {
        let first = self.of_model().first_position;
        first + entries.start..first + entries.end
    }

    fn velocities(&self, entries: Range<usize>) -> Range<usize> {
        let first = self.of_model().first_dof;
        first + entries.start..first + entries.end
    }
}

#[pymethods]
impl FloatingBase {
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
    fn dof_pos_start(&self) -> usize {
        self.of_model().first_position
    }

    #[getter]
    fn dof_vel_start(&self) -> usize {
        self.of_model().first_dof
    }

    #[getter]
    fn dof_pos_indices(&self) -> Vec<usize> {
        self.positions(0..7).collect()
    }

    #[getter]
    fn dof_vel_indices(&self) -> Vec<usize> {
        self.velocities(0..6).collect()
    }

    fn get_dof_pos<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.part.core)?;
        read_entries(data, StatePart::Positions, self.positions(0..7))
    }

    fn get_dof_vel<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.part.core)?;
        read_entries(data, StatePart::Velocities, self.velocities(0..6))
    }

    fn get_translation<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.part.core)?;
        read_entries(data, StatePart::Positions, self.positions(0..3))
    }

    fn set_translation(&self, data: &Bound<'_, SceneData>, translation: &Bound<'_, PyAny>) -> PyResult<()> {
        data.get().of_scene(&self.part.core)?;
        let entries = self.positions(0..3);
        write_entries(data, translation, StatePart::Positions, entries, false, "translation")
    }

    fn get_rotation<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.part.core)?;
        read_entries(data, StatePart::Positions, self.positions(3..7))
    }

    fn set_rotation(&self, data: &Bound<'_, SceneData>, quat: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let entries = self.positions(3..7);
        in_precision!(data.store, worlds => {
            let rows: PerWorld<_> = data.input_or_flat::<E>(quat, &[4], "quat")?;
            if let Some(k) = rows.rows().position(|row| normalised(doubles(row)).is_none()) {
                return Err(PyValueError::new_err(format!("quat: row {k} is not a rotation")));
            }
            let mut worlds = worlds.lock(py);
            let first = worlds.layout().qpos.start;
            for (k, world) in data.pick.worlds().enumerate() {
                if let Some(q) = normalised(doubles(rows.row(k))) {
                    let row = worlds.numbers_mut(world, first + entries.start..first + entries.end);
                    row.copy_from_slice(&arrays::rounded::<E, 4>(q));
                }
            }
            Ok(())
        })
    }

    fn get_global_linear_velocity<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.part.core)?;
        read_entries(data, StatePart::Velocities, self.velocities(0..3))
    }

    fn set_global_linear_velocity(&self, data: &Bound<'_, SceneData>, vel: &Bound<'_, PyAny>) -> PyResult<()> {
        data.get().of_scene(&self.part.core)?;
        write_entries(data, vel, StatePart::Velocities, self.velocities(0..3), false, "vel")
    }

    fn get_local_angular_velocity<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.part.core)?;
        read_entries(data, StatePart::Velocities, self.velocities(3..6))
    }

    fn set_local_angular_velocity(&self, data: &Bound<'_, SceneData>, vel: &Bound<'_, PyAny>) -> PyResult<()> {
        data.get().of_scene(&self.part.core)?;
        write_entries(data, vel, StatePart::Velocities, self.velocities(3..6), false, "vel")
    }

    fn get_global_angular_velocity<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let (quat, spin) = (self.positions(3..7), self.velocities(3..6));
        let mut batch = data.lock(py);
        each!(batch, worlds => {
            let (q, v) = (worlds.layout().qpos.start + quat.start, worlds.layout().qvel.start + spin.start);
            data.array::<E>(py, &[3], |world, out| {
                let (q, spin) = (worlds.numbers(world, q..q + 4), worlds.numbers(world, v..v + 3));
                out.extend(arrays::rounded::<E, 3>(rotate(doubles(q), doubles(spin))));
            })
        })
    }

    fn set_global_angular_velocity(&self, data: &Bound<'_, SceneData>, vel: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let (quat, spin) = (self.positions(3..7), self.velocities(3..6));
        in_precision!(data.store, worlds => {
            let rows: PerWorld<_> = data.input_or_flat::<E>(vel, &[3], "vel")?;
            let mut worlds = worlds.lock(py);
            let (q, v) = (worlds.layout().qpos.start + quat.start, worlds.layout().qvel.start + spin.start);
            for (k, world) in data.pick.worlds().enumerate() {
                let local = rotate_back(doubles(worlds.numbers(world, q..q + 4)), doubles(rows.row(k)));
                worlds.numbers_mut(world, v..v + 3).copy_from_slice(&arrays::rounded::<E, 3>(local));
            }
            Ok(())
        })
    }

    fn __repr__(&self) -> String {
        describe("FloatingBase", self.of_model().name.as_deref(), self.part.index)
    }
}
