//! 64-bit fingerprints: of a world's state, of a model, of a block of bytes.
//!
//! Words are folded in one after the other, h ← mix((h ⊕ word)·K). The fold is a bijection of h for a fixed word and of the word for
//! a fixed h, so that a change of any single word always shows. It is fixed and the same on every machine; it protects from
//! accidents, not from attacks.

use std::fmt::{self, Write};

use motrix_model::Model;
use motrix_spatial::Real;

/// Where every fold starts: the offset basis of FNV-1a.
const START: u64 = 0xcbf2_9ce4_8422_2325;
/// An odd multiplier without structure: 2⁶⁴ divided by the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A fold of words.
#[derive(Clone, Copy, Debug)]
pub struct Digest(u64);

impl Digest {
    /// Of nothing.
    pub fn new() -> Self {
        Self(START)
    }

    /// Folds in a word.
    #[inline]
    pub fn word(&mut self, word: u64) {
        let product = (self.0 ^ word).wrapping_mul(MULTIPLIER);
        self.0 = product ^ (product >> 32);
    }

    /// Folds in bytes, eight at a time, and their number.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
        self.word(bytes.len() as u64);
    }

    /// The fingerprint.
    pub fn finish(self) -> u64 {
        self.0
    }
}

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

/// Of a world: its state and its clock.
pub fn of_state<'a, E: Real>(row: impl Iterator<Item = &'a E>, time: f64) -> Digest {
    let mut digest = Digest::new();
    for x in row {
        digest.word(x.bits());
    }
    digest.word(time.to_bits());
    digest
}

/// Of bytes.
pub fn of_bytes(bytes: &[u8]) -> u64 {
    let mut digest = Digest::new();
    digest.bytes(bytes);
    digest.finish()
}

/// Of a compiled model: everything that its debug text shows, which is every number of it, written without loss.
pub fn of_model(model: &Model) -> u64 {
    let mut digest = Digest::new();
    let written = write!(digest, "{model:?}");
    debug_assert!(written.is_ok(), "a digest takes any text");
    digest.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_changed_bit_changes_the_fingerprint_of_bytes() {
        let bytes: Vec<u8> = (0..37).collect();
        let whole = of_bytes(&bytes);
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(of_bytes(&changed), whole, "bit {bit}");
        }
        assert_ne!(of_bytes(&bytes[..36]), whole);
        assert_ne!(of_bytes(&[]), of_bytes(&[0]));
    }

    #[test]
    fn models_that_differ_in_one_number_have_different_fingerprints() {
        let mut model = Model::default();
        model.qpos0.push(1.0);
        let one = of_model(&model);
        model.qpos0[0] = f64::from_bits(1.0f64.to_bits() + 1);
        assert_ne!(of_model(&model), one);
    }
}
