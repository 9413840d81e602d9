//! Rays against a height field: a solid of its base box, the ground under its triangles, and the walls at its border.
//!
//! The walk goes through the grid from cell to cell, and over whole blocks of the pyramid of extremes where the ray stays above the
//! highest or below the lowest node (Tevs, Ihrke and Seidel 2008, "Maximum mipmaps for fast, accurate, and scalable dynamic height
//! field rendering"): a free step climbs to blocks twice as large, a block that cannot be passed over is opened.
//!
//! Inside a cell the height of the ray over each of the two triangles is linear in t, and the surface is met where it changes its
//! sign. The sign is carried from cell to cell, so that no ray slips through between two of them, however the crossings are rounded.

use motrix_collide::HeightField;

use super::solid::{Met, block};
use super::{Feature, Ray};

/// The pyramid level at which a walk starts: most rays of robots look at ground nearby, where the way up from the cells is shorter than
/// the way down from the root.
const FIRST_LEVEL: usize = 3;

/// Where a ray first meets the solid before `limit`.
pub fn terrain(field: &HeightField, ray: &Ray, limit: f64) -> Met {
    let size = field.size();
    let extremes = field.block(field.level_count() - 1, 0, 0)?;
    let high = f64::from(extremes.max) * size.elevation_z;
    // The base ends at height 0, or at the lowest node when that is lower.
    let floor = (f64::from(extremes.min) * size.elevation_z).min(0.0);
    let corner = |z: f64, sign: f64| [sign * size.radius_x, sign * size.radius_y, z];
    let base = block(corner(-size.base_z, -1.0), corner(floor, 1.0), ray).filter(|(t, _)| *t <= limit);
    let limit = base.map_or(limit, |(t, _)| t);
    let ground = Walk::new(field, ray, [floor, high], limit).and_then(Walk::run);
    match (ground, base) {
        (Some(ground), Some(base)) => Some(if base.0 < ground.0 { base } else { ground }),
        (ground, base) => ground.or(base),
    }
}

/// A ray on its way through the grid. Places are in cells: u along x, v along y.
struct Walk<'f> {
    field: &'f HeightField,
    /// Place and height at t = 0, and their changes with t.
    start: [f64; 3],
    slope: [f64; 3],
    /// How far the walk has come.
    t: f64,
    /// Where the ray leaves the field, or the limit when that is nearer.
    end: f64,
    /// The border wall at `end`.
    last_wall: Option<Feature>,
    /// The border wall at the start.
    first_wall: Option<Feature>,
    /// Column and row of the cell at t.
    cell: [usize; 2],
}

