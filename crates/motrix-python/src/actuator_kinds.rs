//! Kinds of actuators and the parameters of their force law that a world may override.
//!
//! force = gain · activation + bias − stiffness · position − damping · velocity, where the model keeps gain in the first gain parameter
//! and bias, −stiffness and −damping in the first three bias parameters.

use motrix_batch::Overridden;
use motrix_model::{BiasKind, GainKind, Transmission};
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::actuator::{Actuator, DampingType};
use crate::arrays::{PerWorld, doubles};
use crate::data::SceneData;
use crate::overrides::{Invalid, finite, not_negative};
use crate::{each, in_precision};

create_exception!(motrixsim, ActuatorOverrideError, PyValueError);
create_exception!(motrixsim, ActuatorOverrideInvalidValueError, ActuatorOverrideError);
create_exception!(motrixsim, ActuatorOverrideUnsupportedTypeError, ActuatorOverrideError);
create_exception!(motrixsim, ActuatorOverrideDampingTypeError, ActuatorOverrideError);

/// Declares the subclasses.
macro_rules! subclasses {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[pyclass(frozen, extends = Actuator, subclass, module = "motrixsim")]
        pub struct $name;
    )*};
}

subclasses! {
    /// `<general>`, and what has no class of its own.
    GeneralActuator,
    /// `<motor>`.
    MotorActuator,
    /// `<position>`.
    PositionActuator,
    /// `<velocity>`.
    VelocityActuator,
    /// `<adhesion>`.
    AdhesionActuator,
}

/// The three gain and the three bias parameters of an actuator in a world.
#[derive(Clone, Copy)]
struct Law {
    gain: [f64; 3],
    bias: [f64; 3],
}

/// A number of each world's force law.
fn read<'py>(
    actuator: &Actuator,
    data: &Bound<'py, SceneData>,
    number: impl Fn(Law) -> f64,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, data) = (data.py(), data.get());
    data.of_scene(&actuator.part.core)?;
    let first = 3 * actuator.part.index;
    let mut batch = data.lock(py);
    each!(batch, worlds => data.array::<E>(py, &[], |world, out| {
        let law = Law {
            gain: doubles(&worlds.overrides.get(Overridden::ActuatorGain, world)[first..]),
            bias: doubles(&worlds.overrides.get(Overridden::ActuatorBias, world)[first..]),
        };
        out.push(motrix_spatial::Real::from_f64(number(law)));
    }))
}

/// A value to write into the force law.
struct Change<'a, 'py> {
    value: &'a Bound<'py, PyAny>,
    name: &'static str,
    valid: fn(&[f64]) -> bool,
    invalid: Invalid,
}

/// Changes each world's force law by a value.
fn write(
    actuator: &Actuator,
    data: &Bound<'_, SceneData>,
    change: &Change<'_, '_>,
    apply: impl Fn(f64, &mut Law),
) -> PyResult<()> {
    let (py, data) = (data.py(), data.get());
    data.of_scene(&actuator.part.core)?;
    let first = 3 * actuator.part.index;
    in_precision!(data.store, worlds => {
        let rows: PerWorld<_> = data.input::<E>(change.value, &[], change.name)?;
        let number = |row: &[_]| motrix_spatial::Real::to_f64(row[0]);
        let bad = rows.rows().map(number).find(|x| !(change.valid)(&[*x]));
        if let (Some(bad), Invalid::Raise) = (bad, change.invalid) {
            let message = format!("{}: {bad} is outside of the valid domain", change.name);
            return Err(ActuatorOverrideInvalidValueError::new_err(message));
        }
        let mut worlds = worlds.lock(py);
        for (k, world) in data.pick.worlds().enumerate() {
            let x = number(rows.row(k));
            if !(change.valid)(&[x]) {
                continue;
            }
            let overrides = &mut worlds.overrides;
            let mut law = Law {
                gain: doubles(&overrides.get(Overridden::ActuatorGain, world)[first..]),
                bias: doubles(&overrides.get(Overridden::ActuatorBias, world)[first..]),
            };
            apply(x, &mut law);
            for (field, numbers) in [(Overridden::ActuatorGain, law.gain), (Overridden::ActuatorBias, law.bias)] {
                for (to, from) in overrides.get_mut(field, world)[first..first + 3].iter_mut().zip(numbers) {
                    *to = motrix_spatial::Real::from_f64(from);
                }
            }
        }
        Ok(())
    })
}

