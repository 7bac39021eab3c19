//! Information-based: how surprising a normalized frequency is under a distribution.

use super::counts::Counts;
use super::normalization::NormalizationFormula;
use crate::explanation::Explanation;
use quarry_mapping::similarity::{Distribution, IbSpec, Lambda};

/// Scores of an information-based model.
pub(super) trait IbFormula {
    fn score(&self, counts: &Counts, freq: f64, length: f64) -> f64;

    fn explain(&self, counts: &Counts, freq: f64, length: f64) -> Vec<Explanation>;
}

impl IbFormula for IbSpec {
    fn score(&self, counts: &Counts, freq: f64, length: f64) -> f64 {
        let tfn = self.normalization.frequency(counts, freq, length);
        self.distribution.score(tfn, f64::from(self.lambda.value(counts)))
    }

    fn explain(&self, counts: &Counts, freq: f64, length: f64) -> Vec<Explanation> {
        let normalized = self.normalization.explain(counts, freq, length);
        let lambda = self.lambda.value(counts);
        let value = self.distribution.score(normalized.value, f64::from(lambda)) as f32;
        let distribution = match self.distribution {
            Distribution::Ll => "DistributionLL",
            Distribution::Spl => "DistributionSPL",
        };
        vec![normalized, self.lambda.explain(counts), Explanation::leaf(value, distribution)]
    }
}

/// How surprising a frequency is.
trait DistributionFormula {
    fn score(self, tfn: f64, lambda: f64) -> f64;
}

impl DistributionFormula for Distribution {
    fn score(self, tfn: f64, lambda: f64) -> f64 {
        match self {
            Distribution::Ll => -(lambda / (tfn + lambda)).ln(),
            Distribution::Spl => {
                let power = lambda.powf((1.0 - 1.0 / (tfn + 1.0)).min(1f64.next_down()));
                // Rounding may make them equal, whose logarithm would be infinite.
                let power = match power == lambda {
                    false => power,
                    true if lambda < 1.0 => lambda.next_up(),
                    true => lambda.next_down(),
                };
                -((power - lambda) / (1.0 - lambda)).ln()
            }
        }
    }
}

/// How frequent a term is.
trait LambdaFormula {
    /// Never 1, for which `spl` is not defined.
    fn value(self, counts: &Counts) -> f32;

    fn explain(self, counts: &Counts) -> Explanation;
}

impl LambdaFormula for Lambda {
    fn value(self, counts: &Counts) -> f32 {
        let of = |count: f64| ((count + 1.0) / (counts.documents + 1.0)) as f32;
        match self {
            Lambda::Df => Some(of(counts.doc_freq)).filter(|&lambda| lambda != 1.0).unwrap_or(1f32.next_down()),
            Lambda::Ttf => Some(of(counts.occurrences)).filter(|&lambda| lambda != 1.0).unwrap_or(1f32.next_up()),
        }
    }

    fn explain(self, counts: &Counts) -> Explanation {
        let documents = Explanation::leaf(counts.documents, "N, total number of documents with field");
        let (computed, term) = match self {
            Lambda::Df => {
                let term = Explanation::leaf(counts.doc_freq, "n, number of documents containing term");
                ("LambdaDF, computed as (n + 1) / (N + 1) from:", term)
            }
            Lambda::Ttf => {
                let described = "F, total number of occurrences of term across all documents";
                let term = Explanation::leaf(counts.occurrences, described);
                ("LambdaTTF, computed as (F + 1) / (N + 1) from:", term)
            }
        };
        Explanation::of(self.value(counts), computed, vec![term, documents])
    }
}
