//! The prisms below the shapes of all worlds, world by world in the order of the grid, as many at a time as there are lanes.
//!
//! A lane of a batch belongs to any world: shapes over few cells share a batch, shapes over many fill several, and no lane waits
//! for a world with more prisms than its own. What the worlds know of their shapes is picked lane by lane.

use motrix_spatial::algebra::{add, sub};
use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::super::terrain::{Ground, MAX_LANES};
use crate::prisms::{self, Cell, Place};
use crate::terrain::Surface;

/// Prisms that wait to be looked at: the rest of one batch, and both prisms of each cell of the next.
const PLACES: usize = 3 * MAX_LANES;

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

/// The world that each lane of a batch belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Worlds {
    index: [u32; MAX_LANES],
    /// Whether all lanes belong to one.
    one: bool,
}

impl Worlds {
    /// The first `count` lanes; the others go with the first of them.
    #[inline(always)]
    fn new(mut index: [u32; MAX_LANES], count: usize) -> Self {
        let mut one = true;
        for j in 0..MAX_LANES {
            if j >= count {
                index[j] = index[0];
            }
            one &= index[j] == index[0];
        }
        Self { index, one }
    }

    /// The world of lane `j`.
    #[inline(always)]
    pub fn of(&self, j: usize) -> usize {
        self.index[j] as usize
    }

    /// The number of each lane's world.
    #[inline(always)]
    pub fn pick<L: Lanes>(&self, of_worlds: L) -> L {
        let mut table = [L::Elem::default(); MAX_LANES];
        of_worlds.store(&mut table);
        if self.one {
            return L::splat(table[self.index[0] as usize % MAX_LANES]);
        }
        let mut picked = [L::Elem::default(); MAX_LANES];
        for j in 0..L::COUNT {
            picked[j] = table[self.index[j] as usize % MAX_LANES];
        }
        L::load(&picked)
    }

    /// The vector of each lane's world.
    #[inline(always)]
    pub fn pick3<L: Lanes>(&self, of_worlds: Vec3<L>) -> Vec3<L> {
        [
            self.pick(of_worlds[0]),
            self.pick(of_worlds[1]),
            self.pick(of_worlds[2]),
        ]
    }
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

/// A cell of some world in each lane.
pub struct Cells<L: Lanes> {
    pub worlds: Worlds,
    cells: [Cell; MAX_LANES],
    count: usize,
    /// Columns and rows from the first cell of the walk, then the field's numbers at the near, right, left and far node.
    pub places: [[L::Elem; MAX_LANES]; 6],
    /// Lanes whose upper left prism reaches up to the shape, and whose other one does.
    pub reached: [L::Mask; 2],
}

/// A prism of some world in each lane.
pub struct Turn<L: Lanes> {
    pub worlds: Worlds,
    pub active: L::Mask,
    pub prisms: [Place; MAX_LANES],
    /// Bit *j*: in lane *j* it is the triangle towards (−x, +y).
    pub upper_left: u32,
    /// Columns and rows from the first cell of the walk, then the field's numbers at the near, the far and the third corner.
    pub places: [[L::Elem; MAX_LANES]; 5],
}

/// A walk over the cells below the shapes.
pub struct Walk<'a, L: Lanes> {
    surfaces: [Surface<'a>; MAX_LANES],
    cursors: [prisms::Walk; MAX_LANES],
    first: [[u32; 2]; MAX_LANES],
    pub view: View<L>,
    /// Worlds that have cells left, a bit each.
    live: u32,
}

impl<'a, L: Lanes> Walk<'a, L> {
    /// Finds the cells below the shapes of the worlds `near`.
    #[inline(always)]
    pub fn below(ground: &Ground<'a, L>, bounds: &Bounds<L>, near: L::Mask) -> Self {
        let mut walk = Self {
            surfaces: [Surface::new(ground.field, *ground.window.lane(0)); MAX_LANES],
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
        let bits = near.bits();
        for k in 0..L::COUNT {
            if bits >> k & 1 == 0 {
                continue;
            }
            let surface = Surface::new(ground.field, *ground.window.lane(k));
            let (min, max) = (of_world::<L>(&bounds.min, k), of_world::<L>(&bounds.max, k));
            let Some(cursor) = prisms::Walk::below(&surface, min, max, bounds.reach) else {
                continue;
            };
            // From afar a cell is placed in `f64`, the cells beside it by few steps: rounding stays that of the shape's size.
            let [row, col] = cursor.start();
            let [x, y, _] = of_world::<L>(&bounds.centre, k);
            let [dx, dy] = surface.spacing();
            let [half_x, half_y] = surface.half();
            let origin = &mut walk.view.origin;
            origin[0].set_lane(k, L::Elem::from_f64(dx * f64::from(col) - half_x - x));
            origin[1].set_lane(k, L::Elem::from_f64(dy * f64::from(row) - half_y - y));
            walk.first[k] = [row, col];
            walk.surfaces[k] = surface;
            walk.cursors[k] = cursor;
            walk.live |= 1 << k;
        }
        walk
    }

    /// How many prisms world `k` has passed.
    pub fn passed(&self, k: usize) -> u32 {
        self.cursors[k].passed()
    }

    /// The next cells, one per lane; fewer only at the end.
    #[inline(always)]
    pub fn next(&mut self) -> Option<Cells<L>> {
        let mut index = [0; MAX_LANES];
        let mut cells = [Cell::default(); MAX_LANES];
        let mut places = [[L::Elem::default(); MAX_LANES]; 6];
        let mut reached = [0u32; 2];
        let mut count = 0;
        while count < L::COUNT && self.live != 0 {
            let k = self.live.trailing_zeros() as usize % MAX_LANES;
            let Some(cell) = self.cursors[k].next_cell(&self.surfaces[k]) else {
                self.live &= self.live - 1;
                continue;
            };
            let [row, col] = self.first[k];
            places[0][count] = L::Elem::from_f64(f64::from(cell.col - col));
            places[1][count] = L::Elem::from_f64(f64::from(cell.row - row));
            for i in 0..4 {
                places[2 + i][count] = L::Elem::from_f64(f64::from(cell.numbers[i]));
            }
            reached[0] |= u32::from(cell.reached & 1) << count;
            reached[1] |= u32::from(cell.reached >> 1) << count;
            index[count] = k as u32;
            cells[count] = cell;
            count += 1;
        }
        (count != 0).then(|| Cells {
            worlds: Worlds::new(index, count),
            cells,
            count,
            places,
            reached: reached.map(L::Mask::from_bits),
        })
    }
}

/// Prisms that may touch, first in, first out.
pub struct Waiting {
    prisms: [Place; PLACES],
    worlds: [u32; PLACES],
    count: usize,
}

impl Waiting {
    #[inline(always)]
    pub fn new() -> Self {
        Self {
            prisms: [Place::default(); PLACES],
            worlds: [0; PLACES],
            count: 0,
        }
    }

