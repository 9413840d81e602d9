//! How far a shape reaches: the box around it in the field's frame, and a few half-spaces that it lies in.

use motrix_spatial::{Lanes, Real};

use crate::closed::terrain::MAX_LANES;
use crate::hull::Hull;
use crate::shape::{Placed, Shape};
use crate::support::Rounded;
use crate::vector::{Vec3, add_scaled, axis, dot, rotate, rotate_back, scale};

/// Most half-spaces around a shape.
pub const MOST_SIDES: usize = 16;

/// Hulls of more vertices are climbed over along each direction rather than scanned along all of them.
const MANY_VERTICES: usize = 256;

/// Corners of a box about its centre, edges of a cylinder's box: cosine of 45° along each of two axes, of three.
const TWO: f64 = core::f64::consts::FRAC_1_SQRT_2;
const THREE: f64 = 0.577_350_269_189_625_8;

/// Sine and cosine of 30°.
const HALF: f64 = 0.5;
const HIGH: f64 = 0.866_025_403_784_438_6;

/// The box around a shape; none for a plane.
pub fn bounding_box(placed: &Placed) -> Option<(Vec3, Vec3)> {
    let (rotation, centre) = (&placed.pose.rotation, placed.pose.position);
    // Row k of the rotation: the axis k of the field as the shape sees it.
    let row = |k: usize| [rotation[3 * k], rotation[3 * k + 1], rotation[3 * k + 2]];
    let extents = match placed.shape {
        Shape::Box { half } => [0, 1, 2].map(|k| dot(row(k).map(f64::abs), half)),
        Shape::Cylinder { radius, half_length } => [0, 1, 2].map(|k| {
            let [x, y, z] = row(k);
            radius * (x * x + y * y).sqrt() + half_length * z.abs()
        }),
        Shape::Ellipsoid { radii } => [0, 1, 2].map(|k| {
            let [x, y, z] = row(k);
            let [x, y, z] = [x * radii[0], y * radii[1], z * radii[2]];
            (x * x + y * y + z * z).sqrt()
        }),
        _ => {
            let Rounded { core, radius } = Rounded::new(&placed.shape)?;
            let along = |k: usize, sign: f64| {
                let local = row(k).map(|x| sign * x);
                placed.pose.point(core.support(local, 0).0)[k] + sign * radius
            };
            return Some(([0, 1, 2].map(|k| along(k, -1.0)), [0, 1, 2].map(|k| along(k, 1.0))));
        }
    };
    Some((
        [0, 1, 2].map(|k| centre[k] - extents[k]),
        [0, 1, 2].map(|k| centre[k] + extents[k]),
    ))
}

/// Half-spaces n · (p − centre) ≤ reach that a shape lies in, the normals n in the axes of the field. Not all of them are
/// needed for every shape: those left over repeat the first.
#[derive(Clone, Copy, Debug)]
pub struct Sides {
    pub normals: [Vec3; MOST_SIDES],
    pub reaches: [f64; MOST_SIDES],
    pub count: usize,
}

