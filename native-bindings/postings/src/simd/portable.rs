//! The way that works on any processor.
#![cfg_attr(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"), allow(dead_code))]

use super::{FREQ_WIDTH_MAX, Found, GROUP_VALUES, GROUP_WIDTH_MAX, Gaps, LOAD_SLACK, NO_VALUE, STORE_SLACK};

fn word_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// Writes `base + i` for each set bit `i` of `words` (little-endian 64-bit words) and gives their number. `docs` must
/// have room for all bits of `words` and `STORE_SLACK` more.
pub(crate) fn expand_bits(words: &[u8], base: u16, docs: &mut [u16]) -> usize {
    assert!(docs.len() >= words.len() * 8 + STORE_SLACK);
    let mut count = 0;
    for (index, bytes) in words.chunks_exact(8).enumerate() {
        let mut word = word_at(bytes, 0);
        while word != 0 {
            docs[count] = base.wrapping_add((index * 64) as u16 + word.trailing_zeros() as u16);
            count += 1;
            word &= word - 1;
        }
    }
    count
}

/// Replaces `docs` by the numbers of the set bits of `words`, of which there are 1,024 at most, ascending.
#[inline]
pub fn list_bits(words: &[u64], docs: &mut Vec<u16>) {
    docs.clear();
    for (index, &word) in words.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            docs.push((index * 64) as u16 + rest.trailing_zeros() as u16);
            rest &= rest - 1;
        }
    }
}

/// Unpacks `count` values of `width` bits and adds 1 to each. `false` (and nothing useful written) where `packed` is too
/// short: it must hold the values rounded up to eight and `LOAD_SLACK` more.
pub(crate) fn unpack_freqs(packed: &[u8], width: u32, count: usize, freqs: &mut [u8]) -> bool {
    assert!(freqs.len() >= count + STORE_SLACK);
    if width > FREQ_WIDTH_MAX || packed.len() < count.div_ceil(8) * width as usize + LOAD_SLACK {
        return false;
    }
    let mask = (1u64 << width) - 1;
    for (index, freq) in freqs[..count].iter_mut().enumerate() {
        let bit = index * width as usize;
        *freq = ((word_at(packed, bit / 8) >> (bit % 8) & mask) as u8).wrapping_add(1);
    }
    true
}

/// Replaces the gaps of a block, each the number of documents that lie between two, by documents. The first gap is counted
/// from `base`. Gaps that no encoder wrote wrap around.
pub(crate) fn docs_of_gaps(gaps: &mut Gaps, base: u32) {
    let mut next = base;
    for gap in gaps.as_flattened_mut() {
        *gap = gap.wrapping_add(next);
        next = gap.wrapping_add(1);
    }
}

/// Copies little-endian 16-bit values, keeping the low twelve bits. `docs` needs room for `STORE_SLACK` more.
pub(crate) fn mask_lows(values: &[u8], docs: &mut [u16]) {
    assert!(docs.len() >= values.len() / 2 + STORE_SLACK);
    for (pair, doc) in values.chunks_exact(2).zip(docs) {
        *doc = u16::from_le_bytes([pair[0], pair[1]]) & 0xfff;
    }
}

/// The first index `>= from` of the ascending little-endian 16-bit `values` that is not below `target`, or their number.
pub(crate) fn lower_bound(values: &[u8], from: usize, target: u16) -> usize {
    let (pairs, _) = values.as_chunks::<2>();
    let tail = pairs.get(from..).unwrap_or(&[]);
    from + tail.iter().position(|pair| u16::from_le_bytes(*pair) >= target).unwrap_or(tail.len())
}

/// The places of the values that `a` and `b` (ascending, two bytes each) have in common, in each of them; gives their
/// number. Both of `places` have room for as many as the shorter list has values, and eight more.
pub(crate) fn intersect(a: &[u8], b: &[u8], places: [&mut [u16]; 2]) -> usize {
    intersect_from(a.as_chunks().0, b.as_chunks().0, [0, 0], places, 0)
}

