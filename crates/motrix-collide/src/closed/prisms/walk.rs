//! The cells below the shapes of all worlds, in one row: world by world, in the order of the grid, one per lane.
//!
//! A lane of a batch belongs to any world, so that shapes over few cells share batches and no lane stays empty at the end of a row.

use core::sync::atomic::AtomicU32;

use motrix_spatial::algebra::{add, sub};
use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::super::terrain::{Ground, MAX_LANES, highest_below};
use super::turn::Worlds;
use crate::cells::{self, Below, Place};
use crate::height_field::load;
use crate::terrain::Surface;

/// The numbers of lanes.
const LANES: [f64; MAX_LANES] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

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

/// Lanes of `near` in which a box may reach down to the ground around it. The gap must exceed what rounding may cost: whatever is
/// left out here, the walk would leave out.
#[inline(always)]
pub fn over_ground<L: Lanes>(ground: &Ground<L>, min: Vec3<L>, max: Vec3<L>, reach: L, near: L::Mask) -> L::Mask {
    let top = highest_below(ground, [min[0], min[1]], [max[0], max[1]], near);
    let floor = min[2] - reach;
    let slack = L::c(1e-6) * (floor.abs() + top.abs());
    near & !(floor - top).gt(slack)
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
    /// How cells are shaped, the same in all worlds.
    pub grid: Grid<L>,
}

/// How the cells of a field are shaped.
#[derive(Clone, Copy, Debug)]
pub struct Grid<L> {
    /// Distances between nodes.
    pub spacing: [L; 2],
    /// One over them.
    pub inverse: [L; 2],
    /// The unit normal of the diagonal from the near to the far corner is (x, −y).
    pub diagonal: [L; 2],
}

impl<L: Lanes> Grid<L> {
    #[inline(always)]
    pub fn new([dx, dy]: [L; 2]) -> Self {
        let across = dx.mul_add(dx, dy * dy).sqrt().recip();
        Self {
            spacing: [dx, dy],
            inverse: [dx.recip(), dy.recip()],
            diagonal: [dy * across, dx * across],
        }
    }
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
            grid: self.grid,
        }
    }
}

/// Cells of some worlds, one in each lane.
pub struct Cells<L: Lanes> {
    pub worlds: Worlds,
    /// Columns and rows from the first cell of the world's walk.
    pub col: L,
    pub row: L,
    /// The field's numbers at the near, right, left and far node.
    pub numbers: [L; 4],
    /// Lanes whose upper left prism reaches up to the shape, and whose other one does.
    pub reached: [L::Mask; 2],
}

/// Where a world's walk is: the next cell, and where rows and columns end.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    row: u32,
    col: u32,
    first_col: u32,
    end: [u32; 2],
}

/// A walk over the cells below the shapes.
pub struct Walk<'a, L: Lanes> {
    ground: &'a Ground<'a, L>,
    cursors: [Cursor; MAX_LANES],
    /// The first row and column of each world.
    first: [[u32; 2]; MAX_LANES],
    /// Prisms whose corners all have numbers below it are out of reach.
    floor: L,
    pub view: View<L>,
    /// Worlds that have cells left, a bit each.
    live: u32,
}

impl<'a, L: Lanes> Walk<'a, L> {
    /// Finds the cells below the shapes of the worlds `near`.
    #[inline(always)]
    pub fn below(ground: &'a Ground<'a, L>, bounds: &Bounds<L>, near: L::Mask) -> Self {
        let mut walk = Self {
            ground,
            cursors: [Cursor::default(); MAX_LANES],
            first: [[0; 2]; MAX_LANES],
            floor: L::ZERO,
            view: View {
                origin: [L::ZERO; 2],
                level: -bounds.level,
                base: -bounds.level - ground.window.base,
                elevation: ground.window.elevation,
                grid: Grid::new(ground.window.spacing),
            },
            live: 0,
        };
        let mut origin = [[L::Elem::default(); MAX_LANES]; 2];
        let mut floors = [L::Elem::default(); MAX_LANES];
        let mut bits = near.bits();
        while bits != 0 {
            let k = bits.trailing_zeros() as usize % MAX_LANES;
            bits &= bits - 1;
            let surface = Surface::new(ground.field, *ground.window.lane(k));
            let (min, max) = (of_world::<L>(&bounds.min, k), of_world::<L>(&bounds.max, k));
            let Some(Below { rows, cols, floor }) = Below::of_box(&surface, min, max, bounds.reach) else {
                continue;
            };
            // From afar a cell is placed in `f64`, the cells beside it by few steps: rounding stays that of the shape's size.
            let [x, y, _] = of_world::<L>(&bounds.centre, k);
            let [dx, dy] = surface.spacing();
            let [half_x, half_y] = surface.half();
            origin[0][k] = L::Elem::from_f64(dx * f64::from(cols.start) - half_x - x);
            origin[1][k] = L::Elem::from_f64(dy * f64::from(rows.start) - half_y - y);
            floors[k] = L::Elem::from_f64(f64::from(floor));
            walk.first[k] = [rows.start, cols.start];
            walk.cursors[k] = Cursor {
                row: rows.start,
                col: cols.start,
                first_col: cols.start,
                end: [rows.end, cols.end],
            };
            walk.live |= 1 << k;
        }
        walk.view.origin = [L::load(&origin[0]), L::load(&origin[1])];
        walk.floor = L::load(&floors);
        walk
    }

