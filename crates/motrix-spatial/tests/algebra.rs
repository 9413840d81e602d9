//! Laws of the algebra: two independent ways to the same number agree to rounding, on every lane type.
//!
//! The spatial operators are compared with dense 6×6 matrices built from their definitions.

#[macro_use]
mod every_type;

use motrix_spatial::algebra::*;
use motrix_spatial::{Inertia, Lanes, Pose, Quat, Real, Vec3};
use proptest::prelude::*;

type Dense<const N: usize> = [[f64; N]; N];

fn lanes<L: Lanes, const N: usize>(x: [f64; N]) -> [L; N] {
    x.map(L::c)
}

fn lane<L: Lanes, const N: usize>(x: [L; N]) -> [f64; N] {
    x.map(|x| x.lane(L::COUNT - 1).to_f64())
}

/// Equal up to `roundings` spacings of numbers at `size`, the largest number met on the way.
fn close<L: Lanes, const N: usize>(
    got: [L; N],
    want: [f64; N],
    size: f64,
    roundings: f64,
) -> Result<(), TestCaseError> {
    let got = lane(got);
    for i in 0..N {
        let error = (got[i] - want[i]).abs();
        let bound = roundings * L::Elem::EPSILON * size;
        prop_assert!(
            error <= bound,
            "on {}: {got:?}, expected {want:?} within {bound:e}",
            L::NAME
        );
    }
    Ok(())
}

fn vector() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(-2.0..2.0)
}

fn spatial_vector() -> impl Strategy<Value = [f64; 6]> {
    prop::array::uniform6(-2.0..2.0)
}

fn unit_quat() -> impl Strategy<Value = [f64; 4]> {
    prop::array::uniform4(-1.0..1.0f64).prop_filter_map("not zero", |q| {
        let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        (norm > 0.1).then(|| q.map(|x| x / norm))
    })
}

fn multiply<const N: usize>(m: &Dense<N>, v: [f64; N]) -> [f64; N] {
    m.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
}

/// The matrix of `v ×`.
fn cross_matrix(v: [f64; 3]) -> Dense<3> {
    [[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]]
}

/// Rodrigues: `1 + sin θ K + (1 − cos θ) K²` with `K` the matrix of `axis ×`.
fn rodrigues(axis: [f64; 3], angle: f64) -> Dense<3> {
    let k = cross_matrix(axis);
    let mut m = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            let kk: f64 = (0..3).map(|l| k[i][l] * k[l][j]).sum();
            m[i][j] = f64::from(i == j) + angle.sin() * k[i][j] + (1.0 - angle.cos()) * kk;
        }
    }
    m
}

/// A 6×6 matrix from its quarters.
fn blocks(a: Dense<3>, b: Dense<3>, c: Dense<3>, d: Dense<3>) -> Dense<6> {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| match (i < 3, j < 3) {
            (true, true) => a[i][j],
            (true, false) => b[i][j - 3],
            (false, true) => c[i - 3][j],
            (false, false) => d[i - 3][j - 3],
        })
    })
}

