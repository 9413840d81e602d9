//! Whole steps of a model: what each stage costs, and what it had to do.
//!
//! `motrix-benches step MODEL..` warms a batch of worlds up under random controls, saves their state and replays the same
//! steps, so that every run does the same work; the hash of the final state stands beside the speed.
//! `motrix-benches replay MODEL firm|mujoco STEPS` does the replay once, in a function of its own ([`counted`]) for
//! instruction counters: `valgrind --tool=callgrind --toggle-collect='*counted*'`.

use core::hint::black_box;
use std::path::Path;

use motrix_compile::LoadOptions;
use motrix_dynamics::{Data, Kernels, Params, Tables};
use motrix_model::{ContactModel, Integrator, Model};
use motrix_spatial::{LaneKind, Precision, Real, with_lanes};

use crate::cpu_time;
use crate::hash;

/// Steps before measuring: the robots have landed.
const WARM_UP: usize = 300;
/// Steps that are measured.
const STEPS: usize = 200;
/// Lane groups, so that contact patterns vary.
const GROUPS: usize = 4;
/// Steps between changes of the controls.
const HOLD: usize = 10;
/// Size of the random controls, as a share of their range.
const WIGGLE: f64 = 0.2;
/// Largest speed of a dof at the start, in m/s or rad/s: worlds without controls shall differ too.
const START_SPEED: f64 = 0.3;

/// The stages of a step.
const STAGES: [&str; 5] = ["position", "velocity", "acceleration", "sensors", "integrate"];

/// A model and its worlds at the start of the measured steps.
struct Bench<L: Kernels> {
    tables: Tables<L::Elem>,
    params: Params<L>,
    groups: Vec<Data<L>>,
    controls: Vec<(f64, f64)>,
}

/// What was measured.
#[derive(Default)]
struct Count {
    contacts: f64,
    slots: f64,
    iterations: f64,
    group_iterations: f64,
}

/// Prints a row for each model, in both contact models.
pub fn report(models: &[String]) {
    println!("**Stages of a step, nanoseconds per world**\n");
    println!(
        "| model | contact model | ns per world and step | {} | contacts | slots | iterations | of the slowest lane | state hash |",
        STAGES.join(" | ")
    );
    println!("|---|---|---:|{}---:|---:|---:|---:|---|", "---:|".repeat(STAGES.len()));
    for path in models {
        for contact_model in [ContactModel::Mujoco, ContactModel::Firm] {
            let model = load(path, contact_model);
            let kind = LaneKind::fastest(Precision::Single);
            with_lanes!(kind, L => row::<L>(path, &model));
        }
    }
}

/// Replays the steps of a model once.
pub fn replay(path: &str, contact_model: &str, steps: usize) {
    let contact_model = match contact_model {
        "firm" => ContactModel::Firm,
        _ => ContactModel::Mujoco,
    };
    let model = load(path, contact_model);
    let kind = LaneKind::fastest(Precision::Single);
    with_lanes!(kind, L => {
        let mut bench = Bench::<L>::new(&model);
        counted(&mut bench, steps);
        let steps = steps * GROUPS * kind.count();
        println!("{steps} world steps with {kind:?}, state hash {:016x}", bench.hash());
    });
}

/// The steps whose instructions are counted.
#[inline(never)]
fn counted<L: Kernels>(bench: &mut Bench<L>, steps: usize) {
    bench.run(steps, |_, _| {});
}

fn load(path: &str, contact_model: ContactModel) -> Model {
    let loaded = motrix_compile::load_file(path, &LoadOptions::default());
    let mut model = loaded.unwrap_or_else(|error| panic!("{path}: {error}")).model;
    model.options.contact_model = contact_model;
    model
}

fn row<L: Kernels>(path: &str, model: &Model) {
    let start = Bench::<L>::new(model);
    let mut end = start.fresh();
    let worlds = (GROUPS * L::COUNT * STEPS) as f64;
    let whole = cpu_time::fastest(|| {
        end = black_box(&start).fresh();
        end.run(STEPS, |_, _| {});
    });
    let mut count = Count::default();
    start.fresh().run(STEPS, |tables, data| count.add(tables, data));
    let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    print!(
        "| {name} | {:?} | {:.0} |",
        model.options.contact_model,
        whole.as_nanos() as f64 / worlds
    );
    for time in start.stage_times() {
        print!(" {:.0} |", time / worlds);
    }
    let per_group = worlds / L::COUNT as f64;
    println!(
        " {:.1} | {:.1} | {:.1} | {:.1} | `{:016x}` |",
        count.contacts / worlds,
        count.slots / per_group,
        count.iterations / worlds,
        count.group_iterations / per_group,
        end.hash()
    );
}

