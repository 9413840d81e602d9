//! Oriented boxes, and a lower bound of the distance between two of them.
//!
//! Boxes are in single precision and padded outwards by more than is lost by it, so that the bound never exceeds the distance
//! of what is inside. Along the axes of either box the gap between both is a bound of each component of the distance: three components of
//! one frame make a bound of the whole, and the better of the two frames counts. Boxes along principal axes of their triangles fit
//! surfaces so much closer than boxes along the mesh's axes that large meshes are searched several times faster.

use motrix_collide::Pose;
use motrix_collide::vector::{Mat3, Vec3, cross, dot, norm, sub, unit};

use super::triangle::Triangle;

/// A box: world = centre + axesᵀ · local.
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

    /// The smallest found of boxes along the principal axes, along the frame's axes and, of few triangles, along their edges.
    pub fn around(triangles: &[Triangle]) -> Obb {
        let mut best = Fit::along(triangles, IDENTITY);
        let mut offer = |axes: [Vec3; 3]| {
            let fit = Fit::along(triangles, axes);
            if fit.area < best.area {
                best = fit;
            }
        };
        offer(principal_axes(triangles));
        if triangles.len() <= FEW {
            for t in triangles {
                let Some(z) = unit(cross(sub(t[1], t[0]), sub(t[2], t[0]))) else {
                    continue;
                };
                for k in 0..3 {
                    if let Some(x) = unit(sub(t[(k + 1) % 3], t[k])) {
                        offer([x, cross(z, x), z]);
                    }
                }
            }
        }
        best.boxed()
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
}

/// Triangles few enough to try boxes along their edges.
const FEW: usize = 4;

const IDENTITY: [Vec3; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A box of triangles along given axes.
struct Fit {
    axes: [Vec3; 3],
    low: Vec3,
    high: Vec3,
    area: f64,
}

impl Fit {
    fn along(triangles: &[Triangle], axes: [Vec3; 3]) -> Fit {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in triangles.as_flattened() {
            for k in 0..3 {
                let x = dot(axes[k], *p);
                low[k] = if x < low[k] { x } else { low[k] };
                high[k] = if x > high[k] { x } else { high[k] };
            }
        }
        let [x, y, z] = sub(high, low);
        Fit {
            axes,
            low,
            high,
            area: x * y + y * z + z * x,
        }
    }

    fn boxed(&self) -> Obb {
        let middle: Vec3 = std::array::from_fn(|k| 0.5 * (self.low[k] + self.high[k]));
        let half = std::array::from_fn(|k| 0.5 * (self.high[k] - self.low[k]));
        let centre = std::array::from_fn(|i| (0..3).map(|k| self.axes[k][i] * middle[k]).sum());
        let [x, y, z] = self.axes;
        Obb::new(centre, half, &[x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]])
    }
}

/// Principal axes of the spread of triangles, weighted by area.
fn principal_axes(triangles: &[Triangle]) -> [Vec3; 3] {
    let area = |t: &Triangle| norm(cross(sub(t[1], t[0]), sub(t[2], t[0]))) + f64::MIN_POSITIVE;
    let total: f64 = triangles.iter().map(area).sum();
    let mut mean = [0.0; 3];
    for t in triangles {
        let weight = area(t) / (3.0 * total);
        for k in 0..3 {
            mean[k] += weight * (t[0][k] + t[1][k] + t[2][k]);
        }
    }
    // ∫ (p − mean)(p − mean)ᵀ over a triangle is area/12 (9 ggᵀ + Σ ppᵀ), with the centroid g and corners p about the mean.
    let mut spread = [[0.0; 3]; 3];
    for t in triangles {
        let corners = t.map(|p| sub(p, mean));
        let centroid: Vec3 = std::array::from_fn(|k| (corners[0][k] + corners[1][k] + corners[2][k]) / 3.0);
        let weight = area(t) / total;
        for i in 0..3 {
            for j in 0..3 {
                let own: f64 = corners.iter().map(|p| p[i] * p[j]).sum();
                spread[i][j] += weight * (9.0 * centroid[i] * centroid[j] + own);
            }
        }
    }
    eigenvectors(spread)
}

/// Eigenvectors of a symmetric matrix by Jacobi's rotations.
fn eigenvectors(mut a: [[f64; 3]; 3]) -> [Vec3; 3] {
    let mut axes = IDENTITY;
    let scale: f64 = a.as_flattened().iter().map(|x| x.abs()).sum();
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q].abs() <= 1e-12 * scale {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for k in 0..3 {
                (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
            }
            for k in 0..3 {
                (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
                (axes[p][k], axes[q][k]) = (c * axes[p][k] - s * axes[q][k], s * axes[p][k] + c * axes[q][k]);
            }
        }
    }
    axes
}

/// Sweeps of rotations; three suffice for any symmetric matrix of three rows.
const SWEEPS: usize = 6;

/// Where the frame of one tree is in that of the other, in single precision.
#[derive(Clone, Copy, Debug)]
pub struct Between {
    rotation: [f32; 9],
    position: [f32; 3],
}

impl Between {
    /// Of the second frame's pose in the first.
    pub fn new(b_in_a: &Pose) -> Between {
        Between {
            rotation: b_in_a.rotation.map(|x| x as f32),
            position: b_in_a.position.map(|x| x as f32),
        }
    }

    /// A lower bound of the squared distance between two boxes.
    #[inline(always)]
    pub fn gap2(&self, a: &Obb, b: &Obb) -> f32 {
        let (r, m, n) = (&self.rotation, &a.axes, &b.axes);
        let row = |x: &[f32; 9], i: usize, v: [f32; 3]| x[3 * i] * v[0] + x[3 * i + 1] * v[1] + x[3 * i + 2] * v[2];
        // From A's centre to B's in A's frame, then along A's axes.
        let d: [f32; 3] = std::array::from_fn(|i| row(r, i, b.centre) + self.position[i] - a.centre[i]);
        let da: [f32; 3] = std::array::from_fn(|i| row(m, i, d));
        // B's axes in A's frame, then along A's axes: s[i][k] is axis k of B along axis i of A.
        let turned: [[f32; 3]; 3] = std::array::from_fn(|k| {
            let axis = [n[3 * k], n[3 * k + 1], n[3 * k + 2]];
            std::array::from_fn(|i| row(r, i, axis))
        });
        let s: [[f32; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|k| row(m, i, turned[k])));
        let (mut along_a, mut along_b) = (0.0_f32, 0.0_f32);
        for i in 0..3 {
            let others = s[i][0].abs() * b.half[0] + s[i][1].abs() * b.half[1] + s[i][2].abs() * b.half[2];
            let gap = da[i].abs() - a.half[i] - others;
            along_a += if gap > 0.0 { gap * gap } else { 0.0 };
        }
        for k in 0..3 {
            let centre = s[0][k] * da[0] + s[1][k] * da[1] + s[2][k] * da[2];
            let others = s[0][k].abs() * a.half[0] + s[1][k].abs() * a.half[1] + s[2][k].abs() * a.half[2];
            let gap = centre.abs() - b.half[k] - others;
            along_b += if gap > 0.0 { gap * gap } else { 0.0 };
        }
        (if along_a > along_b { along_a } else { along_b }) * (1.0 - ROUNDING)
    }
}
