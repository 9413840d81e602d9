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

/// One prism per lane: where it is in the window, and its corners from the shape's centre.
#[derive(Clone, Copy)]
pub struct Turn<L: Lanes> {
    pub active: L::Mask,
    pub prisms: [Place; MAX_LANES],
    /// Bit *k*: in lane *k* it is the triangle towards (−x, +y).
    pub upper_left: u32,
    /// x and y of the cell's near corner, then the heights of the near, the far and the third corner, and the base.
    pub places: [[L::Elem; MAX_LANES]; 6],
}

impl<L: Lanes> Turn<L> {
    #[inline(always)]
    fn new() -> Self {
        Self {
            active: L::Mask::NONE,
            prisms: [Place::default(); MAX_LANES],
            upper_left: 0,
            places: [[L::Elem::default(); MAX_LANES]; 6],
        }
    }

    /// Enters a prism.
    #[inline(always)]
    fn put(&mut self, ground: &Ground<L>, centre: [f64; 3], k: usize, prism: Place) {
        let surface = Surface::new(ground.field, *ground.window.lane(k));
        let Place {
            row, col, upper_left, ..
        } = prism;
        let [near, right, left, far] = surface.cell_numbers(row as usize, col as usize);
        let [dx, dy] = surface.spacing();
        let [half_x, half_y] = surface.half();
        let height = |number: f32| f64::from(number) * surface.elevation() - centre[2];
        let places = [
            dx * f64::from(col) - half_x - centre[0],
            dy * f64::from(row) - half_y - centre[1],
            height(near),
            height(far),
            height(if upper_left { left } else { right }),
            -surface.base() - centre[2],
        ];
        for (slot, x) in self.places.iter_mut().zip(places) {
            slot[k] = L::Elem::from_f64(x);
        }
        self.prisms[k] = prism;
        self.upper_left |= u32::from(upper_left) << k;
        self.active = self.active | L::Mask::from_bits(1 << k);
    }
}

/// A walk over the prisms below a shape.
pub struct Walk<L: Lanes> {
    cursors: [prisms::Walk; MAX_LANES],
    centre: Numbers<L>,
    live: u32,
}

impl<L: Lanes> Walk<L> {
    /// Finds the cells below the shape, in the lanes `near`.
    #[inline(always)]
    pub fn below(ground: &Ground<L>, bounds: &Bounds<L>, near: L::Mask) -> Self {
        let mut walk = Self {
            cursors: Default::default(),
            centre: bounds.centre,
            live: 0,
        };
        let bits = near.bits();
        for k in 0..L::COUNT {
            if bits >> k & 1 == 0 {
                continue;
            }
            let surface = Surface::new(ground.field, *ground.window.lane(k));
            let (min, max) = (of_lane::<L>(&bounds.min, k), of_lane::<L>(&bounds.max, k));
            if let Some(cursor) = prisms::Walk::below(&surface, min, max, bounds.reach) {
                walk.cursors[k] = cursor;
                walk.live |= 1 << k;
            }
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
    pub fn next(&mut self, ground: &Ground<L>) -> Option<Turn<L>> {
        let mut turn = Turn::new();
        for k in 0..L::COUNT {
            if self.live >> k & 1 == 0 {
                continue;
            }
            let surface = Surface::new(ground.field, *ground.window.lane(k));
            match self.cursors[k].next(&surface) {
                Some(place) => turn.put(ground, of_lane::<L>(&self.centre, k), k, place),
                None => self.live &= !(1 << k),
            }
        }
        turn.active.any().then_some(turn)
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
    pub fn pop(&mut self, ground: &Ground<L>, bounds: &Bounds<L>) -> Option<Turn<L>> {
        let mut turn = Turn::new();
        for k in 0..L::COUNT {
            if self.taken < self.count[k] {
                let centre = of_lane::<L>(&bounds.centre, k);
                turn.put(ground, centre, k, self.prisms[k][self.taken]);
            }
        }
        self.taken += 1;
        if turn.active.any() {
            return Some(turn);
        }
        self.count = [0; MAX_LANES];
        self.taken = 0;
        None
    }
}
