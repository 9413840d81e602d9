//! `Actuator`: what turns a control into a force. Its subclasses are in `actuator_kinds`.

use motrix_model::{ActuatorKind, JointKind, Transmission};
use pyo3::prelude::*;

use crate::actuator_kinds as kinds;
use crate::arrays::PerWorld;
use crate::data::SceneData;
use crate::model::SceneModel;
use crate::scene::{Part, describe};
use crate::{each, in_precision};

/// How the damping of a position actuator is given.
#[pyclass(frozen, eq, eq_int, hash, module = "motrixsim")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum DampingType {
    Kv,
    Dampratio,
}

/// An actuator.
#[pyclass(frozen, subclass, eq, hash, module = "motrixsim")]
#[derive(PartialEq, Eq, Hash)]
pub struct Actuator {
    pub part: Part,
}

impl Actuator {
    /// The object of the subclass that fits the element of the file.
    pub fn of_kind(py: Python<'_>, part: Part) -> PyResult<Py<Actuator>> {
        let kind = part.model().actuators[part.index].kind;
        let actuator = PyClassInitializer::from(Actuator { part });
        let object = match kind {
            ActuatorKind::Motor => Bound::new(py, actuator.add_subclass(kinds::MotorActuator))?.into_any(),
            ActuatorKind::Position => Bound::new(py, actuator.add_subclass(kinds::PositionActuator))?.into_any(),
            ActuatorKind::Velocity => Bound::new(py, actuator.add_subclass(kinds::VelocityActuator))?.into_any(),
            ActuatorKind::Adhesion => Bound::new(py, actuator.add_subclass(kinds::AdhesionActuator))?.into_any(),
            _ => Bound::new(py, actuator.add_subclass(kinds::GeneralActuator))?.into_any(),
        };
        Ok(object.cast_into::<Actuator>()?.unbind())
    }

    /// The actuator in the compiled model.
    pub fn of_model(&self) -> &motrix_model::Actuator {
        &self.part.model().actuators[self.part.index]
    }
}

#[pymethods]
impl Actuator {
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
    fn typ(&self) -> &'static str {
        match self.of_model().kind {
            ActuatorKind::Motor => "motor",
            ActuatorKind::Position => "position",
            ActuatorKind::Velocity => "velocity",
            ActuatorKind::Adhesion => "adhesion",
            _ => "general",
        }
    }

    #[getter]
    fn target_type(&self) -> &'static str {
        match self.of_model().transmission {
            Transmission::Joint(joint) | Transmission::JointInParent(joint) => {
                match self.part.model().joints[joint.index()].kind {
                    JointKind::Free => "floating_base",
                    _ => "joint",
                }
            }
            Transmission::Tendon(_) => "tendon",
            Transmission::Body(_) => "link",
            Transmission::BallOrientation(_) => "joint",
            Transmission::Site(..) | Transmission::SiteOrientation(..) => "site",
            Transmission::SliderCrank { .. } => "slidercrank",
        }
    }

    #[getter]
    fn target_name(&self) -> Option<&str> {
        let model = self.part.model();
        match self.of_model().transmission {
            Transmission::Joint(joint) | Transmission::JointInParent(joint) | Transmission::BallOrientation(joint) => {
                model.joints[joint.index()].name.as_deref()
            }
            Transmission::Tendon(tendon) => model.tendons[tendon.index()].name.as_deref(),
            Transmission::Body(body) => model.bodies[body.index()].name.as_deref(),
            Transmission::Site(site, _) | Transmission::SiteOrientation(site, _) => {
                model.sites[site.index()].name.as_deref()
            }
            Transmission::SliderCrank { crank, .. } => model.sites[crank.index()].name.as_deref(),
        }
    }

    #[getter]
    fn ctrl_range(&self) -> Option<Vec<f64>> {
        let actuator = self.of_model();
        actuator.control_limited.then(|| single(actuator.control_range))
    }

    #[getter]
    fn force_range(&self) -> Option<Vec<f64>> {
        let actuator = self.of_model();
        actuator.force_limited.then(|| single(actuator.force_range))
    }

    #[getter]
    pub fn damping_type(&self) -> DampingType {
        match self.of_model().damping_ratio {
            Some(_) => DampingType::Dampratio,
            None => DampingType::Kv,
        }
    }

    fn get_ctrl<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let control = self.of_model().first_control;
        let mut batch = data.lock(py);
        each!(batch, worlds => {
            let column = worlds.layout().ctrl.start + control;
            data.array::<E>(py, &[], |world, out| out.extend_from_slice(worlds.numbers(world, column..column + 1)))
        })
    }

    fn set_ctrl(&self, data: &Bound<'_, SceneData>, ctrl: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.part.core)?;
        let control = self.of_model().first_control;
        in_precision!(data.store, worlds => {
            let rows: PerWorld<_> = data.input::<E>(ctrl, &[], "ctrl")?;
            let mut worlds = worlds.lock(py);
            let column = worlds.layout().ctrl.start + control;
            for (k, world) in data.pick.worlds().enumerate() {
                worlds.numbers_mut(world, column..column + 1)[0] = rows.row(k)[0];
            }
            Ok(())
        })
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let class = slf.get_type().name()?.to_string();
        let actuator = slf.get();
        Ok(describe(
            &class,
            actuator.of_model().name.as_deref(),
            actuator.part.index,
        ))
    }
}

/// A range in single precision.
fn single(range: [f64; 2]) -> Vec<f64> {
    range.map(|x| f64::from(x as f32)).to_vec()
}
