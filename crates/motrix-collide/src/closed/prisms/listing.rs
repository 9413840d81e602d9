//! The contacts of each lane in the order of its prisms, without gaps: contact *c* of all lanes is one touch.

use motrix_spatial::algebra::mat_vec;
use motrix_spatial::{Lanes, Mask, Real};

use super::super::terrain::{Ground, LaneTally, MAX_LANES};
use super::super::{Placed, TouchList};
use super::walk::{Turn, Walk};
use super::{Overlap, to_world};
use crate::prisms::MAX_CONTACTS;

/// How many contacts each lane has.
pub struct Listing<L: Lanes> {
    count: L,
    /// The number of the prism with the last contact.
    last: [u32; MAX_LANES],
}

impl<L: Lanes> Listing<L> {
    #[inline(always)]
    pub fn new() -> Self {
        Self {
            count: L::ZERO,
            last: [0; MAX_LANES],
        }
    }

    /// Those of the lanes that may have one more contact.
    #[inline(always)]
    pub fn has_room(&self, lanes: L::Mask) -> L::Mask {
        lanes & self.count.lt(L::c(MAX_CONTACTS as f64))
    }

    /// Appends the contacts of a turn, each lane's behind its last.
    #[inline(always)]
    pub fn put(
        &mut self,
        found: &Overlap<L>,
        turn: &Turn<L>,
        ground: &Ground<L>,
        b: &Placed<L>,
        out: &mut TouchList<L>,
    ) {
        if !found.active.any() {
            return;
        }
        let position = to_world(ground, b, found.position);
        let normal = mat_vec(ground.placed.rotation, found.normal);
        let mut left = found.active;
        while left.any() {
            // Lanes with as many contacts as the first of them share a touch.
            let first = left.bits().trailing_zeros() as usize;
            let place = self.count.lane(first);
            let here = left & self.count.equal(L::splat(place));
            out.put(place.to_f64() as usize, here, found.distance, position, normal);
            left = left & !here;
        }
        self.count += L::select(found.active, L::ONE, L::ZERO);
        for k in 0..L::COUNT {
            if found.active.lane(k) {
                self.last[k] = turn.prisms[k].number;
            }
        }
    }

    /// What became of the prisms: those behind the last possible contact count as dropped.
    #[inline(always)]
    pub fn tally(&self, walk: &Walk<L>) -> LaneTally<L> {
        let full = self.count.ge(L::c(MAX_CONTACTS as f64));
        let mut dropped = L::ZERO;
        for k in 0..L::COUNT {
            if full.lane(k) {
                dropped.set_lane(k, L::Elem::from_f64(f64::from(walk.passed(k) - self.last[k] - 1)));
            }
        }
        LaneTally {
            found: self.count,
            merged: L::ZERO,
            dropped,
        }
    }
}
