//! Prisms that may touch, of all worlds in one row, taken as many at a time as there are lanes.
//!
//! A lane of a turn belongs to any world: shapes over few prisms share a turn, shapes over many fill several, and no lane waits
//! for a world with more prisms than its own. What the worlds know of their shapes is picked lane by lane.

use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::super::terrain::MAX_LANES;
use super::walk::{Cells, Walk};
use crate::cells::Place;

/// Prisms that wait to be looked at: the rest of one turn, and both prisms of each cell of the next batch.
const PLACES: usize = 3 * MAX_LANES;

/// The world that each lane of a turn belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Worlds {
    index: [u32; MAX_LANES],
    /// Whether all lanes belong to one.
    one: bool,
}

impl Worlds {
    /// All lanes belong to one world.
    #[inline(always)]
    pub fn only(world: usize) -> Self {
        Self {
            index: [world as u32; MAX_LANES],
            one: true,
        }
    }

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

/// A prism of some world in each lane.
pub struct Turn<L: Lanes> {
    pub worlds: Worlds,
    pub active: L::Mask,
    /// Lanes with the triangle towards (−x, +y).
    pub upper_left: L::Mask,
    /// Columns and rows from the first cell of the walk, then the field's numbers at the near, the far and the third corner.
    pub places: [L; 5],
    /// How many prisms of its world came before each.
    pub numbers: [u32; MAX_LANES],
}

impl<L: Lanes> Turn<L> {
    /// The prism of lane `j`.
    pub fn prism(&self, j: usize, walk: &Walk<L>) -> Place {
        let [col, row, near, far, third] = self.places.map(|x| x.lane(j));
        let [first_row, first_col] = walk.first[self.worlds.of(j) % MAX_LANES];
        Place {
            row: first_row + row.to_f64() as u32,
            col: first_col + col.to_f64() as u32,
            upper_left: self.upper_left.lane(j),
            number: self.numbers[j % MAX_LANES],
            tops: [near.to_f32(), far.to_f32(), third.to_f32()],
        }
    }
}

/// Prisms that may touch, first in, first out.
pub struct Waiting<L: Lanes> {
    /// As in [`Turn`].
    places: [[L::Elem; PLACES]; 5],
    numbers: [u32; PLACES],
    worlds: [u32; PLACES],
    upper_left: u32,
    /// Those before it have had their turn.
    first: usize,
    end: usize,
}

impl<L: Lanes> Waiting<L> {
    #[inline(always)]
    pub fn new() -> Self {
        Self {
            places: [[L::Elem::default(); PLACES]; 5],
            numbers: [0; PLACES],
            worlds: [0; PLACES],
            upper_left: 0,
            first: 0,
            end: 0,
        }
    }

    /// How many there are.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.end - self.first
    }

    /// Enters prisms of a world's cells: the upper left ones and the others, a bit per lane. Fewer than a turn may be left.
    #[inline(always)]
    pub fn push(&mut self, cells: &Cells<L>, world: usize, touching: [u32; 2]) {
        let mut left = touching[0] | touching[1];
        if left == 0 {
            return;
        }
        self.move_up();
        let mut steps = [[L::Elem::default(); MAX_LANES]; 2];
        cells.col.store(&mut steps[0]);
        cells.row.store(&mut steps[1]);
        let reached = [cells.reached[0].bits(), cells.reached[1].bits()];
        while left != 0 {
            let j = left.trailing_zeros() as usize % MAX_LANES;
            left &= left - 1;
            let before = (1 << j) - 1;
            let mut number = cells.passed + (reached[0] & before).count_ones() + (reached[1] & before).count_ones();
            for k in 0..2 {
                if touching[k] >> j & 1 != 0 {
                    let [near, right, left, far] = &cells.stored;
                    let third = if k == 0 { left[j] } else { right[j] };
                    let place = [steps[0][j], steps[1][j], near[j], far[j], third];
                    self.enter(place, number, world, k == 0);
                }
                number += reached[k] >> j & 1;
            }
        }
    }

    #[inline(always)]
    fn enter(&mut self, place: [L::Elem; 5], number: u32, world: usize, upper_left: bool) {
        let at = self.end % PLACES;
        for i in 0..5 {
            self.places[i][at] = place[i];
        }
        self.numbers[at] = number;
        self.worlds[at] = world as u32;
        self.upper_left |= u32::from(upper_left) << at;
        self.end += 1;
    }

    /// Moves what is left, less than a turn, to the front.
    #[inline(always)]
    fn move_up(&mut self) {
        let first = self.first.min(PLACES - MAX_LANES);
        if first == 0 {
            return;
        }
        for j in 0..MAX_LANES {
            for i in 0..5 {
                self.places[i][j] = self.places[i][first + j];
            }
            self.numbers[j] = self.numbers[first + j];
            self.worlds[j] = self.worlds[first + j];
        }
        self.upper_left >>= first;
        self.end -= first;
        self.first = 0;
    }

    /// Takes the first prisms, one per lane, of which there must be one.
    #[inline(always)]
    pub fn take(&mut self) -> Turn<L> {
        let first = self.first.min(PLACES - MAX_LANES);
        let count = self.count().min(L::COUNT);
        let (mut index, mut numbers) = ([0; MAX_LANES], [0; MAX_LANES]);
        index.copy_from_slice(&self.worlds[first..first + MAX_LANES]);
        numbers.copy_from_slice(&self.numbers[first..first + MAX_LANES]);
        let mut places = [L::ZERO; 5];
        for i in 0..5 {
            places[i] = L::load(&self.places[i][first..first + MAX_LANES]);
        }
        self.first += count;
        Turn {
            worlds: Worlds::new(index, count),
            active: L::Mask::from_bits((1 << count) - 1),
            upper_left: L::Mask::from_bits(self.upper_left >> first),
            places,
            numbers,
        }
    }
}
