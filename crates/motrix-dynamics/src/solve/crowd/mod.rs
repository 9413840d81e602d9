//! The solver's problem for scenes of many trees: one world at a time, its rows in lanes.
//!
//! Worlds with many bodies rarely touch alike, and what is coupled in any of them would be worked on in all. Each is
//! therefore taken by itself, and lanes hold other things: as many rows of a kind as there are lanes ([`packing`]), or
//! as many dofs of a tree ([`layout`]). The Hessian consists of small matrices for the trees and for pairs of them ([`matrix`]), and
//! is factorised in an order that suits the world's couplings ([`graph`]).
//!
//! Which way a model goes is decided once, by its trees, so that a world's bits do not depend on the worlds beside it.

mod graph;
mod layout;
mod matrix;
mod packing;
mod products;
mod strip;
#[cfg(test)]
mod tests;
mod world;

use core::ops::Range;

use motrix_spatial::rows::{load_rows, store_rows};
use motrix_spatial::{Lanes, Mask, Part, Real};

use super::Solution;
use super::lockstep::Problem;
use super::newton::{self, MIN_VALUE};
use crate::constraint::Rows;
use crate::tables::SolverTable;
use graph::{Elimination, Graph};
use layout::{Layout, Span};
use matrix::Matrix;
use packing::{ANSWERS, NUMBERS, Numbers, Packing, lanes};
use world::World;

/// Memory for one world, and for the numbers of a group by world.
#[derive(Clone, Debug)]
pub struct Crowd<L: Lanes> {
    layout: Layout,
    graph: Graph,
    packing: Packing<L>,
    matrix: Matrix<L>,
    /// M of each tree.
    mass: Vec<L::Elem>,
    vectors: Vectors<L::Elem>,
    /// 1/Σ M(i,i) of the trees in the order of their elimination, padded.
    scales: Vec<L::Elem>,
    /// The scaled gradient.
    gradient_norm: L,
    /// Steps that were taken.
    iterations: f64,
    /// Lines of W J.
    weighted: Vec<L::Elem>,
    by_world: ByWorld<L::Elem>,
    /// Numbers of blocks on their way from lanes to worlds or back.
    numbers: Vec<L>,
}

/// Vectors over the dofs of a world, in the places of the layout.
#[derive(Clone, Debug)]
struct Vectors<E> {
    forces: Vec<E>,
    smooth: Vec<E>,
    warmstart: Vec<E>,
    acceleration: Vec<E>,
    momentum: Vec<E>,
    constraint_force: Vec<E>,
    gradient: Vec<E>,
    search: Vec<E>,
    search_momentum: Vec<E>,
}

/// Numbers of a group, those of each world together.
#[derive(Clone, Debug, Default)]
struct ByWorld<E> {
    matrix: Vec<E>,
    blocks: Vec<E>,
    jacobian: Vec<E>,
    /// What is handed back.
    answers: Vec<E>,
    forces: Vec<E>,
    smooth: Vec<E>,
    warmstart: Vec<E>,
    acceleration: Vec<E>,
    constraint_force: Vec<E>,
}

impl<L: Lanes> Crowd<L> {
    /// Memory for a scene of the given trees, if it is solved in this way.
    pub fn new(trees: &[Range<usize>]) -> Option<Box<Self>> {
        let layout = Layout::new::<L>(trees)?;
        let zeros = || layout.zeros();
        Some(Box::new(Self {
            graph: Graph::default(),
            packing: Packing::new(),
            matrix: Matrix::new(&layout),
            mass: vec![L::Elem::default(); layout.squares],
            vectors: Vectors {
                forces: zeros(),
                smooth: zeros(),
                warmstart: zeros(),
                acceleration: zeros(),
                momentum: zeros(),
                constraint_force: zeros(),
                gradient: zeros(),
                search: zeros(),
                search_momentum: zeros(),
            },
            scales: Vec::new(),
            gradient_norm: L::ZERO,
            iterations: 0.0,
            weighted: Vec::new(),
            by_world: ByWorld::default(),
            numbers: Vec::new(),
            layout,
        }))
    }
}

