//! The five ways MJCF says how something is turned, to one unit quaternion.
//!
//! `quat`, `axisangle`, `euler`, `xyaxes`, `zaxis`; angles are degrees or radians by `compiler angle`, the axes of Euler
//! angles come from `compiler eulerseq`. Where defaults and element use different ways, the stronger layer wins; within one
//! layer only one way may be used. Method: MuJoCo's `mjs_resolveOrientation`.

use super::compiler::Compiler;
use super::element::Element;
use super::pose::{Pose, cross, dot, multiply, normalized};
use crate::problem::Problems;

/// A direction shorter than this is no direction.
const SHORTEST: f64 = 1e-14;

/// The attributes that turn something.
pub const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// The axes of successive rotations by Euler angles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EulerSequence {
    /// For each angle: which axis (0 = x), and whether it is fixed in space rather than turned by the angles before.
    axes: [(usize, bool); 3],
}

impl Default for EulerSequence {
    /// `xyz`: about the turned axes x, y, z.
    fn default() -> Self {
        Self {
            axes: [(0, false), (1, false), (2, false)],
        }
    }
}

impl EulerSequence {
    /// Reads three letters of `xyzXYZ`; capitals are axes fixed in space.
    pub fn parse(text: &str) -> Option<Self> {
        let letters: [u8; 3] = text.as_bytes().try_into().ok()?;
        let mut axes = [(0, false); 3];
        for (axis, letter) in axes.iter_mut().zip(letters) {
            *axis = (
                b"xyz".iter().position(|l| *l == letter.to_ascii_lowercase())?,
                letter.is_ascii_uppercase(),
            );
        }
        Some(Self { axes })
    }

    /// The rotation by `angles` in radians, one after the other.
    pub fn rotation(&self, angles: [f64; 3]) -> [f64; 4] {
        let mut quat = Pose::IDENTITY.quat;
        for ((axis, fixed), angle) in self.axes.into_iter().zip(angles) {
            let mut turn = [(angle / 2.0).cos(), 0.0, 0.0, 0.0];
            turn[1 + axis] = (angle / 2.0).sin();
            quat = if fixed {
                multiply(turn, quat)
            } else {
                multiply(quat, turn)
            };
        }
        normalized(quat).0
    }
}

impl Element {
    /// How the element is turned relative to its frame or body; no rotation if nothing is said. Problems are recorded.
    pub fn orientation(&self, problems: &mut Problems) -> [f64; 4] {
        self.given_orientation(problems).unwrap_or(Pose::IDENTITY.quat)
    }

    /// How the element is turned, if it or its defaults say so.
    pub fn given_orientation(&self, problems: &mut Problems) -> Option<[f64; 4]> {
        let (layer, name) = self.layers().find_map(|layer| {
            let given = ORIENTATIONS
                .into_iter()
                .find(|name| layer.own(name).is_some_and(|a| !a.value.is_empty()))?;
            Some((layer, given))
        })?;
        match resolve(layer, name, self.compiler(), problems)? {
            Ok(quat) => Some(quat),
            Err(message) => {
                problems.push(layer.problem_with(name, message));
                None
            }
        }
    }
}

/// The quaternion that attribute `name` of `layer` describes; `None` if its numbers are bad, which is recorded.
fn resolve(
    layer: &Element,
    name: &str,
    compiler: &Compiler,
    problems: &mut Problems,
) -> Option<Result<[f64; 4], &'static str>> {
    Some(match name {
        "quat" => direction(
            layer.reals::<4>("quat", problems)?,
            "a quaternion of zeros turns nothing",
        ),
        "axisangle" => {
            let [x, y, z, angle] = layer.reals("axisangle", problems)?;
            direction([x, y, z], "the axis is zero").map(|axis| {
                let (sin, cos) = (compiler.radians(angle) / 2.0).sin_cos();
                [cos, sin * axis[0], sin * axis[1], sin * axis[2]]
            })
        }
        "euler" => {
            let angles = layer
                .reals::<3>("euler", problems)?
                .map(|angle| compiler.radians(angle));
            Ok(compiler.eulerseq.rotation(angles))
        }
        "xyaxes" => {
            let [a, b, c, d, e, f] = layer.reals("xyaxes", problems)?;
            from_xy_axes([a, b, c], [d, e, f])
        }
        _ => direction(layer.reals::<3>("zaxis", problems)?, "the axis is zero").map(from_z_axis),
    })
}

fn direction<const N: usize>(v: [f64; N], message: &'static str) -> Result<[f64; N], &'static str> {
    let (unit, length) = normalized(v);
    if length < SHORTEST { Err(message) } else { Ok(unit) }
}

/// The rotation whose x axis is along `x` and whose y axis is in the plane of `x` and `y`.
fn from_xy_axes(x: [f64; 3], y: [f64; 3]) -> Result<[f64; 4], &'static str> {
    let x = direction(x, "the x axis is zero")?;
    let along = dot(x, y);
    let y = direction(
        std::array::from_fn(|i| y[i] - x[i] * along),
        "the y axis is parallel to the x axis or zero",
    )?;
    let z = direction(cross(x, y), "the axes are parallel")?;
    Ok(from_axes(x, y, z))
}

/// The shortest rotation that takes the z axis to the unit vector `axis`.
pub fn from_z_axis(axis: [f64; 3]) -> [f64; 4] {
    // The axis of the rotation is z × axis, its sine the length of that.
    let (turn, sine) = normalized(cross([0.0, 0.0, 1.0], axis));
    let turn = if sine < 1e-10 { [1.0, 0.0, 0.0] } else { turn };
    let (sin, cos) = (sine.atan2(axis[2]) / 2.0).sin_cos();
    [cos, sin * turn[0], sin * turn[1], sin * turn[2]]
}

/// The rotation with the orthonormal columns `x`, `y`, `z`. The largest component of the quaternion is computed first, so
/// that no division is by a small number.
fn from_axes(x: [f64; 3], y: [f64; 3], z: [f64; 3]) -> [f64; 4] {
    let (xx, yy, zz) = (x[0], y[1], z[2]);
    let quat = if xx + yy + zz > 0.0 {
        let w = 0.5 * (1.0 + xx + yy + zz).sqrt();
        [
            w,
            0.25 * (y[2] - z[1]) / w,
            0.25 * (z[0] - x[2]) / w,
            0.25 * (x[1] - y[0]) / w,
        ]
    } else if xx > yy && xx > zz {
        let i = 0.5 * (1.0 + xx - yy - zz).sqrt();
        [
            0.25 * (y[2] - z[1]) / i,
            i,
            0.25 * (y[0] + x[1]) / i,
            0.25 * (z[0] + x[2]) / i,
        ]
    } else if yy > zz {
        let j = 0.5 * (1.0 - xx + yy - zz).sqrt();
        [
            0.25 * (z[0] - x[2]) / j,
            0.25 * (y[0] + x[1]) / j,
            j,
            0.25 * (z[1] + y[2]) / j,
        ]
    } else {
        let k = 0.5 * (1.0 - xx - yy + zz).sqrt();
        [
            0.25 * (x[1] - y[0]) / k,
            0.25 * (z[0] + x[2]) / k,
            0.25 * (z[1] + y[2]) / k,
            k,
        ]
    };
    normalized(quat).0
}
