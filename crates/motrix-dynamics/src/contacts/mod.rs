//! What touches: from poses to contact slots.
//!
//! The model's static pair list is walked once per step for the whole group; in scenes of many bodies only those rows that a
//! sweep over bounding spheres found near. Each row goes through bounding spheres of bodies and geoms, then the shapes
//! themselves, in lanes where a closed form exists and lane by lane in `f64` otherwise. A contact lands in a *slot* of its body
//! pair. The Jacobian of a contact depends only on the two bodies, so lanes whose contacts come from different geoms share a
//! slot, and a slot exists as soon as one lane needs it. Each lane's contacts stay in the order of the pair list: a contact goes
//! to the first slot behind the last one that any of its lanes used, so what a lane sums, and in which order, does not depend on
//! its neighbours.

mod columns;
mod cull;
mod ground;
mod narrow;
mod pairs;
mod slot;
mod sweep;
mod terrain;

use motrix_collide::closed::TouchList;
use motrix_spatial::{Lanes, Mask};

pub use ground::GroundRow;
pub use narrow::ConvexWork;
pub use pairs::{BodyPairRow, FrictionSource, PairRow, PairTable, ShapeTable, pair_params};
pub use slot::{MAX_LANES, Slot, contact_frame};
pub use sweep::{Sweep, SweepTable};
pub use terrain::TerrainTally;

use crate::data::Poses;
use crate::params::Params;

/// The contacts of a group.
#[derive(Clone, Debug)]
pub struct Contacts<L: Lanes> {
    /// Slots, grouped by body pair.
    pub slots: Vec<Slot<L>>,
    /// How many contacts with terrain were found, and how many of these merged into others.
    pub terrain: TerrainTally<L>,
    /// Contacts of the pair at hand.
    touches: TouchList<L>,
    convex: ConvexWork<L>,
    sweep: Sweep,
}

impl<L: Lanes> Contacts<L> {
    /// No contacts.
    pub fn new() -> Self {
        Self {
            slots: Vec::new(),
            terrain: terrain::empty_tally(),
            touches: TouchList::with_capacity(8),
            convex: ConvexWork::new(),
            sweep: Sweep::default(),
        }
    }

    /// The last sweep over the bodies, in a scene of so many that there was one.
    pub fn sweep(&self) -> &Sweep {
        &self.sweep
    }
}

impl<L: Lanes> Default for Contacts<L> {
    fn default() -> Self {
        Self::new()
    }
}

/// Finds all contacts of a group.
#[inline(always)]
pub fn find<L: Lanes>(table: &PairTable<L::Elem>, params: &Params<L>, poses: &Poses<L>, contacts: &mut Contacts<L>) {
    contacts.slots.clear();
    contacts.terrain = terrain::empty_tally();
    ground::highest(&table.grounds, params, poses, &mut contacts.convex.tops);
    let sweeps = table.sweep.pays(L::COUNT);
    if sweeps {
        contacts.sweep.find::<L>(&table.sweep, params, poses);
    }
    let mut row = 0;
    while row < table.bodies.len() {
        if sweeps {
            match contacts.sweep.next_row(row) {
                Some(near) => row = near,
                None => break,
            }
        }
        touch_bodies(table, &table.bodies[row], params, poses, contacts);
        row += 1;
    }
}

/// Finds the contacts of two bodies.
#[inline(always)]
fn touch_bodies<L: Lanes>(
    table: &PairTable<L::Elem>,
    bodies: &BodyPairRow,
    params: &Params<L>,
    poses: &Poses<L>,
    contacts: &mut Contacts<L>,
) {
    if bodies.bounded && !cull::bodies_near(bodies, params, poses).any() {
        return;
    }
    let first_slot = contacts.slots.len();
    let mut next = [first_slot; MAX_LANES];
    for index in bodies.first..bodies.end {
        let pair = &table.pairs[index];
        let near = cull::geoms_near(pair, params, poses);
        if !near.any() {
            continue;
        }
        let Contacts {
            slots,
            terrain,
            touches,
            convex,
            ..
        } = &mut *contacts;
        touches.clear();
        narrow::touch(&table.shapes, pair, params, poses, near, convex, terrain, touches);
        for touch in touches.iter() {
            if !touch.active.any() {
                continue;
            }
            let place = reserve::<L>(touch.active, &mut next);
            if place == slots.len() {
                slots.push(Slot::new(bodies, index, pair, params, touch));
            } else {
                slots[place].put(index, pair, params, touch);
            }
        }
    }
}

/// The slot for a contact of the given lanes: behind everything any of them has.
#[inline(always)]
fn reserve<L: Lanes>(lanes: L::Mask, next: &mut [usize; MAX_LANES]) -> usize {
    let lanes = lanes.bits();
    let mut place = 0;
    let mut left = lanes;
    while left != 0 {
        place = place.max(next[left.trailing_zeros() as usize % MAX_LANES]);
        left &= left - 1;
    }
    left = lanes;
    while left != 0 {
        next[left.trailing_zeros() as usize % MAX_LANES] = place + 1;
        left &= left - 1;
    }
    place
}
