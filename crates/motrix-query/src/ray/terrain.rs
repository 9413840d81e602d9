//! Rays against a height field: a solid of its base box, the ground under its triangles, and the walls at its border.
//!
//! The walk goes through the grid from cell to cell, and over whole blocks of the pyramid of extremes where the ray stays above the
//! highest or below the lowest node (Tevs, Ihrke and Seidel 2008, "Maximum mipmaps for fast, accurate, and scalable dynamic height
//! field rendering"): a free step climbs to blocks twice as large, a block that cannot be passed over is opened. A walk starts among
//! the cells: most rays of robots look at ground nearby, where the way up is shorter than the way down from the root.
//!
//! On which side of the surface the ray is is carried from cell to cell, so that none slips through between two of them, however the
//! crossings are rounded.

use motrix_collide::Surface;

use super::cell::Cell;
use super::solid::{Met, block};
use super::{Feature, Ray};

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
#[inline(always)]
pub fn terrain(Ground { surface, range }: &Ground, ray: &Ray, limit: f64) -> Met {
    let bottom = -surface.base();
    let [low, high] = *range;
    // The base ends at height 0, or at the lowest node when that is lower.
    let floor = low.min(0.0).max(bottom);
    let ground = match Walk::new(surface, ray, [floor, high], limit) {
        Some(mut walk) => walk.run(),
        None => None,
    };
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

/// A coordinate along a ray.
#[derive(Clone, Copy)]
pub(super) struct Along {
    /// At t = 0.
    pub start: f64,
    /// Its change with t.
    pub slope: f64,
    /// 1 over the change; infinite where there is none.
    inverse: f64,
}

impl Along {
    #[inline(always)]
    fn new(start: f64, slope: f64) -> Along {
        let inverse = if slope == 0.0 { f64::INFINITY } else { 1.0 / slope };
        Along { start, slope, inverse }
    }

    #[inline(always)]
    pub fn at(&self, t: f64) -> f64 {
        self.start + t * self.slope
    }
}

/// A horizontal axis of the grid: the place of the ray in cells of the window.
#[derive(Clone, Copy)]
struct Axis {
    along: Along,
    /// 1 where the ray goes towards higher cells or stays, 0 where towards lower ones.
    up: usize,
    /// How many cells there are.
    cells: usize,
    /// Where the window starts: blocks of the pyramid are counted from the field's corner.
    corner: usize,
}

impl Axis {
    #[inline(always)]
    fn new(along: Along, nodes: usize, corner: usize) -> Axis {
        Axis {
            along,
            up: usize::from(along.slope >= 0.0),
            cells: nodes - 1,
            corner,
        }
    }

    /// The cell at t.
    #[inline(always)]
    fn cell(&self, t: f64) -> usize {
        (self.along.at(t) as usize).min(self.cells - 1)
    }

    /// The next cell on the way; beyond the last when there is none.
    #[inline(always)]
    fn next(&self, cell: usize) -> usize {
        cell.wrapping_add(2 * self.up).wrapping_sub(1)
    }

    /// The block of `level` around a cell.
    #[inline(always)]
    fn block(&self, cell: usize, level: usize) -> usize {
        (cell + self.corner) >> level
    }

    /// Where the ray leaves the block of `level` around a cell: infinite or not a number when it never moves along this axis.
    #[inline(always)]
    fn leaves(&self, cell: usize, level: usize) -> f64 {
        let border = (self.block(cell, level) + self.up) << level;
        let border = border.wrapping_sub(self.corner) as i64 as f64;
        (border - self.along.start) * self.along.inverse
    }

    /// The cells of the window in the block of `level` around a cell: the first, and the first after them.
    #[inline(always)]
    fn cells_of_block(&self, cell: usize, level: usize) -> [usize; 2] {
        let first = self.block(cell, level) << level;
        [first, first + (1 << level)].map(|place| place.saturating_sub(self.corner).min(self.cells))
    }

    /// The first cell in the neighbour of the block of `level` around a cell; beyond the last when there is none.
    #[inline(always)]
    fn beyond_block(&self, cell: usize, level: usize) -> usize {
        let [from, to] = self.cells_of_block(cell, level);
        if self.up == 1 { to } else { from.wrapping_sub(1) }
    }

    /// The cell at t in the block of `level` around a cell, whatever rounding says.
    #[inline(always)]
    fn in_block(&self, cell: usize, level: usize, t: f64) -> usize {
        let [from, to] = self.cells_of_block(cell, level);
        (self.along.at(t).max(0.0) as usize).clamp(from, to - 1)
    }
}

/// Which border of a cell or a block the ray passes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Border {
    X,
    Y,
    /// None: the walk ends before.
    None,
}

