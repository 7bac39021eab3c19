//! Groups of sixteen packed values, for processors with AVX2, and another way with AVX-512. Compiled only when the build
//! targets them.

use super::{Found, GROUP_VALUES, GROUP_WIDTH_MAX, NO_VALUE};
use std::arch::x86_64::*;

/// See the portable twin.
#[inline]
pub(crate) fn unpack_group(packed: &[u8], width: u32, from: usize, count: usize) -> Option<[u32; GROUP_VALUES]> {
    let bit = from * width as usize;
    if width > GROUP_WIDTH_MAX || packed.len() < bit / 8 + 64 {
        return None;
    }
    // SAFETY: the module is compiled only for processors with these features; 64 bytes follow the first value's.
    Some(unsafe { group::unpack(packed.as_ptr().add(bit / 8), width, bit % 8, count) })
}

/// See the portable twin.
#[inline]
pub(crate) fn find_in_group(packed: &[u8], width: u32, from: usize, count: usize, wanted: &[u32]) -> Option<Found> {
    let bit = from * width as usize;
    if width > GROUP_WIDTH_MAX || packed.len() < bit / 8 + 64 {
        return None;
    }
    // SAFETY: as above.
    Some(unsafe { group::find(packed.as_ptr().add(bit / 8), width, bit % 8, count, wanted) })
}

#[cfg(not(all(target_feature = "avx512bw", target_feature = "avx512vbmi")))]
use group_by_gathers as group;
#[cfg(all(target_feature = "avx512bw", target_feature = "avx512vbmi"))]
use group_in_one_vector as group;

/// Sixteen values in one vector, with AVX-512.
#[cfg(all(target_feature = "avx512bw", target_feature = "avx512vbmi"))]
mod group_in_one_vector {
    use super::*;

    /// Sixteen values of up to this width end inside 32 bytes.
    const HALF_WIDTH_MAX: u32 = 15;

    /// # Safety
    /// 64 bytes can be read from `start` on; `width` is at most `GROUP_WIDTH_MAX`, `shift` at most 7.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn values(start: *const u8, width: u32, shift: usize) -> __m512i {
        // SAFETY: see the caller. Fewer bytes touch fewer lines of memory.
        let loaded = unsafe {
            if width <= HALF_WIDTH_MAX {
                _mm512_zextsi256_si512(_mm256_loadu_si256(start.cast()))
            } else {
                _mm512_loadu_si512(start.cast())
            }
        };
        let places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let bits = _mm512_mullo_epi32(places, _mm512_set1_epi32(width as i32));
        let bits = _mm512_add_epi32(bits, _mm512_set1_epi32(shift as i32));
        // The four bytes in which each value lies.
        let bytes = _mm512_mullo_epi32(_mm512_srli_epi32::<3>(bits), _mm512_set1_epi32(0x0101_0101));
        let bytes = _mm512_add_epi32(bytes, _mm512_set1_epi32(0x0302_0100));
        let words = _mm512_permutexvar_epi8(bytes, loaded);
        let shifted = _mm512_srlv_epi32(words, _mm512_and_si512(bits, _mm512_set1_epi32(7)));
        _mm512_and_si512(shifted, _mm512_set1_epi32(((1u32 << width) - 1) as i32))
    }

    /// The first `count` lanes.
    #[inline]
    fn lanes(count: usize) -> __mmask16 {
        ((1u32 << count.min(GROUP_VALUES)) - 1) as __mmask16
    }

    /// # Safety
    /// As [`values`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) unsafe fn unpack(start: *const u8, width: u32, shift: usize, count: usize) -> [u32; GROUP_VALUES] {
        // SAFETY: see the caller.
        let values = unsafe { values(start, width, shift) };
        let values = _mm512_mask_mov_epi32(_mm512_set1_epi32(NO_VALUE as i32), lanes(count), values);
        let mut group = [0; GROUP_VALUES];
        // SAFETY: the group has 64 bytes.
        unsafe { _mm512_storeu_si512(group.as_mut_ptr().cast(), values) };
        group
    }

    /// # Safety
    /// As [`values`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) unsafe fn find(start: *const u8, width: u32, shift: usize, count: usize, wanted: &[u32]) -> Found {
        // SAFETY: see the caller.
        let values = unsafe { values(start, width, shift) };
        let lanes = lanes(count);
        let (mut places, mut last) = (0, 0);
        for (place, wanted) in wanted.iter().take(GROUP_VALUES).enumerate() {
            let equal = _mm512_mask_cmpeq_epi32_mask(lanes, values, _mm512_set1_epi32(*wanted as i32));
            places |= u32::from(equal != 0) << place;
            last = *wanted;
        }
        let passed = _mm512_mask_cmpge_epu32_mask(lanes, values, _mm512_set1_epi32(last as i32)) != 0;
        Found { places, passed }
    }
}

/// Sixteen values in two vectors, gathered.
#[cfg(any(test, not(all(target_feature = "avx512bw", target_feature = "avx512vbmi"))))]
pub(super) mod group_by_gathers {
    use super::*;

    /// # Safety
    /// 64 bytes can be read from `start` on; `width` is at most `GROUP_WIDTH_MAX`, `shift` at most 7.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn unpack(start: *const u8, width: u32, shift: usize, count: usize) -> [u32; GROUP_VALUES] {
        let mut group = [NO_VALUE; GROUP_VALUES];
        let mask = _mm256_set1_epi32(((1u32 << width) - 1) as i32);
        let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        for (first, out) in [0, 8].into_iter().zip(group.as_chunks_mut::<8>().0) {
            let places = _mm256_add_epi32(lanes, _mm256_set1_epi32(first));
            let bits = _mm256_mullo_epi32(places, _mm256_set1_epi32(width as i32));
            let bits = _mm256_add_epi32(bits, _mm256_set1_epi32(shift as i32));
            // SAFETY: the last value starts in byte (15 * 25 + 7) / 8 = 47, so that its four bytes are among the 64.
            let words = unsafe { _mm256_i32gather_epi32::<1>(start.cast(), _mm256_srli_epi32::<3>(bits)) };
            let values = _mm256_and_si256(_mm256_srlv_epi32(words, _mm256_and_si256(bits, _mm256_set1_epi32(7))), mask);
            let beyond = _mm256_cmpgt_epi32(places, _mm256_set1_epi32(count.min(GROUP_VALUES) as i32 - 1));
            // SAFETY: the half has 32 bytes.
            unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm256_or_si256(values, beyond)) };
        }
        group
    }

    /// # Safety
    /// As [`unpack`].
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn find(start: *const u8, width: u32, shift: usize, count: usize, wanted: &[u32]) -> Found {
        // SAFETY: see the caller.
        let group = unsafe { unpack(start, width, shift, count) };
        crate::simd::portable::find(&group, count, wanted)
    }
}
