//! The way for processors with AVX2. Compiled only when the build targets them.
//!
//! Arrays have room behind the window, so whole vectors are read and written; lanes past the end hold old values and are
//! ignored afterwards.

use super::{Accumulator, WindowNorms, WindowScores};
use quarry_codec::window::WINDOW;
use quarry_postings::cursor::{WINDOW_ROOM, WindowDocs, WindowFreqs};
use std::arch::x86_64::*;

const LANES: usize = 8;
/// Documents whose norms are looked up together.
const PART: usize = 64;
const _: () = assert!(WINDOW_ROOM >= WINDOW + LANES && WINDOW.is_multiple_of(PART) && PART.is_multiple_of(LANES));

/// For each mask of eight lanes, the chosen lanes in order.
static CHOSEN_LANES: [[u8; LANES]; 256] = chosen_lanes();

const fn chosen_lanes() -> [[u8; LANES]; 256] {
    let mut table = [[0; LANES]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < LANES {
            if mask >> lane & 1 == 1 {
                table[mask][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}

/// See the portable twin.
#[inline]
pub(crate) fn score(
    docs: &WindowDocs,
    freqs: &WindowFreqs,
    count: usize,
    norms: &WindowNorms,
    inverse: &[f32; 256],
    weight: f32,
    scores: &mut WindowScores,
) {
    assert!(count <= WINDOW);
    // SAFETY: the module is compiled only for processors with AVX2; `count` is at most a window.
    unsafe { score_vectors(docs, freqs, count, norms, inverse, weight, scores) }
}

/// # Safety
/// `count` is at most `WINDOW`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn score_vectors(
    docs: &WindowDocs,
    freqs: &WindowFreqs,
    count: usize,
    norms: &WindowNorms,
    inverse: &[f32; 256],
    weight: f32,
    scores: &mut WindowScores,
) {
    let (weights, one) = (_mm256_set1_ps(weight), _mm256_set1_ps(1.0));
    let mut inverses = [0f32; PART];
    for from in (0..count).step_by(PART) {
        let docs = &docs[from..from + PART];
        // Gathers of bytes and then of floats take longer than single loads.
        for (inverse_of_doc, doc) in inverses.iter_mut().zip(docs).take(count - from) {
            *inverse_of_doc = inverse[usize::from(norms[usize::from(*doc) % WINDOW])];
        }
        for at in (0..PART.min(count - from)).step_by(LANES) {
            // SAFETY: at + LANES <= PART, and from + at + LANES <= WINDOW_ROOM.
            unsafe {
                let inverses = _mm256_loadu_ps(inverses.as_ptr().add(at));
                let freqs = _mm_loadl_epi64(freqs.as_ptr().add(from + at).cast());
                let freqs = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(freqs));
                let below = _mm256_add_ps(one, _mm256_mul_ps(freqs, inverses));
                let result = _mm256_sub_ps(weights, _mm256_div_ps(weights, below));
                _mm256_storeu_ps(scores.as_mut_ptr().add(from + at), result);
            }
        }
    }
}

/// Writes the chosen lanes of a vector of scores and of their documents.
///
/// # Safety
/// `to + LANES` is at most `WINDOW_ROOM`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store_chosen(mask: usize, docs: __m256i, values: __m256, docs_out: *mut u16, scores_out: *mut f32) {
    // SAFETY: rows of the table have eight bytes; the caller gives room for eight elements at both places.
    unsafe {
        let lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(CHOSEN_LANES[mask & 255].as_ptr().cast()));
        _mm256_storeu_ps(scores_out, _mm256_permutevar8x32_ps(values, lanes));
        let docs = _mm256_permutevar8x32_epi32(docs, lanes);
        let packed = _mm_packus_epi32(_mm256_castsi256_si128(docs), _mm256_extracti128_si256::<1>(docs));
        _mm_storeu_si128(docs_out.cast(), packed);
    }
}

/// See the portable twin.
#[inline]
pub(crate) fn keep_above(docs: &mut WindowDocs, scores: &mut WindowScores, count: usize, threshold: f32) -> usize {
    assert!(count <= WINDOW);
    // SAFETY: the module is compiled only for processors with AVX2; `count` is at most a window.
    unsafe { keep_above_vectors(docs, scores, count, threshold) }
}

/// # Safety
/// `count` is at most `WINDOW`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn keep_above_vectors(docs: &mut WindowDocs, scores: &mut WindowScores, count: usize, threshold: f32) -> usize {
    let thresholds = _mm256_set1_ps(threshold);
    let mut kept = 0;
    for at in (0..count).step_by(LANES) {
        // SAFETY: at + LANES and kept + LANES are at most WINDOW_ROOM; kept <= at, so nothing unread is overwritten.
        unsafe {
            let values = _mm256_loadu_ps(scores.as_ptr().add(at));
            let above = _mm256_cmp_ps::<_CMP_GT_OQ>(values, thresholds);
            let mut mask = _mm256_movemask_ps(above) as usize;
            if count - at < LANES {
                mask &= (1 << (count - at)) - 1;
            }
            if mask != 0 {
                let loaded = _mm256_cvtepu16_epi32(_mm_loadu_si128(docs.as_ptr().add(at).cast()));
                store_chosen(mask, loaded, values, docs.as_mut_ptr().add(kept), scores.as_mut_ptr().add(kept));
                kept += mask.count_ones() as usize;
            }
        }
    }
    kept
}

/// See the portable twin.
#[inline]
pub(crate) fn drain_above(
    accumulator: &mut Accumulator,
    threshold: f32,
    docs: &mut WindowDocs,
    scores: &mut WindowScores,
) -> usize {
    // SAFETY: the module is compiled only for processors with AVX2.
    unsafe { drain_above_vectors(accumulator, threshold, docs, scores) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn drain_above_vectors(
    accumulator: &mut Accumulator,
    threshold: f32,
    docs: &mut WindowDocs,
    scores: &mut WindowScores,
) -> usize {
    let thresholds = _mm256_set1_ps(threshold);
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let mut kept = 0;
    for (index, group) in accumulator.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        // SAFETY: the chunk has eight elements; kept + LANES is at most WINDOW_ROOM.
        unsafe {
            let values = _mm256_loadu_ps(group.as_ptr());
            _mm256_storeu_ps(group.as_mut_ptr(), _mm256_setzero_ps());
            let mask = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(values, thresholds)) as usize;
            if mask != 0 {
                let numbers = _mm256_add_epi32(lanes, _mm256_set1_epi32((index * LANES) as i32));
                store_chosen(mask, numbers, values, docs.as_mut_ptr().add(kept), scores.as_mut_ptr().add(kept));
                kept += mask.count_ones() as usize;
            }
        }
    }
    kept
}
