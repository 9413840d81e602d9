//! Rays against a height field: a solid of its base box, the ground under its triangles, and the walls at its border.
//!
//! The walk goes through the grid from cell to cell, and over whole blocks of the pyramid of extremes where the ray stays above the
//! highest or below the lowest node (Tevs, Ihrke and Seidel 2008, "Maximum mipmaps for fast, accurate, and scalable dynamic height
//! field rendering"): a free step climbs to blocks twice as large, a block that cannot be passed over is opened.
//!
//! Inside a cell the height of the ray over each of the two triangles is linear in t, and the surface is met where it changes its
//! sign. The sign is carried from cell to cell, so that no ray slips through between two of them, however the crossings are rounded.

use motrix_collide::Surface;

use super::solid::{Met, block};
use super::{Feature, Ray};

/// The pyramid level at which a walk starts: most rays of robots look at ground nearby, where the way up from the cells is shorter than
/// the way down from the root, and a ray that comes in from above is near the highest node.
const FIRST_LEVEL: usize = 1;

/// A window of a height field, ready for many rays.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'f> {
    /// The window.
    pub surface: Surface<'f>,
    /// Its lowest and its highest node.
    pub range: [f64; 2],
}

impl<'f> Ground<'f> {
    /// Of a window.
    pub fn new(surface: Surface<'f>) -> Ground<'f> {
        Ground {
            surface,
            range: surface.range(),
        }
    }
}

/// Where a ray first meets the solid before `limit`.
pub fn terrain(Ground { surface, range }: &Ground, ray: &Ray, limit: f64) -> Met {
    let bottom = -surface.base();
    let [low, high] = *range;
    // The base ends at height 0, or at the lowest node when that is lower.
    let floor = low.min(0.0).max(bottom);
    let ground = Walk::new(surface, ray, [floor, high], limit).and_then(Walk::run);
    // A ray that comes from above meets the ground before it can get down to the base.
    let (from, down) = (ray.origin[2], ray.direction[2]);
    if let Some((t, _)) = ground
        && from > floor
        && (down >= 0.0 || t * down >= floor - from)
    {
        return ground;
    }
    let [half_x, half_y] = surface.half();
    let corner = |z: f64, sign: f64| [sign * half_x, sign * half_y, z];
    let base = block(corner(bottom, -1.0), corner(floor, 1.0), ray).filter(|(t, _)| *t <= limit);
    match (ground, base) {
        (Some(ground), Some(base)) => Some(if base.0 < ground.0 { base } else { ground }),
        (ground, base) => ground.or(base),
    }
}

/// A ray on its way through the grid. Places are in cells of the window: u along x, v along y.
struct Walk<'f> {
    surface: Surface<'f>,
    /// Column and row of the field at which the window starts: blocks of the pyramid are counted from the field's corner.
    corner: [usize; 2],
    /// Columns and rows of cells.
    cells: [usize; 2],
    /// Place and height at t = 0, and their changes with t.
    start: [f64; 3],
    slope: [f64; 3],
    /// 1 over the changes; infinite where there is none.
    inverse: [f64; 3],
    /// 1 where the ray goes towards higher cells or none, 0 where towards lower ones.
    up: [usize; 2],
    /// How far the walk has come.
    t: f64,
    /// Where the ray leaves the window, or the limit when that is nearer.
    end: f64,
    /// The border wall at `end`.
    last_wall: Option<Feature>,
    /// The border wall at the start.
    first_wall: Option<Feature>,
    /// Column and row of the cell at t.
    cell: [usize; 2],
}

