//! Rays against a height field: a solid of its base box, the ground under its triangles, and the walls at its border.
//!
//! The walk goes through the grid from cell to cell, and over whole blocks of the pyramid of extremes where the ray stays above the
//! highest or below the lowest node (Tevs, Ihrke and Seidel 2008, "Maximum mipmaps for fast, accurate, and scalable dynamic height
//! field rendering"): a free step climbs to blocks twice as large, a block that cannot be passed over is opened. A walk starts among
//! the cells: most rays of robots look at ground nearby, where the way up is shorter than the way down from the root.
//!
//! On which side of the surface the ray is is carried from cell to cell, so that none slips through between two of them, however the
//! crossings are rounded.

#[cfg(test)]
mod tests;

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
