//! What contacts remember of their friction from one step to the next.
//!
//! Each world remembers its first so many contacts with friction, in the order of the pair list: the pair, friction as a force in the
//! axes of the world and, if some pair of the model has spin or rolls, these as a torque. The contacts of a pair are told apart by
//! their order alone: where it changes, forces that belong to the same two bodies are exchanged, and what holds is off for a step.
//!
//! | number | of an entry |
//! |---|---|
//! | 0 | number of the pair, counted from 1; negative where the contact slid; 0 where nothing is remembered from here on |
//! | 1–3 | force |
//! | 4–6 | torque |
//!
//! The numbers of a world lie together, world after world, since worlds remember different contacts. Behind what is remembered all are
//! zero, so that a list can be copied and cleared without a look at the room that it does not take.

use motrix_model::Model;
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::{Block, BlockKind, Rows};
use crate::contacts::{MAX_LANES, Slot};

/// Place of the force in an entry, and of the torque.
const FORCE: usize = 1;
const TORQUE: usize = 4;

/// Contacts that a world remembers at least, more for each kinematic tree, and more for each body that touches. Box on box are up to
/// eight contacts, and most bodies of a pile rest on three others.
const FEWEST: usize = 8;
const BY_TREE: usize = 8;
const BY_BODY: usize = 2;

/// Share of the cone up to which a contact sticks; the rest is rounding.
const INSIDE: f64 = 1.0 - 1e-4;

/// How the contacts of a model are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GripTable {
    /// Contacts that a world remembers.
    capacity: usize,
    /// Numbers of an entry.
    width: usize,
}

impl GripTable {
    /// For a model.
    pub fn new(model: &Model) -> Self {
        let rubs = model.pair_params.iter().any(|params| params.dim > 1);
        let turns = model.pair_params.iter().any(|params| params.dim > 3);
        let mut touches = vec![false; model.bodies.len()];
        for pair in &model.pairs {
            for geom in [pair.geom1, pair.geom2] {
                touches[model.geoms[geom.index()].body.index()] = true;
            }
        }
        // The world, which is body 0, never needs room of its own.
        let bodies = touches.iter().skip(1).filter(|touches| **touches).count();
        let capacity = FEWEST + BY_TREE * model.trees.len() + BY_BODY * bodies;
        Self {
            capacity: if rubs { capacity } else { 0 },
            width: if turns { TORQUE + 3 } else { FORCE + 3 },
        }
    }

    /// Whether torques are remembered.
    #[inline(always)]
    fn turns(&self) -> bool {
        self.width > TORQUE
    }

    /// Numbers that a world keeps.
    pub fn len(&self) -> usize {
        self.capacity * self.width
    }

    /// Whether a world keeps nothing.
    pub fn is_empty(&self) -> bool {
        self.capacity == 0
    }

    /// Remembers the friction of a solved step.
    #[inline(always)]
    pub fn remember<L: Lanes>(&self, slots: &[Slot<L>], rows: &Rows<L>, memory: &mut [L::Elem]) {
        let mut counts = [0; MAX_LANES];
        for block in rows.blocks.iter().filter(|block| block.has_friction()) {
            let BlockKind::Contact(index) = block.kind else {
                continue;
            };
            let slot = &slots[index];
            let sticks = sticks(block).bits();
            let (force, torque) = (in_lanes(force(slot, block)), in_lanes(torque(slot, block)));
            let mut lanes = rubbing(slot);
            while lanes != 0 {
                let k = lanes.trailing_zeros() as usize % MAX_LANES;
                lanes &= lanes - 1;
                if counts[k] == self.capacity {
                    continue;
                }
                let entry = self.entry_mut(memory, k, counts[k]);
                counts[k] += 1;
                let pair = f64::from(slot.pair[k]) + 1.0;
                entry[0] = L::Elem::from_f64(if sticks >> k & 1 != 0 { pair } else { -pair });
                put(&force, k, &mut entry[FORCE..]);
                if self.turns() {
                    put(&torque, k, &mut entry[TORQUE..]);
                }
            }
        }
        for k in 0..L::COUNT {
            self.forget_from(counts[k], &mut memory[k * self.len()..(k + 1) * self.len()]);
        }
    }