impl<'f> Walk<'f> {
    fn new(surface: &Surface<'f>, ray: &Ray, [floor, high]: [f64; 2], limit: f64) -> Option<Walk<'f>> {
        let ([dx, dy], [half_x, half_y]) = (surface.spacing(), surface.half());
        let window = surface.window();
        let start = [
            (ray.origin[0] + half_x) / dx,
            (ray.origin[1] + half_y) / dy,
            ray.origin[2],
        ];
        let slope = [ray.direction[0] / dx, ray.direction[1] / dy, ray.direction[2]];
        let cells = [window.cols - 1, window.rows - 1];
        let last = cells.map(|count| count as f64);
        let (low, top) = ([0.0, 0.0, floor], [last[0], last[1], high]);

        let mut walk = Walk {
            surface: *surface,
            corner: [window.col, window.row],
            cells,
            start,
            slope,
            inverse: slope.map(|x| if x == 0.0 { f64::INFINITY } else { 1.0 / x }),
            up: [0, 1].map(|k| usize::from(slope[k] >= 0.0)),
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
            let (enter, leave) = ((near - start[k]) * walk.inverse[k], (far - start[k]) * walk.inverse[k]);
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
        walk.cell = [0, 1].map(|k| (walk.at(k, walk.t) as usize).min(cells[k] - 1));
        Some(walk)
    }

    /// Place along an axis.
    #[inline(always)]
    fn at(&self, k: usize, t: f64) -> f64 {
        self.start[k] + t * self.slope[k]
    }

    fn run(mut self) -> Met {
        // A ray that comes in through the top is above everything.
        let from_top = self.t > 0.0 && self.slope[2] < 0.0 && self.first_wall.is_none();
        let mut above = from_top || self.cell().clearance(&self, self.t) >= 0.0;
        if let (false, Some(wall)) = (above, self.first_wall) {
            return Some((self.t, wall));
        }
        let top = self.surface.field().level_count();
        let mut level = FIRST_LEVEL.min(top);
        loop {
            let (leave, axis) = self.leaves_block(level);
            if level > 0 {
                match self.passes(level, leave) {
                    Some(side) if side != above => return Some((self.t, self.cell().feature(&self, self.t))),
                    Some(_) => {}
                    None => {
                        level -= 1;
                        continue;
                    }
                }
            } else {
                let cell = self.cell();
                if !cell.is_passed(self.at(2, self.t), self.at(2, leave), above) {
                    let (met, side) = cell.crossing(&self, leave, above);
                    if met.is_some() {
                        return met;
                    }
                    above = side;
                }
            }
            let Some(axis) = axis else { break };
            // A block twice as large is worth a look when the ray comes into another one.
            let larger = self.block(level + 1, axis);
            if !self.step(level, leave, axis) {
                break;
            }
            if level < top && self.block(level + 1, axis) != larger {
                level += 1;
            }
        }
        self.last_wall.filter(|_| !above).map(|wall| (self.end, wall))
    }

    /// The block of `level` around the cell: its number along an axis, counted from the field's corner.
    #[inline(always)]
    fn block(&self, level: usize, k: usize) -> usize {
        (self.cell[k] + self.corner[k]) >> level
    }

    /// Where the ray leaves the block of `level` around the cell, and across which axis; none when the walk ends inside of it.
    #[inline(always)]
    fn leaves_block(&self, level: usize) -> (f64, Option<usize>) {
        let mut leave = (self.end, None);
        for k in 0..2 {
            let border = (self.block(level, k) + self.up[k]) << level;
            // Infinite or not a number when the ray never moves along this axis.
            let border = (border as i64 - self.corner[k] as i64) as f64;
            let t = (border - self.start[k]) * self.inverse[k];
            if t < leave.0 {
                leave = (if t > self.t { t } else { self.t }, Some(k));
            }
        }
        leave
    }

    /// Whether the ray passes over (`true`) or under (`false`) the whole block.
    #[inline(always)]
    fn passes(&self, level: usize, leave: f64) -> Option<bool> {
        let [col, row] = [0, 1].map(|k| self.block(level, k));
        let extremes = self.surface.field().block(level - 1, row, col)?;
        let scale = self.surface.elevation();
        let (a, b) = (self.at(2, self.t), self.at(2, leave));
        if a.min(b) > f64::from(extremes.max) * scale {
            Some(true)
        } else {
            (a.max(b) < f64::from(extremes.min) * scale).then_some(false)
        }
    }

    /// Moves into the neighbour of the block across `axis`; whether there is one in the window.
    #[inline(always)]
    fn step(&mut self, level: usize, leave: f64, axis: usize) -> bool {
        // The first cell of the block and the first after it, as far as they are in the window.
        let [from, to] = [0, 1].map(|after| {
            [0, 1].map(|k| {
                let place = (self.block(level, k) + after) << level;
                place.saturating_sub(self.corner[k]).min(self.cells[k])
            })
        });
        let next = if self.up[axis] == 1 {
            Some(to[axis]).filter(|&next| next < self.cells[axis])
        } else {
            from[axis].checked_sub(1)
        };
        let Some(next) = next else { return false };
        self.t = leave;
        self.cell[axis] = next;
        // The other axis stays in the block, whatever rounding says.
        let other = 1 - axis;
        let place = self.at(other, leave).max(0.0) as usize;
        self.cell[other] = place.clamp(from[other], to[other] - 1);
        true
    }

    fn cell(&self) -> Cell {
        let [col, row] = self.cell;
        let scale = self.surface.elevation();
        let [near, right, left, far] = self
            .surface
            .cell_numbers(row, col)
            .map(|number| f64::from(number) * scale);
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
        [
            walk.at(0, t) - self.col as i64 as f64,
            walk.at(1, t) - self.row as i64 as f64,
        ]
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

    /// Whether a ray between two heights stays on its side of all corners.
    #[inline(always)]
    fn is_passed(&self, a: f64, b: f64, above: bool) -> bool {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        let corners = [self.near, self.right, self.left, self.far];
        if above {
            corners.iter().all(|&corner| low > corner)
        } else {
            corners.iter().all(|&corner| high < corner)
        }
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
    use motrix_collide::vector::Vec3;
    use motrix_collide::{HeightField, HeightFieldSize, Window};
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

    fn whole(field: &HeightField, ray: &Ray, limit: f64) -> Met {
        terrain(&Ground::new(Surface::whole(field)), ray, limit)
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
            let found = whole(&field, &ray, f64::INFINITY).map_or(f64::INFINITY, |(t, _)| t);
            // Two ways to the same crossing, each rounded a few times at coordinates of a few metres.
            prop_assert!(found == limit || (found - limit).abs() < 1e-12, "{found} {limit}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn a_window_is_met_like_a_field_cut_out_along_it(
            (row, col) in (0_usize..9, 0_usize..12),
            (rows, cols) in (2_usize..9, 2_usize..9),
            z_scale in 0.1_f64..2.0,
            // Above the base, however they are stretched.
            heights in prop::collection::vec(-0.15_f32..1.0, 20 * 23),
            from in prop::array::uniform3(-1.5_f64..1.5),
            to in prop::array::uniform3(-0.5_f64..0.5),
        ) {
            let atlas = field(20, 23, heights);
            let shown = Surface::new(&atlas, Window { row, col, rows, cols, z_scale });
            let numbers = (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c)));
            let numbers = numbers.map(|(r, c)| atlas.height(row + r, col + c)).collect();
            let size = HeightFieldSize {
                radius_x: shown.half()[0],
                radius_y: shown.half()[1],
                elevation_z: shown.elevation(),
                base_z: shown.base(),
            };
            let cut = HeightField::new(rows, cols, size, numbers).expect("a valid field");
            let ray = Ray { origin: from, direction: [0, 1, 2].map(|k| to[k] - from[k]) };
            let distance = |met: Met| met.map_or(f64::INFINITY, |(t, _)| t);
            let (ours, theirs) = (
                distance(terrain(&Ground::new(shown), &ray, f64::INFINITY)),
                distance(whole(&cut, &ray, f64::INFINITY)),
            );
            // Spacings of the cut-out field are rounded again.
            prop_assert!(ours == theirs || (ours - theirs).abs() < 1e-12, "{ours} {theirs}");
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
                let (t, _) = whole(&field, &ray, f64::INFINITY).expect("the ray stands over the field");
                assert!((5.0 - t - z).abs() < 1e-15, "{row} {col}: {t}");
            }
        }
        let beside = Ray {
            origin: [2.1, 0.0, 5.0],
            direction: [0.0, 0.0, -1.0],
        };
        assert_eq!(whole(&field, &beside, f64::INFINITY), None);
    }

    #[test]
    fn rays_from_below_meet_the_base_and_rays_from_the_side_the_walls() {
        let field = field(3, 4, vec![0.25; 12]);
        let from_below = Ray {
            origin: [0.3, 0.2, -2.0],
            direction: [0.1, 0.0, 1.0],
        };
        let base = Feature::Flat {
            axis: 2,
            positive: false,
        };
        assert_eq!(whole(&field, &from_below, f64::INFINITY), Some((1.7, base)));
        // At the height of the base, and between it and the rim.
        for z in [-0.1, 0.15] {
            let from_beside = Ray {
                origin: [5.0, 0.2, z],
                direction: [-1.0, 0.0, 0.0],
            };
            let wall = Feature::Flat {
                axis: 0,
                positive: true,
            };
            let (t, feature) = whole(&field, &from_beside, f64::INFINITY).expect("there is a wall");
            assert!((t - 3.0).abs() < 1e-14, "{t}: a few roundings");
            assert_eq!(feature, wall);
        }
        // Over the rim there is none.
        let over = Ray {
            origin: [5.0, 0.2, 0.21],
            direction: [-1.0, 0.0, 0.0],
        };
        assert_eq!(whole(&field, &over, f64::INFINITY), None);
    }

    #[test]
    fn a_limit_hides_what_is_beyond_it() {
        let field = field(2, 2, vec![0.5; 4]);
        let ray = Ray {
            origin: [0.1, 0.2, 1.4],
            direction: [0.0, 0.0, -1.0],
        };
        assert_eq!(whole(&field, &ray, 0.9), None);
        assert!(whole(&field, &ray, 1.1).is_some());
    }
}
