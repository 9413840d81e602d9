//! The closed forms against MuJoCo, and lanes against each other.
//!
//! `golden.txt` holds poses and the contacts that MuJoCo 4.0.0 reports for them. A line with two names is a pair: sizes, position
//! and quaternion of each shape, margin, number of contacts; each contact follows on a line of its own: distance, position,
//! normal. Every sixth pose has parallel axes, every second one a margin, and some rotations are multiples of 90°.

use motrix_spatial::algebra::{quat_normalize, quat_to_mat};
use motrix_spatial::lanes::F32x8Portable;
use motrix_spatial::{Lanes, Mask, Mat3, Real, Vec3};
use proptest::prelude::*;

use super::capsule::capsule_capsule;
use super::capsule_box::capsule_box;
use super::cull::{BoundingCapsule, capsules_near, plane_sphere_near, spheres_near};
use super::plane::{plane_box, plane_capsule, plane_cylinder, plane_ellipsoid, plane_sphere};
use super::sphere::{sphere_box, sphere_capsule, sphere_cylinder, sphere_sphere};
use super::{Placed, TouchList};

type Collide<L> = fn(&Placed<L>, &Placed<L>, L, &mut TouchList<L>);

fn collider<L: Lanes>(first: &str, second: &str) -> Collide<L> {
    match (first, second) {
        ("plane", "sphere") => plane_sphere,
        ("plane", "capsule") => plane_capsule,
        ("plane", "ellipsoid") => plane_ellipsoid,
        ("plane", "cylinder") => plane_cylinder,
        ("plane", "box") => plane_box,
        ("sphere", "sphere") => sphere_sphere,
        ("sphere", "capsule") => sphere_capsule,
        ("sphere", "cylinder") => sphere_cylinder,
        ("sphere", "box") => sphere_box,
        ("capsule", "capsule") => capsule_capsule,
        ("capsule", "box") => capsule_box,
        other => panic!("no closed form for {other:?}"),
    }
}

/// A shape in the world, in one lane of `f64`.
#[derive(Clone, Copy, Debug)]
struct Body {
    size: Vec3<f64>,
    position: Vec3<f64>,
    rotation: Mat3<f64>,
}

impl Body {
    fn new(size: [f64; 3], position: [f64; 3], quat: [f64; 4]) -> Body {
        Body {
            size,
            position,
            rotation: quat_to_mat(quat_normalize(quat)),
        }
    }

    /// What is left after rounding every number to `f32`.
    fn rounded(&self) -> Body {
        let round = |x: f64| f64::from(x as f32);
        Body {
            size: self.size.map(round),
            position: self.position.map(round),
            rotation: self.rotation.map(round),
        }
    }

    fn placed(&self) -> Placed<'_, f64> {
        Placed {
            position: &self.position,
            rotation: &self.rotation,
            size: &self.size,
        }
    }
}

/// A pair and its contacts: distance, position, normal.
#[derive(Clone, Debug)]
struct Case {
    names: (String, String),
    bodies: [Body; 2],
    margin: f64,
    contacts: Vec<[f64; 7]>,
}

fn golden() -> Vec<Case> {
    let mut lines = include_str!("golden.txt").lines();
    let mut cases = Vec::new();
    while let Some(line) = lines.next() {
        let mut words = line.split(' ');
        let names = (words.next().unwrap().to_owned(), words.next().unwrap().to_owned());
        let n: Vec<f64> = words.map(|w| w.parse().unwrap()).collect();
        let body = |n: &[f64]| Body::new([n[0], n[1], n[2]], [n[3], n[4], n[5]], [n[6], n[7], n[8], n[9]]);
        let contacts = (0..n[21] as usize).map(|_| {
            let numbers: Vec<f64> = lines.next().unwrap().split(' ').map(|w| w.parse().unwrap()).collect();
            numbers.try_into().unwrap()
        });
        cases.push(Case {
            names,
            bodies: [body(&n[..10]), body(&n[10..20])],
            margin: n[20],
            contacts: contacts.collect(),
        });
    }
    cases
}

/// The contacts of one lane, as rows of the golden file.
fn contacts_of_lane<L: Lanes>(list: &TouchList<L>, k: usize) -> Vec<[f64; 7]> {
    let number = |x: L| x.lane(k).to_f64();
    let row = |t: &super::Touch<L>| {
        let (p, n) = (t.position.map(number), t.normal.map(number));
        [number(t.distance), p[0], p[1], p[2], n[0], n[1], n[2]]
    };
    list.iter().filter(|t| t.active.lane(k)).map(row).collect()
}

fn run_scalar(case: &Case) -> Vec<[f64; 7]> {
    let mut list = TouchList::default();
    let [a, b] = &case.bodies;
    collider::<f64>(&case.names.0, &case.names.1)(&a.placed(), &b.placed(), case.margin, &mut list);
    contacts_of_lane(&list, 0)
}

