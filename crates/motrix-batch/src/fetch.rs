//! Memory that will be needed soon.

/// Bytes that memory hands out at a time.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Starts to bring numbers into the cache. Elsewhere than on x86-64 there is no stable way to say so.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
pub fn fetch_ahead<E>(numbers: &[E]) {
    #[cfg(target_arch = "x86_64")]
    for line in numbers.chunks((LINE / size_of::<E>()).max(1)) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a hint, which reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
    }
}
