//! How the force of the medium on an ellipsoid changes with the velocity: ∂[τ; f]/∂[ω; v], 6×6.
//!
//! Derivatives of the terms of [`super::ellipsoid`], in their letters: a = (r_y r_z)² and so on, N = Σ a v², D = Σ a² v².
//! Three quirks of MuJoCo's derivatives are kept, since the step is compared with it: the scale of the interaction is left
//! out (it is 0 or 1), the Kutta term is the one of the closed form that MuJoCo found by computer algebra, and where
//! a denominator vanishes it is bounded instead.

use core::f64::consts::PI;

use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mat3, Motion, Vec3};

use super::Medium;
use super::ellipsoid::{Bluff, EllipsoidRow, MIN_VALUE, Projection, times};

/// A 6×6 matrix by quadrants, each row-major: of a derivative, rows torque and force, columns ω and v.
#[derive(Clone, Copy, Debug)]
pub struct Quadrants<L> {
    /// Torque by ω.
    pub torque_omega: Mat3<L>,
    /// Torque by v.
    pub torque_v: Mat3<L>,
    /// Force by ω.
    pub force_omega: Mat3<L>,
    /// Force by v.
    pub force_v: Mat3<L>,
}

impl<L: Lanes> Quadrants<L> {
    /// Entry (i, j).
    #[inline(always)]
    pub fn at(&self, i: usize, j: usize) -> L {
        let quadrant = match (i < 3, j < 3) {
            (true, true) => &self.torque_omega,
            (true, false) => &self.torque_v,
            (false, true) => &self.force_omega,
            (false, false) => &self.force_v,
        };
        quadrant[3 * (i % 3) + j % 3]
    }
}

/// The derivative of [`super::ellipsoid::force`].
#[inline(always)]
pub fn slope<L: Lanes>(
    medium: &Medium<L>,
    row: &EllipsoidRow<L::Elem>,
    axes: Vec3<L>,
    velocity: &Motion<L>,
) -> Quadrants<L> {
    let rho = medium.density;
    let (omega, v) = (angular(velocity), linear(velocity));
    let shape = Bluff::new(row, axes);

    // Added mass: p × ω, p × v and L × ω with p = ρ m∘v and L = ρ I∘ω.
    let (m, i) = (
        scale(splat3(row.virtual_mass), rho),
        scale(splat3(row.virtual_inertia), rho),
    );
    let (p, l) = (times(m, v), times(i, omega));
    // Magnus lift: c ω × v.
    let magnus = L::splat(row.magnus_lift) * rho * shape.volume;

    Quadrants {
        torque_omega: sum(&[&by_factors(l, omega, i), &rotation_drag(medium, &shape, omega)]),
        torque_v: by_factors(p, v, m),
        force_omega: sum(&[&by_second(p), &by_first(scale(v, magnus))]),
        force_v: sum(&[
            &columns_times(&by_first(omega), m),
            &by_second(scale(omega, magnus)),
            &kutta(medium, row, &shape, v),
            &drag(medium, row, &shape, v),
        ]),
    }
}

/// ∂(a × b)/∂a = −[b]ₓ.
#[inline(always)]
fn by_first<L: Lanes>(b: Vec3<L>) -> Mat3<L> {
    let o = L::ZERO;
    [o, b[2], -b[1], -b[2], o, b[0], b[1], -b[0], o]
}

/// ∂(a × b)/∂b = [a]ₓ.
#[inline(always)]
fn by_second<L: Lanes>(a: Vec3<L>) -> Mat3<L> {
    let o = L::ZERO;
    [o, -a[2], a[1], a[2], o, -a[0], -a[1], a[0], o]
}

/// ∂((s∘x) × x)/∂x, with a = s∘x.
#[inline(always)]
fn by_factors<L: Lanes>(a: Vec3<L>, x: Vec3<L>, s: Vec3<L>) -> Mat3<L> {
    sum(&[&by_second(a), &columns_times(&by_first(x), s)])
}

/// A diag(s).
#[inline(always)]
fn columns_times<L: Lanes>(a: &Mat3<L>, s: Vec3<L>) -> Mat3<L> {
    let mut out = *a;
    for k in 0..9 {
        out[k] *= s[k % 3];
    }
    out
}

#[inline(always)]
fn sum<L: Lanes, const N: usize>(terms: &[&Mat3<L>; N]) -> Mat3<L> {
    let mut out = *terms[0];
    for term in &terms[1..] {
        for k in 0..9 {
            out[k] += term[k];
        }
    }
    out
}

