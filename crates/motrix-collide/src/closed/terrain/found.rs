//! Contacts of a shape with terrain while they are being found: at most eight per lane, none of them twice.

use motrix_spatial::algebra::{dot, norm_squared, select3, sub};
use motrix_spatial::{Lanes, Mask, Vec3};

use super::none;
use crate::terrain::MOST_CONTACTS;

/// Contacts whose normals are closer than this cosine (1.1°), and their places closer than [`SAME_PLACE`], are one.
const SAME_DIRECTION: f64 = 0.9998;
/// As a share of the radius.
const SAME_PLACE: f64 = 0.05;

/// One contact per lane, in the frame of the field.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<L: Lanes> {
    pub active: L::Mask,
    pub distance: L,
    pub position: Vec3<L>,
    pub normal: Vec3<L>,
}

/// The contacts so far.
#[derive(Clone, Copy, Debug)]
pub struct Found<L: Lanes> {
    contacts: [Candidate<L>; MOST_CONTACTS],
    used: usize,
    same_place2: L,
    count: L,
}

impl<L: Lanes> Found<L> {
    /// Nothing yet, for a shape rounded by `radius`.
    #[inline(always)]
    pub fn new(radius: L) -> Self {
        let nothing = Candidate {
            active: L::Mask::NONE,
            distance: L::ZERO,
            position: [L::ZERO; 3],
            normal: [L::ZERO, L::ZERO, L::ONE],
        };
        let same_place = radius * L::c(SAME_PLACE);
        Self {
            contacts: [nothing; MOST_CONTACTS],
            used: 0,
            same_place2: same_place * same_place,
            count: L::ZERO,
        }
    }

    /// The contacts.
    #[inline(always)]
    pub fn contacts(&self) -> &[Candidate<L>] {
        &self.contacts[..self.used]
    }

    /// How many were found in each lane before they were merged.
    #[inline(always)]
    pub fn count(&self) -> L {
        self.count
    }

    /// Adds a contact in the lanes `here`: to one that it coincides with, the deeper of the two staying, else to the first free
    /// place, else to that of the shallowest if it is deeper.
    #[inline(always)]
    pub fn add(&mut self, here: L::Mask, distance: L, position: Vec3<L>, normal: Vec3<L>) {
        if none(here) {
            return;
        }
        self.count += L::select(here, L::ONE, L::ZERO);
        let mut waiting = here;
        for slot in &mut self.contacts[..self.used] {
            let apart = norm_squared(sub(slot.position, position));
            let same =
                waiting & slot.active & dot(slot.normal, normal).ge(L::c(SAME_DIRECTION)) & apart.le(self.same_place2);
            slot.put(same & distance.lt(slot.distance), distance, position, normal);
            waiting = waiting & !same;
        }
        if none(waiting) {
            return;
        }
        for slot in 0..MOST_CONTACTS {
            let slot_taken = self.contacts[slot].active;
            let free = waiting & !slot_taken;
            if free.any() {
                self.used = self.used.max(slot + 1);
                self.contacts[slot].put(free, distance, position, normal);
                self.contacts[slot].active = slot_taken | free;
                waiting = waiting & !free;
                if none(waiting) {
                    return;
                }
            }
        }
        self.displace(waiting, distance, position, normal);
    }

    /// Replaces the shallowest contact where the new one is deeper.
    #[inline(always)]
    fn displace(&mut self, waiting: L::Mask, distance: L, position: Vec3<L>, normal: Vec3<L>) {
        let mut shallowest = distance;
        for slot in &self.contacts {
            shallowest = shallowest.max(slot.distance);
        }
        let mut waiting = waiting & distance.lt(shallowest);
        for slot in &mut self.contacts {
            let here = waiting & slot.distance.ge(shallowest);
            slot.put(here, distance, position, normal);
            waiting = waiting & !here;
        }
    }
}

impl<L: Lanes> Candidate<L> {
    #[inline(always)]
    fn put(&mut self, here: L::Mask, distance: L, position: Vec3<L>, normal: Vec3<L>) {
        self.distance = L::select(here, distance, self.distance);
        self.position = select3(here, position, self.position);
        self.normal = select3(here, normal, self.normal);
    }
}