impl Sides {
    /// Around a shape: the sides of a box; the ends and eight sides around a cylinder; axes and diagonals of an ellipsoid; around
    /// a hull, which has too many sides of its own, planes that look down on the ground, upright to steep.
    #[inline(always)]
    pub fn new<L: Lanes>(placed: &Placed) -> Self {
        let mut sides = Self {
            normals: [[0.0; 3]; MOST_SIDES],
            reaches: [0.0; MOST_SIDES],
            count: 0,
        };
        let axes = [0, 1, 2].map(|k| axis(&placed.pose.rotation, k));
        match placed.shape {
            Shape::Box { half } => {
                for k in 0..3 {
                    sides.push_both(axes[k], half[k]);
                }
            }
            Shape::Cylinder { radius, half_length } => {
                let [x, y, z] = axes;
                sides.push_both(z, half_length);
                for (a, b) in [(1.0, 0.0), (0.0, 1.0), (TWO, TWO), (TWO, -TWO)] {
                    sides.push_both(add_scaled(scale(x, a), y, b), radius);
                }
            }
            Shape::Ellipsoid { radii } => {
                for k in 0..3 {
                    sides.push_both(axes[k], radii[k]);
                }
                let reach = THREE * dot(radii, radii).sqrt();
                for signs in [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]] {
                    let normal = rotate(&placed.pose.rotation, scale(signs, THREE));
                    sides.push_both(normal, reach);
                }
            }
            Shape::Hull(hull) => sides.around_hull::<L>(hull, placed),
            _ => {}
        }
        sides
    }

    #[inline(always)]
    fn push_both(&mut self, normal: Vec3, reach: f64) {
        for sign in [1.0, -1.0] {
            self.normals[self.count] = scale(normal, sign);
            self.reaches[self.count] = reach;
            self.count += 1;
        }
    }

    /// Straight down, 30° from it every 60°, 60° from it every 40°.
    #[inline(always)]
    fn around_hull<L: Lanes>(&mut self, hull: &Hull, placed: &Placed) {
        self.normals = LOOKING_DOWN;
        self.count = MOST_SIDES;
        let local = self.normals.map(|normal| rotate_back(&placed.pose.rotation, normal));
        let vertices = hull.single_vertices();
        if vertices.len() > MANY_VERTICES {
            let mut near = 0;
            for k in 0..MOST_SIDES {
                near = hull.support(local[k], near);
                self.reaches[k] = dot(local[k], hull.vertices()[near as usize]);
            }
            return;
        }
        // As many directions at once as there are lanes.
        let mut first = 0;
        while first < MOST_SIDES {
            let mut direction = [L::ZERO; 3];
            for i in 0..3 {
                let mut numbers = [L::Elem::default(); MAX_LANES];
                for k in 0..L::COUNT {
                    numbers[k] = L::Elem::from_f64(local[first + k][i]);
                }
                direction[i] = L::load(&numbers);
            }
            let mut farthest = [L::c(f64::from(f32::MIN)); 2];
            let mut at = 0;
            while at < vertices.len() {
                // Two chains, since one would wait for itself.
                for chain in 0..2 {
                    let [x, y, z] = vertices[(at + chain).min(vertices.len() - 1)];
                    let [x, y, z] = [L::c(f64::from(x)), L::c(f64::from(y)), L::c(f64::from(z))];
                    let along = direction[0].mul_add(x, direction[1].mul_add(y, direction[2] * z));
                    farthest[chain] = farthest[chain].max(along);
                }
                at += 2;
            }
            let mut reaches = [L::Elem::default(); MAX_LANES];
            farthest[0].max(farthest[1]).store(&mut reaches);
            for k in 0..L::COUNT {
                self.reaches[first + k] = reaches[k].to_f64();
            }
            first += L::COUNT;
        }
    }
}

/// See [`Sides::around_hull`].
const LOOKING_DOWN: [Vec3; MOST_SIDES] = {
    // Cosines and sines of 0°, 60°, .. and of 0°, 40°, ..
    const SIX: [[f64; 2]; 6] = [
        [1.0, 0.0],
        [HALF, HIGH],
        [-HALF, HIGH],
        [-1.0, 0.0],
        [-HALF, -HIGH],
        [HALF, -HIGH],
    ];
    const C: [f64; 4] = [
        0.766_044_443_118_978,
        0.173_648_177_666_930_3,
        -0.5,
        -0.939_692_620_785_908_4,
    ];
    const S: [f64; 4] = [
        0.642_787_609_686_539_3,
        0.984_807_753_012_208,
        0.866_025_403_784_438_6,
        0.342_020_143_325_668_9,
    ];
    let mut out = [[0.0, 0.0, -1.0]; MOST_SIDES];
    let mut k = 0;
    while k < 6 {
        out[1 + k] = [HALF * SIX[k][0], HALF * SIX[k][1], -HIGH];
        k += 1;
    }
    out[7] = [HIGH, 0.0, -HALF];
    k = 0;
    while k < 4 {
        out[8 + k] = [HIGH * C[k], HIGH * S[k], -HALF];
        out[12 + k] = [HIGH * C[k], -HIGH * S[k], -HALF];
        k += 1;
    }
    out
};
