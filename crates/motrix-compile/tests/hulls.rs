//! Convex hulls: closed, convex, around every point, and with no vertex too many.
//!
//! Points on a small integer grid are the hard case: most of them share planes and lines with others, and exact integer
//! arithmetic can judge the result.

use std::collections::HashMap;

use motrix_compile::assets::mesh::{HullTriangles, convex_hull};
use proptest::prelude::*;

type Grid = [i64; 3];

fn hull_of(points: &[Grid]) -> Result<HullTriangles, String> {
    let points: Vec<[f32; 3]> = points.iter().map(|point| point.map(|x| x as f32)).collect();
    convex_hull(&points, None).map_err(|error| error.to_string())
}

/// Six times the volume of the tetrahedron a, b, c, d.
fn volume6([a, b, c, d]: [&Grid; 4]) -> i64 {
    let [u, v, w] = [b, c, d].map(|p| [p[0] - a[0], p[1] - a[1], p[2] - a[2]]);
    (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] + (u[0] * v[1] - u[1] * v[0]) * w[2]
}

/// A closed convex surface around all points, without flat or needless parts.
fn check(points: &[Grid], hull: &HullTriangles) {
    let mut edges = HashMap::new();
    for face in &hull.faces {
        for (from, to) in [(0, 1), (1, 2), (2, 0)] {
            assert!(
                edges.insert((face[from], face[to]), ()).is_none(),
                "an edge is used twice in one direction"
            );
        }
        let [a, b, c] = face.map(|corner| &points[corner as usize]);
        assert!(
            points.iter().all(|p| volume6([a, b, c, p]) <= 0),
            "a point lies outside of face {face:?}"
        );
        assert!(
            points.iter().any(|p| volume6([a, b, c, p]) < 0),
            "face {face:?} has no area"
        );
    }
    assert!(
        edges.keys().all(|&(from, to)| edges.contains_key(&(to, from))),
        "the surface is open"
    );
    assert_eq!(hull.faces.len(), 2 * hull.vertices.len() - 4, "Euler's formula");
    let mut corners: Vec<u32> = hull.faces.iter().flatten().copied().collect();
    corners.sort_unstable();
    corners.dedup();
    assert_eq!(corners, hull.vertices);
}

/// Whether the point is a corner of the convex hull: some plane touches the hull there only.
fn is_extreme(points: &[Grid], index: usize) -> bool {
    let others: Vec<Grid> = points.iter().filter(|&p| p != &points[index]).copied().collect();
    match hull_of(&others) {
        Err(_) => true,
        Ok(hull) => hull.faces.iter().any(|face| {
            let [a, b, c] = face.map(|corner| &others[corner as usize]);
            volume6([a, b, c, &points[index]]) > 0
        }),
    }
}

#[test]
fn a_cube_full_of_points_has_eight_corners() {
    let points: Vec<Grid> = (0..216).map(|k| [k % 6, k / 6 % 6, k / 36]).collect();
    let hull = hull_of(&points).unwrap();
    check(&points, &hull);
    assert_eq!(hull.vertices.len(), 8);
}

#[test]
fn repeated_points_change_nothing() {
    let once: Vec<Grid> = (0..27).map(|k| [k % 3, k / 3 % 3, k / 9]).collect();
    let twice: Vec<Grid> = once.iter().chain(&once).copied().collect();
    assert_eq!(
        hull_of(&twice).unwrap().vertices.len(),
        hull_of(&once).unwrap().vertices.len()
    );
}

#[test]
fn points_that_span_no_volume_are_refused() {
    assert!(hull_of(&[[1, 2, 3]; 10]).unwrap_err().contains("one place"));
    assert!(
        hull_of(&[[0, 0, 0], [1, 2, 3], [2, 4, 6], [-3, -6, -9]])
            .unwrap_err()
            .contains("one line")
    );
    let plane: Vec<Grid> = (0..25).map(|k| [k % 5, k / 5, k % 5 + 2 * (k / 5)]).collect();
    assert!(hull_of(&plane).unwrap_err().contains("one plane"));
    assert!(hull_of(&[]).is_err());
    assert!(convex_hull(&[[f32::NAN; 3]; 8], None).is_err());
    assert!(convex_hull(&[[f32::INFINITY, 0.0, 0.0]; 8], None).is_err());
}

#[test]
fn a_limited_hull_keeps_the_points_furthest_out() {
    let ball: Vec<[f32; 3]> = (0..1000)
        .map(|k| {
            // Golden spiral: even cover of the sphere.
            let z = 1.0 - (2 * k + 1) as f64 / 1000.0;
            let (radius, angle) = ((1.0 - z * z).sqrt(), 2.399963229728653 * k as f64);
            [radius * angle.cos(), radius * angle.sin(), z].map(|x| x as f32)
        })
        .collect();
    assert_eq!(convex_hull(&ball, None).unwrap().vertices.len(), 1000);
    for limit in [4, 10, 100] {
        assert_eq!(convex_hull(&ball, Some(limit)).unwrap().vertices.len(), limit);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn hulls_of_grid_points_are_closed_and_convex(points in prop::collection::vec(prop::array::uniform3(0i64..5), 4..60)) {
        if let Ok(hull) = hull_of(&points) {
            check(&points, &hull);
            for index in 0..points.len() {
                let found = hull.vertices.iter().any(|&corner| points[corner as usize] == points[index]);
                prop_assert_eq!(found, is_extreme(&points, index), "{:?} in {:?}", points[index], points);
            }
        }
    }

    #[test]
    fn hulls_of_needles_and_slivers_do_not_panic(
        points in prop::collection::vec(prop::array::uniform3(prop_oneof![
            -1f32..1.0, Just(0.0), Just(-0.0), Just(f32::MAX), Just(f32::MIN_POSITIVE), Just(1e-45), Just(1.0 + f32::EPSILON), any::<f32>(),
        ]), 0..30),
        limit in prop::option::of(0usize..20),
    ) {
        if let Ok(hull) = convex_hull(&points, limit) {
            prop_assert_eq!(hull.faces.len(), 2 * hull.vertices.len() - 4);
        }
    }
}
