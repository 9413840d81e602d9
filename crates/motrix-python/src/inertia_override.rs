//! The inertia tensor of a link in single worlds: six numbers `Ixx Iyy Izz Ixy Ixz Iyz` about the centre of mass in link axes.
//!
//! The engine keeps principal moments and axes. A tensor that has the model's axes changes the moments alone, so that worlds whose
//! links are merely heavier go on sharing the axes; any other tensor is diagonalised as the compiler does it.

use motrix_batch::frame::{self, matrix};
use motrix_batch::{Overridden, Scalar, Worlds};
use motrix_compile::principal_axes::{Noise, PrincipalAxes, principal_axes};
use motrix_spatial::Precision;
use pyo3::prelude::*;

use crate::arrays::{self, doubles};
use crate::data::SceneData;
use crate::overrides::{finite, positive};
use crate::{each, in_precision};

/// How far principal moments may be from fulfilling the triangle inequality, as a fraction of the largest: a flat plate fulfils it
/// exactly, and single precision has rounded it.
const ROUNDING: f64 = 1e-6;

/// Principal moments, and the orientation `w x y z` of their axes in the link.
#[derive(Clone, Copy)]
struct Principal {
    moments: [f64; 3],
    axes: [f64; 4],
}

impl Principal {
    /// Those of a body in a world.
    fn of<E: Scalar>(worlds: &Worlds<E>, world: usize, body: usize) -> Self {
        Self {
            moments: doubles(&worlds.overrides.get(Overridden::Inertia, world)[3 * body..]),
            axes: doubles(&worlds.overrides.get(Overridden::PrincipalAxes, world)[4 * body..]),
        }
    }

    /// The tensor Σ mₖ aₖ aₖᵀ over the columns aₖ of the axes, as Ixx Iyy Izz Ixy Ixz Iyz.
    fn tensor(&self) -> [f64; 6] {
        let axes = matrix(frame::ijkw(self.axes));
        let entry = |r: usize, c: usize| {
            (0..3)
                .map(|k| axes[3 * r + k] * self.moments[k] * axes[3 * c + k])
                .sum()
        };
        [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].map(|(r, c)| entry(r, c))
    }

    /// Principal moments and axes of a tensor: the axes `own` if they are its own up to `noise`, a fraction of the largest moment.
    ///
    /// `None` when no body has such a tensor, which is ignored as other invalid overrides are.
    fn from_tensor(numbers: [f64; 6], own: [f64; 4], noise: f64) -> Option<Self> {
        let [xx, yy, zz, xy, xz, yz] = numbers;
        let tensor = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        let axes = matrix(frame::ijkw(own));
        let along = |a: usize, b: usize| -> f64 {
            let row = |r: usize| (0..3).map(move |c| axes[3 * r + a] * tensor[r][c] * axes[3 * c + b]);
            (0..3).flat_map(row).sum()
        };
        let moments = [along(0, 0), along(1, 1), along(2, 2)];
        let largest = moments.iter().fold(0.0, |largest: f64, m| largest.max(m.abs()));
        let products = [along(0, 1), along(0, 2), along(1, 2)];
        let found = if !finite(&numbers) {
            return None;
        } else if products.iter().all(|p| p.abs() <= noise * largest) {
            Self { moments, axes: own }
        } else {
            let PrincipalAxes { moments, orientation } = principal_axes(&flat(tensor), Noise::GIVEN);
            Self {
                moments,
                axes: orientation,
            }
        };
        found.is_of_a_body().then_some(found)
    }

    /// Whether the moments are positive and none is larger than the other two together.
    fn is_of_a_body(&self) -> bool {
        let sum: f64 = self.moments.iter().sum();
        let fits = |m: &f64| sum - 2.0 * m >= -ROUNDING * sum;
        positive(&self.moments) && self.moments.iter().all(fits)
    }
}

fn flat(rows: [[f64; 3]; 3]) -> [f64; 9] {
    std::array::from_fn(|i| rows[i / 3][i % 3])
}

/// The tensors of a body of the model.
pub fn get<'py>(data: &Bound<'py, SceneData>, body: usize) -> PyResult<Bound<'py, PyAny>> {
    let (py, data) = (data.py(), data.get());
    let mut batch = data.lock(py);
    each!(batch, worlds => data.array::<E>(py, &[6], |world, out| {
        out.extend(arrays::rounded::<E, 6>(Principal::of(worlds, world, body).tensor()));
    }))
}

/// Overrides the tensors of a body of the model; rows that no body has are skipped. A body that is `fixed` has no use for them.
pub fn set(data: &Bound<'_, SceneData>, body: usize, inertia: &Bound<'_, PyAny>, fixed: bool) -> PyResult<()> {
    let (py, data) = (data.py(), data.get());
    let rows = data.input::<f64>(inertia, &[6], "inertia")?;
    if fixed {
        return Ok(());
    }
    let own = data.core.model().bodies[body].inertia_orientation;
    in_precision!(data.store, worlds => {
        let noise = noise_of::<E>();
        let given = rows.rows().map(|row| Principal::from_tensor(doubles(row), own, noise));
        let given: Vec<Option<Principal>> = given.collect();
        let turned = given.iter().flatten().any(|principal| principal.axes != own);
        let mut worlds = worlds.lock(py);
        let turned = turned || worlds.overrides.has(Overridden::PrincipalAxes);
        for (k, world) in data.pick.worlds().enumerate() {
            // One row serves all worlds, or each has its own.
            let Some(principal) = given[k.min(given.len() - 1)] else { continue };
            let moments = worlds.overrides.get_mut(Overridden::Inertia, world);
            moments[3 * body..3 * body + 3].copy_from_slice(&arrays::rounded::<E, 3>(principal.moments));
            if turned {
                let axes = worlds.overrides.get_mut(Overridden::PrincipalAxes, world);
                axes[4 * body..4 * body + 4].copy_from_slice(&arrays::rounded::<E, 4>(principal.axes));
            }
        }
        data.core.scene.weigh(&mut worlds, data.pick.selection(data.store.count));
        Ok(())
    })
}

/// What a precision leaves of products of inertia that vanish, as a fraction of the largest moment.
fn noise_of<E: Scalar>() -> f64 {
    match E::PRECISION {
        Precision::Single => 1e-6,
        Precision::Double => 1e-14,
    }
}
