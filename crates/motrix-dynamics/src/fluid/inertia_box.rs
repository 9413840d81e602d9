//! The medium around the box that has a body's mass and inertia.
//!
//! A box with edges b has the inertia Iₓ = m (b_y² + b_z²)/12, so b_x² = 6 (I_y + I_z − Iₓ)/m. The medium resists with
//!
//! * Stokes' drag of a sphere with the diameter d = (b_x + b_y + b_z)/3: τ = −π d³ β ω, f = −3π d β v;
//! * pressure on the faces: f_x = −½ ρ b_y b_z |v_x| v_x, τ_x = −ρ b_x (b_y⁴ + b_z⁴) |ω_x| ω_x / 64, and so on,
//!
//! with ρ the density, β the viscosity and (ω, v) the velocity through the medium along the principal axes.

use core::f64::consts::PI;

use motrix_spatial::{Force, Lanes, Motion, Vec3};

use super::Medium;
use crate::params::BodyParams;

/// Smallest difference of moments that has an edge (MuJoCo's `mjMINVAL`).
const MIN_MOMENT: f64 = 1e-15;

/// Edges b of the box.
#[inline(always)]
pub fn edges<L: Lanes>(body: &BodyParams<L>) -> Vec3<L> {
    let [x, y, z] = body.inertia;
    let mut out = [y + z - x, x + z - y, x + y - z];
    for edge in &mut out {
        *edge = (edge.max(L::c(MIN_MOMENT)) / body.mass * L::c(6.0)).sqrt();
    }
    out
}

/// Coefficients of drag: those of the velocity, and those of velocity times speed.
#[inline(always)]
fn coefficients<L: Lanes>(medium: &Medium<L>, edges: &Vec3<L>) -> ([L; 6], [L; 6]) {
    let [x, y, z] = *edges;
    let d = (x + y + z) / L::c(3.0);
    let turning = L::c(PI) * d * d * d * medium.viscosity;
    let moving = L::c(3.0 * PI) * d * medium.viscosity;
    let linear = [turning, turning, turning, moving, moving, moving];

    let [x4, y4, z4] = [x * x * x * x, y * y * y * y, z * z * z * z];
    let turning = medium.density * L::c(1.0 / 64.0);
    let moving = medium.density * L::c(0.5);
    let quadratic = [
        turning * x * (y4 + z4),
        turning * y * (x4 + z4),
        turning * z * (x4 + y4),
        moving * y * z,
        moving * x * z,
        moving * x * y,
    ];
    (linear, quadratic)
}

/// Local [τ; f] at the local velocity [ω; v].
#[inline(always)]
pub fn force<L: Lanes>(medium: &Medium<L>, edges: &Vec3<L>, velocity: &Motion<L>) -> Force<L> {
    let (linear, quadratic) = coefficients(medium, edges);
    let mut out = [L::ZERO; 6];
    for i in 0..6 {
        let v = velocity[i];
        out[i] = -(quadratic[i].mul_add(v.abs(), linear[i]) * v);
    }
    out
}

/// Diagonal of ∂[τ; f]/∂[ω; v]; the rest is zero.
#[inline(always)]
pub fn slope<L: Lanes>(medium: &Medium<L>, edges: &Vec3<L>, velocity: &Motion<L>) -> [L; 6] {
    let (linear, quadratic) = coefficients(medium, edges);
    let mut out = [L::ZERO; 6];
    for i in 0..6 {
        out[i] = -(L::c(2.0) * quadratic[i]).mul_add(velocity[i].abs(), linear[i]);
    }
    out
}