/// Solves for the constrained accelerations of the first `live` lanes; the others get those of the last of them.
#[inline(always)]
pub fn solve<L: Lanes>(problem: &Problem<L>, rows: &mut Rows<L>, solution: &mut Solution<L>, crowd: &mut Crowd<L>) {
    crowd.turn(problem, rows, solution);
    for k in 0..L::COUNT {
        if k < problem.live {
            L::apart(Alone {
                k,
                problem,
                rows,
                crowd,
            });
        }
        crowd.leave(k, rows, solution);
    }
    let by_world = &crowd.by_world;
    let nv = solution.acceleration.len();
    load_rows(&by_world.acceleration, lanes::<L>(nv), &mut solution.acceleration);
    load_rows(
        &by_world.constraint_force,
        lanes::<L>(nv),
        &mut solution.constraint_force,
    );
    let numbers = &mut crowd.numbers;
    numbers.clear();
    numbers.resize(rows.blocks.len() * ANSWERS, L::ZERO);
    load_rows(&by_world.answers, lanes::<L>(rows.blocks.len() * ANSWERS), numbers);
    for (b, block) in rows.blocks.iter_mut().enumerate() {
        let answers = &numbers[b * ANSWERS..(b + 1) * ANSWERS];
        block.force.copy_from_slice(&answers[..6]);
        block.residual.copy_from_slice(&answers[6..]);
    }
}

/// The world in lane `k`, a function of its own.
struct Alone<'a, L: Lanes> {
    k: usize,
    problem: &'a Problem<'a, L>,
    rows: &'a Rows<L>,
    crowd: &'a mut Crowd<L>,
}

impl<L: Lanes> Part for Alone<'_, L> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        self.crowd.enter(self.k, self.problem, self.rows);
        self.crowd.run(self.problem.settings);
    }
}

/// Lanes to worlds.
#[inline(always)]
fn transpose<L: Lanes>(from: &[L], to: &mut Vec<L::Elem>) {
    to.resize(from.len() * L::COUNT, L::Elem::default());
    store_rows(from, to, lanes::<L>(from.len()));
}

/// The numbers of world `k`.
#[inline(always)]
fn of_world<E>(table: &[E], k: usize, len: usize) -> &[E] {
    &table[k * len..(k + 1) * len]
}

impl<L: Lanes> Crowd<L> {
    /// Puts the numbers of each world together.
    #[inline(always)]
    fn turn(&mut self, problem: &Problem<L>, rows: &Rows<L>, solution: &Solution<L>) {
        let by_world = &mut self.by_world;
        transpose(problem.mass.matrix, &mut by_world.matrix);
        transpose(&rows.jacobian, &mut by_world.jacobian);
        self.numbers.clear();
        for block in &rows.blocks {
            self.numbers.extend_from_slice(&block.weight);
            self.numbers.extend_from_slice(&block.reference);
            self.numbers.extend_from_slice(&block.friction);
            self.numbers.push(block.middle_weight);
        }
        transpose(&self.numbers, &mut by_world.blocks);
        by_world.answers.clear();
        by_world
            .answers
            .resize(rows.blocks.len() * ANSWERS * L::COUNT, L::Elem::default());
        transpose(problem.forces, &mut by_world.forces);
        transpose(&solution.smooth, &mut by_world.smooth);
        transpose(problem.warmstart, &mut by_world.warmstart);
        let len = problem.forces.len() * L::COUNT;
        by_world.acceleration.resize(len, L::Elem::default());
        by_world.constraint_force.resize(len, L::Elem::default());
    }

