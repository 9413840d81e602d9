//! The prisms below a shape, each lane its own, in the order of the grid; and the queue of those that may touch.

use core::marker::PhantomData;

use motrix_spatial::algebra::{add, sub};
use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::super::terrain::{Ground, MAX_LANES};
use crate::prisms::{self, Place};
use crate::terrain::Surface;

/// Prisms of a lane that wait to be looked at. More only save turns when lanes differ in how many they have.
const PLACES: usize = 16;

/// One vector per lane, as numbers.
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
    pub fn new(centre: Vec3<L>, half: Vec3<L>, reach: L) -> Self {
        Self {
            min: numbers(sub(centre, half)),
            max: numbers(add(centre, half)),
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

/// The vector of a lane.
#[inline(always)]
fn of_lane<L: Lanes>(numbers: &Numbers<L>, k: usize) -> [f64; 3] {
    [numbers[0][k].to_f64(), numbers[1][k].to_f64(), numbers[2][k].to_f64()]
}

/// One prism per lane: which it is, and the numbers that place it, from the first cell of the lane's walk.
#[derive(Clone, Copy)]
pub struct Turn<L: Lanes> {
    pub active: L::Mask,
    pub prisms: [Place; MAX_LANES],
    /// Bit *k*: in lane *k* it is the triangle towards (−x, +y).
    pub upper_left: u32,
    /// Columns and rows from the first cell, then the field's numbers at the near, the far and the third corner.
    pub places: [[L::Elem; MAX_LANES]; 5],
}

impl<L: Lanes> Turn<L> {
    #[inline(always)]
    fn new() -> Self {
        Self {
            active: L::Mask::NONE,
            prisms: [Place::default(); MAX_LANES],
            upper_left: 0,
            places: [[L::Elem::default(); MAX_LANES]; 5],
        }
    }

    /// Enters a prism of a walk that began at the cell `first`.
    #[inline(always)]
    fn put(&mut self, first: [u32; 2], k: usize, prism: Place) {
        let [row, col] = first;
        self.places[0][k] = L::Elem::from_f64(f64::from(prism.col - col));
        self.places[1][k] = L::Elem::from_f64(f64::from(prism.row - row));
        for i in 0..3 {
            self.places[2 + i][k] = L::Elem::from_f64(f64::from(prism.tops[i]));
        }
        self.upper_left |= u32::from(prism.upper_left) << k;
        self.prisms[k] = prism;
    }
}

/// A walk over the prisms below a shape.
pub struct Walk<L: Lanes> {
    cursors: [prisms::Walk; MAX_LANES],
    first: [[u32; 2]; MAX_LANES],
    /// x and y of the near corner of each lane's first cell, from the shape's centre.
    pub origin: [L; 2],
    /// z of the field's origin and of its base, from the shape's centre.
    pub level: L,
    pub base: L,
    live: u32,
}

impl<L: Lanes> Walk<L> {
    /// Finds the cells below the shape, in the lanes `near`.
    #[inline(always)]
    pub fn below(ground: &Ground<L>, bounds: &Bounds<L>, near: L::Mask) -> Self {
        let mut walk = Self {
            cursors: Default::default(),
            first: [[0; 2]; MAX_LANES],
            origin: [L::ZERO; 2],
            level: -bounds.level,
            base: -bounds.level - ground.window.base,
            live: 0,
        };
        let bits = near.bits();
        for k in 0..L::COUNT {
            if bits >> k & 1 == 0 {
                continue;
            }
            let surface = Surface::new(ground.field, *ground.window.lane(k));
            let (min, max) = (of_lane::<L>(&bounds.min, k), of_lane::<L>(&bounds.max, k));
            let Some(cursor) = prisms::Walk::below(&surface, min, max, bounds.reach) else {
                continue;
            };
            // From afar a cell is placed in `f64`, the cells beside it by few steps: rounding stays that of the shape's size.
            let [row, col] = cursor.start();
            let [x, y, _] = of_lane::<L>(&bounds.centre, k);
            let [dx, dy] = surface.spacing();
            let [half_x, half_y] = surface.half();
            walk.origin[0].set_lane(k, L::Elem::from_f64(dx * f64::from(col) - half_x - x));
            walk.origin[1].set_lane(k, L::Elem::from_f64(dy * f64::from(row) - half_y - y));
            walk.first[k] = [row, col];
            walk.cursors[k] = cursor;
            walk.live |= 1 << k;
        }
        walk
    }

    /// Whether some lane is not through.
    #[inline(always)]
    pub fn has_more(&self) -> bool {
        self.live != 0
    }

    /// How many prisms lane `k` has passed.
    pub fn passed(&self, k: usize) -> u32 {
        self.cursors[k].passed()
    }

    /// The next prism of each lane that reaches up to the shape.
    #[inline(always)]
    pub fn next(&mut self, surfaces: &[Surface; MAX_LANES]) -> Option<Turn<L>> {
        let mut turn = Turn::new();
        let mut found = 0;
        for k in 0..L::COUNT {
            if self.live >> k & 1 == 0 {
                continue;
            }
            match self.cursors[k].next(&surfaces[k]) {
                Some(place) => {
                    turn.put(self.first[k], k, place);
                    found |= 1 << k;
                }
                None => self.live &= !(1 << k),
            }
        }
        turn.active = L::Mask::from_bits(found);
        (found != 0).then_some(turn)
    }
}

/// Prisms that may touch, first in, first out, per lane.
pub struct Waiting<L: Lanes> {
    prisms: [[Place; PLACES]; MAX_LANES],
    count: [usize; MAX_LANES],
    /// How many turns have been taken from the front.
    taken: usize,
    lanes: PhantomData<L>,
}

impl<L: Lanes> Waiting<L> {
    #[inline(always)]
    pub fn new() -> Self {
        Self {
            prisms: [[Place::default(); PLACES]; MAX_LANES],
            count: [0; MAX_LANES],
            taken: 0,
            lanes: PhantomData,
        }
    }

    /// Whether every lane has room for one more.
    #[inline(always)]
    pub fn has_room(&self) -> bool {
        self.count.iter().all(|&count| count < PLACES)
    }

    /// Enters the prisms of some lanes.
    #[inline(always)]
    pub fn push(&mut self, turn: &Turn<L>, lanes: L::Mask) {
        let bits = lanes.bits();
        for k in 0..L::COUNT {
            if bits >> k & 1 != 0 {
                self.prisms[k][self.count[k]] = turn.prisms[k];
                self.count[k] += 1;
            }
        }
    }

    /// The first prism of each lane; when all are taken the queue is empty again.
    #[inline(always)]
    pub fn pop(&mut self, walk: &Walk<L>) -> Option<Turn<L>> {
        let mut turn = Turn::new();
        let mut found = 0;
        for k in 0..L::COUNT {
            if self.taken < self.count[k] {
                turn.put(walk.first[k], k, self.prisms[k][self.taken]);
                found |= 1 << k;
            }
        }
        self.taken += 1;
        if found == 0 {
            self.count = [0; MAX_LANES];
            self.taken = 0;
            return None;
        }
        turn.active = L::Mask::from_bits(found);
        Some(turn)
    }
}
