//! A warmed-up step does not allocate.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use motrix_batch::{Scene, Selection, Threads, Worlds};
use motrix_compile::{LoadOptions, load_str};

/// Counts what it hands out, thread by thread: what the harness of the tests does meanwhile is not ours.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Steps eight worlds for a while, and counts the allocations of 200 steps more.
fn allocations(text: &str, warm_up: usize) -> usize {
    let loaded = load_str(text, &LoadOptions::default()).expect("the scene loads");
    let scene = Scene::new(Arc::new(loaded.model));
    let mut worlds = Worlds::<f32>::new(Arc::clone(scene.model()), 8);
    let before = ALLOCATIONS.get();
    scene
        .step(&mut worlds, Selection::All, warm_up, Threads::AtMost(1))
        .expect("step");
    let warm = ALLOCATIONS.get();
    assert!(warm > before + 1, "one thread steps on the thread that is counted");
    scene
        .step(&mut worlds, Selection::All, 200, Threads::AtMost(1))
        .expect("step");
    ALLOCATIONS.get() - warm
}

#[test]
fn a_warmed_up_step_allocates_no_more_than_the_list_of_groups() {
    // It falls, lands and comes to rest: every kind of contact has been met.
    let allocations = allocations(include_str!("../../examples/assets/quadruped.xml"), 300);
    // The call lists its groups once; the 200 steps inside allocate nothing.
    assert!(allocations <= 1, "{allocations} allocations in 200 steps");
}

#[test]
fn neither_does_one_of_many_bodies() {
    let bodies: String = (0..12)
        .map(|k| {
            // Not edge on edge: how many contacts two such boxes have is decided by rounding, step by step.
            let (x, z) = (
                0.25 * f64::from(k % 4) + 0.02 * f64::from(k / 4),
                0.1 + 0.21 * f64::from(k / 4),
            );
            format!(r#"<body pos="{x} 0 {z}"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>"#)
        })
        .collect();
    let text = format!(r#"<mujoco><worldbody><geom type="plane" size="5 5 1"/>{bodies}</worldbody></mujoco>"#);
    let allocations = allocations(&text, 300);
    assert!(allocations <= 1, "{allocations} allocations in 200 steps");
}
