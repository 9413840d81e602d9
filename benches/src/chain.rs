//! A chain of hinged bodies: forward kinematics and the spatial inertia of the whole, over lanes.
//!
//! The arithmetic of the position stage without its memory traffic: per body one sine and cosine, two quaternion products, a
//! rotation matrix and a rotated inertia. It shows what the lane types themselves give.

use core::hint::black_box;

use motrix_spatial::algebra::{
    add, add_inertia, inertia_about, quat_from_axis_angle, quat_identity, quat_mul, quat_normalize, quat_to_mat,
    rotate, splat3, zero3,
};
use motrix_spatial::{Inertia, LaneKind, Lanes, Real, with_lanes};

use crate::Measurement;
use crate::cpu_time;

/// Bodies of the chain, one hinge each.
const BODIES: usize = 18;
/// Steps of one repetition: about a millisecond on the fastest lanes.
const STEPS: usize = 2000;
/// Length of each link, metres.
const LINK: f64 = 0.3;
/// Turn of each hinge in one step, radians.
const TURN: f64 = 1e-3;

/// The state of a group of worlds and what follows from it.
#[derive(Clone)]
struct Chain<L> {
    angles: [L; BODIES],
    inertia: Inertia<L>,
}

/// Turns every hinge a little, then computes the inertia of the chain about the world's origin.
#[inline(always)]
fn step<L: Lanes>(chain: &mut Chain<L>) {
    let link = splat3([L::Elem::from_f64(LINK), L::Elem::from_f64(0.0), L::Elem::from_f64(0.0)]);
    let axes = [[L::ZERO, L::ZERO, L::ONE], [L::ZERO, L::ONE, L::ZERO]];
    let principal = [L::c(0.002), L::c(0.004), L::c(0.003)];

    let mut position = zero3();
    let mut rotation = quat_identity();
    chain.inertia = [L::ZERO; 10];
    for body in 0..BODIES {
        chain.angles[body] += L::c(TURN);
        rotation = quat_normalize(quat_mul(
            rotation,
            quat_from_axis_angle(axes[body % 2], chain.angles[body]),
        ));
        position = add(position, rotate(rotation, link));
        let own = inertia_about(principal, &quat_to_mat(rotation), L::ONE, position);
        chain.inertia = add_inertia(&chain.inertia, &own);
    }
}

motrix_spatial::entry! {
    /// The chain, compiled for each lane type.
    trait ChainKernels {
        /// Many steps of one group of worlds.
        fn run(chain: &mut Chain<Self>) {
            for _ in 0..STEPS {
                step(chain);
            }
        }
    }
}

/// Measures the chain in the lanes of a kind.
pub fn measure(kind: LaneKind) -> Measurement {
    with_lanes!(kind, L => measure_in::<L>())
}

fn measure_in<L: ChainKernels>() -> Measurement {
    // Every world starts in a configuration of its own.
    let start = Chain {
        angles: core::array::from_fn(|body| L::from_lanes(|k| L::Elem::from_f64((body * 8 + k) as f64 * 0.01))),
        inertia: [L::ZERO; 10],
    };
    let mut end = start.clone();
    let time = cpu_time::fastest(|| {
        end = black_box(&start).clone();
        L::run(&mut end);
    });
    let ns_per_world_step = time.as_nanos() as f64 / (STEPS * L::COUNT) as f64;
    Measurement {
        ns_per_world_step,
        hash: hash(&end),
    }
}

/// FNV-1a over the bits of the state, world by world.
fn hash<L: Lanes>(chain: &Chain<L>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for k in 0..L::COUNT {
        for number in chain.angles.iter().chain(&chain.inertia) {
            hash = (hash ^ number.lane(k).bits()).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}
