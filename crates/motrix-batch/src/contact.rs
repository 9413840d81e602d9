//! Contacts of one world as data.

use motrix_dynamics::constraint::BlockKind;
use motrix_dynamics::constraint::surface::interface_force;
use motrix_dynamics::{Data, Tables};
use motrix_spatial::{Lanes, Mask, Real};

/// A contact of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact<E> {
    /// First geom.
    pub geom1: u32,
    /// Second geom.
    pub geom2: u32,
    /// Signed distance, negative in penetration.
    pub distance: E,
    /// Position in the world.
    pub position: [E; 3],
    /// Rows: normal from the first geom to the second, two tangents.
    pub frame: [E; 9],
    /// Dimension: 1, 3, 4 or 6.
    pub dim: u8,
    /// Friction: two tangents, spin, two rolls.
    pub friction: [E; 5],
    /// Force and torque in the frame, on the second geom.
    pub force: [E; 6],
    /// Whether it acts; one that does not is only within the gap.
    pub acting: bool,
}

/// Lists the contacts of lane `k`.
pub fn of_lane<L: Lanes, S: Real>(tables: &Tables<L::Elem>, data: &Data<L>, k: usize, out: &mut Vec<Contact<S>>) {
    let number = |x: L| S::from_f64(x.lane(k).to_f64());
    out.clear();
    let mut blocks = data
        .rows
        .blocks
        .iter()
        .filter(|b| matches!(b.kind, BlockKind::Contact(_)))
        .peekable();
    for (index, slot) in data.contacts.slots.iter().enumerate() {
        let block = blocks.next_if(|b| b.kind == BlockKind::Contact(index));
        if !slot.active.lane(k) {
            continue;
        }
        let pair = &tables.pairs.pairs[slot.pair[k] as usize];
        let acting = slot.acting.lane(k);
        let force = match block {
            Some(block) if acting => interface_force(slot, block).map(number),
            _ => [S::default(); 6],
        };
        out.push(Contact {
            geom1: pair.geom1() as u32,
            geom2: pair.geom2() as u32,
            distance: number(slot.distance),
            position: slot.position.map(number),
            frame: slot.frame.map(number),
            dim: tables.pairs.terms[pair.terms as usize].dim,
            friction: slot.friction.map(number),
            force,
            acting,
        });
    }
}
