//! The cells below the shapes of all worlds, world by world in the order of the grid, as many at a time as there are lanes.
//!
//! The cells of a batch belong to one world, so that what is known of its shape is the same in all lanes. They follow each other
//! along a row; where a shape is over few columns, several rows share a batch.

use motrix_spatial::algebra::{add, sub};
use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::super::terrain::{Ground, MAX_LANES};
use super::turn::Worlds;
use crate::cells;
use crate::terrain::Surface;

/// One vector per world, as numbers.
type Numbers<L> = [[<L as Lanes>::Elem; MAX_LANES]; 3];

/// The box around a shape in the frame of the field, and how far beyond it matters.
pub struct Bounds<L: Lanes> {
    min: Numbers<L>,
    max: Numbers<L>,
    centre: Numbers<L>,
    /// Height of the centre.
    level: L,
    reach: f64,
}

impl<L: Lanes> Bounds<L> {
    /// `reach` is the same in all lanes.
    #[inline(always)]
    pub fn new(centre: Vec3<L>, extents: [Vec3<L>; 2], reach: L) -> Self {
        Self {
            min: numbers(sub(centre, extents[0])),
            max: numbers(add(centre, extents[1])),
            centre: numbers(centre),
            level: centre[2],
            reach: reach.lane(0).to_f64(),
        }
    }
}

#[inline(always)]
fn numbers<L: Lanes>(v: Vec3<L>) -> Numbers<L> {
    let mut stored = [[L::Elem::default(); MAX_LANES]; 3];
    for i in 0..3 {
        v[i].store(&mut stored[i]);
    }
    stored
}

/// The vector of a world.
#[inline(always)]
fn of_world<L: Lanes>(numbers: &Numbers<L>, k: usize) -> [f64; 3] {
    [numbers[0][k].to_f64(), numbers[1][k].to_f64(), numbers[2][k].to_f64()]
}

/// Lanes of `near` in which a box may reach down to the ground around it: the highest of the blocks of the pyramid below it.
///
/// The blocks are those of a slightly larger box, and the gap must exceed what rounding may cost: whatever is left out here, the
/// walk would leave out.
#[inline(always)]
pub fn over_ground<L: Lanes>(ground: &Ground<L>, min: Vec3<L>, max: Vec3<L>, reach: L, near: L::Mask) -> L::Mask {
    let window = ground.window;
    // Columns and rows, the first and the last.
    let mut cells = [[L::Elem::default(); MAX_LANES]; 4];
    for i in 0..2 {
        let inverse = window.spacing[i].recip();
        let (first, last) = ((min[i] + window.half[i]) * inverse, (max[i] + window.half[i]) * inverse);
        let slack = L::c(1e-6);
        (first - slack.mul_add(first.abs(), L::c(0.01))).store(&mut cells[2 * i]);
        (last + slack.mul_add(last.abs(), L::c(0.01))).store(&mut cells[2 * i + 1]);
    }
    let mut highest = [L::Elem::default(); MAX_LANES];
    let mut bits = near.bits();
    while bits != 0 {
        let k = bits.trailing_zeros() as usize % MAX_LANES;
        bits &= bits - 1;
        let window = window.lane(k);
        // Saturating conversions: what is beside the window is taken to its border.
        let cell = |i: usize, most: usize| (cells[i][k].to_f32() as usize).min(most);
        let cols = [cell(0, window.cols - 2), cell(1, window.cols - 2)].map(|col| window.col + col);
        let rows = [cell(2, window.rows - 2), cell(3, window.rows - 2)].map(|row| window.row + row);
        highest[k] = L::Elem::from_f64(f64::from(ground.field.highest_between(rows, cols)));
    }
    let top = L::load(&highest) * window.elevation;
    let floor = min[2] - reach;
    let slack = L::c(1e-6) * (floor.abs() + top.abs());
    !(floor - top).gt(slack)
}

/// How the field lies, seen from the centre of each world's shape.
#[derive(Clone, Copy, Debug)]
pub struct View<L> {
    /// x and y of the near corner of the first cell of the walk.
    pub origin: [L; 2],
    /// z of the field's origin and of its base.
    pub level: L,
    pub base: L,
    /// Height of the number 1.
    pub elevation: L,
    /// Distances between nodes.
    pub spacing: [L; 2],
}

impl<L: Lanes> View<L> {
    /// The views of the worlds of a batch.
    #[inline(always)]
    pub fn pick(&self, worlds: &Worlds) -> Self {
        Self {
            origin: [worlds.pick(self.origin[0]), worlds.pick(self.origin[1])],
            level: worlds.pick(self.level),
            base: worlds.pick(self.base),
            elevation: worlds.pick(self.elevation),
            spacing: self.spacing,
        }
    }
}

/// Cells of one world, one in each lane.
pub struct Cells<L: Lanes> {
    /// Columns and rows from the first cell of the walk.
    pub col: L,
    pub row: L,
    /// The field's numbers at the near, right, left and far node.
    pub numbers: [L; 4],
    /// Lanes whose upper left prism reaches up to the shape, and whose other one does.
    pub reached: [L::Mask; 2],
    /// The same, as they were read.
    pub stored: [[L::Elem; MAX_LANES]; 4],
    /// How many prisms came before them.
    pub passed: u32,
}

/// What the lanes of a world's batches have in common.
pub struct Lane<L> {
    world: usize,
    /// Columns and rows of each lane from the first.
    col: L,
    row: L,
    /// Prisms whose corners all have numbers below it are out of reach.
    floor: L,
}

