//! BM25 as Lucene 10 computes it: `weight - weight / (1 + freq / (k1 * (1 - b + b * length / average)))`, in `f32`.
//!
//! It lives with the postings because the maxima stored beside them are made with it; queries use it through
//! `search::bm25`.

use quarry_codec::norm;

/// Saturation of the term frequency.
pub const K1: f32 = 1.2;
/// Weight of the document's length.
pub const B: f32 = 0.75;
/// Norm code of each document of a field without norms: length 1.
pub const NORM_OF_FIELD_WITHOUT_NORMS: u8 = 1;

/// The part of the formula that depends on a field's average length: for each norm code, the inverse of
/// `k1 * (1 - b + b * length / average)`.
#[derive(Debug, Clone)]
pub struct Bm25 {
    inverse: [f32; 256],
    k1: f32,
    b: f32,
    average_length: f32,
}

impl Bm25 {
    /// With the usual parameters, [`K1`] and [`B`].
    #[inline]
    pub fn new(average_length: f32) -> Self {
        Bm25::with(K1, B, average_length)
    }

    /// `k1` is not negative, `b` from 0 to 1. `average_length` is `sum_total_term_freq / doc_count` of the field over all
    /// segments of the shard; values that cannot be an average (zero, negative, not a number) count as 1.
    #[inline]
    pub fn with(k1: f32, b: f32, average_length: f32) -> Self {
        let average_length = if average_length.is_finite() && average_length > 0.0 { average_length } else { 1.0 };
        let mut inverse = [0.0; 256];
        for (code, slot) in (0..=u8::MAX).zip(&mut inverse) {
            let saturation = k1 * ((1.0 - b) + b * norm::decode(code) as f32 / average_length);
            // Finite, so that a frequency of 0 still scores 0.
            *slot = (1.0 / saturation).min(f32::MAX);
        }
        Bm25 { inverse, k1, b, average_length }
    }

    #[inline]
    pub fn k1(&self) -> f32 {
        self.k1
    }

    #[inline]
    pub fn b(&self) -> f32 {
        self.b
    }

    #[inline]
    pub fn average_length(&self) -> f32 {
        self.average_length
    }

    /// By norm code.
    #[inline]
    pub fn inverse(&self) -> &[f32; 256] {
        &self.inverse
    }

    /// The score of a term (or phrase) of weight `boost * idf` in one document.
    #[inline]
    pub fn score(&self, weight: f32, freq: f32, norm: u8) -> f32 {
        weight - weight / (1.0 + freq * self.inverse[usize::from(norm)])
    }
}
