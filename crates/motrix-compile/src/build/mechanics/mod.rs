//! The model in one configuration: where everything is, how heavy it is, how long tendons and actuators are.
//!
//! The engine has its own mechanics, in lanes. The compiler needs a few quantities once per model, before there is anything to
//! simulate; this is the plain `f64` version of them.

mod bias;
mod inertia_matrix;
mod kinematics;
mod tendon_path;
mod transmission;

pub use bias::bias_forces;
pub use inertia_matrix::InertiaMatrix;
pub use kinematics::Kinematics;
pub use tendon_path::{TendonPath, tendon_paths};
pub use transmission::{Output, outputs};