/// A walk over the cells below the shapes.
pub struct Walk<'a, L: Lanes> {
    ground: &'a Ground<'a, L>,
    cursors: [cells::Walk; MAX_LANES],
    pub first: [[u32; 2]; MAX_LANES],
    pub view: View<L>,
    /// Worlds that have cells, a bit each.
    live: u32,
}

impl<'a, L: Lanes> Walk<'a, L> {
    /// Finds the cells below the shapes of the worlds `near`.
    #[inline(always)]
    pub fn below(ground: &'a Ground<'a, L>, bounds: &Bounds<L>, near: L::Mask) -> Self {
        let mut walk = Self {
            ground,
            cursors: Default::default(),
            first: [[0; 2]; MAX_LANES],
            view: View {
                origin: [L::ZERO; 2],
                level: -bounds.level,
                base: -bounds.level - ground.window.base,
                elevation: ground.window.elevation,
                spacing: ground.window.spacing,
            },
            live: 0,
        };
        let mut origin = [[L::Elem::default(); MAX_LANES]; 2];
        let mut bits = near.bits();
        while bits != 0 {
            let k = bits.trailing_zeros() as usize % MAX_LANES;
            bits &= bits - 1;
            let surface = Surface::new(ground.field, *ground.window.lane(k));
            let (min, max) = (of_world::<L>(&bounds.min, k), of_world::<L>(&bounds.max, k));
            let Some(cursor) = cells::Walk::below(&surface, min, max, bounds.reach) else {
                continue;
            };
            // From afar a cell is placed in `f64`, the cells beside it by few steps: rounding stays that of the shape's size.
            let [row, col] = cursor.start();
            let [x, y, _] = of_world::<L>(&bounds.centre, k);
            let [dx, dy] = surface.spacing();
            let [half_x, half_y] = surface.half();
            origin[0][k] = L::Elem::from_f64(dx * f64::from(col) - half_x - x);
            origin[1][k] = L::Elem::from_f64(dy * f64::from(row) - half_y - y);
            walk.first[k] = [row, col];
            walk.cursors[k] = cursor;
            walk.live |= 1 << k;
        }
        walk.view.origin = [L::load(&origin[0]), L::load(&origin[1])];
        walk
    }

    /// How many prisms world `k` has passed.
    pub fn passed(&self, k: usize) -> u32 {
        self.cursors[k].passed()
    }

    /// The next world with cells.
    #[inline(always)]
    pub fn next_world(&mut self) -> Option<Lane<L>> {
        if self.live == 0 {
            return None;
        }
        let world = self.live.trailing_zeros() as usize % MAX_LANES;
        self.live &= self.live - 1;
        let cursor = &self.cursors[world];
        let shift = cursor.shift(L::COUNT as u32);
        let mut steps = [[L::Elem::default(); MAX_LANES]; 2];
        for j in 0..MAX_LANES as u32 {
            steps[0][j as usize] = L::Elem::from_f64(f64::from(j & ((1 << shift) - 1)));
            steps[1][j as usize] = L::Elem::from_f64(f64::from(j >> shift));
        }
        Some(Lane {
            world,
            col: L::load(&steps[0]),
            row: L::load(&steps[1]),
            floor: L::c(f64::from(cursor.floor())),
        })
    }

    /// The next cells of a world that reach up to its shape.
    #[inline(always)]
    pub fn next_cells(&mut self, lane: &Lane<L>) -> Option<Cells<L>> {
        let k = lane.world % MAX_LANES;
        let (field, window) = (self.ground.field, self.ground.window.lane(k));
        let (cursor, [first_row, first_col]) = (&mut self.cursors[k], self.first[k]);
        loop {
            let strip = cursor.next_strip(L::COUNT as u32)?;
            let mut stored = [[L::Elem::default(); MAX_LANES]; 4];
            let mut active = 0;
            for i in 0..strip.rows {
                let row = window.row + (strip.row + i) as usize;
                let col = window.col + strip.col as usize;
                let from = (i << strip.shift) as usize;
                if strip.cols as usize == MAX_LANES {
                    let [near, far] = field.strip(row, col);
                    for j in 0..MAX_LANES {
                        put([near[j], near[j + 1], far[j], far[j + 1]], j, &mut stored);
                    }
                } else {
                    for j in 0..strip.cols as usize {
                        put(field.cell(row, col + j), (from + j) % MAX_LANES, &mut stored);
                    }
                }
                active |= ((1 << strip.cols) - 1) << from;
            }
            let mut numbers = [L::ZERO; 4];
            for i in 0..4 {
                numbers[i] = L::load(&stored[i]);
            }
            let [near, right, left, far] = numbers;
            // Both triangles of a cell have the diagonal in common.
            let diagonal = near.max(far);
            let active = L::Mask::from_bits(active);
            let reached = [
                active & diagonal.max(left).ge(lane.floor),
                active & diagonal.max(right).ge(lane.floor),
            ];
            let count = reached[0].count() + reached[1].count();
            if count != 0 {
                return Some(Cells {
                    col: lane.col + L::c(f64::from(strip.col - first_col)),
                    row: lane.row + L::c(f64::from(strip.row - first_row)),
                    numbers,
                    reached,
                    stored,
                    passed: cursor.pass(count),
                });
            }
        }
    }
}

impl<L> Lane<L> {
    /// The world.
    #[inline(always)]
    pub fn world(&self) -> usize {
        self.world
    }
}

/// Enters the numbers of a cell.
#[inline(always)]
fn put<E: Real>(numbers: [f32; 4], lane: usize, stored: &mut [[E; MAX_LANES]; 4]) {
    for i in 0..4 {
        stored[i][lane] = E::from_f64(f64::from(numbers[i]));
    }
}
