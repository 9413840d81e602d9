//! `Site`: a marked frame on a link or in the world.

use motrix_batch::Output;
use motrix_batch::frame::{self, Pose, matrix, orientation};
use pyo3::prelude::*;

use crate::arrays::{self, doubles};
use crate::data::SceneData;
use crate::each;
use crate::link::{Link, of_body};
use crate::model::SceneModel;
use crate::scene::{Part, describe};

/// A site.
#[pyclass(frozen, eq, hash, module = "motrixsim")]
#[derive(PartialEq, Eq, Hash)]
pub struct Site {
    pub part: Part,
}

impl Site {
    fn of_model(&self) -> &motrix_model::Site {
        &self.part.model().sites[self.part.index]
    }

    fn local(&self) -> Pose {
        let site = self.of_model();
        frame::pose(site.position, frame::ijkw(site.orientation))
    }

    fn numbers<'py, const N: usize>(
        &self,
        data: &Bound<'py, SceneData>,
        tail: &[usize],
        convert: impl Fn(Pose) -> [f64; N],
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let (scene, body, local) = (&self.part.core.scene, self.of_model().body.index(), self.local());
        let mut batch = data.results(py, Output::Poses)?;
        each!(batch, worlds => data.array::<E>(py, tail, |world, out| {
            let pose = of_body(scene.output(worlds, Output::Poses, world), body, 7);
            out.extend(arrays::rounded::<E, N>(convert(frame::attached(&pose, &local))));
        }))
    }
}

#[pymethods]
impl Site {
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
    fn parent_link<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Link>>> {
        let scene = self.part.scene(py)?;
        let links = scene.get().all_links(py)?;
        let link = self.of_model().body.index().checked_sub(1);
        Ok(link.map(|link| links[link].bind(py).clone()))
    }

    #[getter]
    fn local_pos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::model_array(py, &[3], &self.of_model().position)
    }

    #[getter]
    fn local_quat<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::model_array(py, &[4], &frame::ijkw(self.of_model().orientation))
    }

    #[getter]
    fn dof_vel_indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let dofs = frame::jacobian_dofs(self.part.model(), self.of_model().body);
        arrays::array(py, &[dofs.len()], dofs.iter().map(|&dof| dof as i64).collect())
    }

    fn get_pose<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(data, &[7], |pose| pose)
    }

    fn get_position<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(data, &[3], |pose| frame::position(&pose))
    }

    fn get_rotation_mat<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(data, &[3, 3], |pose| matrix(orientation(&pose)))
    }

    fn get_jacobian<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let (scene, model) = (&self.part.core.scene, self.part.model());
        let (body, local) = (self.of_model().body, self.local());
        let dofs = frame::jacobian_dofs(model, body).len();
        drop(data.results(py, Output::JointAxes)?);
        let mut batch = data.results(py, Output::Poses)?;
        each!(batch, worlds => data.array::<E>(py, &[6, dofs], |world, out| {
            let poses: Vec<Pose> = scene.output(worlds, Output::Poses, world).chunks_exact(7).map(doubles).collect();
            let axes: Vec<[f64; 6]> = scene.output(worlds, Output::JointAxes, world).chunks_exact(6).map(doubles).collect();
            let point = frame::position(&frame::attached(&poses[body.index()], &local));
            let columns = frame::jacobian(model, body, point, &poses, &axes);
            for row in 0..6 {
                out.extend(columns.iter().map(|column| <E as motrix_spatial::Real>::from_f64(column[row])));
            }
        }))
    }

    fn __repr__(&self) -> String {
        describe("Site", self.of_model().name.as_deref(), self.part.index)
    }
}
