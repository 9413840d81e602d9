//! The two integrators that are implicit in velocity.

use motrix_model::{ContactModel, Integrator};
use motrix_spatial::{Lanes, Motion};

use super::bias_slope::BiasSlope;
use super::derivative::{self, Drives, Target};
use super::standalone::{Equations, Exact};
use super::{Work, unsymmetric};
use crate::configuration::{Configuration, Movement};
use crate::data::{Actuators, Data, Forces, Inertia, Poses, State, Tendons, Twists};
use crate::params::Params;
use crate::pattern;
use crate::solve::Solution;
use crate::tables::Tables;

/// What the derivatives are taken at.
pub struct Sources<'a, L: Lanes> {
    /// Tables.
    pub tables: &'a Tables<L::Elem>,
    /// Parameters.
    pub params: &'a Params<L>,
    /// State.
    pub state: &'a State<L>,
    /// Poses.
    pub poses: &'a Poses<L>,
    /// Inertia.
    pub inertia: &'a Inertia<L>,
    /// Velocities.
    pub twists: &'a Twists<L>,
    /// Tendons.
    pub tendons: &'a Tendons<L>,
    /// Actuators.
    pub actuators: &'a Actuators<L>,
    /// Forces.
    pub forces: &'a Forces<L>,
}

impl<'a, L: Lanes> Sources<'a, L> {
    /// The parts of a group that are read, then the two that are not only read.
    #[inline(always)]
    pub fn split(
        tables: &'a Tables<L::Elem>,
        params: &'a Params<L>,
        data: &'a mut Data<L>,
    ) -> (Self, &'a mut Solution<L>, &'a mut Work<L>) {
        let sources = Self {
            tables,
            params,
            state: &data.state,
            poses: &data.poses,
            inertia: &data.inertia,
            twists: &data.twists,
            tendons: &data.tendons,
            actuators: &data.actuators,
            forces: &data.forces,
        };
        (sources, &mut data.solution, &mut data.integration)
    }

    #[inline(always)]
    fn movement(&self) -> Movement<'a, L> {
        let at = Configuration {
            tree: &self.tables.tree,
            chains: &self.tables.chains,
            params: self.params,
            qpos: &self.state.qpos,
            poses: self.poses,
            cdof: &self.inertia.cdof,
        };
        Movement {
            at,
            qvel: &self.state.qvel,
            twists: self.twists,
        }
    }

    /// M − h D: its lower triangle, and the upper one where that is wanted for itself. Bias forces are not part of D here.
    #[inline(always)]
    pub fn matrix(&self, lower: &mut Vec<L>, upper: Option<&mut Vec<L>>, columns: &mut Vec<Motion<L>>) {
        let tables = self.tables;
        let h = L::splat(tables.timestep);
        let movement = self.movement();
        let drives = Drives {
            movement,
            act: &self.state.act,
            actuators: self.actuators,
            total: &self.forces.actuator,
            tendons: self.tendons,
        };
        let table = &tables.derivative;
        lower.clear();
        lower.extend_from_slice(&self.inertia.matrix);
        derivative::add_actuators(table, &tables.actuators, &tables.transmission, &drives, h, lower);
        let (passive, tendons) = (&tables.passive, &tables.tendons);
        derivative::add_dampers(table, &tables.pattern, passive, tendons, &drives, h, lower);
        // From here on the two triangles may differ.
        let upper = match upper {
            Some(upper) => {
                upper.clear();
                upper.extend_from_slice(lower);
                Some(upper.as_mut_slice())
            }
            None => None,
        };
        let mut target = Target {
            pattern: &tables.pattern,
            alone: &table.alone,
            lower,
            upper,
        };
        derivative::add_fluid(&passive.fluid, &movement, &table.standalone, h, columns, &mut target);
    }

    /// The exact solutions of standalone bodies, from the symmetric matrix and the forces of all dofs.
    #[inline(always)]
    pub fn standalone(&self, symmetric: &[L], forces: &[L], memory: &mut Standalone<L>) {
        let tables = self.tables;
        let h = L::splat(tables.timestep);
        let movement = self.movement();
        let Standalone { bias, columns, exact } = memory;
        exact.clear();
        if tables.derivative.standalone.is_empty() {
            return;
        }
        bias.carry(&tables.tree, &self.inertia.cdof, &self.state.qvel, self.twists);
        for &(body, first) in &tables.derivative.standalone {
            let mut equations = Equations::new(&tables.pattern, symmetric, forces, first);
            equations.add_bias(bias, &movement, self.inertia, body, first, h);
            equations.add_ellipsoids(&tables.passive.fluid, &movement, body, h, columns);
            let (x, regular) = equations.solve();
            exact.push(Exact { first, x, regular });
        }
    }
}

/// Memory for the derivatives.
#[derive(Clone, Debug, Default)]
pub struct Standalone<L: Lanes> {
    /// Derivative of the bias forces.
    bias: BiasSlope<L>,
    /// Local axes of the dofs of a body.
    columns: Vec<Motion<L>>,
    /// Solutions of bodies on their own.
    exact: Vec<Exact<L>>,
}

impl<L: Lanes> Standalone<L> {
    /// Memory for the axes of a body.
    #[inline(always)]
    pub fn columns(&mut self) -> &mut Vec<Motion<L>> {
        &mut self.columns
    }

    /// Replaces the accelerations of bodies on their own.
    #[inline(always)]
    pub fn replace(&self, acceleration: &mut [L]) {
        for exact in &self.exact {
            for i in 0..6 {
                let a = &mut acceleration[exact.first + i];
                *a = L::select(exact.regular, exact.x[i], *a);
            }
        }
    }
}

/// The acceleration of the step.
#[inline(always)]
pub fn acceleration<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let full = tables.integrator() == Integrator::Implicit;
    let pattern = &tables.pattern;
    let (sources, solution, work) = Sources::split(tables, params, data);
    work.acceleration.clear();
    if tables.solver.contact_model == ContactModel::Firm {
        // The forces that cause the acceleration; those of the solver differ by its residual, which stiff rows make large.
        work.acceleration.resize(tables.nv, L::ZERO);
        let matrix = &sources.inertia.matrix;
        pattern::multiply(pattern, matrix, &solution.acceleration, &mut work.acceleration);
    } else {
        for i in 0..tables.nv {
            let force = sources.forces.smooth[i] + solution.constraint_force[i];
            work.acceleration.push(force);
        }
    }
    work.inverse.resize(tables.nv, L::ZERO);
    let memory = &mut work.standalone;
    if full {
        let h = L::splat(tables.timestep);
        sources.matrix(&mut work.lower, Some(&mut work.upper), &mut memory.columns);
        let (inertia, twists) = (sources.inertia, sources.twists);
        memory
            .bias
            .carry(&tables.tree, &inertia.cdof, &sources.state.qvel, twists);
        memory.bias.compose(&sources.movement().at, inertia, twists);
        memory
            .bias
            .add(&tables.tree, pattern, inertia, h, &mut work.lower, &mut work.upper);
        unsymmetric::factor(pattern, &mut work.lower, &mut work.upper, &mut work.inverse);
        unsymmetric::solve(pattern, &work.lower, &work.upper, &work.inverse, &mut work.acceleration);
        return;
    }
    sources.matrix(&mut work.lower, None, &mut memory.columns);
    sources.standalone(&work.lower, &work.acceleration, memory);
    pattern::factor(pattern, &mut work.lower, &mut work.inverse);
    pattern::solve(pattern, &work.lower, &work.inverse, &mut work.acceleration);
    memory.replace(&mut work.acceleration);
}
