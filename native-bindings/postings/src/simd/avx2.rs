//! The way for processors with AVX2 and BMI2, and in one loop with AVX-512. Compiled only when the build targets them.

pub(crate) use super::avx2_groups::{find_in_group, unpack_group};
use super::{FREQ_WIDTH_MAX, Gaps, LOAD_SLACK, STORE_SLACK, portable};
use std::arch::x86_64::*;

#[cfg(not(all(target_feature = "avx512bw", target_feature = "avx512vbmi2")))]
use expand_by_bytes as expand_words;
#[cfg(all(target_feature = "avx512bw", target_feature = "avx512vbmi2"))]
use expand_by_halves as expand_words;

/// For each byte, the places of its set bits, padded with zeros.
static BIT_PLACES: [[u8; 8]; 256] = bit_places();

const fn bit_places() -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][count] = bit as u8;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
}

/// See the portable twin.
#[inline]
pub(crate) fn expand_bits(words: &[u8], base: u16, docs: &mut [u16]) -> usize {
    assert!(docs.len() >= words.len() * 8 + STORE_SLACK);
    let (words, _) = words.as_chunks::<8>();
    // SAFETY: the module is compiled only for processors with these features; the assertion leaves room for all bits and the slack.
    unsafe { expand_words(words.iter().map(|word| u64::from_le_bytes(*word)), base, docs.as_mut_ptr()) }
}

/// See the portable twin.
#[inline]
pub fn list_bits(words: &[u64], docs: &mut Vec<u16>) {
    docs.clear();
    docs.reserve(words.iter().map(|word| word.count_ones() as usize).sum::<usize>() + STORE_SLACK);
    // SAFETY: as above, for the room that was reserved; as many elements as `expand_words` tells are written.
    unsafe {
        let count = expand_words(words.iter().copied(), 0, docs.as_mut_ptr());
        docs.set_len(count);
    }
}

/// See the portable twin.
#[inline]
pub(crate) fn docs_of_gaps(gaps: &mut Gaps, base: u32) {
    // SAFETY: as above; a row has a vector's 16 bytes.
    unsafe {
        let places = _mm_setr_epi32(0, 1, 2, 3);
        let mut next = _mm_set1_epi32(base as i32);
        for row in gaps {
            let row = row.as_mut_ptr().cast();
            let gaps = _mm_loadu_si128(row);
            let pairs = _mm_add_epi32(gaps, _mm_slli_si128::<4>(gaps));
            let fours = _mm_add_epi32(pairs, _mm_slli_si128::<8>(pairs));
            let ahead = _mm_add_epi32(fours, places);
            _mm_storeu_si128(row, _mm_add_epi32(next, ahead));
            // A row waits for one addition of the row before it.
            let behind = _mm_add_epi32(_mm_shuffle_epi32::<0xff>(ahead), _mm_set1_epi32(1));
            next = _mm_add_epi32(next, behind);
        }
    }
}

/// As [`list_bits`], the way without AVX-512.
#[cfg(test)]
pub(super) fn list_bits_by_bytes(words: &[u64], docs: &mut Vec<u16>) {
    docs.clear();
    docs.reserve(words.len() * 64 + STORE_SLACK);
    // SAFETY: as above.
    unsafe {
        let count = expand_by_bytes(words.iter().copied(), 0, docs.as_mut_ptr());
        docs.set_len(count);
    }
}

/// # Safety
/// There is room behind `start` for the set bits of `words` and `STORE_SLACK` more.
#[cfg(all(target_feature = "avx512bw", target_feature = "avx512vbmi2"))]
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
unsafe fn expand_by_halves(words: impl Iterator<Item = u64>, base: u16, start: *mut u16) -> usize {
    const HALF: usize = 32;
    const { assert!(HALF <= STORE_SLACK) };
    static PLACES: [u16; HALF] = first_places();
    // SAFETY: the array has the vector's 64 bytes.
    let places = unsafe { _mm512_loadu_si512(PLACES.as_ptr().cast()) };
    let mut count = 0usize;
    for (index, word) in words.enumerate().filter(|(_, word)| *word != 0) {
        for (half, mask) in [word as u32, (word >> HALF) as u32].into_iter().enumerate() {
            let half_base = base.wrapping_add((index * 64 + half * HALF) as u16);
            let here = _mm512_add_epi16(places, _mm512_set1_epi16(half_base as i16));
            // SAFETY: `count` is the number of set bits before this half; the vector has no more than `STORE_SLACK` elements.
            unsafe { _mm512_storeu_si512(start.add(count).cast(), _mm512_maskz_compress_epi16(mask, here)) };
            count += mask.count_ones() as usize;
        }
    }
    count
}

