//! The sweep over scenes of many bodies saves time and changes nothing else.

use std::fmt::Write;
use std::sync::Arc;

use motrix_compile::{LoadOptions, load_str};
use motrix_dynamics::contacts::SweepTable;
use motrix_dynamics::{Data, Kernels, Params, Tables, step};
use motrix_model::Model;
use motrix_spatial::Real;

/// Balls, boxes and capsules that fall on a floor and on each other: so many that even eight lanes sweep.
fn pile(bodies: usize) -> Arc<Model> {
    let mut text = String::from("<mujoco><worldbody><geom type='plane' size='5 5 1'/>");
    for k in 0..bodies {
        let (x, y, z) = (k % 15, k / 15 % 5, k / 75);
        let shape = [
            "type='sphere' size='0.05'",
            "type='box' size='0.04 0.05 0.03'",
            "type='capsule' size='0.03 0.04'",
        ][k % 3];
        write!(
            text,
            "<body pos='{} {} {}'><freejoint/><geom {shape}/></body>",
            0.11 * x as f64 + 0.01 * (z % 3) as f64,
            0.11 * y as f64 - 0.01 * (k % 4) as f64,
            0.055 + 0.12 * z as f64
        )
        .expect("a string takes everything");
    }
    text += "</worldbody></mujoco>";
    let loaded = load_str(&text, &LoadOptions::default()).expect("the pile loads");
    Arc::new(loaded.model)
}

/// The state after some steps, bit by bit, and how many pairs of spheres the last sweep compared.
fn after<L: Kernels>(model: &Model, steps: usize, sweeping: bool) -> (Vec<u64>, usize) {
    let mut tables = Tables::<L::Elem>::new(model, &model.options);
    if !sweeping {
        tables.pairs.sweep = SweepTable::new(&[]);
    }
    let params = Params::<L>::new(model, model.options.gravity);
    let mut data = Data::<L>::new(model, &tables);
    for _ in 0..steps {
        step(&tables, &params, &mut data);
    }
    assert!(!data.contacts.slots.is_empty(), "bodies touch");
    let bits = data
        .state
        .qpos
        .iter()
        .flat_map(|x| (0..L::COUNT).map(|k| x.lane(k).bits()));
    (bits.collect(), data.contacts.sweep.compared)
}

fn a_sweep_changes_no_bit<L: Kernels>() {
    let model = pile(150);
    let (swept, compared) = after::<L>(&model, 30, true);
    let (walked, none) = after::<L>(&model, 30, false);
    assert!(compared > 0 && none == 0, "one of them sweeps: {compared}, {none}");
    let all = L::COUNT * 150 * 149 / 2;
    assert!(3 * compared < all, "{compared} of {all} pairs compared");
    assert!(swept == walked, "the states differ");
}

#[test]
fn a_sweep_changes_no_bit_of_one_world() {
    a_sweep_changes_no_bit::<f64>();
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_sweep_changes_no_bit_of_eight_lanes() {
    if motrix_spatial::LaneKind::F32x8Avx2.is_supported() {
        a_sweep_changes_no_bit::<motrix_spatial::lanes::F32x8Avx2>();
    }
}
