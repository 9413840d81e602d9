//! Every pair of convex shapes, judged by certificates, in poses and sizes where such algorithms fail.
//!
//! Lengths are compared relative to the larger shape, whose coordinates carry rounding errors of 1e-16 of its size, and to the
//! tolerance in metres that curved shapes are resolved to.

mod referee;

use motrix_collide::{
    Contact, Hull, Manifold, Memory, Placed, Pose, Rules, Scratch, Separation, Settings, Shape, collide,
    collide_remembering, distance,
};
use referee::{Random, Vec3, along, dot, judge, norm, round_hull, sub, unit};

const SETTINGS: Settings = Settings {
    ccd_tolerance: 1e-10,
    ccd_iterations: 200,
    multiccd: true,
    boxconvex: false,
    rules: Rules::MuJoCo,
};
/// Distance error that is allowed, relative to the larger shape.
const TOLERANCE: f64 = 1e-8;
/// Distance error that Newton's method leaves, metres: its last step is up to 1e-6 rad long, and the error about its square.
const EXACT: f64 = 1e-9;
const KINDS: usize = 6;

/// Distance error that is allowed between hulls of thousands of vertices, metres: as between curved shapes.
const LARGE_HULL: f64 = 2e-6;

/// One shape of each kind, of about this size.
fn shape(kind: usize, size: f64, hulls: &[Hull; 3]) -> Shape<'_> {
    match kind {
        0 => Shape::Sphere { radius: size },
        1 => Shape::Capsule {
            radius: 0.4 * size,
            half_length: size,
        },
        2 => Shape::Ellipsoid {
            radii: [size, 0.5 * size, 0.3 * size],
        },
        3 => Shape::Cylinder {
            radius: 0.6 * size,
            half_length: size,
        },
        4 => Shape::Box {
            half: [size, 0.7 * size, 0.4 * size],
        },
        _ => {
            let scale = SIZES.iter().position(|&s| s == size).expect("a known size");
            Shape::Hull(&hulls[scale])
        }
    }
}

/// A grain, a body, a hall, in metres.
const SIZES: [f64; 3] = [1e-3, 1.0, 100.0];

fn hulls() -> [Hull; 3] {
    SIZES.map(|s| round_hull(5, 8, [s, 0.8 * s, 0.5 * s]))
}

fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..KINDS).flat_map(|a| (a..KINDS).map(move |b| (a, b)))
}

fn measured(a: &Placed, b: &Placed, scratch: &mut Scratch) -> Separation {
    distance(a, b, f64::INFINITY, &SETTINGS, scratch).expect("bounded shapes have a distance")
}

/// Moves b along `direction` until the shapes are `depth` into each other along it, about.
fn bring_together(a: &Placed, b: &mut Placed, direction: Vec3, depth: f64) {
    b.pose.position = a.pose.position;
    let gap = referee::gap(a, b, direction);
    b.pose.position = along(b.pose.position, -gap - depth, direction);
}

