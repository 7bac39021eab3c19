//! Frequencies made comparable between documents of different lengths.

use super::counts::{Counts, log2};
use crate::explanation::Explanation;
use quarry_mapping::similarity::Normalization;

/// Frequencies by the length of their document.
pub(super) trait NormalizationFormula {
    /// The normalized frequency; it rises with the frequency.
    fn frequency(self, counts: &Counts, freq: f64, length: f64) -> f64;

    fn explain(self, counts: &Counts, freq: f64, length: f64) -> Explanation;
}

impl NormalizationFormula for Normalization {
    fn frequency(self, counts: &Counts, freq: f64, length: f64) -> f64 {
        let average = counts.average_length();
        match self {
            Normalization::No => freq,
            Normalization::H1 { c } => freq * f64::from(c) * (average / length),
            Normalization::H2 { c } => freq * log2(1.0 + f64::from(c) * average / length),
            Normalization::H3 { c: mu } => {
                let share = (counts.occurrences as f32 + 1.0) / (counts.tokens as f32 + 1.0);
                (freq + f64::from(mu * share)) / (length + f64::from(mu)) * f64::from(mu)
            }
            Normalization::Z { z } => freq * (average / length).powf(f64::from(z)),
        }
    }

    fn explain(self, counts: &Counts, freq: f64, length: f64) -> Explanation {
        let value = self.frequency(counts, freq, length) as f32;
        let tf = Explanation::leaf(freq, "tf, number of occurrences of term in the document");
        let average = Explanation::leaf(counts.average_length(), "avgfl, average length of field across all documents");
        let length = Explanation::leaf(length, "fl, field length of the document");
        let (computed, details) = match self {
            Normalization::No => return Explanation::leaf(1.0, "no normalization"),
            Normalization::H1 { c } => {
                let c = Explanation::leaf(c, "c, hyper-parameter");
                ("NormalizationH1, computed as tf * c * (avgfl / fl) from:", vec![tf, c, average, length])
            }
            Normalization::H2 { c } => {
                let c = Explanation::leaf(c, "c, hyper-parameter");
                ("NormalizationH2, computed as tf * log2(1 + c * avgfl / fl) from:", vec![tf, c, average, length])
            }
            Normalization::H3 { c } => {
                let mu = Explanation::leaf(c, "mu, smoothing parameter");
                let term = Explanation::leaf(
                    counts.occurrences,
                    "F,  total number of occurrences of term across all documents",
                );
                let tokens =
                    Explanation::leaf(counts.tokens, "T, total number of tokens of the field across all documents");
                let computed = "NormalizationH3, computed as (tf + mu * ((F+1) / (T+1))) / (fl + mu) * mu from:";
                (computed, vec![tf, mu, term, tokens, length])
            }
            Normalization::Z { z } => {
                let z = Explanation::leaf(z, "z, relates to specificity of the language");
                ("NormalizationZ, computed as tf * Math.pow(avgfl / fl, z) from:", vec![tf, average, length, z])
            }
        };
        Explanation::of(value, computed, details)
    }
}
