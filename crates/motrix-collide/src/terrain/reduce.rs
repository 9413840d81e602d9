//! From all contacts of a pair to the few that hold it: what coincides is merged, then the deepest is kept and the ones that
//! spread farthest from those already kept.

use crate::contact::Contact;
use crate::vector::{dot, norm2, sub};

/// Most contacts of a shape with terrain.
pub const MOST_CONTACTS: usize = 8;

/// Contacts nearer than this, metres, with normals closer than [`SAME_DIRECTION`], are one.
const SAME_PLACE: f64 = 1e-4;
/// Cosine of a hundredth of a degree.
const SAME_DIRECTION: f64 = 1.0 - 1.5e-8;

/// Merges and reduces. The order of those kept is the order in which they were found, so that results do not depend on depths that
/// differ in the last bits.
pub fn reduce(contacts: &mut Vec<Contact>) {
    merge(contacts);
    if contacts.len() > MOST_CONTACTS {
        spread(contacts);
    }
}

/// Of contacts that coincide, keeps the deepest.
fn merge(contacts: &mut Vec<Contact>) {
    let mut kept = 0;
    for i in 0..contacts.len() {
        let contact = contacts[i];
        let twin = contacts[..kept].iter_mut().find(|other| {
            // One coordinate tells most of them apart.
            (other.position[0] - contact.position[0]).abs() <= SAME_PLACE
                && norm2(sub(other.position, contact.position)) <= SAME_PLACE * SAME_PLACE
                && dot(other.normal, contact.normal) >= SAME_DIRECTION
        });
        match twin {
            Some(twin) if contact.distance < twin.distance => *twin = contact,
            Some(_) => {}
            None => {
                contacts[kept] = contact;
                kept += 1;
            }
        }
    }
    contacts.truncate(kept);
}

/// Moves the deepest and then, one by one, the farthest from all chosen to the front; the rest is cut off.
fn spread(contacts: &mut Vec<Contact>) {
    let deepest = (0..contacts.len()).min_by(|&a, &b| contacts[a].distance.total_cmp(&contacts[b].distance));
    contacts.swap(0, deepest.unwrap_or(0));
    for chosen in 1..MOST_CONTACTS {
        let away = |contact: &Contact| {
            let near = contacts[..chosen]
                .iter()
                .map(|c| norm2(sub(c.position, contact.position)));
            near.fold(f64::INFINITY, f64::min)
        };
        let farthest = (chosen..contacts.len()).max_by(|&a, &b| away(&contacts[a]).total_cmp(&away(&contacts[b])));
        contacts.swap(chosen, farthest.unwrap_or(chosen));
    }
    contacts.truncate(MOST_CONTACTS);
}
