//! Quaternions, poses and changes of origin give the numbers of MuJoCo 4.0.0, printed by its Python package for the
//! same input.

#[macro_use]
mod every_type;

use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mat3, Pose, Quat, Real, Vec3};

const QA: [f64; 4] = [
    0.7921180343813394,
    -0.19802950859533486,
    0.49507377148833714,
    0.2970442628930023,
];
const QB: [f64; 4] = [
    -0.10540925533894599,
    0.7378647873726218,
    0.21081851067789198,
    -0.6324555320336759,
];
const V: [f64; 3] = [0.3, -1.2, 2.5];

fn lanes<L: Lanes, const N: usize>(x: [f64; N]) -> [L; N] {
    x.map(L::c)
}

/// Numbers of size one to three after some ten roundings: within twenty spacings of numbers at 1.
fn assert_close<L: Lanes, const N: usize>(what: &str, got: [L; N], want: [f64; N]) {
    for i in 0..N {
        let error = (got[i].lane(L::COUNT - 1).to_f64() - want[i]).abs();
        assert!(
            error <= 20.0 * L::Elem::EPSILON,
            "{what} on {}: {got:?}, expected {want:?}",
            L::NAME
        );
    }
}

#[test]
fn products_and_rotations_are_those_of_mujoco() {
    fn check<L: Lanes>() {
        let (a, b, v): (Quat<L>, Quat<L>, Vec3<L>) = (lanes(QA), lanes(QB), lanes(V));
        let product = [
            0.1461190012532015,
            0.22961557339788807,
            0.20874143036171647,
            -0.9393364366277243,
        ];
        assert_close("mju_mulQuat", quat_mul(a, b), product);
        let by_axis = [
            -0.08911327886790077,
            1.8317729545068473,
            -0.3663545909013695,
            2.0694083648212493,
        ];
        assert_close("mju_mulQuatAxis", quat_mul_vec(a, v), by_axis);
        assert_close(
            "mju_rotVecQuat",
            rotate(a, v),
            [2.5666666666666664, 0.7078431372549019, 0.831372549019608],
        );
        let turn = quat_from_axis_angle(lanes::<L, 3>([0.6, 0.0, -0.8]), L::c(2.3));
        assert_close(
            "mju_axisAngle2Quat",
            turn,
            [0.4084874408841574, 0.5476583641563125, 0.0, -0.7302111522084168],
        );
        let matrix = [
            [0.3333333333333333, -0.6666666666666666, 0.6666666666666666],
            [0.27450980392156865, 0.7450980392156863, 0.607843137254902],
            [-0.9019607843137255, -0.019607843137254888, 0.4313725490196078],
        ];
        for i in 0..3 {
            assert_close("mju_quat2Mat", mat_row(&quat_to_mat(a), i), matrix[i]);
        }
    }
    on_every_type!(L => check::<L>());
}

#[test]
fn differences_and_steps_of_orientation_are_those_of_mujoco() {
    fn check<L: Lanes>() {
        let (a, b): (Quat<L>, Quat<L>) = (lanes(QA), lanes(QB));
        let difference = [2.477282155478348, 0.33030428739711315, -0.16515214369855657];
        assert_close("mju_subQuat", quat_difference(a, b), difference);
        assert_close("mju_subQuat reversed", quat_difference(b, a), difference.map(|x| -x));
        // −q is the same orientation as q; the vector takes the shorter way round.
        let shorter = [-0.42600967835668735, 1.0650241958917184, 0.639014517535031];
        assert_close("mju_quat2Vel", quat_to_rotation_vector(a.map(|x| -x)), shorter);
        // The orientation need not be normalised before.
        let stepped = quat_integrate(a.map(|x| x * L::c(1.5)), lanes(V), L::c(0.4));
        let want = [
            0.6551153389965821,
            0.17963951527366262,
            0.35048812253926265,
            0.6447570186686916,
        ];
        assert_close("mju_quatIntegrate", stepped, want);
    }
    on_every_type!(L => check::<L>());
}

