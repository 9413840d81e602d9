//! The kernels compiled for every lane type.

use motrix_model::Integrator;

use crate::data::Data;
use crate::integrate::{self, runge_kutta};
use crate::params::Params;
use crate::sensor;
use crate::stages;
use crate::tables::Tables;

motrix_spatial::entry! {
    /// What a group of worlds can be asked to do, compiled once per lane type.
    pub trait Kernels {
        /// Poses, inertia, contacts.
        fn position(tables: &Tables<Self::Elem>, params: &Params<Self>, data: &mut Data<Self>) {
            stages::position(tables, params, data);
        }
        /// Velocities, bias, passive and actuator forces.
        fn velocity(tables: &Tables<Self::Elem>, params: &Params<Self>, data: &mut Data<Self>) {
            stages::velocity(tables, params, data);
        }
        /// Accelerations and constraint forces.
        fn acceleration(tables: &Tables<Self::Elem>, params: &Params<Self>, data: &mut Data<Self>) {
            stages::acceleration(tables, params, data);
        }
        /// Sensor values.
        fn sense(tables: &Tables<Self::Elem>, params: &Params<Self>, data: &mut Data<Self>) {
            sensor::read(tables, params, data);
        }
        /// The end of a stage of Runge-Kutta, counted from 0, and the state of the next one.
        fn next_stage(tables: &Tables<Self::Elem>, data: &mut Data<Self>, stage: usize) {
            runge_kutta::next_stage(tables, data, stage);
        }
        /// The next state.
        fn integrate(tables: &Tables<Self::Elem>, params: &Params<Self>, data: &mut Data<Self>) {
            integrate::step(tables, params, data);
        }
    }
}

/// Everything that follows from the state, up to the acceleration.
pub fn forward<L: Kernels>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    L::position(tables, params, data);
    L::velocity(tables, params, data);
    L::acceleration(tables, params, data);
}

/// As [`forward`], then the sensors.
pub fn forward_with_sensors<L: Kernels>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    forward(tables, params, data);
    if !tables.sensors.rows.is_empty() {
        L::sense(tables, params, data);
    }
}

/// One step: the acceleration at the state, then the next state.
pub fn step<L: Kernels>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    forward_with_sensors(tables, params, data);
    if tables.integrator() == Integrator::Rk4 {
        for stage in 0..runge_kutta::LATER_STAGES {
            L::next_stage(tables, data, stage);
            forward(tables, params, data);
        }
    }
    L::integrate(tables, params, data);
}
