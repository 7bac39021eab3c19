//! Which documents of a window have a value in a range, decided on the packed codes.

use super::document_set::DocumentSet;
use super::encode::distance;
use super::packed::{CodeRun, WindowData, WindowEntry};
use quarry_codec::window::{WINDOW_WORDS, WindowBits};
use std::ops::RangeInclusive;

/// Sets the bit of every document of the window with a value in `low..=high`.
pub(super) fn match_range(data: &WindowData<'_>, low: i64, high: i64, bits: &mut WindowBits) {
    let entry = data.entry;
    if low > high || low > entry.max || high < entry.min {
        return;
    }
    if low <= entry.min && entry.max <= high {
        data.set.set_bits(bits);
        return;
    }
    let codes = code_range(entry, low, high);
    if codes.is_empty() {
        return;
    }
    if entry.is_single_valued() { match_single(data, &codes, bits) } else { match_several(data, &codes, bits) }
}

/// The codes whose values lie in `low..=high`, which overlaps the window's range.
fn code_range(entry: &WindowEntry, low: i64, high: i64) -> RangeInclusive<u64> {
    let first = if low <= entry.min { 0 } else { distance(entry.min, low).div_ceil(entry.divisor) };
    let last = distance(entry.min, high.min(entry.max)) / entry.divisor;
    first..=last
}

fn match_single(data: &WindowData<'_>, codes: &RangeInclusive<u64>, bits: &mut WindowBits) {
    let mut ranks = [0u64; WINDOW_WORDS];
    data.for_each_run(|first, run| match run {
        CodeRun::Narrow(run) => match_narrow(run, codes, &mut ranks[first / 64..]),
        CodeRun::Wide(run) => match_wide(run, codes, &mut ranks[first / 64..]),
    });
    data.set.expand(&ranks, bits);
}

fn match_several(data: &WindowData<'_>, codes: &RangeInclusive<u64>, bits: &mut WindowBits) {
    let mut hits = Vec::with_capacity(data.entry.value_count as usize);
    data.for_each_run(|_, run| match run {
        CodeRun::Narrow(run) => hits.extend(run.iter().map(|&code| codes.contains(&u64::from(code)))),
        CodeRun::Wide(run) => hits.extend(run.iter().map(|code| codes.contains(code))),
    });
    let mut starts = Vec::new();
    data.read_starts(&mut starts);
    set_where(data.set, bits, |rank| {
        let range = starts.get(rank..rank + 2).map_or(0..0, |pair| pair[0] as usize..pair[1] as usize);
        hits[range].contains(&true)
    });
}

fn set_where(set: DocumentSet<'_>, bits: &mut WindowBits, matches: impl Fn(usize) -> bool) {
    set.for_each(|rank, doc| bits[doc / 64] |= u64::from(matches(rank)) << (doc % 64));
}

/// Sets bit `i` of `ranks` where code `i` is in the range.
fn match_narrow(run: &[u32], codes: &RangeInclusive<u64>, ranks: &mut [u64]) {
    let (Ok(first), last) = (u32::try_from(*codes.start()), u32::try_from(*codes.end()).unwrap_or(u32::MAX)) else {
        return;
    };
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    {
        avx2::match_narrow(run, first, last - first, ranks);
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    {
        match_narrow_portable(run, first, last - first, ranks);
    }
}

/// A code is in the range when its distance from the first code, seen as unsigned, is at most `span`.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
fn match_narrow_portable(run: &[u32], first: u32, span: u32, ranks: &mut [u64]) {
    for (word, chunk) in ranks.iter_mut().zip(run.chunks(64)) {
        for (bit, code) in chunk.iter().enumerate() {
            *word |= u64::from(code.wrapping_sub(first) <= span) << bit;
        }
    }
}

fn match_wide(run: &[u64], codes: &RangeInclusive<u64>, ranks: &mut [u64]) {
    let (first, span) = (*codes.start(), codes.end() - codes.start());
    for (word, chunk) in ranks.iter_mut().zip(run.chunks(64)) {
        for (bit, code) in chunk.iter().enumerate() {
            *word |= u64::from(code.wrapping_sub(first) <= span) << bit;
        }
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_loadu_si256, _mm256_min_epu32, _mm256_movemask_ps,
        _mm256_set1_epi32, _mm256_sub_epi32,
    };

    /// As the portable twin, eight codes at a time.
    pub(super) fn match_narrow(run: &[u32], first: u32, span: u32, ranks: &mut [u64]) {
        for (word, chunk) in ranks.iter_mut().zip(run.chunks(64)) {
            let (eights, rest) = chunk.as_chunks::<8>();
            for (place, codes) in eights.iter().enumerate() {
                *word |= u64::from(match_eight(codes, first, span)) << (place * 8);
            }
            for (bit, code) in rest.iter().enumerate() {
                *word |= u64::from(code.wrapping_sub(first) <= span) << (eights.len() * 8 + bit);
            }
        }
    }

    #[inline]
    fn match_eight(codes: &[u32; 8], first: u32, span: u32) -> u8 {
        // SAFETY: the build's target has AVX2; the load reads the 32 bytes of `codes`.
        unsafe {
            let codes = _mm256_loadu_si256(codes.as_ptr().cast::<__m256i>());
            let distance = _mm256_sub_epi32(codes, _mm256_set1_epi32(first as i32));
            let bounded = _mm256_min_epu32(distance, _mm256_set1_epi32(span as i32));
            _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(bounded, distance))) as u8
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn narrow_twins_agree(run in proptest::collection::vec(0u32..50, 0..256), first in 0u32..50, span in 0u32..50) {
            let (mut expected, mut actual) = ([0; 4], [0; 4]);
            match_narrow_portable(&run, first, span, &mut expected);
            match_narrow(&run, &(u64::from(first)..=u64::from(first + span)), &mut actual);
            prop_assert_eq!(expected, actual);
        }
    }
}
