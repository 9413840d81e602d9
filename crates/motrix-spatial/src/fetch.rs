//! Memory that will be needed soon.

/// Bytes that memory hands out at a time.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Starts to bring some of a table into the cache. Elsewhere than on x86-64 there is no stable way to say so.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
pub fn fetch_ahead<T>(part: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for at in (0..size_of_val(part)).step_by(LINE) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a hint, which reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(part.as_ptr().cast::<i8>().wrapping_add(at)) };
    }
}
