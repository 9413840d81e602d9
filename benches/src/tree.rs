//! The quadruped's 18 dofs: forward kinematics, composite inertia, factorisation and one solve.
//!
//! The engine's own position stage without contacts, as it is compiled for each lane type: it shows what the lanes give on real
//! kernels, memory traffic included.

use core::hint::black_box;
use std::sync::Arc;

use motrix_compile::{LoadOptions, load_str};
use motrix_dynamics::{Data, Params, Tables, inertia, joint_space, kinematics, pattern};
use motrix_model::Model;
use motrix_spatial::{LaneKind, Lanes, Real, with_lanes};

use crate::Measurement;
use crate::{cpu_time, hash};

const QUADRUPED: &str = include_str!("../../examples/assets/quadruped.xml");
/// Steps of one repetition: a few milliseconds on the fastest lanes.
const STEPS: usize = 2000;
/// Turn of each joint in one step, radians.
const TURN: f64 = 1e-4;

motrix_spatial::entry! {
    /// The tree's kernels, compiled for each lane type.
    trait TreeKernels {
        /// Many evaluations of one group of worlds, each in a new configuration.
        fn run(tables: &Tables<Self::Elem>, params: &Params<Self>, data: &mut Data<Self>) {
            for _ in 0..STEPS {
                for q in &mut data.state.qpos[7..] {
                    *q += Self::c(TURN);
                }
                let Data { state, input, poses, inertia, solution, .. } = &mut *data;
                kinematics::poses(&tables.tree, params, &state.qpos, input, poses);
                inertia::about_com(&tables.tree, params, poses, inertia);
                let reflected = &tables.reflected_armature;
                joint_space::matrix(&tables.tree, &tables.pattern, params, reflected, poses, inertia);
                inertia::factor(&tables.pattern, inertia);
                solution.smooth.fill(Self::ONE);
                pattern::solve(&tables.pattern, &inertia.factors, &inertia.inverse_diagonal, &mut solution.smooth);
            }
        }
    }
}

/// Measures the tree in the lanes of a kind.
pub fn measure(kind: LaneKind) -> Measurement {
    let loaded = load_str(QUADRUPED, &LoadOptions::default());
    let model = loaded
        .unwrap_or_else(|error| panic!("the quadruped does not load: {error}"))
        .model;
    with_lanes!(kind, L => measure_in::<L>(&Arc::new(model)))
}

fn measure_in<L: TreeKernels>(model: &Arc<Model>) -> Measurement {
    let tables = Tables::new(model, &model.options);
    let params = Params::new(model, model.options.gravity);
    let mut start = Data::new(model, &tables);
    // Every world starts in a configuration of its own.
    for (i, q) in start.state.qpos.iter_mut().enumerate().skip(7) {
        *q += L::from_lanes(|k| L::Elem::from_f64((i * 8 + k) as f64 * 0.001));
    }
    let mut end = start.clone();
    let time = cpu_time::fastest(|| {
        end = black_box(&start).clone();
        L::run(&tables, &params, &mut end);
    });
    let ns_per_world_step = time.as_nanos() as f64 / (STEPS * L::COUNT) as f64;
    Measurement {
        ns_per_world_step,
        hash: hash(&end),
    }
}

/// Hash of the solution, world by world.
fn hash<L: Lanes>(data: &Data<L>) -> u64 {
    hash::of((0..L::COUNT).flat_map(|k| data.solution.smooth.iter().map(move |x| x.lane(k).bits())))
}
