//! The one hot loop of the scanner: the next byte of a string that is not plain text.

/// First position `>= from` of a quote, a backslash or a control character; `bytes.len()` when there is none.
#[inline]
pub fn find_special(bytes: &[u8], from: usize) -> usize {
    #[cfg(target_feature = "avx2")]
    {
        avx2::find_special(bytes, from)
    }
    #[cfg(not(target_feature = "avx2"))]
    {
        portable(bytes, from)
    }
}

/// Eight bytes at a time, with the exact test for a zero byte in each lane.
#[cfg_attr(target_feature = "avx2", allow(dead_code))]
fn portable(bytes: &[u8], from: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut at = from;
    while let Some(chunk) = bytes.get(at..at + 8) {
        let word = chunk.iter().rev().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
        let quote = word ^ (ONES * u64::from(b'"'));
        let backslash = word ^ (ONES * u64::from(b'\\'));
        // The lowest flagged lane is exact in each of the three tests; a borrow only reaches lanes above it.
        let found = (quote.wrapping_sub(ONES) & !quote)
            | (backslash.wrapping_sub(ONES) & !backslash)
            | (word.wrapping_sub(ONES * 0x20) & !word);
        let found = found & HIGH;
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    find_in_tail(bytes, at)
}

#[inline]
fn find_in_tail(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20).unwrap_or(rest.len())
}

#[cfg(target_feature = "avx2")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256,
        _mm256_set1_epi8,
    };

    const LANES: usize = 32;

    #[inline]
    pub(super) fn find_special(bytes: &[u8], from: usize) -> usize {
        let mut at = from;
        while at + LANES <= bytes.len() {
            // SAFETY: the loop condition leaves 32 readable bytes at `at`; the module exists only where AVX2 does.
            let mask = unsafe { special_mask(bytes.as_ptr().add(at)) };
            if mask != 0 {
                return at + mask.trailing_zeros() as usize;
            }
            at += LANES;
        }
        super::find_in_tail(bytes, at)
    }

    /// Bit `i`: byte `i` is special.
    ///
    /// # Safety
    /// 32 bytes must be readable at `block`.
    #[inline]
    unsafe fn special_mask(block: *const u8) -> u32 {
        // SAFETY: the caller vouches for the 32 bytes; the load has no alignment.
        let bytes = unsafe { _mm256_loadu_si256(block.cast::<__m256i>()) };
        // SAFETY: register-only AVX2 operations, available wherever this module is compiled.
        unsafe {
            let quote = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b'"' as i8));
            let backslash = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b'\\' as i8));
            let control = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(0x1f)), bytes);
            _mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(quote, backslash), control)) as u32
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn twins_agree_with_the_obvious_loop(bytes: Vec<u8>, from in 0usize..80) {
            let from = from.min(bytes.len());
            let expected = find_in_tail(&bytes, from);
            prop_assert_eq!(portable(&bytes, from), expected);
            prop_assert_eq!(find_special(&bytes, from), expected);
        }

        #[test]
        fn twins_agree_in_long_plain_text(length in 0usize..200, byte in 0x20u8..=255, at in 0usize..200, special in prop::sample::select(vec![b'"', b'\\', 0, 0x1f])) {
            let mut bytes = vec![byte; length];
            if let Some(place) = bytes.get_mut(at) { *place = special; }
            let expected = find_in_tail(&bytes, 0);
            prop_assert_eq!(portable(&bytes, 0), expected);
            prop_assert_eq!(find_special(&bytes, 0), expected);
        }
    }
}