/// The rotation of a unit quaternion, by Rodrigues' formula.
fn dense_rotation(q: [f64; 4]) -> Dense<3> {
    let sin_half = (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    let axis = if sin_half > 0.0 {
        [q[1] / sin_half, q[2] / sin_half, q[3] / sin_half]
    } else {
        [1.0, 0.0, 0.0]
    };
    rodrigues(axis, 2.0 * sin_half.atan2(q[0]))
}

fn rotations_agree<L: Lanes>(a: [f64; 4], b: [f64; 4], v: [f64; 3]) -> Result<(), TestCaseError> {
    let (qa, qb, x): (Quat<L>, Quat<L>, Vec3<L>) = (lanes(a), lanes(b), lanes(v));
    let (ma, mb) = (quat_to_mat(qa), quat_to_mat(qb));
    let (dense_a, dense_b) = (dense_rotation(a), dense_rotation(b));
    let turned = multiply(&dense_a, v);

    close(rotate(qa, x), turned, 4.0, 20.0)?;
    close(mat_vec(&ma, x), turned, 4.0, 20.0)?;
    close(rotate_inverse(qa, rotate(qa, x)), v, 4.0, 40.0)?;
    close(mat_t_vec(&ma, mat_vec(&ma, x)), v, 4.0, 40.0)?;
    close(
        rotate(quat_mul(qa, qb), x),
        multiply(&dense_a, multiply(&dense_b, v)),
        4.0,
        40.0,
    )?;

    // Products of matrices, against the matrix of the product.
    let product = lane(quat_to_mat(quat_mul(qa, qb)));
    close(mat_mul(&ma, &mb), product, 1.0, 30.0)?;
    close(mat_mul_t(&ma, &mat_transpose(&mb)), product, 1.0, 30.0)?;
    close(mat_t_mul(&mat_transpose(&ma), &mb), product, 1.0, 30.0)?;
    close(mat_t_mul(&ma, &ma), lane(mat_identity::<L>()), 1.0, 30.0)
}

fn conversions_return<L: Lanes>(a: [f64; 4], b: [f64; 4], v: [f64; 3]) -> Result<(), TestCaseError> {
    let (qa, qb): (Quat<L>, Quat<L>) = (lanes(a), lanes(b));
    // A quaternion and its negative are the same rotation: compare with the one on the same side.
    let same_side = |q: [f64; 4], like: [f64; 4]| {
        let side: f64 = q.iter().zip(like).map(|(x, y)| x * y).sum();
        if side < 0.0 { q.map(|x| -x) } else { q }
    };
    let back = quat_from_mat(&quat_to_mat(qa));
    close(back, same_side(a, lane(back)), 1.0, 30.0)?;

    // b ∘ exp(a − b) = a, whichever way round. Near half a turn the vector turns by twice the error of the quaternion.
    let returned = quat_integrate(qb, quat_difference(qa, qb), L::ONE);
    close(returned, same_side(a, lane(returned)), 1.0, 60.0)?;
    let difference = norm(quat_difference(qa, qb)).lane(0).to_f64();
    prop_assert!(
        difference <= std::f64::consts::PI * (1.0 + 4.0 * L::Elem::EPSILON),
        "{difference} is the long way round"
    );

    // A rotation vector shorter than half a turn survives its quaternion.
    let small = v.map(|x| 0.8 * x);
    let (axis, angle) = normalize(lanes::<L, 3>(small));
    close(
        quat_to_rotation_vector(quat_from_axis_angle(axis, angle)),
        small,
        3.0,
        40.0,
    )
}

fn vectors_obey_their_laws<L: Lanes>(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> Result<(), TestCaseError> {
    let (x, y, z): (Vec3<L>, Vec3<L>, Vec3<L>) = (lanes(a), lanes(b), lanes(c));
    close(cross(x, y), multiply(&cross_matrix(a), b), 4.0, 4.0)?;
    close(add_cross(z, x, y), lane(add(z, cross(x, y))), 8.0, 6.0)?;
    close(
        add_scaled(x, y[0], z),
        std::array::from_fn(|i| a[i] + b[0] * c[i]),
        6.0,
        4.0,
    )?;
    close([dot(x, cross(x, y)), dot(y, cross(x, y))], [0.0; 2], 16.0, 12.0)?;
    close(
        sub(neg(x), scale(y, L::c(0.5))),
        std::array::from_fn(|i| -a[i] - 0.5 * b[i]),
        3.0,
        4.0,
    )?;
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    close(
        [norm(x), norm_squared(x), distance(x, zero3())],
        [length, length * length, length],
        12.0,
        4.0,
    )?;
    if length > 1e-3 {
        let (unit, size) = normalize(x);
        close(unit, a.map(|x| x / length), 1.0, 6.0)?;
        close([size], [length], 4.0, 4.0)?;
    }
    Ok(())
}

fn poses_form_a_group<L: Lanes>(
    a: ([f64; 3], [f64; 4]),
    b: ([f64; 3], [f64; 4]),
    p: [f64; 3],
) -> Result<(), TestCaseError> {
    let a: Pose<L> = Pose {
        pos: lanes(a.0),
        quat: lanes(a.1),
    };
    let b: Pose<L> = Pose {
        pos: lanes(b.0),
        quat: lanes(b.1),
    };
    let point = lanes::<L, 3>(p);
    close(
        pose_point(pose_mul(a, b), point),
        lane(pose_point(a, pose_point(b, point))),
        10.0,
        20.0,
    )?;
    close(pose_point(pose_inverse(a), pose_point(a, point)), p, 10.0, 20.0)?;
    close(pose_inverse_point(a, pose_point(a, point)), p, 10.0, 20.0)?;
    close(pose_point(pose_mul(a, pose_inverse(a)), point), p, 10.0, 20.0)?;
    close(pose_point(pose_identity::<L>(), point), lane(point), 2.0, 0.0)
}

fn spatial_products_are_those_of_matrices<L: Lanes>(
    v: [f64; 6],
    m: [f64; 6],
    f: [f64; 6],
) -> Result<(), TestCaseError> {
    let (velocity, motion, force) = (lanes::<L, 6>(v), lanes::<L, 6>(m), lanes::<L, 6>(f));
    let (omega, linear_part) = (cross_matrix([v[0], v[1], v[2]]), cross_matrix([v[3], v[4], v[5]]));
    let zero = [[0.0; 3]; 3];
    close(
        cross_motion(&velocity, &motion),
        multiply(&blocks(omega, zero, linear_part, omega), m),
        8.0,
        8.0,
    )?;
    close(
        cross_force(&velocity, &force),
        multiply(&blocks(omega, linear_part, zero, omega), f),
        8.0,
        8.0,
    )?;

    // Power does not change when motion and force turn together, nor with the origin.
    let (turned_motion, turned_force) = (cross_motion(&velocity, &motion), cross_force(&velocity, &force));
    close(
        [dot6(&turned_motion, &force) + dot6(&motion, &turned_force)],
        [0.0],
        50.0,
        20.0,
    )?;
    let offset = angular(&velocity);
    let power: f64 = m.iter().zip(f).map(|(x, y)| x * y).sum();
    close([dot6(&motion, &force)], [power], 24.0, 8.0)?;
    close(
        [dot6(&motion_at(&motion, offset), &force_at(&force, offset))],
        [power],
        100.0,
        20.0,
    )?;

    // Sums and multiples.
    let sum = add_scaled6(&motion, velocity[0], &force);
    close(sum, lane(add6(&motion, &scale6(&force, velocity[0]))), 6.0, 4.0)?;
    close(sub6(&add6(&motion, &force), &force), m, 4.0, 4.0)?;
    close(spatial(angular(&motion), linear(&motion)), lane(motion), 1.0, 0.0)
}

/// A rigid body: principal moments, their axes, mass, and where its centre is.
type Body = ([f64; 3], [f64; 4], f64, [f64; 3]);

fn body() -> impl Strategy<Value = Body> {
    (prop::array::uniform3(0.1..1.0), unit_quat(), 0.1..3.0f64, vector())
}

/// `[R diag(I) Rᵀ − m [d]², m [d]; −m [d], m 1]` with `[d]` the matrix of `d ×`.
fn dense_inertia((principal, q, mass, d): Body) -> Dense<6> {
    let r = dense_rotation(q);
    let k = cross_matrix(d);
    let about_origin = std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let turned: f64 = (0..3).map(|l| r[i][l] * principal[l] * r[j][l]).sum();
            let moved: f64 = (0..3).map(|l| k[i][l] * k[l][j]).sum();
            turned - mass * moved
        })
    });
    let coupling = k.map(|row| row.map(|x| mass * x));
    let masses = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { mass } else { 0.0 }));
    blocks(about_origin, coupling, coupling.map(|row| row.map(|x| -x)), masses)
}

