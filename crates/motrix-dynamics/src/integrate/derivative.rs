//! M − h D: what an implicit step solves with, D = ∂(passive + actuator forces)/∂q̇.
//!
//! * An actuator with the moment m whose scalar force changes with its velocity by b adds b mᵀm.
//! * A damper adds minus the slope of its force, a damped tendon that times JᵀJ.
//! * The medium adds JᵀBJ with J the local velocity of a body and B = ∂[τ; f]/∂[ω; v].
//!
//! All but the ellipsoids of [`crate::fluid`] are symmetric. `implicitfast` takes the symmetric part of these, and drops
//! couplings between dofs of simple bodies, both as MuJoCo does.

use motrix_model::{Integrator, Model, Options};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Motion};

use crate::actuation::{self, ActuatorTable};
use crate::configuration::Movement;
use crate::data::{Actuators, Tendons};
use crate::fluid::ellipsoid_slope::Quadrants;
use crate::fluid::{self, FluidShape, FluidTable, LocalFrame, ellipsoid_slope, inertia_box};
use crate::isolated;
use crate::passive::PassiveTable;
use crate::pattern::Pattern;
use crate::rank_one::RankOne;
use crate::tendon::TendonTable;
use crate::transmission::{TransmissionRow, TransmissionTable};

/// Where derivatives go in the matrix.
#[derive(Clone, Debug, Default)]
pub struct DerivativeTable {
    /// Actuators whose force depends on velocity, each with its outputs.
    pub actuators: Vec<(usize, Vec<RankOne>)>,
    /// Damped tendons, by their place in [`PassiveTable::tendons`].
    pub tendons: Vec<(usize, RankOne)>,
    /// Dofs of which only the diagonal is kept.
    pub alone: Vec<bool>,
    /// Bodies whose six dofs are solved on their own, with the first of them.
    pub standalone: Vec<(usize, usize)>,
}

impl DerivativeTable {
    /// For the implicit integrators; empty for the others.
    pub fn new<E: motrix_spatial::Real>(
        model: &Model,
        options: &Options,
        pattern: &Pattern,
        actuators: &ActuatorTable<E>,
        transmission: &TransmissionTable<E>,
        passive: &PassiveTable<E>,
    ) -> Self {
        let mut alone = vec![false; model.nv()];
        let mut standalone = Vec::new();
        match options.integrator {
            Integrator::Euler | Integrator::Rk4 => return Self::default(),
            Integrator::Implicit => {}
            Integrator::ImplicitFast => {
                alone = isolated::simple_dofs(model);
                for body in isolated::standalone_bodies(model) {
                    let first = model.bodies[body].first_dof;
                    alone[first..first + 6].fill(false);
                    standalone.push((body, first));
                }
            }
        }
        let sloped = (0..actuators.rows.len()).filter(|&k| actuation::slope::exists(actuators, k));
        let of_tendon =
            |tendon: usize| -> Vec<u32> { model.tendons[tendon].dofs.iter().map(|d| d.index() as u32).collect() };
        let damped = if options.disable.damper {
            0
        } else {
            passive.tendons.len()
        };
        Self {
            actuators: sloped
                .map(|k| {
                    let row = &actuators.rows[k];
                    let outputs = &transmission.rows[row.output..row.output + row.outputs];
                    let outer = |output: &TransmissionRow<E>| RankOne::new(pattern, &output.dofs, &alone);
                    (k, outputs.iter().map(outer).collect())
                })
                .collect(),
            tendons: (0..damped)
                .map(|k| (k, RankOne::new(pattern, &of_tendon(passive.tendons[k].tendon), &alone)))
                .collect(),
            alone,
            standalone,
        }
    }
}

/// What the forces are differentiated at.
pub struct Drives<'a, L: Lanes> {
    /// How the bodies move.
    pub movement: Movement<'a, L>,
    /// Activations.
    pub act: &'a [L],
    /// Actuators.
    pub actuators: &'a Actuators<L>,
    /// Their force on the dofs.
    pub total: &'a [L],
    /// Tendons.
    pub tendons: &'a Tendons<L>,
}

/// lower −= h D of actuators.
#[inline(always)]
pub fn add_actuators<L: Lanes>(
    table: &DerivativeTable,
    actuators: &ActuatorTable<L::Elem>,
    transmission: &TransmissionTable<L::Elem>,
    drives: &Drives<L>,
    h: L,
    lower: &mut [L],
) {
    let params = &drives.movement.at.params.actuators;
    for (k, outputs) in &table.actuators {
        let b = actuation::slope::of_force(actuators, *k, &params[*k], drives.act, drives.actuators, drives.total);
        let first = actuators.rows[*k].output;
        for (i, outer) in outputs.iter().enumerate() {
            outer.add(transmission.rows[first + i].moment(drives.actuators), -(h * b), lower);
        }
    }
}

