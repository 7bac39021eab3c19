//! Stored score maxima: how large the factor `score / weight` of a group of postings can get, rounded up.

use super::bm25::{B, Bm25, K1, NORM_OF_FIELD_WITHOUT_NORMS};
use super::{ScoreModel, TermPostings};
use quarry_codec::norm;

/// A maximum of zero says that the group is empty, so a stored one is at least 1.
const STEPS_U16: f32 = u16::MAX as f32;
const STEPS_U8: f32 = u8::MAX as f32;
/// Covers rounding in `weight - weight / (1 + x)`, whose absolute error is that of its larger operand.
const ROUNDING: f32 = 5e-7;
/// A primed threshold must be below the score it stands for even after rounding.
const PRIME_SAFETY: f32 = 0.99999;
/// How many documents reach the stored lower bound of a term: the default page size of a search.
pub const PRIMED_DOCUMENTS: usize = 10;

/// Computes factors with the segment's statistics.
pub(super) struct ImpactModel<'a> {
    norms: Option<&'a [u8]>,
    similarity: Bm25,
}

impl<'a> ImpactModel<'a> {
    pub(super) fn new(model: Option<ScoreModel<'a>>) -> Self {
        let average_length = model.map_or(1.0, |model| model.average_length);
        ImpactModel { norms: model.map(|model| model.norms), similarity: Bm25::new(average_length) }
    }

    pub(super) fn average_length(&self) -> f32 {
        self.similarity.average_length()
    }

    pub(super) fn norms_len(&self) -> Option<usize> {
        self.norms.map(<[u8]>::len)
    }

    fn factor(&self, doc: u32, freq: u32) -> f32 {
        let norm = self.norms.map_or(NORM_OF_FIELD_WITHOUT_NORMS, |norms| norms[doc as usize]);
        self.similarity.score(1.0, freq as f32, norm)
    }

    fn factors<'p>(&'p self, postings: &'p TermPostings<'_>) -> impl Iterator<Item = f32> + 'p {
        postings.docs.iter().enumerate().map(|(index, &doc)| self.factor(doc, postings.freq(index)))
    }

    fn maximum(&self, postings: &TermPostings<'_>) -> f32 {
        self.factors(postings).fold(0.0, f32::max)
    }

    /// 0 for no postings.
    pub(super) fn maximum_u16(&self, postings: &TermPostings<'_>) -> u16 {
        if postings.docs.is_empty() {
            0
        } else {
            (self.maximum(postings) * STEPS_U16).ceil().clamp(1.0, STEPS_U16) as u16
        }
    }

    pub(super) fn maximum_u8(&self, postings: &TermPostings<'_>) -> u8 {
        (self.maximum(postings) * STEPS_U8).ceil().clamp(1.0, STEPS_U8) as u8
    }

    /// The factor that at least [`PRIMED_DOCUMENTS`] documents reach, or 0 where there are fewer.
    pub(super) fn tenth_best(&self, postings: &TermPostings<'_>, scratch: &mut Vec<f32>) -> f32 {
        if postings.docs.len() < PRIMED_DOCUMENTS {
            return 0.0;
        }
        scratch.clear();
        scratch.extend(self.factors(postings));
        let (_, tenth, _) = scratch.select_nth_unstable_by(PRIMED_DOCUMENTS - 1, |a, b| b.total_cmp(a));
        *tenth
    }
}

#[inline]
pub(super) fn bound_of_u16(maximum: u16) -> f32 {
    f32::from(maximum) * (1.000_001 / STEPS_U16) + ROUNDING
}

#[inline]
pub(super) fn bound_of_u8(maximum: u8) -> f32 {
    f32::from(maximum) * (1.000_001 / STEPS_U8) + ROUNDING
}

/// How far the stored bounds of a segment move when scores are computed with another average length, or other parameters.
///
/// With `K = k1 (1 - b + b length / average)`, the factor `freq / (freq + K)` changes by at most the ratio of the two `K`,
/// whatever the frequency is.
#[derive(Debug, Clone, Copy)]
pub struct BoundScale {
    upper: f32,
    lower: f32,
}

impl BoundScale {
    /// Stored bounds are those of the usual parameters; documents with postings have a length of 1 at least.
    pub fn new(scored: &Bm25, stored_average: f32) -> Self {
        if scored.k1() == K1 && scored.b() == B {
            // At most the ratio of the two averages, whatever the length is.
            let ratio = scored.average_length() / stored_average;
            let ratio = if ratio.is_finite() { ratio } else { f32::INFINITY };
            return BoundScale::between(ratio, ratio);
        }
        // Both are linear in the length, so their ratio is largest and smallest at the ends.
        let ratio = |code: u8| {
            let length = f64::from(norm::decode(code));
            let stored = saturation(K1, B, stored_average, length);
            (stored / saturation(scored.k1(), scored.b(), scored.average_length(), length)) as f32
        };
        let (shortest, longest) = (ratio(1), ratio(u8::MAX));
        BoundScale::between(shortest.min(longest), shortest.max(longest))
    }

    fn between(least: f32, most: f32) -> Self {
        // Finite, so that the bound of a window without documents stays 0.
        let upper = (most.max(1.0) * 1.000_001).min(f32::MAX);
        BoundScale { upper, lower: least.min(1.0) * PRIME_SAFETY }
    }

    /// No posting of a group with this stored bound has a higher factor.
    #[inline]
    pub fn upper(self, bound: f32) -> f32 {
        (bound * self.upper).min(1.0)
    }

    /// The stored bound below which no posting has a factor above `factor`.
    #[inline]
    pub fn stored(self, factor: f32) -> f32 {
        factor / self.upper
    }

    /// The documents behind a stored lower bound have factors above this.
    #[inline]
    pub fn lower(self, tenth_best: f32) -> f32 {
        ((tenth_best - ROUNDING) * self.lower - ROUNDING).max(0.0)
    }
}

/// `k1 (1 - b + b length / average)`.
fn saturation(k1: f32, b: f32, average_length: f32, length: f64) -> f64 {
    let (b, average_length) = (f64::from(b), f64::from(average_length));
    f64::from(k1) * (1.0 - b + b * length / average_length)
}
