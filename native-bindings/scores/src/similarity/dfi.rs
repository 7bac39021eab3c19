//! Divergence from independence: how much more frequent a term is than if it were everywhere alike.

use super::counts::{Counts, log2};
use crate::explanation::Explanation;
use quarry_mapping::similarity::Independence;

/// Scores of a measure of independence.
pub(super) trait IndependenceFormula {
    fn score(self, counts: &Counts, freq: f64, length: f64) -> f64;

    fn measure(self, freq: f64, expected: f64) -> f64;

    /// Empty where the term is no more frequent than is to be expected.
    fn explain(self, counts: &Counts, freq: f64, length: f64) -> Vec<Explanation>;
}

impl IndependenceFormula for Independence {
    fn score(self, counts: &Counts, freq: f64, length: f64) -> f64 {
        let expected = expected(counts, length);
        if freq <= expected { 0.0 } else { log2(self.measure(freq, expected) + 1.0) }
    }

    fn measure(self, freq: f64, expected: f64) -> f64 {
        let more = freq - expected;
        match self {
            Independence::Standardized => more / expected.sqrt(),
            Independence::Saturated => more / expected,
            Independence::ChiSquared => more * more / expected,
        }
    }

    fn explain(self, counts: &Counts, freq: f64, length: f64) -> Vec<Explanation> {
        let expected = expected(counts, length);
        if freq <= expected {
            return Vec::new();
        }
        let from = vec![
            Explanation::leaf(counts.occurrences, "F, total number of occurrences of term across all docs"),
            Explanation::leaf(length, "dl, length of field"),
            Explanation::leaf(counts.tokens, "T, total number of tokens in the field"),
        ];
        let details = vec![
            Explanation::leaf(freq, "freq, occurrences of term within document"),
            Explanation::of(expected as f32, "expected, computed as (F + 1) * dl / (T + 1) from:", from),
        ];
        let measure = self.measure(freq, expected) as f32;
        let computed = "measure, computed as independence.score(freq, expected) from:";
        vec![Explanation::of(measure, computed, details)]
    }
}

fn expected(counts: &Counts, length: f64) -> f64 {
    (counts.occurrences + 1.0) * length / (counts.tokens + 1.0)
}