impl<'f> Walk<'f> {
    fn new(field: &'f HeightField, ray: &Ray, [floor, high]: [f64; 2], limit: f64) -> Option<Walk<'f>> {
        let size = field.size();
        let [dx, dy] = field.spacing();
        let start = [
            (ray.origin[0] + size.radius_x) / dx,
            (ray.origin[1] + size.radius_y) / dy,
            ray.origin[2],
        ];
        let slope = [ray.direction[0] / dx, ray.direction[1] / dy, ray.direction[2]];
        let last = [(field.ncol() - 1) as f64, (field.nrow() - 1) as f64];
        let (low, top) = ([0.0, 0.0, floor], [last[0], last[1], high]);

        let mut walk = Walk {
            field,
            start,
            slope,
            t: 0.0,
            end: limit,
            last_wall: None,
            first_wall: None,
            cell: [0; 2],
        };
        for k in 0..3 {
            if slope[k] == 0.0 {
                if start[k] < low[k] || start[k] > top[k] {
                    return None;
                }
                continue;
            }
            let upward = slope[k] > 0.0;
            let (near, far) = if upward { (low[k], top[k]) } else { (top[k], low[k]) };
            let (enter, leave) = ((near - start[k]) / slope[k], (far - start[k]) / slope[k]);
            let wall = |positive| {
                (k < 2).then_some(Feature::Flat {
                    axis: k as u8,
                    positive,
                })
            };
            if enter > walk.t {
                (walk.t, walk.first_wall) = (enter, wall(!upward));
            }
            if leave < walk.end {
                (walk.end, walk.last_wall) = (leave, wall(upward));
            }
        }
        if !(walk.t <= walk.end) {
            return None;
        }
        walk.cell = [0, 1].map(|k| (walk.at(k, walk.t) as usize).min(last[k] as usize - 1));
        Some(walk)
    }

    /// Place along an axis.
    #[inline(always)]
    fn at(&self, k: usize, t: f64) -> f64 {
        self.start[k] + t * self.slope[k]
    }

    fn run(mut self) -> Met {
        let mut above = self.cell().clearance(&self, self.t) >= 0.0;
        if let (false, Some(wall)) = (above, self.first_wall) {
            return Some((self.t, wall));
        }
        let top = self.field.level_count();
        let mut level = FIRST_LEVEL.min(top);
        loop {
            let (leave, axis) = self.leaves_block(level);
            let passes = match level {
                0 => None,
                _ => self.passes(level, leave),
            };
            match passes {
                Some(side) if side != above => return Some((self.t, self.cell().feature(&self, self.t))),
                Some(_) => {}
                None if level > 0 => {
                    level -= 1;
                    continue;
                }
                None => {
                    let (met, side) = self.cell().crossing(&self, leave, above);
                    if met.is_some() {
                        return met;
                    }
                    above = side;
                }
            }
            let Some(axis) = axis else { break };
            self.step(level, leave, axis);
            level = (level + 1).min(top);
        }
        self.last_wall.filter(|_| !above).map(|wall| (self.end, wall))
    }

    /// Where the ray leaves the block of `level` around the cell, and across which axis; none when the walk ends inside of it.
    #[inline(always)]
    fn leaves_block(&self, level: usize) -> (f64, Option<usize>) {
        let mut leave = (self.end, None);
        for k in 0..2 {
            let first = self.cell[k] >> level;
            let border = if self.slope[k] > 0.0 { first + 1 } else { first } << level;
            let t = (border as f64 - self.start[k]) / self.slope[k];
            // Not a number or infinite when the ray never moves along this axis.
            if t < leave.0 && self.slope[k] != 0.0 {
                leave = (t.max(self.t), Some(k));
            }
        }
        leave
    }

    /// Whether the ray passes over (`true`) or under (`false`) the whole block.
    #[inline(always)]
    fn passes(&self, level: usize, leave: f64) -> Option<bool> {
        let [col, row] = self.cell.map(|c| c >> level);
        let extremes = self.field.block(level - 1, row, col)?;
        let scale = self.field.size().elevation_z;
        let (a, b) = (self.at(2, self.t), self.at(2, leave));
        if a.min(b) > f64::from(extremes.max) * scale {
            Some(true)
        } else {
            (a.max(b) < f64::from(extremes.min) * scale).then_some(false)
        }
    }

    /// Moves into the neighbour of the block across `axis`.
    #[inline(always)]
    fn step(&mut self, level: usize, leave: f64, axis: usize) {
        let side = 1 << level;
        let block = self.cell.map(|c| c >> level << level);
        let cells = [self.field.ncol() - 1, self.field.nrow() - 1];
        self.t = leave;
        let next = if self.slope[axis] > 0.0 {
            block[axis] + side
        } else {
            block[axis].saturating_sub(1)
        };
        self.cell[axis] = next.min(cells[axis] - 1);
        // The other axis stays in the block, whatever rounding says.
        let other = 1 - axis;
        let place = self.at(other, leave).max(0.0) as usize;
        self.cell[other] = place.clamp(block[other], (block[other] + side).min(cells[other]) - 1);
    }

    fn cell(&self) -> Cell {
        let [col, row] = self.cell;
        let scale = self.field.size().elevation_z;
        let [near, right, left, far] = self.field.cell(row, col).map(|number| f64::from(number) * scale);
        Cell {
            col,
            row,
            near,
            right,
            left,
            far,
        }
    }
}

/// A cell and the heights of its corners, cut along the diagonal from `near` to `far`.
struct Cell {
    col: usize,
    row: usize,
    near: f64,
    right: f64,
    left: f64,
    far: f64,
}

impl Cell {
    /// Place inside the cell.
    #[inline(always)]
    fn place(&self, walk: &Walk, t: f64) -> [f64; 2] {
        [walk.at(0, t) - self.col as f64, walk.at(1, t) - self.row as f64]
    }

    /// Height of the ray over the plane of one of the triangles.
    #[inline(always)]
    fn over(&self, walk: &Walk, t: f64, right: bool) -> f64 {
        let [u, v] = self.place(walk, t);
        let surface = if right {
            self.near + u * (self.right - self.near) + v * (self.far - self.right)
        } else {
            self.near + v * (self.left - self.near) + u * (self.far - self.left)
        };
        walk.at(2, t) - surface
    }

    /// Height of the ray over the surface.
    fn clearance(&self, walk: &Walk, t: f64) -> f64 {
        let [u, v] = self.place(walk, t);
        self.over(walk, t, u > v)
    }

    fn feature(&self, walk: &Walk, t: f64) -> Feature {
        let [u, v] = self.place(walk, t);
        self.slope(u > v)
    }

    fn slope(&self, right: bool) -> Feature {
        Feature::Slope {
            row: self.row as u32,
            col: self.col as u32,
            right,
        }
    }