/// Runs up to eight cases of one pair of shapes in the lanes of `L`.
fn run_lanes<L: Lanes>(cases: &[Case]) -> TouchList<L> {
    let pick = |f: &dyn Fn(&Case) -> f64| L::from_lanes(|k| L::Elem::from_f64(f(&cases[k.min(cases.len() - 1)])));
    let size: [Vec3<L>; 2] = [0, 1].map(|i| [0, 1, 2].map(|j| pick(&|c| c.bodies[i].size[j])));
    let position: [Vec3<L>; 2] = [0, 1].map(|i| [0, 1, 2].map(|j| pick(&|c| c.bodies[i].position[j])));
    let rotation: [Mat3<L>; 2] = [0, 1].map(|i| std::array::from_fn(|j| pick(&|c| c.bodies[i].rotation[j])));
    let placed = [0, 1].map(|i| Placed {
        position: &position[i],
        rotation: &rotation[i],
        size: &size[i],
    });
    let mut list = TouchList::default();
    let (first, second) = (&cases[0].names.0, &cases[0].names.1);
    collider::<L>(first, second)(&placed[0], &placed[1], pick(&|c| c.margin), &mut list);
    list
}

fn largest_difference(a: &[[f64; 7]], b: &[[f64; 7]]) -> f64 {
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// The file has 13 digits of numbers of order one; the closed forms are a few dozen operations.
#[test]
fn one_lane_of_f64_gives_the_contacts_of_mujoco_in_its_order() {
    for case in golden() {
        let found = run_scalar(&case);
        assert_eq!(
            found.len(),
            case.contacts.len(),
            "number of contacts of {case:?}, found {found:?}"
        );
        let error = largest_difference(&found, &case.contacts);
        assert!(error < 1e-11, "off by {error:e}: {case:?}, found {found:?}");
    }
}

/// The same rounded poses in `f64` and in eight lanes of `f32`. A few dozen roundings of numbers up to 2 m leave 1e-6, but a
/// normal is that of a difference, and magnifies the rounding where the difference is short.
#[test]
fn eight_lanes_of_f32_give_the_contacts_of_f64() {
    let mut cases = golden();
    for case in &mut cases {
        case.bodies = [case.bodies[0].rounded(), case.bodies[1].rounded()];
        case.margin = f64::from(case.margin as f32);
    }
    let mut compared = 0;
    for group in cases
        .chunk_by(|a, b| a.names == b.names)
        .flat_map(|same| same.chunks(8))
    {
        let list = run_lanes::<F32x8Portable>(group);
        for (k, case) in group.iter().enumerate() {
            let (found, expected) = (contacts_of_lane(&list, k), run_scalar(case));
            // Parallel shapes sit on the fence between two ways of choosing points, and rounding decides.
            if found.len() != expected.len() || parallel(case) {
                assert!(parallel(case), "{found:?} instead of {expected:?} for {case:?}");
                continue;
            }
            compared += 1;
            for (f, e) in found.iter().zip(&expected) {
                let error = largest_difference(&[*f], &[*e]);
                assert!(
                    error < 3e-6,
                    "off by {error:e}: {case:?}, found {found:?}, expected {expected:?}"
                );
                assert!(
                    (f[0] - e[0]).abs() < 1e-6,
                    "distance {} instead of {}: {case:?}",
                    f[0],
                    e[0]
                );
            }
        }
    }
    assert!(compared > 150, "only {compared} poses were compared");
}

/// Whether an axis of one shape is parallel to an axis of the other, to the precision of `f32`.
fn parallel(case: &Case) -> bool {
    let [a, b] = &case.bodies;
    let cosine = |i: usize, j: usize| {
        (0..3)
            .map(|k| a.rotation[3 * k + i] * b.rotation[3 * k + j])
            .sum::<f64>()
    };
    (0..3).any(|i| (0..3).any(|j| cosine(i, j).abs() > 1.0 - 1e-6))
}

#[test]
fn a_lane_that_does_not_touch_holds_harmless_numbers_and_disturbs_no_other() {
    for mut group in golden()
        .chunk_by(|a, b| a.names == b.names)
        .map(|same| same[..8].to_vec())
    {
        let alone: Vec<_> = group
            .iter()
            .map(|c| contacts_of_lane(&run_lanes::<F32x8Portable>(std::slice::from_ref(c)), 0))
            .collect();
        // One world has become nonsense, another has flown off (upwards, if there is a plane).
        group[3].bodies[1].position = [f64::NAN; 3];
        group[5].bodies[1].position = [2, 5, 8].map(|k| 1e15 * group[5].bodies[0].rotation[k]);
        let list = run_lanes::<F32x8Portable>(&group);
        for k in [0, 1, 2, 4, 6, 7] {
            assert_eq!(contacts_of_lane(&list, k), alone[k], "lane {k} of {:?}", group[k].names);
        }
        for touch in &list {
            for k in (0..8).filter(|&k| !touch.active.lane(k)) {
                let numbers = touch.position.iter().chain(&touch.normal).chain([&touch.distance]);
                assert!(
                    numbers.into_iter().all(|x| x.lane(k).is_finite()),
                    "{touch:?} of {:?}",
                    group[k].names
                );
            }
        }
        assert!(contacts_of_lane(&list, 3).is_empty() && contacts_of_lane(&list, 5).is_empty());
    }
}

#[test]
fn a_capsule_lying_on_a_plane_offers_its_axis_as_tangent() {
    let plane = Body::new([0.0; 3], [0.0; 3], [1.0, 0.0, 0.0, 0.0]);
    let capsule = Body::new([0.1, 0.3, 0.0], [1.0, 2.0, 0.09], [0.5, 0.5, 0.5, 0.5]);
    let mut list = TouchList::default();
    plane_capsule(&plane.placed(), &capsule.placed(), 0.0, &mut list);
    assert_eq!(list.len(), 2);
    for touch in &list {
        assert_eq!(touch.tangent, capsule.placed().z_axis());
    }
}

#[test]
fn concentric_balls_part_across_their_axes() {
    let upright = Body::new([0.1, 0.0, 0.0], [0.3; 3], [1.0, 0.0, 0.0, 0.0]);
    let lying = Body::new([0.2, 0.0, 0.0], [0.3; 3], [0.5f64.sqrt(), 0.5f64.sqrt(), 0.0, 0.0]);
    let mut list = TouchList::default();
    sphere_sphere(&upright.placed(), &lying.placed(), 0.0, &mut list);
    sphere_sphere(&upright.placed(), &upright.placed(), 0.0, &mut list);
    let normals: Vec<_> = list.iter().map(|t| t.normal).collect();
    assert!((normals[0][0] - 1.0).abs() < 1e-12, "{normals:?}: z × (−y) = x");
    assert_eq!(normals[1], [1.0, 0.0, 0.0]);
}

/// Largest number of points of two segments that are compared: fine enough for the slack of the test to show.
const SAMPLES: usize = 200;

/// The distance of two segments by trying points of the first and projecting them on the second.
fn brute_force_distance(a: &BoundingCapsule<f64>, b: &BoundingCapsule<f64>) -> f64 {
    let point = |c: &BoundingCapsule<f64>, t: f64| [0, 1, 2].map(|k| c.centre[k] + t * c.half[k]);
    let bb: f64 = b.half.iter().map(|x| x * x).sum::<f64>().max(1e-30);
    let distance = |i: usize| {
        let p = point(a, 2.0 * i as f64 / SAMPLES as f64 - 1.0);
        let along: f64 = (0..3).map(|k| (p[k] - b.centre[k]) * b.half[k]).sum::<f64>() / bb;
        let q = point(b, along.clamp(-1.0, 1.0));
        (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt()
    };
    (0..=SAMPLES).map(distance).fold(f64::INFINITY, f64::min)
}

fn vector(range: f64) -> impl Strategy<Value = [f64; 3]> {
    [-range..range, -range..range, -range..range]
}

proptest! {
    /// Culling never loses a pair that is within reach, in `f32`, and seldom keeps one that is clearly apart.
    #[test]
    fn bounding_capsules_report_every_pair_within_reach(
        centre in vector(2.0), h1 in vector(0.5), h2 in vector(0.5), tilt in vector(1e-3),
        parallel in any::<bool>(), r in 0.01..0.3f64,
    ) {
        let h2 = if parallel { [0, 1, 2].map(|k| h1[k] * 0.7 + tilt[k]) } else { h2 };
        let a = BoundingCapsule { centre: [0.0; 3], half: h1, radius: r };
        let b = BoundingCapsule { centre, half: h2, radius: 0.1 };
        let distance = brute_force_distance(&a, &b);
        let round = |c: &BoundingCapsule<f64>| BoundingCapsule::<f32> {
            centre: c.centre.map(|x| x as f32), half: c.half.map(|x| x as f32), radius: c.radius as f32,
        };
        let near = |reach: f64| capsules_near(&round(&a), &round(&b), reach as f32);
        prop_assert!(near(distance - r - 0.1 + 1e-9), "distance {}", distance);
        // A reach so negative that not even the axes may touch is none that a pair has.
        let clearly_less = distance - 0.05;
        prop_assert!(clearly_less < 0.0 || !near(clearly_less - r - 0.1), "distance {}", distance);
    }

    /// Spheres within reach are reported, also when rounding puts them on the fence.
    #[test]
    fn bounding_spheres_report_every_pair_within_reach(direction in vector(1.0), r in 0.01..0.3f64, gap in 0.0..0.5f64) {
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        prop_assume!(length > 0.1);
        let centre = direction.map(|x| (x / length * (r + 0.2 + gap)) as f32);
        prop_assert!(spheres_near([0.0; 3], 0.2f32, centre, r as f32, gap as f32));
        prop_assert!(!spheres_near([0.0; 3], 0.2f32, centre, r as f32, (gap - 0.01) as f32));
        let n = direction.map(|x| (x / length) as f32);
        prop_assert!(plane_sphere_near([0.0; 3], n, centre, r as f32, (gap + 0.2) as f32));
        prop_assert!(!plane_sphere_near([0.0; 3], n, centre, r as f32, (gap + 0.19) as f32));
    }
}
