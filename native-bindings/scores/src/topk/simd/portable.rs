//! The way that works on any processor.
#![cfg_attr(all(target_arch = "x86_64", target_feature = "avx2"), allow(dead_code))]

use super::{Accumulator, WindowNorms, WindowScores};
use quarry_codec::window::WINDOW;
use quarry_postings::cursor::{WindowDocs, WindowFreqs};

/// Scores the first `count` documents: `weight - weight / (1 + freq * inverse[norm])`. What lies behind them in `scores`
/// is overwritten.
pub(crate) fn score(
    docs: &WindowDocs,
    freqs: &WindowFreqs,
    count: usize,
    norms: &WindowNorms,
    inverse: &[f32; 256],
    weight: f32,
    scores: &mut WindowScores,
) {
    for ((doc, freq), score) in docs[..count].iter().zip(freqs).zip(scores) {
        let norm = norms[usize::from(*doc) % WINDOW];
        *score = weight - weight / (1.0 + f32::from(*freq) * inverse[usize::from(norm)]);
    }
}

/// Moves the documents that score more than `threshold` to the front and gives their number.
pub(crate) fn keep_above(docs: &mut WindowDocs, scores: &mut WindowScores, count: usize, threshold: f32) -> usize {
    let mut kept = 0;
    for index in 0..count {
        let (doc, score) = (docs[index], scores[index]);
        docs[kept] = doc;
        scores[kept] = score;
        kept += usize::from(score > threshold);
    }
    kept
}

/// Moves the documents whose accumulated score is more than `threshold` out, and zeroes the accumulator.
pub(crate) fn drain_above(
    accumulator: &mut Accumulator,
    threshold: f32,
    docs: &mut WindowDocs,
    scores: &mut WindowScores,
) -> usize {
    let mut kept = 0;
    for (doc, score) in (0u16..).zip(accumulator.iter_mut()) {
        docs[kept] = doc;
        scores[kept] = *score;
        kept += usize::from(*score > threshold);
        *score = 0.0;
    }
    kept
}
