//! The contacts of each world in the order of its prisms, without gaps: contact *c* of all worlds is one touch.

use motrix_spatial::algebra::mat_vec;
use motrix_spatial::{Lanes, Mask, Real};

use super::super::terrain::{Ground, LaneTally, MAX_LANES};
use super::super::{Placed, Touch, TouchList, TouchRow};
use super::turn::Turn;
use super::walk::Walk;
use super::{Overlap, to_world};
use crate::cells::Place;
use crate::prisms::MAX_CONTACTS;

/// How many contacts each world has.
pub struct Listing {
    count: [usize; MAX_LANES],
    /// The prism with the last contact that a world may have, for those that have it.
    last: [Place; MAX_LANES],
    /// Worlds that may have no more contacts, a bit each.
    pub full: u32,
}

impl Listing {
    #[inline(always)]
    pub fn new() -> Self {
        Self {
            count: [0; MAX_LANES],
            last: [Place::default(); MAX_LANES],
            full: 0,
        }
    }

    /// Whether a world may have one more contact.
    #[inline(always)]
    pub fn has_room(&self, world: usize) -> bool {
        self.full >> (world % MAX_LANES) & 1 == 0
    }

    /// Appends the contacts of a turn, each world's behind its last, from the shape's centre and in the axes of the field.
    #[inline(always)]
    pub fn put<L: Lanes>(&mut self, found: &Overlap<L>, turn: &Turn<L>, walk: &Walk<L>, out: &mut TouchList<L>) {
        let mut left = (found.active & turn.active).bits();
        if left == 0 {
            return;
        }
        let mut numbers = [[L::Elem::default(); MAX_LANES]; 7];
        found.distance.store(&mut numbers[0]);
        for i in 0..3 {
            found.position[i].store(&mut numbers[1 + i]);
            found.normal[i].store(&mut numbers[4 + i]);
        }
        while left != 0 {
            let j = left.trailing_zeros() as usize % MAX_LANES;
            left &= left - 1;
            let world = turn.worlds.of(j) % MAX_LANES;
            if !self.has_room(world) {
                continue;
            }
            let place = self.count[world];
            if place >= out.rows.len() {
                out.rows.push(TouchRow {
                    active: 0,
                    numbers: [[L::Elem::default(); MAX_LANES]; 7],
                });
            }
            if let Some(row) = out.rows.get_mut(place) {
                row.active |= 1 << world;
                for i in 0..7 {
                    row.numbers[i][world] = numbers[i][j];
                }
            }
            self.count[world] += 1;
            if self.count[world] == MAX_CONTACTS {
                self.full |= 1 << world;
                self.last[world] = turn.prism(j, walk);
            }
        }
    }

    /// Takes the contacts to the world's axes, and tells what became of the prisms: those behind the last possible contact count
    /// as dropped.
    #[inline(always)]
    pub fn finish<L: Lanes>(
        &self,
        walk: &Walk<L>,
        ground: &Ground<L>,
        b: &Placed<L>,
        out: &mut TouchList<L>,
    ) -> LaneTally<L> {
        let TouchList { touches, rows } = out;
        for row in rows.iter() {
            let mut numbers = [L::ZERO; 7];
            for i in 0..7 {
                numbers[i] = L::load(&row.numbers[i]);
            }
            let [distance, x, y, z, nx, ny, nz] = numbers;
            let position = to_world(ground, b, [x, y, z]);
            let normal = mat_vec(ground.placed.rotation, [nx, ny, nz]);
            touches.push(Touch::new(L::Mask::from_bits(row.active), distance, position, normal));
        }
        rows.clear();
        let mut tally = self.tally::<L>();
        let mut full = self.full;
        while full != 0 {
            let k = full.trailing_zeros() as usize % MAX_LANES;
            full &= full - 1;
            let dropped = walk.count_behind(k, &self.last[k]);
            tally.dropped.set_lane(k, L::Elem::from_f64(f64::from(dropped)));
        }
        tally
    }

    /// How many contacts were found.
    #[inline(always)]
    pub fn tally<L: Lanes>(&self) -> LaneTally<L> {
        let mut found = [L::Elem::default(); MAX_LANES];
        for k in 0..MAX_LANES {
            found[k] = L::Elem::from_f64(self.count[k] as f64);
        }
        LaneTally {
            found: L::load(&found),
            merged: L::ZERO,
            dropped: L::ZERO,
        }
    }
}
