//! Touch sensors: the normal forces of the contacts of a body whose line of force meets the zone of a site.

use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mask};

use super::zone::Zone;
use crate::constraint::{BlockKind, surface};
use crate::data::Data;

/// Sum of the normal forces on `body`, where the ray from the contact along the body's own force meets the zone.
#[inline(always)]
pub fn read<L: Lanes>(data: &Data<L>, zone: &Zone<L::Elem>, body: usize) -> L {
    let mut sum = L::ZERO;
    for block in &data.rows.blocks {
        let BlockKind::Contact(index) = block.kind else {
            continue;
        };
        let slot = &data.contacts.slots[index];
        if slot.body1 != body && slot.body2 != body {
            continue;
        }
        let normal = surface::interface_force(slot, block)[0];
        let presses = normal.gt(L::ZERO);
        if !presses.any() {
            continue;
        }
        // The normal points to the pair's second geom; the ray looks along the force that the sensing body exerts.
        let along = if slot.body2 == body {
            -slot.orientation
        } else {
            slot.orientation
        };
        let ray = scale(mat_row(&slot.frame, 0), along);
        let seen = presses & zone.meets(&data.poses, slot.position, ray);
        sum += L::select(seen, normal, L::ZERO);
    }
    sum
}
