//! How far a shape reaches: the box around it in the field's frame, and a few half-spaces that it lies in.

use core::marker::PhantomData;

use motrix_spatial::{Lanes, Part, Real};

use crate::closed::terrain::MAX_LANES;
use crate::hull::Hull;
use crate::shape::{Placed, Pose, Shape};
use crate::support::Rounded;
use crate::vector::{Vec3, add_scaled, axis, dot, rotate, rotate_back, scale};

/// Most half-spaces around a shape.
pub const MOST_SIDES: usize = 16;

/// Hulls of more vertices are climbed over along each direction rather than scanned along all of them.
const MANY_VERTICES: usize = 256;

/// Roundings, in single precision as the vertices are, between how far a hull reaches and how far lanes say.
const ROUNDINGS: f64 = 16.0;

/// Corners of a box about its centre, edges of a cylinder's box: cosine of 45° along each of two axes, of three.
const TWO: f64 = core::f64::consts::FRAC_1_SQRT_2;
const THREE: f64 = 0.577_350_269_189_625_8;

/// Sine and cosine of 30°.
const HALF: f64 = 0.5;
const HIGH: f64 = 0.866_025_403_784_438_6;

/// A box around a hull, as a part of a kernel: that of [`bounding_box`], wider by more than the rounding of lanes.
pub struct BoxAround<'a, L> {
    pub hull: &'a Hull,
    pub pose: &'a Pose,
    pub lanes: PhantomData<L>,
}

impl<L: Lanes> Part for BoxAround<'_, L> {
    type Out = (Vec3, Vec3);

    #[inline(always)]
    fn run(self) -> (Vec3, Vec3) {
        let Pose { position, rotation: r } = self.pose;
        let mut directions = [[0.0; 3]; 6];
        for k in 0..3 {
            directions[k] = [r[3 * k], r[3 * k + 1], r[3 * k + 2]];
            directions[3 + k] = scale(directions[k], -1.0);
        }
        let mut reaches = [0.0; 6];
        scan::<L>(self.hull.single_vertices(), &directions, &mut reaches);
        let mut size = 0.0;
        for reach in reaches {
            size += reach.abs();
        }
        let slack = ROUNDINGS * f64::from(f32::EPSILON) * size;
        let (mut low, mut high) = (*position, *position);
        for k in 0..3 {
            high[k] += reaches[k] + slack;
            low[k] -= reaches[3 + k] + slack;
        }
        (low, high)
    }
}

/// Whether a hull is scanned along directions in lanes.
#[inline(always)]
pub fn is_scanned(hull: &Hull) -> bool {
    hull.single_vertices().len() <= MANY_VERTICES
}

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
        if !is_scanned(hull) {
            let mut near = 0;
            for k in 0..MOST_SIDES {
                near = hull.support(local[k], near);
                self.reaches[k] = dot(local[k], hull.vertices()[near as usize]);
            }
            return;
        }
        scan::<L>(hull.single_vertices(), &local, &mut self.reaches);
    }
}

/// How far vertices reach along directions, as many at once as there are lanes.
#[inline(always)]
fn scan<L: Lanes>(vertices: &[[f32; 3]], directions: &[Vec3], reaches: &mut [f64]) {
    let mut first = 0;
    while first < directions.len() {
        let count = (directions.len() - first).min(L::COUNT);
        let mut direction = [L::ZERO; 3];
        for i in 0..3 {
            let mut numbers = [L::Elem::default(); MAX_LANES];
            for k in 0..count {
                numbers[k] = L::Elem::from_f64(directions[first + k][i]);
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
        let mut found = [L::Elem::default(); MAX_LANES];
        farthest[0].max(farthest[1]).store(&mut found);
        for k in 0..count {
            reaches[first + k] = found[k].to_f64();
        }
        first += L::COUNT;
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
