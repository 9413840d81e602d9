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

/// The sum of three products, number by number.
#[inline(always)]
fn dots<const N: usize>(a: [&[f32; N]; 3], b: [&[f32; N]; 3]) -> [f32; N] {
    std::array::from_fn(|n| a[0][n] * b[0][n] + a[1][n] * b[1][n] + a[2][n] * b[2][n])
}

/// The sum of three products with the same numbers for all.
#[inline(always)]
fn dots_with<const N: usize>(a: [&[f32; N]; 3], b: [f32; 3]) -> [f32; N] {
    std::array::from_fn(|n| a[0][n] * b[0] + a[1][n] * b[1] + a[2][n] * b[2])
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
        Obb {
            centre: self.centre.map(|all| all[n]),
            half: self.half.map(|all| all[n]),
            axes: self.axes.map(|all| all[n]),
        }
    }

    /// Lower bounds of their squared distances to another box of the same frame.
    #[inline(always)]
    pub fn gaps2(&self, other: &Obb) -> [f32; N] {
        let axis = |i: usize| [&self.axes[3 * i], &self.axes[3 * i + 1], &self.axes[3 * i + 2]];
        // From the centres to the other's, along their own axes.
        let d: [[f32; N]; 3] = std::array::from_fn(|i| self.centre[i].map(|x| other.centre[i] - x));
        let da: [[f32; N]; 3] = std::array::from_fn(|i| dots(axis(i), [&d[0], &d[1], &d[2]]));
        // s[i][k]: axis k of the other along their axis i.
        let s: [[[f32; N]; 3]; 3] = std::array::from_fn(|i| {
            std::array::from_fn(|k| {
                let of_other = [other.axes[3 * k], other.axes[3 * k + 1], other.axes[3 * k + 2]];
                dots_with(axis(i), of_other)
            })
        });
        let size = |i: usize, k: usize| s[i][k].map(f32::abs);
        let mut along_own = [0.0_f32; N];
        for i in 0..3 {
            let others = dots_with([&size(i, 0), &size(i, 1), &size(i, 2)], other.half);
            for n in 0..N {
                let gap = da[i][n].abs() - self.half[i][n] - others[n];
                let gap = if gap > 0.0 { gap } else { 0.0 };
                along_own[n] += gap * gap;
            }
        }
        let mut along_other = [0.0_f32; N];
        for k in 0..3 {
            let centre = dots([&s[0][k], &s[1][k], &s[2][k]], [&da[0], &da[1], &da[2]]);
            let own = dots(
                [&size(0, k), &size(1, k), &size(2, k)],
                [&self.half[0], &self.half[1], &self.half[2]],
            );
            for n in 0..N {
                let gap = centre[n].abs() - other.half[k] - own[n];
                let gap = if gap > 0.0 { gap } else { 0.0 };
                along_other[n] += gap * gap;
            }
        }
        std::array::from_fn(|n| {
            let larger = if along_own[n] > along_other[n] {
                along_own[n]
            } else {
                along_other[n]
            };
            larger * (1.0 - ROUNDING)
        })
    }
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
        let row = |i: usize, v: [f32; 3]| r[3 * i] * v[0] + r[3 * i + 1] * v[1] + r[3 * i + 2] * v[2];
        let centre = std::array::from_fn(|i| row(i, b.centre) + self.position[i]);
        let axes = std::array::from_fn(|n| {
            let axis = 3 * (n / 3);
            row(n % 3, [b.axes[axis], b.axes[axis + 1], b.axes[axis + 2]])
        });
        Obb {
            centre,
            half: b.half,
            axes,
        }
    }
}
