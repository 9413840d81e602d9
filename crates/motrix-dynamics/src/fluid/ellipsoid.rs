//! The medium around an ellipsoid (Andersen, Pesavento & Wang, *Unsteady aerodynamics of fluttering and tumbling plates*, 2005,
//! generalised to three dimensions in the MuJoCo documentation, "Ellipsoid-based fluid interaction model").
//!
//! With (ω, v) the velocity through the medium along the axes r of the ellipsoid, ρ the density and β the viscosity:
//!
//! * added mass: with p = ρ m∘v and L = ρ I∘ω the momenta of the medium carried along, f = p × ω, τ = p × v + L × ω;
//! * Magnus lift: f = c_M ρ V ω × v with the volume V = 4π/3 r_x r_y r_z;
//! * Kutta lift: f = c_K ρ cos α A (n × v) × v, with A the area projected along v, n its normal and α the angle between;
//! * drag: f = −(ρ |v| (c_b A + c_s (A_max − A)) + 3π d β) v and, with the moments J below, τ = −(ρ |J∘ω| + π d³ β) ω, where
//!   d = ⅔ (r_x + r_y + r_z) and J_i = c_a I_i + c_s (I_max − I_i).

use core::f64::consts::PI;

use motrix_model::{GeomKind, Model};
use motrix_spatial::algebra::*;
use motrix_spatial::{Force, Lanes, Motion, Real, Vec3};

use super::Medium;
use crate::params::GeomParams;

/// Smallest denominator: keeps still air from dividing by zero, and is far below what a thin plate of a millimetre has.
pub(super) const MIN_VALUE: f64 = 1e-35;

/// A geom that stands for an ellipsoid, with the coefficients of `geom_fluid`.
#[derive(Clone, Debug)]
pub struct EllipsoidRow<E> {
    /// Geom.
    pub geom: usize,
    /// Its shape.
    pub kind: GeomKind,
    /// Scale of all forces.
    pub interaction: E,
    /// Drag across the projected area, c_b.
    pub blunt_drag: E,
    /// Drag across the rest, c_s.
    pub slender_drag: E,
    /// Drag of rotation, c_a.
    pub angular_drag: E,
    /// Kutta lift, c_K.
    pub kutta_lift: E,
    /// Magnus lift, c_M.
    pub magnus_lift: E,
    /// Added mass per density, m.
    pub virtual_mass: [E; 3],
    /// Added inertia per density, I.
    pub virtual_inertia: [E; 3],
}

impl<E: Real> EllipsoidRow<E> {
    /// The coefficients of a geom, when it interacts.
    pub fn new(model: &Model, geom: usize) -> Option<Self> {
        let g = &model.geoms[geom];
        let f = g.fluid.map(E::from_f64);
        (g.fluid[0] > 0.0).then_some(Self {
            geom,
            kind: g.kind,
            interaction: f[0],
            blunt_drag: f[1],
            slender_drag: f[2],
            angular_drag: f[3],
            kutta_lift: f[4],
            magnus_lift: f[5],
            virtual_mass: [f[6], f[7], f[8]],
            virtual_inertia: [f[9], f[10], f[11]],
        })
    }

    /// Semi-axes of the ellipsoid of a geom.
    #[inline(always)]
    pub fn semi_axes<L: Lanes<Elem = E>>(&self, geom: &GeomParams<L>) -> Vec3<L> {
        let [x, y, z] = geom.size;
        match self.kind {
            GeomKind::Sphere => [x, x, x],
            GeomKind::Capsule => [x, x, y + x],
            GeomKind::Cylinder => [x, x, y],
            _ => [x, y, z],
        }
    }
}

/// The shape of an ellipsoid as the medium sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bluff<L> {
    /// Squares of the products of the other two semi-axes: (r_y r_z)² and so on.
    pub faces: Vec3<L>,
    /// Largest projected area A_max.
    pub largest_area: L,
    /// Diameter d of the equivalent sphere.
    pub diameter: L,
    /// Moments J of the drag on rotation.
    pub moments: Vec3<L>,
    /// Volume V.
    pub volume: L,
}

