//! Round cores against hulls, held against GJK and an expanding polytope that goes on for long.

use super::*;
use crate::depth::WayOut;
use crate::gjk::{self, Outcome};
use crate::polytope::Polytope;
use crate::shape::{Placed, Pose, Shape};
use crate::simplex::Simplex;

/// How closely the general algorithm resolves a curved surface here, metres.
const TOLERANCE: f64 = 1e-8;

/// A wedge, a roof over a square, stretched along its axes.
fn wedge(stretch: Vec3) -> Hull {
    let vertices = [
        [-1.0, -1.0, -1.0],
        [1.0, -1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [1.0, 1.0, -1.0],
        [-1.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
    ];
    let triangles = [
        [0, 2, 1],
        [1, 2, 3],
        [0, 1, 5],
        [0, 5, 4],
        [2, 4, 5],
        [2, 5, 3],
        [0, 4, 2],
        [1, 3, 5],
    ];
    let vertices = vertices.map(|v: Vec3| [0, 1, 2].map(|k| 0.12 * stretch[k] * v[k]));
    Hull::from_triangles(&vertices, &triangles).expect("the wedge is closed")
}

/// The wedge as it is, a plate, a blade, and a flat square, which has no facets.
fn hulls() -> [Hull; 4] {
    let square = [[-0.1, -0.1, 0.0], [0.1, -0.1, 0.0], [0.1, 0.1, 0.0], [-0.1, 0.1, 0.0]];
    [
        wedge([1.0, 1.0, 1.0]),
        wedge([1.0, 1.0, 0.15]),
        wedge([0.1, 1.0, 1.0]),
        Hull::from_points(&square).expect("four points"),
    ]
}

/// Numbers in [−1, 1) from a linear congruential generator (Knuth's MMIX).
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A round shape and a hull near it.
fn somewhere<'h>(shape: Shape<'h>, hull: &'h Hull, random: &mut impl FnMut() -> f64) -> Pair<'h> {
    let turn = [0; 4].map(|_| random());
    let place = [0; 3].map(|_| 0.3 * random());
    let a = Placed {
        shape,
        pose: Pose::IDENTITY,
    };
    let b = Placed {
        shape: Shape::Hull(hull),
        pose: Pose::new(place, turn),
    };
    Pair::new(&a, &b).expect("both are bounded")
}

/// The signed distance by GJK and an expanding polytope.
fn general(pair: &Pair, limit: f64) -> Option<f64> {
    let mut simplex = Simplex::default();
    let distance = match gjk::nearest(pair, limit, TOLERANCE, 500, &mut simplex) {
        Outcome::Apart { .. } => return None,
        Outcome::Separated { x } => norm(x),
        Outcome::Overlapping => match WayOut::start(pair, &simplex, 500, &mut Polytope::default()) {
            Ok(mut way_out) => way_out.to(TOLERANCE, 0.0).distance,
            Err(flat) => flat.distance,
        },
    };
    (distance <= limit).then_some(distance)
}

/// Holds a claim to the distance by the general algorithm, and its points to the shapes: as far apart along the normal as is said.
fn assert_is(ours: &Touch, theirs: f64, pair: &Pair, pose: usize) {
    let distance = ours.distance;
    assert!((distance - theirs).abs() < 1e-6, "pose {pose}: {distance} and {theirs}");
    let w = pair.support(ours.normal, &crate::minkowski::Vertex::ZERO);
    assert!((dot(w.p, ours.normal) + distance).abs() < 1e-9, "pose {pose}");
}

#[test]
fn what_is_claimed_of_a_round_core_and_a_hull_is_what_the_general_algorithm_finds() {
    let hulls = hulls();
    let mut random = random(11);
    let (mut claimed, mut certain) = ([0; 2], [0; 2]);
    for k in 0..4000 {
        let sizes: Vec3 = [0; 3].map(|_| 0.12 + 0.08 * random());
        let shape = if k % 2 == 0 {
            Shape::Ellipsoid { radii: sizes }
        } else {
            Shape::Cylinder {
                radius: sizes[0],
                half_length: sizes[1],
            }
        };
        let pair = somewhere(shape, &hulls[k / 2 % 4], &mut random);
        let limit = 0.05;
        let Some(theirs) = general(&pair, limit) else {
            continue;
        };
        claimed[k % 2] += 1;
        let Some(ours) = nearest(&pair, limit) else {
            continue;
        };
        certain[k % 2] += 1;
        let ours = ours.expect("no farther apart than the limit");
        assert_is(&ours, theirs, &pair, k);
    }
    assert!(claimed[0] > 500 && claimed[1] > 500, "many poses touch: {claimed:?}");
    assert!(
        2 * certain[0] > claimed[0] && 3 * certain[1] > claimed[1],
        "most are certain: {certain:?} of {claimed:?}"
    );
}

#[test]
fn what_is_certain_from_nearby_is_the_shortest_way_out() {
    let hulls = hulls();
    let mut random = random(12);
    let (mut overlapping, mut certain) = (0, 0);
    for k in 0..20_000 {
        let shape = Shape::Cylinder {
            radius: 0.12 + 0.1 * random(),
            half_length: 0.12 + 0.1 * random(),
        };
        let pair = somewhere(shape, &hulls[k % 4], &mut random);
        let (mut simplex, mut polytope) = (Simplex::default(), Polytope::default());
        let Outcome::Overlapping = gjk::overlap(&pair, 500, &mut simplex) else {
            continue;
        };
        let Ok(mut way_out) = WayOut::start(&pair, &simplex, 500, &mut polytope) else {
            continue;
        };
        // From farther away than it is asked for, so that some searches end in other ways out, which may not pass.
        let rough = way_out.to(TOLERANCE, [0.01, 0.1, 1.0][k / 4 % 3]);
        let ours = settled(&pair, &rough);
        let theirs = way_out.to(TOLERANCE, 0.0).distance;
        overlapping += 1;
        let Some(ours) = ours else {
            continue;
        };
        certain += 1;
        assert_is(&ours, theirs, &pair, k);
    }
    assert!(overlapping > 5000, "many poses overlap: {overlapping}");
    // Few of them are shallow.
    assert!(
        3 * certain > overlapping,
        "many are certain: {certain} of {overlapping}"
    );
}