#[test]
fn a_matrix_that_is_not_quite_a_rotation_gives_the_quaternion_of_mujoco() {
    // One matrix for each component that can be the largest.
    #[rustfmt::skip]
    const CASES: [([f64; 9], [f64; 4]); 4] = [
        (
            [
                0.7273157894736842, -0.5283157894736842, 0.4426052631578947,
                0.6125263157894737, 0.7884736842105263, -0.06315789473684214,
                -0.31278947368421056, 0.3167894736842105, 0.892736842105263,
            ],
            [0.9230945568868628, 0.10289706318776849, 0.20457543972883324, 0.3089620088181285],
        ),
        (
            [
                0.7273157894736842, -0.4441052631578947, 0.5268157894736841,
                -0.31378947368421056, -0.895736842105263, -0.3157894736842105,
                0.6135263157894737, 0.06415789473684214, -0.7914736842105263,
            ],
            [0.1027330083169732, 0.9232451374943832, -0.2049252416905962, 0.3083342186867571],
        ),
        (
            [
                -0.893736842105263, 0.4401052631578947, 0.06365789473684214,
                0.31778947368421057, 0.7253157894736842, -0.6105263157894737,
                -0.3127894736842105, -0.5253157894736842, -0.7914736842105263,
            ],
            [0.10193652222444406, 0.20522697239175036, 0.9235213757628766, -0.30756967299905313],
        ),
        (
            [
                -0.893736842105263, 0.3137894736842105, 0.31628947368421056,
                -0.06115789473684213, -0.7904736842105263, 0.6105263157894737,
                0.4451052631578947, 0.5273157894736842, 0.7243157894736842,
            ],
            [-0.10154858943862972, 0.20621177275602706, 0.3081666135701482, 0.9231456694588067],
        ),
    ];
    fn check<L: Lanes>() {
        for (matrix, want) in CASES {
            let m: Mat3<L> = lanes(matrix);
            assert_close("mju_mat2Quat", quat_from_mat(&m), want);
        }
        // Each lane takes its own branch.
        let mixed: Mat3<L> = std::array::from_fn(|i| L::from_lanes(|k| L::Elem::from_f64(CASES[k % 4].0[i])));
        let q = quat_from_mat(&mixed);
        for k in 0..L::COUNT {
            let alone: Mat3<L> = lanes(CASES[k % 4].0);
            assert_eq!(
                q.map(|x| x.lane(k)),
                quat_from_mat(&alone).map(|x| x.lane(k)),
                "{} lane {k}",
                L::NAME
            );
        }
    }
    on_every_type!(L => check::<L>());
}

#[test]
fn poses_and_changes_of_origin_are_those_of_mujoco() {
    fn check<L: Lanes>() {
        let a: Pose<L> = Pose {
            pos: lanes(V),
            quat: lanes(QA),
        };
        let b: Pose<L> = Pose {
            pos: lanes([1.0, 2.0, -3.0]),
            quat: lanes(QB),
        };
        let product = pose_mul(a, b);
        assert_close(
            "mju_mulPose",
            product.pos,
            [-2.7, -1.258823529411765, 0.2647058823529411],
        );
        let quat = [
            0.1461190012532015,
            0.22961557339788807,
            0.20874143036171647,
            -0.9393364366277243,
        ];
        assert_close("mju_mulPose", product.quat, quat);
        let inverse = pose_inverse(a);
        assert_close(
            "mju_negPose",
            inverse.pos,
            [2.484313725490196, 1.1431372549019607, -0.5490196078431375],
        );
        assert_close("mju_negPose", inverse.quat, [QA[0], -QA[1], -QA[2], -QA[3]]);

        let vector = lanes::<L, 6>([0.1, -0.2, 0.3, 1.0, 2.0, -1.5]);
        assert_close(
            "mju_transformSpatial",
            motion_at(&vector, lanes(V)),
            [0.1, -0.2, 0.3, 0.86, 1.84, -1.56],
        );
        assert_close(
            "mju_transformSpatial",
            force_at(&vector, lanes(V)),
            [3.3, -3.15, -1.5, 1.0, 2.0, -1.5],
        );
    }
    on_every_type!(L => check::<L>());
}

#[test]
fn vectors_too_short_to_have_a_direction_get_the_one_of_mujoco() {
    fn check<L: Lanes>() {
        let tiny = 1e-16;
        let (unit, length) = normalize(lanes::<L, 3>([0.0, tiny, 0.0]));
        assert_close("mju_normalize3", unit, [1.0, 0.0, 0.0]);
        assert_eq!(length.lane(0), L::Elem::from_f64(tiny));
        assert_close("mju_normalize3", normalize(zero3::<L>()).0, [1.0, 0.0, 0.0]);
        assert_close("mju_normalize4", quat_normalize([L::ZERO; 4]), [1.0, 0.0, 0.0, 0.0]);
        // No rotation has the angle zero about any axis; no angular velocity leaves the orientation alone.
        assert_close("mju_quat2Vel", quat_to_rotation_vector(quat_identity::<L>()), [0.0; 3]);
        assert_close(
            "mju_quatIntegrate",
            quat_integrate(lanes::<L, 4>(QA), zero3(), L::c(0.1)),
            QA,
        );
    }
    on_every_type!(L => check::<L>());
}