#[cfg(all(target_feature = "avx512bw", target_feature = "avx512vbmi2"))]
const fn first_places<const COUNT: usize>() -> [u16; COUNT] {
    let mut places = [0; COUNT];
    let mut place = 0;
    while place < COUNT {
        places[place] = place as u16;
        place += 1;
    }
    places
}

/// # Safety
/// There is room behind `start` for the set bits of `words` and `STORE_SLACK` more.
#[cfg(any(test, not(all(target_feature = "avx512bw", target_feature = "avx512vbmi2"))))]
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
unsafe fn expand_by_bytes(words: impl Iterator<Item = u64>, base: u16, start: *mut u16) -> usize {
    const FEW: u32 = 8;
    let mut count = 0usize;
    for (index, mut word) in words.enumerate() {
        let word_base = base.wrapping_add((index * 64) as u16);
        let ones = word.count_ones();
        if ones <= FEW {
            for place in 0..FEW as usize {
                // SAFETY: at most eight elements from `count`, see the caller.
                unsafe { *start.add(count + place) = word_base.wrapping_add(word.trailing_zeros() as u16) };
                word = _blsr_u64(word);
                if place == 3 && word == 0 {
                    break;
                }
            }
            count += ones as usize;
            continue;
        }
        for (byte_index, byte) in word.to_le_bytes().into_iter().enumerate() {
            let byte_base = _mm_set1_epi16(word_base.wrapping_add((byte_index * 8) as u16) as i16);
            let places = &BIT_PLACES[usize::from(byte)];
            // SAFETY: the table's row has eight bytes; the store is inside, see the caller.
            unsafe {
                let places = _mm_cvtepu8_epi16(_mm_loadl_epi64(places.as_ptr().cast()));
                _mm_storeu_si128(start.add(count).cast(), _mm_add_epi16(places, byte_base));
            }
            count += byte.count_ones() as usize;
        }
    }
    count
}

/// See the portable twin.
#[inline]
pub(crate) fn unpack_freqs(packed: &[u8], width: u32, count: usize, freqs: &mut [u8]) -> bool {
    assert!(freqs.len() >= count + STORE_SLACK);
    if width > FREQ_WIDTH_MAX || packed.len() < count.div_ceil(8) * width as usize + LOAD_SLACK {
        return false;
    }
    // SAFETY: the module is compiled only for processors with these features; lengths are checked above.
    unsafe { unpack_freqs_unchecked(packed, width as usize, count, freqs) };
    true
}

/// # Safety
/// `packed` holds `count` values rounded up to eight and seven bytes more; `freqs` has room for the same number.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
unsafe fn unpack_freqs_unchecked(packed: &[u8], width: usize, count: usize, freqs: &mut [u8]) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    if width == 0 {
        freqs[..count].fill(1);
        return;
    }
    let lanes = ONES.wrapping_mul((1u64 << width) - 1);
    for group in 0..count.div_ceil(8) {
        // SAFETY: group * width + 8 <= packed.len() and group * 8 + 8 <= freqs.len(), see the caller.
        unsafe {
            let word = packed.as_ptr().add(group * width).cast::<u64>().read_unaligned();
            let spread = _pdep_u64(word, lanes);
            let plus_one = _mm_add_epi8(_mm_cvtsi64_si128(spread as i64), _mm_set1_epi8(1));
            _mm_storel_epi64(freqs.as_mut_ptr().add(group * 8).cast(), plus_one);
        }
    }
}

/// See the portable twin.
#[inline]
pub(crate) fn mask_lows(values: &[u8], docs: &mut [u16]) {
    assert!(docs.len() >= values.len() / 2 + STORE_SLACK);
    // SAFETY: the module is compiled only for processors with these features; room is asserted above.
    unsafe { mask_lows_unchecked(values, docs) }
}

