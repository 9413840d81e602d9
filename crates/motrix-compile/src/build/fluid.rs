//! Forces of the surrounding medium on a geom: drag coefficients and the mass of medium that moves along.
//!
//! The added mass of an ellipsoid follows from an elliptic integral (Tuckerman, *Inertia factors of ellipsoids for use in
//! airship design*, 1925), evaluated by 15-point Gauss-Kronrod quadrature after mapping [0, ∞) to [0, 1]; MuJoCo uses the
//! same points, printed to the same digits.

use std::f64::consts::PI;

use motrix_model::GeomKind;

use super::pose::TINY;
use crate::document::Element;
use crate::problem::Problems;

/// Weights of the quadrature.
const WEIGHTS: [f64; 15] = [
    0.01146766, 0.03154605, 0.05239501, 0.07032663, 0.08450236, 0.09517529, 0.10221647, 0.10474107, 0.10221647,
    0.09517529, 0.08450236, 0.07032663, 0.05239501, 0.03154605, 0.01146766,
];
/// Points λ = x³/(1−x)² of the quadrature.
const POINTS: [f64; 15] = [
    7.865151709349917e-08,
    1.7347976913907274e-05,
    0.0003548008144506193,
    0.002846636252924549,
    0.014094260903596077,
    0.053063261727396636,
    0.17041978741317773,
    0.5,
    1.4036301548686991,
    3.9353484827022642,
    11.644841677041734,
    39.53187807410903,
    177.5711362220801,
    1429.4772912937397,
    54087.416549217705,
];
/// Derivatives dλ/dx at the points.
const SLOPES: [f64; 15] = [
    5.538677720489877e-05,
    0.002080868285293228,
    0.016514126520723166,
    0.07261900344370877,
    0.23985243401862602,
    0.6868318249020725,
    1.8551129519182894,
    5.0,
    14.060031152313941,
    43.28941239611009,
    156.58546376397112,
    747.9826085305024,
    5827.4042950027115,
    116754.0197944512,
    25482945.327264845,
];

/// The twelve fluid numbers of a geom (`geom_fluid`); zeros unless `fluidshape="ellipsoid"`.
pub fn read(element: &Element, kind: GeomKind, size: [f64; 3], problems: &mut Problems) -> [f64; 12] {
    const SHAPE: &[(&str, bool)] = &[("none", false), ("ellipsoid", true)];
    let drag = element.reals_over("fluidcoef", [0.5, 0.25, 1.5, 1.0, 1.0], problems);
    if !element.keyword("fluidshape", SHAPE, problems).unwrap_or(false) {
        return [0.0; 12];
    }
    let [a, b, c] = size;
    let axes = match kind {
        GeomKind::Sphere => [a, a, a],
        GeomKind::Capsule => [a, a, a + b],
        GeomKind::Cylinder => [a, a, b],
        _ => [a, b, c],
    };
    let (mass, inertia) = added_mass(axes);
    let mut numbers = [0.0; 12];
    numbers[0] = 1.0;
    numbers[1..6].copy_from_slice(&drag);
    numbers[6..9].copy_from_slice(&mass);
    numbers[9..12].copy_from_slice(&inertia);
    numbers
}

/// Virtual mass and virtual moments of inertia of an ellipsoid in a medium of unit density.
fn added_mass([a, b, c]: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    let volume = 4.0 / 3.0 * PI * a * b * c;
    let kappa = [kappa(a, b, c), kappa(b, c, a), kappa(c, a, b)];
    let mass = kappa.map(|k| volume * k / (2.0 - k).max(TINY));
    let inertia = |p: f64, q: f64, kp: f64, kq: f64| {
        let difference = p * p - q * q;
        let denominator = (2.0 * difference + (p * p + q * q) * (kp - kq)).abs().max(TINY);
        volume / 5.0 * difference * difference * (kq - kp).abs() / denominator
    };
    let [kx, ky, kz] = kappa;
    (
        mass,
        [inertia(b, c, ky, kz), inertia(c, a, kz, kx), inertia(a, b, kx, ky)],
    )
}

/// ∫₀^∞ a b c dλ / √((a²+λ)³ (b²+λ) (c²+λ)).
fn kappa(a: f64, b: f64, c: f64) -> f64 {
    let [ia, ib, ic] = [a, b, c].map(|axis| 1.0 / (axis * axis));
    // lengths squared, so that the points reach where the integrand lives
    let scale = (a * a * a * b * c).powf(0.4);
    let sum: f64 = (0..15)
        .map(|i| {
            let lambda = scale * POINTS[i];
            let first = 1.0 + lambda * ia;
            let denominator = first * (first * (1.0 + lambda * ib) * (1.0 + lambda * ic)).sqrt();
            scale * SLOPES[i] / denominator * WEIGHTS[i]
        })
        .sum();
    sum * ia
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sphere_carries_half_its_volume_along() {
        let (mass, inertia) = added_mass([0.3; 3]);
        let volume = 4.0 / 3.0 * PI * 0.027;
        // the quadrature is printed to eight digits
        assert!((mass[0] / volume - 0.5).abs() < 1e-6, "{}", mass[0] / volume);
        assert!(inertia.iter().all(|&moment| moment.abs() < 1e-12));
    }
}
