//! `Link`: one `<body>` of the file.

use motrix_batch::frame::{self, add, cross, matrix, orientation, position, rotate, sub};
use motrix_batch::{Output, Overridden, Selection, Threads};
use pyo3::prelude::*;

use crate::arrays::{self, doubles};
use crate::body::Body;
use crate::data::SceneData;
use crate::geom::Geom;
use crate::inertia_override;
use crate::joint::Joint;
use crate::model::SceneModel;
use crate::overrides::{self, Entry, finite, positive};
use crate::scene::{Part, describe, engine_error};
use crate::{each, in_precision};

/// A link.
#[pyclass(frozen, eq, hash, module = "motrixsim")]
#[derive(PartialEq, Eq, Hash)]
pub struct Link {
    pub part: Part,
}

/// Numbers of one body from its row of a kind of result; absent ones are zero.
pub fn of_body<E: motrix_spatial::Real>(row: &[E], body: usize, width: usize) -> [f64; 7] {
    let own = &row[body * width..(body + 1) * width];
    std::array::from_fn(|i| own.get(i).map_or(0.0, |x| x.to_f64()))
}

impl Link {
    /// Its position among the bodies of the model.
    pub fn body_index(&self) -> usize {
        self.part.index + 1
    }

    fn of_model(&self) -> &motrix_model::Body {
        &self.part.model().bodies[self.body_index()]
    }

    /// Results of this link, converted.
    pub fn numbers<'py, const N: usize>(
        &self,
        data: &Bound<'py, SceneData>,
        output: Output,
        tail: &[usize],
        convert: impl Fn([f64; 7]) -> [f64; N],
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let scene = &self.part.core.scene;
        let width = output.width(self.part.model()) / self.part.model().bodies.len();
        let mut batch = data.results(py, output)?;
        each!(batch, worlds => data.array::<E>(py, tail, |world, out| {
            let row = scene.output(worlds, output, world);
            out.extend(arrays::rounded::<E, N>(convert(of_body(row, self.body_index(), width))));
        }))
    }

    /// Whether nothing moves the link, so that its inertia has no effect.
    fn is_fixed(&self) -> bool {
        self.of_model().tree.is_none()
    }

    /// Adds a wrench on the link for the next step; `wrench` turns a world's values into force and torque at the centre of mass.
    fn push(&self, data: &Bound<'_, SceneData>, wrench: &Wrench<'_, '_>) -> PyResult<()> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let scene = &self.part.core.scene;
        let body = self.body_index();
        in_precision!(data.store, worlds => {
            let vector = data.input::<E>(wrench.vector, &[3], wrench.name)?;
            let point = wrench.point.map(|point| data.input::<E>(point, &[3], "point")).transpose()?;
            if self.is_fixed() {
                return Ok(());
            }
            let mut worlds = worlds.lock(py);
            // Axes are those of the state that the next step starts from, which results need not describe yet.
            let mut current = worlds.select(data.pick.selection(data.store.count));
            current.rebase(Selection::All);
            py.detach(|| scene.ensure(&mut current, Selection::All, Output::Poses, Threads::Pool)).map_err(engine_error)?;
            let first = worlds.layout().xfrc.start + 6 * body;
            for (k, world) in data.pick.worlds().enumerate() {
                let pose = of_body(scene.output(&current, Output::Poses, k), body, 7);
                let com = doubles(&worlds.overrides.get(Overridden::CentreOfMass, world)[3 * body..]);
                let at = point.as_ref().map(|point| doubles(point.row(k)));
                let [force, torque] = wrench.at_com(doubles(vector.row(k)), at, &pose, com);
                let row = worlds.numbers_mut(world, first..first + 6);
                for (x, add) in row.iter_mut().zip(force.into_iter().chain(torque)) {
                    *x = motrix_spatial::Real::from_f64(motrix_spatial::Real::to_f64(*x) + add);
                }
            }
            Ok(())
        })
    }
}

/// A force or torque as the user gives it.
struct Wrench<'a, 'py> {
    vector: &'a Bound<'py, PyAny>,
    point: Option<&'a Bound<'py, PyAny>>,
    local: bool,
    name: &'static str,
}

impl Wrench<'_, '_> {
    /// Force and torque in world axes at the centre of mass.
    fn at_com(&self, vector: [f64; 3], point: Option<[f64; 3]>, pose: &frame::Pose, com: [f64; 3]) -> [[f64; 3]; 2] {
        let q = orientation(pose);
        let world = if self.local { rotate(q, vector) } else { vector };
        if self.name == "torque" {
            return [[0.0; 3], world];
        }
        let com = add(position(pose), rotate(q, com));
        let arm = match point {
            None => [0.0; 3],
            Some(point) if self.local => sub(add(position(pose), rotate(q, point)), com),
            Some(point) => sub(point, com),
        };
        [world, cross(arm, world)]
    }
}

#[pymethods]
impl Link {
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
    fn mass(&self) -> f64 {
        f64::from(self.of_model().mass as f32)
    }