    /// Forgets everything, as steps do whose friction needs no memory.
    #[inline(always)]
    pub fn forget<L: Lanes>(&self, memory: &mut [L::Elem]) {
        for k in 0..L::COUNT {
            self.forget_from(0, &mut memory[k * self.len()..(k + 1) * self.len()]);
        }
    }

    /// Makes the memory of one world that of another.
    pub fn copy<A: Real, B: Real>(&self, from: &[A], to: &mut [B]) {
        let entries = from.chunks_exact(self.width);
        let count = entries.take_while(|entry| entry[0] != A::default()).count();
        let numbers = count * self.width;
        for (own, x) in to[..numbers].iter_mut().zip(&from[..numbers]) {
            *own = B::from_f64(x.to_f64());
        }
        self.forget_from(count, to);
    }

    /// Clears what is left of the step before in the memory of a world, from entry `first` on.
    #[inline(always)]
    fn forget_from<E: Real>(&self, first: usize, world: &mut [E]) {
        for e in first..self.capacity {
            let entry = &mut world[e * self.width..(e + 1) * self.width];
            if entry[0] == E::default() {
                break;
            }
            entry.fill(E::default());
        }
    }

    /// Entry `e` of the world in lane `k`.
    #[inline(always)]
    fn entry_mut<'a, E>(&self, memory: &'a mut [E], k: usize, e: usize) -> &'a mut [E] {
        let start = k * self.len() + e * self.width;
        &mut memory[start..start + self.width]
    }

    /// As [`GripTable::entry_mut`], to read.
    #[inline(always)]
    fn entry<'a, E>(&self, memory: &'a [E], k: usize, e: usize) -> &'a [E] {
        let start = k * self.len() + e * self.width;
        &memory[start..start + self.width]
    }
}

/// What was remembered of a contact; nothing where it is new.
#[derive(Clone, Copy, Debug)]
pub struct Grip<L: Lanes> {
    /// Lanes in which it stuck.
    pub stuck: L::Mask,
    force: Vec3<L>,
    torque: Vec3<L>,
}

impl<L: Lanes> Grip<L> {
    /// The friction force in row `r` of a contact.
    #[inline(always)]
    pub fn along(&self, slot: &Slot<L>, r: usize) -> L {
        let (row, whole) = if r < 3 { (r, self.force) } else { (r - 3, self.torque) };
        dot(mat_row(&slot.frame, row), whole)
    }
}

/// A walk through what worlds remember, in the order of their contacts.
#[derive(Clone, Copy, Debug)]
pub struct Recall<'a, E> {
    table: GripTable,
    memory: &'a [E],
    /// The next entry of each world.
    next: [usize; MAX_LANES],
}

impl<'a, E: Real> Recall<'a, E> {
    /// From the beginning.
    #[inline(always)]
    pub fn new(table: &GripTable, memory: &'a [E]) -> Self {
        Self {
            table: *table,
            memory,
            next: [0; MAX_LANES],
        }
    }

    /// What is known of the next contact with friction.
    #[inline(always)]
    pub fn contact<L: Lanes<Elem = E>>(&mut self, slot: &Slot<L>) -> Grip<L> {
        let zeros = [[E::default(); MAX_LANES]; 3];
        let (mut force, mut torque) = (zeros, zeros);
        let mut stuck = 0;
        let mut lanes = rubbing(slot);
        while lanes != 0 {
            let k = lanes.trailing_zeros() as usize % MAX_LANES;
            lanes &= lanes - 1;
            let Some(entry) = self.find(k, slot.pair[k]) else {
                continue;
            };
            stuck |= u32::from(entry[0] > E::default()) << k;
            get(&entry[FORCE..], k, &mut force);
            if self.table.turns() {
                get(&entry[TORQUE..], k, &mut torque);
            }
        }
        Grip {
            stuck: L::Mask::from_bits(stuck),
            force: out_of_lanes(&force),
            torque: if self.table.turns() {
                out_of_lanes(&torque)
            } else {
                [L::ZERO; 3]
            },
        }
    }

