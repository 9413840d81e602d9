//! Principal moments and axes of an inertia, by Jacobi rotations kept as a quaternion.
//!
//! Method: Golub and Van Loan, "Matrix Computations", section 8.5 (classical Jacobi: rotate the largest off-diagonal element
//! away). The rotations are accumulated in a unit quaternion, so the axes stay right-handed and orthonormal.
//!
//! A symmetric body has no unique axes, and noise must not choose them: elements below the noise of the input count as
//! zero, and moments equal up to noise keep their order. The thresholds are those of MuJoCo 4.0, so that the same axes
//! are found and poses relative to them agree.

use std::f64::consts::FRAC_1_SQRT_2;

use crate::space::{self, Mat3, Quat, Vec3};

/// What counts as zero, as fractions of the largest element.
#[derive(Clone, Copy, Debug)]
pub struct Noise {
    /// Of an off-diagonal element.
    element: f64,
    /// Of the difference of two moments.
    difference: f64,
}

impl Noise {
    /// An inertia the author wrote down, or the sum of several.
    pub const GIVEN: Self = Self {
        element: 4e-15,
        difference: 1e-12,
    };
    /// An inertia computed from vertices in single precision.
    pub const OF_VERTICES: Self = Self {
        element: 1e-7,
        difference: 1e-7,
    };
}

/// Far more than the handful of rotations a 3x3 matrix takes.
const MAX_ROTATIONS: usize = 500;

/// Moments in descending order, and the orientation of their axes: its x axis belongs to the first moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrincipalAxes {
    /// Largest first.
    pub moments: Vec3,
    /// Of the principal frame in the frame of the inertia, `[w, x, y, z]`.
    pub orientation: Quat,
}

/// Diagonalises a symmetric matrix (row-major).
pub fn principal_axes(inertia: &Mat3, noise: Noise) -> PrincipalAxes {
    let scale = inertia
        .iter()
        .fold(0.0f64, |largest, element| largest.max(element.abs()));
    let mut orientation = [1.0, 0.0, 0.0, 0.0];
    let mut moments = [0.0; 3];
    for _ in 0..MAX_ROTATIONS {
        let axes = space::matrix(&orientation);
        let d = space::product(&space::product(&space::transpose(&axes), inertia), &axes);
        moments = [d[0], d[4], d[8]];
        match largest_rotation(&d, noise.element * scale) {
            Some(rotation) => orientation = space::normalized(&space::compose(&orientation, &rotation)),
            None => break,
        }
    }
    sort_descending(&mut moments, &mut orientation, noise.difference * scale);
    PrincipalAxes { moments, orientation }
}

/// The rotation that makes the largest off-diagonal element of `d` vanish, unless all are negligible already.
fn largest_rotation(d: &Mat3, negligible: f64) -> Option<Quat> {
    let [xy, xz, yz] = [d[1].abs(), d[2].abs(), d[5].abs()];
    let (row, column, axis) = if xy > xz && xy > yz {
        (0, 1, 2)
    } else if xz > yz {
        (0, 2, 1)
    } else {
        (1, 2, 0)
    };
    let element = d[3 * row + column];
    // Elements that are not numbers end the iteration too.
    if element.is_nan() || element.abs() <= negligible {
        return None;
    }
    let tau = (d[4 * column] - d[4 * row]) / (2.0 * element);
    let root = (1.0 + tau * tau).sqrt();
    let tangent = if tau >= 0.0 {
        1.0 / (tau + root)
    } else {
        -1.0 / (-tau + root)
    };
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    // Half of the angle, without the cancellation of 1 - cosine.
    let half_cosine = (0.5 * (1.0 + cosine)).sqrt();
    let half_sine = 0.5 * tangent * cosine / half_cosine;
    // About y the plane is (z, x) rather than (x, z), so the angle changes sign.
    let mut rotation = [half_cosine, 0.0, 0.0, 0.0];
    rotation[axis + 1] = if axis == 1 { half_sine } else { -half_sine };
    Some(space::normalized(&rotation))
}

/// Exchanges axes by quarter turns, so the frame stays right-handed. Moments equal up to `equal` keep their order.
fn sort_descending(moments: &mut Vec3, orientation: &mut Quat, equal: f64) {
    for lead in [0, 1, 0] {
        if moments[lead] + equal < moments[lead + 1] {
            moments.swap(lead, lead + 1);
            let mut turn = [FRAC_1_SQRT_2, 0.0, 0.0, 0.0];
            turn[(lead + 2) % 3 + 1] = FRAC_1_SQRT_2;
            *orientation = space::normalized(&space::compose(orientation, &turn));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R diag(moments) R^T.
    fn inertia_of(axes: &PrincipalAxes) -> Mat3 {
        let rotation = space::matrix(&axes.orientation);
        let [a, b, c] = axes.moments;
        let diagonal = [a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c];
        space::product(&space::product(&rotation, &diagonal), &space::transpose(&rotation))
    }

    #[test]
    fn the_axes_give_the_inertia_back_at_any_scale() {
        // Positive definite, with all products of inertia.
        let inertia = [4.0, 0.7, -0.3, 0.7, 3.0, 0.5, -0.3, 0.5, 5.0];
        for scale in [1e-12, 1.0, 1e9] {
            let inertia = inertia.map(|x| x * scale);
            let axes = principal_axes(&inertia, Noise::GIVEN);
            assert!(axes.moments.is_sorted_by(|a, b| a >= b), "{axes:?}");
            for (given, back) in inertia.iter().zip(inertia_of(&axes)) {
                assert!((given - back).abs() < 1e-14 * scale, "{inertia:?} became {axes:?}");
            }
        }
    }

    #[test]
    fn noise_does_not_turn_a_symmetric_body() {
        let noisy = [2.0, 1e-9, 0.0, 1e-9, 2.0 + 1e-9, 0.0, 0.0, 0.0, 1.0];
        assert_eq!(
            principal_axes(&noisy, Noise::OF_VERTICES).orientation,
            [1.0, 0.0, 0.0, 0.0]
        );
        assert_ne!(principal_axes(&noisy, Noise::GIVEN).orientation, [1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn numbers_that_are_none_end_the_iteration() {
        assert!(principal_axes(&[f64::NAN; 9], Noise::GIVEN).moments[0].is_nan());
    }
}
