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
use motrix_spatial::fetch::fetch_ahead;
use motrix_spatial::{Lanes, Mask};

pub use ground::GroundRow;
pub use narrow::ConvexWork;
pub use pairs::{BodyPairRow, ContactTerms, FrictionSource, PairRow, PairTable, ShapeTable, pair_params};
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
    /// The last sweep over the bodies, in a scene of so many that there was one.
    pub sweep: Sweep,
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
}

impl<L: Lanes> Default for Contacts<L> {
    fn default() -> Self {
        Self::new()
    }
}

/// Finds all contacts of a group, whose first `live` lanes have worlds of their own; the others repeat the last of these.
#[inline(always)]
pub fn find<L: Lanes>(
    table: &PairTable<L::Elem>,
    params: &Params<L>,
    poses: &Poses<L>,
    live: usize,
    contacts: &mut Contacts<L>,
) {
    contacts.slots.clear();
    contacts.terrain = terrain::empty_tally();
    ground::highest(&table.grounds, params, poses, &mut contacts.convex.tops);
    let sweeps = table.sweep.pays(live);
    if sweeps {
        contacts.sweep.find::<L>(&table.sweep, params, poses, live);
    }
    let rows = if sweeps {
        contacts.sweep.rows.len()
    } else {
        table.bodies.len()
    };
    for i in 0..rows {
        let row = if sweeps {
            next_near(table, &contacts.sweep.rows, i)
        } else {
            i
        };
        touch_bodies(table, &table.bodies[row], params, poses, live, contacts);
    }
}

/// The `i`th row that is near. The tables of a scene of thousands of bodies fit into no cache, so those of the rows that follow are
/// fetched.
#[inline(always)]
fn next_near<E>(table: &PairTable<E>, rows: &[u32], i: usize) -> usize {
    /// How many rows ahead: what it takes to test a few is about the latency of memory.
    const AHEAD: usize = 8;
    if let Some(&far) = rows.get(i + 2 * AHEAD) {
        fetch_ahead(core::slice::from_ref(&table.bodies[far as usize]));
    }
    if let Some(&soon) = rows.get(i + AHEAD) {
        let pairs = table.bodies[soon as usize].pairs();
        fetch_ahead(&table.pairs[pairs.start..pairs.end.min(pairs.start + 2)]);
    }
    rows[i] as usize
}

/// Finds the contacts of two bodies.
#[inline(always)]
fn touch_bodies<L: Lanes>(
    table: &PairTable<L::Elem>,
    bodies: &BodyPairRow,
    params: &Params<L>,
    poses: &Poses<L>,
    live: usize,
    contacts: &mut Contacts<L>,
) {
    let own = L::Mask::from_bits((1 << live) - 1);
    if bodies.bounded && !cull::bodies_near(bodies, params, poses).any() {
        return;
    }
    let first_slot = contacts.slots.len();
    let mut next = [first_slot; MAX_LANES];
    for index in bodies.pairs() {
        let near = cull::geoms_near(&table.pairs[index], params, poses) & own;
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
        narrow::touch(table, index, params, poses, near, convex, terrain, touches);
        if live < L::COUNT {
            touches.copy_lane(live - 1, !own);
        }
        for touch in touches.iter() {
            if !touch.active.any() {
                continue;
            }
            let place = reserve::<L>(touch.active, &mut next);
            if place == slots.len() {
                slots.push(Slot::new(table, bodies, index, params, touch));
            } else {
                slots[place].put(table, index, params, touch);
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
