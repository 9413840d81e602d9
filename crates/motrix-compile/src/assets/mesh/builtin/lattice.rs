//! Shapes made of lattice points, which also serve deformable bodies.
//!
//! Parameters are the numbers of points along the axes, their spacing, and optionally 2 for the surface alone. With an inside,
//! the points of the outside and a centre are given and the faces are those of the convex hull; the surface alone has
//! faces and is open at the top.

use super::{Flatness, MAX_VERTICES, Params, Surface};
use crate::assets::AssetError;
use crate::space;

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Box,
    Cylinder,
    Ellipsoid,
}

struct Lattice {
    count: [usize; 3],
    spacing: [f64; 3],
}

pub(super) fn from_params(params: &Params) -> Result<(Surface, Flatness), AssetError> {
    let is_sheet = matches!(params.name, "square" | "disc");
    let (lattice, dim) = match *params.values {
        [a, b, c, x, y, z] => (lattice(params, [a, b, c], [x, y, z])?, if is_sheet { 2 } else { 3 }),
        [a, b, c, x, y, z, dim] if !is_sheet => (
            lattice(params, [a, b, c], [x, y, z])?,
            params.integer("dimension", dim, 2, 3)?,
        ),
        _ => {
            let given = params.values.len();
            return Err(format!(
                "a built-in {} takes 3 counts, 3 spacings and a dimension, not {given} numbers",
                params.name
            )
            .into());
        }
    };
    let shape = match params.name {
        "box" => Shape::Box,
        "cylinder" => Shape::Cylinder,
        "ellipsoid" => Shape::Ellipsoid,
        _ if dim == 3 => return Ok((lattice.points(), Flatness::Solid)),
        _ => {
            params.check("there must be 1 point along z", lattice.count[2] == 1)?;
            return Ok((lattice.sheet(params.name == "disc"), Flatness::Open));
        }
    };
    params.check(
        "there must be 2 points or more along each axis",
        lattice.count.iter().all(|&count| count >= 2),
    )?;
    Ok(if dim == 3 {
        (lattice.solid(shape), Flatness::Solid)
    } else {
        (lattice.open_surface(shape), Flatness::Open)
    })
}

fn lattice(params: &Params, counts: [f64; 3], spacing: [f64; 3]) -> Result<Lattice, AssetError> {
    let mut count = [0; 3];
    for (count, value) in count.iter_mut().zip(counts) {
        *count = params.integer("number of points", value, 1, MAX_VERTICES)?;
    }
    let few_enough = count[0]
        .checked_mul(count[1])
        .and_then(|points| points.checked_mul(count[2]));
    params.check(
        "too many points",
        few_enough.is_some_and(|points| points <= MAX_VERTICES),
    )?;
    params.check("spacings must be finite", spacing.iter().all(|step| step.is_finite()))?;
    Ok(Lattice { count, spacing })
}

impl Lattice {
    /// All lattice points, centred; x varies slowest.
    fn points(&self) -> Surface {
        let [nx, ny, nz] = self.count;
        let along = |axis: usize, k: usize| self.spacing[axis] * (k as f64 - 0.5 * (self.count[axis] - 1) as f64);
        let mut vertices = Vec::with_capacity(nx * ny * nz);
        for ix in 0..nx {
            for iy in 0..ny {
                vertices.extend((0..nz).map(|iz| [along(0, ix), along(1, iy), along(2, iz)].map(|x| x as f32)));
            }
        }
        Surface {
            vertices,
            ..Surface::default()
        }
    }

    /// A flat sheet at z = 0; `round` pulls it onto a disc.
    fn sheet(&self, round: bool) -> Surface {
        const TINY: f64 = 1e-14;
        let [nx, ny, _] = self.count;
        let mut surface = Surface::default();
        for ix in 0..nx {
            for iy in 0..ny {
                let along =
                    |axis: usize, k: usize| self.spacing[axis] * (k as f64 - 0.5 * (self.count[axis] - 1) as f64);
                let [x, y] = [along(0, ix), along(1, iy)];
                surface.vertices.push(if round {
                    self.on_disc([x, y])
                } else {
                    [x as f32, y as f32, 0.0]
                });
                if ix + 1 < nx && iy + 1 < ny {
                    let at = |right: usize, up: usize| (ny * (ix + right) + iy + up) as u32;
                    let [a, b, c, d] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
                    // On a disc the diagonals point towards the centre.
                    let other_diagonal = (x < -TINY && y > -TINY) || (x > -TINY && y < -TINY);
                    if round && other_diagonal {
                        surface.faces.extend([[a, b, d], [b, c, d]]);
                    } else {
                        surface.faces.extend([[a, b, c], [a, c, d]]);
                    }
                }
            }
        }
        surface
    }