    /// Whether there are no cells left.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        self.live == 0
    }

    /// Leaves out what is left of the cells of worlds, a bit each.
    #[inline(always)]
    pub fn leave(&mut self, worlds: u32) {
        self.live &= !worlds;
    }

    /// The next cells, some of which reach up to their shapes.
    #[inline(always)]
    pub fn next_cells(&mut self) -> Option<Cells<L>> {
        let lanes = L::load(&LANES.map(L::Elem::from_f64));
        while self.live != 0 {
            let mut stored = [[L::Elem::default(); MAX_LANES]; 4];
            let (mut col, mut row) = (L::ZERO, L::ZERO);
            let mut index = [0; MAX_LANES];
            let mut filled = 0;
            while filled < L::COUNT && self.live != 0 {
                let k = self.live.trailing_zeros() as usize % MAX_LANES;
                let run = self.next_run(k, L::COUNT - filled);
                let window = self.ground.window.lane(k);
                let near = [window.row + run.row as usize, window.col + run.col as usize];
                let [near, far] = self.ground.field.beside(near[0], near[1], run.count);
                for (j, (near, far)) in near.windows(2).zip(far.windows(2)).enumerate() {
                    let lane = (filled + j) % MAX_LANES;
                    index[lane] = k as u32;
                    stored[0][lane] = number::<L>(&near[0]);
                    stored[1][lane] = number::<L>(&near[1]);
                    stored[2][lane] = number::<L>(&far[0]);
                    stored[3][lane] = number::<L>(&far[1]);
                }
                // The lanes from here on; those behind the run are another one's turn.
                let [first_row, first_col] = self.first[k];
                let here = lanes.ge(L::c(filled as f64));
                let before = L::c(f64::from(run.col - first_col) - filled as f64);
                col = L::select(here, lanes + before, col);
                row = L::select(here, L::c(f64::from(run.row - first_row)), row);
                filled += run.count;
            }
            let mut numbers = [L::ZERO; 4];
            for i in 0..4 {
                numbers[i] = L::load(&stored[i]);
            }
            let [near, right, left, far] = numbers;
            let worlds = Worlds::of_lanes(index, filled);
            let floor = worlds.pick(self.floor);
            // Both triangles of a cell have the diagonal in common.
            let diagonal = near.max(far);
            let active = L::Mask::from_bits((1 << filled) - 1);
            let reached = [
                active & diagonal.max(left).ge(floor),
                active & diagonal.max(right).ge(floor),
            ];
            if (reached[0] | reached[1]).any() {
                return Some(Cells {
                    worlds,
                    col,
                    row,
                    numbers,
                    reached,
                });
            }
        }
        None
    }

    /// The next cells of world `k` beside each other, at most `most`.
    #[inline(always)]
    fn next_run(&mut self, k: usize, most: usize) -> Run {
        let cursor = &mut self.cursors[k];
        let [end_row, end_col] = cursor.end;
        let count = (end_col - cursor.col).min(most as u32);
        let run = Run {
            row: cursor.row,
            col: cursor.col,
            count: count as usize,
        };
        cursor.col += count;
        if cursor.col == end_col {
            cursor.col = cursor.first_col;
            cursor.row += 1;
            if cursor.row == end_row {
                self.live &= !(1 << k);
            }
        }
        run
    }

    /// Where a prism of world `k` is, by its columns and rows from the first.
    #[inline(always)]
    pub fn cell(&self, k: usize, [col, row]: [L::Elem; 2]) -> [u32; 2] {
        let [first_row, first_col] = self.first[k];
        [first_row + row.to_f64() as u32, first_col + col.to_f64() as u32]
    }

    /// How many prisms of world `k` come behind one of them.
    pub fn count_behind(&self, k: usize, last: &Place) -> u32 {
        let surface = Surface::new(self.ground.field, *self.ground.window.lane(k));
        let ([_, first_col], [end_row, end_col]) = (self.first[k], self.cursors[k].end);
        let mut walk = cells::Walk::over(Below {
            rows: last.row..end_row,
            cols: first_col..end_col,
            floor: self.floor.lane(k).to_f32(),
        });
        let mut behind = 0;
        while let Some(place) = walk.next(&surface) {
            // A cell's upper left prism comes first.
            let (here, there) = ((place.row, place.col), (last.row, last.col));
            behind += u32::from(here > there || (here == there && last.upper_left && !place.upper_left));
        }
        behind
    }
}

/// The number of a node.
#[inline(always)]
fn number<L: Lanes>(node: &AtomicU32) -> L::Elem {
    L::Elem::from_f64(f64::from(load(node)))
}

/// Cells beside each other.
struct Run {
    row: u32,
    col: u32,
    count: usize,
}
