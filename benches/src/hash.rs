//! One number for a whole state: FNV-1a over its bits.

/// The hash of some bits.
pub fn of(bits: impl Iterator<Item = u64>) -> u64 {
    bits.fold(0xcbf2_9ce4_8422_2325, |hash, bits| {
        (hash ^ bits).wrapping_mul(0x0100_0000_01b3)
    })
}