/// Refuses a change that the actuator's force law would not show.
fn supported(shown: bool, what: &str) -> PyResult<()> {
    if shown {
        return Ok(());
    }
    let message = format!("{what} has no effect in the force law of this actuator");
    Err(ActuatorOverrideUnsupportedTypeError::new_err(message))
}

#[pymethods]
impl GeneralActuator {
    fn get_gain_override<'py>(slf: PyRef<'py, Self>, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        read(slf.as_super(), data, |law| law.gain[0])
    }

    fn set_gain_override(slf: PyRef<'_, Self>, data: &Bound<'_, SceneData>, gain: &Bound<'_, PyAny>) -> PyResult<()> {
        let shown = matches!(slf.as_super().of_model().gain, GainKind::Fixed | GainKind::Affine);
        supported(shown, "gain")?;
        let change = Change {
            value: gain,
            name: "gain",
            valid: finite,
            invalid: Invalid::Raise,
        };
        write(slf.as_super(), data, &change, |x, law| law.gain[0] = x)
    }

    fn get_bias_override<'py>(slf: PyRef<'py, Self>, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        read(slf.as_super(), data, |law| law.bias[0])
    }

    fn set_bias_override(slf: PyRef<'_, Self>, data: &Bound<'_, SceneData>, bias: &Bound<'_, PyAny>) -> PyResult<()> {
        supported(slf.as_super().of_model().bias == BiasKind::Affine, "bias")?;
        let change = Change {
            value: bias,
            name: "bias",
            valid: finite,
            invalid: Invalid::Raise,
        };
        write(slf.as_super(), data, &change, |x, law| law.bias[0] = x)
    }

    fn get_stiffness_override<'py>(slf: PyRef<'py, Self>, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        read(slf.as_super(), data, |law| negated(law.bias[1]))
    }

    fn set_stiffness_override(
        slf: PyRef<'_, Self>,
        data: &Bound<'_, SceneData>,
        stiffness: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        supported(slf.as_super().of_model().bias == BiasKind::Affine, "stiffness")?;
        let change = Change {
            value: stiffness,
            name: "stiffness",
            valid: not_negative,
            invalid: Invalid::Raise,
        };
        write(slf.as_super(), data, &change, |x, law| law.bias[1] = -x)
    }

    fn get_damping_override<'py>(slf: PyRef<'py, Self>, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        read(slf.as_super(), data, |law| negated(law.bias[2]))
    }

    fn set_damping_override(
        slf: PyRef<'_, Self>,
        data: &Bound<'_, SceneData>,
        damping: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        supported(slf.as_super().of_model().bias == BiasKind::Affine, "damping")?;
        let change = Change {
            value: damping,
            name: "damping",
            valid: not_negative,
            invalid: Invalid::Raise,
        };
        write(slf.as_super(), data, &change, |x, law| law.bias[2] = -x)
    }
}

/// −x, with a plain zero for zero.
fn negated(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { -x }
}

/// The mass that critical damping is relative to: kv = 2 ζ √(kp m).
///
/// The model's own ratio and damping tell it; when they are zero, the inertia of the joint in the reference pose does.
fn damped_mass(actuator: &Actuator) -> f64 {
    let of_model = actuator.of_model();
    let (kp, kv) = (of_model.gain_params[0], -of_model.bias_params[2]);
    let ratio = of_model.damping_ratio.unwrap_or(0.0);
    if kp > 0.0 && kv > 0.0 && ratio > 0.0 {
        return (kv / (2.0 * ratio)).powi(2) / kp;
    }
    let model = actuator.part.model();
    let gear = of_model.gear[0];
    match of_model.transmission {
        Transmission::Joint(joint) | Transmission::JointInParent(joint) if gear != 0.0 => {
            model.dofs[model.joints[joint.index()].first_dof].inertia0 / (gear * gear)
        }
        _ => 0.0,
    }
}