/// As [`intersect`] from some places on, behind `count` that are found already. Stops where there is no more room.
pub(super) fn intersect_from(
    a: &[[u8; 2]],
    b: &[[u8; 2]],
    [mut at_a, mut at_b]: [usize; 2],
    [places_a, places_b]: [&mut [u16]; 2],
    mut count: usize,
) -> usize {
    while let (Some(of_a), Some(of_b)) = (a.get(at_a), b.get(at_b)) {
        let (of_a, of_b) = (u16::from_le_bytes(*of_a), u16::from_le_bytes(*of_b));
        if of_a == of_b {
            let (Some(place_a), Some(place_b)) = (places_a.get_mut(count), places_b.get_mut(count)) else { break };
            (*place_a, *place_b) = (at_a as u16, at_b as u16);
            count += 1;
        }
        at_a += usize::from(of_a <= of_b);
        at_b += usize::from(of_b <= of_a);
    }
    count
}

/// Sum of the first `count` bytes; quickest where whole 32-byte vectors can be read.
pub(crate) fn sum_first(bytes: &[u8], count: usize) -> u32 {
    bytes[..count].iter().map(|&byte| u32::from(byte)).sum()
}

/// Unpacks `values.len()` values of `width` bits that start with value `from` of `packed`. `false` where `packed` is too
/// short (it must hold `LOAD_SLACK` bytes more) or the width above 32.
pub(crate) fn unpack_values(packed: &[u8], width: u32, from: usize, values: &mut [u32]) -> bool {
    let end_bit = (from + values.len()) * width as usize;
    if width > 32 || packed.len() < end_bit.div_ceil(8) + LOAD_SLACK {
        return false;
    }
    let mask = (1u64 << width) - 1;
    for (index, value) in values.iter_mut().enumerate() {
        let bit = (from + index) * width as usize;
        *value = (word_at(packed, bit / 8) >> (bit % 8) & mask) as u32;
    }
    true
}

/// Whether one of `count` ascending values of `width` bits, from value `from` of `packed` on, is `wanted`. `None` where `packed` is
/// too short (it must hold the values rounded up to eight and `LOAD_SLACK` bytes more) or the width above 32.
pub(crate) fn contains_value(packed: &[u8], width: u32, from: usize, count: usize, wanted: u32) -> Option<bool> {
    let end = (from + count).next_multiple_of(8);
    if width > 32 || packed.len() < end / 8 * width as usize + LOAD_SLACK {
        return None;
    }
    let mask = (1u64 << width) - 1;
    let is_wanted = |index: usize| {
        let bit = index * width as usize;
        (word_at(packed, bit / 8) >> (bit % 8) & mask) == u64::from(wanted)
    };
    Some((from..from + count).any(is_wanted))
}

/// Up to sixteen values of `width` bits, from value `from` of `packed` on, with `NO_VALUE` behind them. `None` where the
/// width is above `GROUP_WIDTH_MAX` or fewer than 64 bytes follow the byte in which the first value starts.
pub(crate) fn unpack_group(packed: &[u8], width: u32, from: usize, count: usize) -> Option<[u32; GROUP_VALUES]> {
    let first = from * width as usize / 8;
    if width > GROUP_WIDTH_MAX || packed.len() < first + 64 {
        return None;
    }
    let mask = (1u64 << width) - 1;
    let mut group = [NO_VALUE; GROUP_VALUES];
    for (index, value) in group.iter_mut().enumerate().take(count) {
        let bit = (from + index) * width as usize;
        *value = (word_at(packed, bit / 8) >> (bit % 8) & mask) as u32;
    }
    Some(group)
}

/// Which of `wanted`, sixteen at most, are among the values that [`unpack_group`] gives, under its conditions.
pub(crate) fn find_in_group(packed: &[u8], width: u32, from: usize, count: usize, wanted: &[u32]) -> Option<Found> {
    unpack_group(packed, width, from, count).map(|group| find(&group, count, wanted))
}

/// Which of `wanted`, sixteen at most, are among the first `count` values of a group.
#[inline]
pub(crate) fn find(group: &[u32; GROUP_VALUES], count: usize, wanted: &[u32]) -> Found {
    let group = &group[..count.min(GROUP_VALUES)];
    let (mut places, mut last) = (0, 0);
    for (place, wanted) in wanted.iter().take(GROUP_VALUES).enumerate() {
        places |= u32::from(group.contains(wanted)) << place;
        last = *wanted;
    }
    Found { places, passed: group.iter().any(|value| *value >= last) }
}

/// Sum of the bytes before `count`, which is at most 32.
pub(crate) fn sum_below(bytes: &[u8; 32], count: usize) -> u32 {
    sum_first(bytes, count)
}

/// Asks for the memory at a place of `items` without waiting for it.
pub(crate) fn prefetch<T>(_items: &[T], _at: usize) {}
