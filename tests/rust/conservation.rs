//! Laws of motion that hold whatever the model, and motions whose closed form is known.

use std::f64::consts::PI;
use std::sync::Arc;

use motrix_batch::{Scene, Selection, Threads, Worlds};
use motrix_compile::{LoadOptions, load_str};
use motrix_model::ContactModel;

fn scene(text: &str) -> (Scene, Worlds<f64>) {
    let loaded = load_str(text, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let scene = Scene::new(Arc::new(loaded.model));
    let worlds = Worlds::new(Arc::clone(scene.model()), 1);
    (scene, worlds)
}

fn step(scene: &Scene, worlds: &mut Worlds<f64>, count: usize) {
    scene
        .step(worlds, Selection::All, count, Threads::AtMost(1))
        .expect("step");
}

#[test]
fn a_pendulum_of_small_swing_has_the_period_of_its_length() {
    // A point mass on a rod of 0.7 m; released at 0.01 rad, the period is 2π√(l/g) up to 1 + θ²/16 = 6e-6.
    let (scene, mut worlds) = scene(
        r#"<mujoco><option timestep="0.0005" integrator="RK4"/><worldbody><body><joint type="hinge" axis="0 1 0"/>
        <inertial pos="0 0 -0.7" mass="1" diaginertia="1e-9 1e-9 1e-9"/></body></worldbody></mujoco>"#,
    );
    let start = worlds.layout().qpos.start;
    worlds.numbers_mut(0, start..start + 1)[0] = 0.01;
    let (mut crossings, mut before) = (Vec::new(), 0.01_f64);
    while crossings.len() < 4 {
        step(&scene, &mut worlds, 1);
        let now = worlds.row(0)[start];
        if before.signum() != now.signum() {
            // Linear interpolation of the zero between two steps.
            crossings.push(worlds.time(0) - 0.0005 * now / (now - before));
        }
        before = now;
    }
    let period = crossings[2] - crossings[0];
    let expected = 2.0 * PI * (0.7_f64 / 9.81).sqrt();
    assert!(
        (period - expected).abs() < 2e-5 * expected,
        "period {period}, expected {expected}"
    );
}

#[test]
fn a_body_in_free_flight_keeps_its_momentum() {
    // No gravity, no contact: linear velocity constant, angular momentum constant in the world, whatever the tumbling.
    let (scene, mut worlds) = scene(
        r#"<mujoco><option timestep="0.001" gravity="0 0 0" integrator="RK4"/><worldbody><body><freejoint/>
        <inertial pos="0 0 0" mass="2" diaginertia="0.02 0.05 0.06"/></body></worldbody></mujoco>"#,
    );
    let (q, v) = (worlds.layout().qpos.start, worlds.layout().qvel.start);
    worlds
        .numbers_mut(0, v..v + 6)
        .copy_from_slice(&[0.3, -0.2, 0.5, 4.0, 1.0, -2.0]);
    let momentum = |row: &[f64]| {
        // Rows keep quaternions in the order of the Python API, i j k w.
        let [x, y, z, w] = [row[q + 3], row[q + 4], row[q + 5], row[q + 6]];
        let local = [0.02 * row[v + 3], 0.05 * row[v + 4], 0.06 * row[v + 5]];
        // Rotation of a vector by a unit quaternion: l + 2w(u × l) + 2u × (u × l).
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [
                a[1] * b[2] - a[2] * b[1],
                a[2] * b[0] - a[0] * b[2],
                a[0] * b[1] - a[1] * b[0],
            ]
        };
        let t = cross([x, y, z], local);
        let tt = cross([x, y, z], t);
        [0, 1, 2].map(|i| local[i] + 2.0 * w * t[i] + 2.0 * tt[i])
    };
    let before = momentum(&worlds.row(0));
    step(&scene, &mut worlds, 3000);
    let after = momentum(&worlds.row(0));
    for i in 0..3 {
        // Fourth-order error of 3000 steps of 1 ms at 4.6 rad/s.
        assert!(
            (after[i] - before[i]).abs() < 1e-9,
            "angular momentum {before:?} → {after:?}"
        );
        assert!((worlds.row(0)[v + i] - [0.3, -0.2, 0.5][i]).abs() < 1e-12);
    }
}

#[test]
fn an_undamped_chain_keeps_its_energy() {
    // A double pendulum falling from the horizontal; RK4 drifts by far less than a thousandth of the energy exchanged.
    let text = r#"<mujoco><option timestep="0.001" integrator="RK4"><flag energy="enable"/></option><worldbody>
        <body><joint axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.4 0 0" contype="0" conaffinity="0"/>
        <body pos="0.4 0 0"><joint axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" contype="0" conaffinity="0"/>
        </body></body></worldbody></mujoco>"#;
    let (scene, mut worlds) = scene(text);
    let energy = |scene: &Scene, worlds: &mut Worlds<f64>| {
        worlds.rebase(Selection::All);
        let arrays = scene.inspect(worlds, 0).expect("inspect");
        arrays.iter().find(|a| a.name == "energy").expect("energy").data.clone()
    };
    let before = energy(&scene, &mut worlds);
    step(&scene, &mut worlds, 2000);
    let after = energy(&scene, &mut worlds);
    let exchanged = (after[0] - before[0]).abs().max(after[1]);
    assert!(exchanged > 1.0, "it falls: {before:?} → {after:?}");
    let drift = (after[0] + after[1] - before[0] - before[1]).abs();
    assert!(
        drift < 1e-6 * exchanged,
        "energy {before:?} → {after:?}, drift {drift:e}"
    );
}

#[test]
fn a_block_slides_when_the_slope_exceeds_its_friction_and_only_then() {
    // Friction 0.5: the threshold is atan 0.5 = 26.57°. On the slope below, tan 30° = 0.577.
    let slide = |degrees: f64| {
        let text = format!(
            r#"<mujoco><option timestep="0.002" cone="elliptic" impratio="100"/><worldbody>
            <geom type="plane" size="5 5 1" euler="0 {degrees} 0" friction="0.5"/>
            <body pos="0 0 0.1" euler="0 {degrees} 0"><freejoint/><geom type="box" size="0.1 0.1 0.1" friction="0.5"/></body>
            </worldbody></mujoco>"#
        );
        let (scene, mut worlds) = scene(&text);
        // A fast block hops a little in either model, and each hop is an error of this second; those of "firm" are larger,
        // and averaged over more seconds in `test_friction.py`.
        scene.set_options(|options| options.contact_model = ContactModel::Mujoco);
        // Let it settle onto the slope, then watch one second.
        step(&scene, &mut worlds, 100);
        let v = worlds.layout().qvel.start;
        let speed = |row: &[f64]| (row[v] * row[v] + row[v + 2] * row[v + 2]).sqrt();
        let before = speed(&worlds.row(0));
        step(&scene, &mut worlds, 500);
        speed(&worlds.row(0)) - before
    };
    assert!(
        slide(20.0).abs() < 0.01,
        "below the threshold it stays: {}",
        slide(20.0)
    );
    let (sine, cosine) = (30_f64.to_radians().sin(), 30_f64.to_radians().cos());
    let expected = 9.81 * (sine - 0.5 * cosine);
    let gained = slide(30.0);
    assert!(
        (gained - expected).abs() < 0.03 * expected,
        "gained {gained} m/s in 1 s, expected {expected}"
    );
}