/// A ray on its way through the grid.
pub(super) struct Walk<'f> {
    pub surface: Surface<'f>,
    x: Axis,
    y: Axis,
    /// Its height.
    pub z: Along,
    /// How far the walk has come.
    pub t: f64,
    /// Where the ray leaves the window, or the limit when that is nearer.
    end: f64,
    /// The border walls through which it comes in and goes out.
    walls: [Border; 2],
    /// Column and row of the cell at t.
    pub col: usize,
    pub row: usize,
}

impl<'f> Walk<'f> {
    #[inline(always)]
    fn new(surface: &Surface<'f>, ray: &Ray, [floor, high]: [f64; 2], limit: f64) -> Option<Walk<'f>> {
        let ([dx, dy], [half_x, half_y]) = (surface.spacing(), surface.half());
        let window = surface.window();
        let across = Along::new((ray.origin[0] + half_x) / dx, ray.direction[0] / dx);
        let along = Along::new((ray.origin[1] + half_y) / dy, ray.direction[1] / dy);
        let mut walk = Walk {
            surface: *surface,
            x: Axis::new(across, window.cols, window.col),
            y: Axis::new(along, window.rows, window.row),
            z: Along::new(ray.origin[2], ray.direction[2]),
            t: 0.0,
            end: limit,
            walls: [Border::None; 2],
            col: 0,
            row: 0,
        };
        let (z, last_col, last_row) = (walk.z, walk.x.cells as i64 as f64, walk.y.cells as i64 as f64);
        if !(walk.clip(z, [floor, high], Border::None)
            && walk.clip(across, [0.0, last_col], Border::X)
            && walk.clip(along, [0.0, last_row], Border::Y))
        {
            return None;
        }
        (walk.col, walk.row) = (walk.x.cell(walk.t), walk.y.cell(walk.t));
        Some(walk)
    }

    /// Shortens the walk to where a coordinate is between two; whether anything is left of it.
    #[inline(always)]
    fn clip(&mut self, along: Along, [low, high]: [f64; 2], border: Border) -> bool {
        if along.slope == 0.0 {
            return low <= along.start && along.start <= high;
        }
        let (a, b) = (
            (low - along.start) * along.inverse,
            (high - along.start) * along.inverse,
        );
        let (enter, leave) = if along.slope > 0.0 { (a, b) } else { (b, a) };
        if enter > self.t {
            (self.t, self.walls[0]) = (enter, border);
        }
        if leave < self.end {
            (self.end, self.walls[1]) = (leave, border);
        }
        self.t <= self.end
    }

    /// The side of the solid at a border wall; `ahead` for that through which the ray goes out.
    #[inline(always)]
    fn wall(&self, border: Border, ahead: bool) -> Option<Feature> {
        let (axis, up) = match border {
            Border::X => (0, self.x.up == 1),
            Border::Y => (1, self.y.up == 1),
            Border::None => return None,
        };
        let positive = up == ahead;
        Some(Feature::Flat { axis, positive })
    }

    /// Place inside the cell.
    #[inline(always)]
    pub fn in_cell(&self) -> [Along; 2] {
        let from = |along: Along, first: usize| Along {
            start: along.start - first as i64 as f64,
            ..along
        };
        [from(self.x.along, self.col), from(self.y.along, self.row)]
    }

    #[inline(always)]
    fn run(&mut self) -> Met {
        // A ray that comes in through the top is above everything.
        let from_top = self.t > 0.0 && self.z.slope < 0.0 && self.walls[0] == Border::None;
        let above = from_top || Cell::around(self).clearance(self.t) >= 0.0;
        if !above && let Some(wall) = self.wall(self.walls[0], false) {
            return Some((self.t, wall));
        }
        let mut on = On::Cells { above };
        loop {
            on = match on {
                On::Cells { above } => self.through_cells(above),
                On::Blocks { above } => self.past_blocks(above),
                On::Met(t, feature) => return Some((t, feature)),
                On::Out { above: true } => return None,
                On::Out { above: false } => return self.wall(self.walls[1], true).map(|wall| (self.end, wall)),
            }
        }
    }

    /// From cell to cell, until the ray comes to a block of four cells that it may pass as a whole. At least one cell is passed.
    #[inline(always)]
    fn through_cells(&mut self, mut above: bool) -> On {
        let scale = self.surface.elevation();
        let mut z = self.z.at(self.t);
        loop {
            let (leave, border) = self.leaves(0);
            let z_there = self.z.at(leave);
            let numbers = extremes(self.surface.cell_numbers(self.row, self.col));
            if !stays(above, [z, z_there], numbers, scale) {
                let (met, side) = Cell::around(self).crossing([self.t, leave], above);
                if let Some((t, feature)) = met {
                    return On::Met(t, feature);
                }
                above = side;
            }
            // Which way it goes is as good as random to the processor: both are computed and one is chosen.
            let x = border == Border::X;
            let (col, row) = (
                if x { self.x.next(self.col) } else { self.col },
                if x { self.row } else { self.y.next(self.row) },
            );
            if border == Border::None || col >= self.x.cells || row >= self.y.cells {
                return On::Out { above };
            }
            let blocks = [self.x.block(self.col, 1), self.y.block(self.row, 1)];
            (self.t, self.col, self.row, z) = (leave, col, row, z_there);
            if [self.x.block(col, 1), self.y.block(row, 1)] != blocks && self.is_clear_of_block(1, above, z) {
                return On::Blocks { above };
            }
        }
    }

    /// Past whole blocks, until one has to be opened: a free step climbs to blocks twice as large.
    #[inline(always)]
    fn past_blocks(&mut self, above: bool) -> On {
        let top = self.surface.field().level_count();
        let mut level = 1;
        while level > 0 {
            let (leave, border) = self.leaves(level);
            match self.passes(level, leave) {
                Some(side) if side != above => return On::Met(self.t, Cell::around(self).feature(self.t)),
                Some(_) => {}
                None => {
                    level -= 1;
                    continue;
                }
            }
            let larger = [self.x.block(self.col, level + 1), self.y.block(self.row, level + 1)];
            (self.col, self.row) = match border {
                Border::X => (
                    self.x.beyond_block(self.col, level),
                    self.y.in_block(self.row, level, leave),
                ),
                Border::Y => (
                    self.x.in_block(self.col, level, leave),
                    self.y.beyond_block(self.row, level),
                ),
                Border::None => return On::Out { above },
            };
            if self.col >= self.x.cells || self.row >= self.y.cells {
                return On::Out { above };
            }
            self.t = leave;
            // A block twice as large is worth a look when the ray comes into another one.
            let reached = [self.x.block(self.col, level + 1), self.y.block(self.row, level + 1)];
            if level < top && reached != larger {
                level += 1;
            }
        }
        On::Cells { above }
    }

    /// Where the ray leaves the block of `level` around the cell, and across which border.
    #[inline(always)]
    fn leaves(&self, level: usize) -> (f64, Border) {
        let (x, y) = (self.x.leaves(self.col, level), self.y.leaves(self.row, level));
        // What is not a number is never reached.
        let (leave, border) = if x < self.end {
            (x, Border::X)
        } else {
            (self.end, Border::None)
        };
        let (leave, border) = if y < leave { (y, Border::Y) } else { (leave, border) };
        (if leave > self.t { leave } else { self.t }, border)
    }

    /// Whether the ray passes over (`true`) or under (`false`) the whole block.
    #[inline(always)]
    fn passes(&self, level: usize, leave: f64) -> Option<bool> {
        let extremes = self.extremes(level)?;
        let ends = [self.z.at(self.t), self.z.at(leave)];
        let scale = self.surface.elevation();
        if stays(true, ends, extremes, scale) {
            Some(true)
        } else {
            stays(false, ends, extremes, scale).then_some(false)
        }
    }

    /// Whether a ray at height `z` is on its side of the whole block, which is less than to pass it, and sooner told.
    #[inline(always)]
    fn is_clear_of_block(&self, level: usize, above: bool, z: f64) -> bool {
        self.extremes(level)
            .is_some_and(|extremes| stays(above, [z, z], extremes, self.surface.elevation()))
    }

    /// The least and the greatest number of the block of `level` around the cell.
    #[inline(always)]
    fn extremes(&self, level: usize) -> Option<[f32; 2]> {
        let (col, row) = (self.x.block(self.col, level), self.y.block(self.row, level));
        let extremes = self.surface.field().block(level - 1, row, col)?;
        Some([extremes.min, extremes.max])
    }
}

/// How a walk goes on.
enum On {
    /// Cell by cell.
    Cells { above: bool },
    /// By whole blocks.
    Blocks { above: bool },
    /// Not at all: the surface is met.
    Met(f64, Feature),
    /// Not at all: the ray leaves the window, or comes to the limit.
    Out { above: bool },
}

/// The least and the greatest of four numbers.
#[inline(always)]
fn extremes([p, q, r, s]: [f32; 4]) -> [f32; 2] {
    let lower = |a: f32, b: f32| if a < b { a } else { b };
    let upper = |a: f32, b: f32| if a > b { a } else { b };
    [lower(lower(p, q), lower(r, s)), upper(upper(p, q), upper(r, s))]
}

/// Whether a ray between two heights stays on its side of everything between a least and a greatest number.
#[inline(always)]
fn stays(above: bool, [a, b]: [f64; 2], [least, greatest]: [f32; 2], scale: f64) -> bool {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if above {
        low > f64::from(greatest) * scale
    } else {
        high < f64::from(least) * scale
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
