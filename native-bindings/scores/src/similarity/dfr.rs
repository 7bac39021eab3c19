//! Divergence from randomness: how unlikely a frequency is by chance, times how much one more occurrence tells.
//!
//! Both parts have `1 + tfn` in them, which is taken out of one and put into the other, so that rounding keeps the score
//! from falling when the frequency rises.

use super::counts::{Counts, log2};
use super::normalization::NormalizationFormula;
use crate::explanation::Explanation;
use quarry_mapping::similarity::{AfterEffect, BasicModel, DfrSpec};

/// Scores of a divergence from randomness.
pub(super) trait DfrFormula {
    fn score(&self, counts: &Counts, freq: f64, length: f64) -> f64;

    fn explain(&self, counts: &Counts, freq: f64, length: f64) -> Vec<Explanation>;
}

impl DfrFormula for DfrSpec {
    fn score(&self, counts: &Counts, freq: f64, length: f64) -> f64 {
        let tfn = self.normalization.frequency(counts, freq, length);
        self.basic_model.score(counts, tfn, self.after_effect.factor(counts))
    }

    fn explain(&self, counts: &Counts, freq: f64, length: f64) -> Vec<Explanation> {
        let tfn = self.normalization.frequency(counts, freq, length);
        let effect = self.after_effect.factor(counts);
        vec![
            self.normalization.explain(counts, freq, length),
            self.basic_model.explain(counts, tfn, effect),
            self.after_effect.explain(counts, tfn),
        ]
    }
}

/// What occurrences tell.
trait ModelFormula {
    /// `effect` is the after effect times `1 + tfn`.
    fn score(self, counts: &Counts, tfn: f64, effect: f64) -> f64;

    /// What each normalized occurrence tells, of the models that are a multiple of them.
    fn rarity(self, counts: &Counts) -> f64;

    fn explain(self, counts: &Counts, tfn: f64, effect: f64) -> Explanation;
}

impl ModelFormula for BasicModel {
    fn score(self, counts: &Counts, tfn: f64, effect: f64) -> f64 {
        match self {
            BasicModel::G => {
                let lambda = geometric_lambda(counts);
                let (a, b) = (log2(lambda + 1.0), log2((1.0 + lambda) / lambda));
                (b - (b - a) / (1.0 + tfn)) * effect
            }
            _ => self.rarity(counts) * effect * (1.0 - 1.0 / (1.0 + tfn)),
        }
    }

    fn rarity(self, counts: &Counts) -> f64 {
        match self {
            BasicModel::If => log2(1.0 + (counts.documents + 1.0) / (counts.occurrences + 0.5)),
            BasicModel::Ine => log2((counts.documents + 1.0) / (expected_documents(counts) + 0.5)),
            BasicModel::In | BasicModel::G => log2((counts.documents + 1.0) / (counts.doc_freq + 0.5)),
        }
    }

    fn explain(self, counts: &Counts, tfn: f64, effect: f64) -> Explanation {
        let documents = Explanation::leaf(counts.documents, "N, total number of documents with field");
        let (computed, details) = match self {
            BasicModel::G => {
                let term = "F, total number of occurrences of term across all docs + 1";
                let from = vec![Explanation::leaf(counts.occurrences + 1.0, term), documents];
                let lambda = geometric_lambda(counts) as f32;
                let lambda = Explanation::of(lambda, "lambda, computed as F / (N + F) from:", from);
                ("BasicModelG, computed as log2(lambda + 1) + tfn * log2((1 + lambda) / lambda) from:", vec![lambda])
            }
            BasicModel::If => {
                let term = "F, total number of occurrences of term across all documents";
                let details = vec![documents, Explanation::leaf(counts.occurrences, term)];
                ("BasicModelIF, computed as tfn * log2(1 + (N + 1) / (F + 0.5)) from:", details)
            }
            BasicModel::In => {
                let term = Explanation::leaf(counts.doc_freq, "n, number of documents containing term");
                ("BasicModelIn, computed as tfn * log2((N + 1) / (n + 0.5)) from:", vec![documents, term])
            }
            BasicModel::Ine => {
                let term = "F, total number of occurrences of term across all docs";
                let from = vec![Explanation::leaf(counts.occurrences, term), documents];
                let computed = "ne, computed as N * (1 - Math.pow((N - 1) / N, F)) from:";
                let expected = Explanation::of(expected_documents(counts) as f32, computed, from);
                ("BasicModelIne, computed as tfn * log2((N + 1) / (ne + 0.5)) from:", vec![expected])
            }
        };
        let value = (self.score(counts, tfn, effect) * (1.0 + tfn) / effect) as f32;
        let tfn = Explanation::leaf(tfn as f32, "tfn, normalized term frequency");
        Explanation::of(value, computed, [vec![tfn], details].concat())
    }
}

fn geometric_lambda(counts: &Counts) -> f64 {
    let occurrences = counts.occurrences + 1.0;
    occurrences / (counts.documents + occurrences)
}

/// Documents that would have the term if its occurrences fell at random.
fn expected_documents(counts: &Counts) -> f64 {
    let documents = counts.documents;
    documents * (1.0 - ((documents - 1.0) / documents).powf(counts.occurrences))
}

/// What one more occurrence tells.
trait EffectFormula {
    /// The effect times `1 + tfn`.
    fn factor(self, counts: &Counts) -> f64;

    fn explain(self, counts: &Counts, tfn: f64) -> Explanation;
}

impl EffectFormula for AfterEffect {
    fn factor(self, counts: &Counts) -> f64 {
        match self {
            AfterEffect::B => (counts.occurrences + 2.0) / (counts.doc_freq + 1.0),
            AfterEffect::L => 1.0,
        }
    }

    fn explain(self, counts: &Counts, tfn: f64) -> Explanation {
        let value = (self.factor(counts) / (1.0 + tfn)) as f32;
        let tfn = Explanation::leaf(tfn as f32, "tfn, normalized term frequency");
        match self {
            AfterEffect::L => Explanation::of(value, "AfterEffectL, computed as 1 / (tfn + 1) from:", vec![tfn]),
            AfterEffect::B => {
                let term = "F, total number of occurrences of term across all documents + 1";
                let documents = "n, number of documents containing term + 1";
                let details = vec![
                    tfn.clone(),
                    Explanation::leaf(counts.occurrences, term),
                    Explanation::leaf(counts.doc_freq, documents),
                    tfn,
                ];
                Explanation::of(value, "AfterEffectB, computed as (F + 1) / (n * (tfn + 1)) from:", details)
            }
        }
    }
}