    /// Takes the world in lane `k`.
    #[inline(always)]
    fn enter(&mut self, k: usize, problem: &Problem<L>, rows: &Rows<L>) {
        let Self {
            layout,
            graph,
            packing,
            mass,
            vectors,
            scales,
            by_world,
            ..
        } = self;
        let numbers = Numbers {
            blocks: of_world(&by_world.blocks, k, rows.blocks.len() * NUMBERS),
            jacobian: of_world(&by_world.jacobian, k, rows.jacobian.len()),
        };
        packing.enter(k, rows, &numbers, layout, graph);
        graph.eliminate(layout);
        let nv = problem.forces.len();
        let matrix = &by_world.matrix[k * problem.tree.len()..];
        scales.clear();
        for step in steps(graph) {
            let span = &layout.trees[step.tree];
            let dofs = k * nv + span.first..k * nv + span.first + span.count;
            let places = span.start..span.start + span.count;
            vectors.forces[places.clone()].copy_from_slice(&by_world.forces[dofs.clone()]);
            vectors.smooth[places.clone()].copy_from_slice(&by_world.smooth[dofs.clone()]);
            vectors.warmstart[places].copy_from_slice(&by_world.warmstart[dofs]);
            scales.push(enter_mass(problem, span, matrix, &mut mass[span.squares()]));
        }
        let padded = scales.len().div_ceil(L::COUNT) * L::COUNT;
        scales.resize(padded, L::Elem::default());
    }

    /// Hands the results to lane `k`.
    #[inline(always)]
    fn leave(&mut self, k: usize, rows: &mut Rows<L>, solution: &mut Solution<L>) {
        let nv = solution.acceleration.len();
        let by_world = &mut self.by_world;
        let world = k * nv..(k + 1) * nv;
        let (smooth, acceleration) = (
            &by_world.smooth[world.clone()],
            &mut by_world.acceleration[world.clone()],
        );
        acceleration.copy_from_slice(smooth);
        let constraint_force = &mut by_world.constraint_force[world];
        constraint_force.fill(L::Elem::default());
        for step in steps(&self.graph) {
            let span = &self.layout.trees[step.tree];
            let (dofs, places) = (span.first..span.first + span.count, span.start..span.start + span.count);
            acceleration[dofs.clone()].copy_from_slice(&self.vectors.acceleration[places.clone()]);
            constraint_force[dofs].copy_from_slice(&self.vectors.constraint_force[places]);
        }
        let len = rows.blocks.len() * ANSWERS;
        self.packing
            .leave(k, rows, &mut by_world.answers[k * len..(k + 1) * len]);
        solution.iterations.set_lane(k, L::Elem::from_f64(self.iterations));
        solution.gradient_norm.set_lane(k, self.gradient_norm.lane(0));
    }

    /// Solves for the world that was taken.
    #[inline(always)]
    fn run(&mut self, settings: &SolverTable<L::Elem>) {
        self.iterations = 0.0;
        self.gradient_norm = L::ZERO;
        if self.scales.is_empty() {
            return;
        }
        let scale = self.scales.iter().fold(0.0f64, |most, s| most.max(s.to_f64()));
        let holding = if self.packing.rows.holding != 0 {
            L::Mask::ALL
        } else {
            L::Mask::NONE
        };
        let scale = L::c(scale);
        let mut world = World {
            crowd: self,
            settings,
            scale,
        };
        world.choose_start();
        newton::iterate(settings, scale, holding, &mut world);
    }
}

/// M of a tree as a full matrix. Returns 1/Σ M(i,i).
#[inline(always)]
fn enter_mass<L: Lanes>(problem: &Problem<L>, span: &Span, matrix: &[L::Elem], out: &mut [L::Elem]) -> L::Elem {
    let mut sum = 0.0;
    for i in 0..span.count {
        let row = span.first + i;
        for run in problem.tree.row(row) {
            for j in run.start..run.end {
                let (x, j) = (matrix[problem.tree.at(row, j)], j - span.first);
                out[i * span.stride + j] = x;
                out[j * span.stride + i] = x;
            }
        }
        let x = matrix[problem.tree.diagonal(row)];
        out[i * span.stride + i] = x;
        sum += x.to_f64();
    }
    L::Elem::from_f64(1.0 / sum.max(MIN_VALUE))
}

/// The trees that rows move.
#[inline(always)]
fn steps(graph: &Graph) -> &[Elimination] {
    &graph.order[..graph.order.len() - 1]
}
