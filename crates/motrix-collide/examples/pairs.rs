//! Time per pair of shapes, over the poses of a file that `tests/golden/contacts.py` writes.
//!
//!     cargo run --release -p motrix-collide --example pairs [file]
//!
//! Each pose is collided many times; the least time of several rounds is reported, with a sum of the distances so that a
//! faster wrong answer is visible. Pairs with a closed form are also timed as the engine runs them, as many poses at a time as the
//! fastest lane type has lanes.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

#[path = "../tests/golden_file/mod.rs"]
#[expect(dead_code, reason = "timing needs the poses, not what was recorded there")]
mod golden_file;

use golden_file::GoldenFile;
use motrix_collide::closed::{self, TouchList};
use motrix_collide::{Manifold, Placed, Scratch, Settings, Shape, collide};
use motrix_spatial::{LaneKind, Lanes, Precision, Real, with_lanes};

const ROUNDS: usize = 15;
const REPEATS: usize = 10;

#[derive(Default)]
struct Cost {
    nanoseconds: f64,
    poses: usize,
    contacts: usize,
    distances: f64,
    in_lanes: Option<f64>,
}

/// Shapes of as many poses as there are lanes.
struct Group<L> {
    position: [L; 3],
    rotation: [L; 9],
    size: [L; 3],
}

impl<L: Lanes> Group<L> {
    /// The poses from `first` on, from the beginning again behind the last.
    fn new(poses: &[[Placed; 2]], first: usize, side: usize) -> Self {
        let pose = |k: usize| &poses[(first + k) % poses.len()][side];
        let lanes = |get: &dyn Fn(&Placed) -> f64| L::from_lanes(|k| L::Elem::from_f64(get(pose(k))));
        Self {
            position: [0, 1, 2].map(|i: usize| lanes(&|shape| shape.pose.position[i])),
            rotation: [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|i: usize| lanes(&|shape| shape.pose.rotation[i])),
            size: [0, 1, 2].map(|i: usize| lanes(&|shape| size_of(&shape.shape)[i])),
        }
    }
}

/// MuJoCo's size numbers.
fn size_of(shape: &Shape) -> [f64; 3] {
    match *shape {
        Shape::Sphere { radius } => [radius, 0.0, 0.0],
        Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => [radius, half_length, 0.0],
        Shape::Box { half } => half,
        Shape::Ellipsoid { radii } => radii,
        _ => [0.0; 3],
    }
}

/// Pairs with a closed form.
#[derive(Clone, Copy)]
enum Form {
    PlaneSphere,
    PlaneCapsule,
    PlaneEllipsoid,
    PlaneCylinder,
    PlaneBox,
    SphereSphere,
    SphereCapsule,
    SphereCylinder,
    SphereBox,
    CapsuleCapsule,
    CapsuleBox,
}

impl Form {
    fn of(name: &str) -> Option<Form> {
        Some(match name {
            "plane-sphere" => Form::PlaneSphere,
            "plane-capsule" => Form::PlaneCapsule,
            "plane-ellipsoid" => Form::PlaneEllipsoid,
            "plane-cylinder" => Form::PlaneCylinder,
            "plane-box" => Form::PlaneBox,
            "sphere-sphere" => Form::SphereSphere,
            "sphere-capsule" => Form::SphereCapsule,
            "sphere-cylinder" => Form::SphereCylinder,
            "sphere-box" => Form::SphereBox,
            "capsule-capsule" => Form::CapsuleCapsule,
            "capsule-box" => Form::CapsuleBox,
            _ => return None,
        })
    }
}