fn inertia_of<L: Lanes>((principal, q, mass, d): Body) -> Inertia<L> {
    inertia_about(
        &inertia_along(lanes(principal), &quat_to_mat(lanes(q))),
        L::c(mass),
        lanes(d),
    )
}

fn inertia_is_that_of_the_dense_matrix<L: Lanes>(a: Body, b: Body, m: [f64; 6]) -> Result<(), TestCaseError> {
    let motion = lanes::<L, 6>(m);
    // Moments reach 1 + 3·12, the motion 2: sums of some hundred.
    let (momentum_a, momentum_b) = (multiply(&dense_inertia(a), m), multiply(&dense_inertia(b), m));
    close(inertia_mul(&inertia_of(a), &motion), momentum_a, 100.0, 10.0)?;
    // A body that keeps its velocity changes its momentum by their cross product.
    let (omega, linear_part) = (cross_matrix([m[0], m[1], m[2]]), cross_matrix([m[3], m[4], m[5]]));
    let rate = multiply(&blocks(omega, linear_part, [[0.0; 3]; 3], omega), momentum_a);
    close(gyroscopic(&inertia_of(a), &motion), rate, 400.0, 10.0)?;
    let both: Inertia<L> = add_inertia(&inertia_of(a), &inertia_of(b));
    close(
        inertia_mul(&both, &motion),
        std::array::from_fn(|i| momentum_a[i] + momentum_b[i]),
        200.0,
        10.0,
    )
}

