//! Where a picture is seen from, and the rays through its pixels.

use motrix_collide::vector::{Mat3, Vec3, sub};
use motrix_spatial::{Lanes, Real, Vec3 as LaneVec3};

use super::packet::lift;

/// A camera: it looks along its −z axis, y is up.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Where it is.
    pub position: Vec3,
    /// Its axes as columns, row-major.
    pub rotation: Mat3,
    /// The window at distance 1 in front of it, or in metres when `orthographic`: left, right, bottom, top.
    pub window: [f64; 4],
    /// Whether rays are parallel.
    pub orthographic: bool,
    /// Pixels per row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Depths between which things are seen.
    pub range: [f64; 2],
}

impl View {
    /// The window of a symmetric camera with this vertical angle, radians, or height in metres when orthographic.
    pub fn symmetric(fovy: f64, orthographic: bool, width: usize, height: usize) -> [f64; 4] {
        let top = if orthographic { 0.5 * fovy } else { (0.5 * fovy).tan() };
        let right = top * width as f64 / height as f64;
        [-right, right, -top, top]
    }

    /// A direction of the world in the frame of the camera.
    pub fn turned(&self, v: Vec3) -> Vec3 {
        let r = &self.rotation;
        [0, 1, 2].map(|k| r[k] * v[0] + r[3 + k] * v[1] + r[6 + k] * v[2])
    }

    /// A point of the world in the frame of the camera.
    pub fn seen(&self, point: Vec3) -> Vec3 {
        self.turned(sub(point, self.position))
    }

    /// The size of a pixel at distance 1, or anywhere when orthographic.
    pub fn pixel(&self) -> f64 {
        (self.window[3] - self.window[2]) / self.height as f64
    }
}

/// The numbers of a [`View`] that rays are made of.
#[derive(Clone, Copy, Debug)]
pub struct Lens {
    /// The left edge and the step to the next column.
    x: [f32; 2],
    /// The upper edge and the step to the next row.
    y: [f32; 2],
    orthographic: bool,
}

impl Lens {
    pub fn of(view: &View) -> Lens {
        let [left, right, bottom, top] = view.window;
        Lens {
            x: [left as f32, ((right - left) / view.width as f64) as f32],
            y: [top as f32, ((bottom - top) / view.height as f64) as f32],
            orthographic: view.orthographic,
        }
    }

    /// Rays through the middles of `L::COUNT` pixels from (`column`, `row`) on. The third component of every direction is −1, so that
    /// the parameter of a ray is the depth.
    #[inline(always)]
    pub fn rays<L: Lanes>(&self, column: usize, row: usize) -> (LaneVec3<L>, LaneVec3<L>) {
        let mut columns = L::ZERO;
        for k in 0..L::COUNT {
            columns.set_lane(k, L::Elem::from_f64((column + k) as f64 + 0.5));
        }
        let x = columns.mul_add(lift(self.x[1]), lift(self.x[0]));
        let y = L::c(row as f64 + 0.5).mul_add(lift(self.y[1]), lift(self.y[0]));
        if self.orthographic {
            ([x, y, L::ZERO], [L::ZERO, L::ZERO, -L::ONE])
        } else {
            ([L::ZERO; 3], [x, y, -L::ONE])
        }
    }
}