motrix_spatial::entry! {
    /// The closed forms, compiled for each lane type.
    trait ClosedForms {
        /// Finds the contacts of one group.
        fn touch(form: Form, a: &closed::Placed<Self>, b: &closed::Placed<Self>, reach: Self, out: &mut TouchList<Self>) {
            match form {
                Form::PlaneSphere => closed::plane::plane_sphere(a, b, reach, out),
                Form::PlaneCapsule => closed::plane::plane_capsule(a, b, reach, out),
                Form::PlaneEllipsoid => closed::plane::plane_ellipsoid(a, b, reach, out),
                Form::PlaneCylinder => closed::plane::plane_cylinder(a, b, reach, out),
                Form::PlaneBox => closed::plane::plane_box(a, b, reach, out),
                Form::SphereSphere => closed::sphere::sphere_sphere(a, b, reach, out),
                Form::SphereCapsule => closed::sphere::sphere_capsule(a, b, reach, out),
                Form::SphereCylinder => closed::sphere::sphere_cylinder(a, b, reach, out),
                Form::SphereBox => closed::sphere::sphere_box(a, b, reach, out),
                Form::CapsuleCapsule => closed::capsule::capsule_capsule(a, b, reach, out),
                Form::CapsuleBox => closed::capsule_box::capsule_box(a, b, reach, out),
            }
        }
    }
}

/// Nanoseconds for all poses in lanes; the last group is filled up and counts by its share.
fn in_lanes<L: ClosedForms>(form: Form, poses: &[[Placed; 2]], margin: f64) -> f64 {
    let groups: Vec<[Group<L>; 2]> = (0..poses.len())
        .step_by(L::COUNT)
        .map(|first| [Group::new(poses, first, 0), Group::new(poses, first, 1)])
        .collect();
    let mut out = TouchList::with_capacity(8);
    let mut round = || {
        let start = Instant::now();
        for _ in 0..REPEATS {
            for [a, b] in &groups {
                out.clear();
                L::touch(
                    form,
                    black_box(&a.placed()),
                    black_box(&b.placed()),
                    L::c(margin),
                    &mut out,
                );
                black_box(&out);
            }
        }
        start.elapsed().as_secs_f64() * 1e9 / REPEATS as f64
    };
    let least = (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min);
    least * poses.len() as f64 / (groups.len() * L::COUNT) as f64
}

impl<L: Lanes> Group<L> {
    fn placed(&self) -> closed::Placed<'_, L> {
        closed::Placed {
            position: &self.position,
            rotation: &self.rotation,
            size: &self.size,
        }
    }
}

fn main() {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/contacts.txt");
    let path = std::env::args().nth(1).unwrap_or_else(|| default.to_string());
    let file = GoldenFile::read(&path);
    let settings = Settings::default();
    let mut scratch = Scratch::new();
    let mut out = Manifold::new();
    let mut costs: BTreeMap<&str, Cost> = BTreeMap::new();
    for pair in &file.pairs {
        let placed: Vec<_> = pair.cases.iter().map(|case| pair.placed(case, &file.hulls)).collect();
        let cost = costs.entry(&pair.name).or_default();
        cost.poses += placed.len();
        for [a, b] in &placed {
            collide(a, b, pair.margin, &settings, &mut scratch, &mut out);
            cost.contacts += out.len();
            cost.distances += out.iter().map(|contact| contact.distance).sum::<f64>();
        }
        let mut round = || {
            let start = Instant::now();
            for _ in 0..REPEATS {
                for [a, b] in &placed {
                    collide(
                        black_box(a),
                        black_box(b),
                        pair.margin,
                        &settings,
                        &mut scratch,
                        &mut out,
                    );
                    black_box(&out);
                }
            }
            start.elapsed().as_secs_f64() * 1e9 / REPEATS as f64
        };
        cost.nanoseconds += (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min);
        if let Some(form) = Form::of(&pair.name) {
            let kind = LaneKind::fastest(Precision::Single);
            let nanoseconds = with_lanes!(kind, L => in_lanes::<L>(form, &placed, pair.margin));
            *cost.in_lanes.get_or_insert(0.0) += nanoseconds;
        }
    }
    for (name, cost) in &costs {
        let per_pose = |x: f64| x / cost.poses as f64;
        let in_lanes = cost
            .in_lanes
            .map_or(String::new(), |time| format!(", in lanes {:.1} ns", per_pose(time)));
        println!(
            "{name:22} {:8.1} ns  ({:.2} contacts, distances {:.9}){in_lanes}",
            per_pose(cost.nanoseconds),
            per_pose(cost.contacts as f64),
            cost.distances
        );
    }
}
