//! Boxes that fit triangles closely.
//!
//! The spread of a surface about its centre of area tells its principal axes. Sums over triangles add up from parts to the whole, so that the
//! axes of every node of a tree follow from those of its children; only how far the triangles reach along them takes a look at all of them.

use std::ops::Add;

use motrix_collide::vector::{Vec3, cross, dot, norm, sub, unit};

use super::obb::Obb;
use super::triangle::Triangle;

/// ∫ 1, ∫ p and ∫ ppᵀ over triangles, about a common origin.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    area: f64,
    first: Vec3,
    /// xx, yy, zz, xy, yz, zx.
    second: [f64; 6],
}

impl Moments {
    /// Of a triangle: ∫ ppᵀ is area/12 (9 ggᵀ + Σ ppᵀ), with the centroid g and corners p. A triangle without area counts a little, so
    /// that it still has a place.
    pub fn of(triangle: &Triangle, origin: Vec3) -> Moments {
        let [a, b, c] = triangle.map(|p| sub(p, origin));
        let area = 0.5 * norm(cross(sub(b, a), sub(c, a))) + f64::MIN_POSITIVE;
        let centroid: Vec3 = std::array::from_fn(|k| (a[k] + b[k] + c[k]) / 3.0);
        let product = |i: usize, j: usize| {
            let corners = a[i] * a[j] + b[i] * b[j] + c[i] * c[j];
            area / 12.0 * (9.0 * centroid[i] * centroid[j] + corners)
        };
        Moments {
            area,
            first: centroid.map(|x| area * x),
            second: [
                product(0, 0),
                product(1, 1),
                product(2, 2),
                product(0, 1),
                product(1, 2),
                product(2, 0),
            ],
        }
    }

    /// Axes along which the surface spreads most and least.
    fn principal_axes(&self) -> [Vec3; 3] {
        let mean = self.first.map(|x| x / self.area);
        let about_mean = |n: usize, i: usize, j: usize| self.second[n] / self.area - mean[i] * mean[j];
        let (xy, yz, zx) = (about_mean(3, 0, 1), about_mean(4, 1, 2), about_mean(5, 2, 0));
        let (xx, yy, zz) = (about_mean(0, 0, 0), about_mean(1, 1, 1), about_mean(2, 2, 2));
        eigenvectors([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
    }
}

impl Add for Moments {
    type Output = Moments;

    fn add(self, other: Moments) -> Moments {
        Moments {
            area: self.area + other.area,
            first: std::array::from_fn(|k| self.first[k] + other.first[k]),
            second: std::array::from_fn(|k| self.second[k] + other.second[k]),
        }
    }
}

/// The smallest found of boxes along the principal axes, along the frame's axes and, of few triangles, along their edges.
pub fn around(triangles: &[Triangle], moments: &Moments) -> Obb {
    let mut best = Fit::along(triangles, IDENTITY);
    let mut offer = |axes: [Vec3; 3]| {
        let fit = Fit::along(triangles, axes);
        if fit.area < best.area {
            best = fit;
        }
    };
    offer(moments.principal_axes());
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
