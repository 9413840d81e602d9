//! `Geom`: a shape fixed to a link or to the world. Its subclasses are in `geom_shapes`.

use motrix_batch::frame::{self, Pose};
use motrix_batch::{Output, Overridden};
use motrix_model::GeomKind;
use pyo3::prelude::*;

use crate::arrays;
use crate::body::Body;
use crate::data::SceneData;
use crate::each;
use crate::geom_shapes as shapes;
use crate::hfield::HField;
use crate::link::{Link, of_body};
use crate::model::SceneModel;
use crate::overrides::{self, Entry, not_negative};
use crate::scene::{Part, describe};
use crate::shape::Shape;

/// A geom.
#[pyclass(frozen, subclass, eq, hash, module = "motrixsim")]
#[derive(PartialEq, Eq, Hash)]
pub struct Geom {
    pub part: Part,
}

impl Geom {
    /// The object of the subclass that fits the shape.
    pub fn of_kind(py: Python<'_>, part: Part) -> PyResult<Py<Geom>> {
        let shape = Shape::of(&part.model().geoms[part.index]);
        let geom = PyClassInitializer::from(Geom { part });
        let object = match shape {
            Shape::Sphere => Bound::new(py, geom.add_subclass(shapes::GeomSphere))?.into_any(),
            Shape::Cylinder => Bound::new(py, geom.add_subclass(shapes::GeomCylinder))?.into_any(),
            Shape::Capsule => Bound::new(py, geom.add_subclass(shapes::GeomCapsule))?.into_any(),
            Shape::Cuboid => Bound::new(py, geom.add_subclass(shapes::GeomCuboid))?.into_any(),
            Shape::Ellipsoid => Bound::new(py, geom.add_subclass(shapes::GeomEllipsoid))?.into_any(),
            Shape::InfinitePlane => Bound::new(py, geom.add_subclass(shapes::GeomInfinitePlane))?.into_any(),
            Shape::HField => Bound::new(py, geom.add_subclass(shapes::GeomHField))?.into_any(),
            Shape::Mesh | Shape::Sdf => Bound::new(py, geom.add_subclass(shapes::GeomMesh))?.into_any(),
            Shape::Plane => Bound::new(py, geom.add_subclass(shapes::GeomPlane))?.into_any(),
        };
        Ok(object.cast_into::<Geom>()?.unbind())
    }

    /// The geom in the compiled model.
    pub fn of_model(&self) -> &motrix_model::Geom {
        &self.part.model().geoms[self.part.index]
    }

    /// The pose in the link that the file gives it. Meshes are compiled about their centre and principal axes; users know them
    /// in the frame of their vertices.
    pub fn local(&self) -> Pose {
        let geom = self.of_model();
        let compiled = frame::pose(geom.position, frame::ijkw(geom.orientation));
        let GeomKind::Mesh(mesh) = geom.kind else {
            return compiled;
        };
        let mesh = &self.part.model().meshes[mesh.index()];
        let [i, j, k, w] = frame::ijkw(mesh.orientation);
        let orientation = frame::multiply(frame::orientation(&compiled), [-i, -j, -k, w]);
        let centre = frame::rotate(orientation, mesh.position);
        frame::pose(frame::sub(geom.position, centre), orientation)
    }

    /// Poses in the world from those of the bodies.
    pub fn pose_in(&self, body: &Pose) -> Pose {
        frame::attached(body, &self.local())
    }

    fn velocity<'py>(&self, data: &Bound<'py, SceneData>, first: usize) -> PyResult<Bound<'py, PyAny>> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let (scene, body) = (&self.part.core.scene, self.of_model().body.index());
        drop(data.results(py, Output::Velocities)?);
        let mut batch = data.results(py, Output::Poses)?;
        each!(batch, worlds => data.array::<E>(py, &[3], |world, out| {
            let pose = of_body(scene.output(worlds, Output::Poses, world), body, 7);
            let [vx, vy, vz, wx, wy, wz, _] = of_body(scene.output(worlds, Output::Velocities, world), body, 6);
            let point = frame::position(&self.pose_in(&pose));
            let velocity = frame::velocity_at(&pose, &[vx, vy, vz, wx, wy, wz], point);
            out.extend(arrays::rounded::<E, 3>([velocity[first], velocity[first + 1], velocity[first + 2]]));
        }))
    }

    fn friction_entry(&self) -> Entry<'static> {
        Entry {
            field: Overridden::GeomFriction,
            columns: 3 * self.part.index..3 * self.part.index + 3,
            tail: &[3],
            name: "friction",
        }
    }
}

