//! The solver's problem for scenes of many trees: one world at a time, its islands and rows in lanes.
//!
//! Worlds with many bodies rarely touch alike, and what is coupled in any of them would be worked on in all. Each is
//! therefore taken by itself, and falls apart into [`islands`] that do not touch each other. As many of them as there are lanes
//! are solved side by side, each with steps of its own and until it has converged. Within them lanes hold other things: as many rows
//! of a kind as there are lanes ([`packing`]), or as many dofs of a tree ([`layout`]). The Hessian consists of small
//! matrices for the trees and for pairs of them ([`matrix`]), and is factorised in an order that suits the couplings ([`graph`]).
//!
//! Which way a model goes is decided once, by its trees, so that a world's bits do not depend on the worlds beside it.

mod graph;
mod inventory;
mod islands;
mod layout;
mod matrix;
mod packing;
mod products;
mod strip;
#[cfg(test)]
mod tests;
mod world;

use core::ops::Range;

use motrix_model::ContactModel;
use motrix_spatial::rows::{load_rows, store_rows};
use motrix_spatial::{Lanes, Mask, Part, Real};

use super::Solution;
use super::lockstep::Problem;
use super::newton::{self, MIN_VALUE};
use crate::constraint::Rows;
use crate::tables::SolverTable;
use graph::{Elimination, Graph};
use inventory::{Inventory, Stock};
use layout::{Layout, Span};
use matrix::Matrix;
use packing::{ANSWERS, MAX_LANES, NUMBERS, Numbers, Packing, Source, lanes, tell};
use world::World;

/// Memory for one world, and for the numbers of a group by world.
#[derive(Clone, Debug)]
pub struct Crowd<L: Lanes> {
    layout: Layout,
    stock: Stock,
    inventory: Inventory,
    graph: Graph,
    packing: Packing<L>,
    matrix: Matrix<L>,
    /// M of each tree.
    mass: Vec<L::Elem>,
    vectors: Vectors<L::Elem>,
    /// 1/Σ M(i,i) of each tree or of its island, see [`Crowd::weigh`]: makes tolerances independent of size and mass.
    tree_scales: Vec<L::Elem>,
    /// The largest of each island.
    scales: L,
    /// The scaled gradient of each island.
    gradient_norm: L,
    /// Steps that each island took.
    iterations: L,
    /// The most steps and the largest scaled gradient of any island of the world.
    worst: Worst,
    /// Lines of W J.
    weighted: Vec<L::Elem>,
    by_world: ByWorld<L::Elem>,
    /// Numbers of blocks on their way from lanes to worlds or back.
    numbers: Vec<L>,
}

/// How it went for the islands of a world.
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    iterations: f64,
    gradient_norm: f64,
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
            stock: Stock::default(),
            inventory: Inventory::default(),
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
            tree_scales: vec![L::Elem::default(); layout.trees.len()],
            scales: L::ZERO,
            gradient_norm: L::ZERO,
            iterations: L::ZERO,
            worst: Worst::default(),
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
    for k in 0..problem.live {
        // Lanes without a world of their own get what the last one got.
        let lanes = k..if k + 1 == problem.live { L::COUNT } else { k + 1 };
        L::apart(Alone {
            k,
            lanes,
            problem,
            rows,
            solution,
            crowd,
        });
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
        if let Some(start) = problem.settings.soft_start.filter(|_| block.has_friction()) {
            block.weigh_stiffly(start, L::Mask::ALL);
        }
    }
}

/// The world in lane `k`, a function of its own.
struct Alone<'a, L: Lanes> {
    k: usize,
    /// Lanes that get its results.
    lanes: Range<usize>,
    problem: &'a Problem<'a, L>,
    rows: &'a mut Rows<L>,
    solution: &'a mut Solution<L>,
    crowd: &'a mut Crowd<L>,
}

