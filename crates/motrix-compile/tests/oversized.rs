//! Small files that ask for enormous models: each is refused before the memory or the time is spent.
//!
//! The bound on time is generous, since tests run unoptimised on busy machines; optimised, each takes well under a second.

use std::time::{Duration, Instant};

use motrix_compile::{LoadOptions, load_str};

const PATIENCE: Duration = Duration::from_secs(60);

fn refusal(text: &str) -> String {
    let start = Instant::now();
    let error = load_str(text, &LoadOptions::default()).expect_err("an enormous model was accepted");
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    error.to_string()
}

fn in_world(inside: &str) -> String {
    format!("<mujoco><worldbody>{inside}</worldbody></mujoco>")
}

fn copies(count: usize, inside: &str) -> String {
    format!("<replicate count=\"{count}\" offset=\"1 0 0\">{inside}</replicate>")
}

const LOOSE: &str = "<body><freejoint/><geom size=\".1\"/></body>";

#[test]
fn bodies_that_could_all_touch_each_other_are_refused() {
    let message = refusal(&in_world(&copies(20_000, LOOSE)));
    assert!(message.contains("pairs of bodies could touch"), "{message}");
    let message = refusal(&in_world(&copies(5_000, LOOSE)));
    assert!(message.contains("pairs of geoms could touch"), "{message}");
    let many = format!("<body><freejoint/>{}</body>", "<geom size=\".1\"/>".repeat(3000));
    let message = refusal(&in_world(&copies(2, &many)));
    assert!(message.contains("pairs of geoms could touch"), "{message}");
}

#[test]
fn many_bodies_that_cannot_touch_are_no_problem() {
    let apart = LOOSE.replace("<geom", "<geom contype=\"0\" conaffinity=\"0\"");
    let text = in_world(&copies(3000, &apart));
    let loaded = load_str(&text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(loaded.model.nv(), 18_000);
    assert!(loaded.model.pairs.is_empty());
    let fixed = in_world(&copies(20_000, "<body><geom size=\".1\"/></body>"));
    load_str(&fixed, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn user_numbers_are_counted_before_they_are_stored() {
    let text = format!(
        "<mujoco><size nuser_geom=\"60000\"/><worldbody>{}</worldbody></mujoco>",
        copies(20_000, "<geom size=\"1\"/>")
    );
    let message = refusal(&text);
    assert!(
        message.contains("60000 user numbers for each of 20000 elements are too many"),
        "{message}"
    );
}

#[test]
fn enormous_assets_and_sensors_are_refused_by_their_size() {
    for (inside, expected) in [
        (
            "<asset><texture name=\"t\" type=\"2d\" builtin=\"flat\" width=\"100000\" height=\"100000\"/></asset>",
            "too large",
        ),
        (
            "<asset><hfield name=\"h\" nrow=\"100000\" ncol=\"100000\" size=\"1 1 1 1\"/></asset>",
            "too large",
        ),
        (
            "<asset><mesh name=\"m\" builtin=\"sphere\" params=\"40\"/></asset>",
            "the subdivision must be from 0 to 4",
        ),
        (
            "<sensor><user name=\"x\" dim=\"2000000000\"/></sensor>",
            "the sensors have more than",
        ),
    ] {
        let message = refusal(&format!("<mujoco>{inside}</mujoco>"));
        assert!(message.contains(expected), "{message}");
    }
}
