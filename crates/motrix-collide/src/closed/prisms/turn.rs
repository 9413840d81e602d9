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

/// The world that each lane belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Worlds {
    index: [u32; MAX_LANES],
}

impl Worlds {
    /// Of the first `count` lanes; the others go with the first of them.
    #[inline(always)]
    pub fn of_lanes(mut index: [u32; MAX_LANES], count: usize) -> Self {
        for j in 0..MAX_LANES {
            if j >= count {
                index[j] = index[0];
            }
        }
        Self { index }
    }

    /// The world of lane `j`.
    #[inline(always)]
    pub fn of(&self, j: usize) -> usize {
        self.index[j] as usize
    }

    /// The number of each lane's world.
    #[inline(always)]
    pub fn pick<L: Lanes>(&self, of_worlds: L) -> L {
        of_worlds.pick(&self.index)
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
}

impl<L: Lanes> Turn<L> {
    /// The prism of lane `j`.
    pub fn prism(&self, j: usize, walk: &Walk<L>) -> Place {
        let [col, row, near, far, third] = self.places.map(|x| x.lane(j));
        let [row, col] = walk.cell(self.worlds.of(j) % MAX_LANES, [col, row]);
        Place {
            row,
            col,
            upper_left: self.upper_left.lane(j),
            tops: [near.to_f32(), far.to_f32(), third.to_f32()],
        }
    }
}

/// Prisms that may touch, first in, first out.
pub struct Waiting<L: Lanes> {
    /// As in [`Turn`].
    places: [[L::Elem; PLACES]; 5],
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

    /// Enters prisms of cells: the upper left ones and the others, a bit per lane. Fewer than a turn may be left.
    #[inline(always)]
    pub fn push(&mut self, cells: &Cells<L>, touching: [u32; 2]) {
        let mut lanes = touching[0] | touching[1];
        if lanes == 0 {
            return;
        }
        self.move_up();
        // The lane of each prism, and which of the two it is: cell by cell.
        let mut index = [0; 2 * MAX_LANES];
        let (mut upper_left, mut count) = (0u32, 0);
        while lanes != 0 {
            let j = lanes.trailing_zeros();
            lanes &= lanes - 1;
            for k in 0..2 {
                if touching[k] >> j & 1 != 0 {
                    index[count % (2 * MAX_LANES)] = j;
                    upper_left |= u32::from(k == 0) << count;
                    count += 1;
                }
            }
        }
        let mut from = 0;
        while from < count {
            let some = (count - from).min(L::COUNT);
            self.enter(cells, &index[from..from + L::COUNT], upper_left >> from, some);
            from += some;
        }
    }

    /// Enters the first `count` of a lane's prisms each.
    #[inline(always)]
    fn enter(&mut self, cells: &Cells<L>, index: &[u32], upper_left: u32, count: usize) {
        let at = self.end.min(PLACES - MAX_LANES);
        let [near, right, left, far] = cells.numbers;
        let third = L::select(L::Mask::from_bits(upper_left), left.pick(index), right.pick(index));
        let places = [
            cells.col.pick(index),
            cells.row.pick(index),
            near.pick(index),
            far.pick(index),
            third,
        ];
        for i in 0..5 {
            places[i].store(&mut self.places[i][at..]);
        }
        for j in 0..count {
            self.worlds[at + j] = cells.worlds.of(index[j] as usize % MAX_LANES) as u32;
        }
        // What comes behind them sets bits of its own.
        self.upper_left |= (upper_left & ((1 << count) - 1)) << at;
        self.end = at + count;
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
            self.worlds[j] = self.worlds[first + j];
        }
        self.upper_left >>= first;
        self.end -= first;
        self.first = 0;
    }

    /// Takes the first prisms, one per lane, of which there must be one. Lanes beyond the last repeat the first, so that nothing is
    /// asked for their sake alone.
    #[inline(always)]
    pub fn take(&mut self) -> Turn<L> {
        let first = self.first.min(PLACES - MAX_LANES);
        let count = self.count().min(L::COUNT);
        let (mut lanes, mut index) = ([0; MAX_LANES], [0; MAX_LANES]);
        for j in 0..MAX_LANES {
            lanes[j] = if j < count { j as u32 } else { 0 };
            index[j] = self.worlds[first + lanes[j] as usize];
        }
        let mut places = [L::ZERO; 5];
        for i in 0..5 {
            places[i] = L::load(&self.places[i][first..first + MAX_LANES]).pick(&lanes);
        }
        let (active, upper_left) = ((1 << count) - 1, self.upper_left >> first);
        let repeated = if upper_left & 1 != 0 { !active } else { 0 };
        self.first += count;
        Turn {
            worlds: Worlds { index },
            active: L::Mask::from_bits(active),
            upper_left: L::Mask::from_bits((upper_left & active) | repeated),
            places,
        }
    }
}
