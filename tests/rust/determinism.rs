//! The bits of a world depend on its own state alone: not on threads, batch size, neighbours, order or history.

use std::sync::Arc;

use motrix_batch::{Scene, Selection, Threads, Worlds};
use motrix_compile::{LoadOptions, load_str};

const QUADRUPED: &str = include_str!("../../examples/assets/quadruped.xml");
const STEPS: usize = 60;

fn scene() -> Scene {
    let loaded = load_str(QUADRUPED, &LoadOptions::default()).expect("the quadruped loads");
    Scene::new(Arc::new(loaded.model))
}

/// Worlds that differ: world `k` of the returned batch is perturbed as number `numbers[k]`.
fn worlds(scene: &Scene, numbers: &[usize]) -> Worlds<f32> {
    let mut worlds = Worlds::new(Arc::clone(scene.model()), numbers.len());
    let layout = worlds.layout().clone();
    let stand = scene.model().keyframes[0].clone();
    for (k, number) in numbers.iter().enumerate() {
        let qpos = worlds.numbers_mut(k, layout.qpos.clone());
        for (x, q) in qpos.iter_mut().zip(stand.qpos.as_ref().expect("qpos")) {
            *x = *q as f32;
        }
        // Joint angles and targets of a small pseudo-random pattern, some of them high above the ground.
        let wiggle = |i: usize| ((number * 7919 + i * 104_729) % 1009) as f32 / 1009.0 - 0.5;
        for (i, x) in qpos.iter_mut().enumerate().skip(7) {
            *x += 0.3 * wiggle(i);
        }
        qpos[2] += 0.1 * wiggle(99).max(0.0);
        for (i, x) in worlds.numbers_mut(k, layout.ctrl.clone()).iter_mut().enumerate() {
            *x = stand.ctrl.as_ref().expect("ctrl")[i] as f32 + 0.4 * wiggle(50 + i);
        }
    }
    worlds
}

fn digests_after(scene: &Scene, numbers: &[usize], threads: usize) -> Vec<u64> {
    let mut worlds = worlds(scene, numbers);
    scene
        .step(&mut worlds, Selection::All, STEPS, Threads::AtMost(threads))
        .expect("step");
    (0..numbers.len()).map(|k| worlds.digest(k)).collect()
}

#[test]
fn neighbours_order_and_batch_size_change_no_bit() {
    let scene = scene();
    let all: Vec<usize> = (0..27).collect();
    let together = digests_after(&scene, &all, 1);
    assert_eq!(
        together.iter().collect::<std::collections::HashSet<_>>().len(),
        all.len(),
        "all worlds differ"
    );

    let reversed: Vec<usize> = all.iter().rev().copied().collect();
    let backwards = digests_after(&scene, &reversed, 1);
    for (k, number) in reversed.iter().enumerate() {
        assert_eq!(
            backwards[k],
            together[*number],
            "world {number} moved to lane {}",
            k % 8
        );
    }
    for number in [0, 5, 13, 26] {
        assert_eq!(
            digests_after(&scene, &[number], 1),
            [together[number]],
            "world {number} alone"
        );
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let scene = scene();
    let all: Vec<usize> = (0..40).collect();
    let one = digests_after(&scene, &all, 1);
    for threads in [2, 3] {
        assert_eq!(digests_after(&scene, &all, threads), one, "{threads} threads");
    }
}

#[test]
fn many_steps_in_one_call_are_many_calls_of_one_step() {
    let scene = scene();
    let numbers: Vec<usize> = (0..9).collect();
    let at_once = digests_after(&scene, &numbers, 1);
    let mut worlds = worlds(&scene, &numbers);
    for _ in 0..STEPS {
        scene
            .step(&mut worlds, Selection::All, 1, Threads::default())
            .expect("step");
    }
    assert_eq!((0..9).map(|k| worlds.digest(k)).collect::<Vec<_>>(), at_once);
}

#[test]
fn stepping_a_selection_leaves_the_others_and_their_bits_alone() {
    let scene = scene();
    let numbers: Vec<usize> = (0..20).collect();
    let mut worlds = worlds(&scene, &numbers);
    let before: Vec<u64> = (0..20).map(|k| worlds.digest(k)).collect();
    let chosen = [17, 3, 11];
    scene
        .step(&mut worlds, Selection::Rows(&chosen), STEPS, Threads::default())
        .expect("step");
    let stepped = digests_after(&scene, &numbers, 1);
    for k in 0..20 {
        let expected = if chosen.contains(&(k as u32)) {
            stepped[k]
        } else {
            before[k]
        };
        assert_eq!(worlds.digest(k), expected, "world {k}");
    }
}

#[test]
fn a_world_without_numbers_spoils_no_other() {
    let scene = scene();
    let numbers: Vec<usize> = (0..16).collect();
    let healthy = digests_after(&scene, &numbers, 1);
    let mut worlds = worlds(&scene, &numbers);
    let z = worlds.layout().qpos.start + 2;
    worlds.numbers_mut(5, z..z + 1)[0] = f32::NAN;
    scene
        .step(&mut worlds, Selection::All, STEPS, Threads::default())
        .expect("step");
    for k in (0..16).filter(|k| *k != 5) {
        assert_eq!(worlds.digest(k), healthy[k], "world {k} beside a world of NaN");
    }
}

#[test]
fn reset_forgets_everything() {
    let scene = scene();
    let mut worlds = worlds(&scene, &[1, 2, 3]);
    let fresh = Worlds::<f32>::new(Arc::clone(scene.model()), 3);
    scene
        .step(&mut worlds, Selection::All, STEPS, Threads::default())
        .expect("step");
    worlds.reset(Selection::All, false);
    for k in 0..3 {
        assert_eq!(worlds.digest(k), fresh.digest(k));
    }
}
