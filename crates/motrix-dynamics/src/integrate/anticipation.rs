//! Constraints that know the step: the matrix of an implicit step, made before the constraints are solved.
//!
//! MuJoCo solves for the constraint forces with M and then steps with M − h D, so that what a constraint asks for is not what
//! it gets: a held object slips by a fraction of each step's damping. The contact model "firm" solves with M − h D from the
//! start. Its accelerations, those of sensors included, are then (q̇⁺ − q̇)/h exactly, and no second matrix is factorised.
//!
//! The unsymmetric matrix of `implicit` has no cost function to minimise, and Runge-Kutta has no matrix; both keep M. Free
//! bodies on their own ([`super::standalone`]) are stepped once more with their gyroscopic terms.

use motrix_model::{ContactModel, Integrator};
use motrix_spatial::Lanes;

use super::euler;
use super::implicit::Sources;
use crate::data::Data;
use crate::params::Params;
use crate::pattern;
use crate::solve::Mass;
use crate::tables::Tables;

/// The matrix of the step and its factors.
#[derive(Clone, Debug, Default)]
pub struct StepMatrix<L> {
    matrix: Vec<L>,
    factors: Vec<L>,
    inverse_diagonal: Vec<L>,
}

impl<L> StepMatrix<L> {
    /// As the solver reads it.
    #[inline(always)]
    pub fn mass(&self) -> Mass<'_, L> {
        Mass {
            matrix: &self.matrix,
            factors: &self.factors,
            inverse_diagonal: &self.inverse_diagonal,
        }
    }
}

/// Whether the constraints are solved with the matrix of the step.
#[inline(always)]
pub fn applies<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>) -> bool {
    tables.solver.contact_model == ContactModel::Firm
        && match tables.integrator() {
            Integrator::Euler => euler::is_damped(tables, params),
            Integrator::ImplicitFast => true,
            Integrator::Implicit | Integrator::Rk4 => false,
        }
}

/// Makes the matrix of the step, after all velocities and forces but those of constraints.
#[inline(always)]
pub fn prepare<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let (sources, _, work) = Sources::split(tables, params, data);
    let StepMatrix {
        matrix,
        factors,
        inverse_diagonal,
    } = &mut work.anticipated;
    if tables.integrator() == Integrator::Euler {
        let (inertia, qvel) = (&sources.inertia.matrix, &sources.state.qvel);
        euler::matrix(tables, params, inertia, qvel, matrix);
    } else {
        sources.matrix(matrix, None, work.standalone.columns());
    }
    factors.clear();
    factors.extend_from_slice(matrix);
    inverse_diagonal.resize(tables.nv, L::ZERO);
    pattern::factor(&tables.pattern, factors, inverse_diagonal);
}

/// The acceleration of the step: the one that was solved for.
#[inline(always)]
pub fn acceleration<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let (sources, solution, work) = Sources::split(tables, params, data);
    work.acceleration.clear();
    work.acceleration.extend_from_slice(&solution.acceleration);
    if tables.derivative.standalone.is_empty() {
        return;
    }
    // The forces that cause this acceleration. The solver's own differ by its residual, which stiff rows make large.
    let matrix = &work.anticipated.matrix;
    let forces = &mut work.lower;
    forces.resize(tables.nv, L::ZERO);
    pattern::multiply(&tables.pattern, matrix, &solution.acceleration, forces);
    sources.standalone(matrix, forces, &mut work.standalone);
    work.standalone.replace(&mut work.acceleration);
}
