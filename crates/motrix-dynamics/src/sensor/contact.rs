//! Contact sensors: the contacts that match a description, chosen and written slot by slot.
//!
//! Which contacts match, and in which order, differs from world to world, so this one sensor works lane by lane in `f64`. A contact
//! whose bodies match in reverse order is reported as seen from the other side: normal and first tangent change sign, and the
//! third component of what is expressed in its frame does.

use motrix_model::{Model, Object};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mask, Real};

use super::zone::Zone;
use crate::constraint::{BlockKind, surface};
use crate::contacts::Slot;
use crate::data::Data;
use crate::tables::Tables;

/// Smallest denominator (MuJoCo's `mjMINVAL`).
const MIN_VALUE: f64 = 1e-15;
/// Numbers of each field: found, force, torque, distance, position, normal, tangent, linear velocity, angular velocity.
const FIELD_SIZES: [usize; FIELDS] = [1, 3, 3, 1, 3, 3, 3, 3, 3];
const FIELDS: usize = 9;

/// What one side of a contact must be.
#[derive(Clone, Debug)]
pub enum Side<E> {
    /// Anything.
    Any,
    /// Within a site; the bodies may be any.
    Within(Zone<E>),
    /// A geom.
    Geom(usize),
    /// A body.
    Body(usize),
    /// A body or a descendant of it: bodies `first..end`.
    Subtree(usize, usize),
}

/// Which of several contacts are reported first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// In the order in which they were found.
    None,
    /// The deepest.
    Deepest,
    /// Those of the largest force.
    Strongest,
    /// One: the sum of all forces at their centroid, in world axes.
    Sum,
}

/// A contact sensor as the kernels read it.
#[derive(Clone, Debug)]
pub struct ContactSensor<E> {
    sides: [Side<E>; 2],
    reduction: Reduction,
    /// Contacts that are reported at most.
    count: usize,
    /// Which fields are reported.
    fields: u32,
}

/// A contact that matches.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    slot: usize,
    /// Seen from the other side.
    reversed: bool,
    /// Order of reporting, smallest first.
    rank: f64,
    /// Force and torque in the contact's frame.
    force: [f64; 6],
}

impl<E: Real> ContactSensor<E> {
    /// From the sensor's parameters; `subtree_end` is one past the last body of each subtree.
    pub fn new(
        model: &Model,
        objects: [Option<Object>; 2],
        fields: u32,
        reduce: u8,
        count: usize,
        subtree_end: &[usize],
    ) -> Self {
        let side = |object| match object {
            Some(Object::Site(site)) => Side::Within(Zone::new(model, site)),
            Some(Object::Geom(g)) => Side::Geom(g.index()),
            Some(Object::Body(b)) => Side::Body(b.index()),
            Some(Object::XBody(b)) => Side::Subtree(b.index(), subtree_end[b.index()]),
            _ => Side::Any,
        };
        Self {
            sides: objects.map(side),
            reduction: match reduce {
                0 => Reduction::None,
                1 => Reduction::Deepest,
                2 => Reduction::Strongest,
                _ => Reduction::Sum,
            },
            count,
            fields,
        }
    }
}

impl<E> Side<E> {
    fn matches(&self, body: usize, geom: usize) -> bool {
        match self {
            Side::Any | Side::Within(_) => true,
            Side::Geom(g) => *g == geom,
            Side::Body(b) => *b == body,
            Side::Subtree(first, end) => (*first..*end).contains(&body),
        }
    }

    fn is_any(&self) -> bool {
        matches!(self, Side::Any)
    }
}

impl<E: Real> ContactSensor<E> {
    /// Whether a contact of two geoms matches, and then whether it does so in reverse order.
    fn direction(&self, bodies: [usize; 2], geoms: [usize; 2]) -> Option<bool> {
        let matched = |side: &Side<E>| [0, 1].map(|k| side.matches(bodies[k], geoms[k]));
        let [first, second] = [matched(&self.sides[0]), matched(&self.sides[1])];
        if first == [false; 2] || second == [false; 2] {
            return None;
        }
        match (self.sides[0].is_any(), self.sides[1].is_any()) {
            (true, true) => Some(false),
            // The normal points away from the first object, or towards the second.
            (false, true) => Some(!first[0]),
            (true, false) => Some(!second[1]),
            (false, false) if first[0] && second[1] => Some(false),
            (false, false) if first[1] && second[0] => Some(true),
            (false, false) => None,
        }
    }

    /// The contacts of lane `k` that match, in the order in which they are reported.
    fn find<L: Lanes<Elem = E>>(&self, tables: &Tables<E>, data: &Data<L>, k: usize, found: &mut Vec<Match>) {
        found.clear();
        let mut blocks = data.rows.blocks.iter().peekable();
        for (index, slot) in data.contacts.slots.iter().enumerate() {
            while blocks
                .next_if(|b| !matches!(b.kind, BlockKind::Contact(i) if i >= index))
                .is_some()
            {}
            if !slot.active.lane(k) {
                continue;
            }
            let pair = &tables.pairs.pairs[slot.pair[k] as usize];
            let Some(reversed) = self.direction(pair.bodies(), [pair.geom1(), pair.geom2()]) else {
                continue;
            };
            if let Side::Within(zone) = &self.sides[0]
                && !zone.holds(&data.poses, slot.position).lane(k)
            {
                continue;
            }
            let force = match blocks.peek() {
                Some(block) if block.kind == BlockKind::Contact(index) => {
                    surface::interface_force(slot, block).map(|x| x.lane(k).to_f64())
                }
                _ => [0.0; 6],
            };
            let rank = match self.reduction {
                Reduction::Deepest => slot.distance.lane(k).to_f64(),
                Reduction::Strongest => -dot3([force[0], force[1], force[2]], [force[0], force[1], force[2]]),
                Reduction::None | Reduction::Sum => 0.0,
            };
            found.push(Match {
                slot: index,
                reversed,
                rank,
                force,
            });
        }
        // Contacts of equal rank keep their order.
        found.sort_unstable_by(|a, b| a.rank.total_cmp(&b.rank).then(a.slot.cmp(&b.slot)));
    }

