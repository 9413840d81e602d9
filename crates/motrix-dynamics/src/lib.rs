//! A group of worlds in lanes: state → acceleration → next state.
//!
//! One source, generic over [`Lanes`](motrix_spatial::Lanes). [`forward`] reads like MuJoCo's own step: positions, velocities,
//! accelerations; each stage takes what it reads by reference and writes one part of [`Data`]. [`Tables`] hold what is the same
//! in all worlds, [`Params`] what a world may override.

pub mod actuation;
mod axis;
pub mod bias;
pub mod configuration;
pub mod constraint;
pub mod contacts;
pub mod data;
pub mod delay;
pub mod energy;
pub mod fluid;
pub mod frames;
pub mod inertia;
pub mod integrate;
mod isolated;
pub mod joint_space;
pub mod kernels;
pub mod kinematics;
pub mod params;
pub mod passive;
pub mod pattern;
pub mod plastic;
pub mod polynomial;
mod rank_one;
pub mod reference;
mod reflected;
pub mod sensor;
pub mod solve;
mod stages;
mod support;
pub mod tables;
mod tally;
pub mod tendon;
pub mod transmission;
mod wrench;

pub use data::Data;
pub use kernels::{Kernels, forward, forward_with_sensors, step};
pub use params::Params;
pub use tables::Tables;
