//! Oriented boxes and bounds of the distance between them.
//!
//! Boxes are kept in single precision and padded outwards by more than the bound can round away; the triangles inside are compared in
//! double precision. Along the axes of either box the gap between both is a bound of each component of the distance: three components of
//! one frame make a bound of the whole, and the better of the two frames counts. Boxes along principal axes of their triangles fit
//! surfaces so much closer than boxes along the mesh's axes that large meshes are searched several times faster.

use motrix_collide::Pose;
use motrix_collide::vector::{Mat3, Vec3, dot, sub};

/// A box: point = centre + axesᵀ · local.
#[derive(Clone, Copy, Debug)]
pub struct Obb {
    centre: [f32; 3],
    half: [f32; 3],
    /// Its axes, one after the other.
    axes: [f32; 9],
}

/// Padding in parts of a box's coordinates and size: eight units of rounding of single precision.
const PAD: f64 = 1e-6;

/// What the computation of a squared bound may round up, relatively.
const ROUNDING: f32 = 8e-6;

impl Obb {
    /// The box about `centre` with half sizes along three axes.
    pub fn new(centre: Vec3, half: Vec3, axes: &Mat3) -> Obb {
        let size: f64 = centre.iter().map(|x| x.abs()).sum::<f64>() + half.iter().sum::<f64>();
        Obb {
            centre: centre.map(|x| x as f32),
            half: half.map(|x| (x + PAD * size) as f32),
            axes: axes.map(|x| x as f32),
        }
    }

    /// A bound from below of the heights along `normal` over `origin`.
    pub fn lowest_along(&self, normal: Vec3, origin: Vec3) -> f64 {
        let double = |v: [f32; 3]| v.map(f64::from);
        let axis = |k: usize| double([self.axes[3 * k], self.axes[3 * k + 1], self.axes[3 * k + 2]]);
        let reach: f64 = (0..3)
            .map(|k| dot(normal, axis(k)).abs() * f64::from(self.half[k]))
            .sum();
        dot(normal, sub(double(self.centre), origin)) - reach
    }

    /// Half of the diagonal, squared.
    #[inline(always)]
    pub fn reach2(&self) -> f32 {
        let [x, y, z] = self.half;
        x * x + y * y + z * z
    }

    /// A lower bound of the squared distance between two boxes of one frame.
    #[inline(always)]
    pub fn gap2(&self, other: &Obb) -> f32 {
        Boxes::<1>::of([self]).gaps2(other)[0]
    }
}

/// Several boxes side by side: each number of all of them together, so that one pass of vector instructions serves all.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Boxes<const N: usize> {
    centre: [[f32; N]; 3],
    half: [[f32; N]; 3],
    axes: [[f32; N]; 9],
}

impl<const N: usize> Boxes<N> {
    /// These boxes.
    #[inline(always)]
    pub fn of(boxes: [&Obb; N]) -> Boxes<N> {
        Boxes {
            centre: std::array::from_fn(|i| boxes.map(|b| b.centre[i])),
            half: std::array::from_fn(|i| boxes.map(|b| b.half[i])),
            axes: std::array::from_fn(|i| boxes.map(|b| b.axes[i])),
        }
    }

    /// One of them.
    #[inline(always)]
    pub fn get(&self, n: usize) -> Obb {
        let (c, h, a) = (&self.centre, &self.half, &self.axes);
        Obb {
            centre: [c[0][n], c[1][n], c[2][n]],
            half: [h[0][n], h[1][n], h[2][n]],
            axes: [
                a[0][n], a[1][n], a[2][n], a[3][n], a[4][n], a[5][n], a[6][n], a[7][n], a[8][n],
            ],
        }
    }

    /// Lower bounds of their squared distances to another box of the same frame.
    #[inline(always)]
    pub fn gaps2(&self, other: &Obb) -> [f32; N] {
        // s[i][k]: axis k of the other along their axis i; only its size counts.
        let mut s = [[[0.0_f32; N]; 3]; 3];
        let mut along_own = [0.0_f32; N];
        for i in 0..3 {
            let [x, y, z] = [&self.axes[3 * i], &self.axes[3 * i + 1], &self.axes[3 * i + 2]];
            for k in 0..3 {
                let [u, v, w] = [other.axes[3 * k], other.axes[3 * k + 1], other.axes[3 * k + 2]];
                for n in 0..N {
                    s[i][k][n] = (x[n] * u + y[n] * v + z[n] * w).abs();
                }
            }
            for n in 0..N {
                let between = x[n] * (other.centre[0] - self.centre[0][n])
                    + y[n] * (other.centre[1] - self.centre[1][n])
                    + z[n] * (other.centre[2] - self.centre[2][n]);
                let others = s[i][0][n] * other.half[0] + s[i][1][n] * other.half[1] + s[i][2][n] * other.half[2];
                along_own[n] += positive_square(between.abs() - self.half[i][n] - others);
            }
        }
        let mut along_other = [0.0_f32; N];
        for k in 0..3 {
            let [u, v, w] = [other.axes[3 * k], other.axes[3 * k + 1], other.axes[3 * k + 2]];
            for n in 0..N {
                let between = u * (other.centre[0] - self.centre[0][n])
                    + v * (other.centre[1] - self.centre[1][n])
                    + w * (other.centre[2] - self.centre[2][n]);
                let own = s[0][k][n] * self.half[0][n] + s[1][k][n] * self.half[1][n] + s[2][k][n] * self.half[2][n];
                along_other[n] += positive_square(between.abs() - other.half[k] - own);
            }
        }
        let mut gaps = [0.0_f32; N];
        for n in 0..N {
            let larger = if along_own[n] > along_other[n] {
                along_own[n]
            } else {
                along_other[n]
            };
            gaps[n] = larger * (1.0 - ROUNDING);
        }
        gaps
    }
}

/// The square of what is positive, 0 of the rest.
#[inline(always)]
fn positive_square(x: f32) -> f32 {
    let x = if x > 0.0 { x } else { 0.0 };
    x * x
}

/// Where one frame is in another, in single precision.
#[derive(Clone, Copy, Debug)]
pub struct Between {
    rotation: [f32; 9],
    position: [f32; 3],
}

impl Between {
    /// Of a pose.
    pub fn new(pose: &Pose) -> Between {
        Between {
            rotation: pose.rotation.map(|x| x as f32),
            position: pose.position.map(|x| x as f32),
        }
    }

    /// A box of the inner frame in the outer one.
    #[inline(always)]
    pub fn moved(&self, b: &Obb) -> Obb {
        let r = &self.rotation;
        let mut moved = *b;
        for i in 0..3 {
            let row = [r[3 * i], r[3 * i + 1], r[3 * i + 2]];
            let turned = |v: [f32; 3]| row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
            moved.centre[i] = turned(b.centre) + self.position[i];
            moved.axes[i] = turned([b.axes[0], b.axes[1], b.axes[2]]);
            moved.axes[3 + i] = turned([b.axes[3], b.axes[4], b.axes[5]]);
            moved.axes[6 + i] = turned([b.axes[6], b.axes[7], b.axes[8]]);
        }
        moved
    }
}