    /// How many there are.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Enters prisms of cells: the upper left ones and the others, a bit per lane. There must be room for all.
    #[inline(always)]
    pub fn push<L: Lanes>(&mut self, cells: &Cells<L>, touching: [u32; 2]) {
        for j in 0..cells.count {
            let mut cell = cells.cells[j];
            while cell.reached != 0 {
                let place = cell.take();
                if touching[usize::from(!place.upper_left)] >> j & 1 != 0 {
                    self.prisms[self.count] = place;
                    self.worlds[self.count] = cells.worlds.index[j];
                    self.count += 1;
                }
            }
        }
    }

    /// Takes the first prisms, one per lane, of which there must be one.
    #[inline(always)]
    pub fn take<L: Lanes>(&mut self, walk: &Walk<L>) -> Turn<L> {
        let count = self.count.min(L::COUNT);
        let mut turn = Turn {
            worlds: Worlds::new([0; MAX_LANES], 0),
            active: L::Mask::from_bits((1 << count) - 1),
            prisms: [Place::default(); MAX_LANES],
            upper_left: 0,
            places: [[L::Elem::default(); MAX_LANES]; 5],
        };
        let mut index = [0; MAX_LANES];
        for j in 0..count {
            let (prism, world) = (self.prisms[j], self.worlds[j]);
            let [row, col] = walk.first[world as usize % MAX_LANES];
            turn.places[0][j] = L::Elem::from_f64(f64::from(prism.col - col));
            turn.places[1][j] = L::Elem::from_f64(f64::from(prism.row - row));
            for i in 0..3 {
                turn.places[2 + i][j] = L::Elem::from_f64(f64::from(prism.tops[i]));
            }
            turn.upper_left |= u32::from(prism.upper_left) << j;
            turn.prisms[j] = prism;
            index[j] = world;
        }
        turn.worlds = Worlds::new(index, count);
        self.prisms.copy_within(count..self.count, 0);
        self.worlds.copy_within(count..self.count, 0);
        self.count -= count;
        turn
    }
}