impl<L: Lanes> Part for Alone<'_, L> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        let Self {
            k,
            lanes,
            problem,
            rows,
            solution,
            crowd,
        } = self;
        crowd.begin(k, &lanes, rows);
        for batch in 0..crowd.inventory.batches(L::COUNT) {
            crowd.enter(k, batch, problem, rows);
            crowd.run(problem.settings);
            crowd.leave(&lanes, rows);
        }
        for lane in lanes {
            let Worst {
                iterations,
                gradient_norm,
            } = crowd.worst;
            solution.iterations.set_lane(lane, L::Elem::from_f64(iterations));
            solution.gradient_norm.set_lane(lane, L::Elem::from_f64(gradient_norm));
        }
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
        self.stock.take(rows, &self.layout);
        let by_world = &mut self.by_world;
        transpose(problem.mass.matrix, &mut by_world.matrix);
        transpose(&rows.jacobian, &mut by_world.jacobian);
        // Room to read whole lanes from anywhere.
        let len = by_world.jacobian.len() + L::COUNT;
        by_world.jacobian.resize(len, L::Elem::default());
        self.numbers.clear();
        for block in &rows.blocks {
            tell(block, &mut self.numbers);
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

    /// Takes the world in lane `k`: what it has, and the accelerations of what no row moves.
    #[inline(always)]
    fn begin(&mut self, k: usize, lanes: &Range<usize>, rows: &Rows<L>) {
        self.inventory.list(k, rows, &self.stock, &self.layout);
        self.worst = Worst::default();
        let by_world = &mut self.by_world;
        let nv = by_world.acceleration.len() / L::COUNT;
        for lane in lanes.clone() {
            let world = lane * nv..(lane + 1) * nv;
            let smooth = &by_world.smooth[k * nv..(k + 1) * nv];
            by_world.acceleration[world.clone()].copy_from_slice(smooth);
            by_world.constraint_force[world].fill(L::Elem::default());
        }
    }

    /// Takes a batch of islands of the world in lane `k`.
    #[inline(always)]
    fn enter(&mut self, k: usize, batch: usize, problem: &Problem<L>, rows: &Rows<L>) {
        let Self {
            layout,
            stock,
            inventory,
            graph,
            packing,
            mass,
            vectors,
            tree_scales,
            by_world,
            ..
        } = self;
        let source = Source {
            lane: k,
            rows,
            stock,
            numbers: Numbers {
                blocks: of_world(&by_world.blocks, k, rows.blocks.len() * NUMBERS),
                jacobian: &by_world.jacobian[k * rows.jacobian.len()..],
            },
        };
        packing.enter(&source, &inventory.batch(batch), layout, graph);
        graph.eliminate(layout);
        let nv = problem.forces.len();
        let matrix = &by_world.matrix[k * problem.tree.len()..];
        for step in steps(graph) {
            let span = &layout.trees[step.tree];
            let dofs = k * nv + span.first..k * nv + span.first + span.count;
            let places = span.start..span.start + span.count;
            vectors.forces[places.clone()].copy_from_slice(&by_world.forces[dofs.clone()]);
            vectors.smooth[places.clone()].copy_from_slice(&by_world.smooth[dofs.clone()]);
            vectors.warmstart[places].copy_from_slice(&by_world.warmstart[dofs]);
            let inertia = enter_mass(problem, span, matrix, &mut mass[span.squares()]);
            tree_scales[step.tree] = L::Elem::from_f64(inertia);
        }
        self.weigh(problem.settings.contact_model);
    }

    /// From the inertia of each tree to the scales. MuJoCo's is that of the whole island: one body of many may be off by what would be
    /// much for it alone, and a pile creeps by that. Friction that holds is solved for until each tree has converged.
    #[inline(always)]
    fn weigh(&mut self, contact_model: ContactModel) {
        let mut sums = [0.0; MAX_LANES];
        for step in steps(&self.graph) {
            sums[step.island as usize] += self.tree_scales[step.tree].to_f64();
        }
        // Lanes without an island have nothing to gain.
        let mut largest = [L::Elem::default(); MAX_LANES];
        for step in steps(&self.graph) {
            let scale = &mut self.tree_scales[step.tree];
            let inertia = match contact_model {
                ContactModel::Firm => scale.to_f64(),
                ContactModel::Mujoco => sums[step.island as usize],
            };
            *scale = L::Elem::from_f64(1.0 / inertia.max(MIN_VALUE));
            let largest = &mut largest[step.island as usize];
            if *scale > *largest {
                *largest = *scale;
            }
        }
        self.scales = L::load(&largest);
    }

    /// Hands the results to lanes of the group.
    #[inline(always)]
    fn leave(&mut self, lanes: &Range<usize>, rows: &mut Rows<L>) {
        let by_world = &mut self.by_world;
        let nv = by_world.acceleration.len() / L::COUNT;
        let len = rows.blocks.len() * ANSWERS;
        for lane in lanes.clone() {
            for step in steps(&self.graph) {
                let span = &self.layout.trees[step.tree];
                let dofs = lane * nv + span.first..lane * nv + span.first + span.count;
                let places = span.start..span.start + span.count;
                by_world.acceleration[dofs.clone()].copy_from_slice(&self.vectors.acceleration[places.clone()]);
                by_world.constraint_force[dofs].copy_from_slice(&self.vectors.constraint_force[places]);
            }
            let answers = &mut by_world.answers[lane * len..(lane + 1) * len];
            self.packing.leave(lane, rows, answers);
        }
        let Worst {
            iterations,
            gradient_norm,
        } = &mut self.worst;
        for k in 0..L::COUNT {
            *iterations = iterations.max(self.iterations.lane(k).to_f64());
            *gradient_norm = gradient_norm.max(self.gradient_norm.lane(k).to_f64());
        }
    }

    /// Solves for the islands that were taken.
    #[inline(always)]
    fn run(&mut self, settings: &SolverTable<L::Elem>) {
        self.iterations = L::ZERO;
        self.gradient_norm = L::ZERO;
        let soft = match settings.soft_start {
            Some(_) => self.packing.with_friction(),
            None => 0,
        };
        let scale = self.scales;
        let mut world = World {
            crowd: self,
            settings,
            slope: L::ZERO,
        };
        world.choose_start();
        newton::iterate(settings, scale, L::Mask::from_bits(soft), &mut world);
    }
}

/// M of a tree as a full matrix. Returns Σ M(i,i).
#[inline(always)]
fn enter_mass<L: Lanes>(problem: &Problem<L>, span: &Span, matrix: &[L::Elem], out: &mut [L::Elem]) -> f64 {
    let mut sum = 0.0;
    for i in 0..span.count {
        let row = span.first + i;
        for run in problem.tree.row(row) {
            let entries = &matrix[problem.tree.at(row, run.start)..][..run.end - run.start];
            for (j, &x) in (run.start - span.first..).zip(entries) {
                out[i * span.stride + j] = x;
                out[j * span.stride + i] = x;
            }
        }
        let x = matrix[problem.tree.diagonal(row)];
        out[i * span.stride + i] = x;
        sum += x.to_f64();
    }
    sum
}

/// The trees that rows move.
#[inline(always)]
fn steps(graph: &Graph) -> &[Elimination] {
    &graph.order[..graph.order.len() - 1]
}
