//! The random marks of procedural textures: MuJoCo's sequence of pixels.
//!
//! The generator is the 64-bit Mersenne Twister (Nishimura, "Tables of 64-bit Mersenne Twisters", 2000) with seed 42, so
//! that a starry sky shows the same stars.

const WORDS: usize = 312;
const MIDDLE: usize = 156;
const SEED: u64 = 42;

/// Uniform numbers from 0 to 1.
pub(super) struct Uniform {
    state: [u64; WORDS],
    next: usize,
}

impl Uniform {
    pub(super) fn new() -> Self {
        let mut state = [SEED; WORDS];
        for k in 1..WORDS {
            let previous = state[k - 1];
            state[k] = (previous ^ (previous >> 62))
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(k as u64);
        }
        Self { state, next: WORDS }
    }

    pub(super) fn sample(&mut self) -> f64 {
        // All 64 bits over 2^64; what rounds up to one counts as just below.
        (self.word() as f64 / 2f64.powi(64)).min(1.0f64.next_down())
    }

    fn word(&mut self) -> u64 {
        if self.next == WORDS {
            self.twist();
            self.next = 0;
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= (word >> 29) & 0x5555_5555_5555_5555;
        word ^= (word << 17) & 0x71d6_7fff_eda6_0000;
        word ^= (word << 37) & 0xfff7_eee0_0000_0000;
        word ^ (word >> 43)
    }

    fn twist(&mut self) {
        const LOWER: u64 = (1 << 31) - 1;
        const MATRIX: u64 = 0xb502_6f5a_a966_19e9;
        for k in 0..WORDS {
            let joined = (self.state[k] & !LOWER) | (self.state[(k + 1) % WORDS] & LOWER);
            let odd = if joined & 1 == 1 { MATRIX } else { 0 };
            self.state[k] = self.state[(k + MIDDLE) % WORDS] ^ (joined >> 1) ^ odd;
        }
    }
}