    /// Writes the readings of all lanes.
    pub fn read<L: Lanes<Elem = E>>(&self, tables: &Tables<E>, data: &Data<L>, found: &mut Vec<Match>, out: &mut [L]) {
        out.fill(L::ZERO);
        for k in 0..L::COUNT {
            self.find(tables, data, k, found);
            if self.reduction == Reduction::Sum {
                self.write(&self.sum(data, k, found), k, out);
                continue;
            }
            let size = out.len() / self.count;
            for (m, out) in found.iter().zip(out.chunks_exact_mut(size)) {
                self.write(&self.report(tables, data, k, m, found.len()), k, out);
            }
        }
    }

    /// Writes the fields asked for into lane `k`.
    fn write<L: Lanes<Elem = E>>(&self, fields: &[[f64; 3]; FIELDS], k: usize, out: &mut [L]) {
        let mut next = 0;
        for (field, values) in fields.iter().enumerate().filter(|(f, _)| self.fields >> f & 1 != 0) {
            for value in &values[..FIELD_SIZES[field]] {
                out[next].set_lane(k, E::from_f64(*value));
                next += 1;
            }
        }
    }

    /// All fields of one contact.
    fn report<L: Lanes<Elem = E>>(
        &self,
        tables: &Tables<E>,
        data: &Data<L>,
        k: usize,
        m: &Match,
        count: usize,
    ) -> [[f64; 3]; FIELDS] {
        let slot = &data.contacts.slots[m.slot];
        let number = |x: L| x.lane(k).to_f64();
        let sign = if m.reversed { -1.0 } else { 1.0 };
        let mirrored = |[x, y, z]: [f64; 3]| [x, y, sign * z];
        let frame = slot.frame.map(number);
        let (linear, angular) = relative_velocity(tables, data, slot);
        let turned = |v: [L; 3]| {
            let v = v.map(number);
            mirrored([0, 3, 6].map(|r| dot3([frame[r], frame[r + 1], frame[r + 2]], v)))
        };
        [
            [count as f64, 0.0, 0.0],
            mirrored([m.force[0], m.force[1], m.force[2]]),
            mirrored([m.force[3], m.force[4], m.force[5]]),
            [number(slot.distance), 0.0, 0.0],
            slot.position.map(number),
            [frame[0], frame[1], frame[2]].map(|x| sign * x),
            [frame[3], frame[4], frame[5]].map(|x| sign * x),
            turned(linear),
            turned(angular),
        ]
    }

    /// All forces together, about their centroid weighted by their size.
    fn sum<L: Lanes<Elem = E>>(&self, data: &Data<L>, k: usize, found: &[Match]) -> [[f64; 3]; FIELDS] {
        let number = |x: L| x.lane(k).to_f64();
        let (mut centre, mut total) = ([0.0; 3], 0.0);
        for m in found {
            let weight = dot3(
                [m.force[0], m.force[1], m.force[2]],
                [m.force[0], m.force[1], m.force[2]],
            )
            .sqrt();
            let p = data.contacts.slots[m.slot].position.map(number);
            centre = [0, 1, 2].map(|i| centre[i] + weight * p[i]);
            total += weight;
        }
        centre = centre.map(|x| x / f64::max(total, MIN_VALUE));
        let (mut force, mut torque) = ([0.0; 3], [0.0; 3]);
        for m in found {
            let slot = &data.contacts.slots[m.slot];
            let (frame, p) = (slot.frame.map(number), slot.position.map(number));
            let sign = if m.reversed { -1.0 } else { 1.0 };
            let world =
                |v: [f64; 3]| [0, 1, 2].map(|c| sign * (v[0] * frame[c] + v[1] * frame[c + 3] + v[2] * frame[c + 6]));
            let (f, t) = (
                world([m.force[0], m.force[1], m.force[2]]),
                world([m.force[3], m.force[4], m.force[5]]),
            );
            let arm = [0, 1, 2].map(|i| p[i] - centre[i]);
            let moment = cross3(arm, f);
            force = [0, 1, 2].map(|i| force[i] + f[i]);
            torque = [0, 1, 2].map(|i| torque[i] + t[i] + moment[i]);
        }
        let (x, y) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
        [
            [found.len() as f64, 0.0, 0.0],
            force,
            torque,
            [0.0; 3],
            centre,
            x,
            y,
            [0.0; 3],
            [0.0; 3],
        ]
    }
}

/// Velocity of the second geom relative to the first at the contact, and relative angular velocity; world axes.
fn relative_velocity<L: Lanes>(tables: &Tables<L::Elem>, data: &Data<L>, slot: &Slot<L>) -> ([L; 3], [L; 3]) {
    let at = |body: usize| {
        let v = &data.twists.body[body];
        let arm = sub(slot.position, data.poses.subtree_com[tables.tree.bodies[body].root]);
        (add_cross(linear(v), angular(v), arm), angular(v))
    };
    let ((v1, w1), (v2, w2)) = (at(slot.body1), at(slot.body2));
    (
        scale(sub(v2, v1), slot.orientation),
        scale(sub(w2, w1), slot.orientation),
    )
}

fn dot3(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross3(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}