    /// Radial projection of a square onto a disc. The radius is multiplied by the distance in metres rather than by its
    /// share of the size: MuJoCo's discs are that small.
    fn on_disc(&self, point: [f64; 2]) -> [f32; 3] {
        let distance = point[0].abs().max(point[1].abs());
        let [x, y] = space::normalized(&point);
        [self.half_size(0) * distance * x, self.half_size(1) * distance * y, 0.0].map(|x| x as f32)
    }

    fn half_size(&self, axis: usize) -> f64 {
        0.5 * self.spacing[axis] * (self.count[axis] - 1) as f64
    }

    /// Where a point of the lattice's outside lies on the shape.
    fn project(&self, shape: Shape, index: [usize; 3]) -> [f32; 3] {
        let p: [f64; 3] = [0, 1, 2].map(|k| 2.0 * index[k] as f64 / (self.count[k] - 1) as f64 - 1.0);
        let p = match shape {
            Shape::Box => p,
            Shape::Cylinder => {
                let distance = p[0].abs().max(p[1].abs());
                let [x, y] = space::normalized(&[p[0], p[1]]);
                // Each product in MuJoCo's order: size times distance first.
                return [
                    x * (self.half_size(0) * distance),
                    y * (self.half_size(1) * distance),
                    p[2] * self.half_size(2),
                ]
                .map(|x| x as f32);
            }
            Shape::Ellipsoid => space::normalized(&p),
        };
        [0, 1, 2].map(|k| (p[k] * self.half_size(k)) as f32)
    }

    /// Points of the outside: sides of z first, then what is left of those of y, then of x. Without the top, the points of its
    /// rim belong to the other sides.
    fn outside(&self, with_top: bool) -> Vec<[usize; 3]> {
        let [nx, ny, nz] = self.count;
        let inner_z = 1..if with_top { nz - 1 } else { nz };
        let mut points = Vec::new();
        for iz in [0, nz - 1].into_iter().take(if with_top { 2 } else { 1 }) {
            points.extend((0..nx).flat_map(|ix| (0..ny).map(move |iy| [ix, iy, iz])));
        }
        for iy in [0, ny - 1] {
            points.extend((0..nx).flat_map(|ix| inner_z.clone().map(move |iz| [ix, iy, iz])));
        }
        for ix in [0, nx - 1] {
            points.extend((1..ny - 1).flat_map(|iy| inner_z.clone().map(move |iz| [ix, iy, iz])));
        }
        points
    }

    fn solid(&self, shape: Shape) -> Surface {
        let outside = self.outside(true).into_iter().map(|index| self.project(shape, index));
        Surface {
            vertices: std::iter::once([0.0; 3]).chain(outside).collect(),
            ..Surface::default()
        }
    }

    /// Bottom and walls.
    fn open_surface(&self, shape: Shape) -> Surface {
        let [nx, ny, nz] = self.count;
        let points = self.outside(false);
        let linear = |[ix, iy, iz]: [usize; 3]| (ix * ny + iy) * nz + iz;
        let mut place = vec![0u32; nx * ny * nz];
        for (index, &point) in points.iter().enumerate() {
            place[linear(point)] = index as u32;
        }
        let at = |point: [usize; 3]| place[linear(point)];

        let mut faces = Vec::new();
        for ix in 0..nx - 1 {
            for iy in 0..ny - 1 {
                let [a, b, c, d] = [[ix, iy, 0], [ix, iy + 1, 0], [ix + 1, iy + 1, 0], [ix + 1, iy, 0]].map(at);
                faces.extend([[a, c, d], [a, b, c]]);
            }
        }
        let mut wall = |corners: [[usize; 3]; 4]| {
            let [a, b, c, d] = corners.map(at);
            faces.extend([[a, b, c], [a, c, d]]);
        };
        for (iy, [first, second]) in [(0, [0, 1]), (ny - 1, [1, 0])] {
            for ix in 0..nx - 1 {
                for iz in 0..nz - 1 {
                    let (a, b) = (ix + first, ix + second);
                    wall([[a, iy, iz], [b, iy, iz], [b, iy, iz + 1], [a, iy, iz + 1]]);
                }
            }
        }
        for (ix, [first, second]) in [(0, [1, 0]), (nx - 1, [0, 1])] {
            for iy in 0..ny - 1 {
                for iz in 0..nz - 1 {
                    let (a, b) = (iy + first, iy + second);
                    wall([[ix, a, iz], [ix, b, iz], [ix, b, iz + 1], [ix, a, iz + 1]]);
                }
            }
        }
        Surface {
            vertices: points.into_iter().map(|index| self.project(shape, index)).collect(),
            faces,
            ..Surface::default()
        }
    }
}