impl<L: Kernels> Bench<L> {
    fn new(model: &Model) -> Self {
        let tables = Tables::new(model, &model.options);
        let params = Params::new(model, model.options.gravity);
        let mut groups = vec![Data::new(model, &tables); GROUPS];
        let key = model.keyframes.first();
        if let Some(qpos) = key.and_then(|key| key.qpos.as_ref()) {
            for data in &mut groups {
                for (q, value) in data.state.qpos.iter_mut().zip(qpos) {
                    *q = L::c(*value);
                }
            }
        }
        let rest = key.and_then(|key| key.ctrl.as_ref());
        let controls = (0..model.control_count)
            .map(|k| {
                let actuator = model.actuators.get(k).filter(|a| a.control_limited);
                let [low, high] = actuator.map_or([-1.0, 1.0], |a| a.control_range);
                (rest.map_or(0.0, |ctrl| ctrl[k]), WIGGLE * (high - low))
            })
            .collect();
        let mut bench = Self {
            tables,
            params,
            groups,
            controls,
        };
        bench.push();
        bench.run(WARM_UP, |_, _| {});
        bench
    }

    /// The same worlds once more.
    fn fresh(&self) -> Self {
        Self {
            tables: self.tables.clone(),
            params: self.params.clone(),
            groups: self.groups.clone(),
            controls: self.controls.clone(),
        }
    }

    /// Random velocities for every world.
    fn push(&mut self) {
        for (g, data) in self.groups.iter_mut().enumerate() {
            for (i, v) in data.state.qvel.iter_mut().enumerate() {
                *v = L::from_lanes(|lane| {
                    let seed = (g * L::COUNT + lane) * 4096 + i;
                    L::Elem::from_f64(START_SPEED * (2.0 * noise(seed as u64) - 1.0))
                });
            }
        }
    }

    /// Random controls for every world, the same in every run.
    fn control(&mut self, step: usize) {
        for (g, data) in self.groups.iter_mut().enumerate() {
            for (k, (rest, size)) in self.controls.iter().enumerate() {
                data.input.ctrl[k] = L::from_lanes(|lane| {
                    let seed = ((step * GROUPS + g) * L::COUNT + lane) * 64 + k;
                    L::Elem::from_f64(rest + size * (noise(seed as u64) - 0.5))
                });
            }
        }
    }

    fn run(&mut self, steps: usize, mut after: impl FnMut(&Tables<L::Elem>, &Data<L>)) {
        for step in 0..steps {
            if step % HOLD == 0 {
                self.control(step / HOLD);
            }
            for data in &mut self.groups {
                motrix_dynamics::step(&self.tables, &self.params, data);
                after(&self.tables, data);
            }
        }
    }

    /// Nanoseconds of each stage over all steps; Runge-Kutta's later stages are not told apart.
    fn stage_times(&self) -> [f64; STAGES.len()] {
        let mut sums = [0.0; STAGES.len()];
        if self.tables.integrator() == Integrator::Rk4 {
            return sums;
        }
        let mut bench = self.fresh();
        for step in 0..STEPS {
            if step % HOLD == 0 {
                bench.control(step / HOLD);
            }
            let Self {
                tables, params, groups, ..
            } = &mut bench;
            for data in groups {
                let mut clock = cpu_time::Lap::start();
                L::position(tables, params, data);
                sums[0] += clock.lap();
                L::velocity(tables, params, data);
                sums[1] += clock.lap();
                L::acceleration(tables, params, data);
                sums[2] += clock.lap();
                if !tables.sensors.rows.is_empty() {
                    L::sense(tables, params, data);
                }
                sums[3] += clock.lap();
                L::integrate(tables, params, data);
                sums[4] += clock.lap();
            }
        }
        sums
    }

    fn hash(&self) -> u64 {
        hash::of(
            self.groups
                .iter()
                .flat_map(|data| (0..L::COUNT).flat_map(|k| data.state.qpos.iter().map(move |q| q.lane(k).bits()))),
        )
    }
}

impl Count {
    fn add<L: Kernels>(&mut self, _: &Tables<L::Elem>, data: &Data<L>) {
        use motrix_spatial::Mask;
        for slot in &data.contacts.slots {
            self.contacts += f64::from(slot.acting.count());
        }
        self.slots += data.contacts.slots.len() as f64;
        let iterations = (0..L::COUNT).map(|k| data.solution.iterations.lane(k).to_f64());
        self.iterations += iterations.clone().sum::<f64>();
        self.group_iterations += iterations.fold(0.0, f64::max);
    }
}

/// A number between 0 and 1 that follows from the seed (splitmix64).
fn noise(seed: u64) -> f64 {
    let mut z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) as f64 / u64::MAX as f64
}
