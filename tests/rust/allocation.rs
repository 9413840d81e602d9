//! A warmed-up step does not allocate.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use motrix_batch::{Scene, Selection, Threads, Worlds};
use motrix_compile::{LoadOptions, load_str};

/// Counts what it hands out.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
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

#[test]
fn a_warmed_up_step_allocates_no_more_than_the_list_of_groups() {
    let text = include_str!("../../examples/assets/quadruped.xml");
    let loaded = load_str(text, &LoadOptions::default()).expect("the quadruped loads");
    let scene = Scene::new(Arc::new(loaded.model));
    let mut worlds = Worlds::<f32>::new(Arc::clone(scene.model()), 8);
    // It falls, lands and comes to rest: every kind of contact has been met.
    scene
        .step(&mut worlds, Selection::All, 300, Threads::AtMost(1))
        .expect("step");
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    scene
        .step(&mut worlds, Selection::All, 200, Threads::AtMost(1))
        .expect("step");
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    // The call lists its groups once; the 200 steps inside allocate nothing.
    assert!(allocations <= 1, "{allocations} allocations in 200 steps");
}
