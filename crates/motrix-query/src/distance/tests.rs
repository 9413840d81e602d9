//! Distances against closed forms, brute force over all pairs of triangles, and triangulated copies.

use motrix_collide::vector::{Vec3, norm, sub};
use motrix_collide::{HeightField, HeightFieldSize, Pose, Scratch, Shape, Surface, Window};
use proptest::prelude::*;

use super::triangle::{self, Face, Triangle};
use super::*;

/// A closed surface with bumps: `n` by `2 n` quads over a sphere.
fn potato(n: usize, seed: u64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let bump = |i: usize, j: usize| 0.8 + 0.2 * ((i * 7 + j * 13 + seed as usize * 5) as f64).sin();
    let (rows, cols) = (n, 2 * n);
    let mut vertices = vec![[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    for i in 1..rows {
        let polar = std::f64::consts::PI * i as f64 / rows as f64;
        for j in 0..cols {
            let azimuth = std::f64::consts::TAU * j as f64 / cols as f64;
            let direction = [polar.sin() * azimuth.cos(), polar.sin() * azimuth.sin(), polar.cos()];
            vertices.push(direction.map(|x| x * bump(i, j)));
        }
    }
    let at = |i: usize, j: usize| (2 + (i - 1) * cols + j % cols) as u32;
    let mut faces = Vec::new();
    for j in 0..cols {
        faces.push([0, at(1, j), at(1, j + 1)]);
        faces.push([1, at(rows - 1, j + 1), at(rows - 1, j)]);
        for i in 1..rows - 1 {
            faces.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            faces.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    (vertices, faces)
}

fn mesh((vertices, faces): &(Vec<Vec3>, Vec<[u32; 3]>)) -> Mesh {
    Mesh::new(vertices, faces)
}

fn body<'a>(geometry: Geometry<'a>, pose: Pose) -> Body<'a> {
    let convex = match geometry {
        Geometry::Plane { .. } => Some(Shape::Plane),
        Geometry::Sphere { radius } => Some(Shape::Sphere { radius }),
        Geometry::Capsule { radius, half_length } => Some(Shape::Capsule { radius, half_length }),
        Geometry::Ellipsoid { radii } => Some(Shape::Ellipsoid { radii }),
        Geometry::Cylinder { radius, half_length } => Some(Shape::Cylinder { radius, half_length }),
        Geometry::Box { half } => Some(Shape::Box { half }),
        Geometry::Mesh(_) | Geometry::HField(_) => None,
    };
    Body { geometry, convex, pose }
}

const EXACT: Rules = Rules {
    signed: false,
    solid: true,
};

fn apart(a: &Body, b: &Body, algorithm: Algorithm, rules: Rules) -> Apart {
    between(a, b, algorithm, rules, f64::INFINITY, &mut None, &mut Scratch::new()).expect("not two planes")
}

/// The least distance over all pairs of triangles.
fn referee(a: &Mesh, b: &Mesh, b_in_a: &Pose) -> f64 {
    let mut least = f64::INFINITY;
    for t in a.triangles() {
        for u in b.triangles() {
            let u: Triangle = u.map(|p| b_in_a.point(p));
            if let Some(near) = triangle::nearest(t, &u, least) {
                least = near.d2;
            }
        }
    }
    least.sqrt()
}

fn poses() -> impl Strategy<Value = Pose> {
    (
        prop::array::uniform3(-2.5_f64..2.5),
        prop::array::uniform4(-1.0_f64..1.0),
    )
        .prop_map(|(p, q)| Pose::new(p, q))
}

/// A triangle from a grid of eighths: touching, parallel and flat ones are frequent.
fn rough_triangles() -> impl Strategy<Value = Triangle> {
    prop::array::uniform3(prop::array::uniform3(-4_i32..4)).prop_map(|t| t.map(|p| p.map(|x| f64::from(x) / 4.0)))
}

/// The least distance of two triangles by alternating projections of samples: slow, and from above only.
fn sampled(a: &Triangle, b: &Triangle) -> f64 {
    let n = 24;
    let points = |t: &Triangle| -> Vec<Vec3> {
        let mut all = Vec::new();
        for i in 0..=n {
            for j in 0..=n - i {
                let (u, v) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
                all.push([0, 1, 2].map(|k| t[0][k] + u * (t[1][k] - t[0][k]) + v * (t[2][k] - t[0][k])));
            }
        }
        all
    };
    let (pa, pb) = (points(a), points(b));
    pa.iter()
        .flat_map(|p| pb.iter().map(move |q| norm(sub(*p, *q))))
        .fold(f64::INFINITY, f64::min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn triangles_however_flat_are_as_near_as_their_points(a in rough_triangles(), b in rough_triangles()) {
        let near = triangle::nearest(&a, &b, f64::INFINITY).expect("no limit");
        let (found, above) = (near.d2.sqrt(), sampled(&a, &b));
        // Samples are a 24th of an edge of at most 3.5 apart.
        prop_assert!(found <= above + 1e-12 && above <= found + 0.3, "{found} {above}");
        prop_assert!((norm(sub(near.a, near.b)) - found).abs() < 1e-12);
        let corner = Face::new(&a).nearest_corner(&Face::new(&b), f64::INFINITY).expect("no limit");
        prop_assert!(corner.d2 >= near.d2 - 1e-15);
    }

    #[test]
    fn the_descent_finds_what_all_pairs_of_triangles_say(pose in poses(), seed in 0_u64..50) {
        let (a, b) = (mesh(&potato(7, seed)), mesh(&potato(9, seed + 1)));
        let expected = referee(&a, &b, &pose);
        let rules = Rules { signed: false, solid: false };
        let first = body(Geometry::Mesh(&a), Pose::IDENTITY);
        let second = body(Geometry::Mesh(&b), pose);
        let found = apart(&first, &second, Algorithm::Faces, rules);
        prop_assert!((found.distance - expected).abs() < 1e-12, "{} {expected}", found.distance);
        prop_assert!((norm(sub(found.on_a, found.on_b)) - found.distance).abs() < 1e-12);
        // A hint, good or bad, changes nothing but the time.
        let mut hint = Some(((0, seed % 50), (0, 3)));
        let hinted = between(&first, &second, Algorithm::Faces, rules, f64::INFINITY, &mut hint, &mut Scratch::new());
        prop_assert_eq!(hinted.map(|h| h.distance), Some(found.distance));
        // Corners are never nearer, balls never farther.
        prop_assert!(apart(&first, &second, Algorithm::Corners, rules).distance >= found.distance - 1e-15);
        let balls = between_balls(&first, &second).expect("bounded");
        prop_assert!(balls.distance <= found.distance + 1e-12);
    }

    #[test]
    fn primitives_are_as_far_from_a_mesh_as_from_its_triangles_one_by_one(pose in poses(), seed in 0_u64..20) {
        let surface = mesh(&potato(6, seed));
        let first = body(Geometry::Mesh(&surface), Pose::IDENTITY);
        let rules = Rules { signed: false, solid: false };
        for geometry in [
            Geometry::Sphere { radius: 0.3 },
            Geometry::Capsule { radius: 0.2, half_length: 0.4 },
            Geometry::Box { half: [0.2, 0.3, 0.4] },
            Geometry::Cylinder { radius: 0.3, half_length: 0.2 },
            Geometry::Ellipsoid { radii: [0.3, 0.2, 0.5] },
        ] {
            let second = body(geometry, pose);
            let shape = second.convex.expect("a primitive");
            let mut scratch = Scratch::new();
            let each = surface.triangles().iter().filter_map(|t| triangle_and_convex(t, &shape, &pose, f64::INFINITY, &mut scratch));
            let expected = each.map(|near| near.d2.sqrt()).fold(f64::INFINITY, f64::min);
            let found = apart(&first, &second, Algorithm::Faces, rules);
            // GJK ends within 1e-12 of a distance, closed forms sooner.
            prop_assert!((found.distance - expected).abs() < 1e-9, "{geometry:?} {} {expected}", found.distance);
            let turned = apart(&second, &first, Algorithm::Faces, rules);
            prop_assert!((turned.distance - found.distance).abs() < 1e-12);
        }
    }

    #[test]
    fn a_window_of_a_field_is_as_far_as_its_triangles(
        pose in poses(),
        (row, col, rows, cols) in (0_usize..5, 0_usize..6, 2_usize..7, 2_usize..7),
        heights in prop::collection::vec(-0.2_f32..1.0, 11 * 12),
    ) {
        let size = HeightFieldSize { radius_x: 3.0, radius_y: 2.0, elevation_z: 0.7, base_z: 0.2 };
        let field = HeightField::new(11, 12, size, heights).expect("a valid field");
        let surface = Surface::new(&field, Window { row, col, rows, cols, z_scale: 1.2 });
        let copy = triangulated(&surface);
        prop_assert!(copy.topology().closed, "slopes, walls and base close the field");
        let terrain = body(Geometry::HField(Ground::new(surface)), Pose::IDENTITY);
        let copied = body(Geometry::Mesh(&copy), Pose::IDENTITY);
        let stone = mesh(&potato(4, 3));
        let plane = Geometry::Plane { half: [0.0; 2] };
        for other in [Geometry::Mesh(&stone), Geometry::Sphere { radius: 0.2 }, Geometry::Box { half: [0.3, 0.1, 0.2] }, plane] {
            let other = body(other, pose);
            let expected = apart(&copied, &other, Algorithm::Faces, EXACT);
            let found = apart(&terrain, &other, Algorithm::Faces, EXACT);
            prop_assert!((found.distance - expected.distance).abs() < 1e-9, "{found:?} {expected:?}");
        }
    }
}

/// The closed surface of a window as a mesh: slopes, walls, and a base that is a fan about its middle over the same border.
fn triangulated(surface: &Surface) -> Mesh {
    let (last_row, last_col) = (surface.window().rows - 1, surface.window().cols - 1);
    let mut corners: Vec<Vec3> = Vec::new();
    for (row, col) in (0..last_row).flat_map(|r| (0..last_col).map(move |c| (r, c))) {
        corners.extend(surface.triangles_of_cell(row, col).as_flattened());
    }
    let south = (0..=last_col).map(|c| (0, c));
    let east = (1..=last_row).map(|r| (r, last_col));
    let north = (0..last_col).rev().map(|c| (last_row, c));
    let west = (0..last_row).rev().map(|r| (r, 0));
    let border: Vec<(usize, usize)> = south.chain(east).chain(north).chain(west).collect();
    let down = |p: Vec3| [p[0], p[1], -surface.base()];
    for pair in border.windows(2) {
        let [a, b] = [pair[0], pair[1]].map(|(row, col)| surface.node(row, col));
        let middle = [0.0, 0.0, -surface.base()];
        corners.extend([a, down(a), down(b), a, down(b), b, middle, down(b), down(a)]);
    }
    let faces: Vec<[u32; 3]> = (0..corners.len() as u32 / 3)
        .map(|k| [3 * k, 3 * k + 1, 3 * k + 2])
        .collect();
    Mesh::new(&corners, &faces)
}

#[test]
fn what_was_near_in_another_window_is_forgotten() {
    let size = HeightFieldSize {
        radius_x: 1.0,
        radius_y: 1.0,
        elevation_z: 1.0,
        base_z: 0.1,
    };
    let field = HeightField::new(20, 20, size, vec![0.0; 400]).expect("a valid field");
    let stone = mesh(&potato(3, 1));
    let above = body(Geometry::Mesh(&stone), Pose::at([0.9, 0.9, 2.0]));
    let mut hint = None;
    let mut measure = |window: Window| {
        let ground = body(
            Geometry::HField(Ground::new(Surface::new(&field, window))),
            Pose::IDENTITY,
        );
        between(
            &ground,
            &above,
            Algorithm::Faces,
            EXACT,
            f64::INFINITY,
            &mut hint,
            &mut Scratch::new(),
        )
    };
    measure(Window::whole(&field)).expect("not two planes");
    let small = Window {
        row: 3,
        col: 4,
        rows: 2,
        cols: 2,
        z_scale: 1.0,
    };
    let found = measure(small).expect("not two planes").distance;
    let ground = body(
        Geometry::HField(Ground::new(Surface::new(&field, small))),
        Pose::IDENTITY,
    );
    assert_eq!(found, apart(&ground, &above, Algorithm::Faces, EXACT).distance);
}

#[test]
fn three_thousand_convex_pairs_apart_are_never_zero_apart() {
    let kinds = [
        Geometry::Sphere { radius: 0.3 },
        Geometry::Capsule {
            radius: 0.2,
            half_length: 0.4,
        },
        Geometry::Box { half: [0.2, 0.3, 0.4] },
        Geometry::Cylinder {
            radius: 0.3,
            half_length: 0.2,
        },
        Geometry::Ellipsoid { radii: [0.3, 0.2, 0.5] },
    ];
    // Bounding balls of at most 0.54 each; centres at least 1.1 apart.
    let golden = 2.399_963_229_728_653_f64;
    for k in 0..3000 {
        let (t, z) = (golden * f64::from(k), 1.0 - 2.0 * (f64::from(k) + 0.5) / 3000.0);
        let reach = 1.1 + 0.001 * f64::from(k);
        let flat = (1.0 - z * z).sqrt();
        let position = [reach * flat * t.cos(), reach * flat * t.sin(), reach * z];
        let quaternion = [t.cos(), (2.0 * t).sin(), (0.7 * t).cos(), (0.3 * t).sin()];
        let index = k as usize;
        let a = body(
            kinds[index % 5],
            Pose::new([0.0; 3], [0.3, (1.1 * t).cos(), 0.2, (0.9 * t).sin()]),
        );
        let b = body(kinds[index / 5 % 5], Pose::new(position, quaternion));
        let found = apart(&a, &b, Algorithm::Hulls, EXACT);
        let balls = between_balls(&a, &b).expect("bounded").distance;
        assert!(
            found.distance > 0.0 && found.distance >= balls - 1e-12,
            "pair {k}: {found:?} {balls}"
        );
        assert!(
            (norm(sub(found.on_a, found.on_b)) - found.distance).abs() < 1e-10,
            "pair {k}: {found:?}"
        );
    }
}

#[test]
fn what_is_inside_a_closed_mesh_is_inside_only_when_it_is_solid() {
    let (outer, inner) = (mesh(&potato(8, 1)), mesh(&potato(5, 2)));
    let small: Vec<Vec3> = inner
        .triangles()
        .as_flattened()
        .iter()
        .map(|p| p.map(|x| 0.1 * x))
        .collect();
    let faces: Vec<[u32; 3]> = (0..small.len() as u32 / 3)
        .map(|k| [3 * k, 3 * k + 1, 3 * k + 2])
        .collect();
    let (small, open) = (Mesh::new(&small, &faces), Mesh::new(&small, &faces[1..]));
    let outer_body = body(Geometry::Mesh(&outer), Pose::IDENTITY);
    let surface = Rules {
        signed: false,
        solid: false,
    };
    for inside in [
        body(Geometry::Mesh(&small), Pose::IDENTITY),
        body(Geometry::Sphere { radius: 0.1 }, Pose::IDENTITY),
    ] {
        let solid = apart(&outer_body, &inside, Algorithm::Faces, EXACT);
        assert_eq!((solid.distance, solid.on_a), (0.0, solid.on_b));
        assert!(apart(&inside, &outer_body, Algorithm::Faces, EXACT).distance == 0.0);
        assert!(apart(&outer_body, &inside, Algorithm::Faces, surface).distance > 0.3);
        // Signed, the deepest corner counts: as far from the surface as the surface distance at least.
        let signed = Rules {
            signed: true,
            solid: true,
        };
        let depth = apart(&outer_body, &inside, Algorithm::Faces, signed).distance;
        assert!(depth < -0.4, "{depth}");
    }
    assert!(!open.topology().closed);
    // An open surface has no inside.
    let half = body(Geometry::Mesh(&open), Pose::IDENTITY);
    let speck = body(Geometry::Sphere { radius: 0.001 }, Pose::IDENTITY);
    assert!(apart(&half, &speck, Algorithm::Faces, EXACT).distance > 0.05);
}

#[test]
fn balls_about_the_same_centre_touch_there() {
    let a = body(Geometry::Sphere { radius: 0.5 }, Pose::at([1.0, 2.0, 3.0]));
    let b = body(Geometry::Sphere { radius: 0.2 }, Pose::at([1.0, 2.0, 3.0]));
    for found in [
        between_balls(&a, &b).expect("bounded"),
        apart(&a, &b, Algorithm::Hulls, EXACT),
    ] {
        assert_eq!(found.distance, 0.0);
        assert_eq!(found.on_a, found.on_b);
        assert!(norm(sub(found.on_a, [1.0, 2.0, 3.0])) <= 0.5, "a point of both");
    }
}

#[test]
fn a_plane_is_the_ground_for_everything() {
    let surface = mesh(&potato(6, 4));
    let lowest = surface
        .triangles()
        .as_flattened()
        .iter()
        .map(|p| p[2])
        .fold(f64::INFINITY, f64::min);
    let plane = body(Geometry::Plane { half: [0.0; 2] }, Pose::IDENTITY);
    let above = body(Geometry::Mesh(&surface), Pose::at([0.0, 0.0, 3.0]));
    let found = apart(&plane, &above, Algorithm::Faces, EXACT);
    assert!(
        (found.distance - (3.0 + lowest)).abs() < 1e-14 && found.on_a[2].abs() < 1e-14,
        "{found:?}"
    );
    assert_eq!(
        apart(
            &plane,
            &body(Geometry::Mesh(&surface), Pose::IDENTITY),
            Algorithm::Faces,
            EXACT
        )
        .distance,
        0.0
    );
    assert!(
        between(
            &plane,
            &plane,
            Algorithm::Hulls,
            EXACT,
            1.0,
            &mut None,
            &mut Scratch::new()
        )
        .is_none()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_processor_finds_the_same_bits(pose in poses(), seed in 0_u64..20) {
        let (a, b) = (mesh(&potato(6, seed)), mesh(&potato(7, seed + 1)));
        for compared in [Compared::Faces, Compared::Corners] {
            let here = descent::nearest_of_meshes(&a, &b, &pose, compared, None, f64::INFINITY);
            let anywhere = <f64 as descent::Kernels>::nearest_of_meshes(&a, &b, &pose, compared, None, f64::INFINITY);
            prop_assert_eq!(here, anywhere);
        }
    }
}