    /// Where the ray changes sides until `leave`, and on which side it leaves.
    #[inline(always)]
    fn crossing(&self, walk: &Walk, leave: f64, mut above: bool) -> (Met, bool) {
        let [u, v] = self.place(walk, 0.0);
        // Where the diagonal is crossed: not a number or infinite when the ray runs along it.
        let diagonal = (v - u) / (walk.slope[0] - walk.slope[1]);
        let middle = if diagonal > walk.t && diagonal < leave {
            diagonal
        } else {
            leave
        };
        for (from, to) in [(walk.t, middle), (middle, leave)] {
            let [u, v] = self.place(walk, 0.5 * (from + to));
            let right = u > v;
            let (a, b) = (self.over(walk, from, right), self.over(walk, to, right));
            if (a >= 0.0) != above {
                return (Some((from, self.slope(right))), above);
            }
            if (b >= 0.0) != above {
                let t = from + (to - from) * (a / (a - b));
                return (Some((t, self.slope(right))), above);
            }
            above = b >= 0.0;
        }
        (None, above)
    }
}

#[cfg(test)]
mod tests {
    use motrix_collide::HeightFieldSize;
    use motrix_collide::vector::Vec3;
    use proptest::prelude::*;

    use super::*;
    use crate::mesh::Mesh;

    fn field(nrow: usize, ncol: usize, heights: Vec<f32>) -> HeightField {
        let size = HeightFieldSize {
            radius_x: 2.0,
            radius_y: 1.0,
            elevation_z: 0.8,
            base_z: 0.3,
        };
        HeightField::new(nrow, ncol, size, heights).expect("a valid field")
    }

    /// The closed surface of the ground: slopes, walls down to the floor.
    fn triangulated(field: &HeightField) -> Mesh {
        let mut corners: Vec<Vec3> = Vec::new();
        for row in 0..field.nrow() - 1 {
            for col in 0..field.ncol() - 1 {
                corners.extend(field.triangles_of_cell(row, col).as_flattened());
            }
        }
        let mut wall = |a: Vec3, b: Vec3| {
            let down = |p: Vec3| [p[0], p[1], 0.0];
            corners.extend([a, b, down(a), b, down(b), down(a)]);
        };
        let (r, c) = (field.nrow() - 1, field.ncol() - 1);
        (0..c).for_each(|k| wall(field.node(0, k), field.node(0, k + 1)));
        (0..c).for_each(|k| wall(field.node(r, k), field.node(r, k + 1)));
        (0..r).for_each(|k| wall(field.node(k, 0), field.node(k + 1, 0)));
        (0..r).for_each(|k| wall(field.node(k, c), field.node(k + 1, c)));
        let faces: Vec<[u32; 3]> = (0..corners.len() as u32 / 3)
            .map(|k| [3 * k, 3 * k + 1, 3 * k + 2])
            .collect();
        Mesh::new(&corners, &faces)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn the_walk_meets_what_the_triangles_meet(
            (nrow, ncol) in (2_usize..20, 2_usize..20),
            seed in prop::collection::vec(0.0_f32..1.0, 400),
            from in prop::array::uniform3(-3.0_f64..3.0),
            to in prop::array::uniform3(-1.0_f64..1.0),
        ) {
            let field = field(nrow, ncol, seed[..nrow * ncol].to_vec());
            let to = [2.0 * to[0], to[1], 0.4 + 0.4 * to[2]];
            let ray = Ray { origin: from, direction: [0, 1, 2].map(|k| to[k] - from[k]) };
            let base = block([-2.0, -1.0, -0.3], [2.0, 1.0, 0.0], &ray).map(|(t, _)| t);
            let mut limit = base.unwrap_or(f64::INFINITY);
            if let Some(met) = triangulated(&field).met_by(&ray, limit) {
                limit = met.distance;
            }
            let found = terrain(&field, &ray, f64::INFINITY).map_or(f64::INFINITY, |(t, _)| t);
            // Two ways to the same crossing, each rounded a few times at coordinates of a few metres.
            prop_assert!(found == limit || (found - limit).abs() < 1e-12, "{found} {limit}");
        }
    }

    #[test]
    fn vertical_rays_meet_nodes_edges_and_borders() {
        let field = field(3, 5, (0..15).map(|i| (i * 7 % 15) as f32 / 15.0).collect());
        for row in 0..3 {
            for col in 0..5 {
                let [x, y, z] = field.node(row, col);
                let ray = Ray {
                    origin: [x, y, 5.0],
                    direction: [0.0, 0.0, -1.0],
                };
                let (t, _) = terrain(&field, &ray, f64::INFINITY).expect("the ray stands over the field");
                assert!((5.0 - t - z).abs() < 1e-15, "{row} {col}: {t}");
            }
        }
        let beside = Ray {
            origin: [2.1, 0.0, 5.0],
            direction: [0.0, 0.0, -1.0],
        };
        assert_eq!(terrain(&field, &beside, f64::INFINITY), None);
    }

    #[test]
    fn a_limit_hides_what_is_beyond_it() {
        let field = field(2, 2, vec![0.5; 4]);
        let ray = Ray {
            origin: [0.1, 0.2, 1.4],
            direction: [0.0, 0.0, -1.0],
        };
        assert_eq!(terrain(&field, &ray, 0.9), None);
        assert!(terrain(&field, &ray, 1.1).is_some());
    }
}
