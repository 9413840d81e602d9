//! Whether a step went well, world by world.
//!
//! After every step each lane is examined: are all numbers finite, did something become absurdly fast, did the step add more kinetic
//! energy than a physical one could, did the solver finish, do shapes overlap deeply, were contacts left out. The kinetic energy
//! gained is ½(v₁ − v₀)ᵀM(v₁ + v₀), with the inertia at the start of the step.
//!
//! What happens then is up to the [`Policy`]. A *frozen* world stays in the state from which its bad step started until it is reset
//! or restored; since the state contains the inputs, the step can be repeated and examined.

use motrix_collide::MAX_CONTACTS;
use motrix_dynamics::contacts::MAX_LANES;
use motrix_dynamics::{Data, Params, Tables, pattern};
use motrix_model::Model;
use motrix_spatial::{Lanes, Mask};

/// Something that was noticed in a world; a bit of its mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Finding {
    /// A position, velocity, activation or acceleration is infinite or not a number.
    NonFinite,
    /// A joint moves faster than the limit.
    Speed,
    /// One step added more kinetic energy than the limit.
    Energy,
    /// The solver used all its iterations and still was above its tolerance.
    NotConverged,
    /// Two shapes overlap deeper than the limit.
    Deep,
    /// Two shapes had more contacts than are kept for a pair, so that some were left out.
    Merged,
}

impl Finding {
    /// All of them, in the order of their bits.
    pub const ALL: [Finding; 6] = [
        Finding::NonFinite,
        Finding::Speed,
        Finding::Energy,
        Finding::NotConverged,
        Finding::Deep,
        Finding::Merged,
    ];
    /// Those that mean the state is lost.
    pub const FATAL: u32 = Finding::NonFinite.bit() | Finding::Speed.bit() | Finding::Energy.bit();

    /// Its bit in a mask.
    pub const fn bit(self) -> u32 {
        1 << self as u8
    }
}

/// What to do with a world in which something was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Go on.
    #[default]
    Keep,
    /// Stay in the state from which the bad step started.
    Freeze,
    /// As `Freeze`, and whoever asked for the step is told.
    Raise,
    /// Start again from the model's reference state; overrides stay.
    Reset,
}

impl Policy {
    /// Whether bad worlds stay where their step started.
    pub fn holds(self) -> bool {
        matches!(self, Self::Freeze | Self::Raise)
    }
}

/// What is looked for, and what happens when it is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watch {
    /// What happens.
    pub policy: Policy,
    /// The findings on which it happens.
    pub on: u32,
    /// Greatest speed of a dof, m/s or rad/s.
    pub speed: f64,
    /// Most kinetic energy that one step may add, joules per kilogram of the whole world.
    pub energy: f64,
    /// Greatest depth of an overlap, metres.
    pub depth: f64,
}

impl Watch {
    /// The limits for a model, with which nothing happens but that findings are told.
    ///
    /// A kilometre per second or a thousand radians per second, a gain that takes a body from rest to 45 m/s in one step, and an
    /// overlap of half the mean size of a body are far beyond what robots do and far below what numbers can hold.
    pub fn new(model: &Model) -> Self {
        Self {
            policy: Policy::Keep,
            on: Finding::FATAL,
            speed: 1e3,
            energy: 1e3,
            depth: 0.5 * model.statistic.meansize,
        }
    }

    /// Whether a world with these findings must not go on.
    pub fn stops(&self, findings: u32) -> bool {
        self.policy != Policy::Keep && findings & self.on != 0
    }
}

/// Findings of a group: the lanes of each, one bit per lane.
pub type Findings = [u32; Finding::ALL.len()];

/// The mask of findings of lane `k`.
pub fn of_lane(findings: &Findings, k: usize) -> u32 {
    let bits = findings.iter().enumerate();
    bits.fold(0, |mask, (finding, lanes)| mask | (lanes >> k & 1) << finding)
}