impl<L: Lanes> Bluff<L> {
    #[inline(always)]
    pub fn new(row: &EllipsoidRow<L::Elem>, axes: Vec3<L>) -> Self {
        let [x, y, z] = axes;
        let (yz, zx, xy) = (y * z, z * x, x * y);
        let largest = x.max(y).max(z);
        let middle = x + y + z - largest - x.min(y).min(z);
        let moment = L::c(8.0 / 15.0 * PI);
        let most = moment * middle * fourth_power(largest);
        let own = [
            moment * x * fourth_power(y.max(z)),
            moment * y * fourth_power(z.max(x)),
            moment * z * fourth_power(x.max(y)),
        ];
        let (angular, slender) = (L::splat(row.angular_drag), L::splat(row.slender_drag));
        let mut moments = [L::ZERO; 3];
        for i in 0..3 {
            moments[i] = angular.mul_add(own[i], slender * (most - own[i]));
        }
        Self {
            faces: [yz * yz, zx * zx, xy * xy],
            largest_area: L::c(PI) * largest * middle,
            diameter: L::c(2.0 / 3.0) * (x + y + z),
            moments,
            volume: L::c(4.0 / 3.0 * PI) * x * y * z,
        }
    }
}

#[inline(always)]
fn fourth_power<L: Lanes>(x: L) -> L {
    let square = x * x;
    square * square
}

/// How an ellipsoid meets the flow: sums over its axes with a = (r_y r_z)² and so on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projection<L> {
    /// Σ a v².
    pub number: L,
    /// Σ a² v².
    pub denominator: L,
    /// Projected area A.
    pub area: L,
}

impl<L: Lanes> Projection<L> {
    #[inline(always)]
    pub fn new(faces: &Vec3<L>, v: Vec3<L>) -> Self {
        let (mut number, mut denominator) = (L::ZERO, L::ZERO);
        for i in 0..3 {
            let av2 = faces[i] * v[i] * v[i];
            number += av2;
            denominator = faces[i].mul_add(av2, denominator);
        }
        Self {
            number,
            denominator,
            area: L::c(PI) * (denominator / number.max(L::c(MIN_VALUE))).sqrt(),
        }
    }
}

/// Local [τ; f] at the local velocity [ω; v].
#[inline(always)]
pub fn force<L: Lanes>(
    medium: &Medium<L>,
    row: &EllipsoidRow<L::Elem>,
    axes: Vec3<L>,
    velocity: &Motion<L>,
) -> Force<L> {
    let (rho, beta) = (medium.density, medium.viscosity);
    let (omega, v) = (angular(velocity), linear(velocity));
    let shape = Bluff::new(row, axes);
    let flow = Projection::new(&shape.faces, v);
    let speed = norm(v);

    // Added mass.
    let (m, i) = (splat3(row.virtual_mass), splat3(row.virtual_inertia));
    let p = scale(times(m, v), rho);
    let l = scale(times(i, omega), rho);
    let mut torque = add(cross(p, v), cross(l, omega));
    let mut force = cross(p, omega);

    // Lift. The normal is left unnormalised, which the cosine makes up for.
    let magnus = L::splat(row.magnus_lift) * rho * shape.volume;
    let cosine = flow.number / (speed * flow.denominator).max(L::c(MIN_VALUE));
    let kutta = L::splat(row.kutta_lift) * rho * cosine * flow.area;
    let circulation = scale(cross(times(shape.faces, v), v), kutta);
    force = add(force, add_scaled(cross(circulation, v), magnus, cross(omega, v)));

    // Drag.
    let d = shape.diameter;
    let (blunt, slender) = (L::splat(row.blunt_drag), L::splat(row.slender_drag));
    let area = flow.area.mul_add(blunt, slender * (shape.largest_area - flow.area));
    let drag = (rho * speed).mul_add(area, L::c(3.0 * PI) * d * beta);
    let twist = norm(times(shape.moments, omega));
    let angular_drag = rho.mul_add(twist, L::c(PI) * d * d * d * beta);
    torque = add_scaled(torque, -angular_drag, omega);
    force = add_scaled(force, -drag, v);

    scale6(&spatial(torque, force), L::splat(row.interaction))
}

/// a∘b, entry by entry.
#[inline(always)]
pub(super) fn times<L: Lanes>(a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}