#[test]
fn distances_of_shapes_from_a_grain_to_a_hall_are_proved() {
    let hulls = hulls();
    let mut random = Random(11);
    let mut scratch = Scratch::new();
    let mut failures = Vec::new();
    for (kind_a, kind_b) in pairs() {
        for (size_a, size_b) in SIZES.iter().flat_map(|&s| SIZES.map(|t| (s, t))) {
            for k in 0..12 {
                let a = Placed {
                    shape: shape(kind_a, size_a, &hulls),
                    pose: Pose::new([0.0; 3], random.quaternion()),
                };
                let mut b = Placed {
                    shape: shape(kind_b, size_b, &hulls),
                    pose: Pose::new([0.0; 3], random.quaternion()),
                };
                // Far, near, touching to a millionth, shallow, deep; all relative to the smaller shape.
                let depth = [-10.0, -0.1, 1e-6, -1e-6, 0.01, 0.3][k % 6] * size_a.min(size_b);
                bring_together(&a, &mut b, random.direction(), depth);
                let found = measured(&a, &b, &mut scratch);
                if let Err(why) = judge(&a, &b, &found, TOLERANCE * size_a.max(size_b) + SETTINGS.ccd_tolerance) {
                    failures.push(format!(
                        "{:?} at {:?}, {:?} at {:?}: {why}",
                        a.shape_name(),
                        a.pose,
                        b.shape_name(),
                        b.pose
                    ));
                }
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {} wrong, such as\n{}",
        failures.len(),
        21 * 9 * 12,
        failures[..failures.len().min(4)].join("\n")
    );
}

#[test]
fn curved_shapes_overlap_exactly_whatever_tolerance_the_search_was_given() {
    // A polytope alone would leave points and directions off by the tolerance and by its root.
    let coarse = Settings {
        ccd_tolerance: 1e-6,
        ..SETTINGS
    };
    let hulls = hulls();
    let mut random = Random(17);
    let mut scratch = Scratch::new();
    let curved = |kind: usize| {
        matches!(
            shape(kind, 1.0, &hulls),
            Shape::Ellipsoid { .. } | Shape::Cylinder { .. }
        )
    };
    for (kind_a, kind_b) in pairs().filter(|&(a, b)| curved(a) || curved(b)) {
        for _ in 0..200 {
            let a = Placed {
                shape: shape(kind_a, 1.0, &hulls),
                pose: Pose::new([0.0; 3], random.quaternion()),
            };
            let mut b = Placed {
                shape: shape(kind_b, 1.0, &hulls),
                pose: Pose::new([0.0; 3], random.quaternion()),
            };
            // A little into each other, wherever they come nearest.
            bring_together(&a, &mut b, random.direction(), 0.0);
            let apart = measured(&a, &b, &mut scratch);
            b.pose.position = along(b.pose.position, -0.01 - apart.distance, apart.normal);
            let found = distance(&a, &b, 0.0, &coarse, &mut scratch).expect("they overlap");
            judge(&a, &b, &found, EXACT).unwrap_or_else(|why| {
                panic!(
                    "{} at {:?}, {} at {:?}: {why}",
                    a.shape_name(),
                    a.pose,
                    b.shape_name(),
                    b.pose
                )
            });
        }
    }
}

/// Names for messages.
trait Named {
    fn shape_name(&self) -> String;
}

impl Named for Placed<'_> {
    fn shape_name(&self) -> String {
        match self.shape {
            Shape::Hull(hull) => format!("hull of {} vertices", hull.vertices().len()),
            shape => format!("{shape:?}"),
        }
    }
}

/// Contacts have proper numbers, and none is deeper than the shapes are large.
fn check_contacts(contacts: &Manifold, a: &Placed, b: &Placed, extent: f64) {
    for contact in contacts.iter() {
        let numbers = [[contact.distance, 0.0, 0.0], contact.position, contact.normal];
        let context = || {
            format!(
                "{} at {:?}, {} at {:?}: {contact:?}",
                a.shape_name(),
                a.pose,
                b.shape_name(),
                b.pose
            )
        };
        assert!(numbers.iter().flatten().all(|x| x.is_finite()), "{}", context());
        assert!((norm(contact.normal) - 1.0).abs() < 1e-6, "{}", context());
        assert!(contact.distance.abs() <= extent, "{}", context());
    }
}

#[test]
fn degenerate_shapes_in_degenerate_poses_give_proper_numbers() {
    let flat = [
        Hull::from_points(&[[0.1, 0.2, 0.3]]).expect("a point"),
        Hull::from_points(&[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]).expect("a segment"),
        Hull::from_points(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).expect("a triangle"),
        Hull::from_points(&[[0.5; 3], [0.5; 3], [0.5; 3]]).expect("one point three times"),
        Hull::from_triangles(
            &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
            &[[0, 1, 2], [0, 2, 3], [3, 1, 0], [3, 2, 1]],
        )
        .expect("a plate without thickness"),
        round_hull(1, 4, [1.0, 1.0, 1e-9]),
        round_hull(5, 8, [1.0, 1.0, 1.0]),
    ];
    let mut shapes = vec![
        Shape::Sphere { radius: 0.0 },
        Shape::Sphere { radius: 1.0 },
        Shape::Capsule {
            radius: 0.0,
            half_length: 1.0,
        },
        Shape::Capsule {
            radius: 1.0,
            half_length: 0.0,
        },
        Shape::Ellipsoid { radii: [1.0, 1.0, 1.0] },
        Shape::Ellipsoid {
            radii: [1.0, 1e-3, 1e-6],
        },
        Shape::Cylinder {
            radius: 1.0,
            half_length: 0.0,
        },
        Shape::Cylinder {
            radius: 1e-6,
            half_length: 1.0,
        },
        Shape::Cylinder {
            radius: 1.0,
            half_length: 1.0,
        },
        Shape::Box { half: [1.0, 1.0, 0.0] },
        Shape::Box { half: [1.0, 0.0, 0.0] },
        Shape::Box { half: [1.0, 1.0, 1.0] },
        Shape::Box { half: [1e-6, 1.0, 1.0] },
    ];
    shapes.extend(flat.iter().map(Shape::Hull));
    let turns = [
        [1.0, 0.0, 0.0, 0.0],
        [1.0, 1.0, 0.0, 0.0],
        [1.0, 1e-9, 0.0, 0.0],
        [1.0, 1.0, 1.0, 1.0],
        [0.9, 0.1, -0.3, 0.2],
    ];
    let offsets = [
        [0.0; 3],
        [1e-12, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [2.0, 2.0, 0.0],
        [2.0, 2.0, 2.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, 2.0 + 1e-15],
        [0.3, -0.2, 0.1],
    ];
    let mut scratch = Scratch::new();
    let mut contacts = Manifold::new();
    let mut found = 0;
    for &first in shapes.iter().chain([&Shape::Plane]) {
        for &second in &shapes {
            for turn in turns {
                for offset in offsets {
                    let a = Placed {
                        shape: first,
                        pose: Pose::IDENTITY,
                    };
                    let b = Placed {
                        shape: second,
                        pose: Pose::new(offset, turn),
                    };
                    for boxconvex in [false, true] {
                        let settings = Settings {
                            boxconvex,
                            ..Settings::default()
                        };
                        collide(&a, &b, 0.01, &settings, &mut scratch, &mut contacts);
                        check_contacts(&contacts, &a, &b, 4.0);
                        found += contacts.len();
                    }
                    if !matches!(first, Shape::Plane) {
                        let separation = measured(&a, &b, &mut scratch);
                        assert!(separation.distance.is_finite() && (norm(separation.normal) - 1.0).abs() < 1e-9);
                    }
                }
            }
        }
    }
    assert!(found > 10_000, "shapes touch: {found} contacts");
}

/// The same contacts, whatever their order, to what curved shapes are resolved to: the square root of the tolerance. Distances
/// of further contacts are measured along the sides of a cylinder that the direction chose, so they are no closer.
fn assert_same(ours: &[Contact], theirs: &[Contact], context: &str) {
    assert_eq!(ours.len(), theirs.len(), "{context}:\n{ours:?}\n{theirs:?}");
    for contact in ours {
        let place = |t: &&Contact| norm(sub(t.position, contact.position)).max(norm(sub(t.normal, contact.normal)));
        let nearest = theirs
            .iter()
            .min_by(|s, t| place(s).total_cmp(&place(t)))
            .expect("as many");
        let off = place(&nearest).max((nearest.distance - contact.distance).abs());
        let allowed = 3.0 * SETTINGS.ccd_tolerance.sqrt();
        assert!(off < allowed, "{context}: {off:.1e} off\n{ours:?}\n{theirs:?}");
    }
}

#[test]
fn contacts_do_not_depend_on_where_the_world_has_its_origin_and_axes() {
    let hulls = hulls();
    let mut random = Random(5);
    let mut scratch = Scratch::new();
    let (mut here, mut there) = (Manifold::new(), Manifold::new());
    let mut contacts = 0;
    for (kind_a, kind_b) in pairs() {
        for _ in 0..20 {
            let a = Placed {
                shape: shape(kind_a, 1.0, &hulls),
                pose: Pose::new([0.0; 3], random.quaternion()),
            };
            let mut b = Placed {
                shape: shape(kind_b, 1.0, &hulls),
                pose: Pose::new([0.0; 3], random.quaternion()),
            };
            let depth = random.within(1e-3, 0.1);
            let towards = random.direction();
            bring_together(&a, &mut b, towards, 0.0);
            for _ in 0..30 {
                let apart = measured(&a, &b, &mut scratch).distance;
                b.pose.position = along(b.pose.position, -(apart + depth), towards);
            }
            let apart = measured(&a, &b, &mut scratch).distance;
            collide(&a, &b, 0.0, &SETTINGS, &mut scratch, &mut here);
            contacts += here.len();
            let name = format!("{} and {}", a.shape_name(), b.shape_name());

            for offset in [1.0, 100.0, 1e4] {
                let shift = random.direction().map(|x| offset * x);
                let moved = |p: &Placed<'_>| Pose {
                    position: along(p.pose.position, 1.0, shift),
                    ..p.pose
                };
                let (a, b) = (Placed { pose: moved(&a), ..a }, Placed { pose: moved(&b), ..b });
                let now = measured(&a, &b, &mut scratch).distance;
                assert!((now - apart).abs() < 1e-9, "{name}: {now} m apart, not {apart}");
                collide(&a, &b, 0.0, &SETTINGS, &mut scratch, &mut there);
                let back: Vec<_> = there
                    .iter()
                    .map(|c| Contact {
                        position: sub(c.position, shift),
                        ..*c
                    })
                    .collect();
                assert_same(&here, &back, &format!("{name} moved by {offset} m"));
            }

            let turn = Pose::new([0.0; 3], random.quaternion());
            let turned = |p: &Placed<'_>| Pose {
                position: turn.point(p.pose.position),
                rotation: product(&turn.rotation, &p.pose.rotation),
            };
            let (a, b) = (Placed { pose: turned(&a), ..a }, Placed { pose: turned(&b), ..b });
            let now = measured(&a, &b, &mut scratch).distance;
            assert!((now - apart).abs() < 1e-9, "{name}: {now} m apart, not {apart}");
            collide(&a, &b, 0.0, &SETTINGS, &mut scratch, &mut there);
            let forth: Vec<_> = here
                .iter()
                .map(|c| Contact {
                    position: turn.point(c.position),
                    normal: turn.direction(c.normal),
                    ..*c
                })
                .collect();
            assert_same(&forth, &there, &format!("{name} turned"));
        }
    }
    assert!(contacts > 400, "most poses touch: {contacts} contacts");
}