/// lower −= h D of dampers.
#[inline(always)]
pub fn add_dampers<L: Lanes>(
    table: &DerivativeTable,
    pattern: &Pattern,
    passive: &PassiveTable<L::Elem>,
    tendon_table: &TendonTable<L::Elem>,
    drives: &Drives<L>,
    h: L,
    lower: &mut [L],
) {
    for dof in 0..passive.dampers.len() {
        let damping = passive.damping(drives.movement.at.params, dof);
        let place = pattern.diagonal(dof);
        lower[place] = h.mul_add(damping.slope(drives.movement.qvel[dof].abs()), lower[place]);
    }
    for (k, outer) in &table.tendons {
        let row = &passive.tendons[*k];
        let slope = row
            .damping
            .splat::<L>()
            .slope(drives.tendons.velocity[row.tendon].abs());
        outer.add(tendon_table.rows[row.tendon].jacobian(drives.tendons), h * slope, lower);
    }
}

/// The matrix of an implicit step.
pub struct Target<'a, L> {
    /// Pattern of the tree.
    pub pattern: &'a Pattern,
    /// Dofs of which only the diagonal is kept.
    pub alone: &'a [bool],
    /// Lower triangle.
    pub lower: &'a mut [L],
    /// Upper triangle, transposed, when it is not the mirror of the lower one; without it B is made symmetric.
    pub upper: Option<&'a mut [L]>,
}

/// A −= h JᵀBJ of the medium, for the bodies in `bodies`.
#[inline(always)]
pub fn add_fluid<L: Lanes>(
    table: &FluidTable<L::Elem>,
    movement: &Movement<L>,
    skipped: &[(usize, usize)],
    h: L,
    columns: &mut Vec<Motion<L>>,
    target: &mut Target<L>,
) {
    let medium = table.splat_medium::<L>();
    let params = movement.at.params;
    for row in &table.rows {
        let chain = &movement.at.chains[row.body];
        match &row.shape {
            FluidShape::InertiaBox => {
                let frame = fluid::box_frame(movement, row.body);
                let velocity = fluid::relative_velocity(table, movement, row.body, &frame);
                let edges = inertia_box::edges(&params.bodies[row.body]);
                let slope = inertia_box::slope(&medium, &edges, &velocity);
                local_columns(&frame, chain, movement.at.cdof, columns);
                add_symmetric(&slope, chain, columns, h, target);
            }
            FluidShape::Ellipsoids(geoms) => {
                if is_listed(skipped, row.body) {
                    continue;
                }
                for geom in geoms {
                    let frame = fluid::geom_frame(movement, row.body, geom.geom);
                    let velocity = fluid::relative_velocity(table, movement, row.body, &frame);
                    let axes = geom.semi_axes(&params.geoms[geom.geom]);
                    let slope = ellipsoid_slope::slope(&medium, geom, axes, &velocity);
                    local_columns(&frame, chain, movement.at.cdof, columns);
                    add_quadrants(&slope, chain, columns, h, target);
                }
            }
        }
    }
}

#[inline(always)]
fn is_listed(list: &[(usize, usize)], body: usize) -> bool {
    let mut found = false;
    for (b, _) in list {
        found |= *b == body;
    }
    found
}

/// The axes of the dofs of a chain, in a local frame.
#[inline(always)]
pub(super) fn local_columns<L: Lanes>(
    frame: &LocalFrame<L>,
    chain: &[u32],
    cdof: &[Motion<L>],
    out: &mut Vec<Motion<L>>,
) {
    out.clear();
    for &dof in chain {
        out.push(frame.local(&cdof[dof as usize]));
    }
}

/// A −= h JᵀBJ for a diagonal B.
#[inline(always)]
fn add_symmetric<L: Lanes>(b: &[L; 6], chain: &[u32], columns: &[Motion<L>], h: L, target: &mut Target<L>) {
    for (c, &j) in chain.iter().enumerate() {
        let mut weighted = zero6();
        for k in 0..6 {
            weighted[k] = -(h * b[k] * columns[c][k]);
        }
        for (r, &i) in chain.iter().enumerate().skip(c) {
            if r != c && target.alone[i as usize] {
                continue;
            }
            let place = target.pattern.at(i as usize, j as usize);
            let value = dot6(&columns[r], &weighted);
            target.lower[place] += value;
            if let Some(upper) = &mut target.upper {
                upper[place] += value;
            }
        }
    }
}

/// A −= h JᵀBJ for any B, or for its symmetric part.
#[inline(always)]
fn add_quadrants<L: Lanes>(b: &Quadrants<L>, chain: &[u32], columns: &[Motion<L>], h: L, target: &mut Target<L>) {
    for (c, &j) in chain.iter().enumerate() {
        // B J(j) for the entries (i, j), Bᵀ J(j) for the entries (j, i).
        let (mut down, mut across) = (zero6(), zero6());
        for r in 0..6 {
            for k in 0..6 {
                down[r] = b.at(r, k).mul_add(columns[c][k], down[r]);
                across[r] = b.at(k, r).mul_add(columns[c][k], across[r]);
            }
        }
        for (r, &i) in chain.iter().enumerate().skip(c) {
            if r != c && target.alone[i as usize] {
                continue;
            }
            let place = target.pattern.at(i as usize, j as usize);
            let (below, above) = (dot6(&columns[r], &down), dot6(&columns[r], &across));
            match &mut target.upper {
                Some(upper) => {
                    target.lower[place] = h.neg_mul_add(below, target.lower[place]);
                    upper[place] = h.neg_mul_add(above, upper[place]);
                }
                None => {
                    let mean = L::c(0.5) * (below + above);
                    target.lower[place] = h.neg_mul_add(mean, target.lower[place]);
                }
            }
        }
    }
}