/// ∂/∂ω of −(ρ |J∘ω| + π d³ β) ω.
#[inline(always)]
fn rotation_drag<L: Lanes>(medium: &Medium<L>, shape: &Bluff<L>, omega: Vec3<L>) -> Mat3<L> {
    let d = shape.diameter;
    let jw = times(shape.moments, omega);
    let rho = medium.density / norm(jw).max(L::c(MIN_VALUE));
    let gradient = scale(times(shape.moments, jw), -rho);
    let own = dot(omega, gradient) - medium.viscosity * L::c(PI) * d * d * d;
    let mut out = mat_diagonal([own; 3]);
    add_outer(&mut out, omega, gradient);
    out
}

/// ∂/∂v of −(ρ |v| (c_b A + c_s (A_max − A)) + 3π d β) v.
#[inline(always)]
fn drag<L: Lanes>(medium: &Medium<L>, row: &EllipsoidRow<L::Elem>, shape: &Bluff<L>, v: Vec3<L>) -> Mat3<L> {
    let (blunt, slender) = (L::splat(row.blunt_drag), L::splat(row.slender_drag));
    let flow = Projection::new(&shape.faces, v);
    let speed = norm(v);
    let n = flow.number;
    let quadratic = medium.density * flow.area.mul_add(blunt, slender * (shape.largest_area - flow.area));
    let viscous = medium.viscosity * L::c(3.0 * PI) * shape.diameter;

    // ∂A/∂v, times what it multiplies.
    let [a, b, c] = shape.faces;
    let [x2, y2, z2] = [v[0] * v[0], v[1] * v[1], v[2] * v[2]];
    let by_area = medium.density * speed * (blunt - slender);
    let common = by_area * L::c(PI) / (n * n * n * flow.denominator).sqrt().max(L::c(MIN_VALUE));
    let area_gradient = [
        common * a * v[0] * (b * y2 * (a - b) + c * z2 * (a - c)),
        common * b * v[1] * (a * x2 * (b - a) + c * z2 * (b - c)),
        common * c * v[2] * (a * x2 * (c - a) + b * y2 * (c - b)),
    ];

    // −q (v vᵀ + |v|² 1)/|v| − v (∂A/∂v)ᵀ − viscous 1
    let q = -(quadratic / speed.max(L::c(MIN_VALUE)));
    let mut out = mat_diagonal([q * (x2 + y2 + z2) - viscous; 3]);
    add_outer(&mut out, v, add_scaled(neg(area_gradient), q, v));
    out
}

/// ∂/∂v of c_K ρ cos α A (n × v) × v.
#[inline(always)]
fn kutta<L: Lanes>(medium: &Medium<L>, row: &EllipsoidRow<L::Elem>, shape: &Bluff<L>, v: Vec3<L>) -> Mat3<L> {
    let tiny = L::c(MIN_VALUE);
    let flow = Projection::new(&shape.faces, v);
    let faces = shape.faces;
    let [a, b, c] = faces;
    let [x2, y2, z2] = [v[0] * v[0], v[1] * v[1], v[2] * v[2]];
    let v2 = x2 + y2 + z2;
    let scale =
        L::c(PI) * L::splat(row.kutta_lift) * medium.density / (flow.denominator * flow.number * v2).sqrt().max(tiny);
    let across = [
        y2 * (a - b) + z2 * (a - c),
        x2 * (b - a) + z2 * (b - c),
        x2 * (c - a) + y2 * (c - b),
    ];
    let by_denominator = flow.number / flow.denominator.max(tiny);
    let by_speed = flow.number / v2.max(tiny);
    let mut out = [L::ZERO; 9];
    for i in 0..3 {
        for j in 0..3 {
            let face = faces[j];
            let inner = (face * face).mul_add(by_denominator, by_speed - face);
            let term = (L::c(2.0) * flow.number).mul_add(face - faces[i], across[i] * inner);
            out[3 * i + j] = scale * term * v[i] * v[j];
        }
        out[4 * i] -= scale * across[i] * flow.number;
    }
    out
}

/// A += x yᵀ.
#[inline(always)]
fn add_outer<L: Lanes>(a: &mut Mat3<L>, x: Vec3<L>, y: Vec3<L>) {
    for i in 0..3 {
        for j in 0..3 {
            a[3 * i + j] = x[i].mul_add(y[j], a[3 * i + j]);
        }
    }
}