fn critical(kp: f64, mass: f64) -> f64 {
    2.0 * (kp * mass).max(0.0).sqrt()
}

#[pymethods]
impl PositionActuator {
    #[getter]
    fn kp(slf: PyRef<'_, Self>) -> f64 {
        f64::from(slf.as_super().of_model().gain_params[0] as f32)
    }

    #[getter]
    fn kd(slf: PyRef<'_, Self>) -> f64 {
        f64::from(negated(slf.as_super().of_model().bias_params[2]) as f32)
    }

    fn get_kp_override<'py>(slf: PyRef<'py, Self>, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        read(slf.as_super(), data, |law| law.gain[0])
    }

    fn set_kp_override(slf: PyRef<'_, Self>, data: &Bound<'_, SceneData>, kp: &Bound<'_, PyAny>) -> PyResult<()> {
        let change = Change {
            value: kp,
            name: "kp",
            valid: not_negative,
            invalid: Invalid::Ignore,
        };
        let actuator: &Actuator = slf.as_super();
        let by_ratio = actuator.damping_type() == DampingType::Dampratio;
        write(actuator, data, &change, |kp, law| {
            // A damping given as a ratio stays the same share of the critical one.
            if by_ratio && law.gain[0] > 0.0 {
                law.bias[2] *= (kp / law.gain[0]).sqrt();
            }
            law.gain[0] = kp;
            law.bias[1] = -kp;
        })
    }

    fn get_kd_override<'py>(
        slf: PyRef<'py, Self>,
        data: &Bound<'py, SceneData>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let actuator: &Actuator = slf.as_super();
        match actuator.damping_type() {
            DampingType::Kv => read(actuator, data, |law| negated(law.bias[2])).map(Some),
            DampingType::Dampratio => Ok(None),
        }
    }

    fn get_dampratio_override<'py>(
        slf: PyRef<'py, Self>,
        data: &Bound<'py, SceneData>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let actuator: &Actuator = slf.as_super();
        let mass = damped_mass(actuator);
        match actuator.damping_type() {
            DampingType::Kv => Ok(None),
            DampingType::Dampratio => {
                let ratio = |law: Law| match critical(law.gain[0], mass) {
                    0.0 => 0.0,
                    critical => negated(law.bias[2]) / critical,
                };
                read(actuator, data, ratio).map(Some)
            }
        }
    }

    fn set_damping_override(
        slf: PyRef<'_, Self>,
        data: &Bound<'_, SceneData>,
        damping: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let change = Change {
            value: damping,
            name: "damping",
            valid: not_negative,
            invalid: Invalid::Ignore,
        };
        let actuator: &Actuator = slf.as_super();
        let (by_ratio, mass) = (actuator.damping_type() == DampingType::Dampratio, damped_mass(actuator));
        write(actuator, data, &change, |damping, law| {
            let unit = if by_ratio { critical(law.gain[0], mass) } else { 1.0 };
            law.bias[2] = -damping * unit;
        })
    }
}

#[pymethods]
impl VelocityActuator {
    #[getter]
    fn kv(slf: PyRef<'_, Self>) -> f64 {
        f64::from(slf.as_super().of_model().gain_params[0] as f32)
    }

    fn get_kv_override<'py>(slf: PyRef<'py, Self>, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        read(slf.as_super(), data, |law| law.gain[0])
    }

    fn set_kv_override(slf: PyRef<'_, Self>, data: &Bound<'_, SceneData>, kv: &Bound<'_, PyAny>) -> PyResult<()> {
        let change = Change {
            value: kv,
            name: "kv",
            valid: not_negative,
            invalid: Invalid::Raise,
        };
        write(slf.as_super(), data, &change, |kv, law| {
            law.gain[0] = kv;
            law.bias[2] = -kv;
        })
    }
}
