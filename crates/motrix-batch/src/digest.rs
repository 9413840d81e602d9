//! A 64-bit fingerprint of a world's state: equal states have equal digests on every machine.

use motrix_spatial::Real;

/// FNV-1a over the bit patterns of the numbers.
///
/// Simple and fixed: a digest is compared across builds and machines, it protects nothing.
pub fn of<E: Real>(row: &[E], time: f64) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let words = row.iter().map(|x| x.bits()).chain([time.to_bits()]);
    words
        .flat_map(u64::to_le_bytes)
        .fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}
