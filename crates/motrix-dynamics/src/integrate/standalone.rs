//! The step of a free body on its own, for `implicitfast`.
//!
//! A tumbling body is what `implicitfast` would get wrong by leaving out the gyroscopic forces. Its six equations stand apart
//! from all others, so they are solved with everything: A = M − h ∂(all smooth forces)/∂q̇, a general 6×6 matrix, by
//! elimination with row exchanges in each lane.

use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mask, Motion};

use super::bias_slope::BiasSlope;
use super::derivative::local_columns;
use crate::configuration::Movement;
use crate::data::Inertia;
use crate::fluid::{self, FluidShape, FluidTable, ellipsoid_slope};
use crate::inertia;
use crate::pattern::Pattern;

/// Pivots below this count as zero (MuJoCo's `mjMINVAL`).
const MIN_PIVOT: f64 = 1e-15;

/// The solution of a body's equations.
#[derive(Clone, Copy, Debug)]
pub struct Exact<L: Lanes> {
    /// First dof.
    pub first: usize,
    /// Accelerations of the six dofs.
    pub x: [L; 6],
    /// Lanes in which the equations have a solution.
    pub regular: L::Mask,
}

/// The six equations of a body.
pub struct Equations<L> {
    /// A, row by row.
    a: [[L; 6]; 6],
    /// Right-hand side.
    b: [L; 6],
}

impl<L: Lanes> Equations<L> {
    /// From the symmetric part that the other dofs share, and the forces.
    #[inline(always)]
    pub fn new(pattern: &Pattern, symmetric: &[L], forces: &[L], first: usize) -> Self {
        let mut equations = Self {
            a: [[L::ZERO; 6]; 6],
            b: [L::ZERO; 6],
        };
        for i in 0..6 {
            for j in 0..=i {
                let entry = symmetric[pattern.at(first + i, first + j)];
                equations.a[i][j] = entry;
                equations.a[j][i] = entry;
            }
            equations.b[i] = forces[first + i];
        }
        equations
    }

    /// A += h ∂(bias forces)/∂q̇.
    #[inline(always)]
    pub fn add_bias(
        &mut self,
        slope: &BiasSlope<L>,
        movement: &Movement<L>,
        inertia: &Inertia<L>,
        body: usize,
        first: usize,
        h: L,
    ) {
        let own = inertia::about_tree(&movement.at, inertia, body);
        for j in 0..6 {
            let column = slope.alone(&own, &movement.twists.body[body], &inertia.cdof, first + j);
            for i in 0..6 {
                self.a[i][j] = h.mul_add(dot6(&inertia.cdof[first + i], &column), self.a[i][j]);
            }
        }
    }

    /// A −= h JᵀBJ of the medium around ellipsoids.
    #[inline(always)]
    pub fn add_ellipsoids(
        &mut self,
        table: &FluidTable<L::Elem>,
        movement: &Movement<L>,
        body: usize,
        h: L,
        columns: &mut Vec<Motion<L>>,
    ) {
        let medium = table.splat_medium::<L>();
        for row in &table.rows {
            let FluidShape::Ellipsoids(geoms) = &row.shape else {
                continue;
            };
            if row.body != body {
                continue;
            }
            for geom in geoms {
                let frame = fluid::geom_frame(movement, body, geom.geom);
                let velocity = fluid::relative_velocity(table, movement, body, &frame);
                let axes = geom.semi_axes(&movement.at.params.geoms[geom.geom]);
                let b = ellipsoid_slope::slope(&medium, geom, axes, &velocity);
                local_columns(&frame, &movement.at.chains[body], movement.at.cdof, columns);
                for j in 0..6 {
                    let mut force = zero6();
                    for r in 0..6 {
                        for k in 0..6 {
                            force[r] = b.at(r, k).mul_add(columns[j][k], force[r]);
                        }
                    }
                    for i in 0..6 {
                        self.a[i][j] = h.neg_mul_add(dot6(&columns[i], &force), self.a[i][j]);
                    }
                }
            }
        }
    }

    /// A⁻¹ b, and the lanes in which A has an inverse.
    #[inline(always)]
    pub fn solve(mut self) -> ([L; 6], L::Mask) {
        let mut regular = L::Mask::ALL;
        for k in 0..6 {
            for r in k + 1..6 {
                let larger = self.a[r][k].abs().gt(self.a[k][k].abs());
                if larger.any() {
                    self.exchange(k, r, larger);
                }
            }
            let pivot = self.a[k][k];
            regular = regular & pivot.abs().ge(L::c(MIN_PIVOT));
            let inverse = L::select(regular, pivot, L::ONE).recip();
            for r in k + 1..6 {
                let share = self.a[r][k] * inverse;
                for c in k + 1..6 {
                    self.a[r][c] = share.neg_mul_add(self.a[k][c], self.a[r][c]);
                }
                self.b[r] = share.neg_mul_add(self.b[k], self.b[r]);
            }
            self.a[k][k] = inverse;
        }
        let mut x = self.b;
        for k in (0..6).rev() {
            for c in k + 1..6 {
                x[k] = self.a[k][c].neg_mul_add(x[c], x[k]);
            }
            x[k] *= self.a[k][k];
        }
        (x, regular)
    }

    /// Exchanges two equations in some lanes.
    #[inline(always)]
    fn exchange(&mut self, k: usize, r: usize, lanes: L::Mask) {
        for c in 0..6 {
            let (upper, lower) = (self.a[k][c], self.a[r][c]);
            self.a[k][c] = L::select(lanes, lower, upper);
            self.a[r][c] = L::select(lanes, upper, lower);
        }
        let (upper, lower) = (self.b[k], self.b[r]);
        self.b[k] = L::select(lanes, lower, upper);
        self.b[r] = L::select(lanes, upper, lower);
    }
}