/// Memory of the examination.
#[derive(Clone, Debug)]
pub struct Notes<L> {
    /// Velocity before the step; the examination leaves the sum of both velocities here.
    pub velocity: Vec<L>,
    /// M times that sum.
    momentum: Vec<L>,
}

impl<L: Lanes> Notes<L> {
    /// Room for `nv` dofs.
    pub fn new(nv: usize) -> Self {
        Self {
            velocity: vec![L::ZERO; nv],
            momentum: vec![L::ZERO; nv],
        }
    }
}

/// Examines a group that has just stepped. The notes hold the velocity from before.
#[inline(always)]
pub fn examine<L: Lanes>(
    tables: &Tables<L::Elem>,
    params: &Params<L>,
    watch: &Watch,
    data: &Data<L>,
    notes: &mut Notes<L>,
) -> Findings {
    let mut fastest = L::ZERO;
    for v in &data.state.qvel {
        fastest = fastest.max(v.abs());
    }
    let mass = params.bodies[0].subtree_mass;
    let gain = energy_gain(tables, data, notes);
    let mut deep = L::Mask::NONE;
    for slot in &data.contacts.slots {
        deep = deep | (slot.active & slot.distance.lt(L::c(-watch.depth)));
    }
    let mut unfinished = L::Mask::NONE;
    if !data.rows.is_empty() {
        let solution = &data.solution;
        unfinished = solution.iterations.ge(L::c(tables.solver.iterations as f64))
            & solution.gradient_norm.ge(L::splat(tables.solver.tolerance));
    }
    [
        (!finite(data)).bits(),
        fastest.gt(L::c(watch.speed)).bits(),
        gain.gt(L::c(watch.energy) * mass).bits(),
        unfinished.bits(),
        deep.bits(),
        crowded(data),
    ]
}

/// Lanes in which all numbers of the state are finite: 0·x is 0 for those and for no other.
#[inline(always)]
fn finite<L: Lanes>(data: &Data<L>) -> L::Mask {
    let state = &data.state;
    let mut sum = L::ZERO;
    for numbers in [&state.qpos, &state.qvel, &state.act, &state.warmstart] {
        for x in numbers {
            sum = x.mul_add(L::ZERO, sum);
        }
    }
    sum.equal(L::ZERO)
}

/// Kinetic energy gained.
#[inline(always)]
fn energy_gain<L: Lanes>(tables: &Tables<L::Elem>, data: &Data<L>, notes: &mut Notes<L>) -> L {
    let Notes { velocity, momentum } = notes;
    for (before, after) in velocity.iter_mut().zip(&data.state.qvel) {
        *before += *after;
    }
    pattern::multiply(&tables.pattern, &data.inertia.matrix, velocity, momentum);
    let mut twice = L::ZERO;
    for ((sum, after), momentum) in velocity.iter().zip(&data.state.qvel).zip(momentum.iter()) {
        // v₁ − v₀ = 2 v₁ − (v₁ + v₀).
        twice = (*after + *after - *sum).mul_add(*momentum, twice);
    }
    L::c(0.5) * twice
}

/// Lanes in which a pair of shapes has as many contacts as are kept, one bit per lane.
#[inline(always)]
fn crowded<L: Lanes>(data: &Data<L>) -> u32 {
    let slots = &data.contacts.slots;
    if slots.len() < MAX_CONTACTS {
        return 0;
    }
    let (mut pair, mut run, mut lanes) = ([u32::MAX; MAX_LANES], [0; MAX_LANES], 0);
    for slot in slots {
        for k in 0..L::COUNT {
            if !slot.active.lane(k) {
                continue;
            }
            run[k] = if slot.pair[k] == pair[k] { run[k] + 1 } else { 1 };
            pair[k] = slot.pair[k];
            if run[k] >= MAX_CONTACTS {
                lanes |= 1 << k;
            }
        }
    }
    lanes
}
