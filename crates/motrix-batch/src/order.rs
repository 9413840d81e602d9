//! Which worlds share lanes.
//!
//! A group computes every contact that one of its worlds has, and iterates until the last of them is solved. Worlds that touch alike
//! and converge alike therefore belong together. What touched in the last step foretells the next one well, so worlds are sorted by
//! that; since lanes do not exchange data, the order changes speed and nothing else.

use motrix_dynamics::Data;
use motrix_dynamics::contacts::MAX_LANES;
use motrix_spatial::{Lanes, Mask, Real};

use crate::chunk::MOST_WORLDS;

/// Bits of the key that tell which pairs of bodies touch; the others count iterations.
const PAIR_BITS: u32 = 58;

/// The worlds of a chunk in the order in which they go into lanes.
pub struct Order {
    worlds: [u32; MOST_WORLDS],
    count: usize,
}

impl Order {
    /// Worlds with like keys next to each other; equal ones keep their order.
    pub fn by(touching: &[u64]) -> Self {
        let mut worlds: [u32; MOST_WORLDS] = std::array::from_fn(|k| k as u32);
        let count = touching.len();
        if touching.windows(2).any(|pair| pair[0] > pair[1]) {
            // The number of the world makes keys different, so that the order is one and needs no memory to find.
            worlds[..count].sort_unstable_by_key(|&w| (touching[w as usize], w));
        }
        Self { worlds, count }
    }

    /// The worlds that go into lanes together.
    pub fn groups(&self, lanes: usize) -> impl Iterator<Item = &[u32]> {
        self.worlds[..self.count].chunks(lanes)
    }
}

/// What touches in each lane, and how long the solver took: one bit for each pair of bodies, as far as bits go, then the iterations.
pub fn touching<L: Lanes>(data: &Data<L>) -> [u64; MAX_LANES] {
    let mut keys = [0; MAX_LANES];
    for slot in &data.contacts.slots {
        // Pairs that fall on the same bit only sort a little worse.
        let bit = 1u64 << ((slot.body1 * 31 + slot.body2) as u32 % PAIR_BITS);
        let mut acting = slot.acting.bits();
        while acting != 0 {
            keys[acting.trailing_zeros() as usize % MAX_LANES] |= bit;
            acting &= acting - 1;
        }
    }
    for k in 0..L::COUNT {
        let iterations = if keys[k] == 0 {
            0.0
        } else {
            data.solution.iterations.lane(k).to_f64()
        };
        keys[k] = keys[k] << (64 - PAIR_BITS) | (iterations as u64).min((1 << (64 - PAIR_BITS)) - 1);
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worlds_that_touch_alike_share_lanes() {
        let order = Order::by(&[5, 0, 5, 0, 5, 0]);
        let groups: Vec<Vec<u32>> = order.groups(3).map(<[u32]>::to_vec).collect();
        assert_eq!(groups, [vec![1, 3, 5], vec![0, 2, 4]]);
        let order = Order::by(&[7; 5]);
        assert_eq!(order.groups(8).collect::<Vec<_>>(), [[0, 1, 2, 3, 4]]);
    }
}