fn product(a: &[f64; 9], b: &[f64; 9]) -> [f64; 9] {
    core::array::from_fn(|k| (0..3).map(|i| a[k / 3 * 3 + i] * b[3 * i + k % 3]).sum())
}

/// Distance of a point outside a hull from its nearest triangle, by trying them all.
fn distance_to_triangles(hull: &Hull, p: Vec3) -> f64 {
    let corner = |i: u32| hull.vertices()[i as usize];
    let to_segment = |a: Vec3, b: Vec3| {
        let t = dot(sub(p, a), sub(b, a)) / dot(sub(b, a), sub(b, a));
        norm(sub(p, along(a, t.clamp(0.0, 1.0), sub(b, a))))
    };
    let to_triangle = |t: &[u32; 3]| {
        let [a, b, c] = t.map(corner);
        let n = unit(cross(sub(b, a), sub(c, a)));
        let inside = |u: Vec3, v: Vec3| dot(cross(sub(v, u), sub(p, u)), n) >= 0.0;
        if inside(a, b) && inside(b, c) && inside(c, a) {
            dot(sub(p, a), n).abs()
        } else {
            to_segment(a, b).min(to_segment(b, c)).min(to_segment(c, a))
        }
    };
    hull.triangles().iter().map(to_triangle).fold(f64::INFINITY, f64::min)
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[test]
fn hulls_of_up_to_ten_thousand_vertices_are_as_far_away_as_their_nearest_triangle() {
    let mut random = Random(2);
    let mut scratch = Scratch::new();
    for (rings, segments) in [(1, 3), (2, 7), (3, 5), (4, 12), (7, 7), (20, 50), (100, 100)] {
        let hull = round_hull(rings, segments, [1.0, 0.6, 0.3]);
        let a = Placed {
            shape: Shape::Hull(&hull),
            pose: Pose::IDENTITY,
        };
        for _ in 0..20 {
            let p = random.direction().map(|x| x * random.within(1.1, 3.0));
            let b = Placed {
                shape: Shape::Sphere { radius: 0.05 },
                pose: Pose::at(p),
            };
            let found = measured(&a, &b, &mut scratch);
            let expected = distance_to_triangles(&hull, p) - 0.05;
            let count = hull.vertices().len();
            assert!(
                (found.distance - expected).abs() < 1e-9,
                "{count} vertices: {} not {expected}",
                found.distance
            );
            judge(&a, &b, &found, 1e-9).unwrap_or_else(|why| panic!("{count} vertices: {why}"));
        }
    }
}

#[test]
fn large_hulls_overlap_no_deeper_than_any_direction_shows() {
    let mut random = Random(7);
    let mut scratch = Scratch::new();
    for (rings, segments) in [(4, 12), (20, 50), (100, 100)] {
        let hulls = [[1.0, 0.6, 0.3], [0.4, 0.5, 0.6]].map(|radii| round_hull(rings, segments, radii));
        let others = [
            Shape::Hull(&hulls[1]),
            Shape::Box { half: [0.3, 0.2, 0.4] },
            Shape::Cylinder {
                radius: 0.3,
                half_length: 0.2,
            },
        ];
        for k in 0..60 {
            let a = Placed {
                shape: Shape::Hull(&hulls[0]),
                pose: Pose::new([0.0; 3], random.quaternion()),
            };
            let reach = random.within(0.0, 0.7);
            let b = Placed {
                shape: others[k % 3],
                pose: Pose::new(random.direction().map(|x| x * reach), random.quaternion()),
            };
            let found = measured(&a, &b, &mut scratch);
            let count = hulls[0].vertices().len();
            judge(&a, &b, &found, LARGE_HULL).unwrap_or_else(|why| panic!("{count} vertices, pose {k}: {why}"));
        }
    }
}

#[test]
fn a_grain_on_a_hall_is_as_far_from_its_wall_as_it_is_put() {
    // Distances of micrometres between a millimetre and a hundred metres: only the relative pose may enter.
    let hulls = hulls();
    let slab = Shape::Box {
        half: [100.0, 100.0, 100.0],
    };
    let mut random = Random(9);
    let mut scratch = Scratch::new();
    for kind in 0..KINDS {
        for gap in [1e-6, 1e-5, 1e-4, -1e-5, -1e-4] {
            let centre = [random.within(-90.0, 90.0), random.within(-90.0, 90.0), 0.0];
            let mut grain = Placed {
                shape: shape(kind, 1e-3, &hulls),
                pose: Pose::new(centre, random.quaternion()),
            };
            grain.pose.position[2] = 100.0 + gap + referee::height(&grain, [0.0, 0.0, -1.0]);
            let wall = Placed {
                shape: slab,
                pose: Pose::IDENTITY,
            };
            let found = measured(&wall, &grain, &mut scratch);
            // 100 m round at 1e-14 m.
            assert!(
                (found.distance - gap).abs() < 1e-11,
                "kind {kind}: {} not {gap}",
                found.distance
            );
            assert!(
                norm(sub(found.normal, [0.0, 0.0, 1.0])) < 1e-6,
                "kind {kind}: {:?}",
                found.normal
            );
        }
    }
}

#[test]
fn what_is_remembered_of_a_pair_changes_no_contact() {
    let hulls = hulls();
    let mut random = Random(21);
    let mut scratch = Scratch::new();
    let (mut fresh, mut reminded) = (Manifold::new(), Manifold::new());
    // One memory for all pairs and poses, in turn: mostly of other shapes, sometimes of the same a moment ago.
    let mut memory = Memory::default();
    let (mut touching, mut apart) = (0, 0);
    for (kind_a, kind_b) in pairs() {
        for _ in 0..40 {
            let pose = Pose::new([0.0; 3], random.quaternion());
            let a = Placed {
                shape: shape(kind_a, 1.0, &hulls),
                pose,
            };
            let mut b = Placed {
                shape: shape(kind_b, 1.0, &hulls),
                pose: Pose::new([0.0; 3], random.quaternion()),
            };
            let towards = random.direction();
            for depth in [-0.05, -1e-6, -1e-9, 0.0, 1e-9, 0.2, 0.5] {
                bring_together(&a, &mut b, towards, depth);
                let margin = [0.0, 0.01][usize::from(random.number() < 0.5)];
                collide(&a, &b, margin, &SETTINGS, &mut scratch, &mut fresh);
                collide_remembering(&a, &b, margin, &SETTINGS, &mut scratch, &mut memory, &mut reminded);
                assert_eq!(fresh[..], reminded[..], "{} and {}", a.shape_name(), b.shape_name());
                if fresh.is_empty() {
                    apart += 1;
                } else {
                    touching += 1;
                }
            }
        }
    }
    assert!(touching > 500 && apart > 500, "{touching} poses touch, {apart} do not");
}
