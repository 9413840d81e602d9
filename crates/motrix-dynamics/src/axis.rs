//! Axes of hinges and slides, in the frames of their bodies.
//!
//! Most are along an axis of the body. Turning one with the body is then reading a column of the rotation, and a turn about it
//! multiplies a quaternion by two numbers instead of four.

use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mat3, Quat, Real, Vec3};

use crate::tables::round3;

/// A unit vector in a body.
#[derive(Clone, Copy, Debug)]
pub enum Axis<E> {
    /// Along axis `k` of the body, or against it: `sign` is 1 or −1.
    Aligned {
        /// Axis of the body.
        k: usize,
        /// Direction.
        sign: E,
    },
    /// Any other.
    Oblique([E; 3]),
}

impl<E: Real> Axis<E> {
    /// A unit vector, rounded.
    pub fn new(axis: [f64; 3]) -> Self {
        let aligned = (0..3).find(|&k| axis[k].abs() == 1.0 && axis[(k + 1) % 3] == 0.0 && axis[(k + 2) % 3] == 0.0);
        match aligned {
            Some(k) => Self::Aligned {
                k,
                sign: E::from_f64(axis[k]),
            },
            None => Self::Oblique(round3(axis)),
        }
    }

    /// The axis in the body.
    #[inline(always)]
    pub fn in_body<L: Lanes<Elem = E>>(&self) -> Vec3<L> {
        match *self {
            Self::Aligned { k, sign } => {
                let mut axis = [L::ZERO; 3];
                axis[k] = L::splat(sign);
                axis
            }
            Self::Oblique(axis) => splat3(axis),
        }
    }

    /// The axis in the world, for a body with the given rotation.
    #[inline(always)]
    pub fn turned<L: Lanes<Elem = E>>(&self, rotation: &Mat3<L>) -> Vec3<L> {
        match *self {
            Self::Aligned { k, sign } => scale(mat_column(rotation, k), L::splat(sign)),
            Self::Oblique(axis) => mat_vec(rotation, splat3(axis)),
        }
    }

    /// An orientation after a turn by `angle` about the axis.
    #[inline(always)]
    pub fn turn<L: Lanes<Elem = E>>(&self, orientation: Quat<L>, angle: L) -> Quat<L> {
        match *self {
            Self::Aligned { k, sign } => {
                let (s, c) = (angle * L::c(0.5)).sin_cos();
                let s = s * L::splat(sign);
                match k {
                    0 => quat_turn_x(orientation, s, c),
                    1 => quat_turn_y(orientation, s, c),
                    _ => quat_turn_z(orientation, s, c),
                }
            }
            Self::Oblique(axis) => quat_mul(orientation, quat_from_axis_angle(splat3(axis), angle)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Aligned axes skip products with zeros and ones, so that both ways agree to the last bit.
    #[test]
    fn an_aligned_axis_turns_as_an_oblique_one() {
        let orientation = quat_normalize([0.3, -0.5, 0.7, 0.2]);
        let rotation = quat_to_mat(orientation);
        for k in 0..3 {
            for sign in [1.0, -1.0] {
                let mut vector = [0.0; 3];
                vector[k] = sign;
                let (aligned, oblique) = (Axis::<f64>::new(vector), Axis::Oblique(vector));
                assert!(matches!(aligned, Axis::Aligned { .. }));
                assert_eq!(aligned.in_body::<f64>(), vector);
                assert_eq!(aligned.turned(&rotation), oblique.turned(&rotation));
                for angle in [0.0, 0.4, -2.9] {
                    assert_eq!(aligned.turn(orientation, angle), oblique.turn(orientation, angle));
                }
            }
        }
        assert!(matches!(Axis::<f64>::new([0.6, 0.8, 0.0]), Axis::Oblique(_)));
    }
}