    #[getter]
    fn center_of_mass<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::model_array(py, &[3], &self.of_model().com)
    }

    #[getter]
    fn local_pose<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let body = self.of_model();
        arrays::model_array(py, &[7], &frame::pose(body.position, frame::ijkw(body.orientation)))
    }

    #[getter]
    fn parent<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Link>>> {
        let parent = self.of_model().parent.index();
        let scene = self.part.scene(py)?;
        let links = scene.get().all_links(py)?;
        Ok(parent.checked_sub(1).map(|link| links[link].bind(py).clone()))
    }

    #[getter]
    fn children<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Link>>> {
        let scene = self.part.scene(py)?;
        let links = scene.get().all_links(py)?;
        let bodies = self.part.model().bodies.iter().enumerate().skip(1);
        let own = bodies.filter(|(_, body)| body.parent.index() == self.body_index());
        Ok(own.map(|(body, _)| links[body - 1].bind(py).clone()).collect())
    }

    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Body>> {
        let scene = self.part.scene(py)?;
        let bodies = &self.part.core.structure.bodies;
        let own = bodies.iter().position(|body| body.links.contains(&self.body_index()));
        Ok(scene.get().all_bodies(py)?[own.unwrap_or(0)].bind(py).clone())
    }

    #[getter]
    fn geoms<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Geom>>> {
        let body = self.of_model();
        let scene = self.part.scene(py)?;
        let geoms = scene
            .get()
            .all_geoms(py)?
            .iter()
            .skip(body.first_geom)
            .take(body.geom_count);
        Ok(geoms.map(|geom| geom.bind(py).clone()).collect())
    }

    #[getter]
    fn joint_indices(&self) -> Vec<usize> {
        let model = self.part.model();
        let joints = self.part.core.structure.joints.iter().enumerate();
        let own = joints.filter(|(_, joint)| model.joints[**joint].body.index() == self.body_index());
        own.map(|(index, _)| index).collect()
    }

    #[getter]
    fn num_joints(&self) -> usize {
        self.joint_indices().len()
    }

    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Joint>>> {
        let scene = self.part.scene(py)?;
        let joints = scene.get().all_joints(py)?;
        Ok(self
            .joint_indices()
            .iter()
            .map(|&j| joints[j].bind(py).clone())
            .collect())
    }

    fn get_joint<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Option<Bound<'py, Joint>>> {
        Ok(self.joints(py)?.get(index).cloned())
    }

    fn get_pose<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(data, Output::Poses, &[7], |pose| pose)
    }

    fn get_position<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(data, Output::Poses, &[3], |[x, y, z, ..]| [x, y, z])
    }

    fn get_rotation<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(data, Output::Poses, &[4], |pose| orientation(&pose))
    }

    fn get_rotation_mat<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(data, Output::Poses, &[3, 3], |pose| matrix(orientation(&pose)))
    }

    fn get_linear_velocity<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(data, Output::Velocities, &[3], |[x, y, z, ..]| [x, y, z])
    }

    fn get_angular_velocity<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(data, Output::Velocities, &[3], |[_, _, _, x, y, z, _]| [x, y, z])
    }

    fn get_mass_override<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.part.core)?;
        overrides::read(data, &self.mass_entry())
    }

    fn set_mass_override(&self, data: &Bound<'_, SceneData>, mass: &Bound<'_, PyAny>) -> PyResult<()> {
        data.get().of_scene(&self.part.core)?;
        if self.is_fixed() {
            return self.check_only(data, mass, &[], "mass");
        }
        overrides::write(data, mass, &self.mass_entry(), positive)
    }

    fn get_center_of_mass_override<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.part.core)?;
        overrides::read(data, &self.three(Overridden::CentreOfMass, "center_of_mass"))
    }

    fn set_center_of_mass_override(
        &self,
        data: &Bound<'_, SceneData>,
        center_of_mass: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        data.get().of_scene(&self.part.core)?;
        if self.is_fixed() {
            return self.check_only(data, center_of_mass, &[3], "center_of_mass");
        }
        let entry = self.three(Overridden::CentreOfMass, "center_of_mass");
        overrides::write(data, center_of_mass, &entry, finite)
    }

    fn get_inertia_override<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.part.core)?;
        inertia_override::get(data, self.body_index())
    }

    fn set_inertia_override(&self, data: &Bound<'_, SceneData>, inertia: &Bound<'_, PyAny>) -> PyResult<()> {
        data.get().of_scene(&self.part.core)?;
        inertia_override::set(data, self.body_index(), inertia, self.is_fixed())
    }

    #[pyo3(signature = (data, force, point = None, local = true))]
    fn add_external_force(
        &self,
        data: &Bound<'_, SceneData>,
        force: &Bound<'_, PyAny>,
        point: Option<&Bound<'_, PyAny>>,
        local: bool,
    ) -> PyResult<()> {
        let wrench = Wrench {
            vector: force,
            point,
            local,
            name: "force",
        };
        self.push(data, &wrench)
    }

    #[pyo3(signature = (data, torque, local = true))]
    fn add_external_torque(&self, data: &Bound<'_, SceneData>, torque: &Bound<'_, PyAny>, local: bool) -> PyResult<()> {
        let wrench = Wrench {
            vector: torque,
            point: None,
            local,
            name: "torque",
        };
        self.push(data, &wrench)
    }

    fn __repr__(&self) -> String {
        describe("Link", self.of_model().name.as_deref(), self.part.index)
    }
}

impl Link {
    fn mass_entry(&self) -> Entry<'static> {
        Entry {
            field: Overridden::Mass,
            columns: self.body_index()..self.body_index() + 1,
            tail: &[],
            name: "mass",
        }
    }

    fn three(&self, field: Overridden, name: &'static str) -> Entry<'static> {
        let first = 3 * self.body_index();
        Entry {
            field,
            columns: first..first + 3,
            tail: &[3],
            name,
        }
    }

    /// Checks the shape of a value that has no effect.
    fn check_only(
        &self,
        data: &Bound<'_, SceneData>,
        value: &Bound<'_, PyAny>,
        tail: &[usize],
        name: &str,
    ) -> PyResult<()> {
        data.get().input::<f64>(value, tail, name)?;
        Ok(())
    }
}
