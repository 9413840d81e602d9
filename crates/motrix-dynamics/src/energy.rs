//! Mechanical energy of each world.
//!
//! Potential: −Σ m g·x over the bodies plus what the springs of joints and tendons hold. Kinetic: ½ q̇ᵀ M q̇, which counts the
//! inertia of rotors too. Fields such as contacts and gravity compensation have no potential here (MuJoCo's `mj_energyPos`
//! and `mj_energyVel`).

use motrix_model::Options;
use motrix_spatial::Lanes;
use motrix_spatial::algebra::*;

use crate::configuration::Configuration;
use crate::data::{Inertia, Tendons};
use crate::passive::{PassiveTable, Rest, displacement, excess};
use crate::pattern::{self, Pattern};

/// Potential energy.
#[inline(always)]
pub fn potential<L: Lanes>(
    options: &Options,
    table: &PassiveTable<L::Elem>,
    at: &Configuration<L>,
    tendons: &Tendons<L>,
    plastic: &[L],
) -> L {
    let mut energy = L::ZERO;
    if !options.disable.gravity {
        for (body, x) in at.params.bodies.iter().zip(&at.poses.com).skip(1) {
            energy = body.mass.neg_mul_add(dot(at.params.gravity, *x), energy);
        }
    }
    for row in &table.springs {
        let x = displacement(row, at.qpos, plastic);
        let x = match row.rest {
            Rest::Scalar(_) => x[0],
            Rest::Point(_) | Rest::Orientation(_) => norm(x),
        };
        energy += row.stiffness.splat::<L>().potential(x);
    }
    for row in &table.tendons {
        let x = excess(row, tendons.length[row.tendon], plastic);
        energy += row.stiffness.splat::<L>().potential(x);
    }
    energy
}

/// Kinetic energy; `momentum` is overwritten with M q̇.
#[inline(always)]
pub fn kinetic<L: Lanes>(pattern: &Pattern, inertia: &Inertia<L>, qvel: &[L], momentum: &mut [L]) -> L {
    pattern::multiply(pattern, &inertia.matrix, qvel, momentum);
    let mut sum = L::ZERO;
    for (p, v) in momentum.iter().zip(qvel) {
        sum = p.mul_add(*v, sum);
    }
    L::c(0.5) * sum
}