/// A joint's motion moves the points of its axis as a hinge or a slide does.
fn joints_move_points<L: Lanes>(axis: [f64; 3], anchor: [f64; 3], p: [f64; 3]) -> Result<(), TestCaseError> {
    // The origin of the spatial vectors is zero, hence the way from the anchor to the origin is −anchor.
    let hinge = turning_about(lanes::<L, 3>(axis), lanes(anchor.map(|x| -x)));
    let at_point = linear(&motion_at(&hinge, lanes(p)));
    let arm = std::array::from_fn(|i| p[i] - anchor[i]);
    close(at_point, multiply(&cross_matrix(axis), arm), 16.0, 8.0)?;
    let along = lanes::<L, 3>(axis);
    close(
        linear(&motion_at(&sliding_along(along), lanes(p))),
        lane(along),
        2.0,
        0.0,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn quaternions_matrices_and_rodrigues_turn_alike(a in unit_quat(), b in unit_quat(), v in vector()) {
        on_every_type!(L => rotations_agree::<L>(a, b, v)?);
    }

    #[test]
    fn conversions_between_rotations_return(a in unit_quat(), b in unit_quat(), v in vector()) {
        on_every_type!(L => conversions_return::<L>(a, b, v)?);
    }

    #[test]
    fn sums_and_products_of_vectors_obey_their_laws(a in vector(), b in vector(), c in vector()) {
        on_every_type!(L => vectors_obey_their_laws::<L>(a, b, c)?);
    }

    #[test]
    fn poses_compose_and_invert(a in (vector(), unit_quat()), b in (vector(), unit_quat()), p in vector()) {
        on_every_type!(L => poses_form_a_group::<L>(a, b, p)?);
    }

    #[test]
    fn spatial_cross_products_are_those_of_matrices(
        v in spatial_vector(),
        m in spatial_vector(),
        f in spatial_vector(),
    ) {
        on_every_type!(L => spatial_products_are_those_of_matrices::<L>(v, m, f)?);
    }

    #[test]
    fn the_inertia_of_ten_numbers_is_that_of_the_dense_matrix(a in body(), b in body(), m in spatial_vector()) {
        on_every_type!(L => inertia_is_that_of_the_dense_matrix::<L>(a, b, m)?);
    }

    #[test]
    fn hinges_turn_and_slides_slide(axis in vector(), anchor in vector(), p in vector()) {
        on_every_type!(L => joints_move_points::<L>(axis, anchor, p)?);
    }

    #[test]
    fn a_normalised_quaternion_has_norm_one_however_often_it_is_normalised(q in prop::array::uniform4(-2.0..2.0f64)) {
        fn check<L: Lanes>(q: [f64; 4]) -> Result<(), TestCaseError> {
            // Half a spacing per rounding: four in the sum of squares, halved by the root; root, quotient, product.
            let bound = 2.5 * L::Elem::EPSILON;
            let mut unit = lanes::<L, 4>(q);
            for _ in 0..5 {
                unit = quat_normalize(unit);
                let norm = lane(unit).iter().map(|x| x * x).sum::<f64>().sqrt();
                prop_assert!((norm - 1.0).abs() <= bound, "on {}: norm {norm}", L::NAME);
            }
            Ok(())
        }
        on_every_type!(L => check::<L>(q)?);
    }
}

#[test]
fn constants_and_selections_are_taken_lane_by_lane() {
    fn check<L: Lanes>() -> Result<(), TestCaseError> {
        use motrix_spatial::Mask;
        let first = L::Mask::from_bits(1);
        let chosen = select3(first, splat3([L::Elem::from_f64(1.0); 3]), zero3::<L>());
        let quat = select4(first, splat4([L::Elem::from_f64(0.5); 4]), quat_identity::<L>());
        let matrix = select_mat(first, &mat_diagonal([L::c(3.0); 3]), &mat_identity::<L>());
        assert_eq!(
            [chosen[1], quat[3], matrix[4]].map(|x| x.lane(0).to_f64()),
            [1.0, 0.5, 3.0]
        );
        for k in 1..L::COUNT {
            assert_eq!(
                [chosen[1], quat[3], matrix[4]].map(|x| x.lane(k).to_f64()),
                [0.0, 0.0, 1.0],
                "{}",
                L::NAME
            );
        }
        let m = mat_from_columns(
            lanes::<L, 3>([1.0, 2.0, 3.0]),
            lanes([4.0, 5.0, 6.0]),
            lanes([7.0, 8.0, 9.0]),
        );
        assert_eq!(
            (lane(mat_row(&m, 1)), lane(mat_column(&m, 1))),
            ([2.0, 5.0, 8.0], [4.0, 5.0, 6.0])
        );
        assert_eq!(lane(zero6::<L>()), [0.0; 6]);
        Ok(())
    }
    fn all() -> Result<(), TestCaseError> {
        on_every_type!(L => check::<L>()?);
        Ok(())
    }
    all().unwrap();
}