    /// The next entry of a pair in the world of lane `k`.
    #[inline(always)]
    fn find(&mut self, k: usize, pair: u32) -> Option<&'a [E]> {
        let wanted = f64::from(pair) + 1.0;
        while self.next[k] < self.table.capacity {
            let entry = self.table.entry(self.memory, k, self.next[k]);
            let kept = entry[0].to_f64().abs();
            // Entries are in the order of pairs.
            if kept == 0.0 || kept > wanted {
                return None;
            }
            self.next[k] += 1;
            if kept == wanted {
                return Some(entry);
            }
        }
        None
    }
}

/// Lanes in which a contact has friction, one bit each.
#[inline(always)]
fn rubbing<L: Lanes>(slot: &Slot<L>) -> u32 {
    (slot.acting & slot.lane_dim.gt(L::ONE)).bits()
}

/// The friction of a contact as a force.
#[inline(always)]
fn force<L: Lanes>(slot: &Slot<L>, block: &Block<L>) -> Vec3<L> {
    tangential(slot, block.force[1], block.force[2])
}

/// Spin and rolls of a contact as a torque.
#[inline(always)]
fn torque<L: Lanes>(slot: &Slot<L>, block: &Block<L>) -> Vec3<L> {
    match slot.dim {
        ..=3 => [L::ZERO; 3],
        4 => scale(mat_row(&slot.frame, 0), block.force[3]),
        _ => {
            let rolls = tangential(slot, block.force[4], block.force[5]);
            add_scaled(rolls, block.force[3], mat_row(&slot.frame, 0))
        }
    }
}

/// A vector by its components along the tangents of a contact.
#[inline(always)]
fn tangential<L: Lanes>(slot: &Slot<L>, a: L, b: L) -> Vec3<L> {
    let along = scale(mat_row(&slot.frame, 1), a);
    add_scaled(along, b, mat_row(&slot.frame, 2))
}

/// Puts the vector of lane `k` at the start of a row.
#[inline(always)]
fn put<E: Copy>(from: &[[E; MAX_LANES]; 3], k: usize, row: &mut [E]) {
    if let Some(row) = row.first_chunk_mut::<3>() {
        *row = [from[0][k], from[1][k], from[2][k]];
    }
}

/// Makes the start of a row the vector of lane `k`.
#[inline(always)]
fn get<E: Copy>(row: &[E], k: usize, to: &mut [[E; MAX_LANES]; 3]) {
    if let Some(row) = row.first_chunk::<3>() {
        (to[0][k], to[1][k], to[2][k]) = (row[0], row[1], row[2]);
    }
}

/// The lanes of numbers.
#[inline(always)]
fn out_of_lanes<L: Lanes>(v: &[[L::Elem; MAX_LANES]; 3]) -> Vec3<L> {
    [L::load(&v[0]), L::load(&v[1]), L::load(&v[2])]
}

/// The numbers of each lane.
#[inline(always)]
fn in_lanes<L: Lanes>(v: Vec3<L>) -> [[L::Elem; MAX_LANES]; 3] {
    let mut out = [[L::Elem::default(); MAX_LANES]; 3];
    for (row, x) in out.iter_mut().zip(v) {
        x.store(row);
    }
    out
}

/// Lanes in which the force of a contact is inside its cone, Σ (f_k/µ_k)² < f₀².
#[inline(always)]
fn sticks<L: Lanes>(block: &Block<L>) -> L::Mask {
    let mut used = L::ZERO;
    for r in 1..block.dim {
        let mu = block.friction[r];
        let ratio = block.force[r] / L::select(mu.gt(L::ZERO), mu, L::ONE);
        used = ratio.mul_add(ratio, used);
    }
    let most = L::c(INSIDE) * block.force[0];
    used.lt(most * most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copied_memory_keeps_nothing_of_its_own() {
        let table = GripTable { capacity: 4, width: 4 };
        let full: Vec<f64> = (1..=16).map(f64::from).collect();
        let mut short = full[..8].to_vec();
        short.resize(16, 0.0);
        for from in [&full, &short, &vec![0.0; 16]] {
            for mut to in [vec![0.0f32; 16], full.iter().map(|x| -*x as f32).collect()] {
                table.copy(from, &mut to);
                let expected: Vec<f32> = from.iter().map(|x| *x as f32).collect();
                assert_eq!(to, expected);
            }
        }
        let mut two = [&full[..], &short].concat();
        table.forget::<f64>(&mut two[..16]);
        assert_eq!(two, [&[0.0; 16][..], &short].concat());
    }
}