#[pymethods]
impl Geom {
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
    fn link<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Link>>> {
        let scene = self.part.scene(py)?;
        let links = scene.get().all_links(py)?;
        let link = self.of_model().body.index().checked_sub(1);
        Ok(link.map(|link| links[link].bind(py).clone()))
    }

    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Body>>> {
        let scene = self.part.scene(py)?;
        let (bodies, own) = (&self.part.core.structure.bodies, self.of_model().body.index());
        let tree = bodies.iter().position(|body| body.links.contains(&own));
        let objects = scene.get().all_bodies(py)?;
        Ok(tree.map(|tree| objects[tree].bind(py).clone()))
    }

    #[getter]
    fn shape(&self) -> Shape {
        Shape::of(self.of_model())
    }

    #[getter]
    fn size<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let [a, b, c] = self.of_model().size;
        let size = match self.shape() {
            Shape::Sphere => [a, 0.0, 0.0],
            Shape::Capsule | Shape::Cylinder | Shape::Plane => [a, b, 0.0],
            Shape::Cuboid | Shape::Ellipsoid => [a, b, c],
            Shape::Mesh | Shape::Sdf | Shape::HField | Shape::InfinitePlane => [0.0; 3],
        };
        arrays::model_array(py, &[3], &size)
    }

    #[getter]
    fn local_pose<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::model_array(py, &[7], &self.local())
    }

    #[getter]
    fn collision_group(&self) -> u32 {
        self.of_model().contype
    }

    #[getter]
    fn collision_affinity(&self) -> u32 {
        self.of_model().conaffinity
    }

    #[getter]
    fn margin(&self) -> f64 {
        f64::from(self.of_model().margin as f32)
    }

    #[getter]
    fn gap(&self) -> f64 {
        f64::from(self.of_model().gap as f32)
    }

    #[getter]
    fn friction<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::model_array(py, &[3], &self.of_model().friction)
    }

    #[getter]
    fn visual_only(&self) -> bool {
        let model = self.part.model();
        let own =
            |pair: &motrix_model::CollisionPair| [pair.geom1.index(), pair.geom2.index()].contains(&self.part.index);
        let geom = self.of_model();
        geom.contype == 0 && geom.conaffinity == 0 && !model.pairs.iter().any(own)
    }

    #[getter]
    fn hfield<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, HField>>> {
        let GeomKind::HField(field) = self.of_model().kind else {
            return Ok(None);
        };
        let scene = self.part.scene(py)?;
        Ok(Some(scene.get().all_hfields(py)?[field.index()].bind(py).clone()))
    }

    fn get_pose<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let (scene, body) = (&self.part.core.scene, self.of_model().body.index());
        let mut batch = data.results(py, Output::Poses)?;
        each!(batch, worlds => data.array::<E>(py, &[7], |world, out| {
            let pose = of_body(scene.output(worlds, Output::Poses, world), body, 7);
            out.extend(arrays::rounded::<E, 7>(self.pose_in(&pose)));
        }))
    }

    fn get_linear_velocity<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        self.velocity(data, 0)
    }

    fn get_angular_velocity<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        self.velocity(data, 3)
    }

    fn get_friction_override<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        data.get().of_scene(&self.part.core)?;
        overrides::read(data, &self.friction_entry())
    }

    fn set_friction_override(&self, data: &Bound<'_, SceneData>, friction: &Bound<'_, PyAny>) -> PyResult<()> {
        data.get().of_scene(&self.part.core)?;
        overrides::write(data, friction, &self.friction_entry(), not_negative)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let class = slf.get_type().name()?.to_string();
        let geom = slf.get();
        Ok(describe(&class, geom.of_model().name.as_deref(), geom.part.index))
    }
}
