//! Tests of hulls.

use super::*;
use crate::contact::Settings;
use crate::separation::{Scratch, distance};
use crate::shape::{Placed, Pose, Shape};
use crate::vector::{add_scaled, perpendicular, scale, unit};
use proptest::prelude::*;

/// A cube of half size 1: eight vertices, twelve triangles.
fn cube() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corner = |i: u32| [0, 1, 2].map(|k| if i >> k & 1 == 1 { 1.0 } else { -1.0 });
    let faces: [[u32; 4]; 6] = [
        [1, 3, 7, 5],
        [0, 4, 6, 2],
        [2, 6, 7, 3],
        [0, 1, 5, 4],
        [4, 5, 7, 6],
        [0, 2, 3, 1],
    ];
    let triangles = faces
        .iter()
        .flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]])
        .collect();
    ((0..8).map(corner).collect(), triangles)
}

/// An octahedron whose faces are divided `levels` times and blown up to the unit sphere.
fn ball(levels: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut vertices: Vec<Vec3> = vec![
        [1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
    ];
    let mut triangles: Vec<[u32; 3]> = vec![
        [0, 2, 4],
        [2, 1, 4],
        [1, 3, 4],
        [3, 0, 4],
        [2, 0, 5],
        [1, 2, 5],
        [3, 1, 5],
        [0, 3, 5],
    ];
    for _ in 0..levels {
        let mut midpoints = std::collections::BTreeMap::new();
        let mut middle = |a: u32, b: u32| {
            *midpoints.entry((a.min(b), a.max(b))).or_insert_with(|| {
                let sum = add_scaled(vertices[a as usize], vertices[b as usize], 1.0);
                vertices.push(scale(sum, 1.0 / norm(sum)));
                vertices.len() as u32 - 1
            })
        };
        let divided = |t: &[u32; 3]| {
            let [a, b, c] = *t;
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
        };
        triangles = triangles.iter().flat_map(divided).collect();
    }
    (vertices, triangles)
}

#[test]
fn the_triangles_of_a_cube_merge_into_six_squares() {
    let (vertices, triangles) = cube();
    let hull = Hull::from_triangles(&vertices, &triangles).unwrap();
    assert_eq!(hull.facet_count(), 6);
    for f in 0..6 {
        let polygon = hull.facet_loop(f);
        assert_eq!(polygon.len(), 4);
        let n = hull.facet_normal(f);
        assert!(
            polygon
                .iter()
                .all(|&v| (dot(vertices[v as usize], n) - 1.0).abs() < 1e-15)
        );
        let at = |k: usize| vertices[polygon[k] as usize];
        let turn = cross(sub(at(1), at(0)), sub(at(2), at(1)));
        assert!(dot(turn, n) > 0.0, "loops run counter-clockwise seen from outside");
    }
    assert!((0..8).all(|v| hull.facets_of(v).len() == 3));
}

#[test]
fn facets_given_by_number_are_kept_and_separate_parts_stay_separate() {
    let (vertices, triangles) = cube();
    // The two triangles of the first face get the number of the opposite face: two polygons, since they do not touch.
    let numbers: Vec<u32> = (0..12).map(|t| if t < 2 { 1 } else { t / 2 }).collect();
    let hull = Hull::from_facets(&vertices, &triangles, &numbers).unwrap();
    assert_eq!(hull.facet_count(), 6);
    assert!((0..6).all(|f| hull.facet_loop(f).len() == 4));
    assert_eq!(
        Hull::from_facets(&vertices, &triangles, &[0]).unwrap_err(),
        HullError::FacetCount
    );
}

#[test]
fn a_round_body_keeps_its_triangles_apart() {
    let (vertices, triangles) = ball(2);
    let hull = Hull::from_triangles(&vertices, &triangles).unwrap();
    assert_eq!(hull.facet_count(), triangles.len());
}

#[test]
fn surfaces_that_bound_no_hull_are_refused_with_the_reason() {
    let (mut vertices, mut triangles) = cube();
    assert_eq!(Hull::from_triangles(&[], &[]).unwrap_err(), HullError::Empty);
    let missing = Hull::from_triangles(&vertices, &triangles[1..]).unwrap_err();
    assert!(matches!(missing, HullError::NotClosed { .. }));
    let inverted: Vec<_> = triangles.iter().map(|t| [t[0], t[2], t[1]]).collect();
    assert_eq!(
        Hull::from_triangles(&vertices, &inverted).unwrap_err(),
        HullError::Inverted
    );
    triangles[3][1] = 99;
    assert_eq!(
        Hull::from_triangles(&vertices, &triangles).unwrap_err(),
        HullError::BadTriangle { triangle: 3 }
    );
    vertices[5][2] = f64::NAN;
    assert_eq!(
        Hull::from_triangles(&vertices, &triangles).unwrap_err(),
        HullError::NotFinite { vertex: 5 }
    );
}

#[test]
fn a_vertex_inside_the_hull_is_dropped() {
    let (mut vertices, triangles) = cube();
    vertices.insert(0, [0.1, 0.2, 0.3]);
    let shifted: Vec<_> = triangles.iter().map(|t| t.map(|i| i + 1)).collect();
    let hull = Hull::from_triangles(&vertices, &shifted).unwrap();
    assert_eq!(hull.vertices().len(), 8);
}

#[test]
fn a_flat_plate_given_as_two_sides_is_a_hull_with_two_facets() {
    let vertices = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let triangles = [[0, 1, 2], [0, 2, 3], [3, 1, 0], [3, 2, 1]];
    let hull = Hull::from_triangles(&vertices, &triangles).unwrap();
    assert_eq!(hull.facet_count(), 2);
}

#[test]
fn points_without_volume_have_support_points() {
    for points in [
        &[[1.0, 2.0, 3.0]][..],
        &[[0.0; 3], [1.0, 0.0, 0.0]],
        &[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    ] {
        let hull = Hull::from_points(points).unwrap();
        assert_eq!(hull.support([1.0, 0.1, 0.0], 0) as usize, points.len().min(2) - 1);
        assert_eq!(hull.facet_count(), 0);
    }
    assert_eq!(Hull::from_points(&[]).unwrap_err(), HullError::Empty);
}

#[test]
fn equal_support_points_give_the_lowest_index() {
    let (vertices, triangles) = cube();
    let hull = Hull::from_triangles(&vertices, &triangles).unwrap();
    assert_eq!(hull.support([0.0, 0.0, 1.0], 7), 4);
    assert_eq!(hull.support([0.0, 0.0, 0.0], 7), 0);
}

proptest! {
    #[test]
    fn climbing_reaches_the_farthest_vertex_from_any_start(
        d in prop::array::uniform3(-1.0..1.0f64),
        near in 0u32..1026,
        stretch in prop::array::uniform3(0.05..2.0f64),
    ) {
        let (vertices, triangles) = ball(4);
        let stretched: Vec<_> = vertices.iter().map(|v| [v[0] * stretch[0], v[1] * stretch[1], v[2] * stretch[2]]).collect();
        let hull = Hull::from_triangles(&stretched, &triangles).unwrap();
        let found = hull.vertices()[hull.support(d, near) as usize];
        let best = stretched.iter().map(|&v| dot(v, d)).fold(f64::NEG_INFINITY, f64::max);
        // Rounding of the products is the only way to miss the farthest vertex.
        prop_assert!(best - dot(found, d) <= 1e-14, "{} short of {}", best - dot(found, d), best);
    }
}

/// What the general algorithm says of a segment and a hull: the signed distance, the point on the segment, the direction.
fn searched(hull: &Hull, start: Vec3, way: Vec3) -> (f64, Vec3, Vec3) {
    let z = unit(way).expect("it has a length");
    let x = perpendicular(z);
    let y = cross(z, x);
    let segment = Placed {
        shape: Shape::Capsule {
            radius: 0.0,
            half_length: 0.5 * norm(way),
        },
        pose: Pose {
            position: add_scaled(start, way, 0.5),
            rotation: [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]],
        },
    };
    let hull = Placed {
        shape: Shape::Hull(hull),
        pose: Pose::IDENTITY,
    };
    let found = distance(
        &segment,
        &hull,
        f64::INFINITY,
        &Settings::default(),
        &mut Scratch::new(),
    );
    let found = found.expect("both are bounded");
    (found.distance, found.on_a, found.normal)
}

#[test]
fn a_segment_leaves_a_hull_where_the_general_algorithm_says() {
    let (vertices, triangles) = ball(2);
    let hull = Hull::from_triangles(&vertices, &triangles).expect("a closed surface");
    let mut state = 3u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let mut kinds = [0; 3];
    for k in 0..4000 {
        let start: Vec3 = [0; 3].map(|_| 1.5 * random());
        let way = sub([0; 3].map(|_| 1.5 * random()), start);
        let (apart, on_segment, towards) = searched(&hull, start, way);
        let Some(exit) = hull.exit(start, way) else {
            assert!(apart > -1e-9, "segment {k} goes in by {apart}");
            kinds[0] += 1;
            continue;
        };
        kinds[if exit.at > 0.0 && exit.at < 1.0 { 2 } else { 1 }] += 1;
        // Both are exact but for rounding of coordinates of about a metre.
        assert!((exit.depth + apart).abs() < 1e-12, "segment {k}: {exit:?} and {apart}");
        let turned = norm(sub(exit.normal, scale(towards, -1.0)));
        assert!(turned < 1e-9, "segment {k}: the normals are {turned} apart");
        let moved = norm(sub(add_scaled(start, way, exit.at), on_segment));
        assert!(moved < 1e-9, "segment {k}: the points are {moved} apart");
    }
    assert!(
        kinds.iter().all(|&count| count > 200),
        "outside, ends, insides: {kinds:?}"
    );
}

#[test]
fn a_segment_along_the_side_it_would_leave_through_is_left_to_others() {
    let (vertices, triangles) = ball(2);
    let hull = Hull::from_triangles(&vertices, &triangles).expect("a closed surface");
    let [a, b, c] = hull.triangles()[20].map(|v| hull.vertices()[v as usize]);
    let inside = scale(add_scaled(add_scaled(a, b, 1.0), c, 1.0), 0.99 / 3.0);
    let way = scale(sub(b, a), 0.05);
    assert_eq!(hull.exit(inside, way), None);
    assert!(hull.exit(inside, scale(inside, -0.05)).is_some());
}
