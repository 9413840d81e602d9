//! Where curved shapes would touch the planes of faces, in lanes: how far cylinders and ellipsoids reach along a normal, and the
//! points that `faces` asks about, to leave out faces that none of them is over.

use motrix_spatial::algebra::{add_scaled, cross, dot, neg, norm_squared, scale};
use motrix_spatial::{Lanes, Mask, Real};

use super::faces::{LYING, SAME_PLANES};
use crate::shape::{Placed, Shape};
use crate::vector::{self, Vec3};

/// Roundings of the numbers that points are computed from.
const ROUNDINGS: f64 = 16.0;

/// Half the root of 3: two corners of an equilateral triangle are this far, times the radius around it, from its axis.
const HALF_SQRT_3: f64 = 0.866_025_403_784_438_6;

/// How far a curved shape reaches along a direction.
#[derive(Clone, Copy)]
pub enum Curve<L> {
    Cylinder { axis: [L; 3], radius: L, half_length: L },
    Ellipsoid { half_axes: [[L; 3]; 3] },
}

/// Where a curved shape would touch a plane, to within `slack`, metres.
#[derive(Clone, Copy)]
pub struct Lowest<L: Lanes> {
    points: [Point<L>; 4],
    count: usize,
    slack: L,
    /// Lanes in which other points may touch as well.
    uncertain: L::Mask,
}

/// A point from the centre of a shape: where it is along x and y, and how far below the centre as the plane sees it.
#[derive(Clone, Copy)]
struct Point<L> {
    at: [L; 2],
    fall: L,
}

/// A triangle of the surface in each lane.
pub struct Triangle<L> {
    /// Which of the two of its cell: that towards (−x, +y) is 0.
    pub k: usize,
    /// The node of the cell, from the shape's centre.
    pub node: [L; 2],
    /// One over the distances between nodes.
    pub cells_per_metre: [L; 2],
    /// How high above its plane the shape's centre is.
    pub height: L,
}

impl<L: Lanes> Curve<L> {
    #[inline(always)]
    pub fn new(shape: &Placed) -> Option<Self> {
        let rotation = &shape.pose.rotation;
        match shape.shape {
            Shape::Cylinder { radius, half_length } => Some(Self::Cylinder {
                axis: splat3(vector::axis(rotation, 2)),
                radius: L::c(radius),
                half_length: L::c(half_length),
            }),
            Shape::Ellipsoid { radii } => {
                let mut half_axes = [[L::ZERO; 3]; 3];
                for k in 0..3 {
                    half_axes[k] = splat3(vector::scale(vector::axis(rotation, k), radii[k]));
                }
                Some(Self::Ellipsoid { half_axes })
            }
            _ => None,
        }
    }

    /// From the centre along a vector, times its length.
    #[inline(always)]
    pub fn reach(&self, m: [L; 3]) -> L {
        match self {
            Self::Cylinder {
                axis,
                radius,
                half_length,
            } => {
                let across = norm_squared(cross(m, *axis)).sqrt();
                half_length.mul_add(dot(m, *axis).abs(), *radius * across)
            }
            Self::Ellipsoid { half_axes } => {
                norm_squared([dot(m, half_axes[0]), dot(m, half_axes[1]), dot(m, half_axes[2])]).sqrt()
            }
        }
    }

    /// The points that `faces` asks a plane with the unit normal n about. Neighbouring faces that differ by less than `SAME_PLANES`
    /// pass as one plane, so that a point of either may be over the other.
    #[inline(always)]
    pub fn lowest(&self, n: [L; 3]) -> Lowest<L> {
        let wobble = L::c(SAME_PLANES + ROUNDINGS * L::Elem::EPSILON);
        let nowhere = Point {
            at: [L::ZERO; 2],
            fall: L::ZERO,
        };
        let mut lowest = Lowest {
            points: [nowhere; 4],
            count: 0,
            slack: L::ZERO,
            uncertain: L::Mask::NONE,
        };
        match self {
            Self::Cylinder {
                axis,
                radius,
                half_length,
            } => {
                // Along the axis to the lower disc, then downhill in it: −n without its part along the axis.
                let along = dot(n, *axis);
                let to_disc = L::select(along.gt(L::ZERO), -*half_length, *half_length);
                let downhill = add_scaled(neg(n), along, *axis);
                let steepness = norm_squared(downhill).sqrt();
                let inverse = steepness.recip();
                let rim = scale(downhill, *radius * inverse);
                let sideways = scale(cross(rim, *axis), L::c(HALF_SQRT_3));
                for i in 0..2 {
                    let (disc, rim, sideways) = (to_disc * axis[i], rim[i], sideways[i]);
                    let behind = L::c(-0.5).mul_add(rim, disc);
                    lowest.points[0].at[i] = disc + rim;
                    lowest.points[1].at[i] = rim - disc;
                    lowest.points[2].at[i] = behind + sideways;
                    lowest.points[3].at[i] = behind - sideways;
                }
                let (disc_fall, rim_fall) = (along.abs() * *half_length, steepness * *radius);
                lowest.points[0].fall = disc_fall + rim_fall;
                lowest.points[1].fall = rim_fall - disc_fall;
                lowest.points[2].fall = disc_fall - L::c(0.5) * rim_fall;
                lowest.points[3].fall = lowest.points[2].fall;
                lowest.count = 4;
                lowest.slack = wobble * (*radius * inverse + *half_length);
                // A disc that lies on the plane touches at points of its own, and which disc is the lower one may hang on rounding.
                lowest.uncertain = !steepness.gt(L::c(2.0 * LYING)) | along.abs().lt(wobble);
            }
            Self::Ellipsoid { half_axes } => {
                let (mut along, mut radii2) = ([L::ZERO; 3], [L::ZERO; 3]);
                for k in 0..3 {
                    along[k] = dot(n, half_axes[k]);
                    radii2[k] = norm_squared(half_axes[k]);
                }
                let fall = norm_squared(along).sqrt();
                for i in 0..2 {
                    let at = [half_axes[0][i], half_axes[1][i], half_axes[2][i]];
                    lowest.points[0].at[i] = -dot(along, at) / fall;
                }
                lowest.points[0].fall = fall;
                lowest.count = 1;
                // Nothing of it is flatter than a ball whose radius is the square of the longest semi-axis over the shortest.
                let longest2 = radii2[0].max(radii2[1]).max(radii2[2]);
                let shortest2 = radii2[0].min(radii2[1]).min(radii2[2]);
                lowest.slack = wobble * longest2 / shortest2.sqrt();
            }
        }
        lowest
    }
}

impl<L: Lanes> Lowest<L> {
    /// Lanes in which one of the points may be over a triangle and no higher than `margin` above its plane.
    #[inline(always)]
    pub fn is_over(&self, triangle: &Triangle<L>, margin: L) -> L::Mask {
        let [cells_x, cells_y] = triangle.cells_per_metre;
        let beside = (self.slack + margin) * (cells_x + cells_y);
        let height = triangle.height - margin - self.slack;
        let mut over = self.uncertain;
        for point in &self.points[..self.count] {
            let across = (point.at[0] - triangle.node[0]) * cells_x;
            let along = (point.at[1] - triangle.node[1]) * cells_y;
            let (low, high) = if triangle.k == 0 {
                (across, along)
            } else {
                (along, across)
            };
            let out = (-low).max(high - L::ONE).max(low - high);
            over = over | !(out.gt(beside) | height.gt(point.fall));
        }
        over
    }
}

#[inline(always)]
fn splat3<L: Lanes>(v: Vec3) -> [L; 3] {
    [L::c(v[0]), L::c(v[1]), L::c(v[2])]
}