/// # Safety
/// `docs` has room for the values and fifteen more.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn mask_lows_unchecked(values: &[u8], docs: &mut [u16]) {
    let mask = _mm256_set1_epi16(0xfff);
    let (vectors, rest) = values.as_chunks::<32>();
    for (vector, out) in vectors.iter().zip(docs.as_chunks_mut::<16>().0) {
        // SAFETY: both sides have 32 bytes.
        unsafe {
            let loaded = _mm256_loadu_si256(vector.as_ptr().cast());
            _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm256_and_si256(loaded, mask));
        }
    }
    for (pair, doc) in rest.chunks_exact(2).zip(&mut docs[vectors.len() * 16..]) {
        *doc = u16::from_le_bytes([pair[0], pair[1]]) & 0xfff;
    }
}

/// See the portable twin.
#[inline]
pub(crate) fn lower_bound(values: &[u8], from: usize, target: u16) -> usize {
    let tail = values.get(from * 2..).unwrap_or(&[]);
    // SAFETY: the module is compiled only for processors with these features.
    from + unsafe { lower_bound_vectors(tail, target) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn lower_bound_vectors(values: &[u8], target: u16) -> usize {
    let (vectors, rest) = values.as_chunks::<32>();
    let wanted = _mm256_set1_epi16(target as i16);
    for (index, vector) in vectors.iter().enumerate() {
        // SAFETY: the chunk has 32 bytes.
        let loaded = unsafe { _mm256_loadu_si256(vector.as_ptr().cast()) };
        let not_below = _mm256_cmpeq_epi16(_mm256_max_epu16(loaded, wanted), loaded);
        let mask = _mm256_movemask_epi8(not_below) as u32;
        if mask != 0 {
            return index * 16 + mask.trailing_zeros() as usize / 2;
        }
    }
    let pairs = rest.as_chunks::<2>().0;
    vectors.len() * 16 + pairs.iter().position(|pair| u16::from_le_bytes(*pair) >= target).unwrap_or(pairs.len())
}

/// See the portable twin.
#[inline]
pub(crate) fn intersect(a: &[u8], b: &[u8], places: [&mut [u16]; 2]) -> usize {
    // SAFETY: the module is compiled only for processors with these features.
    unsafe { intersect_vectors(a, b, places) }
}

/// Eight values of each side are compared, all with all; the side whose last value is lower goes on. As in "SIMD Compression and the
/// Intersection of Sorted Integers" (Lemire, Boytsov, Kurz), section 5.
#[target_feature(enable = "avx2,popcnt")]
fn intersect_vectors(a: &[u8], b: &[u8], [places_a, places_b]: [&mut [u16]; 2]) -> usize {
    const LANES: usize = 8;
    const EQUAL_ANY: i32 = _SIDD_UWORD_OPS | _SIDD_CMP_EQUAL_ANY | _SIDD_BIT_MASK;
    let (of_a, of_b) = (a.as_chunks::<2>().0, b.as_chunks::<2>().0);
    let (mut at_a, mut at_b, mut count) = (0, 0, 0);
    let room = places_a.len().min(places_b.len());
    while let (Some(eight_a), Some(eight_b)) = (of_a.get(at_a..at_a + LANES), of_b.get(at_b..at_b + LANES)) {
        if count + LANES > room {
            break;
        }
        // SAFETY: both have sixteen bytes.
        let (values_a, values_b) =
            unsafe { (_mm_loadu_si128(eight_a.as_ptr().cast()), _mm_loadu_si128(eight_b.as_ptr().cast())) };
        let found_a = _mm_cvtsi128_si32(_mm_cmpestrm::<EQUAL_ANY>(values_b, 8, values_a, 8)) as u8;
        if found_a != 0 {
            let found_b = _mm_cvtsi128_si32(_mm_cmpestrm::<EQUAL_ANY>(values_a, 8, values_b, 8)) as u8;
            // SAFETY: there is room for eight more on both sides.
            unsafe {
                store_places(found_a, at_a as u16, places_a.as_mut_ptr().add(count));
                store_places(found_b, at_b as u16, places_b.as_mut_ptr().add(count));
            }
            count += found_a.count_ones() as usize;
        }
        let (last_a, last_b) = (u16::from_le_bytes(eight_a[LANES - 1]), u16::from_le_bytes(eight_b[LANES - 1]));
        at_a += LANES * usize::from(last_a <= last_b);
        at_b += LANES * usize::from(last_b <= last_a);
    }
    portable::intersect_from(of_a, of_b, [at_a, at_b], [places_a, places_b], count)
}

/// # Safety
/// There is room for eight values at `out`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store_places(found: u8, base: u16, out: *mut u16) {
    // SAFETY: the table's row has eight bytes; the caller gives the room.
    unsafe {
        let places = _mm_cvtepu8_epi16(_mm_loadl_epi64(BIT_PLACES[usize::from(found)].as_ptr().cast()));
        _mm_storeu_si128(out.cast(), _mm_add_epi16(places, _mm_set1_epi16(base as i16)));
    }
}

/// See the portable twin.
#[inline]
pub(crate) fn sum_first(bytes: &[u8], count: usize) -> u32 {
    // SAFETY: the module is compiled only for processors with these features.
    unsafe { sum_first_vectors(bytes, count) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn sum_first_vectors(bytes: &[u8], count: usize) -> u32 {
    let (vectors, _) = bytes.as_chunks::<32>();
    let (whole, rest) = (count / 32, count % 32);
    let mut sums = _mm256_setzero_si256();
    for vector in &vectors[..whole] {
        // SAFETY: the chunk has 32 bytes.
        let loaded = unsafe { _mm256_loadu_si256(vector.as_ptr().cast()) };
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(loaded, _mm256_setzero_si256()));
    }
    let mut beyond = 0;
    if let Some(vector) = vectors.get(whole) {
        // SAFETY: the chunk has 32 bytes; the table has 64, of which `rest` are skipped from its middle.
        let (loaded, mask) = unsafe {
            let mask = FIRST_BYTES.as_ptr().add(32 - rest);
            (_mm256_loadu_si256(vector.as_ptr().cast()), _mm256_loadu_si256(mask.cast()))
        };
        let kept = _mm256_and_si256(loaded, mask);
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(kept, _mm256_setzero_si256()));
    } else {
        beyond = bytes[whole * 32..count].iter().map(|&byte| u32::from(byte)).sum();
    }
    let halves = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let total = _mm_cvtsi128_si64(halves) + _mm_extract_epi64::<1>(halves);
    total as u32 + beyond
}

/// See the portable twin.
#[inline]
pub(crate) fn sum_below(bytes: &[u8; 32], count: usize) -> u32 {
    let skipped = 32 - count.min(32);
    // SAFETY: the module is compiled only for processors with these features.
    unsafe { sum_below_vector(bytes, skipped) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn sum_below_vector(bytes: &[u8; 32], skipped: usize) -> u32 {
    // SAFETY: both have 32 bytes: the table has 64, of which at most 32 are skipped.
    let (loaded, mask) = unsafe {
        let mask = FIRST_BYTES[skipped..].as_ptr();
        (_mm256_loadu_si256(bytes.as_ptr().cast()), _mm256_loadu_si256(mask.cast()))
    };
    let sums = _mm256_sad_epu8(_mm256_and_si256(loaded, mask), _mm256_setzero_si256());
    let halves = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    (_mm_cvtsi128_si64(halves) + _mm_extract_epi64::<1>(halves)) as u32
}

/// Loading 32 bytes from `32 - n` on gives a mask of the first `n`.
static FIRST_BYTES: [u8; 64] = {
    let mut table = [0; 64];
    let mut index = 0;
    while index < 32 {
        table[index] = u8::MAX;
        index += 1;
    }
    table
};

/// See the portable twin.
#[inline]
pub(crate) fn unpack_values(packed: &[u8], width: u32, from: usize, values: &mut [u32]) -> bool {
    let width = width as usize;
    let end_bit = (from + values.len()) * width;
    if width > 32 || packed.len() < end_bit.div_ceil(8) + LOAD_SLACK {
        return false;
    }
    let mask = (1u64 << width) - 1;
    let mut bit = from * width;
    for value in values {
        // SAFETY: `bit` is inside the packed values, which LOAD_SLACK bytes follow.
        let word = unsafe { packed.as_ptr().add(bit / 8).cast::<u64>().read_unaligned() };
        *value = (word >> (bit % 8) & mask) as u32;
        bit += width;
    }
    true
}

/// Widths whose values lie in four bytes wherever they start.
const LANE_WIDTH_MAX: usize = 25;

/// How eight values of one width are brought into the lanes of a vector: the first four come from 16 bytes at the group's
/// start, the others from 16 bytes at half its length.
#[derive(Clone, Copy)]
struct Lanes {
    bytes: [u8; 32],
    shifts: [u32; 8],
}

static LANES: [Lanes; LANE_WIDTH_MAX + 1] = lanes();

const fn lanes() -> [Lanes; LANE_WIDTH_MAX + 1] {
    let mut table = [Lanes { bytes: [0; 32], shifts: [0; 8] }; LANE_WIDTH_MAX + 1];
    let mut width = 0;
    while width <= LANE_WIDTH_MAX {
        let mut lane = 0;
        while lane < 8 {
            let loaded_at = if lane < 4 { 0 } else { width / 2 };
            let bit = lane * width;
            table[width].shifts[lane] = (bit % 8) as u32;
            let mut byte = 0;
            while byte < 4 {
                table[width].bytes[lane * 4 + byte] = (bit / 8 - loaded_at + byte) as u8;
                byte += 1;
            }
            lane += 1;
        }
        width += 1;
    }
    table
}

/// See the portable twin.
#[inline]
pub(crate) fn contains_value(packed: &[u8], width: u32, from: usize, count: usize, wanted: u32) -> Option<bool> {
    let end = (from + count).next_multiple_of(8);
    if width > 32 || packed.len() < end / 8 * width as usize + LOAD_SLACK {
        return None;
    }
    if width as usize > LANE_WIDTH_MAX {
        return super::portable::contains_value(packed, width, from, count, wanted);
    }
    // SAFETY: the module is compiled only for processors with these features; lengths are checked above.
    Some(count > 0 && unsafe { contains_value_unchecked(packed, width as usize, from, count, wanted) })
}

/// # Safety
/// `width` is at most `LANE_WIDTH_MAX`; `packed` holds the values rounded up to eight and `LOAD_SLACK` bytes more;
/// `count` is not zero.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn contains_value_unchecked(packed: &[u8], width: usize, from: usize, count: usize, wanted: u32) -> bool {
    let lanes = &LANES[width];
    // SAFETY: both arrays have 32 bytes.
    let (bytes, shifts) =
        unsafe { (_mm256_loadu_si256(lanes.bytes.as_ptr().cast()), _mm256_loadu_si256(lanes.shifts.as_ptr().cast())) };
    let mask = _mm256_set1_epi32(((1u64 << width) - 1) as i32);
    let wanted = _mm256_set1_epi32(wanted as i32);
    let (first, last) = (from / 8, (from + count - 1) / 8);
    for group in first..=last {
        // SAFETY: the group's bytes end at (group + 1) * width, which LOAD_SLACK bytes follow; the second load starts
        // before that end.
        let loaded = unsafe {
            let start = packed.as_ptr().add(group * width);
            _mm256_loadu2_m128i(start.add(width / 2).cast(), start.cast())
        };
        let values = _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi8(loaded, bytes), shifts), mask);
        let mut own = 0xff;
        if group == first {
            own &= 0xff << (from % 8);
        }
        if group == last {
            own &= 0xff >> (7 - (from + count - 1) % 8);
        }
        let lanes_of = |compared| _mm256_movemask_ps(_mm256_castsi256_ps(compared)) as u32;
        if lanes_of(_mm256_cmpeq_epi32(values, wanted)) & own != 0 {
            return true;
        }
        // Behind a greater one there are only greater ones. Narrow values are not negative.
        if lanes_of(_mm256_cmpgt_epi32(values, wanted)) & own != 0 {
            return false;
        }
    }
    false
}

/// See the portable twin.
#[inline]
pub(crate) fn prefetch<T>(items: &[T], at: usize) {
    // SAFETY: the processor reads ahead at any address, also one that belongs to nobody, without an effect that shows.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(items.as_ptr().wrapping_add(at).cast()) };
}
